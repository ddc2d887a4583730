"""What a difference is worth: the smallest one that a test would find, the size of set that it needs, equivalence.

All of it follows from the standard error of a paired difference. Leaving out one unit (segment or document) at a time
gives it for any metric, without chance; of a mean it is the standard deviation of the units' differences, divided by
√n. A test at the level α then finds a difference of (t(1 - α/2) + z(power)) × the standard error with this power, t for
n - 1 degrees of freedom, which is z unless there are few units. Where p-values are corrected for m tests, α is divided
by m (Bonferroni), which is a little more careful than Holm's correction.

>>> round(smallest_difference(1.0, 0.05, units=1000), 2), round(power_of(2.8, 1.0, 0.05, units=1000), 2)
(2.8, 0.8)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

from truebleu._frames import FRACTION, TEXT, WHOLE, Tabular
from truebleu.significance.units import FEWEST, t_quantile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from truebleu.significance.experiment import MeasuredPair
    from truebleu.significance.results import Comparison, PairReport
    from truebleu.significance.systems import MetricTable

POWER = 0.8

# What a pair may be said to be, with a margin.
EQUIVALENT, NO_WORSE, NO_BETTER, NOT_SHOWN = "equivalent", "no worse", "no better", "not shown"

# Sizes of a planned set, in multiples of the one there is.
_SIZES = (0.25, 0.5, 1, 2, 4, 8)
_MOST_SEGMENTS = 10**9  # no set has more: so many are called never
_MOST_ROUNDS = 50  # four are enough for a hundred units, and few units at a low level need more
_NORMAL = NormalDist()
_PLAN_COLUMNS = {
    "metric": TEXT, "system": TEXT, "baseline": TEXT, "n_segments": WHOLE, "n_documents": WHOLE, "smallest": FRACTION,
    "power": FRACTION,
}  # fmt: skip


class Needed(NamedTuple):
    """How many segments would decide a difference if it is the one seen, the largest of its interval, the smallest."""

    seen: int | None  # None: no number of them
    least: int | None
    most: int | None


class PlannedSize(NamedTuple):
    """What a set of some size can show of two systems under one metric."""

    metric: str
    system: str
    baseline: str
    n_segments: int
    n_documents: int | None  # None where segments are drawn
    smallest: float  # difference that is found with the power asked for
    power: float | None  # for the difference asked for, if there is one


@dataclass(frozen=True)
class PowerPlan(Tabular):
    """What `Comparison.plan` returns. As a table, it has a row for each metric, pair of systems and size.

    Parameters
    ----------
    delta
        The difference asked for.
    power
        The power asked for. With a difference, one of the sizes has just this power.
    alpha
        The level of the test, divided by the number of tests where p-values are corrected.
    sizes
        The sizes, pair by pair, the smallest first.
    """

    delta: float | None
    power: float
    alpha: float
    sizes: tuple[PlannedSize, ...]

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain values, for JSON."""
        return {**vars(self), "sizes": [size._asdict() for size in self.sizes]}

    def _table(self) -> tuple[Mapping[str, str], Iterable[tuple[Any, ...]]]:
        return _PLAN_COLUMNS, self.sizes


def weighed(
    pair: PairReport, measured: MeasuredPair, higher: bool | None, alpha: float, margin: float | None
) -> PairReport:
    """Add what a difference is worth; what a test could have found is said only where it found nothing."""
    error, size = measured.error, (measured.segments, measured.units)
    if error is None:
        return pair if margin is None else replace(pair, equivalence=NOT_SHOWN)
    pair = replace(pair, standard_error=error)
    if not pair.significant and error:
        needed = needed_for(pair.delta, pair.interval, error, alpha, size)
        pair = replace(pair, smallest_shown=smallest_difference(error, alpha, measured.units), needed=needed)
    if margin is not None:
        found = equivalence_of(pair.delta if higher else -pair.delta, error, margin, alpha, measured.units)
        # Nobody is worse where it is not known what is better.
        pair = replace(pair, equivalence=NOT_SHOWN if higher is None and found != EQUIVALENT else found)
    return pair


