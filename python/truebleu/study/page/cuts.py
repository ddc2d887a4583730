"""Where tokens end inside words, so that the page can mark the metric's own tokens without a tokenizer.

Tokens are pieces of a text nearly always: its words, some of them cut. So a text has a list of cuts: places where a
token ends and no white space follows, counted in UTF-16 units (as JavaScript counts) without white space. A text whose
tokens are not pieces of it (entities were decoded, a model has its own symbols) keeps its list of tokens instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any

from truebleu import _core
from truebleu._options import thread_count
from truebleu.metrics.tokenized import TokenizedMetric

# Marks a text whose tokens are listed; other texts begin with the number of their cuts plus one.
LISTED = 0


def pack_cuts(
    texts: Iterable[str | None], metric: TokenizedMetric[Any], threads: int | None = None
) -> tuple[bytes, list[list[str]]]:
    """Write the cuts of all texts as bytes, and list the tokens of those that cuts cannot describe."""
    filled = [text or "" for text in texts]
    native = None if metric.lowercase or metric.normalize else metric.tokenizer.native
    # The core knows texts whose tokens are pieces of them letter for letter, which are nearly all.
    packed: list[bytes | None] = [None] * len(filled)
    if native is not None:
        packed = _core.cuts(filled, native, thread_count(threads))
    left = [at for at, found in enumerate(packed) if found is None]
    listed: list[list[str]] = []
    for at, tokens in zip(left, metric.tokens([filled[at] for at in left]) if left else (), strict=True):
        cuts = find_cuts(filled[at], tokens)
        if cuts is None:
            packed[at] = bytes((LISTED,))
            listed.append(tokens)
        else:
            steps = (after - before for before, after in zip((0, *cuts), cuts, strict=False))
            packed[at] = bytes(_variable_length((len(cuts) + 1, *steps)))
    return b"".join(found or b"" for found in packed), listed


def find_cuts(text: str, tokens: Sequence[str]) -> list[int] | None:
    """Find where tokens end inside the words of a text; None if the tokens are not pieces of it."""
    words = text.split()
    joined, wanted = "".join(words), "".join(tokens)
    # Small letters stand where capital ones did only if there are as many of them.
    if joined != wanted and (len(joined) != len(wanted) or "".join(text.lower().split()) != wanted):
        return None
    is_wide = not joined.isascii() and max(joined) > "\uffff"
    length = _utf16_length if is_wide else len
    word_ends = list(accumulate(map(length, words)))
    token_ends = list(accumulate(map(length, tokens)))
    inside = set(word_ends)
    cuts = [end for end in token_ends if end not in inside]
    # A token that spans white space leaves the end of a word out.
    return cuts if len(cuts) + len(word_ends) == len(token_ends) else None


def _utf16_length(text: str) -> int:
    return len(text) + sum(character > "\uffff" for character in text)


def _variable_length(numbers: Iterable[int]) -> Iterator[int]:
    """Write seven bits in a byte, the lowest first; the eighth says that there are more."""
    for number in numbers:
        while number > 127:
            yield number & 127 | 128
            number >>= 7
        yield number
