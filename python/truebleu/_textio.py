"""Read files: compressed or not, in any encoding, as lines or records, with errors that name the file and the line.

One rule holds for every file that a user gives, whichever command reads it:

- A file that gzip, bzip2, xz or Zstandard has compressed is recognised by its first bytes, whatever its name is.
- A byte order mark at the beginning is dropped, and a message says so.
- A line ends at a line feed and nowhere else. A carriage return before the line feed is dropped. A file whose lines
  end in carriage returns alone is one line, and a warning says so.
- White space at the end of a line is dropped where each line is a segment to be scored. It is kept where it means
  something: in tables, in JSON, and in a test set that `truebleu data add` stores.

The files of published test sets are read to the byte, with `decode` and `split_lines(text, strip="")`.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack

from truebleu._counts import number_of
from truebleu._inputs import check_path, check_text
from truebleu._logs import inform, warn
from truebleu._records import NamedTuple
from truebleu._shown import shown
from truebleu._typing import Any, BinaryIO
from truebleu.errors import EmptyCorpus, FileFormatError, InputError, InputFileError, MissingDependency, UndecodableText

# Takes a message about a file, in place of the log.
Tell = Callable[[str], object]


def read_lines(path: str | os.PathLike[str], encoding: str = "utf-8") -> list[str]:
    r"""Read the segments of a file, one per line, as the command does.

    Only a line feed ends a line. `str.splitlines` also splits at characters that occur within sentences, such as
    U+2028 and U+0085, and then every later line is compared with the wrong reference. A compressed file (gzip, bzip2,
    xz, Zstandard) is decompressed; a byte order mark at the beginning and white space at the end of lines are dropped.

    Parameters
    ----------
    path
        The path of the file.
    encoding
        How its text is encoded.

    Returns
    -------
    list of str
        The segments.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "out.txt")
    ...     _ = path.write_bytes("One\u2028line.\nAnother.\r\n".encode())
    ...     len(read_lines(path)), len(path.read_text(encoding="utf-8").splitlines())
    (2, 3)
    """
    encoding = check_text("read_lines: encoding", encoding, "the name of an encoding")
    return split_lines(read_text(check_path("read_lines: path", path), encoding))


def read_text(
    path: str | os.PathLike[str], encoding: str = "utf-8", tell: Tell | None = None, content: bytes | None = None
) -> str:
    """Read a file as text, decompressed and without a byte order mark.

    `content` is the content of the file, if it has been read already and cannot be read again.
    """
    name = shown(os.fspath(path))
    text = text_of(decompress(stored_bytes(path) if content is None else content, name), encoding, name, tell)
    if "\r" in text and "\n" not in text and "\r" in text.rstrip():
        message = f"{name}: only carriage returns end its lines, so it is taken as one line; tr '\\r' '\\n' mends it"
        tell(message) if tell is not None else warn("%s", message)
    return text


def text_of(content: bytes, encoding: str, name: str, tell: Tell | None = None) -> str:
    """Decode a user's file and drop the byte order mark; `tell` gets the message that otherwise goes to the log."""
    text = decode(content, encoding, name)
    beginning = text[:200]
    if 5 * beginning.count("\0") >= 2 * len(beginning) > 0:
        order = "be" if beginning[0] == "\0" else "le"
        raise UndecodableText(
            f"{name}: every other byte is zero, so it is UTF-16 without a byte order mark and not {encoding}; "
            f"name its encoding (--encoding FILE=utf-16-{order})"
        )
    if text.startswith("\ufeff"):
        message = f"{name}: a byte order mark at the beginning was left out"
        tell(message) if tell is not None else inform("%s", message)
    return text.removeprefix("\ufeff")


