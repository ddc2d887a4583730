"""BLEU of token ids: sacRebleu's numbers, NLTK and sacreBLEU as second opinions, and input that cannot be scored."""

import array
import math
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import nltk.translate.bleu_score
import numpy as np
import pytest
import sacrebleu

from truebleu import errors
from truebleu.ids import bleu_corpus, bleu_corpus_ids, bleu_sentence, bleu_sentence_ids

VIGNETTE = ([[[1, 2, 3], [2, 3, 4]], [[1, 2, 6], [781, 21, 9], [7, 3]]], [[1, 2, 3], [1, 2]])
SINGLE = ([[[1, 2, 3, 4]]], [[1, 2, 3, 5]])
THREE = ([[[1, 2, 3, 4, 5]], [[1, 2, 3, 9, 5]], [[7, 8]]], [[1, 2, 3, 4, 5], [1, 2, 8, 9, 5], [7, 6]])
DISJOINT = ([[[1, 2, 3, 4]]], [[5, 6, 7, 8]])
SHORT = ([[[1, 2, 3, 4, 5]]], [[1, 2, 3, 4]])
TWELVE = list(range(12))


# What the package's C++ kernel prints. It keeps weights in 32 bits, which shows in the eighth digit unless they are
# powers of two; ours have 64.
@pytest.mark.parametrize(
    ("corpus", "options", "expected"),
    [
        (VIGNETTE, {}, 0.0),
        (VIGNETTE, {"n": 3}, 0.7937005205188378),
        (VIGNETTE, {"n": 2}, 1.0),
        (VIGNETTE, {"n": 1}, 1.0),
        (VIGNETTE, {"weights": [0.3333] * 3}, 0.7937188676151425),
        (VIGNETTE, {"smoothing": "floor"}, 0.4842734640584506),
        (VIGNETTE, {"smoothing": "floor", "epsilon": 0.01}, 0.2665771033261474),
        (VIGNETTE, {"smoothing": "add-k"}, 0.6865890479690393),
        (VIGNETTE, {"smoothing": "add-k", "k": 1.9}, 0.6865890479690393),
        (VIGNETTE, {"smoothing": "add-k", "k": 2}, 0.7825422900366437),
        (VIGNETTE, {"smoothing": "floor", "n": 3}, 0.8193212657347156),
        (VIGNETTE, {"smoothing": "add-k", "n": 3}, 0.8735804612175745),
        (SINGLE, {}, 0.0),
        (SINGLE, {"smoothing": "floor", "epsilon": 0.01}, 0.22360679774997896),
        (SINGLE, {"smoothing": "floor"}, 0.3976353643835253),
        (SINGLE, {"smoothing": "add-k"}, 0.668740304976422),
        (THREE, {}, 0.5555238068023582),
        (THREE, {"smoothing": "floor"}, 0.5805674372793908),
        (THREE, {"smoothing": "floor", "epsilon": 0.01}, 0.5580655914719889),
        (THREE, {"smoothing": "add-k"}, 0.6203286582568894),
        (THREE, {"smoothing": "add-k", "k": 3}, 0.7026453169653146),
        (THREE, {"smoothing": "floor", "n": 5}, 0.5388825655742164),
        (SHORT, {}, 0.7788007830714049),
        (DISJOINT, {}, 0.0),
        (DISJOINT, {"smoothing": "floor"}, 0.04518010018049225),
        (DISJOINT, {"smoothing": "add-k"}, 0.3021375397356768),
        (([], []), {}, 0.0),
    ],
)
def test_scores_are_those_of_sacrebleu_in_r(corpus: Any, options: dict[str, Any], expected: float) -> None:
    dyadic = "weights" not in options and options.get("n", 4) in (1, 2, 4)
    assert expected == pytest.approx(bleu_corpus_ids(*corpus, **options), rel=1e-12 if dyadic else 1e-7)


def test_an_order_without_weight_does_not_count() -> None:
    # sacRebleu multiplies 0 by minus infinity here, and gives NaN.
    assert 1.0 == bleu_corpus_ids(*VIGNETTE, weights=(1, 0, 0, 0))


def test_of_equally_near_references_the_first_gives_the_length() -> None:
    longer, shorter = [*TWELVE, 99], TWELVE[:11]
    assert 0.9200444146293233 == bleu_sentence_ids([longer, shorter], TWELVE)
    assert 1.0 == bleu_sentence_ids([shorter, longer], TWELVE)
    assert 1.0 == pytest.approx(bleu_sentence_ids([longer, shorter], TWELVE, compat=False), rel=1e-15)


