"""Many files of columns: counted one after the other, so that an interrupted run can continue.

A file of totals names the files that are in it. It is written again after each of them, whole or not at all: a run that
is killed loses the work on one file, and no file counts twice.
"""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from truebleu._arrow import make_table
from truebleu._atomic import check_not_inputs, check_targets, sweep
from truebleu._counts import number_of
from truebleu._logs import inform, warn
from truebleu._shown import shown
from truebleu.columns.parquet import file_batches, file_schema, load_pyarrow, writing
from truebleu.columns.places import identity, is_done, naming, require_unchanged, state_of
from truebleu.columns.schema import Layout
from truebleu.columns.totals import Totals
from truebleu.columns.where import Where
from truebleu.columns.work import Task, needed_together, totals_of_each
from truebleu.errors import EmptyCorpus, FileFormatError, InputFileError, OutputExists, StatsMismatch

_LEDGER = b"truebleu_files"  # the key of the metadata
_OPTIONS = ("hypothesis", "references", "nulls", "where")

Tell = Callable[[int], object]


@dataclass
class Ledger:
    """The files in some totals, and how they were read."""

    hypothesis: str
    references: list[str]
    nulls: str
    files: dict[str, dict[str, Any]] = field(default_factory=dict)
    where: str | None = None


def count_files(
    paths: Sequence[str],
    tasks: Sequence[Task],
    out: str | os.PathLike[str] | None = None,
    *,
    resume: bool,
    tell: Tell | None = None,
    known: Tell | None = None,
) -> list[Totals]:
    """Add up the rows of files for each task, in one pass, and check all files before any is counted."""
    assert out is None or len(tasks) == 1
    for path in paths:
        for task in tasks:
            check_file(path, task)
    found, ledger = _begin(paths, tasks[0], out, resume)
    left, where = [path for path in paths if not is_done(path, ledger.files, out)], tasks[0].layout.where
    if len(left) < len(paths):
        inform("%d of %d files are in %s already, and are skipped", len(paths) - len(left), len(paths), shown(out))
        if known is not None:
            known(sum(ledger.files[identity(path)].get("rows", 0) for path in paths if path not in left))
    begun = deque[tuple[dict[str, int | None], _FileBatches]]()

    def tables() -> Iterator[tuple[str, Any]]:
        for path in left:
            begun.append((state_of(path), _FileBatches(path, needed_together(tasks), tell, where)))
            yield path if where is None else f"{shown(path)}, of the rows where {where.text}", begun[-1][1]

    with closing(totals_of_each(tasks, tables())) as each:
        for path, parts in zip(left, each, strict=True):
            before, rows = begun.popleft()
            require_unchanged(path, before)
            found = parts if not found else [ours + theirs for ours, theirs in zip(found, parts, strict=True)]
            ledger.files[identity(path)] = {**before, "rows": rows.count}
            if out is not None:
                write_totals(out, found[0], ledger)
    if where is not None and not len(found[0]):
        raise EmptyCorpus(f"no row of {number_of(len(paths), 'file')} fits where {shown(where.text)}")
    for totals in found:
        _tell_skipped(totals)
    return found


def check_output(out: str | os.PathLike[str], inputs: Sequence[str], *, may_exist: bool = False) -> None:
    """Raise, before any work is done, if a file cannot be written or must not be replaced."""
    target = Path(out).absolute()
    check_targets([target], overwrite=True)
    check_not_inputs([target], inputs)
    if not os.access(target.parent, os.W_OK):
        raise InputFileError(f"{shown(out)} cannot be written: its folder is not there, or may not be written to")
    if not may_exist and os.path.lexists(target):
        raise OutputExists(f"{shown(out)} exists and is not replaced: remove it, or resume if it holds totals")
    sweep(target.parent)


def check_file(path: str, task: Task) -> None:
    """Raise if a file cannot be read, or lacks the columns that are needed."""
    schema, where = file_schema(path), task.layout.where
    with naming(path):
        task.totals(schema.empty_table())
        if where is not None:
            list(where.rows(load_pyarrow().RecordBatch.from_pylist([], schema=schema)))


