"""The smallest p-value that a test of several pairs can give with its trials.

A test with N trials gives no p-value below 1 / (N + 1), and a correction multiplies it: with 190 pairs, 1,000 resamples
and Holm's correction the smallest is 0.19, so that nothing can be significant, however different the systems are.
"""

from __future__ import annotations

from truebleu._counts import number_of
from truebleu.significance.correction import CORRECTIONS


def smallest_p_value(
    trials: int, pairs: int, correction: str | None, ways: int = 0, least: float | None = None
) -> float | None:
    """Compute the smallest p-value that a pair can have after the correction; None for a test without trials.

    Where all ways of swapping the units of a pair were tried, its p-value can be smaller, and so can bounds.

    Examples
    --------
    >>> smallest_p_value(1999, 20, None), smallest_p_value(1999, 20, "holm")
    (0.0005, 0.01)
    """
    if not trials:
        return None
    # Corrections never fall where a p-value rises, so nothing is below what they make of the smallest for all pairs.
    smallest = min(least or 1, 1 / max(trials + 1, ways))
    return min(CORRECTIONS[correction]([smallest] * pairs)) if correction else smallest


def too_few(trials: int, pairs: int, correction: str | None, alpha: float) -> str:
    """Say that no difference can be significant, where there are too few trials; "" where there are enough."""
    smallest = smallest_p_value(trials, pairs, correction)
    if smallest is None or smallest <= alpha:
        return ""
    about = number_of(pairs, "pair") + (f", corrected after {correction}," if correction else "")
    return (
        f"with {number_of(trials, 'trial')} the smallest p-value of {about} is {smallest:.4g}, above the "
        f"level {alpha}: "
        f"no difference can be significant; give {-(-pairs // alpha):.0f} trials or more"
    )
