"""From files and standard input to reference streams and named systems.

Files hold one segment per line, ended by line feeds alone. Standard input ends lines as universal newlines do and
may hold several systems, separated by tabs. Both are sacreBLEU's ways. With named fields, files hold JSON objects or a
table with a header; a file whose format is not clear is refused.
"""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from truebleu._counts import number_of
from truebleu._logs import inform, warn
from truebleu._records import NamedTuple
from truebleu._shown import nearest, shown
from truebleu._textio import COLUMNS_FORMATS, read_lines, read_text, records_format, split_lines, text_of
from truebleu._typing import TYPE_CHECKING, Any
from truebleu.cli.main import UsageError
from truebleu.errors import EmptyCorpus, FileFormatError, InputFileError, LengthMismatch

if TYPE_CHECKING:
    from truebleu.cli.fields import Fields, Roles

STDIN = "standard input"

Stream = Sequence[str | None]
Key = tuple[Any, ...]


class System(NamedTuple):
    """A system's output. `name` is what people read; `path` tells a program where it is from, if there is a file."""

    name: str
    segments: list[str]
    path: str
    receipt: Any = None  # what stands for the segments, if it is a receipt that was given

    @property
    def size(self) -> int:
        """How many segments the system has, or rows its receipt."""
        return len(self.segments if self.receipt is None else self.receipt)


class RefStreams(NamedTuple):
    """Reference streams, and where each comes from."""

    streams: list[Stream]
    names: list[str]


class Source(NamedTuple):
    """What the flags say about input."""

    references: tuple[str, ...]
    systems: tuple[str, ...] | None  # None: standard input
    references_per_line: int
    encodings: Mapping[str, str]  # by the paths of files
    hypothesis_fields: tuple[str, ...]
    reference_fields: tuple[str, ...]
    records_format: str | None
    by: tuple[str, ...] = ()
    receipts: Mapping[str, Any] = {}  # by their paths, those of the systems that are given so
    roles: Roles | None = None  # what other fields are for, where input has fields

    def kind(self, path: str) -> str:
        """What a file with fields holds; of standard input the first bytes say whether it has columns."""
        if path == STDIN:
            return "json" if self.records_format in (None, *COLUMNS_FORMATS) else self.records_format
        kind = self.records_format or records_format(path)
        if kind != "text":
            return kind
        # A folder cannot be text, so it is one of files of columns, and so is an address.
        is_place = kind == "text" != self.records_format and (
            "://" in path or (not self.systems and os.path.isdir(path))
        )
        return COLUMNS_FORMATS[0] if is_place else kind

    @property
    def has_texts(self) -> bool:
        """Whether the texts of some system are read, so that references are needed."""
        return not self.receipts or len(self.receipts) < len(set(self.systems or ()))

    @property
    def has_columns(self) -> bool:
        """Whether the references are in files of columns, such as Parquet, which follow each other."""
        has_fields = self.hypothesis_fields or self.reference_fields
        return bool(has_fields and self.references) and self.kind(self.references[0]) in COLUMNS_FORMATS


class Reader:
    """Reads what a `Source` names; a file with fields is read once, though references and systems may both be in it."""

    def __init__(
        self,
        source: Source,
        known: Mapping[str, list[str]] | None = None,
        contents: Mapping[str, bytes] | None = None,
    ) -> None:
        self._source = source
        self._known = known or {}
        self._contents = contents or {}

    @cached_property
    def fields(self) -> Fields:
        """The files with fields."""
        assert self._source.roles is not None
        return self._source.roles.fields(self._source)

    def references(self) -> RefStreams:
        """Read all reference streams."""
        source = self._source
        if source.references_per_line != 1:
            path, count = source.references[0], source.references_per_line
            return _tab_separated_references(path, count, self._lines(path))
        if source.reference_fields:
            return self.fields.references()
        return RefStreams([self._lines(path, "--ref-field") for path in source.references], [*source.references])

    def systems(self) -> list[System]:
        """Read all systems."""
        source = self._source
        if source.systems is not None:
            names = short_names(source.systems)
            return [system for path in source.systems for system in self._systems_in(path, names[path])]
        if source.hypothesis_fields:
            # Beside their references, or, where these come from a test set, on standard input.
            return self.fields.systems(source.references[0] if source.references else STDIN)
        return _systems_from_stdin(source, self._contents.get(STDIN))

    def _systems_in(self, path: str, name: str) -> list[System]:
        if path in self._source.receipts:
            return [System(name, [], path, self._source.receipts[path])]
        # A system that comes with the test set, unless there is a file of that name.
        if path in self._known and not os.path.exists(path):
            return [System(path, self._known[path], path)]
        if self._source.hypothesis_fields:
            return self.fields.systems(path, path, name)
        if path == STDIN:
            return _systems_from_stdin(self._source, self._contents.get(STDIN))
        if self._known and not os.path.exists(path):
            near, there = nearest(path, self._known), shown(", ".join(self._known))
            hint = f"did you mean {shown(near[0])}?" if near else f"those of the test set are {there}"
            raise InputFileError(f"{shown(path)}: there is no such file, and no such system; {hint}")
        return [System(name, self._lines(path, "--hyp-field"), path)]

    def _lines(self, path: str, flag: str = "") -> list[str]:
        """Read a plain file; `flag` is what names its fields, if it may have been meant to have any."""
        source = self._source
        if flag and records_format(path) != "text" != source.records_format:
            warn_of_name(path, f"{flag} can name its fields, and --fields-format text says that it is plain")
        lines = split_lines(read_text(path, source.encodings[path], content=self._contents.get(path)))
        if not lines:
            raise empty_file(path)
        return lines


