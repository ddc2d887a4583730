"""What a difference is worth: the smallest one that a test finds, sizes of sets, equivalence; and simulations."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truebleu import demo
from truebleu.errors import OptionError
from truebleu.metrics import BLEU, CHRF, TER
from truebleu.significance import Comparison, ExternalMetric, compare
from truebleu.significance.power import (
    equivalence_of,
    needed_for,
    power_of,
    segments_for,
    smallest_difference,
    standard_errors,
)
from truebleu.significance.systems import tabulate
from truebleu.significance.units import t_quantile

M = {"m": ExternalMetric("m", higher_is_better=True)}
DATA = demo.load("en-de")
REFERENCES = list(DATA.references.values())
NEAR = [b if at % 9 else a for at, (a, b) in enumerate(zip(DATA.systems["atlas"], DATA.systems["birch"], strict=True))]


def judged(gaps: Any, **options: Any) -> Comparison:
    """Compare two systems whose scores differ by these."""
    base = np.linspace(0, 1, len(gaps))
    return compare({"a": {"m": base}, "b": {"m": base + gaps}}, M, **options)


@given(st.lists(st.integers(-50, 50), min_size=6, max_size=40))
def test_of_a_mean_the_error_is_that_of_the_textbook(gaps: list[int]) -> None:
    (pair,) = judged(np.array(gaps), n_confidence=0, n_samples=10).metrics[0].pairs
    assert pair.standard_error == pytest.approx(np.std(gaps, ddof=1) / math.sqrt(len(gaps)), abs=1e-9)


@pytest.mark.parametrize("metric", [BLEU(), CHRF(), TER()], ids=lambda one: one.name)
@pytest.mark.parametrize("documents", [None, DATA.docids[:80]])
def test_of_any_metric_the_error_is_that_of_leaving_out_and_near_that_of_resamples(
    metric: BLEU | CHRF | TER, documents: list[str] | None
) -> None:
    systems = {"a": DATA.systems["atlas"][:80], "b": DATA.systems["cedar"][:80]}
    streams = [stream[:80] for stream in REFERENCES]
    report = compare(systems, metric, streams, documents=documents, n_confidence=4000)
    (pair,) = report.metrics[0].pairs
    units = [*dict.fromkeys(documents)] if documents else [*range(80)]
    labels = documents or range(80)
    gaps = []
    for unit in units:
        kept = [at for at, label in enumerate(labels) if label != unit]
        references = [[stream[at] for at in kept] for stream in streams]
        a, b = (metric.corpus_score([texts[at] for at in kept], references).score for texts in systems.values())
        gaps.append(b - a)
    n = len(units)
    assert pair.standard_error == pytest.approx(
        math.sqrt((n - 1) / n * sum((gap - np.mean(gaps)) ** 2 for gap in gaps))
    )
    assert pair.interval is not None and pair.standard_error is not None
    half = (pair.interval[1] - pair.interval[0]) / 2
    assert t_quantile(1.96, n - 1) * pair.standard_error == pytest.approx(half, rel=0.12)


def test_only_what_was_not_found_is_said_to_be_too_small() -> None:
    rng = np.random.default_rng(1)
    found, missed = (judged(rng.normal(mean, 1, 50)) for mean in (3, 0.02))
    (clear,), (open_,) = (one.metrics[0].pairs for one in (found, missed))
    assert clear.significant and (None, None) == (clear.smallest_shown, clear.needed) and not found.notes
    assert not open_.significant and open_.smallest_shown == pytest.approx(
        (2.00958 + 0.84162) * open_.standard_error, rel=1e-4
    )
    assert open_.needed and open_.needed.most is None
    assert missed.notes[0].startswith("With 50 segments this test finds differences of 0.")
    assert open_.turned.smallest_shown == open_.smallest_shown and open_.turned.needed == open_.needed
    assert missed.to_dict()["metrics"][0]["pairs"][0]["needed"] == open_.needed._asdict()


def test_the_level_is_divided_where_p_values_are_corrected() -> None:
    systems = {"a": DATA.systems["birch"], "b": NEAR, "c": NEAR[:200] + DATA.systems["birch"][200:]}
    corrected, plain = (compare(systems, CHRF(), REFERENCES, correction=one, n_samples=300) for one in ("holm", None))
    ours, theirs = (one.metrics[0].pairs[0] for one in (corrected, plain))
    assert ours.smallest_shown and theirs.smallest_shown and ours.standard_error == theirs.standard_error
    assert ours.smallest_shown == pytest.approx(smallest_difference(ours.standard_error or 0, 0.05 / 2, 240))
    assert "at the level 0.05 / 2" in corrected.notes[0] and "level" not in plain.notes[0]


def test_too_few_units_and_equal_systems_say_nothing() -> None:
    (few,) = judged(np.arange(5.0), margin=100).metrics[0].pairs
    assert (None, None, None, "not shown") == (few.standard_error, few.smallest_shown, few.needed, few.equivalence)
    (same,) = judged(np.zeros(20), margin=0.1).metrics[0].pairs
    assert (0.0, None, "equivalent") == (same.standard_error, same.smallest_shown, same.equivalence)


@given(st.floats(0.01, 10), st.sampled_from([0.05, 0.01, 0.05 / 190]), st.floats(0.5, 0.99), st.integers(20, 3000))
def test_size_power_and_smallest_difference_are_one_formula(
    error: float, alpha: float, power: float, units: int
) -> None:
    smallest = smallest_difference(error, alpha, units, power)
    assert power_of(smallest, error, alpha, units) == pytest.approx(power, abs=2e-3)
    assert segments_for(smallest, error, alpha, (3 * units, units), power) == pytest.approx(3 * units, rel=0.01, abs=2)
    assert power_of(0, error, alpha, 10**6) == pytest.approx(alpha, rel=1e-3)


def test_sizes_at_both_ends() -> None:
    size = (100, 100)
    needed = needed_for(1.0, (-0.5, 2.5), 0.8, 0.05, size)
    assert needed == (segments_for(1.0, 0.8, 0.05, size), segments_for(2.5, 0.8, 0.05, size), None)
    seen, least, most = needed_for(1.0, (0.5, 1.5), 0.8, 0.05, size) or (0, 0, 0)
    assert seen and least and most and least < seen < most  # not significant after a correction
    assert (None, None, None) == needed_for(0.0, (0.0, 0.0), 0.8, 0.05, size)
    assert needed_for(1.0, None, 0.8, 0.05, size) is None


def test_a_plan_has_more_power_with_more_segments() -> None:
    report = compare({"a": DATA.systems["birch"], "b": NEAR}, ["bleu", "chrf"], REFERENCES, documents=DATA.docids)
    plan = report.plan(1.0)
    bleu = [size for size in plan.sizes if size.metric == "BLEU"]
    assert 14 == len(plan.sizes) and len(plan.to_pandas()) == 14 and 7 == len(bleu)
    here = next(size for size in bleu if size.n_segments == 240)
    assert here.n_documents == report.n_documents
    assert here.smallest == pytest.approx(report.metrics[0].pairs[0].smallest_shown)
    powers = [size.power or 0 for size in bleu]
    assert powers == sorted(powers) and any(0.8 <= power < 0.81 for power in powers)
    assert 7 == len(plan.to_dict()["sizes"]) / 2
    assert [None] * 12 == [size.power for size in report.plan().sizes]
    for wrong in ({"delta": 0}, {"delta": -1}, {"delta": "x"}, {"power": 1.0}, {"power": 0}):
        with pytest.raises(OptionError, match=r"Comparison\.plan"):
            report.plan(**wrong)


def test_equivalence_needs_the_whole_interval_within_the_margin() -> None:
    assert "equivalent" == equivalence_of(0.1, 0.1, 0.5, 0.05, 100)
    assert "no worse" == equivalence_of(0.4, 0.1, 0.5, 0.05, 100)
    assert "no better" == equivalence_of(-0.4, 0.1, 0.5, 0.05, 100)
    assert "not shown" == equivalence_of(0.1, 0.5, 0.5, 0.05, 100)
    rng = np.random.default_rng(3)
    (pair,) = judged(rng.normal(0.6, 1, 80), margin=0.5).metrics[0].pairs
    assert ("no worse", "no better") == (pair.equivalence, pair.turned.equivalence)
    lower = {"m": ExternalMetric("m", higher_is_better=False)}
    scores = {"a": {"m": np.zeros(80)}, "b": {"m": rng.normal(0.6, 1, 80)}}
    assert "no better" == compare(scores, lower, margin=0.5).metrics[0].pairs[0].equivalence
    with pytest.raises(OptionError, match="margin is -1, expected a number from 0"):
        judged(np.arange(9.0), margin=-1)


def test_what_is_not_significant_is_never_called_equal() -> None:
    report = judged(np.random.default_rng(5).normal(0, 1, 30), margin=0.01)
    assert not report.metrics[0].pairs[0].significant
    assert "of b and a it is not shown" in report.notes[1]
    assert not any(word in str(report) for word in ("equal", "no difference", "the same"))


def simulated(size: int, mean: float, count: int, documents: int | None = None) -> list[Comparison]:
    """Compare systems whose differences are drawn; in documents, if there are any."""
    rng, found = np.random.default_rng(12345), []
    labels = None if documents is None else [at * documents // size for at in range(size)]
    for _ in range(count):
        gaps = rng.normal(mean, 1, size)
        gaps += 0 if documents is None else rng.normal(0, 0.7, documents)[labels]
        found.append(judged(gaps, n_samples=999, n_confidence=0, margin=0.5, documents=labels))
    return found


@pytest.mark.parametrize("documents", [None, 20])
def test_predicted_power_is_that_of_simulated_tests(documents: int | None) -> None:
    size, mean = 60, 0.35 if documents is None else 0.55
    reports = simulated(size, mean, 400, documents)
    found = np.mean([one.metrics[0].pairs[0].significant for one in reports])
    predicted = np.mean(
        [power_of(mean, one.metrics[0].pairs[0].standard_error or 0, 0.05, documents or size) for one in reports]
    )
    assert 0.6 < predicted < 0.9
    assert predicted == pytest.approx(found, abs=0.06)  # the error of 400 simulations is 0.02


@pytest.mark.parametrize("documents", [None, 20])
def test_two_one_sided_tests_keep_their_level(documents: int | None) -> None:
    """At the margin itself, "no better" and "equivalent" are false."""
    reports = simulated(60, 0.5, 600, documents)
    wrong = sum(one.metrics[0].pairs[0].equivalence in ("no better", "equivalent") for one in reports)
    assert wrong / len(reports) <= 0.05 + 0.02


def test_strata_are_left_out_of_the_error() -> None:
    gaps = np.concatenate([np.full(30, 5.0), np.full(30, -5.0)]) + np.random.default_rng(2).normal(0, 1, 60)
    strata = np.repeat([0, 1], 30)
    rows = [[M["m"].stats(scores)] for scores in (np.zeros(60), gaps)]
    table = tabulate("test", "m", M["m"], ["a", "b"], rows)
    (plain,), (kept,) = (standard_errors(table, [(0, 1)], one) for one in (None, strata))
    parts = [gaps[strata == at] for at in (0, 1)]
    assert kept == pytest.approx(math.sqrt(sum(part.var(ddof=1) * 30 for part in parts)) / 60)
    assert plain > 4 * kept
