"""How well metrics agree with people, and which of them agree better: the one call, and what it returns.

>>> people = {"MQM": {"a": [-1, 0, -5, None], "b": [0, 0, -1, None], "c": [-5, -1, -5, None]}}
>>> comet = {"COMET": {"a": [0.8, 0.9, 0.5, 0.1], "b": [0.7, 0.95, 0.6, 0.2], "c": [0.4, 0.85, 0.45, 0.3]}}
>>> found = agree(people, comet, statistics=["acc", "acc_eq"])
>>> found["COMET"]["acc"], round(found["COMET"]["acc_eq"], 6)
(1.0, 0.888889)
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from truebleu._frames import FRACTION, TEXT, Tabular
from truebleu._inputs import as_float, brief, check_instance, ordered, refuse_others
from truebleu._logs import warn
from truebleu._options import choice, finite_number, level_of_test, number_from_zero, yes_or_no
from truebleu._shown import shown
from truebleu.agreement.aligned import Aligned, align, columns_of
from truebleu.agreement.cells import GROUPS
from truebleu.agreement.measures import (
    THRESHOLD,
    AgreementOptions,
    AgreementStatistic,
    AgreementValue,
    Tables,
    measure,
)
from truebleu.agreement.tests import (
    TESTS,
    THEIR_TRIALS,
    like_mt_metrics_eval,
    refuse_test,
    swapped_documents,
    trials_of,
)
from truebleu.errors import OptionError
from truebleu.resample.seed import Seed
from truebleu.significance.autorank import said_directions
from truebleu.significance.correction import CORRECTIONS, adjusted
from truebleu.significance.defaults import ALPHA, CORRECTION, UNITS
from truebleu.significance.units import FEWEST
from truebleu.significance.wmt_ranks import clusters, rank_ranges

STATISTICS = ("spa", "acc_eq")
WMT23 = ("acc", "sys_pearson", "pearson:none", "acc_eq:item")
_COLUMNS = {"metric": TEXT, "statistic": TEXT, "value": FRACTION, "best_rank": FRACTION, "worst_rank": FRACTION}


class MetricPair(NamedTuple):
    """Two metrics under one statistic."""

    a: str
    b: str
    statistic: str
    delta: float  # of the first less the second
    p_value: float | None  # None where the statistic has no test, or there are too few units
    adjusted: float | None
    significant: bool


@dataclass(frozen=True)
class Agreement(Tabular):
    """What `agree` returns. As a table, it has a row for each metric and statistic.

    Parameters
    ----------
    gold
        The name of people's scores.
    systems
        The systems that people and all metrics have.
    items
        How many items people have scored.
    documents
        How many documents were swapped; None where items were.
    metrics
        By metric and statistic, the value and what belongs to it. The metrics are in order of the first statistic.
    directions
        By metric, whether "higher" or "lower" scores are better.
    pairs
        The tests between metrics.
    ranks
        By statistic and metric, the best and the worst rank.
    clusters
        By statistic, groups of metrics such that each metric is significantly better than all of later groups.
    test, n_samples, correction, alpha, seed
        How metrics were compared: the test, how many shuffles it had by statistic, the correction, the level, the seed.
    missing
        By metric, how many cells that people have scored it lacks.
    notes
        What should be known about these scores.
    """

    gold: str
    systems: tuple[str, ...]
    items: int
    documents: int | None
    metrics: Mapping[str, Mapping[str, Mapping[str, Any]]]
    directions: Mapping[str, str]
    pairs: tuple[MetricPair, ...]
    ranks: Mapping[str, Mapping[str, tuple[int, int]]]
    clusters: Mapping[str, tuple[tuple[str, ...], ...]]
    test: str
    n_samples: Mapping[str, int]
    correction: str | None
    alpha: float
    seed: str
    missing: Mapping[str, int]
    notes: tuple[str, ...]

    @property
    def statistics(self) -> tuple[str, ...]:
        """The names of the statistics."""
        return tuple(next(iter(self.metrics.values())))

    def __getitem__(self, metric: str) -> dict[str, float]:
        """Give the values of a metric by statistic."""
        return {name: one["value"] for name, one in self.metrics[metric].items()}

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain values, for JSON."""
        metrics = [
            {"name": name, "direction": self.directions[name], "missing": self.missing[name],
             "statistics": {key: {part: _plain(value) for part, value in one.items()} for key, one in found.items()}}
            for name, found in self.metrics.items()
        ]  # fmt: skip
        pairs = [{part: _plain(value) for part, value in one._asdict().items()} for one in self.pairs]
        left = {"metrics", "directions", "pairs", "missing"}
        return {
            **{key: value for key, value in vars(self).items() if key not in left},
            "metrics": metrics,
            "pairs": pairs,
        }

    def to_html(self) -> str:
        """Write a table for a page."""
        from truebleu._notebook import HtmlTable, as_html
        from truebleu.agreement.text import head_of, rows_of

        return as_html([HtmlTable(f"Agreement with {self.gold}", head_of(self), rows_of(self))])

    _repr_html_ = to_html

    def __str__(self) -> str:
        from truebleu.agreement.text import lines_of

        return "\n".join(lines_of(self))

    def _table(self) -> tuple[Mapping[str, str], Iterable[tuple[Any, ...]]]:
        rows = [
            (name, key, one["value"], *self.ranks.get(key, {}).get(name, (None, None)))
            for name, found in self.metrics.items()
            for key, one in found.items()
        ]
        return _COLUMNS, rows


