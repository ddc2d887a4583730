"""How fast agreement with people is, and whether tests between metrics keep their level.

`python bench/agree.py` needs the scores of WMT23 (`tools/real_texts.py` says where they are looked for). Answers are
asserted before a time is reported: those of mt-metrics-eval and those of the slow version in the tests. mt-metrics-eval
is on no package index, so that its times were recorded once, on another machine, and the ratio is a rough one.
A bar that is missed ends the program: acc_eq in a hundredth of the recorded time, all statistics in 0.5 s, the tests of
78 pairs in 1 s, a hundred million pairs in 2 s. `--null N` simulates N pairs of metrics that are alike, for the
table in docs/calibration.md (`agree.json`).
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests")]

import real_texts  # noqa: E402
from oracle import agreement as slow  # type: ignore[import-not-found] # noqa: E402
from truebleu.agreement.cells import grouped  # noqa: E402
from truebleu.agreement.measures import AgreementOptions, Tables, measure  # noqa: E402
from truebleu.agreement.tests import _p_value, swapped_documents  # noqa: E402
from truebleu.agreement.ties import accuracy, best_epsilon  # noqa: E402

GOLDEN = json.loads((ROOT / "tests/golden/agreement.json").read_text("utf-8"))
# Seconds of CPU for acc_eq of a metric by mt-metrics-eval 68a481a, recorded on another machine.
RECORDED = {"he-en": 0.42, "zh-en": 1.0}
KINDS = (
    "spa", "acc", "sys_pearson", "sys_spearman", "sys_tau_b", "acc_eq", "pearson", "pearson:none", "pearson:system",
    "spearman", "spearman:none", "tau_b", "tau_b:none", "tau_b:system", "tau_c", "tau_23", "kendall_like", "pdp",
)  # fmt: skip


def scores(path: Path) -> dict[str, Any]:
    """The scores of each system in a file of mt-metrics-eval."""
    found: dict[str, list[float]] = {}
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for system, score in map(str.split, file):
            found.setdefault(system, []).append(float("nan" if score == "None" else score))
    return {system: np.array(row) for system, row in found.items()}


def load(pair: str) -> dict[str, Tables]:
    """The tables of each metric of a language pair, against MQM."""
    folder = real_texts.people_folder()
    if folder is None or not (folder / "wmt23").is_dir():
        raise SystemExit("no scores of people at hand: name a folder with people/wmt23 in TRUEBLEU_TEST_DATA")
    folder /= "wmt23"
    people = scores(folder / f"human-scores/{pair}.mqm.seg.score.gz")
    systems = sorted(one for one in people if not (pair == "zh-en" and one == "refA"))
    gold = np.stack([people[one] for one in systems])
    kept = ~np.isnan(gold).all(axis=0)
    with gzip.open(folder / f"documents/{pair}.docs.gz", "rt", encoding="utf-8") as file:
        units = np.unique(file.read().splitlines(), return_inverse=True)[1][kept]
    found = {}
    for path in sorted((folder / f"metric-scores/{pair}").glob("*.seg.score.gz")):
        metric = scores(path)
        name = path.name.removesuffix(".seg.score.gz").rpartition("-")[0]
        found[name] = Tables(gold[:, kept], np.stack([metric[one] for one in systems])[:, kept], units)
    return found


def timed(call: Callable[[], Any], repeat: int = 5) -> tuple[float, Any]:
    """Seconds of CPU of the fastest of some calls, and the answer."""
    times = []
    for _ in range(repeat):
        start = time.process_time()
        answer = call()
        times.append(time.process_time() - start)
    return min(times), answer


def by_pairs(tables: Tables) -> float:
    """acc_eq pair by pair, of one tolerance; the best one is given."""
    lists = [[[None if x != x else x for x in row] for row in one.tolist()] for one in tables[:2]]
    epsilon = best_epsilon(grouped(tables.people, tables.metric, "item"))
    return float(slow.accuracy(*lists, "item", epsilon))


def speed() -> Iterator[str]:
    """Rows of times, each after its answer."""
    yield "acc_eq of COMET, seconds of CPU"
    for pair in ("he-en", "zh-en"):
        tables = load(pair)["COMET"]
        cells = grouped(tables.people, tables.metric, "item")
        ours, ties = timed(partial(accuracy, cells))
        expected = GOLDEN[f"{pair}.mqm"]["COMET"]["acc_eq_item"]
        assert abs(ties.value - expected) < 1e-9, (pair, ties.value, expected)
        assert abs(by_pairs(tables) - expected) < 1e-9, pair
        ratio = RECORDED[pair] / ours
        assert ratio >= 100, f"{pair}: {ratio:.0f}×"
        yield f"  {pair}: {ours:.4f}; mt-metrics-eval, recorded elsewhere: {RECORDED[pair]} ({ratio:.0f}×)"
    both = [one for pair in ("he-en", "zh-en") for one in load(pair).values()]
    kinds = [measure(kind, "item") for kind in KINDS]
    every, _ = timed(lambda: [kind.take(one, AgreementOptions()).value for kind in kinds for one in both], 3)
    assert every <= 0.5, f"all statistics: {every:.2f} s"
    yield f"{len(kinds)} statistics of {len(both)} metrics (he-en and zh-en), without reading: {every:.2f}"
    several = load("he-en")
    values = [measure("acc_eq", "item").take(one, AgreementOptions()) for one in several.values()]
    values += values[: 13 - len(values)]  # as many as WMT23 has in the table
    units = next(iter(several.values())).documents
    tested, p_values = timed(lambda: swapped_documents(values, units, 10_000, 1), 1)
    assert len(p_values) == 78 and all(one is not None and 0 < one <= 1 for one in p_values)
    assert tested <= 1, f"tests of 78 pairs: {tested:.2f} s"
    yield f"tests of 78 pairs of metrics over {len(np.unique(units))} documents, 10,000 shuffles: {tested:.2f}"
    yield from many_pairs()


def many_pairs() -> Iterator[str]:
    """acc_eq of all cells as one group: a hundred million pairs, without keeping them."""
    import resource

    generator = np.random.default_rng(1)
    people = np.round(generator.normal(size=(1, 15_000)) * 3).clip(-10, 0)
    metric = people / 4 + generator.normal(size=people.shape)
    few = grouped(people[:, :1500], metric[:, :1500], "none")
    lists = [[float(x) for x in one] for one in (few.people, few.metric)]
    epsilon = best_epsilon(few)
    for other in (0.0, epsilon * 0.99, epsilon * 1.01):
        assert slow.accuracy([lists[0]], [lists[1]], "none", epsilon) >= slow.accuracy(
            [lists[0]], [lists[1]], "none", other
        )
    cells = grouped(people, metric, "none")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds, _ = timed(lambda: best_epsilon(cells), 1)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert seconds <= 2, f"1.1e8 pairs: {seconds:.2f} s"
    yield f"the best tolerance of 15,000 scores, 1.1e8 pairs: {seconds:.2f}, {grown:.0f} MB more"


def nulls(count: int, trials: int) -> Iterator[str]:
    """How often metrics that are alike are called different, two-sided at 5 %, by what makes them alike.

    The difference of two metrics by item is centred; then its sign is drawn at random for each pair of translations,
    item or document. The test of mt-metrics-eval is made two-sided, to be compared.
    """
    yield f"| null | pairs swapped | items swapped whole | documents swapped whole | ({count} pairs of metrics)"
    for pair in ("he-en", "zh-en"):
        tables = load(pair)
        names = [name for name in tables if "Random" not in name][:8]
        units = tables[names[0]].documents
        rights = {name: _rights_by_pair(tables[name]) for name in names}
        generator, claims = np.random.default_rng(12345), np.zeros((3, 3))
        couples = [*combinations(names, 2)]
        for at in range(count):
            a, b = couples[at % len(couples)]
            difference = rights[a] - rights[b]  # items × pairs
            difference = difference - difference.mean()
            for row, flips in enumerate(_signs(generator, units, difference.shape)):
                claims[row] += _claims(difference * flips, units, trials, generator)
        for row, null in enumerate(("single pairs", "items", "documents")):
            cells = " | ".join(f"{100 * one / count:.1f}" for one in claims[row])
            yield f"| {pair}, {null} | {cells} |"


def _rights_by_pair(tables: Tables) -> Any:
    epsilon = best_epsilon(grouped(tables.people, tables.metric, "item"))
    one, other = np.triu_indices(len(tables.people), 1)
    people, metric = (part[one] - part[other] for part in tables[:2])
    return (np.where(np.abs(metric) <= epsilon, 0, np.sign(metric)) == np.sign(people)).T.astype(float)


def _signs(generator: np.random.Generator, units: Any, shape: tuple[int, int]) -> Iterator[Any]:
    yield generator.choice([-1.0, 1.0], shape)
    yield generator.choice([-1.0, 1.0], (shape[0], 1))
    yield generator.choice([-1.0, 1.0], (units.max() + 1, 1))[units]


def _claims(difference: Any, units: Any, trials: int, generator: np.random.Generator) -> list[bool]:
    """Whether each of the three tests calls a difference significant."""
    items = difference.mean(axis=1)
    sums = [difference.ravel(), items, np.bincount(units, items)]
    # The sum of random signs of many small numbers is normal; of 92 documents it is drawn.
    normal = abs(sums[0].sum()) > 1.959964 * np.sqrt((sums[0] ** 2).sum())
    found = [bool(normal)]
    for one in sums[1:]:
        both = np.stack([one, np.ones(len(one))], axis=1), np.stack([0 * one, np.ones(len(one))], axis=1)
        there = np.arange(len(one))
        value = _p_value(*both, lambda rows: rows[:, 0] / rows[:, 1], there, trials, int(generator.integers(2**31)))
        found.append(value <= 0.05)
    return found


def main() -> None:
    """Print the rows that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--null", type=int, metavar="N", help="simulate N pairs of equal metrics in place of times")
    parser.add_argument("--trials", type=int, default=1000, help="shuffles of each test in the simulation")
    args = parser.parse_args()
    for line in speed() if args.null is None else nulls(args.null, args.trials):
        print(line, flush=True)


if __name__ == "__main__":
    main()
