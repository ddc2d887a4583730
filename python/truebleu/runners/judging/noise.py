"""The noise of a judge, from several passes over the same texts.

>>> found = noise_of([[70.0, 72.0], [50.0, 51.0], [90.0, 93.0]])
>>> round(found.pass_sd, 3), round(found.noise_share, 4), found.repeats_for_10
(1.414, 0.0012, 1)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import NormalDist, fmean, stdev, variance
from typing import Any, NamedTuple

from truebleu._counts import number_of

_SHARE = 0.1  # of the variance of a segment's score that noise may have
_LEVEL = 0.05  # at which passes are said to prefer different systems
_ROUNDING = 1e-12  # variance that means of equal marks may have


class JudgeNoise(NamedTuple):
    """How much a judge contradicts itself."""

    pass_sd: float  # of the score of a system, between passes
    noise_share: float  # of the variance of a mark: 1 - ICC
    repeats_for_10: int | None  # passes after which noise is below a tenth of the variance; None if segments are alike
    pass_noise: float  # standard deviation that noise of single marks gives to the score of one pass
    pass_scores: list[float]  # of the system, in each pass


def noise_of(marks: Sequence[Sequence[float]]) -> JudgeNoise | None:
    """Measure the noise of marks, segments by passes; None for fewer than two of either.

    What all segments of a pass have in common is no noise of single marks, and is in `pass_sd`.
    """
    if len(marks) < 2 or len(marks[0]) < 2:
        return None
    passes, segments = len(marks[0]), len(marks)
    means = [fmean(one[at] for one in marks) for at in range(passes)]
    noise = _unexplained(marks)
    signal = max(0.0, variance(map(fmean, marks)) - noise / passes)
    total = noise + signal
    needed = max(1, math.ceil(noise / signal * (1 - _SHARE) / _SHARE)) if signal else None
    share = noise / total if total else 0.0
    return JudgeNoise(stdev(means), share, needed, math.sqrt(noise / segments), means)


def _unexplained(table: Sequence[Sequence[float]]) -> float:
    """The variance that neither the means of rows nor those of columns explain."""
    rows, columns = [fmean(row) for row in table], [fmean(column) for column in zip(*table, strict=True)]
    whole = fmean(rows)
    rest = (
        cell - row - column + whole
        for of, row in zip(table, rows, strict=True)
        for cell, column in zip(of, columns, strict=True)
    )
    return sum(one * one for one in rest) / ((len(rows) - 1) * (len(columns) - 1))


def disagreement(told: Sequence[Mapping[str, Any]]) -> tuple[float, float] | None:
    """How much passes move differences between systems, and how much of that noise of marks explains, as deviations.

    None unless passes move them by more than noise does. A pass that prefers a system moves its score in that pass
    only, which no test on means over passes sees.

    >>> one, other = ({"pass_noise": 0.3, "pass_scores": scores} for scores in ([70.0, 72.0, 71.0], [60.0, 62.0, 61.0]))
    >>> disagreement([one, other]), disagreement([one, {**other, "pass_scores": [62.0, 58.0, 63.0]}]) is None
    (None, False)
    """
    table = [one["pass_scores"] for one in told]
    if len(table) < 2 or len({*map(len, table)}) > 1:
        return None
    freedom = (len(table) - 1) * (len(table[0]) - 1)
    seen, noise = _unexplained(table), _ROUNDING + fmean(one["pass_noise"] ** 2 for one in told)
    # The cube root of a chi-square over its degrees of freedom is nearly normal (Wilson and Hilferty, 1931).
    spread = 2 / (9 * freedom)
    is_chance = NormalDist(1 - spread, math.sqrt(spread)).cdf((seen / noise) ** (1 / 3)) < 1 - _LEVEL
    return None if is_chance else (math.sqrt(2 * seen), math.sqrt(2 * noise))


def noise_notes(name: str, passes: object, told: Iterable[Mapping[str, Any] | None]) -> Iterator[str]:
    """Say what the passes of a judge tell of its noise, from the facts of the scores of its systems.

    >>> print(*noise_notes("Judge-DA", "1", []), *noise_notes("BLEU", None, []))
    Judge-DA: one pass; judge noise between passes is not known.
    >>> print(*noise_notes("J", 3, [{"pass_sd": 0.4, "noise_share": 0.31, "repeats_for_10": 5, "pass_scores": []}]))
    J: 3 passes. Between them the score of a system has a standard deviation of 0.4; noise is 31 % of the \
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
        if (found := disagreement(known)) is not None:
            yield (
                f"{name}: passes prefer different systems. Between them a difference has a standard deviation of "
                f"{found[0]:.2g}, of which noise of marks explains {found[1]:.2g}. Intervals and p-values do not cover "
                "that: another pass may give another result."
            )


def _from_to(values: Sequence[float]) -> str:
    return " to ".join(dict.fromkeys(f"{one:.0f}" if one >= 10 else f"{one:.2g}" for one in (min(values), max(values))))
