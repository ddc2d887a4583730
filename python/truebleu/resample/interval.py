"""Mean and 95 % interval of resampled scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def estimate_interval(scores: NDArray[np.float64]) -> tuple[float, float]:
    """The mean, and half the distance between the scores that leave out 2.5 % at either end.

    >>> import numpy as np
    >>> estimate_interval(np.arange(100.0))
    (49.5, 47.5)
    """
    import math

    low, high = percentile_interval(scores)
    # The exact sum, rounded once. `statistics.mean` is exact to the end, and took a quarter of a whole bootstrap.
    return math.fsum(scores) / len(scores), 0.5 * (high - low)


def percentile_interval(scores: NDArray[np.float64]) -> tuple[float, float]:
    """The scores that leave out 2.5 % at either end; no interpolation."""
    import numpy as np

    ranked = np.sort(scores)
    cut = len(ranked) // 40
    return float(ranked[cut]), float(ranked[len(ranked) - cut - 1])
