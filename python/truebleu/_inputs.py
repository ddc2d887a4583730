"""The door: texts, tokens and ids of any accepted shape become the core's input, or a helpful error.

Everything is checked here, before any counting. sacreBLEU walks its streams in parallel and silently stops at the
shortest, so a transposed or flat list of references gets a score there; here it gets an error. NLTK's and evaluate's
dialects use the same door, with their own exceptions.
"""

from __future__ import annotations

import operator
import os
import sys
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence, Set
from itertools import chain, zip_longest

from truebleu import _core
from truebleu._counts import number_of
from truebleu._logs import warn
from truebleu._typing import Any
from truebleu.errors import (
    EmptyCorpus,
    FormatMismatch,
    InputError,
    InputTypeError,
    LengthMismatch,
    NothingAdded,
    OptionError,
    SegmentWithoutReference,
    UnequalCorpora,
)

# Lists are taken as they are: a copy would cost a twentieth of the time of a score.
Texts = tuple[str, ...] | list[str]
Stream = tuple[str | None, ...] | list[str | None]
Reference = list[str | None]
Tokens = Sequence[Any]

# The end of a message with the number of a segment: lines of files are counted from 1.
FROM_0 = "Segments are counted from 0"

LAYOUTS = ("streams", "segments")
EMPTY_REFS = ("drop", "keep")


def ordered(
    name: str, what: str, values: Any, expected: str, error: type[InputError] = InputTypeError
) -> tuple[Any, ...] | list[Any]:
    """The values as a list or a tuple; without an order they are refused. `name` and `what` are for the message."""
    if type(values) in (list, tuple):
        return values  # type: ignore[no-any-return]
    # A set has no order and a mapping iterates over its keys: both would silently get a wrong score.
    refused = (str, bytes, bytearray, Set, Mapping, type)
    # An array without dimensions claims to be iterable, but is not.
    is_no_list = getattr(values, "shape", None) == () or hasattr(values, "columns")  # a table gives names of columns
    if not isinstance(values, Iterable) or isinstance(values, refused) or is_no_list:
        raise error(f"{name}: {what} is {kind_of(values)}, expected {expected}{_instead(values)}")
    return tuple(values)


def check_texts(
    name: str, what: str, values: Any, expected: str = "a list of strings", error: type[InputError] = InputTypeError
) -> Texts:
    """The values, after a check that they are strings, at least one."""
    texts = ordered(name, what, values, expected, error)
    if not texts:
        raise EmptyCorpus(f"{name}: {what} is empty, expected at least one text")
    refuse_others(name, what, texts, error)
    return texts


def kind_of(value: object) -> str:
    """A value's kind, in words for a message."""
    if isinstance(value, str):
        return f"the plain string {brief(value)}"
    if isinstance(value, os.PathLike):
        return f"the path {brief(value)}"
    return "None" if value is None else f"of type {type(value).__name__}"


def _instead(value: Any) -> str:
    """Say what to do with a value that has texts in it, or leads to them, and is no list."""
    if isinstance(value, os.PathLike) or (isinstance(value, str) and len(value) < 256 and os.path.isfile(value)):
        return f". truebleu.read_lines({brief(value)}) reads the lines of a file"
    if hasattr(value, "columns"):
        return ". This is a table: choose one of its columns"
    return ". Decode bytes first: .decode('utf-8')" if isinstance(value, bytes | bytearray) else ""


def brief(value: object, length: int = 80) -> str:
    """A value as Python writes it, shortened: a message must not repeat a whole file."""
    import reprlib

    value = str(value) if isinstance(value, str | os.PathLike) else value  # not PosixPath('x') or np.str_('x')
    writer = reprlib.Repr()
    writer.maxstring = writer.maxother = length
    try:
        # An array shows a lone surrogate as it is, which no stream accepts.
        text = " ".join(writer.repr(value).split()).encode("utf-8", "backslashreplace").decode()
        return text if len(text) <= 3 * length else f"{text[: 2 * length]}...{text[-length // 2 :]}"
    except ValueError:  # Python refuses to write numbers of thousands of digits
        return f"a very large {type(value).__name__}"


