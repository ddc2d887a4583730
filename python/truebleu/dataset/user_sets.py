"""The user's own test sets: added once, then used by name like any other.

A set lives in `<cache>/registry/`: its description in `<name with _>.json`, in the form of the registry, and its
segments beside it, one JSON line each, in files named by content. A new description replaces the old in one step, after
its files are there. Descriptions written by hand are read and verified in the same way.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from truebleu._atomic import turn, write_whole
from truebleu._counts import number_of
from truebleu._textio import json_values, read_text, records_format, split_lines, table_rows
from truebleu.dataset import registry
from truebleu.dataset.formats.columns import is_text
from truebleu.dataset.registry import Definition
from truebleu.errors import (
    CacheError,
    FileFormatError,
    InputFileError,
    InvalidTestSet,
    NameTaken,
    OptionError,
    UndecodableText,
    UnknownTestSet,
)
from truebleu.store.config import lock_folder
from truebleu.store.files import digest_problem

METADATA = ("docid", "domain", "origlang")

# Stricter than the registry's rule, which allows pairs such as en-zh-CN in published sets.
_PAIR = re.compile(r"[A-Za-z]{2,8}(_[A-Za-z0-9]+)*-[A-Za-z]{2,8}(_[A-Za-z0-9]+)*")
_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")

# Other names of the columns.
_NAMES = {
    "src": "src", "source": "src",
    "ref": "ref", "reference": "ref", "refs": "ref", "references": "ref", "tgt": "ref", "target": "ref",
    "docid": "docid", "doc_id": "docid", "doc": "docid", "document": "docid", "document_id": "docid",
    "domain": "domain",
    "origlang": "origlang", "original_language": "origlang",
}  # fmt: skip


# --- the sets of a cache ------------------------------------------------------------------------


def own_sets() -> dict[str, Definition]:
    """Find all sets that are described in the cache and whose description can be read, by name."""
    return {own.name: own for found in _descriptions().values() if isinstance(found, list) for own in found}


def damaged_descriptions() -> dict[Path, str]:
    """Find descriptions that cannot be read, and say why."""
    return {path: str(found) for path, found in _descriptions().items() if isinstance(found, InvalidTestSet)}


def _descriptions() -> dict[Path, list[Definition] | InvalidTestSet]:
    """The registry files of the cache: the sets that each describes, or its fault."""
    found: dict[Path, list[Definition] | InvalidTestSet] = {}
    for path in registry.json_files(registry.user_folder()):
        try:
            found[path] = registry.read(path)
        except InvalidTestSet as error:
            found[path] = error
    return found


def paths_of(own: Definition) -> list[Path]:
    """Name the files of a set that are on this machine, its description first."""
    paths = (own.origin, *(file.path for file in own.files))
    return list(dict.fromkeys(path for path in paths if path is not None))


def problems_of(own: Definition) -> dict[Path, str]:
    """Compare the files of a set with their checksums, and its content hash with both; say what is wrong."""
    found = {}
    # The hash is defined for sets that have been added, which are in this format.
    if own.origin is not None and own.format == "jsonl" and own.content_hash not in (None, _content_hash(own)):
        found[own.origin] = f"has content_hash {own.content_hash}, expected {_content_hash(own)}"
    for file in own.files:
        if file.path is not None:
            try:
                problem = digest_problem(file.path, file.sha256, file.md5)
            except OSError as error:
                problem = f"cannot be read: {error.strerror}"
            if problem is not None:
                found[file.path] = problem
    return found


def description_file(name: str) -> Path:
    """The file of a set's description after it has been added."""
    return registry.user_folder() / f"{name.replace('/', '_')}.json"


def stands_alone(own: Definition) -> bool:
    """Tell whether a set has its own description as `add` writes it; descriptions written by hand are left alone."""
    return own.origin == description_file(own.name) and len(registry.read(own.origin)) == 1


def conflict(new: Definition) -> str | None:
    """Describe what a set would replace in the cache, or None."""
    before = _before(new.name, description_file(new.name))
    if before is None or before.record == new.record:
        return None
    # The same text may have another description.
    kind = " with another description" if before.content_hash == new.content_hash else ""
    return f"{new.name!r} is there in version {_named(before)}, this is {_named(new)}{kind}"


