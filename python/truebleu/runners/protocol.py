"""The messages between truebleu and a runner (protocol 1), and the checks of those that come in.

One JSON object per line, UTF-8. Keys that are unknown are ignored; everything else that is not as it should be is the
mistake of the runner, and ends it: nothing of such a line becomes a score.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from truebleu._counts import number_of
from truebleu._shown import shown
from truebleu.errors import RunnerProtocolError

PROTOCOL = 1
LONGEST_LINE = 16 << 20
LONGEST_UNIT = 4 << 20  # bytes, and of all units of a batch
MOST_UNITS = 512  # of a batch
FAILURES = ("oom", "unit", "load", "missing-model", "gated", "checksum", "dependency", "precision", "internal")
_SHOWN = 200  # characters of a wrong line
Place = Callable[[int], str]  # says where the unit at a place of a batch comes from
_COUNT, _TEXT, _NUMBERS = "a whole number from 0", "text", "numbers by name"


class Unit(NamedTuple):
    """One comparison; the texts that a metric does not take are None.

    Attributes
    ----------
    src
        What was translated.
    hyp
        The output.
    ref
        The reference.
    context
        For a judge, the segments around it, as JSON.
    """

    src: str | None
    hyp: str
    ref: str | None
    context: str | None = None

    def sent(self) -> dict[str, str]:
        """The unit as a runner gets it."""
        return {name: text for name, text in self._asdict().items() if text is not None}


class Span(NamedTuple):
    """A part of a hypothesis that a model calls wrong, in characters of the text that was scored."""

    start: int
    end: int
    severity: str
    category: str | None = None
    confidence: float | None = None


class Result(NamedTuple):
    """The result of one unit: its score, or None and the reason; tokens that were cut off; spans; parts of a score;
    and for a judge, its answers as they came."""

    score: float | None
    cut: int = 0
    why: str = ""
    spans: tuple[Span, ...] = ()
    parts: Mapping[str, float] = {}
    said: tuple[Mapping[str, Any], ...] = ()


def line_of(message: Mapping[str, Any]) -> bytes:
    """Write a message of the host."""
    return json.dumps(message, ensure_ascii=False, allow_nan=False).encode() + b"\n"


class LineReader:
    """The checks of what one runner sends."""

    def __init__(self, runner: str) -> None:
        self._runner = runner

    def message(self, line: bytes) -> dict[str, Any]:
        """Read a line: an object whose type is known, with the fields of its type."""
        if len(line) > LONGEST_LINE:
            self._wrong(line, f"a line of at most {LONGEST_LINE >> 20} MiB")
        if not line.endswith(b"\n"):
            self._wrong(line, "a whole line")
        try:
            message = json.loads(line.decode(), parse_constant=_no_constant, object_pairs_hook=_members)
        except (ValueError, RecursionError):
            self._wrong(line, f"a line of protocol {PROTOCOL}")
        if not isinstance(message, dict) or str(message.get("type")) not in _CHECKS:
            self._wrong(line, f"a message of protocol {PROTOCOL}")
        for field, (is_right, expected) in _CHECKS[message["type"]].items():
            if not is_right(message.get(field)):
                self._wrong(line, f"{message['type']} with {field}: {expected}")
        if message["type"] == "hello" and message["protocol"] != PROTOCOL:
            raise RunnerProtocolError(
                f"the runner {self._runner} speaks protocol {message['protocol']}, truebleu speaks {PROTOCOL}; "
                f"install them together: truebleu metrics install {self._runner}"
            )
        return message

    def results(
        self, message: Mapping[str, Any], units: Sequence[Unit], bounds: tuple[float, float], place: Place
    ) -> list[Result]:
        """Check the results of a batch: as many as units, numbers in the range of the metric, spans inside the text."""
        given = message["results"]
        if len(given) != len(units):
            self._wrong(_brief(message), f"{len(units)} results, and there are {len(given)}")
        return [self._result(one, unit, bounds, at, place) for at, (one, unit) in enumerate(zip(given, units))]  # noqa: B905

    def _result(self, given: Any, unit: Unit, bounds: tuple[float, float], at: int, place: Place) -> Result:
        if not isinstance(given, dict) or "score" not in given:
            self._wrong(_brief(given), "a result with a score")
        score, cut, parts, marked = given["score"], given.get("cut", 0), given.get("parts"), given.get("spans")
        parts, marked = {} if parts is None else parts, [] if marked is None else marked
        for is_right, value, expected in (
            (score is None or _is_number(score), score, "a finite number as the score"),
            (score is not None or _is_text(given.get("why")), given, "a reason for a score that is missing"),
            (_is_count(cut), cut, f"cut: {_COUNT}"),
            (_are_numbers(parts), parts, f"parts: {_NUMBERS}"),
            (isinstance(marked, list), marked, "spans: a list"),
        ):
            if not is_right:
                self._wrong(_brief(value), f"{expected} ({place(at)})")
        if score is not None and not bounds[0] <= score <= bounds[1]:
            raise RunnerProtocolError(
                f"{self._runner} gave {score:g} for {place(at)}, expected {bounds[0]:g} to {bounds[1]:g}"
            )
        spans = tuple(self._span(one, unit.hyp, place(at)) for one in marked)
        if list(spans) != sorted(spans, key=lambda span: (span.start, span.end)):
            self._wrong(_brief(marked), f"spans in their order ({place(at)})")
        why = "" if score is not None else given["why"]
        return Result(None if score is None else float(score), cut, why, spans, {k: float(v) for k, v in parts.items()})

    def _span(self, given: Any, text: str, where: str) -> Span:
        if not isinstance(given, dict):
            self._wrong(_brief(given), f"a span ({where})")
        names = ("start", "end", "severity", "category", "confidence")
        start, end, severity, category, confidence = (_any(given.get(name)) for name in names)
        is_right = (
            _is_count(start) and _is_count(end) and start < end <= len(text) and _is_text(severity)
            and (category is None or _is_text(category)) and (confidence is None or _is_number(confidence))
        )  # fmt: skip
        if not is_right:
            self._wrong(_brief(given), f"a span inside the hypothesis, {number_of(len(text), 'character')} ({where})")
        return Span(start, end, severity, category, confidence)

    def _wrong(self, line: bytes, expected: str) -> NoReturn:
        text = shown(line[: 4 * _SHOWN].decode("utf-8", "replace").rstrip("\n")[:_SHOWN])
        raise RunnerProtocolError(
            f"the runner {self._runner} sent '{text}', expected {expected}: that is its mistake, not that of your texts"
        )


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; a key that is there twice would leave it open which value is meant."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is there twice")
    return found


def _brief(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


def _any(value: Any) -> Any:
    return value


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_number(value: Any) -> bool:
    if type(value) is int:
        return abs(value) < 1 << 53
    return type(value) is float and math.isfinite(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _are_numbers(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_number, value.values()))


_Check = tuple[Callable[[Any], bool], str]
_COUNTED: _Check = (_is_count, _COUNT)
_WRITTEN: _Check = (_is_text, _TEXT)
_CHECKS: dict[str, dict[str, _Check]] = {
    "hello": {
        "protocol": _COUNTED, "runner": _WRITTEN, "runner_version": _COUNTED, "python": _WRITTEN,
        "packages": (lambda value: isinstance(value, dict) and all(map(_is_text, value.values())), "versions by name"),
    },
    "progress": {"phase": _WRITTEN, "done": _COUNTED, "total": _COUNTED},
    "ready": {"meta": (lambda value: isinstance(value, dict), "an object"), "batch": _COUNTED},
    "result": {"id": _COUNTED, "results": (lambda value: isinstance(value, list), "a list")},
    "failed": {
        "kind": (lambda value: value in FAILURES, f"one of {', '.join(FAILURES)}"), "message": _WRITTEN,
        "id": (lambda value: value is None or _is_count(value), "a number or null"),
    },
}  # fmt: skip
