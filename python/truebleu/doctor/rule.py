"""What a rule is: what it looks for, what it needs, how it is priced and when it alarms. `rules` has the table.

A rule is a function from the corpus to faults. It raises `NotChecked`, with a reason, where it cannot tell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from truebleu._counts import number_of

if TYPE_CHECKING:
    from truebleu.doctor.corpus import Corpus
    from truebleu.metrics import Metric

LEVELS = ("note", "warning", "error")

Alarm = Callable[[int, int], bool]


class NotChecked(Exception):
    """Raised by a rule that cannot look: its text says why."""


@dataclass
class Fault:
    """What a rule found, before other findings explain it away and before it has a price."""

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


def many(number: int, one: str, more: str) -> str:
    """Count things in a sentence.

    >>> many(1, "segment has", "segments have"), many(1200, "segment has", "segments have")
    ('1 segment has', '1,200 segments have')
    """
    return number_of(number, one, more, commas=True)


def usual(count: int, segments: int) -> bool:
    """Tell whether so many of all segments are worth a warning: 3 and 0.1 %, or 0.5 %."""
    return (count >= 3 and count >= 0.001 * segments) or count >= 0.005 * segments


def from_both(least: int, share: float) -> Alarm:
    """Make the condition that a number and a share of the segments are both reached."""
    return lambda count, segments: count >= max(least, share * segments)


def from_either(least: int, share: float) -> Alarm:
    """Make the condition that a number or a share of the segments is reached."""
    return lambda count, segments: count >= least or count >= share * segments


class Rule(NamedTuple):
    """A line of the table."""

    code: str
    name: str
    find: Callable[[Corpus], Iterable[Fault]]
    price: str = "none"  # "repair", "other", "rest" or "none": what `prices` does
    repair: str | None = None
    minimum: int = 1  # how many segments it must have to tell anything
    alarm: Alarm = usual  # when the number of segments makes it a warning
    style: bool = False  # a note, unless its price is a point or more
    sources: bool = False  # whether it needs sources
    cured: str = "Repaired"  # what stands before the price in the message


def level_of(rule: Rule, fault: Fault, count: int, segments: int) -> str:
    """Tell the level of a finding; where the rule does not say it, the number of segments decides."""
    if fault.level is not None or rule.style:
        return fault.level or "note"
    if count >= 3 and count >= 0.05 * segments:
        return "error"
    return "warning" if (fault.alarm or rule.alarm)(count, segments) else "note"
