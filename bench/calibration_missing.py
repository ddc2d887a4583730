"""How often are tests wrong where scores of people are missing? Measured on MQM scores of WMT23.

python bench/calibration_missing.py [--pairs 1500] [--write]

A null is a pair of systems whose scores are swapped on a random half of the segments; then scores are taken away, and
`compare` is asked, as a user asks it. The scores are not part of this repository: they are looked for where the tests
look for real texts (`people/wmt23`). `--write` keeps the figures in `calibration_missing.json`, from which the table in
`docs/significance.md` is copied; a test compares the two.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpora import data_folder
from truebleu._logs import silenced
from truebleu.errors import TooFew
from truebleu.metrics.external import ExternalMetric
from truebleu.significance.comparison import compare

SEED = 12345
ITEMS = 400
TRIALS = 1000
LEVEL = 0.05
RECORD = Path(__file__).with_suffix(".json")
REFERENCES = ("refA", "refB")

Cells = NDArray[np.float64]
Draw = np.random.Generator


def scores_of(pair: str) -> Cells:
    """Systems by segments, of the segments that people have scored for all systems."""
    folder = data_folder()
    if folder is None or not (folder / "people").is_dir():
        raise SystemExit("no scores of people at hand: name a folder with people/wmt23 in TRUEBLEU_TEST_DATA")
    by_system: dict[str, list[float]] = {}
    with gzip.open(folder / "people" / "wmt23" / "human-scores" / f"{pair}.mqm.seg.score.gz", "rt") as lines:
        for line in lines:
            name, score = line.split()
            by_system.setdefault(name, []).append(math.nan if score == "None" else float(score))
    cells = np.array([scores for name, scores in by_system.items() if name not in REFERENCES])
    return cells[:, ~np.isnan(cells).any(axis=0)]


# Ways to lose scores: which cells are left. The pair under test is the first two systems.


def nothing(cells: Cells, draw: Draw) -> NDArray[np.bool_]:
    """Lose nothing."""
    return np.ones(cells.shape, np.bool_)


def at_random(cells: Cells, draw: Draw) -> NDArray[np.bool_]:
    """Lose 40 % of the cells at random."""
    return draw.random(cells.shape) >= 0.4


def three(cells: Cells, draw: Draw) -> NDArray[np.bool_]:
    """Keep three random systems of each segment."""
    return draw.random(cells.shape).argsort(axis=0).argsort(axis=0) < 3


def dynamic(cells: Cells, draw: Draw) -> NDArray[np.bool_]:
    """Score three systems of each segment: those with the fewest scores, from 20 on random ones of the best third."""
    left, third = np.zeros(cells.shape, np.bool_), max(3, len(cells) // 3)
    for item in range(cells.shape[1]):
        counts = left.sum(axis=1)
        if counts.min() < 20:
            chosen = np.lexsort((draw.random(len(cells)), counts))[:3]
        else:
            means = np.where(left, cells, 0).sum(axis=1) / counts
            chosen = draw.permutation(np.argsort(-means)[:third])[:3]
        left[chosen, item] = True
    return left


def hard(cells: Cells, draw: Draw) -> NDArray[np.bool_]:
    """Lose 70 % of the harder half of the first system."""
    left = nothing(cells, draw)
    hardness = cells[2:].mean(axis=0)
    left[0, (hardness < np.median(hardness)) & (draw.random(cells.shape[1]) < 0.7)] = False
    return left


WAYS: dict[str, Callable[[Cells, Draw], NDArray[np.bool_]]] = {
    "nothing": nothing, "40 % at random": at_random, "3 systems per segment": three, "dynamic": dynamic,
    "one system lacks hard ones": hard,
}  # fmt: skip
RULES: dict[str, dict[str, Any]] = {
    "pairs": {"missing": "pairs"}, "fit": {"missing": "fit", "assignment": "random"},
}  # fmt: skip


def claimed(cells: Cells, left: NDArray[np.bool_], rule: str, seed: int) -> bool:
    """Ask `compare` whether the first two systems differ."""
    kept = np.where(left, cells, np.nan)
    given = {f"s{at}": row for at, row in enumerate(kept if rule == "fit" else kept[:2])}
    metric = ExternalMetric("MQM", higher_is_better=True)
    try:
        report = compare(
            given, metric, n_samples=TRIALS, n_confidence=0, correction=None, seed=seed, threads=1, checks=False,
            **RULES[rule],
        )  # fmt: skip
    except TooFew:
        return False
    return report.metrics[0].pairs[0].p_value <= LEVEL


def measured(pair: str, way: str, pairs: int) -> dict[str, float]:
    """Count false claims and true ones of both rules, in per cent."""
    cells, draw = scores_of(pair), np.random.default_rng([SEED, *way.encode(), *pair.encode()])
    counts = {f"{rule} {kind}": 0 for rule in RULES for kind in ("false", "power")}
    for at in range(pairs):
        some = cells[draw.permutation(len(cells))][:, draw.permutation(cells.shape[1])[:ITEMS]]
        null = some.copy()
        swapped = draw.random(ITEMS) < 0.5
        null[:2, swapped] = null[1::-1, swapped]
        for kind, given in (("false", null), ("power", some)):
            left = WAYS[way](given, draw)
            for rule in RULES:
                counts[f"{rule} {kind}"] += claimed(given, left, rule, at)
    return {key: round(100 * count / pairs, 1) for key, count in counts.items()}


def main() -> None:
    """Measure, show, and keep what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=1500)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    found: dict[str, Any] = {"pairs": args.pairs, "seed": SEED, "items": ITEMS}
    with silenced():
        for way in WAYS:
            for pair in ("he-en", "zh-en"):
                found[f"{way}, {pair}"] = figures = measured(pair, way, args.pairs)
                print(f"{way}, {pair}: {figures}", flush=True)
    if args.write:
        RECORD.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