def agree(
    human: Any,
    metrics: Any,
    *,
    statistics: Iterable[str] = STATISTICS,
    group: str = "item",
    documents: Iterable[Hashable] | None = None,
    unit: str = "auto",
    test: str = "ar",
    correction: str | None = CORRECTION,
    alpha: float = ALPHA,
    higher_is_better: Mapping[str, bool] | None = None,
    system_scores: Mapping[str, Mapping[str, float]] | None = None,
    exclude: Iterable[str] = (),
    only: Sequence[bool] | None = None,
    epsilon: float | None = None,
    threshold: float = THRESHOLD,
    nan: str = "leave",
    honest: bool = False,
    seed: int | str | None = None,
) -> Agreement:
    """Compare metrics with people: how well each agrees, and which of two agrees better.

    Parameters
    ----------
    human
        Scores of people: a table of scores with one metric, or {name: {system: [scores]}}, None where one is missing.
    metrics
        The same of one metric or more.
    statistics
        Names of statistics. Of systems: "spa", "spa:exact", "spa-doc", "acc", "sys_pearson", "sys_spearman",
        "sys_tau_b". Of segments: "acc_eq", "pearson", "spearman", "tau_b", "tau_c", "tau_23", "kendall_like", "pdp",
        with a group after a colon, such as "pearson:none".
    group
        The cells that are compared with one another where a statistic does not say it: those of an "item", as in WMT,
        those of a "system", or "none" for all of them.
    documents
        One label for each item: its document. The test swaps documents whole.
    unit
        What is swapped: "document" or "segment", or "auto" for documents where they are known.
    test
        "ar" (randomization), "mtme-pairs" or "mtme-both" to repeat mt-metrics-eval's, which claim far too many
        differences, or "none".
    correction
        "holm" or "bh", over all pairs of metrics under a statistic; None for no correction.
    alpha
        The level up to which a p-value is called significant.
    higher_is_better
        By name, whether higher scores are better, where the name does not tell it.
    system_scores
        By name of people's scores and of metrics, the scores of whole systems, where they are not the means of items'.
    exclude
        Systems that are left out.
    only
        For each item whether it counts; None for all.
    epsilon
        How near two scores of a metric are to count as tied for "acc_eq"; None for the best.
    threshold
        How far apart people have to find two items for "kendall_like".
    nan
        Groups in which a correlation is not defined: "leave" them out, or take it as "zero".
    honest
        Whether "acc_eq" is also computed with the best ε of the other half of the documents.
    seed
        A whole number, or "none" for a fresh seed; None takes that of `SACREBLEU_SEED`.
    """
    _check(group, unit, test, correction, alpha, nan)
    epsilon = None if epsilon is None else number_from_zero("agree", "epsilon", epsilon)
    options = AgreementOptions(
        group, epsilon, number_from_zero("agree", "threshold", threshold), nan, yes_or_no("agree", "honest", honest)
    )
    kinds = [measure(name, group) for name in dict.fromkeys(_names("statistics", statistics))]
    if not kinds:
        raise OptionError("agree: statistics is empty, expected one or more")
    refuse_test(test, kinds)
    directions = said_directions("agree", higher_is_better)
    of_systems = _by_name(system_scores)
    golds, columns = columns_of("human", human, directions), columns_of("metrics", metrics, directions)
    if len(golds) > 1:
        raise OptionError(f"agree: human has {shown(', '.join(one.name for one in golds))}; expected one of them")
    _refuse_systems(human, metrics)
    table = align(golds[0], columns, documents, _names("exclude", exclude), only)
    units, whole = _units(table, unit)
    found = {
        name: Tables(table.people, scores, units, _given_scores(of_systems, golds[0].name, name, table.systems))
        for name, scores in table.metrics.items()
    }
    values = {kind.key: {name: kind.take(one, options) for name, one in found.items()} for kind in kinds}
    drawn, is_theirs = Seed.of(seed), test.startswith("mtme")
    how = _MetricTest(test, None if is_theirs else correction, alpha, drawn.value)
    tested = (
        {} if test == "none" or len(found) < 2 else {kind.key: how.make(kind, found, values, options) for kind in kinds}
    )
    pairs = [pair for several, _ in tested.values() for pair in several]
    first = values[kinds[0].key]
    order = sorted(found, key=lambda name: (-_low(first[name].value), name))
    claims = {key: _ranked(values[key], several, is_theirs) for key, (several, _) in tested.items()}
    people = ~np.isnan(table.people)
    return Agreement(
        gold=golds[0].name,
        systems=table.systems,
        items=table.people.shape[1],
        documents=len(np.unique(units)) if whole else None,
        metrics={name: {key: _cell(values[key][name]) for key in values} for name in order},
        directions=table.directions,
        pairs=tuple(pairs),
        ranks={key: ranks for key, (ranks, _) in claims.items()},
        clusters={key: groups for key, (_, groups) in claims.items()},
        test=test,
        n_samples={key: trials for key, (_, trials) in tested.items()},
        correction=how.correction if tested else None,
        alpha=alpha,
        seed=drawn.number_text(),
        missing={name: int((people & np.isnan(scores)).sum()) for name, scores in table.metrics.items()},
        notes=table.notes,
    )


