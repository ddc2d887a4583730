"""truebleu: sacreBLEU's numbers, a hundred times faster.

>>> import truebleu
>>> score = truebleu.corpus_bleu(["A heron stood by the pond."], [["A grey heron stood by the pond."]])
>>> print(score)
BLEU = 72.90 100.0/83.3/80.0/75.0 (BP = 0.867 ratio = 0.875 hyp_len = 7 ref_len = 8)
"""

from typing import TYPE_CHECKING, Any

from truebleu import compat, dataset, errors, metrics, tokenizers, utils, version
from truebleu.compat import (
    corpus_bleu,
    corpus_chrf,
    corpus_ter,
    raw_corpus_bleu,
    sentence_bleu,
    sentence_chrf,
    sentence_ter,
)
from truebleu.diversity import self_bleu
from truebleu.metrics import BLEU, CHRF, GLEU, TER
from truebleu.metrics.helpers import extract_char_ngrams, extract_word_ngrams
from truebleu.utils import SACREBLEU_DIR, smart_open
from truebleu.version import __version__

if TYPE_CHECKING:
    from truebleu.accumulator import Accumulator
    from truebleu.dataset.sacrebleu import (
        DATASETS,
        download_test_set,
        get_available_testsets,
        get_langpairs_for_testset,
        get_reference_files,
        get_source_file,
    )
    from truebleu.dataset.sets import testset, testsets
    from truebleu.metrics.published import metric_from_signature

# What is imported only when it is asked for, and from where.
_LAZY = {
    "Accumulator": "truebleu.accumulator",
    "DATASETS": "truebleu.dataset.sacrebleu",
    "download_test_set": "truebleu.dataset.sacrebleu",
    "get_available_testsets": "truebleu.dataset.sacrebleu",
    "get_langpairs_for_testset": "truebleu.dataset.sacrebleu",
    "get_reference_files": "truebleu.dataset.sacrebleu",
    "get_source_file": "truebleu.dataset.sacrebleu",
    "metric_from_signature": "truebleu.metrics.published",
    "testset": "truebleu.dataset.sets",
    "testsets": "truebleu.dataset.sets",
}

__description__ = "Machine translation evaluation with sacreBLEU's numbers, a hundred times faster"

__all__ = [
    "BLEU",
    "CHRF",
    "DATASETS",
    "GLEU",
    "SACREBLEU_DIR",
    "TER",
    "Accumulator",
    "__version__",
    "compat",
    "corpus_bleu",
    "corpus_chrf",
    "corpus_ter",
    "dataset",
    "download_test_set",
    "errors",
    "extract_char_ngrams",
    "extract_word_ngrams",
    "get_available_testsets",
    "get_langpairs_for_testset",
    "get_reference_files",
    "get_source_file",
    "metric_from_signature",
    "metrics",
    "raw_corpus_bleu",
    "self_bleu",
    "sentence_bleu",
    "sentence_chrf",
    "sentence_ter",
    "smart_open",
    "testset",
    "testsets",
    "tokenizers",
    "utils",
    "version",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'truebleu' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LAZY[name]), name)
