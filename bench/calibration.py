"""How often are the significance tests wrong, and do intervals cover? Measured on real translations of real documents.

python bench/calibration.py [--only NAME ...] [--write]

Every experiment asks `compare`, as a user does, and `--write` keeps its figures in `calibration.json`, from which
`docs/calibration.md` is made; `--page` makes that page anew without measuring. The seed was chosen before the first
run, and all draws follow from it: the same seed, the same figures.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations, cycle, islice, pairwise, product
from pathlib import Path
from statistics import NormalDist
from string import Template
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibration_people import RECORD as PEOPLE
from calibration_people import tables as of_people
from corpora import documented
from truebleu._logs import silenced
from truebleu.errors import TooFew
from truebleu.metrics import BLEU, CHRF
from truebleu.metrics.external import ExternalMetric
from truebleu.resample.interval import percentile_interval
from truebleu.resample.seed import Seed
from truebleu.significance.comparison import compare, compare_as_sacrebleu
from truebleu.significance.experiment import Experiment
from truebleu.significance.results import Comparison
from truebleu.significance.systems import MetricTable, count_all
from truebleu.significance.tests import TESTS as ALL_TESTS
from truebleu.significance.units import interval_of, interval_of_difference
from truebleu.stats import Stats

SEED = 12345
TRIALS = 1000  # fewer than the default, which changes p-values by their last digits alone
TRIALS_OF_MANY = 2799  # where Holm divides the level by 28 pairs: 5 of 2,800 are that part of it
LEVELS = (0.01, 0.05)
NEAR = 0.5  # points between two systems that are nearly equal
EQUAL = 0.02  # points between two systems that are equal in the population, at most
METRICS: dict[str, Any] = {
    "BLEU": BLEU(),
    "chrF": CHRF(),
    "mean": ExternalMetric("mean chrF of segments", higher_is_better=True),
}
TESTS = ("ar", "bs2", "bs", "sign")
WHATS = ("score", "difference")
SIZES = (5, 6, 8, 12, 15, 20, 30, 50)  # documents
ENOUGH = 20  # documents, from which on intervals are held to more
GAPS = (0.1, 0.3, 0.6, 1.2, 2.4)  # points between systems
DIFFERING = (1, 2, 3, 5, 8, 10, 17, 20)  # segments
CHECKED = 200  # one draw in so many is also given to `compare`, which must say the same

RECORD = Path(__file__).with_suffix(".json")
TEXT = Path(__file__).with_name("calibration_page.template")
PAGE = Path(__file__).resolve().parents[1] / "docs" / "calibration.md"

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
        return len(next(iter(self.rows.values())))

    @property
    def documents(self) -> int:
        return int(self.labels.max()) + 1

    def only(self, metric: str) -> Task:
        return replace(self, rows={metric: self.rows[metric]})

    def pick(self, *systems: int) -> Task:
        return replace(self, rows={key: [rows[at] for at in systems] for key, rows in self.rows.items()})

    def scores(self, metric: str) -> list[float]:
        return [float(METRICS[metric].score(stats(metric, rows)).score) for rows in self.rows[metric]]

    def centred(self) -> Task:
        """Move the segment scores of each system by a constant, so that all systems have the same mean."""
        scores = self.scores("mean")
        moved = [
            rows + np.array([scores[0] - score, 0.0]) for rows, score in zip(self.rows["mean"], scores, strict=True)
        ]
        return replace(self, rows={**self.rows, "mean": moved})

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
        labels = np.repeat(np.arange(documents), [len(place) for place in places])
        return self._of(np.concatenate(places), labels, int(rng.integers(2**32)))

    def segments(self, rng: np.random.Generator, count: int) -> Task:
        """Take some of the segments, at random."""
        lines = np.sort(rng.choice(len(self.labels), size=min(count, len(self.labels)), replace=False))
        _, labels = np.unique(self.labels[lines], return_inverse=True)
        return self._of(lines, labels, int(rng.integers(2**32)))

    def _of(self, lines: Any, labels: Any, seed: int) -> Task:
        return Task(self.name, labels, {key: [one[lines] for one in rows] for key, rows in self.rows.items()}, seed)


def load() -> Iterator[Task]:
    """Count the systems of every test set that has real documents."""
    for name, documents, references, systems in documented():
        _, labels = np.unique(documents, return_inverse=True)
        counted = {
            key: [METRICS[key].stats(system, references) for system in systems.values()] for key in ("BLEU", "chrF")
        }
        scores = [[one.score for one in METRICS["chrF"].segment_scores(rows)] for rows in counted["chrF"]]
        counted["mean"] = [METRICS["mean"].stats(each) for each in scores]
        yield Task(name, labels, {key: [one.rows for one in each] for key, each in counted.items()})


def stats(metric: str, rows: Rows) -> Stats:
    return Stats(rows.copy(), METRICS[metric].columns, METRICS[metric].fingerprint(), (1, 1))


def given(task: Task) -> dict[str, dict[str, Stats]]:
    return {
        f"system {at}": {key: stats(key, rows[at]) for key, rows in task.rows.items()} for at in range(task.systems)
    }


def ask(task: Task, by_document: bool, **more: Any) -> Comparison:
    """Compare the systems of a task, as a user does; without resamples for intervals, unless they are asked for."""
    documents = task.labels.tolist() if by_document else None
    asked = {"n_samples": TRIALS, "n_confidence": 0, "seed": task.seed, "threads": 1, **more}
    with silenced():
        return compare(given(task), {key: METRICS[key] for key in task.rows}, documents=documents, **asked)


def p_values(task: Task, test: str, by_document: bool) -> dict[str, float]:
    """The p-value of the only pair, under each metric."""
    return {metric.key: metric.pairs[0].p_value for metric in ask(task, by_document, test=test).metrics}


def all_pairs(tasks: list[Task]) -> list[Task]:
    return [task.pick(a, b) for task in tasks for a, b in combinations(range(task.systems), 2)]


def near_pairs(tasks: list[Task]) -> list[Task]:
    """Pairs of systems that are less than half a point apart, under both metrics."""
    found = []
    for pair in all_pairs(tasks):
        gaps = [abs(one - other) for one, other in (pair.scores("BLEU"), pair.scores("chrF"))]
        if max(gaps) < NEAR:
            found.append(pair.centred())
    return found


def equal_pairs(tasks: list[Task], metric: str) -> list[Task]:
    """Unlike systems with the same score, which no swapping makes.

    Means are centred. Else whole documents of the better system become those of the worst one, until the two meet: one
    of them is then good and bad by turns.
    """
    if metric == "mean":
        return [pair.centred() for pair in all_pairs(tasks)]
    found = []
    for number, task in enumerate(tasks):
        worst, *others = np.argsort(task.scores(metric)).tolist()
        for a, b in combinations(others, 2):
            mixed = _mixed(task, metric, a, b, worst, np.random.default_rng([SEED, number, a, b]))
            found += [] if mixed is None else [mixed]
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
        score = float(METRICS[metric].score(stats(metric, with_first(middle)[metric])).score)
        low, high = (middle, high) if score > goal else (low, middle)
    made = replace(task, rows={key: [task.rows[key][lower], rows] for key, rows in with_first(low).items()})
    one, other = made.scores(metric)
    return made if abs(one - other) < EQUAL else None


def numbered(items: list[Any], count: int, name: str) -> Iterator[tuple[int, np.random.Generator, Any]]:
    """Go round some items; each turn has a number and draws of its own."""
    for at, one in enumerate(islice(cycle(items), count)):
        yield at, np.random.default_rng([SEED, at, *name.encode()]), one


def per_cent(values: list[bool]) -> float:
    return round(100 * float(np.mean(values)), 2)


def shares(found: list[dict[str, float]]) -> dict[str, list[float]]:
    """For each metric the share of p-values up to each level, in per cent."""
    return {key: [per_cent([each[key] <= level for each in found]) for level in LEVELS] for key in found[0]}


def claims(nulls: Callable[[], Iterator[Task]], count: int, by_document: bool, tests: tuple[str, ...]) -> Figures:
    """How often each test claims a difference: the default on all nulls, the others on half of them."""
    found = {}
    for test in tests:
        some = islice(nulls(), count if test == "ar" else -(-count // 2))
        found[test] = shares([p_values(null, test, by_document) for null in some])
    return found


def segment_nulls(tasks: list[Task], nulls: int, tests: tuple[str, ...] = TESTS) -> Figures:
    """A random half of 1,000 segments is swapped between two systems: segments are independent here."""
    pairs = all_pairs(tasks)

    def made() -> Iterator[Task]:
        for _, rng, pair in numbered(pairs, nulls, "segments"):
            yield pair.segments(rng, 1000).shuffled(rng, by_document=False)

    return {"pairs": len(pairs), "nulls": nulls, "segments": claims(made, nulls, False, tests)}


def document_nulls(tasks: list[Task], nulls: int, tests: tuple[str, ...] = TESTS) -> Figures:
    """Whole documents are swapped between systems that are nearly equal."""
    pairs = near_pairs(tasks)

    def made() -> Iterator[Task]:
        return (pair.shuffled(rng, by_document=True) for _, rng, pair in numbered(pairs, nulls, "documents"))

    found = {"pairs": len(pairs), "nulls": nulls, "documents": claims(made, nulls, True, tests)}
    return found | ({"segments": claims(made, nulls, False, tests)} if tests == TESTS else {})


def unlike_nulls(tasks: list[Task], nulls: int) -> Figures:
    """Unlike systems with the same score in the population, from which documents are drawn."""
    found: Figures = {"nulls": nulls, "pairs": {}, "segments": {}, "documents": {}}
    for metric in METRICS:
        pairs = equal_pairs(tasks, metric)
        found["pairs"][metric] = len(pairs)
        for kind, by_document in (("segments", False), ("documents", True)):
            for test in ("ar", "bs2", "bs"):
                made = (pair.drawn(rng, pair.documents) for _, rng, pair in numbered(pairs, nulls, "unlike"))
                values = [p_values(null.only(metric), test, by_document) for null in made]
                found[kind].setdefault(test, {}).update(shares(values))
    return found


def few_documents(tasks: list[Task], nulls: int) -> Figures:
    """Few documents of nearly equal systems, swapped whole."""
    pairs, found = near_pairs(tasks), {}
    for size in SIZES[1:]:

        def made(size: int = size) -> Iterator[Task]:
            for _, rng, pair in numbered(pairs, nulls, f"few {size}"):
                yield pair.drawn(rng, size).shuffled(rng, by_document=True)

        found[str(size)] = claims(made, nulls, True, ("ar",))["ar"]
    return {"pairs": len(pairs), "nulls": nulls, "sizes": found}


def coverage(tasks: list[Task], nulls: int) -> Figures:
    """How often the 95 % interval of documents drawn from a set has the score, or difference, of the whole set."""
    pairs = all_pairs(tasks)
    truths = [{metric: pair.scores(metric) for metric in METRICS} for pair in pairs]
    found: Figures = {}
    for size in SIZES:
        inside: dict[str, list[bool]] = {}
        draws = nulls if size < ENOUGH else 3 * nulls
        for number, rng, (pair, truth) in numbered(list(zip(pairs, truths, strict=True)), draws, f"coverage {size}"):
            for way, metric, what, (low, high) in intervals(pair.drawn(rng, size), number):
                one, other = truth[metric]
                true = other - one if what == "difference" else one
                inside.setdefault(f"{way}, {metric}, {what}", []).append(low <= true <= high)
        found[str(size)] = {key: per_cent(each) for key, each in inside.items()}
    return {"pairs": len(pairs), "nulls": nulls, "sizes": found}


def intervals(task: Task, number: int) -> Iterator[tuple[str, str, str, tuple[float, float]]]:
    """The intervals of the first system's score, and of the difference, by all ways to make them."""
    for unit in ("document", "segment"):
        documents = task.labels.tolist()
        with silenced():
            tables = count_all(given(task), METRICS, None, documents, 1, unit=unit)
        experiment = Experiment(ALL_TESTS["ar"], tables, [(0, 1)], 1, TRIALS, Seed.of(task.seed), 1)
        drawn = experiment.documents
        for table, (one, other) in zip(tables, experiment.resamples, strict=True):
            delta = table.means[1] - table.means[0]
            mean, half_width = interval_of(one, drawn) or (0.0, 0.0)
            ours = {"score": (mean - half_width, mean + half_width)}
            ours["difference"] = interval_of_difference(other - one, delta, drawn) or (0.0, 0.0)
            if number % CHECKED == 0:
                _check_intervals(task, unit, table.key, ours)
            yield from ((f"{unit}s", table.key, what, interval) for what, interval in ours.items())
            if unit == "document":
                resampled = {"score": (one, table.means[0]), "difference": (other - one, delta)}
                left_out = _left_out(table)
                values = {"score": left_out[0], "difference": left_out[1] - left_out[0]}
                for what, (scores, observed) in resampled.items():
                    yield "percentiles", table.key, what, percentile_interval(scores)
                    yield "BCa", table.key, what, _bca(scores, observed, values[what])


