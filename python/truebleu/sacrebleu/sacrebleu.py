"""The module of sacreBLEU's command, and the names that programs import from it."""

from typing import Any

from truebleu._lazy import attach
from truebleu.errors import OptionError
from truebleu.sacrebleu.metrics import BLEU
from truebleu.sacrebleu.version import __version__ as VERSION

compute_bleu = BLEU.compute_bleu

_HOMES = {
    "_version_one": (
        "DEFAULT_TOKENIZER", "TOKENIZERS", "extract_ngrams", "ref_stats", "tokenize_13a",
        "tokenize_v14_international", "tokenize_zh",
    ),
    "compat": (
        "corpus_bleu", "corpus_chrf", "corpus_ter", "raw_corpus_bleu", "sentence_bleu", "sentence_chrf", "sentence_ter",
    ),
    "metrics": ("CHRF", "METRICS", "TER"),
    "utils": (
        "Color", "DATASETS", "args_to_dict", "download_test_set", "filter_subset", "get_available_testsets",
        "get_available_testsets_for_langpair", "get_langpairs_for_testset", "get_reference_files",
        "print_results_table", "print_single_results", "print_subset_results", "print_test_set", "sacrelogger",
        "sanity_check_lengths", "smart_open",
    ),
}  # fmt: skip
_LAZY = {name: f"truebleu.sacrebleu.{home}" for home, names in _HOMES.items() for name in names}
__all__ = ["BLEU", "VERSION", "compute_bleu", "main", "parse_args"]
__all__ += _LAZY
__getattr__, __dir__ = attach(__name__, _LAZY)


def main() -> None:
    """Run the command `truebleu` with the arguments of the program; it ends the program, as commands do."""
    import runpy

    runpy.run_module("truebleu", run_name="__main__", alter_sys=True)


def parse_args() -> Any:
    """Refuse: the arguments are those of another command."""
    raise OptionError("parse_args() belongs to sacreBLEU's command; `truebleu --help` shows what truebleu's takes")
