"""D416 to D420: output that holds more than a translation: thoughts, a wrapping, the prompt, two versions, the source.

What sources and references have too is part of the text. The words of prompts are in `words.json`.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from truebleu import _core
from truebleu._options import thread_count
from truebleu.doctor import patterns
from truebleu.doctor.content import shared_with_source
from truebleu.doctor.finding import quotation
from truebleu.doctor.integrity import parts_of, parts_of_outputs
from truebleu.doctor.kept import HAS_VERSIONS
from truebleu.doctor.rule import Fault, listed, many
from truebleu.doctor.unwrapping import WRAPPINGS, is_date, without_thoughts
from truebleu.doctor.words import has_options, has_prompt

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truebleu.doctor.case import Case

_PIPE = re.compile(r"(?<!<)\|(?!>)")

# A part of so many words, or letters where words have no spaces between them.
_SHARED_WORDS, _SHARED_LETTERS = 6, 14
_COPIED_WORDS, _COPIED_LETTERS = 8, 20
_FEWEST_SHARED, _SHARED = 8, 0.02
_COPIED = 0.25


def reasoning(corpus: Case) -> Iterator[Fault]:
    """D416: find what a model says to itself, and the marks of turns in a chat."""
    found = corpus.extra(patterns.THOUGHTS, ("less", "bracket"))
    found |= {at: hits for at, hits in corpus.extra(patterns.WHITE_THOUGHTS).items() if at not in found}
    if found:
        yield _thoughts(corpus, sorted(found))


def _thoughts(corpus: Case, places: list[int]) -> Fault:
    # A repair never empties a segment in silence.
    empty = sum(not without_thoughts(corpus.hypotheses[at]) for at in places)
    left = f"; {many(empty, 'segment has', 'segments have')} nothing else" if empty else ""
    example = quotation(corpus.hypotheses[places[0]], 40)
    what = "reasoning or marks of a chat"
    return Fault(
        lambda n: f"{many(n, 'segment has', 'segments have')} {what} which the references lack {example}{left}",
        places,
        evidence={"empty": empty},
        narrow=lambda some: _thoughts(corpus, some),
    )


def wrappings(corpus: Case) -> Iterator[Fault]:
    """D417: find output that is wrapped in JSON, XML or quotation marks, or made an item of a list or a table."""
    openings = corpus.hyp["opening"]
    for variant, (marks, inside, is_usual, what) in WRAPPINGS.items():
        possible = np.flatnonzero(np.isin(openings, [ord(mark) for mark in marks])).tolist()
        wrapped = (at for at in possible if inside(corpus.hypotheses[at]) is not None)
        found = corpus.only_here(wrapped, is_usual)
        if variant == "list":
            found = [at for at in found if corpus.only_here([at], partial(is_date, corpus.hypotheses[at]))]
        what, cure = f"{what} {corpus.quoted(found, 40)}", any(inside(corpus.hypotheses[at]) for at in found)
        yield from listed(found, "segment is", "segments are", what, variant=variant, repair=None if cure else "")
    rows = (at for at, text in enumerate(corpus.hypotheses) if "|" in text and len(_PIPE.findall(text)) >= 2)
    rows_here = corpus.only_here(rows, lambda text: "|" in text)
    one, more = "segment is a row of a table", "segments are rows of a table"
    yield from listed(rows_here, one, more, variant="table", repair="")


def prompts(corpus: Case) -> Iterator[Fault]:
    """D418: find the instructions to a model, and further examples after the translation."""
    found = _with(corpus, has_prompt)
    what = f"the prompt {corpus.quoted(found)}"
    yield from listed(found, "segment repeats", "segments repeat", what)
    shared, words = _shared_part(corpus)
    if shared := sorted(set(shared).difference(found)):
        what = f"words that no source and no reference has {quotation(words)}"
        yield from listed(shared, "segment shares", "segments share", what, variant="shared", repair="")


def versions(corpus: Case) -> Iterator[Fault]:
    """D419: find output that offers several translations."""
    found = _with(corpus, has_options, HAS_VERSIONS)
    halved = (at for at, text in enumerate(corpus.hypotheses) if " / " in text and _has_halves(corpus, at))
    found = sorted({*found, *halved})
    yield from listed(found, "segment offers", "segments offer", f"several translations {corpus.quoted(found)}")


def untranslated(corpus: Case) -> Iterator[Fault]:
    """D420: find a part of the source in the output that no reference has."""
    _, _, shared = shared_with_source(corpus)
    found: dict[int, str] = {}
    places = np.flatnonzero(shared >= _COPIED_LETTERS - 3).tolist()
    outputs, sources = ([texts[at] for at in places] for texts in (corpus.hypotheses, corpus.sources or []))
    unspaced, threads = corpus.source_is_unspaced, thread_count(corpus.threads)
    size = _COPIED_LETTERS if unspaced else _COPIED_WORDS
    most = _core.copied_at_most(outputs, sources, size, unspaced, threads)
    ours, *others = parts_of(corpus)
    for at in np.array(places, int)[np.frombuffer(most, np.int32) > 0].tolist():
        texts = [ours.bare(int(corpus.index[at])), *(one.bare(at) for one in others)]
        if words := _copied(texts, size, unspaced):
            found[at] = words
    example = quotation(next(iter(found.values()))) if found else ""
    yield from listed(found, "segment has", "segments have", f"a part of the source untranslated {example}")


def _with(corpus: Case, has: Callable[[str], bool], possible: int = 0) -> list[int]:
    """The segments whose output has something that neither its source nor a reference has."""

    def look() -> NDArray[np.bool_]:
        kinds = parts_of_outputs(corpus).kinds
        may_have = ((kinds & possible) == possible).tolist()
        return np.array([may and has(text) for may, text in zip(may_have, corpus.pool.texts, strict=True)], np.bool_)

    of_pool = corpus.pool.once(has, look)
    return corpus.only_here(np.flatnonzero(of_pool[corpus.index]).tolist() if corpus.n else [], has)


def _has_halves(corpus: Case, at: int) -> bool:
    """Whether a slash divides a text in two of about one length, where nobody else has a slash."""
    halves = corpus.hypotheses[at].split(" / ")
    sizes = [len(half.strip()) if corpus.unspaced else len(half.split()) for half in halves]
    is_even = len(sizes) == 2 and 4 * corpus.u <= min(sizes) and max(sizes) <= 2 * min(sizes)
    # Two translations of one text have words in common, and the halves at "his / her" have few.
    words = [{*_parts(half, corpus.unspaced)} for half in halves]
    is_even = is_even and len(words[0] & words[1]) >= min(map(len, words)) / 3
    return is_even and bool(corpus.only_here([at], lambda text: "/" in text or "|" in text))


def _shared_part(corpus: Case) -> tuple[list[int], str]:
    """The segments that share the most frequent part that no source and no reference has, and this part."""
    size, least = _SHARED_LETTERS if corpus.unspaced else _SHARED_WORDS, max(_FEWEST_SHARED, _SHARED * corpus.n)
    if corpus.n < least or _core.shared_parts(corpus.hypotheses, size, corpus.unspaced) < least:
        return [], ""
    owners: dict[tuple[str, ...], set[int]] = defaultdict(set)
    texts = [_parts(text, corpus.unspaced) for text in corpus.hypotheses]
    # Only words that many texts have can be part of what they share.
    often = {word for word, count in Counter(word for words in texts for word in {*words}).items() if count >= least}
    for at, words in enumerate(texts):
        run: list[str] = []
        for word in words:
            run = [*run[1 - size :], word] if word in often else []
            if len(run) == size:
                owners[tuple(run)].add(at)
    others = [side for name, side in corpus.sides.items() if name != "hypotheses"]
    sides = corpus.once("parts", lambda: [[_parts(text, corpus.unspaced) for text in side] for side in others])
    for part, places in sorted(owners.items(), key=lambda item: (-len(item[1]), item[0])):
        if len(places) < least:
            break
        is_new = not any(_holds(words, part) for side in sides for words in side)
        if is_new and len({corpus.hypotheses[at] for at in places}) > len(places) / 2 and not _agree(sides, places):
            return sorted(places), ("" if corpus.unspaced else " ").join(part)
    return [], ""


def _agree(sides: list[list[list[str]]], places: set[int]) -> bool:
    """Whether sources or references of some segments share three words in a row as well: they say the same."""
    for side in sides:
        counts = Counter(gram for at in places for gram in {*zip(side[at], side[at][1:], side[at][2:], strict=False)})
        if counts and counts.most_common(1)[0][1] >= len(places) / 2:
            return True
    return False


def _parts(text: str, unspaced: bool) -> list[str]:
    text = text.casefold()
    return [one for one in text if one.isalnum()] if unspaced else re.findall(r"\w+", text)


def _holds(words: Sequence[str], part: tuple[str, ...]) -> bool:
    first, size = part[0], len(part)
    return any(words[at] == first and tuple(words[at : at + size]) == part for at in range(len(words) - size + 1))


def _copied(texts: list[str], size: int, unspaced: bool) -> str:
    """The longest part of an output that is its source's and no reference's, if it is long; names do not count."""
    output, source = (_own_words(text, unspaced) for text in texts[:2])
    theirs = _grams(source, size)
    if theirs.isdisjoint(_grams(output, size)):
        return ""
    theirs.difference_update(*(_grams(_own_words(text, unspaced), size) for text in texts[2:]))
    length, best = 0, (0, 0)
    for at in range(len(output) - size + 1):
        length = (length + 1 if length else size) if tuple(output[at : at + size]) in theirs else 0
        best = max(best, (length, at + size))
    longest, end = best
    if longest < max(size, _COPIED * len(output)):
        return ""
    return ("" if unspaced else " ").join(output[end - longest : end])


def _grams(words: list[str], size: int) -> set[tuple[str, ...]]:
    return {tuple(words[at : at + size]) for at in range(len(words) - size + 1)}


def _own_words(text: str, unspaced: bool) -> list[str]:
    """The words of a text without numbers and words with a capital, which may be names."""
    if unspaced:
        return [one for one in text if one.isalpha()]
    return [word for word in re.findall(r"[^\W\d_]+", text) if not word[0].isupper()]
