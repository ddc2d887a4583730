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

DEFAULT_SAMPLES = 1000


def resampled_scores(
    systems: Sequence[tuple[Any, NDArray[np.float64]]], samples: int, seed: Seed, *, skip: int = 0, threads: int = 0
) -> NDArray[np.float64]:
    """Score all systems on corpora that are drawn with replacement; the result has one row for each system.

    All systems see the same corpora.

    Parameters
    ----------
    systems
        The engine of a metric and the rows of a system, for each system.
    samples
        How many corpora are drawn.
    seed
        The seed of the random stream.
    skip
        How many 32-bit words at the beginning of the stream were used for something else.
    threads
        How many threads work; 0 for all cores.
    """
    import numpy as np

    given = [(engine, rows.tobytes()) for engine, rows in systems]
    scores = _core.bootstrap(given, samples=samples, seed=seed.words(), skip=skip, threads=threads)
    return np.frombuffer(scores).reshape(len(given), samples)


def bootstrap_p_value(baseline: NDArray[np.float64], system: NDArray[np.float64], gap: float) -> float:
    """Compute sacreBLEU's p-value of resampled scores.

    Absolute differences are centred by their mean, so in effect one tail is counted.

    Parameters
    ----------
    baseline
        The resampled scores of the baseline.
    system
        The scores of the system on the same resamples.
    gap
        The difference of the real scores.
    """
    differences = abs(system - baseline)
    further = int((differences - differences.mean() > abs(gap)).sum())
    return (further + 1) / (len(differences) + 1)


def two_sided_p_value(baseline: NDArray[np.float64], system: NDArray[np.float64], gap: float) -> float:
    """Compute a p-value that keeps its level: how often is a difference as far from its mean as the real one from zero?

    Parameters
    ----------
    baseline
        The resampled scores of the baseline.
    system
        The scores of the system on the same resamples.
    gap
        The difference of the real scores.
    """
    differences = system - baseline
    as_far = int((abs(differences - differences.mean()) >= abs(gap)).sum())
    return (as_far + 1) / (len(differences) + 1)
