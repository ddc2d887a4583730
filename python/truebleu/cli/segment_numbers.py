"""`--only`: the segments to score, from a list such as `12-40,77` or a file with such lists."""

import os
import re
from collections.abc import Sequence
from typing import NamedTuple, NoReturn

from truebleu._counts import number_of
from truebleu._inputs import brief
from truebleu._shown import shown
from truebleu._textio import read_lines
from truebleu.cli.main import UsageError
from truebleu.errors import FileFormatError

_FLAG = "--only"
_EXAMPLE = "segment numbers such as 12-40,77"


class Range(NamedTuple):
    """Segments from one to another, both included, counted from 1; and where that was written."""

    first: int
    last: int
    text: str
    where: str


class Kept(NamedTuple):
    """The segments that are left to be scored."""

    numbers: tuple[int, ...]  # as the files count them, from 1
    places: tuple[int, ...]  # where they are, from 0, in what the filters of a test set leave
    size: int  # how many these leave
    signed: str | None  # what signatures say of all that was asked for; None if nothing was


def read_ranges(given: str) -> tuple[Range, ...]:
    """Read which segments are asked for."""
    if re.fullmatch(r"[0-9,\s-]*", given):
        found = _ranges(given, _FLAG)
        if not found:
            raise UsageError(f"{_FLAG} is {given!r}, expected {_EXAMPLE}, or a file with them")
        return tuple(found)
    if not os.path.exists(given):
        raise UsageError(
            f"{_FLAG} is {shown(repr(given))}, expected {_EXAMPLE}, or a file with them: there is no such file"
        )
    lines = enumerate(read_lines(given), 1)
    found = [one for number, line in lines for one in _ranges(line, f"{shown(given)}, line {number}")]
    if not found:
        raise FileFormatError(f"{shown(given)} has no segments, expected {_EXAMPLE}, one or more lists per line")
    return tuple(found)


def numbers_of(ranges: Sequence[Range], segments: int, whose: str) -> list[int]:
    """List the segments, each once, in order; raise if one of them is not there."""
    numbers: list[int] = []
    for one in ranges:
        if one.last > segments:
            has = f"{shown(whose)} has {number_of(segments, 'segment')}"
            _refuse(one.where, one.text, f"numbers from 1 to {segments}: {has}")
    for first, last, *_ in sorted(ranges):
        numbers += range(max(first, numbers[-1] + 1 if numbers else 1), last + 1)
    return numbers


def signed(numbers: Sequence[int]) -> str:
    """Name a list of segments in a signature: how many, and eight digits of a hash of the numbers.

    Examples
    --------
    >>> signed([12, 13, 77])  # printf '12\\n13\\n77' | sha256sum | cut -c 1-8
    '3-43131c71'
    """
    from hashlib import sha256

    listed = "\n".join(map(str, numbers))
    return f"{len(numbers)}-{sha256(listed.encode()).hexdigest()[:8]}"


def _ranges(text: str, where: str) -> list[Range]:
    found = []
    for item in re.sub(r"\s*,\s*|\s+", ",", text.strip()).split(",") if text.strip() else ():
        if not re.fullmatch(r"[0-9]{1,18}(-[0-9]{1,18})?", item):
            _refuse(where, item, "the number of a segment or a range, as in 12-40")
        first, _, last = item.partition("-")
        one = Range(int(first), int(last or first), item, where)
        if one.first < 1:
            _refuse(where, item, "numbers from 1")
        if one.first > one.last:
            _refuse(where, item, f"the lower number first, as in {one.last}-{one.first}")
        found.append(one)
    return found


def _refuse(where: str, item: str, expected: str) -> NoReturn:
    wrong = UsageError if where == _FLAG else FileFormatError
    raise wrong(f"{where}: found {shown(brief(item))}, expected {expected}")