def test_standard_is_another_name_for_no_smoothing() -> None:
    assert bleu_corpus_ids(*THREE) == bleu_corpus_ids(*THREE, smoothing="standard")


def test_a_sentence_is_a_corpus_of_one() -> None:
    for smoothing in (None, "floor", "add-k"):
        expected = bleu_corpus_ids(*SINGLE, smoothing=smoothing)
        assert expected == bleu_sentence_ids(SINGLE[0][0], SINGLE[1][0], smoothing=smoothing)


# Slow and obvious.


def generated(index: int) -> tuple[list[list[list[int]]], list[list[int]]]:
    rng = random.Random(f"ids/{index}")
    vocabulary = rng.choice(([1, 2], [0, 5, 7, 11], list(range(40)), [0, 2**20, 2**40, 2**63, 2**64 - 1]))
    sequence = lambda: [rng.choice(vocabulary) for _ in range(rng.choice((0, 1, 2, 4, 5, 8, 12)))]  # noqa: E731
    segments = range(rng.choice((1, 1, 2, 4)))
    return [[sequence() for _ in range(rng.choice((1, 2, 3)))] for _ in segments], [sequence() for _ in segments]


def naive(
    references: Any, candidates: Any, weights: list[float], smoothing: str | None, epsilon: float, k: int
) -> float:
    logs = 0.0
    for n, weight in enumerate(weights, 1):
        numerator = denominator = 0.0
        for given, candidate in zip(references, candidates, strict=True):
            own = ngrams(candidate, n)
            most: Counter[Any] = Counter()
            for reference in given:
                most |= ngrams(reference, n)
            matches = sum((own & most).values())
            numerator += epsilon if smoothing == "floor" and matches == 0 else matches
            denominator += max(1, sum(own.values()))
        if smoothing == "add-k":
            numerator, denominator = numerator + k, denominator + k
        if numerator == 0:
            return 0.0
        logs += weight * math.log(numerator / denominator)
    length = sum(map(len, candidates))
    target = sum(
        min(map(len, given), key=lambda size: abs(size - len(candidate)))
        for given, candidate in zip(references, candidates, strict=True)
    )
    penalty = 0.0 if length == 0 else min(1.0, math.exp(1 - target / length))
    return penalty * math.exp(logs)


def ngrams(ids: list[int], n: int) -> Counter[tuple[int, ...]]:
    return Counter(tuple(ids[at : at + n]) for at in range(len(ids) - n + 1))


@pytest.mark.parametrize("smoothing", [None, "floor", "add-k"])
def test_scores_are_the_definition(smoothing: str | None, cases: int) -> None:
    for index in range(cases):
        corpus = generated(index)
        order = (4, 1, 2, 3, 7, 40)[index % 6]
        weights = [1 / order] * order if index % 2 else [(n + 1) / 10 for n in range(order)]
        expected = naive(*corpus, weights, smoothing, 0.3, 2)
        got = bleu_corpus_ids(*corpus, weights=weights, smoothing=smoothing, epsilon=0.3, k=2)
        assert expected == pytest.approx(got, rel=1e-10, abs=0), f"{corpus} {weights}"  # the sum of logs is naive


@pytest.mark.filterwarnings("ignore::UserWarning")  # NLTK's, of orders without matches.
def test_without_smoothing_scores_are_nltks_where_lengths_do_not_tie(cases: int) -> None:
    for index in range(cases):
        references, candidates = generated(index)
        single = [given[:1] for given in references]
        precisions = [
            nltk.translate.bleu_score.corpus_bleu(single, candidates, weights)
            for weights in ((1,), (0.5, 0.5), (0.25,) * 4)
        ]
        ours = [bleu_corpus_ids(single, candidates, n=n) for n in (1, 2, 4)]
        assert [score if score > 1e-60 else 0 for score in precisions] == ours, f"{single} {candidates}"


@pytest.mark.parametrize("smoothing", [None, "floor", "add-k"])
def test_not_compat_is_sacrebleu(smoothing: str | None, cases: int) -> None:
    for index in range(cases):
        references, candidates = generated(index)
        width = max(map(len, references))
        streams = [[text(given[at]) if at < len(given) else None for given in references] for at in range(width)]
        order = (4, 1, 2, 5)[index % 4]
        metric = sacrebleu.BLEU(tokenize="none", smooth_method=smoothing or "none", max_ngram_order=order, force=True)
        expected = metric.corpus_score(list(map(text, candidates)), streams).score / 100
        got = bleu_corpus_ids(references, candidates, n=order, smoothing=smoothing, compat=False)
        assert expected == got, f"{references} {candidates}"


def text(ids: list[int]) -> str:
    return " ".join(map(str, ids))


