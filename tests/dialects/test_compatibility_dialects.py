"""The entries of COMPATIBILITY.md on NLTK and sacRebleu, from both sides; R is not at hand, so its side is in words."""

import fractions
import logging
import math
import sys
from typing import Any

import nltk.translate.bleu_score
import nltk.translate.chrf_score
import nltk.translate.gleu_score
import nltk.translate.nist_score
import pytest

import truebleu.nltk
from truebleu import errors
from truebleu.ids import bleu_corpus_ids
from truebleu.nltk import bleu_score

TEXT = ["a", "b", "c", "d", "e"]


def test_56_errors() -> None:
    for texts, builtin, error in (
        (([[TEXT]], []), AssertionError, errors.UnequalCorpora),
        (([], []), ZeroDivisionError, errors.NothingToDivide),
        (([[]], [TEXT]), KeyError, errors.EmptyReferences),
        (([[]], [[]]), ValueError, errors.EmptyReferences),
    ):
        for module, raised in ((nltk.translate.bleu_score, builtin), (truebleu.nltk, error)):
            with pytest.raises(raised):
                module.corpus_bleu(*texts)
        assert issubclass(error, builtin)


def test_57_iterators_and_sets() -> None:
    with pytest.raises(KeyError):
        nltk.translate.bleu_score.sentence_bleu(iter([TEXT]), TEXT)
    with pytest.raises(errors.InputTypeError, match="of type list_iterator, expected a list of references"):
        truebleu.nltk.sentence_bleu(iter([TEXT]), TEXT)
    assert 1.0 == nltk.translate.gleu_score.sentence_gleu([{"a"}], {"a"})
    with pytest.raises(errors.InputTypeError, match="hypothesis 0 is of type set"):
        truebleu.nltk.sentence_gleu([{"a"}], {"a"})


def test_58_weights_that_are_no_numbers() -> None:
    weights = (0.5, math.nan)
    assert math.isnan(nltk.translate.bleu_score.sentence_bleu([TEXT], TEXT, weights))
    with pytest.raises(errors.OptionError, match="the weight of order 2 is nan, expected a finite number"):
        truebleu.nltk.sentence_bleu([TEXT], TEXT, weights)


def test_59_orders_below_one() -> None:
    assert isinstance(nltk.translate.gleu_score.sentence_gleu([TEXT], TEXT, 0, 2), float)
    with pytest.raises(errors.OptionError, match="min_len is 0"):
        truebleu.nltk.sentence_gleu([TEXT], TEXT, 0, 2)
    assert 6 == nltk.translate.bleu_score.modified_precision([TEXT], TEXT, 0).denominator
    with pytest.raises(errors.OptionError, match="n is 0"):
        truebleu.nltk.modified_precision([TEXT], TEXT, 0)
    with pytest.raises(ZeroDivisionError):
        nltk.translate.chrf_score.sentence_chrf("a", "a", 3, 2)
    with pytest.raises(errors.OptionError, match="max_len is 2"):
        truebleu.nltk.sentence_chrf("a", "a", 3, 2)


def test_60_nist_of_short_hypotheses() -> None:
    with pytest.raises(ZeroDivisionError):
        nltk.translate.nist_score.sentence_nist([TEXT], TEXT[:3])
    expected = nltk.translate.nist_score.sentence_nist([TEXT], TEXT[:3], 3)
    # Lengths are summed once for each order, so the penalty is that of three orders.
    assert expected == truebleu.nltk.sentence_nist([TEXT], TEXT[:3])


def test_61_fractions_that_are_one() -> None:
    theirs, ours = (module.modified_precision([TEXT], TEXT, 1) for module in (nltk.translate.bleu_score, truebleu.nltk))
    reduces = sys.version_info >= (3, 12)
    assert (reduces, True) == (theirs == 1, ours == 1)
    assert ("Fraction(1, 1)" if reduces else "Fraction(5, 5)", "Fraction(5, 5)") == (repr(theirs), repr(ours))


def test_62_method6_of_many_orders() -> None:
    def last(module: Any, order: int) -> Any:
        precisions = [fractions.Fraction(50 - n, 60) for n in range(order)]
        return module.SmoothingFunction().method6(precisions, references=[TEXT], hypothesis=TEXT * 12)[-1]

    digits = [last(nltk.translate.bleu_score, order).denominator.bit_length() for order in (12, 13)]
    assert 1.9 < digits[1] / digits[0] < 2.1
    assert last(nltk.translate.bleu_score, 12) == last(bleu_score, 12)
    assert isinstance(last(bleu_score, 40), float)


def test_63_strings(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, logger="truebleu")
    texts = ["a grey heron"], "a grey bird"
    assert nltk.translate.gleu_score.sentence_gleu(*texts) == truebleu.nltk.sentence_gleu(*texts)
    assert "its characters are the tokens" in caplog.text


def test_64_weights_of_ids() -> None:
    corpus = [[[1, 2, 3], [2, 3, 4]], [[1, 2, 6], [781, 21, 9], [7, 3]]], [[1, 2, 3], [1, 2]]
    in_r = 0.7937005205188378
    assert 1e-9 < abs(in_r - bleu_corpus_ids(*corpus, n=3)) < 1e-8
    assert 1.0 == bleu_corpus_ids(*corpus, weights=(1, 0, 0, 0))


def test_65_ids_that_are_refused() -> None:
    with pytest.raises(errors.InvalidId, match="the id -100"):
        bleu_corpus_ids([[[1]]], [[-100]])
    with pytest.raises(errors.InputTypeError, match="type float"):
        bleu_corpus_ids([[[1]]], [[1.0]])
    with pytest.raises(errors.OptionError, match="the weight of order 1 is -1"):
        bleu_corpus_ids([[[1]]], [[1]], weights=[-1])
    with pytest.raises(errors.OptionError, match="n is 2 and there are 3 weights"):
        bleu_corpus_ids([[[1]]], [[1]], n=2, weights=[1, 1, 1])


def test_83_orders_beyond_all_texts() -> None:
    assert 0 < nltk.translate.chrf_score.sentence_chrf("a", "a", max_len=1000) < 1
    for call in (
        lambda: truebleu.nltk.chrf("a", "a", max_len=10**8),
        lambda: truebleu.nltk.bleu([TEXT], TEXT, weights=(1e-6,) * 100_001),
    ):
        with pytest.raises(errors.OptionError, match="100000"):
            call()


def test_84_nist_of_references_without_tokens() -> None:
    with pytest.raises(ZeroDivisionError):
        nltk.translate.nist_score.corpus_nist([[[]]], [TEXT], 1)
    assert 0 == truebleu.nltk.corpus_nist([[[]]], [TEXT], 1)
