"""Where lines belong that are moved, and where lines are missing: rare words vote, and scores decide.

A word that stands on at most three lines of either side votes for the offsets between these lines. Votes are counted
by blocks of our lines, because a line that is lost moves only those after it, and blocks may be in another order.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from truebleu import _core
from truebleu._counts import number_of
from truebleu._options import thread_count

if TYPE_CHECKING:
    from truebleu._core import Engine

    Texts = Sequence[str]

VOTING = 16  # lines in a block that votes
WORD = 36  # the weight of a word that stands on one line of either side
_WIDTH = 10  # cells of a block: all votes, those for no offset, and four other offsets with theirs
_MOST = 7  # offsets of the whole file that blocks are asked about
_CHANGE = 1.0  # to change the offset costs as many blocks
_CLEARLY = (1.25, 5.0)  # moved lines are told of if chrF is so many times as high elsewhere, and so many points
_LEAST_GAIN = 5.0  # points of likeness for each line, on average, that moving the rest must bring


class Votes(NamedTuple):
    """The votes of a block: all of them, and those of its best offsets; the offset 0 is always among these."""

    all: int
    best: dict[int, int]


def voted(ours: Texts, theirs: Texts, farthest: int, block: int = VOTING) -> list[Votes]:
    """Let rare words vote in each block of our lines; an offset is their line minus ours."""
    cells = memoryview(_core.line_votes([*ours], [*theirs], block, farthest)).cast("i").tolist()
    rows = (cells[at : at + _WIDTH] for at in range(0, len(cells), _WIDTH))
    return [Votes(all_of, {**dict(zip(more[::2], more[1::2], strict=True)), 0: own}) for all_of, own, *more in rows]


def most_voted(votes: Sequence[Votes], most: int) -> list[int]:
    """Find the offsets with the most votes of some blocks, apart from 0."""
    sums = dict[int, int]()
    for one in votes:
        for offset, count in one.best.items():
            sums[offset] = sums.get(offset, 0) + count
    sums.pop(0, None)
    return sorted(sums, key=lambda offset: (-sums[offset], abs(offset), offset))[:most]


def moved(
    ours: Texts, theirs: Texts, farthest: int, tokenizer: str
) -> tuple[list[tuple[int, int]], float, float] | None:
    """Find lines that fit clearly better elsewhere, by the votes in each block of the file.

    They come with the lines that they fit, those of the most frequent offset first, and with BLEU as they stand and
    with those.
    """
    from array import array

    blocks = voted(ours, theirs, farthest)
    offsets = sorted([0, *most_voted(blocks, _MOST)])
    # A block without votes is where it stands, so no offset has a little more.
    cells = (votes.best.get(one, 0) / max(1, votes.all) + 0.05 * (one == 0) for votes in blocks for one in offsets)
    given = array("d", cells).tobytes(), array("i", offsets * len(blocks)).tobytes()
    path = memoryview(_core.best_path(*given, len(offsets), _CHANGE)).cast("i").tolist()
    by_line = [path[at // VOTING] for at in range(len(ours))]
    longest = max(offsets, key=lambda one: (by_line.count(one) if one else 0, one == 0))
    by_line = _sharpened(ours, theirs, by_line, by_line.index(longest)) if longest else by_line
    lines = [(at, at + offset) for at, offset in enumerate(by_line) if offset and 0 <= at + offset < len(theirs)]
    if not lines:
        return None
    lines.sort(key=lambda one: one[1] - one[0] != longest)
    here = [ours[at] for at, _ in lines]
    orders = [[theirs[at] for at, _ in lines], [theirs[there] for _, there in lines]]
    as_is, elsewhere = chrf_of(here, orders)
    if elsewhere < max(_CLEARLY[0] * as_is, as_is + _CLEARLY[1]):
        return None
    as_is, elsewhere = _scores(_bleu(tokenizer), here, orders)
    return lines, as_is, elsewhere


def _sharpened(ours: Texts, theirs: Texts, by_line: list[int], first: int) -> list[int]:
    """Find the line at which an offset begins, about where the votes have it, by the scores of the lines around it."""
    offset, start, end = by_line[first], max(0, first - 3 * VOTING), min(first + 3 * VOTING, len(ours))
    places = [at for at in range(start, end) if 0 <= at + offset < len(theirs)]
    here, count = [ours[at] for at in places], _chrf().sentence_scores
    orders = [theirs[at] for at in places], [theirs[at + offset] for at in places]
    given, moved = (memoryview(count(here, [(*order,)], False, 1)).cast("d").tolist() for order in orders)
    border = max(range(len(places) + 1), key=lambda at: sum(given[:at]) + sum(moved[at:]))
    begins = places[border] if border < len(places) else end
    return [*by_line[:start], *[0] * (begins - start), *[offset] * (end - begins), *by_line[end:]]


def drift(ours: list[str], references: Sequence[str | None]) -> str:
    """Say where texts of different lengths come apart, if one place explains it.

    Up to that line the two fit as they stand; from there on they fit when one of them is moved by the difference. The
    place is the one with the largest sum of sentence scores, and is told only if both parts fit clearly better than
    they do without moving anything.
    """
    import numpy as np

    theirs = [text or "" for text in references]
    if not ours or not theirs:
        return ""
    shorter, shift = min(len(ours), len(theirs)), len(theirs) - len(ours)
    count, threads = _chrf().sentence_scores, thread_count(None)
    as_is = np.frombuffer(count(ours[:shorter], [(*theirs[:shorter],)], False, threads))
    moved = np.frombuffer(count(ours[-shorter:], [(*theirs[-shorter:],)], False, threads))
    gains = np.concatenate([[0.0], np.cumsum(as_is)]) + np.concatenate([np.cumsum(moved[::-1])[::-1], [0.0]])
    at, short = int(gains.argmax()), "the system" if shift > 0 else "the reference"
    if at == shorter:
        fits = as_is.mean() >= moved.mean() + _LEAST_GAIN
        first = "first fits" if shorter == 1 else f"first {shorter} fit"
        return f". The {first}; is the end of {short} missing?" if fits else ""
    if gains[at] - max(gains[-1], gains[0] if at else 0.0) < _LEAST_GAIN * (shorter - at):
        return ""
    missing = f"{number_of(abs(shift), 'line')} of {short} missing"
    return f". They seem to drift apart at line {at + 1}: {'is' if abs(shift) == 1 else 'are'} {missing} there?"


def chrf_of(ours: Texts, orders: Sequence[Texts]) -> list[float]:
    """Give chrF, from 0 to 100, with each of some orders of the references."""
    return _scores(_chrf(), ours, orders)


def _scores(engine: Engine, ours: Texts, orders: Sequence[Texts]) -> list[float]:
    return [engine.score(engine.totals([*ours], [(*order,)], False, 1)) for order in orders]


@cache
def _chrf() -> Engine:
    return _core.chrf_engine(
        char_order=6, word_order=0, beta_squared=4.0, lowercase=False, whitespace=False, eps_smoothing=False
    )


def _bleu(tokenizer: str) -> Engine:
    return _core.bleu_engine(
        tokenizer=tokenizer, order=4, lowercase=False, smooth_method="exp", smooth_value=0.0,
        effective_order=False, compensated_sum=False, ref_len="closest",
    )  # fmt: skip
