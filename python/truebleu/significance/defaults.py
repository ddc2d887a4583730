"""What a comparison does unless it is told otherwise: the one place, for shell, Python, reports, plots and JSON.

`ar` is the default for every kind of metric. It is exact if the two outputs of a unit could be swapped, it stays valid
with few units, and it finds as many real differences as the two-sided bootstrap (`docs/calibration.md`). With more than
one pair, p-values are corrected after Holm within each metric: in a table of eight equal systems, uncorrected tests
find a difference in more than half of the cases.
"""

from __future__ import annotations

from collections.abc import Sequence

from truebleu._typing import TYPE_CHECKING

if TYPE_CHECKING:
    from truebleu.significance.systems import MetricTable
    from truebleu.significance.tests import Test

TEST = "ar"
CORRECTION = "holm"
ALPHA = 0.05
RESAMPLES = 1000  # of intervals
UNITS = ("auto", "segment", "document")  # that may be drawn; the first is the default

FAMILIES = ("metric", "all")  # of tests that are corrected together; the first is the default

# The word for the correction above, if there is more than one pair.
AUTO = "auto"

# Where so many trials take less than a second, p-values are as fine as these give.
TRIALS = 20_000
_CELLS_IN_A_SECOND = 12_000_000_000  # as measured on one core of 2023

# The smallest p-value after the correction is at most the level divided by the first of these; with more pairs than so
# many, whose trials take longer with the square of their number, by the second. A test that has a bound for small
# p-values needs no more trials then: all pairs and metrics together have so many, and each at least so many.
_PARTS_OF_LEVEL = 5, 2
_MANY_PAIRS = 200
_TRIALS_OF_ALL_PAIRS = 40_000_000  # a few seconds
_FEWEST_TRIALS = 5000
_TINIEST = 1e-300  # a p-value is never 0

# More are made only where they are asked for: a tiny level must not take days.
MOST_TRIALS = 1_000_000


def correction_of(asked: str | None, pairs: int) -> str | None:
    """Tell which correction is meant.

    Examples
    --------
    >>> correction_of("auto", 1), correction_of("auto", 3), correction_of(None, 3)
    (None, 'holm', None)
    """
    return asked if asked != AUTO else CORRECTION if pairs > 1 else None


def trials_of(test: Test, tables: Sequence[MetricTable], pairs: int, alpha: float) -> int:
    """Choose how many trials a test has, so that the smallest p-value is well below the level after any correction."""
    if not test.default:
        return 0
    cells = sum(table.cells for table in tables)
    is_quick = test.is_ours and TRIALS * cells <= _CELLS_IN_A_SECOND
    least = TRIALS if is_quick else test.default
    if not (test.has_bound and pairs > _MANY_PAIRS):
        return enough_trials(least, pairs, alpha)
    return min(least, max(_FEWEST_TRIALS, _TRIALS_OF_ALL_PAIRS // (pairs * len(tables)) // 1000 * 1000))


def bounded_at(test: Test, trials: int, pairs: int, correction: str | None, alpha: float) -> float | None:
    """Give the smallest p-value that a test has by its bound, where trials alone do not suffice; None where they do."""
    few, fewer = _PARTS_OF_LEVEL
    if not (test.has_bound and correction and pairs > _MANY_PAIRS and pairs / (trials + 1) > alpha / fewer):
        return None
    return max(alpha / (few * pairs), _TINIEST)


def enough_trials(least: int, pairs: int, alpha: float) -> int:
    """Give a number of trials that is large enough for all pairs, and at least the one given.

    Examples
    --------
    >>> enough_trials(1000, 3, 0.05), enough_trials(1000, 190, 0.05)
    (1000, 19000)
    """
    wanted = min(_PARTS_OF_LEVEL[pairs > _MANY_PAIRS] * pairs / alpha, MOST_TRIALS)
    return least if wanted <= least else 1000 * int(-(-wanted // 1000))
