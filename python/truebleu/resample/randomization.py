"""Randomization tests (Noreen, 1989; Riezler and Maxwell, 2005), with NumPy's random stream for the coins.

Two p-values come from the same shuffles. sacreBLEU's counts those that put two systems *further* apart than they are.
Ours counts those that put them *as far* apart as well: with one segment that differs, all of them do, and p is 1, where
sacreBLEU's is the smallest there can be. Where few units differ, all ways of swapping them are tried, and p is exact.
"""

from __future__ import annotations

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

# The core adds multiples of 2⁻¹² without rounding.
_FRACTIONS = 4096


class Shuffled(NamedTuple):
    """The p-values of one pair."""

    p_value: float  # ties are counted
    ways: int  # of swapping the units that differ, where all were tried; 0 where shuffles were drawn
    strict: float | None = None  # sacreBLEU's, where it was asked for


def randomize(
    systems: Systems, pairs: list[Pair], trials: int, seed: Seed, *, threads: int = 0, like_sacrebleu: bool = False
) -> list[Shuffled]:
    """Compute the p-values of pairs of systems, each a list of runs by their index."""
    whole = _made_whole(systems)
    few = {at: units for at, pair in enumerate(pairs) if (units := _few_differing(whole, pair)) is not None}
    drawn = [pair for at, pair in enumerate(pairs) if at not in few]
    strict: list[float | None] = [None] * len(pairs)
    if like_sacrebleu:
        counts = _tossed(systems, pairs, trials, seed, threads)
        strict = [_share(further, trials) for further, _ in counts]
        counts = [count for at, count in enumerate(counts) if at not in few]
    if not like_sacrebleu or whole is not systems:
        counts = _tossed(whole, drawn, trials, seed, threads) if drawn else []
    left = iter(counts)
    found = []
    for at, pair in enumerate(pairs):
        if at in few:
            found.append(_enumerated(whole, pair, few[at], threads)._replace(strict=strict[at]))
        else:
            found.append(Shuffled(_share(sum(next(left)), trials), 0, strict[at]))
    return found


def differing_units(systems: Systems, pair: Pair) -> NDArray[np.int_]:
    """Find the units in which any run of one system differs from that of the other."""
    import numpy as np

    rows = [(systems[one][1], systems[other][1]) for one, other in zip(*pair, strict=True)]
    return np.flatnonzero(np.logical_or.reduce([(one != other).any(axis=1) for one, other in rows]))


def words_used(trials: int, segments: int) -> int:
    """Count the 32-bit words of the random stream that the coins of all trials take."""
    return -(-trials * segments // 32)


def _share(count: int, trials: int) -> float:
    return (count + 1) / (trials + 1)


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


def _few_differing(systems: Systems, pair: Pair) -> NDArray[np.int_] | None:
    """Find the units that differ, if they are so few that all ways of swapping them can be tried."""
    start = [(engine, rows[: 4 * MOST_ENUMERATED]) for engine, rows in (systems[at] for runs in pair for at in runs)]
    runs = len(pair[0])
    # Nearly always, the first few say that there are more.
    if len(differing_units(start, ([*range(runs)], [*range(runs, 2 * runs)]))) > MOST_ENUMERATED:
        return None
    units = differing_units(systems, pair)
    return units if len(units) <= MOST_ENUMERATED else None


def _enumerated(systems: Systems, pair: Pair, units: NDArray[np.int_], threads: int) -> Shuffled:
    if not len(units):
        return Shuffled(1.0, 1)
    runs = len(pair[0])
    given = [(systems[at][0], _folded(systems[at][1], units).tobytes()) for runs in pair for at in runs]
    places = [*range(runs)], [*range(runs, 2 * runs)]
    ((further, equally),) = _core.randomize_every_way(given, [places], threads=threads)
    ways = 1 << (len(units) - 1)
    return Shuffled((further + equally) / ways, ways)


def _tossed(systems: Systems, pairs: list[Pair], trials: int, seed: Seed, threads: int) -> list[tuple[int, int]]:
    """Count the shuffles that put each pair further apart than it is, and those that put it as far apart."""
    units, places = len(systems[0][1]), _worth_shuffling(systems)
    rows = [_folded(rows, places) if len(places) else rows for _, rows in systems]
    given = [(engine, cells.tobytes()) for (engine, _), cells in zip(systems, rows, strict=True)]
    return _core.randomize(
        given, pairs, trials=trials, seed=seed.words(), threads=threads, units=units, places=places.tolist()
    )


def _worth_shuffling(systems: Systems) -> NDArray[np.int_]:
    """Find the units that are not the same in all systems, where it saves time to leave out the others.

    Each unit keeps its own coins, so p-values do not depend on it.
    """
    import numpy as np

    firsts: dict[int, NDArray[np.float64]] = {}
    is_needed = np.zeros(len(systems[0][1]), np.bool_)
    for engine, rows in systems:
        is_needed |= (rows != firsts.setdefault(id(engine), rows)).any(axis=1)
        if 2 * is_needed.sum() > len(is_needed):
            return np.zeros(0, np.int_)
    is_whole = all((rows == np.rint(rows)).all() for _, rows in systems)
    return np.flatnonzero(is_needed) if is_whole else np.zeros(0, np.int_)


def _folded(rows: NDArray[np.float64], units: NDArray[np.int_]) -> NDArray[np.float64]:
    """Keep some units, and add the others to the last: both systems have the same there, so swaps change nothing."""
    import numpy as np

    kept: NDArray[np.float64] = rows[units]
    kept[-1] += np.delete(rows, units, axis=0).sum(axis=0)
    return kept
