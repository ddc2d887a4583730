"""Every numbered entry of COMPATIBILITY.md, from both sides."""

import logging
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import regex
import sacrebleu
import sacrebleu.metrics

import truebleu
import truebleu.metrics
from truebleu import errors
from truebleu.tokenizers.spm import damage

ROOT = Path(__file__).parents[2]
METRICS = ("BLEU", "CHRF", "TER")


def ours(metric: str, *arguments: Any, **options: Any) -> Any:
    return getattr(truebleu.metrics, metric)(**options).corpus_score(*arguments)


def theirs(metric: str, *arguments: Any, **options: Any) -> Any:
    return getattr(sacrebleu.metrics, metric)(**options).corpus_score(*arguments)


def test_every_entry_has_a_test_and_every_test_an_entry() -> None:
    entries = re.findall(r"^\| (\d+) \|", (ROOT / "COMPATIBILITY.md").read_text("utf-8"), re.M)
    # The dialects show their entries in a file of their own.
    files = (ROOT / "tests").rglob("test_compatibility*.py")
    tests = [number for file in files for number in re.findall(r"^def test_(\d+)_", file.read_text("utf-8"), re.M)]
    assert sorted(set(entries), key=int) == entries
    assert set(entries) == {number.lstrip("0") for number in tests}


@pytest.mark.parametrize("metric", METRICS)
def test_01_streams_of_different_lengths(metric: str) -> None:
    hypotheses, short = ["a b c d e", "x"], [["a b c d e"]]
    assert theirs(metric, hypotheses[:1], short).score == theirs(metric, hypotheses, short).score
    with pytest.raises(errors.LengthMismatch, match="stream 0 of 1 has 1 segments, the hypotheses have 2"):
        ours(metric, hypotheses, short)
    by_segment = [["a b c d e", "a"], ["x", "y"], ["z", "z"]]
    assert isinstance(theirs(metric, ["a b c d e", "x", "z"], by_segment).score, float)
    with pytest.raises(errors.LengthMismatch, match=r"These look transposed.*layout='segments'"):
        ours(metric, ["a b c d e", "x", "z"], by_segment)


@pytest.mark.parametrize("metric", METRICS)
def test_02_strings_in_place_of_lists(metric: str) -> None:
    assert isinstance(theirs(metric, ["a b c"], ["a b c"]).score, float)
    with pytest.raises(errors.InputTypeError, match=r"references\[0\] is the string 'a b c'.*pass \[references\]"):
        ours(metric, ["a b c"], ["a b c"])
    assert isinstance(theirs(metric, "abc", [["a", "b", "c"]]).score, float)
    with pytest.raises(errors.InputTypeError, match="hypotheses is the plain string 'abc'"):
        ours(metric, "abc", [["a", "b", "c"]])


def test_03_an_empty_reference_beside_a_filled_one() -> None:
    hypotheses, references = ["a b"], [[""], ["a b c d e f"]]
    options = {"effective_order": True}
    there = theirs("BLEU", hypotheses, references, **options)
    dropped = ours("BLEU", hypotheses, references, **options)
    kept = ours("BLEU", hypotheses, references, **options, empty_refs="keep")
    assert 100.00000000000004 == there.score == kept.score
    assert theirs("BLEU", hypotheses, [[None], *references[1:]], **options).score == dropped.score
    assert ("nrefs:1", "nrefs:2") == (str(dropped.signature)[:7], str(kept.signature)[:7])
    assert "empty:keep" in str(kept.signature)
    for metric in METRICS:
        only_empty = ["a b"], [[""], [""]]
        assert theirs(metric, *only_empty).score == ours(metric, *only_empty).score


@pytest.mark.parametrize("metric", METRICS)
def test_04_a_segment_without_references(metric: str) -> None:
    with pytest.raises((TypeError, ValueError, IndexError, ZeroDivisionError)):
        theirs(metric, ["a", "b"], [["a", None]])
    with pytest.raises(errors.SegmentWithoutReference, match="segment 1 has no reference"):
        ours(metric, ["a", "b"], [["a", None]])


@pytest.mark.parametrize("metric", METRICS)
def test_05_no_text_deep_inside(metric: str) -> None:
    with pytest.raises(AttributeError):
        theirs(metric, ["a", "b"], [["a", 3]])
    with pytest.raises(errors.InputTypeError, match="reference stream 0, segment 1: expected a string, got int"):
        ours(metric, ["a", "b"], [["a", 3]])


def test_06_the_signature() -> None:
    metric = sacrebleu.metrics.BLEU(max_ngram_order=2, references=[["a"]])
    assert "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0" == str(metric.get_signature())
    signature = truebleu.metrics.BLEU(max_ngram_order=2, references=[["a"]]).get_signature()
    version = truebleu.__version__
    assert f"nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|order:2|version:truebleu-{version}" == str(signature)


