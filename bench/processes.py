"""What can only be measured in a process of its own: peak memory, and the time an import takes."""

from __future__ import annotations

import argparse
import compileall
import contextlib
import ctypes
import importlib.util
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import corpora

STATEMENTS = {
    "nothing": "pass",
    "truebleu": "import truebleu; truebleu.corpus_bleu",  # loads what a first score needs
    "sacrebleu": "import sacrebleu",
    "first score": "from truebleu.metrics import BLEU; BLEU().corpus_score(['a b c d'], [['a b c d']])",
}


def import_times(repeats: int) -> dict[str, float]:
    """Median seconds of a fresh interpreter for each statement, taking turns."""
    _compile_package()
    for statement in STATEMENTS.values():
        _interpret(statement)
    seconds: dict[str, list[float]] = {name: [] for name in STATEMENTS}
    for _ in range(repeats):
        for name, statement in STATEMENTS.items():
            seconds[name].append(_interpret(statement))
    return {name: statistics.median(times) for name, times in seconds.items()}


class CommandTimes(NamedTuple):
    """Median seconds of whole processes, and what the commands printed."""

    seconds: dict[str, float]
    outputs: dict[str, str]


def command_times(words: dict[str, list[str]], folder: Path, repeats: int) -> CommandTimes:
    """Run each command line in turn, `repeats` times; the first round only warms the caches of files."""
    _compile_package()
    seconds: dict[str, list[float]] = {name: [] for name in words}
    outputs: dict[str, str] = {}
    environment = {**os.environ, "SACREBLEU_FORMAT": "text"}
    for _ in range(repeats + 1):
        for name, line in words.items():
            start = time.perf_counter()
            done = subprocess.run(
                [sys.executable, *line], cwd=folder, env=environment, check=True, capture_output=True, text=True
            )
            seconds[name].append(time.perf_counter() - start)
            outputs[name] = done.stdout
    return CommandTimes({name: statistics.median(times[1:]) for name, times in seconds.items()}, outputs)


def measure_memory(segments: int, threads: int) -> dict[str, Any]:
    """Run this file as a program and read its answer."""
    command = [sys.executable, __file__, "--segments", str(segments), "--threads", str(threads)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def main() -> None:
    """Score `--segments` pairs and print how far the peak rose above the inputs, in bytes.

    One pair is scored first, so that code and lazy imports are in memory already, and free heap is given
    back, so that scoring cannot hide in it.
    """
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--segments", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    arguments = parser.parse_args()
    from truebleu.metrics import BLEU

    corpus = corpora.load(corpora.LATIN).repeat(arguments.segments)
    BLEU().corpus_score(corpus.hypotheses[:1], [corpus.references[:1]], threads=arguments.threads)
    sizes = _sizes(corpus)
    _trim()
    before = _start_peak()
    score = BLEU().corpus_score(corpus.hypotheses, [corpus.references], threads=arguments.threads).score
    rise = _peak() - before
    print(json.dumps({"score": score, "peak": rise, "left": _sizes(corpus) - sizes}))


def _compile_package() -> None:
    """Write the bytecode of our modules, as pip does for any package that it installs: a checkout may have none."""
    package = importlib.util.find_spec("truebleu")
    for folder in (package.submodule_search_locations or []) if package else []:
        compileall.compile_dir(folder, quiet=1)


def _interpret(statement: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True)
    return time.perf_counter() - start


def _sizes(corpus: corpora.Corpus) -> int:
    """Bytes of all strings. A string that caches its UTF-8 grows, and `getsizeof` counts it."""
    return sum(map(sys.getsizeof, corpus.hypotheses)) + sum(map(sys.getsizeof, corpus.references))


def _trim() -> None:
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)


def _start_peak() -> int:
    """Set the peak back to what is resident now, where the system can, and return it."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return _peak()


def _peak() -> int:
    status = Path("/proc/self/status")
    if status.exists():
        fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(fields["VmHWM"].split()[0]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


if __name__ == "__main__":
    main()
