"""The door: hypotheses and references of any accepted shape become a `Corpus`, or an error that helps.

Everything is checked here, before any counting. sacreBLEU walks its streams in parallel and silently stops
at the shortest, so a transposed or flat list of references gets a score there; here it gets an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import zip_longest
from typing import Any, NamedTuple

from truebleu import _core
from truebleu.errors import EmptyCorpus, InputTypeError, LengthMismatch, OptionError

# Lists are taken as they are: to copy them would cost a twentieth of the time a score takes.
Texts = tuple[str, ...] | list[str]
Stream = tuple[str | None, ...] | list[str | None]

LAYOUTS = ("streams", "segments")
EMPTY_REFS = ("drop", "keep")


class References(NamedTuple):
    """Reference streams of equal length: `streams[k][i]` is the k-th reference of segment i, or None."""

    streams: list[Stream]
    segments: int


class Corpus(NamedTuple):
    """Checked input: as many entries in each stream as there are hypotheses."""

    hypotheses: Texts
    streams: list[Stream]
    fewest_references: int
    most_references: int
    detached_stops: int

    @property
    def references(self) -> tuple[int, int]:
        """The smallest and the largest number of references of a segment."""
        return self.fewest_references, self.most_references


def check_corpus(
    name: str, hypotheses: Iterable[str], references: References, keep_empty: bool, layout: str = "streams"
) -> Corpus:
    """Put hypotheses and references together; `name` is the metric's, for messages."""
    texts = _as_hypotheses(name, hypotheses)
    _check_lengths(name, len(texts), references, layout)
    facts = _core.inspect(name, texts, references.streams, keep_empty)
    return Corpus(texts, references.streams, *facts)


def check_cached(name: str, references: References, keep_empty: bool) -> tuple[int, int]:
    """Check references that come before any hypotheses; the smallest and largest number of them a segment has."""
    for index, stream in enumerate(references.streams):
        if len(stream) != references.segments:
            raise LengthMismatch(
                f"{name}: reference stream {index} has {len(stream)} segments, stream 0 has {references.segments}"
            )
    if not references.segments:
        raise EmptyCorpus(f"{name}: references has streams without segments, expected at least one segment")
    fewest, most, _ = _core.inspect(name, ("",) * references.segments, references.streams, keep_empty)
    return fewest, most


def check_sentence(name: str, hypothesis: str, references: Sequence[str | None], keep_empty: bool) -> Corpus:
    """The corpus of one segment."""
    if not isinstance(hypothesis, str):
        raise InputTypeError(f"{name}: the hypothesis is {_kind(hypothesis)}, expected one string")
    if isinstance(references, str):
        raise InputTypeError(
            f"{name}: references is the plain string {_shown(references)}, expected a list of strings: [reference]"
        )
    texts = _as_sequence(name, "references", references, "a list of strings, the references of this one segment")
    if not texts:
        raise EmptyCorpus(f"{name}: references is empty, expected at least one reference for the segment")
    for index, text in enumerate(texts):
        if text is not None and not isinstance(text, str):
            raise InputTypeError(f"{name}: reference {index} is {_kind(text)}, expected a string or None")
    streams: list[Stream] = [(text,) for text in texts]
    return Corpus((hypothesis,), streams, *_core.inspect(name, (hypothesis,), streams, keep_empty))


def check_references(name: str, references: Any, layout: str = "streams") -> References:
    """References by stream (`references[k][segment]`) or by segment (`references[segment][k]`), as streams."""
    if layout not in LAYOUTS:
        raise OptionError(f"{name}: layout is {layout!r}, expected one of {', '.join(map(repr, LAYOUTS))}")
    outer = _as_sequence(name, "references", references, _REFERENCES_BY[layout])
    if not outer:
        raise EmptyCorpus(f"{name}: references is empty, expected {_REFERENCES_BY[layout]}")
    inner = [_as_inner(name, layout, index, item) for index, item in enumerate(outer)]
    if layout == "segments":
        return References(list(zip_longest(*inner)), len(inner))
    return References(inner, len(inner[0]))


_REFERENCES_BY = {
    "streams": "a list of reference streams, each a list with one reference for every segment",
    "segments": "a list with, for each segment, the list of its references",
}

_FLAT_LIST_HINT = {
    "streams": "This is a flat list; with one reference for each segment, pass [references]",
    "segments": "This is a flat list; with one reference for each segment, pass [[text] for text in references]",
}


def _as_hypotheses(name: str, hypotheses: Any) -> Texts:
    if isinstance(hypotheses, str):
        raise InputTypeError(
            f"{name}: hypotheses is the plain string {_shown(hypotheses)}, expected a list of strings, one for "
            "each segment. For a single sentence use sentence_score()"
        )
    texts: Texts = _as_sequence(name, "hypotheses", hypotheses, "a list of strings, one for each segment")
    if not texts:
        raise EmptyCorpus(f"{name}: hypotheses is empty, expected at least one segment")
    return texts


def _as_inner(name: str, layout: str, index: int, item: Any) -> Stream:
    place = f"references[{index}]"
    if isinstance(item, str) or item is None:
        shown = "None" if item is None else f"the string {_shown(item)}"
        raise InputTypeError(
            f"{name}: {place} is {shown}, expected {_REFERENCES_BY[layout]}. {_FLAT_LIST_HINT[layout]}"
        )
    return _as_sequence(name, place, item, _REFERENCES_BY[layout])


def _as_sequence(name: str, what: str, values: Any, expected: str) -> tuple[Any, ...] | list[Any]:
    # A set has no order and a mapping iterates over its keys: both would be scored in silence, and wrongly.
    ordered = isinstance(values, Iterable) and not isinstance(values, (str, bytes, bytearray, Set, Mapping))
    if not ordered:
        raise InputTypeError(f"{name}: {what} is {_kind(values)}, expected {expected}")
    return values if type(values) in (tuple, list) else tuple(values)


def _check_lengths(name: str, segments: int, references: References, layout: str) -> None:
    if layout == "segments":
        if references.segments != segments:
            raise LengthMismatch(
                f"{name}: references has {references.segments} segments, the hypotheses have {segments}"
                + _transposed(segments, references.segments, [len(references.streams)], "streams")
            )
        return
    lengths = [len(stream) for stream in references.streams]
    for index, length in enumerate(lengths):
        if length == segments:
            continue
        where = f"reference stream {index} of {len(lengths)}"
        message = f"{name}: {where} has {length} segments, the hypotheses have {segments}"
        message += _transposed(segments, len(lengths), lengths, "segments")
        raise EmptyCorpus(message) if length == 0 else LengthMismatch(message)


def _transposed(segments: int, outer: int, inner: list[int], layout: str) -> str:
    """A hint for references that fit when they are read the other way round."""
    fits = outer == segments if layout == "segments" else inner == [segments]
    if not fits:
        return ""
    grouped = "segment" if layout == "segments" else "stream"
    return f". These look transposed: references grouped by {grouped} go with layout={layout!r}"


def _kind(value: object) -> str:
    return "None" if value is None else f"of type {type(value).__name__}"


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "...")
