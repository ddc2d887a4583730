"""Tables of scores in the tests of the house: which systems, what is drawn, and what is done about raters."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from truebleu._counts import number_of, there_are
from truebleu._inputs import check_instance, check_texts
from truebleu._options import choice
from truebleu._shown import shown
from truebleu.errors import OptionError, TooFew
from truebleu.scores.table import ScoreTable, listed
from truebleu.significance.comparison import compare as compare_rows
from truebleu.significance.units import Clustering, clustering_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from truebleu.metrics.external import ExternalMetric
    from truebleu.significance.results import Comparison, MetricReport

RATERS = ("mean", "random")
Z = ("raters",)

# How far the systems of a rater may be from those of all, as a part of their share.
_MOST_UNEVEN = 0.2

# A rater with fewer scores that others gave too has no correlation with them.
_FEWEST_SHARED = 3


def compare(
    table: ScoreTable,
    metrics: str | Iterable[str] | None = None,
    *,
    systems: Iterable[str] | None = None,
    raters: str = "mean",
    z: str | None = None,
    unit: str = "auto",
    missing: str | None = None,
    higher_is_better: Mapping[str, bool] | None = None,
    direction_anyway: bool = False,
    **options: Any,
) -> Comparison:
    """Compare all pairs of systems in a table of scores, with ranks and clusters.

    Documents are drawn and swapped whole where they are known. Several raters of a segment are one score, their mean.

    Parameters
    ----------
    table
        The scores, of segments or documents.
    metrics
        The metrics; None for all.
    systems
        The systems; None for those that have scores of the first metric.
    raters
        "mean" asks what these raters would say of other documents, "random" what other raters would say; the second
        needs five raters or more.
    z
        "raters" standardizes the scores of each rater first. That is refused where raters saw different systems.
    unit
        What is drawn: "document" or "segment", or "auto" for documents where they are known.
    missing
        What is done about missing scores: "pairs" (unless given), "drop" or "fit", as `truebleu.compare` has it.
    higher_is_better
        By metric, whether higher scores are better, where the name does not tell.
    direction_anyway
        Whether `higher_is_better` is right even if the names and signs of scores say the opposite.
    **options
        What else `truebleu.compare` takes: `test`, `n_samples`, `alpha`, `correction`, `seed` and so on.
    """
    check_instance("scores.compare", "table", table, ScoreTable, "a ScoreTable")
    choice("scores.compare", "raters", raters, RATERS)
    wanted = table.metrics if metrics is None else [metrics] if isinstance(metrics, str) else metrics
    names = list(check_texts("scores.compare", "metrics", wanted))
    if table.level == "system":
        raise OptionError(f"{listed(names)}: one number for a system has no chance in it, so that it is not tested")
    table = table.in_order()
    if z is not None:
        choice("scores.compare", "z", z, Z)
        for name in names:
            table = standardized(table, name)
    there = table.scored(names[0]) if systems is None else systems
    chosen = sorted(check_texts("scores.compare", "systems", there))
    rows: dict[str, dict[str, Any]] = {name: {} for name in chosen}
    made: dict[str, ExternalMetric] = {}
    for name in names:
        more = {"ratings": _ratings(table, name, chosen)} if raters == "random" else {}
        said = (higher_is_better or {}).get(name)
        made[name] = table.metric(name, said, direction_anyway=direction_anyway and said is not None, **more)
        if made[name].direction is None and options.get("all_pairs", True):
            raise OptionError(
                f"the direction of {shown(name)} is unknown, and without it there is no ranking: give "
                f"--higher-is-better {shown(name)} or --lower-is-better {shown(name)} "
                f"(higher_is_better={{{name!r}: True}}, or False)"
            )
        for system, stats in table.stats(name, chosen, made[name]).items():
            rows[system][name] = stats
    documents = documents_of(table, unit)
    options = {"all_pairs": True, "documents": documents, "unit": unit, "missing": missing, **options}
    return compare_rows(rows, made, **options)


def documents_of(table: ScoreTable, unit: str) -> list[str] | None:
    """The document of each item, if they are drawn."""
    if unit == "segment" or table.level != "segment" or table.documents is None:
        return None
    without = [item for item, document in zip(table.items, table.documents, strict=True) if document is None]
    if without:
        there = number_of(len(without), "item is", "items are")
        raise OptionError(f"{there} of no document ({listed(without)}); unit='segment' takes segments as independent")
    return [str(one) for one in table.documents]


# Raters.


def _ratings(table: ScoreTable, metric: str, systems: list[str]) -> dict[str, NDArray[np.float64]]:
    """The scores of each system by each rater: raters by items."""
    import numpy as np

    if len(table.raters) < 2:
        raise TooFew(f"{metric}: raters='random' is about several raters, and {there_are(len(table.raters), 'rater')}")
    by_rater = np.array([table.matrix(metric, systems, rater) for rater in sorted(table.raters)])
    return {name: by_rater[:, at] for at, name in enumerate(systems)}


def standardized(table: ScoreTable, metric: str) -> ScoreTable:
    """Give each rater's scores of a metric the mean 0 and the standard deviation 1.

    A rater who saw better systems than the others has a higher mean for this reason, and would be lowered for it.
    """
    import numpy as np

    of_metric = table.codes[2] == table.metrics.index(metric)
    there = of_metric & ~np.isnan(table.scores)
    if not table.raters or (table.codes[3][there] < 0).any():
        raise OptionError(f"{metric}: z='raters' is about raters, and not all scores name theirs")
    _refuse_uneven(table, metric, there)
    scores = table.scores.copy()
    for code in range(len(table.raters)):
        own = there & (table.codes[3] == code)
        if own.any():
            values = np.sort(table.scores[own])  # so that the order of lines does not show in the last bit
            deviation = values.std(ddof=1) if len(values) > 1 else 0.0
            if not deviation > 0:
                raise OptionError(f"{metric}: z='raters', and the rater r{code + 1} gave one score throughout")
            scores[own] = (table.scores[own] - values.mean()) / deviation
    higher = table.metric(metric).higher_is_better
    column = table.columns[metric]._replace(z="raters", higher_is_better=higher)
    return table.replaced(scores=scores, columns={**table.columns, metric: column})


def _refuse_uneven(table: ScoreTable, metric: str, there: NDArray[np.bool_]) -> None:
    import numpy as np

    counts = np.zeros((len(table.raters), len(table.systems)))
    np.add.at(counts, (table.codes[3][there], table.codes[0][there]), 1)
    used, at_work = np.flatnonzero(counts.any(axis=0)), np.flatnonzero(counts.any(axis=1))
    counts = counts[np.ix_(at_work, used)]
    own = counts / counts.sum(axis=1, keepdims=True)
    gaps = np.abs(own / (counts.sum(axis=0) / counts.sum()) - 1)
    if not (gaps > _MOST_UNEVEN).any():
        return
    lines = []
    for rater, shares, gap in zip(at_work, own, gaps, strict=True):
        worst = [f"{shown(table.systems[used[at]], 30)} {100 * shares[at]:.0f} %" for at in np.argsort(-gap)[:3]]
        lines += [f"  r{rater + 1}: {', '.join(worst)}"] if (gap > _MOST_UNEVEN).any() else []
    raise OptionError(
        f"{metric}: z='raters' is right only where every rater saw the same mix of systems, within 20 %; where raters "
        "saw different ones, it hides differences between systems. The shares that are furthest off:\n"
        + "\n".join(lines[:8])
    )


class RaterFacts(NamedTuple):
    """A rater's scores: how many, their mean and deviation, and their correlation with the mean of the others."""

    name: str
    n: int
    mean: float
    deviation: float | None
    agreement: float | None


