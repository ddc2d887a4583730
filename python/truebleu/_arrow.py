"""Arrow data of any library in and out, through the PyCapsule interface: pyarrow is not needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from truebleu._core import Column, ColumnBatch, ColumnStream, Table
from truebleu._inputs import kind_of
from truebleu.errors import InputTypeError

T = TypeVar("T")


def holds_arrow(value: object) -> bool:
    """Tell whether an object has one of the two methods of the interface."""
    return hasattr(value, "__arrow_c_stream__") or hasattr(value, "__arrow_c_array__")


def read(holder: Any) -> Iterator[ColumnBatch]:
    """Give the batches of an object with Arrow data; an object without rows gives one empty batch."""
    if not holds_arrow(holder) or isinstance(holder, type):
        raise InputTypeError(f"data is {kind_of(holder)}, expected something that holds Arrow data")
    if not hasattr(holder, "__arrow_c_stream__"):
        yield ColumnBatch.from_array(*holder.__arrow_c_array__())
        return
    stream = ColumnStream(holder.__arrow_c_stream__())
    yield from or_else((batch for batch in stream if len(batch)), stream.empty)


def or_else(parts: Iterable[T], empty: Callable[[], T]) -> Iterator[T]:
    """Give parts as they come, or an empty one if there are none."""
    found = False
    for part in parts:
        found = True
        yield part
    if not found:
        yield empty()


def make_table(names: Sequence[str], chunks: Sequence[Sequence[Column]], metadata: str | None = None) -> Any:
    """Make a table of columns: pyarrow's if it is installed, else one that any library with Arrow support can read."""
    table = Table(list(names), [list(chunk) for chunk in chunks], metadata)
    try:
        import pyarrow as pa
    except ImportError:
        return table
    return pa.table(table)