def warn_of_name(path: str, advice: str) -> None:
    """Warn of a file that is read as plain text though its name says that it has fields."""
    kind = records_format(path)
    if kind != "text":
        message = "%s is read as plain text, one segment per line, though its name says %s; %s"
        warn(message, shown(path), kind, advice)


# The encodings of files of which nothing is said.
UTF_8: Mapping[str, str] = defaultdict(lambda: "utf-8")


def encodings_of(given: Sequence[str], **sides: Iterable[str | None]) -> Mapping[str, str]:
    """Tell the encoding of each file by its path, as `--encoding` does: `NAME` is for all, `FILE=NAME` for one.

    `ref`, `sys` and `src` stand for all files of a side, unless a file has this very name.
    """
    named = {side: [path for path in paths if path] for side, paths in sides.items()}
    groups = {side: paths for side, paths in named.items() if paths}
    files = {path: [path] for paths in named.values() for path in paths}
    usual = [text for text in ("utf-8", *given) if "=" not in text][-1]
    found: defaultdict[str, str] = defaultdict(lambda: usual)
    pairs = [(which, name) for which, equals, name in (text.rpartition("=") for text in given) if equals]
    # What is said of one file counts more than what is said of its side.
    for which, name in sorted(pairs, key=lambda pair: pair[0] in files):
        paths = files.get(which) or groups.get(which)
        if paths is None:
            there = shown(", ".join((*groups, *files)), 400)
            raise UsageError(f"--encoding {shown(which)}={name} is about no file of this command; expected {there}")
        found.update(dict.fromkeys(paths, name))
    return found


def key_label(names: Sequence[str], key: Key) -> str:
    """Name a group for people: by its value, or by names and values where several make a key.

    Examples
    --------
    >>> key_label(["lang"], ("de",)), key_label(["system", "lang"], ("new", None))
    ('de', 'system=new lang=(null)')
    """
    values = ["(null)" if value is None else str(value) for value in key]
    if len(names) == 1:
        return values[0]
    return " ".join(f"{name}={value}" for name, value in zip(names, values, strict=True))


def short_names(paths: Sequence[str]) -> dict[str, str]:
    """Name files for people: by the last part of their paths, and by more of it where two end alike.

    Examples
    --------
    >>> short_names(["runs/a/out.txt", "runs/b/out.txt", "runs/new.txt.gz"])
    {'runs/a/out.txt': 'a/out.txt', 'runs/b/out.txt': 'b/out.txt', 'runs/new.txt.gz': 'new.txt.gz'}
    """
    parts = {path: path.replace(os.sep, "/").split("/") for path in paths}
    names = {}
    for path, mine in parts.items():
        size = next(
            (n for n in range(1, len(mine)) if all(path == other or mine[-n:] != parts[other][-n:] for other in parts)),
            len(mine),
        )
        names[path] = "/".join(mine[-size:])
    return names


def trimmed(names: list[str]) -> list[str]:
    """Take from names what they all begin and end with, up to a dot or a slash.

    >>> trimmed(["wmt.en-de.hyp.Online-B.txt", "wmt.en-de.hyp.Online-Y.txt"]), trimmed(["a.txt", "a.b.txt"])
    (['Online-B', 'Online-Y'], ['a', 'a.b'])
    """
    if len(names) < 2:
        return names
    import re

    parts = [re.split(r"([./])", name) for name in names]
    for side in (-1, 0):
        while all(len(one) > 2 for one in parts) and len({one[side] for one in parts}) == 1:
            parts = [one[:-2] if side else one[2:] for one in parts]
    cut = ["".join(one) for one in parts]
    return cut if all(cut) and len(set(cut)) == len(set(names)) else names


