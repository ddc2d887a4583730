"""Scores of people and of a metric side by side, in groups whose members are compared with one another."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from truebleu import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

GROUPS = ("item", "system", "none")


class GroupedCells(NamedTuple):
    """The cells that both have, group after group."""

    people: Floats
    metric: Floats
    sizes: NDArray[np.int_]  # of the groups, each at least 1
    labels: NDArray[np.int_]  # the item or the system of each group

    @property
    def starts(self) -> NDArray[np.int_]:
        """Where each group begins."""
        return np.cumsum(self.sizes) - self.sizes


class PairCounts(NamedTuple):
    """What the pairs of each group are; those tied for one may be tied for the other too."""

    all: Floats
    concordant: Floats
    discordant: Floats
    tied_people: Floats
    tied_metric: Floats
    tied_both: Floats
    distinct_people: Floats
    distinct_metric: Floats


def grouped(people: Floats, metric: Floats, group: str) -> GroupedCells:
    """Take the cells of two tables, systems × items, in which NaN is missing."""
    if group == "item":
        people, metric = people.T, metric.T
    there = ~(np.isnan(people) | np.isnan(metric))
    sizes, labels = there.sum(axis=1), np.arange(len(there))
    if group == "none":
        sizes, labels = sizes.sum(keepdims=True), labels[:1]
    kept = sizes > 0
    return GroupedCells(people[there], metric[there], sizes[kept], labels[kept])


def pair_counts(cells: GroupedCells, epsilon: float = 0.0) -> PairCounts:
    """Count the pairs of each group; a metric's scores are tied if they are at most `epsilon` apart."""
    given = cells.people.tobytes(), cells.metric.tobytes(), cells.sizes.tolist()
    return PairCounts(*np.frombuffer(_core.pair_counts(*given, epsilon)).reshape(-1, len(PairCounts._fields)).T)
