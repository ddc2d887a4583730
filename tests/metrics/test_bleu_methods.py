"""Chen and Cherry's smoothing in BLEU: NLTK's numbers where both count alike, and one definition for corpora."""

import math
import random
import warnings
from typing import Any

import nltk.translate.bleu_score
import pytest

from truebleu import errors
from truebleu.metrics import BLEU

METHODS = [f"method{number}" for number in range(8)]
SACREBLEUS = {"method1": "floor", "method2": "add-k", "method3": "exp"}


def texts(name: str, segments: int) -> tuple[list[str], list[str]]:
    """Segments of five words and more, with one reference."""
    rng = random.Random(name)
    vocabulary = ["a", "b", "c", "d", "e", "f", "g", "h"][: rng.choice((2, 4, 8))]
    line = lambda: [rng.choice(vocabulary) for _ in range(rng.randint(5, 14))]  # noqa: E731
    hypotheses = [line() for _ in range(segments)]
    references = [
        [word if rng.random() < 0.8 else "x" for word in words] if rng.random() < 0.8 else line()
        for words in hypotheses
    ]
    return [" ".join(words) for words in hypotheses], [" ".join(words) for words in references]


@pytest.mark.parametrize("method", METHODS)
def test_one_segment_scores_as_in_nltk(method: str, cases: int) -> None:
    function = getattr(nltk.translate.bleu_score.SmoothingFunction(), method)
    for index in range(cases):
        hypotheses, references = texts(f"{method}/{index}", 1)
        score = BLEU(tokenize="none", smooth_method=method).corpus_score(hypotheses, [references]).score
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = nltk.translate.bleu_score.sentence_bleu(
                    [references[0].split()], hypotheses[0].split(), smoothing_function=function
                )
        except AssertionError:  # method6 without trigram matches; the definition goes on.
            continue
        # Percentages against fractions, and logarithms of up to 700 for method0.
        assert 100 * expected == pytest.approx(score, rel=1e-12, abs=0), (hypotheses, references)


@pytest.mark.parametrize("method", METHODS)
def test_corpora_score_by_their_totals(method: str, cases: int) -> None:
    for index in range(max(cases // 3, 40)):
        hypotheses, references = texts(f"corpus/{method}/{index}", 1 + index % 4)
        metric = BLEU(tokenize="none", smooth_method=method)
        score = metric.corpus_score(hypotheses, [references])
        plain = BLEU(tokenize="none", max_ngram_order=5).stats(hypotheses, [references]).sum()
        expected = defined(method, plain[2:7], plain[7:12], plain[0], plain[1])
        assert expected == pytest.approx(score.score, rel=1e-11, abs=0), (hypotheses, references)
        order = list(range(len(hypotheses)))[::-1]
        turned = metric.corpus_score([hypotheses[at] for at in order], [[references[at] for at in order]])
        assert score.score == turned.score


def defined(method: str, correct: Any, total: Any, hyp_len: float, ref_len: float) -> float:
    """The tables of docs/nltk.md, in per cent; five counts, of which four are scored."""
    if not any(correct):
        return 0.0
    precisions = [c / t for c, t in zip(correct, total, strict=True)]
    zeros = 0
    for n in range(4):
        number = int(method[-1])
        if number == 2 and n > 0:
            precisions[n] = (correct[n] + 1) / (total[n] + 1)
        if number == 6 and n > 1:
            prior = precisions[n - 1] ** 2 / precisions[n - 2] if precisions[n - 2] else 0
            precisions[n] = (correct[n] + 5 * prior) / (total[n] + 5)
        elif correct[n] == 0:
            zeros += 1
            tail = math.log(hyp_len) / (5 * 2**zeros * total[n])
            replaced = {0: 2.2250738585072014e-308, 1: 0.1 / total[n], 3: 1 / (2**zeros * total[n]), 4: tail, 7: tail}
            precisions[n] = replaced.get(number, precisions[n])
    if method in ("method5", "method7"):
        before, after = precisions[0] + 1, precisions[1:]
        for n in range(4):
            before = precisions[n] = (before + precisions[n] + after[n]) / 3
    if min(precisions[:4]) == 0:
        return 0.0
    penalty = 1.0 if hyp_len >= ref_len else math.exp(1 - ref_len / hyp_len)
    return 100 * penalty * math.exp(sum(map(math.log, precisions[:4])) / 4)


@pytest.mark.parametrize(("method", "name"), SACREBLEUS.items())
def test_three_methods_are_sacrebleus_to_the_last_bit(method: str, name: str, cases: int) -> None:
    for index in range(cases):
        hypotheses, references = texts(f"names/{method}/{index}", 2)
        for effective in (False, True):
            scores = [
                BLEU(tokenize="none", smooth_method=each, effective_order=effective).corpus_score(
                    hypotheses, [references]
                )
                for each in (method, name)
            ]
            assert scores[0].score == scores[1].score


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"smooth_method": "method0"}, "smooth:method0"),
        ({"smooth_method": "method1"}, "smooth:method1[0.10]"),
        ({"smooth_method": "method2"}, "smooth:method2"),
        ({"smooth_method": "method3"}, "smooth:method3"),
        ({"smooth_method": "method4"}, "smooth:method4[5.00]"),
        ({"smooth_method": "method5"}, "smooth:method5"),
        ({"smooth_method": "method6", "smooth_value": 2}, "smooth:method6[2.00]"),
        ({"smooth_method": "method7", "smooth_value": 10}, "smooth:method7[10.00]"),
    ],
)
def test_the_signature_names_the_method_and_its_constant(options: dict[str, Any], expected: str) -> None:
    score = BLEU(**options).corpus_score(["a b c d e"], [["a b c d f"]])
    assert expected in str(score.signature).split("|")


