"""Answers of a judge to scores and errors: strictly, because a number that nobody gave is worse than none.

An answer is one JSON object with the keys that were asked for and no others. As text, it may stand after one
`<think>…</think>` and in one code fence; a score alone may also be a line with nothing but a number. Nothing is
clipped or searched for, and no string is taken for a number.

>>> read_answer('{"score": 85}', "score", (0, 100))
Reading(score=85.0, errors=(), why='')
>>> [read_answer(text, "score", (0, 100)).why for text in ("I'd say 85 or 90", '{"score": "85"}', '{"score": 185}')]
['prose', 'number', 'range']
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, NoReturn

from truebleu.runners.protocol import Span

PARSER = 1  # its version; signatures have it
FORMS: Mapping[str, frozenset[str]] = {
    "score": frozenset({"score"}),
    "errors": frozenset({"errors"}),
    "errors+score": frozenset({"errors", "score"}),
}
WEIGHTS: Mapping[str, float] = {"minor": 1.0, "major": 5.0, "critical": 25.0}
MQM_SIGNED = "-".join(f"{weight:g}" for weight in WEIGHTS.values())
MOST_ERRORS = 100
PLACES = ("translation", "source")
_ERROR_KEYS = {"text", "severity", "category", "in"}
_WORST = 25.0

# An answer that is a number and nothing else: "85", "score: 85", "85/100".
_ALONE = re.compile(r"(?:score: ?)?(-?(?:0|[1-9][0-9]{0,20})(?:\.[0-9]{1,20})?)(?: ?/ ?100)?", re.IGNORECASE)
_THOUGHT = re.compile(r"\s*<think>.*?</think>", re.DOTALL)
_FENCED = re.compile(r"\s*```[a-z]*\n(.*)\n```\s*", re.DOTALL)


class JudgedError(NamedTuple):
    """An error that a judge named: the words, how bad it is, of which kind, and in which of the texts."""

    text: str
    severity: str
    category: str | None = None
    place: str = "translation"


class Reading(NamedTuple):
    """What an answer says; or why it cannot be read."""

    score: float | None = None
    errors: tuple[JudgedError, ...] = ()
    why: str = ""


class _Unreadable(Exception):
    """An answer that cannot be read; its argument says why, in a word of docs/judges.md."""


def read_answer(text: str, form: str, bounds: tuple[float, float], *, as_schema: bool = False) -> Reading:
    """Read an answer; one that was given under a schema is a JSON object and nothing else."""
    try:
        if not _is_whole(text):
            raise _Unreadable("prose")
        plain = text if as_schema else _unwrapped(text)
        alone = None if as_schema or form != "score" else _ALONE.fullmatch(plain.strip())
        if alone is not None and (bounds[1] == 100 or "/" not in plain):
            return Reading(_number(float(alone[1]), bounds))
        return _read(_object(plain), form, bounds)
    except _Unreadable as error:
        return Reading(why=str(error))


def mqm_score(errors: Iterable[JudgedError]) -> float:
    """The score of errors: the sum of their weights, negated, and no less than -25."""
    return 0.0 - min(_WORST, sum(WEIGHTS[error.severity] for error in errors))


def located(errors: Iterable[JudgedError], hypothesis: str, source: str | None) -> tuple[list[Span], int, int]:
    """Look for errors in the hypothesis: their spans in order, how many have no place, and how many have several.

    Of several places, the first is taken that has no other error. An error of the source has its place there.
    """
    spans, placeless, ambiguous = list[Span](), 0, 0
    taken: set[int] = set()
    for error in errors:
        if error.place == "source":
            placeless += error.text not in (source or "") or not error.text
            continue
        starts = [*_places(error.text, hypothesis)]
        ambiguous += len(starts) > 1
        free = next((at for at in starts if not taken.intersection(range(at, at + len(error.text)))), None)
        if free is None:
            placeless += 1
        else:
            end = free + len(error.text)
            taken.update(range(free, end))
            spans.append(Span(free, end, error.severity, error.category))
    return sorted(spans, key=lambda span: (span.start, span.end)), placeless, ambiguous


def _places(text: str, inside: str) -> Iterable[int]:
    at = inside.find(text) if text else -1
    while at >= 0:
        yield at
        at = inside.find(text, at + len(text))


def _unwrapped(text: str) -> str:
    """Take away one thought at the start, and one code fence around all."""
    thought = _THOUGHT.match(text)
    rest = text[thought.end() :] if thought else text
    fenced = _FENCED.fullmatch(rest)
    return fenced[1] if fenced else rest


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text, object_pairs_hook=_without_contradiction, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise _Unreadable("prose") from None
    if not isinstance(found, dict):
        raise _Unreadable("prose")
    return found


def _read(found: Mapping[str, Any], form: str, bounds: tuple[float, float]) -> Reading:
    if found.keys() != FORMS[form]:
        raise _Unreadable("keys")
    score = _number(found["score"], bounds) if "score" in found else None
    return Reading(score, _errors(found["errors"]) if "errors" in found else ())


def _number(value: Any, bounds: tuple[float, float]) -> float:
    if type(value) not in (int, float):
        raise _Unreadable("number")
    if not bounds[0] <= value <= bounds[1]:  # infinity is beyond any range
        raise _Unreadable("range")
    return float(value)


def _errors(value: Any) -> tuple[JudgedError, ...]:
    if not isinstance(value, list) or len(value) > MOST_ERRORS or not all(map(_is_error, value)):
        raise _Unreadable("errors")
    return tuple(
        JudgedError(one["text"], one["severity"], one.get("category"), one.get("in") or "translation") for one in value
    )


def _is_error(value: Any) -> bool:
    return (
        isinstance(value, dict) and value.keys() <= _ERROR_KEYS
        and _is_whole(value.get("text")) and (value.get("category") is None or _is_whole(value["category"]))
        and value.get("severity") in [*WEIGHTS] and value.get("in") in (None, *PLACES)
    )  # fmt: skip


def _is_whole(value: Any) -> bool:
    """Whether it is a text without half a character, which nothing can be written with."""
    try:
        return isinstance(value, str) and value.encode() is not None
    except UnicodeEncodeError:
        return False


def _without_contradiction(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found and (type(found[key]) is not type(value) or found[key] != value):
            raise _Unreadable("keys")
        found[key] = value
    return found


def _no_number(name: str) -> NoReturn:
    raise _Unreadable("number")