def _check_intervals(task: Task, unit: str, metric: str, ours: dict[str, tuple[float, float]]) -> None:
    """`compare` itself must give these intervals."""
    said = ask(task, unit == "document", n_confidence=TRIALS)
    report = next(one for one in said.metrics if one.key == metric)
    mean, half_width = report.systems[0].interval or (0.0, 0.0)
    assert ours == {"score": (mean - half_width, mean + half_width), "difference": report.pairs[0].interval}


def _left_out(table: MetricTable) -> NDArray[np.float64]:
    """The scores of both systems without one document after the other."""
    found = []
    for (drawn,) in table.drawn:
        rest = drawn.rows.sum(axis=0) - drawn.rows
        found.append([table.metric.engine.score(one) for one in rest])
    return np.array(found)


def _bca(resampled: NDArray[np.float64], observed: float, left_out: NDArray[np.float64]) -> tuple[float, float]:
    """The bias-corrected and accelerated interval (Efron, 1987)."""
    normal, size = NormalDist(), len(resampled)
    below = min(max(float((resampled < observed).mean()), 1 / size), 1 - 1 / size)
    bias, spread = normal.inv_cdf(below), left_out.mean() - left_out
    skew = float((spread**3).sum()) / (6 * float((spread**2).sum()) ** 1.5 or 1.0)
    ordered = np.sort(resampled)
    places = []
    for z in (-1.959964, 1.959964):
        share = normal.cdf(bias + (bias + z) / (1 - skew * (bias + z)))
        places.append(min(max(int(share * size), 0), size - 1))
    return float(ordered[places[0]]), float(ordered[places[1]])