def read_blocks(path: str | os.PathLike[str], encoding: str = "utf-8", content: bytes | None = None) -> Iterator[str]:
    """Read a file as `read_text` does, some megabytes of whole lines at a time; one in another encoding at once."""
    name, number = shown(os.fspath(path)), 1
    if not is_utf8(encoding):
        yield read_text(path, encoding, content=content)
        return
    try:
        file = open(path, "rb") if content is None else io.BytesIO(content)  # noqa: SIM115
    except OSError as error:
        raise _unreadable(path, error) from error
    with file:
        for block in _decompressed(file, name):
            text = decode(block, encoding, name, first=number) if number > 1 else text_of(block, encoding, name)
            number += text.count("\n")
            yield text


def read_bytes(path: str, *, lines: bool = False) -> Iterator[bytes]:
    """Read a file decompressed, some megabytes at a time; with `lines`, whole lines. `-` is standard input."""
    import sys

    try:
        file = open(path, "rb") if path != "-" else sys.stdin.buffer  # noqa: SIM115
    except OSError as error:
        raise _unreadable(path, error) from error
    with ExitStack() as stack:
        if path != "-":
            stack.enter_context(file)
        yield from _decompressed(file, shown(path), lines=lines)


def _decompressed(file: BinaryIO, name: str, *, lines: bool = True) -> Iterator[bytes]:
    try:
        stream = decompressing(file) if file.seekable() else None
        if stream is None and name.lower().endswith(COMPRESSED):
            raise ValueError("it does not begin like a compressed file")
        whole = stream or file
        yield from _whole_lines(whole, name) if lines else iter(lambda: whole.read(_BLOCK), b"")
    except MissingDependency as error:
        raise MissingDependency(f"{name}: {error}") from error
    except (FileFormatError, GeneratorExit):
        raise
    except Exception as error:  # each decompressor has exceptions of its own
        raise damaged(name, error) from error


def split_lines(text: str, strip: str | None = None) -> list[str]:
    r"""Split a text at line feeds; the last line may lack one.

    Lines lose the characters of `strip` at their end: all white space if it is None, nothing if it is empty.

    >>> split_lines("a\t\r\n b\n"), split_lines("a\t\r\n b\n", strip="\r"), split_lines("a\t\r\n b\n", strip="")
    (['a', ' b'], ['a\t', ' b'], ['a\t\r', ' b'])
    """
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines if strip == "" else [line.rstrip(strip) for line in lines]


def stored_bytes(path: str | os.PathLike[str]) -> bytes:
    """Read a file as it is stored."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: str | os.PathLike[str], error: OSError) -> InputFileError:
    reason = _REASONS.get(type(error), f"cannot be read: {error.strerror}")
    return InputFileError(f"{shown(os.fspath(path))}: {reason}")


def decompress(content: bytes, name: str, limit: int = -1) -> bytes:
    """Decompress bytes that begin like a compressed file; others stay as they are.

    At most `limit` bytes are returned, unless it is negative. If the name promises compression, plain bytes are an
    error.
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
        raise damaged(name, error) from error


def damaged(name: str, error: Exception) -> InputFileError:
    """The error to raise when a decompressor fails."""
    return InputFileError(f"{name}: cannot be decompressed, is it damaged or cut off? ({error})")


_OTHER_ENCODING = "is the file in another encoding? (--encoding FILE=NAME)"


def decode(content: bytes, encoding: str, name: str, wrong: type[InputError] = UndecodableText, first: int = 1) -> str:
    """Decode bytes; an error of the class `wrong` names the line and the byte."""
    try:
        return content.decode(encoding)
    except LookupError as error:
        raise wrong(f"{name}: there is no encoding called {shown(repr(encoding))}") from error
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + first
        column = error.start - (content.rfind(b"\n", 0, error.start) + 1) + 1
        hint = _OTHER_ENCODING
        if content.startswith((b"\xff\xfe", b"\xfe\xff")):
            hint = "the file begins with the byte order mark of UTF-16, name its encoding (--encoding FILE=utf-16)"
        raise wrong(undecodable(name, line, column, content[error.start], encoding, error.reason, hint)) from error
    except ValueError as error:  # what other codecs raise
        raise wrong(f"{name}: its encoding is not {shown(repr(encoding))}: {error}") from error


