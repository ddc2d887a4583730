"""The terms that systems missed most, as a table for terminals and pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from truebleu._shown import shown
from truebleu._typing import TYPE_CHECKING

if TYPE_CHECKING:
    from truebleu.metrics.terms import TermUse

MOST = 20


def missed_most(uses: Mapping[str, Sequence[TermUse]]) -> tuple[list[str], list[list[str]]]:
    """The heads and rows of the terms that all systems together missed most; of equal ones the first comes first."""
    by_term: dict[str, dict[str, TermUse]] = {}
    for system, of_system in uses.items():
        for one in of_system:
            by_term.setdefault(one.source, {})[system] = one
    missed = {term: sum(one.wanted - one.found for one in of.values()) for term, of in by_term.items()}
    rows = []
    for term in sorted(filter(missed.get, by_term), key=lambda term: -missed[term])[:MOST]:
        first = next(iter(by_term[term].values()))
        found = [f"{by_term[term][system].found:,}" for system in uses]
        rows.append([term, f"{first.wanted:,}", *found, ", ".join(first.targets)])
    return ["term", "wanted", *uses, "translations"], rows


def term_lines(uses: Mapping[str, Sequence[TermUse]]) -> Iterator[str]:
    """Write the terms as a table."""
    from tabulate import tabulate

    head, rows = missed_most(uses)
    if not rows:
        yield "No term was missed."
        return
    yield "Terms that were missed most, and how often each system has them:"
    cells = [[shown(cell, 60) for cell in row] for row in (head, *rows)]
    align = ["left", *["right"] * (len(head) - 2), "left"]
    yield from tabulate(cells[1:], cells[0], "simple", disable_numparse=True, colalign=align).split("\n")
