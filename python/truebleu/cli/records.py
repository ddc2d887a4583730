"""Files with named fields: JSONL, an object a line, and TSV with a header."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

from truebleu._textio import decode, read_bytes
from truebleu.errors import EmptyCorpus, FileFormatError

STDIN = "standard input"

_BY_SUFFIX = {".jsonl": "jsonl", ".ndjson": "jsonl", ".tsv": "tsv"}
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst")


def is_records(path: str, chosen: str | None) -> bool:
    """Whether a file holds fields, by what was chosen or by its name."""
    return format_of(path, chosen) != "text"


def format_of(path: str, chosen: str | None) -> str:
    """`jsonl`, `tsv` or `text`.

    >>> format_of("out.jsonl.gz", None), format_of("out.txt", None), format_of("out.txt", "tsv")
    ('jsonl', 'text', 'tsv')
    """
    if path == STDIN:
        return chosen or "jsonl"
    for suffix in _COMPRESSED:
        path = path.removesuffix(suffix)
    by_name = next((kind for suffix, kind in _BY_SUFFIX.items() if path.endswith(suffix)), "text")
    return chosen or by_name


class Records(NamedTuple):
    """The records of a file; `first_line` is the line of the first."""

    path: str
    rows: list[dict[str, Any]]
    first_line: int

    def texts(self, field: str) -> list[str]:
        """A text from each record."""
        values = self._values(field)
        for number, value in enumerate(values, self.first_line):
            if not isinstance(value, str):
                raise FileFormatError(
                    f"{self.path}, line {number}: the field {field!r} is {_kind(value)}, expected a text"
                )
        return values

    def lists(self, field: str) -> list[list[str | None]]:
        """A list of texts from each record; a single text is a list of one."""
        values = self._values(field)
        for number, value in enumerate(values, self.first_line):
            items = value if isinstance(value, list) else [value]
            if not all(item is None or isinstance(item, str) for item in items):
                got = f"the field {field!r} is {_kind(value)}"
                raise FileFormatError(f"{self.path}, line {number}: {got}, expected a text or a list of texts")
        return [value if isinstance(value, list) else [value] for value in values]

    def _values(self, field: str) -> list[Any]:
        for number, row in enumerate(self.rows, self.first_line):
            if field not in row:
                known = ", ".join(map(repr, row))
                raise FileFormatError(
                    f"{self.path}, line {number}: there is no field {field!r}; the fields are {known}"
                )
        return [row[field] for row in self.rows]


def read_records(path: str, chosen: str | None, encoding: str) -> Records:
    """Read a file with fields."""
    content = sys.stdin.buffer.read() if path == STDIN else read_bytes(path)
    lines = decode(content, encoding, path).split("\n")
    if not lines[-1]:
        lines.pop()
    if not lines:
        raise EmptyCorpus(f"{path} is empty, expected records")
    return _from_tsv(path, lines) if format_of(path, chosen) == "tsv" else _from_jsonl(path, lines)


def _from_jsonl(path: str, lines: list[str]) -> Records:
    import json

    rows = []
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line)
        except ValueError as error:
            raise FileFormatError(f"{path}, line {number}: not JSON: {error}") from error
        if not isinstance(row, dict):
            raise FileFormatError(f"{path}, line {number}: {_kind(row)}, expected an object with fields")
        rows.append(row)
    return Records(path, rows, 1)


def _from_tsv(path: str, lines: list[str]) -> Records:
    names = lines[0].rstrip("\r").split("\t")
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise FileFormatError(f"{path}, line 1: the header has the column {repeated!r} twice")
    if len(lines) == 1:
        raise EmptyCorpus(f"{path} has a header and no records")
    rows = []
    for number, line in enumerate(lines[1:], 2):
        cells = line.rstrip("\r").split("\t")
        if len(cells) != len(names):
            raise FileFormatError(
                f"{path}, line {number}: found {len(cells)} cells, expected {len(names)} as in the header"
            )
        rows.append(dict(zip(names, cells, strict=True)))
    return Records(path, rows, 2)


def _kind(value: object) -> str:
    kinds = {type(None): "null", bool: "a boolean", int: "a number", float: "a number", str: "a text", list: "a list"}
    return kinds.get(type(value), "an object")
