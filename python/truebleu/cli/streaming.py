"""Large files and pipes, counted block by block: their corpus scores in memory that does not grow with them.

It gives what the usual way gives, to the byte, and steps back wherever that way has more to say: on any error the files
are read again as usual, and the message is the usual one. A pipe cannot be read again. One that ends soon is kept, and
goes the usual way. Of a longer one an error says what is known: file, line and byte, or the numbers of lines.
"""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any, BinaryIO, NamedTuple

from truebleu import _core
from truebleu._logs import at_system, inform
from truebleu._options import thread_count
from truebleu._shown import shown
from truebleu._textio import COMPRESSED, content_size, damaged, decompressing, is_utf8, records_format, undecodable
from truebleu.cli.inputs import (
    STDIN,
    RefStreams,
    Source,
    System,
    empty_file,
    length_mismatch,
    other_systems,
    short_names,
)
from truebleu.cli.job import Job, refuse
from truebleu.cli.progress import Progress
from truebleu.cli.request import Request
from truebleu.errors import LengthMismatch, TruebleuError, UndecodableText
from truebleu.glance import BLOCK, BLOCKS, Glance, sample_of
from truebleu.metrics.preparation import is_native, look_at_sample, warn_of_stops
from truebleu.study.results import Results, SystemScores

_BLOCK = 1 << 20
_MARK = b"\xef\xbb\xbf"
_REREAD = 1 << 30  # bytes of all files up to which they are read again to say where they drift apart


class Counted:
    """What is left of files that have been counted."""

    def __init__(self, request: Request) -> None:
        source = request.input.source
        paths = _system_paths(source)
        names = short_names(paths)
        systems = [System(names[path], [], path) for path in paths]
        self.job = Job(request, systems, RefStreams([[] for _ in source.references], list(source.references)), systems)
        self.metrics = self.job.metrics()
        engines = [(metric.engine, metric.empty_refs == "keep") for metric in self.metrics]
        references, threads = len(source.references), thread_count(request.threads)
        self.counter = _core.LineCounter(engines, references, len(systems), threads, BLOCK, BLOCKS)
        self.bytes = 0

    def results(self) -> Results:
        """Score all systems."""
        totals, found = self.counter.totals(), []
        sample = [tuple(line.decode() for line in sample_of(lines)) for lines in self.counter.sample()]
        streams, texts = sample[: len(self.job.references.names)], sample[len(self.job.references.names) :]
        for at, system in enumerate(self.job.systems):
            scores = []
            for metric, (sums, references) in zip(self.metrics, totals, strict=True):
                with at_system(system.name, of=len(self.job.systems)):
                    look_at_sample(metric, texts[at], [*streams])
                    warn_of_stops(metric, self.counter.detached_stops()[at], self.counter.lines()[0])
                scores.append(metric.score_totals(sums[at], references))
            found.append(SystemScores(system.name, system.path, tuple(scores), ()))
        return Results(tuple(found))

    def check_texts(self) -> None:
        """Warn where texts were scored that nobody can have meant; refuse them where that is certain."""
        paths, names = [system.path for system in self.job.systems], self.job.references.names
        refuse(Glance.of_lines(self.counter, len(names)).warn(paths, names, self.job.request.split_at_spaces))

    def check(self) -> None:
        """Raise unless all files have the same number of lines."""
        names, lines, filled = self.job.references.names, self.counter.lines(), self.counter.filled()
        paths = [*names, *(system.path for system in self.job.systems)]
        for path, count in zip(paths, lines, strict=True):
            if not count:
                raise empty_file(path)
        for system in range(len(names), len(paths)):
            for at, name in enumerate(names):
                if lines[system] != lines[at]:
                    shorter, longer = sorted((system, at), key=lambda file: lines[file])
                    is_blank = filled[longer] <= lines[shorter]
                    raise LengthMismatch(length_mismatch(paths[system], lines[system], name, lines[at], is_blank))


