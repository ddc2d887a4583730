"""The input of a re-segmentation: texts and references of any accepted shape, document by document."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

from truebleu._counts import number_of
from truebleu._inputs import FROM_0, References, brief, check_labels, kind_of, ordered
from truebleu.errors import EmptyCorpus, InputTypeError, LengthMismatch

_DOCUMENTS = "a mapping from document to text, or a list with a text or the lines of each document"


class Document(NamedTuple):
    """A document of the hypothesis, and the segments of the reference that belong to it."""

    label: Hashable  # None if everything is one document
    lines: list[str]
    segments: list[int]
    references: list[list[str]]  # of each segment; none, where all are missing or empty

    @property
    def text(self) -> str:
        """The lines in one text; spans are places in it."""
        return "\n".join(self.lines)

    @property
    def is_empty(self) -> bool:
        """Whether the document has nothing but white space."""
        return not any(map(str.strip, self.lines))

    @property
    def named(self) -> str:
        """The document in words for a message."""
        return "the text" if self.label is None else f"document {brief(self.label)}"


def documents_of(who: str, what: str, hypothesis: Any, given: References, documents: Any) -> list[Document]:
    """Put texts and references together, document by document; `who` and `what` are for messages."""
    for index, stream in enumerate(given.streams):
        if len(stream) != given.segments:
            raise LengthMismatch(
                f"{who}: references: stream {index} has {number_of(len(stream), 'segment')}, stream 0 has "
                f"{given.segments}"
            )
        for segment, text in enumerate(stream):
            if text is not None and not isinstance(text, str):
                where = f"references: stream {index}, segment {segment}"
                raise InputTypeError(f"{who}: {where} is {kind_of(text)}, expected a string or None. {FROM_0}")
    if not given.segments:
        raise EmptyCorpus(f"{who}: references has streams without segments, expected at least one segment")
    texts = [[text for text in of_segment if text] for of_segment in zip(*given.streams, strict=True)]
    members: dict[Hashable, list[int]] = {}
    lines: dict[Hashable, list[str]] = {}
    if documents is None:
        members[None] = list(range(given.segments))
        lines[None] = _lines(who, what, hypothesis)
    else:
        for segment, label in enumerate(labels_of(who, documents, given)):
            members.setdefault(label, []).append(segment)
        lines = _by_label(who, what, hypothesis, list(members))
    return [Document(label, lines[label], of, [texts[segment] for segment in of]) for label, of in members.items()]


def labels_of(who: str, documents: Any, references: References) -> list[Hashable]:
    """The labels, after a check that there is one for each segment of the references."""
    labels = list(ordered(who, "documents", documents, "a list with one label for each segment"))
    if len(labels) != references.segments:
        raise LengthMismatch(
            f"{who}: documents has {number_of(len(labels), 'label')} and references has "
            f"{number_of(references.segments, 'segment')}, "
            "expected one label each"
        )
    return check_labels(who, "documents", labels, references.segments)


def _by_label(who: str, what: str, hypothesis: Any, labels: list[Hashable]) -> dict[Hashable, list[str]]:
    if isinstance(hypothesis, Mapping):
        missing = next((label for label in labels if label not in hypothesis), None)
        if missing is not None:
            raise LengthMismatch(f"{who}: {what} has no document {brief(missing)}, which the references have")
        known = set(labels)
        unknown = next((label for label in hypothesis if label not in known), None)
        if unknown is not None:
            raise LengthMismatch(f"{who}: the references have no document {brief(unknown)}, which {what} has")
        return {label: _lines(who, f"{what}[{brief(label)}]", hypothesis[label]) for label in labels}
    texts = ordered(who, what, hypothesis, _DOCUMENTS)
    if len(texts) != len(labels):
        first = brief(labels[min(len(texts), len(labels) - 1)])
        lacks = f"there is no text for document {first}"
        surplus = f"the text after that of document {first} has no partner"
        raise LengthMismatch(
            f"{who}: {what} has {number_of(len(texts), 'document')}, the references have {len(labels)}: "
            f"{lacks if len(texts) < len(labels) else surplus}"
        )
    pairs = enumerate(zip(labels, texts, strict=True))
    return {label: _lines(who, f"{what}[{at}]", text) for at, (label, text) in pairs}


def _lines(who: str, what: str, given: Any) -> list[str]:
    """The lines of a text, or of a list of lines; a line break within a line also ends a line."""
    lines = [given] if isinstance(given, str) else ordered(who, what, given, "a text, or a list of lines")
    for at, line in enumerate(lines):
        if not isinstance(line, str):
            raise InputTypeError(f"{who}: {what}[{at}] is {kind_of(line)}, expected a string")
    return [part for line in lines for part in re.split(r"\r\n|\n|\r", line)]
