"""Count a table batch by batch: the common part of the calls of `columns`, and the worker that engines send out."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import zip_longest
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from truebleu._core import BatchTexts, Column, ColumnBatch
from truebleu._logs import warn
from truebleu._options import thread_count, whole_number
from truebleu.columns.places import naming
from truebleu.columns.schema import Layout, Measure, check_divides, how_to_add, measures
from truebleu.columns.table import keys_of, named_batches
from truebleu.columns.totals import InOrder, Key, KeyTable, Totals, common_type
from truebleu.errors import InputTypeError, SegmentWithoutReference, StatsMismatch, UndecodableText
from truebleu.glance import Glance
from truebleu.metrics.preparation import look_at_sample, looks_at_texts, prepared
from truebleu.stats import UNITS
from truebleu.version import __version__

T = TypeVar("T")

# The largest number of rows of a batch that metrics look at.
_SAMPLE = 200
_FACTS = ("detached_stops", "refs_min", "refs_max")  # of a key under a metric, as the core gives them


class Task:
    """Metrics and columns that have been checked."""

    def __init__(
        self,
        metrics: Any,
        layout: Layout,
        threads: int | None,
        glance: Glance | None = None,
        in_order: bool = False,
        jobs: int = 1,
    ) -> None:
        self.measures = measures(metrics)
        self.layout = layout
        self.glance = glance  # which is to see the texts on their way
        self.in_order = in_order  # whether rows are added one by one, as metrics do; then none may be skipped
        thread_count(threads)  # a worker decides again, by the cores of its machine
        self.threads = threads
        self.jobs = whole_number("columns", "jobs", jobs, 1, 1024)  # batches that are counted at a time

    def read(self, data: Any, *, tells: bool = True) -> Iterator[Chunk]:
        """Read a table and check it, batch by batch."""
        for (chunk,) in _read_together([self], data, tells):
            yield chunk

    def totals(self, data: Any) -> Totals:
        """Add up the rows of each key."""
        (found,) = totals_together([self], data)
        return found


def totals_together(tasks: Sequence[Task], data: Any, *, tells: bool = True) -> list[Totals]:
    """Add up the rows of each key for several tasks, in one pass over the table."""
    (found,) = totals_of_each(tasks, [("", data)], tells=tells)
    return found


def totals_of_each(
    tasks: Sequence[Task], tables: Iterable[tuple[str, Any]], *, tells: bool = False
) -> Generator[list[Totals]]:
    """Do the same table by table; errors have their names.

    With several jobs, batches are counted beside each other while others are read, also those of the next table. Their
    totals are added in order.
    """
    for task in tasks:
        names = [name for one in task.measures for name in one.total_columns()]
        task.layout.refuse(["segments", "skipped", *names])
    jobs, begun = max((task.jobs for task in tasks), default=1), deque[partial[Iterable[list[Totals]]]]()
    pool = ThreadPoolExecutor(jobs, "truebleu-count") if jobs > 1 else None
    most = 0 if pool is None else jobs + 1  # batches in memory beside the one that is read
    try:
        for step in _steps(tasks, tables, tells, pool):
            begun.append(step)
            while begun and (begun[0].func is not _add or sum(one.func is _add for one in begun) > most):
                yield from begun.popleft()()
        while begun:
            yield from begun.popleft()()
    finally:
        if pool is not None:
            pool.shutdown(cancel_futures=True)


def _steps(
    tasks: Sequence[Task], tables: Iterable[tuple[str, Any]], tells: bool, pool: ThreadPoolExecutor | None
) -> Iterator[partial[Iterable[list[Totals]]]]:
    """What is to be done in order while tables are read: each batch is added, and at the end of a table are totals."""
    try:
        for name, data in tables:
            groups = [KeyTable(how_to_add(task.measures), len(task.layout.by)) for task in tasks]
            keys = [dict.fromkeys(task.layout.by, "n") for task in tasks]
            rows: list[InOrder | None] = [{} if task.in_order else None for task in tasks]
            with naming(name):
                for chunks in _read_together(tasks, data, tells):
                    for at, chunk in enumerate(chunks):
                        types = dict(zip(chunk.batch.names, chunk.batch.types, strict=True))
                        keys[at] = {one: common_type(one, kind, types[one]) for one, kind in keys[at].items()}
                        count = partial(chunk.groups, tasks[at].measures, rows[at])
                        if pool is not None and all(measure.is_native for measure in tasks[at].measures):
                            count = partial(pool.submit(count).result)
                        yield partial(_add, name, groups[at], count)
            yield partial(_totals, tasks, keys, groups, rows)
    except Exception as error:
        yield partial(_fail, error)  # an error of an earlier batch goes before one of reading


def _add(name: str, groups: KeyTable, count: Callable[[], Any]) -> Iterable[list[Totals]]:
    with naming(name):
        groups.add(*count())
    return ()


def _totals(tasks: Sequence[Task], *parts: Sequence[Any]) -> Iterable[list[Totals]]:
    return [[Totals(task.measures, *one) for task, *one in zip(tasks, *parts, strict=True)]]


def _fail(error: Exception) -> Iterable[list[Totals]]:
    raise error


def needed_together(tasks: Sequence[Task]) -> tuple[str, ...]:
    """Name the columns that any of several tasks reads, each once."""
    return tuple(dict.fromkeys(name for task in tasks for name in task.layout.needed))


def _read_together(tasks: Sequence[Task], data: Any, tells: bool) -> Iterator[list[Chunk]]:
    """The batches of a table, checked, as each of several tasks sees them."""
    first, rows, skipped, last = 0, 0, [0] * len(tasks), ""
    threads = [thread_count(task.threads) for task in tasks]
    samples = [_Sample([one.metric for one in task.measures]) for task in tasks]
    for file, batch in named_batches(data, needed_together(tasks)):
        first, last = first if file == last else 0, file
        with naming(file):
            for task in tasks:
                task.layout.check(batch.names, batch.types)
        pairs = zip(tasks, threads, strict=True)
        chunks = [Chunk(task.layout, batch, first, count, file) for task, count in pairs]
        for sample, chunk in zip(samples, chunks, strict=True):
            sample.add(chunk)
        yield chunks
        for task, chunk in zip(tasks, chunks, strict=True):
            if task.glance is not None:
                chunk.look(task.glance)
        first, rows = first + len(batch), rows + len(batch)
        skipped = [some + len(batch) - chunk.texts.counted for some, chunk in zip(skipped, chunks, strict=True)]
    for sample in samples:
        sample.end()
    for some in skipped if tells else ():
        if some:
            warn("columns: %d of %d rows have no hypothesis or no reference, and were skipped", some, rows)


class _Sample:
    """The first rows of batches, so that metrics can refuse texts that they cannot read."""

    def __init__(self, metrics: list[Any]) -> None:
        self._metrics = [metric for metric in metrics if looks_at_texts(metric)]
        self._texts: list[str] = []
        self._references: list[tuple[str | None, ...]] = []
        self._is_told = False

    def add(self, chunk: Chunk) -> None:
        if self._metrics:
            texts, references = chunk.sample()
            self._texts += texts
            self._references += references
            if len(self._texts) >= _SAMPLE:
                self._look()

    def end(self) -> None:
        # The end of a large table is not representative: it may be a single row.
        if self._texts and not self._is_told:
            self._look()

    def _look(self) -> None:
        self._is_told = True
        for metric in self._metrics:
            look_at_sample(metric, self._texts, [*zip_longest(*self._references)])
        self._texts, self._references = [], []


class Chunk:
    """One batch of a table, its texts checked."""

    def __init__(self, layout: Layout, batch: ColumnBatch, first: int, threads: int, file: str = "") -> None:
        self.layout, self.batch, self.first, self.threads, self.file = layout, batch, first, threads, file
        self.texts: BatchTexts = batch.texts(layout.hypothesis, list(layout.references), layout.nulls)
        if self.texts.problem is not None:
            self._refuse(*self.texts.problem)

    def sample(self, rows: slice = slice(0, _SAMPLE)) -> tuple[list[str], list[tuple[str | None, ...]]]:
        """Give the texts of some rows of the batch, the first unless given, and the references of each."""
        batch = self.batch.slice(rows.start, min(len(self.batch), rows.stop) - rows.start)
        nulls = "empty" if self.layout.nulls == "empty" else "skip"
        texts, streams = self._located(batch.texts(self.layout.hypothesis, list(self.layout.references), nulls).lists)
        return texts, [*zip(*streams, strict=True)]

    def look(self, glance: Glance) -> None:
        """Let a glance see the texts; once the others cannot matter, a sample of them."""
        stretches, of = [slice(0, len(self.batch))], None
        if glance.is_settled:
            stretches, of = glance.stretches(self.texts.counted), self.texts.counted
        found = [self.sample(rows) for rows in stretches]
        texts, lists = [text for some, _ in found for text in some], [one for _, some in found for one in some]
        glance.look_at([texts], [*zip_longest(*lists)], of=of)

    def cells(self, measure: Measure) -> list[Column]:
        """Count the rows of a metric: a column for each cell, with nulls where a row is skipped."""
        self._check_references(measure)
        if measure.is_native:
            engine = measure.metric.engine
            return self._located(self.texts.cells, engine, measure.keep_empty, measure.units, self.threads)
        return self.texts.spread_cells(self._outside(measure, measure.metric.engine.rows), list(measure.units))

    def rows(self, measure: Measure) -> NDArray[np.float64]:
        """Count the rows of a metric, one for each segment that is not skipped."""
        if measure.is_native:
            engine = measure.metric.engine
            found = self._located(self.texts.rows_bytes, engine, measure.keep_empty, self.threads)
        else:
            found = self._outside(measure, measure.metric.engine.rows)
        return np.frombuffer(found).reshape(-1, len(measure.units))

    def scores(self, measure: Measure) -> Column:
        """Score each segment: a column with nulls where a row is skipped."""
        engine = measure.metric.engine
        if measure.is_native:
            return self._located(self.texts.scores, engine, measure.keep_empty, self.threads)
        return self.texts.spread_doubles(self._outside(measure, engine.sentence_scores))

    def groups(
        self, wanted: Sequence[Measure], in_order: InOrder | None = None
    ) -> tuple[list[Key], dict[str, NDArray[np.int64]]]:
        """Add up the rows of each key: the keys, and the columns of their totals; where asked for, also in order."""
        codes, keys = keys_of(self.batch, self.layout.by)
        found, counted = dict[str, NDArray[np.int64]](), list[NDArray[np.float64]]()
        for measure in wanted:
            is_ordered = in_order is not None and measure.has_means
            if not is_ordered:
                self._check_references(measure)
            if measure.is_native and not is_ordered:
                given = (measure.metric.engine, measure.keep_empty, codes, len(keys), measure.units, self.threads)
                sums = np.frombuffer(self._located(self.texts.totals, *given), np.int64)
            else:
                rows = self.rows(measure)
                sums = self._grouped(rows, codes, measure.units, len(keys))
                counted += [rows] if is_ordered else []
            facts = np.frombuffer(self.texts.facts(measure.keep_empty, codes, len(keys)), np.int64)
            about = ("skipped", "segments", *(f"{measure.name}_{one}" for one in _FACTS))
            found |= dict(zip(measure.cells, sums.reshape(len(keys), len(measure.units)).T, strict=True))
            found |= dict(zip(about, facts.reshape(len(keys), len(about)).T, strict=True))
        if in_order is not None and counted:
            for key, rows in {**dict(self.by_key(codes, keys)), (): slice(None)}.items():
                before = in_order.get(key) or [np.zeros(one.shape[1]) for one in counted]
                pairs = zip(before, counted, strict=True)
                in_order[key] = [np.concatenate([[sums], one[rows]]).cumsum(axis=0)[-1] for sums, one in pairs]
        return keys, found

    def counted(self, codes: bytes) -> NDArray[np.uint32]:
        """The codes of the keys of the rows that are not skipped."""
        places = np.frombuffer(codes, np.uint32)
        return places if self.texts.skipped is None else places[np.frombuffer(self.texts.skipped, np.uint8) == 0]

    def by_key(self, codes: bytes, keys: Sequence[Key]) -> Iterator[tuple[Key, Any]]:
        """The rows of each key, among those that are not skipped."""
        places = self.counted(codes)
        order = np.argsort(places, kind="stable")
        for rows in np.split(order, np.flatnonzero(np.diff(places[order])) + 1) if len(order) else ():
            yield keys[places[rows[0]]], rows

    def place(self, row: int) -> str:
        """Name a row of the batch for an error."""
        quoted = {name: self.batch.values(name, row)[0] for name in self.layout.quoted}
        return self.layout.place(self.first + row, quoted, self.file)

    def _grouped(self, rows: NDArray[np.float64], codes: bytes, units: Sequence[int], groups: int) -> NDArray[np.int64]:
        """The sums of rows that were counted outside the core."""
        sums = np.zeros((groups, len(units)), np.int64)
        np.add.at(sums, self.counted(codes), np.rint(rows * units).astype(np.int64))
        return sums

    def _outside(self, measure: Measure, count: Callable[..., bytes]) -> bytes:
        """Count texts that a tokenizer outside the core has prepared."""
        texts, streams, keep_empty = prepared(measure.metric, *self._located(self.texts.lists))
        return count(texts, streams, keep_empty, self.threads)

    def _located(self, call: Callable[..., T], *given: Any) -> T:
        """Call a function that reads texts; errors name the place of the text."""
        try:
            return call(*given)
        except UndecodableText as error:
            column, row, at, byte = error.args[1:]
            raise UndecodableText(
                f"columns: {column!r} is not UTF-8 in {self.place(row)}: byte {at} is 0x{byte:02x}"
            ) from None

    def _check_references(self, measure: Measure) -> None:
        odd = self.texts.odd(measure.keep_empty, UNITS) if measure.has_means else None
        if odd is not None:
            check_divides(measure, odd[1], self.place(odd[0]))

    def _refuse(self, kind: str, column: str, row: int) -> None:
        skip = 'nulls="skip" leaves such rows out and counts them'
        if kind == "null":
            raise InputTypeError(
                f'columns: {column!r} is null in {self.place(row)}; {skip}, nulls="empty" scores them as empty'
            )
        names = ", ".join(map(repr, self.layout.references))
        raise SegmentWithoutReference(f"columns: {names} has no reference in {self.place(row)}; {skip}")


class Worker:
    """A function that can be sent to other machines: record batches in, or a file; totals of each key out."""

    def __init__(self, task: Task) -> None:
        self.task = task

    def __reduce__(self) -> Any:
        # The version goes first, so that it is compared before anything that may look otherwise there.
        return _arrived, (__version__,), vars(self)

    def __call__(self, data: Any) -> Iterator[Any]:
        """Count what `columns.totals` takes, and give the totals as one record batch; nothing if there are no rows."""
        totals = self.task.totals(data)
        if len(totals):
            table = totals.to_arrow()
            yield from table.to_batches() if hasattr(table, "to_batches") else [table]


def _arrived(version: str) -> Worker:
    """The worker on the machine that it was sent to; what it counts there must be what is counted here."""
    if version != __version__:
        raise StatsMismatch(
            f"columns: the worker {sys.executable} has truebleu {__version__}, expected {version}, which sent the work"
        )
    return Worker.__new__(Worker)
