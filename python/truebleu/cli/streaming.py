"""Large files, counted block by block: their corpus scores in memory that does not grow with them.

It gives what the usual way gives, to the byte, and steps back wherever that way has more to say: on any error the files
are read again as usual, and the message is the usual one.
"""

from __future__ import annotations

import io
import os
from typing import BinaryIO

from truebleu import _core
from truebleu._logs import inform
from truebleu._shown import shown
from truebleu._textio import COMPRESSED, decompressing, is_utf8, records_format
from truebleu.cli.inputs import References, Source, System, short_names, warn_of_doubts
from truebleu.cli.job import Job
from truebleu.cli.progress import Progress
from truebleu.cli.request import Request
from truebleu.errors import TruebleuError
from truebleu.metrics._texts import is_native, warn_of_stops
from truebleu.metrics.options import thread_count
from truebleu.report.results import Outcome, Results, SystemOutcomes

_BLOCK = 1 << 20
_MARK = b"\xef\xbb\xbf"


class Counted:
    """What is left of files that have been counted.

    Parameters
    ----------
    request
        What was asked for.
    """

    def __init__(self, request: Request) -> None:
        source = request.source
        names = short_names(source.systems or ())
        systems = [System(names[path], [], path) for path in source.systems or ()]
        self.job = Job(request, systems, References([[] for _ in source.references], list(source.references)), systems)
        self.metrics = self.job.metrics()
        engines = [(metric.engine, metric.empty_refs == "keep") for metric in self.metrics]
        references = len(source.references)
        self.counter = _core.LineCounter(engines, references, len(systems), thread_count(request.threads))

    def results(self) -> Results:
        """Score all systems."""
        totals, found = self.counter.totals(), []
        for at, system in enumerate(self.job.systems):
            outcomes = []
            for metric, (sums, references) in zip(self.metrics, totals, strict=True):
                warn_of_stops(metric, self.counter.detached_stops()[at])
                outcomes.append(Outcome.of(metric.score_totals(sums[at], references)))
            found.append(SystemOutcomes(system.name, system.path, tuple(outcomes), ()))
        return Results(tuple(found))

    def warn(self) -> None:
        """Warn where texts were scored that nobody can have meant."""
        (blank, same), samples = self.counter.doubts(), self.counter.sample()
        texts = [[line.decode() for line in sample] for sample in samples]
        given = len(self.job.references.names)
        references = list(zip(self.job.references.names, blank[:given], texts[:given], strict=True))
        is_long = self.counter.lines()[0] >= 10
        for at, system in enumerate(self.job.systems):
            equal = [self.job.references.names[reference] for reference in same[at]] if is_long else []
            warn_of_doubts(system.path, blank[given + at], equal, texts[given + at], references, is_first=at == 0)


def count_large_files(request: Request, smallest: int, progress: Progress) -> Counted | None:
    """Count the files of a request, if they are large and only corpus scores are wanted.

    Parameters
    ----------
    request
        What was asked for.
    smallest
        How many bytes all files together must have.
    progress
        Where it is shown that files are counted.
    """
    source = request.source
    if request.needs_texts or not _is_plain(source):
        return None
    paths = [*source.references, *(source.systems or ())]
    if not all(map(os.path.isfile, paths)) or sum(map(os.path.getsize, paths)) < smallest:
        return None
    try:
        counted = Counted(request)
        if not all(map(is_native, counted.metrics)):
            return None
        return counted if _count(counted, paths, progress) else None
    except (TruebleuError, OSError, EOFError, ValueError):
        return None


def _is_plain(source: Source) -> bool:
    """Whether all texts are lines of different files in UTF-8."""
    systems = source.systems or ()
    is_text = all(records_format(path) == "text" for path in (*source.references, *systems))
    has_fields = source.hypothesis_fields or source.reference_fields or source.references_per_line != 1
    is_plain = source.references and systems and is_text and is_utf8(source.encoding) and not has_fields
    return bool(is_plain) and len(set(systems)) == len(systems)


def _count(counted: Counted, paths: list[str], progress: Progress) -> bool:
    """Count all lines; False where the usual way has something to say about the files."""
    counter = counted.counter
    files: list[BinaryIO | io.BufferedIOBase] = []
    marked = []
    try:
        for path in paths:
            opened = open(path, "rb")  # noqa: SIM115
            files.append(opened)
            inside = decompressing(opened)
            if inside is None and path.lower().endswith(COMPRESSED):
                return False
            files[-1] = inside or opened
        begun = set()
        with progress.step("counting"):
            while (at := counter.wants()) is not None:
                block = files[at].read(_BLOCK)
                if at not in begun:
                    begun.add(at)
                    if b"\0" in block[:800]:
                        return False
                    if block.startswith(_MARK):
                        marked.append(at)
                        block = block[len(_MARK) :] or files[at].read(_BLOCK)
                counter.feed(at, block)
    finally:
        for file in files:
            file.close()
    lines = counter.lines()
    # Of a single line the usual way knows whether carriage returns were meant to end others.
    if len(set(lines)) > 1 or lines[0] < 2:
        return False
    for at in sorted(marked):
        inform("%s", f"{shown(paths[at])}: a byte order mark at the beginning was left out")
    return True