def power(tasks: list[Task], nulls: int) -> Figures:
    """Claims on systems as they are, by the size of the difference: documents are drawn, about 1,000 segments."""
    pairs = all_pairs(tasks)
    found: Figures = {}
    for test in ("ar", "bs2", "sign"):
        values: dict[str, dict[str, list[bool]]] = {}
        for _, rng, pair in numbered(pairs, nulls, "power"):
            size = max(6, round(pair.documents * min(1.0, 1000 / len(pair.labels))))
            for metric, p_value in p_values(pair.drawn(rng, size), test, True).items():
                one, other = pair.scores(metric)
                for low, high in pairwise(GAPS):
                    if low <= abs(one - other) < high:
                        values.setdefault(f"{low} to {high}", {}).setdefault(metric, []).append(p_value <= 0.05)
        found[test] = {gap: {key: per_cent(each) for key, each in by.items()} for gap, by in sorted(values.items())}
    return {"pairs": len(pairs), "draws": nulls, "tests": found}


def families(tasks: list[Task], nulls: int) -> Figures:
    """All pairs of eight systems that differ by chance alone: how many tables have any false claim?"""
    found: dict[str, list[dict[str, bool]]] = {"default": [], "none": []}
    for _, rng, task in numbered(tasks, nulls, "families"):
        eight = task.pick(*rng.permutation(task.systems)[:8].tolist()).centred().shuffled(rng, by_document=True)
        said = ask(eight, True, all_pairs=True, n_samples=TRIALS_OF_MANY)
        found["default"].append({one.key: any(pair.significant for pair in one.pairs) for one in said.metrics})
        found["none"].append({one.key: min(pair.p_value for pair in one.pairs) <= 0.05 for one in said.metrics})
    return {
        "nulls": nulls,
        "corrections": {
            name: {key: per_cent([one[key] for one in each]) for key in METRICS} for name, each in found.items()
        },
    }


