"""What `import truebleu` brings, and what it must not."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest
import sacrebleu

import truebleu

pytestmark = pytest.mark.interpreter

HEAVY = {
    "numpy",
    "regex",
    "MeCab",
    "mecab_ko",
    "sentencepiece",
    "requests",
    "rich",
    "tarfile",
    "logging",
    "json",
    "urllib.request",
}


def modules_after(statement: str) -> set[str]:
    code = f"{statement}; import sys; print('\\n'.join(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_import_loads_nothing_heavy() -> None:
    assert set() == HEAVY & (modules_after("import truebleu") - modules_after("pass"))


def test_corpus_score_needs_no_numpy() -> None:
    assert "numpy" not in modules_after("import truebleu; truebleu.corpus_bleu(['a b'], [['a b']])")


def test_all_is_honest() -> None:
    assert sorted(set(truebleu.__all__)) == sorted(truebleu.__all__)
    for name in truebleu.__all__:
        assert hasattr(truebleu, name), name


def test_a_star_import_brings_no_modules() -> None:
    assert [] == [name for name in truebleu.__all__ if inspect.ismodule(getattr(truebleu, name))]


def test_names_that_are_imported_late_are_listed() -> None:
    assert {"Accumulator", "DATASETS", "testset"} <= set(printed("import truebleu; print(*dir(truebleu))")[0].split())


MODULES = ["columns", "evaluate", "ids", "jiwer", "nltk", "plot", "rouge_score", "sacrebleu", "significance", "stats"]


def test_modules_need_no_import_of_their_own() -> None:
    code = "import truebleu; print(*(getattr(truebleu, name).__name__ for name in {}), *dir(truebleu))"
    found = printed(code.format(MODULES))[0].split()
    assert [f"truebleu.{name}" for name in MODULES] == found[: len(MODULES)]
    assert set(MODULES) <= set(found)


def test_names_of_sacrebleu_are_here() -> None:
    assert set(sacrebleu.__all__) <= set(truebleu.__all__)


WARNED_OF = """
import truebleu
for _ in range(3):
    metric = truebleu.BLEU(trg_lang='ja', tokenize='13a')
    metric.corpus_score(['a .'] * 200, [['b .'] * 200])
    metric.sentence_score('a', ['a'])
    truebleu.corpus_bleu(['a b'], [['a b', 'c d']])
"""


def printed(code: str) -> tuple[str, list[str]]:
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return run.stdout, run.stderr.splitlines()


def test_the_library_prints_warnings_only_and_each_once() -> None:
    output, lines = printed(WARNED_OF)
    assert "" == output
    causes = (
        "the target language is 'ja'",
        "200 hypotheses end in",
        "sentence_score without",
        "corpus_bleu: there is one",
    )
    assert [True] * 4 == [line.startswith(cause) for line, cause in zip(lines, causes, strict=True)]
    assert ("", []) == printed("import truebleu; truebleu.corpus_bleu(['a b'], [['a b']])")


@pytest.mark.parametrize(
    "silence",
    [
        "import logging; logging.getLogger('truebleu').setLevel('ERROR')",
        "import logging; logging.getLogger('truebleu').addHandler(logging.NullHandler())",
        "import logging; logging.disable(logging.WARNING)",
    ],
)
def test_warnings_are_silenced_as_any_librarys_are(silence: str) -> None:
    assert ("", []) == printed(silence + WARNED_OF)


def test_the_library_does_not_configure_logging() -> None:
    code = "import logging; logger = logging.getLogger('truebleu'); print(logger.handlers, logger.level)"
    assert "[] 0\n" == printed(f"{WARNED_OF}\n{code}")[0]


def test_a_plain_score_does_not_wait_for_the_modules_that_take_a_fifth_of_its_time(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("a b\n", "utf-8")
    run = (
        f"import sys; sys.argv = ['truebleu', {str(text)!r}, '-i', {str(text)!r}]; import truebleu.__main__ as command"
    )
    assert set() == {"enum", "re", "typing"} & modules_after(f"{run}; command.main()")


def test_a_metric_of_ones_own_may_name_its_score() -> None:
    class Mine(truebleu.metrics.base.Metric[truebleu.metrics.score.Score]):
        pass

    assert truebleu.metrics.base.Metric in Mine.__mro__
