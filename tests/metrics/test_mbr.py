"""Minimum-Bayes-risk decoding: means of matrix rows, and scores with the mean of references."""

import functools
import math
import operator
from collections import Counter
from typing import Any

import fastchrf
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import bleu_options, chrf_options, ter_options, texts, variants
from truebleu.errors import EmptyCorpus, InputTypeError, LengthMismatch, OptionError
from truebleu.metrics import BLEU, CHRF, GLEU, METRICS, TER
from truebleu.metrics.base import Metric
from truebleu.metrics.pairwise import MBRResult

CALLS = {"BLEU": bleu_options, "CHRF": chrf_options, "TER": ter_options}
CANDIDATES = ["The kettle is on.", "The kettle's on", "A kettle was on the stove.", "Tea soon."]
REFERENCES = ["The kettle is on the stove.", "The kettle is boiling.", "Tea soon!"]


@pytest.fixture(params=list(METRICS.values()), ids=list(METRICS))
def metric(request: pytest.FixtureRequest) -> Metric:
    made: Metric = request.param()
    return made


@st.composite
def choices(draw: st.DrawFn) -> tuple[list[str], list[str], list[float]]:
    references = draw(st.lists(texts, min_size=1, max_size=5))
    candidates = draw(st.lists(st.one_of(texts, st.sampled_from(references).flatmap(variants)), min_size=1, max_size=4))
    weights = [draw(st.sampled_from([0.0, 0.25, 0.5, 1.0, 3.0])) for _ in references]
    weights[draw(st.integers(0, len(references) - 1))] = 0.75
    return candidates, references, weights


def add(numbers: Any) -> float:
    """From left to right, without compensation."""
    return functools.reduce(operator.add, numbers, 0.0)


def weighted_mean(row: list[float], weights: list[float]) -> float:
    return add(weight * score for weight, score in zip(weights, row, strict=True)) / add(weights)


@pytest.mark.parametrize("name", CALLS)
def test_scores_are_means_of_matrix_rows(name: str) -> None:
    @given(choices(), CALLS[name])
    def check(choice: tuple[list[str], list[str], list[float]], options: dict[str, Any]) -> None:
        candidates, references, weights = choice
        metric = METRICS[name](**options)
        rows = metric.pairwise(candidates, references).tolist()
        best = min if name == "TER" else max
        for given_weights, counted in ((None, [1.0] * len(references)), (weights, weights)):
            expected = [weighted_mean(row, counted) for row in rows]
            result = metric.mbr(candidates, references, weights=given_weights)
            assert expected == result.scores.tolist()
            assert expected.index(best(expected)) == result.best

    check()


def test_candidates_are_their_own_references_unless_there_are_others(metric: Metric) -> None:
    expected = metric.mbr(CANDIDATES, CANDIDATES)
    result = metric.mbr(CANDIDATES)
    assert (expected.scores.tobytes(), expected.best) == (result.scores.tobytes(), result.best)


def test_the_lowest_ter_wins_and_the_highest_of_the_others() -> None:
    agreed = ["a cart broke down at dusk", "by noon the fog was gone", "by noon the fog was gone"]
    assert [1, 1, 1] == [metric.mbr(agreed).best for metric in (BLEU(), CHRF(), TER())]
    assert [1, 1, 0] == [int(metric.mbr(agreed).scores.argmax()) for metric in (BLEU(), CHRF(), TER())]


def test_of_equals_the_first_wins(metric: Metric) -> None:
    assert 0 == metric.mbr(["same here"] * 3).best


def test_batches_are_decoded_one_by_one(metric: Metric) -> None:
    batches = [CANDIDATES, REFERENCES, CANDIDATES[:1]]
    references = [REFERENCES, None, REFERENCES[:2]]
    weights = [None, [1, 2, 3], [0.5, 0.5]]
    choices = zip(batches, references, weights, strict=True)
    expected = [metric.mbr(texts, others, weights=weight) for texts, others, weight in choices]
    for threads in (1, 2, 5, None):
        results = metric.mbr(batches, references, weights=weights, threads=threads)
        assert [result.best for result in expected] == [result.best for result in results]
        for one, other in zip(expected, results, strict=True):
            assert one.scores.tobytes() == other.scores.tobytes()
    assert [] == metric.mbr([])


