"""Terms, slowly: every place is tried, and every choice of places."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import pairwise

Place = tuple[int, int]
_INVISIBLE = dict.fromkeys((0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF))
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_HANGUL = re.compile("[\uac00-\ud7a3]")


def normal(text: str) -> str:
    """Composed letters, single spaces, nothing invisible."""
    return " ".join(unicodedata.normalize("NFC", text).translate(_INVISIBLE).split()).replace("ß", "ss")


def is_spaced(c: str) -> bool:
    """Whether a character belongs to a word of a script with spaces."""
    return (c.isalnum() or c == "_") and not _UNSPACED.match(c)


def is_bounded(text: str, start: int, end: int) -> bool:
    """Whether no letter stands beside one of the term."""
    is_begun = start > 0 and is_spaced(text[start - 1]) and is_spaced(text[start])
    around = text[end - 1 : end + 1]
    goes_on = len(around) == 2 and all(map(is_spaced, around)) and not any(map(_HANGUL.match, around))
    return not is_begun and not goes_on


def minds_case(term: str, case: str) -> bool:
    """Whether a term minds case."""
    return case == "keep" or (case == "smart" and (term[1:] != term[1:].lower() or any(map(str.isdigit, term))))


def occurrences(term: str, text: str, case: str) -> list[Place]:
    """The places of a term, as it is."""
    if not minds_case(term, case):
        term, text = term.lower(), text.lower()
    starts = (at for at in range(len(text)) if text.startswith(term, at))
    return [(at, at + len(term)) for at in starts if is_bounded(text, at, at + len(term))]


def plain(word: str) -> str:
    """A word without case and accents; a Korean syllable stays one letter."""
    letters = "".join(c for c in unicodedata.normalize("NFD", word.lower()) if not unicodedata.combining(c))
    return unicodedata.normalize("NFC", letters)


def is_form(term: str, word: str) -> bool:
    """Whether a word may be a form of a term's word."""
    ours, theirs = plain(term), plain(word)
    if ours == theirs:
        return True
    if len(ours) <= 3 or any(map(str.isdigit, ours + theirs)):
        return False
    common = 0
    while common < min(len(ours), len(theirs)) and ours[common] == theirs[common]:
        common += 1
    return common >= max(3, len(ours) - (3 if len(ours) >= 6 else 1)) and len(theirs) - common <= 5


def words(text: str) -> list[Place]:
    """The places of words in scripts with spaces."""
    found, at = [], 0
    while at < len(text):
        end = at
        while end < len(text) and is_spaced(text[end]):
            end += 1
        if end > at:
            found.append((at, end))
        at = max(end, at + 1)
    return found


def forms(term: str, text: str) -> list[Place]:
    """The places with other forms of a term's words, which are not cased."""
    ours, theirs, found = words(term), words(text), []
    for first in range(len(theirs) - len(ours) + 1) if ours else ():
        some = theirs[first : first + len(ours)]
        start, end = some[0][0] - ours[0][0], some[-1][1] + len(term) - ours[-1][1]
        gaps = [
            term[: ours[0][0]],
            *(term[a[1] : b[0]] for a, b in pairwise(ours)),
            term[ours[-1][1] :],
        ]
        others = [
            text[max(0, start) : some[0][0]], *(text[a[1] : b[0]] for a, b in pairwise(some)),
            text[some[-1][1] : end],
        ]  # fmt: skip
        alike = (is_form(term[a:b], text[c:d]) for (a, b), (c, d) in zip(ours, some, strict=True))
        if all(alike) and [one.lower() for one in gaps] == [one.lower() for one in others]:
            found.append((start, end))
    return found


def wanted(source: str, glossary: Mapping[str, Sequence[str]], case: str, overlap: str) -> dict[str, int]:
    """How often a source has each term."""
    source, found, at = normal(source), dict.fromkeys(glossary, 0), 0
    places = {term: occurrences(normal(term), source, case) for term in glossary}
    if overlap == "all":
        for term, all_of_it in places.items():
            end = 0
            for start, after in all_of_it:
                if start >= end:
                    found[term], end = found[term] + 1, after
        return found
    while at < len(source):
        here = [
            (end, minds_case(normal(term), case), term) for term in places for start, end in places[term] if start == at
        ]
        if here:
            at, _, term = max(here, key=lambda one: one[:2])
            found[term] += 1
        else:
            at += 1
    return found


def most(places: Sequence[tuple[str, Place]], times: Mapping[str, int], end: int = 0) -> int:
    """The largest number of terms that places without overlaps can stand for; places are in order."""
    if not places:
        return 0
    (term, (start, after)), *rest = places
    best = most(rest, times, end)
    if start >= end and times[term]:
        best = max(best, 1 + most(rest, {**times, term: times[term] - 1}, after))
    return best


def row(
    source: str, output: str, glossary: Mapping[str, Sequence[str]], mode: str = "form", case: str = "fold",
    overlap: str = "longest",
) -> tuple[int, int, int]:  # fmt: skip
    """How many terms were found, wanted, and found exactly."""
    times, output = wanted(source, glossary, case, overlap), normal(output)
    exact = {
        (term, place) for term in times if times[term] for target in glossary[term]
        for place in occurrences(normal(target), output, case)
    }  # fmt: skip
    other = {
        (term, place) for term in times if times[term] for target in glossary[term]
        if not minds_case(normal(target), case) for place in forms(normal(target), output)
    } if mode == "form" else set()  # fmt: skip

    def found(places: set[tuple[str, Place]]) -> int:
        return most(sorted(places, key=lambda one: one[1]), times)

    return found(exact | other), sum(times.values()), found(exact)
