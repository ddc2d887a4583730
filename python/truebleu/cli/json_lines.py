"""Large files of JSON lines, counted batch by batch: their corpus scores in memory that does not grow with them.

As in `streaming`: what comes out is what the usual way gives, and on any error the file is read again the usual way.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sized
from hashlib import blake2b
from itertools import zip_longest
from typing import Any

from truebleu._core import ColumnBatch
from truebleu._shown import shown
from truebleu._textio import read_record_batches
from truebleu.cli.fields import Fields
from truebleu.cli.inputs import STDIN, RefStreams, System
from truebleu.cli.job import Job, refuse, tell_skipped
from truebleu.cli.progress import Progress
from truebleu.cli.request import Request
from truebleu.cli.tables import results_of
from truebleu.columns.schema import Layout
from truebleu.columns.table import batches
from truebleu.columns.work import Task, totals_together
from truebleu.errors import FileFormatError, TruebleuError
from truebleu.glance import Glance
from truebleu.study.results import Results


def count_large_records(request: Request, progress: Progress) -> CountedRecords | None:
    """Count a file of JSON lines for corpus scores."""
    source = request.input.source
    has_fields = source.hypothesis_fields and source.reference_fields and source.systems is None
    if not has_fields or source.roles is None or source.roles.id:
        return None
    if source.roles.system and (source.by or source.roles.nulls == "skip" or len(source.hypothesis_fields) > 1):
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
        fields = source.hypothesis_fields
        job = Job(request, [System(name, [], name) for name in fields], RefStreams([], []), [])
        keys = _names("key", (0,) if source.roles and source.roles.system else source.by)
        layouts = [Layout(column, "references", keys) for column in _names("system", fields)]
        tasks = [Task(job.named_metrics(), layout, request.threads, in_order=True) for layout in layouts]
        seen = _Batches(Fields(source))
        found = dict(zip(fields, totals_together(tasks, seen.tables(path), tells=False), strict=True))
        seen.end()
        if source.roles and source.roles.system:
            (whole,) = found.values()
            found = {name: whole.of(name) for name in seen.glances}
        self._totals, self._glances = found, list(seen.glances.values())
        names = [f"{shown(path)}, reference {at + 1}" for at in range(max(one.references for one in self._glances))]
        systems = [System(name, [], name) for name in found]
        self.job = job._replace(systems=systems, references=RefStreams([[] for _ in names], names), whole=systems)

    def results(self) -> Results:
        """Score all systems, and each group."""
        return results_of(self._totals, self._request.input.source.by)

    def check_texts(self) -> None:
        """Warn where texts were scored that nobody can have meant; refuse them where that is certain."""
        each = [[*self._totals]] if len(self._glances) == 1 else [[name] for name in self._totals]
        for at, (names, glance) in enumerate(zip(each, self._glances, strict=True)):
            references, splits = self.job.references.names[: glance.references], self._request.split_at_spaces
            refuse(glance.warn(names, references, splits, is_first=at == 0))


class _Batches:
    """What is known of records that went by: a glance at all systems together, or at each that a field names."""

    def __init__(self, fields: Fields) -> None:
        self.glances: dict[str, Glance] = {}
        self._fields, self._skipped, self._references = fields, 0, dict[str, Any]()

    def tables(self, path: str) -> Iterator[ColumnBatch]:
        """The records of a file as columns, batch by batch."""
        source, roles = self._fields.source, self._fields.roles
        for records in read_record_batches(path, source.encodings[path]):
            texts = [self._fields.hypotheses(records, field) for field in source.hypothesis_fields]
            lists, which = self._fields.reference_lists(records), self._fields.systems_of(records)
            sources = (
                [text or "" for text in records.texts(roles.source, roles.nulls)] if roles.source else [""] * len(which)
            )
            keys = [which] if roles.system else [records.keys(field) for field in source.by]
            columns: list[list[Any]] = [lists, which, sources, *texts, *keys]
            if roles.nulls == "skip":
                columns = self._without_nulls(columns, len(texts))
            for name in dict.fromkeys(columns[1]):
                places = [at for at, one in enumerate(columns[1]) if one == name]
                self._look(
                    name, *([column[at] for at in places] for column in (*columns[:1], *columns[2 : 3 + len(texts)]))
                )
            if columns[1]:
                names = _names("system", texts) + _names("key", keys)
                yield from batches({**dict(zip(names, columns[3:], strict=True)), "references": columns[0]})

    def _without_nulls(self, columns: list[list[Any]], systems: int) -> list[list[Any]]:
        """Leave out segments without a reference, or of which a system has no text."""
        lists, texts = columns[0], columns[3 : 3 + systems]
        is_whole = [any(one is not None for one in row) for row in lists]
        kept = [at for at, whole in enumerate(is_whole) if whole and all(text[at] is not None for text in texts)]
        self._skipped += len(lists) - len(kept)
        return [[column[at] for at in kept] for column in columns]

    def _look(self, name: str, lists: list[Any], sources: list[str], *texts: list[str]) -> None:
        glance = self.glances.setdefault(name, Glance(len(texts)))
        glance.look_at(texts, [*zip_longest(*lists)], sources=sources if self._fields.roles.source else ())
        # All systems must have the same references in the same order; to compare hashes takes no memory.
        known = self._references.setdefault(name, blake2b())
        known.update("".join(map(repr, lists)).encode("utf-8", "surrogatepass"))

    def end(self) -> None:
        """Tell what was left out, and raise unless all systems have the same segments."""
        segments = sum(glance.segments for glance in self.glances.values()) + self._skipped
        if len({known.digest() for known in self._references.values()}) > 1 or not self.glances:
            raise FileFormatError("systems have other segments")  # the usual way says which
        tell_skipped(self._skipped, segments)


def _names(what: str, things: Sized) -> list[str]:
    """Name columns so that they differ, whatever the fields are called."""
    return [f"{what} {at}" for at in range(len(things))]
