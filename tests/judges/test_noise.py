"""The noise of a judge, found again in made-up marks."""

import json

import numpy as np
import pytest

from conftest import REPOSITORY
from truebleu.runners.judging.noise import disagreement, noise_notes, noise_of


def test_the_parts_of_the_variance_are_found() -> None:
    generator = np.random.default_rng(3)
    segments, passes = 4000, 5
    marks = generator.normal(0, 3, (segments, 1)) + generator.normal(0, 1.9, (segments, passes))
    found = noise_of((marks + np.arange(0, 50, 10)).tolist())
    assert found is not None
    assert pytest.approx(3.61 / 12.61, abs=0.01) == found.noise_share
    assert found.pass_noise == pytest.approx(1.9 / 4000**0.5, rel=0.02)
    assert np.mean(marks, axis=0) + np.arange(0, 50, 10) == pytest.approx(found.pass_scores)
    assert found.repeats_for_10 == 4  # 9 * 3.61 / 9, rounded up
    assert pytest.approx(np.std([0, 10, 20, 30, 40], ddof=1), abs=0.1) == found.pass_sd


def test_it_is_the_variance_that_a_two_way_table_has() -> None:
    marks = np.random.default_rng(1).normal(50, 10, (7, 3))
    rest = marks - marks.mean(0) - marks.mean(1)[:, None] + marks.mean()
    noise = (rest**2).sum() / 12
    signal = marks.mean(1).var(ddof=1) - noise / 3
    found = noise_of(marks.tolist())
    assert found is not None
    assert pytest.approx(noise / (noise + max(signal, 0))) == found.noise_share


def test_equal_marks_have_no_noise_and_one_pass_tells_nothing() -> None:
    assert (0.0, 0.0, 1, 0.0, [1.5, 1.5]) == noise_of([[1.0, 1.0], [2.0, 2.0]])
    assert (0.0, 0.0, None, 0.0, [1.0, 1.0]) == noise_of([[1.0, 1.0], [1.0, 1.0]])
    assert noise_of([[1.0], [2.0]]) is None
    assert noise_of([[1.0, 2.0]]) is None
    assert noise_of([]) is None


def test_passes_that_prefer_systems_are_told_and_a_shift_of_all_is_not() -> None:
    def told(*scores: list[float], noise: float = 0.3) -> tuple[float, float] | None:
        return disagreement([{"pass_noise": noise, "pass_scores": one} for one in scores])

    assert told([70, 80, 60], [50, 60, 40]) is told([70, 71, 72], [50, 51, 52], noise=0) is None
    assert told([70, 70, 70], [50, 52, 48]) == pytest.approx((2.0, 0.3 * 2**0.5))  # the deviation of 20, 18, 22
    assert told([70, 70, 70], [50, 50.2, 49.8]) is None
    assert told([70, 72]) is told([70, 70], [50, 52, 48]) is told() is None
    # Of chance alone, one in twenty: a chi-square of two degrees of freedom is above 5.99.
    just = (2 * 5.99 / 2) ** 0.5 * 0.3
    assert told([0, 0, 0], [1.02 * just, 0, -1.02 * just]) and told([0, 0, 0], [0.98 * just, 0, -0.98 * just]) is None
    (*_, note) = noise_notes("J", 3, [{"pass_sd": 1, "noise_share": 0.1, "repeats_for_10": 1, "pass_noise": 0.3,
                                       "pass_scores": one} for one in ([70, 70, 70], [50, 52, 48])])  # fmt: skip
    assert "noise is 10 to 100 % of" in next(noise_notes("J", 3, [
        {"pass_sd": 1, "noise_share": one, "repeats_for_10": None, "pass_scores": []} for one in (0.1, 0.9959)
    ]))  # fmt: skip
    assert "passes prefer different systems. Between them a difference has a standard deviation of 2, of which" in note


def test_the_page_has_the_figures_of_the_simulation() -> None:
    found = json.loads((REPOSITORY / "bench" / "calibration_judges.json").read_text("utf-8"))["called"]
    page = (REPOSITORY / "docs" / "judges.md").read_text("utf-8")
    for passes in (1, 3):
        for noise, points in (("little", 4), ("much", 16)):
            fair, unfair = (found[f"{passes} passes, {noise} noise, {one} preference"] for one in ("none", "some"))
            shares = (fair["means"], unfair["means"], unfair["untold"], fair["joint"])
            cells = [f"{100 * one:.1f} %" for one in shares]
            assert f"| {passes} | {points} points | {' | '.join(cells)} |" in page
            assert 0.04 <= fair["means"] <= 0.06
    told = [found[f"3 passes, {noise} noise, some preference"]["told"] for noise in ("little", "much")]
    assert "in {:.0f} and {:.0f} of 100 such pairs".format(*(100 * one for one in told)) in page
    alarms = [found[f"3 passes, {noise} noise, none preference"]["told"] for noise in ("little", "much")]
    assert [5, 6] == sorted(round(100 * one) for one in alarms)
