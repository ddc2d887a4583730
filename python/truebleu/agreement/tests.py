"""Tests between metrics: does one agree better with people than the other?

Items are not independent, and still less the pairs of translations that measures count: those of an item share their
translations, and items of a document succeed and fail together. So the scores of whole documents are swapped between
two metrics, and both measures are computed anew. Where the metrics are alike this claims a difference in about 5 % of
the cases at the 5 % level; the test of mt-metrics-eval, which swaps each pair of translations, in 44 to 49 %
(docs/calibration.md). It is here under its name, to compare with published ranks, and so is its test that swaps cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from truebleu._logs import warn
from truebleu.agreement.cells import grouped
from truebleu.agreement.measures import AgreementOptions, AgreementValue, Tables, standardized
from truebleu.errors import OptionError
from truebleu.significance.defaults import enough_trials
from truebleu.significance.units import FEWEST

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truebleu.agreement.cells import Floats
    from truebleu.agreement.measures import AgreementStatistic, Score

TESTS = ("ar", "mtme-pairs", "mtme-both", "none")
THEIR_TRIALS = 1000  # of mt-metrics-eval's tests
_MEAN_TRIALS, _OTHER_TRIALS, _AT_ONCE = 10_000, 1000, 1000
_NEAR = 1e-12  # differences are equal if rounding may make them so
_WARNINGS = {
    "mtme-pairs": "swaps each pair of translations by itself, as mt-metrics-eval does: it calls 44 to 49 % of equal "
    "metrics different at the 5 % level, where 'ar' keeps its level",
    "mtme-both": "swaps each cell by itself, as mt-metrics-eval does; cells of a document are not independent, so that "
    "it claims too many differences, where 'ar' keeps its level",
}


def trials_of(measured: AgreementValue, pairs: int, alpha: float) -> int:
    """Choose the number of shuffles: enough for the correction of all pairs of metrics."""
    width = 2 if measured.rows is None else measured.rows.shape[1]
    return enough_trials(_MEAN_TRIALS if width == 2 else _OTHER_TRIALS, pairs, alpha)


def swapped_documents(
    measured: Sequence[AgreementValue], documents: NDArray[np.int_], trials: int, seed: int
) -> list[float | None]:
    """Test each pair of metrics under a measure, two-sided; None where too few documents differ for a p-value."""
    rows = [one.rows for one in measured if one.rows is not None]
    score = measured[0].score
    if score is None or len(rows) < len(measured):
        return [None] * (len(measured) * (len(measured) - 1) // 2)
    units = np.unique(documents, return_inverse=True)[1]
    found = list[float | None]()
    for a, b in combinations(range(len(rows)), 2):
        first, second = _common(rows[a], rows[b], units)
        differ = np.flatnonzero((first != second).any(axis=1))
        found.append(_p_value(first, second, score, differ, trials, seed) if len(first) >= FEWEST else None)
    return found


def _common(first: Floats, second: Floats, units: NDArray[np.int_]) -> tuple[Floats, Floats]:
    """Sum the rows of items that both metrics have, by document."""
    there = ~(np.isnan(first).any(axis=1) | np.isnan(second).any(axis=1))
    places = np.unique(units[there], return_inverse=True)[1]
    sums = [np.zeros((places.max(initial=-1) + 1, one.shape[1])) for one in (first, second)]
    for sum_, one in zip(sums, (first, second), strict=True):
        np.add.at(sum_, places, one[there])
    return sums[0], sums[1]


def _p_value(first: Floats, second: Floats, score: Score, differ: NDArray[np.int_], trials: int, seed: int) -> float:
    if not len(differ):
        return 1.0
    totals = first.sum(axis=0), second.sum(axis=0)
    real = abs(float(score(totals[0][None])[0] - score(totals[1][None])[0]))
    shift = (second - first)[differ]  # what the first sum gains, and the second loses, where documents are swapped
    generator, further = np.random.default_rng(seed), 0
    for start in range(0, trials, _AT_ONCE):
        count = min(_AT_ONCE, trials - start)
        moved = generator.integers(0, 2, (count, len(differ))).astype(np.float64) @ shift
        gaps = np.abs(score(totals[0] + moved) - score(totals[1] - moved))
        further += int((gaps >= real - _NEAR * max(real, 1.0)).sum())
    return (1 + further) / (1 + trials)


def like_mt_metrics_eval(
    test: str,
    kind: AgreementStatistic,
    tables: Sequence[Tables],
    options: AgreementOptions,
    values: Sequence[AgreementValue],
    seed: int,
) -> list[float | None]:
    """Test each pair as mt-metrics-eval: one-sided, the share of shuffles in which the better one gains as much."""
    warn("test=%r %s", test, _WARNINGS[test])
    found, generator = list[float | None](), np.random.default_rng(seed)
    for a, b in combinations(range(len(tables)), 2):
        better, other = (a, b) if values[a].value >= values[b].value else (b, a)
        real = values[better].value - values[other].value
        if test == "mtme-pairs":
            epsilons = [values[at].details["epsilon"] for at in (better, other)]
            gaps = _swapped_pairs(tables[better], tables[other], kind.group, epsilons, generator)
        else:
            gaps = _swapped_cells(tables[better], tables[other], kind, options, generator)
        found.append(float((gaps >= real - _NEAR).mean()))
    return found


def refuse_test(test: str, kinds: Sequence[AgreementStatistic]) -> None:
    """Raise for a measure that a test of mt-metrics-eval cannot take."""
    wrong = [kind.key for kind in kinds if test == "mtme-pairs" and kind.key.partition(":")[0] != "acc_eq"]
    if wrong:
        raise OptionError(f"agree: test='mtme-pairs' swaps the pairs of acc_eq, and statistics has {wrong[0]!r}")


def _swapped_pairs(
    first: Tables, second: Tables, group: str, epsilons: Sequence[float], generator: np.random.Generator
) -> Floats:
    """Swap each pair of translations. Only the pairs on which the two differ count, and groups of one size have one
    weight, so that the sum of their random signs is binomial."""
    right = [_rights(one, group, epsilon) for one, epsilon in zip((first, second), epsilons, strict=True)]
    (of_first, pairs), (of_second, _) = right
    if len(of_first) != len(of_second):
        raise OptionError("agree: test='mtme-pairs' needs metrics that have the same cells")
    gaps, groups = np.zeros(THEIR_TRIALS), len(pairs)
    sizes = np.repeat(pairs, pairs)
    for size in np.unique(pairs):
        differing = int((of_first != of_second)[sizes == size].sum())
        gaps += (2 * generator.binomial(differing, 0.5, THEIR_TRIALS) - differing) / (size * groups)
    return gaps


def _rights(tables: Tables, group: str, epsilon: float) -> tuple[NDArray[np.bool_], NDArray[np.int_]]:
    """Tell of each pair whether the metric is right about it, group by group, and how many pairs each group has."""
    cells = grouped(tables.people, tables.metric, group)
    found = []
    for start, size in zip(cells.starts.tolist(), cells.sizes.tolist(), strict=True):
        one, other = np.triu_indices(size, 1)
        people, metric = (part[start : start + size] for part in (cells.people, cells.metric))
        distances = metric[one] - metric[other]
        signs = np.where(np.abs(distances) <= epsilon, 0, np.sign(distances))
        found.append(signs == np.sign(people[one] - people[other]))
    pairs = cells.sizes * (cells.sizes - 1) // 2
    return np.concatenate(found), pairs[pairs > 0]


def _swapped_cells(
    first: Tables, second: Tables, kind: AgreementStatistic, options: AgreementOptions, generator: np.random.Generator
) -> Floats:
    """Swap each cell of the standardized scores, and compute everything anew."""
    a, b = standardized(first.metric), standardized(second.metric)
    gaps = []
    for _ in range(THEIR_TRIALS):
        is_swapped = generator.random(a.shape) < 0.5
        mixed = np.where(is_swapped, b, a), np.where(is_swapped, a, b)
        one, other = (kind.take(first._replace(metric=metric, system_scores=None), options).value for metric in mixed)
        gaps.append(one - other)
    return np.array(gaps)
