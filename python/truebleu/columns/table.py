"""Objects with Arrow data become batches of columns, and keys become values that Python can sort and show."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from truebleu._arrow import holds_arrow, or_else, read
from truebleu._core import Column, ColumnBatch
from truebleu._inputs import brief, kind_of
from truebleu._logs import warn
from truebleu._shown import shown
from truebleu.columns.schema import ROWS_AT_ONCE
from truebleu.errors import InputFileError, InputTypeError, LengthMismatch, MissingFile, OptionError

_EXPECTED = (
    "a table: something with __arrow_c_stream__ or __arrow_c_array__ (pyarrow, Polars, DuckDB, pandas from 2.2 on), "
    "a Dataset, a mapping of columns, an iterator of record batches, or paths of Parquet files"
)
_REFUSED = (bytes, bytearray, set, frozenset, type)
_EXPECTED_ROWS = "expected values of one kind, or lists of texts, or None"
# Arrow's names for columns of Python values; a boolean is also a whole number, so it comes first.
_TYPES: dict[str, type] = {
    "b": bool, "l": int, "g": float, "u": str, "tdD": datetime.date, "n": type(None),
}  # fmt: skip
_EPOCH = datetime.date(1970, 1, 1)
_DAY = 86_400_000  # milliseconds


def batches(data: Any, needed: Sequence[str] | None = None) -> Iterator[ColumnBatch]:
    """Read a table batch by batch; one without rows gives a batch without rows."""
    return (batch for _, batch in named_batches(data, needed))


def named_batches(data: Any, needed: Sequence[str] | None = None) -> Iterator[tuple[str, ColumnBatch]]:
    """Read a table batch by batch, each with the name of the file it is from; "" where there is none."""
    if isinstance(data, str | os.PathLike) or _are_paths(data):
        from truebleu.columns.parquet import file_batches
        from truebleu.columns.places import expand

        for path in expand(data, "columns: data"):
            yield from ((path, batch) for batch in _of_parts(file_batches(path, needed)))
    elif hasattr(data, "scanner") and hasattr(data, "get_fragments"):
        yield from ((path, batch) for path, part in _of_scan(data, needed) for batch in read(part))
    else:
        yield from (("", batch) for batch in _of_one(data, needed))


def _are_paths(data: Any) -> bool:
    return isinstance(data, list | tuple) and bool(data) and all(isinstance(one, str | os.PathLike) for one in data)


def _of_one(data: Any, needed: Sequence[str] | None) -> Iterator[ColumnBatch]:
    if isinstance(data, Mapping):
        return _of_mapping(data)
    if hasattr(data, "with_format") and hasattr(data, "features"):
        return _of_dataset(data)
    if hasattr(data, "collect_schema") and hasattr(data, "collect"):
        return _of_lazy_frame(data, needed)
    if holds_arrow(data):
        return read(data)
    if isinstance(data, Iterable) and not isinstance(data, _REFUSED) and getattr(data, "shape", None) != ():
        return _of_parts(data)
    raise InputTypeError(f"columns: data is {kind_of(data)}, expected {_EXPECTED}")


def keys_of(batch: ColumnBatch, by: Sequence[str]) -> tuple[bytes, list[tuple[Any, ...]]]:
    """Find the keys of a batch: the number of each row's key, and the keys."""
    codes, columns = batch.keys(list(by))
    if not columns:
        return codes, [()] if len(batch) else []
    types = dict(zip(batch.names, batch.types, strict=True))
    found = [from_arrow(types[name], values) for name, values in zip(by, columns, strict=True)]
    return codes, list(zip(*found, strict=True))


