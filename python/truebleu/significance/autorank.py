"""AutoRank of WMT25: several metrics in one number, 1 for the best system and N for the worst of N.

Each metric is centred at its median over systems and divided by the distance from the first quartile to the best
system, so that a few very bad systems do not decide the scale. The mean of that over metrics is stretched to 1…N.

>>> scores = {"GEMBA-ESA": {"a": 80, "b": 75, "c": 60, "d": 40}, "MetricX": {"a": -2, "b": -1, "c": -4, "d": -9}}
>>> {name: round(rank, 2) for name, rank in autorank(scores).items()}
{'b': 1.0, 'a': 1.03, 'c': 2.19, 'd': 4.0}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from truebleu._counts import number_of
from truebleu._inputs import as_float, brief, check_instance
from truebleu._logs import inform
from truebleu._options import yes_or_no
from truebleu._shown import shown
from truebleu.errors import BadScore, InputTypeError, OptionError
from truebleu.metrics.external import ExternalMetric

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LEAST = 1e-12  # by which a spread is divided at least


def autorank(
    scores: Mapping[str, Mapping[str, float]],
    *,
    higher_is_better: Mapping[str, bool] | None = None,
    partial: bool = False,
) -> dict[str, float]:
    """Compute WMT25's AutoRank of systems, the best first.

    Parameters
    ----------
    scores
        By metric and system, the score of the whole system: the mean over all of its paragraphs.
    higher_is_better
        By metric, whether higher scores are better, where the name and the sign of the scores do not tell it.
    partial
        Whether systems that lack a metric are left out, instead of refused.
    """
    import numpy as np

    if not isinstance(scores, Mapping) or not scores or not all(isinstance(one, Mapping) for one in scores.values()):
        raise InputTypeError(f"autorank: scores is {brief(scores)}, expected {{metric: {{system: score}}}}")
    said = said_directions("autorank", higher_is_better)
    for metric, of_systems in scores.items():
        if odd := [name for name in (metric, *of_systems) if not isinstance(name, str) or not name]:
            raise InputTypeError(f"autorank: scores has the name {brief(odd[0])}, expected a text")
    systems = complete_systems(scores, partial=yes_or_no("autorank", "partial", partial))
    table = np.array([[as_float(of_systems[system]) for of_systems in scores.values()] for system in systems])
    for row, column in np.argwhere(~np.isfinite(table)).tolist()[:1]:
        name, system = [*scores][column], systems[row]
        found = brief(scores[name][system])
        raise BadScore(f"autorank: in scores {shown(name)} of {brief(system)} is {found}, expected a finite number")
    signs = [1.0 if direction_of(name, table[:, at], said.get(name)) else -1.0 for at, name in enumerate(scores)]
    ranks = autoranks(table * signs)
    order = sorted(range(len(systems)), key=lambda at: (ranks[at], systems[at]))
    return {systems[at]: float(ranks[at]) for at in order}


def said_directions(who: str, given: Any) -> dict[str, bool | None]:
    """By metric, what the caller says about whether higher scores are better; `who` is for the message."""
    found = {} if given is None else given
    check_instance(who, "higher_is_better", found, Mapping, "True or False by metric: {'COMET': True}")
    return {
        name: None if one is None else yes_or_no(who, f"higher_is_better[{brief(name)}]", one)
        for name, one in found.items()
    }


def complete_systems(scores: Mapping[str, Mapping[str, object]], *, partial: bool) -> list[str]:
    """List the systems that have all metrics; others are refused, or with `partial` left out and named."""
    everybody = list(dict.fromkeys(system for by in scores.values() for system in by))
    lacking = {name: [metric for metric, by in scores.items() if name not in by] for name in everybody}
    incomplete = {name: metrics for name, metrics in lacking.items() if metrics}
    if incomplete and not partial:
        name, metrics = next(iter(incomplete.items()))
        raise OptionError(
            f"autorank: in scores {number_of(len(incomplete), 'system')} of {len(everybody)} lack a metric, such as "
            f"{brief(name)}, which lacks {shown(', '.join(metrics))}; partial=True (--partial) leaves them out"
        )
    if incomplete:
        inform("left out, because they lack a metric: %s", shown(", ".join(incomplete)))
    if len(incomplete) == len(everybody):
        raise OptionError("autorank: in scores no system has all metrics")
    return [name for name in everybody if name not in incomplete]


def direction_of(name: str, values: NDArray[np.float64], said: bool | None) -> bool:
    """Tell whether higher scores of a metric are better, by what was said, its name, and the sign of the scores."""
    try:
        metric = ExternalMetric(name, higher_is_better=said)
        metric.stats(values)
        return metric.higher_is_better
    except OptionError as error:
        what = "scores" if said is None else "scores and higher_is_better"
        raise OptionError(f"autorank: {what}: {error}") from error


def autoranks(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute ranks along the last but one axis of scores, systems × metrics, of which higher are better."""
    import numpy as np

    middle = np.median(scores, axis=-2, keepdims=True)
    best, lower = (np.percentile(scores, part, axis=-2, keepdims=True) for part in (100, 25))
    means = ((scores - middle) / np.maximum(_LEAST, best - lower)).mean(axis=-1)
    most, least = means.max(axis=-1, keepdims=True), means.min(axis=-1, keepdims=True)
    spread = most - least
    return np.asarray(1 + (scores.shape[-2] - 1) * (most - means) / np.where(spread > 0, spread, 1.0))
