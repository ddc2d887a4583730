"""Overlap with training text, the slow way: sets of tuples of words, and every place beside every other."""

import string
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

import regex

LEFT_OUT = set("'\u02bc\u2018\u2019\u201b\uff07\xad\u180e\u200b\u200c\u200d\u2060\ufeff")
_ALONE = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}]")


class Found(NamedTuple):
    """What records have of a text."""

    units: int
    covered: int
    common: int
    longest: int
    ngrams: int
    of: int
    records: int
    first: tuple[int, ...]  # the numbers of the first three records


def is_alone(c: str) -> bool:
    return unicodedata.category(c)[0] == "L" and _ALONE.match(c) is not None


def folded(text: str) -> str:
    """Decomposed and folded, without what is left out."""
    text = "".join(c for c in text if c not in LEFT_OUT and not ("\ufe00" <= c <= "\ufe0f"))
    text = "".join(unicodedata.normalize("NFKD", c).casefold() for c in text)
    return "".join(c for c in unicodedata.normalize("NFKD", text) if c not in LEFT_OUT)


def units(text: str) -> list[str]:
    """Words, and letters of scripts without spaces; marks belong to the letter before them."""
    found, goes_on = list[str](), False
    for c in folded(text):
        category = unicodedata.category(c)[0]
        if category == "M":
            if found and goes_on:
                found[-1] += c
        elif category in "LN":
            if goes_on and not is_alone(c) and not is_alone(found[-1][0]):
                found[-1] += c
            else:
                found.append(c)
            goes_on = True
        else:
            goes_on = False
    return found


def is_spaceless(text: str) -> bool:
    letters = [c for c in folded(text) if unicodedata.category(c)[0] == "L"]
    alone = sum(map(is_alone, letters))
    return alone > 0 and 2 * alone >= len(letters)


def lm_eval_words(text: str) -> list[str]:
    """Words between white space, without ASCII punctuation, ASCII letters in lower case."""
    table = {ord(c): None for c in string.punctuation} | {ord(c): c.lower() for c in string.ascii_uppercase}
    return text.translate(table).split()


def janitor_finds(test: str, records: Sequence[str], n: int = 13) -> bool:
    """The rule of lm-evaluation-harness: the test text is cleaned and then divided, training text the other way."""
    own = set(grams(lm_eval_words(test), n))
    kept = str.maketrans(string.ascii_uppercase, string.ascii_lowercase, string.punctuation)
    return any(not own.isdisjoint(grams([word.translate(kept) for word in one.split()], n)) for one in records)


def grams(text: Sequence[str], n: int) -> list[tuple[str, ...]]:
    return [tuple(text[at : at + n]) for at in range(len(text) - n + 1)]


def search(
    texts: Sequence[str], records: Sequence[str], words: tuple[int, int] = (8, 5), letters: tuple[int, int] = (13, 8),
    common: int = 1000, is_lm_eval: bool = False,
) -> list[Found]:  # fmt: skip
    """What records have of each text, where n-grams in more than `common` records are kept apart."""
    read = lm_eval_words if is_lm_eval else units
    there = [read(record) for record in records]
    found = []
    for text in texts:
        own = read(text)
        n, least = letters if not is_lm_eval and is_spaceless(text) else words
        if len(own) < least:
            found.append(Found(len(own), 0, 0, 0, 0, 0, 0, ()))
            continue
        n = min(n, len(own))
        sets = [set(grams(record, n)) for record in there]
        counts = [sum(gram in one for one in sets) for gram in grams(own, n)]
        usual, often = set[int](), set[int]()
        for at, count in enumerate(counts):
            if count:
                (often if count > common else usual).update(range(at, at + n))
        having = [at for at, one in enumerate(sets) if not one.isdisjoint(grams(own, n))]
        longest = max((_longest(own, there[at]) for at in having), default=0)
        first = tuple(at + 1 for at in having[:3])
        hits = sum(count > 0 for count in counts)
        found.append(Found(len(own), len(usual), len(often - usual), longest, hits, len(counts), len(having), first))
    return found


def _longest(text: Sequence[str], record: Sequence[str]) -> int:
    longest = 0
    for n in range(1, len(text) + 1):
        if set(grams(text, n)).isdisjoint(grams(record, n)):
            break
        longest = n
    return longest
