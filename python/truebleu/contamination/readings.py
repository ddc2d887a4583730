"""How texts are read before they are compared: what becomes of each character.

A reading gives the core a cell for each character: the character it becomes and its class. Python decomposes and folds
characters, so the Unicode version of a result is Python's. Two texts that NFKC and case folding make equal have equal
units: here everything is decomposed, and marks come in canonical order, which says the same and needs no look ahead.
"""

from __future__ import annotations

import string
import unicodedata
from array import array
from functools import cache
from typing import NamedTuple

# The classes of the core (`overlap/characters.rs`), in its order.
_GAP, _NOTHING, _LETTER, _DIGIT, _MARK = range(5)
_CLASS, _ORDER, _SEVERAL, _LENGTH = 21, 24, 1 << 63, 32

# Apostrophes, the soft hyphen, and characters without width: they stand inside words, or do not.
_LEFT_OUT = frozenset("'\u02bc\u2018\u2019\u201b\uff07\xad\u180e\u200b\u200c\u200d\u2060\ufeff")
_VARIANTS = frozenset((*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))  # selectors of glyphs
_END = 0x34000  # no letter stands above, only selectors and tags


class CharacterTables(NamedTuple):
    """Cells of characters for the core."""

    cells: bytes
    pool: bytes
    beyond: bool  # whether characters without a cell are letters
    alone: bool  # whether letters of scripts without spaces are units


@cache
def folded() -> CharacterTables:
    """Decomposed (NFKD) and folded; letters, digits and their marks are words, and everything else is a gap."""
    cells, pool = array("Q"), array("Q")
    for c in range(_END):
        if 0xAC00 <= c < 0xD7A4:  # Hangul syllables: three letters at most, by Unicode's formula
            lead, rest = divmod(c - 0xAC00, 588)
            parts = [0x1100 + lead, 0x1161 + rest // 28] + ([0x11A7 + rest % 28] if rest % 28 else [])
            found = [part | _LETTER << _CLASS for part in parts]
        elif 0x3400 <= c < 0xA000 or 0x20000 <= c < 0x2F800:
            found = [_cell(c)]
        else:
            found = _folded_cells(chr(c))
        if len(found) == 1:
            cells.append(found[0])
        else:
            cells.append(_SEVERAL | len(found) << _LENGTH | len(pool))
            pool.extend(found)
    return CharacterTables(cells.tobytes(), pool.tobytes(), beyond=False, alone=True)


def _folded_cells(character: str) -> list[int]:
    if character in _LEFT_OUT or ord(character) in _VARIANTS:
        return [_NOTHING << _CLASS]
    parts = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold())
    return [_NOTHING << _CLASS if part in _LEFT_OUT else _cell(ord(part)) for part in parts]


def _cell(c: int) -> int:
    part = chr(c)
    category = unicodedata.category(part)
    if category[0] == "M":
        return c | _MARK << _CLASS | unicodedata.combining(part) << _ORDER
    return c | (_LETTER if category[0] == "L" else _DIGIT if category[0] == "N" else _GAP) << _CLASS


@cache
def as_lm_eval() -> CharacterTables:
    """ASCII letters in lower case without ASCII punctuation; words are what white space separates."""
    cells = array("Q")
    for c in range(_END):
        part = chr(c)
        if part in string.punctuation:
            cells.append(_NOTHING << _CLASS)
        elif part.isspace():
            cells.append(_GAP << _CLASS)
        else:
            cells.append((c + 32 if part in string.ascii_uppercase else c) | _LETTER << _CLASS)
    return CharacterTables(cells.tobytes(), b"", beyond=True, alone=False)
