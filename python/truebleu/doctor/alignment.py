"""D2: lines that are shifted, in another order, or of other texts altogether.

A hypothesis is far more similar to its own reference than to any other, so a path through offsets tells where lines
are missing or too many. Nearby, a line is compared with every reference; farther away, rare words propose the offsets.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from truebleu import _core
from truebleu.doctor.case import Case, similarity
from truebleu.doctor.rule import Fault, NotChecked, many
from truebleu.drift import VOTING, WORD, Votes, most_voted, voted
from truebleu.glance import FEW
from truebleu.metrics import CHRF

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WINDOW = 8
_NEAR = 10  # so far away, a line is compared with every reference
_AROUND, _LOCAL, _GLOBAL = 2, 5, 3  # beyond, with offsets that blocks around vote for, and that the whole file does
_NOWHERE = tuple(range(1 << 30, (1 << 30) + _LOCAL + _GLOBAL + 1))  # offsets beyond all lines, where fewer are asked
_CHANGE = 1.0  # the cost of a change of offset, in similarity
_SHORTEST, _SHORTEST_FAR = 4, 6  # a run of fewer segments is chance
_CLEARLY = 1.6  # lines fit an offset if they are so many times as similar as with others
_LEAST = 0.25  # and such a share as similar as the stretch is on average, at its ends
_CONTROLS = (-3, -2, 2, 3)  # and as with lines so far from those that they fit
_TOLD = 3  # so many stretches are told in words

# So many systems are compared with the references in blocks of so many lines: to prepare a block pays then.
_MANY = 3
_BLOCK = 32

_SAMPLE = 500  # so many pairs tell nearly always
# Below this ratio of similarities, own lines to others', files do not belong together.
_RELATED = 1.6
# A line fits if it does so well compared with a rival, with what lines usually do, and with lines that are not related.
_GOOD = (0.75, 0.6, 1.4)

# Sources are told by so many words at least, of which such a share is for the line beside; to change the offset costs
# so many. Long sources go with long references, if they belong together: this is their correlation, and its gain.
_FEWEST_WORDS, _FITTING, _CHANGED_WORDS = 10, 0.4, 4.0
_LIKE_LENGTHS, _LONGER = 0.6, 0.2


class Drift(NamedTuple):
    """A stretch of hypotheses that fit references some lines away."""

    first: int
    last: int
    offset: int


class Drifts(NamedTuple):
    """The stretches that drift, and how well each line fits: where it stands, or where its stretch does."""

    runs: list[Drift]
    fits: NDArray[np.float64]


# For a line and its text, the similarity to all references up to `_NEAR` lines away.
Bands = dict[tuple[int, str], "NDArray[np.float64]"]


def drifted(corpus: Case) -> Iterator[Fault]:
    """D201: find stretches of lines that match references elsewhere, any number of lines further down or up."""
    found, _ = _aligned(corpus)
    if found.runs:
        order, copies, destroys = _moved(corpus.hypotheses, found)
        moved = [run for run in found.runs if not _sources(run, copies)] or found.runs
        first = max(moved, key=lambda run: run.last - run.first)
        segments = {at for run in found.runs for at in range(run.first, run.last + 1)}
        segments |= {at for at, line in enumerate(order) if at != line}
        evidence = {"first": first.first + 1, "last": first.last + 1, "offset": first.offset}
        evidence |= {"stretches": len(found.runs), "repeated": len(copies)}
        message = _told(found.runs, order, copies)
        cure = (None, "") if destroys else (order, None)
        yield Fault(message, sorted(segments), evidence=evidence, order=cure[0], repair=cure[1])


def reordered(corpus: Case) -> Iterator[Fault]:
    """D202: find the same texts in another order."""
    verdict = _aligned(corpus)[1]
    if verdict == "reordered":
        message = "the same texts in another order (sorted? shuffled?): lines do not fit their references"
        yield Fault(message, level="error", evidence={"ratio": corpus.kept["ratio"]})


def unrelated(corpus: Case) -> Iterator[Fault]:
    """D203: find files that do not belong together."""
    verdict = _aligned(corpus)[1]
    if verdict == "unrelated":
        message = (
            "these files do not belong together: hypotheses are not more similar to their own references than to others"
        )
        yield Fault(message, level="error", evidence={"ratio": corpus.kept["ratio"]})


def sources_moved(corpus: Case) -> Iterator[Fault]:
    """D204: find sources in another order than the references, by numbers, names and other words that both have."""
    votes, own, placed, runs, goes_with = corpus.once(
        "sources", lambda: _source_runs(corpus.sources or [], corpus.first)
    )
    if votes < _FEWEST_WORDS:
        raise NotChecked("sources and references have too few rare words in common")
    segments = [at for run in runs for at in range(run.first, run.last + 1)]
    evidence = {"share": own / votes, "words": votes}
    if runs and placed >= _FITTING * votes:
        stretches = "; ".join(_placed(run) for run in runs[:_TOLD])
        more = f"; {many(len(runs) - _TOLD, 'other stretch', 'other stretches')} too" if len(runs) > _TOLD else ""
        evidence |= {"first": runs[0].first + 1, "last": runs[0].last + 1, "offset": runs[0].offset}
        yield Fault(f"of the sources, about {stretches}{more}", segments, side="sources", evidence=evidence)
    elif own < _FITTING * votes and goes_with < _LIKE_LENGTHS:
        message = "the sources do not fit the references line by line: are they in another order, or of another text?"
        yield Fault(message, level="error", side="sources", evidence=evidence)


def _source_runs(sources: Sequence[str], references: Sequence[str]) -> tuple[float, float, float, list[Drift], float]:
    """How many words vote, for the line beside, for the best path; stretches elsewhere; how far lengths go together."""
    blocks, n = voted(sources, references, len(sources)), len(sources)
    overall = [0, *most_voted(blocks, _GLOBAL)]
    offsets = np.array([_chosen(blocks, at, overall, -1) for at in range(len(blocks))], np.int32)
    rows = zip(blocks, offsets.tolist(), strict=True)
    table = np.array([[block.best.get(one, 0) / WORD for one in row] for block, row in rows])
    path, runs = _path(table, offsets, _CHANGED_WORDS), []
    for first, end in pairwise([0, *(np.flatnonzero(np.diff(path)) + 1).tolist(), len(path)]):
        offset, part = int(path[first]), blocks[first:end]
        beside, there = (sum(block.best.get(one, 0) for block in part) / WORD for one in (0, offset))
        if offset and there >= max(_CHANGED_WORDS, 4 * beside):
            runs.append(Drift(first * VOTING, min(n, end * VOTING) - 1, offset))
    lengths = [np.log1p([len(text) for text in texts]) for texts in (sources, references)]
    runs = [run for run in runs if _goes_with(lengths, run) > _goes_with(lengths, run._replace(offset=0)) + _LONGER]
    votes, own = sum(block.all for block in blocks), sum(block.best[0] for block in blocks)
    placed = sum(block.best.get(offset, 0) for block, offset in zip(blocks, path.tolist(), strict=True))
    return votes / WORD, own / WORD, placed / WORD, runs, _goes_with(lengths, Drift(0, n - 1, 0))


def _goes_with(lengths: Sequence[NDArray[np.float64]], run: Drift) -> float:
    """How far long sources go with long references: the correlation of the logarithms of their lengths."""
    lines = np.arange(run.first, run.last + 1)
    lines = lines[(lines + run.offset >= 0) & (lines + run.offset < len(lengths[1]))]
    ours, theirs = lengths[0][lines], lengths[1][lines + run.offset]
    return float(np.corrcoef(ours, theirs)[0, 1]) if len(lines) and ours.std() and theirs.std() else 0.0


def _aligned(corpus: Case) -> tuple[Drifts, str]:
    """The stretches that drift, and "related", "reordered" or "unrelated"; computed once for the three rules."""

    def align() -> tuple[Drifts, str]:
        own, filled, ratio = _fit(corpus)
        bands = corpus.pool.once("bands", lambda: _bands(corpus.peers)) if len(corpus.peers) >= _MANY else None
        found = drifts(corpus.hypotheses, corpus.first, corpus.threads, own, ratio < _RELATED, bands)
        verdict = "related"
        if ratio < _RELATED and not _explains(corpus, found):
            found = found._replace(runs=[])
            verdict = "reordered" if _found_elsewhere(corpus, own, filled) else "unrelated"
        return found, verdict

    return corpus.keep("alignment", align)


def _explains(corpus: Case, found: Drifts) -> bool:
    """Whether most lines fit if stretches are moved; lines that occur again and again are padding."""
    counts = Counter(corpus.hypotheses)
    once = [at for at, text in enumerate(corpus.hypotheses) if counts[text] < 3 and text.strip()]
    moved = [at for run in found.runs for at in range(run.first, run.last + 1)]
    if not moved or not once:
        return False
    limit = max(_GOOD[1] * float(found.fits[moved].mean()), _GOOD[2] * corpus.kept["others"])
    return bool((found.fits[once] >= limit).mean() >= 0.5)


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
    """The similarities nearby that `drifts` needs, for all systems at once: they share references, and often texts."""
    blocks: dict[int, dict[tuple[int, str], None]] = {}
    for corpus in corpora:
        with suppress(NotChecked):
            own, _, ratio = _fit(corpus)
            for at in _suspects(own, corpus.n, ratio < _RELATED)[0].tolist():
                blocks.setdefault(at // _BLOCK, {})[at, corpus.hypotheses[at]] = None
    found: Bands = {}
    first, threads = corpora[0].first, corpora[0].threads
    for block, asked in blocks.items():
        start = max(0, block * _BLOCK - _NEAR)
        references = first[start : (block + 1) * _BLOCK + _NEAR]
        texts = list(dict.fromkeys(text for _, text in asked))
        rows = dict(zip(texts, CHRF().pairwise(texts, references, threads=threads) / 100, strict=True))
        found |= {(at, text): rows[text][max(0, at - _NEAR) - start : at + _NEAR + 1 - start] for at, text in asked}
    return found


def _ratio(corpus: Case, own: NDArray[np.float64], filled: NDArray[np.intp]) -> float:
    """How much more similar hypotheses are to their own references than to those of other lines.

    A sample of lines nearly always shows that files belong together; if it does not, all lines are compared.
    """
    first = corpus.first
    turned, ratio = _others(first, filled), 0.0
    for step in (len(filled) // _SAMPLE, 1):
        if step > 0 and ratio < 1.25 * _RELATED:
            here, there = filled[::step], turned[::step]
            others = corpus.sim([corpus.hypotheses[at] for at in here], [first[at] for at in there])
            corpus.kept["others"] = max(1e-9, float(others.mean()))
            ratio = float(own[here].mean()) / corpus.kept["others"]
    return ratio


def _others(references: Sequence[str], filled: NDArray[np.intp]) -> NDArray[np.intp]:
    """For each segment another one, a third of the file away, whose reference is another text."""
    firsts: dict[str, int] = {}
    for at in filled.tolist():
        firsts.setdefault(references[at], at)
    if len(firsts) < FEW:
        raise NotChecked(f"it needs {FEW} different references")
    ranks = {text: rank for rank, text in enumerate(firsts)}
    own = np.array([ranks[references[at]] for at in filled.tolist()])
    others: NDArray[np.intp] = np.array(list(firsts.values()), np.intp)[(own + len(firsts) // 3) % len(firsts)]
    return others


def _found_elsewhere(corpus: Case, own: NDArray[np.float64], filled: NDArray[np.intp]) -> bool:
    """Whether most of some segments have a reference elsewhere that is clearly theirs."""
    chosen = random.Random(0).sample(filled.tolist(), min(60, len(filled)))
    table = CHRF().pairwise([corpus.hypotheses[at] for at in chosen], corpus.first, threads=corpus.threads) / 100
    second, best = np.partition(table, -2, axis=1)[:, -2:].T
    return bool(((best > own[chosen] + 0.10) & (best > second + 0.05)).mean() >= 0.4)


def drifts(
    hypotheses: Sequence[str],
    references: Sequence[str],
    threads: int | None,
    own: NDArray[np.float64] | None = None,
    everywhere: bool = False,
    bands: Bands | None = None,
) -> Drifts:
    """Find the stretches of hypotheses that fit references elsewhere; the numbers of lines may differ."""
    n, shared = len(hypotheses), min(len(hypotheses), len(references))
    if own is None:
        own = np.zeros(n)
        own[:shared] = similarity(hypotheses[:shared], [references[:shared]], threads)
    near, top = _suspects(own, len(references), everywhere)
    if not len(near):
        return Drifts([], own)
    offsets = np.tile(np.arange(-_NEAR, _NEAR + 1, dtype=np.int32), (n, 1))
    table = np.zeros((n, 2 * _NEAR + 1))
    if bands is not None:
        for at in near.tolist():
            row = bands[at, hypotheses[at]]
            table[at, max(0, _NEAR - at) :][: len(row)] = row
    offsets = np.hstack([offsets, _proposed(hypotheses, references, near)])
    table = np.hstack([table, np.zeros((n, offsets.shape[1] - table.shape[1]))])
    _fill(table, offsets, hypotheses, references, threads, near, 0 if bands is None else 2 * _NEAR + 1)
    table[:, _NEAR] = own
    # If the output is poor everywhere, lines are less similar to their own references too, so a change must cost less.
    scale = min(1.0, max(0.25, top / 0.4))
    runs = _runs(table, offsets, _path(table, offsets, _CHANGE * scale), scale)
    runs = [run for run in runs if abs(run.offset) <= _NEAR or _is_there(run, hypotheses, references, threads)]
    fits = own.copy()
    for run in runs:
        lines = slice(run.first, run.last + 1)
        fits[lines] = table[lines].max(axis=1, where=offsets[lines] == run.offset, initial=0.0)
    return Drifts(runs, fits)


def _is_there(run: Drift, hypotheses: Sequence[str], references: Sequence[str], threads: int | None) -> bool:
    """Whether lines fit clearly better than with the lines around those: an own reference may be in another script."""
    lines = range(run.first, run.last + 1)
    fits = []
    for by in (0, *_CONTROLS):
        there = [at + run.offset + by for at in lines]
        inside = [
            (hypotheses[at], references[to]) for at, to in zip(lines, there, strict=True) if 0 <= to < len(references)
        ]
        fits.append(similarity([one for one, _ in inside], [[other for _, other in inside]], threads))
    return bool(np.median(fits[0]) >= _CLEARLY * np.concatenate(fits[1:]).mean())


def _proposed(hypotheses: Sequence[str], references: Sequence[str], near: NDArray[np.intp]) -> NDArray[np.int32]:
    """The offsets beyond those nearby that rare words vote for, for some lines."""
    n = len(hypotheses)
    blocks = voted(hypotheses, references, n + len(references))
    # Where the numbers of lines differ, so does the end.
    overall = [len(references) - n, *most_voted(blocks, _GLOBAL)]
    asked = set((near // VOTING).tolist())
    by_block = [_chosen(blocks, at, overall, _NEAR) if at in asked else _NOWHERE for at in range(len(blocks))]
    return np.array(by_block, np.int32)[np.arange(n) // VOTING]


def _chosen(blocks: Sequence[Votes], at: int, overall: Sequence[int], nearest: int) -> tuple[int, ...]:
    """The offsets beyond some lines that a block is asked about: its own and its neighbours', and those of the file."""
    local = most_voted(blocks[max(0, at - _AROUND) : at + _AROUND + 1], _LOCAL)
    chosen = [offset for offset in dict.fromkeys([*overall, *local]) if abs(offset) > nearest]
    return (*chosen, *_NOWHERE[len(chosen) :])


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
    offsets: NDArray[np.int32],
    hypotheses: Sequence[str],
    references: Sequence[str],
    threads: int | None,
    near: NDArray[np.intp],
    known: int,
) -> None:
    """Write the similarity of some hypotheses and the references at offsets, except their own and known columns."""
    rows, columns = np.repeat(near, offsets.shape[1] - known), np.tile(np.arange(known, offsets.shape[1]), len(near))
    there = rows + offsets[rows, columns]
    inside = (there >= 0) & (there < len(references)) & (columns != _NEAR)
    rows, columns, there = rows[inside], columns[inside], there[inside]
    if len(rows):
        left = [hypotheses[at] for at in rows.tolist()]
        right = [references[at] for at in there.tolist()]
        table[rows, columns] = similarity(left, [right], threads)


