"""Correlations of a metric's scores with people's, group by group: NaN where a group has none.

The numbers are those of mt-metrics-eval: Pearson's r, Spearman's ρ, Kendall's τ in the variants b and c, that of WMT23,
which takes ties as agreement or disagreement, and that of WMT up to 2021, which looks only at pairs that people find
far apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from truebleu import _core
from truebleu.agreement.cells import GroupedCells, pair_counts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truebleu.agreement.cells import Floats


def pearson(cells: GroupedCells) -> Floats:
    """Correlate the scores of each group."""
    both, people, metric = _sums_of_products(cells)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.clip(both / np.sqrt(people) / np.sqrt(metric), -1.0, 1.0)


def spearman(cells: GroupedCells) -> Floats:
    """Correlate the ranks of each group; equal scores share the mean of their ranks."""
    return pearson(cells._replace(people=_ranks(cells.people, cells), metric=_ranks(cells.metric, cells)))


def tau_b(cells: GroupedCells) -> Floats:
    """Compare the orders of pairs: those in the same order less those in the other, over the pairs without ties."""
    of = pair_counts(cells)
    with np.errstate(divide="ignore", invalid="ignore"):
        return (of.concordant - of.discordant) / np.sqrt(of.all - of.tied_people) / np.sqrt(of.all - of.tied_metric)


def tau_c(cells: GroupedCells) -> Floats:
    """Compare the orders of pairs as Stuart does, for two scales of different lengths."""
    of = pair_counts(cells)
    least = np.minimum(of.distinct_people, of.distinct_metric)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(2 * (of.concordant - of.discordant) / (cells.sizes**2 * (least - 1) / least))


def tau_23(cells: GroupedCells) -> Floats:
    """Compare the orders of pairs as WMT23: a tie of both is agreement, a tie of one is disagreement."""
    of = pair_counts(cells)
    alone = of.tied_people + of.tied_metric - 2 * of.tied_both
    with np.errstate(divide="ignore", invalid="ignore"):
        return (of.concordant + of.tied_both - of.discordant - alone) / of.all


def kendall_like(cells: GroupedCells, threshold: float) -> tuple[Floats, Floats]:
    """Compare pairs that people find so far apart: the gains (1 in the same order, else -1), and how many there are."""
    given = cells.people.tobytes(), cells.metric.tobytes(), cells.sizes.tolist()
    same, other = np.frombuffer(_core.pairs_above(*given, threshold)).reshape(-1, 2).T
    return same - other, same + other


def difference_products(cells: GroupedCells) -> Floats:
    """For each group the sums of products of all differences, with one another and with themselves: three columns."""
    return np.asarray(2.0 * cells.sizes[:, None] * np.stack(_sums_of_products(cells), axis=1), np.float64)


def _sums_of_products(cells: GroupedCells) -> tuple[Floats, Floats, Floats]:
    starts = cells.starts
    if not len(starts):
        return np.empty(0), np.empty(0), np.empty(0)
    people, metric = (_deviations(one, cells, starts) for one in (cells.people, cells.metric))
    products = people * metric, people * people, metric * metric
    both, of_people, of_metric = (np.add.reduceat(one, starts) for one in products)
    return both, of_people, of_metric


def _deviations(scores: Floats, cells: GroupedCells, starts: NDArray[np.int_]) -> Floats:
    """Take the mean of its group off each score; one of equal scores may not be off by a rounding."""
    least, most = np.minimum.reduceat(scores, starts), np.maximum.reduceat(scores, starts)
    means = np.where(least == most, least, np.add.reduceat(scores, starts) / cells.sizes)
    return np.asarray(scores - np.repeat(means, cells.sizes))


def _ranks(scores: Floats, cells: GroupedCells) -> Floats:
    groups = np.repeat(np.arange(len(cells.sizes)), cells.sizes)
    order = np.lexsort((scores, groups))
    of, at = scores[order], groups[order]
    firsts = np.flatnonzero(np.r_[True, (of[1:] != of[:-1]) | (at[1:] != at[:-1])][: len(of)])
    lengths = np.diff(np.r_[firsts, len(of)])
    ranks = np.empty(len(of))
    ranks[order] = np.repeat(firsts + (lengths + 1) / 2, lengths) - np.repeat(cells.starts, cells.sizes)
    return ranks
