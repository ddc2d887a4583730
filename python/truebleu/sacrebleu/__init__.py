"""sacreBLEU 2.6.0's names over truebleu, for programs written for sacreBLEU: its module tree, its private methods too.

>>> import truebleu.sacrebleu as sacrebleu
>>> sacrebleu.corpus_bleu(["A heron stood by the pond."], [["A grey heron stood by the pond."]]).score
72.89545183625967
>>> sacrebleu.__version__
'2.6.0'

`install()` puts it into the place of sacreBLEU, so that unchanged programs run on it; docs/dropin.md says more.
"""

# ruff: noqa: F401 -- what programs reach as attributes is more than `__all__`

from typing import TYPE_CHECKING

from truebleu._lazy import attach
from truebleu.sacrebleu import compat, dataset, metrics, tokenizers, utils, version
from truebleu.sacrebleu._installation import install
from truebleu.sacrebleu._version_one import (
    DEFAULT_TOKENIZER,
    TOKENIZERS,
    extract_ngrams,
    ref_stats,
    tokenize_13a,
    tokenize_v14_international,
    tokenize_zh,
)
from truebleu.sacrebleu.compat import (
    corpus_bleu,
    corpus_chrf,
    corpus_ter,
    raw_corpus_bleu,
    sentence_bleu,
    sentence_chrf,
    sentence_ter,
)
from truebleu.sacrebleu.metrics import BLEU, CHRF, TER
from truebleu.sacrebleu.metrics.helpers import extract_char_ngrams, extract_word_ngrams
from truebleu.sacrebleu.utils import SACREBLEU_DIR, smart_open
from truebleu.sacrebleu.version import __version__
from truebleu.version import __version__ as truebleu_version

if TYPE_CHECKING:
    from truebleu.dataset.sacrebleu import download_test_set as download_test_set
    from truebleu.dataset.sacrebleu import get_available_testsets as get_available_testsets
    from truebleu.dataset.sacrebleu import get_langpairs_for_testset as get_langpairs_for_testset
    from truebleu.dataset.sacrebleu import get_reference_files as get_reference_files
    from truebleu.dataset.sacrebleu import get_source_file as get_source_file
    from truebleu.sacrebleu.dataset._table import DATASETS as DATASETS

__description__ = "sacreBLEU's names over truebleu"
compute_bleu = BLEU.compute_bleu

# sacreBLEU's, in its order: `from sacrebleu import *` brings these and no others.
__all__ = [  # noqa: RUF022
    "smart_open", "SACREBLEU_DIR", "download_test_set", "get_source_file", "get_reference_files",
    "get_available_testsets", "get_langpairs_for_testset", "extract_word_ngrams", "extract_char_ngrams", "DATASETS",
    "BLEU", "CHRF", "TER", "corpus_bleu", "raw_corpus_bleu", "sentence_bleu", "corpus_chrf", "sentence_chrf",
    "corpus_ter", "sentence_ter", "__version__",
]  # fmt: skip

_OF_DATASETS = (
    "DATASETS", "download_test_set", "get_available_testsets", "get_langpairs_for_testset", "get_reference_files",
    "get_source_file",
)  # fmt: skip
__getattr__, __dir__ = attach(__name__, dict.fromkeys(_OF_DATASETS, "truebleu.sacrebleu.utils"))