def _path(table: NDArray[np.float64], offsets: NDArray[np.int32], price: float) -> NDArray[np.int32]:
    """The offset of each line on the path with the highest similarity, minus the price of each change of offset."""
    cells, rising = table.copy(), offsets.copy()
    falls = (np.diff(offsets, axis=1) < 0).any(axis=1)
    order = np.argsort(offsets[falls], axis=1)
    cells[falls], rising[falls] = (np.take_along_axis(each[falls], order, axis=1) for each in (table, offsets))
    return np.frombuffer(_core.best_path(cells.tobytes(), rising.tobytes(), table.shape[1], price), np.int32)


def _runs(table: NDArray[np.float64], offsets: NDArray[np.int32], path: NDArray[np.int32], scale: float) -> list[Drift]:
    """The stretches of a path away from 0 that are long, and clearly better than other offsets."""
    borders = [0, *(np.flatnonzero(np.diff(path)) + 1).tolist(), len(path)]
    found = []
    for first, end in pairwise(borders):
        offset, cells = int(path[first]), table[first:end]
        if not offset or end - first < _SHORTEST:
            continue
        is_here, is_real = offsets[first:end] == offset, offsets[first:end] < _NOWHERE[0]
        here, others = cells[is_here], cells.mean(axis=1, where=~is_here & is_real)
        fits, there, shortest = here.mean(), others.mean(), _SHORTEST
        if abs(offset) > _NEAR:
            # Rare words propose these, so that a few lines fit is no surprise: most must, and better than they do here.
            part = _trimmed(here - np.maximum(_CLEARLY * others, _LEAST * here.mean()))
            first, end, shortest = first + part.start, first + part.stop, _SHORTEST_FAR
            fits, there = np.median(here[part]), max(others[part].mean(), np.median(cells[part, _NEAR]))
        if end - first >= shortest and fits >= max(_CLEARLY * there, there + 0.08 * scale):
            found.append(Drift(first, end - 1, offset))
    return found


