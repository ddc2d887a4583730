"""Large files of JSON lines, counted batch by batch: their corpus scores in memory that does not grow with them.

As in `streaming`: what comes out is what the usual way gives, and on any error the file is read again the usual way.
Where pyarrow is installed, it parses blocks whose records are all alike, in a sixth of the time; Python's parser, the
oracle, reads the others.
"""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Iterator, Mapping, Sized
from hashlib import blake2b
from itertools import zip_longest
from typing import Any

from truebleu._shown import shown
from truebleu._textio import Records, read_record_batches
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

    def tables(self, path: str) -> Iterator[Any]:
        """The records of a file as columns, batch by batch."""
        source, roles = self._fields.source, self._fields.roles
        for records in read_record_batches(path, source.encodings[path], Alike(self._fields)):
            if not isinstance(records, Records):
                yield self._seen(records)
                continue
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

    def _seen(self, table: Any) -> Any:
        """Look at a batch of columns, at all of it only where more than a sample matters; then it can be counted."""
        names = [name for name in table.schema.names if name.startswith("system ")]
        has_sources, is_divided = "source" in table.schema.names, self._fields.roles.system is not None
        which = table["key 0"].to_pylist() if is_divided else [""] * table.num_rows
        for name in dict.fromkeys(which):
            glance, some, of = self.glances.setdefault(name, Glance(len(names))), table, None
            if is_divided:
                some = _taken(table, [at for at, one in enumerate(which) if one == name])
            elif glance.is_settled and most_references(table["references"]) <= glance.references:
                some, of = _taken(table, glance.chosen(table.num_rows)), table.num_rows
            lists = [one if isinstance(one, list) else [one] for one in some["references"].to_pylist()]
            sources = some["source"].to_pylist() if has_sources else [""] * len(lists)
            self._look(name, lists, sources, *(some[column].to_pylist() for column in names), of=of)
        return table

    def _without_nulls(self, columns: list[list[Any]], systems: int) -> list[list[Any]]:
        """Leave out segments without a reference, or of which a system has no text."""
        lists, texts = columns[0], columns[3 : 3 + systems]
        is_whole = [any(one is not None for one in row) for row in lists]
        kept = [at for at, whole in enumerate(is_whole) if whole and all(text[at] is not None for text in texts)]
        self._skipped += len(lists) - len(kept)
        return [[column[at] for at in kept] for column in columns]

    def _look(self, name: str, lists: list[Any], sources: list[str], *texts: list[str], of: int | None = None) -> None:
        glance = self.glances.setdefault(name, Glance(len(texts)))
        glance.look_at(texts, [*zip_longest(*lists)], of, sources if self._fields.roles.source else ())
        # All systems must have the same references in the same order; to compare hashes takes no memory.
        known = self._references.setdefault(name, blake2b())
        if self._fields.roles.system is not None:
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


