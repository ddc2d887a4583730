"""Readers of JSON with a value of another kind at some place, and readers of tables with a cell too many or too few."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from score_samples import SAMPLES
from truebleu.errors import TruebleuError
from truebleu.scores.opened import ScoreFile
from truebleu.scores.reading import read_opened

OTHERS: list[Any] = [None, True, 7, -0.5, "", "text", [], [1], {}, {"score": "x"}, [None]]
IN_JSON = [kind for kind, (_, text) in SAMPLES.items() if text[0] == "{"]
IN_TABLES = [kind for kind in SAMPLES if kind not in IN_JSON]


def places(value: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to each value inside, from the outside."""
    yield before
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield from places(value[key], (*before, key))


def changed(value: Any, place: tuple[Any, ...], other: Any) -> Any:
    if not place:
        return other
    copied = value.copy()
    copied[place[0]] = changed(value[place[0]], place[1:], other)
    return copied


def attempt(kind: str, text: str) -> None:
    for chosen in (kind, None):
        try:
            table = read_opened(ScoreFile("made-up", content=text.encode()), chosen)
        except TruebleuError as error:
            assert "made-up" in str(error)
        else:
            assert table.systems and table.items


@pytest.mark.parametrize("kind", IN_JSON)
def test_any_value_of_another_kind_is_read_or_refused(kind: str) -> None:
    text = SAMPLES[kind][1]
    first, *rest = [text] if kind == "comet" else text.splitlines()
    value = json.loads(first)
    for place in places(value):
        for other in OTHERS:
            attempt(kind, "\n".join([json.dumps(changed(value, place, other)), *rest]))


@pytest.mark.parametrize("kind", IN_TABLES)
def test_any_line_with_other_cells_is_read_or_refused(kind: str) -> None:
    lines = SAMPLES[kind][1].splitlines()
    for at, line in enumerate(lines):
        for other in (f"{line}\tx", f"{line},x", line.replace("\t", " "), line.replace(",", ""), line[:3], "\t", "x"):
            attempt(kind, "\n".join([*lines[:at], other, *lines[at + 1 :]]))
