"""Files with fields: which field is taken for what, and the texts of all segments.

In the wide form a record is a segment, and each system has a field. In the long form a record is a segment of one
system, which another field names. Fields that no flag names are recognised by their usual names, and a message says
which; where two fit, the flag has to say.
"""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Callable, Hashable, Mapping, Sequence, Set
from itertools import chain, zip_longest
from typing import Any, NamedTuple

from truebleu._counts import number_of
from truebleu._logs import inform, warn
from truebleu._shown import shown
from truebleu._textio import (
    ABSENT,
    COLUMNS_FORMATS,
    RECEIPT_ENDING,
    RECORDS_FORMATS,
    Records,
    content_size,
    decompress,
    decompressing,
    field_names,
    leaves,
    parse_records,
    read_record_batches,
    read_text,
    records_format,
    text_of,
    value_at,
)
from truebleu.cli.inputs import STDIN, RefStreams, Source, Stream, System, bytes_of_standard_input, columns_name
from truebleu.cli.main import UsageError
from truebleu.errors import (
    EmptyCorpus,
    FileFormatError,
    LengthMismatch,
    OptionError,
    SegmentWithoutReference,
    TruebleuError,
)

_LARGE = 1 << 25  # bytes from which on a file is not read whole to see its first record


class Role(NamedTuple):
    """What a field can be for: in words, the flag that names it, its usual names, and whether a value fits."""

    what: str
    flag: str
    names: str
    fits: Callable[[Any], bool]


def _is_text(value: object) -> bool:
    return isinstance(value, str | None)


def _are_texts(value: object) -> bool:
    return all(map(_is_text, value)) if isinstance(value, list) else _is_text(value)


def _is_key(value: object) -> bool:
    return isinstance(value, str | int | None)


HYPOTHESIS = Role(
    "hypotheses", "--hyp-field",
    "hypothesis hyp mt prediction pred output response target_text completion generation generated_text system_output "
    "model_output choices", _is_text,
)  # fmt: skip
REFERENCE = Role(
    "references", "--ref-field",
    "reference ref references refs target gold answer tgt ground_truth reference_text reference_translation",
    _are_texts,
)  # fmt: skip
SYSTEM = Role("systems", "--system-field", "system model system_name model_name system_id model_id", _is_key)
SOURCE = Role("sources", "--src-field", "source src input prompt source_text", _is_text)
DOCUMENT = Role("documents", "--doc-field", "doc document doc_id docid document_id", _is_key)
LABELS = Role(
    "labels", "--labels", "domain lang language lp langpair language_pair genre category topic origlang task", _is_key
)
# Names on the way to the text inside of a field, as in `response.choices.0.message.content`.
_TEXTS = frozenset({"text", "content", "message", "choices", "value", "0"})


class Roles(NamedTuple):
    """What fields are for, beside hypotheses and references."""

    system: str | None = None  # None: all records are of the same systems
    source: str | None = None
    document: str | None = None
    id: str | None = None  # None: segments are matched by their order
    labels: tuple[str, ...] = ()
    nulls: str = "error"
    taken: frozenset[str] = frozenset()  # fields that no flag named
    read: dict[Any, Any] | None = None  # what has been read, by path; standard input cannot be read again

    def fields(self, source: Source) -> Fields:
        """Give the files that have these fields."""
        return Fields(source)

    def are_inside(self, source: Source) -> bool:
        """Whether a text of a file of columns is inside another value, so that it is no column of its own."""
        names = [name for name in (*source.hypothesis_fields, *source.reference_fields) if "." in name]
        row = _first(source, source.references[0]) if names else {}
        return any(name not in row and value_at(row, name) is not ABSENT for name in names)


def placed(args: Namespace, paths: Sequence[str]) -> tuple[str, ...]:
    """Read addresses among paths, so that no message shows the query of one."""
    from truebleu.columns.places import Address, place_of

    found = tuple(map(place_of, paths))
    for path in found:
        kind = args.fields_format or records_format(path)
        if isinstance(path, Address) and kind not in (*COLUMNS_FORMATS, "text"):
            raise UsageError(f"{shown(path)} is of {kind}; only Parquet, Arrow IPC and Feather are read from addresses")
    return found


def has_records(source: Source, args: Namespace) -> bool:
    """Tell whether files without systems beside them have fields: their names say so, and of a table its header too."""
    if source.records_format == "text" or source.references_per_line != 1 or args.test_set is not None:
        return False
    if any(path.endswith(RECEIPT_ENDING) for path in source.references):
        return False
    kinds = {source.kind(path) for path in source.references}
    if source.records_format or args.by or kinds <= {*COLUMNS_FORMATS}:
        return True
    return len(source.references) == 1 and (bool(kinds & {"json", "jsonl"}) or _has_header(source.references[0]))


