"""Instructions a segment and instructions to start, counted by callgrind: figures that repeat on a busy machine.

python bench/instructions.py [--segments N]    print the figures
python bench/instructions.py --check           compare them with instructions.json; exit 1 where one is too high
python bench/instructions.py --write           record them in instructions.json

Each metric runs under valgrind, scoring the same generated text once and then three times. Half the difference is one
scoring; interpreter, imports and text generation cancel out. Tables of words are keyed anew in each process, which
moves figures by 0.2 %, so this is done three times, and the median counts. What a start costs is counted whole, with
the interpreter's own start in it, when the bytecode of all modules is there already. What the look at texts costs is
the share of instructions that it adds to a command, and to a call, of 2,000 segments.
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
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from typing import Any

import corpora

SQUAD = "squad"  # evaluate's, which takes dicts
METRICS = ("BLEU", "CHRF", "TER", SQUAD)
REAL = " on WMT22"  # of the first English-German system, where the texts are at hand
REAL_METRICS = tuple(metric + REAL for metric in ("BLEU", "CHRF"))
STARTS = {  # what is run for two segments
    "import truebleu": ("-c", "import truebleu; truebleu.corpus_bleu"),  # loads what a first score needs
    "truebleu REF -i SYS": ("-m", "truebleu", "ref.txt", "-i", "sys.txt"),
    "truebleu --help": ("-m", "truebleu", "--help"),
}
SYSTEMS = 5
SEGMENTS = 500
ROUNDS = 3
RECORD = Path(__file__).with_suffix(".json")

# By how much a figure may exceed the record. The same build gave figures 0.7 % apart when it was called by another
# path, because memory then lay differently; patch versions of Python and libc move them as little. A change that
# matters, such as one more pass over the text, costs more than 3 %.
MARGIN = 0.03

# What is run for 2,000 segments, with the look at texts and without it; the share that it may add.
LOOKED_AT = 2000
LOOK = 0.05
CHECKED = {"truebleu REF -i SYS": ("on", "off"), "corpus_score": ("True", "False")}
# What a call took for a segment when that share was set. A look costs the same since counting became faster, and a
# larger share of less is no loss.
COUNTED = 17_349

UNITS = {"instructions": "a segment", "starts": "to start"}

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
    if arguments.score and arguments.score[0] in CHECKED["corpus_score"]:
        _score_checked(arguments.score[0] == "True", int(arguments.score[1]), arguments.segments)
        return 0
    if arguments.score:
        _score(arguments.score[0], int(arguments.score[1]), arguments.segments)
        return 0
    if shutil.which("valgrind") is None:
        print(INSTALL, file=sys.stderr)
        return 1
    found = _here() | {"segments": arguments.segments}
    found |= {"instructions": _count_all(arguments.segments), "starts": _count_starts(), "checks": _count_checks()}
    for kind, unit in UNITS.items():
        print(f"| | instructions {unit} |\n|---|---:|")
        print("".join(f"| {name} | {count:,} |\n" for name, count in found[kind].items()))
    print(f"| | the look at {LOOKED_AT:,} segments adds |\n|---|---:|")
    print("".join(f"| {name} | {share:.1%} |\n" for name, share in found["checks"].items()))
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
    dear = [
        f"{name}: the look at texts adds {share:.1%} to the instructions, {LOOK:.0%} are allowed"
        for name, share in found.get("checks", {}).items()
        if share > LOOK
    ]
    other = "" if found["python"] == record["python"] else f"; the record is of Python {record['python']}"
    return dear + [
        f"{name}: {count:,} instructions {unit}, the record is {record[kind][name]:,} "
        f"and {MARGIN:.0%} more are allowed{other}"
        for kind, unit in UNITS.items()
        for name, count in found[kind].items()
        if count > record[kind][name] * (1 + MARGIN)
    ]


def _here() -> dict[str, Any]:
    return {"python": platform.python_version(), "machine": f"{platform.system()} {platform.machine()}"}


def _score(metric: str, times: int, segments: int) -> None:
    if metric in REAL_METRICS:
        task = corpora.task().head(segments, 1)
        _score_texts(metric.removesuffix(REAL), task.first(), task.references, times)
        return
    corpus = corpora.generate(corpora.LATIN, lines=segments // SYSTEMS, systems=SYSTEMS)
    if metric == SQUAD:
        _score_answers(corpus, times)
        return
    _score_texts(metric, corpus.hypotheses, corpus.references, times)


def _score_texts(metric: str, hypotheses: list[str], references: list[str], times: int) -> None:
    import truebleu

    # What the look at texts adds is counted apart.
    scorer = getattr(truebleu, metric)()
    for _ in range(times):
        scorer.corpus_score(hypotheses, [references], threads=1, checks=False)


def _score_checked(checks: bool, times: int, segments: int) -> None:
    from truebleu import BLEU

    corpus, metric = corpora.generate(corpora.LATIN, lines=segments, systems=1), BLEU()
    for _ in range(times):
        metric.corpus_score(corpus.hypotheses, [corpus.references], checks=checks)


def _score_answers(corpus: corpora.Corpus, times: int) -> None:
    from truebleu.evaluate import load

    pairs = [*zip(corpus.hypotheses, corpus.references, strict=True)]
    predictions = [{"id": str(at), "prediction_text": text} for at, (text, _) in enumerate(pairs)]
    references = [{"id": str(at), "answers": {"text": [text]}} for at, (_, text) in enumerate(pairs)]
    for _ in range(times):
        load(SQUAD).compute(predictions=predictions, references=references)


def _count_all(segments: int) -> dict[str, int]:
    """Instructions a segment for each metric. As many runs as there are cores go on at a time: they do not disturb."""
    metrics = METRICS if corpora.wmt22_folder() is None else METRICS + REAL_METRICS
    runs = [(metric, times) for metric in metrics for times in (1, 3) for _ in range(ROUNDS)]
    counts: dict[tuple[str, int], list[int]] = {run: [] for run in runs}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for run, count in zip(runs, pool.map(lambda run: _count(run[0], run[1], segments), runs), strict=True):
            counts[run].append(count)
    found = {run: median(of_run) for run, of_run in counts.items()}
    return {metric: round((found[metric, 3] - found[metric, 1]) / 2 / segments) for metric in metrics}


def _count_starts() -> dict[str, int]:
    """Instructions of each start. The first run of it, which is not counted, leaves the bytecode."""
    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "ref.txt").write_text("The cat sat on the mat today.\nA dog ran.\n", encoding="utf-8")
        Path(folder, "sys.txt").write_text("The cat sat on a mat today.\nThe dog ran away.\n", encoding="utf-8")
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = str(Path(folder, "bytecode"))
        for name, words in STARTS.items():
            subprocess.run([sys.executable, *words], check=True, capture_output=True, env=environment, cwd=folder)
            counts[name] = counted(words, environment, folder)
    return counts


def _count_checks() -> dict[str, float]:
    """The share of instructions that the look at texts adds to a command and to a call."""
    corpus, counts = corpora.generate(corpora.LATIN, lines=LOOKED_AT, systems=1), dict[str, list[int]]()
    with tempfile.TemporaryDirectory() as folder:
        for name, texts in (("ref.txt", corpus.references), ("sys.txt", corpus.hypotheses)):
            Path(folder, name).write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = str(Path(folder, "bytecode"))
        for checks in CHECKED["truebleu REF -i SYS"]:
            words, environment["TRUEBLEU_CHECKS"] = STARTS["truebleu REF -i SYS"], checks
            subprocess.run([sys.executable, *words], check=True, capture_output=True, env=environment, cwd=folder)
            counts.setdefault("truebleu REF -i SYS", []).append(counted(words, environment, folder))
    for checks in CHECKED["corpus_score"]:
        once, thrice = (_count(checks, times, LOOKED_AT) for times in (1, 3))
        counts.setdefault("corpus_score", []).append((thrice - once) // 2)
    (on, off), (looked, counted_only) = counts["truebleu REF -i SYS"], counts["corpus_score"]
    shares = on / off - 1, (looked - counted_only) / (COUNTED * LOOKED_AT)
    return {name: round(share, 4) for name, share in zip(counts, shares, strict=True)}


def _count(metric: str, times: int, segments: int) -> int:
    words = [__file__, "--segments", str(segments), "--score", metric, str(times)]
    return counted(words, {**os.environ, "OPENBLAS_NUM_THREADS": "1"})


def counted(words: Sequence[str], environment: dict[str, str], folder: str | None = None) -> int:
    """How many instructions a Python program takes."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", sys.executable, *words]
    environment = {**environment, "PYTHONHASHSEED": "0"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment, cwd=folder)
    match = re.search(r"Collected : (\d+)", done.stderr)
    if match is None:
        raise RuntimeError(f"callgrind printed no count:\n{done.stderr[-1000:]}")
    return int(match[1])


if __name__ == "__main__":
    sys.exit(main())
