"""The text of a test set's pairs: fetched, read by its format, and kept in the cache as one file for each field.

`store` does everything that needs the network or the cache; this module says which files are needed. Raw files have
sacreBLEU's names and places, so an existing cache of sacreBLEU can be used. Its text files are not used, because
nothing shows whether they are complete. Our text files are in a folder for each pair and each state of its raw files,
verified whenever it is opened::

    <cache>/wmt22/raw/wmt22.v1.1.tar.gz
    <cache>/wmt22/text/en-de/0123456789abcdef/wmt22.en-de.src
"""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from truebleu import store
from truebleu._counts import number_of
from truebleu._textio import decompress
from truebleu.dataset import formats, registry
from truebleu.dataset.formats import PairFields
from truebleu.dataset.registry import Definition, File, Pair, remote_file
from truebleu.errors import DownloadError, InputFileError, InvalidTestSet, UnknownField

INDEX = "fields.json"
# Far more than any test set; a larger file was made to fill the memory.
LARGEST = 2**30


class PairText:
    """The columns of one pair of a test set, in memory or in the cache."""

    def __init__(self, definition: Definition, pair: Pair) -> None:
        self.definition = definition
        self.pair = pair
        self._columns: PairFields | None = None
        self._folder: Path | None = None
        self._index: dict[str, Any] = {}
        if is_local(definition):
            self._columns = _read(definition, pair)
        else:
            self._open(lambda: _read(definition, pair))

    @property
    def name(self) -> str:
        """The names of the set and of the pair, for messages."""
        return f"{self.definition.name} {self.pair.name}"

    @property
    def fields(self) -> list[str]:
        """The names of the fields, in order."""
        return list(self._columns.fields if self._columns else self._index["fields"])

    @property
    def references(self) -> list[str]:
        """The names of the fields that are references."""
        systems = set(self.systems)
        return [name for name in self.fields if (name == "ref" or name.startswith("ref:")) and name not in systems]

    @property
    def usual_there(self) -> list[str]:
        """The references that scores are usually computed with, without labels that the file does not have."""
        wanted = self.pair.default_refs
        return self.references if wanted is None else [field for field in wanted if field in self.references]

    def usual_references(self) -> list[str]:
        """Name the references that scores are computed with; it is an error if the file lacks all of them."""
        if not self.usual_there:
            raise UnknownField(
                f"{self.name} has none of its usual references "
                f"({', '.join(self.pair.default_refs or ())}), only {', '.join(self.references)}; choose with refs"
            )
        return self.usual_there

    @property
    def systems(self) -> list[str]:
        """The names of the fields that are system outputs."""
        return list(self._columns.systems if self._columns else self._index["systems"])

    def lines(self, field: str) -> list[str]:
        """The lines of a field."""
        if self._columns:
            return self._columns.fields[field]
        lines = self._lines(self._index["fields"][field])
        return list(map(_unescaped, lines)) if field in self._index.get("escaped", ()) else lines

    def filter_column(self, name: str) -> list[str] | None:
        """The column by which segments are selected, or None if there is no such column."""
        if self._columns:
            column = self._columns.filters.get(name)
        else:
            file = self._index["filters"].get(name)
            column = None if file is None else self._lines(file)
        if column is None and self.definition.format != "iwslt-xml" and name in self.fields:
            return self.lines(name)
        return column

    def path(self, field: str) -> Path:
        """The file of a field; text from local files is first written into one."""
        if self._folder is None:
            columns = self._columns
            assert columns is not None  # One of the two is set from the beginning.
            self._open(lambda: columns)
        assert self._folder is not None
        filename: str = self._index["fields"][field]
        return self._folder / filename

    def _open(self, columns: Callable[[], PairFields]) -> None:
        import json

        stem = f"{self.definition.file_stem}.{self.pair.name}."
        folder = f"{self.definition.name}/text/{self.pair.name}"
        version = _version(self.definition, self.pair, self._columns)
        self._folder = store.built(folder, (INDEX,), lambda part: _write(columns(), stem, part), version)
        self._index = json.loads((self._folder / INDEX).read_bytes())

    def _lines(self, filename: str) -> list[str]:
        assert self._folder is not None
        return formats.columns.lines_of((self._folder / filename).read_bytes(), filename)


def pair_texts_of(names: str, pair: str) -> list[PairText]:
    """Open the text of one language pair of several test sets."""
    definitions = [registry.definition(name) for name in registry.split(names)]
    pairs = [definition.pair(pair) for definition in definitions]
    return [PairText(definition, one) for definition, one in zip(definitions, pairs, strict=True)]


def is_local(definition: Definition) -> bool:
    """Whether a set is made of local files, which need no place in the cache."""
    return all(file.path is not None for file in definition.files)


def fields_of(definition: Definition, pair: Pair) -> list[str]:
    """Name the fields of a pair; if only the data have this information, the set is downloaded."""
    known = formats.format_of(definition).fields(definition, pair)
    return PairText(definition, pair).fields if known is None else known


def fields_here(definition: Definition, pair: Pair) -> list[str] | None:
    """Name the fields of a pair without the network; None if only data that are not cached have this information."""
    with store.offline():
        try:
            return fields_of(definition, pair)
        except DownloadError:
            return None


# --- from files to columns ----------------------------------------------------------------------


