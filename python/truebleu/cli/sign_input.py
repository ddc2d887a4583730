"""What `truebleu sign-test` compares: NIST's SGM aligned by ids, or plain text, one segment a line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from truebleu._textio import read_text, split_lines
from truebleu.errors import EmptyCorpus, FileFormatError, LengthMismatch
from truebleu.sgm import Key, Stream, is_sgm, parse, texts_in_order

_OTHER_MARKUP = re.compile(r"\s*<(?:\?xml|!doctype|dataset|doc)[\s>]", re.I)


class Side(NamedTuple):
    """The texts of one file, or of one of the translations in it."""

    path: str
    name: str
    texts: Sequence[str]


class SignInput(NamedTuple):
    """Texts of equal number and in the same order; `keys` are document and segment ids, where there are any."""

    keys: list[Key] | None
    source: Side | None
    references: list[Side]
    baseline: Side
    system: Side


class Request(NamedTuple):
    """Which files to read, and how."""

    source: str | None
    references: Sequence[str]
    baseline: str
    system: str
    baseline_sysid: str | None = None
    system_sysid: str | None = None
    by_position: bool = False
    encoding: str = "utf-8"


class _Found(NamedTuple):
    """A side before it is put in order; plain text has no stream."""

    side: Side
    stream: Stream | None


def read_input(request: Request) -> SignInput:
    """Read all files and put their segments in the order of the first reference."""
    references = [found for path in request.references for found in _read(path, "refset", request.encoding)]
    baseline = _only(_read(request.baseline, "tstset", request.encoding), request.baseline_sysid)
    system = _only(_read(request.system, "tstset", request.encoding), request.system_sysid)
    everything = [baseline, system, *references]
    if request.source is not None:
        everything.append(_only(_read(request.source, "srcset", request.encoding), None))
    ordered = _in_order(everything, references[0], request.by_position)
    return SignInput(
        keys=next((list(found.stream) for found in [*references, *everything] if found.stream is not None), None),
        source=ordered[-1] if request.source is not None else None,
        references=ordered[2 : 2 + len(references)],
        baseline=ordered[0],
        system=ordered[1],
    )


def _read(path: str, kind: str, encoding: str) -> list[_Found]:
    text = read_text(path, encoding)
    if is_sgm(text) or _OTHER_MARKUP.match(text):
        return [_of_stream(stream) for stream in _streams(text, path, kind)]
    lines = split_lines(text)
    if not lines:
        raise EmptyCorpus(f"{path}: the file is empty, expected one segment a line or NIST's SGM")
    return [_Found(Side(path, "", lines), None)]


def _of_stream(stream: Stream) -> _Found:
    if not stream:
        raise FileFormatError(f"{stream.path}, line {stream.line}: the {stream.kind} has no segments")
    return _Found(Side(stream.path, stream.name, [segment.text for segment in stream.values()]), stream)


def _streams(text: str, path: str, kind: str) -> list[Stream]:
    streams = parse(text, path)
    wanted = [stream for stream in streams if stream.kind == kind]
    if not wanted:
        got = ", ".join(dict.fromkeys(f"a {stream.kind} (line {stream.line})" for stream in streams)) or "no documents"
        raise FileFormatError(f"{path}: expected a {kind}, got {got}; are the files in each other's places?")
    return wanted


def _only(found: list[_Found], sysid: str | None) -> _Found:
    """The one translation of a file, or the one that was asked for."""
    path, names = found[0].side.path, ", ".join(repr(entry.side.name) for entry in found)
    if sysid is not None:
        found = [entry for entry in found if entry.side.name == sysid]
        if not found:
            raise FileFormatError(f"{path}: there is no system {sysid!r}, only {names}")
    if len(found) > 1:
        raise FileFormatError(
            f"{path}: there are {len(found)} systems in this file, {names}; choose with --sysid or --baseline-sysid"
        )
    return found[0]


def _in_order(everything: list[_Found], guide: _Found, by_position: bool) -> list[Side]:
    """All sides in the order of the guide: by ids if all files have them, else by position."""
    if guide.stream is not None and not by_position and all(found.stream is not None for found in everything):
        return [_by_ids(found, guide.stream) for found in everything]
    for side, _ in everything:
        if len(side.texts) != len(guide.side.texts):
            raise LengthMismatch(
                f"{side.path} has {len(side.texts)} segments, {guide.side.path} has {len(guide.side.texts)}; "
                "is a line missing, or are there empty lines at the end?"
            )
    return [found.side for found in everything]


def _by_ids(found: _Found, guide: Stream) -> Side:
    return found.side if found.stream is None else found.side._replace(texts=texts_in_order(found.stream, guide))
