"""sacreBLEU's paired tests."""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from truebleu.resample.interval import estimate_interval
from truebleu.sacrebleu.metrics.base import Metric, Score, Signature
from truebleu.significance import paired
from truebleu.significance.paired import Result

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["IS_WINDOWS", "Metric", "PairedTest", "Result", "Score", "Signature", "estimate_ci", "sacrelogger"]

sacrelogger = logging.getLogger("sacrebleu")
IS_WINDOWS = sys.platform == "win32"


class PairedTest:
    """Compare systems with the first one, the baseline, under one or more metrics. Call the object to run it."""

    _DEFAULT_SAMPLES = {"ar": 10_000, "bs": 1_000}  # noqa: RUF012

    def __init__(
        self,
        named_systems: Sequence[tuple[str, Sequence[str]]],
        metrics: Mapping[str, Metric],
        references: Sequence[Sequence[str | None]] | None,
        test_type: str = "ar",
        n_samples: int = 0,
        n_ar_confidence: int = -1,
        n_jobs: int = 1,
    ) -> None:
        counting = {name: metric.to_truebleu() for name, metric in metrics.items()}
        self._test = paired.PairedTest(
            named_systems, counting, references, test_type, n_samples, n_ar_confidence, n_jobs
        )
        self.metrics = metrics

    def __getattr__(self, name: str) -> Any:
        if name == "_test":  # being copied
            raise AttributeError(name)
        return getattr(self._test, name)

    def __call__(self) -> tuple[dict[str, Signature], dict[str, list[str | Result]]]:
        """Run the test: signatures by score name, and `System` (the names) and results by score name."""
        found, scores = self._test()
        signatures: dict[str, Signature] = {}
        for (name, signature), face in zip(found.items(), self.metrics.values(), strict=False):
            shown = signature.info
            seen = {"num_refs": shown["nrefs"], "n_bootstrap": shown.get("bs"), "seed": shown.get("seed")}
            signatures[name] = face._SIGNATURE_TYPE({**vars(face), **seen})
            signatures[name].info["ar"] = shown.get("ar")
        return signatures, scores


def estimate_ci(scores: NDArray[np.float64]) -> tuple[float, float]:
    """Estimate the mean of resampled scores, and half the width of their 95 % interval."""
    import numpy as np

    return np.sort(scores).mean(), np.float64(estimate_interval(scores).half_width)


def _compute_p_value(stats: NDArray[np.float64], real_difference: float) -> float:
    return float((int((stats > real_difference).sum()) + 1) / (len(stats) + 1))


def _bootstrap_resample(stats: list[list[float]], metric: Metric, n_samples: int = 1000) -> tuple[str, list[Score]]:
    return metric.resampled(stats, n_samples)
