"""Do the significance tests keep their level? Measured on pairs made from real translations.

python bench/calibration.py [--pairs N] [--write]

A null pair is made from two systems by swapping a random half of the segments between them: which system a segment came
from is then a matter of chance, and every claim of a difference is a false one. A test at level 0.05 should make such
claims 5 % of the time. Power is the share of claims on the systems as they are.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, cycle, islice
from pathlib import Path
from typing import Any

import numpy as np

from corpora import needed_wmt22, read
from truebleu.metrics import BLEU, CHRF
from truebleu.resample.bootstrap import bootstrap_p_value, resampled_scores, two_sided_p_value
from truebleu.resample.randomization import randomize
from truebleu.resample.seed import Seed
from truebleu.significance.sign import sign_test
from truebleu.stats import Stats

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "calibration.md"
LEVELS = (0.01, 0.05, 0.10)
SAMPLES = 1000
SEGMENTS = 1000
BLOCK = 10
TASKS = (("en-de", "A"), ("uk-en", "A"))
METRICS: dict[str, Any] = {"BLEU": BLEU(), "chrF": CHRF()}
TESTS = {
    "ar": "approximate randomization (`ar`)",
    "bs2": "two-sided bootstrap (`bs2`), centred by the mean",
    "bs2-observed": "the same, centred by the observed difference",
    "bs": "sacreBLEU's bootstrap (`bs`)",
    "sign": "sign test (`sign`)",
}

Rows = dict[str, np.ndarray[Any, np.dtype[np.float64]]]
Found = dict[tuple[str, str], list[float]]


@dataclass(frozen=True)
class Systems:
    """Two systems of one task, counted with every metric."""

    one: Rows
    other: Rows

    @property
    def segments(self) -> int:
        return len(next(iter(self.one.values())))

    def select(self, segments: Any) -> Systems:
        return self._map(lambda rows: rows[segments])

    def swapped(self, stays: Any) -> Systems:
        """Segments that do not stay change sides."""
        keep = stays[:, None]
        one = {key: np.where(keep, self.one[key], self.other[key]) for key in self.one}
        other = {key: np.where(keep, self.other[key], self.one[key]) for key in self.one}
        return Systems(one, other)

    def merged(self) -> Systems:
        """Rows of blocks in the place of rows of segments."""
        return self._map(lambda rows: rows.reshape(-1, BLOCK, rows.shape[1]).sum(axis=1))

    def _map(self, change: Any) -> Systems:
        return Systems(*({key: change(rows) for key, rows in side.items()} for side in (self.one, self.other)))


def main() -> int:
    arguments = _parse()
    pairs = list(_pairs())
    count = arguments.pairs
    null = _measure(pairs, count, "null", _null)
    power = _measure(pairs, count, "power", _as_it_is)
    blocks = _measure(pairs, count, "blocks", _null_by_block)
    merged = _measure(pairs, count, "blocks", lambda drawn, rng: _null_by_block(drawn, rng).merged())
    text = _document(count, len(pairs), null, power, blocks, merged)
    print(text)
    if arguments.write:
        DOCUMENT.write_text(text + "\n", encoding="utf-8")
    return 0


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure type I error and power of the significance tests.")
    parser.add_argument("--pairs", type=int, default=5000, metavar="N", help="pairs of each kind (default: 5000)")
    parser.add_argument("--write", action="store_true", help="write docs/calibration.md")
    return parser.parse_args()


def _pairs() -> Iterator[Systems]:
    folder = needed_wmt22()
    for task, reference in TASKS:
        lang = task.split("-")[1]
        texts = read(folder / "references" / f"generaltest2022.{task}.ref.{reference}.{lang}.gz")
        paths = sorted((folder / "system-outputs").glob(f"generaltest2022.{task}.hyp.*.{lang}.gz"))
        systems = [read(path) for path in paths]
        counted = [{key: metric.stats(system, [texts]).rows for key, metric in METRICS.items()} for system in systems]
        yield from (Systems(*two) for two in combinations(counted, 2))


def _null(drawn: Systems, rng: np.random.Generator) -> Systems:
    return drawn.swapped(rng.random(drawn.segments) < 0.5)


def _null_by_block(drawn: Systems, rng: np.random.Generator) -> Systems:
    return drawn.swapped(np.repeat(rng.random(drawn.segments // BLOCK) < 0.5, BLOCK))


def _as_it_is(drawn: Systems, rng: np.random.Generator) -> Systems:
    return drawn


def _measure(pairs: list[Systems], count: int, kind: str, make: Any) -> Found:
    """The p-values of all tests on `count` pairs: 1,000 segments of two systems, in blocks that follow one another."""
    found: Found = {(test, metric): [] for test in TESTS for metric in METRICS}
    for at, systems in enumerate(islice(cycle(pairs), count)):
        rng = np.random.default_rng([at, *kind.encode()])
        starts = rng.choice(systems.segments // BLOCK, size=SEGMENTS // BLOCK, replace=False) * BLOCK
        drawn = systems.select((starts[:, None] + np.arange(BLOCK)).ravel())
        for key, p_value in _test(make(drawn, rng), Seed.of(at)).items():
            found[key].append(p_value)
    return found


def _test(systems: Systems, seed: Seed) -> dict[tuple[str, str], float]:
    tables = [(metric.engine, side[key]) for key, metric in METRICS.items() for side in (systems.one, systems.other)]
    shuffled = randomize(tables, [([0], [1]), ([2], [3])], SAMPLES, seed)
    resampled = resampled_scores(tables, SAMPLES, seed)
    found = {}
    for at, (key, metric) in enumerate(METRICS.items()):
        a, b = resampled[2 * at : 2 * at + 2]
        gap = _score(metric, systems.other[key]) - _score(metric, systems.one[key])
        strayed = int((abs(b - a - gap) >= abs(gap)).sum())
        found["ar", key] = shuffled[at].p_value
        found["bs2", key] = two_sided_p_value(a, b, gap)
        found["bs2-observed", key] = (strayed + 1) / (SAMPLES + 1)
        found["bs", key] = bootstrap_p_value(a, b, gap)
        one, other = (_stats(metric, side[key]) for side in (systems.one, systems.other))
        found["sign", key] = sign_test(one, other, metric).p_value
    return found


def _score(metric: Any, rows: Any) -> float:
    return float(metric.score(_stats(metric, rows)).score)


def _stats(metric: Any, rows: Any) -> Stats:
    return Stats(rows.copy(), metric.columns, metric.fingerprint(), (1, 1))


def _document(count: int, pairs: int, null: Found, power: Found, blocks: Found, merged: Found) -> str:
    spread = 100 * (0.05 * 0.95 / count) ** 0.5
    return f"""# Do the tests keep their level?