def check_instance(name: str, what: str, value: Any, kind: type | tuple[type, ...], expected: str) -> None:
    """Raise InputTypeError unless the value is of one of these types."""
    if not isinstance(value, kind):
        raise InputTypeError(f"{name}: {what} is {kind_of(value)}, expected {expected}")


def check_text(what: str, value: Any, expected: str) -> str:
    """The value, after a check that it is a string."""
    if not isinstance(value, str):
        raise InputTypeError(f"{what} is {brief(value)}, expected {expected}")
    return value


def check_path(what: str, path: Any) -> str:
    """The path of a file, after a check: a number would be taken for an open file."""
    if not isinstance(path, str | os.PathLike) or not os.fspath(path) or "\0" in str(path):
        raise InputTypeError(f"{what} is {brief(path)}, expected the path of a file")
    text = os.fspath(path)
    try:
        longest = max(map(len, os.fsencode(text).split(b"/")))
    except UnicodeError:
        raise InputTypeError(f"{what} is {brief(path)}, expected characters that a path can have") from None
    if longest > 255:
        raise InputTypeError(f"{what} is {brief(path)}, with a name of {longest} bytes; no file system takes over 255")
    return os.fsdecode(text)


def check_pair(name: str, what: str, values: Any) -> tuple[int, int]:
    """The smallest and the largest number of references of a segment, after a check."""
    pair = ordered(name, what, values, "two whole numbers")
    try:
        fewest, most = map(operator.index, pair)
    except (TypeError, ValueError):
        fewest = most = -1
    if fewest < 0 or most < 0:
        raise InputTypeError(f"{name}: {what} is {brief(values)}, expected two whole numbers from 0")
    return fewest, most


def as_float(value: Any) -> float:
    """A number as a float; NaN for other values, for text and truth values, and for numbers that are too large."""
    try:
        is_other = (
            isinstance(value, (str, bytes, bool, complex)) or getattr(getattr(value, "dtype", None), "kind", "") == "c"
        )
        return float("nan") if is_other else float(value)
    except (TypeError, ValueError, OverflowError):
        return float("nan")


def check_numbers(name: str, what: str, values: Any, low: float = -float("inf")) -> list[float]:
    """The values as floats, after a check that they are finite and at least `low`; `name` and `what` are for the
    message."""
    given = ordered(name, what, values, "a list of numbers")
    numbers = []
    for at, value in enumerate(given):
        number = as_float(value)
        if not max(low, -sys.float_info.max) <= number < float("inf"):
            from_low = "" if low == -float("inf") else f" from {low:g}"
            raise InputTypeError(f"{name}: {what}[{at}] is {brief(value)}, expected a finite number{from_low}")
        numbers.append(number)
    return numbers


def refuse_others(
    name: str,
    what: str,
    values: Collection[Any],
    error: type[InputError] = InputTypeError,
    allowed: tuple[type, ...] = (str,),
) -> None:
    """Raise at the first value of another type. There are few types, so the check is fast."""
    if all(issubclass(kind, allowed) for kind in set(map(type, values))):
        return
    at, value = next((at, value) for at, value in enumerate(values) if not isinstance(value, allowed))
    raise error(f"{name}: {what}[{at}] is {kind_of(value)}, expected a string")


def check_labels(name: str, what: str, labels: Any, segments: int) -> list[Hashable]:
    """The labels as a list, after a check that there is one for each segment; `name` and `what` are for the message."""
    checked = list(ordered(name, what, labels, "a list with one label for each segment"))
    if len(checked) != segments:
        raise LengthMismatch(
            f"{name}: in {what} there are {number_of(len(checked), 'label')} and "
            f"{number_of(segments, 'segment')}, expected one label each"
        )
    for segment, label in enumerate(checked):
        if label is None or not _is_hashable(label):
            raise InputTypeError(
                f"{name}: in {what} the label of segment {segment} is {kind_of(label)}, "
                f"expected a document, domain or the like. {FROM_0}"
            )
    return checked


def _is_hashable(label: object) -> bool:
    try:
        hash(label)
    except TypeError:  # also a tuple with a list in it
        return False
    return True


