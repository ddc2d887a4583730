"""Arrow data that lie, one case after the other, in a process that must live to the end.

Run by `test_hostile.py`. Each case ends in an error of truebleu, or in a score where the lie does no harm.
"""

from __future__ import annotations

import ctypes
import resource
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from truebleu import BLEU, CHRF, TER, columns
from truebleu.errors import TruebleuError

GOOD = pa.array(["a b", "c d", "e"])
PLAIN: dict[str, Any] = {"hypothesis": "mt", "references": "ref"}


def lying(kind: pa.DataType, rows: int, parts: list[tuple[Any, Any, Any]], **more: Any) -> pa.Array:
    """An array of buffers, each given by true values, the values that take their place, and a type.

    pyarrow looks at some of them when it makes an array, so they are changed afterwards.
    """
    numbers = [np.array(true, wide) for true, _, wide in parts]
    array = pa.Array.from_buffers(kind, rows, [None, *map(pa.py_buffer, numbers)], **more)
    for held, (_, false, wide) in zip(numbers, parts, strict=True):
        held[...] = np.array(false, wide)
    return array


def strings(kind: pa.DataType, offsets: list[int], data: bytes = b"abcdefgh") -> pa.Array:
    wide = np.int64 if kind == pa.large_string() else np.int32
    text = np.frombuffer(data, np.uint8)
    return lying(kind, 3, [([0, 1, 2, len(data)], offsets, wide), (text, text, np.uint8)])


def views(*fields: tuple[int, int, int, int]) -> pa.Array:
    text = np.full(64, ord("x"), np.uint8)
    true = [(20, 0x78787878, 0, 0)] * len(fields)
    return lying(pa.string_view(), len(fields), [(true, fields, np.int32), (text, text, np.uint8)])


def lists(offsets: list[int]) -> pa.Array:
    return lying(pa.list_(pa.string()), 3, [([0, 1, 2, 3], offsets, np.int32)], children=[GOOD])


def list_views(starts: list[int], sizes: list[int]) -> pa.Array:
    parts = [([0, 1, 2], starts, np.int32), ([1, 1, 1], sizes, np.int32)]
    return lying(pa.list_view(pa.string()), 3, parts, children=[GOOD])


def keys(values: list[int], kind: Any = np.int32) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(np.array(values, kind)), GOOD, safe=False)


# Columns of three rows that must be refused.
BAD_COLUMNS: dict[str, Callable[[], pa.Array]] = {
    "falling offsets": lambda: strings(pa.string(), [0, 5, 2, 6]),
    "negative offsets": lambda: strings(pa.string(), [-4, 0, 2, 3]),
    "negative last offset": lambda: strings(pa.string(), [0, 1, 2, -3]),
    "falling long offsets": lambda: strings(pa.large_string(), [0, 2**40, 2, 6]),
    "negative long offsets": lambda: strings(pa.large_string(), [-(2**62), 0, 1, 2]),
    "wrong utf-8": lambda: strings(pa.string(), [0, 1, 2, 4], b"ab\xed\xa0"),
    "cut utf-8": lambda: strings(pa.string(), [0, 1, 2, 4], b"ab\xe6\x97\xa5"),
    "view out of its buffer": lambda: views((2, 0, 0, 0), (20, 0, 0, 60), (1, 0, 0, 0)),
    "view of no buffer": lambda: views((2, 0, 0, 0), (20, 0, 7, 0), (1, 0, 0, 0)),
    "view of negative length": lambda: views((-2, 0, 0, 0), (20, 0, 0, 0), (1, 0, 0, 0)),
    "view at a negative place": lambda: views((20, 0, 0, -5), (20, 0, 0, 0), (1, 0, 0, 0)),
    "key out of range": lambda: keys([0, 3, 1]),
    "negative key": lambda: keys([0, -1, 1], np.int8),
    "huge key": lambda: keys([0, 2**63 - 1, 1], np.int64),
}
BAD_REFERENCES: dict[str, Callable[[], pa.Array]] = {
    "falling list offsets": lambda: lists([0, 3, 1, 2]),
    "list offsets beyond the child": lambda: lists([0, 1, 2, 9]),
    "negative list offsets": lambda: lists([-1, 1, 2, 3]),
    "list view beyond the child": lambda: list_views([0, 1, 2], [1, 1, 5]),
    "negative list view": lambda: list_views([0, -1, 2], [1, 1, 1]),
    "list view of negative size": lambda: list_views([0, 1, 2], [1, -1, 1]),
    "overflowing list view": lambda: list_views([0, 2**31 - 1, 2], [1, 2**31 - 1, 1]),
}


class Array(ctypes.Structure):
    pass


Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))),
]


