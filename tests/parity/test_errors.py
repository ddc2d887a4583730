"""Bad input is refused before any counting, with an error that says what, where, got and expected.

Each error is also an instance of the builtin that sacreBLEU raises in that place. Two kinds of places
are excepted and marked: where sacreBLEU raises nothing and gives the score of something else, and where
it stumbles deep inside (an AttributeError about `rstrip`, a division by zero).
"""

import re
from collections.abc import Callable
from typing import Any

import pytest
import sacrebleu.metrics

import truebleu
import truebleu.metrics
from truebleu import errors

METRICS = ("BLEU", "CHRF", "TER")

NAN = float("nan")

# What sacreBLEU does there: raises on purpose, stumbles over its own feet, or scores something else.
RAISES, STUMBLES, SCORES = "raises", "stumbles", "scores"

# (label, hypotheses, references, our error, what sacreBLEU does, patterns in our message)
CORPUS_CASES: list[tuple[str, Any, Any, type[Exception], str, list[str]]] = [
    (
        "hypotheses are one string",
        "abc",
        [["a", "b", "c"]],
        errors.InputTypeError,
        SCORES,
        ["hypotheses", "abc"],
    ),
    ("hypotheses are None", None, [["a"]], errors.InputTypeError, RAISES, ["hypotheses", "None"]),
    ("hypotheses are a number", 3, [["a"]], errors.InputTypeError, RAISES, ["hypotheses", "int"]),
    ("hypotheses are bytes", b"ab", [["a", "b"]], errors.InputTypeError, RAISES, ["hypotheses", "bytes"]),
    (
        "the first hypothesis is None",
        [None],
        [["a"]],
        errors.InputTypeError,
        RAISES,
        ["hypothes", r"\b0\b", "None"],
    ),
    ("the first hypothesis is a number", [3], [["a"]], errors.InputTypeError, RAISES, [r"\b0\b", "int"]),
    ("the first hypothesis is bytes", [b"a"], [["a"]], errors.InputTypeError, RAISES, [r"\b0\b", "bytes"]),
    ("the first hypothesis is a list", [["a"]], [["a"]], errors.InputTypeError, RAISES, [r"\b0\b", "list"]),
    (
        "a later hypothesis is None",
        ["a", "b", None],
        [["a"] * 3],
        errors.InputTypeError,
        RAISES,
        [r"\b2\b", "None"],
    ),
    (
        "a later hypothesis is a number",
        ["a", "b", 7.5],
        [["a"] * 3],
        errors.InputTypeError,
        STUMBLES,
        [r"\b2\b", "float"],
    ),
    (
        "a later hypothesis is not a number",
        ["a", NAN],
        [["a", "b"]],
        errors.InputTypeError,
        STUMBLES,
        [r"\b1\b", "float"],
    ),
    (
        "references are a flat list",
        ["a b"],
        ["a b"],
        errors.InputTypeError,
        SCORES,
        ["references", "a b", "list"],
    ),
    (
        "references are a flat list of the right length",
        ["a", "b"],
        ["a", "b"],
        errors.InputTypeError,
        SCORES,
        ["list"],
    ),
    ("references are one string", ["a b"], "a b", errors.InputTypeError, SCORES, ["references", "str"]),
    ("references are a number", ["a b"], 3, errors.InputTypeError, RAISES, ["references", "int"]),
    ("a stream is a number", ["a b"], [3], errors.InputTypeError, RAISES, ["references", r"\b0\b", "int"]),
    ("a stream is None", ["a b"], [None], errors.InputTypeError, RAISES, ["references", r"\b0\b", "None"]),
    ("a later stream is a number", ["a"], [["a"], 3], errors.InputTypeError, RAISES, [r"\b1\b", "int"]),
    (
        "a later stream is a string",
        ["a", "b"],
        [["a", "b"], "ab"],
        errors.InputTypeError,
        SCORES,
        [r"\b1\b", "ab"],
    ),
    ("the first reference is a number", ["a b"], [[3]], errors.InputTypeError, RAISES, [r"\b0\b", "int"]),
    ("the first reference is a list", ["a b"], [[["a"]]], errors.InputTypeError, RAISES, [r"\b0\b", "list"]),
    (
        "a reference deep inside is a number",
        ["a", "b", "c", "d"],
        [["a"] * 4, ["a"] * 4, ["a", "a", "a", 5]],
        errors.InputTypeError,
        STUMBLES,
        [r"\b2\b", r"\b3\b", "int"],
    ),
    (
        "a reference deep inside is bytes",
        ["a", "b", "c", "d"],
        [["a"] * 4, ["a", b"a", "a", "a"]],
        errors.InputTypeError,
        STUMBLES,
        [r"\b1\b", "bytes"],
    ),
    ("there are no hypotheses", [], [["a"]], errors.EmptyCorpus, RAISES, ["hypotheses", "empty"]),
    ("there is nothing at all", [], [[]], errors.EmptyCorpus, RAISES, ["empty"]),
    ("there are no streams", ["a"], [], errors.EmptyCorpus, RAISES, ["references", "empty"]),
    ("the only stream is empty", ["a", "b"], [[]], errors.InputError, RAISES, [r"\b0\b", r"\b2\b"]),
    (
        "a stream is too short",
        list("abcde"),
        [["a"] * 4],
        errors.LengthMismatch,
        SCORES,
        [r"\b4\b", r"\b5\b"],
    ),
    ("a stream is too long", list("abcde"), [["a"] * 7], errors.LengthMismatch, SCORES, [r"\b7\b", r"\b5\b"]),
    (
        "a later stream is too short",
        list("abcdefghi"),
        [["a"] * 9, ["a"] * 9, ["a"] * 8],
        errors.LengthMismatch,
        SCORES,
        ["reference", r"\b2\b", r"\b8\b", r"\b9\b"],
    ),
    (
        "a later stream is too long",
        list("abcdefghi"),
        [["a"] * 9, ["a"] * 11],
        errors.LengthMismatch,
        SCORES,
        ["reference", r"\b1\b", r"\b11\b", r"\b9\b"],
    ),
    (
        "references are grouped by segment",
        ["a", "b", "c"],
        [["a", "x"], ["b", "y"], ["c", "z"]],
        errors.LengthMismatch,
        SCORES,
        ["look transposed", "segments", r"\b2\b", r"\b3\b"],
    ),
    (
        "references are grouped by segment, one each",
        ["a", "b", "c"],
        [["a"], ["b"], ["c"]],
        errors.LengthMismatch,
        SCORES,
        ["look transposed", "segments"],
    ),
    ("no references and none cached", ["a"], None, errors.MissingReferences, RAISES, ["references"]),
    (
        "a segment has no reference",
        ["a", "b", "c"],
        [["a", "b", None], ["x", None, None]],
        errors.SegmentWithoutReference,
        STUMBLES,
        [r"\b2\b", "None"],
    ),
    (
        "the only segment has no reference",
        ["a"],
        [[None]],
        errors.SegmentWithoutReference,
        STUMBLES,
        [r"\b0\b", "None"],
    ),
]

