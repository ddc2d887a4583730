"""Agreement with people, counted pair by pair, and in fractions where that decides."""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np

Table = Sequence[Sequence[float | None]]  # systems × items


def groups(people: Table, metric: Table, group: str) -> list[list[tuple[float, float]]]:
    """The cells that both have, by item, by system, or all in one."""
    cells = [
        (at, item, h, m)
        for at, (row, other) in enumerate(zip(people, metric, strict=True))
        for item, (h, m) in enumerate(zip(row, other, strict=True))
        if h is not None and m is not None
    ]
    keys = {"item": lambda cell: cell[1], "system": lambda cell: cell[0], "none": lambda cell: 0}
    found: dict[int, list[tuple[float, float]]] = {}
    for cell in cells:
        found.setdefault(keys[group](cell), []).append(cell[2:])
    return list(found.values())


def sign(value: float) -> int:
    return (value > 0) - (value < 0)


def pairs(cells: Sequence[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    return ((a[0] - b[0], a[1] - b[1]) for a, b in combinations(cells, 2))


def accuracy(people: Table, metric: Table, group: str, epsilon: float) -> Fraction:
    """The mean over groups of the share of pairs that are in one order, or tied by both."""
    shares = []
    for cells in groups(people, metric, group):
        rights = [sign(h) == (0 if abs(m) <= epsilon else sign(m)) for h, m in pairs(cells)]
        if rights:
            shares.append(Fraction(sum(rights), len(rights)))
    return sum(shares, Fraction()) / len(shares)


def best(people: Table, metric: Table, group: str) -> tuple[float, Fraction]:
    """The smallest of the best tolerances, and its accuracy."""
    distances = {abs(m) for cells in groups(people, metric, group) for _, m in pairs(cells)} | {0.0}
    found = [(epsilon, accuracy(people, metric, group, epsilon)) for epsilon in sorted(distances)]
    most = max(value for _, value in found)
    return next((epsilon, value) for epsilon, value in found if value == most)


def kendall(cells: Sequence[tuple[float, float]], kind: str) -> float:
    """τ of one group; nan where it is not defined."""
    signs = [(sign(h), sign(m)) for h, m in pairs(cells)]
    concordant, discordant = (sum(h * m == value for h, m in signs) for value in (1, -1))
    tied, both = [sum(one[at] == 0 for one in signs) for at in (0, 1)], signs.count((0, 0))
    if kind == "tau_b":
        below = (len(signs) - tied[0]) * (len(signs) - tied[1])
        return (concordant - discordant) / math.sqrt(below) if below else math.nan
    if kind == "tau_c":
        least = min(len({cell[at] for cell in cells}) for at in (0, 1))
        return 2 * (concordant - discordant) / (len(cells) ** 2 * (least - 1) / least) if least > 1 else math.nan
    alone = tied[0] + tied[1] - 2 * both
    return (concordant + both - discordant - alone) / len(signs) if signs else math.nan


def pearson(cells: Sequence[tuple[float, float]]) -> float:
    """Pearson's correlation of one group; nan where all scores of one side are equal."""
    if any(len({cell[at] for cell in cells}) < 2 for at in (0, 1)):
        return math.nan
    means = [math.fsum(cell[at] for cell in cells) / len(cells) for at in (0, 1)]
    deviations = [(h - means[0], m - means[1]) for h, m in cells]
    sums = [math.fsum(one[a] * one[b] for one in deviations) for a, b in ((0, 1), (0, 0), (1, 1))]
    return sums[0] / math.sqrt(sums[1]) / math.sqrt(sums[2])


def spearman(cells: Sequence[tuple[float, float]]) -> float:
    """Pearson's correlation of ranks."""

    def rank(value: float, at: int) -> float:
        return sum((cell[at] < value) + (cell[at] == value) / 2 for cell in cells)

    return pearson([(rank(h, 0), rank(m, 1)) for h, m in cells])


def pdp(people: Table, metric: Table) -> float:
    """Pearson's correlation of all differences within items, in both directions, zeros included."""
    cells = [(a[0] - b[0], a[1] - b[1]) for cells in groups(people, metric, "item") for a in cells for b in cells]
    return pearson(cells)


def kendall_like(people: Table, metric: Table, group: str, threshold: float) -> float:
    """Pairs that people find far apart: the share in the same order less that of the others."""
    far = [(h, m) for cells in groups(people, metric, group) for h, m in pairs(cells) if abs(h) >= threshold]
    same = sum(sign(h) == sign(m) for h, m in far)
    return (2 * same - len(far)) / len(far) if far else math.nan


def spa(people: Sequence[Sequence[float]], metric: Sequence[Sequence[float]]) -> float:
    """Soft pairwise accuracy, a pair of systems and a row of signs at a time; all cells are there."""
    uniform = np.random.default_rng(4).random((1000, len(people[0])), dtype=np.float32)
    signs = [[1.0 if value == 1 else -1.0 for value in row] for row in np.rint(uniform).tolist()]
    off = []
    for a, b in combinations(range(len(people)), 2):
        shares = []
        for scores in (people, metric):
            near = 1e-9 * max(abs(value) for row in scores for value in row)
            differences = [x - y for x, y in zip(scores[a], scores[b], strict=True)]
            least = math.fsum(differences) - near
            sums = (math.fsum(s * d for s, d in zip(row, differences, strict=True)) for row in signs)
            shares.append(sum(value >= least for value in sums) / len(signs))
        off.append(abs(shares[0] - shares[1]))
    return 1 - math.fsum(off) / len(off)


def mean(values: Sequence[float]) -> float:
    """The mean of those that are defined."""
    there = [value for value in values if not math.isnan(value)]
    return math.fsum(there) / len(there) if there else math.nan
