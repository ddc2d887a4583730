"""How much of a test set stands in training text: the one call, and what it returns.

>>> found = overlap(
...     references=[["A grey heron stood by the pond and waited .", "Rain fell on the roofs of the town all night ."]],
...     texts=["We saw: a grey heron stood by the pond, and waited."],
... )
>>> found.verdicts, found.segments[0].references[0].coverage
(('overlapping', 'clean'), 1.0)
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from truebleu import _core
from truebleu._atomic import write_whole
from truebleu._counts import number_of
from truebleu._frames import FRACTION, TEXT, WHOLE, Tabular
from truebleu._inputs import brief, check_instance, check_path, check_references, check_texts, kind_of, ordered
from truebleu._logs import warn
from truebleu._options import choice, thread_count, whole_number
from truebleu._shown import json_text, shown
from truebleu._textio import COLUMNS_FORMATS, RECORDS_FORMATS, stored_bytes
from truebleu.contamination.readings import as_lm_eval, folded
from truebleu.contamination.training import ERRORS, RECORDS, HowToRead, Tell, TrainingFile, scan_file, scan_texts
from truebleu.errors import (
    EmptyCorpus,
    FileFormatError,
    InputTypeError,
    LengthMismatch,
    MissingFile,
    MissingReferences,
    OptionError,
    StatsMismatch,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truebleu.dataset.sets import TestSet

SIDES = ("any", "source", "reference", "pair")
LIKE = ("lm-eval",)
OVERLAPPING, CLEAN, TOO_SHORT = "overlapping", "clean", "too short"
RULE, N, CHARACTERS, COMMON = "coverage:0.5", 8, 13, 1000
_LEAST, _MOST = 3, 64  # units of an n-gram
_WORDS, _LETTERS = 5, 8  # a text with fewer is too short
_MOST_GRAMS = 20_000_000
_MUCH = 1_000_000  # n-grams whose memory is told beforehand
_BYTES = 64  # of an n-gram, about
_OFTEN = 20  # n-grams of too many records that are kept
_SCHEMA = 1
Streams = list[list[str | None]]


class TrainingPlace(NamedTuple):
    """A record of training text."""

    file: str
    record: int  # counted from 1
    byte: int | None  # where the record begins, if that is known


class TextOverlap(NamedTuple):
    """What training text has of one text."""

    coverage: float  # the share of its units in n-grams that were found, without those of too many records
    coverage_common: float  # the share that only n-grams of too many records cover
    longest: int  # the most units in a row that stand in one record
    ngrams: int  # how many of its n-grams were found
    of: int  # how many it has; none if it is too short
    units: int  # its words, or its characters
    records: int  # how many records have one of its n-grams
    first: tuple[TrainingPlace, ...]  # the first three of these


class SegmentOverlap(NamedTuple):
    """What training text has of a segment; a side is None where the segment has no such text."""

    source: TextOverlap | None
    references: tuple[TextOverlap | None, ...]
    paired: bool  # whether a record, or two neighbours, have something of the source and of a reference
    verdict: str  # "overlapping", "clean" or "too short"


@dataclass(frozen=True)
class Overlap(Tabular):
    """What `overlap` returns. As a table, it has a row for each segment.

    Parameters
    ----------
    test
        What the test set is: its name if it has one, segments, and the SHA-256 of each of its texts.
    n, characters
        Words of an n-gram, and characters in texts without spaces.
    normalize
        How texts were read: "nfkc-fold", or "lm-eval".
    rule, side
        What makes a side overlap, and which sides make a segment overlap.
    common
        N-grams in more records than this are left out.
    train
        The files of training text.
    segments
        What was found of each segment.
    often
        N-grams that were left out, and how many records have them: the most frequent ones.
    totals
        Sums: segments by verdict, files, bytes, records and units of training text, n-grams.
    """

    test: Mapping[str, Any]
    n: int
    characters: int
    normalize: str
    rule: str
    side: str
    common: int
    train: tuple[TrainingFile, ...]
    segments: tuple[SegmentOverlap, ...]
    often: tuple[tuple[str, int], ...]
    totals: Mapping[str, int]

    @property
    def verdicts(self) -> tuple[str, ...]:
        """The verdict of each segment."""
        return tuple(one.verdict for one in self.segments)

    @property
    def flags(self) -> NDArray[np.bool_]:
        """Whether each segment overlaps."""
        return np.array([one.verdict == OVERLAPPING for one in self.segments], bool)

    def split(self, score: Callable[[list[int]], float]) -> dict[str, tuple[int, float | None]]:
        """Score all segments and those of each verdict: how many there are, and their score.

        Parameters
        ----------
        score
            Gives the score of some segments, by their indices.
        """
        if not callable(score):
            raise InputTypeError(f"Overlap.split: score is {kind_of(score)}, expected a function of a list of indices")
        parts = {"all": list(range(len(self.segments)))}
        for verdict in (CLEAN, OVERLAPPING, TOO_SHORT):
            parts[verdict] = [at for at, one in enumerate(self.segments) if one.verdict == verdict]
        return {name: (len(part), score(part) if part else None) for name, part in parts.items()}

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain values, for JSON."""

        def text(one: TextOverlap | None) -> dict[str, Any] | None:
            return None if one is None else {**one._asdict(), "first": [place._asdict() for place in one.first]}

        segments = [
            {"at": at, "source": text(one.source), "references": [*map(text, one.references)], "paired": one.paired,
             "verdict": one.verdict}
            for at, one in enumerate(self.segments)
        ]  # fmt: skip
        plain = {
            "train": [one._asdict() for one in self.train],
            "often": [{"ngram": ngram, "records": records} for ngram, records in self.often],
            "segments": segments,
        }
        fields = {name: dict(value) if isinstance(value, Mapping) else value for name, value in vars(self).items()}
        return {"schema": _SCHEMA, **fields, **plain}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as a file of JSON.

        Parameters
        ----------
        path
            Where to.
        """
        text = json_text(self.to_dict(), indent=1) + "\n"
        write_whole(Path(check_path("Overlap.save: path", path)), text.encode())

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Overlap:
        """Read what `save` has written.

        Parameters
        ----------
        path
            The file.
        """
        name = shown(check_path("Overlap.load: path", path))
        try:
            found = json.loads(stored_bytes(path))
            if found.pop("schema") != _SCHEMA:
                raise FileFormatError(f"{name}: its schema is of another version of truebleu, expected {_SCHEMA}")

            def text(one: Any) -> TextOverlap | None:
                first = () if one is None else tuple(TrainingPlace(**place) for place in one.pop("first"))
                return None if one is None else TextOverlap(first=first, **one)

            segments = tuple(
                SegmentOverlap(text(one["source"]), tuple(map(text, one["references"])), one["paired"], one["verdict"])
                for one in found.pop("segments")
            )
            train = tuple(TrainingFile(**one) for one in found.pop("train"))
            often = tuple((one["ngram"], one["records"]) for one in found.pop("often"))
            return Overlap(segments=segments, train=train, often=often, **found)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            if isinstance(error, FileFormatError):
                raise
            raise FileFormatError(f"{name}: is no file that truebleu overlap has written ({brief(error)})") from error

    def require_test(self, references: Sequence[Sequence[str | None]]) -> None:
        """Raise unless this is about the test set with these references.

        Parameters
        ----------
        references
            The streams of references.
        """
        references = check_references("Overlap.require_test", references).streams
        given = [_digest(stream) for stream in references]
        known = self.test["references"]
        if self.test["segments"] != len(references[0]) or (known and not set(given) & set(known)):
            raise StatsMismatch(
                f"the overlap is of a test set of {number_of(self.test['segments'], 'segment')} with other references "
                f"than these, which have {len(references[0])}; find the overlap of this test set"
            )

    def _table(self) -> tuple[Mapping[str, str], Iterator[Sequence[Any]]]:
        types = {"segment": WHOLE, "verdict": TEXT}
        for side in ("source", "reference"):
            types |= {f"{side}_coverage": FRACTION, f"{side}_longest": WHOLE, f"{side}_records": WHOLE}

        def cells(one: TextOverlap | None) -> tuple[Any, ...]:
            return (None, None, None) if one is None else (one.coverage, one.longest, one.records)

        def best(texts: Sequence[TextOverlap | None]) -> TextOverlap | None:
            return max((one for one in texts if one is not None), default=None, key=lambda one: one.coverage)

        rows = enumerate(self.segments, 1)
        return types, ((at, one.verdict, *cells(one.source), *cells(best(one.references))) for at, one in rows)

    def __str__(self) -> str:
        from truebleu.contamination.text import lines_of

        return "\n".join(lines_of(self))


def overlap(
    testset: TestSet | None = None,
    *,
    sources: Sequence[str | None] | None = None,
    references: Sequence[Sequence[str | None]] | None = None,
    train: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    texts: Iterable[str] | None = None,
    n: int | None = None,
    characters: int | None = None,
    rule: str | None = None,
    side: str = "any",
    common: int = COMMON,
    records: str = "lines",
    field: str | Sequence[str] = (),
    format: str | None = None,
    errors: str = "strict",
    like: str | None = None,
    resume: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    tell: Tell | None = None,
) -> Overlap:
    """Find the n-grams of a test set in training text, in one pass and in memory that does not grow with it.

    Parameters
    ----------
    testset
        A test set, as `truebleu.testset` gives it, in place of `sources` and `references`.
    sources
        The sources of the test set.
    references
        Its streams of references, each a list with one reference for every segment.
    train
        Files of training text: paths, patterns and folders; `-` is standard input.
    texts
        Records of training text, in place of files or after them.
    n
        Words of an n-gram, from 3 to 64 (default: 8).
    characters
        Characters of an n-gram in texts without spaces between words (default: 13).
    rule
        What makes a text overlap: "any" n-gram, "coverage:0.5" for the share of its words in n-grams that were found,
        or "longest:20" for so many words in a row (default: coverage:0.5).
    side
        Which texts make a segment overlap: "any", its "source", a "reference", or both as a "pair" in one record or in
        two neighbours.
    common
        N-grams in more records than this are left out: dates, boilerplate.
    records
        Where records of plain text end: with "lines", with "blank" lines, or with the "file".
    field
        Fields of JSON lines, columns of tables and Parquet, with the text (default: text); columns of a table without
        a header by number.
    format
        The format of all files: text, jsonl, tsv, csv, parquet or arrow (default: by their names).
    errors
        "strict" to raise for bytes that are not UTF-8 and broken records, "replace" to let such bytes end words, "skip"
        to also leave broken records out.
    like
        "lm-eval" for the words of lm-evaluation-harness: 13 of them, any that were found, ASCII punctuation deleted.
    resume
        A file that names the files that were read and what they had, written anew after each, whole or not at all. If
        it is there, they are not read again; one that has changed is an error.
    threads
        How many threads work; None for all cores.
    tell
        Called with numbers of bytes as they are read.
    """
    how = _how(records, field, format, errors)
    if like is not None:
        choice("overlap", "like", like, LIKE)
    n = whole_number("overlap", "n", (13 if like else N) if n is None else n, _LEAST, _MOST)
    letters = CHARACTERS if characters is None else characters
    letters = whole_number("overlap", "characters", letters, _LEAST, _MOST)
    is_enough = _rule(rule := ("any" if like else RULE) if rule is None else rule)
    choice("overlap", "side", side, SIDES)
    whole_number("overlap", "common", common, 1, 2**31)
    workers = thread_count(threads)
    paths, texts = _paths(train), _records(texts)
    if tell is not None and not callable(tell):
        raise InputTypeError(f"overlap: tell is {kind_of(tell)}, expected a function of a number of bytes")
    if not paths and texts is None:
        raise OptionError("overlap: there is no training text; name files (train=, --train) or give records (texts=)")
    given, streams = _test_of(testset, sources, references)
    for needed, there in (("source", given is not None), ("reference", bool(streams))):
        if side in (needed, "pair") and not there:
            raise MissingReferences(f"overlap: side is {side!r}, and the test set has no {needed}s; give {needed}s=")
    for path in paths:
        how.kind(path)
    test = {
        "name": None if testset is None else f"{testset.name} {testset.pair}",
        "segments": len(streams[0] if streams else given or ()),
        "source": None if given is None else _digest(given),
        "references": [_digest(stream) for stream in streams],
    }
    scan = _begin(given, streams, n, letters, like is not None, errors, workers)
    if resume is None:
        files = [scan_file(scan, path, how, tell) for path in paths]
    else:
        from truebleu.contamination.ledger import resumed

        about = {**test, "n": n, "characters": letters, "like": like, "reading": how}
        files = resumed(resume, scan, paths, about, how, tell)
    if texts is not None:
        files.append(scan_texts(scan, texts))
    if not any(one.bytes for one in files):
        raise EmptyCorpus("overlap: the training text has 0 bytes; was it written?")
    found, often = _segments(scan, given, streams, common, files, side, is_enough)
    verdicts = [one.verdict for one in found]
    totals = {name.replace(" ", "_"): verdicts.count(name) for name in (OVERLAPPING, CLEAN, TOO_SHORT)}
    sums = {name: sum(getattr(one, name) for one in files) for name in ("bytes", "records")}
    totals |= {"files": len(files), **sums, "units": scan.read()[1], "replaced": scan.read()[2], "ngrams": scan.grams()}
    normalize = "lm-eval" if like else "nfkc-fold"
    return Overlap(
        test, n, letters, normalize, rule, side, common, tuple(files), tuple(found), tuple(often[:_OFTEN]), totals
    )


def overlap_of_test(who: str, given: Any, references: Sequence[Sequence[str | None]]) -> Overlap:
    """Take an overlap, or read its file, and raise unless it is about the test set with these references."""
    if isinstance(given, str | os.PathLike) and not os.path.exists(check_path(f"{who}: overlap", given)):
        raise MissingFile(f"{who}: overlap is {brief(given)}, and there is no such file")
    found: Overlap = Overlap.load(given) if isinstance(given, str | os.PathLike) else given
    check_instance(who, "overlap", found, Overlap, "what truebleu.overlap returns, or the file with it")
    if not references:
        raise MissingReferences(f"{who}: overlap is of a test set, and there are no references to know it by")
    found.require_test(references)
    return found


def _how(records: str, field: str | Sequence[str], format: str | None, errors: str) -> HowToRead:
    choice("overlap", "records", records, RECORDS)
    choice("overlap", "errors", errors, ERRORS)
    if format is not None:
        known = ("text", *(one for one in (*RECORDS_FORMATS, *COLUMNS_FORMATS) if one != "json"))
        choice("overlap", "format", format, known)
    fields = [field] if isinstance(field, str) else ordered("overlap", "field", field, "a list of names")
    return HowToRead(records, tuple(check_texts("overlap", "field", fields)) if fields else (), errors, format)


def _paths(train: Any) -> list[str]:
    given = [train] if isinstance(train, str | os.PathLike) else ordered("overlap", "train", train, "a list of paths")
    from truebleu.columns.places import expand

    found = [check_path("overlap: train", one) for one in given]
    named = [one for one in found if one != "-"]
    return [*(expand(named, "overlap: train", every=True) if named else []), *(["-"] if "-" in found else [])]


def _records(texts: Any) -> Iterator[str] | None:
    """Records that come one after the other."""
    refused = (str, bytes, bytearray, Set, Mapping, type)
    if texts is None:
        return None
    if not isinstance(texts, Iterable) or isinstance(texts, refused) or getattr(texts, "shape", None) == ():
        raise InputTypeError(f"overlap: texts is {kind_of(texts)}, expected strings, one for each record")
    return iter(texts)


def _rule(rule: str) -> Callable[[TextOverlap], bool]:
    """What a rule says of a text."""
    match = re.fullmatch(
        r"(any)|coverage:(0?\.\d+|1|1\.0+)|longest:([1-9]\d{0,8})", rule if isinstance(rule, str) else ""
    )
    if match is None:
        raise OptionError(f"overlap: rule is {brief(rule)}, expected any, coverage:SHARE up to 1, or longest:WORDS")
    if match[1]:
        return lambda text: text.coverage > 0
    if match[2]:
        share = float(match[2])
        return lambda text: text.coverage >= share > 0
    return lambda text: text.longest >= int(match[3])


def _test_of(testset: TestSet | None, sources: Any, references: Any) -> tuple[list[str | None] | None, Streams]:
    """The sources and the streams of references of the test set, checked."""
    if testset is not None:
        if sources is not None or references is not None:
            raise OptionError("overlap: a test set has its sources and references; leave out sources= and references=")
        if not isinstance(getattr(testset, "source", None), list):
            raise InputTypeError(f"overlap: testset is {kind_of(testset)}, expected what truebleu.testset returns")
        sources, references = testset.source, testset.references or None
    streams = [] if references is None else list(map(list, check_references("overlap", references).streams))
    given = None if sources is None else list(ordered("overlap", "sources", sources, "a list of texts"))
    columns = {"sources": given, **{f"references[{at}]": stream for at, stream in enumerate(streams)}}
    there = {name: column for name, column in columns.items() if column is not None}
    if not there:
        raise MissingReferences("overlap: there is no test set; give sources, references, or what testset() returns")
    for name, column in there.items():
        check_texts("overlap", name, [text for text in column if text is not None])
    sizes = {len(column) for column in there.values()}
    if len(sizes) > 1:
        counts = ", ".join(str(len(column)) for column in there.values())
        raise LengthMismatch(f"overlap: sources and references differ in length: {counts}; expected as many of each")
    if sizes == {0}:
        raise EmptyCorpus("overlap: the test set has no segments")
    return given, streams


def _digest(texts: Iterable[str | None]) -> str:
    return sha256(json.dumps(list(texts)).encode()).hexdigest()


def _begin(
    sources: list[str | None] | None, streams: Streams, n: int, letters: int, lm_eval: bool, errors: str, threads: int
) -> _core.OverlapScan:
    # The source of a segment is stream 0, also where there are none.
    columns = [sources or [], *streams]
    sides = [(at, stream) for stream, texts in enumerate(columns) for at, text in enumerate(texts) if text is not None]
    given = [text for text in chain.from_iterable(columns) if text is not None]
    words = sum(text.count(" ") + 1 if " " in text else len(text) for text in given)  # about as many n-grams
    if words > _MOST_GRAMS:
        raise OptionError(
            f"overlap: the words of the test set are {words:,}, expected at most {_MOST_GRAMS:,}; divide it"
        )
    if words > _MUCH:
        warn("the test set has about %s words and takes about %d MB", f"{words:,}", words * _BYTES // 10**6)
    reading = as_lm_eval() if lm_eval else folded()
    # Janitors of lm-eval find nothing in a text that is shorter than an n-gram.
    least = (n, letters) if lm_eval else (_WORDS, _LETTERS)
    texts = [text.encode("utf-8", "replace").decode() for text in given]  # without halves of surrogate pairs
    return _core.OverlapScan(
        reading.cells, reading.pool, beyond=reading.beyond, alone=reading.alone, texts=texts, sides=sides,
        words=(n, least[0]), characters=(letters, least[1]), replace=errors != "strict", threads=threads,
    )  # fmt: skip


def _segments(
    scan: _core.OverlapScan, sources: list[str | None] | None, streams: Streams, common: int,
    files: Sequence[TrainingFile], side: str, is_enough: Callable[[TextOverlap], bool],
) -> tuple[list[SegmentOverlap], list[tuple[str, int]]]:  # fmt: skip
    """What was found of each segment, and n-grams of too many records."""
    rows, of_given, often = scan.matches(common)
    texts, paired = [_text(row, files) for row in rows], scan.paired()
    places, found = iter(of_given), list[SegmentOverlap]()
    columns = [[None if text is None else texts[next(places)] for text in one] for one in (sources or [], *streams)]
    for at in range(len(streams[0] if streams else sources or ())):
        source = columns[0][at] if sources is not None else None
        references, is_paired = tuple(column[at] for column in columns[1:]), at < len(paired) and paired[at]
        verdict = _verdict(source, references, is_paired, side, is_enough)
        found.append(SegmentOverlap(source, references, is_paired, verdict))
    return found, often


def _verdict(
    source: TextOverlap | None, references: Sequence[TextOverlap | None], is_paired: bool, side: str,
    is_enough: Callable[[TextOverlap], bool],
) -> str:  # fmt: skip
    """What a segment is called; without a text that is long enough to be found it is never clean."""
    sides = {name: [one for one in ones if one is not None]
             for name, ones in (("source", [source]), ("reference", references))}  # fmt: skip
    hits = {name: any(map(is_enough, ones)) for name, ones in sides.items()}
    if {**hits, "any": any(hits.values()), "pair": all(hits.values()) and is_paired}[side]:
        return OVERLAPPING
    can_be_found = {name: any(one.of for one in ones) for name, ones in sides.items() if ones or side != "any"}
    asked = [can_be_found[side]] if side in sides else [*can_be_found.values()]
    return CLEAN if asked and all(asked) else TOO_SHORT


def _text(row: Any, files: Sequence[TrainingFile]) -> TextOverlap:
    units, _, _, covered, common, longest, (ngrams, of), records, first = row
    places = [
        TrainingPlace(one.path, record, byte if one.path and one.unit != "row" else None)
        for one, record, byte in ((files[file], record, byte) for file, record, byte in first)
    ]
    whole = max(units, 1)
    return TextOverlap(covered / whole, common / whole, longest, ngrams, of, units, records, tuple(places))
