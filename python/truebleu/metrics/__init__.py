"""The metrics and their scores, under sacreBLEU's names.

`METRICS` is the one list of them: commands, signatures, tests, accumulators and torch ask it. A new metric is a file
of this package and a line here.
"""

from typing import Any

from truebleu.metrics.base import Metric
from truebleu.metrics.bleu import BLEU, BLEUScore
from truebleu.metrics.chrf import CHRF, CHRFScore
from truebleu.metrics.gleu import GLEU, GLEUScore
from truebleu.metrics.score import Score
from truebleu.metrics.ter import TER, TERScore

METRICS: dict[str, type[Metric[Any]]] = {"BLEU": BLEU, "CHRF": CHRF, "TER": TER, "GLEU": GLEU}

__all__ = [
    "BLEU", "CHRF", "GLEU", "METRICS", "TER", "BLEUScore", "CHRFScore", "GLEUScore", "Metric", "Score", "TERScore",
]  # fmt: skip
