"""`resegment`: find where the segments of the references end in a text with other line breaks.

Two methods. `cue` is our own: edit distance that knows what the end of a sentence looks like. `mwer` and `mwer-case`
give the cuts of mweralign and mwerSegmenter. The work is done in `crates/core/src/resegment`.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from truebleu import _core
from truebleu._counts import number_of
from truebleu._inputs import References, brief, check_references
from truebleu._logs import warn
from truebleu._options import choice, thread_count, yes_or_no
from truebleu.errors import LengthMismatch, OptionError
from truebleu.resegmentation._documents import Document, documents_of
from truebleu.resegmentation._tokens import BARRIER, BREAK, PERMITTED, Numbers, Tokens, begins, is_wide, tokenize
from truebleu.resegmentation.names import BREAKS, METHODS, WINDOW

if TYPE_CHECKING:
    from numpy.typing import NDArray

_T = TypeVar("_T")

# Their names in signatures. The number changes with any change of the rules or the costs.
_SIGNED = {"cue": "cue1", "mwer": "mwer", "mwer-case": "mwer-case", "none": "none"}

# A text counts as written without spaces if this share of the word characters of its references is.
_SPACELESS_SHARE = 0.3

# A document with more pairs of tokens takes long (where "cue" is asked for, the core divides it in advance), and how
# many are looked at in a second, on one core of 2023.
_MOST_PAIRS = 200_000_000_000
_PAIRS_A_SECOND = 12_000_000_000


@dataclass(frozen=True, eq=False)
class Resegmented:
    """A text in the segments of its references, and how certain each boundary is.

    Parameters
    ----------
    segments
        The text of each segment of the references, in their order.
    spans
        Where each segment starts and ends in its document, whose lines are joined by line breaks.
    cost
        The cost of the alignment, in tokens.
    error_rate
        The number of errors divided by the number of reference tokens; AS-WER for the methods `mwer` and `mwer-case`.
    margins
        For the end of each segment, how much worse the next-best cut would be, in tokens. It is infinite at the end of
        a document, and NaN for methods that do not compute it.
    uncertain
        The segments whose end has a margin below 1.
    given_breaks
        How many line breaks between words were given in documents that were aligned.
    kept_breaks
        How many of these are ends of segments.
    empty
        The segments that got no text.
    suspects
        The segments that are more than 90 % wrong, or more than three times as long or as short as the reference.
    documents
        How many documents there are.
    aligned
        How many of them were aligned; the others have as many lines as the references, and were left alone.
    anchors
        The number of certain places at which very long documents were divided before the alignment: above 2·10¹¹ pairs
        of tokens, four tokens in a row that occur once on each side divide the work.
    method
        The method.
    signature_fields
        The fields of signatures: the method, and its options that are not the default.
    others
        For each segment, the second-best place for its end, as a position in the document; -1 if there is no other
        place.
    """

    segments: list[str]
    spans: list[tuple[int, int]]
    cost: float
    error_rate: float
    margins: NDArray[np.float64]
    uncertain: list[int]
    given_breaks: int
    kept_breaks: int
    empty: list[int]
    suspects: list[int]
    documents: int
    aligned: int
    anchors: int
    method: str
    signature_fields: dict[str, str]
    others: NDArray[np.intp] = field(repr=False)
    _members: list[Document] = field(repr=False)

    def document_labels(self) -> list[int]:
        """Give the number of the document of each segment, from 0."""
        return self._of_each_segment(range(len(self._members)))

    def given_labels(self) -> list[Hashable] | None:
        """Give the label of the document of each segment; None if no documents were given."""
        labels = [member.label for member in self._members]
        return None if labels == [None] else self._of_each_segment(labels)

    def texts(self) -> dict[Hashable, str]:
        """Give the text of each document by its label; the label is None if no documents were given."""
        return {member.label: member.text for member in self._members}

    def empty_documents(self) -> list[Hashable]:
        """Give the labels of the documents that have no text at all; the label is None if no documents were given."""
        return [member.label for member in self._members if member.is_empty]

    def to_dict(self) -> dict[str, Any]:
        """Give the segmentation as plain values for JSON and receipts; segments are counted from 1."""
        found: dict[str, Any] = {
            name: [at + 1 for at in getattr(self, name)] for name in ("uncertain", "empty", "suspects")
        }
        if not self.tells_margins:
            found["uncertain"] = None
        return {
            "method": self.signature_fields["reseg"],
            "documents": self.documents,
            "aligned": self.aligned,
            "segments": len(self.segments),
            "given_breaks": self.given_breaks,
            "kept_breaks": self.kept_breaks,
            "error_rate": self.error_rate if self.aligned else None,
            **({"anchors": self.anchors} if self.anchors else {}),
            **found,
        }

    @property
    def tells_margins(self) -> bool:
        """Whether the method computes how certain a boundary is: only `cue` does."""
        return self.method == "cue"

    def _of_each_segment(self, values: Iterable[_T]) -> list[_T]:
        found = {
            segment: value for member, value in zip(self._members, values, strict=True) for segment in member.segments
        }
        return [found[segment] for segment in range(len(self.segments))]

    def alternatives(self) -> list[tuple[tuple[int, str], tuple[int, str]]]:
        """Give the two segments around each uncertain boundary as the next-best cut would make them.

        Each entry has two pairs of a segment and its text.
        """
        follows = {one: after for member in self._members for one, after in pairwise(member.segments)}
        texts = {segment: member.text for member in self._members for segment in member.segments}
        found = []
        for segment in self.uncertain:
            after, text, cut = follows.get(segment), texts[segment], int(self.others[segment])
            if after is None or cut < 0:
                continue
            start, end = self.spans[segment][0], self.spans[after][1]
            left = _shown_text(text[min(start, cut) : cut])
            found.append(((segment, left), (after, _shown_text(text[cut : max(end, cut)]))))
        return found


def resegment(
    hypothesis: str | Iterable[str] | Iterable[Iterable[str]] | Mapping[Any, Any],
    references: Iterable[Iterable[str | None]],
    *,
    documents: Iterable[Hashable] | None = None,
    method: str = "cue",
    breaks: str = "prefer",
    window: int | None = WINDOW,
    auto: bool = False,
    layout: str = "streams",
    threads: int | None = None,
) -> Resegmented:
    """Divide a text into the segments of its references.

    Parameters
    ----------
    hypothesis
        A text, or a list of lines. With `documents`: a mapping from document to text or lines, or a list with the text
        or the lines of each document, in the order in which documents first appear.
    references
        A list of streams, each with one reference for every segment (None: no reference here).
    documents
        One label for each segment of the references; equal labels need not be neighbours.
    method
        "cue", which recognises the end of a sentence; "mwer" and "mwer-case", which cut as mweralign and
        mwerSegmenter do; or "none", which refuses documents that have another number of lines than the references.
    breaks
        How "cue" treats line breaks in the text: "prefer" to cut there, "ignore" them, or "keep" all of them.
    window
        How many tokens on each side of a first alignment "cue" considers; None for all.
    auto
        Whether documents that have as many lines as the references are left as they are.
    layout
        "segments" if `references` is a list with the references of each segment instead.
    threads
        How many threads align documents; all cores unless given.
    """
    given = check_references("resegment", references, layout)
    options: dict[str, Any] = {"method": method, "breaks": breaks, "window": window, "auto": auto, "threads": threads}
    return resegment_as("resegment", "hypothesis", hypothesis, given, documents=documents, **options)


def resegment_as(
    who: str,
    what: str,
    hypothesis: Any,
    references: References,
    *,
    documents: Iterable[Hashable] | None,
    method: str,
    breaks: str = "prefer",
    window: int | None = WINDOW,
    auto: bool = False,
    threads: int | None = None,
) -> Resegmented:
    """Divide a text for a caller that has another name in messages."""
    method = choice(who, "method", method, METHODS)
    breaks = choice(who, "breaks", breaks, BREAKS)
    auto = yes_or_no(who, "auto", auto)
    reach = _checked_window(who, window)
    if breaks == "keep" and method in ("mwer", "mwer-case"):
        raise OptionError(f"{who}: breaks is 'keep', which the method {method!r} cannot do; expected method='cue'")
    workers = thread_count(threads)
    all_documents = documents_of(who, what, hypothesis, references, documents)
    _warn_of_nothing(who, all_documents)
    chosen = [document for document in all_documents if not (auto and _has_its_lines(document))]
    if method == "none":
        chosen = []
        _require_lines(who, all_documents)
    if breaks == "keep":
        _require_few_lines(who, chosen)
    parts = _aligned(chosen, method, breaks, reach, workers)
    by_document = {id(one): part for one, part in zip(chosen, parts, strict=True)}
    return _assembled(all_documents, by_document, method, signed_method(method, breaks, reach))


def signed_method(method: str, breaks: str = "prefer", window: int | None = WINDOW) -> str:
    """Give a method as signatures show it.

    Examples
    --------
    >>> signed_method("cue", "ignore"), signed_method("cue", window=500), signed_method("mwer")
    ('cue1.ignore', 'cue1.w500', 'mwer')
    """
    if method != "cue":
        return _SIGNED[method]
    suffix = "" if breaks == "prefer" else f".{breaks}"
    return f"{_SIGNED[method]}{suffix}" + ("" if window == WINDOW else f".w{'all' if window is None else window}")


def read_method(signed: str) -> dict[str, Any] | None:
    """Read the field of a signature: method, breaks and window of the re-segmentation; None if it is unknown.

    Examples
    --------
    >>> read_method("cue1.ignore.w500")
    {'method': 'cue', 'breaks': 'ignore', 'window': 500}
    """
    names = {value: method for method, value in _SIGNED.items()}
    match = re.fullmatch(r"(cue1|mwer-case|mwer)(?:\.(ignore|keep))?(?:\.w(all|[1-9]\d{0,8}))?", signed)
    if match is None or (match[1] != "cue1" and (match[2] or match[3])):
        return None
    window = WINDOW if match[3] is None else None if match[3] == "all" else int(match[3])
    return {"method": names[match[1]], "breaks": match[2] or "prefer", "window": window}


def _checked_window(who: str, window: Any) -> int | None:
    try:
        reach = None if window is None else operator.index(window)
    except TypeError:
        reach = 0
    if isinstance(window, bool) or (reach is not None and not 1 <= reach < 2**31):
        raise OptionError(f"{who}: window is {brief(window)}, expected a whole number from 1, or None")
    return reach


def _has_its_lines(document: Document) -> bool:
    return len(document.lines) == len(document.segments)


def _require_lines(who: str, documents: list[Document]) -> None:
    for document in documents:
        if not _has_its_lines(document):
            raise LengthMismatch(
                f"{who}: {document.named} has {number_of(len(document.lines), 'line')}, the references have "
                f"{number_of(len(document.segments), 'segment')}, and the method is 'none'"
            )


def _require_few_lines(who: str, documents: list[Document]) -> None:
    for document in documents:
        lines = sum(not line.isspace() for line in document.lines if line)
        room = max(1, sum(any(map(str.strip, texts)) for texts in document.references))
        if lines > room:
            raise LengthMismatch(
                f"{who}: {document.named} has {number_of(lines, 'line')} with text, and only "
                f"{number_of(room, 'segment')} have references: "
                "breaks='keep' needs a segment for each line"
            )


def _warn_of_nothing(who: str, documents: list[Document]) -> None:
    """Warn of documents without text; they count as left out by the system."""
    empty = [document for document in documents if document.is_empty and any(document.references)]
    if empty:
        more = f" (and {len(empty) - 1} more)" if len(empty) > 1 else ""
        warn("%s: %s%s is blank, so all its segments are empty", who, empty[0].named, more)


def _warn_of_long(documents: list[Document], method: str, ours: NDArray[Any], theirs: NDArray[Any]) -> None:
    """Warn of documents whose tables may take long; "cue" divides such documents in advance."""
    pairs = ours.astype(float) * theirs
    for at in np.flatnonzero(pairs > _MOST_PAIRS).tolist():
        warn(
            "%s has %s tokens and its references %s: %r may look at every pair of them, which takes about %.0f "
            "seconds; see method='cue', or give the documents",
            documents[at].named, f"{ours[at]:,}", f"{theirs[at]:,}", method, pairs[at] / _PAIRS_A_SECOND,
        )  # fmt: skip


@dataclass(frozen=True)
class _Part:
    """A divided document: spans, and the core's information about them."""

    spans: list[tuple[int, int]]
    errors: list[tuple[int, int]]
    lengths: list[int]
    margins: NDArray[np.float64]
    others: NDArray[np.intp]
    cost: float
    total: tuple[float, float]  # errors, and tokens of the references
    breaks: tuple[int, int]  # given and kept
    anchors: int = 0


