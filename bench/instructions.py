"""Instructions a segment, counted by callgrind: a figure that repeats on a busy machine.

python bench/instructions.py [--segments N]

Each metric runs twice under valgrind, scoring the same generated text once and then three times. Half the
difference is one scoring; interpreter, imports and text generation cancel out.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys

import corpora
from contestants import truebleu_corpus

METRICS = ("BLEU", "CHRF", "TER")
SYSTEMS = 5


def main() -> int:
    parser = argparse.ArgumentParser(description="Count instructions a segment with callgrind.")
    parser.add_argument("--segments", type=int, default=500, help="segments scored (default 500)")
    parser.add_argument("--score", nargs=2, metavar=("METRIC", "TIMES"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.score:
        _score(arguments.score[0], int(arguments.score[1]), arguments.segments)
        return 0
    if shutil.which("valgrind") is None:
        print("valgrind is not installed: nothing counted", file=sys.stderr)
        return 0
    print("| metric | instructions a segment |\n|---|---:|")
    for metric in METRICS:
        once, thrice = (_count(metric, times, arguments.segments) for times in (1, 3))
        print(f"| {metric} | {(thrice - once) / 2 / arguments.segments:,.0f} |", flush=True)
    return 0


def _score(metric: str, times: int, segments: int) -> None:
    corpus = corpora.generate(corpora.LATIN, lines=segments // SYSTEMS, systems=SYSTEMS)
    for _ in range(times):
        truebleu_corpus(metric, {}, corpus)


def _count(metric: str, times: int, segments: int) -> int:
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", sys.executable, __file__]
    command += ["--segments", str(segments), "--score", metric, str(times)]
    environment = {**os.environ, "PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    match = re.search(r"Collected : (\d+)", done.stderr)
    if match is None:
        raise RuntimeError(f"callgrind printed no count:\n{done.stderr[-1000:]}")
    return int(match[1])


if __name__ == "__main__":
    sys.exit(main())
