"""The metrics and their scores, under sacreBLEU's names.

`METRICS` is the one list of them: commands, signatures, tests, accumulators and torch ask it. A new metric is a file
of this package and a line here.
"""

from typing import Any

from truebleu.metrics.base import Metric
from truebleu.metrics.bleu import BLEU, BLEUScore
from truebleu.metrics.chrf import CHRF, CHRFScore
from truebleu.metrics.gleu import GLEU, GLEUScore
from truebleu.metrics.rouge import ROUGE, ROUGE1, ROUGE2, ROUGEL, ROUGELsum, ROUGEScore
from truebleu.metrics.score import Score
from truebleu.metrics.ter import TER, TERScore

METRICS: dict[str, type[Metric[Any]]] = {
    "BLEU": BLEU, "CHRF": CHRF, "TER": TER, "GLEU": GLEU,
    "ROUGE": ROUGE, "ROUGE1": ROUGE1, "ROUGE2": ROUGE2, "ROUGEL": ROUGEL, "ROUGELSUM": ROUGELsum,
}  # fmt: skip

__all__ = [
    "BLEU", "CHRF", "GLEU", "METRICS", "ROUGE", "TER", "BLEUScore", "CHRFScore", "GLEUScore", "Metric", "ROUGEScore",
    "Score", "TERScore",
]  # fmt: skip
