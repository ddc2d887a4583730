"""`truebleu.nltk` against NLTK itself: equal with `==`, in type too, and where NLTK raises so do we."""

import copy
import fractions
import inspect
import math
import pickle
import random
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import nltk.translate.bleu_score
import nltk.translate.chrf_score
import nltk.translate.gleu_score
import nltk.translate.nist_score
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import truebleu.nltk
from dialects.tokens import Corpus, copied, corpus
from truebleu import errors
from truebleu.nltk import bleu_score, chrf_score, gleu_score, nist_score

pytestmark = pytest.mark.interpreter

PAIRS = [
    (bleu_score, nltk.translate.bleu_score),
    (gleu_score, nltk.translate.gleu_score),
    (chrf_score, nltk.translate.chrf_score),
    (nist_score, nltk.translate.nist_score),
]
WEIGHTS: list[Any] = [
    (0.25, 0.25, 0.25, 0.25),
    [0.25, 0.25, 0.25, 0.25],
    (1,),
    (0.5, 0.5),
    (1 / 3, 1 / 3, 1 / 3),
    (0.1, 0.3, 0.5, 0.1),
    (0.2,) * 5,
    (0, 0, 1),
    (0.7, 0.7, -0.2),
    (1 / 40,) * 40,
    [(0.5, 0.5), (0.25,) * 4, (1.0,)],
    [(0.5, 0.5)],
    np.array([0.4, 0.3, 0.3]),
    (fractions.Fraction(1, 3), 0.5, 1),
    (),
]


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


def outcome(call: Callable[[], Any]) -> Any:
    """What a call gives, with its type; or what it raises, by the builtin."""
    try:
        value = call()
    except Exception as error:
        return error
    return (type(value), value)


def same(theirs: Callable[[], Any], ours: Callable[[], Any], case: str) -> None:
    expected, got = outcome(theirs), outcome(ours)
    if isinstance(expected, Exception):
        assert isinstance(got, errors.TruebleuError), f"{case}: {got!r} where NLTK raises {expected!r}"
        assert isinstance(got, type(expected)), f"{case}: {got!r} where NLTK raises {expected!r}"
    else:
        assert expected == got, case


def smoothing(module: Any, rng_name: str, method: str) -> Any:
    rng = random.Random(rng_name)
    options = {} if rng.random() < 0.5 else {"epsilon": rng.choice((0.01, 1)), "alpha": rng.choice((1, 2.5)), "k": 10}
    return getattr(module.SmoothingFunction(**options), method)


@pytest.mark.parametrize(("ours", "theirs"), PAIRS, ids=[ours.__name__ for ours, _ in PAIRS])
def test_functions_take_nltks_arguments_with_its_defaults(ours: Any, theirs: Any) -> None:
    names = [
        name
        for name, value in vars(theirs).items()
        if inspect.isfunction(value) and value.__module__ == theirs.__name__ and hasattr(ours, name)
    ]
    assert {"bleu": 5, "gleu": 2, "chrf": 3, "nist": 3}[ours.__name__.split(".")[-1][:4]] == len(names)
    for name in names:
        assert parameters(getattr(theirs, name)) == parameters(getattr(ours, name))


def test_smoothing_takes_nltks_arguments_with_its_defaults() -> None:
    ours, theirs = bleu_score.SmoothingFunction, nltk.translate.bleu_score.SmoothingFunction
    for name in ["__init__", *(f"method{number}" for number in range(8))]:
        assert parameters(getattr(theirs, name)) == parameters(getattr(ours, name))


def parameters(function: Callable[..., Any]) -> list[tuple[str, Any, Any]]:
    return [(name, value.kind, value.default) for name, value in inspect.signature(function).parameters.items()]


def test_names_of_nltk_translate_are_here() -> None:
    for name in ("bleu", "gleu", "chrf", "nist"):
        assert getattr(truebleu.nltk, name) is getattr(truebleu.nltk, f"sentence_{name}")
        assert getattr(nltk.translate, name).__name__ == f"sentence_{name}"