def _has_header(path: str) -> bool:
    """Tell whether the first line of a table names hypotheses and references; it may be a plain file of text."""
    kind = records_format(path)
    if kind not in ("tsv", "csv") or not os.path.isfile(path):
        return False
    try:
        with open(path, "rb") as file:
            line = (decompressing(file) or file).readline(1 << 16).decode("utf-8-sig", "replace")
    except (OSError, EOFError, ValueError, TruebleuError):
        return False
    cells = dict.fromkeys(cell.strip(' "\r\n') for cell in line.split("\t" if kind == "tsv" else ","))
    return all(_fitting(role, cells) for role in (HYPOTHESIS, REFERENCE))


def with_fields(source: Source, args: Namespace) -> Source:
    """Say what each field is for: what a flag says, or what its name says."""
    typed = Roles(args.system_field, args.src_field, args.doc_field, args.id_field, (), args.nulls or "error", read={})
    source, used = source._replace(roles=typed), {*(args.hyp_field or ()), *(args.ref_field or ()), *typed[:3]}
    own = [path for path in source.systems or () if path not in source.receipts]
    told: dict[Role, tuple[str, ...]] = {}
    if not source.hypothesis_fields:
        told[HYPOTHESIS] = _of_files(HYPOTHESIS, source, source.references if source.systems is None else own, used)
        source = source._replace(hypothesis_fields=told[HYPOTHESIS])
    if not source.reference_fields:
        told[REFERENCE] = _of_files(REFERENCE, source, source.references, used)
        source = source._replace(reference_fields=told[REFERENCE])
    if source.references and source.reference_fields and source.records_format != "text":
        row = _first(source, source.references[0])
        if source.systems is None and typed.system is None and len(source.hypothesis_fields) == 1:
            fitting = [name for name in _fitting(SYSTEM, row, used) if name not in source.by]
            # Where both texts are named and no system, all records are of one system, whatever else they have.
            if told:
                told[SYSTEM] = (_only(SYSTEM, source.references[0], fitting),) if fitting else ()
            elif fitting and not (args.totals_out or args.scores_out):
                inform("the field %r is not used; --system-field makes a system of each of its values", fitting[0])
        for role, known in ((SOURCE, typed.source), (DOCUMENT, typed.document)):
            fitting = _fitting(role, row, used)
            told[role] = tuple(fitting) if known is None and len(fitting) == 1 else ()
        told[LABELS] = tuple(_fitting(LABELS, row, used))
        source = source._replace(roles=_recognised(typed, told))
        _announce(source, args, told)
    return source


def _of_files(role: Role, source: Source, paths: Sequence[str], used: Set[Any]) -> tuple[str, ...]:
    """Find the field of files that should have one; those without fields are plain."""
    if not paths or any(source.kind(path) == "text" for path in paths):
        return ()
    return (needed(role, _first(source, paths[0]), paths[0], used),)


def _recognised(typed: Roles, told: Mapping[Role, tuple[str, ...]]) -> Roles:
    """Say what fields are for that there need not be."""
    names = [(*told.get(role, ()), None)[0] for role in (SYSTEM, SOURCE, DOCUMENT)]
    system, source, document = (ours or theirs for ours, theirs in zip(typed[:3], names, strict=True))
    taken = frozenset(one for role in (SYSTEM, SOURCE, DOCUMENT, LABELS) for one in told.get(role, ()))
    return typed._replace(system=system, source=source, document=document, labels=told[LABELS], taken=taken)


def _announce(source: Source, args: Namespace, told: dict[Role, tuple[str, ...]]) -> None:
    """Say on one line which fields were taken for what, as far as it matters to the command."""
    is_study = hasattr(args, "labels")
    # sacreBLEU's tests draw segments, unless documents are asked for.
    is_drawn = is_study or hasattr(args, "by_document") or args.paired_all or args.confidence or args.text_level
    is_drawn = is_drawn or args.resegment or args.paired not in (None, "bs", "ar")
    if args.doc_field and not (is_drawn or args.paired or args.paired_bs or args.paired_ar):
        warn("--doc-field has no effect: it is for paired tests, intervals, --resegment and --level")
    matters = {
        SOURCE: is_study or hasattr(args, "sources"),
        DOCUMENT: is_drawn and args.docids is None and args.unit != "segment",
        LABELS: is_study and not args.labels,
    }  # fmt: skip
    said = {role: names for role, names in told.items() if names and matters.get(role, True)}
    if said:
        listed = ", ".join(f"{role.what} {' '.join(map(repr, names))} ({role.flag})" for role, names in said.items())
        inform("%s: fields taken by their names: %s", shown(source.references[0]), shown(listed, 600))


