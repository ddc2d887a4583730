"""The measures of agreement by name: what each gives for a metric, and the sums from which shuffles are scored.

A test between two metrics swaps their scores of whole documents. So that no shuffle counts all pairs again, a measure
has rows, one per item, whose sums give its value: the mean of items has (value, 1), Pearson's correlation the sums of
scores and of their products, soft pairwise accuracy the differences of each pair of systems and their squares.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from truebleu._inputs import brief
from truebleu._options import choice
from truebleu.agreement import correlation
from truebleu.agreement.cells import GROUPS, GroupedCells, grouped
from truebleu.agreement.pairs import (
    SEED,
    TRIALS,
    complete_items,
    exact_spa,
    normal_p_values,
    of_systems,
    pair_places,
    pair_sums,
    spa,
)
from truebleu.agreement.ties import accuracy, honest_accuracy
from truebleu.errors import OptionError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truebleu.agreement.cells import Floats

    Score = Callable[[Floats], Floats]  # sums of rows, a line for each time, to values

THRESHOLD = 25.0  # of kendall_like: points of direct assessment


class Tables(NamedTuple):
    """Scores of systems × items from people and a metric, higher is better; NaN is missing."""

    people: Floats
    metric: Floats
    documents: NDArray[np.int_]  # of each item
    system_scores: tuple[Floats, Floats] | None = None  # of people and the metric, where they are no means


class AgreementOptions(NamedTuple):
    """How measures are computed."""

    group: str = "item"
    epsilon: float | None = None
    threshold: float = THRESHOLD
    nan: str = "leave"  # groups without a correlation: "leave" them out, or take them as "zero"
    honest: bool = False


class AgreementValue(NamedTuple):
    """What a measure gives for a metric."""

    value: float
    details: Mapping[str, Any]  # for JSON
    rows: Floats | None = None  # for a test: one per item
    score: Score | None = None  # of sums of rows


class AgreementStatistic(NamedTuple):
    """A measure by its name, and the group of cells that it compares; "" for scores of systems."""

    key: str
    group: str
    take: Callable[[Tables, AgreementOptions], AgreementValue]


def measure(name: str, group: str) -> AgreementStatistic:
    """Find a measure by a name such as "pearson:none"; without a group, it takes the one given."""
    base, _, own = name.partition(":")
    if name in _OF_SYSTEMS:
        return AgreementStatistic(name, "", _OF_SYSTEMS[name])
    choice("agree", "statistics", base, (*_OF_SYSTEMS, *_OF_GROUPS))
    if base in _OF_SYSTEMS or (base == "pdp" and own not in ("", "item")):
        raise OptionError(f"agree: statistics has {brief(name)}, and {base} has no groups; expected {base!r}")
    group = "item" if base == "pdp" else choice("agree", "the group of a statistic", own or group, GROUPS)
    return AgreementStatistic(
        name if own else f"{base}:{group}" if group != "item" else base, group, partial(_OF_GROUPS[base], group)
    )


def standardized(scores: Floats) -> Floats:
    """Bring the scores of a metric to mean 0 and deviation 1, so that those of two metrics can be swapped."""
    there = scores[~np.isnan(scores)]
    deviation = there.std() if len(there) else 0.0
    return np.asarray((scores - there.mean()) / deviation) if deviation else scores * 0.0


def means(scores: Floats) -> Floats:
    """Take the mean of each system's cells."""
    return np.asarray(np.nanmean(scores, axis=1))


def _spa(tables: Tables, options: AgreementOptions, *, kind: str = "spa") -> AgreementValue:
    people, metric, complete = tables.people, tables.metric, complete_items(tables.people, tables.metric)
    if kind == "spa-doc":
        people, metric = (_document_sums(one[:, complete], tables.documents[complete]) for one in (people, metric))
    else:
        people, metric = people[:, complete], metric[:, complete]
    value = exact_spa(people, metric) if kind == "spa:exact" else spa(people, metric)
    details = {"items": int(complete.sum())} | ({} if kind == "spa:exact" else {"trials": TRIALS, "seed": SEED})
    first, second = pair_places(len(people))
    units = tables.documents if kind == "spa-doc" else np.arange(len(complete))
    differences = np.where(complete, standardized(tables.metric), np.nan)[first] - standardized(tables.metric)[second]
    if kind == "spa-doc":  # the square is that of a document's sum: one row for each document
        sums = np.full((len(first), len(complete)), np.nan)
        kept = [int(np.flatnonzero(complete & (units == one))[0]) for one in np.unique(units[complete])]
        sums[:, kept] = _document_sums(differences[:, complete], units[complete])
        differences = sums
    of_people = normal_p_values(*pair_sums(people))

    def score(sums: Floats) -> Floats:
        p_values = normal_p_values(sums[:, : len(first)], sums[:, len(first) :])
        return np.asarray(1 - np.abs(p_values - of_people).mean(axis=1))

    return AgreementValue(value, details, np.concatenate([differences, differences**2]).T, score)


def _document_sums(scores: Floats, documents: NDArray[np.int_]) -> Floats:
    labels, places = np.unique(documents, return_inverse=True)
    return np.stack([np.bincount(places, one, len(labels)) for one in scores])