# (label, hypothesis, references, our error, what sacreBLEU does, patterns in our message)
SENTENCE_CASES: list[tuple[str, Any, Any, type[Exception], str, list[str]]] = [
    ("the hypothesis is a list", ["a"], ["a"], errors.InputTypeError, RAISES, ["hypothesis", "list"]),
    ("the hypothesis is None", None, ["a"], errors.InputTypeError, RAISES, ["hypothesis", "None"]),
    ("the hypothesis is a number", 3, ["a"], errors.InputTypeError, RAISES, ["hypothesis", "int"]),
    ("references are one string", "a", "a b", errors.InputTypeError, RAISES, ["references", "a b"]),
    ("references are None", "a", None, errors.InputTypeError, RAISES, ["references", "None"]),
    ("references are a number", "a", 3, errors.InputTypeError, RAISES, ["references", "int"]),
    (
        "the first reference is a number",
        "a",
        [3],
        errors.InputTypeError,
        RAISES,
        ["reference", r"\b0\b", "int"],
    ),
    (
        "the first reference is a list",
        "a",
        [["a"]],
        errors.InputTypeError,
        RAISES,
        ["reference", r"\b0\b", "list"],
    ),
    ("a later reference is a number", "a", ["a", "b", 3], errors.InputTypeError, STUMBLES, [r"\b2\b", "int"]),
    ("there are no references", "a", [], errors.EmptyCorpus, RAISES, ["references", "empty"]),
    ("every reference is None", "a", [None, None], errors.SegmentWithoutReference, STUMBLES, ["None"]),
]

