"""The entries of COMPATIBILITY.md on rouge-score and evaluate's rouge, from both sides."""

import logging
import random
from typing import Any

import numpy as np
import pytest
import rouge_score.rouge_scorer as theirs
import rouge_score.scoring

import truebleu.rouge_score.rouge_scorer as ours
from truebleu import ROUGE, errors, evaluate

_WORDS = ("the", "boat", "lay", "by", "a", "quay", "and", "nobody", "saw", "it", "at", "night")
PREDICTIONS, REFERENCES = (
    [" ".join(random.Random(f"{side} {at}").choices(_WORDS, k=5 + at % 7)) for at in range(40)] for side in "ab"
)


def test_110_an_unknown_type() -> None:
    made = theirs.RougeScorer(["rougeX"])
    with pytest.raises(ValueError, match="Invalid rouge type"):
        made.score("a", "a")
    with pytest.raises(errors.OptionError, match="rouge_types has 'rougeX'"):
        ours.RougeScorer(["rougeX"])


@pytest.mark.parametrize("value", [None, ["a b"], b"a"])
def test_111_what_is_no_text(value: Any) -> None:
    if isinstance(value, bytes):
        assert 1.0 == theirs.RougeScorer(["rouge1"]).score(value, "a")["rouge1"].fmeasure
    else:
        with pytest.raises((AttributeError, TypeError)):
            theirs.RougeScorer(["rouge1"]).score(value, "a")
    with pytest.raises(errors.InputTypeError, match="target"):
        ours.RougeScorer(["rouge1"]).score(value, "a")


def test_112_unequal_lengths() -> None:
    scorer = theirs.RougeScorer(["rouge1"])
    assert 1 == len(
        [scorer.score(*pair) for pair in zip(["a"], ["a", "b"], strict=False)]
    )  # as evaluate's wrapper does
    with pytest.raises(errors.LengthMismatch):
        evaluate.load("rouge")._compute(["a", "b"], ["a"])


def test_113_the_score_of_a_corpus() -> None:
    scorer, found = theirs.RougeScorer(["rouge1"]), set()
    for seed in range(9):
        np.random.seed(seed)
        collected = rouge_score.scoring.BootstrapAggregator()
        for pair in zip(REFERENCES, PREDICTIONS, strict=True):
            collected.add_scores(scorer.score(*pair))
        found.add(float(collected.aggregate()["rouge1"].mid.fmeasure))
    assert len(found) > 1
    assert 1 == len({ROUGE("1").corpus_score(PREDICTIONS, [REFERENCES]).score for _ in range(9)})


def test_114_references_in_other_scripts(caplog: pytest.LogCaptureFixture) -> None:
    assert 0 == theirs.RougeScorer(["rougeL"]).score("北京", "北京")["rougeL"].fmeasure
    with caplog.at_level(logging.WARNING, "truebleu"):
        assert 0 == ours.RougeScorer(["rougeL"]).score("北京", "北京")["rougeL"].fmeasure
    assert "ASCII" in caplog.text
    with pytest.raises(errors.TokenizerMismatch):
        ROUGE("L").corpus_score(["北京"], [["北京"]])


def test_115_no_targets() -> None:
    with pytest.raises(ValueError, match="argmax"):
        theirs.RougeScorer(["rouge1"]).score_multi([], "a")
    with pytest.raises(errors.EmptyReferences, match="targets is empty"):
        ours.RougeScorer(["rouge1"]).score_multi([], "a")
