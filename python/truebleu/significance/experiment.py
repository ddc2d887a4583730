"""The engine of all paired tests: it draws, asks the test, and corrects what the test cannot know.

`compare` and `PairedTest` are two faces of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from truebleu._logs import warn_each_time
from truebleu.resample.bootstrap import resampled_scores, stratified_scores
from truebleu.resample.interval import Interval, estimate_interval
from truebleu.resample.randomization import words_used
from truebleu.signature import Signature, SignatureValue
from truebleu.significance.defaults import RESAMPLES
from truebleu.significance.power import standard_errors
from truebleu.significance.tests import Verdict
from truebleu.significance.units import FEWEST, are_too_few, interval_of, interval_of_difference

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from truebleu.resample.seed import Seed
    from truebleu.significance.systems import MetricTable
    from truebleu.significance.tests import Test

# Keeps the draws of runs apart from those of segments; any number would do.
_RUNS_STREAM = 0x72756E73


class Coverage(NamedTuple):
    """Systems of which some lack scores of some segments."""

    n: list[int]  # scores of each
    adjusted: list[float] | None  # means as if all had the same segments; None where systems do not hang together
    lacks: tuple[str, ...] = ()  # sentences about segments that a system lacks and that are of another kind


class MeasuredPair(NamedTuple):
    """The difference of two systems under a metric, and how well it is known."""

    delta: float
    interval: tuple[float, float] | None
    error: float | None  # its standard error; None for too few units
    segments: int
    units: int
    alone: tuple[int, int] | None = (
        None  # how many segments only the first has, and only the other, if cells are missing
    )


@dataclass(frozen=True, eq=False)
class Experiment:
    """Which systems are tested, and how."""

    test: Test
    tables: list[MetricTable]
    pairs: list[tuple[int, int]]
    samples: int
    confidence: int
    seed: Seed
    threads: int
    like_sacrebleu: bool = False
    strata: NDArray[np.int_] | None = None  # of each unit, if units are drawn stratum by stratum
    least: float | None = None  # the smallest p-value, where those that need more trials are bounds
    missing: str | None = None  # what was done about scores that are missing
    coverage: Coverage | None = None  # what of systems with different segments
    left_out: int = 0  # segments, for want of scores
    intervals: bool = True  # of differences, which sacreBLEU's class has no place for

    own_title: ClassVar[str] = ""  # where the p-values are not those of the test

    def verdicts(self) -> list[list[Verdict]]:
        """Run the test: a list of verdicts for each metric, one for each pair."""
        untested = [[Verdict(math.nan) for _ in self.pairs] for _ in self.tables]
        found = untested if not self.like_sacrebleu and are_too_few(self) else self.test.verdicts(self)
        baseline = "the baseline " if self.like_sacrebleu else ""
        for table, verdicts in zip(self.tables, found, strict=True):
            for at, (a, b) in enumerate(self.pairs):
                if table.means[a] != table.means[b]:
                    continue
                ours, theirs = ([stats.rows for stats in table.counted[place]] for place in (a, b))
                # A system is not different from its copy, whatever the number of its trials says.
                if len(ours) == len(theirs) and all((x == y).all() for x, y in zip(ours, theirs, strict=True)):
                    verdicts[at] = verdicts[at]._replace(p_value=1.0, identical=True)
                    names = table.systems[b], table.key, baseline, table.systems[a]
                    warn_each_time("%r has the same %s statistics as %s%r: p = 1", *names)
        return found

    def measured(self, at: int) -> list[MeasuredPair]:
        """Measure the difference of each pair under a metric."""
        table, errors = self.tables[at], list[float | None]([None] * len(self.pairs))
        resamples = self.paired_resamples[at] if self.paired_resamples else None
        if table.units >= FEWEST and self.test.resamples and max(table.runs) > 1:  # it asks about other runs, too
            errors = [float((self.resamples[at][b] - self.resamples[at][a]).std(ddof=1)) for a, b in self.pairs]
        elif table.units >= FEWEST:
            errors = [*standard_errors(table, self.pairs, self.strata)]
        found = []
        for (a, b), error in zip(self.pairs, errors, strict=True):
            delta, interval = table.means[b] - table.means[a], None
            if resamples is not None:
                interval = interval_of_difference(resamples[b] - resamples[a], delta, self.documents)
            found.append(MeasuredPair(delta, interval, error, table.segments, table.units))
        return found

    @cached_property
    def runs(self) -> tuple[list[tuple[Any, NDArray[np.float64]]], list[list[list[int]]]]:
        """Engine and rows of every run, and for each metric and system where its runs are in that list."""
        flat: list[tuple[Any, NDArray[np.float64]]] = []
        places: list[list[list[int]]] = []
        for table in self.tables:
            places.append([])
            for runs in table.drawn:
                places[-1].append([len(flat) + at for at in range(len(runs))])
                flat += [(table.metric.engine, stats.rows) for stats in runs]
        return flat, places

    @cached_property
    def resamples(self) -> list[NDArray[np.float64]]:
        """Resampled scores for each metric, a row for each system; an empty list if none were asked for.

        All metrics share the draws of segments and of runs.
        """
        import numpy as np

        flat, places = self.runs
        samples = self.samples if self.test.resamples else self.confidence
        if not samples:
            return []
        # sacreBLEU draws for a system after its coins, from the same stream, and for the baseline from the start.
        skip = words_used(self.samples, self.tables[0].units) if self.like_sacrebleu and not self.test.resamples else 0
        if self.strata is not None:
            scores = stratified_scores(flat, self.strata, samples, self.seed)
        else:
            scores = resampled_scores(flat, samples, self.seed, skip=skip, threads=self.threads).copy()
        if skip:
            firsts = [systems[0][0] for systems in places]
            baselines = [flat[at] for at in firsts]
            scores[firsts] = resampled_scores(baselines, samples, self.seed, threads=self.threads)
        found = []
        for systems in places:
            generator = np.random.default_rng([_RUNS_STREAM, *self.seed.words()])
            means = [
                scores[one] if not more else _mean_of_drawn_runs(scores[[one, *more]], generator)
                for one, *more in systems
            ]
            found.append(np.stack(means))
        return found

    @cached_property
    def paired_resamples(self) -> list[NDArray[np.float64]]:
        """Resamples in which all systems share their draws; those beside sacreBLEU's randomization do not."""
        if not self.intervals:
            return []
        if not self.like_sacrebleu or self.test.resamples:
            return self.resamples
        return replace(self, like_sacrebleu=False, confidence=self.confidence or RESAMPLES).resamples

    def interval(self, resampled: NDArray[np.float64]) -> Interval | None:
        """Estimate mean and interval; in paired tests, sacreBLEU's mean is NumPy's of the sorted scores."""
        import numpy as np

        if not self.like_sacrebleu:
            return interval_of(resampled, self.documents)
        return estimate_interval(resampled)._replace(mean=float(np.sort(resampled).mean()))

    @property
    def documents(self) -> int | None:
        """How many documents are drawn; None where segments are."""
        return self.tables[0].units if self.tables[0].draws_documents else None

    def signature(
        self, table: MetricTable, correction: str | None = None, is_exact: bool = False, family: str = "metric"
    ) -> Signature:
        """Write what the test adds to the signature of a score; only what was asked for shows."""
        fields: dict[str, SignatureValue] = {} if self.test.resamples else {"bs": self.confidence or None}
        samples = 0 if is_exact else self.samples
        if not self.own_title:  # else there are no trials
            fields[self.test.name] = samples or "exact"
            fields["ties"] = "counted" if samples and self.test.counts_ties and not self.like_sacrebleu else None
            fields["tail"] = "bound" if samples and self.least is not None else None
        fields["seed"] = self.seed.number_text() if samples or self.confidence else None
        fields["docs"] = table.units if table.draws_documents else None
        fields["missing"] = self.missing
        fields["strata"] = None if self.strata is None else int(self.strata.max()) + 1
        fields["runs"] = max(table.runs) if max(table.runs) > 1 else None
        fields["adjust"] = correction
        fields["family"] = family if correction and family != "metric" else None
        plain = table.scores[0][0].signature or Signature({})
        return plain.with_test({key: value for key, value in fields.items() if value is not None})


def _mean_of_drawn_runs(scores: NDArray[np.float64], generator: np.random.Generator) -> NDArray[np.float64]:
    """Take the mean over runs that are drawn with replacement, anew for every resample."""
    import numpy as np

    runs, samples = scores.shape
    drawn = generator.integers(runs, size=(runs, samples))
    mean: NDArray[np.float64] = scores[drawn, np.arange(samples)].mean(axis=0)
    return mean
