"""An overlap, and scores of its parts, as tables for terminals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from truebleu._counts import number_of
from truebleu._shown import shown
from truebleu._text.p_values import p_text

if TYPE_CHECKING:
    from truebleu.contamination.found import Overlap, TextOverlap
    from truebleu.contamination.split import SplitReport

_SHOWN = 10  # segments


def lines_of(found: Overlap) -> Iterator[str]:
    """What was compared, how many segments overlap, and those that do most."""
    from tabulate import tabulate

    sums, segments = found.totals, len(found.segments)
    name = f"{shown(found.test['name'])}: " if found.test["name"] else ""
    words = number_of(sums["units"], "word", commas=True)
    yield f"{name}{number_of(segments, 'segment', commas=True)}, {number_of(sums['ngrams'], 'n-gram', commas=True)}"
    where = f"{number_of(sums['records'], 'record', commas=True)} of {number_of(sums['files'], 'file', commas=True)}"
    yield f"Training text: {words} in {where}"
    units = f"{number_of(found.n, 'word')}, {number_of(found.characters, 'character')}"
    yield f"N-grams: {units}; {found.normalize}; {found.rule}; side {found.side}"
    yield ""
    for verdict in ("overlapping", "clean", "too short"):
        count = sums[verdict.replace(" ", "_")]
        yield f"{verdict:12} {count:>9,}  {100 * count / segments:5.1f} %"
    rows = [row for at, one in enumerate(found.segments, 1) if one.verdict == "overlapping"
            for row in _rows(at, one.source, one.references)]  # fmt: skip
    rows.sort(key=lambda row: (-float(row[2]), -int(row[3]), int(row[0])))
    if rows:
        yield ""
        head = ["segment", "side", "coverage", "longest", "records", "first"]
        yield from tabulate(rows[:_SHOWN], head, "simple", disable_numparse=True,
                            colalign=["right", "left", "right", "right", "right", "left"]).split("\n")  # fmt: skip
        if len(rows) > _SHOWN:
            yield f"and {len(rows) - _SHOWN:,} more (-o FILE writes all of them)"
    for ngram, records in found.often[:3]:
        yield f"left out, because it is in {records:,} records: {shown(repr(ngram))}"
    if replaced := sums["replaced"]:
        yield f"{number_of(replaced, 'place', commas=True)} with bytes that are not UTF-8 ended words"


def _rows(at: int, source: TextOverlap | None, references: tuple[TextOverlap | None, ...]) -> Iterator[list[str]]:
    names = ["source", *(f"reference {number}" for number in range(1, len(references) + 1))]
    for name, one in zip(names, (source, *references), strict=True):
        if one is not None and one.records:
            first = one.first[0]
            where = f"{shown(first.file) or 'texts'}:{first.record}"
            yield [str(at), name, f"{one.coverage:.2f}", str(one.longest), str(one.records), where]


def lines_of_split(report: SplitReport) -> Iterator[str]:
    """A table for each metric, the pairs of systems, and what the figures say."""
    from tabulate import tabulate

    yield ", ".join(f"{name} {count:,}" for name, count in report.sizes.items()) + " segments"
    for head, rows in (system_table(report), pair_table(report)):
        if rows:
            right = ["left", "left", *["right"] * (len(head) - 2)]
            cells = [[shown(cell) for cell in row] for row in rows]
            yield from tabulate(cells, head, "simple", disable_numparse=True, colalign=right).split("\n")
            yield ""
    yield from notes_of(report)


def system_table(report: SplitReport) -> tuple[list[str], list[list[str]]]:
    """The head and the rows of systems under each metric."""
    return ["system", "metric", *report.sizes, "difference", "p"], [
        [one.system, one.metric, *map(_number, one.scores.values()), _number(one.difference, "+"), _p(one.p_value)]
        for one in report.systems
    ]


def pair_table(report: SplitReport) -> tuple[list[str], list[list[str]]]:
    """The head and the rows of pairs of systems."""
    return ["pair", "metric", "difference of differences", "p"], [
        [f"{one.a} - {one.b}", one.metric, _number(one.difference, "+"), _p(one.p_value)] for one in report.pairs
    ]


def notes_of(report: SplitReport) -> Iterator[str]:
    """What the figures say and what they do not."""
    if min(report.sizes["overlapping"], report.sizes["clean"]) < report.fewest:
        yield f"A part has less than {number_of(report.fewest, 'segment')}, so that nothing is tested."
    yield "Overlapping segments may just be easier: the difference of one system is a description."
    yield "Evidence is the pair: does one system gain more on the overlapping part than the other?"


def _number(value: float | None, sign: str = "") -> str:
    return "" if value is None else f"{value:{sign}.2f}"


def _p(value: float | None) -> str:
    return "" if value is None else p_text(value)
