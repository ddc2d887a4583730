"""How much each difference contributes to a gap.

All combinations of the differences are scored. The contribution of one is its mean effect over all orders in which they
can be made (Shapley, 1953), so contributions add up to the gap. Steps are the effects in one fixed order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import factorial
from typing import NamedTuple

from truebleu.reconciliation.explanations import Change
from truebleu.reconciliation.family import Setting

MOST_CHANGES = 8
_DEPENDENT = 0.5  # points between a step and a contribution from which on the report says so

Scoring = Callable[[Setting], float]


class Shares(NamedTuple):
    """The contribution and the step of each difference, by axis."""

    contributions: dict[str, float]
    steps: dict[str, float]


def shares(start: Setting, changes: Mapping[str, str], score: Scoring) -> Shares:
    """Share the gap between two settings among their differences."""
    axes = [axis for axis in start.axes if axis in changes]
    count = len(axes)
    scores = [
        score(start.having({axis: changes[axis] for at, axis in enumerate(axes) if made >> at & 1}))
        for made in range(1 << count)
    ]
    # NLTK's method 6 fails where no trigram matches: halfway to a setting that has a score, that counts as none.
    scores = [0.0 if number != number else number for number in scores]
    contributions = {}
    for at, axis in enumerate(axes):
        total = 0.0
        for made in range(1 << count):
            if not made >> at & 1:
                before = made.bit_count()
                orders = factorial(before) * factorial(count - before - 1)
                total += orders * (scores[made | 1 << at] - scores[made])
        contributions[axis] = total / factorial(count)
    steps = {axis: scores[(2 << at) - 1] - scores[(1 << at) - 1] for at, axis in enumerate(axes)}
    return Shares(contributions, steps)


def told(
    start: Setting, changes: Mapping[str, str], scores: Sequence[Scoring], says: Callable[[str, str], str]
) -> tuple[tuple[Change, ...], bool]:
    """Describe the differences that matter, and tell whether their effects depend on each other."""
    kept = mattering(start, changes, scores)
    each = [shares(start, kept, score) for score in scores]
    found = tuple(
        Change(
            axis,
            kept[axis],
            start[axis],
            says(axis, kept[axis]),
            tuple(one.contributions[axis] for one in each),
            tuple(one.steps[axis] for one in each),
        )
        for axis in start.axes
        if axis in kept
    )
    gaps = [abs(a - b) for one in found for a, b in zip(one.contributions, one.steps, strict=True)]
    return found, max(gaps, default=0.0) > _DEPENDENT


def mattering(
    start: Setting, changes: Mapping[str, str], scores: Sequence[Scoring], tolerance: float = 1e-9
) -> dict[str, str]:
    """Leave out differences without which all scores stay what they are on these texts."""
    kept = dict(changes)
    for axis in reversed(list(start.axes)):
        if axis in kept:
            fewer = {name: value for name, value in kept.items() if name != axis}
            ends = [(score(start.having(kept)), score(start.having(fewer))) for score in scores]
            if all(abs(with_it - without) <= tolerance for with_it, without in ends):
                kept = fewer
    return kept
