"""The n-grams that tell two systems apart: what one of them gets right, or says without any reference, more often.

For each n-gram, w is the number of segments in which system A has more of it than system B, and l that of the
segments in which it has less. (w - l) / sqrt(w + l) is the statistic of a sign test over segments, so an n-gram that
is frequent in both systems does not come first. It is a guide to reading and no test: nobody corrects for the many
thousands of n-grams.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any

ORDERS = (1, 2, 3, 4)
LISTED = 25
# Fewer segments say nothing.
LEAST_SEGMENTS = 3

Tokens = Sequence[str]
Words = tuple[str, ...]


@dataclass(frozen=True)
class NGram:
    """An n-gram that one system has more often than another.

    Parameters
    ----------
    tokens
        Its tokens.
    count_a
        How often it counts for system A in all segments.
    count_b
        How often it counts for system B.
    wins
        The number of segments in which it counts more often for A.
    losses
        The number of segments in which it counts more often for B.
    z
        (wins - losses) / sqrt(wins + losses).
    segments
        These segments, counted from 0.
    """

    tokens: tuple[str, ...]
    count_a: int
    count_b: int
    wins: int
    losses: int
    z: float
    segments: tuple[int, ...]


@dataclass(frozen=True)
class NGramTable:
    """The n-grams that tell system A from system B: at most 25 in each list, the most telling first.

    Parameters
    ----------
    a
        The name of system A.
    b
        The name of system B.
    gains
        Those that A matches in more segments; matches are clipped by the references, as BLEU's are.
    losses
        Those that B matches in more segments.
    only_a
        Those that A says in more segments, where no reference has them.
    only_b
        Those that B says in more segments, where no reference has them.
    """

    a: str
    b: str
    gains: tuple[NGram, ...]
    losses: tuple[NGram, ...]
    only_a: tuple[NGram, ...]
    only_b: tuple[NGram, ...]

    def to_dict(self) -> dict[str, Any]:
        """Give the lists as plain values; segments are lines, counted from 1."""
        fields = asdict(self)
        for name in ("gains", "losses", "only_a", "only_b"):
            for one in fields[name]:
                one["segments"] = [segment + 1 for segment in one["segments"]]
        return fields


def compare_ngrams(
    names: tuple[str, str],
    a: Sequence[Tokens],
    b: Sequence[Tokens],
    references: Sequence[Sequence[Tokens]],
    segments: Iterable[int],
) -> NGramTable:
    """Count the n-grams of two systems, and list those that tell them apart.

    Parameters
    ----------
    names
        The names of the systems.
    a
        The tokens of system A, by segment.
    b
        The tokens of system B, by segment.
    references
        For each segment, the tokens of each of its references.
    segments
        The segments that are looked at.
    """
    matched, unknown = _Tally(), _Tally()
    for at in segments:
        ours, theirs = Counter(ngrams(a[at])), Counter(ngrams(b[at]))
        limits = most_of(references[at])
        for gram in ours.keys() | theirs.keys():
            limit, one, other = limits.get(gram, 0), ours.get(gram, 0), theirs.get(gram, 0)
            tally = unknown
            if limit:
                tally, one, other = matched, one if one < limit else limit, other if other < limit else limit
            # Written out, because this is done some hundred thousand times.
            if one == other:
                tally.same[gram] = tally.same.get(gram, 0) + one
            elif gram in tally.differ:
                tally.differ[gram].append((at, one, other))
            else:
                tally.differ[gram] = [(at, one, other)]
    return NGramTable(*names, matched.listed(1), matched.listed(-1), unknown.listed(1), unknown.listed(-1))


def ngrams(tokens: Tokens) -> Iterable[Words]:
    """Give all n-grams of a text, the order 1 first.

    Parameters
    ----------
    tokens
        The tokens of the text.
    """
    return chain.from_iterable(zip(*(tokens[start:] for start in range(order)), strict=False) for order in ORDERS)


def most_of(references: Sequence[Tokens]) -> Mapping[Words, int]:
    """Count the n-grams of references; of several references, the largest count of each n-gram.

    Parameters
    ----------
    references
        The tokens of each reference.
    """
    found: Counter[Words] = Counter()
    for tokens in references:
        found = found | Counter(ngrams(tokens)) if found else Counter(ngrams(tokens))
    return found


class _Tally:
    """How often n-grams count for two systems, and in which segments they differ."""

    def __init__(self) -> None:
        self.same: dict[Words, int] = {}
        self.differ: dict[Words, list[tuple[int, int, int]]] = {}

    def listed(self, sign: int) -> tuple[NGram, ...]:
        """The n-grams whose statistic has a sign; one within a longer one, in the same segments, is left out."""
        often = (gram for gram, places in self.differ.items() if len(places) >= LEAST_SEGMENTS)
        candidates = [found for found in map(self._ngram, often) if found.z * sign > 0]
        # Ties are broken by the n-gram itself, so that the order does not depend on that of the segments.
        candidates.sort(key=lambda one: (-abs(one.z), -(one.wins + one.losses), -len(one.tokens), one.tokens))
        listed: list[NGram] = []
        for one in candidates:
            if len(listed) == LISTED:
                break
            if not any(self._is_within(one, longer) for longer in listed):
                listed.append(one)
        return tuple(listed)

    def _ngram(self, gram: Words) -> NGram:
        places = self.differ[gram]
        wins = sum(one > other for _, one, other in places)
        losses = len(places) - wins
        z = (wins - losses) / math.sqrt(wins + losses)
        both = self.same.get(gram, 0)
        counts = (both + sum(one for _, one, _ in places), both + sum(other for _, _, other in places))
        return NGram(gram, *counts, wins, losses, z, tuple(segment for segment, _, _ in places))

    def _is_within(self, one: NGram, longer: NGram) -> bool:
        size, room = len(one.tokens), len(longer.tokens) - len(one.tokens)
        return (
            room > 0
            and one.segments == longer.segments
            and self._signs(one) == self._signs(longer)
            and any(longer.tokens[at : at + size] == one.tokens for at in range(room + 1))
        )

    def _signs(self, gram: NGram) -> list[bool]:
        return [one > other for _, one, other in self.differ[gram.tokens]]
