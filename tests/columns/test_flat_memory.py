"""Ways of reading that the documentation calls streaming take no more memory for 96 files than for 2."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")
import pyarrow.parquet as pq

from columns.made_up import table

WAYS = {
    "score_files": "columns.score_files('{folder}', BLEU(), **which)",
    "jobs": "columns.score_files('{folder}', BLEU(), **which, jobs=3)",
    "score_table": "columns.score_table('{folder}', BLEU(), **which)",
    "where": "columns.score_files('{folder}', BLEU(), **which, where='seg >= 0')",
    "the command": "main(['{folder}', '--hyp-field', 'mt', '--ref-field', 'ref', '-q', '-b', '--jobs', '2'])",
    "a worker": "[*columns.worker(BLEU(), **which)('{folder}')]",
    "DuckDB": "duckdb_score('{folder}/*.parquet')",
    "an address": "columns.score_files('file://{folder}', BLEU(), **which)",
    "resumed totals": "columns.score_files('{folder}', BLEU(), **which, jobs=2, resume='{folder}.totals')",
    "scores of segments": "score_segments(expand('{folder}'), Task(BLEU(), Layout('mt', 'ref'), 1), '{folder}.scores')",
    "Polars": "truebleu.polars.score(polars.scan_parquet('{folder}/*.parquet'), BLEU(), **which)",
}
CODE = """
import resource
import pyarrow.parquet
from truebleu import BLEU, columns
from truebleu.columns.files import score_segments
from truebleu.columns.places import expand
from truebleu.columns.schema import Layout
from truebleu.columns.work import Task
which = dict(hypothesis="mt", references="ref", by=["system"], threads=1)
if {engine!r} == "Polars":
    import polars, truebleu.polars
    del which["threads"]
if {engine!r} == "DuckDB":
    import duckdb, truebleu.duckdb
    del which["threads"]
    con = duckdb.connect(config=dict(threads=1))
    con.execute("SET enable_progress_bar = false")
    duckdb_score = lambda paths: truebleu.duckdb.score(con.sql(f"FROM '{{paths}}'"), BLEU(), **which)
if {engine!r} == "the command":
    import truebleu.cli.tables
    from truebleu.cli.main import main as run
    import io
    from contextlib import redirect_stdout
    def main(words):
        with redirect_stdout(io.StringIO()):
            assert not run(words)
{way}
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders of 2 and of 96 files of 20,000 rows."""
    made = tmp_path_factory.mktemp("many")
    for at in range(2):
        pq.write_table(table(20_000, seed=at), made / f"{at}.parquet")
    for files in (2, 96):
        (made / str(files)).mkdir()
        for at in range(files):
            shutil.copy(made / f"{at % 2}.parquet", made / str(files) / f"{at:02}.parquet")
    return made


@pytest.mark.guard
@pytest.mark.skipif(sys.platform != "linux", reason="the peak is in kilobytes on Linux")
@pytest.mark.parametrize("way", WAYS)
def test_memory_does_not_grow_with_the_number_of_files(way: str, folders: Path) -> None:
    if way in ("Polars", "DuckDB"):
        pytest.importorskip(way.lower())

    def peak(files: int) -> int:
        code = CODE.format(way=WAYS[way].format(folder=folders / str(files)), engine=way)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        return int(done.stdout)

    few, many = peak(2), peak(96)
    assert many - few < 40, f"{few} MB for 2 files, {many} MB for 96"
