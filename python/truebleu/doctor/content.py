"""D401 to D415: output whose content cannot be a translation.

Lengths are in `lengths`, languages in `language`, and the words of preambles, refusals and remarks in `words`.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from truebleu import _core
from truebleu._options import thread_count
from truebleu._shown import shown
from truebleu.doctor import patterns
from truebleu.doctor.finding import quotation
from truebleu.doctor.language import Likelihoods, foreign_segments, likelihoods, yardstick
from truebleu.doctor.rule import Fault, from_both, listed
from truebleu.doctor.texts import CJK, fold
from truebleu.doctor.words import is_error, note_start, preamble_ends, refuses
from truebleu.glance import SCRIPTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truebleu.doctor.case import Case
    from truebleu.doctor.language import Yardstick
    from truebleu.doctor.texts import Columns

# Words that are copied on purpose: addresses, #tags, @names and cries such as "waaahoooo".
_COPIED = re.compile(r"(?:https?://|www\.)\S+|(?<!\w)[#@]\w+|\b\w*?(\w)\1\1\w*")

# Texts such as "Note: x" and "Q: x": the beginning belongs to the text.
_LABELLED = re.compile(r"[^:：\n]{0,60}[:：]")

# Boilerplate: so many equal letters at the beginning (at the end) of so large a share of the segments.
_ALIKE_BEGINNINGS = ((32, 0.02), (24, 0.02), (20, 0.02), (16, 0.05), (12, 0.20))
_ALIKE_ENDS = ((40, 0.02), (32, 0.02), (24, 0.05))
_FEWEST_ALIKE = 8

_FEWEST_REPEATED = 6  # lines of a block that occurs twice


def empty(corpus: Case) -> Iterator[Fault]:
    """D401: find empty hypotheses where a reference is not empty."""
    some_reference = np.any([ref["len"] > 0 for ref in corpus.refs], axis=0)
    yield from listed(
        np.flatnonzero((corpus.hyp["len"] == 0) & some_reference), "hypothesis is empty", "hypotheses are empty"
    )


def source_copied(corpus: Case) -> Iterator[Fault]:
    """D402: find hypotheses that repeat the source though the references do not."""
    source, output, shared = shared_with_source(corpus)
    is_near = (source >= 12) & (0.6 * source <= output) & (output <= 1.6 * source)
    # A text with a similarity of 0.85 has at least 82 % of the source's n-grams of one to six characters. Even if it
    # has all of the shorter ones, there are 63 % of the longer ones, and as many 4-grams as 6-grams.
    is_near &= shared >= 0.6 * (source - 5)
    near = _copies(corpus, np.flatnonzero(is_near).tolist(), corpus.folded)
    # The few that are left are compared without the words that are copied on purpose.
    plain = {side: {at: fold(_COPIED.sub(" ", texts[at])) for at in near} for side, texts in corpus.sides.items()}
    near = _copies(corpus, near, plain)
    yield from listed(near, "segment repeats the source", "segments repeat the source")


def wrong_script(corpus: Case) -> Iterator[Fault]:
    """D403: find hypotheses in another script than the references."""
    groups = [name for name in (*SCRIPTS, "other") if corpus.shares[name] < 0.005]
    hyp = _script_shares(corpus.hyp, groups, corpus.main)
    refs = [_script_shares(ref, groups, corpus.main) for ref in corpus.refs]
    letters, rare, main = hyp
    rare_refs = np.max([ref[1] for ref in refs], axis=0)
    wrong = (letters >= 4) & (rare >= 0.5) & (rare_refs < 0.2)
    wrong |= (letters >= 12) & (main <= 0.05) & (np.min([ref[2] for ref in refs], axis=0) >= 0.5)
    wrong |= (letters >= 6) & (rare >= 0.2) & (rare_refs == 0)
    # Chinese instead of Japanese: no kana, where the references have some.
    for needed in [CJK[1:], *((name,) for name in SCRIPTS if name not in CJK)]:
        if sum(corpus.shares[name] for name in needed) < 0.2:
            continue
        has = [sum(ref[name] for name in needed) for ref in corpus.refs]
        expected = np.all([count >= np.maximum(3, 0.12 * ref[0]) for count, ref in zip(has, refs, strict=True)], axis=0)
        shortest = np.min([ref["len"] for ref in corpus.refs], axis=0)
        lacks = sum(corpus.hyp[name] for name in needed) == 0
        wrong |= (letters >= 12) & lacks & expected & (corpus.hyp["len"] >= 0.5 * shortest)
    places = np.flatnonzero(wrong)
    found = Counter({name: int(corpus.hyp[name][places].sum()) for name in (*SCRIPTS, "other")}).most_common(1)[0][0]
    there = max(corpus.main, key=lambda name: corpus.shares[name])
    what = "in another script" if found == there else f"in another script ({found}; the references are in {there})"
    # A whole sentence without one letter of the right script is no matter of taste, however few there are.
    theirs = np.min([ref[2] for ref in refs], axis=0)
    is_certain = (letters >= 20) & (main == 0) & (theirs >= 0.8) & (corpus.sims < 0.1)
    alarm = from_both(1, 0) if is_certain.any() else None
    yield from listed(places, "segment is", "segments are", what, alarm=alarm)


def wrong_language(corpus: Case) -> Iterator[Fault]:
    """D404: find hypotheses that are not in the language of the references."""
    known = corpus.once("yardstick", lambda: yardstick(corpus.references, corpus.sources, corpus.threads))
    likely = _likelihoods(corpus, known)
    found = foreign_segments(corpus.hypotheses, corpus.references, corpus.sources, known, likely, corpus.threads)
    yield from listed(found, "segment does", "segments do", "not look like the language of the references")


def _likelihoods(corpus: Case, known: Yardstick) -> Likelihoods:
    """The likelihoods of the hypotheses; texts of all systems are measured together, by even and odd segments."""
    pool = corpus.pool

    def measure() -> tuple[NDArray[np.intp], Likelihoods]:
        met = [2 * pool.index(texts) + np.arange(len(texts)) % 2 for texts in pool.outputs]
        places = np.unique(np.concatenate(met))
        texts = [pool.texts[place] for place in (places // 2).tolist()]
        return places, likelihoods(texts, places % 2 == 0, known.letters, known.profiles, pool.threads)

    places, found = pool.once("likelihoods", measure)
    rows = np.searchsorted(places, 2 * corpus.index + np.arange(corpus.n) % 2)
    return Likelihoods(found.trigrams[rows], found.means[rows])


def loops(corpus: Case) -> Iterator[Fault]:
    """D405: find hypotheses that repeat the same words again and again."""
    runs = corpus.runs("hypotheses")
    others = [corpus.runs(side) for side in corpus.sides if side != "hypotheses"]
    units = corpus.hyp["len" if corpus.unspaced else "words"]
    repeats, covered, u = runs["repeats"], runs["covered"], corpus.u
    looping = (repeats >= 4) & (covered >= 8 * u)
    looping |= (repeats >= 3) & (runs["period"] >= 4) & (covered >= 8 * u + 4)
    looping &= (covered >= 0.3 * units) & np.all([covered >= 2 * other["covered"] for other in others], axis=0)
    stuttering = _stutters(runs) & ~np.any([_stutters(other) for other in others], axis=0)
    places = np.flatnonzero(looping | stuttering)
    example = f" {quotation(_circle(corpus.hypotheses[places[0]]))}" if len(places) else ""
    yield from listed(places, f"segment repeats itself{example}", f"segments repeat themselves{example}")


def same_output(corpus: Case) -> Iterator[Fault]:
    """D406: find segments that have the same output although their inputs differ."""
    by_output: dict[int, list[int]] = defaultdict(list)
    pool = corpus.pool
    said = pool.once("what texts say", lambda: pool.folded_parts(None, 1))[corpus.index]
    is_possible = (np.bincount(said)[said] >= 3) & (pool.folded_lengths[corpus.index] >= 12 / corpus.u)
    for at in np.flatnonzero(is_possible).tolist():
        by_output[int(said[at])].append(at)
    found: list[int] = []
    for group in by_output.values():
        if np.median(corpus.sims[group]) >= 0.4:
            continue
        if all(_differ(corpus, [texts[at] for at in group], limit) for texts, limit in _inputs(corpus)):
            found += [at for at in group if corpus.sims[at] < 0.5]
    yield from _repeated_blocks(corpus, said)
    yield from listed(sorted(found), "segment has", "segments have", "the same output for different inputs")


def _repeated_blocks(corpus: Case, said: NDArray[np.intp]) -> Iterator[Fault]:
    """Find blocks of lines that occur twice though their inputs differ; the fault is in the one that fits worse."""
    order = np.argsort(said, kind="stable")
    before = np.full(corpus.n, -1)
    before[order[1:]] = np.where(said[order[1:]] == said[order[:-1]], order[:-1], -1)
    above = np.where((before >= 0) & (corpus.hyp["len"] > 0), np.arange(corpus.n) - before, 0)
    for first, end in pairwise([0, *(np.flatnonzero(np.diff(above)) + 1).tolist(), corpus.n]):
        if not above[first] or end - first < _FEWEST_REPEATED:
            continue
        blocks = range(first, end), range(first - int(above[first]), end - int(above[first]))
        worse, better = sorted(blocks, key=lambda block: float(np.median(corpus.sims[block])))
        pairs = (([texts[at] for at in worse], [texts[at] for at in better], most) for texts, most in _inputs(corpus))
        if np.median(corpus.sims[worse]) < 0.4 and all(np.median(corpus.sim(a, b)) < most for a, b, most in pairs):
            lines = [f"lines {block[0] + 1} to {block[-1] + 1}" for block in (worse, better)]
            evidence = {"first": worse[0] + 1, "last": worse[-1] + 1, "offset": better[0] - worse[0]}
            yield Fault(
                f"{lines[0]} have the output of {lines[1]}, though their inputs differ", worse, evidence=evidence
            )


def _inputs(corpus: Case) -> list[tuple[list[str], float]]:
    """The texts that tell whether inputs differ, and how similar they are at most if they do."""
    return [(corpus.first, 0.35)] + ([] if corpus.sources is None else [(corpus.sources, 0.30)])


def preambles(corpus: Case) -> Iterator[Fault]:
    """D410: find words to the user before the translation."""
    of_pool = corpus.pool.once("preambles", lambda: np.array(preamble_ends(corpus.pool.texts)))
    of_segments = of_pool[corpus.index]
    ends = {at: int(of_segments[at]) for at in np.flatnonzero(of_segments).tolist()}
    found = corpus.only_here(ends, _is_labelled)
    without = [corpus.hypotheses[at][ends[at] :] for at in found]
    known = [corpus.sim(without, [stream[at] for at in found]) for stream in corpus.references]
    better = np.max(known, axis=0) >= corpus.sims[found] - 0.01
    found = [at for at, keep in zip(found, better, strict=True) if keep]
    if found:
        what = f"with words to the user {quotation(corpus.hypotheses[found[0]][: ends[found[0]]])}"
        yield from listed(found, "segment begins", "segments begin", what)


def refusals(corpus: Case) -> Iterator[Fault]:
    """D411: find hypotheses that decline to translate, and messages of programs that failed."""
    for is_such, one, more in (
        (refuses, "segment declines to translate", "segments decline to translate"),
        (is_error, "segment is the message of an error", "segments are messages of errors"),
    ):
        found = [at for at in np.flatnonzero(corpus.sims < 0.35).tolist() if is_such(corpus.hypotheses[at])]
        yield from listed(corpus.only_here(found, is_such), one, more)


def remarks(corpus: Case) -> Iterator[Fault]:
    """D412: find words to the user after the translation."""
    longer, far_longer = (
        np.all([corpus.hyp["len"] > by * ref["len"] for ref in corpus.refs], axis=0) for by in (0.8, 1.25)
    )
    starts = {int(at): note_start(corpus.hypotheses[at]) for at in np.flatnonzero(longer)}
    found = [at for at, start in starts.items() if start < len(corpus.hypotheses[at])]
    # A short remark after a long translation is one too, if the rest is nearer to the reference.
    without = [corpus.hypotheses[at][: starts[at]] for at in found]
    better = corpus.sim(without, [corpus.first[at] for at in found]) > corpus.sims[found]
    found = [at for at, is_better in zip(found, better.tolist(), strict=True) if is_better or far_longer[at]]
    if found:
        what = f"with a remark to the user {quotation(corpus.hypotheses[found[0]][starts[found[0]] :])}"
        yield from listed(found, "segment ends", "segments end", what)


def markdown(corpus: Case) -> Iterator[Fault]:
    """D413: find Markdown that no other text of a segment has: code fences, and other marks if there are many."""
    fenced = corpus.extra(patterns.FENCES, ["backtick", "tilde"])
    if fenced:
        yield from listed(fenced, "segment is", "segments are", "wrapped in Markdown", variant="fence")
    marked = corpus.extra(patterns.EMPHASIS, ["star", "underscore"])
    hashed = np.flatnonzero(corpus.hyp["hash"]).tolist()
    headed = corpus.only_here(
        (at for at in hashed if patterns.HEADING.match(corpus.hypotheses[at])), lambda text: text.startswith("#")
    )
    places = sorted({*marked, *headed}.difference(fenced))
    if len(places) >= max(3, 0.005 * corpus.n):
        yield from listed(places, "segment has", "segments have", "marks of Markdown")


def boilerplate(corpus: Case) -> Iterator[Fault]:
    """D414: find segments that begin or end alike though the references do not; this needs no list of words."""
    for kinds, verbs, step in ((_ALIKE_BEGINNINGS, ("begins", "begin"), 1), (_ALIKE_ENDS, ("ends", "end"), -1)):
        places: set[int] = set()
        possible = _maybe_alike(corpus, min(kinds)[0] // corpus.u, step)
        # From few letters to many: only texts that begin with the same 12 letters can begin with the same 16.
        for number, share in sorted(kinds):
            letters = number // corpus.u
            groups = _alike(corpus, possible, letters, step)
            possible = [at for group in groups for at in group]
            large = [group for group in groups if len(group) >= max(_FEWEST_ALIKE, share * corpus.n)]
            places.update(*(group for group in large if _is_boilerplate(corpus, group, letters, step)))
        if places:
            text = corpus.hypotheses[min(places)]
            what = f"like others {quotation(text[:40] if step == 1 else text[-40:])}; the references do not"
            yield from listed(sorted(places), f"segment {verbs[0]}", f"segments {verbs[1]}", what)


def source_and_translation(corpus: Case) -> Iterator[Fault]:
    """D415: find hypotheses that hold the source as well as its translation."""
    sources, outputs = corpus.folded["sources"], corpus.folded["hypotheses"]
    of_source, of_output, shared = shared_with_source(corpus)
    is_possible = (of_source >= 15) & (of_output > of_source) & (shared >= of_source - 3)
    found = []
    for at in np.flatnonzero(is_possible).tolist():
        source, output = sources[at], outputs[at]
        if source in output:
            references = [corpus.folded[f"references[{k}]"][at] for k in range(len(corpus.references))]
            longer = len(output) - len(source) >= 0.4 * max(map(len, references))
            if longer and not any(source in reference for reference in references):
                found.append(at)
    yield from listed(found, "segment holds", "segments hold", "the source as well as its translation")


def shared_with_source(corpus: Case) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.int32]]:
    """The lengths of folded sources and outputs, and how many 4-grams of a source its output has, at most."""

    def count() -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.int32]]:
        sources, threads = corpus.folded["sources"], thread_count(corpus.threads)
        lengths = corpus.once("lengths of sources", lambda: np.array([len(text) for text in sources]))
        shared = np.frombuffer(_core.shared_at_most(corpus.folded["hypotheses"], sources, threads), np.int32)
        return lengths, corpus.pool.folded_lengths[corpus.index], shared

    return corpus.keep("shared with source", count)


def _copies(corpus: Case, places: list[int], texts: Mapping[str, Any]) -> list[int]:
    """The places where the hypothesis is like the source and no reference is."""
    for side, is_copy in (("hypotheses", True), *((side, False) for side in corpus.reference_sides)):
        like = corpus.sim([texts[side][at] for at in places], [texts["sources"][at] for at in places])
        kept = like >= 0.85 if is_copy else like <= 0.60
        places = [at for at, keep in zip(places, kept, strict=True) if keep]
    return [at for at in places if len(texts["sources"][at]) >= 12]


def _script_shares(
    columns: Columns, rare: Sequence[str], main: Sequence[str]
) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.float64]]:
    """The letters of each text, the share of those in rare scripts, and of those in the main one."""
    letters = np.sum([columns[name] for name in (*SCRIPTS, "other")], axis=0)
    total = np.maximum(letters, 1)
    shares = [np.sum([columns[name] for name in names], axis=0) / total for names in (rare or ["len"], main)]
    return letters, shares[0] if rare else np.zeros(len(letters)), shares[1]


def _stutters(runs: dict[str, NDArray[np.int32]]) -> NDArray[np.bool_]:
    return (runs["char_repeats"] >= 8) & (runs["char_covered"] >= 24)


def _circle(text: str) -> str:
    """The beginning of the repeated part of a text, for a message."""
    found = re.search(r"(\w.{0,80}?)(?:\s*\1){2,}", text[:1000])
    return shown((found[0] if found else text)[:40])


def _differ(corpus: Case, texts: Sequence[str], limit: float) -> bool:
    """Whether at least three of the texts differ, and neighbours have little in common."""
    return len(set(texts)) >= 3 and float(np.median(corpus.sim(texts[:-1], texts[1:]))) < limit


def _is_labelled(text: str) -> bool:
    """Whether a text begins with at most 40 letters and a colon."""
    found = _LABELLED.match(text)
    return found is not None and sum(map(str.isalpha, found[0])) <= 40


def _maybe_alike(corpus: Case, letters: int, step: int) -> Sequence[int]:
    """The segments that begin (end) with the same few letters as many others."""
    pool = corpus.pool
    of_pool = pool.once(("alike", letters, step), lambda: pool.folded_parts(letters, step))
    parts = of_pool[corpus.index] + 1  # 0 for those that are too short
    return np.flatnonzero((parts > 0) & (np.bincount(parts)[parts] >= _FEWEST_ALIKE)).tolist()


def _alike(corpus: Case, places: Iterable[int], letters: int, step: int) -> list[list[int]]:
    """Those of some segments that begin with the same letters as many others, or end with them (`step` -1)."""
    part = slice(0, letters) if step == 1 else slice(-letters, None)
    texts = corpus.folded["hypotheses"]
    parts = {at: texts[at][part] for at in places if len(texts[at]) >= letters}
    number = Counter(parts.values())
    groups: dict[str, list[int]] = {words: [] for words, count in number.items() if count >= _FEWEST_ALIKE}
    for at, words in parts.items() if groups else ():
        if words in groups:
            groups[words].append(at)
    return list(groups.values())


def _is_boilerplate(corpus: Case, group: list[int], letters: int, step: int) -> bool:
    """Whether texts that begin (end) alike differ in the rest, and neither references nor sources are alike too."""
    part, few = (slice(0, letters), slice(0, 6)) if step == 1 else (slice(-letters, None), slice(-6, None))
    texts = corpus.folded["hypotheses"]
    if len({texts[at] for at in group}) <= len(group) / 2:
        return False
    others = [side for name, side in corpus.folded.items() if name != "hypotheses"]
    words = texts[group[0]][part]
    references = sum(text[part] == words for side in others[: len(corpus.references)] for text in side)
    shared = max(Counter(side[at][few] for at in group).most_common(1)[0][1] for side in others)
    return references <= 0.1 * len(group) and shared < len(group) / 2