@pytest.mark.parametrize("method", [None, *(f"method{number}" for number in range(8))])
def test_corpus_bleu_is_nltks(method: str | None, cases: int) -> None:
    scored = 0
    for index in range(cases):
        name = f"bleu/{method}/{index}"
        texts = corpus(name)
        weights = random.Random(name).choice(WEIGHTS)
        if method == "method6" and len(weights) == 40:
            continue  # NLTK's fractions double their digits with every order, and it never comes back.
        reweigh = index % 3 == 0 and not isinstance(weights, np.ndarray)  # NLTK compares arrays to tuples

        def run(module: Any, texts: Corpus = texts, weights: Any = weights, name: str = name) -> Any:
            function = smoothing(module, name, method) if method else None
            given = copied(texts.references), copied(texts.hypotheses)
            return module.corpus_bleu(*given, weights, function, reweigh)  # noqa: B023

        same(lambda: run(nltk.translate.bleu_score), lambda: run(bleu_score), f"{name} {texts} {weights}")
        scored += not isinstance(outcome(lambda: run(bleu_score)), Exception)
    assert scored > cases / 5


def test_sentence_bleu_is_that_of_a_corpus_of_one(cases: int) -> None:
    for index in range(cases):
        references, hypotheses = corpus(f"sentence/{index}", segments=1)
        case = f"{references} {hypotheses}"
        same(
            lambda: nltk.translate.bleu_score.sentence_bleu(references[0], hypotheses[0]),  # noqa: B023
            lambda: bleu_score.sentence_bleu(references[0], hypotheses[0]),  # noqa: B023
            case,
        )
        assert bleu_score.sentence_bleu(references[0], hypotheses[0]) == bleu_score.corpus_bleu(references, hypotheses)


def test_corpus_gleu_is_nltks(cases: int) -> None:
    lengths = [(1, 4), (1, 4), (1, 1), (2, 4), (2, 2), (1, 6), (3, 2), (1, 0), (1, -1), (2, -1), (1, 33), (4, 50)]
    for index in range(cases):
        texts = corpus(f"gleu/{index}")
        if index % 10 == 0:
            texts.references[-1] = []
        options = lengths[index % len(lengths)]
        theirs = nltk.translate.gleu_score.corpus_gleu(*texts, *options)
        ours = gleu_score.corpus_gleu(*texts, *options)
        assert (type(theirs), theirs) == (type(ours), ours), f"{texts} {options}"


def test_corpus_chrf_is_nltks(cases: int) -> None:
    alphabet = "ab c\t\n\u00a0\u2003\x1cäé水😀"
    for index in range(cases):
        rng = random.Random(f"chrf/{index}")
        count = rng.choice((1, 1, 2, 5))
        drawn = alphabet[: rng.choice((3, 5, 99))]
        texts = [
            ["".join(rng.choice(drawn) for _ in range(rng.choice((0, 1, 3, 8, 20)))) for _ in range(count)]
            for _ in range(2)
        ]
        given: list[list[Any]] = [[rng.choice((text, text.split(" "))) for text in side] for side in texts]
        low = rng.choice((1, 1, 1, 2, 3))
        options = (low, low + rng.choice((0, 1, 3, 5, 40)), rng.choice((3.0, 2, 1, 0.5, 0)), rng.random() < 0.5)
        theirs = nltk.translate.chrf_score.corpus_chrf(*given, *options)
        ours = chrf_score.corpus_chrf(*given, *options)
        assert (type(theirs), theirs) == (type(ours), ours), f"{given} {options}"
        single = (given[0][0], given[1][0], *options)
        assert nltk.translate.chrf_score.sentence_chrf(*single) == chrf_score.sentence_chrf(*single)


def test_chrf_ignores_the_white_space_that_nltk_ignores() -> None:
    every = [chr(c) for c in (*range(0x3100), *range(0xFE00, 0x10000)) if chr(c).isspace() or c % 16 == 0]
    for c in every:
        theirs = nltk.translate.chrf_score.sentence_chrf("ab", f"a{c}b")
        assert theirs == chrf_score.sentence_chrf("ab", f"a{c}b"), f"{c!a}"


