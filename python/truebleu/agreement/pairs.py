"""Agreement on pairs of systems: pairwise accuracy, and soft pairwise accuracy (Thompson, Mathur, Deutsch and
Khayrallah, 2024).

Soft pairwise accuracy compares how sure people and a metric are that one of two systems is better. The p-value of a
pair is the share of random signs of the items' differences with at least the sum that the differences have, and the
accuracy is 1 less the mean distance of the two p-values. The signs are the same for all pairs, for people and for
metrics, and those of mt-metrics-eval; what it gives swings by 0.0001, because it takes the systems in the order of a
set of Python and adds up in 32 bits. Here systems are in the order of their names and numbers have 64 bits.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truebleu.agreement.cells import Floats

TRIALS, SEED = 1000, 4
_NEAR = 1e-9  # sums are equal if they differ by less than this part of the largest score


def complete_items(people: Floats, metric: Floats) -> NDArray[np.bool_]:
    """Tell which items all systems have, from people and from the metric."""
    return np.asarray(~(np.isnan(people) | np.isnan(metric)).any(axis=0))


def spa(people: Floats, metric: Floats, trials: int = TRIALS, seed: int = SEED) -> float:
    """Compute the soft pairwise accuracy of tables, systems × items, that have all cells."""
    if not people.shape[1]:
        return math.nan
    drawn = trials, seed
    of_people = _known_p_values(people.tobytes(), people.shape, *drawn)
    return float(1 - np.abs(of_people - _p_values(metric, *drawn)).mean())


def exact_spa(people: Floats, metric: Floats) -> float:
    """Compute the soft pairwise accuracy with the normal limit of the p-values, which needs no signs."""
    shares = [normal_p_values(*pair_sums(one)) for one in (people, metric)]
    return float(1 - np.abs(shares[0] - shares[1]).mean())


def pair_sums(scores: Floats) -> tuple[Floats, Floats]:
    """For each pair of systems, the sum of the differences of items and that of their squares."""
    first, second = pair_places(len(scores))
    differences = scores[first] - scores[second]
    return differences.sum(axis=1), (differences**2).sum(axis=1)


def normal_p_values(sums: Floats, squares: Floats) -> Floats:
    """The chance that random signs give such a sum of differences or a larger one, in the normal limit."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(squares > 0, sums / np.sqrt(squares), -np.inf)  # without differences all sums are as large
    return _upper_tail(ratios)


def of_systems(name: str, people: Floats, metric: Floats) -> Floats:
    """Compute a statistic of systems' scores: people's, and one row of the metric's for each time it is asked."""
    first, second = pair_places(len(people))
    if name == "acc":  # a tie is right only if both tie
        return np.asarray(
            (np.sign(metric[:, first] - metric[:, second]) == np.sign(people[first] - people[second])).mean(axis=1)
        )
    if name == "sys_tau_b":
        people, metric = (np.sign(one[..., first] - one[..., second]) for one in (people, metric))
        return _cosines(people, metric)
    if name == "sys_spearman":
        people, metric = (_ranks(one) for one in (people, metric))
    return _cosines(people - people.mean(), metric - metric.mean(axis=1, keepdims=True))


def _cosines(people: Floats, metric: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(metric @ people / np.sqrt((people**2).sum() * (metric**2).sum(axis=1)))


def _ranks(scores: Floats) -> Floats:
    """The ranks of the last axis; equal scores share the mean of theirs."""
    return np.asarray(np.sign(scores[..., :, None] - scores[..., None, :]).sum(axis=-1) / 2)


def pair_places(systems: int) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
    """The places of the two systems of each pair."""
    pairs = np.array([*combinations(range(systems), 2)], dtype=np.int_).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


@lru_cache(maxsize=2)
def _known_p_values(scores: bytes, shape: tuple[int, int], trials: int, seed: int) -> Floats:
    """The p-values of people, which each metric is compared with."""
    return _p_values(np.frombuffer(scores).reshape(shape), trials, seed)


@lru_cache(maxsize=1)
def _signs(trials: int, items: int, seed: int) -> Floats:
    """Random signs as mt-metrics-eval draws them."""
    uniform = np.random.default_rng(seed).random((trials, items), dtype=np.float32)
    return np.asarray(np.rint(uniform) * 2.0 - 1.0, np.float64)


def _p_values(scores: Floats, trials: int, seed: int) -> Floats:
    first, second = pair_places(len(scores))
    sums, drawn = scores.sum(axis=1), _signs(trials, scores.shape[1], seed) @ scores.T
    least = sums[first] - sums[second] - _NEAR * np.abs(scores).max(initial=0.0)
    return np.asarray((drawn[:, first] - drawn[:, second] >= least).mean(axis=0))


def _upper_tail(ratios: Floats) -> Floats:
    if ratios.size < len(_TAILS):
        return np.array([0.5 * math.erfc(one / math.sqrt(2)) for one in ratios.flat]).reshape(ratios.shape)
    # For thousands of shuffles: between the two nearest of a thousand a unit, off by less than 4e-8.
    places = np.clip((ratios + _END) * _PER_UNIT, 0.0, len(_STEPS) - 0.5)
    lower = places.astype(np.int32)
    return np.asarray(_TAILS[lower] + (places - lower) * _STEPS[lower])


_END, _PER_UNIT = 9.0, 1000
_TAILS = np.array([0.5 * math.erfc((at / _PER_UNIT - _END) / math.sqrt(2)) for at in range(18 * _PER_UNIT + 1)])
_STEPS = np.diff(_TAILS)
