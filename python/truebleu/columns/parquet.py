"""Files of columns: Parquet, Arrow IPC and Feather."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from truebleu._arrow import read
from truebleu._core import ColumnBatch
from truebleu._shown import shown
from truebleu.columns.schema import ROWS_AT_ONCE
from truebleu.errors import FileFormatError, InputFileError, MissingDependency, MissingFile


def file_batches(path: str | os.PathLike[str], needed: Sequence[str] | None = None) -> Iterator[ColumnBatch]:
    """Read a file batch by batch, and of a Parquet file only the columns needed.

    Parameters
    ----------
    path
        A Parquet file; or one of Arrow's own, if its name ends in .arrow, .feather or .ipc.
    needed
        The columns that will be asked for; all unless given.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingDependency(
            "columns: files of columns are read with pyarrow, which is not installed: pip install 'truebleu[arrow]'"
        ) from error
    path = Path(path)
    try:
        if path.suffix in (".arrow", ".feather", ".ipc"):
            with pa.memory_map(str(path)) as source:
                yield from read(pa.ipc.open_file(source).read_all())
            return
        with pq.ParquetFile(path) as file:
            known = set(needed or ()) <= set(file.schema_arrow.names)
            chosen = list(needed) if needed is not None and known else None
            if not file.metadata.num_rows:
                yield from read(file.read(columns=chosen))
            for batch in file.iter_batches(batch_size=ROWS_AT_ONCE, columns=chosen):
                yield from read(batch)
    except FileNotFoundError as error:
        raise MissingFile(f"columns: there is no file {shown(path)}") from error
    except pa.ArrowInvalid as error:
        raise FileFormatError(f"columns: {shown(path)} is no file of columns: {shown(error)}") from error
    except OSError as error:
        raise InputFileError(f"columns: {shown(path)} cannot be read: {shown(error)}") from error