# Hypotheses and streams of references, as sacreBLEU takes them.


# Plain classes, because named tuples would slow down `import truebleu`.


class References:
    """Reference streams of equal length: `streams[k][i]` is the k-th reference of segment i, or None."""

    def __init__(self, streams: list[Stream], segments: int) -> None:
        self.streams, self.segments = streams, segments


class Corpus:
    """Checked input: as many entries in each stream as there are hypotheses.

    `references` is the smallest and the largest number of references of a segment; `division` has the fields of
    signatures for texts that were divided again.
    """

    def __init__(
        self, texts: Texts, streams: list[Stream], references: tuple[int, int], stops: int, unspaced: bool
    ) -> None:
        self.hypotheses, self.streams = texts, streams
        self.references, self.detached_stops, self.seems_unspaced = references, stops, unspaced
        self.division: Mapping[str, str] = {}


def check_corpus(
    name: str, hypotheses: Any, references: References, keep_empty: bool, layout: str = "streams"
) -> Corpus:
    """Put hypotheses and references together; `name` is the metric's, for messages."""
    expected = "a list of strings, one for each segment"
    if isinstance(hypotheses, str):
        expected += _ONE_SENTENCE
    texts = ordered(name, "hypotheses", hypotheses, expected)
    if not texts:
        raise EmptyCorpus(f"{name}: hypotheses is empty, expected at least one segment")
    if {references.segments, *map(len, references.streams)} != {len(texts)}:
        raise _wrong_lengths(name, len(texts), references, layout)
    fewest, most, stops, unspaced = _core.inspect(name, texts, references.streams, keep_empty)
    return Corpus(texts, references.streams, (fewest, most), stops, unspaced)


def check_cached(name: str, references: References, keep_empty: bool) -> tuple[int, int]:
    """Check references that come before any hypotheses; return the smallest and largest number per segment."""
    for index, stream in enumerate(references.streams):
        if len(stream) != references.segments:
            raise LengthMismatch(
                f"{name}: reference stream {index} has {number_of(len(stream), 'segment')}, stream 0 has "
                f"{references.segments}"
            )
    if not references.segments:
        raise EmptyCorpus(f"{name}: references has streams without segments, expected at least one segment")
    fewest, most, *_ = _core.inspect(name, ("",) * references.segments, references.streams, keep_empty)
    return fewest, most


def check_sentence(name: str, hypothesis: str, references: Sequence[str | None], keep_empty: bool) -> Corpus:
    """The corpus of one segment."""
    if not isinstance(hypothesis, str):
        several = ". For several segments there are corpus_score() and functions such as corpus_bleu()"
        is_list = isinstance(hypothesis, list | tuple)
        raise InputTypeError(
            f"{name}: the hypothesis is {kind_of(hypothesis)}, expected one string{several if is_list else ''}"
        )
    expected = "a list of strings, the references of this one segment"
    if isinstance(references, str):
        expected = "a list of strings: [reference]"
    texts = ordered(name, "references", references, expected)
    if not texts:
        raise EmptyCorpus(f"{name}: references is empty, expected at least one reference for the segment")
    for index, text in enumerate(texts):
        if text is not None and not isinstance(text, str):
            raise InputTypeError(f"{name}: reference {index} is {kind_of(text)}, expected a string or None")
    streams: list[Stream] = [(text,) for text in texts]
    fewest, most, stops, unspaced = _core.inspect(name, (hypothesis,), streams, keep_empty)
    return Corpus((hypothesis,), streams, (fewest, most), stops, unspaced)