def ties(tasks: list[Task], nulls: int) -> Figures:
    """A hundred segments, some of which one system has better: p-values of BLEU."""
    _, _, (reference,), systems = next(documented())
    base, found = next(iter(systems.values())), {}
    lines = [at for at, (one, other) in enumerate(zip(base, reference, strict=True)) if one != other][:100]
    references, before = [[reference[at] for at in lines]], [base[at] for at in lines]
    for count in DIFFERING:
        both = {"base": before, "better": references[0][:count] + before[count:]}
        said = {}
        with silenced():
            for test in ("ar", "bs2", "sign"):
                try:
                    said[test] = compare(both, BLEU(), references, test=test, seed=SEED).metrics[0].pairs[0].p_value
                except TooFew:
                    said[test] = math.nan
            tables = count_all(both, BLEU(), references, None, 1)
            theirs = compare_as_sacrebleu(tables, "ar", 10_000, 0, Seed.of(SEED), 1)
        found[str(count)] = {key: None if math.isnan(p) else float(f"{p:.3g}") for key, p in said.items()}
        found[str(count)]["sacreBLEU"] = float(f"{theirs.metrics[0].pairs[0].p_value:.3g}")
    return {"segments": len(lines), "differing": found}


EXPERIMENTS: dict[str, tuple[Callable[[list[Task], int], Figures], int]] = {
    "segment nulls": (segment_nulls, 5000),
    "document nulls": (document_nulls, 5000),
    "unlike nulls": (unlike_nulls, 2500),
    "few documents": (few_documents, 1000),
    "coverage": (coverage, 1000),
    "power": (power, 3280),
    "families": (families, 1000),
    "ties": (ties, 1),
}


