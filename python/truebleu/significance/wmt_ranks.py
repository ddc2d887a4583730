"""Rank ranges and clusters of a shared task, as WMT reports them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

Win = tuple[int, int]


def rank_ranges(systems: int, wins: Collection[Win]) -> list[tuple[int, int]]:
    """Find the best and the worst rank that each system may have: behind all who beat it, before all it beats.

    Examples
    --------
    >>> rank_ranges(3, {(0, 1), (0, 2)})
    [(1, 1), (2, 3), (2, 3)]
    """
    beaten_by = [sum(loser == at for _, loser in wins) for at in range(systems)]
    beats = [sum(winner == at for winner, _ in wins) for at in range(systems)]
    return [(1 + above, systems - below) for above, below in zip(beaten_by, beats, strict=True)]


def clusters(ranking: Sequence[int], wins: Collection[Win]) -> list[list[int]]:
    """Cut a ranking wherever every system above beats every system below.

    Examples
    --------
    >>> clusters([2, 0, 1], {(2, 0), (2, 1)})
    [[2], [0, 1]]
    """
    won = set(wins)
    groups: list[list[int]] = []
    for place, system in enumerate(ranking):
        is_cut = all((above, below) in won for above in ranking[:place] for below in ranking[place:])
        if is_cut:
            groups.append([])
        groups[-1].append(system)
    return groups