# --- the mean of references -------------------------------------------------------------------------


def mean_counts(texts: list[str], n: int, weights: list[float]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for text, weight in zip(texts, weights, strict=True):
        for at in range(len(text) - n + 1):
            counts[text[at : at + n]] += weight / sum(weights)  # type: ignore[assignment]
    return counts


def slow_chrf(candidate: str, references: list[str], weights: list[float]) -> float:
    """chrF2 of a text with the mean of references, straight from the definition."""
    stripped = ["".join(text.split()) for text in (candidate, *references)]
    precisions, recalls = [], []
    for n in range(1, 7):
        ours, mean = mean_counts(stripped[:1], n, [1.0]), mean_counts(stripped[1:], n, weights)
        if ours and sum(mean.values()):
            matches = math.fsum(min(count, mean[gram]) for gram, count in ours.items())
            precisions.append(matches / sum(ours.values()))
            recalls.append(matches / math.fsum(mean.values()))
    if not precisions:
        return 0.0
    precision, recall = sum(precisions) / len(precisions), sum(recalls) / len(recalls)
    return 100 * 5 * precision * recall / (4 * precision + recall) if precision + recall else 0.0


@given(choices())
def test_chrf_with_the_mean_of_references(choice: tuple[list[str], list[str], list[float]]) -> None:
    candidates, references, weights = choice
    scores = CHRF().mbr(candidates, references, weights=weights, aggregate=True).scores
    # Sums of fractions, added in another order.
    assert [slow_chrf(text, references, weights) for text in candidates] == pytest.approx(scores, abs=1e-9)


# fastchrf counts Rust characters and Rust's white space, so surrogates and U+001C to U+001F are left out.
plain = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20)


@given(
    st.lists(plain, min_size=1, max_size=4),
    st.lists(plain, min_size=1, max_size=4),
    st.integers(1, 7),
    st.sampled_from([1.0, 2.0, 3.0]),
    st.booleans(),
    st.booleans(),
)
def test_chrf_agrees_with_fastchrf(
    candidates: list[str], references: list[str], order: int, beta: float, whitespace: bool, eps: bool
) -> None:
    metric = CHRF(char_order=order, beta=beta, whitespace=whitespace, eps_smoothing=eps)
    options = {"char_order": order, "beta": beta, "remove_whitespace": not whitespace, "eps_smoothing": eps}
    pairs = np.array(fastchrf.pairwise_chrf([candidates], [references], **options)[0])
    # fastchrf orders its arithmetic in another way, and works on whole sums where we take means.
    assert pairs.ravel().tolist() == pytest.approx(metric.pairwise(candidates, references).ravel(), abs=1e-10)
    expected = fastchrf.aggregate_chrf([candidates], [references], **options)[0]
    assert expected == pytest.approx(metric.mbr(candidates, references, aggregate=True).scores, abs=1e-10)


# From the program mbrs, whose 32-bit floats were recomputed in 64 bits.
HYPS = ["The cat sat on the mat.", "The cat sat on the hat."]
REFS = ["The cat sat on the mat.", "The fat cat sat on the mat.", "A cat sat on a mat."]
WEIGHTS = [0.5, 0.3, 0.2]


@pytest.mark.parametrize(
    ("metric", "weights", "aggregate", "expected"),
    [
        (CHRF(), None, False, [76.80088334062357, 62.50947962894029]),
        (CHRF(), WEIGHTS, False, [83.5437204529701, 67.11709595388015]),
        (CHRF(), None, True, [78.5638972057916, 63.3719404671927]),
        (CHRF(), WEIGHTS, True, [84.50721334205794, 67.51099630321895]),
        (CHRF(eps_smoothing=True), None, True, [78.56381974599185, 63.3718796398532]),
        (BLEU(effective_order=True), None, False, [67.87828649460764, 43.352474614531104]),
        (BLEU(effective_order=True), WEIGHTS, False, [78.01651708039057, 49.259494941869065]),
        (BLEU(effective_order=True), None, True, [68.96411276559428, 42.12471575987221]),
        (BLEU(effective_order=True), WEIGHTS, True, [78.60709322012973, 48.51888888045259]),
    ],
)
def test_known_values(metric: Metric, weights: list[float] | None, aggregate: bool, expected: list[float]) -> None:
    result = metric.mbr(HYPS, REFS, weights=weights, aggregate=aggregate)
    assert expected == pytest.approx(result.scores, rel=1e-13)
    assert 0 == result.best


