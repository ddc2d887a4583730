"""The places of scored items among the segments of texts: by number, by document, or in the order of the file."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from truebleu._counts import number_of
from truebleu._inputs import brief
from truebleu._logs import inform
from truebleu.errors import InputError, LengthMismatch
from truebleu.scores.table import ScoreTable, listed


class _Numbered(NamedTuple):
    """An item that is named by its document and its number there."""

    item: str
    document: str
    number: int


def places_of(table: ScoreTable, size: int, documents: Sequence[str] | None, where: str) -> list[int]:
    """Find the segment of each item, counted from 0.

    Items without names, and items that are numbers, are segments in their order. An item that is named by its document
    and a number is that segment of the document, if the documents of the texts are known.
    """
    items = table.items
    numbers = [int(item) if item.isascii() and item.isdecimal() else 0 for item in items]
    if not table.is_by_order and documents is not None and (named := _numbered(table)):
        return _by_document(named, documents, where)
    if len(items) != size:
        if not table.is_by_order and all(0 < number <= size for number in numbers):
            return [number - 1 for number in numbers]
        asked = "; --documents FILE joins them by document and number" if _numbered(table) else ""
        segments = number_of(size, "segment")
        raise LengthMismatch(
            f"{where} has scores of {number_of(len(items), 'item')}, the systems have {segments}{asked}"
        )
    if not table.is_by_order and not all(numbers):
        _check_order(table, where)
    return [*range(size)]


def _numbered(table: ScoreTable) -> list[_Numbered]:
    """Read the names of items as a document and a number; none unless all of them are such names."""
    found = []
    for item, document in zip(table.items, table.documents or (), strict=False):
        rest = item.removeprefix(document or "") if document else ""
        number = re.fullmatch(r"[^0-9]*([0-9]{1,9})", rest) if rest != item else None
        if number is None:
            return []
        found.append(_Numbered(item, str(document), int(number[1])))
    return found


def _by_document(named: Sequence[_Numbered], documents: Sequence[str], where: str) -> list[int]:
    segments: dict[str, list[int]] = defaultdict(list)
    for at, document in enumerate(documents):
        segments[document].append(at)
    first = min(1, *(one.number for one in named))
    found = []
    for one in named:
        own = segments.get(one.document)
        if own is None:
            raise InputError(
                f"{where} has scores of the document {brief(one.document)}, which the texts do not have; theirs are "
                f"{listed([*segments])}"
            )
        if one.number - first >= len(own):
            raise InputError(
                f"{where} has scores of {brief(one.item)}, and the document {brief(one.document)} has "
                f"{number_of(len(own), 'segment')}"
            )
        found.append(own[one.number - first])
    return found


def _check_order(table: ScoreTable, where: str) -> None:
    """Refuse items whose own numbers say that they are not in the order of the segments."""
    ended: set[str] = set()
    before: _Numbered | None = None
    for one in _numbered(table):
        is_next = before is not None and one.document == before.document
        if one.document in ended or (before is not None and is_next and one.number != before.number + 1):
            assert before is not None
            raise InputError(
                f"{where}: its segments have names, and {brief(one.item)} is after {brief(before.item)}, so they are "
                "not in the order of the texts; --documents FILE joins them by document and number"
            )
        if before is not None and not is_next:
            ended.add(before.document)
        before = one
    inform("%s names its segments, the texts do not: its scores are taken in the order of the file", where)
