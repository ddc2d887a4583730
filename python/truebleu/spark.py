"""Scores of Spark DataFrames, from Spark 3.5 on: the executors count, Spark adds, and the driver scores.

    truebleu.spark.score(df, {"bleu": BLEU(), "chrf": CHRF()}, hypothesis="mt", references="ref", by=["system", "lang"])

The executors need the version of truebleu that the driver has: install it there, or call `ship`. They are asked once in
a session (`check=False` leaves that out). Spark tries a task four times before it gives up, whatever the error.
"""

from __future__ import annotations

import weakref
from functools import partial
from typing import Any, Unpack

from truebleu import _engines, columns
from truebleu._engines import Names, Which, WhichLines
from truebleu.columns.schema import Layout, how_to_add, measures

__all__ = ["check", "rows", "score", "segment_scores", "ship", "stats", "totals"]

_PICKLER = "pyspark.cloudpickle"
_HINT = "pip install truebleu on the executors, or call truebleu.spark.ship(spark) once"

_checked: set[tuple[str, tuple[str, ...]]] = set()  # sessions whose workers were asked, with the ids of metrics
_shipped: weakref.WeakKeyDictionary[Any, str] = weakref.WeakKeyDictionary()  # the folder of the package, by session


def score(df: Any, metrics: Any, **which: Unpack[Which]) -> Any:
    """Score each key: the table of `columns.score_table`, with the same bits however the frame is partitioned.

    Parameters
    ----------
    df, metrics
        The DataFrame; one metric, a list of them, or a mapping of names to metrics.
    which
        `hypothesis`, `references`, `by`, `nulls` and `id`, as in `columns.totals`; `check`.
    """
    return totals(df, metrics, **which).scores()


def totals(df: Any, metrics: Any, **which: Unpack[Which]) -> columns.Totals:
    """Add up the rows of each key, as `columns.totals` does.

    Parameters
    ----------
    df, metrics, which
        As in `score`.
    """
    must_check, named = _engines.split_check(which)
    worker = columns.worker(metrics, **named)
    task = worker.task
    parts = _sent(df, task.layout, worker, lambda no_rows: task.totals(no_rows).to_arrow(), metrics, must_check)
    from pyspark.sql import functions

    ways = how_to_add(task.measures)
    keys = [parts[_quoted(name)] for name in parts.columns if name not in ways]
    # Decimals have room for any sum; whole numbers of 64 bits would start again below zero without a word.
    wide = {name: parts[_quoted(name)].cast("decimal(38,0)") for name in ways}
    cells = [getattr(functions, way)(wide[name]).alias(name) for name, way in ways.items()]
    return columns.Totals.from_arrow(_collected(parts.groupBy(*keys).agg(*cells)), metrics)


def segment_scores(df: Any, metrics: Any, **which: Unpack[WhichLines]) -> Any:
    """Give the DataFrame with a column of segment scores for each metric. Spark counts when it is asked for rows.

    Parameters
    ----------
    df, metrics
        As in `score`.
    which
        `hypothesis`, `references`, `keep` (all unless given), `nulls`, `id`, as in `columns.segment_scores`; `check`.
    """
    return _lines(columns.segment_scores, df, metrics, which)


def rows(df: Any, metrics: Any, **which: Unpack[WhichLines]) -> Any:
    """Give the DataFrame with the columns of `columns.rows`: whole numbers that can be added, and kept for tests.

    Parameters
    ----------
    df, metrics, which
        As in `segment_scores`.
    """
    return _lines(columns.rows, df, metrics, which)


def stats(df: Any, metric: Any, *, order: Names, by: Names = (), **which: Unpack[WhichLines]) -> Any:
    """Collect rows for `significance.compare`: `Stats`, or with `by` those of each key.

    Parameters
    ----------
    df, metric, which
        As in `segment_scores`.
    order, by
        As in `columns.stats_of_rows`.
    """
    which["keep"] = _engines.together(by, order)
    return columns.stats_of_rows(_collected(rows(df, metric, **which)), metric, by=by, order=order)


def check(spark: Any, metrics: Any) -> list[dict[str, Any]]:
    """Ask executors for host, Python, versions and ids of metrics; raise if one lacks truebleu or has another.

    Parameters
    ----------
    spark, metrics
        The session; the metrics that are to be counted.
    """
    _engines.require("truebleu.spark", "spark", spark, ("range", "createDataFrame"), "a SparkSession")
    _engines.engine("pyspark", (3, 5))
    tasks = 2 * spark.sparkContext.defaultParallelism
    with _engines.unwrapped(_HINT):
        ask = _engines.probe(_PICKLER, metrics, _shipped.get(spark))
        told = spark.sparkContext.parallelize(range(tasks), tasks).map(ask).collect()
    return _engines.compare_facts("truebleu.spark", told, metrics, _HINT)


def ship(spark: Any) -> None:
    """Send the package that runs here to executors where one may not install; they need NumPy and pyarrow.

    Parameters
    ----------
    spark
        The session.
    """
    _engines.require("truebleu.spark", "spark", spark, ("range", "createDataFrame"), "a SparkSession")
    archive = _engines.write_archive(spark)
    spark.sparkContext.addArchive(f"{archive}#{archive.stem}")
    _shipped[spark] = archive.stem


def _lines(call: Any, df: Any, metrics: Any, which: Any) -> Any:
    must_check, named = _engines.split_check(which)
    named["keep"] = _engines.together(named.get("keep", getattr(df, "columns", [])))
    call = partial(call, metrics=metrics, threads=1, **named)
    return _sent(df, Layout(**named), partial(_engines.on_each, call), call, metrics, must_check)


def _collected(df: Any) -> Any:
    """The lines of a frame as an Arrow table."""
    import pyarrow
    from pyspark.sql.pandas.types import to_arrow_schema

    with _engines.unwrapped(_HINT):
        lines = [line.asDict() for line in df.collect()]
    return pyarrow.Table.from_pylist(lines, schema=to_arrow_schema(df.schema))


def _quoted(name: str) -> str:
    """A column's name as Spark reads it, whatever is in it."""
    return "`" + name.replace("`", "``") + "`"


def _sent(df: Any, layout: Layout, function: Any, example: Any, metrics: Any, must_check: bool) -> Any:
    """Send out a function from record batches to record batches; what `example` makes of no rows tells their types."""
    _engines.require("truebleu.spark", "df", df, ("mapInArrow", "sparkSession"), "a Spark DataFrame")
    _engines.engine("pyspark", (3, 5))
    from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
    from pyspark.sql.types import StructType

    layout.check(df.columns)
    df, spark = df.select(*map(_quoted, layout.needed)), df.sparkSession
    made = from_arrow_schema(example(to_arrow_schema(df.schema).empty_table()).schema)
    asked = spark.sparkContext.applicationId, tuple(one.id for one in measures(metrics))
    if must_check and asked not in _checked:
        check(spark, metrics)
        _checked.add(asked)
    schema = StructType([df.schema[field.name] if field.name in df.columns else field for field in made.fields])
    # Spark reads dots and backticks in names its own way, so columns travel under others.
    sent = _engines.sendable(_PICKLER, partial(_engines.on_named, layout.needed, function), _shipped.get(spark))
    return df.toDF(*(f"c{at}" for at in range(len(layout.needed)))).mapInArrow(sent, schema)