def read_labels(path: str, segments: int, encoding: str = "utf-8") -> list[str]:
    """Read a label, or another text, for each segment, one per line."""
    labels = read_lines(path, encoding)
    if len(labels) != segments:
        raise LengthMismatch(
            f"{shown(path)} has {number_of(len(labels), 'line')}, the systems have {number_of(segments, 'segment')}"
        )
    return labels


def check_lengths(system: System, references: RefStreams) -> None:
    """Raise LengthMismatch unless all references have as many segments as the system."""
    for stream, name in zip(references.streams, references.names, strict=True):
        ours, theirs = len(system.segments), len(stream)
        if ours != theirs:
            from truebleu.drift import drift

            surplus = system.segments[theirs:] if ours > theirs else stream[ours:]
            is_blank = not any(surplus)
            where = "" if is_blank else drift(system.segments, stream)
            raise LengthMismatch(length_mismatch(system.path, ours, name, theirs, is_blank, where))


def length_mismatch(path: str, ours: int, name: str, theirs: int, is_blank: bool, drift: str = "") -> str:
    """Say that a system and a reference have different numbers of lines."""
    path, name = shown(path), shown(name)
    message = f"{path} has {number_of(ours, 'line')}, the reference {name} has {theirs}{drift}"
    if not is_blank:
        end = " Or," if drift.endswith("?") else ";"
        return f"{message}{end} if the lines of the system need not match, --resegment aligns them"
    surplus = abs(ours - theirs)
    lines = "line is blank: remove it" if surplus == 1 else f"{surplus} lines are blank: remove them"
    return f"{message}. The last {lines} from {path if ours > theirs else name}"


def empty_file(path: str) -> EmptyCorpus:
    """What to raise for a file without lines."""
    return EmptyCorpus(f"{shown(path)} is empty, expected one segment per line")


def _tab_separated_references(path: str, count: int, lines: list[str]) -> RefStreams:
    columns = []
    for number, line in enumerate(lines, 1):
        fields = line.split("\t", count - 1)
        if len(fields) != count:
            raise FileFormatError(
                f"{shown(path)}, line {number}: found {number_of(len(fields), 'reference')}, expected {count}, "
                f"separated "
                "by tabs. An empty last reference cannot be written this way; JSONL with --ref-field can"
            )
        columns.append(fields)
    return RefStreams(list(zip(*columns, strict=True)), [f"{path}, column {k + 1}" for k in range(count)])


def columns_name(files: Sequence[str]) -> str:
    """Name files of columns that follow each other."""
    return (
        shown(files[0])
        if len(files) == 1
        else f"{shown(files[0])} and the {number_of(len(files) - 1, 'file')} after it"
    )


def read_standard_input(encoding: str, expected: str, advice: str) -> str:
    """Read the text of standard input to its end."""
    return text_of(bytes_of_standard_input(expected, advice), encoding, STDIN)


def bytes_of_standard_input(expected: str, advice: str) -> bytes:
    """Read standard input to its end; where it is a keyboard, say so first."""
    if sys.stdin is None:
        raise InputFileError(f"{STDIN} is closed, expected {expected.rstrip(',')}; {advice}")
    if sys.stdin.isatty():
        inform("reading %s from the keyboard; Ctrl-D ends it, %s", expected, advice)
    return sys.stdin.buffer.read()


def _systems_from_stdin(source: Source, content: bytes | None) -> list[System]:
    # Who leaves out -i gives the system as a reference.
    last = source.references[-1:] if len(source.references) > 1 else ()
    advice = f"-i reads a file, as in '-i {shown(last[0])}'" if last else "-i reads a file"
    encoding = source.encodings[STDIN]
    if content is None:
        text = read_standard_input(encoding, "the system, one segment per line,", advice)
    else:
        text = text_of(content, encoding, STDIN)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text:
        hint = f" {shown(last[0])} was taken as a reference: write -i before it if it is the system" if last else ""
        raise EmptyCorpus(f"{STDIN} is empty, expected one segment per line (or use -i FILE){'.' * bool(last)}{hint}")
    rows = [line.split("\t") for line in split_lines(text)]
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise other_systems(number, len(row), len(rows[0]))
    columns = [list(column) for column in zip(*rows, strict=True)]
    names = [STDIN] if len(columns) == 1 else [f"System {number}" for number in range(1, len(columns) + 1)]
    return [System(name, column, name) for name, column in zip(names, columns, strict=True)]


def other_systems(line: int, found: int, expected: int) -> FileFormatError:
    """What to raise for a line of standard input that has not as many systems as the first."""
    return FileFormatError(
        f"{STDIN}, line {line}: found {number_of(found, 'system')}, expected {expected} as in line 1. A tab begins the "
        "output of another system; use -i FILE for text with tabs"
    )