A test at level 0.05 may find a difference where there is none, 5 % of the time and not more. Here this is measured, on
pairs of systems that differ by chance alone: {SEGMENTS:,} segments of two systems of WMT22 (English-German and
Ukrainian-English, {pairs} pairs of systems in turn), with a random half of the segments swapped between the two. Each
figure is the share of {count:,} such pairs that a test with {SAMPLES:,} resamples or shuffles calls different.
One standard error at 5 % is {spread:.1f} points.

```sh
python bench/calibration.py --pairs {count} --write    # the same seeds, the same figures
```

## What to use

- **`ar`**, approximate randomization, keeps its level. Pairs made by swapping are the very case it reckons with, so its
  row in the first table checks the program rather than the idea.
- **`bs2`**, the two-sided bootstrap, keeps it too, and gives means and intervals with the same resamples.
- **`bs`** is there to repeat sacreBLEU's figures. It makes more than twice as many false claims as its level says,
  because it compares absolute differences, centred by their mean, with the observed one: in effect it counts one tail.
  What it has in power over the others is bought with these.
- **`sign`** asks another question: not by how much the score differs but in how many segments one system is ahead. It
  keeps its level for that question, and has power where many small gains stand against few large losses.
- With **documents**, pass them: where the segments of a document stand or fall together, tests that take segments for
  independent make too many false claims (last table).

## False claims, in per cent

{_table(null)}

## Power: claims on the systems as they are, in per cent

{_table(power)}

## Documents

The same as the first table, but blocks of {BLOCK} segments that follow one another are swapped whole, as if they were
documents on which one system happens to do well. (The real documents are not in the data at hand.) The first table
resamples segments, the second blocks (`documents=`).

Segments:

{_table(blocks, ("ar", "bs2", "bs"))}

Blocks:

{_table(merged, ("ar", "bs2", "bs"))}"""


def _table(found: Found, tests: tuple[str, ...] = tuple(TESTS)) -> str:
    heads = [f"{metric}, level {level:.2f}" for metric in METRICS for level in LEVELS]
    lines = [["test", *heads], ["---", *("---:" for _ in heads)]]
    for test in tests:
        shares = [_share(found[test, metric], level) for metric in METRICS for level in LEVELS]
        lines.append([TESTS[test], *shares])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _share(p_values: list[float], level: float) -> str:
    return f"{100 * sum(p_value <= level for p_value in p_values) / len(p_values):.1f}"


if __name__ == "__main__":
    sys.exit(main())
