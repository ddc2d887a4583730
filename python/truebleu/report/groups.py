"""Scores of groups of segments, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from truebleu.report.results import CYAN, Outcome, Results, Style
from truebleu.report.table import STYLES, cell, titled

_ALL = "all"


def group_lines(results: Results, format: str, style: Style) -> Iterator[str]:
    """A row for each group, a column for each system and metric, and the signatures."""
    from tabulate import tabulate

    headers = [style.paint(text, CYAN) for text in ("Group", "Segments", *_columns(results))]
    everything = tuple(system.outcomes for system in results.systems)
    count = sum(group.segments for group in results.groups)
    parts = [(group.label, group.segments, group.systems) for group in results.groups] + [(_ALL, count, everything)]
    rows = [[label, str(size), *_cells(systems, style)] for label, size, systems in parts]
    align = ("right", *("center" for _ in headers[1:]))
    text: str = tabulate(rows, headers=headers, tablefmt=STYLES[format], colalign=align, disable_numparse=True)
    yield from text.split("\n")
    yield ""
    yield from titled("Metric signatures", format)
    for outcome in results.systems[0].outcomes:
        yield f" - {outcome.name:<10} {style.signature(outcome)}"


def _cells(systems: Sequence[Sequence[Outcome]], style: Style) -> Iterator[str]:
    return (cell(outcome, " ", style) for outcomes in systems for outcome in outcomes)


def _columns(results: Results) -> Iterator[str]:
    alone = len(results.systems) == 1
    for system in results.systems:
        for outcome in system.outcomes:
            yield _header(outcome) if alone else f"{system.name}: {_header(outcome)}"


def _header(outcome: Outcome) -> str:
    return f"{outcome.name} (μ ± 95% CI)" if outcome.mean is not None else outcome.name
