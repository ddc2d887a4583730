"""References grouped by segment, as evaluate and torchmetrics take them; sacreBLEU groups them by stream.

`references[i]` is the list of references of prediction i; where every prediction has one, it may be the string itself.

>>> group("bleu", ["a b", "c"], ["a b c", "c"]).references
[['a b c'], ['c']]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from itertools import chain, zip_longest
from typing import Any, NamedTuple

from truebleu._inputs import Stream
from truebleu.errors import FormatMismatch, LengthMismatch, NothingAdded, SegmentWithoutReference

Reference = list[str | None]

_TEXTS = "a list of strings, one for each segment"
_LISTS = "a list with, for each prediction, the list of its references; or one string for each prediction"


class Segments(NamedTuple):
    """Checked predictions, each with its list of references; `flat` if they came as one string each."""

    predictions: list[str]
    references: list[Reference]
    flat: bool


def group(
    name: str, predictions: Any, references: Any, names: tuple[str, str] = ("predictions", "references")
) -> Segments:
    """Check a batch and bring references into one shape.

    `name` is the metric's and `names` are the arguments', for messages. None among the references of a segment means
    that it has one less.
    """
    texts = _as_list(name, names[0], predictions, _TEXTS)
    outer = _as_list(name, names[1], references, _LISTS)
    if len(texts) != len(outer):
        raise LengthMismatch(
            f"{name}: there are {len(texts)} {names[0]}, and references for {len(outer)} segments in {names[1]}. "
            f"Expected one list of references for each prediction{_transposed(len(texts), outer)}"
        )
    if not texts:
        raise NothingAdded(f"{name}: {names[0]} and {names[1]} are empty, expected at least one segment")
    if not _only(texts, str):
        _refuse_first(name, names[0], texts)
    if _only(outer, str):
        return Segments(texts, [[text] for text in outer], flat=True)
    return Segments(texts, _lists(name, names[1], outer), flat=False)


def streams(name: str, references: list[Reference]) -> list[Stream]:
    """Checked references as the core takes them: the first of every segment, the second of every segment, and so on."""
    by_stream: list[Stream] = list(zip_longest(*references))
    if not by_stream:
        raise SegmentWithoutReference(f"{name}: segment 0 has no reference, expected at least one")
    return by_stream


def _transposed(segments: int, outer: list[Any]) -> str:
    streams = all(isinstance(stream, (list, tuple)) and len(stream) == segments for stream in outer)
    return ". These look transposed, as streams: pass list(zip(*streams))" if outer and streams else ""


def _lists(name: str, what: str, outer: list[Any]) -> list[Reference]:
    lists: list[Reference] = [
        item if type(item) is list else _inner(name, what, segment, item, outer) for segment, item in enumerate(outer)
    ]
    if not _only(chain.from_iterable(lists), str, type(None)):
        for segment, texts in enumerate(lists):
            _refuse_first(name, f"{what}[{segment}]", texts, nothing=True)
    return lists


def _inner(name: str, what: str, segment: int, item: Any, outer: list[Any]) -> Reference:
    if isinstance(item, str):
        other = next(at for at, value in enumerate(outer) if not isinstance(value, str))
        raise FormatMismatch(
            f"{name}: {what}[{segment}] is a string, and {what}[{other}] is {_kind(outer[other])}. "
            "Expected lists of strings for all, or strings for all"
        )
    return _as_list(name, f"{what}[{segment}]", item, "a list of strings, the references of this prediction")


def _as_list(name: str, what: str, values: Any, expected: str) -> list[Any]:
    if type(values) is list:
        return values
    ordered = isinstance(values, Iterable) and not isinstance(values, (str, bytes, bytearray, Set, Mapping))
    if not ordered:
        raise FormatMismatch(f"{name}: {what} is {_kind(values)}, expected {expected}")
    return list(values)


def _only(values: Iterable[Any], *kinds: type) -> bool:
    """Whether all values are of these types. Few types are met, so few are looked at."""
    return all(issubclass(kind, kinds) for kind in set(map(type, values)))


def _refuse_first(name: str, what: str, texts: list[Any], nothing: bool = False) -> None:
    for at, text in enumerate(texts):
        if not (isinstance(text, str) or (nothing and text is None)):
            raise FormatMismatch(f"{name}: {what}[{at}] is {_kind(text)}, expected a string")


def _kind(value: object) -> str:
    if isinstance(value, str):
        return f"the plain string {value if len(value) <= 40 else value[:37] + '...'!r}"
    return "None" if value is None else f"of type {type(value).__name__}"
