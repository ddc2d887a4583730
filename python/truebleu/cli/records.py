"""Large files of JSON lines, counted batch by batch: their corpus scores in memory that does not grow with them.

As in `streaming`: what comes out is what the usual way gives, and on any error the file is read again the usual way.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import chain, zip_longest

import numpy as np

from truebleu._logs import at_system
from truebleu._options import thread_count
from truebleu._shown import shown
from truebleu._textio import Records, read_record_batches
from truebleu.accumulator import Sums
from truebleu.cli.inputs import STDIN, Key, References, System, key_label
from truebleu.cli.job import Job
from truebleu.cli.progress import Progress
from truebleu.cli.request import Request
from truebleu.columns.schema import Layout, Measure
from truebleu.columns.table import batches, keys_of
from truebleu.columns.work import Chunk
from truebleu.errors import SegmentWithoutReference, TruebleuError
from truebleu.glance import Glance
from truebleu.metrics import Score
from truebleu.metrics.preparation import warn_of_stops
from truebleu.stats import Stats
from truebleu.study.results import GroupScores, Results, SystemScores


def count_large_records(request: Request, progress: Progress) -> CountedRecords | None:
    """Count a file of JSON lines for corpus scores."""
    source = request.input.source
    has_fields = source.hypothesis_fields and source.reference_fields and source.systems is None
    if not has_fields:
        return None
    (path, *others) = source.references
    if others or path == STDIN or source.kind(path) not in ("jsonl", "json") or not os.path.isfile(path):
        return None
    counted = CountedRecords(request)
    try:
        with progress.step("counting"):
            for records in read_record_batches(path, source.encoding):
                counted.add(records)
        return counted.finished()
    except (TruebleuError, OSError, EOFError, ValueError, TypeError):
        return None


class CountedRecords:
    """What is left of records that have been counted."""

    def __init__(self, request: Request) -> None:
        self._request, self._source = request, request.input.source
        systems = [System(name, [], name) for name in self._source.hypothesis_fields]
        self.job = Job(request, systems, References([], []), systems)
        self._measures = [Measure(metric.name, metric) for metric in self.job.metrics()]
        self._whole = [[Sums.nothing(len(one.units)) for one in self._measures] for _ in systems]
        self._groups: list[dict[Key, list[Sums]]] = [{} for _ in systems]
        self._stops = [0 for _ in systems]
        self._glance = Glance(len(systems))

    def add(self, records: Records) -> None:
        """Count a batch of records."""
        source = self._source
        texts = [records.texts(name) for name in source.hypothesis_fields]
        columns = [records.lists(name) for name in source.reference_fields]
        lists = [list(chain.from_iterable(row)) for row in zip(*columns, strict=True)]
        if not all(any(text is not None for text in row) for row in lists):
            raise SegmentWithoutReference("the usual way tells where")
        names = [f"key {at}" for at in range(len(source.by))]
        keys = {name: records.keys(field) for name, field in zip(names, source.by, strict=True)}
        for at, hypotheses in enumerate(texts):
            (batch,) = batches({"texts": hypotheses, "references": lists, **keys})
            self._count(at, Chunk(Layout("texts", "references", names), batch, 0, thread_count(self._request.threads)))
        self._glance.look_at(texts, [*zip_longest(*lists)])

    def finished(self) -> CountedRecords | None:
        """Put what has been counted in order, when that is all; None if it is nothing."""
        if not self._glance.segments:
            return None
        path = shown(self._source.references[0])
        names = [f"{path}, reference {at + 1}" for at in range(self._glance.references)]
        self.job = self.job._replace(references=References([[] for _ in names], names))
        self._keys = sorted(self._groups[0], key=lambda key: [(value is None, value) for value in key])
        return self

    def results(self) -> Results:
        """Score all systems, and each group."""
        systems = []
        for system, sums, stops in zip(self.job.systems, self._whole, self._stops, strict=True):
            systems.append(SystemScores(system.name, system.path, self._scores(sums)))
            with at_system(system.name, of=len(self.job.systems)):
                for measure in self._measures:
                    warn_of_stops(measure.metric, stops)
        names, groups = self._source.by, []
        for key in self._keys:
            found = tuple(self._scores(of_system[key]) for of_system in self._groups)
            segments, values = self._groups[0][key][0].segments, dict(zip(names, key, strict=True))
            groups.append(GroupScores(key_label(names, key), segments, found, values))
        return Results(tuple(systems), groups=tuple(groups))

    def warn(self) -> None:
        """Warn where texts were scored that nobody can have meant."""
        systems = [system.path for system in self.job.systems]
        self._glance.warn(systems, self.job.references.names, self._request.split_at_spaces)

    def _scores(self, sums: Sequence[Sums]) -> tuple[Score, ...]:
        pairs = zip(self._measures, sums, strict=True)
        return tuple(one.metric.score_totals(list(some.totals), some.references) for one, some in pairs)

    def _count(self, system: int, chunk: Chunk) -> None:
        """Add rows one by one in their order, as the usual way does: it shows in the last bit of TER."""
        codes, keys = keys_of(chunk.batch, chunk.layout.by)
        places, whole = np.frombuffer(codes, np.uint32), self._whole[system]
        for at, one in enumerate(self._measures):
            facts = chunk.texts.facts(one.keep_empty, codes, len(keys))
            pair = min(fact[2] for fact in facts), max(fact[3] for fact in facts)
            stats = Stats(chunk.rows(one), one.metric.columns, one.metric.fingerprint(), pair)
            whole[at] = whole[at].plus_rows(stats)
            self._stops[system] += sum(fact[4] for fact in facts) if at == 0 else 0
            for code, key in enumerate(keys if chunk.layout.by else ()):
                nothing = [Sums.nothing(len(each.units)) for each in self._measures]
                found = self._groups[system].setdefault(key, nothing)
                some = Stats(stats.rows[places == code], stats.columns, stats.fingerprint, facts[code][2:4])
                found[at] = found[at].plus_rows(some)
