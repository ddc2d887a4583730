"""The metrics and their scores, under sacreBLEU's names."""

from truebleu.metrics.base import Metric, Score
from truebleu.metrics.bleu import BLEU, BLEUScore
from truebleu.metrics.chrf import CHRF, CHRFScore
from truebleu.metrics.ter import TER, TERScore

METRICS = {"BLEU": BLEU, "CHRF": CHRF, "TER": TER}

__all__ = ["BLEU", "CHRF", "METRICS", "TER", "BLEUScore", "CHRFScore", "Metric", "Score", "TERScore"]
