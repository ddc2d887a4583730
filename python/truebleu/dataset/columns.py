"""A user's own segments, from JSON lines, TSV or plain files, checked line by line.

Whatever the file, a segment has a source (`src`), one or more references (`ref`, or `ref:LABEL` each), and
perhaps `docid`, `domain` and `origlang`. Lines end at LF and nowhere else, as everywhere in truebleu.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from truebleu._textio import read_text, records_format, split_lines
from truebleu.errors import InputFileError, InvalidTestSet, UndecodableText

METADATA = ("docid", "domain", "origlang")

# What people call these columns.
_NAMES = {
    "src": "src", "source": "src",
    "ref": "ref", "reference": "ref", "refs": "ref", "references": "ref", "tgt": "ref", "target": "ref",
    "docid": "docid", "doc_id": "docid", "doc": "docid", "document": "docid", "document_id": "docid",
    "domain": "domain",
    "origlang": "origlang", "original_language": "origlang",
}  # fmt: skip


@dataclass(frozen=True)
class Columns:
    """Checked segments, by column. A reference may be None where there is none; the notes are for the user."""

    fields: Mapping[str, Sequence[str | None]]
    notes: Sequence[str] = ()

    @property
    def segments(self) -> int:
        """How many there are."""
        return len(self.fields["src"])

    @property
    def references(self) -> list[str]:
        """The names of the reference columns."""
        return [name for name in self.fields if _is_reference(name)]

    def to_jsonl(self) -> bytes:
        """One JSON object a line; the same segments give the same bytes."""
        import json

        lines = [
            json.dumps(dict(zip(self.fields, values, strict=True)), ensure_ascii=False, separators=(", ", ": "))
            for values in zip(*self.fields.values(), strict=True)
        ]
        return "".join(f"{line}\n" for line in lines).encode()


@dataclass
class _Reading:
    """Columns as they come, with where each line came from."""

    where: str
    fields: dict[str, list[str | None]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def wrong(self, what: str, line: int | None = None) -> InvalidTestSet:
        place = self.where if line is None else f"{self.where}, line {line}"
        return InvalidTestSet(f"{place}: {what}")


def read_columns(
    files: Sequence[Path],
    *,
    columns: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
    metadata: Mapping[str, Path] | None = None,
) -> Columns:
    """Read a `.jsonl` file, a `.tsv` file, or plain files: the source first, then the references.

    `columns` names those of a TSV file without a header (`_`: not used); `labels` the references of plain files;
    `metadata` plain files with a `docid`, `domain` or `origlang` for every segment.
    """
    kind = records_format(files[0].name)
    if kind != "text" and len(files) > 1:
        raise InvalidTestSet(f"{files[0]} has all columns in one file, but {files[1]} was given too: add one at a time")
    if kind == "jsonl":
        reading = _read_jsonl(files[0])
    elif kind == "tsv":
        reading = _read_tsv(files[0], columns)
    else:
        reading = _read_plain(files, labels)
    for name, path in (metadata or {}).items():
        reading.fields[name] = list(_read_lines(path, reading.notes))
    return _checked(reading, files, metadata or {})


# --- the three kinds of file ------------------------------------------------------------------


def _read_jsonl(path: Path) -> _Reading:
    import json

    reading, records, ignored = _Reading(str(path)), [], dict[str, None]()
    for number, line in enumerate(_read_lines(path, reading.notes), 1):
        try:
            record = json.loads(line)
        except ValueError as error:
            raise reading.wrong(f"not JSON: {error}", number) from error
        if not isinstance(record, dict):
            raise reading.wrong(f"expected a JSON object, got {type(record).__name__}", number)
        records.append(_flat(reading, record, number, ignored))
    records = _alike(records)
    names = dict.fromkeys(name for record in records for name in record)
    reading.fields = {name: [record.get(name) for record in records] for name in names}
    if ignored:
        reading.notes.append(f"not used: {', '.join(ignored)}")
    return reading


def _flat(reading: _Reading, record: Mapping[str, Any], line: int, ignored: dict[str, None]) -> dict[str, str | None]:
    """One value a column: `{"refs": ["a", "b"]}` becomes `{"ref:0": "a", "ref:1": "b"}`."""
    flat: dict[str, str | None] = {}
    for key, value in record.items():
        name = _column(key)
        if name is None:
            ignored[key] = None
            continue
        for column, text in _spread(name, value):
            if column in flat:
                raise reading.wrong(f"{key!r} gives {column!r} a second time", line)
            if isinstance(text, int) and not isinstance(text, bool) and column in METADATA:
                text = str(text)
            if not isinstance(text, str | None):
                raise reading.wrong(f"{key!r}: expected a string, got {type(text).__name__}", line)
            flat[column] = text
    return flat


def _spread(name: str, value: Any) -> Iterable[tuple[str, Any]]:
    if name != "ref" or not isinstance(value, list | dict):
        return [(name, value)]
    if isinstance(value, dict):
        return [(f"ref:{label}", text) for label, text in value.items()]
    return [(f"ref:{number}", text) for number, text in enumerate(value)]


def _alike(records: list[dict[str, str | None]]) -> list[dict[str, str | None]]:
    """`{"ref": "a"}` and `{"refs": ["a"]}` are the same, whichever a line has; a list may be shorter than others."""
    names = {name for record in records for name in record if _is_reference(name)}
    if names == {"ref:0"}:
        old, new = "ref:0", "ref"
    elif all(name == "ref" or name.removeprefix("ref:").isdecimal() for name in names) and len(names) > 1:
        old, new = "ref", "ref:0"
    else:
        return records
    return [{new if name == old else name: text for name, text in record.items()} for record in records]


def _read_tsv(path: Path, columns: Sequence[str] | None) -> _Reading:
    reading = _Reading(str(path))
    lines = [line.split("\t") for line in _read_lines(path, reading.notes)]
    if columns is None:
        if not lines or "src" not in [_column(name) for name in lines[0]]:
            raise reading.wrong(
                "expected a header with the columns src, ref (or ref:A, ref:B, ...), docid, domain, origlang; "
                f"got {lines[0][:4] if lines else 'an empty file'!r}. Name the columns with --columns if there is none",
                1,
            )
        columns = lines[0]
    elif lines and {"src", "ref"} <= {_column(name) for name in lines[0]}:
        raise reading.wrong("this is a header, but --columns says that there is none", 1)
    names = [_column(name) for name in columns]
    first = 1 if lines and columns is lines[0] else 0
    for number, row in enumerate(lines[first:], first + 1):
        if len(row) != len(names):
            raise reading.wrong(f"expected {len(names)} columns, got {len(row)}", number)
    unused = [name for name, known in zip(columns, names, strict=True) if known is None and name != "_"]
    if unused:
        reading.notes.append(f"not used: {', '.join(unused)}")
    for position, name in enumerate(_numbered(names)):
        if name is not None:
            if name in reading.fields:
                raise reading.wrong(f"the column {name!r} is there twice")
            reading.fields[name] = [row[position] for row in lines[first:]]
    return reading


def _numbered(names: Sequence[str | None]) -> list[str | None]:
    """Several columns called `ref` are `ref:0`, `ref:1`, and so on."""
    if names.count("ref") < 2:
        return list(names)
    numbers = iter(range(len(names)))
    return [f"ref:{next(numbers)}" if name == "ref" else name for name in names]


def _read_plain(files: Sequence[Path], labels: Sequence[str] | None) -> _Reading:
    if len(files) < 2:
        raise InvalidTestSet(
            f"{files[0]}: a plain file has no references. Give the source and then the references "
            "(src.txt ref.txt ...), or one .jsonl or .tsv file"
        )
    if labels is not None and len(labels) != len(files) - 1:
        raise InvalidTestSet(f"{len(labels)} labels for {len(files) - 1} references: expected one for each")
    reading = _Reading(str(files[0]))
    names = ["ref"] * (len(files) - 1) if labels is None else [f"ref:{label}" for label in labels]
    for name, path in zip(_numbered(["src", *names]), files, strict=True):
        reading.fields[str(name)] = list(_read_lines(path, reading.notes))
    return reading


def _column(name: str) -> str | None:
    key, colon, label = name.partition(":")
    known = _NAMES.get(key.strip().lower())
    if colon:
        return f"ref:{label}" if known == "ref" else None
    return known


def _read_lines(path: Path, notes: list[str]) -> list[str]:
    return split_lines(_read_text(path, notes), strip="\r")


def _read_text(path: Path, notes: list[str]) -> str:
    try:
        return read_text(path, tell=notes.append)
    except InputFileError as error:
        raise InvalidTestSet(f"cannot read {error}") from error
    except UndecodableText as error:
        raise InvalidTestSet(f"{error}. Convert the file first, for example with iconv") from error


# --- checks -----------------------------------------------------------------------------------


def _checked(reading: _Reading, files: Sequence[Path], metadata: Mapping[str, Path]) -> Columns:
    names = [name for name in reading.fields if name == "src" or _is_reference(name)]
    references = sorted((name for name in names if name != "src"), key=_natural)
    if "src" not in names:
        raise reading.wrong("there is no source: expected a column or field src")
    if not references:
        raise reading.wrong("there is no reference: expected a column or field ref, or ref:A, ref:B, ...")
    if "ref" in references and len(references) > 1:
        raise reading.wrong(f"references must all have labels or none: got {', '.join(references)}")
    for name in references:
        label = name.partition(":")[2]
        if name != "ref" and (not label or any(c in label for c in "/\\\t\n\0:") or label.startswith(".")):
            raise reading.wrong(f"{label!r} cannot be the label of a reference")
    _check_lengths(reading, files, metadata)
    ordered = ["src", *references, *(name for name in METADATA if name in reading.fields)]
    fields = {name: _check_texts(reading, name) for name in ordered}
    _check_references(reading, fields, references)
    return Columns(fields, tuple(reading.notes))


def _check_lengths(reading: _Reading, files: Sequence[Path], metadata: Mapping[str, Path]) -> None:
    expected = len(reading.fields["src"])
    if expected == 0:
        raise reading.wrong("there are no segments")
    # Columns of one file are as long as each other.
    paths: dict[str, Path] = dict(metadata)
    if len(files) > 1:
        paths |= dict(zip((name for name in reading.fields if name not in metadata), files, strict=True))
    for name, column in reading.fields.items():
        if len(column) != expected:
            raise InvalidTestSet(
                f"{paths.get(name, name)} has {len(column)} lines, {files[0]} has {expected}; expected as many. "
                "Is a line broken in two, or missing at the end?"
            )


def _check_texts(reading: _Reading, name: str) -> list[str | None]:
    column = reading.fields[name]
    for number, text in enumerate(column, 1):
        if text is None and name == "src":
            raise reading.wrong("there is no source", number)
        if text is None:
            continue
        if "\n" in text or "\r" in text:
            raise reading.wrong(f"{name} has a line break in it: expected one segment, in one line", number)
        if any("\ud800" <= character <= "\udfff" for character in text) or "\0" in text:
            raise reading.wrong(f"{name} has a lone surrogate or a NUL in it, which is no text", number)
    if name in METADATA:
        return [text or "" for text in column]
    if name == "src" and (empty := sum(not (text or "").strip() for text in column)):
        reading.notes.append(f"{empty} segments have an empty source")
    return column


def _check_references(reading: _Reading, fields: Mapping[str, list[str | None]], references: Sequence[str]) -> None:
    present = [any((text or "").strip() for text in texts) for texts in zip(*map(fields.get, references), strict=True)]
    if not all(present):
        raise reading.wrong(
            f"every reference is empty, here and in {present.count(False) - 1} other segments; "
            "expected at least one with text for each segment",
            present.index(False) + 1,
        )
    for name in references:
        column = fields[name]
        missing = sum(not (text or "").strip() for text in column)
        column[:] = [text if (text or "").strip() else None for text in column]
        if missing:
            reading.notes.append(f"{missing} segments have no {name}")


def _is_reference(name: str) -> bool:
    return name == "ref" or name.startswith("ref:")


def _natural(name: str) -> tuple[int, str]:
    """`ref:10` after `ref:9`; labels that are no numbers by the alphabet, after them."""
    label = name.partition(":")[2]
    return (int(label), "") if label.isdecimal() else (1 << 60, label)
