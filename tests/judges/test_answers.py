"""Answers of judges: what is read, what is not, and never a number that a strict reader would not see."""

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strict_answers as strict
from conftest import CASES, REPOSITORY
from truebleu.runners.judging.answers import MOST_ERRORS, JudgedError, located, mqm_score, read_answer
from truebleu.runners.judging.scorer import _HOPELESS
from truebleu.runners.protocol import Span

FULL = (0.0, 100.0)


@pytest.mark.parametrize(
    "text",
    [
        '{"score": 85}', ' {"score": 85.0}\n', '{"score": 8.5e1}', '{"score": 85, "score": 85}',
    ],
)  # fmt: skip
def test_an_object_with_a_score_is_read_in_both_ways(text: str) -> None:
    assert 85 == read_answer(text, "score", FULL).score == read_answer(text, "score", FULL, as_schema=True).score


@pytest.mark.parametrize(
    "text",
    [
        "85", "85.0", " 85\n", "score: 85", "Score: 85", "85/100", "85 / 100", '```json\n{"score": 85}\n```',
        "<think>100, or 5?</think>85", '<think>\n</think>\n\n```\n{"score": 85}\n```\n', "<think>a</think>```\n85\n```",
    ],
)  # fmt: skip
def test_as_text_a_line_with_a_number_alone_is_read_too_and_under_a_schema_it_is_not(text: str) -> None:
    assert 85 == read_answer(text, "score", FULL).score
    assert "prose" == read_answer(text, "score", FULL, as_schema=True).why


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "prose"), ("I'd say 85 or 90", "prose"), ("100%", "prose"), ("85,5", "prose"), ("eighty", "prose"),
        ("85 90", "prose"), ("85\n90", "prose"), ("85 points", "prose"), ("The score: 85", "prose"), ("085", "prose"),
        ("-5", "range"), ("185", "range"), ("٨٥", "prose"), ("8_5", "prose"), ("85 / 10", "prose"),
        ('{"score": "85"}', "number"), ('{"score": true}', "number"), ('{"score": null}', "number"),
        ('{"score": [85]}', "number"), ('{"score": NaN}', "number"), ('{"score": Infinity}', "number"),
        ('{"score": 1e999}', "range"), ('{"score": -0.1}', "range"), ('{"score": 100.1}', "range"),
        ('{"score": 1' + 400 * "0" + "}", "range"), ('{"score": 1' + 5000 * "0" + "}", "prose"),
        ('{"score": 85, "score": 86}', "keys"), ('{"score": 85, "score": true}', "keys"), ("{}", "keys"),
        ('{"score": 1, "score": true}', "keys"), ('{"score": 85, "why": "good"}', "keys"), ('{"Score": 85}', "keys"),
        ('[{"score": 85}]', "prose"), ('{"score": 85} {"score": 85}', "prose"), ('{"score": 85', "prose"),
        ('Sure! {"score": 85}', "prose"), ('{"score": 85}.', "prose"), ("[" * 100_000, "prose"),
        ('```\n{"score": 85}\n```\nDone.', "prose"), ("<think>85", "prose"),
        ("<think>a</think><think>b</think>85", "prose"),
        ('{"score": 85}\ud800', "prose"),
    ],
)  # fmt: skip
def test_everything_else_is_no_score(text: str, why: str) -> None:
    assert (None, why) == (read_answer(text, "score", FULL).score, read_answer(text, "score", FULL).why)


def errors(*several: Any) -> str:
    return json.dumps({"errors": several})


def test_errors_are_read_and_weighed() -> None:
    text = errors(
        {"text": "bad", "severity": "minor", "category": "style", "in": "translation"},
        {"text": "gone", "severity": "major", "in": "source"}, {"text": "x", "severity": "critical"},
    )  # fmt: skip
    found = read_answer(text, "errors", (-25.0, 0.0)).errors
    assert (JudgedError("bad", "minor", "style"), JudgedError("gone", "major", None, "source")) == found[:2]
    assert [-1, -6, -25, 0] == [mqm_score(one) for one in (found[:1], found[:2], found, ())]
    assert "0.0" == str(mqm_score(()))


@pytest.mark.parametrize(
    "one",
    [
        {"text": "bad"}, {"severity": "minor"}, {"text": 1, "severity": "minor"}, {"text": "a", "severity": "severe"},
        {"text": "a", "severity": "Minor"}, {"text": "a", "severity": ["minor"]}, "bad", None, [],
        {"text": "a", "severity": "minor", "in": "hypothesis"}, {"text": "a", "severity": "minor", "category": 3},
        {"text": "a", "severity": "minor", "score": 3}, {"text": "\ud800", "severity": "minor"},
        {"text": "a", "severity": "minor", "category": "\udc00"},
    ],
)  # fmt: skip
def test_an_error_is_as_it_was_asked_for_or_the_answer_cannot_be_read(one: Any) -> None:
    assert "errors" == read_answer(errors(one), "errors", (-25.0, 0.0)).why


