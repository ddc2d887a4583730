"""Scores of Ray Datasets, from Ray 2.40 on: tasks count, the driver adds and scores.

    truebleu.ray.score(ray.data.read_parquet("s3://…"), BLEU(), hypothesis="mt", references="ref", by=["system"])

The nodes need truebleu, of the version that the driver has: `runtime_env={"pip": ["truebleu"]}`. They are asked once
in a job (`check=False` leaves that out).
"""

from __future__ import annotations

from functools import partial
from typing import Any, Unpack

from truebleu import _engines, columns
from truebleu._engines import Names, Which, WhichLines
from truebleu.columns.schema import Layout

__all__ = ["check", "rows", "score", "segment_scores", "stats", "totals"]

_PICKLER = "ray.cloudpickle"
_HINT = 'ray.init(runtime_env={"pip": ["truebleu"]}) installs it on the nodes'


def score(dataset: Any, metrics: Any, **which: Unpack[Which]) -> Any:
    """Score each key: the table of `columns.score_table`, with the same bits however the Dataset is cut into blocks.

    Parameters
    ----------
    dataset, metrics
        The Dataset; one metric, a list of them, or a mapping of names to metrics.
    which
        `hypothesis`, `references`, `by`, `nulls` and `id`, as in `columns.totals`; `check`.
    """
    return totals(dataset, metrics, **which).scores()


def totals(dataset: Any, metrics: Any, **which: Unpack[Which]) -> columns.Totals:
    """Add up the rows of each key, as `columns.totals` does.

    Parameters
    ----------
    dataset, metrics, which
        As in `score`.
    """
    must_check, named = _engines.split_check(which)
    worker = columns.worker(metrics, **named)
    parts, nothing = _sent(dataset, worker.task.layout, _engines.totals_of(worker), metrics, must_check)
    # Adding on the driver took a third of the time of Ray's own groupby: partial totals are few and small.
    with _engines.unwrapped(_HINT):
        found = (columns.Totals.from_arrow(part, metrics) for part in _batches(parts))
        return columns.Totals.sum([columns.Totals.from_arrow(nothing, metrics), *found])


def segment_scores(dataset: Any, metrics: Any, **which: Unpack[WhichLines]) -> Any:
    """Give the Dataset with a column of segment scores for each metric. Ray counts when it is asked for rows.

    Parameters
    ----------
    dataset, metrics
        As in `score`.
    which
        `hypothesis`, `references`, `keep` (all unless given), `nulls`, `id`, as in `columns.segment_scores`; `check`.
    """
    return _lines(columns.segment_scores, dataset, metrics, which)


def rows(dataset: Any, metrics: Any, **which: Unpack[WhichLines]) -> Any:
    """Give the Dataset with the columns of `columns.rows`: whole numbers that can be added, and kept for tests.

    Parameters
    ----------
    dataset, metrics, which
        As in `segment_scores`.
    """
    return _lines(columns.rows, dataset, metrics, which)


def stats(dataset: Any, metric: Any, *, order: Names, by: Names = (), **which: Unpack[WhichLines]) -> Any:
    """Collect rows for `significance.compare`: `Stats`, or with `by` those of each key.

    Parameters
    ----------
    dataset, metric, which
        As in `segment_scores`.
    order, by
        As in `columns.stats_of_rows`.
    """
    which["keep"] = _engines.together(by, order)
    with _engines.unwrapped(_HINT):
        parts = list(_batches(rows(dataset, metric, **which)))
    return columns.stats_of_rows(iter(parts), metric, by=by, order=order)


def check(metrics: Any) -> list[dict[str, Any]]:
    """Ask each node for host, Python, versions and ids of metrics; raise if one lacks truebleu or has another.

    Parameters
    ----------
    metrics
        The metrics that are to be counted.
    """
    ray = _engines.engine("ray", (2, 40))
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    with _engines.unwrapped(_HINT):
        ask = ray.remote(_engines.probe(_PICKLER, metrics))
        nodes = [node["NodeID"] for node in ray.nodes() if node["Alive"]]
        there = [NodeAffinitySchedulingStrategy(node, soft=True) for node in nodes]
        told = ray.get([ask.options(num_cpus=0, scheduling_strategy=one).remote() for one in there])
    return _engines.compare_facts("truebleu.ray", told, metrics, _HINT)


def _lines(call: Any, dataset: Any, metrics: Any, which: Any) -> Any:
    schema = _schema(dataset)
    must_check, layout, call = _engines.line_call(call, metrics, which, list(schema.names) if schema else [])
    return _sent(dataset, layout, call, metrics, must_check)[0]


def _sent(dataset: Any, layout: Layout, call: Any, metrics: Any, must_check: bool) -> tuple[Any, Any]:
    """Send out a function from table to table: the Dataset it makes, and what it makes of a table without rows."""
    schema, ray = _schema(dataset), _engines.engine("ray", (2, 40))
    import pyarrow

    if schema is None:  # there are no blocks
        empty = pyarrow.table({name: pyarrow.array([], pyarrow.string()) for name in layout.needed})
    else:
        _engines.check_columns(layout, schema.names)
        fields = [pair for pair in zip(schema.names, schema.types, strict=True) if pair[0] in layout.needed]
        empty = pyarrow.schema(fields).empty_table()
        dataset = dataset.select_columns(list(layout.needed))
    made = call(empty)
    if must_check:
        _engines.check_once(ray.get_runtime_context().get_job_id(), metrics, partial(check, metrics))
    sent = _engines.sendable(_PICKLER, call)
    return dataset.map_batches(sent, batch_format="pyarrow", batch_size=None, zero_copy_batch=True), made


def _schema(dataset: Any) -> Any:
    _engines.require("truebleu.ray", "dataset", dataset, ("map_batches", "iter_batches"), "a Ray Dataset")
    return dataset.schema()


def _batches(dataset: Any) -> Any:
    return dataset.iter_batches(batch_format="pyarrow", batch_size=None)
