"""How large receipts are, how long they take, and whether tests from them give the numbers of texts.

    python bench/receipts.py [--check] [--pairs N]

On WMT22, all 61 systems of six directions. The answers are asserted before anything is shown: every receipt holds on
all four levels, and for all pairs of systems of a direction (or N of each) p-values, intervals, breakdowns and the sign
test are equal with ==. `--check` exits 1 if a bar is missed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from corpora import needed_wmt22
from reconcile import DIRECTIONS, lines
from truebleu import BLEU, CHRF, TER, Receipt
from truebleu.significance import breakdown, compare

TOKENIZERS = {"zh": "zh", "ja": "char"}
LARGEST, LARGEST_EN_DE, MOST_SECONDS, MOST_TIMES = 100_000, 40_000, 1.0, 2.0


class Direction(NamedTuple):
    """The texts of one language pair, and a receipt of each system."""

    name: str
    references: list[list[str]]
    systems: dict[str, list[str]]
    receipts: dict[str, Receipt]

    @property
    def metrics(self) -> list[Any]:
        """The three metrics, with the tokenizer of the language."""
        return metrics_of(self.name)


def metrics_of(name: str) -> list[Any]:
    """Make the metrics of a direction."""
    return [BLEU(tokenize=TOKENIZERS.get(name.split("-")[1], "13a")), CHRF(), TER()]


def load(name: str, folder: Path) -> Direction:
    """Read a direction, make its receipts, and assert that they hold."""
    references = [lines(path) for path in sorted((folder / "references").glob(f"*.{name}.ref.*"))][:1]
    paths = sorted((folder / "system-outputs").glob(f"*.{name}.hyp.*"))
    systems = {path.name.split(".hyp.")[1].rsplit(".", 2)[0]: lines(path) for path in paths}
    receipts = {key: Receipt.make(texts, references, metrics_of(name), system=key) for key, texts in systems.items()}
    for key, receipt in receipts.items():
        found = receipt.verify(references, systems[key])
        assert found.levels == {1: True, 2: True, 3: True, 4: True}, (name, key, found)
    return Direction(name, references, systems, receipts)


def assert_equal(direction: Direction, pairs: int | None) -> int:
    """Compare what receipts give with what texts give; returns how many pairs were compared."""
    chosen = list(combinations(direction.systems, 2))[:pairs]
    groups = [at // 20 for at in range(len(direction.references[0]))]
    for one, other in chosen:
        for test in ("ar", "bs2", "bs", "sign"):
            how: dict[str, Any] = {"test": test, "n_samples": 100, "n_confidence": 100 if test == "ar" else 0}
            texts = {key: direction.systems[key] for key in (one, other)}
            held = {key: direction.receipts[key] for key in (one, other)}
            from_texts = compare(texts, direction.metrics, direction.references, **how)
            assert from_texts == compare(held, direction.metrics, **how), (direction.name, one, other, test)
    for key, output in direction.systems.items():
        for metric in direction.metrics:
            rows = (metric.stats(output, direction.references), direction.receipts[key].stats[metric.name])
            expected, found = (breakdown(metric, stats, groups, n_bootstrap=20) for stats in rows)
            assert expected == found, (direction.name, key, metric.name)
    return len(chosen)


def best(work: Callable[[], object], times: int = 5) -> float:
    """The shortest processor time of a few runs, in seconds, with the processes that they start."""
    found = []
    for _ in range(times):
        start = time.process_time() + sum(os.times()[2:4])
        work()
        found.append(time.process_time() + sum(os.times()[2:4]) - start)
    return min(found)


def cold_verify(direction: Direction) -> float:
    """The processor time of a whole process that verifies a receipt of some 2,000 segments under three metrics."""
    with tempfile.TemporaryDirectory() as folder:
        path, reference = Path(folder, "x.receipt.json"), Path(folder, "ref.txt")
        next(iter(direction.receipts.values())).save(path)
        reference.write_text("".join(f"{line}\n" for line in direction.references[0]), "utf-8")
        words = [sys.executable, "-m", "truebleu", "receipt", "verify", str(path)]
        return best(lambda: subprocess.run(words, check=True, capture_output=True), 3)


def times_of_scoring(direction: Direction) -> tuple[float, float]:
    """How many times as long making a receipt takes as scoring: the commands, and the calls within a process.

    The command that scores loads no NumPy, which takes longer than all the rest; so the bar is about the calls.
    """
    texts = next(iter(direction.systems.values()))

    def score() -> None:
        for metric in direction.metrics:
            metric.corpus_score(texts, direction.references, threads=1)

    def make() -> None:
        Receipt.make(texts, direction.references, direction.metrics, threads=1)

    with tempfile.TemporaryDirectory() as folder:
        for name, segments in (("ref.txt", direction.references[0]), ("sys.txt", texts)):
            Path(folder, name).write_text("".join(f"{line}\n" for line in segments), "utf-8")
        words = ["ref.txt", "-i", "sys.txt", "-m", "bleu", "chrf", "ter"]

        def run(*more: str) -> None:
            command = [sys.executable, "-m", "truebleu", *more]
            subprocess.run(command, cwd=folder, check=True, capture_output=True)

        made = best(lambda: run("receipt", "make", *words, "--force"))
        scored = best(lambda: run(*words))
    return made / scored, best(make, 20) / best(score, 20)


def main() -> int:
    """Show the table; with --check, say whether all bars are kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--pairs", type=int, metavar="N")
    args = parser.parse_args()
    directions = [load(name, needed_wmt22()) for name in DIRECTIONS]
    print("| direction | systems | segments | smallest | largest | pairs compared |\n|---|---:|---:|---:|---:|---:|")
    sizes = {}
    for one in directions:
        sizes[one.name] = [len(receipt.content) for receipt in one.receipts.values()]
        compared = assert_equal(one, args.pairs)
        row = (one.name, len(one.systems), len(one.references[0]), min(sizes[one.name]), max(sizes[one.name]), compared)
        print(f"| {' | '.join(f'{cell:,}' if isinstance(cell, int) else cell for cell in row)} |")
    en_de = next(one for one in directions if one.name == "en-de")
    seconds, (times, within) = cold_verify(en_de), times_of_scoring(en_de)
    print(f"\n`receipt verify`, whole process: {seconds:.2f} s. `receipt make`: {times:.2f} times as long as scoring;")
    print(f"within a process, `Receipt.make` takes {within:.2f} times as long as `corpus_score` of the metrics.")
    largest = max(map(max, sizes.values()))
    kept = largest <= LARGEST and max(sizes["en-de"]) <= LARGEST_EN_DE
    return int(args.check and not (kept and seconds < MOST_SECONDS and within < MOST_TIMES))


if __name__ == "__main__":
    sys.exit(main())
