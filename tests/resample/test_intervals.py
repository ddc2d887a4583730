"""The ends of an interval are found without sorting, and are those that sorting would find."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truebleu.resample.bootstrap import two_sided_p_value
from truebleu.resample.interval import percentile_interval


def _sorted_ends(scores: np.ndarray) -> tuple[float, float]:
    ranked = np.sort(scores)
    cut = len(ranked) // 40
    return float(ranked[cut]), float(ranked[len(ranked) - cut - 1])


@given(st.integers(0, 2**32), st.integers(1, 20_000), st.sampled_from(["normal", "ties", "falling", "clumped"]))
def test_the_ends_are_those_of_the_sorted_scores(seed: int, size: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.standard_normal(size)
    if kind == "ties":
        scores = scores.round(1) + 0.0
    elif kind == "falling":
        scores = -np.sort(scores)
    elif kind == "clumped":  # what the sample sees is not where the others are
        scores[::64] = 100.0
    assert _sorted_ends(scores) == percentile_interval(scores)


@pytest.mark.parametrize("gap", [0.0, 0.5, 3.0])
def test_the_p_value_counts_what_is_as_far(gap: float) -> None:
    rng = np.random.default_rng(1)
    ours, theirs = rng.standard_normal((2, 999))
    differences = theirs - ours
    as_far = int((abs(differences - differences.mean()) >= gap).sum())
    found = two_sided_p_value(ours, theirs, -gap)
    assert ((as_far + 1) / 1000, float) == (found, type(found))
