"""A rule: what it looks for, what it needs, how it is priced and when it gives a warning. `rules` has the table.

A rule is a function from the corpus to faults. It raises `NotChecked`, with a reason, if it cannot decide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from truebleu._counts import number_of

if TYPE_CHECKING:
    from truebleu.doctor.case import Case
    from truebleu.metrics import Metric

LEVELS = ("note", "warning", "error")
NOT_ASKED = "not asked for"  # why a check was not made

Alarm = Callable[[int, int], bool]


class NotChecked(Exception):
    """Raised by a rule that cannot check the texts; the message says why."""


@dataclass
class Fault:
    """A fault that a rule found, before it has a price and before other findings may explain it."""

    message: str | Callable[[int], str]
    segments: Sequence[int] = ()
    level: str | None = None
    side: str = "hypotheses"
    evidence: Mapping[str, float] = field(default_factory=dict)
    variant: str = ""
    repair: str | None = None
    other: list[Metric[Any]] | None = None
    order: list[int] | None = None
    cured: str = ""
    alarm: Alarm | None = None
    needs_price: bool = False
    narrow: Callable[[list[int]], Fault] | None = None
    units: Sequence[tuple[int, str, str, str]] = ()  # segment, kind, the unit as it should be, and what became of it
    edits: Mapping[int, Sequence[tuple[str, str]]] = field(default_factory=dict)  # for the repair, by segment


def many(number: int, one: str, more: str) -> str:
    """Count things in a sentence.

    >>> many(1, "segment has", "segments have"), many(1200, "segment has", "segments have")
    ('1 segment has', '1,200 segments have')
    """
    return number_of(number, one, more, commas=True)


def listed(places: Iterable[int], one: str, more: str, what: str = "", **fields: Any) -> Iterator[Fault]:
    """Give the fault that some segments have, if there are any; `what` follows both forms of the verb."""
    found = [int(at) for at in places]
    if found:
        yield Fault(lambda count: f"{many(count, one, more)} {what}".rstrip(), found, **fields)


def usual(count: int, segments: int) -> bool:
    """Tell whether this number of segments is worth a warning: 3 and 0.1 %, or 0.5 %."""
    return (count >= 3 and count >= 0.001 * segments) or count >= 0.005 * segments


def from_both(least: int, share: float) -> Alarm:
    """Make the condition that a number and a share of the segments are both reached."""
    return lambda count, segments: count >= max(least, share * segments)


def from_either(least: int, share: float) -> Alarm:
    """Make the condition that a number or a share of the segments is reached."""
    return lambda count, segments: count >= least or count >= share * segments


class Rule(NamedTuple):
    """A row of the table."""

    code: str
    name: str
    find: Callable[[Case], Iterable[Fault]]
    price: str = "none"  # "repair", "other" or "none": what `prices` does
    repair: str | None = None
    minimum: int = 1  # the smallest number of segments that it can check
    alarm: Alarm = usual  # when the number of segments makes it a warning
    style: bool = False  # a note, unless its price is a point or more
    sources: bool = False  # whether it needs sources
    cured: str = "Repaired"  # the words before the price in the message


def level_of(rule: Rule, fault: Fault, count: int, segments: int) -> str:
    """The level of a finding; if the rule does not set it, the number of segments decides."""
    if fault.level is not None or rule.style:
        return fault.level or "note"
    if count >= 3 and count >= 0.05 * segments:
        return "error"
    return "warning" if (fault.alarm or rule.alarm)(count, segments) else "note"
