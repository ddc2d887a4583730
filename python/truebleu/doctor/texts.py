"""Data about single texts for the rules: numbers in columns, runs, and the content of a text without its form.

The numbers come from one pass in the core: a dictionary with an array for each of `COLUMNS`. Rules look at these
arrays, and read only the few texts that the arrays make suspicious. Systems often have the same texts, so a `Pool`
holds each text of several systems once.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from truebleu import _core
from truebleu._options import thread_count
from truebleu.glance import COLUMNS

if TYPE_CHECKING:
    from numpy.typing import NDArray

CJK = ("Han", "Hiragana", "Katakana")

Columns = Mapping[str, "NDArray[np.int32]"]
T = TypeVar("T")

# Characters that normalisation neither joins nor reorders with one another, unless they are marks: Latin, Greek and
# Cyrillic letters, and punctuation. A text of these is normalised character by character.
_SETTLED = (range(0x530), range(0x2010, 0x2040))


class Pool:
    """The distinct texts of some systems, and the properties computed for each."""

    def __init__(self, outputs: Iterable[Sequence[str]], threads: int | None = None) -> None:
        self.outputs, self.threads = list(outputs), threads
        self.texts = list(dict.fromkeys(chain.from_iterable(self.outputs)))
        self.places = {text: place for place, text in enumerate(self.texts)}
        self.kept: dict[Any, Any] = {}

    def index(self, texts: Sequence[str]) -> NDArray[np.intp]:
        """Give the place in the pool of each text of a system."""
        return np.fromiter(map(self.places.__getitem__, texts), np.intp, len(texts))

    def once(self, key: Any, compute: Callable[[], T]) -> T:
        """Compute a property of all texts of the pool when it is first needed."""
        if key not in self.kept:
            self.kept[key] = compute()
        found: T = self.kept[key]
        return found

    @cached_property
    def columns(self) -> Columns:
        """The numbers of the texts, by column."""
        return columns_of(self.texts, self.threads)

    @cached_property
    def folded(self) -> list[str]:
        """The folded form of each text (see `fold`)."""
        return folded(self.texts)

    @cached_property
    def folded_lengths(self) -> NDArray[np.intp]:
        """How many characters that is."""
        return np.fromiter(map(len, self.folded), np.intp, len(self.folded))

    def folded_parts(self, letters: int | None, step: int) -> NDArray[np.intp]:
        """Number the beginnings or ends of folded texts: equal ones share a number, and too short ones have -1."""
        part = slice(0, letters) if step == 1 or letters is None else slice(-letters, None)
        numbers: dict[str, int] = {}
        return np.array(
            [
                numbers.setdefault(text[part], len(numbers)) if letters is None or len(text) >= letters else -1
                for text in self.folded
            ],
            np.intp,
        )

    def hits(self, pattern: re.Pattern[str], gates: tuple[str, ...]) -> tuple[NDArray[np.bool_], dict[int, list[str]]]:
        """Find a pattern: tell which texts have it, and give the matches of these."""

        def find() -> tuple[NDArray[np.bool_], dict[int, list[str]]]:
            found = hits(pattern, self.texts, self.columns, gates)
            has = np.zeros(len(self.texts), bool)
            has[list(found)] = True
            return has, found

        return self.once((pattern, gates), find)


class Chosen(dict[str, "NDArray[np.int32]"]):
    """The columns of some of the texts of a pool, each made when it is asked for."""

    def __init__(self, columns: Columns, index: NDArray[np.intp]) -> None:
        super().__init__()
        self.columns, self.index = columns, index

    def __missing__(self, name: str) -> NDArray[np.int32]:
        self[name] = found = self.columns[name][self.index]
        return found


def columns_of(texts: Sequence[str], threads: int | None) -> Columns:
    """Count texts: a value for each text in each of `COLUMNS`."""
    rows = np.frombuffer(_core.features(list(texts), thread_count(threads)), np.int32).reshape(-1, len(COLUMNS))
    return dict(zip(COLUMNS, np.ascontiguousarray(rows.T), strict=True))


def hits(
    pattern: re.Pattern[str], texts: Sequence[str], columns: Columns, gates: tuple[str, ...]
) -> dict[int, list[str]]:
    """Give the matches of a pattern in each text that has any."""
    places: Iterable[int] = range(len(texts))
    if gates:
        places = np.flatnonzero(np.any([columns[gate] > 0 for gate in gates], axis=0)).tolist()
    found = ((at, [match[0] for match in pattern.finditer(texts[at])]) for at in places)
    return {at: matches for at, matches in found if matches}


def squash(text: str) -> str:
    """Make one space of each run of white space, and strip the ends."""
    return " ".join(text.split())


def fold(text: str) -> str:
    """Keep the content of a text and drop its form: NFKC, no case, only letters, marks and numbers.

    >>> fold("Früh-Stück, 5 €!"), fold("ＡＢＣ１２"), fold("O’Neil")
    ('frühstück5', 'abc12', 'oneil')
    """
    return folded([text])[0]


def folded(texts: Sequence[str]) -> list[str]:
    """Fold several texts."""
    found = _core.images(list(texts), _folded_images())
    others = [at for at, text in enumerate(found) if text is None]
    for at, text in zip(others, _folded_as_wholes([texts[at] for at in others]), strict=True):
        found[at] = text
    return [text or "" for text in found]


def _folded_as_wholes(texts: Iterable[str]) -> list[str]:
    plain = (text if text.isascii() else unicodedata.normalize("NFKC", text) for text in texts)
    return _core.fold_marks([text.casefold() for text in plain])


@cache
def _folded_images() -> bytes:
    normal = {character: unicodedata.normalize("NFKC", character) for character in settled_characters()}
    normal = {character: text for character, text in normal.items() if not has_marks(text)}
    texts = _core.fold_marks([text.casefold() for text in normal.values()])
    return image_table(dict(zip(normal, texts, strict=True)))


def settled_characters() -> list[str]:
    """List characters that normalisation neither joins nor reorders with one another."""
    return [character for code in chain(*_SETTLED) if not has_marks(character := chr(code))]


def has_marks(text: str) -> bool:
    """Tell whether a text has marks, which belong to the characters before them."""
    return any(unicodedata.category(character)[0] == "M" for character in text)


def image_table(images: Mapping[str, str]) -> bytes:
    """Write the images of characters in the form that the core reads (crates/core/src/features/images.rs)."""
    table = np.full(max(map(ord, images)) + 1, 2**64 - 1, np.uint64)
    for character, image in images.items():
        if len(image) <= 3:
            table[ord(character)] = len(image) + sum(ord(one) << (2 + 20 * at) for at, one in enumerate(image))
    return table.tobytes()
