"""A file of scores that is open: its name, its beginning for those who ask what it is, and its text."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from truebleu._inputs import brief
from truebleu._shown import shown
from truebleu._textio import COMPRESSED, json_values, read_blocks, split_lines
from truebleu.errors import BadScore, EmptyCorpus, FileFormatError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

STDIN = "-"
# A number as files have it: no underscores, no digits of other scripts, no infinity, all of which Python would take.
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,6})?")
# What programs write for a score that is not there.
MISSING = frozenset(("", "None", "none", "NaN", "nan", "NAN", "null", "NA", "n/a"))


class ScoreFile:
    """A file of scores: where it is, and its text, some megabytes at a time."""

    def __init__(self, path: str, encoding: str = "utf-8") -> None:
        self.path, self.encoding = path, encoding
        self.name = "standard input" if path == STDIN else shown(path)
        # The bytes of a stream can be read only once.
        self._content = sys.stdin.buffer.read() if path == STDIN else None
        self._blocks = read_blocks(path, encoding, self._content)
        self._first = next(self._blocks, "")
        if not self._first.strip():
            raise EmptyCorpus(f"{self.name} is empty, expected scores")

    @property
    def stem(self) -> str:
        """The name of the file without folders and the endings of compression."""
        name = "scores" if self.path == STDIN else os.path.basename(self.path)
        for ending in COMPRESSED:
            name = name.removesuffix(ending)
        return name

    @property
    def head(self) -> str:
        """The first characters."""
        return self._first[:65_536]

    @property
    def beginning(self) -> list[str]:
        """The first lines."""
        return split_lines(self.head, strip="\r")[:50]

    def blocks(self) -> Iterator[str]:
        """The text, in blocks of whole lines; only once."""
        yield self._first
        yield from self._blocks

    def text(self) -> str:
        """The whole text; only once."""
        return "".join(self.blocks())

    def lines(self) -> Iterator[tuple[int, str]]:
        """The lines with their numbers, without blank ones at the end."""
        number, blank = 0, 0
        for block in self.blocks():
            for line in split_lines(block, strip="\r"):
                number += 1
                if not line.strip():
                    blank = blank or number
                    continue
                if blank:
                    self.refuse(blank, "the line is blank")
                yield number, line

    def values(self, kind: str = "jsonl") -> Iterator[tuple[int, Any]]:
        """The JSON values with the numbers of their lines."""
        return json_values(self.text(), kind, self.name)[1]

    def place(self, line: int) -> str:
        """Name a line."""
        return f"{self.name}, line {line}"

    def refuse(self, line: int, what: str) -> NoReturn:
        """Raise, because a line is not as the format has it."""
        raise FileFormatError(f"{self.place(line)}: {what}")


def parsed(values: Sequence[str], place: Callable[[int], str]) -> NDArray[np.float64]:
    """Read numbers; a missing one is nan. `place` names the place of one that cannot be read."""
    import numpy as np

    try:
        numbers = np.array([np.nan if value in MISSING else float(value) for value in values])
    except ValueError:
        numbers = None
    joined = "".join(values)
    is_plain = numbers is not None and joined.isascii() and "_" not in joined and not np.isinf(numbers).any()
    if numbers is not None and is_plain and np.isnan(numbers).sum() == sum(value in MISSING for value in values):
        return numbers
    at = next(at for at, value in enumerate(values) if not is_score(value))
    raise BadScore(f"{place(at)}: the score is {brief(values[at])}, expected a number such as 0.5 or -12")


def is_score(value: str) -> bool:
    """Tell whether a text is a finite number, or says that there is none.

    >>> [is_score(value) for value in ("-0.5", "1e3", "None", "1,5", "inf", "1e999", "1_000", "0x1p3", "１２")]
    [True, True, True, False, False, False, False, False, False]
    """
    return value in MISSING or (_NUMBER.fullmatch(value) is not None and abs(float(value)) < float("inf"))


def number(value: Any, place: str) -> float | None:
    """A score of JSON: a finite number, or null."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < float("inf"):
        raise BadScore(f"{place}: the score is {brief(value)}, expected a number or null")
    return float(value)
