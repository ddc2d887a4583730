"""The reader of JSON lines gives what Python's parser gives, or nothing."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from truebleu._core import RecordReader
from truebleu.errors import InputTypeError

COLUMNS = [
    ("t", ("a", "b"), "u"),
    ("l", ("refs",), "+l"),
    ("n", ("n",), "l"),
    ("f", ("f",), "b"),
    ("again", ("n",), "l"),
]
READER = RecordReader(COLUMNS)
PIECES = [
    *'{}[],:"\\ \t\r\n.-+eE0123456789',
    "null",
    "true",
    "NaN",
    '"n"',
    '"a.b"',
    "\\u00e4",
    "\\ud83d",
    "\\ude00",
    "ä",
    "\x00",
    "[[",
]


def record(draw: random.Random) -> dict[str, Any]:
    text = "".join(draw.choices(["ä", "😀", '"', "\\", "\n", "\x7f", "/", "a ", "\u2028", ""], k=5))
    more = draw.choice([None, [1.5, {"b": []}], {"x": {"b": -1e300}}, "", 10**30])
    return {
        "more": more,
        "a": {"c": more, "b": text},
        "refs": [text, "x"][: draw.randint(1, 2)],
        "n": draw.randint(-9, 9),
        "f": draw.random() < 0.5,
    }


def by_python(block: bytes) -> list[Any] | None:
    try:
        rows = [json.loads(line) for line in block.decode().split("\n") if line]
    except (ValueError, RecursionError):
        return None
    return [
        [row["a"]["b"] for row in rows],
        [row["refs"] for row in rows],
        [row["n"] for row in rows],
        [row["f"] for row in rows],
    ]


def by_core(block: bytes, lines: int) -> list[Any] | None:
    found = READER.read(block, lines)
    if found is None:
        return None
    assert found.values("n") == found.values("again") and lines == len(found)
    lists = [
        [one for one in row if one is not None]
        for row in zip(*found.texts("t", ["l"], "error").lists()[1], strict=True)
    ]
    return [found.values("t"), lists, found.values("n"), found.values("f")]


@pytest.mark.parametrize("seed", range(20))
def test_whatever_is_read_is_what_python_reads(seed: int) -> None:
    draw, agreed = random.Random(seed), 0
    for _ in range(200):
        rows = [record(draw) for _ in range(draw.randint(1, 4))]
        block = "".join(
            json.dumps(row, ensure_ascii=draw.random() < 0.5) + draw.choice(["\n", " \n", "\r\n"]) for row in rows
        )
        assert by_core(block.encode(), len(rows)) == by_python(block.encode()) is not None
        at = draw.randrange(len(block))
        changed = (block[:at] + draw.choice([*PIECES, ""]) + block[at + draw.randint(0, 3) :]).encode()
        found = by_core(changed, changed.count(b"\n") + (not changed.endswith(b"\n")))
        if found is not None:
            assert by_python(changed) == found, changed
            agreed += 1
    assert agreed > 5


def test_a_column_of_another_kind_cannot_be_asked_for() -> None:
    with pytest.raises(InputTypeError, match='no column is of type "g"'):
        RecordReader([("x", ("x",), "g")])
