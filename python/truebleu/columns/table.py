"""Any holder of Arrow data becomes batches of columns, and columns become a table."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from truebleu._inputs import kind_of
from truebleu._logs import warn
from truebleu.columns._slow import Batch, build
from truebleu.errors import InputTypeError

_EXPECTED = (
    "a table: something with __arrow_c_stream__ or __arrow_c_array__ (pyarrow, Polars, DuckDB, pandas from 2.2 on), "
    "a Dataset, a mapping of columns, an iterator of record batches, or the path of a Parquet file"
)
_ROWS_AT_ONCE = 65_536


def batches(data: Any, needed: Sequence[str] | None = None) -> Iterator[Batch]:
    """Read a table batch by batch; one without rows gives a batch without rows.

    Parameters
    ----------
    data
        Anything that holds Arrow data.
    needed
        The columns that will be asked for, where a file or an engine can leave out others.
    """
    if isinstance(data, str | os.PathLike):
        from truebleu.columns.parquet import file_batches

        for part in file_batches(data, needed):
            yield from Batch.read(part)
    elif isinstance(data, Mapping):
        yield from build(data)
    elif hasattr(data, "with_format") and hasattr(data, "features"):
        yield from _of_dataset(data)
    elif hasattr(data, "collect_schema") and hasattr(data, "collect"):
        lazy = data.select(needed) if needed and set(needed) <= set(data.collect_schema().names()) else data
        yield from Batch.read(lazy.collect())
    elif hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        yield from Batch.read(data)
    elif isinstance(data, Iterable) and not isinstance(data, bytes | set | frozenset):
        for part in data:
            if not hasattr(part, "__arrow_c_stream__") and not hasattr(part, "__arrow_c_array__"):
                raise InputTypeError(f"columns: data has what is {kind_of(part)}, expected record batches")
            yield from Batch.read(part)
    else:
        raise InputTypeError(f"columns: data is {kind_of(data)}, expected {_EXPECTED}")


def _of_dataset(data: Any) -> Iterator[Batch]:
    """The batches of a `datasets.Dataset`."""
    if getattr(data, "_indices", None) is not None:
        warn(
            "columns: this Dataset is read through its indices (it was shuffled, sorted or filtered), which takes "
            "many times longer: call flatten_indices() first"
        )
    found = False
    for part in data.with_format("arrow").iter(batch_size=_ROWS_AT_ONCE):
        found = True
        yield from Batch.read(part)
    if not found:
        yield from build({name: [] for name in data.features})


def numbers(data: bytes, kind: str, skipped: bytes | None) -> np.ndarray[Any, Any] | np.ma.MaskedArray[Any, Any]:
    """Make a column of numbers, with nulls where rows were skipped.

    Parameters
    ----------
    data
        The numbers of the rows that were not skipped.
    kind
        NumPy's name of their type.
    skipped
        A byte for each row, 1 where it was skipped; None if none was.
    """
    values = np.frombuffer(data, kind)
    if skipped is None:
        return values
    mask = np.frombuffer(skipped, np.bool_)
    whole = np.zeros(len(mask), kind)
    whole[~mask] = values
    return np.ma.MaskedArray(whole, mask)