def score_segments(
    paths: Sequence[str], task: Task, out: str | os.PathLike[str], tell: Tell | None = None
) -> tuple[int, int]:
    """Write the rows of files with a column of scores for each metric; return how many were written and skipped."""
    check_output(out, paths)
    schema = file_schema(paths[0])
    for path in paths:
        check_file(path, task)
        other = file_schema(path)
        if not other.equals(schema):
            odd = next((one.name for one in [*other, *schema] if one not in other or one not in schema), "their order")
            raise FileFormatError(f"{shown(path)} has other columns than {shown(paths[0])}: they differ in {odd!r}")
    old, measures = task.layout, {one.name: one.metric for one in task.measures}
    task = Task(
        measures, Layout(old.hypothesis, old.references, (), schema.names, old.id, old.nulls, old.where), task.threads
    )
    task.layout.refuse(measures)
    pyarrow, written, skipped = load_pyarrow(), 0, 0
    about = json.dumps({one.name: one.describe(None) for one in task.measures})
    made = [pyarrow.field(name, pyarrow.float64()) for name in measures]
    whole = pyarrow.schema([*schema, *made], {**(schema.metadata or {}), b"truebleu_scores": about.encode()})
    with writing(out, whole) as write:
        for path in paths:
            rows = _FileBatches(path, None, tell, task.layout.where)
            with naming(path):
                for chunk in task.read(rows, tells=False):
                    scores = make_table(list(measures), [[chunk.scores(one) for one in task.measures]])
                    columns = [*rows.batch.columns, *(column.combine_chunks() for column in scores.columns)]
                    write(pyarrow.RecordBatch.from_arrays(columns, schema=whole))
                    written, skipped = written + len(chunk.batch), skipped + len(chunk.batch) - chunk.texts.counted
    return written, skipped


def write_totals(path: str | os.PathLike[str], totals: Totals, ledger: Ledger) -> None:
    """Write totals with the names of the files that are in them, whole or not at all."""
    totals._save(path, {_LEDGER: json.dumps(vars(ledger)).encode()})


def read_totals(path: str | os.PathLike[str], metrics: Any = None) -> tuple[Totals, Ledger | None]:
    """Read totals, and the names of the files in them if they are recorded."""
    note = (file_schema(path).metadata or {}).get(_LEDGER)
    with naming(path):
        totals = Totals.from_arrow(path, metrics)
        if note is None:
            return totals, None
        try:
            return totals, Ledger(**json.loads(note))
        except (ValueError, TypeError) as error:
            raise FileFormatError(f"the list of files in it cannot be read: {shown(error)}") from error


def merge_totals(paths: Sequence[str]) -> tuple[Totals, Ledger | None]:
    """Add up files of totals of the same metrics; a file that is in two of them would count twice, and is refused."""
    totals, merged = read_totals(paths[0])
    for path in paths[1:]:
        part, ledger = read_totals(path)
        with naming(path):
            totals += part
            if merged is None or ledger is None:
                merged = ledger or merged
                continue
            twice = next((name for name, entry in ledger.files.items() if merged.files.get(name) == entry), None)
            if twice is not None:
                raise StatsMismatch(f"{shown(twice)} is in another of the totals too, and would count twice")
            if {merged.nulls, ledger.nulls} == {"skip", "empty"}:
                raise StatsMismatch(f"totals to be added differ in nulls: {ledger.nulls!r} and {merged.nulls!r}")
            if merged.where != ledger.where:
                raise StatsMismatch(f"totals to be added differ in where: {ledger.where!r} and {merged.where!r}")
            merged.files |= ledger.files
    return totals, merged


class _FileBatches:
    """The record batches of a file, counted as they are read. `batch` is the last of them."""

    def __init__(self, path: str, needed: Sequence[str] | None, tell: Tell | None, where: Where | None) -> None:
        self._path, self._needed, self._tell, self._where = path, needed, tell, where
        self.count = 0
        self.batch: Any = None

    def __iter__(self) -> Iterator[Any]:
        for batch in file_batches(self._path, self._needed, self._where):
            self.batch = batch
            yield batch
            self.count += batch.num_rows
            if self._tell is not None:
                self._tell(batch.num_rows)


def _begin(
    paths: Sequence[str], task: Task, out: str | os.PathLike[str] | None, resume: bool
) -> tuple[list[Totals], Ledger]:
    """The totals to go on with, if there are any and they were counted as the task counts."""
    where = None if task.layout.where is None else task.layout.where.text
    ours = Ledger(task.layout.hypothesis, list(task.layout.references), task.layout.nulls, where=where)
    if out is None:
        return [], ours
    check_output(out, paths, may_exist=resume)
    if not os.path.exists(out):
        return [], ours
    totals, theirs = read_totals(out, {one.name: one.metric for one in task.measures})
    if theirs is None:
        raise StatsMismatch(f"{shown(out)} does not say which files are in it, so no file can be added")
    pairs = [(name, getattr(theirs, name), getattr(ours, name)) for name in _OPTIONS]
    for name, found, expected in [*pairs, ("by", list(totals.by), list(task.layout.by))]:
        if found != expected:
            raise StatsMismatch(f"{shown(out)} was counted with another {name}: {found!r}, expected {expected!r}")
    others = len(theirs.files.keys() - {identity(path) for path in paths})
    if others:
        several = number_of(
            others, "file that was not given now, and counts it", "files that were not given now, and counts them"
        )
        warn("%s also holds %s", shown(out), several)
    return [totals], theirs


def _tell_skipped(totals: Totals) -> None:
    whole = totals.whole()
    segments, skipped = whole.segments() if len(whole) else (0, 0)
    if skipped:
        warn("%d of %d rows have no hypothesis or no reference, and were skipped", skipped, segments + skipped)
