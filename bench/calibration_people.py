"""How often are tests of people's scores wrong? Measured on WMT23, over segments and documents, with several raters.

python bench/calibration_people.py [--nulls 2000] [--only documents raters] [--write]

A null is made of two real systems. Each is centred to its own mean first; then the scores of the two are swapped on a
random half of the segments, of the documents, of what one rater did of a document, or of the raters. Without the
centring, the difference of the systems would be swapped along and look like an effect of documents. `compare` is asked
as a user asks it, with 1,000 trials. The scores are not part of this repository: they are looked for where the tests
look for real texts (`people/wmt23`, `people/mqm`). `--write` keeps the figures in `calibration_people.json`, from
which `bench/calibration.py --page` makes the tables in `docs/calibration.md`.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpora import data_folder
from truebleu._logs import silenced
from truebleu.metrics.external import ExternalMetric
from truebleu.scores import read
from truebleu.scores.mtme import read_documents
from truebleu.scores.opened import ScoreFile
from truebleu.scores.rated import RatedMetric
from truebleu.significance.comparison import compare
from truebleu.stats import Stats

SEED = 12345
TRIALS = 1000
LEVEL = 0.05
RECORD = Path(__file__).with_suffix(".json")
SETS = {"he-en MQM": ("he-en", "mqm"), "zh-en MQM": ("zh-en", "mqm"), "zh-en DA+SQM": ("zh-en", "da-sqm")}
TESTS = ("ar", "bs2")

Floats = NDArray[np.float64]
Codes = NDArray[np.int_]
Draw = np.random.Generator


def people() -> Path:
    """The folder of scores of people."""
    folder = data_folder()
    if folder is None or not (folder / "people").is_dir():
        raise SystemExit("no scores of people at hand: name a folder with people/ in TRUEBLEU_TEST_DATA")
    return folder / "people"


class Scored(NamedTuple):
    """Scores of people, systems by segments, of the segments that all systems have, and their documents."""

    cells: Floats
    documents: Codes


def load(pair: str, protocol: str) -> Scored:
    """Read a set; a reference that was scored as a system takes no part."""
    folder = people() / "wmt23"
    table = read(folder / "human-scores" / f"{pair}.{protocol}.seg.score.gz")
    documents = np.unique(
        read_documents(ScoreFile(str(folder / "documents" / f"{pair}.docs.gz")))[0], return_inverse=True
    )[1]
    cells = table.matrix(table.metrics[0], [name for name in table.systems if not name.startswith("ref")])
    kept = ~np.isnan(cells).any(axis=0)
    return Scored(cells[:, kept], np.unique(documents[kept], return_inverse=True)[1])


def null_pair(cells: Floats, codes: Codes, draw: Draw) -> tuple[Floats, Floats]:
    """Two systems, each centred to its own mean, swapped where a coin falls for the code of a score."""
    a, b = draw.choice(len(cells), 2, replace=False)
    one, two = cells[a] - np.nanmean(cells[a]), cells[b] - np.nanmean(cells[b])
    coins = draw.random(codes.max() + 1) < 0.5
    swapped = coins[codes]
    return np.where(swapped, two, one), np.where(swapped, one, two)


def p_value(one: Floats, two: Floats, test: str, documents: Codes | None, seed: int) -> float:
    """Ask `compare` about two systems."""
    metric = ExternalMetric("people", higher_is_better=True)
    rows = {}
    for name, values in (("one", one), ("two", two)):
        cells = np.column_stack([values, np.ones(len(values))])
        rows[name] = {"people": Stats(cells, metric.columns, metric.fingerprint(), (0, 0))}
    with silenced():
        found = compare(
            rows, metric, test=test, n_samples=TRIALS, n_confidence=0, seed=seed, checks=False, threads=1,
            documents=None if documents is None else documents.tolist(),
        )  # fmt: skip
    return found.metrics[0].pairs[0].p_value


def of_documents(nulls: int) -> dict[str, Any]:
    """False claims over segments and over documents, on nulls of both."""
    found: dict[str, Any] = {"nulls": nulls}
    for at, (name, (pair, protocol)) in enumerate(SETS.items()):
        scored = load(pair, protocol)
        size = scored.cells.shape[1]
        for null, codes in (("segments", np.arange(size)), ("documents", scored.documents)):
            claims = {f"{test} {unit}": 0 for unit in ("segments", "documents") for test in TESTS}
            # Segments are only the warning example, and take longest: a quarter of the nulls.
            for number in range(nulls):
                draw = np.random.default_rng([SEED, at, number, null == "documents"])
                one, two = null_pair(scored.cells, codes, draw)
                for test in TESTS:
                    claims[f"{test} documents"] += p_value(one, two, test, scored.documents, number) <= LEVEL
                    if number < nulls // 4:
                        claims[f"{test} segments"] += p_value(one, two, test, None, number) <= LEVEL
            counts = {key: nulls if key.endswith("documents") else nulls // 4 for key in claims}
            shares = {key: 100 * count / counts[key] for key, count in claims.items()}
            documents = int(scored.documents.max()) + 1
            found[f"{name}, {null}"] = {"segments": size, "documents": documents, **shares}
            print(name, null, size, documents, {key: round(value, 2) for key, value in shares.items()}, flush=True)
    return found


def of_rules(nulls: int) -> dict[str, Any]:
    """False claims of a one-sided signed-rank test of the better system against the worse: WMT25's rule."""
    found: dict[str, Any] = {"nulls": nulls}
    for at, (name, (pair, protocol)) in enumerate(SETS.items()):
        scored = load(pair, protocol)
        for null, codes in (("segments", np.arange(scored.cells.shape[1])), ("documents", scored.documents)):
            claims = 0
            for number in range(nulls):
                draw = np.random.default_rng([SEED, at, number, null == "documents"])
                claims += signed_rank(*null_pair(scored.cells, codes, draw)) <= LEVEL
            found[f"{name}, {null}"] = 100 * claims / nulls
            print(name, null, found[f"{name}, {null}"], flush=True)
    return found


