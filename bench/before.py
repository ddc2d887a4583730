"""Jobs against an earlier build of truebleu, in the same run: `run.py --before DIRECTORY`.

DIRECTORY is the folder of the other build that holds its package `truebleu`, such as `python` of a checkout with its
native module in place; the musts are in times of commit 1984911. Both are asked by turns, each in a process of its own,
for CPU time of one thread.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from report import Goal, Row
from timing import AnswersDiffer, Timing, median_ratio

if TYPE_CHECKING:
    from jobs import Settings

PACKAGE = Path(__file__).resolve().parents[1] / "python"
TITLES = {"BLEU": "BLEU", "CHRF": "chrF"}
SYSTEMS, SEGMENTS, TRIALS = 20, 2_000, 10_000
SHORT, LONG, CHARACTERS = 110, 200_000, 400_000


def all_pairs(metric: str, settings: Settings) -> list[Row]:
    """All pairs of 20 systems from rows, `ar` over segments."""
    ours, theirs = _race(settings, ["pairs", metric], ["pairs", metric], _no_smaller)
    title = f"{TITLES[metric]}, all pairs of {SYSTEMS} systems, in times of the build before"
    return [_row(title, Goal(0.5, 0.25, ceiling=True), ours, theirs, SEGMENTS)]


def long_segments(metric: str, settings: Settings) -> list[Row]:
    """A character in a long segment against one in a short segment before: to make short ones faster does not count."""
    ours, theirs = _race(settings, ["long", metric, str(LONG)], ["long", metric, str(SHORT)], _equal)
    title = f"{TITLES[metric]}, a character of {LONG:,} in times of one of {SHORT} before"
    return [_row(title, Goal(3, 2, ceiling=True), ours, theirs, CHARACTERS)]


JOBS: dict[str, Callable[[Settings], list[Row]]] = {
    **{f"pairs-{metric.lower()}": partial(all_pairs, metric) for metric in TITLES},
    **{f"long-{metric.lower()}": partial(long_segments, metric) for metric in TITLES},
}


def _race(
    settings: Settings, ours: list[str], theirs: list[str], check: Callable[[Any, Any], None]
) -> tuple[Timing, Timing]:
    assert settings.before is not None, "run.py leaves these jobs out without --before"
    seconds = []
    for _ in range(settings.rounds):
        other, mine = _ask(settings.before, theirs), _ask(PACKAGE, ours)
        check(mine["answer"], other["answer"])
        seconds.append((mine["seconds"], other["seconds"]))
    mine, other = (Timing(tuple(rounds)) for rounds in zip(*seconds, strict=True))
    return mine, other


def _ask(folder: Path, words: list[str]) -> Any:
    # Segments are cut by length and no longer fit each other, of which truebleu would warn.
    environment = {
        **os.environ,
        "PYTHONPATH": str(folder.resolve()),
        "PYTHONDONTWRITEBYTECODE": "1",
        "TRUEBLEU_CHECKS": "off",
    }
    command = [sys.executable, __file__, *words]
    return json.loads(subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout)


def _row(title: str, goal: Goal, ours: Timing, theirs: Timing, units: int) -> Row:
    micros = ours.micros(units).best, theirs.micros(units).best
    return Row(title, goal, ours.best / theirs.best, median_ratio(ours, theirs), *micros, f"{units:,}")


def _no_smaller(ours: list[float], theirs: list[float]) -> None:
    """A p-value that counts ties, as it does since they were first counted, is at least the other's."""
    if len(ours) != len(theirs) or any(mine < other for mine, other in zip(ours, theirs, strict=True)):
        raise AnswersDiffer(f"{ours} are not {theirs}")


def _equal(ours: list[float], theirs: list[float]) -> None:
    if ours != theirs:
        raise AnswersDiffer(f"{ours} are not {theirs}")


def main() -> None:
    """Do one job in this process, with the package that is found here, and print what it took."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("job", choices=["pairs", "long"])
    parser.add_argument("metric", choices=TITLES)
    parser.add_argument("length", type=int, nargs="?", default=SHORT)
    wanted = parser.parse_args()
    found = _compared(wanted.metric) if wanted.job == "pairs" else _counted(wanted.metric, wanted.length)
    print(json.dumps(found))


def _compared(name: str) -> dict[str, Any]:
    from corpora import task
    from truebleu import metrics
    from truebleu.significance import compare

    drawn, metric = task().head(SEGMENTS), getattr(metrics, name)()
    real = [*drawn.systems.values()]
    rows = {f"system {at}": {name: metric.stats(_mixed(real, at), [drawn.references])} for at in range(SYSTEMS)}
    call = partial(
        compare, rows, {name: metric}, test="ar", all_pairs=True, n_samples=TRIALS, n_confidence=0, threads=1
    )
    seconds = min(_seconds(call) for _ in range(3))
    return {"seconds": seconds, "answer": [pair.p_value for pair in call().metrics[0].pairs]}


def _mixed(real: list[list[str]], at: int) -> list[str]:
    """The system of that number, or one made of two that there are."""
    if at < len(real):
        return real[at]
    r = random.Random(at)
    one, other = r.sample(real, 2)
    return [r.choice(texts) for texts in zip(one, other, strict=True)]


def _counted(name: str, length: int) -> dict[str, Any]:
    from corpora import LATIN, generate
    from truebleu import metrics

    corpus = generate(LATIN, lines=CHARACTERS // 150, systems=5)
    texts = [" ".join(side)[:CHARACTERS] for side in (corpus.hypotheses, corpus.references)]
    metric = getattr(metrics, name)()

    def score(length: int) -> float:
        ours, theirs = ([text[at : at + length] for at in range(0, CHARACTERS, length)] for text in texts)
        return float(metric.corpus_score(ours, [theirs], threads=1).score)

    seconds = min(_seconds(partial(score, length)) for _ in range(5))
    return {"seconds": seconds, "answer": [score(SHORT), score(LONG)]}


def _seconds(call: Callable[[], Any]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


if __name__ == "__main__":
    main()