def _read(definition: Definition, pair: Pair) -> PairFields:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="truebleu-") as folder:
        members = _members(definition, pair, Path(folder))
        columns = formats.format_of(definition).read(definition, pair, members.__getitem__)
    # Published sets that do not say how long they are may have columns of different lengths, as in sacreBLEU.
    if definition.lines is not None or is_local(definition):
        expected = definition.lines if definition.lines is not None else len(columns.fields["src"])
        for field, column in columns.fields.items():
            if len(column) != expected:
                raise InvalidTestSet(
                    f"{definition.name} {pair.name}: the field {field!r} has "
                    f"{number_of(len(column), 'line')}, expected {expected}"
                )
    return columns


def _members(definition: Definition, pair: Pair, folder: Path) -> dict[str, bytes]:
    """The contents of all members of a pair; only the files that have them are fetched."""
    by_file: dict[File, list[str]] = {}
    for name in _member_names(definition, pair):
        by_file.setdefault(_file_of(definition, name), []).append(name)
    contents = {}
    for number, (file, names) in enumerate(by_file.items()):
        for name, content in _contents(definition, file, names, folder / str(number)).items():
            contents[name] = _gunzipped(content, name) if name.endswith(".gz") else content
    return contents


def _member_names(definition: Definition, pair: Pair) -> list[str]:
    others = (*pair.metadata.values(), *pair.systems.values(), *pair.sources.values(), *filter(None, (pair.drop,)))
    names = dict.fromkeys((*pair.members, *others))
    if definition.format == "tsv":
        return list(dict.fromkeys(name.partition(":")[2] or name for name in names))
    return list(names)


def _file_of(definition: Definition, name: str) -> File:
    for file in definition.files:
        if name == file.basename or name == definition.raw_name(file):
            return file
    for file in definition.files:
        if store.is_archive(file.basename) and name.startswith(file.holds or ""):
            return file
    raise InvalidTestSet(f"{definition.name}: no file of the set can have the member {name!r}")


def _contents(definition: Definition, file: File, names: list[str], folder: Path) -> dict[str, bytes]:
    if file.package:
        from importlib.resources import files

        return dict.fromkeys(names, files(file.package).joinpath(file.basename).read_bytes())
    copy = _verified(definition, file) if file.path is not None else store.fetch(remote_file(definition, file))
    if not store.is_archive(file.basename):
        return dict.fromkeys(names, copy.read_bytes())
    store.unpack(copy, folder, names)
    return {name: (folder / name).read_bytes() for name in names}


def _verified(definition: Definition, file: File) -> Path:
    path = Path(str(file.path))
    try:
        problem = store.digest_problem(path, file.sha256, file.md5)
    except OSError as error:
        problem = f"cannot be read: {error}"
    if problem is not None:
        raise InvalidTestSet(f"{definition.name}: {path} {problem}")
    return path


def _gunzipped(content: bytes, name: str) -> bytes:
    try:
        text = decompress(content, name, limit=LARGEST + 1)
    except InputFileError as error:
        raise InvalidTestSet(str(error)) from error
    if len(text) > LARGEST:
        raise InvalidTestSet(f"{name} decompresses to more than {LARGEST} bytes: refused")
    return text


# --- from columns to files ----------------------------------------------------------------------


def _write(columns: PairFields, stem: str, folder: Path) -> None:
    """One file for each column, named as sacreBLEU names it, and an index of them."""
    import json

    fields = _file_names(list(columns.fields), stem)
    filters = _file_names(list(columns.filters), f"{stem}filter.")
    with_breaks = [name for name, texts in columns.fields.items() if any("\n" in text for text in texts)]
    for names, texts in ((fields, columns.fields), (filters, columns.filters)):
        for name, filename in names.items():
            lines = map(escaped, texts[name]) if name in with_breaks else texts[name]
            text = "".join(f"{line}\n" for line in lines)
            (folder / filename).write_bytes(text.encode())
    index = {"fields": fields, "systems": list(columns.systems), "filters": filters, "escaped": with_breaks}
    (folder / INDEX).write_text(json.dumps(index, ensure_ascii=False, indent=1), "utf-8")


def escaped(text: str) -> str:
    r"""Write a text that may have line breaks on one line: `\n` for a line break and `\\` for a backslash.

    >>> print(escaped("a\nb"))
    a\nb
    """
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def _unescaped(line: str) -> str:
    return re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], line)


def _file_names(fields: Sequence[str], stem: str) -> dict[str, str]:
    """A file name for each field; no two differ only in case, which some file systems do not see.

    >>> _file_names(["ref:A", "a/b", "ref-a"], "s.")
    {'ref:A': 's.ref-A', 'a/b': 's.a%2fb', 'ref-a': 's.ref-a%2'}
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for field in fields:
        name = re.sub(r"[^\w.+ -]", lambda found: f"%{ord(found[0]):02x}", field.replace(":", "-"))
        number = 1
        while f"{name}%{number}".removesuffix("%1").casefold() in taken:
            number += 1
        name = f"{name}%{number}".removesuffix("%1")
        taken.add(name.casefold())
        names[field] = stem + name
    return names


def _version(definition: Definition, pair: Pair, columns: PairFields | None) -> str:
    """The identity of the files that cached text must have been made from."""
    import hashlib

    used = {_file_of(definition, name) for name in _member_names(definition, pair)}
    files = tuple(file for file in definition.files if file in used)
    made_from = (formats.VERSION, definition.format, files, definition.origlang, pair, definition.cut, definition.unit)
    digest = hashlib.sha256(repr(made_from).encode())
    if columns is not None:
        digest.update(repr(columns).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]
