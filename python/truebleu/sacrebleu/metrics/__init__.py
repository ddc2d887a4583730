"""sacreBLEU's three metrics and their scores."""

from truebleu.sacrebleu.metrics import base, helpers, lib_ter
from truebleu.sacrebleu.metrics.bleu import BLEU, BLEUScore
from truebleu.sacrebleu.metrics.chrf import CHRF, CHRFScore
from truebleu.sacrebleu.metrics.ter import TER, TERScore

METRICS = {"BLEU": BLEU, "CHRF": CHRF, "TER": TER}

__all__ = [
    "BLEU", "CHRF", "METRICS", "TER", "BLEUScore", "CHRFScore", "TERScore", "base", "helpers", "lib_ter",
]  # fmt: skip
