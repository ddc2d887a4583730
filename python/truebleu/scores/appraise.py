"""Exports of Appraise, tables without a header: direct assessment (11 fields), and error span annotation (12)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from truebleu._counts import number_of
from truebleu._inputs import brief
from truebleu._logs import inform
from truebleu._textio import table_rows
from truebleu.errors import BadScore, FileFormatError
from truebleu.scores.opened import Pairs, ScoreFile, is_score
from truebleu.scores.spans import ErrorSpan, spans_of
from truebleu.scores.table import ScoreCells, ScoreColumn, ScoreTable
from truebleu.scores.wmt25 import PART

_METRICS = {11: "DA", 12: "ESA"}  # by the number of fields; the second has spans before the two times
_TRANSLATION, *_CONTROLS = "TGT", "BAD", "REF", "CHK"
_HIGHEST = 100.0


class _Rating(NamedTuple):
    rater: str
    system: str
    segment: str
    kind: str
    pair: str
    score: float
    document: str
    is_document: bool
    end: float
    spans: tuple[ErrorSpan, ...]

    @property
    def name_of_document(self) -> str:
        """The document without the marks of its system, and of a control."""
        name = re.sub(r"#bad[0-9]*$", "", self.document)
        document, mark, system = name.rpartition("#")
        return document if mark and self.system.endswith(system) else name


def recognise(file: ScoreFile) -> bool:
    """Whether a line has so many fields, the fourth of which is a kind of item."""
    cells = file.beginning[0].split(",")
    return len(cells) >= min(_METRICS) and cells[3] in (_TRANSLATION, *_CONTROLS)


def read(file: ScoreFile) -> ScoreTable:
    """Read the scores of translations; what else is there is counted and told."""
    rows = list(table_rows(file.text(), "csv", file.name))
    ratings, dropped, pairs = list[_Rating](), Counter[str](), Pairs(file)
    for one in _ratings(file, rows):
        if "tutorial" in one.document or "tutorial" in one.segment:
            dropped["of the tutorial"] += 1
        elif one.kind != _TRANSLATION:
            dropped[f"of controls ({one.kind})"] += 1
        elif pairs.take(one.pair):
            ratings.append(one)
    pairs.check()
    level = "segment" if any(not one.is_document for one in ratings) else "document"
    kept = [one for one in ratings if one.is_document is (level == "document")]
    dropped["of whole documents"] += len(ratings) - len(kept)
    for what, count in sorted(dropped.items()):
        if count:
            inform("%s: left out %s %s", file.name, number_of(count, "score"), what)
    return _table(file, kept, level, file.wanted.metric or _METRICS[len(rows[0][1])])


def _ratings(file: ScoreFile, rows: list[tuple[int, list[str]]]) -> Iterator[_Rating]:
    fields = len(rows[0][1])
    for number, cells in rows:
        if len(cells) != fields or fields not in _METRICS:
            raise FileFormatError(f"{file.place(number)}: found {number_of(len(cells), 'field')}, expected 11 or 12")
        rater, system, segment, kind, source, target, score, document, is_document, *others, end = cells
        if not is_score(score) or not 0 <= float(score or "nan") <= _HIGHEST:
            raise BadScore(f"{file.place(number)}: the score of {brief(system)} is {brief(score)}, expected 0 to 100")
        time = float(end) if is_score(end) and end else float(number)
        whole = is_document.strip().lower() == "true"
        is_esa = len(others) > 1 and kind == _TRANSLATION and others[0].strip()
        spans = spans_of(others[0], file.place(number), is_inclusive=True) if is_esa else ()
        yield _Rating(rater, system, segment, kind, f"{source}-{target}", float(score), document, whole, time, spans)


def _table(file: ScoreFile, ratings: list[_Rating], level: str, metric: str) -> ScoreTable:
    cells, firsts = ScoreCells(), _first_numbers(file, ratings)
    for one in ratings:
        document, domain = one.name_of_document, None
        item = document
        if PART in one.segment:  # a name, as in WMT25
            item, document, domain = one.segment, one.segment.rpartition(PART)[0], one.segment.split(PART)[1]
        elif level == "segment":
            item = f"{document}/{int(one.segment) - firsts[one.rater, one.system, one.document] + 1}"
        cells.add(one.system, item, metric, one.score, one.rater, document, domain, one.spans)
    times = [one.end for one in ratings]
    table, before = cells.last(times, level=level, columns={metric: ScoreColumn("human")})
    if before:
        inform("%s: %s of an item that its rater scored again later", file.name, number_of(before, "score"))
    return table


def _first_numbers(file: ScoreFile, ratings: list[_Rating]) -> dict[tuple[str, str, str], int]:
    """Find the number of the first segment of each document.

    Segments are numbered within their document, or through all documents of a rater. No number comes twice in the
    second case.
    """
    numbers: dict[tuple[str, str, str], set[int]] = defaultdict(set)
    for one in ratings:
        if PART not in one.segment:
            if not re.fullmatch("[0-9]{1,9}", one.segment):
                raise FileFormatError(f"{file.name}: a segment is called {brief(one.segment)}, expected its number")
            numbers[one.rater, one.system, one.document].add(int(one.segment))
    by_rater: Counter[tuple[str, int]] = Counter()
    for (rater, _, _), found in numbers.items():
        by_rater.update((rater, number) for number in found)
    is_through = max(by_rater.values(), default=1) == 1
    return {key: min(found) if is_through else 1 for key, found in numbers.items()}