def count_in_blocks(request: Request, smallest: int, progress: Progress) -> tuple[Counted | None, dict[str, bytes]]:
    """Count the lines of large files and pipes for corpus scores.

    What comes beside it is what has been read of pipes, for the usual way to go on with.
    """
    paths = [*request.input.source.references, *_system_paths(request.input.source)]
    if not _is_plain(request.input.source) or not _can_be_read_together(paths):
        return None, {}
    pipes: dict[str, _Pipe] = {}
    counted: Counted | None = None
    with ExitStack() as opened:
        try:
            size = sum(content_size(path) for path in paths if os.path.isfile(path))
            for path in (path for path in paths if not os.path.isfile(path)):
                stream = sys.stdin.buffer if path == STDIN else opened.enter_context(open(path, "rb"))
                pipes[path] = _Pipe(stream, max(smallest, _BLOCK))
                size += len(pipes[path].kept)
            if size >= smallest:
                counted = Counted(request)
                if all(map(is_native, counted.metrics)) and _count(counted, paths, pipes, opened, progress):
                    return counted, {}
        except (TruebleuError, OSError, EOFError, ValueError) as error:
            is_much = counted is not None and counted.bytes > _REREAD
            if any(pipe.is_gone for pipe in pipes.values()) or (is_much and isinstance(error, LengthMismatch)):
                raise
        return None, {path: pipe.whole() for path, pipe in pipes.items()}


def _system_paths(source: Source) -> Sequence[str]:
    return (STDIN,) if source.systems is None else source.systems


def _is_plain(source: Source) -> bool:
    """Whether all texts are lines of different files in UTF-8."""
    systems = _system_paths(source)
    is_text = all(records_format(path) == "text" for path in (*source.references, *systems))
    has_fields = source.hypothesis_fields or source.reference_fields or source.references_per_line != 1
    is_text = is_text and all(is_utf8(source.encodings[path]) for path in (*source.references, *systems))
    is_plain = source.references and systems and is_text and not has_fields
    return bool(is_plain) and len(set(systems)) == len(systems)


def _can_be_read_together(paths: Sequence[str]) -> bool:
    """Whether all are files, or pipes that nobody fills one after the other.

    A program that writes to one named pipe, and then to another, would wait for ever for us to read the first.
    """
    pipes = [path for path in paths if not os.path.isfile(path)]
    named = [path for path in pipes if path != STDIN]
    if STDIN in pipes and (sys.stdin is None or sys.stdin.isatty()):
        return False
    try:
        states = [os.stat(path) for path in named]
        are_pipes = all(stat.S_ISFIFO(state.st_mode) for state in states)
        if named and STDIN in pipes:
            states.append(os.fstat(0))
    except OSError:
        return False
    are_apart = len({(state.st_dev, state.st_ino) for state in states}) == len(states)
    return are_pipes and are_apart and (len(pipes) < 2 or all(path.startswith("/dev/fd/") for path in named))


class _Pipe(io.BufferedIOBase):
    """A stream that can be read only once: what has been read of it is kept, until that is given up."""

    def __init__(self, stream: BinaryIO, size: int) -> None:
        self._stream, self._at = stream, 0
        self.kept = stream.read(size)
        self._has_ended = len(self.kept) < size
        self.is_gone = False

    def read(self, size: int | None = -1) -> bytes:
        block = self.kept[self._at :] if size is None or size < 0 else self.kept[self._at : self._at + size]
        if block:
            self._at += len(block)
            return block
        block = self._stream.read(-1 if size is None else size)
        self.kept = b"" if self.is_gone else self.kept + block
        self._at = len(self.kept)
        return block

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        if whence != os.SEEK_SET or self.is_gone:
            raise io.UnsupportedOperation("seek")
        self._at = offset
        return offset

    def whole(self) -> bytes:
        """All that the stream holds."""
        return self.kept + self._stream.read()

    def give_up(self) -> None:
        """Keep no more of a stream that has not ended yet."""
        self.is_gone = not self._has_ended