def undecodable(
    name: str, line: int, column: int, byte: int, encoding: str, reason: str, hint: str = _OTHER_ENCODING
) -> str:
    """Say which byte cannot be decoded."""
    return f"{name}, line {line}: byte {column} of the line is 0x{byte:02x}, which is not {encoding} ({reason}); {hint}"


class Records(NamedTuple):
    """The records of a file; `numbers` are their first lines, or their record numbers if `unit` is "record"."""

    path: str
    rows: list[dict[str, Any]]
    numbers: Sequence[int]
    unit: str = "line"
    header: Sequence[str] | None = None  # the names of columns, if the file is a table

    def texts(self, field: str, nulls: str = "error") -> list[Any]:
        """Take a text from each record; null is left as it is where `nulls` says what becomes of it."""
        if nulls == "error":
            return self._values(field, lambda value: isinstance(value, str), "a text", _IF_NULL)
        return self._values(field, lambda value: isinstance(value, str | None), "a text or null")

    def lists(self, field: str) -> list[list[str | None]]:
        """Take a list of texts from each record; a single text is a list of one."""

        def holds_texts(value: object) -> bool:
            return all(isinstance(item, str | None) for item in (value if isinstance(value, list) else [value]))

        values = self._values(field, holds_texts, "a text or a list of texts")
        return [value if isinstance(value, list) else [value] for value in values]

    def keys(self, field: str) -> list[Any]:
        """Take a value to group by from each record: all of one kind, or null."""
        kinds: set[str] = set()

        def is_key(value: object) -> bool:
            if value is not None:
                kinds.add(type(value).__name__)
            return not isinstance(value, float | list | dict) and len(kinds) < 2

        return self._values(field, is_key, "texts, whole numbers or booleans, all of one kind")

    def place(self, index: int) -> str:
        """The place of a record, for a message."""
        return f"{self.path}, {self.unit} {self.numbers[index]}"

    def _values(self, field: str, accepts: Callable[[object], bool], expected: str, if_null: str = "") -> list[Any]:
        if self.header is not None and field not in self.header:
            raise FileFormatError(
                f"{self.path}, line 1: there is no column {field!r} in the header, which has {_names(self.header)}; "
                "does the file begin with the names of its columns?"
            )
        values = [row[field] if field in row else value_at(row, field) for row in self.rows]
        for index, value in enumerate(values):
            if value is ABSENT:
                there = field_names(self.rows[index])
                raise FileFormatError(f"{self.place(index)}: there is no field {field!r}; the fields are {there}")
            if not accepts(value):
                advice = if_null if value is None else ""
                is_ = f"the field {field!r} is {_kind(value)}"
                raise FileFormatError(f"{self.place(index)}: {is_}, expected {expected}{advice}")
        return values


ABSENT = object()  # what is in place of a field that a record does not have
_IF_NULL = "; --nulls skip leaves such segments out, --nulls empty takes them as empty"


def value_at(value: Any, path: str) -> Any:
    """Find a field by its name, or inside others by names and numbers with dots between; below null, all is null.

    >>> value_at({"choices": [{"text": "a"}], "x.y": "b"}, "choices.0.text"), value_at({"x.y": "b"}, "x.y")
    ('a', 'b')
    """
    if value is None or not path:
        return value
    if isinstance(value, list):
        head, _, rest = path.partition(".")
        is_there = head.isdecimal() and len(head) < 10 and int(head) < len(value)
        return value_at(value[int(head)], rest) if is_there else ABSENT
    if not isinstance(value, dict):
        return ABSENT
    if path in value:
        return value[path]
    cut = path.rfind(".")
    while cut > 0 and path[:cut] not in value:
        cut = path.rfind(".", 0, cut)
    return value_at(value[path[:cut]], path[cut + 1 :]) if cut > 0 else ABSENT


def field_names(row: Mapping[str, Any]) -> str:
    """List the first names of fields; of objects, and of the first object of a list, the fields inside."""
    return _names(list(leaves(row))) or "none"