class Tampered:
    """A record batch whose structure has been changed in a place."""

    def __init__(self, change: Callable[[Any, Any], None], **columns: pa.Array) -> None:
        self.change, self.columns = change, columns or {"mt": GOOD, "ref": GOOD}

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        schema, array = pa.record_batch(self.columns).__arrow_c_array__()
        get = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        whole = ctypes.cast(get(array, b"arrow_array"), ctypes.POINTER(Array)).contents
        self.change(whole, whole.children[0].contents)
        return schema, array


def set_field(of_child: bool, field: str, value: int) -> Callable[[Any, Any], None]:
    return lambda whole, child: setattr(child if of_child else whole, field, value)


def drop_buffer(at: int) -> Callable[[Any, Any], None]:
    return lambda whole, child: child.buffers.__setitem__(at, None)


TAMPERED: dict[str, Callable[[Any, Any], None]] = {
    "negative length": set_field(True, "length", -1),
    "huge length": set_field(False, "length", 2**62),
    "child shorter than its table": set_field(True, "length", 2),
    "negative offset": set_field(True, "offset", -1),
    "huge offset": set_field(False, "offset", 2**61),
    "no buffers": set_field(True, "n_buffers", 0),
    "negative number of buffers": set_field(True, "n_buffers", -3),
    "no children": set_field(False, "n_children", 0),
    "negative number of children": set_field(False, "n_children", -2),
    "no offsets": drop_buffer(1),
    "no data": drop_buffer(2),
}


class Gives:
    """Something whose `__arrow_c_stream__` gives anything."""

    def __init__(self, give: Callable[[], object]) -> None:
        self.give = give

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.give()


def failing_reader() -> pa.RecordBatchReader:
    batch = pa.record_batch({"mt": GOOD, "ref": GOOD})

    def produce() -> Iterator[pa.RecordBatch]:
        yield batch
        raise ValueError("the cable was cut")

    return pa.RecordBatchReader.from_batches(batch.schema, produce())


def consumed() -> object:
    capsule = pa.table({"mt": GOOD, "ref": GOOD}).__arrow_c_stream__()
    columns.totals(Gives(lambda: capsule), BLEU(), **PLAIN)
    return capsule


HOLDERS: dict[str, Callable[[], object]] = {
    "a capsule of another name": lambda: Gives(lambda: pa.table({"mt": GOOD}).schema.__arrow_c_schema__()),
    "no capsule": lambda: Gives(lambda: 17),
    "nothing": lambda: Gives(lambda: None),
    "a capsule that was consumed": lambda: Gives(consumed),
    "a producer that fails": failing_reader,
    "a column alone": lambda: pa.chunked_array([GOOD]),
    "a struct with nulls": lambda: pa.chunked_array([pa.array([{"mt": "a", "ref": "b"}, None])]),
}


def refused(what: str, data: object, **given: Any) -> None:
    for metric in (BLEU(), CHRF(lowercase=True), TER()):
        try:
            columns.totals(data() if callable(data) else data, metric, **{**PLAIN, **given})
        except TruebleuError as error:
            assert str(error).startswith("columns: "), (what, error)
        else:
            raise AssertionError(f"{what} was taken for data")


def main() -> None:
    for what, make in BAD_COLUMNS.items():
        refused(what, {"mt": make(), "ref": GOOD})
        refused(what, {"mt": GOOD, "ref": make()})
        refused(what, {"mt": GOOD, "ref": GOOD, "k": make()}, by="k")
    for what, make in BAD_REFERENCES.items():
        refused(what, {"mt": GOOD, "ref": make()})
    for what, change in TAMPERED.items():
        refused(what, Tampered(change))
    for what, hold in HOLDERS.items():
        refused(what, hold)
    runs()
    sizes()
    print("alive")


def runs() -> None:
    """Where runs are expanded, no column that is not read is looked at."""
    beside = Tampered(set_field(True, "n_buffers", 0), odd=GOOD, mt=pc.run_end_encode(GOOD), ref=GOOD)
    expected = columns.totals({"mt": GOOD, "ref": GOOD}, BLEU(), **PLAIN)
    assert expected.to_arrow() == columns.totals(beside, BLEU(), **PLAIN).to_arrow()


def sizes() -> None:
    """Much of everything."""
    wide = pa.table({**{f"c{at}": GOOD for at in range(10_000)}, "mt": GOOD, "ref": GOOD})
    assert 3 == columns.rows(wide, BLEU(), **PLAIN).num_rows
    many = pa.table({"mt": ["a b"], "ref": [["a b", "c"] * 50_000]})
    assert 1 == len(columns.totals(many, {"b": BLEU(), "c": CHRF()}, **PLAIN))
    long = pa.table({"mt": ["ab " * (50_000_000 // 3)], "ref": ["ab"]})
    assert 1 == len(columns.totals(long, BLEU(), **PLAIN))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 4_000_000, "gigabytes for 50 MB"


if __name__ == "__main__":
    sys.exit(main())
