"""Many pairs: bounds in the place of small p-values, and no more shuffles than a pair needs."""

import logging
import math
import sys
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truebleu import _core
from truebleu.errors import OptionError
from truebleu.metrics import BLEU, CHRF
from truebleu.resample import randomization
from truebleu.resample.randomization import normal_bound, randomize
from truebleu.resample.seed import Seed
from truebleu.significance import Comparison, ExternalMetric, compare
from truebleu.significance.defaults import bounded_at, trials_of
from truebleu.significance.tests import TESTS

sys.path.append(str(Path(__file__).parents[2] / "bench"))
from tails import exact, families, pairs_of

MEAN = ExternalMetric("mean", higher_is_better=True).engine
SEED = Seed.of(3)


def rows_of(scores: list[float]) -> "np.ndarray[Any, np.dtype[np.float64]]":
    return np.array([(score, 1.0) for score in scores])


def deviations(*systems: list[float]) -> float:
    given = [(MEAN, rows_of(scores).tobytes()) for scores in systems]
    return _core.gaps_in_deviations(given, [([0], [1])], threads=2)[0]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=11))
def test_no_mean_is_rarer_than_its_bound(drawn: list[tuple[int, int]]) -> None:
    """For sums of numbers with random signs the bound is a theorem."""
    differences = [a - b for a, b in drawn]
    flips = [abs(sum(map(int.__mul__, signs, differences))) for signs in product((-1, 1), repeat=len(drawn))]
    p_value = sum(one >= abs(sum(differences)) for one in flips) / len(flips)
    found = deviations(*([float(pair[at]) for pair in drawn] for at in (0, 1)))
    squares = sum(one * one for one in differences)
    assert (abs(sum(differences)) / math.sqrt(squares) if squares else 0.0) == pytest.approx(found, abs=1e-9)
    assert p_value <= normal_bound(found) * (1 + 1e-9)  # two equal differences have exactly the bound


def test_the_bound_is_the_published_one() -> None:
    assert 3.18 == round(normal_bound(0), 2)
    assert normal_bound(4.0) == pytest.approx(3.1787 * 6.3342e-5, rel=1e-4)


def test_quotients_of_sums_are_not_rarer_than_their_bounds_either() -> None:
    found = exact(25, units=14)
    worst = [one["p / bound"] for of_metric in found.values() for one in of_metric.values()]
    assert len(worst) > 5 and max(worst) < 0.6


def many(systems: int = 24, units: int = 80, spread: float = 0.1) -> list[tuple[Any, Any]]:
    """Systems that get better and better."""
    draw = np.random.default_rng(1)
    scores = draw.normal(size=(systems, units)).round(2) + spread * np.arange(systems)[:, None]
    return [(MEAN, rows_of(one)) for one in scores.tolist()]


def obvious(systems: Any, pairs: Any, trials: int, least: float) -> list[float]:
    """Shuffle each pair by itself, from the beginning for every look."""
    found = []
    for pair in pairs:
        given = [(engine, rows.tobytes()) for engine, rows in systems]
        bound = max(least, normal_bound(_core.gaps_in_deviations(given, [pair], threads=1)[0]))
        for look in (1024, 4096, trials):
            plain = randomize(systems, [pair], look, SEED, threads=1)[0].p_value
            count = round(plain * (look + 1)) - 1
            if count >= 50 or (not count and bound == least) or look == trials:
                break
        found.append(plain if count else min(plain, bound))
    return found


def test_pairs_are_shuffled_until_enough_is_known_of_them() -> None:
    systems, least = many(), 1e-5
    pairs = [([a], [b]) for a, b in combinations(range(24), 2)]
    expected = obvious(randomization._made_whole(systems), pairs, 5000, least)
    assert expected == [one.p_value for one in randomize(systems, pairs, 5000, SEED, threads=1, least=least)]
    assert expected == [one.p_value for one in randomize(systems, pairs, 5000, SEED, threads=3, least=least)]
    assert least == min(expected) and any(least < one < 1 / 5001 for one in expected)
    grids = {n for n in (1025, 4097, 5001) for one in expected if one > 1 / n and abs(one * n - round(one * n)) < 1e-9}
    assert {1025, 4097, 5001} == grids


def test_runs_are_compared_as_one_system() -> None:
    systems = many(4, spread=0.3)
    pairs = [([0, 0], [3, 3]), ([0], [3])]
    twice, once = randomize(systems, pairs, 2000, SEED, least=1e-9)
    assert twice.p_value == pytest.approx(once.p_value) and once.p_value < 1e-4