def _aligned(documents: list[Document], method: str, breaks: str, window: int | None, threads: int) -> list[_Part]:
    """Align documents, all in one call of the core, which shares them among threads."""
    numbers = Numbers(method)
    ours = tokenize([document.text for document in documents], method, numbers)
    texts = [[of_segment or [""] for of_segment in document.references] for document in documents]
    theirs = tokenize([text for of in texts for of_segment in of for text in of_segment], method, numbers)
    counts = [np.array([len(of_segment) for of_segment in of], np.uint32) for of in texts]
    bounds = np.cumsum([0, *(int(of.sum()) for of in counts)])
    parts = [slice(*pair) for pair in pairwise(bounds.tolist())]
    references = [_references(theirs, part, of) for part, of in zip(parts, counts, strict=True)]
    own = [slice(*pair) for pair in pairwise(ours.firsts.tolist())]
    if method != "cue":
        _warn_of_long(documents, method, np.diff(ours.firsts), np.diff(theirs.firsts[bounds]))
        words = [(ours.numbers[part].tobytes(), of) for part, of in zip(own, references, strict=True)]
        found = _core.align_words(words, threads)
        return [_part_of_words(ours, part, one) for part, one in zip(own, found, strict=True)]
    given = []
    for part, texts_of, of in zip(own, parts, references, strict=True):
        sorts, tokens = ours.sorts[part], slice(theirs.firsts[texts_of.start], theirs.firsts[texts_of.stop])
        spaceless, letters = (int(of_text[texts_of].sum()) for of_text in (theirs.spaceless, theirs.letters))
        is_spaceless = spaceless > 0 and spaceless >= _SPACELESS_SHARE * letters
        if is_spaceless:
            sorts = sorts | np.where(begins(sorts), PERMITTED, 0).astype(np.uint8)
        # Where a line break must be kept, a token is inserted that no segment can go across.
        barriers = np.flatnonzero(sorts & BREAK if breaks == "keep" else [])
        own_numbers = np.insert(ours.numbers[part], barriers, numbers.unused)
        prefers = breaks == "prefer" and bool((sorts & BREAK).any())
        sorts = np.insert(sorts, barriers, BARRIER)
        given.append(
            (own_numbers.tobytes(), sorts.tobytes(), of, theirs.sorts[tokens].tobytes(), is_spaceless, prefers)
        )
    divided = _core.align_cues(given, window, threads)
    return [_part_of_cues(ours, part, one, breaks) for part, one in zip(own, divided, strict=True)]


