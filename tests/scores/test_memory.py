"""Ten million scores: at most 100 bytes for each, with everything that reading needs."""

import subprocess
import sys
from pathlib import Path

import pytest

SYSTEMS, SEGMENTS, BYTES = 16, 625_000, 100
READ = """
import resource, sys
import numpy
from truebleu.scores import read
import truebleu.scores.reading, truebleu.scores.mtme
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
table = read(sys.argv[1])
grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
assert len(table.systems) == 16 and table.scores[-1] == 0.375, table
print(len(table), grown / len(table))
"""


@pytest.mark.guard
@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss has other units elsewhere")
def test_ten_million_scores_take_100_bytes_each(tmp_path: Path) -> None:
    path = tmp_path / "COMET-refA.seg.score"
    with path.open("w", encoding="utf-8") as file:
        for at in range(SYSTEMS):
            file.writelines(f"system-{at}\t0.375\n" * 1000 for _ in range(SEGMENTS // 1000))
    out = subprocess.run([sys.executable, "-c", READ, str(path)], capture_output=True, text=True, check=True).stdout
    count, grown = out.split()
    assert int(count) == SYSTEMS * SEGMENTS == 10**7
    assert float(grown) <= BYTES, grown
