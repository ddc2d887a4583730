"""The recipes of docs/columns.md for Ray and Dask give the bits of one process, whichever worker dies."""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")
import pyarrow.parquet as pq

import truebleu
from conftest import REPOSITORY
from engines.cases import METRICS, SCORES, TABLE, TOTALS, WHICH, WITH_NULL, dying, has_died
from truebleu import columns
from truebleu.errors import MissingFile, StatsMismatch, TruebleuError
from truebleu.version import __version__

pytestmark = pytest.mark.engines

PAGE = (REPOSITORY / "docs" / "columns.md").read_text("utf-8")
PACKAGE = str(Path(truebleu.__file__).parents[1])
Gather = Callable[
    [Callable[[Any], Any], list[Any]], list[Any]
]  # what a function makes of each of some things, elsewhere


def recipe(engine: str) -> str:
    """The lines of a recipe, without those that make a cluster: the cluster is that of the test."""
    (code,) = re.findall(
        rf"<!-- not run: needs {engine}; tests/engines makes these calls -->\n```python\n(.*?)```", PAGE, re.S
    )
    return "".join(line + "\n" for line in code.splitlines() if not line.startswith(("client =", "client.register")))


def start_ray() -> Any:
    """Start Ray. It gives its node thirty seconds, whatever else the machine does; what took longer starts again."""
    ray = pytest.importorskip("ray", reason="Ray is not installed: make test-engines installs it")
    # Ray also kills workers when the machine is short of memory, whoever takes it.
    calm = {"memory_monitor_refresh_ms": 0}
    quiet: dict[str, Any] = {"include_dashboard": False, "log_to_driver": False, "logging_level": "ERROR"}
    for last in (False, False, True):
        try:
            ray.init(_system_config=calm, num_cpus=2, **quiet)
            return ray
        except Exception as error:
            ray.shutdown()
            if last or "timed out during startup" not in str(error):
                raise


class DaskCluster:
    """A scheduler in this process, and workers that are processes of their own."""

    def __init__(self, folder: str) -> None:
        distributed = pytest.importorskip("distributed", reason="Dask is not installed: make test-engines installs it")
        self.scheduler = distributed.LocalCluster(n_workers=0, dashboard_address=None)
        self.client = distributed.Client(self.scheduler)
        self.workers: list[subprocess.Popen[bytes]] = []
        self._options = ["--no-nanny", "--nthreads", "1", "--no-dashboard", "--local-directory", folder]

    def start(self) -> None:
        command = [sys.executable, "-m", "distributed.cli.dask_worker", self.scheduler.scheduler_address]
        self.workers.append(subprocess.Popen(command + self._options, env={**os.environ, "PYTHONPATH": PACKAGE}))
        self.client.wait_for_workers(sum(worker.poll() is None for worker in self.workers), timeout=120)

    def stop(self) -> None:
        for worker in self.workers:
            worker.terminate()
        for worker in self.workers:
            worker.wait(60)
        self.client.close()
        self.scheduler.close()


@pytest.fixture(scope="module", params=["Ray", "Dask"])
def cluster(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Any, Gather]]:
    """The name of an engine, what a recipe calls it by, and a function that maps over its workers."""
    if request.param == "Ray":
        ray = start_ray()
        yield "Ray", ray, lambda call, given: list(ray.get([ray.remote(call).remote(one) for one in given]))
        ray.shutdown()
        return
    made = DaskCluster(str(tmp_path_factory.mktemp("dask")))
    try:
        made.start()
        made.start()
        yield (
            "Dask",
            made.client,
            lambda call, given: list(made.client.gather(made.client.map(call, given, pure=False))),
        )
    finally:
        made.stop()


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The table in six files, one of which has no rows, and one of which is large."""
    folder, cuts = tmp_path_factory.mktemp("parquet"), (0, 10, 10, 300, 310, 900, len(TABLE))
    for at, (start, end) in enumerate(itertools.pairwise(cuts)):
        pq.write_table(TABLE.slice(start, end - start), folder / f"{at}.parquet", row_group_size=100)
    return sorted(map(str, folder.iterdir()))


def added(parts: list[Any]) -> Any:
    return columns.Totals.from_arrow(batch for part in parts for batch in part).to_arrow()


def test_the_recipe_of_the_page_prints_the_table_of_one_process(cluster: Any, paths: list[str]) -> None:
    name, engine, _ = cluster
    code, shown = recipe(name), list[Any]()
    given = 'BLEU(), hypothesis="mt", references="ref", by=["system"]'
    assert given in code
    code = code.replace(given, "METRICS, **WHICH")
    exec(code, {"client": engine, "paths": paths, "METRICS": METRICS, "WHICH": WHICH, "print": shown.append})
    assert [SCORES] == shown


def test_a_killed_worker_leaves_the_same_bits(cluster: Any, paths: list[str], tmp_path: Path) -> None:
    _, _, gather = cluster
    die, worker = dying(tmp_path / "flag"), columns.worker(METRICS, **WHICH)

    def count(path: str) -> list[Any]:
        die()
        return list(worker(path))

    assert TOTALS == added(gather(count, paths))
    assert has_died(tmp_path / "flag")


def test_errors_name_the_file_the_row_and_the_column(cluster: Any, paths: list[str], tmp_path: Path) -> None:
    _, _, gather = cluster
    worker, bad = columns.worker(METRICS, **WHICH, id="seg"), str(tmp_path / "null.parquet")
    pq.write_table(WITH_NULL, bad)
    place = rf"'mt' is null in row 0 of {re.escape(bad)} \(system='atlas', lang='en-de', seg=0\)"
    for given, words in ((bad, place), (str(tmp_path / "none.parquet"), r"none\.parquet: there is no such file")):
        with pytest.raises(Exception, match=words) as raised:
            gather(lambda path: list(worker(path)), [*paths, given])
        assert isinstance(raised.value, TruebleuError)


def test_a_worker_of_another_version_is_refused(cluster: Any, paths: list[str]) -> None:
    _, _, gather = cluster
    worker = columns.worker(METRICS, **WHICH)

    def other(path: str) -> list[Any]:
        import pickle

        import truebleu.columns.work

        sent = pickle.dumps(worker)
        truebleu.columns.work.__version__ = "99.0"
        try:
            return list(pickle.loads(sent)(path))
        finally:
            truebleu.columns.work.__version__ = __version__

    with pytest.raises(
        StatsMismatch, match=rf"has truebleu 99\.0, expected {re.escape(__version__)}, which sent the work"
    ):
        gather(other, paths)
    with pytest.raises(MissingFile):
        list(worker("none.parquet"))