def leaves(row: Mapping[str, Any], before: str = "") -> Iterator[str]:
    """Give the names of fields; of objects, and of the first object of a list, those of the fields inside."""
    for name, value in row.items():
        inner, path = (value[0], f"{name}.0") if isinstance(value, list) and value else (value, name)
        if isinstance(inner, dict) and inner and before.count(".") < _DEEPEST:
            yield from leaves(inner, f"{before}{path}.")
        else:
            yield f"{before}{name}"


_DEEPEST = 8  # dots of a name that is listed


RECORDS_FORMATS = ("jsonl", "json", "tsv", "csv")
COLUMNS_FORMATS = ("parquet", "arrow")  # the first bytes of a file say which of them it is


def records_format(path: str) -> str:
    """Find the format of a file by its name: one of `RECORDS_FORMATS` or `COLUMNS_FORMATS`, or `text`.

    >>> [records_format(name) for name in ("out.jsonl.gz", "out.json", "out.TSV", "out.csv", "out.txt", "out.feather")]
    ['jsonl', 'json', 'tsv', 'csv', 'text', 'arrow']
    """
    path = path.lower()
    for suffix in COMPRESSED:
        path = path.removesuffix(suffix)
    suffix = os.path.splitext(path)[1]
    kind = _OTHER_NAMES.get(suffix, suffix[1:])
    return kind if kind in RECORDS_FORMATS or kind in COLUMNS_FORMATS else "text"


_OTHER_NAMES = {".ndjson": "jsonl", ".tab": "tsv", ".pq": "parquet", ".feather": "arrow", ".ipc": "arrow"}


def parse_records(text: str, kind: str, path: str) -> Records:
    """Read the records of a text.

    `jsonl` has one object per line, `json` a list of objects or one object per line; `tsv` and `csv` are tables with a
    header.
    """
    if not text.strip():
        raise EmptyCorpus(f"{path} is empty, expected records")
    if kind in ("tsv", "csv"):
        return _from_table(path, table_rows(text, kind, path))
    unit, values = json_values(text, kind, path)
    return _of_objects(path, list(values), unit)


def table_rows(text: str, kind: str, path: str) -> Iterator[tuple[int, list[str]]]:
    """Split a `tsv` or `csv` table into rows of cells, each with the number of its first line."""
    if kind == "csv":
        return _csv_rows(path, text)
    # Blank lines at the end are not records, unless there is only one column, which may be empty.
    lines = split_lines(text.rstrip("\r\n") if "\t" in text.partition("\n")[0] else text, strip="\r")
    return enumerate((line.split("\t") for line in lines), 1)


def json_values(
    text: str, kind: str, path: str, wrong: type[InputError] = FileFormatError
) -> tuple[str, Iterator[tuple[int, Any]]]:
    """Read the values of a `jsonl` or `json` text with their numbers, and whether these count lines or records."""
    if kind == "json" and text.lstrip().startswith("["):
        return "record", enumerate(_json_value(text, path, wrong), 1)
    return "line", parse_json_lines(text, path, wrong)


_BLOCK, _LONGEST = 1 << 22, 1 << 26  # bytes that are read at once, and of a line


def is_utf8(encoding: str) -> bool:
    """Tell whether an encoding is UTF-8, however it is written."""
    return encoding.lower().replace("_", "-") in ("utf-8", "utf8")


def content_size(path: str) -> int:
    """How many bytes a file may hold: for a name of a compressed file, many times its size."""
    return os.path.getsize(path) * (_EXPANDS if path.lower().endswith(COMPRESSED) else 1)


