"""Instructions a segment, counted by callgrind: a figure that repeats on a busy machine.

python bench/instructions.py [--segments N]    print the figures
python bench/instructions.py --check           compare them with instructions.json; exit 1 where one is too high
python bench/instructions.py --write           record them in instructions.json

Each metric runs twice under valgrind, scoring the same generated text once and then three times. Half the
difference is one scoring; interpreter, imports and text generation cancel out.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import corpora
from contestants import truebleu_corpus

METRICS = ("BLEU", "CHRF", "TER")
SYSTEMS = 5
SEGMENTS = 500
RECORD = Path(__file__).with_suffix(".json")

# By how much a figure may exceed the record. The same build gave figures 0.7 % apart when it was called by another
# path, because memory then lay differently; patch versions of Python and libc move them as little. A change that
# matters, such as one more pass over the text, costs more than 3 %.
MARGIN = 0.03

INSTALL = (
    "valgrind is not installed, so nothing can be counted; install it with the system's package manager, "
    "for example: apt install valgrind"
)


def main() -> int:
    parser = argparse.ArgumentParser(description="Count instructions a segment with callgrind.")
    parser.add_argument("--segments", type=int, default=SEGMENTS, help=f"segments scored (default {SEGMENTS})")
    task = parser.add_mutually_exclusive_group()
    task.add_argument("--check", action="store_true", help=f"exit 1 where a figure exceeds {RECORD.name}")
    task.add_argument("--write", action="store_true", help=f"record the figures in {RECORD.name}")
    task.add_argument("--score", nargs=2, metavar=("METRIC", "TIMES"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.score:
        _score(arguments.score[0], int(arguments.score[1]), arguments.segments)
        return 0
    if shutil.which("valgrind") is None:
        print(INSTALL, file=sys.stderr)
        return 1
    found = _here() | {"segments": arguments.segments, "instructions": _count_all(arguments.segments)}
    print("| metric | instructions a segment |\n|---|---:|")
    for metric, count in found["instructions"].items():
        print(f"| {metric} | {count:,} |")
    if arguments.write:
        RECORD.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    faults = compare(found, json.loads(RECORD.read_text(encoding="utf-8"))) if arguments.check else []
    print("".join(f"{fault}\n" for fault in faults), end="", file=sys.stderr)
    return 1 if faults else 0


def compare(found: dict[str, Any], record: dict[str, Any]) -> list[str]:
    """What speaks against figures: those that exceed the record by more than the margin, or cannot be compared."""
    for fact in ("machine", "segments"):
        if found[fact] != record[fact]:
            return [f"the record has {fact} {record[fact]}, this run {found[fact]}: the figures cannot be compared"]
    other = "" if found["python"] == record["python"] else f"; the record is of Python {record['python']}"
    return [
        f"{metric}: {count:,} instructions a segment, the record is {record['instructions'][metric]:,} "
        f"and {MARGIN:.0%} more are allowed{other}"
        for metric, count in found["instructions"].items()
        if count > record["instructions"][metric] * (1 + MARGIN)
    ]


def _here() -> dict[str, Any]:
    return {"python": platform.python_version(), "machine": f"{platform.system()} {platform.machine()}"}


def _score(metric: str, times: int, segments: int) -> None:
    corpus = corpora.generate(corpora.LATIN, lines=segments // SYSTEMS, systems=SYSTEMS)
    for _ in range(times):
        truebleu_corpus(metric, {}, corpus)


def _count_all(segments: int) -> dict[str, int]:
    """Instructions a segment for each metric. As many runs as there are cores go on at a time: they do not disturb."""
    runs = [(metric, times) for metric in METRICS for times in (1, 3)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        counts = dict(zip(runs, pool.map(lambda run: _count(run[0], run[1], segments), runs), strict=True))
    return {metric: round((counts[metric, 3] - counts[metric, 1]) / 2 / segments) for metric in METRICS}


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
