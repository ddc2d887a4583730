"""The results of `reconcile`: frozen values that a report writes and a program reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

SCHEMA = 1


@dataclass(frozen=True)
class Change:
    """One difference from the start."""

    axis: str
    value: str
    old: str
    says: str  # for people
    contributions: tuple[float, ...]  # its mean effect over all orders of the changes, in points, for each system
    steps: tuple[float, ...]  # its effect when the changes are made one after the other, in the order of the list
    equals: tuple[str, ...] = ()  # other values of the axis that give the same score on these texts

    def to_dict(self) -> dict[str, Any]:
        """Give all fields by name."""
        return {
            "axis": self.axis, "value": self.value, "instead_of": self.old, "says": self.says,
            "contributions": list(self.contributions), "steps": list(self.steps), "equals": list(self.equals),
        }  # fmt: skip


@dataclass(frozen=True)
class Explanation:
    """A setting, and how it comes from the start."""

    changes: tuple[Change, ...]
    scores: tuple[float, ...]  # of each system, from 0 to 100
    printed: tuple[str, ...]
    exact: bool  # whether the scores, rounded, are the targets; False: cut off, or near
    truncated: bool
    profile: str | None  # the title of a tool that computes this
    level: int
    weight: float
    interdependent: bool = False  # whether the effects depend on each other
    metric: str = "bleu"
    also: tuple[str, ...] = ()  # other tools and settings with the same score

    @property
    def score(self) -> float:
        """The score of the first system."""
        return self.scores[0]

    @property
    def contributions(self) -> dict[str, float]:
        """What each change contributes to the gap of the first system, by axis."""
        return {change.axis: change.contributions[0] for change in self.changes}

    @property
    def steps(self) -> dict[str, float]:
        """What each change adds for the first system when they are made in turn, by axis."""
        return {change.axis: change.steps[0] for change in self.changes}

    def to_dict(self) -> dict[str, Any]:
        """Give all fields by name."""
        return {
            "profile": self.profile, "metric": self.metric, "scores": list(self.scores),
            "printed": list(self.printed), "exact": self.exact, "truncated": self.truncated, "level": self.level,
            "weight": self.weight, "interdependent": self.interdependent, "also": list(self.also),
            "changes": [change.to_dict() for change in self.changes],
        }  # fmt: skip


@dataclass(frozen=True)
class Attribution:
    """The gap between two known settings, and how much each difference contributes to it."""

    start: str
    end: str
    start_scores: tuple[float, ...]
    end_scores: tuple[float, ...]
    changes: tuple[Change, ...]
    interdependent: bool
    notes: tuple[str, ...]  # differences that cannot be scored

    def __str__(self) -> str:
        from truebleu.reconciliation.text import reconciliation_text

        return reconciliation_text(self).rstrip("\n")

    def to_dict(self) -> dict[str, Any]:
        """Give all fields by name."""
        return {
            "schema": SCHEMA, "start": self.start, "end": self.end, "start_scores": list(self.start_scores),
            "end_scores": list(self.end_scores), "interdependent": self.interdependent, "notes": list(self.notes),
            "changes": [change.to_dict() for change in self.changes],
        }  # fmt: skip


@dataclass(frozen=True)
class Reconciliation:
    """Which settings give a number.

    `certainty` is "certain", "likely", "one of several" or "none". `explanations` are ranked; the first `tied` of them
    rank alike. Those that explain nothing are in `nearest`.
    """

    targets: tuple[str, ...]
    start: str
    start_scores: tuple[float, ...]
    explanations: tuple[Explanation, ...]
    tied: int
    certainty: str
    tested: int
    by_chance: float
    nearest: tuple[Explanation, ...]
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        from truebleu.reconciliation.text import reconciliation_text

        return reconciliation_text(self).rstrip("\n")

    def __repr__(self) -> str:
        found = "not explained" if not self.explained else f"explained, {self.certainty}"
        return f"<reconciliation of {', '.join(self.targets)}: {found}; print() shows it>"

    @property
    def systems(self) -> tuple[str, ...]:
        """What the systems are called: they are numbered."""
        return tuple(f"System {number}" for number in range(1, len(self.targets) + 1))

    @property
    def explained(self) -> bool:
        """Whether a setting gives the number exactly."""
        return bool(self.explanations)

    def to_dict(self) -> dict[str, Any]:
        """Give all fields by name."""
        return {
            "schema": SCHEMA, "targets": list(self.targets), "start": self.start,
            "start_scores": list(self.start_scores), "certainty": self.certainty, "tested": self.tested,
            "by_chance": self.by_chance, "tied": self.tied,
            "explanations": [explanation.to_dict() for explanation in self.explanations],
            "nearest": [explanation.to_dict() for explanation in self.nearest], "notes": list(self.notes),
        }  # fmt: skip
