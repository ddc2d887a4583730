"""Texts to tokens: numbers that are equal for equal tokens, the kind of each token, and its place.

Each character belongs to one of a few classes, each with its own letter, and tokens are found in the text of these
letters. The class of a character depends on the Unicode version of the running interpreter.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# As `crates/core/src/resegment/cue.rs` has them.
WORD, OTHER, TERMINAL, COMMA, CLOSER, QUOTE, BARRIER = range(7)
KIND = 7
CAPITAL, PERMITTED, BREAK = 8, 16, 32

_TERMINALS = ".!?…。！？｡।॥؟"
_COMMAS = ",;:،，、；："
_CLOSERS = "\"'”’」』）】》〉»"

# Scripts that are written without spaces: Han, Hiragana, Katakana, Bopomofo, Thai, Lao, Khmer, Myanmar and Tibetan.
_SPACELESS = (
    (0x0E00, 0x0EFF), (0x0F00, 0x0FFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x19E0, 0x19FF), (0x3005, 0x3007),
    (0x3021, 0x3029), (0x3031, 0x303C), (0x3041, 0x30FF), (0x3105, 0x312F), (0x31A0, 0x31BF), (0x31F0, 0x31FF),
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xA9E0, 0xA9FF), (0xAA60, 0xAA7F), (0xF900, 0xFAFF), (0xFF66, 0xFF9F),
    (0x1AFF0, 0x1B16F), (0x20000, 0x3FFFF),
)  # fmt: skip

# The classes: w a letter or number, u a capital, s one of a script without spaces, m a mark or a character that joins
# one, z the joiner of emoji, r half a flag, n a line break, " " other white space; the rest are signs. A capital letter
# stands for a character that is as wide as those of scripts without spaces.
_TOKENS = re.compile(r"[mz]*[wuWU][wuWUmz]*|s[mz]*|[tclqoTCLQO][mz]*(?:(?<=z)[oO][mz]*)*|rr?[mz]*|[mz]+")
_KINDS = {"w": WORD, "s": WORD, "u": WORD | CAPITAL, "t": TERMINAL, "c": COMMA, "l": CLOSER, "q": QUOTE}
_SORTS = np.full(256, OTHER, np.uint8)
for _letter, _kind in _KINDS.items():
    _SORTS[[ord(_letter), ord(_letter.upper())]] = _kind
_WIDE = np.zeros(256, bool)
_WIDE[[ord(letter) for letter in "sWUTCLQO"]] = True


class _Classes(dict[int, str]):
    """The class of each character seen so far."""

    def __missing__(self, code: int) -> str:
        letter = _class_of(code)
        if 0x3000 <= code <= 0x303F or 0xFF00 <= code <= 0xFFEF:
            letter = letter.upper() if letter in "wutclqo" else letter
        self[code] = letter
        return letter


def _class_of(code: int) -> str:
    character = chr(code)
    category = unicodedata.category(character)
    if code == 0x200D:
        return "z"
    if character in "\n\r" or character.isspace():
        return "n" if character in "\n\r" else " "
    # Format characters have no width and stay with the character before them; skin tones colour it.
    if category[0] == "M" or category == "Cf" or 0x1F3FB <= code <= 0x1F3FF:
        return "m"
    if 0x1F1E6 <= code <= 0x1F1FF:
        return "r"
    if category[0] in "LN":
        is_spaceless = any(first <= code <= last for first, last in _SPACELESS)
        return "s" if is_spaceless else "u" if category in ("Lu", "Lt") else "w"
    if character in _TERMINALS:
        return "t"
    if character in _COMMAS:
        return "c"
    if category in ("Pe", "Pf") or character in _CLOSERS:
        return "l"
    return "q" if category == "Pi" else "o"


_CLASSES = _Classes()


def is_wide(character: str) -> bool:
    """Whether a character is of a script without spaces, or a sign as wide as theirs."""
    return bool(_WIDE[ord(_CLASSES[ord(character)])])


class Numbers(dict[str, int]):
    """The number of each token seen so far; tokens that count as equal share a number."""

    def __init__(self, method: str) -> None:
        self._method, self._keys = method, dict[str, int]()

    def __missing__(self, token: str) -> int:
        number = self._keys.setdefault(self._key(token), len(self._keys))
        self[token] = number
        return number

    @property
    def unused(self) -> int:
        """A number that no token has."""
        return len(self._keys)

    def _key(self, token: str) -> str:
        if self._method == "cue":
            return unicodedata.normalize("NFKC", token).lower()
        return token.translate(_ASCII_LOWER) if self._method == "mwer" else token


_ASCII_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


class Tokens(NamedTuple):
    """The tokens of some texts, one text after the other."""

    numbers: NDArray[np.uint32]
    sorts: NDArray[np.uint8]
    starts: NDArray[np.intp]  # in its own text
    ends: NDArray[np.intp]
    firsts: NDArray[np.intp]  # which token is the first of each text; their number comes last
    spaceless: NDArray[np.intp]  # characters of scripts without spaces in each text
    letters: NDArray[np.intp]  # letters and numbers in each text


def tokenize(texts: list[str], method: str, numbers: Numbers) -> Tokens:
    """The tokens of some texts; only the method `cue` uses the kinds."""
    joined = "\n".join(texts)
    offsets = np.cumsum([0, *(len(text) + 1 for text in texts)])
    classes = np.frombuffer(joined.translate(_CLASSES).encode("latin-1"), np.uint8)
    pattern, searched = (_TOKENS, classes.tobytes().decode("latin-1")) if method == "cue" else (_ASCII_WORDS, joined)
    spans = [match.span() for match in pattern.finditer(searched)]
    places = np.array(spans, np.intp).reshape(-1, 2)
    starts, ends = places[:, 0], places[:, 1]
    found = np.fromiter((numbers[joined[start:end]] for start, end in spans), np.uint32, len(spans))
    firsts = np.searchsorted(starts, offsets)
    sorts = _sorts(classes, starts, ends)
    # The characters before the first token of a text belong to another text.
    sorts[firsts[firsts < len(sorts)]] &= 255 - BREAK
    shifts = np.repeat(offsets[:-1], np.diff(firsts))
    spaceless, letters = (_counts(classes, of)[offsets.clip(max=len(classes))] for of in (b"s", b"wuWUs"))
    return Tokens(found, sorts, starts - shifts, ends - shifts, firsts, np.diff(spaceless), np.diff(letters))


def _counts(classes: NDArray[np.uint8], of: bytes) -> NDArray[np.intp]:
    """How many characters of some classes there are before each character."""
    return np.concatenate([[0], np.isin(classes, list(of)).cumsum()])


_ASCII_WORDS = re.compile(r"[^ \t\n\v\f\r]+")


def _sorts(classes: NDArray[np.uint8], starts: NDArray[np.intp], ends: NDArray[np.intp]) -> NDArray[np.uint8]:
    """The kind of each token, and whether a segment may begin with it, for texts that have some spaces."""
    sorts = _SORTS[classes[starts]]
    for at in np.flatnonzero(np.isin(classes[starts], list(b"mz"))):
        base = classes[starts[at] : ends[at]][~np.isin(classes[starts[at] : ends[at]], list(b"mz"))]
        sorts[at] = _SORTS[base[0]] if len(base) else OTHER
    if len(starts) > 1:
        breaks = _counts(classes, b"n")
        is_apart = starts[1:] > ends[:-1]
        is_wide = _WIDE[classes[starts[1:]]] | _WIDE[classes[starts[:-1]]] | _WIDE[classes[ends[:-1] - 1]]
        is_permitted = is_apart | is_wide & begins(sorts[1:])
        sorts[1:] |= np.where(is_permitted, PERMITTED, 0).astype(np.uint8)
        sorts[1:] |= np.where(breaks[starts[1:]] > breaks[ends[:-1]], BREAK, 0).astype(np.uint8)
    return sorts


def begins(sorts: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Whether a segment may begin with such a token in text without spaces: not with a closing mark."""
    return ~np.isin(sorts & KIND, (TERMINAL, COMMA, CLOSER))
