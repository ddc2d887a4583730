"""Dask with worker processes gives the bits of one process, whichever of them dies."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")
distributed = pytest.importorskip("distributed", reason="Dask is not installed: make test-engines installs it")
dd = pytest.importorskip("dask.dataframe")

import pyarrow.parquet as pq  # noqa: E402

import truebleu  # noqa: E402
import truebleu.dask as tb  # noqa: E402
from engines.cases import (  # noqa: E402
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
from truebleu import BLEU, significance  # noqa: E402
from truebleu.errors import InputTypeError, MissingDependency, MissingFile, UnknownField  # noqa: E402

pytestmark = pytest.mark.engines

PACKAGE = str(Path(truebleu.__file__).parents[1])


class Cluster:
    """A scheduler in this process, and workers that are processes of their own."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.scheduler = distributed.LocalCluster(n_workers=0, dashboard_address=None)
        self.client = distributed.Client(self.scheduler)
        self.workers: list[subprocess.Popen[bytes]] = []

    def start(self, path: str = PACKAGE) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "distributed.cli.dask_worker", self.scheduler.scheduler_address]
        options = [
            "--no-nanny",
            "--nthreads",
            "1",
            "--no-dashboard",
            "--local-directory",
            self.folder,
        ]
        self.workers.append(subprocess.Popen(command + options, env={**os.environ, "PYTHONPATH": path}))
        self.client.wait_for_workers(sum(worker.poll() is None for worker in self.workers), timeout=120)
        return self.workers[-1]

    def stop(self) -> None:
        for worker in self.workers:
            worker.terminate()
        for worker in self.workers:
            worker.wait(60)
        self.client.close()
        self.scheduler.close()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    made = Cluster(str(tmp_path_factory.mktemp("dask")))
    try:
        made.start()
        made.start()
        yield made
    finally:
        made.stop()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The table in files of three cuts: one row group, three, and forty, some of which are small."""
    made = tmp_path_factory.mktemp("parquet")
    for parts in (1, 3, 40):
        pq.write_table(TABLE, made / f"{parts}.parquet", row_group_size=-(-len(TABLE) // parts))
    pq.write_table(WITH_NULL, made / "null.parquet")
    return made


def frame(path: Path) -> Any:
    return dd.read_parquet(path, split_row_groups=True)


@pytest.mark.parametrize("parts", [1, 3, 40])
def test_a_frame_has_the_bits_of_one_process(cluster: Cluster, folder: Path, parts: int) -> None:
    made = frame(folder / f"{parts}.parquet")
    assert parts == made.npartitions
    assert TOTALS.equals(tb.totals(made, METRICS, **WHICH).to_arrow())


def test_files_are_read_by_the_workers(cluster: Cluster, folder: Path) -> None:
    assert SCORES.equals(tb.score(folder / "3.parquet", METRICS, **WHICH))
    pq.write_table(TABLE.slice(0, 100), folder / "a.parquet")
    pq.write_table(TABLE.slice(100), folder / "b.parquet")
    pq.write_table(TABLE.slice(0, 0), folder / "empty.parquet")
    paths = [str(folder / f"{name}.parquet") for name in ("b", "empty", "a")]
    assert SCORES.equals(tb.score(paths, METRICS, **WHICH))
    with pytest.raises(MissingFile, match=r"none\.parquet"):
        tb.score([*paths, "none.parquet"], METRICS, **WHICH)


def test_partitions_without_rows_and_skew_change_nothing(cluster: Cluster, folder: Path) -> None:
    whole = frame(folder / "40.parquet")
    nothing = whole[whole.seg < 0]
    assert 0 == len(tb.totals(nothing, METRICS, **WHICH))
    assert SCORES.equals(tb.score(dd.concat([nothing, whole, nothing]), METRICS, **WHICH))
    skewed = dd.concat([frame(folder / "1.parquet"), nothing])
    assert SCORES.equals(tb.score(skewed, METRICS, **WHICH))


def test_segment_scores_are_new_columns_and_rows_are_whole(cluster: Cluster, folder: Path) -> None:
    scored = tb.segment_scores(frame(folder / "3.parquet"), METRICS, **LINES)
    assert [*TABLE.column_names, *METRICS] == list(scored.columns)
    assert same_segments(scored.compute().to_dict("records"))
    counted = tb.rows(frame(folder / "3.parquet"), BLEU(), **LINES, keep="seg").compute()
    assert TOTALS["bleu_sys_len"].to_numpy().sum() == counted["bleu_sys_len"].sum()


def test_collected_rows_are_ready_for_paired_tests(cluster: Cluster, folder: Path) -> None:
    found = tb.stats(frame(folder / "40.parquet"), BLEU(), **LINES, by=["system", "lang"], order="seg")
    assert same_stats(found)
    pair = {system: found[system, "en-de"] for system in ("atlas", "birch")}
    assert significance.compare(pair, BLEU(), n_samples=50)


def test_errors_are_ours(cluster: Cluster, folder: Path) -> None:
    with pytest.raises(InputTypeError, match=NULL_MESSAGE):
        tb.score(frame(folder / "null.parquet"), METRICS, **WHICH, id="seg")
    with pytest.raises(UnknownField, match="no column 'hyp'"):
        tb.score(frame(folder / "3.parquet"), METRICS, hypothesis="hyp", references="refs")
    skipped = tb.score(frame(folder / "null.parquet"), METRICS, **WHICH, nulls="skip")
    assert [1, *[0] * 8] == skipped["skipped"].to_pylist()


def test_lists_that_dask_made_strings_of_are_refused(cluster: Cluster) -> None:
    made = dd.from_pandas(TABLE.to_pandas(), npartitions=2)
    for call in (tb.score, lambda *given, **named: tb.segment_scores(*given, **named).compute()):
        with pytest.raises(InputTypeError, match=r"'refs' has texts such as .* Dask has turned lists into strings"):
            call(made, METRICS, **LINES)


def test_a_killed_worker_leaves_the_same_bits(cluster: Cluster, folder: Path, tmp_path: Path) -> None:
    die = dying(tmp_path / "flag")

    def first_die(part: Any) -> Any:
        die()
        return part

    made = frame(folder / "40.parquet")
    assert TOTALS.equals(tb.totals(made.map_partitions(first_die, meta=made._meta), METRICS, **WHICH).to_arrow())
    assert has_died(tmp_path / "flag")
    assert 1 == sum(worker.wait(5) != 0 for worker in cluster.workers if worker.poll() is not None)
    cluster.start()


def test_check_tells_versions_and_finds_a_worker_without_truebleu(cluster: Cluster, folder: Path) -> None:
    told = tb.check(cluster.client, METRICS)
    assert {truebleu.__version__} == {one["truebleu"] for one in told} and METRICS.keys() == told[0]["ids"].keys()
    bare = cluster.start(path="")
    try:
        with pytest.raises(MissingDependency, match=r"no truebleu on the worker .*PipInstall"):
            tb.check(cluster.client, METRICS)
        # The check finds it before there is a job, and the job itself where nobody checks.
        with pytest.raises(MissingDependency, match="no truebleu on the worker") as caught:
            tb.score(folder / "3.parquet", {"new": BLEU(lowercase=True)}, **WHICH)
        assert caught.value.__cause__ is None
        with pytest.raises(MissingDependency, match="no truebleu on the worker"):
            tb.score(frame(folder / "40.parquet"), METRICS, **WHICH, check=False)
    finally:
        bare.terminate()
        bare.wait(60)


def test_without_a_cluster_dask_works_in_threads(folder: Path) -> None:
    import dask

    with dask.config.set(scheduler="threads"):
        assert SCORES.equals(tb.score(frame(folder / "3.parquet"), METRICS, **WHICH))
