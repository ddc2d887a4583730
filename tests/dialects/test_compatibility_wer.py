"""The entries of COMPATIBILITY.md on jiwer, SQuAD and torchmetrics, from both sides.

evaluate's own metrics are on a hub that tests do not visit, and torchmetrics is not at hand: their side is in words.
"""

import subprocess
import sys
import unicodedata
from pathlib import Path

import jiwer
import pytest

import truebleu.jiwer as ours
from truebleu import errors, evaluate
from truebleu.cli.main import main
from truebleu.metrics import MER, WER, WIL


def test_120_what_is_no_text() -> None:
    for given in ([1], [None], [["a"]]):
        with pytest.raises((TypeError, AttributeError)):
            jiwer.wer(given, ["a"])
        with pytest.raises(errors.FormatMismatch, match=r"reference\[0\] is .*, expected a string"):
            ours.wer(given, ["a"])  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        jiwer.wer("a", "a", 5, 5)
    with pytest.raises(errors.FormatMismatch, match="reference_transform is 5, expected a transform"):
        ours.wer("a", "a", 5, 5)  # type: ignore[arg-type]


def test_121_no_reference_has_text() -> None:
    for name in ("wer", "cer"):
        given = {"predictions": ["ab"], "references": [" "]}
        with pytest.raises(ZeroDivisionError) as caught:
            evaluate.load(name).compute(**given)
        assert isinstance(caught.value, errors.NothingToDivide)
        expected = getattr(jiwer, name)([" "], ["ab"])
        assert expected == evaluate.load(name).compute(**given, concatenate_texts=True)


def test_122_lines_of_one_character(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reference, system = tmp_path / "ref", tmp_path / "sys"
    reference.write_text("x\nsome words\n", "utf-8")
    system.write_text("y\nsome words\n", "utf-8")
    words = [sys.executable, "-c", "from jiwer.cli import cli; cli()", "-r", str(reference), "-h", str(system)]
    there = subprocess.run(words, capture_output=True, text=True, check=True)
    assert 0.0 == float(there.stdout)
    assert 0 == main(["align", str(reference), "-i", str(system)])
    assert "wer=33.33%" in capsys.readouterr().out


def test_123_questions_without_a_prediction(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("WARNING")
    predictions = [{"id": "1", "prediction_text": "heron"}, {"id": "2", "prediction_text": "heron"}]
    references = [{"id": key, "answers": {"text": ["a heron"], "answer_start": [0]}} for key in ("1", "3")]
    found = evaluate.load("squad").compute(predictions=predictions, references=references)
    assert {"exact_match": 50.0, "f1": 50.0} == found
    assert "squad: 1 questions have no prediction" in caplog.text


def test_124_best_thresholds() -> None:
    predictions = [{"id": "1", "prediction_text": "", "no_answer_probability": 0.0}]
    references = [{"id": "1", "answers": {"text": [], "answer_start": []}}]
    found = evaluate.load("squad_v2").compute(predictions=predictions, references=references)
    expected = {"exact": 100.0, "f1": 100.0, "total": 1}
    assert {**expected, **{f"NoAns_{key}": value for key, value in expected.items()}} == found


def test_125_no_errors_to_show() -> None:
    with pytest.raises(ValueError):
        jiwer.visualize_error_counts(jiwer.process_words("a", "b"), top_k=0)
    shown = ours.visualize_error_counts(ours.process_words("a", "b"), top_k=0)
    assert "=== SUBSTITUTIONS ===\nnone\n=== INSERTIONS ===\nnone\n=== DELETIONS ===\nnone" == shown


def test_126_punctuation_of_later_versions_of_unicode() -> None:
    new = "\u1b4e"  # punctuation since Unicode 16.0
    is_known = unicodedata.category(new) == "Po"
    assert ("a" if is_known else f"a{new}") == jiwer.RemovePunctuation()(f"a{new}")
    assert jiwer.RemovePunctuation()(f"a{new}") == ours.RemovePunctuation()(f"a{new}")
    assert 0.0 == WER(remove_punctuation=True).sentence_score(f"a{new}", ["a"]).score


def test_127_torchmetrics_has_other_rates() -> None:
    pair = "b c d e", ["a b c d"]
    assert (40.0, 43.75) == (MER().sentence_score(*pair).score, WIL().sentence_score(*pair).score)
