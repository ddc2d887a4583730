"""`truebleu align` and the error rates in `truebleu`, as typed."""

import io
import json
import sys
from pathlib import Path

import jiwer
import pytest

from truebleu.cli.main import main
from truebleu.metrics import WER

REFERENCES = ["short one here", "x", "quite a bit of it", "same"]
HYPOTHESES = ["shoe order one", "y", "quite bit of it's", "same"]


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, lines in (("ref", REFERENCES), ("sys", HYPOTHESES), ("few", HYPOTHESES[:2])):
        Path(name).write_text("".join(f"{line}\n" for line in lines), "utf-8")


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert 0 == main(words), capsys.readouterr().err
    return capsys.readouterr().out


def test_the_alignment_is_the_text_of_jiwer(capsys: pytest.CaptureFixture[str]) -> None:
    words = jiwer.process_words(REFERENCES, HYPOTHESES)
    assert jiwer.visualize_alignment(words) == printed(capsys, "align", "ref", "-i", "sys")
    assert jiwer.visualize_alignment(words, False, False, 12) == printed(
        capsys, "align", "ref", "-i", "sys", "--no-measures", "--all", "--line-width", "12"
    )
    characters = jiwer.process_characters(REFERENCES, HYPOTHESES)
    assert jiwer.visualize_alignment(characters) == printed(capsys, "align", "ref", "-i", "sys", "-c")
    counts = jiwer.visualize_error_counts(words, top_k=1)
    assert f"{counts}\n" == printed(capsys, "align", "ref", "-i", "sys", "--error-counts", "--top", "1")


def test_lines_of_one_character_count(capsys: pytest.CaptureFixture[str]) -> None:
    assert "=== SENTENCE 2 ===\n\nREF: x\nHYP: y\n" in printed(capsys, "align", "ref", "-i", "sys")


def test_options_of_wer_are_understood(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    shown = printed(capsys, "align", "ref", "-i", "sys", "--wer-normalize", "standardize")
    assert "HYP: quite * bit of it is\n" in shown
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("\n".join(HYPOTHESES).encode())))
    assert printed(capsys, "align", "ref").startswith("=== SENTENCE 1 ===")


def test_unequal_files_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert 1 == main(["align", "ref", "-i", "few"])
    assert "ref has 4 lines, few has 2" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["wer", "cer", "mer", "wil", "wip", "ser", "em", "f1", "editsim"])
def test_the_command_knows_the_metric_and_reads_its_signature(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(printed(capsys, "ref", "-i", "sys", "-m", name, "-f", "json"))
    text = f"{found['name']}|{found['signature']}"
    again = json.loads(printed(capsys, "ref", "-i", "sys", "--like", text, "-f", "json"))
    assert (found["score"], found["signature"]) == (again["score"], again["signature"])


def test_flags_of_wer_reach_the_metric(capsys: pytest.CaptureFixture[str]) -> None:
    flags = ("--wer-lowercase", "--wer-remove-punctuation", "--wer-normalize", "standardize", "--normalize", "nfc")
    found = json.loads(printed(capsys, "ref", "-i", "sys", "-m", "wer", *flags, "-f", "json"))
    expected = WER(True, True, "nfc,standardize").corpus_score(HYPOTHESES, [REFERENCES])
    assert (expected.score, str(expected.signature)) == (found["score"], found["signature"])
    assert "squad:2" in printed(capsys, "ref", "-i", "sys", "-m", "f1", "--squad-version", "2", "-f", "json")


@pytest.mark.parametrize(
    "more",
    [
        [],
        ["-sl"],
        ["--confidence"],
        ["--paired-ar", "--paired-ar-n", "20"],
        ["--paired-all"],
        ["--breakdown", "labels"],
    ],
)
def test_the_warning_of_style_names_the_file(more: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    Path("Ref").write_text("".join(f"{line.capitalize()}\n" for line in REFERENCES), "utf-8")
    Path("Sys").write_bytes(Path("Ref").read_bytes())
    Path("labels").write_text("one\ntwo\none\ntwo\n", "utf-8")
    text = printed_to_error(capsys, "Ref", "-i", "Sys", "sys", "-m", "wer", *more)
    assert "no hypothesis of 'sys'" in text and "has a capital letter" in text
    assert "no hypothesis has" not in text and "of 'Sys'" not in text


def printed_to_error(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert 0 == main(words)
    return capsys.readouterr().err
