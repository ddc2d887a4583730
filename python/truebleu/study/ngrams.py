"""The n-grams that tell two systems apart: what one of them gets right, or says without any reference, more often.

For each n-gram, w is the number of segments in which system A has more of it than system B, and l that of the segments
in which it has less. (w - l) / sqrt(w + l) is the statistic of a sign test over segments, so an n-gram that is frequent
in both systems does not come first. It is a guide for reading, not a test: there is no correction for the many
thousands of n-grams.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ORDERS = (1, 2, 3, 4)
LISTED = 25
# Fewer segments say nothing.
LEAST_SEGMENTS = 3
# About so many tokens are counted at a time.
_AT_ONCE = 50_000
_PARTS = 16

Tokens = Sequence[str]


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
    systems: list[Sequence[Tokens]],
    references: Sequence[Sequence[Tokens]],
    segments: Iterable[int],
) -> NGramTable:
    """Count the n-grams of two systems, and list those that tell them apart. The list of systems is emptied."""
    import numpy as np

    chosen = list(segments)
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    by_segment = [(*(tokens[at] for tokens in systems), *references[at]) for at in chosen]
    systems.clear()  # numbers take a fifth of the memory that lists of words do
    width = max(map(len, by_segment), default=2)
    lengths = [len(tokens) for texts in by_segment for tokens in texts]
    flat = np.fromiter((numbers[word] for texts in by_segment for tokens in texts for word in tokens), np.int32)
    places = [at * width + which for at, texts in enumerate(by_segment) for which in range(len(texts))]
    text = np.repeat(np.array(places, np.int32), lengths)
    del by_segment, places, lengths
    matched, unknown = _Tally(list(numbers), flat, chosen), _Tally(list(numbers), flat, chosen)
    starts, codes = np.arange(len(flat), dtype=np.int32), flat
    for order in ORDERS:
        if order > 1:
            # An n-gram is one of the order below and a word more, in the same text.
            inside = starts + order - 1 < len(flat)
            inside[inside] = text[starts[inside] + order - 1] == text[starts[inside]]
            starts, codes = starts[inside], codes[inside]
            codes = _numbered(codes, flat[starts + (order - 1)], len(numbers))
        # What comes up too rarely is not listed, and neither is anything that begins with it.
        often = (np.bincount(codes) >= LEAST_SEGMENTS)[codes]
        starts, codes = starts[often], codes[often]
        for tally, cells in zip((matched, unknown), _differing(text[starts], codes, width), strict=True):
            tally.orders.append(_Order(order, starts, codes, cells))
    return NGramTable(*names, matched.listed(1), matched.listed(-1), unknown.listed(1), unknown.listed(-1))


def _numbered(codes: NDArray[np.int32], words: NDArray[np.int32], kinds: int) -> NDArray[np.int32]:
    """Number pairs of an n-gram and a word from 0 on, some n-grams at a time, which takes little memory."""
    import numpy as np

    found, first = np.empty(len(codes), np.int32), 0
    for part in range(_PARTS):
        chosen = np.flatnonzero(codes % _PARTS == part)
        pairs = codes[chosen].astype(np.int64) * kinds + words[chosen]
        distinct, places = np.unique(pairs, return_inverse=True)
        found[chosen] = places + first
        first += len(distinct)
    return found


class _Cells(NamedTuple):
    """The n-grams that count differently for two systems in a segment, and how often each counts in all segments."""

    gram: NDArray[np.int32]
    place: NDArray[np.int32]  # of the segment
    more: NDArray[np.bool_]  # for A
    totals: NDArray[np.int32]  # of each n-gram, for A and for B


def _differing(text: NDArray[np.int32], codes: NDArray[np.int32], width: int) -> list[_Cells]:
    """Compare two systems by the n-grams of an order: those that references of the segment have, then the others.

    Texts are in order, and some segments are counted at a time, which takes little memory.
    """
    import numpy as np

    totals = np.zeros((2, 2, int(codes.max(initial=0)) + 1), np.int32)
    found: list[list[tuple[Any, ...]]] = [[], []]
    borders = np.searchsorted(text, np.unique(text[_AT_ONCE::_AT_ONCE] // width) * width)
    for part in zip(np.split(text, borders), np.split(codes, borders), strict=True):
        gram, place, ours, theirs, limit = _counted(*part, width)
        for which, is_wanted in enumerate((limit > 0, limit == 0)):
            for total, side in zip(totals[which], (ours, theirs), strict=True):
                np.add.at(total, gram[is_wanted], side[is_wanted])
            differs = is_wanted & (ours != theirs)
            found[which].append((gram[differs], place[differs], (ours > theirs)[differs]))
    joined = ([np.concatenate(column) for column in zip(*parts, strict=True)] for parts in found)
    return [_Cells(gram, place, more, total) for (gram, place, more), total in zip(joined, totals, strict=True)]


def _counted(text: NDArray[np.int32], codes: NDArray[np.int32], width: int) -> list[NDArray[np.int32]]:
    """Count the n-grams of an order; a text is the place of its segment times `width`, plus 0 for A and 1 for B.

    The columns are the n-gram, the place of its segment, how often it counts for A and B (clipped by the references, if
    they have it at all), and the largest number in a reference.
    """
    import numpy as np

    kinds = int(codes.max(initial=0)) + 1
    found, counts = np.unique(
        (text.astype(np.int64) // width * kinds + codes) * width + text % width, return_counts=True
    )
    cell, which, counts = found // width, (found % width).astype(np.int32), counts.astype(np.int32)
    is_first = np.diff(cell, prepend=-1) > 0
    at = np.cumsum(is_first, dtype=np.int32) - 1
    cell = cell[is_first]
    ours, theirs, limit = np.zeros((3, len(cell)), np.int32)
    ours[at[which == 0]], theirs[at[which == 1]] = counts[which == 0], counts[which == 1]
    np.maximum.at(limit, at[which > 1], counts[which > 1])
    clip = np.where(limit > 0, limit, np.iinfo(np.int32).max)
    gram, place = (cell % kinds).astype(np.int32), (cell // kinds).astype(np.int32)
    columns = (gram, place, np.minimum(ours, clip), np.minimum(theirs, clip), limit)
    spoken = (ours > 0) | (theirs > 0)
    return [column[spoken] for column in columns]


class _Differing(NamedTuple):
    """An n-gram that counts differently for two systems, and whether it counts more for A, by segment."""

    ngram: NGram
    signs: tuple[bool, ...]


class _Order:
    """The n-grams of an order that count differently for two systems in enough segments."""

    def __init__(self, order: int, starts: NDArray[np.int32], codes: NDArray[np.int32], cells: _Cells) -> None:
        import numpy as np

        gram, place, more, totals = cells
        kinds = totals.shape[1]
        number, wins = (np.bincount(grams, minlength=kinds) for grams in (gram, gram[more]))
        # What is listed is chosen by these, before anything is made of it; nothing is kept of the others.
        is_enough = (number >= LEAST_SEGMENTS) & (2 * wins != number)
        kept = np.flatnonzero(is_enough[gram])
        kept = kept[np.argsort(gram[kept], kind="stable")]
        grams = np.flatnonzero(is_enough)
        self.order, self.place, self.more = order, place[kept], more[kept]
        self.wins, self.number, self.ends = wins[grams], number[grams], np.cumsum(number[grams])
        self.counts = [side[grams] for side in totals]
        start = np.zeros(kinds, np.int32)
        start[codes] = starts
        self.start = start[grams]
        self.z = (2 * self.wins - self.number) / np.sqrt(self.number)

    def found(self, at: int, words: Sequence[str], flat: NDArray[np.int32], segments: Sequence[int]) -> _Differing:
        """Make the n-gram at a place, given all words, the tokens of all texts, and the segments looked at."""
        number, won, start, end = (int(column[at]) for column in (self.number, self.wins, self.start, self.ends))
        tokens = tuple(words[word] for word in flat[start : start + self.order].tolist())
        rows = slice(end - number, end)
        places = tuple(segments[place] for place in self.place[rows].tolist())
        count_a, count_b = (int(side[at]) for side in self.counts)
        one = NGram(tokens, count_a, count_b, won, number - won, float(self.z[at]), places)
        return _Differing(one, tuple(self.more[rows].tolist()))


class _Tally:
    """The n-grams of all orders that count differently for two systems in enough segments."""

    def __init__(self, words: Sequence[str], flat: NDArray[np.int32], segments: Sequence[int]) -> None:
        self.words, self.flat, self.segments = words, flat, segments
        self.orders: list[_Order] = []

    def listed(self, sign: int) -> tuple[NGram, ...]:
        """The n-grams whose statistic has a sign; one within a longer one, in the same segments, is left out."""
        listed: list[_Differing] = []
        for equal in self._ranked(sign):
            # Ties are broken by the n-gram itself, so that the order does not depend on that of the segments.
            for one in sorted(equal, key=lambda found: found.ngram.tokens):
                if len(listed) < LISTED and not any(_is_within(one, longer) for longer in listed):
                    listed.append(one)
            if len(listed) == LISTED:
                break
        return tuple(found.ngram for found in listed)

    def _ranked(self, sign: int) -> Iterator[list[_Differing]]:
        """The n-grams by the size of the statistic, the number of segments and the order: equal ones together."""
        import numpy as np

        which = np.concatenate([np.full(len(one.z), at) for at, one in enumerate(self.orders)])
        place = np.concatenate([np.arange(len(one.z)) for one in self.orders])
        z, number = (np.concatenate([getattr(one, name) for one in self.orders]) for name in ("z", "number"))
        chosen = np.flatnonzero(z * sign > 0)
        keys = np.stack([-np.abs(z[chosen]), -number[chosen], -which[chosen]])
        chosen, keys = (side[..., np.lexsort(keys[::-1])] for side in (chosen, keys))
        borders = np.flatnonzero((np.diff(keys, axis=1) != 0).any(axis=0)) + 1
        for equal in np.split(chosen, borders) if len(chosen) else ():
            yield [
                self.orders[which[at]].found(int(place[at]), self.words, self.flat, self.segments)
                for at in equal.tolist()
            ]


def _is_within(one: _Differing, longer: _Differing) -> bool:
    tokens, others = one.ngram.tokens, longer.ngram.tokens
    size, room = len(tokens), len(others) - len(tokens)
    return (
        room > 0
        and one.ngram.segments == longer.ngram.segments
        and one.signs == longer.signs
        and any(others[at : at + size] == tokens for at in range(room + 1))
    )