def read_record_batches(
    path: str, encoding: str, quick: Callable[[bytes, int], Any] = lambda block, lines: None
) -> Iterator[Any]:
    """Read a file with one JSON object per line, some megabytes at a time.

    `quick` may make something else of a block, whose lines are all objects. For anything unusual this raises an error;
    then the whole file is read in the usual way, which gives the message.
    """
    name, number, is_ended = shown(path), 1, False
    with open(path, "rb") as file:
        stream = decompressing(file) or file
        if not is_utf8(encoding):
            raise UndecodableText(f"{name} is in {encoding}, expected UTF-8")
        if stream is file and path.lower().endswith(COMPRESSED):
            raise InputFileError(f"{name} does not begin like a compressed file")
        for block in _whole_lines(stream, name):
            if number == 1 and (block.lstrip()[:3].startswith((b"[", b"\xef\xbb\xbf")) or b"\n" not in block):
                raise FileFormatError(f"{name} does not begin with one object per line")
            lines = block.count(b"\n") + (not block.endswith(b"\n"))
            if not is_ended and (found := quick(block, lines)) is not None:
                number += lines
                yield found
                continue
            text = decode(block, "utf-8", name)
            values = list(parse_json_lines(text, name, first=number))
            if values and is_ended:
                raise FileFormatError(f"{name}, line {number}: there are blank lines before it")
            number += lines
            is_ended = not values or values[-1][0] < number - 1
            if values:
                yield _of_objects(name, values)


def _whole_lines(stream: BinaryIO | io.BufferedIOBase, name: str) -> Iterator[bytes]:
    rest = b""
    while block := stream.read(_BLOCK):
        lines, feed, rest = (rest + block).rpartition(b"\n")
        if feed:
            yield lines + feed
        elif len(rest) > _LONGEST:
            raise FileFormatError(f"{name} has a line of more than {_LONGEST} bytes")
    if rest:
        yield rest


def parse_json_lines(
    text: str, path: str, wrong: type[InputError] = FileFormatError, first: int = 1
) -> Iterator[tuple[int, Any]]:
    """Read a JSON value from each line, with the number of the line; blank lines at the end hold nothing."""
    for number, line in enumerate(split_lines(text.rstrip(" \t\r\n"), strip=""), first):
        yield number, _json_value(line, f"{path}, line {number}", wrong)


def repeated(pairs: list[tuple[str, Any]]) -> str | None:
    """Find a name that an object of JSON has twice; None if there is none.

    >>> repeated([("a", 1), ("b", 2), ("a", 3)]), repeated([])
    ('a', None)
    """
    if len(dict(pairs)) == len(pairs):
        return None
    names = [name for name, _ in pairs]
    return next(name for name in names if names.count(name) > 1)