def test_pairs_of_nothing_are_refused() -> None:
    with pytest.raises(OptionError, match="not runs that can be compared"):
        _core.gaps_in_deviations([(MEAN, bytes(16))], [([0], [1])], threads=1)


def compared(systems: int, **options: Any) -> Comparison:
    scores = {f"s{at:02}": {"m": rows[:, 0].tolist()} for at, (_, rows) in enumerate(many(systems))}
    return compare(scores, ExternalMetric("m", higher_is_better=True), all_pairs=True, n_confidence=0, **options)


def test_so_many_pairs_need_no_more_trials(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="truebleu"):
        report, few = compared(40), compared(24, n_samples=300)
    assert [] == caplog.messages
    assert (20_000, True) == (report.n_samples, report.is_bounded)
    assert "ar:20000|ties:counted|tail:bound|" in str(report.metrics[0].signature)
    assert (0.05 / 5, 0.05 / 5) == (pytest.approx(report.smallest_p_value), pytest.approx(few.smallest_p_value))
    assert few.is_bounded and any(pair.significant for pair in few.metrics[0].pairs)
    adjusted = [pair.adjusted_p_value for pair in report.metrics[0].pairs]
    assert min(one for one in adjusted if one is not None) == pytest.approx(report.smallest_p_value)


def test_bounds_find_what_enough_trials_find() -> None:
    report, slow = compared(40), compared(40, n_samples=80_000)
    assert report.is_bounded and not slow.is_bounded
    ours, theirs = ({(p.system, p.baseline) for p in one.metrics[0].pairs if p.significant} for one in (report, slow))
    assert ours <= theirs and len(ours) > 0.9 * len(theirs) > 100


@pytest.mark.parametrize(("systems", "options"), [(20, {}), (24, {"correction": None}), (24, {"test": "bs2"})])
def test_others_stay_as_they_were(systems: int, options: dict[str, Any]) -> None:
    report = compared(systems, n_samples=500, **options)
    assert not report.is_bounded and "tail" not in str(report.metrics[0].signature)


def test_more_pairs_than_200_have_a_bound_where_trials_are_too_few() -> None:
    test = TESTS["ar"]
    assert bounded_at(test, 20_000, 500, "holm", 0.05) is None
    assert bounded_at(test, 20_000, 501, "holm", 0.05) == pytest.approx(0.05 / 5 / 501)
    assert bounded_at(test, 1000, 200, "holm", 0.05) is None
    assert bounded_at(TESTS["bs2"], 1000, 501, "holm", 0.05) is None
    assert 0 < (bounded_at(test, 1000, 501, "holm", 5e-324) or 0)


@pytest.mark.parametrize(("pairs", "expected"), [(190, 20_000), (201, 20_000), (4000, 10_000), (19_900, 5000)])
def test_the_number_of_trials_falls_with_many_pairs(pairs: int, expected: int) -> None:
    class Table:
        cells = 1

    assert expected == trials_of(TESTS["ar"], [Table()], pairs, 0.05)  # type: ignore[list-item]


def test_the_signature_is_explained() -> None:
    from truebleu.metrics.explained import explained

    assert ("tail:bound", "p-values that are too small for so many swaps are upper bounds") in explained(
        "BLEU|nrefs:1|ar:20000|ties:counted|tail:bound|seed:12345|adjust:holm|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"
    )


def test_systems_that_hardly_differ_are_still_tried_in_every_way() -> None:
    texts = [f"the heron {at} stood by the pond" for at in range(60)]
    systems = {f"s{n:02}": [t if at >= n else f"the heron {at} sat" for at, t in enumerate(texts)] for n in range(24)}
    report = compare(systems, [BLEU(), CHRF()], [texts], all_pairs=True, n_samples=500, n_confidence=0)
    assert report.is_bounded
    for metric in report.metrics:
        by_names = {(pair.baseline, pair.system): pair for pair in metric.pairs}
        assert (1.0, True) == (by_names["s00", "s01"].p_value, by_names["s00", "s01"].exact)
        assert (2**-7, True) == (by_names["s00", "s08"].p_value, by_names["s00", "s08"].exact)
        assert not by_names["s00", "s23"].exact


@pytest.mark.guard
def test_equal_systems_are_rarely_called_different() -> None:
    """In 60 families with 5 % each, more than 9 come up once in 400 runs; bench/tails.py has a thousand."""
    found = families(60)
    assert max(found["with a claim"].values()) <= 9


def test_generated_pairs_are_of_all_kinds() -> None:
    import random

    both = pairs_of(10, random.Random(1))
    assert {"BLEU", "chrF", "TER"} == set(both) and all((one != other).any() for one, other in both.values())
