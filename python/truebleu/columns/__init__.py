"""Scores of columns: any Arrow tables in, Arrow tables out, and totals that add exactly on any cluster.

>>> from truebleu import BLEU
>>> table = {"system": ["a", "a", "b"], "mt": ["a b c d", "e f g h", "a b c"], "ref": ["a b c d", "e f g x", "a b d"]}
>>> totals(table, BLEU(), hypothesis="mt", references="ref", by="system").score("a")["bleu"]
BLEU = 72.31 87.5/83.3/75.0/50.0 (BP = 1.000 ratio = 1.000 hyp_len = 8 ref_len = 8)

The mean of sentence scores is not corpus BLEU: `score_table` and `totals` add up rows, and score the sums.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from truebleu._arrow import make_table
from truebleu._core import Table
from truebleu._counts import number_of
from truebleu._inputs import brief, check_path
from truebleu.columns.files import count_files
from truebleu.columns.places import expand
from truebleu.columns.schema import METADATA, Layout, measures
from truebleu.columns.table import batches, keys_of
from truebleu.columns.totals import Totals
from truebleu.columns.where import Where
from truebleu.columns.work import Task, Worker
from truebleu.errors import EmptyCorpus, InputError, MissingDependency, OptionError
from truebleu.metrics import Metric
from truebleu.stats import Stats

__all__ = [
    "Table", "Totals", "rows", "score_files", "score_table", "segment_scores", "stats", "stats_of_rows", "totals",
    "worker",
]  # fmt: skip

Metrics = Metric[Any] | str | Sequence[Metric[Any] | str] | Mapping[str, Metric[Any] | str]
Names = str | Sequence[str]


def rows(
    data: Any,
    metrics: Metrics,
    *,
    hypothesis: str,
    references: Names,
    keep: Names = (),
    nulls: str = "error",
    id: str | None = None,
    threads: int | None = None,
) -> Any:
    """Count each segment: a table with one row for each, in order, from which everything else can be computed.

    Parameters
    ----------
    data
        Any object with Arrow data: a table, a data frame, a stream, a Dataset, a mapping of columns; or paths, as in
        `score_files`.
    metrics
        One metric or its name on the command line, such as "bleu"; a list of these, or a mapping of names to them.
    hypothesis
        The column of the system's texts.
    references
        The column of references, or several columns, each with strings or lists of strings.
    keep
        Columns that pass through as they are.
    nulls
        What to do if a text is null: "error"; "skip" gives null for the whole row; "empty" treats a null hypothesis as
        an empty text.
    id
        A column whose value errors show.
    threads
        How many threads count; all cores unless given.
    """
    task = Task(metrics, Layout(hypothesis, references, (), keep, id, nulls), threads)
    names = [name for one in task.measures for name in (*one.cells, f"{one.name}_refs")]
    task.layout.refuse(names)
    lines = []
    seen = [(2**31 - 1, 0)] * len(task.measures)
    for chunk in task.read(data):
        line = [chunk.batch.column(name) for name in task.layout.keep]
        for at, one in enumerate(task.measures):
            line += [*chunk.cells(one), chunk.texts.refs_column(one.keep_empty)]
            refs = np.frombuffer(chunk.texts.refs(one.keep_empty), np.int32)
            if len(refs):
                seen[at] = min(seen[at][0], int(refs.min())), max(seen[at][1], int(refs.max()))
        lines.append(line)
    about = {one.name: one.describe(pair if pair[1] else None) for one, pair in zip(task.measures, seen, strict=True)}
    return make_table([*task.layout.keep, *names], lines, json.dumps(about))


def segment_scores(
    data: Any,
    metrics: Metrics,
    *,
    hypothesis: str,
    references: Names,
    keep: Names = (),
    nulls: str = "error",
    id: str | None = None,
    threads: int | None = None,
) -> Any:
    """Score each segment: a table with one row for each, in order, and a column of scores for each metric.

    Parameters
    ----------
    data, metrics, hypothesis, references, keep, nulls, id, threads
        As in `rows`.
    """
    task = Task(metrics, Layout(hypothesis, references, (), keep, id, nulls), threads)
    names = [one.name for one in task.measures]
    task.layout.refuse(names)
    kept = task.layout.keep
    lines = [
        [*(chunk.batch.column(name) for name in kept), *(chunk.scores(one) for one in task.measures)]
        for chunk in task.read(data)
    ]
    return make_table([*kept, *names], lines)


def totals(
    data: Any,
    metrics: Metrics,
    *,
    hypothesis: str,
    references: Names,
    by: Names = (),
    nulls: str = "error",
    id: str | None = None,
    threads: int | None = None,
) -> Totals:
    """Add up the rows of each key, in constant memory over a stream.

    Parameters
    ----------
    data, metrics, hypothesis, references, id, threads
        As in `rows`.
    by
        The columns that make a key; without them there is one total. Null counts as a value of its own.
    nulls
        As in `rows`; rows that are skipped are counted.
    """
    return Task(metrics, Layout(hypothesis, references, by, (), id, nulls), threads).totals(data)


def score_table(
    data: Any,
    metrics: Metrics,
    *,
    hypothesis: str,
    references: Names,
    by: Names = (),
    nulls: str = "error",
    id: str | None = None,
    threads: int | None = None,
) -> Any:
    """Score each key: a table with the key, the numbers of segments, corpus scores and signatures.

    Parameters
    ----------
    data, metrics, hypothesis, references, id, threads
        As in `rows`.
    by, nulls
        As in `totals`.
    """
    found = totals(
        data, metrics, hypothesis=hypothesis, references=references, by=by, nulls=nulls, id=id, threads=threads
    )
    return found.scores()


def score_files(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    metrics: Metrics,
    *,
    hypothesis: str,
    references: Names,
    by: Names = (),
    nulls: str = "error",
    id: str | None = None,
    threads: int | None = None,
    jobs: int = 1,
    where: str | None = None,
    resume: str | os.PathLike[str] | None = None,
) -> Any:
    """Score each key of many files, in constant memory, as `score_table` does for a table.

    Parameters
    ----------
    paths
        Files of Parquet, Arrow IPC or Feather, patterns such as `data/*.parquet`, folders, or addresses of these such
        as `s3://bucket/data`. Folders that are called `lang=de` give the files in them a column `lang` of strings.
    metrics, hypothesis, references, id, threads
        As in `rows`; threads are those that count one batch of rows.
    by, nulls
        As in `totals`.
    jobs
        How many batches are counted at a time, while others are read. The result is the same to the last bit.
    where
        Which rows are counted, such as ``lang == 'de' and year >= 2020``: columns, compared with texts and numbers.
        Row groups and files that cannot have such rows are not read.
    resume
        A file in which totals are saved after each file. If it exists, the files in it are not counted again.
    """
    chosen = None if where is None else Where(where)
    task = Task(metrics, Layout(hypothesis, references, by, (), id, nulls, chosen), threads, jobs=jobs)
    kept = None if resume is None else check_path("score_files: resume", resume)
    (found,) = count_files(expand(paths), [task], kept, resume=True)
    return found.scores()


def stats(
    data: Any,
    metric: Metric[Any],
    *,
    hypothesis: str,
    references: Names,
    by: Names = (),
    nulls: str = "error",
    id: str | None = None,
    threads: int | None = None,
) -> Stats | dict[Any, Stats]:
    """Count rows for `significance.compare`: one `Stats`, or with `by` one for each key.

    Parameters
    ----------
    data, metric, hypothesis, references, id, threads
        As in `rows`, with one metric.
    by
        The column whose values are the keys of the result; a list of columns makes tuples of values.
    nulls
        As in `rows`; rows that are skipped are left out.
    """
    task = Task(metric, Layout(hypothesis, references, by, (), id, nulls), threads)
    (measure,) = task.measures
    parts: dict[Any, list[Stats]] = {}
    for chunk in task.read(data):
        if not chunk.texts.counted:
            continue
        codes, keys = keys_of(chunk.batch, task.layout.by)
        cells, refs = chunk.rows(measure), np.frombuffer(chunk.texts.refs(measure.keep_empty), np.int32)
        for key, chosen in chunk.by_key(codes, keys):
            pair = int(refs[chosen].min()), int(refs[chosen].max())
            part = Stats(cells[chosen], measure.metric.columns, measure.metric.fingerprint(), pair)
            parts.setdefault(key[0] if isinstance(by, str) else key, []).append(part)
    found = {key: Stats.concatenate(some) for key, some in parts.items()}
    if task.layout.by:
        return found
    if not found:
        raise EmptyCorpus("columns: there are no rows to count")
    return found[()]


def stats_of_rows(
    data: Any, metric: Any, *, by: str | Sequence[str] = (), order: str | Sequence[str] = ()
) -> Stats | dict[Any, Stats]:
    """Make `Stats` of a table from `rows`: of all its rows, or with `by` of the rows of each key.

    Parameters
    ----------
    data
        Any object with Arrow data: the table itself, or the path of a Parquet file with it.
    metric
        The metric that counted; a mapping from its name to the metric if `rows` was given a name.
    by
        The column whose values are the keys of the result; a list of columns makes tuples of values.
    order
        The columns that identify the segment of a row: rows are sorted by them, so that two systems are compared
        segment by segment. Their values must be different for all rows of a key. Without them rows keep their order.
    """
    if len(found := measures(metric)) != 1:
        raise OptionError(f"stats_of_rows: metric holds {number_of(len(found), 'metric')}, expected one")
    name, counted = found[0].name, found[0].metric
    layout = Layout(found[0].cells[0], [*found[0].cells[1:], f"{name}_refs"], by, order)
    table = _counted(data, layout, counted, name)
    if not len(table):
        if layout.by:
            return {}
        raise EmptyCorpus("stats_of_rows: data has no rows")
    if layout.keep:
        table = table.sort_by([(column, "ascending") for column in layout.keep])
        _check_different(table, layout)
    if not layout.by:
        return Stats.from_arrow(table, counted, name=name)
    places: dict[Any, list[int]] = {}
    for at, line in enumerate(table.select(list(layout.by)).to_pylist()):
        key = tuple(line.values())
        places.setdefault(key[0] if isinstance(by, str) else key, []).append(at)
    return {key: Stats.from_arrow(table.take(rows), counted, name=name) for key, rows in places.items()}


def worker(
    metrics: Metrics,
    *,
    hypothesis: str,
    references: Names,
    by: Names = (),
    nulls: str = "error",
    id: str | None = None,
    threads: int | None = 1,
) -> Worker:
    """Make a function that can be pickled: record batches, a table or paths in; record batches of totals out.

    Engines send it to their workers; one that has another version of truebleu refuses it. `Totals.from_arrow` adds up
    what comes back.

    Parameters
    ----------
    metrics, hypothesis, references, id
        As in `rows`.
    by, nulls
        As in `totals`.
    threads
        How many threads count: one, because engines give a task one core.
    """
    return Worker(Task(metrics, Layout(hypothesis, references, by, (), id, nulls), threads))


def _counted(data: Any, layout: Layout, counted: Any, name: str) -> Any:
    """The rows of a table that were not skipped."""
    try:
        import pyarrow as pa
        import pyarrow.compute as pc
    except ImportError as error:
        raise MissingDependency(
            "stats_of_rows: rows are sorted with pyarrow, which is not installed: pip install 'truebleu[arrow]'"
        ) from error
    parts = []
    for batch in batches(data, layout.needed):
        layout.check(batch.names, batch.types)
        about = batch.metadata()
        parts.append(pa.table(pa.record_batch(batch)).replace_schema_metadata(about and {METADATA: about}))
        if about is not None:
            Stats.from_arrow(parts[-1].slice(0, 0), counted, name=name)  # each part must be counted by the metric
    if not parts:
        return []
    table = pa.concat_tables(parts, promote_options="default")  # the keys of a part without rows may be nulls
    return table.filter(pc.is_valid(table[layout.references[-1]]))


def _check_different(table: Any, layout: Layout) -> None:
    names = [*layout.by, *(name for name in layout.keep if name not in layout.by)]
    for line in table.group_by(names).aggregate([([], "count_all")]).to_pylist():
        if line.pop("count_all") > 1:
            place = ", ".join(f"{name}={brief(value)}" for name, value in line.items())
            raise InputError(f"stats_of_rows: two rows have the same place in by and order, {place}")
