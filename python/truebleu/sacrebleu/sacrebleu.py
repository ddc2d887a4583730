"""The module of sacreBLEU's command, and the names that programs import from it."""

from typing import Any

from truebleu._lazy import attach
from truebleu.errors import OptionError
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
from truebleu.sacrebleu.metrics import BLEU, CHRF, METRICS, TER
from truebleu.sacrebleu.utils import (
    Color,
    args_to_dict,
    print_results_table,
    print_single_results,
    print_subset_results,
    print_test_set,
    sacrelogger,
    sanity_check_lengths,
    smart_open,
)
from truebleu.sacrebleu.version import __version__ as VERSION

compute_bleu = BLEU.compute_bleu

_OF_DATASETS = [
    "DATASETS", "download_test_set", "filter_subset", "get_available_testsets",
    "get_available_testsets_for_langpair", "get_langpairs_for_testset", "get_reference_files",
]  # fmt: skip
__all__ = [
    "BLEU", "CHRF", "DEFAULT_TOKENIZER", "METRICS", "TER", "TOKENIZERS", "VERSION", "Color", "args_to_dict",
    "compute_bleu", "corpus_bleu", "corpus_chrf", "corpus_ter", "extract_ngrams", "main", "parse_args",
    "print_results_table", "print_single_results", "print_subset_results", "print_test_set", "raw_corpus_bleu",
    "ref_stats", "sacrelogger", "sanity_check_lengths", "sentence_bleu", "sentence_chrf", "sentence_ter",
    "smart_open", "tokenize_13a", "tokenize_v14_international", "tokenize_zh",
]  # fmt: skip
__all__ += _OF_DATASETS
__getattr__, __dir__ = attach(__name__, dict.fromkeys(_OF_DATASETS, "truebleu.sacrebleu.utils"))


def main() -> None:
    """Run the command `truebleu` with the arguments of the program; it ends the program, as commands do."""
    import runpy

    runpy.run_module("truebleu", run_name="__main__", alter_sys=True)


def parse_args() -> Any:
    """Refuse: the arguments are those of another command."""
    raise OptionError("parse_args() belongs to sacreBLEU's command; `truebleu --help` shows what truebleu's takes")