def _references(tokens: Tokens, texts: slice, counts: NDArray[np.uint32]) -> tuple[bytes, bytes, bytes]:
    """The references of a document as the core takes them."""
    firsts = tokens.firsts[texts.start : texts.stop + 1]
    lengths = np.diff(firsts).astype(np.uint32)
    return tokens.numbers[firsts[0] : firsts[-1]].tobytes(), lengths.tobytes(), counts.tobytes()


def _part_of_words(tokens: Tokens, own: slice, found: tuple[list[int], list[tuple[int, int]], int, int]) -> _Part:
    cuts, errors, cost, reference_tokens = found
    unknown = np.full(len(cuts), np.nan)
    return _part(tokens, own, np.array(cuts), errors, unknown, np.full(len(cuts), -1), cost, (cost, reference_tokens))


def _part_of_cues(tokens: Tokens, own: slice, found: Any, breaks: str) -> _Part:
    cuts, errors, margins, others = (np.array(values) for values in found[:4])
    if breaks == "keep":
        barriers = np.flatnonzero(tokens.sorts[own] & BREAK)
        barriers = barriers + np.arange(len(barriers))
        cuts, others = cuts - np.searchsorted(barriers, cuts), others - np.searchsorted(barriers, others)
    is_certain = margins == 2**32 - 1
    margin = np.where(is_certain, np.inf, margins / 16)
    # The other cut as a position in the text: before the token that would begin the next segment.
    starts = np.append(tokens.starts[own], tokens.ends[own][-1:] if len(cuts) else [])
    places = np.where(is_certain, -1, starts[others.clip(max=max(0, len(starts) - 1))] if len(starts) else -1)
    total = (float(errors[:, 0].sum()), float(errors[:, 1].sum()))
    return replace(_part(tokens, own, cuts, errors.tolist(), margin, places, found[4] / 16, total), anchors=found[5])