@pytest.mark.parametrize("metric", [BLEU(effective_order=True), CHRF(word_order=2)])
def test_equal_weights_are_no_weights(metric: Metric) -> None:
    expected = metric.mbr(CANDIDATES, REFERENCES, aggregate=True).scores
    weighted = metric.mbr(CANDIDATES, REFERENCES, weights=[1, 1, 1], aggregate=True).scores
    assert expected.tobytes() == weighted.tobytes()


def test_one_reference_is_its_own_mean() -> None:
    for metric in (BLEU(), CHRF(), CHRF(word_order=2)):
        expected = metric.pairwise(CANDIDATES, REFERENCES[:1])[:, 0]
        assert expected.tobytes() == metric.mbr(CANDIDATES, REFERENCES[:1], aggregate=True).scores.tobytes()


def test_edits_have_no_mean() -> None:
    with pytest.raises(OptionError, match="aggregate=True is for metrics that count n-grams"):
        TER().mbr(CANDIDATES, aggregate=True)


# --- what is returned, and what is refused ----------------------------------------------------------


def test_results_do_not_change() -> None:
    result = CHRF().mbr(CANDIDATES)
    assert isinstance(result, MBRResult)
    assert (np.float64, 1, len(CANDIDATES)) == (result.scores.dtype, result.scores.ndim, len(result.scores))
    with pytest.raises(AttributeError):
        result.best = 1  # type: ignore[misc]
    with pytest.raises(ValueError):
        result.scores[0] = 1


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (("a b",), {}, InputTypeError, "candidates is the plain string 'a b'"),
        ((["a", 1],), {}, InputTypeError, r"candidates\[1\] is of type int"),
        (([["a"], "b"],), {}, InputTypeError, r"candidates\[1\] is the plain string 'b'"),
        ((["a", ["b"]],), {}, InputTypeError, r"candidates\[1\] is of type list"),
        (([["a"], []],), {}, EmptyCorpus, r"candidates\[1\] is empty"),
        ((["a"], []), {}, EmptyCorpus, "references is empty"),
        (([["a"]], [["a"], ["b"]]), {}, LengthMismatch, "references has 2 entries, there is 1 list of candidates"),
        (([["a"]],), {"weights": [[1], [1]]}, LengthMismatch, "weights has 2 entries, there is 1 list"),
        ((["a"], ["a", "b"]), {"weights": [1]}, LengthMismatch, "weights has 1 entry, there are 2 references"),
        ((["a"], ["a", "b"]), {"weights": [1, -1]}, OptionError, r"weights\[1\] is -1.0, expected a number from 0"),
        ((["a"], ["a"]), {"weights": [math.nan]}, OptionError, r"weights\[0\] is nan"),
        ((["a"], ["a", "b"]), {"weights": [0, 0]}, OptionError, "the sum of weights is 0.0"),
        ((["a"], ["a"]), {"weights": ["x"]}, InputTypeError, "weights is not a list of numbers"),
        ((["a"], ["a"]), {"weights": 3}, InputTypeError, "weights is not a list of numbers"),
        ((["a"],), {"threads": -1}, OptionError, "threads is -1"),
    ],
)
def test_bad_input(
    metric: Metric, arguments: Any, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        metric.mbr(*arguments, **options)


@pytest.mark.parametrize("metric", [BLEU(), CHRF(), GLEU()], ids=repr)
def test_weights_whose_products_would_overflow_are_refused(metric: Any) -> None:
    with pytest.raises(OptionError, match="the sum of weights is 1e"):
        metric.mbr(["a b c d"], weights=[1e308])