def standard_errors(
    table: MetricTable, pairs: list[tuple[int, int]], strata: NDArray[np.int_] | None = None
) -> list[float]:
    """Leave out each unit once (Tukey, 1958), in its stratum if there are strata."""
    import numpy as np

    codes = np.zeros(table.units, np.int_) if strata is None else strata
    sizes, without, found = np.bincount(codes), [], []
    for runs in table.drawn:
        scores = []
        for rows in (one.rows for one in runs):
            totals = rows.sum(axis=0) - rows
            if strata is not None:  # others of its stratum take the place of a unit, which keeps their sizes
                sums = np.zeros((len(sizes), rows.shape[1]))
                np.add.at(sums, strata, rows)
                totals += (sums[strata] - rows) / np.maximum(sizes - 1, 1)[strata, None]
            scores.append(np.frombuffer(table.metric.engine.score_rows(totals.tobytes())))
        without.append(np.mean(scores, axis=0))
    for a, b in pairs:
        differences = without[b] - without[a]
        means = np.bincount(codes, differences) / sizes
        squares = np.bincount(codes, (differences - means[codes]) ** 2)
        found.append(math.sqrt(float((squares * (sizes - 1) / sizes).sum())))
    return found


def smallest_difference(error: float, alpha: float, units: int, power: float = POWER) -> float:
    """Compute the smallest difference that a test of so many units finds with this power."""
    return (_critical(alpha, units) + _NORMAL.inv_cdf(power)) * error


def power_of(delta: float, error: float, alpha: float, units: int) -> float:
    """Compute how often a test of so many units finds a difference, in either direction."""
    if not error:
        return float(delta != 0)
    critical, distance = _critical(alpha, units), abs(delta) / error
    return _NORMAL.cdf(distance - critical) + _NORMAL.cdf(-distance - critical)


def units_for(delta: float, error: float, alpha: float, units: int, power: float = POWER) -> float:
    """Compute how many units find a difference with this power, if so many have this error."""
    if not delta:
        return math.inf
    wanted = math.inf  # the number decides the critical value, which decides the number
    for _ in range(_MOST_ROUNDS):
        before, tried = wanted, max(FEWEST, round(min(wanted, _MOST_SEGMENTS)))
        wanted = units * (smallest_difference(error, alpha, tried, power) / delta) ** 2
        if abs(wanted - before) < 1:
            break
    return max(wanted, FEWEST)


def segments_for(delta: float, error: float, alpha: float, size: tuple[int, int], power: float = POWER) -> int | None:
    """Compute how many segments find a difference; `size` are the segments and units there are. None: no number."""
    segments, units = size
    wanted = segments / units * units_for(delta, error, alpha, units, power)
    return math.ceil(wanted) if wanted <= _MOST_SEGMENTS else None


def needed_for(
    delta: float, interval: tuple[float, float] | None, error: float, alpha: float, size: tuple[int, int]
) -> Needed | None:
    """Compute how many segments would decide a difference that is not significant, with both ends of its interval."""
    if interval is None:
        return None
    near, far = sorted(map(abs, interval))
    near = 0.0 if interval[0] <= 0 <= interval[1] else near
    return Needed(*(segments_for(one, error, alpha, size) for one in (delta, far, near)))


def equivalence_of(lead: float, error: float, margin: float, alpha: float, units: int) -> str:
    """Make two one-sided tests: is a system worse, and is it better, than another by the margin or more?"""
    reach = t_quantile(_NORMAL.inv_cdf(1 - alpha), units - 1) * error
    is_no_worse, is_no_better = lead - reach > -margin, lead + reach < margin
    if is_no_worse and is_no_better:
        return EQUIVALENT
    return NO_WORSE if is_no_worse else NO_BETTER if is_no_better else NOT_SHOWN


def _critical(alpha: float, units: int) -> float:
    """How many standard errors a difference must have to be significant."""
    return t_quantile(_NORMAL.inv_cdf(1 - alpha / 2), units - 1)


def make_plan(comparison: Comparison, delta: float | None, power: float) -> PowerPlan:
    """Say what sets of several sizes can show of the pairs of a comparison."""
    alpha, sizes = comparison.level_of_one, list[PlannedSize]()
    segments, there = comparison.n_segments, comparison.n_documents or comparison.n_segments
    for metric in comparison.metrics:
        for pair in metric.pairs:
            if not pair.standard_error:  # there are too few units, or the systems are the same
                continue
            counts = {math.ceil(part * there) for part in _SIZES}
            if delta is not None:
                enough = units_for(delta, pair.standard_error, alpha, there, power)
                counts |= {math.ceil(enough)} if enough <= _MOST_SEGMENTS else set()
            for units in sorted(one for one in counts if one >= FEWEST):
                error = pair.standard_error * math.sqrt(there / units)
                found = None if delta is None else power_of(delta, error, alpha, units)
                size = round(units * segments / there), None if comparison.n_documents is None else units
                smallest = smallest_difference(error, alpha, units, power)
                sizes.append(PlannedSize(metric.name, pair.system, pair.baseline, *size, smallest, found))
    return PowerPlan(delta, power, alpha, tuple(sizes))