def _part(
    tokens: Tokens,
    own: slice,
    cuts: NDArray[np.intp],
    errors: list[tuple[int, int]],
    margins: NDArray[np.float64],
    others: NDArray[np.intp],
    cost: float,
    total: tuple[float, float],
) -> _Part:
    starts, ends = tokens.starts[own].tolist(), tokens.ends[own].tolist()
    first = [0, *cuts.tolist()]
    spans, end = [], 0
    for start, stop in pairwise(first):
        spans.append((starts[start], ends[stop - 1]) if stop > start else (end, end))
        end = spans[-1][1]
    breaks = np.flatnonzero(tokens.sorts[own] & BREAK)
    kept = int(np.isin(breaks, cuts).sum())
    return _Part(spans, errors, np.diff(first).tolist(), margins, others, cost, total, (len(breaks), kept))


def _part_of_lines(document: Document) -> _Part:
    """A document that stays as it is: each line is a segment."""
    ends = np.cumsum([len(line) + 1 for line in document.lines]) - 1
    spans = [(int(end) - len(line), int(end)) for end, line in zip(ends, document.lines, strict=True)]
    count = len(spans)
    certain = np.full(count, np.inf)
    return _Part(spans, [(0, 0)] * count, [0] * count, certain, np.full(count, -1), 0.0, (0.0, 0.0), (0, 0))


