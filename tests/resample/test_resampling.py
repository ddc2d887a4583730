"""The core's draws and sums beside NumPy's, spelled out row by row."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truebleu import _core
from truebleu.errors import OptionError, StatsMismatch
from truebleu.metrics import BLEU, CHRF, TER
from truebleu.resample.bootstrap import bootstrap_p_value, resampled_scores, two_sided_p_value
from truebleu.resample.randomization import randomize, words_used
from truebleu.resample.seed import Seed
from truebleu.significance import ExternalMetric

METRICS: list[Any] = [
    BLEU(smooth_method="add-k", smooth_value=0.5),
    CHRF(word_order=1),
    TER(),
    ExternalMetric("m", higher_is_better=True),
]


def width(metric: Any) -> int:
    return 2 if isinstance(metric, ExternalMetric) else len(metric.columns)


@st.composite
def systems(draw: st.DrawFn, count: int) -> tuple[Any, list[Any]]:
    """Rows of a metric for a few systems; cells are whole numbers, some large, or for TER and scores anything."""
    metric = draw(st.sampled_from(METRICS))
    segments = draw(st.integers(2, 70))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    rows = [rng.integers(0, draw(st.sampled_from([3, 60, 90_000])), (segments, width(metric))) for _ in range(count)]
    fractions = isinstance(metric, (TER, ExternalMetric)) and draw(st.booleans())
    return metric, [row / draw(st.sampled_from([2, 3, 7])) if fractions else row.astype(float) for row in rows]


@given(systems(2), st.integers(0, 2**150), st.integers(0, 40), st.integers(0, 60))
def test_resamples_are_numpys(drawn: tuple[Any, list[Any]], seed: int, samples: int, tossed: int) -> None:
    metric, rows = drawn
    segments = len(rows[0])
    generator = np.random.default_rng(seed)
    generator.integers(0, 2, size=(tossed, segments), dtype=bool)
    indices = generator.choice(segments, size=(samples, segments), replace=True)
    # A resample's rows are added in the order of the segments, which shows where cells are fractions.
    totals = [[np.cumsum(row[np.sort(index)], axis=0)[-1] for index in indices] for row in rows]
    expected = [[metric.engine.score(total.tolist()) for total in system] for system in totals]
    found = resampled_scores(
        [(metric.engine, row) for row in rows], samples, Seed.of(seed), skip=words_used(tossed, segments), threads=2
    )
    assert np.array(expected).reshape(2, samples) == pytest.approx(found, rel=1e-12)
    if all(np.all(row == np.floor(row)) for row in rows):
        assert np.array(expected).reshape(2, samples).tolist() == found.tolist()


@given(systems(3), st.integers(0, 2**40), st.integers(1, 60))
def test_shuffles_are_numpys(drawn: tuple[Any, list[Any]], seed: int, trials: int) -> None:
    metric, rows = drawn
    stays = np.random.default_rng(seed).integers(0, 2, size=(trials, len(rows[0])), dtype=bool)

    def total(row: Any, chosen: Any) -> Any:
        return np.cumsum(np.vstack([np.zeros(row.shape[1]), row[chosen]]), axis=0)[-1]

    def gap(one: Any, other: Any, kept: Any) -> float:
        score = metric.engine.score
        mixed = total(one, kept) + total(other, ~kept), total(other, kept) + total(one, ~kept)
        return abs(score(mixed[0].tolist()) - score(mixed[1].tolist()))

    everything = np.ones(len(rows[0]), dtype=bool)
    pairs = [([0], [1]), ([0], [2]), ([2], [1])]
    expected = []
    for (one,), (other,) in pairs:
        real = gap(rows[one], rows[other], everything)
        further = sum(gap(rows[one], rows[other], kept) > real for kept in stays)
        expected.append((further + 1) / (trials + 1))
    tables = [(metric.engine, row) for row in rows]
    found = randomize(tables, pairs, trials, Seed.of(seed), threads=2, like_sacrebleu=True)
    assert expected == [one.strict for one in found]
    assert all(one.ways or one.p_value >= (one.strict or 0) for one in found)


@settings(max_examples=50)
@given(st.lists(st.floats(-10, 10), min_size=1, max_size=40), st.floats(-5, 5))
def test_p_values_of_resamples_are_those_of_their_definitions(differences: list[float], gap: float) -> None:
    baseline, system = np.zeros(len(differences)), np.array(differences)
    centred = np.abs(system) - np.abs(system).mean()
    assert (sum(c > abs(gap) for c in centred) + 1) / (len(system) + 1) == bootstrap_p_value(baseline, system, gap)
    strayed = np.abs(system - system.mean())
    assert (sum(c >= abs(gap) for c in strayed) + 1) / (len(system) + 1) == two_sided_p_value(baseline, system, gap)


def test_rows_that_do_not_fit_are_refused() -> None:
    bleu, ter = BLEU().engine, TER().engine
    options: Any = {"seed": [1], "skip": 0, "threads": 1}
    with pytest.raises(StatsMismatch, match="24 bytes are not rows of 10 doubles"):
        _core.bootstrap([(bleu, bytes(24))], samples=1, **options)
    with pytest.raises(StatsMismatch, match="a system has 1 rows and the first has 2"):
        _core.bootstrap([(bleu, bytes(160)), (ter, bytes(16))], samples=1, **options)
    with pytest.raises(StatsMismatch, match="different metrics"):
        _core.randomize([(bleu, bytes(80)), (ter, bytes(16))], [([0], [1])], trials=1, units=1, places=[], **options)
    for pair in (([0], [7]), ([], []), ([0], [0, 0])):
        with pytest.raises(OptionError, match="not runs that can be compared"):
            _core.randomize([(ter, bytes(16))], [pair], trials=1, units=1, places=[], **options)
    for units, places in ((2, []), (2, [2]), (3, [0, 1])):
        with pytest.raises(StatsMismatch, match="1 rows do not fit"):
            _core.randomize([(ter, bytes(16))], [([0], [0])], trials=1, units=units, places=places, **options)
    with pytest.raises(StatsMismatch, match="31 rows can be swapped in too many ways"):
        _core.randomize_every_way([(ter, bytes(31 * 16))], [([0], [0])], threads=1)