# (metric, options, our error, what sacreBLEU does when it is built, patterns in our message)
OPTION_CASES: list[tuple[str, dict[str, Any], type[Exception], str, list[str]]] = [
    ("BLEU", {"tokenize": "13b"}, errors.UnknownTokenizer, RAISES, ["13b", "13a", "intl"]),
    ("BLEU", {"tokenize": "13A"}, errors.UnknownTokenizer, RAISES, ["13A", "13a"]),
    ("BLEU", {"tokenize": ""}, errors.UnknownTokenizer, RAISES, ["13a"]),
    (
        "BLEU",
        {"smooth_method": "laplace"},
        errors.UnknownSmoothing,
        RAISES,
        ["laplace", "exp", "floor", "add-k", "none"],
    ),
    ("BLEU", {"smooth_method": "EXP"}, errors.UnknownSmoothing, RAISES, ["EXP", "exp"]),
    ("BLEU", {"smooth_method": None}, errors.UnknownSmoothing, RAISES, ["None", "exp"]),
    ("BLEU", {"empty_refs": "ignore"}, errors.OptionError, SCORES, ["ignore", "drop", "keep"]),
    ("CHRF", {"empty_refs": "ignore"}, errors.OptionError, SCORES, ["ignore", "drop", "keep"]),
    ("TER", {"empty_refs": None}, errors.OptionError, SCORES, ["None", "drop", "keep"]),
]


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("case", CORPUS_CASES, ids=lambda case: case[0].replace(" ", "_"))
def test_corpus_score_refuses_when(case: tuple[Any, ...], name: str) -> None:
    _, hyps, refs, error, there, patterns = case
    metric = getattr(truebleu.metrics, name)()
    raised = refused(error, patterns, metric.corpus_score, hyps, refs)
    agrees_with_sacrebleu(raised, there, getattr(sacrebleu.metrics, name)().corpus_score, hyps, refs)


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("call", ["stats", "sentence_scores"])
@pytest.mark.parametrize("case", CORPUS_CASES, ids=lambda case: case[0].replace(" ", "_"))
def test_rows_and_sentence_scores_refuse_what_corpus_score_refuses(case: tuple[Any, ...], call: str, name: str) -> None:
    title, hyps, refs, error, _, patterns = case
    # One string for each segment is taken where each is scored, as by an accumulator, unless streams are asked for.
    asked = {"layout": "streams"} if "flat list" in title and call == "sentence_scores" else {}
    refused(error, patterns, getattr(getattr(truebleu.metrics, name)(), call), hyps, refs, **asked)


@pytest.mark.parametrize("function", ["corpus_bleu", "raw_corpus_bleu", "corpus_chrf", "corpus_ter"])
@pytest.mark.parametrize("case", CORPUS_CASES, ids=lambda case: case[0].replace(" ", "_"))
def test_corpus_functions_refuse_when(case: tuple[Any, ...], function: str) -> None:
    _, hyps, refs, error, _, patterns = case
    refused(error, patterns, getattr(truebleu, function), hyps, refs)


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("case", SENTENCE_CASES, ids=lambda case: case[0].replace(" ", "_"))
def test_sentence_score_refuses_when(case: tuple[Any, ...], name: str) -> None:
    _, hyp, refs, error, there, patterns = case
    metric = getattr(truebleu.metrics, name)()
    raised = refused(error, patterns, metric.sentence_score, hyp, refs)
    agrees_with_sacrebleu(raised, there, getattr(sacrebleu.metrics, name)().sentence_score, hyp, refs)


@pytest.mark.parametrize("function", ["sentence_bleu", "sentence_chrf", "sentence_ter"])
@pytest.mark.parametrize("case", SENTENCE_CASES, ids=lambda case: case[0].replace(" ", "_"))
def test_sentence_functions_refuse_when(case: tuple[Any, ...], function: str) -> None:
    _, hyp, refs, error, _, patterns = case
    refused(error, patterns, getattr(truebleu, function), hyp, refs)


@pytest.mark.parametrize("case", OPTION_CASES, ids=lambda case: f"{case[0]}-{case[1]}")
def test_constructors_refuse_unknown_values(case: tuple[Any, ...]) -> None:
    name, options, error, there, patterns = case
    raised = refused(error, patterns, getattr(truebleu.metrics, name), **options)
    if there == RAISES:
        agrees_with_sacrebleu(raised, there, getattr(sacrebleu.metrics, name), **options)


@pytest.mark.parametrize("name", METRICS)
def test_unknown_options_are_a_type_error(name: str) -> None:
    with pytest.raises(TypeError, match="no_such_option"):
        getattr(truebleu.metrics, name)(no_such_option=1)


@pytest.mark.parametrize("name", METRICS)
def test_empty_refs_can_only_be_given_by_name(name: str) -> None:
    with pytest.raises(TypeError):
        getattr(truebleu.metrics, name)(*[None] * 9, "keep")


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("layout", ["stream", "SEGMENTS", "", 0, False])
def test_unknown_layouts_are_refused(name: str, layout: Any) -> None:
    metric = getattr(truebleu.metrics, name)()
    for call in (metric.corpus_score, metric.stats, metric.sentence_scores):
        refused(errors.OptionError, ["layout", "streams", "segments"], call, ["a"], [["a"]], layout=layout)