class _StandardInput:
    """The lines of one system on standard input: they end as universal newlines do, and a tab begins another system."""

    def __init__(self, stream: BinaryIO | io.BufferedIOBase) -> None:
        self._stream, self._rest, self._lines = stream, b"", 0

    def read(self, size: int) -> bytes:
        """Read some whole lines, about so many bytes."""
        lines = feed = b""
        while not feed and (block := self._stream.read(size)):
            block = self._rest + block
            end = len(block) - block.endswith(b"\r")  # a line feed may follow
            text = block[:end].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
            lines, feed, rest = text.rpartition(b"\n")
            self._rest = rest + block[end:]
        if not feed:
            lines, self._rest = self._rest.replace(b"\r", b"\n"), b""
        if b"\t" in lines:
            for number, line in enumerate(lines.split(b"\n"), self._lines + 1):
                systems = line.decode(errors="replace").rstrip().count("\t") + 1
                if systems > 1:
                    raise other_systems(number, systems, 1)
        self._lines += lines.count(b"\n") + 1
        return lines + feed


class _Opened(NamedTuple):
    """A file or a pipe that is being read."""

    path: str
    stream: BinaryIO | io.BufferedIOBase | _StandardInput
    is_packed: bool
    mark: int  # bytes of the byte order mark that was left out

    def read(self) -> bytes:
        """Read the next block."""
        try:
            return self.stream.read(_BLOCK)
        except Exception as error:
            raise damaged(shown(self.path), error) if self.is_packed else error from error


def _begin(path: str, pipe: _Pipe | None, opened: ExitStack) -> tuple[_Opened, bytes] | None:
    """Open a file, and read its first block; None where the usual way has something to say about it."""
    file: Any = pipe or opened.enter_context(open(path, "rb"))  # noqa: SIM115
    inside = None if path == STDIN else decompressing(file)
    if inside is None and path.lower().endswith(COMPRESSED):
        return None
    stream = _StandardInput(file) if path == STDIN else inside or file
    first = stream.read(_BLOCK)
    if b"\0" in first[:800] or (pipe is not None and b"\n" not in first):
        return None
    mark = len(_MARK) if first.startswith(_MARK) else 0
    return _Opened(path, stream, inside is not None, mark), first[mark:] or stream.read(_BLOCK)


def _count(
    counted: Counted, paths: Sequence[str], pipes: Mapping[str, _Pipe], opened: ExitStack, progress: Progress
) -> bool:
    """Count all lines; False where the usual way has something to say about the files."""
    counter, encodings = counted.counter, counted.job.request.input.source.encodings
    begun = [_begin(path, pipes.get(path), opened) for path in paths]
    inputs, blocks = [one[0] for one in begun if one], [[one[1]] for one in begun if one]
    if len(inputs) < len(begun):
        return False
    for pipe in pipes.values():
        pipe.give_up()
    try:
        with progress.step("counting"):
            while (at := counter.wants()) is not None:
                block = blocks[at].pop() if blocks[at] else inputs[at].read()
                counted.bytes += len(block)
                counter.feed(at, block)
    except UndecodableText as error:
        _, at, line, place, rest = error.args
        column = place + 1 + (inputs[at].mark if line == 1 else 0)
        message = undecodable(shown(paths[at]), line, column, rest[0], encodings[paths[at]], _reason(bytes(rest)))
        raise UndecodableText(message) from error
    lines, is_gone = counter.lines(), any(pipe.is_gone for pipe in pipes.values())
    # Of a single line the usual way knows whether carriage returns were meant to end others.
    if max(lines) < 2:
        return False
    for one in inputs if is_gone or len(set(lines)) == 1 else ():
        if one.mark:
            inform("%s", f"{shown(one.path)}: a byte order mark at the beginning was left out")
    counted.check()
    return True


def _reason(content: bytes) -> str:
    """Say why bytes are not UTF-8."""
    try:
        content.decode()
    except UnicodeDecodeError as error:
        return error.reason
    return ""
