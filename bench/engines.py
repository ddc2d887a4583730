"""DuckDB, Polars, Spark, Ray and Dask: what truebleu costs there, as ratios in one run, answers asserted first.

    make bench-engines                                    # all, about ten minutes on two idle cores
    python bench/engines.py duckdb polars                 # some; in an environment that has them

CPU time is that of this process; on Spark it is time on the wall, best of three, for the executors are others. For Ray
and Dask it is the CPU time of all their processes, with the recipes of docs/columns.md, against one process.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from corpora import CHINESE, LATIN, load
from timing import AnswersDiffer
from truebleu import BLEU, columns

WHICH: dict[str, Any] = {"hypothesis": "mt", "references": "ref", "by": "key"}
KEYS = 61
GUIDE_ROWS = 5_000  # that a sacreBLEU function scores in DuckDB


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    bars = {"duckdb": duckdb_bar, "polars": polars_bar, "spark": spark_bars, "ray": ray_bar, "dask": dask_bar}
    parser.add_argument("engines", nargs="*", choices=[*bars, []], help="which; all unless given")
    parser.add_argument("--rounds", type=int, default=3, help="of which the best is taken")
    parser.add_argument("--copies", type=int, nargs=2, default=(3, 10), help="of the table, for the two bars of Spark")
    options = parser.parse_args()
    table = make_table()
    print(f"{len(table):,} pairs under {KEYS} keys")
    failed = 0
    for name in options.engines or bars:
        for title, ratio, must, is_ceiling in bars[name](table, options):
            met = ratio <= must if is_ceiling else ratio >= must
            failed += not met
            bar = f"{'at most' if is_ceiling else 'at least'} {must}×"
            print(f"{title}: {ratio:.2f}× ({bar}){'' if met else '  MISSED'}")
    return min(failed, 1)


def make_table() -> pa.Table:
    parts = [load(LATIN), load(CHINESE)]
    mt = [text for part in parts for text in part.hypotheses]
    ref = [text for part in parts for text in part.references]
    keys = [f"system-{at * KEYS // len(mt):02d}" for at in range(len(mt))]
    return pa.table({"key": keys, "mt": mt, "ref": ref})


def best(call: Callable[[], object], rounds: int, clock: Callable[[], float] = time.process_time) -> float:
    times = []
    for _ in range(rounds):
        start = clock()
        call()
        times.append(clock() - start)
    return min(times)


def require_equal(what: str, ours: object, theirs: object) -> None:
    if ours != theirs:
        raise AnswersDiffer(what)


def by_key(scores: Any) -> dict[str, float]:
    return dict(zip(scores["key"].to_pylist(), scores["bleu"].to_pylist(), strict=True))


def duckdb_bar(table: pa.Table, options: argparse.Namespace) -> Any:
    """Rows and their sum in SQL, against a function of sacreBLEU's for each row."""
    import duckdb
    import sacrebleu

    import truebleu.duckdb

    con = duckdb.connect(config={"threads": 1})
    truebleu.duckdb.register(con, BLEU(effective_order=True))
    con.register("t", table)
    # All systems of a line, so that as many texts come back as in the whole table: sacreBLEU remembers their tokens.
    pairs = [load(kind).sample(GUIDE_ROWS // 2) for kind in (LATIN, CHINESE)]
    guides = [pa.table({"mt": pair.hypotheses, "ref": pair.references}) for pair in pairs]
    con.register("guide", pa.concat_tables(guides))
    metric = sacrebleu.BLEU(effective_order=True)
    con.create_function("theirs", lambda mt, ref: metric.sentence_score(mt, [ref]).score, ["VARCHAR"] * 2, "DOUBLE")
    ours = "SELECT key, corpus_bleu(mt, ref) FROM t GROUP BY key ORDER BY key"
    expected = columns.score_table(table, BLEU(effective_order=True), **WHICH)
    require_equal("corpus", dict(con.sql(ours).fetchall()), by_key(expected))
    start = time.process_time()
    theirs = con.sql("SELECT theirs(mt, ref) FROM guide").fetchall()
    guide = (time.process_time() - start) / len(theirs)  # once: the second time all tokens would be remembered
    require_equal("segments", con.sql("SELECT bleu(mt, ref) FROM guide").fetchall(), theirs)
    per_row = best(lambda: con.sql(ours).fetchall(), options.rounds) / len(table)
    print(f"DuckDB: {1e6 * per_row:.2f} µs a row, sacreBLEU {1e6 * guide:.0f} µs")
    yield "DuckDB, rows and sum, against a sacreBLEU function, CPU", guide / per_row, 40, False


def polars_bar(table: pa.Table, options: argparse.Namespace) -> Any:
    """A stream from Parquet with keys, against reading alone and counting alone."""
    import polars as pl

    import truebleu.polars

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.parquet"
        pq.write_table(pa.concat_tables([table] * 3), path, row_group_size=65_536)
        lazy = pl.scan_parquet(path).select("mt", "ref", "key")
        frame = lazy.collect()

        def read() -> None:
            for _ in lazy.collect_batches(chunk_size=65_536):
                pass

        def stream() -> columns.Totals:
            return truebleu.polars.totals(pl.scan_parquet(path), BLEU(), **WHICH)

        def count() -> columns.Totals:
            return columns.totals(frame, BLEU(), **WHICH)

        require_equal("totals", stream().to_arrow(), count().to_arrow())
        whole, reading, counting = (best(call, options.rounds) / len(frame) for call in (stream, read, count))
    print(f"Polars: {1e6 * whole:.2f} µs a row, reading {1e6 * reading:.2f}, counting {1e6 * counting:.2f}")
    yield "Polars, a stream with keys, against reading and counting, CPU", whole / (reading + counting), 1.3, True


def spark_bars(table: pa.Table, options: argparse.Namespace) -> Any:
    """Against sacreBLEU in `applyInPandas`, and against a `mapInArrow` that does nothing."""
    import truebleu.spark

    spark = spark_session()
    with tempfile.TemporaryDirectory() as folder:
        few, many = (Path(folder) / str(copies) for copies in options.copies)
        for path, copies in zip((few, many), options.copies, strict=True):
            path.mkdir()
            for at in range(copies):
                pq.write_table(table, path / f"{at}.parquet", row_group_size=16_384)

        def ours(path: Path) -> Any:
            return truebleu.spark.score(spark.read.parquet(str(path)), BLEU(), **WHICH)

        def theirs() -> Any:
            groups = spark.read.parquet(str(few)).groupBy("key")
            return groups.applyInPandas(sacrebleu_of(), "key string, bleu double")

        found = by_key(ours(few))
        start = time.perf_counter()
        guide = {line["key"]: line["bleu"] for line in theirs().collect()}
        slow = time.perf_counter() - start
        require_equal("Spark", found, guide)
        fast = best(lambda: ours(few), options.rounds, time.perf_counter)
        print(f"Spark, {options.copies[0] * len(table):,} rows: {fast:.1f} s, sacreBLEU {slow:.1f} s")
        yield "Spark, against sacreBLEU in applyInPandas, wall", slow / fast, 8, False

        def nothing() -> None:
            df = spark.read.parquet(str(many)).select("mt", "ref", "key")
            df.mapInArrow(swallow(), "rows bigint").groupBy().sum("rows").collect()

        nothing()
        idle = best(nothing, options.rounds, time.perf_counter)
        busy = best(lambda: ours(many), options.rounds, time.perf_counter)
        print(f"Spark, {options.copies[1] * len(table):,} rows: {busy:.1f} s, nothing {idle:.1f} s")
        yield "Spark, against a mapInArrow that does nothing, wall", busy / idle, 2.2, True
    spark.stop()


def ray_bar(table: pa.Table, options: argparse.Namespace) -> Any:
    """Tasks that count files."""
    import ray

    quiet: dict[str, Any] = {"include_dashboard": False, "log_to_driver": False, "logging_level": "ERROR"}
    ray.init(num_cpus=2, _system_config={"memory_monitor_refresh_ms": 0}, **quiet)

    def gather(worker: Any, paths: list[str]) -> list[Any]:
        count = ray.remote(lambda path: list(worker(path)))
        return list(ray.get([count.remote(path) for path in paths]))

    yield from recipe_bar("Ray", table, gather, options)
    ray.shutdown()


def dask_bar(table: pa.Table, options: argparse.Namespace) -> Any:
    """Futures that count files."""
    from dask.distributed import Client, LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:

        def gather(worker: Any, paths: list[str]) -> list[Any]:
            return list(client.gather(client.map(lambda path: list(worker(path)), paths, pure=False)))

        yield from recipe_bar("Dask", table, gather, options)


def recipe_bar(name: str, table: pa.Table, gather: Callable[[Any, list[str]], list[Any]], options: Any) -> Any:
    """A recipe over files, against one process over the same files."""
    worker = columns.worker(BLEU(), **WHICH)
    with tempfile.TemporaryDirectory() as folder:
        paths = [f"{folder}/{at:02}.parquet" for at in range(16)]
        for path in paths:
            pq.write_table(table, path, row_group_size=16_384)

        def spread() -> Any:
            return columns.Totals.from_arrow(batch for part in gather(worker, paths) for batch in part).scores()

        def alone() -> Any:
            return columns.score_files(paths, BLEU(), **WHICH, threads=1)

        require_equal(name, spread(), alone())
        rows = len(paths) * len(table)
        ours, one = (best(call, options.rounds, cpu_of_all) / rows for call in (spread, alone))
    print(f"{name}: {1e6 * ours:.2f} µs a pair in all processes, {1e6 * one:.2f} in one")
    yield f"{name}, the recipe against one process, CPU of all", ours / one, 1.7, True


def cpu_of_all() -> float:
    """CPU time of this process, of those that it has started, and of Ray's, whose parent may be gone."""
    psutil = importlib.import_module("psutil")  # which Ray and Dask bring
    seconds, ours = 0.0, {one.pid for one in psutil.Process().children(recursive=True)} | {psutil.Process().pid}
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.pid in ours or "ray::" in " ".join(process.cmdline()):
                times = process.cpu_times()
                seconds += times.user + times.system
    return seconds


def spark_session() -> Any:
    import os

    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local-cluster[2,1,1024]")
    for name, value in {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "4",
    }.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def sacrebleu_of() -> Callable[[Any], Any]:
    """A local function, which Spark sends by value."""

    def score(group: Any) -> Any:
        import pandas
        import sacrebleu

        bleu = sacrebleu.BLEU().corpus_score(list(group["mt"]), [list(group["ref"])]).score
        return pandas.DataFrame({"key": [group["key"].iloc[0]], "bleu": [bleu]})

    return score


def swallow() -> Callable[[Any], Any]:
    def count(parts: Any) -> Any:
        import pyarrow

        yield pyarrow.RecordBatch.from_pydict({"rows": [sum(len(part) for part in parts)]})

    return count


if __name__ == "__main__":
    sys.exit(main())
