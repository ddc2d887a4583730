"""sacreBLEU 2.6.0's names over truebleu, for programs written for sacreBLEU: its module tree, its private methods too.

>>> import truebleu.sacrebleu as sacrebleu
>>> sacrebleu.corpus_bleu(["A heron stood by the pond."], [["A grey heron stood by the pond."]]).score
72.89545183625967
>>> sacrebleu.__version__
'2.6.0'

`install()` puts it into the place of sacreBLEU, so that unchanged programs run on it; docs/dropin.md says more.
"""

from truebleu._lazy import attach
from truebleu.version import __version__ as truebleu_version  # noqa: F401

__description__ = "sacreBLEU's names over truebleu"

# sacreBLEU's, in its order: `from sacrebleu import *` brings these and no others.
__all__ = [  # noqa: RUF022
    "smart_open", "SACREBLEU_DIR", "download_test_set", "get_source_file", "get_reference_files",
    "get_available_testsets", "get_langpairs_for_testset", "extract_word_ngrams", "extract_char_ngrams", "DATASETS",
    "BLEU", "CHRF", "TER", "corpus_bleu", "raw_corpus_bleu", "sentence_bleu", "corpus_chrf", "sentence_chrf",
    "corpus_ter", "sentence_ter", "__version__",
]  # fmt: skip

# Programs reach more than that as attributes: `__init__.pyi` has them all.
__getattr__, __dir__ = attach(__name__)
