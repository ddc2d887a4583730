"""Texts in the units that a receipt scored: divided into the segments of the references, or joined into longer ones.

A person who checks a receipt has the test set and the output as they are; the receipt has hashes and rows of divided or
joined texts. So the texts are divided or joined again in the same way.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from truebleu._inputs import References
from truebleu._logs import silenced
from truebleu._shown import shown
from truebleu.dataset.sets import TestSet
from truebleu.errors import TruebleuError
from truebleu.receipts.file import checked_streams, hash_texts, references_of
from truebleu.resegmentation._documents import labels_of
from truebleu.resegmentation.names import SIGNED_LEVELS

if TYPE_CHECKING:
    from truebleu.receipts.receipt import Receipt

    Streams = list[list[str | None]]


class Units(NamedTuple):
    """References and texts as they were scored; None if they are not given, or cannot be made."""

    streams: Streams | None
    texts: list[str] | None


def in_units(
    receipt: Receipt,
    references: TestSet | Iterable[Iterable[str | None]] | None,
    texts: list[str] | Mapping[Hashable, str] | None,
    documents: Iterable[Hashable] | None,
    key: bytes | None,
    notes: list[str],
) -> Units:
    """Divide or join references and texts as the receipt's were."""
    if texts is not None and "hypotheses" not in receipt.about["inputs"]:
        notes.append("the receipt has scores alone, and no hash of texts: those given were not compared")
        texts = None
    if references is not None and not references_of(receipt.about):
        notes.append("the receipt has scores alone, and no references: those given were not compared")
        references = None
    if references is None:
        return Units(None, None if texts is None else _lines(texts))
    streams, labels = _segments(references)
    if documents is not None:
        labels = labels_of("Receipt.verify", documents, References([*streams], len(streams[0])))
    level = {signed: name for name, signed in SIGNED_LEVELS.items()}.get(receipt.about.get("level", ""), "segment")
    n = receipt.about["segments"]
    if level == "paragraph" and isinstance(references, TestSet) and references.unit == "document":
        level = "segment"  # which are its paragraphs
    if level == "document" and labels is None and len(streams[0]) != n:
        notes.append(
            "the references were not checked: rows are sums of whole documents, and the document of each segment is "
            "not given (documents=, --docids)"
        )
        return Units(None, _lines(texts) if texts is not None and len(texts) == n else None)
    joined = _Joining(streams, labels, level)
    kept = references_of(receipt.about)
    is_joined = len(streams[0]) == n and all(
        one["hash"] == hash_texts(stream) for one, stream in zip(kept, streams, strict=False)
    )
    scored = streams if is_joined else joined.streams
    return Units(scored, None if texts is None else _as_scored(receipt, texts, joined, labels, key, notes))


def _lines(texts: list[str] | Mapping[Hashable, str]) -> list[str]:
    return [*texts.values()] if isinstance(texts, Mapping) else texts


def _segments(references: Any) -> tuple[Streams, list[Hashable] | None]:
    """The references by segment, and the document of each if the test set has it."""
    if not isinstance(references, TestSet):
        return checked_streams("Receipt.verify", references), None
    labels: list[Hashable] | None = [*references.documents] if "docid" in references.fields else None
    if references.unit == "document" and labels is not None:
        streams, places = references.references_by_paragraph()
        return streams, [labels[place] for place in places]
    return [list[str | None](stream) for stream in references.references], labels


class _Joining:
    """Joins segments into units of a level."""

    def __init__(self, streams: Streams, labels: list[Hashable] | None, level: str) -> None:
        self.given, self._units = streams, list[Hashable]()
        if level != "segment":
            from truebleu.resegmentation.corpus import units

            self._units = units(level, labels, References([*streams], len(streams[0])))
        self.streams: Streams = [list(stream) for stream in self._of(None)[1]] if self._units else streams

    def texts(self, segments: list[str]) -> list[str]:
        return self._of(segments)[0] if self._units and len(segments) == len(self._units) else segments

    def _of(self, segments: list[str] | None) -> Any:
        from truebleu.resegmentation.levels import at_level

        with silenced():
            return at_level(segments or [""] * len(self._units), [*self.given], self._units)


def _as_scored(
    receipt: Receipt,
    texts: list[str] | Mapping[Hashable, str],
    joined: _Joining,
    labels: list[Hashable] | None,
    key: bytes | None,
    notes: list[str],
) -> list[str]:
    """The texts as they were scored: those with the hash of the receipt, else those given."""
    kept, told = receipt.about["inputs"]["hypotheses"], receipt.about.get("segmentation")
    secret = key if kept.startswith("hmac-") else None
    lines = _lines(texts)
    as_lines = joined.texts(lines)
    for found in (lines, as_lines):
        if hash_texts(found, secret) == kept:
            return found
    if told is None:
        return as_lines
    method = shown(str(told.get("method")))
    segments = _divided(told, texts, joined.given, labels)
    if segments is not None and hash_texts(joined.texts(segments), secret) == kept:
        notes.append(f"the text given was divided into segments again ({method})")
        return joined.texts(segments)
    notes.append(
        f"the receipt is about a text that was divided again ({method}): give the segments that 'truebleu resegment' "
        "writes"
    )
    return as_lines


def _divided(
    told: Mapping[str, Any],
    texts: list[str] | Mapping[Hashable, str],
    streams: Streams,
    labels: list[Hashable] | None,
) -> list[str] | None:
    """The segments of lines in one document, or of one text per document; None if the division is unknown."""
    from truebleu.resegmentation.segmentation import read_method, resegment

    how, documents = read_method(str(told.get("method"))), told.get("documents")
    by_document = documents != 1 or isinstance(texts, Mapping)
    if how is None or (by_document and (labels is None or len(texts) != len(set(labels)))):
        return None
    try:
        with silenced():
            return resegment(texts, streams, documents=labels if by_document else None, **how).segments
    except TruebleuError:
        return None
