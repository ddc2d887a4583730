"""BLEU with tokenizers that work outside the engine."""

import logging
import pickle

import pytest
import sacrebleu.metrics

from truebleu.errors import InputTypeError, OptionError, UnknownSmoothing, UnknownTokenizer
from truebleu.metrics import BLEU
from truebleu.tokenizers import BaseTokenizer

HYPOTHESES = ["Die Fähre fuhr um zwölf.  ", "", "Regen, nichts als Regen."]
REFERENCES = [["Die Fähre legte um zwölf ab.", "", "Nur Regen."], ["Um zwölf fuhr sie.", "Nie", None]]


def test_a_function_gives_what_the_engine_gives() -> None:
    for lowercase in (False, True):
        for empty_refs in ("drop", "keep"):
            native = BLEU(tokenize="none", lowercase=lowercase, empty_refs=empty_refs)
            custom = BLEU(tokenize=str.split, lowercase=lowercase, empty_refs=empty_refs)
            expected = native.stats(HYPOTHESES, REFERENCES)
            assert expected.rows.tolist() == custom.stats(HYPOTHESES, REFERENCES).rows.tolist()
            assert expected.references == custom.stats(HYPOTHESES, REFERENCES).references


def test_a_function_sees_stripped_and_lower_cased_text() -> None:
    seen = []

    def spy(line: str) -> str:
        seen.append(line)
        return line

    BLEU(tokenize=spy, lowercase=True).corpus_score(["A B \n"], [["C  "]])
    assert ["a b", "c"] == seen


def test_a_reference_of_which_the_tokenizer_leaves_nothing_is_still_a_reference() -> None:
    score = BLEU(tokenize=lambda line: line.replace("x", "")).corpus_score(["a b"], [["x"], ["a b c"]])
    assert "nrefs:2" in str(score.signature)
    assert 0 == BLEU(tokenize=lambda line: line.replace("x", "")).corpus_score(["a"], [["x"], ["a b c"]]).ref_len


def test_cached_references_are_tokenized_once() -> None:
    calls = []

    class Counting(BaseTokenizer):
        def __call__(self, line: str) -> str:
            calls.append(line)
            return line

        def signature(self) -> str:
            return "counting"

    metric = BLEU(tokenize=Counting(), references=[["r1", "r2"]])
    assert ["r1", "r2"] == calls
    metric.corpus_score(["h1", "h2"], None)
    metric.corpus_score(["h3", "h4"], None)
    assert ["r1", "r2", "h1", "h2", "h3", "h4"] == calls
    assert "tok:counting" in str(metric.get_signature())


def test_cached_references_count_as_given_ones_do() -> None:
    references = [["x", "a b"], ["a b c", ""]]
    options = {"tokenize": lambda line: line.replace("x", "")}
    cached = BLEU(**options, references=references)  # type: ignore[arg-type]
    expected = BLEU(**options).corpus_score(["a b", "a"], references).to_dict()  # type: ignore[arg-type]
    assert expected == cached.corpus_score(["a b", "a"], None).to_dict()


def test_cached_references_are_checked_before_they_are_tokenized() -> None:
    with pytest.raises(InputTypeError, match="reference stream 0, segment 1: expected a string, got int"):
        BLEU(tokenize=str.split, references=[["a", 3]])  # type: ignore[list-item]


def test_a_function_that_returns_nonsense_is_told_apart() -> None:
    with pytest.raises(InputTypeError, match=r"returned an int for 'a b', expected a string or a list"):
        BLEU(tokenize=len).corpus_score(["a b"], [["a"]])


def test_japanese_and_korean_equal_sacrebleu() -> None:
    for language, hypothesis, reference in (
        ("ja", "今日は雨が降っています。", "今日は雨だ。"),
        ("ko", "오늘은 비가 옵니다.", "오늘 비가 왔다."),
    ):
        ours = BLEU(trg_lang=language, effective_order=True).corpus_score([hypothesis], [[reference]])
        metric = sacrebleu.metrics.BLEU(trg_lang=language, effective_order=True)
        theirs = metric.corpus_score([hypothesis], [[reference]])
        assert (theirs.score, str(theirs)) == (ours.score, str(ours))
        assert str(metric.get_signature()).split("|")[:-1] == str(ours.signature).split("|")[:-1]


@pytest.mark.interpreter
def test_a_metric_with_a_tokenizer_object_can_be_pickled() -> None:
    metric = pickle.loads(pickle.dumps(BLEU(tokenize=str.split)))
    assert "tok:custom-str.split" in str(metric.corpus_score(["a"], [["a"]]).signature)


def test_unknown_names_are_refused_with_those_that_exist() -> None:
    with pytest.raises(UnknownTokenizer, match="known are none, zh, 13a"):
        BLEU(tokenize="13b")
    with pytest.raises(UnknownSmoothing, match="'none', 'floor', 'add-k', 'exp'"):
        BLEU(smooth_method="method8")


@pytest.mark.parametrize(
    "options",
    [
        {"max_ngram_order": 0},
        {"max_ngram_order": 33},
        {"max_ngram_order": 2.5},
        {"lowercase": "False"},
        {"smooth_method": "floor", "smooth_value": -1},
        {"smooth_method": "add-k", "smooth_value": float("nan")},
        {"empty_refs": "ignore"},
    ],
)
def test_option_values_without_a_meaning_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(OptionError, match=f"{list(options)[-1]} is .*, expected"):
        BLEU(**options)  # type: ignore[arg-type]


def test_tokenized_text_is_reported_once_a_call(caplog: pytest.LogCaptureFixture) -> None:
    lines, others = ["ein Satz ."] * 100, ["der Satz ."] * 100
    with caplog.at_level(logging.WARNING, logger="truebleu"):
        BLEU().corpus_score(lines[1:], [others[1:]])
        BLEU(force=True).corpus_score(lines, [others])
        assert [] == caplog.records
        BLEU().corpus_score(lines, [others])
    assert ["100 hypotheses end in a full stop"] == [record.getMessage()[:33] for record in caplog.records]