class Alike:
    """A parser of blocks of JSON lines whose records all have the fields of the first, with values of the same kinds.

    It gives a record batch of the columns that are counted, or None where a block is to be read record by record.
    """

    def __init__(self, fields: Fields) -> None:
        self._source, self._roles = fields.source, fields.roles
        self._paths: dict[str, tuple[str, ...]] | None = None  # of the columns, each by the names on the way to it
        self._schema: Any = None
        self._absent: list[bytes] = []  # names that would go before those on the way

    def __call__(self, block: bytes, lines: int) -> Any:
        """Parse a block of so many lines."""
        try:
            import pyarrow
            import pyarrow.json
        except ImportError:
            return None
        try:
            if self._paths is None:
                self._paths = self._found(json.loads(block[: block.find(b"\n")]), pyarrow)
            # Where Python's parser refuses or reads otherwise: blank lines, deep brackets, names with dots.
            if not self._paths or any(mark in block for mark in (b"\n\n", b"\n\r", _DEEP, *self._absent)):
                return None
            pyarrow.array([block], pyarrow.binary()).cast(pyarrow.string())  # an error where it is not UTF-8
            table = pyarrow.json.read_json(
                pyarrow.BufferReader(block),
                pyarrow.json.ReadOptions(use_threads=False, block_size=len(block) + 1),
                pyarrow.json.ParseOptions(explicit_schema=self._schema, unexpected_field_behavior="ignore"),
            )
            return self._columns(table, pyarrow) if table.num_rows == lines else None
        except (pyarrow.ArrowException, ValueError, RecursionError):
            return None

    def _found(self, first: Any, pyarrow: Any) -> dict[str, tuple[str, ...]]:
        """The ways to the columns by the first record, and their types; nothing where its values are of other kinds."""
        source, roles, text = self._source, self._roles, pyarrow.string()
        kinds: dict[type, Any] = {str: text, int: pyarrow.int64(), bool: pyarrow.bool_()}
        texts = [*zip(_names("system", source.hypothesis_fields), source.hypothesis_fields, strict=True)]
        keys = [*zip(_names("key", source.by), source.by, strict=True)]
        texts += [pair for pair in (("source", roles.source or ""), ("key 0", roles.system or "")) if pair[1]]
        references = [*zip(_names("reference", source.reference_fields), source.reference_fields, strict=True)]
        tree: dict[str, Any] = {}
        ways = {}
        for column, field in (*texts, *keys, *references):
            ways[column], value = _way(first, field)
            kind = kinds.get(type(value)) if column in dict(keys) else text if isinstance(value, str) else None
            if column == "reference 0" and isinstance(value, list) and len(references) == 1:
                kind = pyarrow.list_(text)
            *before, last = ways[column] or ("",)
            there = tree
            for name in before:
                there = there.setdefault(name, {})
            if kind is None or not isinstance(there, dict) or isinstance(there.get(last, kind), dict):
                return {}
            there[last] = kind
        self._schema = pyarrow.schema(_typed(tree, pyarrow))
        # A name with dots in it goes before the fields of fields.
        dotted = {".".join(way[at:end]) for way in ways.values() for at in range(len(way)) for end in range(at + 2, 9)}
        self._absent = [json.dumps(name, ensure_ascii=False).encode() for name in dotted if "." in name]
        return ways

    def _columns(self, table: Any, pyarrow: Any) -> Any:
        compute = importlib.import_module("pyarrow.compute")
        assert self._paths is not None
        made = {}
        for column, (first, *rest) in self._paths.items():
            values = table[first].combine_chunks()
            values = compute.struct_field(values, rest) if rest else values
            if values.null_count:
                return None  # null, or there is no such field
            made[column] = values
        references = [made.pop(name) for name in _names("reference", self._source.reference_fields)]
        made["references"] = references[0]
        if len(references) > 1:
            size, rows = len(references), table.num_rows
            places = pyarrow.array([at + rows * one for at in range(rows) for one in range(size)], pyarrow.int64())
            ends = pyarrow.array(range(0, size * rows + 1, size), pyarrow.int32())
            made["references"] = pyarrow.ListArray.from_arrays(ends, pyarrow.concat_arrays(references).take(places))
        is_list, leaves_out = pyarrow.types.is_list(made["references"].type), self._roles.nulls == "skip"
        lacks_some = is_list and (
            made["references"].flatten().null_count
            or not compute.all(compute.greater(made["references"].value_lengths(), 0)).as_py()
        )
        has_nameless = self._roles.system and compute.any(compute.equal(made["key 0"], "")).as_py()
        if has_nameless or (lacks_some and leaves_out):
            return None
        return pyarrow.RecordBatch.from_pydict(made)


_DEEP = b"[" * 200


def _taken(table: Any, rows: list[int]) -> Any:
    import pyarrow

    return table.take(pyarrow.array(rows, pyarrow.int64()))


def most_references(column: Any) -> int:
    """The largest number of references of a row."""
    import pyarrow
    import pyarrow.compute

    return pyarrow.compute.max(column.value_lengths()).as_py() if pyarrow.types.is_list(column.type) else 1


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


def _typed(tree: Mapping[str, Any], pyarrow: Any) -> list[tuple[str, Any]]:
    inner = {name: pyarrow.struct(_typed(kind, pyarrow)) for name, kind in tree.items() if isinstance(kind, dict)}
    return [(name, inner.get(name, kind)) for name, kind in tree.items()]