# Sequences of all kinds.


class Tensor:
    """What a tensor of another library shows of itself: no buffer, but an array when asked."""

    def __init__(self, ids: Any) -> None:
        self._array = np.asarray(ids)

    @property
    def shape(self) -> tuple[int, ...]:
        return self._array.shape

    def __len__(self) -> int:
        return len(self._array)

    def __getitem__(self, at: int) -> "Tensor":
        return Tensor(self._array[at])

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self._array


@pytest.mark.parametrize(
    "make",
    [
        tuple,
        np.array,
        lambda ids: np.array(ids, dtype=np.int32),
        lambda ids: np.array(ids, dtype=np.uint16),
        lambda ids: np.array(ids, dtype=np.int8),
        lambda ids: np.array(ids, dtype=np.uint64),
        lambda ids: np.repeat(np.array(ids), 2)[::2],
        lambda ids: array.array("l", ids),
        lambda ids: [np.int64(each) for each in ids],
        Tensor,
    ],
)
def test_ids_come_in_lists_arrays_and_tensors(make: Callable[[Any], Any]) -> None:
    references, candidates = [[[1, 2, 3, 4], [5]], [[1, 2, 9, 4, 5]]], [[1, 2, 3, 5], [1, 2, 9, 4]]
    expected = bleu_corpus_ids(references, candidates, smoothing="floor")
    made = [[make(reference) for reference in given] for given in references], [make(ids) for ids in candidates]
    assert expected == bleu_corpus_ids(*made, smoothing="floor")
    assert expected == bleu_corpus_ids(references, made[1], smoothing="floor")


def test_whole_batches_may_be_arrays() -> None:
    rng = np.random.default_rng(7)
    candidates, references = rng.integers(0, 9, (20, 12)), rng.integers(0, 9, (20, 2, 12))
    expected = bleu_corpus_ids(references.tolist(), candidates.tolist(), n=2)
    assert expected == bleu_corpus_ids(references, candidates, n=2)
    assert expected > 0


def test_texts_are_scored_through_any_tokenizer() -> None:
    numbers: dict[str, int] = {}

    def encode(line: str) -> list[int]:
        return [numbers.setdefault(word, len(numbers)) for word in line.split()]

    class Encoding:
        def __init__(self, ids: list[int]) -> None:
            self.ids = ids

    class Tokenizer:
        def encode(self, line: str) -> Encoding:
            return Encoding(encode(line))

    references, candidates = [["a heron by the pond"], ["it was grey", "it was"]], ["a heron by a pond", "it was grey"]
    expected = bleu_corpus_ids(
        [list(map(encode, given)) for given in references], list(map(encode, candidates)), smoothing="floor"
    )
    for tokenizer in (encode, Tokenizer()):
        assert expected == bleu_corpus(references, candidates, tokenizer, smoothing="floor")
    assert 1.0 == bleu_sentence(references[0], references[0][0], encode)


