"""Read files: compressed or not, in any encoding, as lines or records, with errors that name the file and the line.

One rule holds for every file that a user gives, whichever command reads it:

- A file that gzip, bzip2, xz or Zstandard has compressed is known by its first bytes, whatever its name is.
- A byte order mark at the beginning is dropped, and a message says so.
- A line ends at a line feed and nowhere else. A carriage return before the line feed is dropped.
- White space at the end of a line is dropped where each line is a segment to be scored. It is kept where it means
  something: in tables, in JSON, and in a test set that `truebleu data add` stores.

The files of published test sets are read to the byte, with `decode` and `split_lines(text, strip="")`.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, NamedTuple

from truebleu._logs import inform
from truebleu.errors import EmptyCorpus, FileFormatError, InputError, InputFileError, MissingDependency, UndecodableText

# Takes a message about a file, in the place of the log.
Tell = Callable[[str], object]


def read_lines(path: str | os.PathLike[str], encoding: str = "utf-8") -> list[str]:
    """Read the segments of a file, one a line, without white space at their end."""
    return split_lines(read_text(path, encoding))


def read_text(path: str | os.PathLike[str], encoding: str = "utf-8", tell: Tell | None = None) -> str:
    """Read a file as text, decompressed and without a byte order mark."""
    return text_of(read_bytes(path), encoding, os.fspath(path), tell)


def text_of(content: bytes, encoding: str, name: str, tell: Tell | None = None) -> str:
    """Decode what a user gave and drop the byte order mark; `tell` gets the message that otherwise goes to the log."""
    text = decode(content, encoding, name)
    if text.startswith("\ufeff"):
        message = f"{name}: a byte order mark at the beginning was left out"
        tell(message) if tell is not None else inform("%s", message)
    return text.removeprefix("\ufeff")


def split_lines(text: str, strip: str | None = None) -> list[str]:
    r"""Split a text at line feeds; the last line needs none.

    Lines lose the characters of `strip` at their end: all white space if it is None, nothing if it is empty.

    >>> split_lines("a\t\r\n b\n"), split_lines("a\t\r\n b\n", strip="\r"), split_lines("a\t\r\n b\n", strip="")
    (['a', ' b'], ['a\t', ' b'], ['a\t\r', ' b'])
    """
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines if strip == "" else [line.rstrip(strip) for line in lines]


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Read a file and decompress it."""
    name = os.fspath(path)
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError as error:
        reason = _REASONS.get(type(error), f"cannot be read: {error.strerror}")
        raise InputFileError(f"{name}: {reason}") from error
    return decompress(content, name)


def decompress(content: bytes, name: str, limit: int = -1) -> bytes:
    """Decompress bytes that begin as a compressed file does; others stay as they are.

    No more than `limit` bytes come out, unless it is negative. A name that promises compression is held to it.
    """
    try:
        stream = decompressing(io.BytesIO(content))
        if stream is not None:
            return stream.read(limit)
        if name.lower().endswith(COMPRESSED):
            raise ValueError("it does not begin like a compressed file")
        return content
    except MissingDependency as error:
        raise MissingDependency(f"{name}: {error}") from error
    except Exception as error:  # each decompressor has exceptions of its own
        raise InputFileError(f"{name}: cannot be decompressed, is it damaged or cut off? ({error})") from error


def decode(content: bytes, encoding: str, name: str, wrong: type[InputError] = UndecodableText) -> str:
    """Decode bytes; an error of the class `wrong` names the line and the byte."""
    try:
        return content.decode(encoding)
    except LookupError as error:
        raise wrong(f"{name}: there is no encoding called {encoding!r}") from error
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        column = error.start - (content.rfind(b"\n", 0, error.start) + 1) + 1
        hint = "is the file in another encoding?"
        if content.startswith((b"\xff\xfe", b"\xfe\xff")):
            hint = "the file begins with the byte order mark of UTF-16, name its encoding (--encoding)"
        raise wrong(
            f"{name}, line {line}: byte {column} of the line is 0x{content[error.start]:02x}, "
            f"which is not {encoding} ({error.reason}); {hint}"
        ) from error


