"""Bootstrap resampling (Koehn, 2004) with NumPy's random stream.

The same seed draws the same segments as sacreBLEU. Sums are exact here and in 32-bit floats there, so means and
intervals agree to the printed digits, not to the last bit.

Two p-values come from the same resamples. `bootstrap_p_value` is sacreBLEU's: it calls systems different about twice as
often as its level says. `two_sided_p_value` keeps its level; `docs/calibration.md` has the figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from truebleu import _core

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from truebleu.resample.seed import Seed

# Keeps the draws of strata apart from all others; any number would do.
_STRATA_STREAM = 0x73747261
_DRAWN_TOGETHER = 1 << 20  # units, so that they take little memory


def resampled_scores(
    systems: Sequence[tuple[Any, NDArray[np.float64]]], samples: int, seed: Seed, *, skip: int = 0, threads: int = 0
) -> NDArray[np.float64]:
    """Score all systems on corpora that are drawn with replacement; the result has one row for each system.

    All systems see the same corpora.
    """
    import numpy as np

    given = [(engine, rows.tobytes()) for engine, rows in systems]
    scores = _core.bootstrap(given, samples=samples, seed=seed.words(), skip=skip, threads=threads)
    return np.frombuffer(scores).reshape(len(given), samples)


def stratified_scores(
    systems: Sequence[tuple[Any, NDArray[np.float64]]], strata: NDArray[np.int_], samples: int, seed: Seed
) -> NDArray[np.float64]:
    """Score all systems on corpora in which each stratum is drawn by itself, with replacement, and keeps its size.

    How often each unit is drawn, times the rows of all systems beside each other, is the sum of what is drawn.
    """
    import numpy as np

    generator = np.random.default_rng([_STRATA_STREAM, *seed.words()])
    cells = np.hstack([rows for _, rows in systems])
    totals = np.zeros((samples, cells.shape[1]))
    for code in range(int(strata.max()) + 1):
        part = cells[strata == code]
        size = max(1, _DRAWN_TOGETHER // len(part))
        for start in range(0, samples, size):
            count = min(size, samples - start)
            drawn = generator.integers(len(part), size=(count, len(part))) + len(part) * np.arange(count)[:, None]
            times = np.bincount(drawn.ravel(), minlength=count * len(part)).reshape(count, len(part))
            totals[start : start + count] += times.astype(np.float64) @ part
    ends = np.cumsum([rows.shape[1] for _, rows in systems])[:-1]
    parts = zip(systems, np.split(totals, ends, axis=1), strict=True)
    return np.stack([np.frombuffer(engine.score_rows(sums.tobytes())) for (engine, _), sums in parts])


def bootstrap_p_value(baseline: NDArray[np.float64], system: NDArray[np.float64], gap: float) -> float:
    """Compute sacreBLEU's p-value of resampled scores.

    Absolute differences are centred by their mean, so in effect one tail is counted.
    """
    differences = abs(system - baseline)
    further = int((differences - differences.mean() > abs(gap)).sum())
    return (further + 1) / (len(differences) + 1)


def two_sided_p_value(baseline: NDArray[np.float64], system: NDArray[np.float64], gap: float) -> float:
    """Compute how often a drawn difference is as far from its mean as the real one is from zero."""
    import numpy as np

    # In place: with many pairs, most of the time went into new memory.
    differences = system - baseline
    differences -= differences.mean()
    np.abs(differences, out=differences)
    return (int(np.count_nonzero(differences >= abs(gap))) + 1) / (len(differences) + 1)
