"""Rows that were counted again, beside those of a receipt."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from truebleu._shown import shown

if TYPE_CHECKING:
    from truebleu.receipts.receipt import Receipt
    from truebleu.stats import Stats


def other_rows(receipt: Receipt, name: str, stats: Stats, whose: str) -> Iterator[str]:
    """Compare rows of segments with those of a receipt, and name the first cell that differs."""
    kept, again = receipt.stats[name], summed(stats, row_labels(receipt))
    bad = (kept.rows != again.rows).any(axis=1)
    if bad.any():
        row = int(bad.argmax())
        column = kept.columns[int((kept.rows[row] != again.rows[row]).argmax())]
        yield differs(f"metrics ({shown(name)})", row, column, kept, again, whose)


def differs(where: str, row: int, column: str, kept: Stats, again: Stats, whose: str = "the texts give") -> str:
    """Say how a cell of a receipt differs from one that was counted again."""
    at = kept.columns.index(column)
    values = f"{kept.rows[row, at]:g}, and {whose} {again.rows[row, at]:g}"
    return f"{where}.data: in row {row}, {column} is {values}. Rows are counted from 0"


def row_labels(receipt: Receipt) -> list[int] | None:
    """The groups in which rows are summed; None if each segment has its own row."""
    if receipt.rows_of == "total":
        return [0] * int(receipt.about["segments"])
    return receipt.documents if receipt.rows_of == "documents" else None


def summed(stats: Stats, labels: list[int] | None) -> Stats:
    """Sum rows of segments as a receipt has them."""
    return stats if labels is None else stats.merge(labels)