def test_corpus_nist_is_nltks_where_nltk_does_not_divide_by_zero(cases: int) -> None:
    scored = 0
    for index in range(cases):
        texts = corpus(f"nist/{index}")
        order = (5, 1, 2, 4, 7)[index % 5]
        ours = nist_score.corpus_nist(*texts, order)
        expected = outcome(lambda: nltk.translate.nist_score.corpus_nist(*texts, order))  # noqa: B023
        if isinstance(expected, ZeroDivisionError):
            continue
        scored += 1
        assert expected[1] == ours, f"{texts} {order}"
        assert isinstance(ours, float)
    assert scored > cases / 5


def test_modified_precision_is_nltks(cases: int) -> None:
    for index in range(cases):
        references, hypotheses = corpus(f"precision/{index}", segments=1)
        for order in (1, 2, 5, 33):
            theirs = nltk.translate.bleu_score.modified_precision(references[0], hypotheses[0], order)
            ours = bleu_score.modified_precision(references[0], hypotheses[0], order)
            assert (theirs.numerator, theirs.denominator) == (ours.numerator, ours.denominator)
            assert float(theirs) == float(ours)
            if sys.version_info < (3, 12):  # from there on, NLTK shows the fraction reduced
                assert (repr(theirs), str(theirs)) == (repr(ours), str(ours))
            assert isinstance(ours, fractions.Fraction)


def test_lengths_and_penalties_are_nltks() -> None:
    for ref_len in range(30):
        for hyp_len in range(30):
            expected = nltk.translate.bleu_score.brevity_penalty(ref_len, hyp_len)
            penalty = bleu_score.brevity_penalty(ref_len, hyp_len)
            assert (type(expected), expected) == (type(penalty), penalty)
            if ref_len:
                expected = nltk.translate.nist_score.nist_length_penalty(ref_len, hyp_len)
                assert expected == nist_score.nist_length_penalty(ref_len, hyp_len)
            references = [[0] * ref_len, [0] * (ref_len + 2), [0] * 9]
            expected = nltk.translate.bleu_score.closest_ref_length(references, hyp_len)
            assert expected == bleu_score.closest_ref_length(references, hyp_len)


