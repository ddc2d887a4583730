"""Plain tables with named columns: system, segment, metric and score, as CSV, TSV, JSON lines, Parquet or Arrow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from truebleu._counts import number_of
from truebleu._inputs import brief
from truebleu._textio import table_rows
from truebleu.errors import BadScore, FileFormatError
from truebleu.scores.opened import MISSING, ScoreFile, finite, is_score
from truebleu.scores.plain import UNNAMED
from truebleu.scores.table import ScoreCells, ScoreColumn, ScoreTable, kind_of_name

_ITEMS = ("segment", "item", "item_id", "seg_id")


def recognise(file: ScoreFile) -> bool:
    """Whether there are named columns, one of which names the segment."""
    return bool(set(_ITEMS) & {*file.first_object, *_header(file)})


def read(file: ScoreFile) -> ScoreTable:
    """Read a table in text."""
    names = [*file.first_object] or _header(file)
    rows = file.objects() if file.first_object else _table_rows(file)
    return from_rows(file.name, names, rows, file.wanted.metric)


def from_rows(
    name: str, names: Iterable[str], rows: Iterable[tuple[int, Mapping[str, Any]]], metric: str | None
) -> ScoreTable:
    """Make a table of rows, each with its number."""
    names = list(names)
    which = next((one for one in _ITEMS if one in names), None)
    if which is None or "system" not in names or "score" not in names:
        raise FileFormatError(
            f"{name}: the columns are {', '.join(map(repr, names[:8]))}, expected system, segment, metric and score, "
            "with one score per line; a table with a column for each system is turned into it by pandas, "
            f"df.melt({(which or 'segment')!r}, var_name='system', value_name='score')"
        )
    cells, columns = ScoreCells(), dict[str, ScoreColumn]()
    for number, row in rows:
        place = f"{name}, line {number}"
        system, item = row.get("system"), row.get(which)
        if not isinstance(system, str) or item is None or item == "":
            raise FileFormatError(f"{place}: the system is {brief(system)} and the {which} {brief(item)}")
        title = metric or row.get("metric") or UNNAMED
        if title not in columns:
            about = {key: row.get(key) or None for key in ("model", "revision", "precision")}
            columns[title] = ScoreColumn(kind_of_name(title), **about)
        rater, document, domain = (row.get(key) or None for key in ("rater", "document", "domain"))
        score = _score(row.get("score"), f"{place}, {system}")
        cells.add(system, str(item), title, score, rater, document, domain)
    return cells.table(columns=columns)


def _score(value: Any, place: str) -> float | None:
    if not isinstance(value, str):
        return None if isinstance(value, float) and value != value else finite(value, place)
    if not is_score(value.strip()):
        raise BadScore(f"{place}: the score is {brief(value)}, expected a number")
    return None if value.strip() in MISSING else float(value)


def _header(file: ScoreFile) -> list[str]:
    first = file.beginning[0]
    return [name.strip('"') for name in first.split("\t" if "\t" in first else ",")]


def _table_rows(file: ScoreFile) -> Iterator[tuple[int, Mapping[str, Any]]]:
    names, is_tsv = _header(file), "\t" in file.beginning[0]
    split = ((number, line.split("\t")) for number, line in file.lines())
    rows = split if is_tsv else table_rows(file.text(), "csv", file.name)
    next(rows)
    for number, cells in rows:
        if len(cells) != len(names):
            file.refuse(number, f"found {number_of(len(cells), 'cell')}, expected {len(names)} as in the header")
        yield number, dict(zip(names, cells, strict=True))
