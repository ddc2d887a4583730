"""The terms that systems missed most, for tables and pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from truebleu._records import NamedTuple
from truebleu._shown import shown
from truebleu._typing import TYPE_CHECKING

if TYPE_CHECKING:
    from truebleu.metrics.terms import TermUse

MOST = 20


class MissedTerm(NamedTuple):
    """A term, how often it was wanted, and how often each system has it."""

    source: str
    wanted: int
    found: Mapping[str, int]
    targets: tuple[str, ...]


def missed_most(uses: Mapping[str, Sequence[TermUse]], most: int = MOST) -> list[MissedTerm]:
    """Choose the terms that all systems together missed most; of equal ones those that come first in the glossary."""
    terms: dict[str, MissedTerm] = {}
    for system, of_system in uses.items():
        for one in of_system:
            known = terms.setdefault(one.source, MissedTerm(one.source, one.wanted, {}, tuple(one.targets)))
            known.found[system] = one.found  # type: ignore[index]
    ordered = sorted(terms.values(), key=lambda term: sum(term.found.values()) - len(term.found) * term.wanted)
    return [term for term in ordered if min(term.found.values()) < term.wanted][:most]


def cells(term: MissedTerm, systems: Sequence[str]) -> list[str]:
    """The cells of a row: the term, how often it was wanted and found by each system, and its translations."""
    found = [f"{term.found[name]:,}" if name in term.found else "–" for name in systems]
    return [term.source, f"{term.wanted:,}", *found, ", ".join(term.targets)]


def head(systems: Sequence[str]) -> list[str]:
    """The heads of these cells."""
    return ["term", "wanted", *systems, "translations"]


def term_lines(terms: Sequence[MissedTerm], systems: Sequence[str]) -> Iterator[str]:
    """Write the terms as a table."""
    from tabulate import tabulate

    if not terms:
        yield "No term was missed."
        return
    rows = [[shown(cell, 60) for cell in cells(term, systems)] for term in terms]
    align = ["left", *["right"] * (len(systems) + 1), "left"]
    yield "Terms that were missed most, and how often each system has them:"
    yield from tabulate(rows, [shown(one) for one in head(systems)], "simple", disable_numparse=True,
                        colalign=align).split("\n")  # fmt: skip
