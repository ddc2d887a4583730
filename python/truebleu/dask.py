"""Scores of Dask frames and of Parquet files on a Dask cluster, from Dask 2025.1 on: workers count and add.

    truebleu.dask.score(sorted(glob("data/*.parquet")), BLEU(), hypothesis="mt", references="ref", by=["system"])

Paths are read by the workers themselves, which is faster than a frame. The workers need truebleu, of the version that
the client has. They are asked once for each client (`check=False` leaves that out).
"""

from __future__ import annotations

import importlib
import os
from contextlib import suppress
from functools import partial
from typing import Any, Unpack

from truebleu import _engines, columns
from truebleu._engines import Names, Which, WhichLines
from truebleu.columns.schema import Layout

__all__ = ["check", "rows", "score", "segment_scores", "stats", "totals"]

_PICKLER = "cloudpickle"
_HINT = 'client.register_plugin(dask.distributed.PipInstall(["truebleu"])) installs it on the workers'
_ADDED_AT_ONCE = 16


def score(data: Any, metrics: Any, **which: Unpack[Which]) -> Any:
    """Score each key: the table of `columns.score_table`, with the same bits however the data are partitioned.

    Parameters
    ----------
    data, metrics
        A Dask frame, or a list of paths of Parquet files; one metric, a list of them, or a mapping of names to metrics.
    which
        `hypothesis`, `references`, `by`, `nulls` and `id`, as in `columns.totals`; `check`.
    """
    return totals(data, metrics, **which).scores()


def totals(data: Any, metrics: Any, **which: Unpack[Which]) -> columns.Totals:
    """Add up the rows of each key, as `columns.totals` does.

    Parameters
    ----------
    data, metrics, which
        As in `score`.
    """
    must_check, named = _engines.split_check(which)
    worker = columns.worker(metrics, **named)
    parts = _parts(data, worker.task.layout, _engines.totals_of(worker), metrics, must_check)
    add = _delayed(partial(_engines.add, metrics))
    while len(parts) > 1:
        parts = [add(parts[at : at + _ADDED_AT_ONCE]) for at in range(0, len(parts), _ADDED_AT_ONCE)]
    return columns.Totals.from_arrow(_computed(parts)[0], metrics)


def segment_scores(frame: Any, metrics: Any, **which: Unpack[WhichLines]) -> Any:
    """Give the frame with a column of segment scores for each metric. Dask counts when it is asked to compute.

    Parameters
    ----------
    frame, metrics
        A Dask frame; as in `score`.
    which
        `hypothesis`, `references`, `keep` (all unless given), `nulls`, `id`, as in `columns.segment_scores`; `check`.
    """
    return _lines(columns.segment_scores, frame, metrics, which)


def rows(frame: Any, metrics: Any, **which: Unpack[WhichLines]) -> Any:
    """Give the frame with the columns of `columns.rows`: whole numbers that can be added, and kept for tests.

    Parameters
    ----------
    frame, metrics, which
        As in `segment_scores`.
    """
    return _lines(columns.rows, frame, metrics, which)


def stats(data: Any, metric: Any, *, order: Names, by: Names = (), **which: Unpack[WhichLines]) -> Any:
    """Collect rows for `significance.compare`: `Stats`, or with `by` those of each key.

    Parameters
    ----------
    data, metric, which
        As in `score`, without `by`.
    order, by
        As in `columns.stats_of_rows`.
    """
    which["keep"] = _engines.together(by, order)
    must_check, layout, call = _engines.line_call(columns.rows, metric, which)
    found = _computed(_parts(data, layout, call, metric, must_check))
    return columns.stats_of_rows(iter(found), metric, by=by, order=order)


def check(client: Any, metrics: Any) -> list[dict[str, Any]]:
    """Ask each worker for host, Python, versions and ids of metrics; raise if one lacks truebleu or has another.

    Parameters
    ----------
    client, metrics
        The client of the cluster; the metrics that are to be counted.
    """
    _engines.require("truebleu.dask", "client", client, ("run", "submit"), "a client of Dask")
    with _engines.unwrapped(_HINT):
        told = client.run(_engines.probe(_PICKLER, metrics))
    return _engines.compare_facts("truebleu.dask", told.values(), metrics, _HINT)


def _lines(call: Any, frame: Any, metrics: Any, which: Any) -> Any:
    _engines.require("truebleu.dask", "frame", frame, ("map_partitions", "columns"), "a Dask frame")
    must_check, layout, call = _engines.line_call(call, metrics, which, list(frame.columns))
    chosen = _project(frame, layout, metrics, must_check)
    beside = partial(_engines.beside, _engines.guarded(layout, call), list(layout.keep))
    return chosen.map_partitions(_engines.sendable(_PICKLER, beside), meta=beside(chosen._meta))


def _parts(data: Any, layout: Layout, call: Any, metrics: Any, must_check: bool) -> list[Any]:
    """What a function makes of each partition, or of each file, to be computed."""
    data = [data] if isinstance(data, str | os.PathLike) else data
    if not isinstance(data, list | tuple) or not all(isinstance(path, str | os.PathLike) for path in data) or not data:
        expected = "a Dask frame, or paths of Parquet files"
        _engines.require("truebleu.dask", "data", data, ("map_partitions", "to_delayed"), expected)
    data = _project(data, layout, metrics, must_check)
    delayed = _delayed(_engines.guarded(layout, call))
    return [delayed(part) for part in (data.to_delayed() if hasattr(data, "to_delayed") else data)]


def _project(data: Any, layout: Layout, metrics: Any, must_check: bool) -> Any:
    """Look at the columns of a frame, if it is one; ask the workers of the cluster, if there is one."""
    if hasattr(data, "columns"):
        _engines.check_columns(layout, list(data.columns))
        data = data[list(layout.needed)]
    client = None
    with suppress(ImportError, ValueError):  # no cluster: this process or its children work, and have what is here
        client = importlib.import_module("dask.distributed").default_client()
    if client is not None and must_check:
        _engines.check_once(client.id, metrics, partial(check, client, metrics))
    return data


def _delayed(function: Any) -> Any:
    return _engines.engine("dask", (2025, 1)).delayed(_engines.sendable(_PICKLER, function), pure=False)


def _computed(parts: list[Any]) -> Any:
    with _engines.unwrapped(_HINT):
        return _engines.engine("dask", (2025, 1)).compute(*parts)
