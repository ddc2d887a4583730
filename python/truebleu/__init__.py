"""truebleu: sacreBLEU's numbers, a hundred times faster.

>>> import truebleu
>>> score = truebleu.corpus_bleu(["A heron stood by the pond."], [["A grey heron stood by the pond."]])
>>> print(score)
BLEU = 72.90 100.0/83.3/80.0/75.0 (BP = 0.867 ratio = 0.875 hyp_len = 7 ref_len = 8)
"""

from truebleu import compat, errors, metrics, tokenizers, utils, version
from truebleu.compat import (
    corpus_bleu,
    corpus_chrf,
    corpus_ter,
    raw_corpus_bleu,
    sentence_bleu,
    sentence_chrf,
    sentence_ter,
)
from truebleu.metrics import BLEU, CHRF, GLEU, TER
from truebleu.metrics.helpers import extract_char_ngrams, extract_word_ngrams
from truebleu.utils import SACREBLEU_DIR, smart_open
from truebleu.version import __version__

__description__ = "Machine translation evaluation with sacreBLEU's numbers, a hundred times faster"

__all__ = [
    "BLEU",
    "CHRF",
    "GLEU",
    "SACREBLEU_DIR",
    "TER",
    "__version__",
    "compat",
    "corpus_bleu",
    "corpus_chrf",
    "corpus_ter",
    "errors",
    "extract_char_ngrams",
    "extract_word_ngrams",
    "metrics",
    "raw_corpus_bleu",
    "sentence_bleu",
    "sentence_chrf",
    "sentence_ter",
    "smart_open",
    "tokenizers",
    "utils",
    "version",
]
