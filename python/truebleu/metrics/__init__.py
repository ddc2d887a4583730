"""The metrics and their scores, under sacreBLEU's names.

`METRICS` is the one list of them. Those that most programs do not use are imported when somebody asks for them.
"""

from truebleu._lazy import attach
from truebleu._typing import TYPE_CHECKING
from truebleu.metrics.base import Metric
from truebleu.metrics.bleu import BLEU, BLEUScore
from truebleu.metrics.registry import HOMES, LEARNED_HOMES, METRICS, find
from truebleu.metrics.score import Score

if TYPE_CHECKING:
    # A program outside counts these: they are no part of `import *`.
    from truebleu.metrics.by_runner import COMET as COMET
    from truebleu.metrics.by_runner import COMETQE as COMETQE
    from truebleu.metrics.by_runner import XCOMET as XCOMET
    from truebleu.metrics.by_runner import XCOMETQE as XCOMETQE
    from truebleu.metrics.by_runner import BERTScore as BERTScore
    from truebleu.metrics.by_runner import CometKiwi as CometKiwi
    from truebleu.metrics.by_runner import MetricX as MetricX
    from truebleu.metrics.by_runner import MetricX23 as MetricX23
    from truebleu.metrics.by_runner import MetricX23QE as MetricX23QE
    from truebleu.metrics.by_runner import MetricXQE as MetricXQE
    from truebleu.metrics.by_runner import UniTE as UniTE
    from truebleu.metrics.chrf import CHRF, CHRFScore
    from truebleu.metrics.gleu import GLEU, GLEUScore
    from truebleu.metrics.judge import Judge as Judge
    from truebleu.metrics.judge import JudgeDA as JudgeDA
    from truebleu.metrics.judge import JudgeESA as JudgeESA
    from truebleu.metrics.judge import JudgeMQM as JudgeMQM
    from truebleu.metrics.meteor import METEOR, METEORScore
    from truebleu.metrics.neural import LearnedScore as LearnedScore
    from truebleu.metrics.rouge import ROUGE, ROUGEScore
    from truebleu.metrics.similarity import EditSimilarity, ExactMatch, TokenF1
    from truebleu.metrics.ter import TER, TERScore
    from truebleu.metrics.terms import Terms, TermsScore
    from truebleu.metrics.wer import CER, MER, SER, WER, WIL, WIP, WERScore

_SCORES = (
    "chrf.CHRFScore", "ter.TERScore", "gleu.GLEUScore", "rouge.ROUGEScore", "wer.WERScore", "terms.TermsScore",
    "meteor.METEORScore", "neural.LearnedScore",
)  # fmt: skip
_OF_MODULES = (home.split(".") for home in (*HOMES.values(), *LEARNED_HOMES.values(), *_SCORES))
__getattr__, __dir__ = attach(__name__, {name: f"{__name__}.{module}" for module, name in _OF_MODULES})

__all__ = [
    "BLEU", "CER", "CHRF", "GLEU", "MER", "METEOR", "METRICS", "ROUGE", "SER", "TER", "WER", "WIL", "WIP", "BLEUScore",
    "CHRFScore", "EditSimilarity", "ExactMatch", "GLEUScore", "METEORScore", "Metric", "ROUGEScore", "Score",
    "TERScore", "Terms", "TermsScore", "TokenF1", "WERScore", "find",
]  # fmt: skip
