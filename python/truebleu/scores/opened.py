"""A file of scores that is open: its name, its beginning for those who ask what it is, and its text."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from truebleu._inputs import brief
from truebleu._shown import shown
from truebleu._textio import COMPRESSED, json_value, read_blocks, split_lines
from truebleu.errors import BadScore, EmptyCorpus, FileFormatError, OptionError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

STDIN = "-"
# A number as files have it: no underscores, no digits of other scripts, no infinity, all of which Python would take.
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,6})?")
# What programs write for a score that is not there.
MISSING = frozenset(("", "None", "none", "NaN", "nan", "NAN", "null", "NA", "n/a"))


_KINDS: dict[Any, str] = {str: "a text", list: "a list", dict: "an object", (int, float): "a number"}


class ReaderOptions(NamedTuple):
    """What the reader of a format is told beside the file."""

    metric: str | None = None  # the name of the scores
    pair: str | None = None  # the languages, where a file has several pairs of them
    missing: bool = False  # whether a plain file may lack scores
    mqm: str = "negative"  # or "positive"
    mqm_weights: str = "google"  # or "wmt24", or a file
    canary: bool = False  # whether the first segment is a canary, which is not counted


class ScoreFile:
    """A file of scores: where it is, and its text, some megabytes at a time."""

    def __init__(
        self, path: str, encoding: str = "utf-8", wanted: ReaderOptions | None = None, content: bytes | None = None
    ) -> None:
        self.path, self.wanted = path, wanted or ReaderOptions()
        self.name = "standard input" if path == STDIN else shown(path)
        if path == STDIN and content is None:
            content = sys.stdin.buffer.read()
        self._blocks = read_blocks(path, encoding, content)
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
    def system(self) -> str:
        """The system, where the name of the file is its only name."""
        return os.path.splitext(self.stem)[0]

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

    def objects(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The JSON objects, one per line, with the numbers of their lines."""
        for number, line in self.lines():
            value = json_value(line, self.place(number))
            if not isinstance(value, dict):
                self.refuse(number, f"found {brief(value)}, expected an object with fields")
            yield number, value

    @cached_property
    def first_object(self) -> Mapping[str, Any]:
        """The object in the first line, for those who ask what the file is; empty if there is none."""
        line = self.head.split("\n", 1)[0] if "\n" in self.head else self._first
        try:
            value = json_value(line, self.name) if line[:1] == "{" else {}
        except FileFormatError:
            return {}
        return value if isinstance(value, dict) else {}

    def field(self, number: int, row: Mapping[str, Any], name: str, kind: type | tuple[type, ...] = str) -> Any:
        """A field of an object, if it is of the right kind."""
        if not isinstance(row.get(name), kind):
            there = brief(row[name]) if name in row else "not there"
            self.refuse(number, f"the field {name!r} is {there}, expected {_KINDS[kind]}")
        return row[name]

    def place(self, line: int) -> str:
        """Name a line."""
        return f"{self.name}, line {line}"

    def places(self, first: int) -> Callable[[int], str]:
        """Name the lines of a block that begins at a line."""
        return lambda at: self.place(first + at)

    def refuse(self, line: int, what: str) -> NoReturn:
        """Raise, because a line is not as the format has it."""
        raise FileFormatError(f"{self.place(line)}: {what}")


class Pairs:
    """The pairs of languages in a file; only one of them can be read at a time."""

    def __init__(self, file: ScoreFile) -> None:
        self._file, self._seen = file, dict[str, None]()

    def take(self, pair: str) -> bool:
        """Whether a line of this pair is to be read."""
        self._seen[pair] = None
        return self._file.wanted.pair in (None, pair)

    def check(self) -> None:
        """Refuse a file of several pairs, unless one of them is named."""
        wanted, there = self._file.wanted.pair, ", ".join(shown(one, 30) for one in self._seen)
        if wanted is None and len(self._seen) > 1:
            raise OptionError(f"{self._file.name}: scores of several pairs of languages ({there}); --pair names one")
        if wanted is not None and wanted not in self._seen:
            raise OptionError(f"{self._file.name}: there is no pair {brief(wanted)}, only {there}")


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


def finite(value: Any, place: str) -> float | None:
    """A score of JSON: a finite number, or null."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < float("inf"):
        raise BadScore(f"{place}: the score is {brief(value)}, expected a number or null")
    return float(value)