def check_references(name: str, references: Any, layout: str = "streams", takes_pairs: bool = False) -> References:
    """References by stream (`references[k][segment]`) or by segment (`references[segment][k]`), as streams.

    With `takes_pairs`, one string for each segment may be given too.
    """
    if not isinstance(layout, str) or layout not in LAYOUTS:
        raise OptionError(f"{name}: layout is {brief(layout)}, expected one of {', '.join(map(repr, LAYOUTS))}")
    hint = _ONE_SENTENCE if isinstance(references, str) else ""
    outer = ordered(name, "references", references, _REFERENCES_BY[layout] + hint)
    if not outer:
        raise EmptyCorpus(f"{name}: references is empty, expected {_REFERENCES_BY[layout]}")
    if takes_pairs and all(isinstance(item, str) for item in outer):
        return References([outer], len(outer))
    inner: list[Stream] = []
    for index, item in enumerate(outer):
        is_flat = item is None or isinstance(item, str)
        expected = f"{_REFERENCES_BY[layout]}. {_FLAT_LIST_HINT[layout]}" if is_flat else _REFERENCES_BY[layout]
        inner.append(ordered(name, f"references[{index}]", item, expected))
    if layout == "segments":
        return References(list(zip_longest(*inner)), len(inner))
    return References(inner, len(inner[0]))


_ONE_SENTENCE = ". For a single sentence there are sentence_score() and functions such as sentence_bleu()"

_REFERENCES_BY = {
    "streams": "a list of reference streams, each a list with one reference for every segment",
    "segments": "a list with, for each segment, the list of its references",
}

_FLAT_LIST_HINT = {
    "streams": "This is a flat list; with one reference for each segment, pass [references]",
    "segments": "This is a flat list; with one reference for each segment, pass [[text] for text in references]",
}


def _wrong_lengths(name: str, segments: int, references: References, layout: str) -> InputError:
    if layout == "segments":
        return LengthMismatch(
            f"{name}: references has {number_of(references.segments, 'segment')}, the hypotheses have {segments}"
            + _transposed(segments, references.segments, [len(references.streams)], "streams")
        )
    lengths = [len(stream) for stream in references.streams]
    index, length = next((at, one) for at, one in enumerate(lengths) if one != segments)
    where = f"reference stream {index} of {len(lengths)}"
    message = f"{name}: {where} has {number_of(length, 'segment')}, the hypotheses have {segments}"
    message += _transposed(segments, len(lengths), lengths, "segments")
    return EmptyCorpus(message) if length == 0 else LengthMismatch(message)


def _transposed(segments: int, outer: int, inner: list[int], layout: str) -> str:
    """A hint for references that fit when they are read the other way round."""
    fits = outer == segments if layout == "segments" else inner == [segments]
    if not fits:
        return ""
    grouped = "segment" if layout == "segments" else "stream"
    where = " of corpus_score(), or pass list(zip(*references))" if layout == "segments" else ""
    return f". These look transposed: references grouped by {grouped} go with layout={layout!r}{where}"


def without_empty(streams: list[Stream]) -> list[Stream]:
    """The streams, with None for each empty reference beside a filled one."""
    segments = (
        tuple(text or None for text in references) if any(references) else references
        for references in zip(*streams, strict=True)
    )
    return list(zip(*segments, strict=True))


# References grouped by segment, as evaluate and torchmetrics take them.


class Segments:
    """Checked predictions, each with its list of references; `flat` if they came as one string each."""

    def __init__(self, predictions: list[str], references: list[Reference], flat: bool) -> None:
        self.predictions, self.references, self.flat = predictions, references, flat

    def streams(self, name: str) -> list[Stream]:
        """The references as the core takes them: the first of every segment, then the second of every segment."""
        return as_streams(name, self.references)


