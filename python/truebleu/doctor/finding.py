"""The doctor's report: findings with prices, and every check that passed or was not made."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from truebleu._counts import number_of
from truebleu._inputs import brief
from truebleu._shown import shown
from truebleu.doctor.rule import LEVELS
from truebleu.errors import DoctorError, OptionError

SCHEMA = 1

# The largest number of places in JSON; `count` has the full number.
_MOST_SEGMENTS = 1000


def quotation(text: str, longest: int = 60) -> str:
    """Quote a text in a message so that `Finding.discreet` can find it."""
    return '("' + shown(text.strip(), longest).replace('"', "'") + '")'


@dataclass(frozen=True)
class Price:
    """The price of a fault under one metric.

    Parameters
    ----------
    before
        The score as asked for.
    after
        The score without the fault.
    kind
        How `after` was computed: "repair" (repaired texts), "other" (another setting), "rest" (without the segments).
    higher_is_better
        Whether a higher score is a better one.
    decimals
        How many decimals are worth showing.
    """

    before: float
    after: float
    kind: str
    higher_is_better: bool = True
    decimals: int = 2

    @property
    def points(self) -> float:
        """The points that the fault costs; negative if it gains points that are not deserved."""
        return self.after - self.before if self.higher_is_better else self.before - self.after


@dataclass(frozen=True)
class Finding:
    """One fault.

    Parameters
    ----------
    code
        The code of the rule, such as "D304".
    name
        The name of the fault.
    level
        "error", "warning" or "note".
    side
        Where the fault is: "hypotheses", "references[0]" or "sources".
    segments
        The segments that have it, counted from 0; empty if the whole file has it.
    count
        How many segments have it.
    share
        Their share of all segments.
    evidence
        The numbers that the rule looked at.
    prices
        The price of the fault, by metric; empty if it cannot be computed.
    repair
        The name of the repair, if there is one.
    message
        The fault in one or two sentences, with the price in the first metric.
    units
        Up to ten units that were not kept, such as placeholders: segment, kind, the unit, and what became of it.
    not_scored_anew
        For each learned metric that has not scored repaired segments, how many there are.
    """

    code: str
    name: str
    level: str
    side: str
    segments: tuple[int, ...]
    count: int
    share: float
    evidence: Mapping[str, float]
    prices: Mapping[str, Price]
    repair: str | None
    message: str
    units: tuple[tuple[int, str, str, str], ...] = ()
    not_scored_anew: Mapping[str, int] = field(default_factory=dict)

    @property
    def points(self) -> float:
        """The price in the first metric, or 0 if it has no price."""
        return next((price.points for price in self.prices.values()), 0.0)

    @property
    def discreet(self) -> str:
        """The message without quotations, for confidential texts."""
        return re.sub(r' \("[^"]*"\)', "", self.message)

    def to_dict(self) -> dict[str, Any]:
        """Give the finding as plain values; segments are lines, counted from 1, and at most 1,000."""
        return {
            "code": self.code,
            "name": self.name,
            "level": self.level,
            "side": self.side,
            "segments": [segment + 1 for segment in self.segments[:_MOST_SEGMENTS]],
            "count": self.count,
            "share": self.share,
            "evidence": dict(self.evidence),
            "prices": {
                metric: {"before": price.before, "after": price.after, "kind": price.kind, "points": price.points}
                for metric, price in self.prices.items()
            },
            "repair": self.repair,
            "message": self.message,
            "units": [
                {"segment": at + 1, "kind": kind, "expected": expected, "found": found}
                for at, kind, expected, found in self.units
            ],
            "not_scored_anew": dict(self.not_scored_anew),
        }


@dataclass(frozen=True)
class Diagnosis:
    """The report of the doctor.

    Parameters
    ----------
    findings
        The findings: errors first, then warnings, then notes; among these the most expensive first.
    passed
        The codes of the checks that found nothing.
    not_checked
        For each check that was not made, or whose findings another finding explains, the reason.
    segments
        How many segments there are.
    mend
        Repairs the hypotheses, given the names of repairs.
    names
        The names of all checks by their codes, for readers.
    """

    findings: tuple[Finding, ...]
    passed: tuple[str, ...]
    not_checked: Mapping[str, str]
    segments: int
    mend: Callable[[tuple[str, ...]], list[str]] = field(repr=False, compare=False)
    names: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)

    def __str__(self) -> str:
        from truebleu.doctor.text import diagnosis_text

        return diagnosis_text(self)

    def __repr__(self) -> str:
        from truebleu.doctor.text import counted

        return f"<diagnosis of {number_of(self.segments, 'segment')}: {counted(self.findings)}; print() shows it>"

    @property
    def worst(self) -> str | None:
        """The highest level among the findings, or None if there are no findings."""
        return max((finding.level for finding in self.findings), key=LEVELS.index, default=None)

    def raise_for(self, level: str = "error") -> None:
        """Raise DoctorError, with all messages, if there is a finding of a level or worse.

        Parameters
        ----------
        level
            "error", "warning" or "note".
        """
        if not isinstance(level, str) or level not in LEVELS:
            raise OptionError(f"level is {brief(level)}, expected one of {', '.join(map(repr, LEVELS))}")
        bad = [one for one in self.findings if LEVELS.index(one.level) >= LEVELS.index(level)]
        if bad:
            raise DoctorError("\n".join(f"{one.code} {one.level}: {one.message}" for one in bad))

    def repaired(self, *names: str) -> list[str]:
        """Give the hypotheses after some repairs, in a new list.

        A repair changes only the segments of its findings; a normalisation changes all segments.

        Parameters
        ----------
        names
            The repairs, such as "specials" and "entities"; they are made in a fixed order.
        """
        return self.mend(names)

    def to_dict(self) -> dict[str, Any]:
        """Give the report as plain values, ready for JSON."""
        return {
            "schema": SCHEMA,
            "segments": self.segments,
            "worst": self.worst,
            "findings": [finding.to_dict() for finding in self.findings],
            "passed": list(self.passed),
            "not_checked": dict(self.not_checked),
        }
