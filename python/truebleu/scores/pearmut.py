"""Annotations of Pearmut: one JSON object per document and rater, or lists of them by pair of languages (WMT26)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from truebleu._counts import number_of
from truebleu._inputs import brief
from truebleu._logs import inform
from truebleu._textio import json_value
from truebleu.errors import FileFormatError
from truebleu.scores.opened import Pairs, ScoreFile, finite
from truebleu.scores.spans import ErrorSpan, spans_of
from truebleu.scores.table import ScoreCells, ScoreColumn, ScoreTable

_RESET = "__RESET__"  # voids what this rater has done at this place
_BESIDE = ("welcome_", "random_", "goodbye_")  # what is shown beside the documents
_NO_ITEMS = ("_#_tutorial_#_", "attention_check_")
_PART = "_###_"  # between a document and its segment


def recognise(file: ScoreFile) -> bool:
    """Whether there are annotations of items."""
    is_line = {"annotation", "item"} <= file.first_object.keys()
    return is_line or ('"annotation"' in file.head and '"item"' in file.head and file.head.lstrip()[:1] == "{")


def read(file: ScoreFile) -> ScoreTable:
    """Read the last score that each rater gave; what was shown beside the documents is counted and told."""
    dropped, kept = Counter[str](), dict[tuple[str, str], list[tuple[int, dict[str, Any]]]]()
    for number, row in _lines(file):
        place = str(row.get("user_id")), str(row.get("item_i"))
        if row.get("annotation") == _RESET:
            dropped["that their rater had reset"] += len(kept.pop(place, ()))
        elif place[1].startswith(_BESIDE):
            dropped["beside the documents"] += 1
        else:
            kept.setdefault(place, []).append((number, row))
    cells, metric, order = ScoreCells(), file.wanted.metric or "ESA", list[float]()
    for (rater, _), lines in kept.items():
        for number, row in lines:
            for item, system, score, spans in _scores(file, number, row, dropped):
                cells.add(system, item, metric, score, rater, item.rpartition(_PART)[0] or item, spans=spans)
                order.append(number)
    for what, count in dropped.items():
        if count:
            inform("%s: left out %s %s", file.name, number_of(count, "annotation"), what)
    table, before = cells.last(order, columns={metric: ScoreColumn("human")})
    if before:
        inform("%s: %s of an item that its rater scored again later", file.name, number_of(before, "score"))
    return table


def _lines(file: ScoreFile) -> Iterator[tuple[int, dict[str, Any]]]:
    if file.first_object:
        yield from file.objects()
        return
    pairs, value = Pairs(file), json_value(file.text(), file.name)
    if not isinstance(value, dict):
        raise FileFormatError(f"{file.name}: found {brief(value)}, expected annotations by pair of languages")
    for pair, lines in value.items():
        if pairs.take(pair):
            for number, row in enumerate(lines if isinstance(lines, list) else [lines], 1):
                if not isinstance(row, dict):
                    file.refuse(number, f"the annotation of {pair} is no object")
                yield number, row
    pairs.check()


def _scores(
    file: ScoreFile, number: int, row: dict[str, Any], dropped: Counter[str]
) -> Iterator[tuple[str, str, float | None, tuple[ErrorSpan, ...]]]:
    """The items of a document, with the score and the errors of each system."""
    items, annotations = file.field(number, row, "item", list), file.field(number, row, "annotation", list)
    if len(items) != len(annotations):
        file.refuse(number, f"there are {len(items)} items and {len(annotations)} annotations, expected equally many")
    for item, annotation in zip(items, annotations, strict=True):
        name = str(item.get("item_id", "")) if isinstance(item, dict) else ""
        if not name:
            file.refuse(number, "an item has no item_id")
        if name.startswith(_NO_ITEMS[1]) or _NO_ITEMS[0] in name:
            dropped["of tutorials and attention checks"] += 1
        elif annotation is not None:
            for system, given in file.field(number, {"annotation": annotation}, "annotation", dict).items():
                place, is_object = f"{file.place(number)}, {system}", isinstance(given, dict)
                spans = spans_of(given.get("error_spans"), place, is_inclusive=True) if is_object else ()
                yield name, system, finite(given.get("score") if is_object else given, place), spans
