"""Do the significance tests keep their level, and do intervals cover? Measured on real translations of real documents.

python bench/units.py [--nulls N] [--only NAME ...]

Every experiment asks `compare`, as a user does, by segments and by documents, and prints its figures as JSON. The seed
was chosen before the first run, and all draws follow from it.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations, cycle, islice, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpora import documented
from truebleu.metrics import BLEU, CHRF
from truebleu.significance.comparison import compare
from truebleu.significance.results import Comparison
from truebleu.stats import Stats

SEED = 12345
TRIALS = 1000
LEVELS = (0.01, 0.05, 0.10)
NEAR = 0.5  # points between two systems that are nearly equal
METRICS: dict[str, Any] = {"BLEU": BLEU(), "chrF": CHRF()}
TESTS = ("ar", "bs2", "bs", "sign")
SIZES = (6, 8, 12, 16, 20, 30, 50)  # documents

Rows = NDArray[np.float64]
Figures = dict[str, Any]


@dataclass(frozen=True)
class Task:
    """A test set: the document of each segment, and the rows of each system under each metric."""

    name: str
    labels: NDArray[np.int64]
    rows: dict[str, list[Rows]]
    seed: int = SEED  # of the trials

    @property
    def systems(self) -> int:
        return len(self.rows["BLEU"])

    @property
    def documents(self) -> int:
        return int(self.labels.max()) + 1

    def pick(self, *systems: int) -> Task:
        return replace(self, rows={key: [rows[at] for at in systems] for key, rows in self.rows.items()})

    def scores(self, metric: str) -> list[float]:
        return [float(METRICS[metric].score(_stats(metric, rows)).score) for rows in self.rows[metric]]

    def shuffled(self, rng: np.random.Generator, by_document: bool) -> Task:
        """Give each segment, or document, to the systems in an order of its own: they then differ by chance alone."""
        units = self.documents if by_document else len(self.labels)
        order = np.argsort(rng.random((units, self.systems)), axis=1)
        order = order[self.labels] if by_document else order
        lines = np.arange(len(self.labels))
        moved = {}
        for key, rows in self.rows.items():
            stacked = np.stack(rows)
            moved[key] = [stacked[order[:, at], lines] for at in range(self.systems)]
        return replace(self, rows=moved, seed=int(rng.integers(2**32)))

    def drawn(self, rng: np.random.Generator, documents: int) -> Task:
        """Draw documents with replacement: another set of the same kind."""
        chosen = rng.integers(self.documents, size=documents)
        places = [np.flatnonzero(self.labels == document) for document in chosen]
        lines = np.concatenate(places)
        labels = np.repeat(np.arange(documents), [len(place) for place in places])
        return self._of(lines, labels, int(rng.integers(2**32)))

    def segments(self, rng: np.random.Generator, count: int) -> Task:
        """Take some of the segments, at random."""
        lines = np.sort(rng.choice(len(self.labels), size=min(count, len(self.labels)), replace=False))
        _, labels = np.unique(self.labels[lines], return_inverse=True)
        return self._of(lines, labels, int(rng.integers(2**32)))

    def _of(self, lines: Any, labels: Any, seed: int) -> Task:
        return Task(self.name, labels, {key: [one[lines] for one in rows] for key, rows in self.rows.items()}, seed)


def _stats(metric: str, rows: Rows) -> Stats:
    return Stats(rows.copy(), METRICS[metric].columns, METRICS[metric].fingerprint(), (1, 1))


def ask(task: Task, test: str, by_document: bool, **more: Any) -> Comparison:
    """Compare the systems of a task, as a user does."""
    systems = {
        f"system {at}": {key: _stats(key, rows[at]) for key, rows in task.rows.items()} for at in range(task.systems)
    }
    more.setdefault("n_samples", None if test == "sign" else TRIALS)
    documents = task.labels.tolist() if by_document else None
    return compare(systems, METRICS, test=test, documents=documents, seed=task.seed, threads=1, **more)


def p_values(task: Task, test: str, by_document: bool) -> dict[str, float]:
    """The p-value of the only pair, under each metric."""
    return {metric.key: metric.pairs[0].p_value for metric in ask(task, test, by_document).metrics}


def near_pairs(tasks: list[Task]) -> list[Task]:
    """Pairs of systems that are less than half a point apart, under both metrics."""
    found = []
    for task in tasks:
        scores = [task.scores(metric) for metric in METRICS]
        for a, b in combinations(range(task.systems), 2):
            if all(abs(one[a] - one[b]) < NEAR for one in scores):
                found.append(task.pick(a, b))
    return found


def equal_pairs(tasks: list[Task]) -> list[tuple[str, Task]]:
    """Unlike systems with the same score: whole documents of the better one are those of the worst, until they meet.

    Which is not to be had by swapping: one of the two is good and bad by turns.
    """
    found = []
    for number, task in enumerate(tasks):
        for metric in METRICS:
            order = np.argsort(task.scores(metric))
            worst, *others = [int(at) for at in order]
            for a, b in list(combinations(others, 2))[::3]:
                rng = np.random.default_rng([SEED, number, a, b])
                mixed = _mixed(task, metric, a, b, worst, rng)
                if mixed is not None:
                    found.append((metric, mixed))
    return found


def _mixed(task: Task, metric: str, lower: int, higher: int, worst: int, rng: np.random.Generator) -> Task | None:
    pair, goal = task.pick(higher, worst), task.scores(metric)[lower]
    documents = rng.permutation(task.documents)

    def with_first(count: int) -> dict[str, Rows]:
        bad = np.isin(task.labels, documents[:count])[:, None]
        return {key: np.where(bad, rows[1], rows[0]) for key, rows in pair.rows.items()}

    low, high = 0, task.documents
    while high - low > 1:  # the score falls, nearly always, with each document
        middle = (low + high) // 2
        score = float(METRICS[metric].score(_stats(metric, with_first(middle)[metric])).score)
        low, high = (middle, high) if score > goal else (low, middle)
    made = Task(task.name, task.labels, {key: [task.rows[key][lower], rows] for key, rows in with_first(low).items()})
    one, other = made.scores(metric)
    return made if abs(one - other) < 0.05 else None


def shares(found: dict[str, list[float]]) -> dict[str, list[float]]:
    """For each metric the share of p-values up to each level, in per cent."""
    return {
        key: [round(100 * float(np.mean([p <= level for p in each])), 2) for level in LEVELS]
        for key, each in found.items()
    }


def claims(nulls: Iterator[Task], test: str, by_document: bool) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {metric: [] for metric in METRICS}
    for null in nulls:
        for metric, p_value in p_values(null, test, by_document).items():
            found[metric].append(p_value)
    return shares(found)


def _numbered(pairs: list[Any], count: int, name: str) -> Iterator[tuple[np.random.Generator, Any]]:
    for at, one in enumerate(islice(cycle(pairs), count)):
        yield np.random.default_rng([SEED, at, *name.encode()]), one


def segment_nulls(tasks: list[Task], nulls: int) -> Figures:
    """A random half of 1,000 segments is swapped between two systems: segments are independent here."""
    pairs = [task.pick(a, b) for task in tasks for a, b in combinations(range(task.systems), 2)]

    def made() -> Iterator[Task]:
        for rng, pair in _numbered(pairs, nulls, "segments"):
            yield pair.segments(rng, 1000).shuffled(rng, by_document=False)

    return {"pairs": len(pairs), "nulls": nulls, "tests": {test: claims(made(), test, False) for test in TESTS}}


def document_nulls(tasks: list[Task], nulls: int) -> Figures:
    """Whole documents are swapped between systems that are nearly equal."""
    pairs = near_pairs(tasks)

    def made() -> Iterator[Task]:
        return (pair.shuffled(rng, by_document=True) for rng, pair in _numbered(pairs, nulls, "documents"))

    return {
        "pairs": len(pairs),
        "nulls": nulls,
        "segments": {test: claims(made(), test, False) for test in TESTS},
        "documents": {test: claims(made(), test, True) for test in TESTS},
    }


def unlike_nulls(tasks: list[Task], nulls: int) -> Figures:
    """Unlike systems with the same score in the population, of which documents are drawn."""
    pairs = equal_pairs(tasks)
    found: dict[str, dict[str, dict[str, list[float]]]] = {}
    for kind, by_document in (("segments", False), ("documents", True)):
        for test in ("ar", "bs2", "bs"):
            values: dict[str, list[float]] = {metric: [] for metric in METRICS}
            for rng, (metric, pair) in _numbered(pairs, nulls, "unlike"):
                values[metric].append(p_values(pair.drawn(rng, pair.documents), test, by_document)[metric])
            found.setdefault(kind, {})[test] = shares(values)
    return {"pairs": len(pairs), "nulls": nulls, **found}


def few_documents(tasks: list[Task], nulls: int) -> Figures:
    """Few documents of nearly equal systems, swapped whole; and intervals of sets of that size."""
    pairs, found = near_pairs(tasks), {}
    for size in SIZES:

        def made(size: int = size) -> Iterator[Task]:
            for rng, pair in _numbered(pairs, nulls, f"few {size}"):
                yield pair.drawn(rng, size).shuffled(rng, by_document=True)

        found[str(size)] = claims(made(), "ar", True)
    return {"pairs": len(pairs), "nulls": nulls, "sizes": found}


def coverage(tasks: list[Task], nulls: int) -> Figures:
    """How often the 95 % interval of documents drawn from a set holds the score, or difference, of the whole set."""
    pairs = [task.pick(a, b) for task in tasks for a, b in combinations(range(task.systems), 2)]
    truths = [{metric: pair.scores(metric) for metric in METRICS} for pair in pairs]
    found: Figures = {}
    for size in SIZES:
        for kind, by_document in (("segments", False), ("documents", True)):
            inside: dict[str, list[bool]] = {
                f"{metric}, {what}": [] for metric in METRICS for what in ("score", "delta")
            }
            for rng, (pair, truth) in _numbered(list(zip(pairs, truths, strict=True)), nulls, f"coverage {size}"):
                said = ask(pair.drawn(rng, size), "ar", by_document, n_samples=1, n_confidence=TRIALS)
                for metric in said.metrics:
                    first, delta = metric.systems[0], metric.pairs[0].interval
                    one, other = truth[metric.key]
                    if first.interval is not None:
                        mean, half = first.interval
                        inside[f"{metric.key}, score"].append(abs(one - mean) <= half)
                    if delta is not None:
                        inside[f"{metric.key}, delta"].append(delta[0] <= other - one <= delta[1])
            shown = {key: round(100 * float(np.mean(each)), 1) if each else None for key, each in inside.items()}
            found.setdefault(str(size), {})[kind] = shown
    return {"pairs": len(pairs), "nulls": nulls, "sizes": found}


def power(tasks: list[Task], nulls: int) -> Figures:
    """Claims on systems as they are, by the size of the difference: documents are drawn, about 1,000 segments."""
    pairs = [task.pick(a, b) for task in tasks for a, b in combinations(range(task.systems), 2)]
    edges = (0.1, 0.3, 0.6, 1.2, 2.4)
    found: Figures = {}
    for kind, by_document in (("segments", False), ("documents", True)):
        for test in TESTS:
            values: dict[str, dict[str, list[float]]] = {
                f"{low} to {high}": {m: [] for m in METRICS} for low, high in pairwise(edges)
            }
            for rng, pair in _numbered(pairs, nulls, "power"):
                size = max(6, round(pair.documents * min(1.0, 1000 / len(pair.labels))))
                sample = pair.drawn(rng, size)
                for metric, p_value in p_values(sample, test, by_document).items():
                    one, other = pair.scores(metric)
                    for low, high in pairwise(edges):
                        if low <= abs(one - other) < high:
                            values[f"{low} to {high}"][metric].append(p_value)
            found.setdefault(kind, {})[test] = {key: shares(each) for key, each in values.items()}
    return {"pairs": len(pairs), "nulls": nulls, **found}


def families(tasks: list[Task], nulls: int) -> Figures:
    """All pairs of eight systems that differ by chance alone: how many tables have any false claim?"""
    eights = [task.pick(*range(8)) for task in tasks if task.systems >= 8]
    found: Figures = {}
    for name, more in (("default", {}), ("none", {"correction": None})):
        any_claim: dict[str, list[float]] = {metric: [] for metric in METRICS}
        for rng, eight in _numbered(eights, nulls, "families"):
            said = ask(eight.shuffled(rng, by_document=True), "ar", True, all_pairs=True, **more)
            for metric in said.metrics:
                any_claim[metric.key].append(any(pair.significant for pair in metric.pairs))
        found[name] = {metric: round(100 * float(np.mean(each)), 1) for metric, each in any_claim.items()}
    return {"tasks": len(eights), "nulls": nulls, **found}


EXPERIMENTS: dict[str, tuple[Callable[[list[Task], int], Figures], float]] = {
    "segment nulls": (segment_nulls, 1.0),
    "document nulls": (document_nulls, 1.0),
    "unlike nulls": (unlike_nulls, 0.4),
    "few documents": (few_documents, 0.4),
    "coverage": (coverage, 0.4),
    "power": (power, 0.4),
    "families": (families, 0.2),
}


def main() -> int:
    arguments = _parse()
    tasks = list(load())
    for task in tasks:
        print(f"{task.name}: {task.systems} systems, {len(task.labels)} segments, {task.documents} documents")
    for name in arguments.only or EXPERIMENTS:
        experiment, part = EXPERIMENTS[name]
        started = time.monotonic()
        found = experiment(tasks, max(1, round(arguments.nulls * part)))
        print(f"{name} ({time.monotonic() - started:.0f} s): {json.dumps(found)}", flush=True)
    return 0


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure false claims, coverage and power of the significance tests.")
    parser.add_argument("--nulls", type=int, default=5000, metavar="N", help="pairs of each kind (default: 5000)")
    parser.add_argument("--only", nargs="+", choices=list(EXPERIMENTS), metavar="NAME", help=", ".join(EXPERIMENTS))
    return parser.parse_args()


def load() -> Iterator[Task]:
    """Count the systems of every test set that has real documents."""
    for name, documents, references, systems in documented():
        _, labels = np.unique(documents, return_inverse=True)
        rows = {
            key: [metric.stats(system, references).rows for system in systems.values()]
            for key, metric in METRICS.items()
        }
        yield Task(name, labels, rows)


if __name__ == "__main__":
    sys.exit(main())
