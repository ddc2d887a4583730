"""Large files of JSON lines, counted batch by batch: their corpus scores in memory that does not grow with them.

As in `streaming`: what comes out is what the usual way gives, and on any error the file is read again the usual way.
The core parses blocks whose records are all alike, in a fraction of the time; Python's parser, the oracle, reads the
others.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sized
from hashlib import blake2b
from itertools import zip_longest
from typing import Any

from truebleu._core import BatchTexts, ColumnBatch, RecordReader
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
        references = _names("reference", source.reference_fields)
        layouts = [Layout(column, references, keys) for column in _names("system", fields)]
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
        self._fields, self._skipped, self._known = fields, 0, dict[str, Any]()
        self._reader: RecordReader | None = None
        source, self._is_divided = fields.source, bool(fields.roles.system)
        self._systems = _names("system", source.hypothesis_fields)
        self._references = _names("reference", source.reference_fields)
        self._keys = _names("key", (0,) if self._is_divided else source.by)

    def tables(self, path: str) -> Iterator[Any]:
        """The records of a file as columns, batch by batch."""
        source, roles = self._fields.source, self._fields.roles
        for records in read_record_batches(path, source.encodings[path], self._quick):
            if isinstance(records, ColumnBatch):
                self._look_at_some(records)
                yield records
                continue
            lists, which = self._fields.reference_lists(records), self._fields.systems_of(records)
            sources = records.texts(roles.source, roles.nulls) if roles.source else which
            texts = [self._fields.hypotheses(records, field) for field in source.hypothesis_fields]
            keys = [which] if roles.system else [records.keys(field) for field in source.by]
            references = [records.lists(field) for field in source.reference_fields]
            columns: list[list[Any]] = [which, lists, sources, *texts, *keys, *references]
            if roles.nulls == "skip":
                columns = self._without_nulls(columns, len(texts))
            if columns[0]:
                self._look(*columns[: 3 + len(texts)])
                names = (*self._systems, *self._keys, *self._references)
                yield from batches(dict(zip(names, columns[3:], strict=True)))

    def _quick(self, block: bytes, lines: int) -> ColumnBatch | None:
        """The columns of a block, if its records are like the first one."""
        try:
            if self._reader is None:
                self._reader = RecordReader(self._columns_like(json.loads(block[: block.find(b"\n")])))
            found = self._reader.read(block, lines)
        except (ValueError, RecursionError):
            return None
        # What is said of a system without a name is said the usual way.
        return None if found is None or (self._is_divided and "" in found.values("key 0")) else found

    def _columns_like(self, first: Any) -> list[tuple[str, tuple[str, ...], str]]:
        """The columns by a record: the names on the way to each, and its type; an error if it has other values."""
        source, roles = self._fields.source, self._fields.roles
        asked = dict(zip(self._systems, source.hypothesis_fields, strict=True))
        asked |= zip(self._references, source.reference_fields, strict=True)
        asked |= {"source": roles.source} if roles.source else {}
        asked |= {"key 0": roles.system} if roles.system else zip(self._keys, source.by, strict=True)
        found = []
        for column, field in asked.items():
            way, value = _way(first, field)
            kinds: dict[type, str] = {str: "u"}
            if column in self._references:
                kinds[list] = "+l"
            if column in self._keys and not self._is_divided:
                kinds |= {int: "l", bool: "b"}
            if not way or type(value) not in kinds:
                raise ValueError(f"{field} is no plain field")
            found.append((column, way, kinds[type(value)]))
        return found

    def _look_at_some(self, batch: ColumnBatch) -> None:
        """Look at a batch of columns, at all of it only where more than a sample matters."""
        known, parts, of = self.glances.get(""), [batch], None
        most = max(memoryview(self._texts(batch).refs(True)).cast("i"))
        if known is not None and known.is_settled and most <= known.references:
            of, stretches = len(batch), known.stretches(len(batch))
            parts = [batch.slice(one.start, one.stop - one.start) for one in stretches]
        lists, columns = list[Any](), [list[Any]() for _ in self._systems]
        which, sources = list[Any](), list[Any]()
        for part in parts:
            lists += [
                [one for one in row if one is not None] for row in zip(*self._texts(part).lists()[1], strict=True)
            ]
            which += part.values("key 0") if self._is_divided else [""] * len(part)
            sources += part.values("source") if self._fields.roles.source else [""] * len(part)
            for name, texts in zip(self._systems, columns, strict=True):
                texts += part.values(name)
        self._look(which, lists, sources, *columns, of=of)

    def _texts(self, batch: ColumnBatch) -> BatchTexts:
        return batch.texts(self._systems[0], self._references, "skip")

    def _without_nulls(self, columns: list[list[Any]], systems: int) -> list[list[Any]]:
        """Leave out segments without a reference, or of which a system has no text."""
        rows = list(zip(*columns, strict=True))
        kept = [row for row in rows if any(one is not None for one in row[1]) and None not in row[3 : 3 + systems]]
        self._skipped += len(rows) - len(kept)
        return [list(column) for column in zip(*kept, strict=True)] or [[] for _ in columns]

    def _look(self, which: list[str], *columns: list[Any], of: int | None = None) -> None:
        """Let the glance of each system see its segments: references, sources, and the texts of each column."""
        for name in dict.fromkeys(which) if self._is_divided else [""]:
            places = [at for at, one in enumerate(which) if one == name]
            lists, sources, *texts = ([column[at] for at in places] for column in columns)
            glance, has_sources = self.glances.setdefault(name, Glance(len(texts))), self._fields.roles.source
            glance.look_at(texts, [*zip_longest(*lists)], of, [one or "" for one in sources] if has_sources else ())
            # All systems must have the same references in the same order; to compare hashes takes no memory.
            if self._is_divided:
                known = self._known.setdefault(name, blake2b())
                known.update("".join(map(repr, lists)).encode("utf-8", "surrogatepass"))

    def end(self) -> None:
        """Tell what was left out, and raise unless all systems have the same segments."""
        segments = sum(glance.segments for glance in self.glances.values()) + self._skipped
        if len({known.digest() for known in self._known.values()}) > 1 or not self.glances:
            raise FileFormatError("systems have other segments")  # the usual way says which
        tell_skipped(self._skipped, segments)


def _names(what: str, things: Sized) -> list[str]:
    """Name columns so that they differ, whatever the fields are called."""
    return [f"{what} {at}" for at in range(len(things))]


def _way(record: Any, field: str) -> tuple[tuple[str, ...], Any]:
    """The names on the way to a field that is inside others, as `value_at` goes it, and the value there."""
    if not isinstance(record, dict):
        return (), None
    if field in record:
        return (field,), record[field]
    cut = field.rfind(".")
    while cut > 0 and field[:cut] not in record:
        cut = field.rfind(".", 0, cut)
    rest, value = _way(record[field[:cut]], field[cut + 1 :]) if cut > 0 else ((), None)
    return ((field[:cut], *rest) if rest else ()), value