def _trimmed(gains: NDArray[np.float64]) -> slice:
    """The part of a stretch that is left without the lines at both ends that gain nothing; one line at least."""
    sums = np.concatenate([[0.0], np.cumsum(gains)])
    end = max(1, int(sums.argmax()))
    begins = end - 1 - int(sums[:end][::-1].argmin())
    return slice(begins, end)


def _moved(texts: Sequence[str], found: Drifts) -> tuple[list[int], dict[int, int], bool]:
    """For each line of the repaired file the line that belongs there, or -1; which lines repeat others; and a doubt.

    Where several lines fit a reference, the best stays. The doubt is that lines would be lost that fit as well.
    """
    n, usual = len(texts), _GOOD[1] * float(found.fits.mean())
    order, copies, lost = [-1] * n, dict[int, int](), []
    offsets = np.zeros(n, np.intp)
    for run in found.runs:
        offsets[run.first : run.last + 1] = run.offset
    for at, there in enumerate((np.arange(n) + offsets).tolist()):
        if not 0 <= there < n:
            continue
        rival = order[there]
        if rival < 0:
            order[there] = at
        elif texts[at] == texts[rival]:
            order[there], copy = (rival, at) if offsets[at] else (at, rival)
            copies[copy] = order[there]
        else:
            order[there], worse = (at, rival) if found.fits[at] > found.fits[rival] else (rival, at)
            lost.append(found.fits[worse] >= max(usual, _GOOD[0] * found.fits[order[there]]))
    return order, copies, sum(lost) > 0.1 * len(lost)