def test_methods_that_look_ahead_count_one_order_more_and_show_four() -> None:
    hypotheses, references = texts("ahead", 3)
    metric = BLEU(smooth_method="method5")
    stats = metric.stats(hypotheses, [references])
    assert "correct_5" in stats.columns
    score = metric.score(stats)
    assert metric.corpus_score(hypotheses, [references]).score == score.score
    assert (4, 4, 4) == (len(score.counts), len(score.totals), len(score.precisions))
    # The rows are those of five orders, whoever counted them.
    five = BLEU(max_ngram_order=5).stats(hypotheses, [references])
    assert score.score == metric.score(five).score
    with pytest.raises(errors.StatsMismatch, match="max_ngram_order"):
        metric.score(BLEU().stats(hypotheses, [references]))


def test_compute_bleu_wants_the_order_ahead() -> None:
    with pytest.raises(IndexError, match="method7 looks one order ahead"):
        BLEU.compute_bleu([5, 2, 1, 0], [6, 5, 4, 3], 6, 7, smooth_method="method7")
    score = BLEU.compute_bleu([5, 2, 1, 0, 0], [6, 5, 4, 3, 2], 6, 7, smooth_method="method7")
    assert 31.487813800826403 == pytest.approx(score.score, rel=1e-14)
    assert [5, 2, 1, 0] == score.counts


def test_sentence_scores_and_bootstrap_take_every_method() -> None:
    hypotheses, references = texts("all", 20)
    for method in METHODS:
        metric = BLEU(smooth_method=method, effective_order=True)
        scores = [metric.sentence_score(h, [r]).score for h, r in zip(hypotheses, references, strict=True)]
        assert scores == metric.sentence_scores(hypotheses, [references]).tolist()
        assert metric.corpus_score(hypotheses, [references], n_bootstrap=20).confidence.mean > 0


def test_constants_that_divide_by_zero_are_refused() -> None:
    for method, value in (("method4", 0), ("method7", 0), ("method1", -1), ("method6", math.nan)):
        with pytest.raises(errors.OptionError, match="smooth_value is"):
            BLEU(smooth_method=method, smooth_value=value)
