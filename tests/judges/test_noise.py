"""The noise of a judge, found again in made-up marks."""

import json

import numpy as np
import pytest

from conftest import REPOSITORY
from truebleu.runners.judging.noise import noise_of


def test_the_parts_of_the_variance_are_found() -> None:
    generator = np.random.default_rng(3)
    segments, passes = 4000, 5
    marks = generator.normal(0, 3, (segments, 1)) + generator.normal(0, 1.9, (segments, passes))
    found = noise_of((marks + np.arange(0, 50, 10)).tolist())
    assert found is not None
    assert pytest.approx(3.61 / 12.61, abs=0.01) == found.noise_share
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
    assert (0.0, 0.0, 1) == noise_of([[1.0, 1.0], [2.0, 2.0]])
    assert (0.0, 0.0, None) == noise_of([[1.0, 1.0], [1.0, 1.0]])
    assert noise_of([[1.0], [2.0]]) is None
    assert noise_of([[1.0, 2.0]]) is None
    assert noise_of([]) is None


def test_the_page_has_the_figures_of_the_simulation() -> None:
    found = json.loads((REPOSITORY / "bench" / "calibration_judges.json").read_text("utf-8"))["called"]
    page = (REPOSITORY / "docs" / "judges.md").read_text("utf-8")
    for passes in (1, 3):
        for noise, points in (("little", 4), ("much", 16)):
            fair, unfair = (found[f"{passes} passes, {noise} noise, {one} preference"] for one in ("none", "some"))
            cells = [f"{100 * one:.1f} %" for one in (fair["means"], unfair["means"], fair["joint"])]
            assert f"| {passes} | {points} points | {' | '.join(cells)} |" in page
            assert 0.04 <= fair["means"] <= 0.06
