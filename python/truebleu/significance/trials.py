"""How many trials a test of several pairs needs, and the smallest p-value that it can give with them.

A test with N trials gives no p-value below 1 / (N + 1), and a correction multiplies it: with 190 pairs, 1,000 resamples
and Holm's correction the smallest is 0.19, so that nothing can be significant, however different the systems are.
"""

from __future__ import annotations

from truebleu._counts import number_of
from truebleu.significance.correction import CORRECTIONS

# More are drawn only where they are asked for: a tiny level must not fill the memory.
MOST_CHOSEN = 1_000_000


def enough_trials(default: int, pairs: int, alpha: float) -> int:
    """Choose the number of trials: twice what a single different pair needs to be significant after any correction.

    Examples
    --------
    >>> enough_trials(1000, 3, 0.05), enough_trials(1000, 190, 0.05), enough_trials(0, 190, 0.05)
    (1000, 8000, 0)
    """
    wanted = min(2 * pairs / alpha, MOST_CHOSEN)
    return default if not default or wanted <= default else 1000 * int(-(-wanted // 1000))


def smallest_p_value(trials: int, pairs: int, correction: str | None) -> float | None:
    """Compute the smallest p-value that a pair can have after the correction; None for a test without trials.

    Examples
    --------
    >>> smallest_p_value(1999, 20, None), smallest_p_value(1999, 20, "holm")
    (0.0005, 0.01)
    """
    if not trials:
        return None
    # Corrections never fall where a p-value rises, so nothing is below what they make of the smallest for all pairs.
    smallest = 1 / (trials + 1)
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