# Input that cannot be scored.


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: bleu_corpus_ids([[[1, 2]]], [[1, "2"]]), errors.InputTypeError, "candidate 0 .*token 1 .*type str"),
        (lambda: bleu_corpus_ids([[["1"]]], [[1]]), errors.InputTypeError, "reference 0 of segment 0 .*type str"),
        (lambda: bleu_corpus_ids([["a b"]], [[1]]), errors.InputTypeError, "reference 0 of segment 0 is of type str"),
        (lambda: bleu_corpus_ids([[[1]]], ["a b"]), errors.InputTypeError, "candidate 0 is of type str"),
        (lambda: bleu_corpus_ids([[[1]]], "ab"), errors.InputTypeError, "candidates is of type str"),
        (lambda: bleu_corpus_ids([[[1]]], [b"ab"]), errors.InputTypeError, "candidate 0 is of type bytes"),
        (lambda: bleu_corpus_ids([[[1.0]]], [[1]]), errors.InputTypeError, "of type float, expected a token id"),
        (lambda: bleu_corpus_ids([[[True]]], [[1]]), errors.InputTypeError, "of type bool, expected a token id"),
        (lambda: bleu_corpus_ids([[[None]]], [[1]]), errors.InputTypeError, "something None, expected a token id"),
        (lambda: bleu_corpus_ids([[[1]]], [None]), errors.InputTypeError, "candidate 0 is None"),
        (
            lambda: bleu_corpus_ids([[[1]]], [np.array([0.5])]),
            errors.InputTypeError,
            "something else than whole numbers",
        ),
        (lambda: bleu_corpus_ids([[[1]]], [np.array([True])]), errors.InputTypeError, "something else than whole"),
        (lambda: bleu_corpus_ids([[[1]]], [np.array([[1]])]), errors.InputTypeError, "array of 2 dimensions"),
        (lambda: bleu_corpus_ids([[[1]]], [np.array(1)]), errors.InputTypeError, "candidate 0 is of type ndarray"),
        (lambda: bleu_corpus_ids([[[1, 2]]], [[1, [2]]]), errors.InputTypeError, "token 1 .*type list"),
        (lambda: bleu_corpus_ids([[1, 2, 3]], [[1, 2, 3]]), errors.InputTypeError, "segment 0 are a flat sequence"),
        (lambda: bleu_corpus_ids([np.array([1, 2])], [[1, 2]]), errors.InputTypeError, "segment 0 are a flat sequence"),
        (lambda: bleu_corpus_ids([[[1], 2]], [[1]]), errors.InputTypeError, "reference 1 of segment 0 is of type int"),
        (
            lambda: bleu_corpus_ids([[[1]], [[1], [2, -1]]], [[1], [2]]),
            errors.InvalidId,
            "reference 1 of segment 1 .*-1",
        ),
        (lambda: bleu_corpus_ids([[[1]]], [np.array([3, -100])]), errors.InvalidId, "token 1 the id -100.*padding"),
        (lambda: bleu_corpus_ids([[[1]]], [[2**64]]), errors.InvalidId, "18446744073709551616, expected one below"),
        (lambda: bleu_corpus_ids([[[1]]], [[1], [2]]), errors.UnequalCorpora, "1 segment, and 2 candidates"),
        (lambda: bleu_corpus_ids([[[1]], []], [[1], [2]]), errors.EmptyReferences, "segment 1 has an empty list"),
        (lambda: bleu_corpus_ids([[[1]]], {1: 2}), errors.InputTypeError, "candidates is of type dict"),
        (lambda: bleu_corpus_ids([[[1]]], iter([[1]])), errors.InputTypeError, "candidates is of type list_iterator"),
        (lambda: bleu_corpus_ids([[[1]]], [[1]], n=0), errors.OptionError, "n is 0"),
        (lambda: bleu_corpus_ids([[[1]]], [[1]], n=1.5), errors.OptionError, "n is 1.5"),
        (
            lambda: bleu_corpus_ids([[[1]]], [[1]], n=3, weights=[0.5, 0.5]),
            errors.OptionError,
            "n is 3 and there are 2",
        ),
        (lambda: bleu_corpus_ids([[[1]]], [[1]], weights=[]), errors.OptionError, r"weights is \[\]"),
        (lambda: bleu_corpus_ids([[[1]]], [[1]], weights=0.5), errors.OptionError, "weights is 0.5"),
        (lambda: bleu_corpus_ids([[[1]]], [[1]], weights="ab"), errors.OptionError, "weights is 'ab'"),
        (lambda: bleu_corpus_ids([[[1]]], [[1]], weights=[0.5, math.nan]), errors.OptionError, "order 2 is nan"),
        (lambda: bleu_corpus_ids([[[1]]], [[1]], weights=[0.5, -1]), errors.OptionError, "order 2 is -1"),
        (lambda: bleu_corpus_ids([[[1]]], [[1]], weights=["1"]), errors.OptionError, "order 1 is '1'"),
        (lambda: bleu_corpus_ids([[[1]]], [[1]], smoothing="exp"), errors.UnknownSmoothing, "'exp', expected None"),
        (lambda: bleu_corpus_ids([[[1]]], [[1]], epsilon=-1), errors.OptionError, "epsilon is -1"),
        (lambda: bleu_corpus_ids([[[1]]], [[1]], k=math.inf), errors.OptionError, "k is inf"),
        (lambda: bleu_sentence_ids([1, 2], [1, 2]), errors.InputTypeError, "flat sequence"),
        (lambda: bleu_corpus(["a"], ["a"], list), errors.InputTypeError, r"references\[0\] is of type str"),
        (lambda: bleu_corpus([["a"]], "a", list), errors.InputTypeError, "candidates is of type str"),
        (lambda: bleu_corpus({("a",), ("b",)}, ["a", "b"], list), errors.InputTypeError, "references is of type set"),
        (lambda: bleu_corpus([["a"], ["b"]], {"a", "b"}, list), errors.InputTypeError, "candidates is of type set"),
        (lambda: bleu_corpus([["a"]], [1], list), errors.InputTypeError, "expected a string to tokenize"),
        (lambda: bleu_corpus([["a"]], ["a"], 3), errors.InputTypeError, "load the tokenizer yourself"),
    ],
)
def test_what_cannot_be_scored_is_refused(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
