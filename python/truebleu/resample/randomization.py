"""Approximate randomization (Riezler and Maxwell, 2005) with NumPy's random stream: sacreBLEU's p-values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from truebleu import _core

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from truebleu.resample.seed import Seed


Pair = tuple[list[int], list[int]]


def randomization_p_values(
    systems: Sequence[tuple[Any, NDArray[np.float64]]], pairs: list[Pair], trials: int, seed: Seed, *, threads: int = 0
) -> list[float]:
    """Compute the p-value of each pair: the share of shuffles in which two systems differ more than observed."""
    given = [(engine, rows.tobytes()) for engine, rows in systems]
    counts = _core.randomize(given, pairs, trials=trials, seed=seed.words(), threads=threads)
    return [(count + 1) / (trials + 1) for count in counts]


def words_used(trials: int, segments: int) -> int:
    """Count the 32-bit words of the random stream that the coins of all trials take."""
    return -(-trials * segments // 32)
