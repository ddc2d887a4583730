"""How fast files of scores are read, and how much memory a score takes: python bench/score_files.py.

A file of mt-metrics-eval is generated, its scores are compared with those that were written, and the best of five
readings counts, in the processor's time. The bars are 20 MB/s and 100 bytes a score.
"""

from __future__ import annotations

import resource
import tempfile
import time
from pathlib import Path

import numpy as np

from truebleu.scores import read

SYSTEMS, SEGMENTS = 16, 2000
MANY = 125_000  # segments of the file for memory: two million scores
FASTEST, LARGEST = 20.0, 100.0


def main() -> None:
    """Measure, and fail if a bar is missed."""
    scores = np.random.default_rng(1).normal(size=(SYSTEMS, SEGMENTS))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "COMET-refA.seg.score")
        _write(path, scores)
        times = []
        for _ in range(5):
            begin = time.process_time()
            table = read(path)
            times.append(time.process_time() - begin)
        assert (table.matrix("COMET-refA") == scores).all()
        speed = path.stat().st_size / min(times) / 1e6
        print(f"reading {path.stat().st_size / 1e6:.1f} MB: {speed:.0f} MB/s")
        _write(path, np.tile(scores[:, :1], MANY))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        table = read(path)
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / len(table)
        print(f"{len(table):,} scores: {grown:.0f} bytes each, at the peak")
    assert speed >= FASTEST and grown <= LARGEST, "a bar is missed"


def _write(path: Path, scores: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for at, row in enumerate(scores):
            file.writelines(f"system-{at}\t{score!r}\n" for score in row.tolist())


if __name__ == "__main__":
    main()