def json_value(text: str, where: str) -> Any:
    """Read one JSON value; an object with two fields of one name is refused, where Python would keep the last."""

    def unlike(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if (twice := repeated(pairs)) is not None:
            raise FileFormatError(f"{where}: an object has the field {shown(repr(twice))} twice")
        return dict(pairs)

    return _json_value(text, where, FileFormatError, unlike)


def _json_value(text: str, where: str, wrong: type[InputError], fields: Callable[..., Any] | None = None) -> Any:
    import json

    try:
        return json.loads(text, object_pairs_hook=fields)
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if "\n" in text else ""
        what = error.msg.removesuffix(" at")  # some end in it
        found = "the line is blank" if not text.strip() else f"{what} at {line}column {error.colno}"
        raise wrong(f"{where}: not JSON: {found}") from error
    except RecursionError as error:
        raise wrong(f"{where}: its brackets are nested too deeply, expected an object with fields") from error
    except InputError:
        raise
    except ValueError as error:  # a number of thousands of digits
        raise wrong(f"{where}: not JSON: {error}") from error


def _of_objects(path: str, values: list[tuple[int, Any]], unit: str = "line") -> Records:
    for number, row in values:
        if not isinstance(row, dict):
            raise FileFormatError(f"{path}, {unit} {number}: {_kind(row)}, expected an object with fields")
    if not values:
        raise EmptyCorpus(f"{path} has no records")
    return Records(path, [row for _, row in values], [number for number, _ in values], unit)


def _from_table(path: str, lines: Iterator[tuple[int, list[str]]]) -> Records:
    _, names = next(lines)
    if len(set(names)) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        raise FileFormatError(f"{path}, line 1: the header has the column {repeated!r} twice")
    rows, numbers = [], []
    for number, cells in lines:
        if len(cells) != len(names):
            raise FileFormatError(
                f"{path}, line {number}: found {number_of(len(cells), 'cell')}, expected {len(names)} as in the header"
            )
        rows.append(dict(zip(names, cells, strict=True)))
        numbers.append(number)
    if not rows:
        raise EmptyCorpus(f"{path} has a header and no records")
    return Records(path, rows, numbers, header=names)


def _csv_rows(path: str, text: str) -> Iterator[tuple[int, list[str]]]:
    """Split a table with commas and quotes into rows, each with its first line; blank lines are ignored."""
    import csv

    begins = 1
    # A document may be longer than the 131,072 characters that the module allows a cell.
    limit = csv.field_size_limit(2**31 - 1)
    try:
        rows = csv.reader(io.StringIO(text, newline=""), strict=True)
        for row in rows:
            if row:
                yield begins, row
            begins = rows.line_num + 1
    except csv.Error as error:
        raise FileFormatError(f"{path}, line {begins}: not CSV: {error}") from error
    finally:
        csv.field_size_limit(limit)


def _names(fields: Sequence[str]) -> str:
    """List the first names of fields, shortened: without a header they are texts."""
    names = [repr(shown(name, 40)) for name in fields[:12]]
    return ", ".join(names) + (", ..." if len(fields) > len(names) else "")


def _kind(value: object) -> str:
    kinds = {type(None): "null", bool: "a boolean", int: "a number", float: "a number", str: "a text", list: "a list"}
    return kinds.get(type(value), "an object")


_REASONS: dict[type[OSError], str] = {
    FileNotFoundError: "there is no such file",
    IsADirectoryError: "is a folder, expected a file",
    PermissionError: "may not be read: permission denied",
}


def decompressing(stream: BinaryIO) -> io.BufferedIOBase | None:
    """Decompress a stream if it begins like a compressed file."""
    beginning = stream.read(10)
    stream.seek(0)
    if beginning.startswith(b"\x1f\x8b\x08"):
        import gzip

        return gzip.GzipFile(fileobj=stream)
    # A text may begin with "BZh", so the mark of bzip2's first block, or of its end, has to follow.
    is_bzip2 = beginning.startswith(b"BZh") and beginning[3:4] in b"123456789"
    if is_bzip2 and beginning[4:] in (b"1AY&SY", b"\x17rE8P\x90"):
        import bz2

        return bz2.BZ2File(stream)
    if beginning.startswith(b"\xfd7zXZ\x00"):
        import lzma

        return lzma.LZMAFile(stream)
    if beginning.startswith(b"\x28\xb5\x2f\xfd"):
        return io.BufferedReader(_Zstandard(stream))
    return None


class _Zstandard(io.RawIOBase):
    """The content of a stream of Zstandard frames. The package's own reader does not notice a stream that is cut
    off."""

    def __init__(self, stream: BinaryIO) -> None:
        try:
            from zstandard import ZstdDecompressor
        except ImportError as error:
            raise MissingDependency('reading .zst needs a package: pip install "truebleu[zst]"') from error
        self._begin: Callable[[], Any] = lambda: ZstdDecompressor().decompressobj()
        self._stream, self._frame, self._left, self._out = stream, None, b"", memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._out:
            if not (block := self._left or self._stream.read(_ZSTANDARD_BLOCK)):
                if self._frame is not None:
                    raise EOFError("it ends in the middle of a frame")
                return 0
            frame = self._frame or self._begin()
            self._out = memoryview(frame.decompress(block))
            self._frame, self._left = (None, frame.unused_data) if frame.eof else (frame, b"")
        size = min(len(buffer), len(self._out))
        buffer[:size], self._out = self._out[:size], self._out[size:]
        return size


_ZSTANDARD_BLOCK = 1 << 14  # compressed bytes that are read at once; they may be a thousand times as much
RECEIPT_ENDING = ".receipt.json"  # what the name of a receipt ends in
COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
_EXPANDS = 1000  # only very monotonous text is compressed to less than this part of its size
