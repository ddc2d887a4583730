"""The entries of COMPATIBILITY.md on evaluate and torchmetrics, from both sides.

evaluate's own metrics are on a hub that tests do not visit, so the real evaluate runs with our scripts: what is shown
of its side is what it does before a metric is called. torchmetrics is not at hand, so its side is in words.
"""

import json
import logging
import re
from pathlib import Path
from typing import Any

import pytest
import sacrebleu

import truebleu
from dialects.hugging_face import real, slow_bleu
from truebleu import Accumulator, errors, evaluate


def theirs(name: str) -> Any:
    return real().load(evaluate.script_path(name))


def test_70_strings_and_lists() -> None:
    for given, what in (
        ({"predictions": "ab", "references": ["a", "b"]}, "predictions is the plain string 'ab'"),
        ({"predictions": ["a", 7], "references": ["a", "7"]}, r"predictions\[1\] is of type int"),
        ({"predictions": ["a", "['b']"], "references": ["a", ["b"]]}, r"references\[0\] is a string"),
    ):
        assert {"google_bleu": 1.0} == theirs("google_bleu").compute(**given)
        with pytest.raises(errors.FormatMismatch, match=what):
            evaluate.load("google_bleu").compute(**given)


def test_71_a_call_that_fails() -> None:
    there, here = theirs("google_bleu"), evaluate.load("google_bleu")
    for metric in (there, here):
        with pytest.raises(ValueError, match="1"):
            metric.add_batch(predictions=["a"], references=[["a"], ["b"]])
    flat = {"predictions": ["a"], "references": ["a"]}
    with pytest.raises(ValueError, match="expected a list"):
        there.compute(**flat)
    assert {"google_bleu": 1.0} == here.compute(**flat)


def test_72_nothing_to_score() -> None:
    for given, builtin, error in (
        ({}, ValueError, errors.NothingAdded),
        ({"predictions": [], "references": []}, IndexError, errors.NothingAdded),
        ({"predictions": ["a"]}, TypeError, errors.FormatMismatch),
    ):
        with pytest.raises(builtin):
            theirs("bleu").compute(**given)
        with pytest.raises(error) as caught:
            evaluate.load("bleu").compute(**given)
        assert isinstance(caught.value, builtin)
    for predictions, references in ((["", ""], ["a", "b"]), (["a"], [""])):
        with pytest.raises(ZeroDivisionError):
            slow_bleu(predictions, [[text] for text in references])
    result = evaluate.load("bleu").compute(predictions=["", ""], references=["a", "b"])
    assert (0.0, 0.0, 0.0, 2) == tuple(
        result[key] for key in ("bleu", "brevity_penalty", "length_ratio", "reference_length")
    )
    with pytest.raises(errors.NothingToDivide, match="have no tokens"):
        evaluate.load("bleu").compute(predictions=["a"], references=[""])


def test_73_names_and_processes() -> None:
    with pytest.raises(FileNotFoundError):
        real().load("no_such_metric_at_all")
    with pytest.raises(errors.UnknownModule, match="there are the metrics bleu, sacrebleu") as caught:
        evaluate.load("no_such_metric_at_all")
    assert isinstance(caught.value, FileNotFoundError)
    assert 2 == real().load(evaluate.script_path("bleu"), process_id=1, num_process=2, experiment_id="two").num_process
    with pytest.raises(errors.OptionError, match=r"Use truebleu\.Accumulator in each, and merge them"):
        evaluate.load("bleu", process_id=1, num_process=2, experiment_id="two")


def test_74_flat_targets() -> None:
    flat, grouped = Accumulator(truebleu.BLEU()), Accumulator(truebleu.BLEU())
    flat.update(["ab cd ef gh"], ["ab cd ef gh"])
    grouped.update(["ab cd ef gh"], [["ab cd ef gh"]])
    assert sacrebleu.corpus_bleu(["ab cd ef gh"], [["ab cd ef gh"]]).score == flat.compute().score
    assert flat.state == grouped.state
    with pytest.raises(errors.LengthMismatch, match="1 preds, and references for 2 segments"):
        flat.update(["a"], ["a", "b"])


def test_75_one_hypothesis_and_one_stream(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, logger="truebleu")
    hypothesis, references = "the tide came in at dusk", ["the tide went out at dawn", "a tide came in at dusk"]
    first = sacrebleu.corpus_bleu([hypothesis], [references[:1]])
    every = sacrebleu.corpus_bleu([hypothesis], [[text] for text in references])
    assert first.score == sacrebleu.corpus_bleu([hypothesis], [references]).score != every.score
    score = truebleu.corpus_bleu([hypothesis], [references])
    assert every.score == score.score
    assert "nrefs:2|" in str(score.signature)
    assert "one reference stream with 2 entries" in caplog.text
    with pytest.raises(errors.LengthMismatch):
        truebleu.corpus_bleu(["a file\nread whole"], [["a file", "read whole"]])
    with pytest.raises(errors.LengthMismatch):
        truebleu.BLEU().corpus_score([hypothesis], [references])


@pytest.mark.parametrize("name", ["evaluator", "EvaluationSuite", "push_to_hub", "inspect_evaluation_module"])
def test_90_what_is_no_metric_says_where_it_is(name: str) -> None:
    assert hasattr(real(), name) and not hasattr(evaluate, name)
    with pytest.raises(AttributeError, match="Use Hugging Face's evaluate for it"):
        getattr(evaluate, name)


def test_91_results_are_saved_whole_with_evaluates_keys_and_our_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = {"bleu": 0.5, "precisions": [1, 0.25], "model": "grün"}
    paths = [package.save("made/here.json", **result) for package in (real(), evaluate)]
    assert paths[0] == paths[1]
    named = evaluate.save("made/folder", **result)
    assert re.fullmatch(r"result-\d{4}_\d\d_\d\d-\d\d_\d\d_\d\d.json", named.name)
    theirs = json.loads(real().save("made/theirs.json", **result).read_text("utf-8"))
    ours = json.loads(named.read_text("utf-8"))
    assert theirs.keys() == ours.keys() - {"_truebleu_version"}
    assert result == {name: ours[name] for name in result}
    assert (None, truebleu.__version__) == (ours["_git_commit_hash"], ours["_truebleu_version"])
    for path, data in ((3, {}), ("", {}), ("x.json", {"a": object()})):
        with pytest.raises(errors.FormatMismatch):
            evaluate.save(path, **data)  # type: ignore[arg-type]
    assert not Path("x.json").exists()
    with pytest.raises(TypeError):
        real().save("y.json", a=object())
    assert Path("y.json").exists() and Path("y.json.lock").exists()
