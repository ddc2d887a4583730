"""Files of training text, handed to the scan in blocks: text, JSON lines, tables, columns, also compressed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from truebleu._counts import number_of
from truebleu._inputs import kind_of
from truebleu._logs import warn
from truebleu._shown import shown
from truebleu._textio import (
    COLUMNS_FORMATS,
    RECORDS_FORMATS,
    Records,
    decode,
    parse_records,
    read_bytes,
    records_format,
)
from truebleu.errors import FileFormatError, InputTypeError, OptionError, UndecodableText

if TYPE_CHECKING:
    from truebleu._core import OverlapScan

RECORDS = ("lines", "blank", "file")  # where the records of plain text end
ERRORS = ("strict", "replace", "skip")
FIELD = "text"  # unless another is named

Tell = Callable[[int], object]


class TrainingFile(NamedTuple):
    """A file of training text that was read."""

    path: str
    bytes: int  # decompressed; of files of columns, the characters of the texts
    records: int
    skipped: int  # broken records that were left out
    unit: str  # what its records are: "line", "record" or "row"


class HowToRead(NamedTuple):
    """Where records end, which fields they have, and what becomes of broken ones."""

    records: str = "lines"
    fields: tuple[str, ...] = ()
    errors: str = "strict"
    format: str | None = None

    def kind(self, path: str) -> str:
        """The format of a file: by its name unless it is said, and by the fields where the name does not tell."""
        kind = self.format or records_format(path)
        if kind == "json":
            raise OptionError(f"{shown(path)} is JSON, expected one object per line: call it .jsonl if it is that")
        if kind == "text" and self.fields:
            raise OptionError(
                f"{shown(path)} is plain text by its name, and fields are named for it; say its format "
                f"({', '.join(one for one in (*RECORDS_FORMATS, *COLUMNS_FORMATS) if one != 'json')})"
            )
        return kind


def scan_file(scan: OverlapScan, path: str, how: HowToRead, tell: Tell | None = None) -> TrainingFile:
    """Read a file to its end, and warn if it has the test set itself."""
    kind, tell = how.kind(path), tell or (lambda count: None)
    if kind == "text":
        size = _scan_text(scan, path, how, tell)
        skipped, unit = 0, "line" if how.records == "lines" else "record"
    elif kind in COLUMNS_FORMATS:
        size, skipped, unit = _scan_columns(scan, path, how, tell), 0, "row"
    else:
        size, skipped = _scan_records(scan, path, kind, how, tell)
        unit = "line" if kind == "jsonl" else "record"
    _refuse(scan.end_file(), path)
    if streams := scan.streams_in_order():
        names = ["the sources" if not one else "the references" for one in streams]
        warn("%s contains 100 %% of the test set in order (%s)", shown(path), " and ".join(dict.fromkeys(names)))
    return TrainingFile(path, size, scan.read()[0], skipped, unit)


def scan_texts(scan: OverlapScan, records: Iterator[str]) -> TrainingFile:
    """Read records that a program gives."""
    size = count = 0
    for block in iter(lambda: [*islice(records, _TEXTS)], []):
        for text in block:
            count += 1
            if not isinstance(text, str):
                raise InputTypeError(f"overlap: record {count} of texts is {kind_of(text)}, expected a string")
            size += len(text.encode("utf-8", "surrogatepass"))
        _give(scan, block, [], 1)
    scan.end_file()
    return TrainingFile("", size, scan.read()[0], 0, "record")


_TEXTS = 4096


def _scan_text(scan: OverlapScan, path: str, how: HowToRead, tell: Tell) -> int:
    size = 0
    for block in read_bytes(path):
        _refuse(scan.feed(block, how.records), path)
        size += len(block)
        tell(len(block))
    return size


def _refuse(broken: tuple[int, int] | None, path: str) -> None:
    if broken is not None:
        raise UndecodableText(
            f"{shown(path)}: byte {broken[0] + 1} is 0x{broken[1]:02x}, which is not utf-8; convert the file, or "
            "let such bytes end words (errors='replace', --errors replace)"
        )


def _scan_records(scan: OverlapScan, path: str, kind: str, how: HowToRead, tell: Tell) -> tuple[int, int]:
    """Read JSON lines or a table, block by block; return its bytes, and how many records were skipped."""
    fields, size, skipped = how.fields or (FIELD,), 0, 0
    for block in _table_blocks(path, kind, how, fields) if kind in ("tsv", "csv") else _json_blocks(path, how, fields):
        texts = block.texts or _flat(Records(shown(path), block.rows, block.numbers), fields)
        _give(scan, texts, block.starts, len(fields))
        size, skipped = size + block.bytes, skipped + block.skipped
        tell(block.bytes)
    if skipped:
        warn("%s: %s skipped", shown(path), number_of(skipped, "broken record was", "broken records were"))
    return size, skipped


def _give(scan: OverlapScan, texts: list[str], starts: list[int], width: int) -> None:
    try:
        scan.records(texts, starts, width)
    except UnicodeEncodeError:  # JSON can have half of a surrogate pair
        scan.records([text.encode("utf-8", "replace").decode() for text in texts], starts, width)


def _flat(records: Records, fields: Sequence[str]) -> list[str]:
    columns = [records.texts(field, "skip") for field in fields]
    return [text or "" for row in zip(*columns, strict=True) for text in row]


class _Block(NamedTuple):
    """Records, of which broken ones are empty: where each begins, its line; or the texts of all fields at once."""

    bytes: int
    rows: list[dict[str, Any]]
    starts: list[int]
    numbers: list[int]
    skipped: int
    texts: list[str] | None = None


def _json_blocks(path: str, how: HowToRead, fields: Sequence[str]) -> Iterator[_Block]:
    first, at, empty, name = 1, 0, dict.fromkeys(fields, ""), shown(path)
    for block in read_bytes(path, lines=True):
        ends = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n")) + at + 1
        starts = [at, *ends.tolist()]
        if not block.endswith(b"\n"):
            starts.append(at + len(block) + 1)
        rows, skipped = list[dict[str, Any]](), 0
        quick = _quick(block, fields, len(starts) - 1)
        texts = [] if quick else _decoded(block, name, first, how).removesuffix("\n").split("\n")
        for number, text in enumerate(texts, first):
            # A blank line is a record without a text, so that records are lines.
            row = _object(text, f"{name}, line {number}", fields, how) if text.strip() else empty
            skipped += row is None
            rows.append(row or empty)
        yield _Block(len(block), rows, starts[:-1], list(range(first, first + len(texts))), skipped, quick)
        first, at = first + len(starts) - 1, starts[-1]


def _quick(block: bytes, fields: Sequence[str], lines: int) -> list[str] | None:
    """The texts by pyarrow, a field after the other in each record; None where it is not there or they are unusual."""
    if any("." in field for field in fields) or len(block) < _WORTH:
        return None
    try:
        import pyarrow
        import pyarrow.json

        pyarrow.array([block], pyarrow.binary()).cast(pyarrow.string())  # an error where it is not UTF-8
        schema = pyarrow.schema([(field, pyarrow.string()) for field in fields])
        table = pyarrow.json.read_json(
            pyarrow.BufferReader(block),
            pyarrow.json.ReadOptions(use_threads=False, block_size=len(block) + 1),
            pyarrow.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore"),
        )
    except (ImportError, ValueError, RecursionError):  # what pyarrow raises is a ValueError
        return None
    # A missing field is null to pyarrow, and a blank line is no row.
    if table.num_rows != lines or any(table[field].null_count for field in fields):
        return None
    columns = [table[field].to_numpy().tolist() for field in fields]
    return columns[0] if len(columns) == 1 else [text for row in zip(*columns, strict=True) for text in row]


_WORTH = 1 << 16  # bytes from which it is worth to load pyarrow


def _object(text: str, where: str, fields: Sequence[str], how: HowToRead) -> dict[str, Any] | None:
    """An object with these fields; None for a broken one that is to be skipped."""
    try:
        row = json.loads(text)
        if isinstance(row, dict) and all(type(row.get(field)) is str for field in fields):
            return row
    except (ValueError, RecursionError):
        row = None
    try:
        records = parse_records(text, "jsonl", where)
        for field in fields:
            records.texts(field, "skip")
        return records.rows[0]
    except FileFormatError as error:
        if how.errors == "skip":
            return None
        raise FileFormatError(str(error).replace(", line 1:", ":", 1)) from error


def _table_blocks(path: str, kind: str, how: HowToRead, fields: Sequence[str]) -> Iterator[_Block]:
    """Rows of a table. Columns have the names of its first line, or numbers if fields are numbers."""
    header = list(fields) if all(map(str.isdecimal, fields)) else None
    name, wanted = shown(path), max(map(int, header)) if header else 0
    rows, starts, numbers, before, size, skipped = list[dict[str, Any]](), list[int](), list[int](), 0, 0, 0
    for size, start, number, cells in _cells(path, kind, how):
        names = list(map(str, range(1, len(cells) + 1))) if wanted else header
        if names is None:
            header = cells
            if missing := [field for field in fields if field not in header]:
                there = ", ".join(shown(repr(one)) for one in header)
                raise FileFormatError(f"{name}, line 1: there is no column {missing[0]!r}; the columns are {there}")
        elif len(cells) < wanted or (not wanted and len(cells) != len(names)):
            if how.errors != "skip":
                found = number_of(len(cells), "cell")
                raise FileFormatError(f"{name}, line {number}: found {found}, expected {wanted or len(names)}")
            skipped += 1
        else:
            rows.append(dict(zip(names, cells, strict=True)))
            starts.append(start)
            numbers.append(number)
        if len(rows) == _TEXTS:
            yield _Block(size - before, rows, starts, numbers, skipped)
            rows, starts, numbers, before, skipped = [], [], [], size, 0
    yield _Block(size - before, rows, starts, numbers, skipped)


def _cells(path: str, kind: str, how: HowToRead) -> Iterator[tuple[int, int, int, list[str]]]:
    """Where a row ends and begins, the number of its line, and its cells. A row of CSV may have several lines."""
    import csv

    state = [0, 0]  # bytes and lines that were read

    def lines() -> Iterator[str]:
        for block in read_bytes(path, lines=True):
            for line in block.removesuffix(b"\n").split(b"\n"):
                state[:] = state[0] + len(line) + 1, state[1] + 1
                yield _decoded(line, shown(path), state[1], how).removesuffix("\r") + "\n"

    start, number, limit = 0, 1, csv.field_size_limit(2**31 - 1)
    try:
        for cells in csv.reader(lines()) if kind == "csv" else (line[:-1].split("\t") for line in lines()):
            yield state[0], start, number, cells
            start, number = state[0], state[1] + 1
    except csv.Error as error:
        raise FileFormatError(f"{shown(path)}, line {number}: not CSV: {error}") from error
    finally:
        csv.field_size_limit(limit)


def _decoded(content: bytes, name: str, first: int, how: HowToRead) -> str:
    if how.errors == "strict":
        return decode(content, "utf-8", name, first=first)
    return content.decode("utf-8", "replace")


def _scan_columns(scan: OverlapScan, path: str, how: HowToRead, tell: Tell) -> int:
    from truebleu.columns.parquet import file_batches

    fields, size, done = how.fields or (FIELD,), 0, 0
    for batch in file_batches(path, fields):
        if missing := [field for field in fields if field not in batch.schema.names]:
            there = ", ".join(map(repr, batch.schema.names))
            raise FileFormatError(f"{shown(path)}: there is no column {missing[0]!r}; the columns are {there}")
        rows = batch.select(list(fields)).to_pylist()
        texts = _flat(Records(shown(path), rows, range(done + 1, done + len(rows) + 1), "row"), fields)
        _give(scan, texts, [], len(fields))
        size, done = size + sum(map(len, texts)), done + len(rows)
    tell(os.path.getsize(path) if os.path.exists(path) else 0)
    return size
