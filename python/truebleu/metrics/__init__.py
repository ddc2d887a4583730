"""The metrics and their scores, under sacreBLEU's names."""

from truebleu.metrics.base import Metric, Score
from truebleu.metrics.bleu import BLEU, BLEUScore
from truebleu.metrics.chrf import CHRF, CHRFScore
from truebleu.metrics.gleu import GLEU, GLEUScore
from truebleu.metrics.ter import TER, TERScore

METRICS = {"BLEU": BLEU, "CHRF": CHRF, "TER": TER, "GLEU": GLEU}

__all__ = [
    "BLEU",
    "CHRF",
    "GLEU",
    "METRICS",
    "TER",
    "BLEUScore",
    "CHRFScore",
    "GLEUScore",
    "Metric",
    "Score",
    "TERScore",
]
