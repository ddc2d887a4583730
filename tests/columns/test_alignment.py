"""Buffers may lie anywhere: those that came over a network often do."""

import pytest

pa = pytest.importorskip("pyarrow")

from truebleu import BLEU, columns  # noqa: E402


def moved(array: "pa.Array") -> "pa.Array":
    """The same array, with each buffer one byte off."""
    buffers = [
        None if buffer is None else pa.py_buffer(b"x" + buffer.to_pybytes()).slice(1) for buffer in array.buffers()
    ]
    return pa.Array.from_buffers(array.type, len(array), buffers)


def test_columns_whose_buffers_lie_off_are_counted_all_the_same() -> None:
    table = pa.table({"key": [7, 8, 7], "mt": ["a b c d", "é", "ein Text"], "ref": ["a b c e", "é", "der Text"]})
    off = pa.table([moved(column.combine_chunks()) for column in table.columns], names=table.column_names)
    given = {"hypothesis": "mt", "references": "ref", "by": "key"}
    assert columns.totals(table, BLEU(), **given).to_arrow().equals(columns.totals(off, BLEU(), **given).to_arrow())
    totals = columns.totals(table, BLEU(), **given).to_arrow()
    travelled = pa.table([moved(column.combine_chunks()) for column in totals.columns], names=totals.column_names)
    assert totals.equals(columns.Totals.from_arrow(travelled, BLEU()).to_arrow())
