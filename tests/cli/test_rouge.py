"""ROUGE on the command line: its names, its flags, its signature, and what it refuses."""

import json
from pathlib import Path

import pytest

from truebleu import ROUGE
from truebleu.cli import run
from truebleu.cli.main import main

REFERENCES = ["the ferry sailed at noon<n>nobody saw it", "it rained all day<n>the sea was grey"]
SYSTEM = ["nobody saw it<n>the ferry sails", "the sea was grey<n>it rains"]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, lines in (("ref", REFERENCES), ("sys", SYSTEM), ("zh", ["北京", "中国"])):
        Path(name).write_text("".join(f"{line}\n" for line in lines), "utf-8")


def scored(capsys: pytest.CaptureFixture[str], *words: str) -> list[dict[str, object]]:
    assert 0 == main((*words, "-f", "json"))
    found = json.loads(capsys.readouterr().out)
    return found if isinstance(found, list) else [found]


def test_four_names_and_flags(capsys: pytest.CaptureFixture[str]) -> None:
    flags = ("--rouge-stem", "--rouge-sentences", "<n>", "--rouge-measure", "recall")
    found = scored(capsys, "ref", "-i", "sys", "-m", "rouge1", "rouge2", "rougeL", "rougeLsum", *flags)
    metrics = [ROUGE(name, stem=True, sentences="<n>", measure="recall") for name in ("1", "2", "L", "Lsum")]
    expected = [metric.corpus_score(SYSTEM, [REFERENCES]) for metric in metrics]
    assert [(one.name, one.score, str(one.signature)) for one in expected] == [
        (one["name"], one["score"], one["signature"]) for one in found
    ]


def test_any_variant_and_its_signature(capsys: pytest.CaptureFixture[str]) -> None:
    (found,) = scored(capsys, "ref", "-i", "sys", "-m", "rouge", "--rouge-variant", "3", "--rouge-tokenize", "13a")
    assert ("ROUGE-3", True) == (found["name"], "tok:13a" in str(found["signature"]))
    (again,) = scored(capsys, "ref", "-i", "sys", "--like", f"{found['name']}|{found['signature']}")
    assert found == again


def test_the_language_pair_chooses_the_tokenizer(capsys: pytest.CaptureFixture[str]) -> None:
    (found,) = scored(capsys, "zh", "-i", "zh", "-m", "rougeL", "-l", "en-zh")
    assert (100.0, True) == (found["score"], "tok:zh" in str(found["signature"]))


@pytest.mark.parametrize("streamed", [False, True])
def test_another_script_is_refused(
    streamed: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if streamed:
        monkeypatch.setattr(run, "LARGE", 0)
    assert 0 != main(("zh", "-i", "zh", "-m", "rougeL"))
    assert "rouge-unicode" in capsys.readouterr().err
    assert 0 == main(("zh", "-i", "zh", "-m", "rougeL", "--rouge-tokenize", "rouge-unicode"))


@pytest.mark.parametrize("streamed", [False, True])
def test_sentences_that_nobody_marked_are_warned_of(
    streamed: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if streamed:
        monkeypatch.setattr(run, "LARGE", 0)
    assert 0 == main(("ref", "-i", "sys", "-m", "rougeLsum"))
    assert "ROUGE-Lsum is ROUGE-L" in capsys.readouterr().err
    assert 0 == main(("ref", "-i", "sys", "-m", "rougeLsum", "--rouge-sentences", "<n>"))
    assert "ROUGE-Lsum is ROUGE-L" not in capsys.readouterr().err


def test_a_flag_that_no_metric_takes_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == main(("ref", "-i", "sys", "-m", "rougel", "-tok", "13a"))
    assert (
        "--tokenize has no effect: it goes with -m bleu, gleu, not with rougel; use --rouge-tokenize"
        in capsys.readouterr().err
    )
    assert 0 == main(("ref", "-i", "sys", "-m", "bleu", "rougel", "-tok", "13a"))
    assert "has no effect" not in capsys.readouterr().err
    assert 2 == main(("ref", "-i", "sys", "-m", "anls"))
    assert "ANLS is EditSimilarity" in capsys.readouterr().err