class _MetricTest(NamedTuple):
    """How metrics are compared."""

    name: str
    correction: str | None
    alpha: float
    seed: int

    def make(
        self, kind: AgreementStatistic, tables: Mapping[str, Tables],
        values: Mapping[str, Mapping[str, AgreementValue]], options: AgreementOptions,
    ) -> tuple[list[MetricPair], int]:  # fmt: skip
        """Test all pairs of metrics under a statistic; the second is the number of shuffles."""
        several = [*values[kind.key].values()]
        if self.name == "ar":
            trials = trials_of(several[0], len(several) * (len(several) - 1) // 2, self.alpha)
            p_values = swapped_documents(several, next(iter(tables.values())).documents, trials, self.seed)
        else:
            trials = THEIR_TRIALS
            p_values = like_mt_metrics_eval(self.name, kind, [*tables.values()], options, several, self.seed)
        return _pairs(kind.key, values[kind.key], p_values, self.correction, self.alpha), trials


def _check(group: str, unit: str, test: str, correction: str | None, alpha: float, nan: str) -> None:
    choice("agree", "group", group, GROUPS)
    choice("agree", "unit", unit, UNITS)
    choice("agree", "test", test, TESTS)
    choice("agree", "nan", nan, ("leave", "zero"))
    if correction is not None:
        choice("agree", "correction", correction, CORRECTIONS)
    level_of_test("agree: alpha", alpha)


def _names(what: str, given: Any) -> Iterable[str]:
    """Names, after a check; of those without an order only the ones that need none are taken."""
    is_set = what == "exclude" and isinstance(given, Set)
    names = given if is_set else ordered("agree", what, given, "a list of names")
    refuse_others("agree", what, names)
    return names


def _by_name(given: Any) -> Mapping[str, Mapping[str, float]]:
    expected = "scores of systems by name: {'COMET': {'a': 0.8}}"
    found = {} if given is None else given
    check_instance("agree", "system_scores", found, Mapping, expected)
    for name, scores in found.items():
        check_instance("agree", f"system_scores[{brief(name)}]", scores, Mapping, expected)
    return found


def _refuse_systems(*given: Any) -> None:
    tables = [table for one in given for table in (one if isinstance(one, list | tuple) else [one])]
    names = [table.metrics[0] for table in tables if getattr(table, "level", "") == "system"]
    if names:
        raise OptionError(f"agree: {names[0]} has scores of whole systems alone; pass them as system_scores")


def _units(table: Aligned, unit: str) -> tuple[Any, bool]:
    """Number what is swapped: documents, or items where they are not known."""
    if unit == "document" and table.documents is None:
        raise OptionError("agree: unit is 'document', and documents are not known; expected a label for each item")
    if table.documents is None and unit == "auto":
        warn(
            "documents are not known, so that items are taken as independent; where those of a document succeed and "
            "fail together, too many differences are claimed (--documents)"
        )
    if table.documents is None or unit == "segment":
        return np.arange(table.people.shape[1]), False
    numbers = dict[Hashable, int]()
    units = np.array([numbers.setdefault(label, len(numbers)) for label in table.documents])
    if len(numbers) < FEWEST:
        if unit == "document" and len(numbers) == 1:
            raise OptionError("agree: unit is 'document', and there is one document in all; use 'segment'")
        warn("there are %d documents, and a test needs %d or more: there is no p-value", len(numbers), FEWEST)
    return units, True


def _given_scores(given: Mapping[str, Mapping[str, float]], gold: str, metric: str, systems: Sequence[str]) -> Any:
    if metric not in given:
        return None
    found = []
    for what, name in (("human", gold), ("metrics", metric)):
        scores = given.get(name, {})
        for one in systems:
            if scores.get(one) is None:
                raise OptionError(f"agree: system_scores lacks {shown(name)} of {brief(one)}, which {what} has")
            finite_number("agree", f"system_scores[{brief(name)}][{brief(one)}]", scores[one])
        found.append(np.array([as_float(scores[one]) for one in systems]))
    return tuple(found)


def _pairs(
    key: str,
    values: Mapping[str, AgreementValue],
    p_values: Sequence[float | None],
    correction: str | None,
    alpha: float,
) -> list[MetricPair]:
    plain = [math.nan if one is None else one for one in p_values]
    corrected = [None] * len(plain) if correction is None else [*map(_plain, adjusted(plain, correction))]
    pairs = []
    for (a, b), p_value, after in zip(combinations(values, 2), p_values, corrected, strict=True):
        decides = p_value if correction is None else after
        delta = values[a].value - values[b].value
        pairs.append(MetricPair(a, b, key, delta, p_value, after, decides is not None and decides <= alpha))
    return pairs


def _ranked(
    values: Mapping[str, AgreementValue], pairs: Sequence[MetricPair], is_theirs: bool
) -> tuple[dict[str, tuple[int, int]], tuple[tuple[str, ...], ...]]:
    """Ranks and clusters; with a test of mt-metrics-eval as there: a metric that one of the rank beats opens a rank."""
    names = [*values]
    places = {name: at for at, name in enumerate(names)}
    wins = {
        (places[one.a], places[one.b]) if one.delta > 0 else (places[one.b], places[one.a])
        for one in pairs
        if one.significant
    }
    ranking = sorted(range(len(names)), key=lambda at: (-_low(values[names[at]].value), names[at]))
    if not is_theirs:
        ranges = rank_ranges(len(names), wins)
        groups = clusters(ranking, wins)
    else:
        groups = list[list[int]]()
        for at in ranking:
            if not groups or any((above, at) in wins for above in groups[-1]):
                groups.append([])
            groups[-1].append(at)
        rank_of = {at: rank for rank, group in enumerate(groups, 1) for at in group}
        ranges = [(rank_of[at], rank_of[at]) for at in range(len(names))]
    return dict(zip(names, ranges, strict=True)), tuple(tuple(names[at] for at in group) for group in groups)


def _cell(found: AgreementValue) -> dict[str, Any]:
    return {"value": found.value, **found.details}


def _low(value: float) -> float:
    return -math.inf if math.isnan(value) else value


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value
