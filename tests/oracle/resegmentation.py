"""The method `cue` as its rules are written: every cell and every cut, one after the other."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

TERMINAL, COMMA, CLOSER, QUOTE = 2, 3, 4, 5
INFINITE = float("inf")


@dataclass(frozen=True)
class Token:
    """A token: equal numbers are equal tokens."""

    number: int
    kind: int  # 0 is a word
    is_capital: bool = False
    is_permitted: bool = False
    has_break: bool = False


@dataclass(frozen=True)
class Case:
    """A hypothesis, and for each segment its references."""

    hypothesis: list[Token]
    segments: list[list[list[Token]]]
    is_spaceless: bool
    prefers_breaks: bool

    @cached_property
    def shares(self) -> dict[int, float]:
        everything = [*self.hypothesis, *(one for texts in self.segments for text in texts for one in text)]
        return {number: count / len(everything) for number, count in Counter(one.number for one in everything).items()}

    def cost(self, token: Token) -> int:
        if token.kind:
            return 10
        return (6 if self.is_spaceless else 10) if self.shares[token.number] > 0.002 else 16

    def change(self, one: Token, other: Token) -> int:
        if one.number == other.number:
            return 0
        costs = self.cost(one), self.cost(other)
        return max(costs) if (one.kind == 0) == (other.kind == 0) else sum(costs)

    def price(self, texts: list[list[Token]], following: list[list[Token]], cut: int) -> float:
        """What a cut costs between two segments that have references."""
        before, at_end = self.hypothesis[:cut], cut == len(self.hypothesis)
        if 0 < cut and not at_end and not self.hypothesis[cut].is_permitted:
            return INFINITE
        alpha, gamma, delta, kappa = (80, 24, 16, 16) if self.is_spaceless else (48, 24, 8, 12)
        texts, following = [text for text in texts if text], [text for text in following if text]
        is_ended = at_end or last_sign(before) == TERMINAL
        price = alpha * (not is_ended and any(last_sign(text) == TERMINAL for text in texts))
        lacks_capital = not at_end and not self.hypothesis[cut].is_capital
        price += gamma * min(lacks_capital and text[0].is_capital for text in following)
        has_comma = last_sign(before) == COMMA
        price += delta * min(not is_ended and (last_sign(text) == COMMA) != has_comma for text in texts)
        lacks_break = 0 < cut and not at_end and not self.hypothesis[cut].has_break
        return price + kappa * (self.prefers_breaks and lacks_break)


def last_sign(tokens: list[Token]) -> int:
    """The kind of the last token that is no closer or quote."""
    return next((token.kind for token in reversed(tokens) if token.kind not in (CLOSER, QUOTE)), 1)


def divide(case: Case) -> tuple[list[int], float]:
    """The cuts and the cost, by one table for each reference with a pointer in each cell."""
    length = len(case.hypothesis)
    filled = [at for at, texts in enumerate(case.segments) if any(texts)]
    cuts = [0] * len(case.segments)
    cost = 0.0
    if filled:
        found, cost = _ways(case, [case.segments[at] for at in filled])
        for at in range(len(cuts)):
            before = [number for number, segment in enumerate(filled) if segment <= at]
            cuts[at] = found[before[-1]] if before else 0
    if cuts:
        cuts[-1] = length
    return cuts, cost


def _ways(case: Case, segments: list[list[list[Token]]]) -> tuple[list[int], float]:
    length = len(case.hypothesis)
    start = [0.0] + [INFINITE] * length
    tables = []
    for at, texts in enumerate(segments):
        of_segment = [_table(case, start, text) for text in texts]
        tables.append(of_segment)
        lowest = [min(table[-1][j][0] for table in of_segment) for j in range(length + 1)]
        if at + 1 < len(segments):
            start = [lowest[j] + case.price(texts, segments[at + 1], j) for j in range(length + 1)]
    cuts, j = [], length
    for of_segment in reversed(tables):
        cuts.append(j)
        table = next(one for one in of_segment if one[-1][j][0] == min(other[-1][j][0] for other in of_segment))
        i = len(table) - 1
        while (step := table[i][j][1]) != "cut":
            i, j = i - (step != "insertion"), j - (step != "deletion")
    return cuts[::-1], lowest[length]


def _table(case: Case, start: list[float], text: list[Token]) -> list[list[tuple[float, str]]]:
    """For each token of the reference a row of costs and where they come from."""
    row = [(start[0], "cut")]
    for j, token in enumerate(case.hypothesis, 1):
        added = row[j - 1][0] + case.cost(token)
        row.append((start[j], "cut") if start[j] <= added else (added, "insertion"))
    rows = [row]
    for token in text:
        above, row = rows[-1], []
        for j in range(len(start)):
            ways = [(above[j][0] + case.cost(token), "deletion")]
            if j:
                other = case.hypothesis[j - 1]
                ways += [(row[j - 1][0] + case.cost(other), "insertion")]
                ways += [(above[j - 1][0] + case.change(token, other), "pair")]
            row.append(min(ways, key=lambda way: way[0]))
        rows.append(row)
    return rows


def cost_of(case: Case, cuts: list[int]) -> float:
    """What given cuts cost, from the distances of the parts and the prices of the cuts."""
    total = 0.0
    for texts, (start, end) in zip(case.segments, pairwise([0, *cuts]), strict=True):
        part = case.hypothesis[start:end]
        if any(texts):
            total += min(_distance(case, part, text) for text in texts)
    filled = [at for at, texts in enumerate(case.segments) if any(texts)]
    prices = (case.price(case.segments[one], case.segments[other], cuts[one]) for one, other in pairwise(filled))
    return total + sum(prices)


def _distance(case: Case, part: list[Token], text: list[Token]) -> float:
    row = [0.0]
    for token in part:
        row.append(row[-1] + case.cost(token))
    for token in text:
        above, row = row, [row[0] + case.cost(token)]
        for j, other in enumerate(part, 1):
            pair = above[j - 1] + case.change(token, other)
            row.append(min(above[j] + case.cost(token), row[j - 1] + case.cost(other), pair))
    return row[-1]
