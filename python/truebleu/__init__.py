"""truebleu: sacreBLEU's numbers, a hundred times faster.

>>> import truebleu
>>> score = truebleu.corpus_bleu(["A heron stood by the pond."], [["A grey heron stood by the pond."]])
>>> print(score)
BLEU = 72.90 100.0/83.3/80.0/75.0 (BP = 0.867 ratio = 0.875 hyp_len = 7 ref_len = 8)
"""

from truebleu._lazy import attach

# Everything comes when it is first asked for: whoever wants a part should not wait for the whole, and the command line
# can set itself up before Ctrl-C would meet half-made modules. `typing` would take longer to import than this file.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from truebleu import columns as columns
    from truebleu import compat as compat
    from truebleu import dataset as dataset
    from truebleu import errors as errors
    from truebleu import evaluate as evaluate
    from truebleu import ids as ids
    from truebleu import jiwer as jiwer
    from truebleu import metrics as metrics
    from truebleu import nltk as nltk
    from truebleu import normalization as normalization
    from truebleu import plot as plot
    from truebleu import rouge_score as rouge_score
    from truebleu import sacrebleu as sacrebleu
    from truebleu import signature as signature
    from truebleu import significance as significance
    from truebleu import stats as stats
    from truebleu import tokenizers as tokenizers
    from truebleu import utils as utils
    from truebleu import version as version
    from truebleu._textio import read_lines as read_lines
    from truebleu.accumulator import Accumulator as Accumulator
    from truebleu.compat import corpus_bleu as corpus_bleu
    from truebleu.compat import corpus_chrf as corpus_chrf
    from truebleu.compat import corpus_ter as corpus_ter
    from truebleu.compat import raw_corpus_bleu as raw_corpus_bleu
    from truebleu.compat import sentence_bleu as sentence_bleu
    from truebleu.compat import sentence_chrf as sentence_chrf
    from truebleu.compat import sentence_ter as sentence_ter
    from truebleu.dataset.sacrebleu import DATASETS as DATASETS
    from truebleu.dataset.sacrebleu import download_test_set as download_test_set
    from truebleu.dataset.sacrebleu import get_available_testsets as get_available_testsets
    from truebleu.dataset.sacrebleu import get_langpairs_for_testset as get_langpairs_for_testset
    from truebleu.dataset.sacrebleu import get_reference_files as get_reference_files
    from truebleu.dataset.sacrebleu import get_source_file as get_source_file
    from truebleu.dataset.sets import testset as testset
    from truebleu.dataset.sets import testsets as testsets
    from truebleu.diversity import distinct as distinct
    from truebleu.diversity import self_bleu as self_bleu
    from truebleu.doctor.diagnosis import diagnose as diagnose
    from truebleu.metrics import BLEU as BLEU
    from truebleu.metrics import CHRF as CHRF
    from truebleu.metrics import GLEU as GLEU
    from truebleu.metrics import TER as TER
    from truebleu.metrics.answers import EditSimilarity as EditSimilarity
    from truebleu.metrics.answers import ExactMatch as ExactMatch
    from truebleu.metrics.answers import TokenF1 as TokenF1
    from truebleu.metrics.helpers import extract_char_ngrams as extract_char_ngrams
    from truebleu.metrics.helpers import extract_word_ngrams as extract_word_ngrams
    from truebleu.metrics.published import metric_from_signature as metric_from_signature
    from truebleu.metrics.rouge import ROUGE as ROUGE
    from truebleu.metrics.wer import CER as CER
    from truebleu.metrics.wer import MER as MER
    from truebleu.metrics.wer import SER as SER
    from truebleu.metrics.wer import WER as WER
    from truebleu.metrics.wer import WIL as WIL
    from truebleu.metrics.wer import WIP as WIP
    from truebleu.receipts.receipt import Receipt as Receipt
    from truebleu.reconciliation import reconcile as reconcile
    from truebleu.resegmentation.segmentation import resegment as resegment
    from truebleu.study.study import Study as Study
    from truebleu.utils import SACREBLEU_DIR as SACREBLEU_DIR
    from truebleu.utils import smart_open as smart_open
    from truebleu.version import __version__ as __version__

__description__ = "Machine translation evaluation with sacreBLEU's numbers, a hundred times faster"

# What there is, and where.
_HOMES = {
    "Accumulator": "truebleu.accumulator",
    "BLEU": "truebleu.metrics",
    "CER": "truebleu.metrics.wer",
    "CHRF": "truebleu.metrics",
    "DATASETS": "truebleu.dataset.sacrebleu",
    "EditSimilarity": "truebleu.metrics.answers",
    "ExactMatch": "truebleu.metrics.answers",
    "GLEU": "truebleu.metrics",
    "MER": "truebleu.metrics.wer",
    "ROUGE": "truebleu.metrics.rouge",
    "Receipt": "truebleu.receipts.receipt",
    "SACREBLEU_DIR": "truebleu.utils",
    "SER": "truebleu.metrics.wer",
    "Study": "truebleu.study.study",
    "TER": "truebleu.metrics",
    "TokenF1": "truebleu.metrics.answers",
    "WER": "truebleu.metrics.wer",
    "WIL": "truebleu.metrics.wer",
    "WIP": "truebleu.metrics.wer",
    "__version__": "truebleu.version",
    "corpus_bleu": "truebleu.compat",
    "corpus_chrf": "truebleu.compat",
    "corpus_ter": "truebleu.compat",
    "diagnose": "truebleu.doctor.diagnosis",
    "distinct": "truebleu.diversity",
    "download_test_set": "truebleu.dataset.sacrebleu",
    "extract_char_ngrams": "truebleu.metrics.helpers",
    "extract_word_ngrams": "truebleu.metrics.helpers",
    "get_available_testsets": "truebleu.dataset.sacrebleu",
    "get_langpairs_for_testset": "truebleu.dataset.sacrebleu",
    "get_reference_files": "truebleu.dataset.sacrebleu",
    "get_source_file": "truebleu.dataset.sacrebleu",
    "metric_from_signature": "truebleu.metrics.published",
    "raw_corpus_bleu": "truebleu.compat",
    "read_lines": "truebleu._textio",
    "reconcile": "truebleu.reconciliation",
    "resegment": "truebleu.resegmentation.segmentation",
    "self_bleu": "truebleu.diversity",
    "sentence_bleu": "truebleu.compat",
    "sentence_chrf": "truebleu.compat",
    "sentence_ter": "truebleu.compat",
    "smart_open": "truebleu.utils",
    "testset": "truebleu.dataset.sets",
    "testsets": "truebleu.dataset.sets",
}
# Without the modules: `from truebleu import *` must not hide a program's own `utils`.
__all__ = list(_HOMES)
# `truebleu.nltk.corpus_bleu(...)` needs no import of its own.
_MODULES = (
    "columns", "compat", "dataset", "errors", "evaluate", "ids", "jiwer", "metrics", "nltk", "normalization", "plot",
    "rouge_score", "sacrebleu", "signature", "significance", "stats", "tokenizers", "utils", "version",
)  # fmt: skip
_KEPT = tuple(name for name, home in _HOMES.items() if home.removeprefix("truebleu.") in _MODULES)
__getattr__, __dir__ = attach(__name__, _HOMES, _MODULES, _KEPT)