def main() -> int:
    arguments = _parse()
    if not arguments.page:
        measure(arguments.only or list(EXPERIMENTS), arguments.part, arguments.write)
    if arguments.page or arguments.write:
        PAGE.write_text(page(json.loads(RECORD.read_text("utf-8"))), "utf-8")
    missed = [bar for bar in bars(json.loads(RECORD.read_text("utf-8"))) if not bar.least <= bar.found <= bar.most]
    for bar in missed:
        print(f"MISSED: {bar.name}: {bar.found} is not between {bar.least:.1f} and {bar.most:.1f}")
    return int(bool(missed))


def measure(names: list[str], part: float, keep: bool) -> None:
    """Run some experiments, print their figures and perhaps keep them."""
    tasks = list(load())
    sets = {task.name: [task.systems, len(task.labels), task.documents] for task in tasks}
    for name in names:
        experiment, nulls = EXPERIMENTS[name]
        started = time.monotonic()
        found = experiment(tasks, max(1, round(nulls * part)))
        print(f"{name} ({time.monotonic() - started:.0f} s): {json.dumps(found)}", flush=True)
        if keep:
            known = json.loads(RECORD.read_text("utf-8")) if RECORD.exists() else {}
            figures = {"seed": SEED, "sets": sets} | {key: known[key] for key in EXPERIMENTS if key in known}
            RECORD.write_text(json.dumps(figures | {name: found}, indent=1) + "\n", "utf-8")


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure false claims, coverage and power of the significance tests.")
    parser.add_argument("--only", nargs="+", choices=list(EXPERIMENTS), metavar="NAME", help=", ".join(EXPERIMENTS))
    parser.add_argument("--part", type=float, default=1.0, metavar="X", help="so many times the usual number of nulls")
    parser.add_argument("--write", action="store_true", help="keep the figures, and write docs/calibration.md")
    parser.add_argument("--page", action="store_true", help="only write docs/calibration.md, from the figures kept")
    return parser.parse_args()


class Bar(NamedTuple):
    """A figure, and between what it must be."""

    name: str
    found: float
    least: float
    most: float