class Records(NamedTuple):
    """The records of a file; `first_line` is the line of the first."""

    path: str
    rows: list[dict[str, Any]]
    first_line: int

    def texts(self, field: str) -> list[str]:
        """Take a text from each record."""
        return self._values(field, lambda value: isinstance(value, str), "a text")

    def lists(self, field: str) -> list[list[str | None]]:
        """Take a list of texts from each record; a single text is a list of one."""

        def holds_texts(value: object) -> bool:
            return all(isinstance(item, str | None) for item in (value if isinstance(value, list) else [value]))

        values = self._values(field, holds_texts, "a text or a list of texts")
        return [value if isinstance(value, list) else [value] for value in values]

    def _values(self, field: str, accepts: Callable[[object], bool], expected: str) -> list[Any]:
        for number, row in enumerate(self.rows, self.first_line):
            where = f"{self.path}, line {number}"
            if field not in row:
                raise FileFormatError(
                    f"{where}: there is no field {field!r}; the fields are {', '.join(map(repr, row))}"
                )
            if not accepts(row[field]):
                raise FileFormatError(f"{where}: the field {field!r} is {_kind(row[field])}, expected {expected}")
        return [row[field] for row in self.rows]


def records_format(path: str) -> str:
    """Tell by its name what a file holds: `jsonl`, `tsv` or `text`.

    >>> records_format("out.jsonl.gz"), records_format("out.TSV"), records_format("out.txt")
    ('jsonl', 'tsv', 'text')
    """
    path = path.lower()
    for suffix in COMPRESSED:
        path = path.removesuffix(suffix)
    return {".jsonl": "jsonl", ".ndjson": "jsonl", ".tsv": "tsv"}.get(os.path.splitext(path)[1], "text")


def parse_records(text: str, kind: str, path: str) -> Records:
    """Read the records of a text: `jsonl`, an object a line, or `tsv`, a table with a header."""
    if not text:
        raise EmptyCorpus(f"{path} is empty, expected records")
    return _from_tsv(path, split_cells(text)) if kind == "tsv" else _from_jsonl(path, text)


def split_cells(text: str) -> list[list[str]]:
    """Split a table with tabs into lines of cells."""
    return [line.split("\t") for line in split_lines(text, strip="\r")]


def parse_json_lines(text: str, path: str, wrong: type[InputError] = FileFormatError) -> Iterator[tuple[int, Any]]:
    """Read a JSON value from each line, with the number of the line."""
    import json

    for number, line in enumerate(split_lines(text, strip=""), 1):
        try:
            value = json.loads(line)
        except ValueError as error:
            raise wrong(f"{path}, line {number}: not JSON: {error}") from error
        yield number, value


def _from_jsonl(path: str, text: str) -> Records:
    rows = []
    for number, row in parse_json_lines(text, path):
        if not isinstance(row, dict):
            raise FileFormatError(f"{path}, line {number}: {_kind(row)}, expected an object with fields")
        rows.append(row)
    return Records(path, rows, 1)


def _from_tsv(path: str, lines: list[list[str]]) -> Records:
    names = lines[0]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise FileFormatError(f"{path}, line 1: the header has the column {repeated!r} twice")
    if len(lines) == 1:
        raise EmptyCorpus(f"{path} has a header and no records")
    for number, cells in enumerate(lines[1:], 2):
        if len(cells) != len(names):
            raise FileFormatError(
                f"{path}, line {number}: found {len(cells)} cells, expected {len(names)} as in the header"
            )
    return Records(path, [dict(zip(names, cells, strict=True)) for cells in lines[1:]], 2)


def _kind(value: object) -> str:
    kinds = {type(None): "null", bool: "a boolean", int: "a number", float: "a number", str: "a text", list: "a list"}
    return kinds.get(type(value), "an object")


_REASONS: dict[type[OSError], str] = {
    FileNotFoundError: "there is no such file",
    IsADirectoryError: "is a folder, expected a file",
    PermissionError: "may not be read: permission denied",
}


def decompressing(stream: BinaryIO) -> io.BufferedIOBase | None:
    """Open what a stream holds if it begins as a compressed file does."""
    beginning = stream.read(10)
    stream.seek(0)
    if beginning.startswith(b"\x1f\x8b\x08"):
        import gzip

        return gzip.GzipFile(fileobj=stream)
    # A text may begin with "BZh", so the mark of bzip2's first block, or of its end, has to follow.
    if re.match(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)", beginning):
        import bz2

        return bz2.BZ2File(stream)
    if beginning.startswith(b"\xfd7zXZ\x00"):
        import lzma

        return lzma.LZMAFile(stream)
    if beginning.startswith(b"\x28\xb5\x2f\xfd"):
        return io.BytesIO(b"".join(_zstandard_frames(stream.read())))
    return None


def _zstandard_frames(content: bytes) -> Iterator[bytes]:
    try:
        from zstandard import ZstdDecompressor
    except ImportError as error:
        raise MissingDependency('reading .zst needs a package: pip install "truebleu[zst]"') from error
    while content:
        frame = ZstdDecompressor().decompressobj()
        yield frame.decompress(content)
        if not frame.eof:
            raise EOFError("it ends in the middle of a frame")
        content = frame.unused_data


COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
