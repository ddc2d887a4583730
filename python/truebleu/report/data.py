"""Formats for programs: JSON, JSON lines, CSV, TSV.

All of them hold *score objects*, at full precision: one for each system and metric, at sentence level for each segment.
`docs/command-line.md` describes them. The JSON of sacreBLEU 2.6.0 is here too, byte for byte.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from truebleu.report.ranking import PAIR_COLUMNS, pair_objects
from truebleu.report.results import Outcome, Results, Style, SystemOutcomes

SCHEMA = 1
COLUMNS = ("system", "segment", "name", "score", "mean", "half_width", "p_value", "adjusted_p_value", "signature")


def score_objects(results: Results) -> Iterator[dict[str, Any]]:
    """A dictionary for each score; with groups, for each score of a group too."""
    for group in (*results.groups, *results.details):
        place = {"label": group.label, "segments": group.segments}
        for system, outcomes in zip(results.systems, group.systems, strict=True):
            for outcome in outcomes:
                yield _score_object(system.name, outcome) | {"group": place}
    for system in results.systems:
        if results.is_sentence_level:
            for number, outcomes in enumerate(system.segments, 1):
                for outcome in outcomes:
                    yield _score_object(system.name, outcome, segment=number)
        else:
            for outcome in system.outcomes:
                yield _score_object(system.name, outcome)


def _score_object(system: str, outcome: Outcome, segment: int | None = None) -> dict[str, Any]:
    place = {"system": system} if segment is None else {"system": system, "segment": segment}
    fields = {"schema": SCHEMA, **place, "name": outcome.name, "score": outcome.score}
    fields["signature"] = str(outcome.signature)
    if outcome.mean is not None:
        fields["confidence"] = {"mean": outcome.mean, "half_width": outcome.half_width, "level": 0.95}
    if outcome.p_value is not None:
        fields["p_value"] = outcome.p_value
    if outcome.adjusted_p_value is not None:
        fields["adjusted_p_value"] = outcome.adjusted_p_value
    if outcome.verbose:
        fields["verbose_score"] = outcome.verbose
    return fields | dict(outcome.parts) | {"settings": _settings(outcome)}


def _settings(outcome: Outcome) -> dict[str, Any]:
    return outcome.signature.fields()


def json_lines(results: Results, style: Style) -> Iterator[str]:
    """One score object if there is one score, a list of them otherwise; with `score_only`, numbers alone."""
    if results.comparison is not None:
        yield json.dumps({"schema": SCHEMA, **results.comparison.to_dict()}, indent=1, ensure_ascii=False)
        return
    objects: list[Any] = list(score_objects(results))
    if style.score_only:
        objects = [fields["score"] for fields in objects]
    alone = len(objects) == 1 and not results.is_sentence_level
    yield json.dumps(objects[0] if alone else objects, indent=1, ensure_ascii=False)


def jsonl_lines(results: Results, style: Style) -> Iterator[str]:
    """A score object a line; in a ranking, a pair a line."""
    if results.comparison is not None:
        for pair in pair_objects(results.comparison):
            yield json.dumps({"schema": SCHEMA, **pair}, ensure_ascii=False)
        return
    for fields in score_objects(results):
        yield json.dumps(fields["score"] if style.score_only else fields, ensure_ascii=False)


def delimited_lines(results: Results, delimiter: str) -> Iterator[str]:
    """A header, and a row for each score."""
    import csv
    import io

    for row in _rows(results):
        text = io.StringIO()
        csv.writer(text, delimiter=delimiter, lineterminator="").writerow(row)
        yield text.getvalue()


def _rows(results: Results) -> Iterator[Sequence[Any]]:
    if results.comparison is not None:
        yield PAIR_COLUMNS
        yield from (tuple(pair.values()) for pair in pair_objects(results.comparison))
        return
    has_groups = bool(results.groups or results.details)
    yield ("group", "segments", *COLUMNS) if has_groups else COLUMNS
    for fields in score_objects(results):
        flat = fields | fields.get("confidence", {})
        group = fields.get("group", {"label": "", "segments": ""})
        cells = [flat.get(column, "") for column in COLUMNS]
        yield [group["label"], group["segments"], *cells] if has_groups else cells


# sacreBLEU's own.


def sacrebleu_lines(results: Results, style: Style) -> Iterator[str]:
    """What sacreBLEU 2.6.0 prints with `-f json`."""
    if results.comparison is not None or results.groups:
        yield from json_lines(results, style)
        return
    if len(results.systems) > 1 or results.paired is not None:
        objects = [_sacrebleu_system(system, results.paired is not None, style) for system in results.systems]
        yield json.dumps(objects, indent=4)
        return
    outcomes = results.systems[0].outcomes
    texts = [_sacrebleu_score(outcome, style) for outcome in outcomes]
    yield texts[0] if len(texts) == 1 else "[\n" + ",\n".join(texts) + "\n]"


def _sacrebleu_system(system: SystemOutcomes, is_paired: bool, style: Style) -> dict[str, Any]:
    fields: dict[str, Any] = {"system": system.name}
    for outcome in system.outcomes:
        fields[outcome.name] = (
            {"score": outcome.score, "p_value": outcome.p_value, "mean": outcome.mean, "ci": outcome.half_width}
            if is_paired
            else style.number(outcome.score)
        )
    return fields


def _sacrebleu_score(outcome: Outcome, style: Style) -> str:
    from truebleu.report.text import line

    if style.score_only:
        return line(outcome, style)
    number = style.number
    fields: dict[str, Any] = {
        "name": outcome.name,
        "score": float(number(outcome.score)),
        "signature": str(outcome.signature),
    }
    if outcome.mean is not None and outcome.half_width is not None:
        fields["confidence_mean"] = float(number(outcome.mean))
        fields["confidence_var"] = float(number(outcome.half_width))
        fields["confidence"] = f"μ = {number(outcome.mean)} ± {number(outcome.half_width)}"
    if outcome.verbose:
        fields["verbose_score"] = outcome.verbose
    return json.dumps(fields | _settings(outcome), indent=1, ensure_ascii=False)
