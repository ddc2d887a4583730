"""sacreBLEU's `PairedTest`: its arguments, its return values, its p-values.

>>> from truebleu.metrics import BLEU
>>> systems = [("base", ["a b c d e", "f g h i"]), ("new", ["a b c d x", "f g h i j"])]
>>> test = PairedTest(systems, {"BLEU": BLEU()}, [["a b c d x", "f g h i"]], test_type="bs", n_samples=100)
>>> signatures, scores = test()
>>> scores["System"], [round(result.score, 1) for result in scores["BLEU"]]
(['base', 'new'], [79.8, 83.8])
>>> str(signatures["BLEU"]).split("|")[:3]
['nrefs:1', 'bs:100', 'seed:12345']
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from truebleu._logs import warn
from truebleu.errors import OptionError, TooFew, UnknownTest
from truebleu.resample.bootstrap import DEFAULT_SAMPLES, bootstrap_p_value, resampled_scores
from truebleu.resample.interval import percentile_interval
from truebleu.resample.randomization import DEFAULT_TRIALS, randomization_p_values, words_used
from truebleu.resample.seed import Seed
from truebleu.significance.rows import identical, require_comparable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from truebleu.metrics.base import Metric
    from truebleu.signature import Signature
    from truebleu.stats import Stats

    Table = tuple[Any, NDArray[np.float64]]


@dataclass(repr=False)
class Result:
    """What a test says of one system under one metric."""

    score: float
    p_value: float | None = None
    mean: float | None = None
    ci: float | None = None

    def __repr__(self) -> str:
        return ",".join(f"{name}={value}" for name, value in vars(self).items())


class PairedTest:
    """Compares systems with the first of them, the baseline, under one or more metrics.

    `test_type` is "ar" (approximate randomization) or "bs" (paired bootstrap). With `n_samples` up to 0 there are
    10,000 trials of "ar" or 1,000 resamples of "bs". `n_ar_confidence` asks for means and intervals beside "ar": 0 for
    1,000 resamples, more for as many, less for none. `n_jobs` is the number of threads, 0 for all cores. The seed comes
    from `SACREBLEU_SEED`. Calling the object runs the test.
    """

    _DEFAULT_SAMPLES: ClassVar[Mapping[str, int]] = {"ar": DEFAULT_TRIALS, "bs": DEFAULT_SAMPLES}

    def __init__(
        self,
        named_systems: Sequence[tuple[str, Sequence[str]]],
        metrics: Mapping[str, Metric[Any]],
        references: Sequence[Sequence[str | None]] | None,
        test_type: str = "ar",
        n_samples: int = 0,
        n_ar_confidence: int = -1,
        n_jobs: int = 1,
    ) -> None:
        if test_type not in self._DEFAULT_SAMPLES:
            raise UnknownTest(f"PairedTest: test_type is {test_type!r}, expected 'ar' or 'bs'")
        self.test_type = test_type
        self.named_systems = list(named_systems)
        if len(self.named_systems) < 2:
            raise TooFew(
                f"PairedTest: named_systems has {len(self.named_systems)} system(s), expected a baseline and at least "
                "one more to compare with it"
            )
        self.n_systems = len(self.named_systems)
        self.metrics = metrics
        self.references = references
        n_samples = _whole("n_samples", n_samples)
        self.n_samples = n_samples if n_samples > 0 else self._DEFAULT_SAMPLES[test_type]
        self.n_ar_confidence = _whole("n_ar_confidence", n_ar_confidence)
        if self.n_ar_confidence == 0:
            self.n_ar_confidence = self._DEFAULT_SAMPLES["bs"]
        self.n_jobs = _whole("n_jobs", n_jobs)
        if self.n_jobs < 0:
            raise OptionError(f"PairedTest: n_jobs is {n_jobs!r}, expected a number of threads, or 0 for all cores")

    def __call__(self) -> tuple[dict[str, Signature], dict[str, list[str | Result]]]:
        """Run the test: signatures by score name, and `System` (the names) and results by score name."""
        seed = Seed.from_environment()
        counted = [self._count(metric) for metric in self.metrics.values()]
        tables = [
            (metric.engine, stats.rows)
            for metric, systems in zip(self.metrics.values(), counted, strict=True)
            for stats in systems
        ]
        signatures: dict[str, Signature] = {}
        scores: dict[str, list[str | Result]] = {"System": [name for name, _ in self.named_systems]}
        results: list[Result] = []
        for metric, systems in zip(self.metrics.values(), counted, strict=True):
            found = [metric.score(stats) for stats in systems]
            signatures[found[0].name] = found[0].signature.with_test(self._fields(seed))
            of_metric = [Result(score.score) for score in found]
            scores[found[0].name] = [*of_metric]
            results += of_metric
        if tables:
            self._test(tables, results, seed.fixed())
            self._correct_identical(counted, results)
        return signatures, scores

    def _count(self, metric: Metric[Any]) -> list[Stats]:
        counted = [metric.stats(texts, self.references, threads=self.n_jobs or None) for _, texts in self.named_systems]
        require_comparable("PairedTest", counted)
        return counted

    def _test(self, tables: list[Table], results: list[Result], seed: Seed) -> None:
        """Fill in p-values, means and intervals; tables and results stand metric by metric, the baseline first."""
        against = {at: at - at % self.n_systems for at in range(len(tables)) if at % self.n_systems}
        if self.test_type == "ar":
            pairs = [([baseline], [at]) for at, baseline in against.items()]
            p_values = randomization_p_values(tables, pairs, self.n_samples, seed, threads=self.n_jobs)
            for at, p_value in zip(against, p_values, strict=True):
                results[at].p_value = p_value
            if self.n_ar_confidence > 0:
                _summarize(results, self._resamples_beside_shuffles(tables, seed))
            return
        resamples = resampled_scores(tables, self.n_samples, seed, threads=self.n_jobs)
        _summarize(results, resamples)
        for at, baseline in against.items():
            gap = results[at].score - results[baseline].score
            results[at].p_value = bootstrap_p_value(resamples[baseline], resamples[at], gap)

    def _resamples_beside_shuffles(self, tables: list[Table], seed: Seed) -> NDArray[np.float64]:
        """sacreBLEU draws for a system after its coins, from the same stream, and for the baseline from the start."""
        used = words_used(self.n_samples, len(tables[0][1]))
        scores = resampled_scores(tables, self.n_ar_confidence, seed, skip=used, threads=self.n_jobs).copy()
        baselines = tables[:: self.n_systems]
        scores[:: self.n_systems] = resampled_scores(baselines, self.n_ar_confidence, seed, threads=self.n_jobs)
        return scores

    def _correct_identical(self, counted: list[list[Stats]], results: list[Result]) -> None:
        """A system is not different from its copy, whatever the number of its trials says."""
        everything = zip([stats for systems in counted for stats in systems], results, strict=True)
        for at, (stats, result) in enumerate(everything):
            metric, system = divmod(at, self.n_systems)
            if system and identical(counted[metric][0], stats):
                result.p_value = 1.0
                name, baseline = (self.named_systems[place][0] for place in (system, 0))
                metric_name = list(self.metrics)[metric]
                warn("%r has the same %s statistics as the baseline %r: p = 1", name, metric_name, baseline)

    def _fields(self, seed: Seed) -> dict[str, str | int]:
        fields: dict[str, str | int] = {}
        if self.test_type == "bs":
            fields["bs"] = self.n_samples
        elif self.n_ar_confidence > 0:
            fields["bs"] = self.n_ar_confidence
        if self.test_type == "ar":
            fields["ar"] = self.n_samples
        return fields | {"seed": seed.number_text()}


def _summarize(results: list[Result], resamples: NDArray[np.float64]) -> None:
    """Mean and half-width of each; the mean is NumPy's of the sorted scores, as in sacreBLEU's paired tests."""
    import numpy as np

    for result, scores in zip(results, resamples, strict=True):
        low, high = percentile_interval(scores)
        result.mean, result.ci = float(np.sort(scores).mean()), 0.5 * (high - low)


def _whole(name: str, value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise OptionError(f"PairedTest: {name} is {value!r}, expected a whole number") from None
