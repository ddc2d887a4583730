"""JSON lines, truebleu's own format for test sets: one segment per line.

::

    {"src": "…", "refs": {"A": "…", "B": "…"}, "docid": "…", "domain": "…", "origlang": "en", "systems": {"x": "…"}}

References may also be keys of their own, `"ref:A"` or just `"ref"`, and `refs` may be a list. A reference or output
that is absent or null is an empty line. `docid`, `domain`, `genre` and `origlang` are fields if any segment has them.
"""

from typing import Any

from truebleu._textio import decode, parse_json_lines
from truebleu.dataset.formats.columns import Member, PairFields, is_text
from truebleu.dataset.registry import METADATA, Definition, Pair
from truebleu.errors import InvalidTestSet

_KEYS = {"src", "refs", "systems", "id", *METADATA}


def fields(definition: Definition, pair: Pair) -> None:
    """Only the data have them."""


def read(definition: Definition, pair: Pair, member: Member) -> PairFields:
    """The columns of a pair."""
    segments = _segments(member(pair.members[0]), pair.members[0])
    references = _labels(segments, "refs")
    systems = _labels(segments, "systems")
    columns = {"src": [segment["src"] for segment in segments]}
    for label in references:
        columns["ref" if not label else f"ref:{label}"] = [segment["refs"].get(label) or "" for segment in segments]
    for name in METADATA:
        values = [segment.get(name) or "" for segment in segments]
        if name == "origlang" and definition.origlang:
            values = [value or definition.origlang for value in values]
        if any(values):
            columns[name] = values
    clash = next((name for name in systems if name in columns), None)
    if clash is not None:
        raise InvalidTestSet(f"{pair.members[0]}: a system cannot be called {clash!r}, which is a field")
    for name in systems:
        columns[name] = [segment["systems"].get(name) or "" for segment in segments]
    return PairFields(columns, tuple(systems))


def _segments(content: bytes, name: str) -> list[dict[str, Any]]:
    values = parse_json_lines(decode(content, "utf-8", name, InvalidTestSet), name, InvalidTestSet)
    segments = [_checked(segment, f"{name}, line {number}") for number, segment in values]
    if not segments:
        raise InvalidTestSet(f"{name} has no segments")
    return segments


def _checked(segment: Any, where: str) -> dict[str, Any]:
    if not isinstance(segment, dict) or not isinstance(segment.get("src"), str):
        raise InvalidTestSet(f"{where} should be an object with the text 'src'")
    own = {key.removeprefix("ref").removeprefix(":"): key for key in segment if key == "ref" or key.startswith("ref:")}
    unknown = set(segment) - _KEYS - set(own.values())
    if unknown:
        raise InvalidTestSet(f"{where}: unknown key {sorted(unknown)[0]!r}; known are {', '.join(sorted(_KEYS))}")
    references = segment.get("refs", {})
    if isinstance(references, list):
        references = {str(number): text for number, text in enumerate(references)}
    if own and isinstance(references, dict):
        twice = next((label for label in own if label in references or (not label and references)), None)
        if twice is not None:
            raise InvalidTestSet(f"{where}: both {own[twice]!r} and 'refs' give references, expected one of the two")
        references = {**{label: segment[key] for label, key in own.items()}, **references}
    checked = {**segment, "refs": references, "systems": segment.get("systems", {})}
    for key in ("refs", "systems"):
        if not isinstance(checked[key], dict):
            raise InvalidTestSet(f"{where}: {key!r} should be an object of texts")
    _check_texts(checked, where)
    return checked


def _check_texts(segment: dict[str, Any], where: str) -> None:
    texts = {"src": segment["src"], **{name: segment.get(name) for name in METADATA}}
    for key in ("refs", "systems"):
        texts.update({f"{key} {name!r}": text for name, text in segment[key].items()})
    for name, text in texts.items():
        if not isinstance(text, str | None):
            raise InvalidTestSet(f"{where}: {name} should be text, got {type(text).__name__}")
        if text and "\n" in text:
            raise InvalidTestSet(f"{where}: {name} has a line break in it; a segment is one line")
        if text and not is_text(text):
            raise InvalidTestSet(f"{where}: {name} has half a surrogate pair in it, which no file can hold")


def _labels(segments: list[dict[str, Any]], key: str) -> list[str]:
    """All labels, in order of first appearance."""
    return list(dict.fromkeys(label for segment in segments for label in segment[key]))