def test_there_are_at_most_a_hundred_errors() -> None:
    one = {"text": "a", "severity": "minor"}
    assert MOST_ERRORS == len(read_answer(errors(*[one] * MOST_ERRORS), "errors", (-25.0, 0.0)).errors)
    assert "errors" == read_answer(errors(*[one] * (MOST_ERRORS + 1)), "errors", (-25.0, 0.0)).why
    assert "errors" == read_answer('{"errors": {}}', "errors", (-25.0, 0.0)).why


def test_both_may_be_asked_for_at_once() -> None:
    text = '{"score": 70, "errors": [{"text": "bad", "severity": "minor"}]}'
    assert (70.0, 1) == (
        read_answer(text, "errors+score", FULL).score,
        len(read_answer(text, "errors+score", FULL).errors),
    )
    assert "keys" == read_answer('{"score": 70}', "errors+score", FULL).why == read_answer(text, "score", FULL).why


def test_errors_get_the_place_of_their_words() -> None:
    named = [JudgedError(text, "minor") for text in ("b", "b", "gone", "", "b")]
    named += [JudgedError("src", "major", None, "source"), JudgedError("nowhere", "major", None, "source")]
    spans, placeless, ambiguous = located(named, "a b b 👍 c", "the src")
    assert [Span(2, 3, "minor"), Span(4, 5, "minor")] == spans
    assert (4, 3) == (placeless, ambiguous)
    assert [Span(6, 7, "minor")] == located([JudgedError("👍", "minor")], "a b b 👍 c", None)[0]


TEXTS = st.text(st.sampled_from("bad \\\"'{}\x00é👍\ud800"), max_size=4)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-30, 130) | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=4,
)
SCORES = st.integers(-30, 130) | st.floats(-1, 101) | ANYTHING
ERRORS = st.fixed_dictionaries(
    {"text": TEXTS, "severity": st.sampled_from(["minor", "major", "critical", "none"])},
    optional={"category": TEXTS | st.none(), "in": st.sampled_from(["translation", "source", "x"]), "more": ANYTHING},
)
OBJECTS = st.fixed_dictionaries({}, optional={"score": SCORES, "errors": st.lists(ERRORS, max_size=3) | ANYTHING})


@st.composite
def answers(draw: st.DrawFn) -> str:
    """Answers nearly as they should be: wrapped, damaged, with a piece of another one."""
    text = json.dumps(draw(OBJECTS), ensure_ascii=draw(st.booleans()))
    if draw(st.booleans()):
        text = str(draw(st.sampled_from(["85", "score: 7", "7/100", "-3", "99.5", "0", "100"])))
    text = draw(st.sampled_from(["", "", "", "```json\n", "```\n", "<think>3</think>", "<think>", "Score: "])) + text
    text += draw(st.sampled_from(["", "", "", "\n```", "\n", "/100", "}", "<think>3</think>"]))
    if draw(st.booleans()):
        return text
    at, size = draw(st.integers(0, len(text))), draw(st.sampled_from([0, 0, 1, 2]))
    put = draw(st.sampled_from(["", "", "1", ".", '"', "\n", ",", "\\", "é", "٣", "e9", "\\ud800", '"score": 1,']))
    return text[:at] + put + text[at + size :]


@settings(max_examples=4 * CASES)
@given(text=answers(), form=st.sampled_from(["score", "errors", "errors+score"]), as_schema=st.booleans())
def test_a_number_is_read_if_and_only_if_a_strict_reader_sees_it(text: str, form: str, as_schema: bool) -> None:
    bounds = (-25.0, 0.0) if form == "errors" else FULL
    found = read_answer(text, form, bounds, as_schema=as_schema)
    score = None if found.why else found.score if found.score is not None else mqm_score(found.errors)
    assert strict.score_of(text, form, *bounds, as_schema=as_schema) == score, text
    assert bool(found.why) is (score is None)


def test_the_page_has_all_words_for_what_cannot_be_read() -> None:
    page = (REPOSITORY / "docs" / "judges.md").read_text("utf-8")
    folder = REPOSITORY / "python" / "truebleu" / "runners" / "judging"
    code = (folder / "answers.py").read_text("utf-8")
    words = {*re.findall(r'_Unreadable\("([a-z]+)"\)', code), *_HOPELESS, "cut"}
    assert {"prose", "keys", "number", "range", "errors", "cut", "refused", "too long"} == words
    assert [] == [word for word in words if f"`{word}`" not in page]
