"""Ways of reading that the documentation calls streaming take no more memory for 96 files than for 2."""

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
    "an address": "columns.score_files('file://{folder}', BLEU(), **which)",
    "Polars": "truebleu.polars.score(polars.scan_parquet('{folder}/*.parquet'), BLEU(), **which)",
}
CODE = """
import resource
import pyarrow.parquet
from truebleu import BLEU, columns
which = dict(hypothesis="mt", references="ref", by=["system"], threads=1)
if {has_polars}:
    import polars, truebleu.polars
    del which["threads"]
{way}
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


@pytest.mark.guard
@pytest.mark.skipif(sys.platform != "linux", reason="the peak is in kilobytes on Linux")
@pytest.mark.parametrize("way", WAYS)
def test_memory_does_not_grow_with_the_number_of_files(way: str, tmp_path: Path) -> None:
    if way == "Polars":
        pytest.importorskip("polars")
    for files in (2, 96):
        (tmp_path / str(files)).mkdir()
        for at in range(files):
            pq.write_table(table(20_000, seed=at % 2), tmp_path / str(files) / f"{at:02}.parquet")

    def peak(files: int) -> int:
        code = CODE.format(way=WAYS[way].format(folder=tmp_path / str(files)), has_polars=way == "Polars")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        return int(done.stdout)

    few, many = peak(2), peak(96)
    assert many - few < 40, f"{few} MB for 2 files, {many} MB for 96"
