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


Alarm = Callable[[int, int], bool]


class NotChecked(Exception):
    """Raised by a rule that cannot look: its text says why."""


@dataclass
class Fault:
    """What a rule found, before other findings explain it away and before it has a price.

    Parameters
    ----------
    message
        The sentence; or a function that makes it of the number of segments, since others may explain some of them.
    segments
        The segments that have the fault, counted from 0; none if it is the whole file.
    level
        "error", "warning" or "note", where the number of segments does not decide it.
    side
        "hypotheses", "references[0]", "sources" and so on.
    evidence
        The numbers that the rule looked at.
    variant
        Tells kinds of one code apart where `explain` treats them differently: "moses" of D305, "fence" of D413.
    repair
        The repair, where it is not that of the rule; "" for none.
    other
        The metrics that the rule suggests, in the place of those that were asked for.
    order
        For each line of the repaired file, the line that belongs there, or -1 for none.
    cured
        What stands before the price in the message, where it is not what the rule says.
    alarm
        When the number of segments makes it a warning, where it is not what the rule says.
    needs_price
        Whether it is no fault if it costs nothing.
    narrow
        Makes the fault of some of the segments, where the message depends on which they are.
    """

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

    Parameters
    ----------
    number
        How many there are.
    one
        What follows the number 1.
    more
        What follows any other number.
    """
    return number_of(number, one, more, commas=True)


def usual(count: int, segments: int) -> bool:
    """Tell whether so many of all segments are worth a warning: 3 and 0.1 %, or 0.5 %.

    Parameters
    ----------
    count
        How many segments have the fault.
    segments
        How many there are.
    """
    return (count >= 3 and count >= 0.001 * segments) or count >= 0.005 * segments


def from_both(least: int, share: float) -> Alarm:
    """Make the condition that a number and a share of the segments are both reached.

    Parameters
    ----------
    least
        The number.
    share
        The share.
    """
    return lambda count, segments: count >= max(least, share * segments)


def from_either(least: int, share: float) -> Alarm:
    """Make the condition that a number or a share of the segments is reached.

    Parameters
    ----------
    least
        The number.
    share
        The share.
    """
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
    """Tell the level of a finding; where the rule does not say it, the number of segments decides.

    Parameters
    ----------
    rule
        The rule that found it.
    fault
        What it found.
    count
        How many segments have the fault.
    segments
        How many there are.
    """
    if fault.level is not None or rule.style:
        return fault.level or "note"
    if count >= 3 and count >= 0.05 * segments:
        return "error"
    return "warning" if (fault.alarm or rule.alarm)(count, segments) else "note"
