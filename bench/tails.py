"""Are the bounds that stand for small p-values of many pairs never too small, and do many pairs keep the level?

python bench/tails.py [--corpora N] [--families N] [--only NAME ...]

`exact` compares bounds with all ways of swapping 20 units, `long` with a million shuffles of 150, and `families` counts
how often any of 276 pairs of equal systems is called significant. Texts are generated: words of Zipf's law, of which
systems get a share wrong and drop some. The seed was chosen before the first run, and all draws follow from it.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truebleu import _core
from truebleu.metrics import BLEU, CHRF, TER
from truebleu.resample.randomization import normal_bound
from truebleu.significance import ExternalMetric, compare
from truebleu.stats import Stats

SEED = 12345
METRICS: dict[str, Any] = {"BLEU": BLEU(), "chrF": CHRF(), "TER": TER()}
RANGES = ((1e-6, 1e-5), (1e-5, 1e-4), (1e-4, 1e-3), (1e-3, 1e-2))
WORDS = [f"w{at}" for at in range(500)]

Rows = NDArray[np.float64]
Figures = dict[str, Any]


def system_of(references: list[list[str]], wrong: float, dropped: float, draw: random.Random) -> list[str]:
    """Make the output of a system that gets some words wrong and drops some."""
    kept = ([word for word in words if draw.random() >= dropped] for words in references)
    return [" ".join(_word(draw) if draw.random() < wrong else word for word in words) or "x" for words in kept]


def references_of(units: int, draw: random.Random) -> list[list[str]]:
    longest = draw.choice((8, 16, 40))
    return [[_word(draw) for _ in range(draw.randint(2, longest))] for _ in range(units)]


def _word(draw: random.Random) -> str:
    return WORDS[min(int(draw.paretovariate(0.7)) - 1, len(WORDS) - 1)]


def pairs_of(units: int, draw: random.Random) -> dict[str, tuple[Rows, Rows]]:
    """Make two systems of any distance: their rows under each metric, a unit being one segment or several."""
    each = draw.choice((1, 1, 3, 10)) if units < 50 else 1
    references = references_of(units * each, draw)
    wrong, more = draw.uniform(0.05, 0.8), draw.choice((0.0, 0.05, 0.1, 0.2, 0.4))
    more = more if units < 50 else 0.4 * more
    dropped = draw.choice(((0.0, 0.0), (0.0, 0.3), (0.3, 0.0), (0.1, 0.15), (0.03, 0.04)))
    texts = [
        system_of(references, share, lost, draw)
        for share, lost in zip((wrong, min(0.98, wrong + more)), dropped, strict=True)
    ]
    streams = [[" ".join(words) for words in references]]
    rows = {key: [metric.stats(one, streams).rows for one in texts] for key, metric in METRICS.items()}
    summed = {key: [one.reshape(units, each, -1).sum(axis=1) for one in both] for key, both in rows.items()}
    return {key: (one, other) for key, (one, other) in summed.items()}


def exact(corpora: int, units: int = 20, seed: int = SEED) -> Figures:
    """Compare bounds with exact p-values."""

    def p_value(given: list[tuple[Any, bytes]]) -> float:
        ((further, equally),) = _core.randomize_every_way(given, [([0], [1])], threads=1)
        return (further + equally) / float(2 ** (units - 1))

    return _compared(corpora, units, random.Random(seed), p_value, least=2.0 ** (1 - units))


def long(corpora: int, units: int = 150, trials: int = 1_000_000, seed: int = SEED) -> Figures:
    """Compare bounds with long runs of shuffles, where the bound says that they are worth it."""

    def p_value(given: list[tuple[Any, bytes]]) -> float:
        ((further, equally),) = _core.randomize(
            given, [([0], [1])], trials=trials, seed=[seed], skip=0, threads=0, units=units, places=[]
        )
        return (further + equally) / trials

    return _compared(corpora, units, random.Random(seed), p_value, least=5 / trials)


def _compared(
    corpora: int, units: int, draw: random.Random, p_value: Callable[[list[tuple[Any, bytes]]], float], least: float
) -> Figures:
    found: dict[str, list[tuple[float, float]]] = {key: [] for key in METRICS}
    for _ in range(corpora):
        for key, both in pairs_of(units, draw).items():
            given = [(METRICS[key].engine, rows.tobytes()) for rows in both]
            (deviations,) = _core.gaps_in_deviations(given, [([0], [1])], threads=1)
            bound = normal_bound(deviations)
            if 1e-7 < bound < 0.2:
                found[key].append((p_value(given), bound))
    return {key: _figures([one for one in pairs if one[0] >= least]) for key, pairs in found.items()}


def _figures(pairs: list[tuple[float, float]]) -> Figures:
    """By size of the p-value: how many there are, the largest p-value for its bound, and the usual bound for a p."""
    figures = {}
    for low, high in RANGES:
        within = [p_value / bound for p_value, bound in pairs if low <= p_value < high]
        if within:
            worst, usual = max(within), 1 / float(np.median(within))
            figures[f"{low:g} to {high:g}"] = {"pairs": len(within), "p / bound": worst, "bound / p": usual}
    return figures


def families(count: int, systems: int = 24, units: int = 60, trials: int = 1000, seed: int = SEED) -> Figures:
    """Count how often equal systems have any significant pair: the outputs of each unit are dealt out anew."""
    draw, shuffle = random.Random(seed), np.random.default_rng(seed)
    references = references_of(units, draw)
    streams = [[" ".join(words) for words in references]]
    outputs = [system_of(references, 0.3, 0.05, draw) for _ in range(systems)]
    claims = dict.fromkeys((*METRICS, "mean"), 0)
    rows = {key: np.stack([metric.stats(one, streams).rows for one in outputs]) for key, metric in METRICS.items()}
    for _ in range(count):
        dealt = np.argsort(shuffle.random((systems, units)), axis=0), np.arange(units)
        tables = {key: [*cells[dealt]] for key, cells in rows.items()}
        # Few units decide a mean of scores with a long tail.
        scores = shuffle.lognormal(sigma=1.5, size=(systems, units)).round(6)
        given = {
            f"s{at}": {
                key: Stats(tables[key][at], metric.columns, metric.fingerprint(), (1, 1))
                for key, metric in METRICS.items()
            }
            | {"mean": scores[at].tolist()}
            for at in range(systems)
        }
        metrics = {**METRICS, "mean": ExternalMetric("mean", higher_is_better=True)}
        report = compare(given, metrics, all_pairs=True, n_samples=trials, n_confidence=0)
        assert report.is_bounded
        for one in report.metrics:
            claims[one.key] += any(pair.significant for pair in one.pairs)
    return {"families": count, "with a claim": claims}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=int, default=1000)
    parser.add_argument("--families", type=int, default=1000)
    parser.add_argument("--only", nargs="+", default=["exact", "long", "families"])
    args = parser.parse_args()
    experiments: dict[str, Callable[[], Figures]] = {
        "exact": lambda: exact(args.corpora),
        "long": lambda: long(args.corpora),
        "families": lambda: families(args.families),
    }
    print(json.dumps({name: experiments[name]() for name in args.only}, indent=2))


if __name__ == "__main__":
    main()