def group(
    name: str, predictions: Any, references: Any, names: tuple[str, str] = ("predictions", "references")
) -> Segments:
    """Check a batch and bring references into one shape: `references[i]` is the list of references of prediction i.

    If every prediction has one reference, the strings themselves may be given. None among the references of a segment
    is ignored. `name` is the metric's and `names` are the arguments', for messages.

    >>> group("bleu", ["a b", "c"], ["a b c", "c"]).references
    [['a b c'], ['c']]
    """
    texts = list(ordered(name, names[0], predictions, "a list of strings, one for each segment", FormatMismatch))
    outer = list(ordered(name, names[1], references, _LISTS, FormatMismatch))
    if len(texts) != len(outer):
        given = [item for item in outer if isinstance(item, Collection) and not isinstance(item, (str, Set, Mapping))]
        sizes = {len(item) for item in given if getattr(item, "shape", None) != ()}
        by_stream = len(given) == len(outer) and sizes == {len(texts)}
        hint = f". These look transposed, as streams: pass list(zip(*{names[1]}))" if by_stream else ""
        raise LengthMismatch(
            f"{name}: there are {len(texts)} {names[0]}, and references for {number_of(len(outer), 'segment')} "
            f"in {names[1]}. "
            f"Expected one list of references for each prediction{hint}"
        )
    if not texts:
        raise NothingAdded(f"{name}: {names[0]} and {names[1]} are empty, expected at least one segment")
    refuse_others(name, names[0], texts, FormatMismatch)
    if all(issubclass(kind, str) for kind in set(map(type, outer))):
        return Segments(texts, [[text] for text in outer], flat=True)
    lists = [_references_of(name, names[1], segment, item, outer) for segment, item in enumerate(outer)]
    if not set(map(type, chain.from_iterable(lists))) <= {str, type(None)}:
        for segment, each in enumerate(lists):
            refuse_others(name, f"{names[1]}[{segment}]", each, FormatMismatch, (str, type(None)))
    return Segments(texts, lists, flat=False)


_LISTS = "a list with, for each prediction, the list of its references; or one string for each prediction"


def _references_of(name: str, what: str, segment: int, item: Any, outer: list[Any]) -> Reference:
    if type(item) is list:
        return item
    if isinstance(item, str):
        other = next(at for at, value in enumerate(outer) if not isinstance(value, str))
        raise FormatMismatch(
            f"{name}: {what}[{segment}] is a string, and {what}[{other}] is {kind_of(outer[other])}. "
            "Expected lists of strings for all, or strings for all"
        )
    expected = "a list of strings, the references of this prediction"
    return list(ordered(name, f"{what}[{segment}]", item, expected, FormatMismatch))


def as_streams(name: str, references: list[Reference]) -> list[Stream]:
    """References grouped by segment as streams: the first of every segment, then the second of every segment."""
    by_stream: list[Stream] = list(zip_longest(*references))
    if not by_stream:
        raise SegmentWithoutReference(f"{name}: segment 0 has no reference, expected at least one. {FROM_0}")
    return by_stream


# Tokens and token ids, references first, as NLTK and sacRebleu take them.


def equally_many(
    name: str, references: Any, hypotheses: Any, what: str = "hypothesis", plural: str = "hypotheses"
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """References and hypotheses as tuples, after a check that the lengths agree. NLTK takes strings for lists."""
    lists, of_nltk = [], what == "hypothesis"
    places = ("the list of references", f"the list of {plural}") if of_nltk else ("references", plural)
    for place, values in zip(places, (references, hypotheses), strict=True):
        # An iterator could be read only once, and a set has no order.
        refused = (Set, Mapping, type, *(() if of_nltk else (str, bytes)))
        if not isinstance(values, Collection) or isinstance(values, refused) or getattr(values, "shape", None) == ():
            raise InputTypeError(f"{name}: {place} is of type {type(values).__name__}, expected a list")
        lists.append(tuple(values))
    if len(lists[0]) != len(lists[1]):
        raise UnequalCorpora(
            f"{name}: there are references for {number_of(len(lists[0]), 'segment')}, and {len(lists[1])} {plural}. "
            f"References come first, and there is a list of them for each {what}"
        )
    return lists[0], lists[1]


def numbered(name: str, references: tuple[Any, ...], hypotheses: tuple[Any, ...]) -> _core.TokenCorpus:
    """The corpus with equal numbers for equal tokens; `name` is that of the function called, for messages."""
    if hypotheses:
        first = references[0]
        reference = first[0] if isinstance(first, (list, tuple)) and first else first
        for what, value in (("hypothesis", hypotheses[0]), ("a reference", reference)):
            # NLTK takes a string for the list of its characters, and so do we; usually the user meant to split it.
            if isinstance(value, str):
                warn("%s: %s is a string, so its characters are the tokens. To score words, split it first", name, what)
    return _core.TokenCorpus.from_objects(name, hypotheses, references)
