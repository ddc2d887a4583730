"""What `import truebleu` brings, and what it must not."""

import subprocess
import sys

import sacrebleu

import truebleu

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


def test_names_of_sacrebleu_are_here() -> None:
    assert set(sacrebleu.__all__) <= set(truebleu.__all__)


def test_library_never_prints() -> None:
    code = (
        "import truebleu\n"
        "metric = truebleu.BLEU(trg_lang='ja', tokenize='13a')\n"
        "metric.corpus_score(['a .'] * 200, [['a .'] * 200])\n"
        "metric.sentence_score('a', ['a'])\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ("", "") == (run.stdout, run.stderr)