def from_arrow(kind: str, values: list[Any]) -> list[Any]:
    """Make dates of days or milliseconds; other values stay as they are."""
    if kind not in ("tdD", "tdm"):
        return values
    days = [value if value is None or kind == "tdD" else value // _DAY for value in values]
    try:
        return [None if day is None else _EPOCH + datetime.timedelta(days=day) for day in days]
    except OverflowError:
        raise OptionError("columns: a date is beyond the years 1 to 9999, expected dates that Python knows") from None


def column_of(kind: str, values: Iterable[Any]) -> Column:
    """Make a column of Python values."""
    if kind in ("tdD", "tdm"):
        unit = 1 if kind == "tdD" else _DAY
        values = [None if value is None else (value - _EPOCH).days * unit for value in values]
    return Column.of_values(kind, list(values))


def _of_parts(parts: Iterable[Any]) -> Iterator[ColumnBatch]:
    for part in parts:
        if not holds_arrow(part):
            raise InputTypeError(f"columns: data has a part that is {kind_of(part)}, expected record batches")
        yield from read(part)


def _of_scan(data: Any, needed: Sequence[str] | None) -> Iterator[tuple[str, Any]]:
    """The batches of a `pyarrow.dataset.Dataset`, which may have a filter: few at a time, with the names of files."""
    import pyarrow

    columns = list(needed) if needed and set(needed) <= set(data.schema.names) else None
    try:
        scan = data.scanner(columns=columns, batch_size=ROWS_AT_ONCE, batch_readahead=1, fragment_readahead=1)
        parts = ((getattr(fragment, "path", ""), batch) for batch, fragment in scan.scan_batches() if batch.num_rows)
        yield from or_else(parts, lambda: ("", data.schema.empty_table()))
    except FileNotFoundError as error:
        raise MissingFile(f"columns: a file of the Dataset is gone: {shown(error)}") from error
    except (pyarrow.ArrowException, OSError) as error:
        raise InputFileError(f"columns: the Dataset cannot be read: {shown(error)}") from error


def _of_dataset(data: Any) -> Iterator[ColumnBatch]:
    """The batches of a `datasets.Dataset`."""
    if getattr(data, "_indices", None) is not None:
        warn(
            "columns: this Dataset is read through its indices (it was shuffled, sorted or filtered), which takes "
            "many times longer: call flatten_indices() first"
        )
    parts = data.with_format("arrow").iter(batch_size=ROWS_AT_ONCE)
    return _of_parts(or_else(parts, lambda: next(_of_mapping({name: [] for name in data.features or ()}))))


def _of_lazy_frame(data: Any, needed: Sequence[str] | None) -> Iterator[ColumnBatch]:
    """The batches of a `polars.LazyFrame`, collected as they come where this version of Polars can."""
    if needed and set(needed) <= set(data.collect_schema().names()):
        data = data.select(needed)
    parts = data.collect_batches(chunk_size=ROWS_AT_ONCE) if hasattr(data, "collect_batches") else [data.collect()]
    return _of_parts(or_else(parts, data.head(0).collect))


def _of_mapping(data: Mapping[Any, Any]) -> Iterator[ColumnBatch]:
    """The batches of columns, which may be cut into chunks at different places."""
    names = [str(name) for name in data]
    columns = [list(_chunks(name, value)) for name, value in data.items()]
    lengths = [sum(map(len, chunks)) for chunks in columns]
    if len(set(lengths)) > 1:
        found = ", ".join(f"{brief(name)} has {length}" for name, length in zip(names, lengths, strict=True))
        raise LengthMismatch(f"columns: the columns differ in their number of rows: {found}")
    while True:
        rows = min((len(chunks[0]) for chunks in columns), default=0)
        yield ColumnBatch.beside(names, [chunks[0].slice(0, rows) for chunks in columns])
        for chunks in columns:
            first = chunks.pop(0)
            if len(first) > rows:
                chunks.insert(0, first.slice(rows, len(first) - rows))
        if not columns or not all(columns):
            return


def _chunks(name: object, value: Any) -> Iterator[ColumnBatch]:
    if holds_arrow(value):
        yield from read(value)
        return
    if hasattr(value, "tolist"):
        value = value.tolist()
    if not isinstance(value, list | tuple):
        raise InputTypeError(f"columns: {brief(name)} is {kind_of(value)}, expected a column or a list")
    some = next((one for one in value if one is not None), None)
    if isinstance(some, list | tuple):
        value, kind = [list(one) if isinstance(one, tuple) else one for one in value], "+u"
    else:
        kind = next((kind for kind, type_ in _TYPES.items() if isinstance(some, type_)), "")
    try:
        yield column_of(kind, value).batch()
    except (TypeError, AttributeError, OverflowError, UnicodeError) as error:
        row = next((at for at, one in enumerate(value) if not _fits(kind, one)), None)
        place = f", and row {row} is {brief(value[row])}: {_EXPECTED_ROWS}" if row is not None else f": {error}"
        raise InputTypeError(
            f"columns: {brief(name)} begins with {brief(some)} and cannot be made a column{place}"
        ) from error


def _fits(kind: str, value: object) -> bool:
    """Whether a value may be in a column that begins with a value of this kind."""
    if kind == "+u":
        return value is None or (isinstance(value, list) and all(isinstance(text, str | None) for text in value))
    is_number = kind in ("l", "g") and isinstance(value, int) and not isinstance(value, bool)
    return value is None or is_number or isinstance(value, _TYPES.get(kind, object))
