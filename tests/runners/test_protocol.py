"""No wrong line becomes a score: one row of a table for each kind."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truebleu.errors import RunnerProtocolError
from truebleu.runners.protocol import LONGEST_LINE, LineReader, Result, Span, Unit, line_of

HELLO = {"type": "hello", "protocol": 1, "runner": "fake", "runner_version": 1, "python": "3.12.1", "packages": {}}
READER = LineReader("fake")
UNITS = [Unit("Quelle", "source é𝄞", "ref"), Unit("b", "", "c")]

WRONG_LINES = {
    "not JSON": b"xyz\n",
    "half a line": b'{"type": "progress"',
    "no object": b"[1]\n",
    "no type": b"{}\n",
    "unknown type": b'{"type": "score"}\n',
    "a list as type": b'{"type": []}\n',
    "too long": b'"' + b"a" * LONGEST_LINE + b'"\n',
    "too deep": b"[" * 100_000 + b"\n",
    "not UTF-8": b'{"type": "progress", "phase": "\xff"}\n',
    "NaN": b'{"type": "result", "id": 1, "results": [{"score": NaN}]}\n',
    "Infinity": b'{"type": "result", "id": 1, "results": [{"score": -Infinity}]}\n',
    "a key twice": b'{"type": "result", "id": 1, "results": [{"score": 1, "score": 2}]}\n',
    "UTF-16": '{"type": "progress", "phase": "load", "done": 0, "total": 0}\n'.encode("utf-16-be"),
    "a mark of byte order": b'\xef\xbb\xbf{"type": "progress", "phase": "load", "done": 0, "total": 0}\n',
    "id is text": b'{"type": "result", "id": "1", "results": []}\n',
    "id is a bool": b'{"type": "result", "id": true, "results": []}\n',
    "no id": b'{"type": "result", "results": []}\n',
    "results no list": b'{"type": "result", "id": 1, "results": {}}\n',
    "unknown failure": b'{"type": "failed", "id": 1, "kind": "tired", "message": ""}\n',
    "failure without words": b'{"type": "failed", "id": 1, "kind": "oom"}\n',
    "ready without meta": b'{"type": "ready", "batch": 1}\n',
    "negative progress": b'{"type": "progress", "phase": "load", "done": -1, "total": 0}\n',
    **{f"hello without {key}": line_of({k: v for k, v in HELLO.items() if k != key}) for key in HELLO if key != "type"},
    "version no text": line_of({**HELLO, "packages": {"torch": 2}}),
}


@pytest.mark.parametrize("line", WRONG_LINES.values(), ids=WRONG_LINES)
def test_a_wrong_line_is_the_mistake_of_the_runner(line: bytes) -> None:
    with pytest.raises(RunnerProtocolError, match=r"the runner fake sent .* that is its mistake") as error:
        READER.message(line)
    assert len(str(error.value)) < 600


def test_another_protocol_is_told_by_its_number() -> None:
    with pytest.raises(RunnerProtocolError, match="speaks protocol 2, truebleu speaks 1"):
        READER.message(line_of({**HELLO, "protocol": 2}))


def test_unknown_keys_are_ignored() -> None:
    assert {**HELLO, "colour": "blue"} == READER.message(line_of({**HELLO, "colour": "blue"}))


SPAN = {"start": 0, "end": 2, "severity": "major"}
WRONG_RESULTS: dict[str, Any] = {
    "too few": [{"score": 1.0}],
    "too many": [{"score": 1.0}] * 3,
    "no object": [1.0, 1.0],
    "no score": [{}, {"score": 1}],
    "text": [{"score": "1"}, {"score": 1}],
    "bool": [{"score": True}, {"score": 1}],
    "infinite": [json.loads('{"score": 1e999}'), {"score": 1}],
    "a huge whole number": [{"score": 10**400}, {"score": 1}],
    "too high": [{"score": 25.1}, {"score": 1}],
    "too low": [{"score": -0.1}, {"score": 1}],
    "missing without a reason": [{"score": None}, {"score": 1}],
    "cut is negative": [{"score": 1, "cut": -1}, {"score": 1}],
    "cut is a bool": [{"score": 1, "cut": True}, {"score": 1}],
    "parts are text": [{"score": 1, "parts": {"P": "1"}}, {"score": 1}],
    "parts are a list": [{"score": 1, "parts": [1]}, {"score": 1}],
    "parts are false": [{"score": 1, "parts": False}, {"score": 1}],
    "spans are one object": [{"score": 1, "spans": SPAN}, {"score": 1}],
    "a span is no object": [{"score": 1, "spans": [1]}, {"score": 1}],
    "a span beyond the end": [{"score": 1, "spans": [{**SPAN, "end": 10}]}, {"score": 1}],
    "a span counted in bytes": [{"score": 1, "spans": [{**SPAN, "start": 8, "end": 13}]}, {"score": 1}],
    "a span reversed": [{"score": 1, "spans": [{**SPAN, "start": 2, "end": 1}]}, {"score": 1}],
    "an empty span": [{"score": 1, "spans": [{**SPAN, "start": 2}]}, {"score": 1}],
    "a span of an empty text": [{"score": 1}, {"score": 1, "spans": [SPAN]}],
    "a span without severity": [{"score": 1, "spans": [{"start": 0, "end": 1}]}, {"score": 1}],
    "spans out of order": [{"score": 1, "spans": [{**SPAN, "start": 1}, SPAN]}, {"score": 1}],
}


@pytest.mark.parametrize("results", WRONG_RESULTS.values(), ids=WRONG_RESULTS)
def test_a_wrong_result_is_refused(results: list[Any]) -> None:
    with pytest.raises(RunnerProtocolError):
        READER.results({"type": "result", "id": 1, "results": results}, UNITS, (0.0, 25.0), "segment {}".format)


def test_too_few_results_beside_a_number_that_is_infinite() -> None:
    message = READER.message(b'{"type": "result", "id": 1, "results": [], "more": 1e999}\n')
    with pytest.raises(RunnerProtocolError, match="expected 2 results, and there are 0"):
        READER.results(message, UNITS, (0.0, 25.0), "segment {}".format)


def test_right_results_come_whole() -> None:
    given = [{"score": 1, "cut": 3, "spans": [{**SPAN, "end": 9}], "parts": {"P": 0.5}}, {"score": None, "why": "no"}]
    found = READER.results({"results": given}, UNITS, (0.0, 25.0), "segment {}".format)
    assert [Result(1.0, 3, "", (Span(0, 9, "major"),), {"P": 0.5}), Result(None, why="no")] == found


def test_a_score_out_of_range_is_told_with_its_place() -> None:
    with pytest.raises(RunnerProtocolError, match=r"fake gave 31\.2 for segment 1, expected 0 to 25"):
        READER.results({"results": [{"score": 1}, {"score": 31.2}]}, UNITS, (0.0, 25.0), "segment {}".format)


@given(st.binary(max_size=60).map(lambda junk: junk + b"\n"))
def test_junk_is_never_a_message(line: bytes) -> None:
    with pytest.raises(RunnerProtocolError):
        READER.message(line)


KEYS = st.sampled_from(["score", "cut", "spans", "parts", "why"])
LEAVES = st.none() | st.booleans() | st.floats(allow_nan=False) | st.integers() | st.text(max_size=3)
JSON = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4))


@given(st.lists(JSON, max_size=3))
def test_what_comes_out_is_a_number_that_was_sent(results: list[Any]) -> None:
    try:
        found = READER.results({"type": "result", "id": 1, "results": results}, UNITS, (0.0, 25.0), "{}".format)
    except RunnerProtocolError:
        return
    for one, sent in zip(found, results, strict=True):
        assert one.score == sent["score"]
        assert one.score is None or (0 <= one.score <= 25 and type(sent["score"]) in (int, float))
