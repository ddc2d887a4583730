"""Reads results of runners in another way than truebleu, as the oracle of its reader: character by character."""

import math
import re
from collections.abc import Sequence

from strict_answers import No, Number, Text

Scores = list[float | None]
_WHOLE = 1 << 53


def scores_of(line: bytes, texts: Sequence[str], low: float, high: float) -> Scores | None:
    """The scores that a line gives for these outputs beyond any doubt; None for all other lines."""
    try:
        return _strict(line, texts, low, high)
    except (No, RecursionError, UnicodeDecodeError):
        return None


def _strict(line: bytes, texts: Sequence[str], low: float, high: float) -> Scores:
    _need(line.endswith(b"\n") and len(line) <= 16 << 20)
    text = Text(line.decode("utf-8"))
    found = text.value()
    text.skip()
    _need_unlike_keys(found)
    message = _members(found)
    _need(text.at == len(text.text) and message.get("type") == "result" and _is_count(message.get("id")))
    results = message.get("results")
    if not isinstance(results, tuple) or len(results) != len(texts):
        raise No
    return [_score(_members(one), of, low, high) for one, of in zip(results, texts, strict=True)]


def _score(result: dict[str, object], text: str, low: float, high: float) -> float | None:
    _need("score" in result)
    _need("cut" not in result or _is_count(result["cut"]))
    if result.get("parts") is not None:
        _need(all(_number(value) is not None for value in _members(result["parts"]).values()))
    last = (0, 0)
    spans = result.get("spans")
    if spans is not None:
        if not isinstance(spans, tuple):
            raise No
        for span in map(_members, spans):
            place = _span(span, len(text))
            _need(place >= last)
            last = place
    if result["score"] is None:
        _need(isinstance(result.get("why"), str))
        return None
    value = _number(result["score"])
    if value is None or not low <= value <= high:
        raise No
    return value


def _span(span: dict[str, object], length: int) -> tuple[int, int]:
    start, end = span.get("start"), span.get("end")
    if not (isinstance(start, Number) and isinstance(end, Number)):
        raise No
    _need(_is_count(start) and _is_count(end) and isinstance(span.get("severity"), str))
    _need(span.get("category") is None or isinstance(span["category"], str))
    _need(span.get("confidence") is None or _number(span["confidence"]) is not None)
    place = int(start.written), int(end.written)
    _need(place[0] < place[1] <= length)
    return place


def _members(value: object) -> dict[str, object]:
    if not isinstance(value, list):
        raise No
    return dict(value)


def _need_unlike_keys(value: object) -> None:
    """In no object, wherever it is, is a key there twice."""
    if isinstance(value, list):
        _need(len(dict(value)) == len(value))
        value = tuple(inner for _, inner in value)
    for inner in value if isinstance(value, tuple) else ():
        _need_unlike_keys(inner)


def _is_count(value: object) -> bool:
    return isinstance(value, Number) and re.fullmatch("-?[0-9]+", value.written) is not None and int(value.written) >= 0


def _number(value: object) -> float | None:
    """A number that a double holds exactly; a whole number that is too large for one is none."""
    if not isinstance(value, Number) or not math.isfinite(value.value):
        return None
    is_whole = re.fullmatch("-?[0-9]+", value.written)
    return None if is_whole and abs(int(value.written)) >= _WHOLE else value.value


def _need(is_so: object) -> None:
    if not is_so:
        raise No
