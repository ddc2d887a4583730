"""The metrics and their scores, under sacreBLEU's names.

`METRICS` is the one list of them: commands, signatures, tests, accumulators and torch ask it. A new metric is a file
of this package and a line here.
"""

from typing import Any

from truebleu.metrics.answers import EditSimilarity, ExactMatch, TokenF1
from truebleu.metrics.base import Metric
from truebleu.metrics.bleu import BLEU, BLEUScore
from truebleu.metrics.chrf import CHRF, CHRFScore
from truebleu.metrics.gleu import GLEU, GLEUScore
from truebleu.metrics.rouge import ROUGE, ROUGE1, ROUGE2, ROUGEL, ROUGELsum, ROUGEScore
from truebleu.metrics.score import Score
from truebleu.metrics.ter import TER, TERScore
from truebleu.metrics.wer import CER, MER, SER, WER, WIL, WIP, WERScore

METRICS: dict[str, type[Metric[Any]]] = {
    "BLEU": BLEU, "CHRF": CHRF, "TER": TER, "GLEU": GLEU,
    "ROUGE": ROUGE, "ROUGE1": ROUGE1, "ROUGE2": ROUGE2, "ROUGEL": ROUGEL, "ROUGELSUM": ROUGELsum,
    "WER": WER, "CER": CER, "MER": MER, "WIL": WIL, "WIP": WIP, "SER": SER,
    "EM": ExactMatch, "F1": TokenF1, "EDITSIM": EditSimilarity,
}  # fmt: skip

__all__ = [
    "BLEU", "CER", "CHRF", "GLEU", "MER", "METRICS", "ROUGE", "SER", "TER", "WER", "WIL", "WIP", "BLEUScore",
    "CHRFScore", "EditSimilarity", "ExactMatch", "GLEUScore", "Metric", "ROUGEScore", "Score", "TERScore", "TokenF1",
    "WERScore",
]  # fmt: skip