def _assembled(documents: list[Document], parts: Mapping[int, _Part], method: str, signed: str) -> Resegmented:
    """The segments of all documents in the order of the references."""
    count = sum(len(document.segments) for document in documents)
    segments, spans = [""] * count, [(0, 0)] * count
    margins, others = np.full(count, np.inf), np.full(count, -1)
    suspects: list[int] = []
    for document in documents:
        part = parts.get(id(document))
        lines = _part_of_lines(document) if part is None else part
        text, places = document.text, document.segments
        margins[places], others[places] = lines.margins, lines.others
        for place, (start, end) in zip(places, lines.spans, strict=True):
            spans[place] = (start, end)
            segments[place] = text[start:end] if part is None else _shown_text(text[start:end])
        checked = zip(places, lines.errors, lines.lengths, strict=True)
        suspects += [place for place, errors, length in checked if _is_suspect(*errors, length)]
    found = list(parts.values())
    errors, tokens = (sum(part.total[at] for part in found) for at in (0, 1))
    return Resegmented(
        segments=segments,
        spans=spans,
        cost=float(sum(part.cost for part in found)),
        error_rate=errors / max(1.0, tokens),
        margins=margins,
        uncertain=np.flatnonzero(margins < 1).tolist(),
        given_breaks=sum(part.breaks[0] for part in found),
        kept_breaks=sum(part.breaks[1] for part in found),
        empty=[place for place, text in enumerate(segments) if not text],
        suspects=sorted(suspects),
        documents=len(documents),
        aligned=len(found),
        anchors=sum(part.anchors for part in found),
        method=method,
        signature_fields={"reseg": signed},
        others=others,
        _members=documents,
    )


def _is_suspect(errors: int, reference: int, length: int) -> bool:
    is_wrong = errors > 0.9 * reference if reference else length > 0
    return is_wrong or not reference <= 3 * length <= 9 * reference


def _shown_text(text: str) -> str:
    """A slice of a document as a segment: line breaks inside become a space, or nothing in scripts without spaces."""
    return _LINE_BREAK.sub(_in_place_of_break, text.strip())


_LINE_BREAK = re.compile(r"(?<!\s)\s*[\n\r]\s*")


def _in_place_of_break(found: re.Match[str]) -> str:
    return joint(found.string[found.start() - 1], found.string[found.end()])


def joint(before: str, after: str) -> str:
    """Give the separator between two characters when texts are joined.

    Examples
    --------
    >>> joint("a", "b"), joint("雨", "が"), joint("。", "A")
    (' ', '', ' ')
    """
    return "" if is_wide(before) and is_wide(after) else " "
