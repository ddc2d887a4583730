"""What explains a difference: quotation marks, dashes, case and spaces, which are not translation.

All systems are counted once more with all four made the same. Only where that changes a difference by more than a fifth
of it, or might change its significance, is the pair tested once more; and only under the first metric are the four then
looked at one by one, because each of them means to count the texts again. A difference that is significant neither
before nor after is left alone: chance explains it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from inspect import signature
from typing import TYPE_CHECKING, Any

from truebleu._logs import silenced
from truebleu.errors import TooFew
from truebleu.metrics import Metric
from truebleu.metrics.base import varied
from truebleu.significance.correction import adjusted
from truebleu.significance.defaults import enough_trials
from truebleu.significance.results import Explained
from truebleu.significance.systems import tabulate
from truebleu.significance.tests import TESTS, Verdict

if TYPE_CHECKING:
    from truebleu.significance.experiment import Experiment
    from truebleu.significance.results import Comparison, MetricReport, PairReport
    from truebleu.significance.systems import MetricTable
    from truebleu.stats import Stats

Names = tuple[str, ...]

_FOLDS = ("quotes", "dashes", "case", "spaces")
_CASE = {"lowercase": True, "case_sensitive": False}  # the options of metrics that ignore case, and their values

# A smaller part of a difference is not worth a line.
_PART = 0.2

# With a smaller change, a p-value stays on its side of the level unless it is between these parts of the level.
_NEAR = 0.2, 3.0

# A difference below this part of the width of its interval, 1.5 standard errors, is not significant.
_BEYOND = 0.38

# The second test says whether a difference is significant, and needs no finer p-values than so many trials give.
_TRIALS = 5000


def with_explanations(found: Comparison, experiment: Experiment) -> Comparison:
    """Add to each pair what explains its difference, for those metrics whose texts can be counted once more."""
    tables = {table.key: table for table in experiment.tables}
    with silenced():
        metrics = [
            _Folding(found, metric, tables[metric.key], experiment, is_first=not at).explained()
            for at, metric in enumerate(found.metrics)
        ]
    return replace(found, metrics=tuple(metrics))


@dataclass(eq=False)
class _Folding:
    """The pairs of systems under one metric; each way of folding is counted when it is asked for."""

    found: Comparison
    metric: MetricReport
    table: MetricTable
    experiment: Experiment
    is_first: bool  # of the metrics: only then are the ways of folding told apart
    folds: dict[str, dict[str, Any]] = field(default_factory=dict)  # options, by what they make the same
    counted: dict[tuple[Names, str], tuple[list[Stats], float]] = field(default_factory=dict)
    metrics: dict[Names, Metric[Any]] = field(default_factory=dict)  # that counted them

    def explained(self) -> MetricReport:
        """Give the report with what explains its differences, of what the metric does not ignore already."""
        metric = self.table.metric
        if self.table.again is None or not isinstance(metric, Metric):
            return self.metric
        if "normalize" in signature(type(metric)).parameters:
            self.folds = {name: {} for name in _FOLDS if name != "case" and name not in metric.normalize.split(",")}
            if case := {name: value for name, value in _CASE.items() if getattr(metric, name, value) != value}:
                self.folds["case"] = case
        if not self.folds:
            return self.metric
        least, most = (part * self.found.alpha for part in _NEAR)
        names, doubtful = tuple(self.folds), []
        for at, pair in enumerate(self.metric.pairs):
            delta = self._delta(names, pair)
            low, high = pair.interval or (0.0, 0.0)
            # A difference that is not significant must grow, and be beyond what chance makes.
            matters = pair.significant or abs(delta) > max(abs(pair.delta), _BEYOND * (high - low))
            if matters and delta != pair.delta and (_is_large(pair, delta) or least <= pair.decisive <= most):
                doubtful.append(at)
        return self._reported(doubtful, names) if doubtful else self.metric

    def _reported(self, doubtful: list[int], names: Names) -> MetricReport:
        """Test the pairs once more whose differences change enough, or whose p-values are near the level."""
        pairs, wanted = list(self.metric.pairs), dict[Names, list[int]]()
        for at in doubtful:
            wanted.setdefault(self._chosen(names, pairs[at]), []).append(at)
        verdicts: dict[int, tuple[Names, Verdict]] = {}
        for folded, places in wanted.items():
            tested = self._tested(folded, [pairs[at] for at in places])
            verdicts |= {at: (folded, verdict) for at, verdict in zip(places, tested, strict=True)}
        p_values = [verdicts[at][1].p_value if at in verdicts else pair.p_value for at, pair in enumerate(pairs)]
        correction = self.found.correction
        corrected = adjusted(p_values, correction) if correction else [None] * len(p_values)
        for at, (folded, verdict) in verdicts.items():
            pairs[at] = self._report(pairs[at], folded, verdict, corrected[at])
        return replace(self.metric, pairs=tuple(pairs))

    def _chosen(self, names: Names, pair: PairReport) -> Names:
        """Choose what explains a difference: one that does alone, each that explains enough, or all that change it."""
        if not self.is_first:
            return names
        together, changes = self._delta(names, pair), {}
        for name in names:
            changes[name] = self._delta((name,), pair)
            if abs(changes[name] - together) <= _PART * abs(pair.delta - together):
                return (name,)  # it makes nearly all of the change
        large = [name for name, delta in changes.items() if _is_large(pair, delta)]
        return tuple(large or [name for name, delta in changes.items() if delta != pair.delta]) or names

    def _delta(self, folded: Names, pair: PairReport) -> float:
        return self._count(folded, pair.system)[1] - self._count(folded, pair.baseline)[1]

    def _count(self, folded: Names, name: str) -> tuple[list[Stats], float]:
        """Count a system in another way, unless that has been done; its score comes with its rows."""
        if (folded, name) not in self.counted:
            metric, again = self.table.metric, self.table.again
            assert isinstance(metric, Metric) and again is not None
            own = ",".join(name for name in (metric.normalize, *folded) if name and name != "case")
            other = varied(metric, normalize=own, **(self.folds["case"] if "case" in folded else {}))
            other = self.metrics.setdefault(folded, other)
            runs = again(other, self.table.systems.index(name))
            self.counted[folded, name] = runs, sum([other.score(rows).score for rows in runs]) / len(runs)
        return self.counted[folded, name]

    def _tested(self, folded: Names, pairs: list[PairReport]) -> list[Verdict]:
        names = list(dict.fromkeys(name for pair in pairs for name in (pair.baseline, pair.system)))
        counted, table = [self._count(folded, name)[0] for name in names], self.table
        table = tabulate("compare", table.key, self.metrics[folded], names, counted, table.labels)
        places = [(names.index(one.baseline), names.index(one.system)) for one in pairs]
        samples = min(self.experiment.samples, enough_trials(_TRIALS, len(self.metric.pairs), self.found.alpha))
        test = replace(
            self.experiment, tables=[table], pairs=places, samples=samples, confidence=0, like_sacrebleu=False
        )
        try:
            return test.verdicts()[0]
        except TooFew:  # segments still differ for a bootstrap
            is_even = len(set(table.runs)) == 1
            return replace(test, test=TESTS["ar"]).verdicts()[0] if is_even else [Verdict(math.nan) for _ in pairs]

    def _report(self, pair: PairReport, folded: Names, verdict: Verdict, corrected: float | None) -> PairReport:
        delta, p_value = self._delta(folded, pair), verdict.p_value
        lead = verdict.lead(delta, self.metric.higher_is_better)
        is_significant = (p_value if corrected is None else corrected) <= self.found.alpha and lead != 0
        kind = "none" if not is_significant else "gain" if lead > 0 else "loss"
        if math.isnan(p_value) or (kind == pair.kind and not (is_significant and _is_large(pair, delta))):
            return pair
        return replace(pair, explained=Explained(folded, pair.delta - delta, delta, p_value, corrected, kind))


def _is_large(pair: PairReport, delta: float) -> bool:
    return abs(pair.delta - delta) > _PART * abs(pair.delta)
