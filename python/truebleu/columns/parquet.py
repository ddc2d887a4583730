"""Files of columns: Parquet, Arrow IPC and Feather. They are read in constant memory, and written whole or not at all.

The first bytes of a file decide its format, not its name. pyarrow does the work, and is loaded only here. Folders that
are called `lang=de` give the files in them a column `lang`, as Hive and those after it write tables.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truebleu._arrow import or_else
from truebleu._atomic import replacing
from truebleu._shown import shown
from truebleu.columns.places import Address, partitions, place_of, reaching, system_of
from truebleu.columns.schema import ROWS_AT_ONCE
from truebleu.errors import FileFormatError, InputFileError, MissingDependency, TruebleuError

if TYPE_CHECKING:
    from truebleu.columns.where import Where

_BYTES_AT_ONCE = 4 << 20  # of text in a batch, as far as the file tells; with more, memory was kept that was free
_GROUP = 32 << 20  # bytes of a row group that is written
_READ, _FETCHED = 1 << 18, 1 << 22  # bytes of a column that are read at once, of a file and over a network
_OLDEST = 14


def is_columns(content: bytes) -> bool:
    """Tell whether bytes are a file of columns, by the first of them."""
    return content.startswith((b"PAR1", b"ARROW1", b"FEA1", b"\xff\xff\xff\xff"))


def file_batches(
    path: str | os.PathLike[str] | bytes, needed: Sequence[str] | None = None, where: Where | None = None
) -> Iterator[Any]:
    """Read a file, or the bytes of one, as record batches of pyarrow; one without rows gives a batch without rows."""
    place = _placed(path)
    with _opened(place) as file:
        names, parts = file.schema.names, partitions(place, file.schema.names)
        has_all = needed is not None and set(needed) <= {*names, *parts}
        parts = {name: value for name, value in parts.items() if not has_all or name in (needed or ())}
        columns = [name for name in needed or () if name in names] if has_all else None
        groups = None
        if where is not None and isinstance(file, _Parquet) and isinstance(place, str):
            groups = where.row_groups(place, parts, file.schema)
        pieces = (
            _beside(batch.slice(at, ROWS_AT_ONCE), parts)
            for batch in file.batches(columns, groups)
            for at in range(0, batch.num_rows, ROWS_AT_ONCE)
        )
        fitting = pieces if where is None else chain.from_iterable(map(where.rows, pieces))
        yield from or_else(
            fitting, lambda: _beside(load_pyarrow().RecordBatch.from_pylist([], schema=file.schema), parts)
        )


def file_schema(path: str | os.PathLike[str]) -> Any:
    """Read the columns of a file (names and types), without its rows."""
    place = _placed(path)
    with _opened(place) as file:
        schema, string = file.schema, load_pyarrow().string()
        for name in partitions(place, schema.names):
            schema = schema.append(load_pyarrow().field(name, string))
        return schema


def file_rows(path: str | os.PathLike[str]) -> int:
    """Count the rows of a file; a Parquet file has the number at its end."""
    with _opened(_placed(path)) as file:
        return file.rows()


def _placed(path: str | os.PathLike[str] | bytes) -> str | bytes:
    return path if isinstance(path, bytes) else place_of(os.fsdecode(path))


def _beside(batch: Any, parts: Mapping[str, str | None]) -> Any:
    """A batch with a column for each value that all its rows share."""
    pyarrow = load_pyarrow()
    for name, value in parts.items():
        column = pyarrow.repeat(pyarrow.scalar(value, pyarrow.string()), batch.num_rows)
        batch = batch.append_column(pyarrow.field(name, pyarrow.string()), column)
    return batch


@contextmanager
def writing(path: str | os.PathLike[str], schema: Any) -> Iterator[Callable[[Any], None]]:
    """Open a Parquet file for writing with the function that is returned; the file appears when it is complete."""
    pyarrow, kept = load_pyarrow(), list[Any]()

    def write(batch: Any = None) -> None:
        # Each call of the writer makes a row group, and small ones are slow to read.
        kept.extend([] if batch is None else [batch])
        rows, size = sum(one.num_rows for one in kept), sum(one.nbytes for one in kept)
        if kept and (batch is None or rows >= ROWS_AT_ONCE or size >= _GROUP):
            file.write_table(pyarrow.Table.from_batches(kept))
            kept.clear()

    try:
        with replacing(Path(path)) as stream, pyarrow.parquet.ParquetWriter(stream, schema, compression="zstd") as file:
            yield write
            write()
    except TruebleuError:
        raise
    except OSError as error:
        raise InputFileError(f"{shown(path)} cannot be written: {shown(error.strerror or error)}") from error


def load_pyarrow() -> Any:
    """Import pyarrow, or raise MissingDependency."""
    install = "pip install 'truebleu[arrow]'"
    try:
        import pyarrow
        import pyarrow.ipc
        import pyarrow.parquet
    except ImportError as error:
        raise MissingDependency(
            f"files of columns are read and written with pyarrow, which is not installed: {install}"
        ) from error
    if int(pyarrow.__version__.partition(".")[0]) < _OLDEST:
        raise MissingDependency(f"found pyarrow {pyarrow.__version__}, expected {_OLDEST} or a newer one: {install}")
    return pyarrow


@contextmanager
def _opened(path: str | bytes) -> Iterator[_Parquet | _Ipc]:
    """Open a file; errors of pyarrow become our errors, which name the file."""
    pyarrow, name = load_pyarrow(), "standard input" if isinstance(path, bytes) else shown(path)
    try:
        with reaching(path), _source(pyarrow, path) as source:
            first = source.read(6)
            source.seek(0)
            if first == b"ARROW1":
                yield _Ipc(pyarrow, source, pyarrow.ipc.open_file)
            elif first[:4] == b"\xff\xff\xff\xff":
                yield _Ipc(pyarrow, source, pyarrow.ipc.open_stream)
            elif first[:4] == b"PAR1":
                yield _Parquet(pyarrow, source, _FETCHED if isinstance(path, Address) else _READ)
            elif first[:4] == b"FEA1":
                raise FileFormatError(f"{name} is of the first version of Feather, expected the second: write it again")
            else:
                raise FileFormatError(f"{name} is not a file of columns, expected Parquet, Arrow IPC or Feather")
    except pyarrow.ArrowInvalid as error:
        raise FileFormatError(f"{name} cannot be read, is it damaged or cut off? ({shown(error)})") from error


def _source(pyarrow: Any, path: str | bytes) -> Any:
    """The bytes of a file, wherever it is."""
    if isinstance(path, bytes):
        return pyarrow.BufferReader(path)
    if isinstance(path, Address):
        system, there = system_of(path)
        return system.open_input_file(there)
    # No memory map: its pages count as memory in use, and a file that is cut off would end the process.
    return pyarrow.OSFile(os.fsencode(path))


class _Parquet:
    """A Parquet file. Its pages are read as they are needed, so that a row group need not fit in memory."""

    def __init__(self, pyarrow: Any, source: Any, size: int) -> None:
        self._file = pyarrow.parquet.ParquetFile(source, buffer_size=size, pre_buffer=False)
        self.schema = self._file.schema_arrow

    def rows(self) -> int:
        return int(self._file.metadata.num_rows)

    def batches(self, columns: list[str] | None, groups: list[int] | None = None) -> Iterator[Any]:
        about = self._file.metadata
        for group in range(about.num_row_groups) if groups is None else groups:
            # Long texts make a row group of few rows large.
            width = about.row_group(group).total_byte_size // max(about.row_group(group).num_rows, 1)
            size = min(ROWS_AT_ONCE, max(1, _BYTES_AT_ONCE // max(width, 1)))
            yield from self._file.iter_batches(batch_size=size, row_groups=[group], columns=columns)


class _Ipc:
    """A file or a stream of Arrow's own format; Feather is one of its names."""

    def __init__(self, pyarrow: Any, source: Any, read: Any) -> None:
        self._pyarrow, self._source, self._read = pyarrow, source, read
        self.schema = read(source).schema

    def rows(self) -> int:
        return sum(batch.num_rows for batch in self.batches(self.schema.names[:1]))

    def batches(self, columns: list[str] | None, groups: object = None) -> Iterator[Any]:
        fields = None if columns is None else [self.schema.names.index(name) for name in columns]
        self._source.seek(0)
        reader = self._read(self._source, options=self._pyarrow.ipc.IpcReadOptions(included_fields=fields or []))
        if hasattr(reader, "num_record_batches"):
            yield from (reader.get_batch(at) for at in range(reader.num_record_batches))
        else:
            yield from reader
