"""`--by` beside a paired test: the same test of each group of segments, after that of all."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from truebleu._counts import number_of
from truebleu._logs import silenced
from truebleu._shown import json_text, shown
from truebleu._text.escape import spreadsheet_cell
from truebleu._text.style import Style
from truebleu.cli.inputs import key_label
from truebleu.cli.job import Job
from truebleu.study.formats.render import render
from truebleu.study.results import GroupScores, Results


def with_groups(job: Job, results: Results, test: Callable[[Job], Results]) -> Results:
    """Test each group of segments with the same values of fields, in the order of the values."""
    names, places = job.request.input.source.by, dict[Any, list[int]]()
    for at, key in enumerate(job.keys):
        places.setdefault(key, []).append(at)
    parts = []
    for key in sorted(places, key=lambda key: [(value is None, value) for value in key]):
        group = GroupScores(key_label(names, key), len(places[key]), (), dict(zip(names, key, strict=True)))
        with silenced():  # of what was said of all segments
            parts.append((group, test(job.at(places[key]))))
    return results._replace(parts=tuple(parts))


def lines_with_groups(results: Results, style: Style) -> Iterator[str]:
    """Write a report of all segments, and of each group."""
    parts = [(_about(group), group, "\n".join(render(part, style))) for group, part in results.parts]
    whole = "\n".join(render(results, style))
    if style.format == "json":
        yield json_text(_joined(json.loads(whole), [(about, json.loads(text)) for about, _, text in parts]), indent=1)
    elif style.format == "jsonl":
        for about, text in [*((about, text) for about, _, text in parts), ({}, whole)]:
            yield from (json_text(json.loads(line) | about) for line in text.split("\n"))
    elif style.format in ("csv", "tsv"):
        yield from _table([*((group, text) for _, group, text in parts), (GroupScores("", 0, ()), whole)], style)
    else:
        yield whole
        for _, group, text in parts:
            yield f"\n{shown(group.label)} ({number_of(group.segments, 'segment')})\n\n{text}"


def _about(group: GroupScores) -> dict[str, Any]:
    values = (group.key or {}).items()
    key = {name: value if isinstance(value, str | int | None) else str(value) for name, value in values}
    return {"group": {"label": group.label, "segments": group.segments, "key": key}}


def _joined(whole: Any, parts: list[tuple[dict[str, Any], Any]]) -> Any:
    """A ranking is one object, which has those of its groups; scores are a list, those of groups first."""
    if isinstance(whole, dict):
        return {**whole, "groups": [about | part for about, part in parts]}
    return [one | about for about, part in parts for one in part] + whole


def _table(parts: list[tuple[GroupScores, str]], style: Style) -> Iterator[str]:
    """Put the tables of groups one below the other, with columns that tell the group."""
    import csv
    import io

    delimiter, rows = "," if style.format == "csv" else "\t", list[list[Any]]()
    for group, text in parts:
        header, *others = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        rows += [] if rows else [["group", "segments", *header]]
        rows += [[spreadsheet_cell(group.label), group.segments or "", *row] for row in others]
    for row in rows:
        out = io.StringIO()
        csv.writer(out, delimiter=delimiter, lineterminator="\r\n").writerow(row)
        yield out.getvalue().removesuffix("\r\n")
