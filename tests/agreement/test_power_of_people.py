"""Power and the smallest difference, predicted for scores of people and of metrics, and as simulated on WMT23."""

from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import real_texts
import truebleu
from truebleu.scores import ScoreTable
from truebleu.significance.power import power_of, smallest_difference

N, DRAWS = 300, 400
DATA = {
    "he-en MQM": "human-scores/he-en.mqm",
    "zh-en MQM": "human-scores/zh-en.mqm",
    "zh-en COMET": "metric-scores/zh-en/COMET-refA",
    "zh-en chrF": "metric-scores/zh-en/chrF-refA",
}


@cache
def differences(name: str) -> list[Any]:
    """The differences of some pairs of systems, segment by segment."""
    folder = real_texts.people_folder()
    if folder is None or not (folder / "wmt23").is_dir():
        pytest.skip("no scores of people at hand: name a folder with people/wmt23 in TRUEBLEU_TEST_DATA")
    table = truebleu.scores.read(folder / "wmt23" / f"{DATA[name]}.seg.score.gz")
    scores = table.matrix(table.metrics[0])
    scores = scores[~np.isnan(scores).all(axis=1)][:, ~np.isnan(scores).all(axis=0)]
    return [scores[a] - scores[b] for a, b in combinations(range(len(scores)), 2)][::3]


def simulated(values: Any, generator: np.random.Generator) -> float:
    """How often so many segments, drawn at random, show a difference at the level 5 %."""
    drawn = values[generator.integers(len(values), size=(DRAWS, N))]
    ratios = drawn.mean(axis=1) / (drawn.std(axis=1, ddof=1) / np.sqrt(N))
    return float((np.abs(ratios) > 1.9679).mean())  # Student's, with 299 degrees of freedom


@pytest.mark.parametrize("name", DATA)
def test_predicted_power_is_that_of_a_simulation(name: str) -> None:
    generator, off = np.random.default_rng(1), []
    for values in differences(name):
        error = float(values.std(ddof=1) / np.sqrt(N))
        off.append(abs(power_of(float(values.mean()), error, 0.05, N) - simulated(values, generator)))
    assert np.mean(off) <= 0.03


@pytest.mark.parametrize("name", DATA)
def test_the_smallest_difference_is_within_a_tenth_of_the_simulated_one(name: str) -> None:
    generator, found = np.random.default_rng(2), []
    for values in differences(name)[:12]:
        least = smallest_difference(float(values.std(ddof=1) / np.sqrt(N)), 0.05, N)
        centred = values - values.mean()
        found.append([simulated(centred + share * least, generator) for share in (0.9, 1.1)])
    below, above = np.mean(found, axis=0)
    assert below < 0.8 < above


def test_scores_of_people_have_power_too() -> None:
    generator = np.random.default_rng(3)
    rows = [("ab"[s], str(i), 60 + 20 * generator.normal()) for s in range(2) for i in range(80)]
    system, item, score = zip(*rows, strict=True)
    table = ScoreTable.from_columns(system=system, item=item, score=score, metric="ESA").with_documents(
        [f"d{at // 4}" for at in range(80)]
    )
    found = truebleu.scores.compare(table)
    (pair,) = found.metrics[0].pairs
    assert ("document", 20) == (pair.unit, pair.n_units) and not pair.significant
    assert pair.smallest_shown is not None and pair.needed is not None
    assert "this test finds differences of" in " ".join(found.notes)
    assert {"n_documents"} <= found.plan(5.0).to_dict()["sizes"][0].keys()
