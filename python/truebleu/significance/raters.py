"""Would other raters say the same? Differences whose error covers the choice of raters as well as that of documents.

The error of a difference comes from documents and from raters: its variance is that of documents plus that of raters
minus that of their crossing, which both have (two-way clustering, Cameron, Gelbach and Miller, 2011), and never below
that of documents. There are few raters, so that Student's distribution with one degree of freedom less than raters is
the reference.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from truebleu._counts import number_of
from truebleu._inputs import brief
from truebleu.errors import OptionError, TooFew
from truebleu.significance.experiment import Experiment, MeasuredPair
from truebleu.significance.missing import narrowed, p_of_t, present
from truebleu.significance.systems import MetricTable
from truebleu.significance.tests import Verdict
from truebleu.significance.units import t_quantile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


FEWEST_RATERS = 5


@dataclass(frozen=True, eq=False)
class OtherRaters(Experiment):
    """An experiment on one metric whose raters are taken as a sample of raters."""

    own: tuple[tuple[MeasuredPair, int], ...] = ()  # by pair, with its degrees of freedom
    own_title: ClassVar[str] = "Two-way variance of documents and raters, with Student's distribution"

    def verdicts(self) -> list[list[Verdict]]:
        """Compare each difference with its standard error."""
        return [[Verdict(p_of_t(one.delta, one.error or 0.0, df)) for one, df in self.own]]

    def measured(self, at: int) -> list[MeasuredPair]:
        """Give the differences with their errors."""
        return [one for one, _ in self.own]


def divided(experiment: Experiment) -> tuple[Experiment, list[Experiment]]:
    """Give metrics that ask about other raters an experiment of their own; the others stay together."""
    rest, own = list[MetricTable](), list[Experiment]()
    for table in experiment.tables:
        ratings = getattr(table.metric, "ratings", None)
        rest += [table] if ratings is None else []
        own += [] if ratings is None else [_alone(experiment, table, ratings)]
    return replace(experiment, tables=rest), own


def _alone(experiment: Experiment, table: MetricTable, ratings: Mapping[str, NDArray[np.float64]]) -> Experiment:
    """Measure all pairs from ratings: by system, raters by segments, nan where there is none."""
    import numpy as np

    kept, table = present(table).any(axis=0), narrowed(table, "pairs")
    numbers: dict[object, int] = {}
    labels = range(table.segments) if table.labels is None else table.labels
    documents = np.array([numbers.setdefault(label, len(numbers)) for label in labels])
    own = []
    for a, b in experiment.pairs:
        names = table.systems[a], table.systems[b]
        own.append(_measured(table.key, names, [ratings[name][:, kept] for name in names], documents))
    return OtherRaters(**vars(replace(experiment, tables=[table])), own=tuple(own))


def _measured(
    key: str, names: tuple[str, str], ratings: list[NDArray[np.float64]], documents: NDArray[np.int_]
) -> tuple[MeasuredPair, int]:
    import numpy as np

    has = [~np.isnan(one).all(axis=0) for one in ratings]
    differences = ratings[1] - ratings[0]
    there = ~np.isnan(differences)
    used, both = there.any(axis=0), has[0] & has[1]
    if (used != both).any():
        raise OptionError(
            f"compare: raters='random' needs raters who scored both systems, and "
            f"{number_of(int((both & ~used).sum()), 'segment')} of {brief(names[0])} and {brief(names[1])} have none; "
            "use raters='mean'"
        )
    raters, units = int(there.any(axis=1).sum()), len(np.unique(documents[used]))
    if raters < FEWEST_RATERS:
        raise TooFew(f"compare: raters='random' needs {FEWEST_RATERS} raters or more, and {key} has {raters}")
    weights = np.where(there, 1 / np.maximum(there.sum(axis=0), 1), 0.0) / used.sum()
    values = np.where(there, differences, 0.0)
    delta = float((weights * values).sum())
    influence = weights * np.where(there, values - delta, 0.0)
    rows, columns = np.nonzero(there)
    codes = documents[columns], rows, documents[columns] * len(there) + rows
    by_document, by_rater, crossed = (_variance(influence[rows, columns], one) for one in codes)
    error, df = math.sqrt(max(by_document, by_document + by_rater - crossed)), raters - 1
    reach = t_quantile(1.959964, df) * error
    alone = int(has[0].sum() - both.sum()), int(has[1].sum() - both.sum())
    interval = delta - reach, delta + reach
    return MeasuredPair(delta, interval, error, int(used.sum()), units, alone if any(alone) else None), df


def _variance(influence: NDArray[np.float64], codes: NDArray[np.int_]) -> float:
    """The variance of a sum whose parts of one code belong together."""
    import numpy as np

    _, groups = np.unique(codes, return_inverse=True)
    sums = np.bincount(groups, influence)
    return float((sums**2).sum()) * len(sums) / max(1, len(sums) - 1)
