"""Pairwise accuracy with ties (Deutsch, Foster and Freitag, 2023): how near are two scores of a metric to be tied?

A pair is right if metric and people put it in the same order, or both tie it. People's scores tie often and a metric's
hardly ever, so that scores at most ε apart count as tied, with one ε for all groups: the smallest that makes the mean
accuracy over groups the largest. Each distance of two scores is tried, in whole numbers (crates/core, `agreement`).
"""

from __future__ import annotations

import math
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from truebleu import _core
from truebleu.agreement.cells import GroupedCells, grouped, pair_counts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truebleu.agreement.cells import Floats

_MOST_WEIGHT = 2**62


class Ties(NamedTuple):
    """An accuracy, the ε that it has, and the shares of ties. A constant metric has the share of human ties."""

    value: float
    epsilon: float
    metric_ties: float
    human_ties: float
    by_group: Floats  # the accuracy of each group that has a pair
    labels: NDArray[np.int_]  # the item or system of each of these


def accuracy(cells: GroupedCells, epsilon: float | None = None) -> Ties:
    """Compute the accuracy; without ε, that of the best one."""
    has_pairs = cells.sizes > 1
    epsilon = best_epsilon(cells) if epsilon is None else epsilon
    of = pair_counts(cells, epsilon)
    shares = [
        one[has_pairs] / of.all[has_pairs] for one in (of.concordant + of.tied_both, of.tied_metric, of.tied_people)
    ]
    value, metric, people = (float(one.mean()) if len(one) else math.nan for one in shares)
    return Ties(value, epsilon, metric, people, shares[0], cells.labels[has_pairs])


def honest_accuracy(people: Floats, metric: Floats, group: str, halves: NDArray[np.bool_]) -> float:
    """Compute the accuracy of each half of the items with the best ε of the other half."""
    found, groups = [], []
    for half in (halves, ~halves):
        epsilon = best_epsilon(grouped(people[:, ~half], metric[:, ~half], group))
        ties = accuracy(grouped(people[:, half], metric[:, half], group), epsilon)
        found.append(ties.value)
        groups.append(len(ties.by_group))
    return float(np.average(found, weights=groups)) if all(groups) else math.nan


def best_epsilon(cells: GroupedCells) -> float:
    """Find the smallest of the best ε in exact arithmetic: pairs have whole weights, the same sum in each group."""
    pairs = [size * (size - 1) // 2 for size in cells.sizes.tolist()]
    common = math.lcm(*{one for one in pairs if one})
    weights = [common // one if one else 0 for one in pairs]
    if common * len(pairs) >= _MOST_WEIGHT:
        return _best_of_large_weights(cells, weights)
    given = cells.people.tobytes(), cells.metric.tobytes(), cells.sizes.tolist()
    return _core.best_epsilon(*given, weights)[0]


def _best_of_large_weights(cells: GroupedCells, weights: list[int]) -> float:
    """Find it with whole numbers of any length; group sizes without a small common multiple are rare."""
    distances, gains = [], list[int]()
    for start, size, weight in zip(cells.starts.tolist(), cells.sizes.tolist(), weights, strict=True):
        first, second = np.triu_indices(size, 1)
        people, metric = cells.people[start : start + size], cells.metric[start : start + size]
        of_people, of_metric = np.sign(people[first] - people[second]), metric[first] - metric[second]
        is_right, is_tied = of_people == np.sign(of_metric), of_people == 0
        distances.append(np.abs(of_metric))
        gains += [weight * gain for gain in (is_tied.astype(int) - is_right).tolist()]
    of = np.concatenate(distances)
    order = np.argsort(of, kind="stable")
    sums, of = list(accumulate(gains[at] for at in order.tolist())), of[order]
    is_last = np.r_[of[1:] != of[:-1], True].tolist()
    best, epsilon = 0, 0.0
    for sum_, distance, last in zip(sums, of.tolist(), is_last, strict=True):
        if last and sum_ > best:
            best, epsilon = sum_, distance
    return epsilon
