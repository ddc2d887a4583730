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

import logging
import sys
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import truebleu.signature
from truebleu._inputs import brief, check_instance
from truebleu._options import MOST_SAMPLES, whole_number
from truebleu.errors import OptionError, TooFew, UnknownTest
from truebleu.resample.interval import estimate_interval
from truebleu.resample.seed import Seed
from truebleu.sacrebleu.metrics.base import Metric, Score, Signature
from truebleu.significance.comparison import compare_as_sacrebleu
from truebleu.significance.systems import check_metric, named_texts, require_same_texts, rows_of, tabulate
from truebleu.significance.tests import TESTS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from truebleu.significance.systems import RowMetric

__all__ = ["IS_WINDOWS", "Metric", "PairedTest", "Result", "Score", "Signature", "estimate_ci", "sacrelogger"]

sacrelogger = logging.getLogger("sacrebleu")
IS_WINDOWS = sys.platform == "win32"


@dataclass(repr=False)
class Result:
    """What a test says of one system under one metric.

    Parameters
    ----------
    score
        The score of the system.
    p_value
        The p-value of the comparison with the baseline; None for the baseline itself.
    mean
        The mean of the resampled scores; None where there are no resamples.
    ci
        Half the width of their 95 % interval.
    """

    score: float
    p_value: float | None = None
    mean: float | None = None
    ci: float | None = None

    def __repr__(self) -> str:
        return ",".join(f"{name}={value}" for name, value in vars(self).items())


class PairedTest:
    """Compare systems with the first of them, the baseline, under one or more metrics. Call the object to run the test.

    Parameters
    ----------
    named_systems
        Pairs of a name and the texts of a system, or its receipt; the first is the baseline.
    metrics
        The metrics by any name, of truebleu or of `truebleu.sacrebleu`.
    references
        Streams of references, each with one for every segment; None if the metrics have their own.
    test_type
        "ar" (approximate randomization) or "bs" (paired bootstrap).
    n_samples
        How many trials or resamples the test has; up to 0 for 10,000 trials of "ar" or 1,000 resamples of "bs".
    n_ar_confidence
        How many resamples give means and intervals beside "ar": 0 for 1,000, less for none.
    n_jobs
        How many threads work; 0 for all cores.
    seed
        A whole number, or "none" for a fresh seed; None takes that of `SACREBLEU_SEED` when the test is run.
    resegment, documents, level
        How texts are divided anew before they are counted, as metrics take it; each system by itself.
    """

    _DEFAULT_SAMPLES = {name: TESTS[name].default for name in ("ar", "bs")}  # noqa: RUF012

    def __init__(
        self,
        named_systems: Sequence[tuple[str, Sequence[str]]],
        metrics: Mapping[str, RowMetric | Metric],
        references: Sequence[Sequence[str | None]] | None,
        test_type: str = "ar",
        n_samples: int = 0,
        n_ar_confidence: int = -1,
        n_jobs: int = 1,
        *,
        seed: int | str | None = None,
        resegment: bool | str = False,
        documents: Iterable[Hashable] | None = None,
        level: str = "segment",
    ) -> None:
        if not isinstance(test_type, str) or test_type not in ("ar", "bs"):
            raise UnknownTest(f"PairedTest: test_type is {brief(test_type)}, expected 'ar' or 'bs'")
        self.test_type = test_type
        self.named_systems = named_texts("PairedTest", "named_systems", named_systems)
        self.n_systems = len(self.named_systems)
        if self.n_systems < 2:
            raise TooFew(
                f"PairedTest: named_systems has {self.n_systems} system(s), expected a baseline and at least one more "
                "to compare with it"
            )
        check_instance("PairedTest", "metrics", metrics, Mapping, "metrics by name: {'BLEU': BLEU()}")
        self.metrics = metrics
        self._counting: dict[str, RowMetric] = {}
        for name, metric in metrics.items():
            counting: Any = metric.to_truebleu() if isinstance(metric, Metric) else metric
            check_metric("PairedTest", f"metrics[{brief(name)}]", counting)
            self._counting[name] = counting
        self.references = references
        given = {"n_samples": n_samples, "n_ar_confidence": n_ar_confidence, "n_jobs": n_jobs}
        n_samples, n_ar_confidence, self.n_jobs = (
            whole_number("PairedTest", name, value, -MOST_SAMPLES, MOST_SAMPLES) for name, value in given.items()
        )
        self.n_samples = n_samples if n_samples > 0 else self._DEFAULT_SAMPLES[test_type]
        self.n_ar_confidence = n_ar_confidence or self._DEFAULT_SAMPLES["bs"]
        if self.n_jobs < 0:
            raise OptionError(f"PairedTest: n_jobs is {n_jobs!r}, expected a number of threads, or 0 for all cores")
        self.seed = seed
        divided = resegment is not False or level != "segment" or documents is not None
        self._division = {"resegment": resegment, "documents": documents, "level": level} if divided else {}

    def __call__(self) -> tuple[dict[str, truebleu.signature.Signature], dict[str, list[str | Result]]]:
        """Run the test: signatures by score name, and `System` (the names) and results by score name."""
        seed = Seed.of(self.seed)
        names = [name for name, _ in self.named_systems]
        tables = []
        of_documents = require_same_texts(given for _, given in self.named_systems)
        for key, metric in self._counting.items():
            more = {"threads": self.n_jobs or None, **self._division}
            counted = [
                [rows_of("PairedTest", key, metric, name, given, self.references, more)]
                for name, given in self.named_systems
            ]
            tables.append(tabulate("PairedTest", key, metric, names, counted, of_documents=of_documents))
        signatures: dict[str, truebleu.signature.Signature] = {}
        scores: dict[str, list[str | Result]] = {"System": [*names]}
        if not tables:
            return signatures, scores
        confidence = max(0, self.n_ar_confidence)
        settings = self.test_type, self.n_samples, confidence, seed, self.n_jobs
        found = compare_as_sacrebleu(tables, *settings, intervals=False)
        for asked, of_metric in zip(self.metrics.values(), found.metrics, strict=True):
            tested = zip(of_metric.systems, (None, *(pair.p_value for pair in of_metric.pairs)), strict=True)
            scores[of_metric.name] = [Result(one.score, p_value, one.mean, one.half_width) for one, p_value in tested]
            signatures[of_metric.name] = _as_shown_by(asked, of_metric.signature)
        return signatures, scores


def _as_shown_by(face: object, signature: truebleu.signature.Signature) -> truebleu.signature.Signature:
    """The signature with sacreBLEU's keys, if the metric is one of the face."""
    if not isinstance(face, Metric):
        return signature
    shown = signature.info
    seen = {"num_refs": shown["nrefs"], "n_bootstrap": shown.get("bs"), "seed": shown.get("seed")}
    made = face._SIGNATURE_TYPE({**vars(face), **seen})
    made.info["ar"] = shown.get("ar")
    return made


def estimate_ci(scores: NDArray[np.float64]) -> tuple[float, float]:
    """Estimate the mean of resampled scores, and half the width of their 95 % interval."""
    import numpy as np

    return np.sort(scores).mean(), np.float64(estimate_interval(scores).half_width)


def _compute_p_value(stats: NDArray[np.float64], real_difference: float) -> float:
    return float((int((stats > real_difference).sum()) + 1) / (len(stats) + 1))


def _bootstrap_resample(stats: list[list[float]], metric: Metric, n_samples: int = 1000) -> tuple[str, list[Score]]:
    return metric.resampled(stats, n_samples)
