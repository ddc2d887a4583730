"""What is to be re-segmented: texts and references of any accepted shape, document by document."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

from truebleu._inputs import FROM_0, brief, check_labels, check_references, kind_of, ordered
from truebleu.errors import EmptyCorpus, InputTypeError, LengthMismatch

_HYPOTHESIS = "a text, or a list of lines"
_DOCUMENTS = "a mapping from document to text, or a list with a text or the lines of each document"


class Document(NamedTuple):
    """A document of the hypothesis, and the segments of the reference that belong to it."""

    label: Hashable  # None where all is one document
    lines: list[str]
    segments: list[int]
    references: list[list[str]]  # of each segment; none, where all are missing or empty

    @property
    def text(self) -> str:
        """The lines in one text; spans are places in it."""
        return "\n".join(self.lines)

    @property
    def named(self) -> str:
        """The document in words for a message."""
        return "the text" if self.label is None else f"document {brief(self.label)}"


def documents_of(hypothesis: Any, references: Any, documents: Any, layout: str) -> list[Document]:
    """Put texts and references together, document by document."""
    given = check_references("resegment", references, layout)
    for index, stream in enumerate(given.streams):
        if len(stream) != given.segments:
            raise LengthMismatch(
                f"resegment: reference stream {index} has {len(stream)} segments, stream 0 has {given.segments}"
            )
    if not given.segments:
        raise EmptyCorpus("resegment: references has streams without segments, expected at least one segment")
    for index, stream in enumerate(given.streams):
        for segment, text in enumerate(stream):
            if text is not None and not isinstance(text, str):
                where = f"references: stream {index}, segment {segment}"
                raise InputTypeError(f"resegment: {where} is {kind_of(text)}, expected a string or None. {FROM_0}")
    texts = [[text for text in of_segment if text] for of_segment in zip(*given.streams, strict=True)]
    members: dict[Hashable, list[int]] = {}
    lines: dict[Hashable, list[str]] = {}
    if documents is None:
        members[None] = list(range(given.segments))
        lines[None] = _lines("hypothesis", hypothesis, _HYPOTHESIS)
    else:
        for segment, label in enumerate(check_labels("resegment", "documents", documents, given.segments)):
            members.setdefault(label, []).append(segment)
        lines = _by_label(hypothesis, list(members))
    return [Document(label, lines[label], of, [texts[segment] for segment in of]) for label, of in members.items()]


def _by_label(hypothesis: Any, labels: list[Hashable]) -> dict[Hashable, list[str]]:
    if isinstance(hypothesis, Mapping):
        missing = next((label for label in labels if label not in hypothesis), None)
        if missing is not None:
            raise LengthMismatch(f"resegment: hypothesis has no document {brief(missing)}, which the references have")
        known = set(labels)
        unknown = next((label for label in hypothesis if label not in known), None)
        if unknown is not None:
            raise LengthMismatch(f"resegment: the references have no document {brief(unknown)}, which hypothesis has")
        return {label: _lines(f"hypothesis[{brief(label)}]", hypothesis[label], _HYPOTHESIS) for label in labels}
    texts = ordered("resegment", "hypothesis", hypothesis, _DOCUMENTS)
    if len(texts) < len(labels):
        raise LengthMismatch(
            f"resegment: hypothesis has {len(texts)} documents, the references have {len(labels)}: "
            f"there is no text for document {brief(labels[len(texts)])}"
        )
    if len(texts) > len(labels):
        raise LengthMismatch(
            f"resegment: hypothesis has {len(texts)} documents, the references have {len(labels)}: "
            f"the text after that of document {brief(labels[-1])} has no partner"
        )
    return {
        label: _lines(f"hypothesis[{at}]", text, _HYPOTHESIS)
        for at, (label, text) in enumerate(zip(labels, texts, strict=True))
    }


def _lines(what: str, given: Any, expected: str) -> list[str]:
    """The lines of a text, or of a list of lines; a line break within a line is one too."""
    lines = [given] if isinstance(given, str) else ordered("resegment", what, given, expected)
    for at, line in enumerate(lines):
        if not isinstance(line, str):
            raise InputTypeError(f"resegment: {what}[{at}] is {kind_of(line)}, expected a string")
    return [part for line in lines for part in re.split(r"\r\n|\n|\r", line)]