def _fitting(role: Role, row: Mapping[str, Any], used: Set[Any] = frozenset()) -> list[str]:
    """Give the fields with a usual name; if there are none, those inside that hold the text of such a field."""
    usual = role.names.split()
    fits = (name for name, value in row.items() if name not in used and role.fits(value))
    if found := [name for name in fits if _plain(name) in usual]:
        return found
    inside = ((path, path.split(".")) for path in leaves(row) if "." in path and path not in used)
    usually = (
        path for path, (first, *rest) in inside if _plain(first) in usual and _TEXTS.issuperset(map(_plain, rest))
    )
    return [path for path in usually if role.fits(value_at(row, path))]


def _plain(name: str) -> str:
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def needed(role: Role, row: Mapping[str, Any], path: str, used: Set[Any] = frozenset()) -> str:
    """Find a field that there must be."""
    fitting = _fitting(role, row, used)
    if not fitting:
        some = ", ".join(role.names.split()[:4])
        raise UsageError(
            f"{shown(path)}: no field has a usual name of {role.what} ({some}, ...); name it with {role.flag}. "
            f"The fields are {field_names(row)}"
        )
    return _only(role, path, fitting)


def _only(role: Role, path: str, fitting: list[str]) -> str:
    """Take the only field that fits; two that fit are a mistake."""
    if len(fitting) > 1:
        both = " and ".join(shown(repr(name)) for name in fitting)
        raise UsageError(f"{shown(path)}: {both} are usual names of {role.what}; say which with {role.flag}")
    return fitting[0]


def _first(source: Source, path: str) -> Mapping[str, Any]:
    """Give the first record; a file of some size is not read further, and none is read twice."""
    fields = Fields(source)
    found: Mapping[str, Any] = fields.known(("first", path), lambda: _read_first(fields, source.kind(path), path))
    return found


def _read_first(fields: Fields, kind: str, path: str) -> Mapping[str, Any]:
    if kind in COLUMNS_FORMATS:
        from truebleu.columns.parquet import file_batches
        from truebleu.columns.places import expand

        batch = next(iter(file_batches(expand(path)[0])))
        return dict((batch.slice(0, 1).to_pylist() or [dict.fromkeys(batch.schema.names)])[0])
    if kind in ("json", "jsonl") and os.path.isfile(path) and content_size(path) >= _LARGE:
        try:
            row: dict[str, Any] = next(read_record_batches(path, fields.source.encodings[path])).rows[0]
            return row
        except (TruebleuError, OSError, EOFError, ValueError, StopIteration):
            pass  # it is read as usual, which gives the message
    return fields.records(path).rows[0]


