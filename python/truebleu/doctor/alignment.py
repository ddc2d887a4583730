"""D2: lines that are shifted, in another order, or of other texts altogether.

A hypothesis is far more similar to its own reference than to any other, so a path through offsets tells where lines
are missing or too many.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from truebleu import _core
from truebleu.doctor.case import Case, similarity
from truebleu.doctor.rule import Fault, NotChecked, many
from truebleu.glance import FEW
from truebleu.metrics import CHRF

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WINDOW = 8
_FARTHEST = 10
_CHANGE = 1.0  # the cost of a change of offset, in similarity
_SHORTEST = 4  # a run of fewer segments is chance

# So many systems are compared with the references in blocks of so many lines: to prepare a block pays then.
_MANY = 3
_BLOCK = 32

_SAMPLE = 500  # so many pairs tell nearly always
# Below this ratio of similarities, own lines to others', files do not belong together.
_RELATED = 1.6


class Drift(NamedTuple):
    """A stretch of hypotheses that fit references some lines away."""

    first: int
    last: int
    offset: int


# For a line and its text, the similarity to all references up to `_FARTHEST` lines away.
Bands = dict[tuple[int, str], "NDArray[np.float64]"]


def drifted(corpus: Case) -> Iterator[Fault]:
    """D201: find stretches of lines that match references some lines further down or up."""
    runs, _ = _aligned(corpus)
    if runs:
        segments = [at for run in runs for at in range(run.first, run.last + 1)]
        first = runs[0]
        number = many(abs(first.offset), "line", "lines")
        way, what = ("down", "missing at") if first.offset > 0 else ("up", "too many before")
        verb = "is" if abs(first.offset) == 1 else "are"
        message = (
            f"lines {first.first + 1} to {first.last + 1} fit the references {number} further {way}: "
            f"{number} {verb} {what} {first.first + 1}"
        )
        if len(runs) > 1:
            others = many(len(runs) - 1, "other stretch of lines has", "other stretches of lines have")
            message += f"; {others} offsets too"
        evidence = {"first": first.first + 1, "last": first.last + 1, "offset": first.offset, "stretches": len(runs)}
        yield Fault(message, segments, evidence=evidence, order=_moved(corpus.n, runs))


def reordered(corpus: Case) -> Iterator[Fault]:
    """D202: find the same texts in another order."""
    _, verdict = _aligned(corpus)
    if verdict == "reordered":
        message = "the same texts in another order (sorted? shuffled?): lines do not fit their references"
        yield Fault(message, level="error", evidence={"ratio": corpus.kept["ratio"]})


def unrelated(corpus: Case) -> Iterator[Fault]:
    """D203: find files that do not belong together."""
    _, verdict = _aligned(corpus)
    if verdict == "unrelated":
        message = (
            "these files do not belong together: hypotheses are not more similar to their own references than to others"
        )
        yield Fault(message, level="error", evidence={"ratio": corpus.kept["ratio"]})


def _aligned(corpus: Case) -> tuple[list[Drift], str]:
    """The stretches that drift, and "related", "reordered" or "unrelated"; computed once for the three rules."""
    if "alignment" not in corpus.kept:
        own, filled, ratio = _fit(corpus)
        bands = corpus.pool.once("bands", lambda: _bands(corpus.peers)) if len(corpus.peers) >= _MANY else None
        runs = drifts(corpus.hypotheses, corpus.first, _FARTHEST, corpus.threads, own, ratio < _RELATED, bands)
        verdict = "related"
        if ratio < _RELATED and sum(run.last - run.first + 1 for run in runs) < 0.5 * corpus.n:
            runs, verdict = [], "reordered" if _found_elsewhere(corpus, own, filled) else "unrelated"
        corpus.kept["alignment"] = (runs, verdict)
    found: tuple[list[Drift], str] = corpus.kept["alignment"]
    return found


def _fit(corpus: Case) -> tuple[NDArray[np.float64], NDArray[np.intp], float]:
    """The similarity of each hypothesis and its first reference, the segments that have both, and `_ratio`."""
    if "fit" not in corpus.kept:
        has_reference = corpus.once("has reference", lambda: np.array([bool(text.strip()) for text in corpus.first]))
        filled = np.flatnonzero((corpus.hyp["len"] > 0) & has_reference)
        if len(filled) < FEW:
            raise NotChecked(f"it needs {FEW} segments with a hypothesis and a reference")
        own = corpus.sims if len(corpus.references) == 1 else corpus.sim(corpus.hypotheses, corpus.first)
        corpus.kept["ratio"] = _ratio(corpus, own, filled)
        corpus.kept["fit"] = (own, filled, corpus.kept["ratio"])
    found: tuple[NDArray[np.float64], NDArray[np.intp], float] = corpus.kept["fit"]
    return found


def _bands(corpora: Sequence[Case]) -> Bands:
    """The similarities that `drifts` needs, for all systems at once: they share references, and often texts."""
    blocks: dict[int, dict[tuple[int, str], None]] = {}
    for corpus in corpora:
        with suppress(NotChecked):
            own, _, ratio = _fit(corpus)
            for at in _suspects(own, corpus.n, ratio < _RELATED)[0].tolist():
                blocks.setdefault(at // _BLOCK, {})[at, corpus.hypotheses[at]] = None
    found: Bands = {}
    first, threads = corpora[0].first, corpora[0].threads
    for block, asked in blocks.items():
        start = max(0, block * _BLOCK - _FARTHEST)
        references = first[start : (block + 1) * _BLOCK + _FARTHEST]
        texts = list(dict.fromkeys(text for _, text in asked))
        rows = dict(zip(texts, CHRF().pairwise(texts, references, threads=threads) / 100, strict=True))
        found |= {
            (at, text): rows[text][max(0, at - _FARTHEST) - start : at + _FARTHEST + 1 - start] for at, text in asked
        }
    return found


def _ratio(corpus: Case, own: NDArray[np.float64], filled: NDArray[np.intp]) -> float:
    """How much more similar hypotheses are to their own references than to those of other lines.

    A sample of lines nearly always shows that files belong together; if it does not, all lines are compared.
    """
    turned, first = np.roll(filled, -(len(filled) // 3)), corpus.first
    ratio = 0.0
    for step in (len(filled) // _SAMPLE, 1):
        if step > 0 and ratio < 1.25 * _RELATED:
            here, there = filled[::step], turned[::step]
            others = corpus.sim([corpus.hypotheses[at] for at in here], [first[at] for at in there])
            ratio = float(own[here].mean() / max(1e-9, others.mean()))
    return ratio


def _found_elsewhere(corpus: Case, own: NDArray[np.float64], filled: NDArray[np.intp]) -> bool:
    """Whether most of some segments have a reference elsewhere that is clearly theirs."""
    chosen = random.Random(0).sample(filled.tolist(), min(60, len(filled)))
    table = CHRF().pairwise([corpus.hypotheses[at] for at in chosen], corpus.first, threads=corpus.threads) / 100
    second, best = np.partition(table, -2, axis=1)[:, -2:].T
    return bool(((best > own[chosen] + 0.10) & (best > second + 0.05)).mean() >= 0.4)


def drifts(
    hypotheses: Sequence[str],
    references: Sequence[str],
    farthest: int,
    threads: int | None,
    own: NDArray[np.float64] | None = None,
    everywhere: bool = False,
    bands: Bands | None = None,
) -> list[Drift]:
    """Find the stretches of hypotheses that fit references some lines away; the numbers of lines may differ."""
    n, shared = len(hypotheses), min(len(hypotheses), len(references))
    if own is None:
        own = np.zeros(n)
        own[:shared] = similarity(hypotheses[:shared], [references[:shared]], threads)
    near, top = _suspects(own, len(references), everywhere)
    if not len(near):
        return []
    table = np.zeros((n, 2 * farthest + 1))
    if bands is None:
        _fill(table, hypotheses, references, farthest, threads, near)
    else:
        for at in near.tolist():
            row = bands[at, hypotheses[at]]
            table[at, max(0, farthest - at) :][: len(row)] = row
    table[:, farthest] = own
    # If the output is poor everywhere, lines are less similar to their own references too, so a change must cost less.
    scale = min(1.0, max(0.25, top / 0.4))
    return _runs(table, _path(table, _CHANGE * scale), farthest, scale)


def _suspects(own: NDArray[np.float64], references: int, everywhere: bool) -> tuple[NDArray[np.intp], float]:
    """The lines that may belong elsewhere, by their own similarities, and the usual similarity in the right place."""
    n = len(own)
    windows = np.convolve(own, np.ones(min(_WINDOW, n)) / min(_WINDOW, n), "valid")
    top = float(np.sort(windows)[-max(1, len(windows) // 4) :].mean())
    low = np.flatnonzero(windows < 0.6 * top)
    near = np.zeros(n, bool)
    for at in low:
        near[max(0, at - _WINDOW) : at + _WINDOW + 2 * _WINDOW] = True
    if everywhere or len(low) >= 0.98 * len(windows) or references != n:
        near[:] = True
    return np.flatnonzero(near), top


def _fill(
    table: NDArray[np.float64],
    hypotheses: Sequence[str],
    references: Sequence[str],
    farthest: int,
    threads: int | None,
    near: NDArray[np.intp],
) -> None:
    """Write the similarity of some hypotheses and the references up to `farthest` lines away, except their own."""
    offsets = np.delete(np.arange(-farthest, farthest + 1), farthest)
    rows, offsets = np.repeat(near, len(offsets)), np.tile(offsets, len(near))
    inside = (rows + offsets >= 0) & (rows + offsets < len(references))
    rows, offsets = rows[inside], offsets[inside]
    if len(rows):
        left = [hypotheses[at] for at in rows.tolist()]
        right = [references[at] for at in (rows + offsets).tolist()]
        table[rows, offsets + farthest] = similarity(left, [right], threads)


def _path(table: NDArray[np.float64], price: float) -> NDArray[np.intp]:
    """The offset of each line on the path with the highest similarity, minus the price of each change of offset."""
    return np.frombuffer(_core.best_path(table.ravel().tobytes(), table.shape[1], price), np.int32).astype(np.intp)


def _runs(table: NDArray[np.float64], path: NDArray[np.intp], farthest: int, scale: float) -> list[Drift]:
    """The stretches of a path away from the middle that are long, and clearly better than other offsets."""
    borders = [0, *(np.flatnonzero(np.diff(path)) + 1).tolist(), len(path)]
    found = []
    for first, end in pairwise(borders):
        column = int(path[first])
        if column == farthest or end - first < _SHORTEST:
            continue
        here = float(table[first:end, column].mean())
        there = float(np.delete(table[first:end], column, axis=1).mean())
        if here >= 1.6 * there and here >= there + 0.08 * scale:
            found.append(Drift(first, end - 1, column - farthest))
    return found


def _moved(n: int, runs: list[Drift]) -> list[int]:
    """For each line of the repaired file the line that belongs there, or -1."""
    order = list(range(n))
    for run in runs:
        order[run.first : run.last + 1] = [-1] * (run.last + 1 - run.first)
    for run in runs:
        for at in range(run.first, run.last + 1):
            if 0 <= at + run.offset < n:
                order[at + run.offset] = at
    return order