def _sources(run: Drift, copies: dict[int, int]) -> list[int]:
    """The lines that a stretch repeats, if most of its lines repeat others."""
    found = [copies[at] for at in range(run.first, run.last + 1) if at in copies]
    return found if 2 * len(found) > run.last - run.first + 1 else []


def _told(runs: Sequence[Drift], order: Sequence[int], copies: dict[int, int]) -> str:
    """Say in words what happened to the first stretches."""
    moved = {at for run in runs for at in range(run.first, run.last + 1)}
    is_permuted = len(runs) > 1 and not copies and moved == {order[at] for at in moved}
    told, before = [], Drift(-1, -1, 0)
    for run in runs[:_TOLD]:
        known = before.offset if before.last == run.first - 1 else 0
        told.append(_copied(run, copies, len(order)) or _placed(run) + _because(run, known, order, copies))
        before = run
    message = ("blocks of lines are in another order: " if is_permuted else "") + "; ".join(told)
    if len(runs) > _TOLD:
        others = many(len(runs) - _TOLD, "other stretch of lines has", "other stretches of lines have")
        message += f"; {others} offsets too"
    return message


def _copied(run: Drift, copies: dict[int, int], n: int) -> str:
    """Say which lines a stretch repeats, if it does."""
    found = _sources(run, copies)
    padded = ", as if the end were padded" if run.last == n - 1 else ""
    return f"{_lines(run.first, run.last)} repeat {_lines(found[0], found[-1])}{padded}" if found else ""


def _because(run: Drift, known: int, order: Sequence[int], copies: dict[int, int]) -> str:
    """Say how many lines are missing or too many before a stretch; nothing if they only stand elsewhere."""
    gone, placed = run.offset - known, {*order}.difference(copies.values())
    if gone > 0:
        is_true = [order[at] < 0 for at in range(run.first + known, run.first + run.offset) if 0 <= at < len(order)]
    else:
        is_true = [at not in placed for at in range(run.first + gone, run.first) if at >= 0]
    if 2 * sum(is_true) < len(is_true):
        return ""
    what = "missing at" if gone > 0 else "too many before"
    return f": {many(abs(gone), 'line is', 'lines are')} {what} {run.first + 1}"


def _placed(run: Drift) -> str:
    """Say where a stretch belongs."""
    number, way = many(abs(run.offset), "line", "lines"), "down" if run.offset > 0 else "up"
    return f"{_lines(run.first, run.last)} fit the references {number} further {way}"


def _lines(first: int, last: int) -> str:
    return f"lines {first + 1} to {last + 1}"