def raters_of(table: ScoreTable, metric: str, with_names: bool = False) -> list[RaterFacts]:
    """Describe the raters, called r1, r2 and so on unless names are asked for; nobody is left out."""
    import numpy as np

    if not table.raters:
        return []
    scores = {name: table.matrix(metric, raters=name).ravel() for name in table.raters}
    total, count = np.zeros(len(next(iter(scores.values())))), np.zeros(len(next(iter(scores.values()))))
    for one in scores.values():
        total, count = total + np.nan_to_num(one), count + ~np.isnan(one)
    found = []
    for at, (name, one) in enumerate(scores.items(), 1):
        own = ~np.isnan(one)
        shared = own & (count > 1)
        if own.any():
            others = (total[shared] - one[shared]) / (count[shared] - 1)
            deviation = float(one[own].std(ddof=1)) if own.sum() > 1 else None
            shown_name = name if with_names else f"r{at}"
            facts = RaterFacts(
                shown_name, int(own.sum()), float(one[own].mean()), deviation, _correlation(one[shared], others)
            )
            found.append(facts)
    return found


def _correlation(one: NDArray[np.float64], other: NDArray[np.float64]) -> float | None:
    import numpy as np

    if len(one) < _FEWEST_SHARED or not one.std() > 0 or not other.std() > 0:
        return None
    found = float(np.corrcoef(one, other)[0, 1])
    return None if math.isnan(found) else found


class ColumnFacts(NamedTuple):
    """What is said of a metric beside its comparison."""

    metric: str
    kind: str
    direction: str | None  # None: nobody knows
    items: int  # that have a score
    all_items: int
    level: str  # what an item is
    clustering: Clustering | None
    raters: list[RaterFacts]


def facts_of(table: ScoreTable, report: MetricReport, with_raters: bool = False) -> ColumnFacts:
    """Describe a metric that was compared."""
    names = [system.name for system in report.systems]
    return described(table, report.key, names, report.higher_is_better, with_raters)


def described(
    table: ScoreTable, metric: str, systems: list[str], higher: bool | None, with_raters: bool = False
) -> ColumnFacts:
    """Describe a metric: how many items have scores, how much documents matter, and who the raters are."""
    import numpy as np

    cells = table.matrix(metric, systems)
    clustering = None
    if table.documents is not None and table.level == "segment":
        clustering = clustering_of(cells, table.documents)
    return ColumnFacts(
        metric, table.columns[metric].kind, None if higher is None else "higher" if higher else "lower",
        int((~np.isnan(cells)).any(axis=0).sum()), len(table.items), table.level, clustering,
        raters_of(table, metric, with_raters),
    )  # fmt: skip
