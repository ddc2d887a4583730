"""All pairs of 20 systems from rows, `ar` over segments, against another build of truebleu: `all_pairs.py DIRECTORY`.

DIRECTORY is the folder of the other build that holds its package `truebleu`, such as `python` of a checkout with its
native module in place. Both are asked by turns, each in a process of its own, for CPU time; a p-value that counts ties,
as it does since they were first counted, is at least the other's.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SYSTEMS, SEGMENTS, TRIALS = 20, 2_000, 10_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", type=Path, help="the folder with the other package")
    parser.add_argument("--rounds", type=int, default=5)
    wanted = parser.parse_args()
    for metric in ("BLEU", "CHRF"):
        ratios, seconds = [], []
        for _ in range(wanted.rounds):
            theirs, ours = (_ask(folder, metric) for folder in (wanted.other, HERE.parent / "python"))
            _check(theirs["p_values"], ours["p_values"])
            ratios.append(ours["seconds"] / theirs["seconds"])
            seconds.append((ours["seconds"], theirs["seconds"]))
        ours, theirs = (1000 * min(times) for times in zip(*seconds, strict=True))
        print(f"{metric}: {statistics.median(ratios):.3f} of the other's time ({ours:.1f} and {theirs:.1f} ms at best)")


def _ask(folder: Path, metric: str) -> Any:
    environment = {**os.environ, "PYTHONPATH": str(folder.resolve()), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, __file__, "--inside", metric]
    return json.loads(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)


def _check(theirs: list[float], ours: list[float]) -> None:
    if len(theirs) != len(ours) or any(mine < other for mine, other in zip(ours, theirs, strict=True)):
        raise SystemExit(f"{ours} are not {theirs}")


def _inside(name: str) -> None:
    """Time one comparison, the second of a process."""
    from corpora import task
    from truebleu import metrics
    from truebleu.significance import compare

    drawn = task().head(SEGMENTS)
    metric = getattr(metrics, name)()
    real = [*drawn.systems.values()]
    rows = {f"system {at}": {name: metric.stats(_mixed(real, at), [drawn.references])} for at in range(SYSTEMS)}
    times = []
    for _ in range(3):
        start = time.process_time()
        found = compare(rows, {name: metric}, test="ar", all_pairs=True, n_samples=TRIALS, n_confidence=0, threads=1)
        times.append(time.process_time() - start)
    p_values = [pair.p_value for pair in found.metrics[0].pairs]
    print(json.dumps({"seconds": min(times), "p_values": p_values}))


def _mixed(real: list[list[str]], at: int) -> list[str]:
    """The system of that number, or one made of two that there are."""
    if at < len(real):
        return real[at]
    r = random.Random(at)
    one, other = r.sample(real, 2)
    return [r.choice(texts) for texts in zip(one, other, strict=True)]


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        _inside(sys.argv[2])
    else:
        main()