def signed_rank(one: Floats, two: Floats) -> float:
    """Wilcoxon's signed-rank test, one-sided for the system with the higher mean, by its normal limit."""
    differences = one - two if one.mean() > two.mean() else two - one
    differences = differences[differences != 0]
    _, places, counts = np.unique(np.abs(differences), return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[places]
    n = len(differences)
    variance = n * (n + 1) * (2 * n + 1) / 24 - float((counts**3 - counts).sum()) / 48
    z = (float(ranks[differences > 0].sum()) - n * (n + 1) / 4) / math.sqrt(variance)
    return 0.5 * math.erfc(z / math.sqrt(2))


class RatedSet(NamedTuple):
    """Ratings of the side-by-side set: systems by ratings, each of an item by a rater in a document."""

    cells: Floats
    items: Codes
    raters: Codes
    documents: Codes


def load_ratings() -> RatedSet:
    """Read the ratings that all systems have."""
    table = read(people() / "mqm" / "zh-en.sxs.3ratings.tsv.gz")
    by_rater = np.array([table.matrix("MQM", raters=name) for name in table.raters])  # raters, systems, items
    raters, items = np.nonzero(~np.isnan(by_rater).any(axis=1))
    documents = np.unique(np.array(table.documents), return_inverse=True)[1]
    return RatedSet(by_rater[raters, :, items].T, items, raters, documents[items])


def of_raters(nulls: int) -> dict[str, Any]:
    """False claims of four ways to treat several raters, on nulls of four kinds."""
    rated, found = load_ratings(), dict[str, Any](nulls=nulls)
    crossed = np.unique(rated.documents * (rated.raters.max() + 1) + rated.raters, return_inverse=True)[1]
    kinds = {
        "segments": rated.items,
        "documents": rated.documents,
        "documents x raters": crossed,
        "raters": rated.raters,
    }
    for kind, (null, codes) in enumerate(kinds.items()):
        claims = dict.fromkeys(WAYS, 0)
        for number in range(nulls):
            draw = np.random.default_rng([SEED, 9, kind, number])
            one, two = null_pair(rated.cells, codes, draw)
            for name, way in WAYS.items():
                claims[name] += way(rated, one, two, number) <= LEVEL
        found[null] = {name: 100 * count / nulls for name, count in claims.items()}
        print(null, {name: round(value, 2) for name, value in found[null].items()}, flush=True)
    return found


def each_rating(rated: RatedSet, one: Floats, two: Floats, seed: int) -> float:
    """Take each rating as an item, as if two ratings of a segment were two segments."""
    return p_value(one, two, "ar", None, seed)


def _means(rated: RatedSet, values: Floats) -> Floats:
    means: Floats = np.bincount(rated.items, values) / np.bincount(rated.items)
    return means


def _documents_of_items(rated: RatedSet) -> Codes:
    documents = np.zeros(rated.items.max() + 1, np.int_)
    documents[rated.items] = rated.documents
    return documents


def mean_segments(rated: RatedSet, one: Floats, two: Floats, seed: int) -> float:
    """Take the mean over raters, and swap segments."""
    return p_value(_means(rated, one), _means(rated, two), "ar", None, seed)


def mean_documents(rated: RatedSet, one: Floats, two: Floats, seed: int) -> float:
    """Take the mean over raters, and swap documents: the default."""
    return p_value(_means(rated, one), _means(rated, two), "ar", _documents_of_items(rated), seed)


def random_raters(rated: RatedSet, one: Floats, two: Floats, seed: int) -> float:
    """Add the variance of raters to that of documents."""
    shape = int(rated.raters.max()) + 1, int(rated.items.max()) + 1
    ratings = {}
    for name, values in (("one", one), ("two", two)):
        ratings[name] = np.full(shape, math.nan)
        ratings[name][rated.raters, rated.items] = values
    metric = RatedMetric("people", higher_is_better=True, ratings=ratings)
    rows = {name: {"people": metric.stats(np.nanmean(one, axis=0))} for name, one in ratings.items()}
    with silenced():
        found = compare(
            rows, metric, documents=_documents_of_items(rated).tolist(), n_confidence=0, n_samples=10, seed=seed,
            checks=False, threads=1,
        )  # fmt: skip
    return found.metrics[0].pairs[0].p_value


WAYS: dict[str, Callable[[RatedSet, Floats, Floats, int], float]] = {
    "each rating an item": each_rating,
    "mean, segments": mean_segments,
    "mean, documents": mean_documents,
    "random raters": random_raters,
}
EXPERIMENTS: dict[str, Callable[[int], dict[str, Any]]] = {
    "documents": of_documents,
    "rules": of_rules,
    "raters": of_raters,
}


def tables(figures: dict[str, Any]) -> dict[str, str]:
    """The tables of the page."""
    heads = [f"{test} {unit}" for unit in ("segments", "documents") for test in TESTS]
    by_set = {name: one for name, one in figures["documents"].items() if name != "nulls"}
    rows = [
        [name, *(f"{one[key]:.1f}" for key in heads), f"{figures['rules'][name]:.1f}"] for name, one in by_set.items()
    ]
    titles = [*(f"`{head.replace(' ', '` over ')}" for head in heads), "WMT25's rule"]
    by_null = {name: one for name, one in figures["raters"].items() if name != "nulls"}
    rated = [[way, *(f"{one[way]:.1f}" for one in by_null.values())] for way in WAYS]
    return {
        "people_documents": "\n".join(_table(["scores, null", *titles], rows)),
        "people_raters": "\n".join(_table(["analysis", *(f"null: {name}" for name in by_null)], rated)),
        "people_nulls": f"{figures['documents']['nulls']:,}",
        "people_segment_nulls": f"{figures['documents']['nulls'] // 4:,}",
        "people_rater_nulls": f"{figures['raters']['nulls']:,}",
        "people_error": f"{100 * math.sqrt(LEVEL * (1 - LEVEL) / figures['documents']['nulls']):.1f}",
        "people_rater_error": f"{100 * math.sqrt(LEVEL * (1 - LEVEL) / figures['raters']['nulls']):.1f}",
    }


def _table(head: list[str], rows: list[list[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|---|{'---:|' * (len(head) - 1)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def main() -> None:
    """Measure, print, and keep the figures if that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nulls", type=int, default=2000, help="pairs of each kind (default: 2000)")
    parser.add_argument("--only", nargs="+", choices=list(EXPERIMENTS), default=list(EXPERIMENTS))
    parser.add_argument("--write", action="store_true", help=f"keep the figures in {RECORD.name}")
    args = parser.parse_args()
    figures = json.loads(RECORD.read_text("utf-8")) if RECORD.is_file() else {}
    for name in args.only:
        figures[name] = EXPERIMENTS[name](args.nulls)
    if args.write:
        RECORD.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
