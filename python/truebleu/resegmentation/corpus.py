"""The entry for texts that are divided again before they are counted: aligned, joined, or both."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from truebleu._counts import number_of
from truebleu._inputs import References, brief, check_corpus
from truebleu._options import choice
from truebleu.errors import LengthMismatch, MissingReferences, OptionError
from truebleu.resegmentation._documents import documents_of, labels_of
from truebleu.resegmentation.levels import at_level
from truebleu.resegmentation.names import LEVELS, METHODS, SIGNED_LEVELS
from truebleu.resegmentation.segmentation import Resegmented, resegment_as, signed_method

# The values of `resegment=` other than a result: True and "always" are our own method for all documents.
_WAYS: dict[bool | str, str] = {True: "cue", "always": "cue", "auto": "cue"}
_WAYS |= {method: method for method in METHODS if method != "none"}


def divided(
    name: str,
    hypotheses: Any,
    references: References | None,
    how: Any,
    documents: Iterable[Hashable] | None,
    level: str,
    threads: int | None,
) -> tuple[Any, References, dict[str, str]]:
    """Divide texts into the segments of their references, and join these into longer units.

    The result has texts and references as a metric counts them, and the fields for signatures.
    """
    level = choice(name, "level", level, LEVELS)
    if references is None:
        raise MissingReferences(
            f"{name}: references is None and no references are cached. Pass references here or to the constructor"
        )
    labels = None if documents is None else labels_of(name, documents, references)
    fields = {} if how is False else signed_division(name, how)
    if not fields and level == "segment":
        raise OptionError(f"{name}: documents is given, but neither resegment nor level uses it")
    if level == "document" and labels is None:
        raise OptionError(f"{name}: level is 'document', and documents is not given: expected a label for each segment")
    texts = hypotheses
    if isinstance(how, Resegmented):
        _require_its_text(name, how, hypotheses, references)
        texts = how.segments
    elif fields:
        options: dict[str, Any] = {"method": _WAYS[how], "auto": how == "auto", "threads": threads}
        texts = resegment_as(name, "hypotheses", hypotheses, references, documents=labels, **options).segments
    if level == "segment":
        return texts, references, fields
    # Checked before texts are joined: afterwards a surplus segment would go unnoticed.
    corpus = check_corpus(name, texts, references, keep_empty=True)
    joined, streams = at_level(corpus.hypotheses, corpus.streams, units(level, labels, references))
    return joined, References(streams, len(joined)), {**fields, "level": SIGNED_LEVELS[level]}


def _require_its_text(name: str, result: Resegmented, hypotheses: Any, references: References) -> None:
    """Refuse the result of another text: two systems would get the score of one of them."""
    if len(result.segments) != references.segments:
        raise LengthMismatch(
            f"{name}: resegment is a result of {number_of(len(result.segments), 'segment')}, references has "
            f"{references.segments}"
        )
    if isinstance(hypotheses, list) and hypotheses == result.segments:
        return
    given = documents_of(name, "hypotheses", hypotheses, references, result.given_labels())
    known = result.texts()
    for document in given:
        if "".join(document.text.split()) != "".join(known.get(document.label, "").split()):
            where = "" if document.label is None else f", in document {brief(document.label)}"
            raise OptionError(f"{name}: resegment is the result of another text than hypotheses{where}")


def signed_division(name: str, how: Any) -> dict[str, str]:
    """Give the fields that signatures show for a re-segmentation."""
    if isinstance(how, Resegmented):
        return dict(how.signature_fields)
    if not isinstance(how, (bool, str)) or how not in _WAYS:
        names = ", ".join(repr(way) for way in _WAYS)
        raise OptionError(f"{name}: resegment is {brief(how)}, expected {names}, False, or a result of resegment()")
    return {"reseg": signed_method(_WAYS[how])}


def units(level: str, labels: list[Hashable] | None, references: References) -> list[Hashable]:
    """Give the unit of each segment.

    Segments without any reference text end a paragraph, as blank lines do.
    """
    if any(len(stream) != references.segments for stream in references.streams):
        raise LengthMismatch("the streams of references differ in length, expected one reference for each segment")
    of_segment: list[Hashable] = list(labels) if labels is not None else [None] * references.segments
    if level == "all":
        return [None] * references.segments
    if level == "document":
        return of_segment
    found: list[Hashable] = []
    paragraph, was_blank = 0, False
    for label, texts in zip(of_segment, zip(*references.streams, strict=True), strict=True):
        is_blank = not any(text and not text.isspace() for text in texts)
        paragraph += was_blank and not is_blank
        was_blank = is_blank
        found.append((label, paragraph))
    return found
