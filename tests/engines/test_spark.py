"""Spark with executors that are processes of their own gives the bits of one process, whichever of them dies.

There is one session. Its executors have no truebleu: `check` must say so, and after `ship` all else must work.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("pyspark", reason="Spark is not installed: make test-engines installs it")
if shutil.which("java") is None:
    pytest.skip("there is no Java: apt-get install openjdk-17-jre-headless", allow_module_level=True)

import truebleu
import truebleu.spark as tb
from engines.cases import (
    LINES,
    METRICS,
    NULL_MESSAGE,
    SCORES,
    TABLE,
    TOTALS,
    WHICH,
    WITH_NULL,
    dying,
    has_died,
    same_segments,
    same_stats,
)
from truebleu import BLEU, _engines
from truebleu.errors import (
    EmptyCorpus,
    InputTypeError,
    MissingDependency,
    OptionError,
    StatsMismatch,
    UnknownField,
)

pytestmark = pytest.mark.engines

PACKAGE = str(Path(truebleu.__file__).parents[1])
SCHEMA = "system string, lang string, seg bigint, mt string, refs array<string>"


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from pyspark.sql import SparkSession

    bare = tmp_path_factory.mktemp("bin") / "python"
    without = f'PYTHONPATH=$(echo "$PYTHONPATH" | tr : "\\n" | grep -vxF "{PACKAGE}" | paste -sd:)'
    bare.write_text(f'#!/bin/sh\n{without} exec "{sys.executable}" "$@"\n')
    bare.chmod(bare.stat().st_mode | stat.S_IXUSR)
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "4",
        # On a machine that others use, silence says little: nobody is given up for it.
        "spark.network.timeout": "600s",
        "spark.python.authenticate.socketTimeout": "300s",
        "spark.worker.timeout": "600",
        "spark.pyspark.python": str(bare),
        "spark.pyspark.driver.python": sys.executable,
    }
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("truebleu")
    for name, value in settings.items():
        builder = builder.config(name, value)
    os.environ["PYSPARK_PYTHON"] = str(bare)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def shipped(spark: Any) -> Any:
    """The session after `ship`; before it, nothing works and everything says why."""
    df = spark.createDataFrame(TABLE.to_pylist(), SCHEMA)
    with pytest.raises(MissingDependency, match=r"no truebleu on the worker .*truebleu\.spark\.ship\(spark\)"):
        tb.score(df, METRICS, **WHICH)
    with pytest.raises(MissingDependency, match=r"no truebleu on the worker .*truebleu\.spark\.ship\(spark\)"):
        tb.score(df, METRICS, **WHICH, check=False)
    tb.ship(spark)
    return spark


@pytest.fixture(scope="module")
def df(shipped: Any) -> Any:
    return shipped.createDataFrame(TABLE.to_pylist(), SCHEMA).cache()


def test_check_tells_versions_and_refuses_others(shipped: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    told = tb.check(shipped, METRICS)
    assert {truebleu.__version__} == {one["truebleu"] for one in told} and METRICS.keys() == told[0]["ids"].keys()
    monkeypatch.setattr(_engines, "__version__", "99.0")
    with pytest.raises(StatsMismatch, match=r"has truebleu .*, and here is 99\.0"):
        tb.check(shipped, METRICS)


@pytest.mark.parametrize("parts", [1, 3, 40])
def test_a_frame_has_the_bits_of_one_process(df: Any, parts: int) -> None:
    assert TOTALS.equals(tb.totals(df.repartition(parts), METRICS, **WHICH).to_arrow())


def test_partitions_without_rows_and_skew_change_nothing(df: Any) -> None:
    skewed = df.repartition(8, "lang")  # most of the eight are empty
    assert SCORES.equals(tb.score(skewed, METRICS, **WHICH))
    nothing = df.filter("seg < 0")
    assert 0 == len(tb.totals(nothing, METRICS, **WHICH))
    with pytest.raises(EmptyCorpus):
        tb.score(nothing, METRICS, hypothesis="mt", references="refs")


def test_names_that_sql_would_read_otherwise(df: Any) -> None:
    renamed = df.withColumnRenamed("mt", "out.put`").withColumnRenamed("lang", "language pair")
    found = tb.score(renamed, METRICS, hypothesis="out.put`", references="refs", by=["system", "language pair"])
    assert SCORES.rename_columns(["system", "language pair", *SCORES.column_names[2:]]).equals(found)


def test_segment_scores_are_new_columns_and_rows_are_collected(df: Any) -> None:
    scored = tb.segment_scores(df, METRICS, **LINES)
    assert [*TABLE.column_names, *METRICS] == scored.columns and df.schema["refs"] == scored.schema["refs"]
    assert same_segments([line.asDict() for line in scored.select("system", "lang", "seg", *METRICS).collect()])
    assert same_stats(tb.stats(df.repartition(5), BLEU(), **LINES, by=["system", "lang"], order="seg"))


def test_errors_are_ours(shipped: Any, df: Any) -> None:
    nulls = shipped.createDataFrame(WITH_NULL.slice(0, 1).to_pylist(), SCHEMA)
    with pytest.raises(InputTypeError, match=NULL_MESSAGE):
        tb.score(nulls, METRICS, **WHICH, id="seg")
    assert [1] == tb.totals(nulls, METRICS, **WHICH, nulls="skip").to_arrow()["skipped"].to_pylist()
    for kind, words, given in (
        (UnknownField, "no column 'hyp'", {**LINES, "hypothesis": "hyp"}),
        (InputTypeError, '"seg" has the type', {**LINES, "hypothesis": "seg"}),
        (OptionError, "by has 'refs'", {**LINES, "by": "refs"}),
        (OptionError, "columns are called 'mt'", LINES),
    ):
        twice = df.join(df.select("mt"), df.system == "x") if given is LINES else df
        with pytest.raises(kind, match=words):
            tb.score(twice, METRICS, **given)


@pytest.mark.parametrize("ancestors", [0, 2], ids=["worker", "executor"])
def test_a_killed_process_leaves_the_same_bits(df: Any, tmp_path: Path, ancestors: int) -> None:
    die = dying(tmp_path / "flag", ancestors, b"CoarseGrainedExecutorBackend" if ancestors else b"")

    def first_die(parts: Any) -> Any:
        for part in parts:
            die()
            yield part

    killed = df.repartition(10).mapInArrow(first_die, df.schema)
    assert TOTALS.equals(tb.totals(killed, METRICS, **WHICH).to_arrow())
    assert has_died(tmp_path / "flag")
