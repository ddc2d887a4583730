"""Large files of JSON lines, counted batch by batch: their corpus scores in memory that does not grow with them.

As in `streaming`: what comes out is what the usual way gives, and on any error the file is read again the usual way.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sized
from itertools import chain, zip_longest

from truebleu._core import ColumnBatch
from truebleu._shown import shown
from truebleu._textio import read_record_batches
from truebleu.cli.inputs import STDIN, RefStreams, Source, System
from truebleu.cli.job import Job, refuse
from truebleu.cli.progress import Progress
from truebleu.cli.request import Request
from truebleu.cli.tables import results_of
from truebleu.columns.schema import Layout
from truebleu.columns.table import batches
from truebleu.columns.work import Task, totals_together
from truebleu.errors import TruebleuError
from truebleu.glance import Glance
from truebleu.study.results import Results


def count_large_records(request: Request, progress: Progress) -> CountedRecords | None:
    """Count a file of JSON lines for corpus scores."""
    source = request.input.source
    has_fields = source.hypothesis_fields and source.reference_fields and source.systems is None
    if not has_fields:
        return None
    (path, *others) = source.references
    if others or path == STDIN or source.kind(path) not in ("jsonl", "json") or not os.path.isfile(path):
        return None
    try:
        with progress.step("counting"):
            counted = CountedRecords(request, path)
        return counted if counted.job.references.names else None
    except (TruebleuError, OSError, EOFError, ValueError, TypeError):
        return None


class CountedRecords:
    """What is left of records that have been counted."""

    def __init__(self, request: Request, path: str) -> None:
        self._request, source = request, request.input.source
        systems = [System(name, [], name) for name in source.hypothesis_fields]
        job = Job(request, systems, RefStreams([], []), systems)
        metrics = job.named_metrics()
        layouts = [Layout(column, "references", _names("key", source.by)) for column in _names("system", systems)]
        tasks = [Task(metrics, layout, request.threads, in_order=True) for layout in layouts]
        self._glance = Glance(len(systems))
        totals = totals_together(tasks, _tables(source, path, self._glance), tells=False)
        self._totals = dict(zip(source.hypothesis_fields, totals, strict=True))
        names = [f"{shown(path)}, reference {at + 1}" for at in range(self._glance.references)]
        self.job = job._replace(references=RefStreams([[] for _ in names], names))

    def results(self) -> Results:
        """Score all systems, and each group."""
        return results_of(self._totals, self._request.input.source.by)

    def check_texts(self) -> None:
        """Warn where texts were scored that nobody can have meant; refuse them where that is certain."""
        refuse(self._glance.warn([*self._totals], self.job.references.names, self._request.split_at_spaces))


def _names(what: str, things: Sized) -> list[str]:
    """Name columns so that they differ, whatever the fields are called."""
    return [f"{what} {at}" for at in range(len(things))]


def _tables(source: Source, path: str, glance: Glance) -> Iterator[ColumnBatch]:
    """The records of a file as columns, batch by batch; a glance sees them."""
    for records in read_record_batches(path, source.encodings[path]):
        texts = [records.texts(field) for field in source.hypothesis_fields]
        columns = [records.lists(field) for field in source.reference_fields]
        keys = [records.keys(field) for field in source.by]
        lists = [[*chain(*row)] for row in zip(*columns, strict=True)]
        named = zip(_names("system", texts) + _names("key", keys), texts + keys, strict=True)
        yield from batches({**dict(named), "references": lists})
        glance.look_at(texts, [*zip_longest(*lists)])