@pytest.mark.parametrize("method", [f"method{number}" for number in range(8)])
def test_smoothing_methods_called_directly_are_nltks(method: str, cases: int) -> None:
    for index in range(max(cases // 10, 30)):
        name = f"direct/{method}/{index}"
        rng = random.Random(name)
        references, (hypothesis,) = corpus(name, segments=1)
        counts = [(rng.choice((0, 1, 5)), rng.choice((5, 7, 12))) for _ in range(rng.choice((2, 3, 4, 5)))]
        if method == "method6" and counts[0][0] * counts[1][0] == 0:
            continue  # NLTK then divides by zero, for it finds 0/5 unequal to 0. Texts never give such counts.
        arguments = {"references": references[0], "hypothesis": hypothesis, "hyp_len": rng.choice((None, 0, 1, 12))}

        def run(
            module: Any,
            given: list[Any],
            name: str = name,
            counts: list[Any] = counts,
            arguments: dict[str, Any] = arguments,
        ) -> Any:
            fraction = module.modified_precision([[0]], [0], 1).__class__
            given.extend(fraction(*count) for count in counts)
            return list(map(float, smoothing(module, name, method)(given, **arguments)))

        lists: tuple[list[Any], list[Any]] = ([], [])
        same(lambda: run(nltk.translate.bleu_score, lists[0]), lambda: run(bleu_score, lists[1]), name)  # noqa: B023
        # Methods 3 to 7 change the list they are given.
        assert list(map(float, lists[0])) == list(map(float, lists[1]))


def test_any_callable_can_smooth() -> None:
    seen: list[Any] = []

    def smooth(precisions: list[Any], **given: Any) -> list[float]:
        seen.append((list(precisions), given))
        return [0.5, 0.25]

    references, hypotheses = [[["a", "b"]], [["c"], ["a", "d"]]], [["a", "b"], ["a", "c"]]
    results = [
        module.corpus_bleu(references, hypotheses, smoothing_function=smooth)
        for module in (nltk.translate.bleu_score, bleu_score)
    ]
    assert results[0] == results[1]
    (theirs, given_there), (ours, given_here) = seen
    assert given_there == given_here == {"references": references[1], "hypothesis": hypotheses[1], "hyp_len": 4}
    assert [(p.numerator, p.denominator) for p in theirs] == [(p.numerator, p.denominator) for p in ours]


def test_method0_warns_of_each_order_without_matches() -> None:
    for module in (nltk.translate.bleu_score, bleu_score):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            module.sentence_bleu([["a", "b", "c", "d", "e"]], ["a", "b", "x", "d", "e"])
        assert [UserWarning] * 2 == [warning.category for warning in caught]
        for order, warning in zip((3, 4), caught, strict=True):
            assert f"{order}-gram" in str(warning.message)


def test_the_guides_snippet_gives_its_number() -> None:
    reference, candidate = [["there", "is", "a", "cat", "on", "the", "mat"]], ["the", "cat", "is", "on", "the", "mat"]
    smooth = truebleu.nltk.SmoothingFunction().method1
    weights = (0.25, 0.25, 0.25, 0.25)
    assert 0.19433094436376075 == truebleu.nltk.sentence_bleu(
        reference, candidate, weights=weights, smoothing_function=smooth
    )


@pytest.mark.parametrize(
    ("smooth", "expected"),
    [
        (0, 5.5546715329196825e-78),
        (1, 0.19433094436376075),
        (2, 0.38244129131513815),
        (3, 0.29059254080791846),
        (4, 0.2248339488533992),
        (5, 0.2899028757525332),
        (6, 0.22924636105161686),
        (7, 0.31487813800826403),
    ],
)
def test_the_worked_example_has_eight_answers(smooth: int, expected: float) -> None:
    method = getattr(truebleu.nltk.SmoothingFunction(), f"method{smooth}")
    references, hypothesis = [["there", "is", "a", "cat", "on", "the", "mat"]], ["the", "cat", "is", "on", "the", "mat"]
    assert expected == truebleu.nltk.sentence_bleu(references, hypothesis, smoothing_function=method)


def test_corpus_smoothing_depends_on_the_order_of_segments_as_in_nltk() -> None:
    references = [[list("abcdefgh")], [list("xyzw")], [list("pqrstu")]]
    hypotheses = [list("abcxefgh"), list("xy"), list("pqrsutv")]
    scores = {
        name: [
            bleu_score.corpus_bleu(r, h, smoothing_function=getattr(bleu_score.SmoothingFunction(), name))
            for r, h in ((references, hypotheses), (references[::-1], hypotheses[::-1]))
        ]
        for name in ("method4", "method6")
    }
    assert scores == {
        "method4": [0.4396399574052219] * 2,
        "method6": [0.6898396543809052, 0.6359006566868447],
    }


class Token:
    """Equal by its value, whatever its identity."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Token) and self.value == other.value

    def __hash__(self) -> int:
        return self.value % 3


def test_tokens_are_compared_as_keys_of_a_dict() -> None:
    rng = random.Random(5)
    for _ in range(50):
        values = [[rng.randrange(12) for _ in range(rng.randrange(15))] for _ in range(3)]
        objects = [[Token(value) for value in sequence] for sequence in values]
        assert gleu_score.sentence_gleu(values[1:], values[0]) == gleu_score.sentence_gleu(objects[1:], objects[0])
        bleus = [
            bleu_score.sentence_bleu(sequences[1:], sequences[0], (0.5, 0.5), bleu_score.SmoothingFunction().method1)
            for sequences in (values, objects)
        ]
        assert bleus[0] == bleus[1]


def test_an_error_of_a_token_passes_through() -> None:
    class Broken:
        def __hash__(self) -> int:
            return 1

        def __eq__(self, other: object) -> bool:
            raise LookupError("no such token")

    with pytest.raises(LookupError, match="no such token"):
        bleu_score.sentence_bleu([[Broken()]], [Broken()])


def test_many_different_tokens_are_told_apart() -> None:
    hypothesis = [f"token {index}" for index in range(50_000)]
    reference = [f"token {index}" for index in range(0, 100_000, 2)]
    assert "Fraction(25000, 50000)" == repr(bleu_score.modified_precision([reference], hypothesis, 1))


def test_arrays_are_sequences_of_tokens() -> None:
    references, hypothesis = [np.array([1, 2, 3, 4, 5]), [1, 2, 3]], np.array([1, 2, 3, 4, 6])
    lists = [reference if isinstance(reference, list) else reference.tolist() for reference in references]
    expected = nltk.translate.bleu_score.sentence_bleu(lists, hypothesis.tolist())
    assert expected == bleu_score.sentence_bleu(references, hypothesis)


def test_results_do_not_depend_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = Corpus([], [])
    for index in range(60):
        references, hypotheses = corpus(f"threads/{index}", segments=20)
        texts.references.extend(references)
        texts.hypotheses.extend(hypotheses)
    results = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("TRUEBLEU_THREADS", threads)
        results.append((bleu_score.corpus_bleu(*texts), gleu_score.corpus_gleu(*texts)))
    assert results[0] == results[1] == results[2]


# A second opinion, slow and obvious, for what NLTK and the engine could have wrong alike.


@given(
    st.lists(st.lists(st.integers(0, 3), max_size=9), min_size=1, max_size=3),
    st.lists(st.integers(0, 3), max_size=9),
    st.integers(1, 4),
)
def test_modified_precision_is_the_definition(references: list[list[int]], hypothesis: list[int], n: int) -> None:
    own = ngrams(hypothesis, n)
    most = Counter[tuple[int, ...]]()
    for reference in references:
        most |= ngrams(reference, n)
    expected = fractions.Fraction(sum((own & most).values()), max(1, sum(own.values())))
    assert expected == bleu_score.modified_precision(references, hypothesis, n)


@given(
    st.lists(st.lists(st.integers(0, 3), max_size=9), min_size=1, max_size=3),
    st.lists(st.integers(0, 3), max_size=9),
    st.integers(1, 3),
    st.integers(0, 3),
)
def test_gleu_is_the_definition(references: list[list[int]], hypothesis: list[int], low: int, more: int) -> None:
    orders = range(low, low + more + 1)

    def quotient(reference: list[int]) -> float:
        own, theirs = (sum((ngrams(text, n) for n in orders), Counter()) for text in (hypothesis, reference))
        larger = max(sum(own.values()), sum(theirs.values()))
        return sum((own & theirs).values()) / larger if larger else 0.0

    expected = max(map(quotient, references))
    assert expected == gleu_score.sentence_gleu(references, hypothesis, low, low + more)


def ngrams(tokens: list[int], n: int) -> Counter[tuple[int, ...]]:
    return Counter(tuple(tokens[at : at + n]) for at in range(len(tokens) - n + 1))


# Fractions that keep their shape.


def test_fractions_keep_their_shape_and_calculate_like_fractions() -> None:
    eight = bleu_score.modified_precision([["a"] * 8], ["a"] * 8, 1)
    assert ("Fraction(8, 8)", 8, 8, 1.0) == (repr(eight), eight.numerator, eight.denominator, float(eight))
    assert "Fraction(8, 8)" == repr(pickle.loads(pickle.dumps(eight)))
    assert 1 == eight
    assert {1} == {eight, fractions.Fraction(1)}
    assert (1, 1) == eight.as_integer_ratio()
    assert copy.deepcopy(eight).numerator == 8
    for result in (eight + 1, 1 + eight, eight + eight, eight * 2, 2 / eight, 3 - eight):
        assert type(result) is fractions.Fraction
        assert 1 == math.gcd(result.numerator, result.denominator)
    assert "Fraction(1, 3)" == repr(eight / 3)


# Input that cannot be scored.


@pytest.mark.parametrize(
    ("call", "error", "builtin", "message"),
    [
        (lambda m: m.corpus_bleu([], []), errors.NothingToDivide, ZeroDivisionError, "no segments"),
        (
            lambda m: m.corpus_bleu([[["a"]]], [["a"], ["b"]]),
            errors.UnequalCorpora,
            AssertionError,
            "1 segment, and 2",
        ),
        (lambda m: m.corpus_bleu([[["a"]], []], [["a"], ["b"]]), errors.EmptyReferences, KeyError, "segment 1"),
        (lambda m: m.corpus_bleu([[]], [[]]), errors.EmptyReferences, ValueError, "segment 0.*0 tokens"),
        (lambda m: m.modified_precision([], ["a"], 1), errors.EmptyReferences, KeyError, "segment 0"),
        (lambda m: m.closest_ref_length([], 1), errors.EmptyReferences, ValueError, "references is empty"),
        (lambda m: m.sentence_bleu([["a"]], None), errors.InputTypeError, TypeError, "hypothesis 0 is None"),
        (lambda m: m.sentence_bleu([["a"]], 5), errors.InputTypeError, TypeError, "hypothesis 0 is of type int"),
        (lambda m: m.sentence_bleu([["a"]], iter("a")), errors.InputTypeError, TypeError, "of type str_ascii_iterator"),
        (
            lambda m: m.sentence_bleu(3, ["a"]),
            errors.InputTypeError,
            TypeError,
            "references of segment 0 is of type int",
        ),
        (
            lambda m: m.sentence_bleu([5], ["a"]),
            errors.InputTypeError,
            TypeError,
            "reference 0 of segment 0 is of type",
        ),
        (
            lambda m: m.sentence_bleu([["a"]], ["a", ["b"]]),
            errors.InputTypeError,
            TypeError,
            "token 1 .* list.* no hash",
        ),
        (
            lambda m: m.corpus_bleu(None, [["a"]]),
            errors.InputTypeError,
            TypeError,
            "list of references is of type None",
        ),
        (
            lambda m: m.sentence_bleu([["a"]], ["a"], weights=(None,)),
            errors.InputTypeError,
            TypeError,
            "order 1 is None",
        ),
        (lambda m: m.sentence_bleu([["a"]], ["a"], weights=0.25), errors.InputTypeError, TypeError, "weights is 0.25"),
    ],
)
def test_what_nltk_refuses_is_refused_with_an_error_that_nltks_users_catch(
    call: Callable[[Any], Any], error: type[Exception], builtin: type[Exception], message: str
) -> None:
    with pytest.raises(builtin):
        call(nltk.translate.bleu_score)
    with pytest.raises(error, match=message) as caught:
        call(bleu_score)
    assert isinstance(caught.value, builtin)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: bleu_score.modified_precision([["a"]], ["a"], 0), errors.OptionError),
        (lambda: gleu_score.sentence_gleu([["a"]], ["a"], max_len=-2), errors.OptionError),
        (lambda: chrf_score.sentence_chrf("a", "a", 3, 2), errors.OptionError),
        (lambda: chrf_score.sentence_chrf("a", "a", 0, 2), errors.OptionError),
        (lambda: chrf_score.sentence_chrf("a", "a", beta=float("nan")), errors.OptionError),
        (lambda: chrf_score.sentence_chrf("a", [1]), errors.InputTypeError),
        (lambda: chrf_score.corpus_chrf([], []), errors.NothingToDivide),
        (lambda: chrf_score.corpus_chrf(["a"], []), errors.UnequalCorpora),
        (lambda: gleu_score.corpus_gleu([[["a"]]], []), errors.UnequalCorpora),
        (lambda: nist_score.corpus_nist([], []), errors.NothingToDivide),
        (lambda: nist_score.corpus_nist([[]], [["a"]]), errors.EmptyReferences),
        (lambda: nist_score.corpus_nist([[["a"]]], []), errors.UnequalCorpora),
        (lambda: nist_score.sentence_nist([["a"]], ["a"], 0), errors.OptionError),
    ],
)
def test_what_makes_no_sense_is_refused(call: Callable[[], Any], error: type[Exception]) -> None:
    with pytest.raises(error, match=r"expected|one for|list of them"):
        call()


def test_method6_says_what_it_needs() -> None:
    smooth = bleu_score.SmoothingFunction().method6
    for texts, weights, builtin in (
        (([["a", "b", "c", "d"]], ["a", "b", "d", "c"]), (0.25,) * 4, AssertionError),
        (([["a", "b", "c", "d"]], ["a", "b", "c", "d"]), (0.5, 0.5), IndexError),
    ):
        with pytest.raises(errors.SmoothingUndefined, match="at least three orders and a trigram") as caught:
            bleu_score.sentence_bleu(*texts, weights, smooth)
        assert isinstance(caught.value, builtin)


def test_method6_comes_back_from_many_orders() -> None:
    text = list("abcdefghijklmnopqrstuvwxyz") * 2
    for order in (12, 16, 40):
        weights = (1 / order,) * order
        score = bleu_score.sentence_bleu([text], text, weights, bleu_score.SmoothingFunction().method6)
        assert 1 == pytest.approx(score, rel=1e-12)  # Floats from the fourteenth order on.


def test_strings_are_scored_by_character_and_a_warning_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("WARNING", logger="truebleu")
    expected = nltk.translate.bleu_score.sentence_bleu(["the grey heron"], "the grey bird")
    assert expected == bleu_score.sentence_bleu(["the grey heron"], "the grey bird")
    assert ["hypothesis is a string", "a reference is a string"] == [
        record.getMessage().removeprefix("sentence_bleu: ").partition(",")[0] for record in caplog.records
    ]
    caplog.clear()
    bleu_score.sentence_bleu([["the", "grey", "heron"]], ["the", "grey", "bird"])
    assert [] == caplog.records


def test_importing_the_dialect_loads_neither_nltk_nor_numpy() -> None:
    import subprocess

    code = "import truebleu.nltk, sys; print(sorted({'nltk', 'numpy'} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "[]" == run.stdout.strip()


def test_an_order_beyond_all_texts_is_scored_at_once_or_refused() -> None:
    start = time.process_time()
    assert 0 < chrf_score.sentence_chrf("a", "a", max_len=100_000) < 1e-4
    for order in (10**8, 2**31, 10**30):
        with pytest.raises(errors.OptionError, match="expected a whole number from 1 to 100000"):
            chrf_score.sentence_chrf("a", "a", max_len=order)
    assert time.process_time() - start < 2


def test_edges_where_nltk_gives_zero_give_zero() -> None:
    for module in (bleu_score, nltk.translate.bleu_score):
        assert 0 == module.modified_precision([], ["a"], 4)
        assert 0 == module.corpus_bleu([], [], weights=())


def test_method6_with_alpha_0_divides_by_zero_as_nltks() -> None:
    texts = [["a", "b", "c", "d", "e", "f"]], ["a", "b", "c"]
    for module in (bleu_score, nltk.translate.bleu_score):
        with pytest.raises(ZeroDivisionError):
            module.sentence_bleu(*texts, smoothing_function=module.SmoothingFunction(alpha=0).method6)


def test_precision_recall_and_ngrams_are_nltks(cases: int) -> None:
    for index in range(cases):
        rng = random.Random(f"chrf/{index}")
        texts = ["".join(rng.choices("abc", k=rng.randint(0, 7))) for _ in range(2)]
        order, beta = rng.randint(1, 4), rng.choice((0.5, 1, 3.0))
        expected = nltk.translate.chrf_score.chrf_precision_recall_fscore_support(*texts, order, beta)
        assert expected == chrf_score.chrf_precision_recall_fscore_support(*texts, order, beta)
        assert [*nltk.translate.bleu_score.ngrams(texts[0], order)] == [*bleu_score.ngrams(texts[0], order)]


def test_weights_whose_score_is_beyond_floats_are_named() -> None:
    with pytest.raises(truebleu.errors.OptionError, match="the weights give a score beyond all floats"):
        truebleu.nltk.sentence_bleu([["a", "b", "c"]], ["a", "b", "x"], weights=[-(2**63)])