def test_07_signatures_after_a_bootstrap() -> None:
    texts = ["a b c d e"] * 3, [["a b c d x"] * 3]
    there, here = sacrebleu.metrics.BLEU(), truebleu.metrics.BLEU()
    for metric in (there, here):
        metric.corpus_score(*texts, n_bootstrap=10)
        assert "bs:10|seed:12345" in str(metric.get_signature())
        metric.corpus_score(*texts)
    assert "bs:10" in str(there.get_signature())
    assert "bs:10" not in str(here.get_signature())


def test_08_options_are_fixed() -> None:
    there = sacrebleu.metrics.CHRF()
    there.beta = 3
    with pytest.raises(AttributeError, match=r"make a new CHRF\(beta=3\)"):
        truebleu.metrics.CHRF().beta = 3


def test_09_options_without_a_meaning() -> None:
    assert 0 == theirs("BLEU", ["a"], [["a"]], max_ngram_order=0).score
    assert 0 == theirs("CHRF", ["a"], [["a"]], char_order=0).score
    assert theirs("BLEU", ["A"], [["a"]], lowercase="False", effective_order=True).score > 99
    for metric, options in (
        ("BLEU", {"max_ngram_order": 0}),
        ("BLEU", {"max_ngram_order": 33}),
        ("CHRF", {"char_order": 0}),
        ("CHRF", {"beta": -1}),
        ("TER", {"normalized": "no"}),
        ("BLEU", {"lowercase": "False"}),
        ("BLEU", {"smooth_method": "floor", "smooth_value": -0.1}),
    ):
        with pytest.raises(errors.OptionError, match="expected"):
            ours(metric, ["a"], [["a"]], **options)


def test_10_warnings(caplog: pytest.LogCaptureFixture) -> None:
    code = "import {0}.metrics as m; m.BLEU().sentence_score('a', ['a'])"
    runs = [
        subprocess.run([sys.executable, "-c", code.format(package)], capture_output=True, text=True, check=True)
        for package in ("sacrebleu", "truebleu")
    ]
    assert [True, False] == [bool(run.stderr) for run in runs]
    with caplog.at_level(logging.WARNING, logger="truebleu"):
        truebleu.metrics.BLEU().sentence_score("a", ["a"])
    assert ["truebleu"] == [record.name for record in caplog.records]


@pytest.mark.parametrize("metric", METRICS)
def test_11_iterables(metric: str) -> None:
    with pytest.raises(TypeError):
        theirs(metric, (text for text in ["a b"]), [["a b"]])
    score = ours(metric, (text for text in ["a b"]), [(text for text in ["a b"])]).score
    assert theirs(metric, ["a b"], [["a b"]]).score == score
    for unordered in ({"a", "b"}, {"a": 1, "b": 2}):
        with pytest.raises(errors.InputTypeError, match=r"hypotheses is of type (set|dict)"):
            ours(metric, unordered, [["a", "b"]])


def test_12_unicode_of_intl() -> None:
    # U+2E60 is punctuation from 18.0 on; the installed `regex` decides there, nothing does here.
    new = "\u2e60"
    installed = bool(regex.match(r"\p{P}", new))
    there = sacrebleu.metrics.BLEU(tokenize="intl").tokenizer(f"a{new}b")
    assert (f"a {new} b" if installed else f"a{new}b") == there
    assert f"a {new} b" == truebleu.metrics.BLEU(tokenize="intl").tokenizer(f"a{new}b")


def test_13_bootstrap() -> None:
    # chrF of a resample may be a Python float or a NumPy one there, and their mean cannot be taken.
    texts = ["a", "b"], [["a", "c"]]
    with pytest.raises(TypeError):
        theirs("CHRF", *texts, 50)
    score = ours("CHRF", *texts, 50)
    assert 0 < score._mean < 100


def test_14_models_are_verified(tmp_path: Path) -> None:
    model = tmp_path / "cut.model"
    model.write_bytes(b"\x0a\x05abc")
    assert "is cut short" == damage(model)
    with pytest.raises(errors.TokenizerError, match="is cut short"):
        truebleu.metrics.BLEU(tokenize=truebleu.tokenizers.registry.get_tokenizer_class("spm")(model=model))


def test_15_json_without_a_signature() -> None:
    for score in (ours("BLEU", ["a"], [["a"]]), theirs("BLEU", ["a"], [["a"]])):
        with pytest.raises(ValueError):
            score.format(is_json=True)
    assert issubclass(errors.OptionError, ValueError)