@pytest.mark.parametrize("name", METRICS)
def test_segments_given_as_streams_look_transposed(name: str) -> None:
    """Two streams of three segments, said to be grouped by segment."""
    call = getattr(truebleu.metrics, name)().corpus_score
    streams = [["a", "b", "c"], ["x", "y", "z"]]
    refused(errors.LengthMismatch, [r"\b2\b", r"\b3\b"], call, ["a", "b", "c"], streams, layout="segments")


@pytest.mark.parametrize("name", METRICS)
def test_a_segment_without_references_is_refused_in_either_layout(name: str) -> None:
    call = getattr(truebleu.metrics, name)().corpus_score
    for references in ([["a"], []], [["a"], [None]], [["a", "b"], [None, None]]):
        refused(errors.SegmentWithoutReference, [r"\b1\b"], call, ["a", "b"], references, layout="segments")


@pytest.mark.parametrize("name", METRICS)
def test_there_is_no_signature_before_references_were_seen(name: str) -> None:
    raised = refused(errors.SignatureUnavailable, ["reference"], getattr(truebleu.metrics, name)().get_signature)
    agrees_with_sacrebleu(raised, RAISES, getattr(sacrebleu.metrics, name)().get_signature)


@pytest.mark.parametrize("name", METRICS)
def test_cached_references_must_fit_the_hypotheses(name: str) -> None:
    """sacreBLEU cuts to the shorter."""
    metric = getattr(truebleu.metrics, name)(references=[["a", "b", "c"]])
    refused(errors.LengthMismatch, [r"\b3\b", r"\b2\b"], metric.corpus_score, ["a", "b"], None)


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize(
    ("references", "error"),
    [
        (["a b"], errors.InputTypeError),
        ("a b", errors.InputTypeError),
        (3, errors.InputTypeError),
        ([["a", 3]], errors.InputTypeError),
        ([["a", "b"], ["a"]], errors.LengthMismatch),
        ([["a", None], ["b", None]], errors.SegmentWithoutReference),
    ],
)
def test_constructors_refuse_references_that_are_not_streams(
    name: str, references: Any, error: type[Exception]
) -> None:
    """sacreBLEU does not look at them."""
    with pytest.raises(error) as caught:
        getattr(truebleu.metrics, name)(references=references)
    assert isinstance(caught.value, errors.TruebleuError)


@pytest.mark.parametrize("name", METRICS)
def test_sentence_scores_never_use_the_cache(name: str) -> None:
    cached = {"references": [["a"]]}
    metric = getattr(truebleu.metrics, name)(**cached)
    raised = refused(errors.InputTypeError, ["references", "None"], metric.sentence_score, "a", None)
    theirs = getattr(sacrebleu.metrics, name)(**cached)
    agrees_with_sacrebleu(raised, RAISES, theirs.sentence_score, "a", None)


@pytest.mark.parametrize("name", METRICS)
def test_nothing_is_kept_from_a_call_that_was_refused(name: str) -> None:
    metric = getattr(truebleu.metrics, name)()
    with pytest.raises(errors.LengthMismatch):
        metric.corpus_score(["a"], [["a", "b"]])
    refused(errors.SignatureUnavailable, [], metric.get_signature)


@pytest.mark.parametrize("name", METRICS)
def test_json_without_a_signature_is_refused(name: str) -> None:
    raised = refused(
        ValueError,
        ["signature"],
        getattr(truebleu.metrics, name)().corpus_score(["a"], [["a"]]).format,
        is_json=True,
    )
    theirs = getattr(sacrebleu.metrics, name)().corpus_score(["a"], [["a"]])
    agrees_with_sacrebleu(raised, RAISES, theirs.format, is_json=True)


def refused(
    error: type[Exception], patterns: list[str], call: Callable[..., Any], *arguments: Any, **keywords: Any
) -> Exception:
    """Call, and give back the error, which must be ours and hold the facts."""
    with pytest.raises(error) as caught:
        call(*arguments, **keywords)
    assert isinstance(caught.value, errors.TruebleuError)
    for pattern in patterns:
        assert re.search(pattern, str(caught.value)), f"no {pattern!r} in {str(caught.value)!r}"
    return caught.value


def agrees_with_sacrebleu(
    raised: Exception, there: str, call: Callable[..., Any], *arguments: Any, **keywords: Any
) -> None:
    """Our error is what sacreBLEU raises too, where it raises on purpose; and it does what the table says."""
    if there == SCORES:
        call(*arguments, **keywords)
        return
    with pytest.raises(Exception) as theirs:
        call(*arguments, **keywords)
    if there == RAISES:
        assert isinstance(raised, theirs.type), f"sacreBLEU raises {theirs.type.__name__}: {theirs.value}"
