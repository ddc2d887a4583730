"""The noise of a judge, from several passes over the same texts.

>>> found = noise_of([[70.0, 72.0], [50.0, 51.0], [90.0, 93.0]])
>>> round(found.pass_sd, 3), round(found.noise_share, 4), found.repeats_for_10
(1.414, 0.0012, 1)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, stdev, variance
from typing import NamedTuple

_SHARE = 0.1  # of the variance of a segment's score that noise may have


class JudgeNoise(NamedTuple):
    """How much a judge contradicts itself."""

    pass_sd: float  # of the score of a system, between passes
    noise_share: float  # of the variance of a mark: 1 - ICC
    repeats_for_10: int | None  # passes after which noise is below a tenth of the variance; None if segments are alike


def noise_of(marks: Sequence[Sequence[float]]) -> JudgeNoise | None:
    """Measure the noise of marks, segments by passes; None for fewer than two of either.

    What all segments of a pass have in common is no noise of single marks, and is in `pass_sd`.
    """
    if len(marks) < 2 or len(marks[0]) < 2:
        return None
    passes, segments = len(marks[0]), len(marks)
    means = [fmean(one[at] for one in marks) for at in range(passes)]
    whole = fmean(means)
    of_segments = [fmean(one) for one in marks]
    rest = sum(
        (mark - mean - of_segment + whole) ** 2
        for one, of_segment in zip(marks, of_segments, strict=True)
        for mark, mean in zip(one, means, strict=True)
    )
    noise = rest / ((segments - 1) * (passes - 1))
    signal = max(0.0, variance(of_segments) - noise / passes)
    total = noise + signal
    needed = max(1, math.ceil(noise / signal * (1 - _SHARE) / _SHARE)) if signal else None
    return JudgeNoise(stdev(means), noise / total if total else 0.0, needed)