def bars(figures: Figures) -> list[Bar]:
    """What the default test, its correction and its intervals are held to."""
    found = []
    for name, unit in (("segment nulls", "segments"), ("document nulls", "documents")):
        for metric, (_, claimed) in figures[name][unit]["ar"].items():
            found.append(Bar(f"{name}, {metric}", claimed, 4.0, 6.0))
    for metric, claimed in figures["families"]["corrections"]["default"].items():
        found.append(Bar(f"all pairs of eight systems, {metric}", claimed, 0.0, 5.5))
    for size, covered in figures["coverage"]["sizes"].items():
        least = 92.0 if int(size) >= ENOUGH else 90.0 if int(size) >= 8 else 0.0
        for metric, what in product(METRICS, WHATS):
            found.append(
                Bar(f"{what} of {size} documents, {metric}", covered[f"documents, {metric}, {what}"], least, 100.0)
            )
    tests = figures["power"]["tests"]
    for gap, by_metric in tests["ar"].items():
        for metric, claimed in by_metric.items():
            best = max(tests[test][gap][metric] for test in ("ar", "bs2"))  # `sign` asks another question
            found.append(Bar(f"power from {gap}, {metric}", claimed, 0.85 * best, 100.0))
    return found


NAMES = {
    "ar": "randomization (`ar`, the default)",
    "bs2": "two-sided bootstrap (`bs2`)",
    "bs": "sacreBLEU's bootstrap (`bs`)",
    "sign": "sign test (`sign`)",
}
MISSING, METRICS_ALIKE = Path(__file__).with_name("calibration_missing.json"), Path(__file__).with_name("agree.json")


def _error(nulls: int) -> str:
    """One standard error of a share of 5 %, in points."""
    return f"{100 * math.sqrt(0.05 * 0.95 / nulls):.1f}"


def _missing() -> dict[str, str]:
    """False claims where scores are missing at random."""
    figures = json.loads(MISSING.read_text("utf-8"))
    cells = [figures[f"40 % at random, {pair}"] for pair in ("he-en", "zh-en")]
    found = {f"missing_{rule}": " and ".join(str(one[f"{rule} false"]) for one in cells) for rule in ("pairs", "fit")}
    return found | {"missing_nulls": f"{figures['pairs']:,}", "missing_error": _error(figures["pairs"])}


def _between_metrics() -> dict[str, str]:
    """False claims of tests between metrics that are alike."""
    figures = json.loads(METRICS_ALIKE.read_text("utf-8"))
    nulls = figures.pop("nulls")
    lines = ["| null | mt-metrics-eval's test of pairs | items swapped | documents swapped |", "|---|---:|---:|---:|"]
    lines += [
        f"| {pair}, {null} | {' | '.join(map(str, one))} |"
        for null, by_pair in figures.items() for pair, one in by_pair.items()
    ]  # fmt: skip
    return {"metric_tests": "\n".join(lines), "metric_nulls": f"{nulls:,}", "metric_error": _error(nulls)}


WAYS = {
    "documents": "t interval of documents (what is used)",
    "percentiles": "percentiles, documents drawn",
    "BCa": "BCa, documents drawn",
    "segments": "percentiles, segments drawn",
}
CORRECTIONS = {"default": "Holm, the default", "none": "none"}
TIES = {"ar": "`ar`", "sign": "`sign`", "bs2": "`bs2`", "sacreBLEU": "sacreBLEU's `ar`"}


def page(figures: Figures) -> str:
    """The page of the documentation: no figure of it is written by hand."""
    people = of_people(json.loads(PEOPLE.read_text("utf-8"))) | _missing() | _between_metrics()
    return Template(TEXT.read_text("utf-8")).substitute(counts(figures) | _tables(figures) | people)


