"""Randomization tests (Noreen, 1989; Riezler and Maxwell, 2005), with NumPy's random stream for the coins.

Two p-values come from the same shuffles. sacreBLEU's counts those that put two systems *further* apart than they are.
Ours counts those that put them *as far* apart as well: with one segment that differs, all of them do, and p is 1, where
sacreBLEU's is the smallest there can be. Where few units differ, all ways of swapping them are tried, and p is exact.

**Many pairs.** A correction for thousands of pairs asks for p-values that no number of shuffles worth waiting for can
give. Where no shuffle puts a pair as far apart as it is, p is then a bound: a shuffled difference is (nearly; where the
metric is a mean, exactly) a sum of numbers with random signs, and such a sum is z standard deviations or more from zero
with a probability of at most 3.18 times that of a normal variable (Bentkus and Dzindzalieta, 2015, "A tight Gaussian
bound for weighted sums of Rademacher random variables"). Pairs of which enough is known are not shuffled further
(Besag and Clifford, 1991, "Sequential Monte Carlo p-values"): p is then the share of the shuffles made until then. That
is valid at every level. Take the first look at which a pair can have both enough and a p-value within the level: a pair
that is called significant there or later has a p-value within the level at this look, which chance gives no more often
than the level says.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from truebleu import _core
from truebleu._options import EXACT

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from truebleu.resample.seed import Seed

    Systems = Sequence[tuple[Any, NDArray[np.float64]]]

Pair = tuple[list[int], list[int]]

# Up to so many units that differ, all ways of swapping them are tried: 65,536, because to swap all is to swap none.
MOST_ENUMERATED = 17

# Many pairs are looked at after so many shuffles. Those that so many of them put as far apart as they are, or further,
# are then left out. Multiples of 32 shuffles end with a word of the random stream.
_LOOKS = 1024, 4096
_ENOUGH = 50

# The factor of Bentkus and Dzindzalieta: 1 / (4 P(Z >= √2)).
_OVER_NORMAL = 1 / (2 * math.erfc(1))

# Odd, and otherwise any number.
_MIXER = -0x61C8_8646_80B5_83EB

# The core adds multiples of 2⁻¹² without rounding.
_FRACTIONS = 4096


class Shuffled(NamedTuple):
    """The p-values of one pair."""

    p_value: float  # ties are counted
    ways: int  # of swapping the units that differ, where all were tried; 0 where shuffles were drawn
    strict: float | None = None  # sacreBLEU's, where it was asked for


def randomize(
    systems: Systems, pairs: list[Pair], trials: int, seed: Seed, *, threads: int = 0, like_sacrebleu: bool = False,
    least: float | None = None,
) -> list[Shuffled]:  # fmt: skip
    """Compute the p-values of pairs of systems, each a list of runs by their index.

    With `least`, p-values below those of so many trials are bounds, down to this one.
    """
    whole = _made_whole(systems)
    few = _few_differing(whole, pairs)
    drawn = [pair for at, pair in enumerate(pairs) if at not in few]
    strict: list[float | None] = [None] * len(pairs)
    if like_sacrebleu:
        counts = _tossed(systems, pairs, trials, seed, threads)
        strict = [(further + 1) / (trials + 1) for further, _ in counts]
        counts = [count for at, count in enumerate(counts) if at not in few]
    if least is not None:
        p_values = _bounded(whole, drawn, trials, seed, threads, least) if drawn else []
    else:
        if not like_sacrebleu or whole is not systems:
            counts = _tossed(whole, drawn, trials, seed, threads) if drawn else []
        p_values = [(sum(count) + 1) / (trials + 1) for count in counts]
    left = iter(p_values)
    found = []
    for at, pair in enumerate(pairs):
        if at in few:
            found.append(_enumerated(whole, pair, few[at], threads)._replace(strict=strict[at]))
        else:
            found.append(Shuffled(next(left), 0, strict[at]))
    return found


def differing_units(systems: Systems, pair: Pair) -> NDArray[np.int_]:
    """Find the units in which any run of one system differs from that of the other."""
    import numpy as np

    rows = [(systems[one][1], systems[other][1]) for one, other in zip(*pair, strict=True)]
    return np.flatnonzero(np.logical_or.reduce([(one != other).any(axis=1) for one, other in rows]))


def normal_bound(deviations: float) -> float:
    """Bound the probability that a sum of numbers with random signs is so many standard deviations from zero, or more.

    Examples
    --------
    >>> round(normal_bound(5), 8)
    1.82e-06
    """
    return _OVER_NORMAL * math.erfc(deviations / math.sqrt(2))


def words_used(trials: int, segments: int) -> int:
    """Count the 32-bit words of the random stream that the coins of all trials take."""
    return -(-trials * segments // 32)


def _made_whole(systems: Systems) -> Systems:
    """Round cells so that no sum of them is rounded, where they are not whole: two ways to the same sum must tie.

    Scores from elsewhere keep about 12 digits, decimal ones, because 0.1 + 0.2 is to be 0.3. All formulas with such
    cells are quotients of sums, so the scale does not matter.
    """
    import numpy as np

    largest: dict[int, float] = {}
    for engine, rows in systems:
        parts = rows * _FRACTIONS
        if (parts != np.rint(parts)).any():
            largest[id(engine)] = 0.0
    if not largest:
        return systems
    for engine, rows in systems:
        if id(engine) in largest:
            largest[id(engine)] = max(largest[id(engine)], float(np.abs(rows).max()) * len(rows))
    # The core needs room for the largest cell in the place of every other.
    scales = {key: 10.0 ** np.floor(np.log10(EXACT / (2 * MOST_ENUMERATED) / size)) for key, size in largest.items()}
    return [(engine, np.rint(rows * scales[id(engine)]) if id(engine) in scales else rows) for engine, rows in systems]


def _few_differing(systems: Systems, pairs: list[Pair]) -> dict[int, NDArray[np.int_]]:
    """Find the units that differ, of the pairs with so few that all ways of swapping them can be tried."""
    import numpy as np

    # Nearly always, the first few units of one run say that there are more. Each row is one number for that: its bits
    # are added up, with factors by column and with overflow, so that different numbers are those of different rows. To
    # add 0 makes -0 the same as 0.
    first = [(rows[: 4 * MOST_ENUMERATED] + 0.0).view(np.int64) for _, rows in systems]
    starts = [rows @ np.cumprod(np.full(rows.shape[1], _MIXER)) for rows in first]
    found = {}
    for at, pair in enumerate(pairs):
        if np.count_nonzero(starts[pair[0][0]] != starts[pair[1][0]]) <= MOST_ENUMERATED:
            units = differing_units(systems, pair)
            if len(units) <= MOST_ENUMERATED:
                found[at] = units
    return found


def _enumerated(systems: Systems, pair: Pair, units: NDArray[np.int_], threads: int) -> Shuffled:
    if not len(units):
        return Shuffled(1.0, 1)
    runs = len(pair[0])
    given = [(systems[at][0], _folded(systems[at][1], units).tobytes()) for runs in pair for at in runs]
    places = [*range(runs)], [*range(runs, 2 * runs)]
    ((further, equally),) = _core.randomize_every_way(given, [places], threads=threads)
    ways = 1 << (len(units) - 1)
    return Shuffled((further + equally) / ways, ways)


def _bounded(systems: Systems, pairs: list[Pair], trials: int, seed: Seed, threads: int, least: float) -> list[float]:
    """Compute p-values that may be bounds, and look from time to time which pairs need more shuffles."""
    given = [(engine, rows.tobytes()) for engine, rows in systems]
    deviations = _core.gaps_in_deviations(given, pairs, threads=threads)
    bounds = [max(least, normal_bound(one)) for one in deviations]
    counts, found, left, done = [0] * len(pairs), [1.0] * len(pairs), [*range(len(pairs))], 0
    for look in (*(look for look in _LOOKS if look < trials), trials):
        tossed = _tossed(systems, [pairs[at] for at in left], look - done, seed, threads, done) if left else []
        for at, count in zip(left, tossed, strict=True):
            counts[at] += sum(count)
            share = (counts[at] + 1) / (look + 1)
            found[at] = share if counts[at] else min(share, bounds[at])
        left = [at for at in left if counts[at] < _ENOUGH and (counts[at] or bounds[at] > least)]
        done = look
    return found


def _tossed(
    systems: Systems, pairs: list[Pair], trials: int, seed: Seed, threads: int, done: int = 0
) -> list[tuple[int, int]]:
    """Count the shuffles that put each pair further apart than it is, and those that put it as far apart.

    Units that are the same in all systems are left out where it saves time. Each unit keeps its own coins, so p-values
    do not depend on it.
    """
    import numpy as np

    units, firsts = len(systems[0][1]), dict[int, "NDArray[np.float64]"]()
    is_needed = np.zeros(units, np.bool_)
    for engine, cells in systems:
        is_needed |= (cells != firsts.setdefault(id(engine), cells)).any(axis=1)
    is_less = 2 * is_needed.sum() <= units and all((cells == np.rint(cells)).all() for _, cells in systems)
    places = np.flatnonzero(is_needed) if is_less else np.zeros(0, np.int_)
    rows = [_folded(rows, places) if len(places) else rows for _, rows in systems]
    given = [(engine, cells.tobytes()) for (engine, _), cells in zip(systems, rows, strict=True)]
    return _core.randomize(
        given, pairs, trials=trials, seed=seed.words(), skip=words_used(done, units),
        threads=threads, units=units, places=places.tolist(),
    )  # fmt: skip


def _folded(rows: NDArray[np.float64], units: NDArray[np.int_]) -> NDArray[np.float64]:
    """Keep some units, and add the others to the last: both systems have the same there, so swaps change nothing."""
    import numpy as np

    kept: NDArray[np.float64] = rows[units]
    kept[-1] += np.delete(rows, units, axis=0).sum(axis=0)
    return kept