def _of_means(tables: Tables, options: AgreementOptions, *, kind: str) -> AgreementValue:
    there = ~(np.isnan(tables.people) | np.isnan(tables.metric))
    of_people = means(np.where(there, tables.people, np.nan))
    shown = tables.system_scores or (of_people, means(np.where(there, tables.metric, np.nan)))
    details: dict[str, Any] = {"sys": "given" if tables.system_scores else "mean"}
    if kind == "acc":
        details["pairs"] = len(pair_places(len(there))[0])
    rows = np.concatenate([np.where(there, standardized(tables.metric), 0.0), there]).T

    def score(sums: Floats) -> Floats:
        with np.errstate(invalid="ignore"):
            return of_systems(kind, of_people, sums[:, : len(there)] / sums[:, len(there) :])

    return AgreementValue(float(of_systems(kind, shown[0], shown[1][None])[0]), details, rows, score)


def _acc_eq(group: str, tables: Tables, options: AgreementOptions) -> AgreementValue:
    ties = accuracy(grouped(tables.people, tables.metric, group), options.epsilon)
    details: dict[str, Any] = {
        "group": group, "epsilon": ties.epsilon, "metric_ties": ties.metric_ties, "human_ties": ties.human_ties,
        "constant": ties.human_ties, "groups": len(ties.by_group),
    }  # fmt: skip
    if options.honest:
        halves = np.unique(tables.documents, return_inverse=True)[1] % 2 == 0
        details["honest"] = honest_accuracy(tables.people, tables.metric, group, halves)
    return AgreementValue(ties.value, details, *_item_rows(ties.by_group, ties.labels, tables, group))


def _correlation(
    group: str, tables: Tables, options: AgreementOptions, *, kind: Callable[[GroupedCells], Floats]
) -> AgreementValue:
    cells = grouped(tables.people, tables.metric, group)
    values = kind(cells)
    missing = int(np.isnan(values).sum())
    if options.nan == "zero":
        values = np.nan_to_num(values)
    value = float(np.nanmean(values)) if not np.isnan(values).all() else math.nan
    details = {"group": group, "groups": len(values), "undefined": missing}
    if group == "none" and kind is correlation.pearson:
        return AgreementValue(value, details, _moments(tables), _pearson_of_moments)
    return AgreementValue(value, details, *_item_rows(values, cells.labels, tables, group))


def _kendall_like(group: str, tables: Tables, options: AgreementOptions) -> AgreementValue:
    cells = grouped(tables.people, tables.metric, group)
    gains, pairs = correlation.kendall_like(cells, options.threshold)
    value = float(gains.sum() / pairs.sum()) if pairs.any() else math.nan
    details = {"group": group, "pairs": int(pairs.sum()), "threshold": options.threshold}
    if group != "item":
        return AgreementValue(value, details)
    rows = np.zeros((tables.people.shape[1], 2))
    rows[cells.labels] = np.stack([gains, pairs], axis=1)
    return AgreementValue(value, details, rows, _ratio)


def _pdp(group: str, tables: Tables, options: AgreementOptions) -> AgreementValue:
    cells = grouped(tables.people, standardized(tables.metric), group)
    rows = np.zeros((tables.people.shape[1], 3))
    rows[cells.labels] = correlation.difference_products(cells)

    def score(sums: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(sums[:, 0] / np.sqrt(sums[:, 1] * sums[:, 2]))

    return AgreementValue(float(score(rows.sum(axis=0)[None])[0]), {"group": group}, rows, score)


def _item_rows(
    values: Floats, labels: NDArray[np.int_], tables: Tables, group: str
) -> tuple[Floats | None, Score | None]:
    """Rows of a mean over items; a mean over systems, or over nothing, has none."""
    if group != "item":
        return None, None
    rows = np.full((tables.people.shape[1], 2), np.nan)
    rows[labels] = np.stack([values, np.where(np.isnan(values), np.nan, 1.0)], axis=1)
    return rows, _ratio


def _ratio(sums: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        return np.asarray(sums[:, 0] / sums[:, 1])


def _moments(tables: Tables) -> Floats:
    there = ~(np.isnan(tables.people) | np.isnan(tables.metric))
    people, metric = (np.where(there, standardized(one), 0.0) for one in (tables.people, tables.metric))
    products = there, people, metric, people * people, metric * metric, people * metric
    return np.stack([one.sum(axis=0) for one in products], axis=1)


def _pearson_of_moments(sums: Floats) -> Floats:
    n, people, metric, of_people, of_metric, both = sums.T
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(
            (n * both - people * metric) / np.sqrt((n * of_people - people**2) * (n * of_metric - metric**2))
        )


_OF_SYSTEMS = {
    **{kind: partial(_spa, kind=kind) for kind in ("spa", "spa:exact", "spa-doc")},
    **{kind: partial(_of_means, kind=kind) for kind in ("acc", "sys_pearson", "sys_spearman", "sys_tau_b")},
}
_OF_GROUPS: dict[str, Callable[..., AgreementValue]] = {
    "acc_eq": _acc_eq,
    **{
        name: partial(_correlation, kind=getattr(correlation, name))
        for name in ("pearson", "spearman", "tau_b", "tau_c", "tau_23")
    },
    "kendall_like": _kendall_like,
    "pdp": _pdp,
}
MEASURES = (*_OF_SYSTEMS, *_OF_GROUPS)
