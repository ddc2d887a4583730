"""The noise of a judge, from several passes over the same texts.

>>> found = noise_of([[70.0, 72.0], [50.0, 51.0], [90.0, 93.0]])
>>> round(found.pass_sd, 3), round(found.noise_share, 4), found.repeats_for_10
(1.414, 0.0012, 1)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean, stdev, variance
from typing import Any, NamedTuple

from truebleu._counts import number_of

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


def noise_notes(name: str, passes: object, told: Iterable[Mapping[str, Any] | None]) -> Iterator[str]:
    """Say what the passes of a judge tell of its noise, from the facts of the scores of its systems.

    >>> print(*noise_notes("Judge-DA", "1", []), *noise_notes("BLEU", None, []))
    Judge-DA: one pass; judge noise between passes is not known.
    >>> print(*noise_notes("Judge-DA", 3, [{"pass_sd": 0.4, "noise_share": 0.31, "repeats_for_10": 5}]))
    Judge-DA: 3 passes. Between them the score of a system has a standard deviation of 0.4; noise is 31 % of the \
variance of one mark, and below 10 % with 5 passes.
    """
    known = [one for one in told if one]
    if str(passes) == "1":
        yield f"{name}: one pass; judge noise between passes is not known."
    elif known:
        sd, share = (_from_to([one[key] * by for one in known]) for key, by in (("pass_sd", 1), ("noise_share", 100)))
        needed = [one["repeats_for_10"] for one in known]
        rest = f", and below 10 % with {number_of(max(needed), 'pass', 'passes')}" if None not in needed else ""
        yield (
            f"{name}: {passes} passes. Between them the score of a system has a standard deviation of {sd}; noise is "
            f"{share} % of the variance of one mark{rest}."
        )


def _from_to(values: Sequence[float]) -> str:
    return " to ".join(dict.fromkeys(f"{one:.2g}" for one in (min(values), max(values))))