def counts(figures: Figures) -> dict[str, object]:
    """The numbers in the text of the page."""
    by_segment, by_document, unlike, few, covered, powers, family, _ = (figures[name] for name in EXPERIMENTS)
    systems, segments, documents = (sum(counts) for counts in zip(*figures["sets"].values(), strict=True))
    names = ", ".join(f"{name} ({counts[2]} documents)" for name, counts in figures["sets"].items())
    wrong, worse = ([one["segments"]["ar"][metric][1] for metric in METRICS] for one in (by_document, unlike))
    kinds = [f"documents, {metric}, {what}" for metric in METRICS for what in WHATS]
    least = {int(size): min(found[kind] for kind in kinds) for size, found in covered["sizes"].items()}
    return {
        "sets": f"{len(figures['sets'])} test sets of WMT with {systems} systems, {segments:,} segments and "
        f"{documents:,} documents:\n{names}",
        "trials": f"{TRIALS:,}",
        "trials_of_many": f"{TRIALS_OF_MANY:,}",
        "seed": figures["seed"],
        "spread": f"{100 * math.sqrt(0.05 * 0.95 / by_document['nulls']):.1f}",
        "near": NEAR,
        "equal": EQUAL,
        "claims_by_segment": f"{min(wrong):.0f} to {max(wrong):.0f}",
        "claims_of_unlike": f"{min(worse):.0f} to {max(worse):.0f}",
        "all_pairs": by_segment["pairs"],
        "near_pairs": by_document["pairs"],
        "segment_nulls": f"{by_segment['nulls']:,}",
        "document_nulls": f"{by_document['nulls']:,}",
        "unlike_nulls": f"{unlike['nulls']:,}",
        "few_nulls": f"{few['nulls']:,}",
        "coverage_draws": f"{covered['nulls']:,}",
        "power_draws": f"{powers['draws']:,}",
        "tables": f"{family['nulls']:,}",
        "covers_from_8": f"{min(least[size] for size in SIZES if size >= 8):.1f}",
        "covers_from_20": f"{min(least[size] for size in SIZES if size >= 20):.1f}",
    }


def _tables(figures: Figures) -> dict[str, object]:
    by_segment, by_document, unlike, few, covered, powers, family, few_differ = (figures[name] for name in EXPERIMENTS)
    sizes, tests, kinds = covered["sizes"], powers["tests"], [*product(METRICS, WHATS)]
    of_sizes = [
        [size, *(f"{found[f'documents, {m}, {what}']:.1f}" for m, what in kinds)] for size, found in sizes.items()
    ]
    of_ways = [
        [name, *(f"{found[f'{way}, BLEU, difference']:.1f}" for found in sizes.values())] for way, name in WAYS.items()
    ]
    of_gaps = [
        [gap, *(f"{tests[test][gap][metric]:.0f}" for metric, test in product(METRICS, tests))] for gap in tests["ar"]
    ]
    of_families = [
        [name, *(f"{family['corrections'][key][metric]:.1f}" for metric in METRICS)]
        for key, name in CORRECTIONS.items()
    ]
    of_ties = [
        [count, *("refused" if found[key] is None else f"{found[key]:.2g}" for key in TIES)]
        for count, found in few_differ["differing"].items()
    ]
    return {
        "segments_swapped": _claims(by_segment["segments"]),
        "documents_swapped_by_document": _claims(by_document["documents"]),
        "documents_swapped_by_segment": _claims(by_document["segments"]),
        "unlike_by_document": _claims(unlike["documents"]),
        "unlike_by_segment": _claims(unlike["segments"]),
        "few_documents": _table(
            ["documents", *_heads()], [[size, *_cells(found)] for size, found in few["sizes"].items()]
        ),
        "coverage": _table(["documents", *(f"{metric}, {what}" for metric, what in kinds)], of_sizes),
        "ways": _table(["documents", *sizes], of_ways),
        "power": _table(["difference", *(f"{metric}, `{test}`" for metric, test in product(METRICS, tests))], of_gaps),
        "families": _table(["correction", *METRICS], of_families),
        "ties": _table(["segments that differ", *TIES.values()], of_ties),
    }


def _claims(found: Figures) -> str:
    return _table(["test", *_heads()], [[NAMES[test], *_cells(by_metric)] for test, by_metric in found.items()])


def _heads() -> list[str]:
    return [f"{metric}, level {level:.2f}" for metric in METRICS for level in LEVELS]


def _cells(by_metric: dict[str, list[float]]) -> list[str]:
    return [f"{share:.1f}" for metric in METRICS for share in by_metric[metric]]


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---", *("---:" for _ in head[1:])], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


if __name__ == "__main__":
    sys.exit(main())
