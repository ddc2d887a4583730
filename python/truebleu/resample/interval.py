"""Mean and 95 % interval of resampled scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from truebleu._inputs import check_numbers
from truebleu.errors import EmptyCorpus

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


# One number in so many tells about where the others are.
_EVERY = 64


class Interval(NamedTuple):
    """The mean of resampled scores, and half the width of their 95 % interval."""

    mean: float
    half_width: float


def estimate_interval(scores: NDArray[np.float64]) -> Interval:
    """Estimate the mean, and half the distance between the scores that leave out 2.5 % at either end.

    Parameters
    ----------
    scores
        The resampled scores.

    Examples
    --------
    >>> import numpy as np
    >>> estimate_interval(np.arange(100.0))
    Interval(mean=49.5, half_width=47.5)
    """
    import math

    # An iterator can be read only once, and scores are needed twice; an array may hold values that cannot be added.
    if not hasattr(scores, "__len__") or getattr(getattr(scores, "dtype", None), "kind", "f") not in "fiu":
        scores = check_numbers("estimate_interval", "scores", scores)  # type: ignore[assignment]
    low, high = percentile_interval(scores)
    # The exact sum, rounded once. `statistics.mean` is exact too, but took a quarter of a whole bootstrap. The sum of
    # Python's numbers is nearly twice as fast as that of NumPy's.
    numbers = scores.tolist() if hasattr(scores, "tolist") else scores
    return Interval(math.fsum(numbers) / len(scores), 0.5 * (high - low))


def percentile_interval(scores: NDArray[np.float64]) -> tuple[float, float]:
    """Find the scores that leave out 2.5 % at either end, without interpolation."""
    import numpy as np

    if not isinstance(scores, np.ndarray) or scores.ndim != 1 or scores.dtype.kind not in "fiu":
        scores = np.array(check_numbers("percentile_interval", "scores", scores))
    if not len(scores):
        raise EmptyCorpus("percentile_interval: scores is empty, expected at least one")
    # Only numbers that are far out are sorted; a sample tells about where that begins.
    cut, sample = len(scores) // 40, np.sort(scores[::_EVERY])
    place = min(3 * cut // (2 * _EVERY) + 10, len(sample) - 1)
    low, high = sample[place], sample[-1 - place]
    ranked = np.sort(scores[(scores <= low) | (scores >= high)])
    beyond = ranked.searchsorted(low, "right"), len(ranked) - ranked.searchsorted(high, "left")
    if min(beyond) <= cut:
        ranked = np.sort(scores)
    return float(ranked[cut]), float(ranked[-1 - cut])