def drop_old_files(before: Definition, now: Definition) -> None:
    """Remove the files of a set that has been replaced, except those still in use."""
    for path in set(paths_of(before)) - set(paths_of(now)):
        if path.parent == registry.user_folder():
            path.unlink(missing_ok=True)


def remove(name: str) -> list[Path]:
    """Remove one of the user's own sets, and return the removed files."""
    home = description_file(name)
    with turn(home, lock_folder()):
        own = own_sets().get(name)
        if own is None:
            raise UnknownTestSet(f"there is no test set {name!r} of your own in {home.parent}")
        if not stands_alone(own):
            raise OptionError(f"{name!r} is described in {own.origin}, which was written by hand: remove it there")
        try:
            home.unlink()
        except OSError as error:
            raise CacheError(f"cannot remove {home}: {error}") from error
        # The description names the files; files outside the cache are not ours to remove.
        inside = [path for path in paths_of(own) if path.parent == home.parent]
        for path in inside:
            path.unlink(missing_ok=True)
    return inside


@dataclass(frozen=True)
class Added:
    """The result of adding a set."""

    definition: Definition
    pair: str
    segments: int
    references: Sequence[str]
    notes: Sequence[str]
    changed: bool


def add(
    files: Sequence[Path],
    name: str,
    pair: str,
    *,
    version: str | None = None,
    description: str | None = None,
    force: bool = False,
    columns: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
    metadata: Mapping[str, Path] | None = None,
    licence: str | None = None,
) -> Added:
    """Add a language pair to one of the user's own sets, and the set if it is new.

    Other text under the same name, pair and version is refused, and so is another version.
    """
    _check_names(name, pair, version)
    table = read_columns(files, columns=columns, labels=labels, metadata=metadata)
    data = table.to_jsonl()
    sha256 = hashlib.sha256(data).hexdigest()
    home = description_file(name)
    with turn(home, lock_folder()):
        before = _before(name, home)
        old = _kept(before, pair, sha256, version, force)
        file = {"path": f"{home.stem}.{pair}.{sha256[:12]}.jsonl", "sha256": sha256}
        entry = {"files": [file], "fields": list(table.fields), "segments": table.segments}
        record = {
            **old,
            "format": "jsonl",
            "description": description if description is not None else before.description if before else "",
            "pairs": dict(sorted({**old.get("pairs", {}), pair: entry}.items())),
            "set_version": version or old.get("set_version", "1"),
            **({"licence": licence} if licence is not None else {}),
        }
        now = registry.parse({"schema": registry.SCHEMA, "sets": {name: record}}, home.parent, str(home))[0]
        record["content_hash"] = _content_hash(now)
        changed = before is None or record != before.record
        content = {"version": registry.SCHEMA, "sets": {name: record}}
        try:
            write_whole(home.parent / file["path"], data)
            if changed:
                write_whole(home, (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())
        except OSError as error:
            advice = "set TRUEBLEU_CACHE to a folder you can"
            raise CacheError(f"cannot write to {home.parent}: {error}; {advice}") from error
        now = replace(now, content_hash=record["content_hash"], origin=home)
        if before is not None:
            drop_old_files(before, now)
    return Added(now, pair, table.segments, table.references, table.notes, changed)


def _check_names(name: str, pair: str, version: str | None) -> None:
    if not registry.can_be_a_name(name):
        raise OptionError(f"{name!r} cannot be the name of a test set: expected words like lab/news24")
    if not _PAIR.fullmatch(pair):
        raise OptionError(f"{pair!r} is not a language pair: expected two languages like en-de or eng-zho_Hans")
    if version is not None and not _VERSION.fullmatch(version):
        raise OptionError(f"{version!r} cannot be a version: expected a word like 2 or 2024-05")


def _before(name: str, home: Path) -> Definition | None:
    """The set of this name that is in the cache, if it is one that `add` may change."""
    there = own_sets().get(name)
    if there is not None and (there.origin != home or there.format != "jsonl"):
        raise NameTaken(f"{name!r} is described in {there.origin}, which was written by hand: choose another name")
    others = [own.name for own in registry.read(home) if own.name != name] if home.exists() else []
    if others:
        raise NameTaken(f"{name!r} and {', '.join(others)!r} would share the file {home}: choose another name")
    return there


def _kept(before: Definition | None, pair: str, sha256: str, version: str | None, force: bool) -> dict[str, Any]:
    """The part of the description that stays; it is empty if another version replaces the set."""
    if before is None:
        return {}
    if version is not None and version != before.version:
        if not force:
            raise NameTaken(
                f"{before.name!r} is there already in version {before.version}, you give {version}; "
                "choose another name, or replace the old version with --force"
            )
        return {}
    if pair in before.pairs and before.digests(pair) != [sha256] and not force:
        there = f"{str(before.content_hash)[:19]}, version {before.version}"
        raise NameTaken(
            f"{before.name!r} {pair} is there already with other text ({there}); "
            "choose another name, or replace it with --version and --force"
        )
    return dict(before.record)


def _content_hash(own: Definition) -> str:
    """One hash for all text of a set: of lines with pair and SHA-256, in the order of the pairs."""
    lines = [f"{pair} {sha256}\n" for pair in sorted(own.pairs) for sha256 in own.digests(pair)]
    return "sha256:" + hashlib.sha256("".join(lines).encode()).hexdigest()


def _named(own: Definition) -> str:
    return f"{own.version} ({str(own.content_hash)[:19]})"


# --- the segments of a set ----------------------------------------------------------------------


@dataclass
class UserColumns:
    """A user's segments by column: source, references, and further columns such as the document.

    A missing reference is None. The notes are for the user. `paths` has the columns that have a file of their own.
    `numbers` are the first lines of the segments, or their record numbers if `unit` is "record"; it is empty if each
    line is a segment.
    """

    where: str
    fields: dict[str, list[str | None]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    paths: dict[str, Path] = field(default_factory=dict)
    numbers: Sequence[int] = ()
    unit: str = "line"

    @property
    def segments(self) -> int:
        """How many segments there are."""
        return len(self.fields["src"])

    @property
    def references(self) -> list[str]:
        """The names of the reference columns."""
        return [name for name in self.fields if _is_reference(name)]

    def to_jsonl(self) -> bytes:
        """Write one JSON object per line; the same segments give the same bytes."""
        lines = [
            json.dumps(dict(zip(self.fields, values, strict=True)), ensure_ascii=False, separators=(", ", ": "))
            for values in zip(*self.fields.values(), strict=True)
        ]
        return "".join(f"{line}\n" for line in lines).encode()

    def text(self, path: Path) -> str:
        """Read a file; oddities become notes."""
        return read_text(path, tell=self.notes.append)

    def wrong(self, what: str, segment: int | None = None) -> InvalidTestSet:
        """Make an error that names the file and, if a segment is given, its line."""
        number = "" if segment is None else self.numbers[segment] if self.numbers else segment + 1
        place = f", {self.unit} {number}" if number else ""
        return InvalidTestSet(f"{self.where}{place}: {what}")


def read_columns(
    files: Sequence[Path],
    *,
    columns: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
    metadata: Mapping[str, Path] | None = None,
) -> UserColumns:
    """Read and check the segments of a set."""
    table, kind = UserColumns(str(files[0])), records_format(files[0].name)
    if kind != "text" and len(files) > 1:
        raise InvalidTestSet(f"{files[0]} has all columns in one file, but {files[1]} was given too: add one at a time")
    try:
        if kind in ("jsonl", "json"):
            _read_json(table, files[0], kind)
        elif kind != "text":
            _read_table(table, files[0], kind, columns)
        else:
            table.paths = _plain_files(files, labels)
        table.paths |= metadata or {}
        for name, path in table.paths.items():
            table.fields[name] = list(split_lines(table.text(path), strip="\r"))
    except (InputFileError, UndecodableText) as error:
        raise InvalidTestSet(f"cannot read {error}") from error
    except FileFormatError as error:
        raise InvalidTestSet(str(error)) from error
    _check(table)
    return table


def _read_json(table: UserColumns, path: Path, kind: str) -> None:
    records, unused, numbers = [], dict[str, None](), list[int]()
    table.numbers = numbers
    table.unit, values = json_values(table.text(path), kind, str(path), InvalidTestSet)
    for number, record in values:
        numbers.append(number)
        if not isinstance(record, dict):
            raise table.wrong(f"expected a JSON object, got {type(record).__name__}", -1)
        flat: dict[str, str | None] = {}
        given: dict[str, str] = {}  # which key a reference comes from
        for key, value in record.items():
            name = _column(key)
            if name is None:
                unused[key] = None
                continue
            if name == "ref" and isinstance(value, list):
                value = dict(enumerate(value))
            several = name == "ref" and isinstance(value, dict)
            texts = {f"ref:{label}": text for label, text in value.items()} if several else {name: value}
            for column, text in texts.items():
                if column in flat:
                    raise table.wrong(f"{key!r} gives {column!r} a second time", -1)
                flat[column] = str(text) if type(text) is int and column in METADATA else text
                if not isinstance(flat[column], str | None):
                    raise table.wrong(f"{key!r}: expected a string, got {type(text).__name__}", -1)
            if _is_reference(name):
                given.update((column, key) for column in texts)
        _refuse_two_ways(table, given)
        records.append(flat)
    records = _alike(records)
    names = dict.fromkeys(name for record in records for name in record)
    table.fields = {name: [record.get(name) for record in records] for name in names}
    _note_unused(table, unused)


def _refuse_two_ways(table: UserColumns, given: dict[str, str]) -> None:
    """Refuse a record with a reference and with a list of them: the first of the list is the same column."""
    numbered = next((key for column, key in given.items() if column.removeprefix("ref:").isdecimal()), None)
    if "ref" in given and numbered is not None:
        raise table.wrong(f"both {given['ref']!r} and {numbered!r} give references, expected one of the two", -1)


def _alike(records: list[dict[str, str | None]]) -> list[dict[str, str | None]]:
    """`{"ref": "a"}` and `{"refs": ["a"]}` mean the same; lists may differ in length."""
    names = {name for record in records for name in record if _is_reference(name)}
    if names == {"ref:0"}:
        old, new = "ref:0", "ref"
    elif all(name == "ref" or name.removeprefix("ref:").isdecimal() for name in names) and len(names) > 1:
        old, new = "ref", "ref:0"
    else:
        return records
    return [{new if name == old else name: text for name, text in record.items()} for record in records]


def _read_table(table: UserColumns, path: Path, kind: str, columns: Sequence[str] | None) -> None:
    lines = list(table_rows(table.text(path), kind, str(path)))
    table.numbers, rows = [number for number, _ in lines], [cells for _, cells in lines]
    first = {_column(name) for name in rows[0]} if rows else set()
    if columns is None:
        if "src" not in first:
            raise table.wrong(
                "expected a header with the columns src, ref (or ref:A, ref:B, ...), docid, domain, origlang; "
                f"got {rows[0][:4] if rows else 'an empty file'!r}. Name the columns with --columns if the file has no "
                "header",
                0 if rows else None,
            )
        columns, *rows = rows
        table.numbers = table.numbers[1:]
    elif {"src", "ref"} <= first:
        raise table.wrong("this is a header, but --columns says that there is none", 0)
    for number, row in enumerate(rows):
        if len(row) != len(columns):
            raise table.wrong(f"expected {number_of(len(columns), 'column')}, got {len(row)}", number)
    names = [_column(name) for name in columns]
    _note_unused(table, [name for name, known in zip(columns, names, strict=True) if known is None and name != "_"])
    for position, name in enumerate(_numbered(names)):
        if name is not None:
            if name in table.fields:
                raise table.wrong(f"the column {name!r} is there twice")
            table.fields[name] = [row[position] for row in rows]


def _plain_files(files: Sequence[Path], labels: Sequence[str] | None) -> dict[str, Path]:
    if len(files) < 2:
        raise InvalidTestSet(
            f"{files[0]}: a plain file has no references. Give the source and then the references "
            "(src.txt ref.txt ...), or one .jsonl, .json, .tsv or .csv file"
        )
    if labels is not None and not len(labels) == len(set(labels)) == len(files) - 1:
        raise InvalidTestSet(
            f"{number_of(len(labels), 'label')} for {number_of(len(files) - 1, 'reference')}: expected one label for "
            "each, all different"
        )
    names = _numbered(["ref"] * (len(files) - 1)) if labels is None else [f"ref:{label}" for label in labels]
    return dict(zip(["src", *map(str, names)], files, strict=True))


def _numbered(names: Sequence[str | None]) -> list[str | None]:
    """Several columns called `ref` are `ref:0`, `ref:1`, and so on."""
    if names.count("ref") < 2:
        return list(names)
    numbers = iter(range(len(names)))
    return [f"ref:{next(numbers)}" if name == "ref" else name for name in names]


def _note_unused(table: UserColumns, names: Iterable[str]) -> None:
    if names:
        table.notes.append(f"not used: {', '.join(names)}")


def _column(name: str) -> str | None:
    key, colon, label = name.partition(":")
    known = _NAMES.get(key.strip().lower())
    if colon:
        return f"ref:{label}" if known == "ref" else None
    return known


def _is_reference(name: str) -> bool:
    return name == "ref" or name.startswith("ref:")


def _check(table: UserColumns) -> None:
    references = sorted(table.references, key=_natural)
    if "src" not in table.fields:
        raise table.wrong("there is no source: expected a column or field src")
    if not references:
        raise table.wrong("there is no reference: expected a column or field ref, or ref:A, ref:B, ...")
    if "ref" in references and len(references) > 1:
        raise table.wrong(f"references must all have labels or none: got {', '.join(references)}")
    for name in references:
        label = name.partition(":")[2]
        if name != "ref" and (not label or any(c in label for c in "/\\\t\n\0:") or label.startswith(".")):
            raise table.wrong(f"{label!r} cannot be the label of a reference")
    if not table.segments:
        raise table.wrong("there are no segments")
    # Columns of one file have the same length.
    for name, path in table.paths.items():
        if len(table.fields[name]) != table.segments:
            raise InvalidTestSet(
                f"{path} has {number_of(len(table.fields[name]), 'line')}, {table.where} has {table.segments}; "
                f"expected as many. "
                "Is a line broken in two, or missing at the end?"
            )
    ordered = ["src", *references, *(name for name in METADATA if name in table.fields)]
    table.fields = {name: table.fields[name] for name in ordered}
    for name in ordered:
        _check_texts(table, name)
    _check_references(table)


def _natural(name: str) -> tuple[int, str]:
    """Sort numbers by value (`ref:10` after `ref:9`), and after them other labels by the alphabet."""
    label = name.partition(":")[2]
    return (int(label), "") if label.isdecimal() else (1 << 60, label)


def _check_texts(table: UserColumns, name: str) -> None:
    column = table.fields[name]
    for number, text in enumerate(column):
        if text is None and name == "src":
            raise table.wrong("there is no source", number)
        if "\n" in (text or "") or "\r" in (text or ""):
            raise table.wrong(f"{name} has a line break in it: expected one segment, in one line", number)
        if not is_text(text or "") or "\0" in (text or ""):
            raise table.wrong(f"{name} has a lone surrogate or a NUL in it, which text cannot have", number)
    if name in METADATA:
        table.fields[name] = [text or "" for text in column]
    elif name == "src" and (empty := sum(not (text or "").strip() for text in column)):
        table.notes.append(f"{number_of(empty, 'segment has', 'segments have')} an empty source")


def _check_references(table: UserColumns) -> None:
    """A reference without text counts as missing; each segment must have one with text."""
    for name in table.references:
        table.fields[name] = [text if (text or "").strip() else None for text in table.fields[name]]
    texts = zip(*(table.fields[name] for name in table.references), strict=True)
    empty = [number for number, references in enumerate(texts) if not any(references)]
    if empty:
        raise table.wrong(
            f"every reference is empty, here and in {number_of(len(empty) - 1, 'other segment')}; "
            "expected at least one with text for each segment",
            empty[0],
        )
    for name in table.references:
        if missing := table.fields[name].count(None):
            table.notes.append(f"{number_of(missing, 'segment has', 'segments have')} no {name}")
