"""Import paths of earlier versions: each gives the very object that its new home has."""

import subprocess
import sys
from importlib import import_module

import pytest

from truebleu._moved import MOVED

pytestmark = pytest.mark.interpreter

# Old module, a name in it, and the module where the name lives now.
OLD_PATHS = [
    ("truebleu.compat", "corpus_bleu", "truebleu"),
    ("truebleu.compat", "sentence_ter", "truebleu"),
    ("truebleu.dataset.sacrebleu", "DATASETS", "truebleu"),
    ("truebleu.dataset.sacrebleu", "Dataset", "truebleu.dataset"),
    ("truebleu.dataset.sacrebleu", "filter_subset", "truebleu.sacrebleu.utils"),
    ("truebleu.dataset.store", "RemoteFile", "truebleu.store"),
    ("truebleu.dataset.store", "unpack", "truebleu.store"),
    ("truebleu.dataset.store.files", "digest_of", "truebleu.store.files"),
    ("truebleu.metrics.answers", "ExactMatch", "truebleu.metrics.similarity"),
    ("truebleu.metrics.helpers", "extract_word_ngrams", "truebleu.sacrebleu.metrics.helpers"),
    ("truebleu.tokenizers.tokenizer_13a", "Tokenizer13a", "truebleu.tokenizers.native"),
    ("truebleu.tokenizers.tokenizer_base", "BaseTokenizer", "truebleu.tokenizers.base"),
    ("truebleu.tokenizers.tokenizer_char", "TokenizerChar", "truebleu.tokenizers.native"),
    ("truebleu.tokenizers.tokenizer_intl", "TokenizerV14International", "truebleu.tokenizers.native"),
    ("truebleu.tokenizers.tokenizer_ja_mecab", "TokenizerJaMecab", "truebleu.tokenizers.mecab"),
    ("truebleu.tokenizers.tokenizer_ko_mecab", "TokenizerKoMecab", "truebleu.tokenizers.mecab"),
    ("truebleu.tokenizers.tokenizer_none", "NoneTokenizer", "truebleu.tokenizers.native"),
    ("truebleu.tokenizers.tokenizer_re", "TokenizerRegexp", "truebleu.tokenizers.native"),
    ("truebleu.tokenizers.tokenizer_spm", "Flores200Tokenizer", "truebleu.tokenizers.spm"),
    ("truebleu.tokenizers.tokenizer_zh", "TokenizerZh", "truebleu.tokenizers.native"),
    ("truebleu.significance", "PairedTest", "truebleu.sacrebleu.significance"),
    ("truebleu.significance.paired", "PairedTest", "truebleu.significance"),
    ("truebleu.significance.paired", "Result", "truebleu.significance"),
    ("truebleu.utils", "smart_open", "truebleu"),
    ("truebleu.utils", "get_source_file", "truebleu"),
    ("truebleu.utils", "SUBSETS", "truebleu.dataset"),
    ("truebleu.plot", "draw", "truebleu.study.plot.figure"),
    ("truebleu.plot", "save", "truebleu.study.plot.figure"),
    ("truebleu.plot", "KINDS", "truebleu.study.plot.plan"),
    ("truebleu.reconciliation.results", "Explanation", "truebleu.reconciliation.explanations"),
    ("truebleu.report.page.page", "study_page", "truebleu.study.page.page"),
    ("truebleu.significance.groups", "breakdown", "truebleu.significance.group_scores"),
    ("truebleu.significance.inputs", "RowMetric", "truebleu.significance.systems"),
    ("truebleu.significance.ranking", "rank_ranges", "truebleu.significance.wmt_ranks"),
]


@pytest.mark.parametrize(("old", "name", "home"), OLD_PATHS)
def test_an_old_path_gives_the_object_of_its_new_home(old: str, name: str, home: str) -> None:
    assert getattr(import_module(home), name) is getattr(import_module(old), name)


def test_every_module_that_moved_is_tried() -> None:
    untried = [path for path in MOVED if not any(f"{old}.".startswith(f"truebleu.{path}.") for old, _, _ in OLD_PATHS)]
    assert [] == untried


def test_old_paths_work_in_every_form_of_an_import() -> None:
    code = (
        "import truebleu.dataset.store.files, truebleu.dataset.store as old, truebleu.store as new\n"
        "from truebleu.dataset.store import unpack\n"
        "assert unpack is new.unpack and truebleu.dataset.store is old\n"
        "assert truebleu.dataset.store.files is new.files\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_never_was_there_is_still_not_there() -> None:
    for path in ("truebleu.nothing", "truebleu.dataset.nothing", "truebleu.dataset.store.nothing"):
        with pytest.raises(ModuleNotFoundError):
            import_module(path)