class Fields:
    """The texts of files with fields, each of which is read once."""

    def __init__(self, source: Source) -> None:
        assert source.roles is not None and source.roles.read is not None
        self.source, self.roles, self._known = source, source.roles, source.roles.read
        self._ids: tuple[list[Any], str] | None = None  # of all segments in their order, and where they are from

    def records(self, path: str) -> Records:
        """Read a file."""
        found: Records = self.known(path, lambda: self._read_records(path))
        return found

    def known(self, what: Hashable, read: Callable[[], Any]) -> Any:
        """Give what has been read before, or read it."""
        if what not in self._known:
            self._known[what] = read()
        return self._known[what]

    def _read_records(self, path: str) -> Records:
        kind, encoding = self.source.kind(path), self.source.encodings[path]
        if kind in COLUMNS_FORMATS:
            return self._columns(path)
        if kind == "text":
            raise UsageError(
                f"{shown(path)} should have fields, but its name does not show its format: name it with "
                f"--fields-format {', '.join(RECORDS_FORMATS[:-1])} or {RECORDS_FORMATS[-1]}"
            )
        if path != STDIN:
            return parse_records(read_text(path, encoding), kind, shown(path))
        content = decompress(bytes_of_standard_input("records", "a name reads a file"), STDIN)
        from truebleu.columns.parquet import file_batches, is_columns

        if is_columns(content) or self.source.records_format in COLUMNS_FORMATS:
            rows = [row for batch in file_batches(content) for row in batch.to_pylist()]
            if not rows:
                raise EmptyCorpus(f"{STDIN} has no rows")
            return Records(STDIN, rows, range(len(rows)), "row")
        return parse_records(text_of(content, encoding, STDIN), kind, shown(path))

    def systems(self, path: str, file: str = "", name: str = "") -> list[System]:
        """Read the systems of a file; those of a file of their own have its name."""
        fields, found = self.source.hypothesis_fields, []
        records = self.records(path)
        texts = {field: self.hypotheses(records, field) for field in fields}
        for who, places in self._segments(path).items():
            for field in fields:
                is_shown = len(fields) > 1 or not (file or who)
                parts = [part for part in (who, field if is_shown else "") if part]
                segments: list[Any] = [texts[field][at] for at in places]
                names = (":".join(part for part in (first, *parts) if part) for first in (name, file))
                found.append(System(next(names), segments, next(names)))
        return found

    def references(self) -> RefStreams:
        """Read all reference streams."""
        source, parts = self.source, []
        for path in source.references[: 1 if source.has_columns else None]:
            records, groups = self.records(path), self._segments(path)
            lists = self.reference_lists(records)
            first, *_ = groups.values()
            _require_same(records, groups, lists)
            streams: list[Stream] = list(zip_longest(*(lists[at] for at in first)))
            if not streams:
                fields = ", ".join(source.reference_fields)
                raise OptionError(f"{records.path}: the fields {fields} have no reference at all")
            parts.append(RefStreams(streams, [f"{records.path}, reference {k + 1}" for k in range(len(streams))]))
        found = RefStreams([s for part in parts for s in part.streams], [n for part in parts for n in part.names])
        empty = next((at for at, texts in enumerate(zip(*found.streams, strict=False)) if set(texts) == {None}), None)
        if empty is not None and self.roles.nulls != "skip":
            records, groups = self.records(source.references[0]), self._segments(source.references[0])
            raise SegmentWithoutReference(
                f"{records.place(next(iter(groups.values()))[empty])}: there is no reference, expected at least one "
                "that is not null; --nulls skip leaves such segments out"
            )
        return found

    def hypotheses(self, records: Records, field: str) -> list[str | None]:
        """Take the texts of a field; None are those of segments to leave out."""
        texts = records.texts(field, self.roles.nulls)
        return ["" if text is None else text for text in texts] if self.roles.nulls == "empty" else texts

    def reference_lists(self, records: Records) -> list[list[str | None]]:
        """Take the references of each record, of all fields."""
        columns = [records.lists(name) for name in self.source.reference_fields]
        return [list(chain.from_iterable(lists)) for lists in zip(*columns, strict=True)]

    def systems_of(self, records: Records) -> list[str]:
        """Take the name of the system of each record; "" if it is not a field that names them."""
        if self.roles.system is None:
            return [""] * len(records.rows)
        names = ["" if one is None else str(one) for one in records.keys(self.roles.system)]
        if "" in names:
            what = f"the field {self.roles.system!r} is null or empty, expected the name of a system"
            raise FileFormatError(f"{records.place(names.index(''))}: {what}")
        return names

    def keys(self, *fields: str) -> list[tuple[Any, ...]]:
        """Take the values of fields that groups are made of, for each segment."""
        records, places = self._beside(*fields)
        rows = list(zip(*(records.keys(field) for field in fields), strict=True))
        return [rows[at] for at in places]

    def texts(self, field: str) -> list[str] | None:
        """Take the texts of a field that is neither hypothesis nor reference; None if not all records have one."""
        records, places = self._beside(field)
        texts = self._if_whole("texts", field, lambda: records.texts(field, self.roles.nulls))
        return None if texts is None else [texts[at] or "" for at in places]

    def labels(self, field: str) -> list[str] | None:
        """Take the values of a field as texts; None if it was recognised and not all records have it."""
        found: list[str] | None = self._if_whole("labels", field, lambda: self.labels_of(field))
        return found

    def labels_of(self, field: str) -> list[str]:
        """Take the values of a field as texts."""
        return ["(null)" if key is None else str(key) for (key,) in self.keys(field)]

    def _if_whole(self, what: str, field: str, take: Callable[[], Any]) -> Any:
        """Take a field; one that only its name spoke for may be missing somewhere, and then it is not used."""

        def taken() -> Any:
            try:
                return take()
            except FileFormatError as error:
                if field not in self.roles.taken:
                    raise
                inform("the field %r is not used: %s", field, error)
                return None

        return self.known((what, field), taken)

    def _beside(self, *fields: str) -> tuple[Records, list[int]]:
        """The file of the references, and the record of each segment; of a file of columns only these fields."""
        path = self.source.references[0]
        is_of_columns, places = self.source.kind(path) in COLUMNS_FORMATS, next(iter(self._segments(path).values()))
        return self._columns(path, fields) if is_of_columns else self.records(path), places

    def _segments(self, path: str) -> dict[str, list[int]]:
        """The record of each segment, for each system; in the wide form there is one group, called ""."""
        records, groups = self.records(path), dict[str, list[int]]()
        for at, name in enumerate(self.systems_of(records)):
            groups.setdefault(name, []).append(at)
        if self.roles.id is not None:
            return {name: self._in_order(records, name, places) for name, places in groups.items()}
        first, *others = groups
        for name in others:
            if len(groups[name]) != len(groups[first]):
                ours, theirs = (number_of(len(groups[one]), "record") for one in (name, first))
                raise LengthMismatch(
                    f"{records.path}: the system {shown(repr(name))} has {ours}, {shown(repr(first))} has {theirs}; "
                    f"--id-field tells which are missing, and --by {self.roles.system} gives each its own score"
                )
        return groups

    def _in_order(self, records: Records, name: str, places: list[int]) -> list[int]:
        """Put the records of a system into the order of those that were read first, by their ids."""
        ids, by_id = records.keys(self.roles.id or ""), dict[Any, int]()
        who = f"{records.path}: the system {shown(repr(name))}" if name else records.path
        for at in places:
            if ids[at] in by_id or ids[at] is None:
                twice = "" if ids[at] is None else f", which {records.unit} {records.numbers[by_id[ids[at]]]} has too"
                raise FileFormatError(
                    f"{records.place(at)}: the id {ids[at]!r} of {shown(repr(name)) if name else 'a segment'} "
                    f"{'is null' if ids[at] is None else 'is there twice'}{twice}"
                )
            by_id[ids[at]] = at
        self._ids = self._ids or ([*by_id], who)
        order, whose = self._ids
        known = set(order)
        for one in [*(one for one in order if one not in by_id), *(one for one in by_id if one not in known)][:1]:
            lacks, has = (who, whose) if one in known else (whose, who)
            raise FileFormatError(f"{lacks} has no segment with the id {shown(repr(one))}, which {has} has")
        return [by_id[one] for one in order]

    def _columns(self, path: str, only: Sequence[str] = ()) -> Records:
        """Read files of columns into memory, one after the other, where rows are asked for."""
        from truebleu.columns.parquet import file_batches, file_schema
        from truebleu.columns.places import expand
        from truebleu.columns.schema import Layout

        source, roles = self.source, self.roles
        is_reference = path in source.references
        files = expand(source.references if source.has_columns and path == source.references[0] else path)
        systems = source.hypothesis_fields if source.systems is None or path in source.systems else ()
        beside = (*source.reference_fields, *source.by) if is_reference else ()
        fields = only or [one for one in dict.fromkeys((*systems, *beside, roles.system, roles.id)) if one]
        rows: list[dict[str, Any]] = []
        for file in files:
            there = file_schema(file).names
            needed = [one if one in there else one.partition(".")[0] for one in fields]
            for one in needed:
                Layout(one, one).check(there)
            needed = list(dict.fromkeys(needed))
            found = [row for batch in file_batches(file, needed) for row in batch.select(needed).to_pylist()]
            part = Records(shown(file), found, range(len(found)), "row")
            for field in () if only else fields:
                if field in source.hypothesis_fields:
                    part.texts(field, roles.nulls)
                if field in source.reference_fields:
                    part.lists(field)
            rows += found
        if not rows:
            raise EmptyCorpus(f"{shown(files[0])} has no rows")
        return Records(columns_name(files), rows, range(len(rows)), "row")


def _require_same(records: Records, groups: Mapping[str, list[int]], lists: list[list[str | None]]) -> None:
    """Raise unless all systems have the same references, segment by segment."""
    whose, first = next(iter(groups.items()))
    for who, places in groups.items():
        odd = next((at for at, one in enumerate(places) if lists[one] != lists[first[at]]), None)
        if odd is not None:
            raise FileFormatError(
                f"{records.place(places[odd])}: segment {odd + 1} of the system {shown(repr(who))} has other "
                f"references than that of {shown(repr(whose))} ({records.unit} {records.numbers[first[odd]]}); "
                "--id-field matches segments by a field"
            )
