"""The test sets and their files. This module reads no texts.

`registry.json` beside this file describes the built-in sets. Others come from

- `TRUEBLEU_REGISTRY`: registry files, folders of them, or https addresses, separated by commas. An address may end in
  `#sha256=…`, which the file must then have;
- `<cache>/registry/*.json`: sets that the user has added.

All have the same schema::

    {"schema": 1, "version": "2026-11", "sets": [{
        "name": "ours/2026", "format": "jsonl", "description": "…", "citation": "@misc{…}",
        "files": [{"path": "de.jsonl", "sha256": "…"}, {"url": "https://…/fr.jsonl", "sha256": "…"}],
        "pairs": {"en-de": ["de.jsonl"], "en-fr": ["fr.jsonl"]}}]}

A pair is a list of members, or an object `{"members": […], "default_refs": […], "docid": …, "systems": {…}}`, or one
with files of its own, `{"files": [{"path": …, "sha256": …}]}`. `sets` may also be an object by name. A member is a
file of `files` by its name or, if it is in an archive, its path there; `3:path` is the fourth column of a TSV file.
An existing name is never redefined: a score labelled `test:wmt22` must mean the same everywhere.

Files may have an `as`, their name in members and in the cache, if several addresses end in the same name. A file has a
`sha256`, an `md5`, or the `git_blob` that identifies it in a commit. `pairs` may be a rule: `{"any_of": {"deu_Latn":
"deu.devtest", …}, "docid": …}` has every two of these languages. docs/testsets.md explains the other keys.

The addresses and checksums of large built-in sets are in `files.tsv`, which is read when such a set is opened.
"""

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, NamedTuple, overload

from truebleu import store
from truebleu._inputs import brief
from truebleu._logs import warn
from truebleu._plugins import plugin
from truebleu._shown import did_you_mean, shown, shown_address
from truebleu.dataset.languages import meant_by
from truebleu.errors import OptionError, RegistryError, TruebleuError, UnknownTestSet
from truebleu.store.config import expanded, regular

SCHEMA = 1
BUILT_IN = Path(__file__).with_name("registry.json")
FILE_TABLE = Path(__file__).with_name("files.tsv")
VARIABLE = "TRUEBLEU_REGISTRY"
FORMATS = ("wmt-xml", "fake-sgml", "sgml-plus-text", "iwslt-xml", "plain-text", "tsv", "jsonl", "jsonl-keys")
UNITS = ("segment", "document")
METADATA = ("docid", "genre", "origlang", "domain")
# The sets that `annotations.json` has a table for.
ANNOTATED = ("wmt18", "wmt19")

_NAME = re.compile(r"[A-Za-z0-9][\w.+-]*(/[A-Za-z0-9][\w.+-]*)*")
_PAIR = re.compile(r"\w+-\w+(-\w+)*")
_DIGESTS = {
    kind: re.compile(rf"[0-9a-fA-F]{{{size}}}") for kind, size in (("md5", 32), ("sha256", 64), ("git_blob", 40))
}


@dataclass(frozen=True)
class File:
    """A file with members: on the network, on this machine, or in a Python package."""

    url: str | None = None
    md5: str | None = None
    sha256: str | None = None
    # In a set of several archives, how the paths of the members of this one begin.
    holds: str | None = None
    path: Path | None = None
    package: str | None = None
    # Git's name for the bytes, for a file of a commit.
    git_blob: str | None = None
    # Its name in members and in the cache, if the last part of its address is not enough.
    as_: str | None = None

    @property
    def basename(self) -> str:
        """The name it was given, or the last part of the address or path."""
        return self.as_ or (self.path.name if self.path is not None else str(self.url).rsplit("/", 1)[-1])

    @property
    def unseen(self) -> bool:
        """Whether the SHA-256 and MD5 of the file at its address are unknown."""
        return self.url is not None and not (self.sha256 or self.md5)


class Cut(NamedTuple):
    """How the lines of a plain-text member become a field: a column, without the lines above it."""

    # From 0; -1 is the last of each line.
    column: int = 0
    header: int = 0
    # The text that ends the value inside its column.
    before: str = ""


@dataclass(frozen=True)
class Pair:
    """The files from which the segments of one language pair are read."""

    name: str
    members: tuple[str, ...]
    # Field names of the references that scores are computed with; None: all.
    default_refs: tuple[str, ...] | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    systems: Mapping[str, str] = field(default_factory=dict)
    # Further sources of the same references: `src:norm`.
    sources: Mapping[str, str] = field(default_factory=dict)
    # The member that says which segments are not scored.
    drop: str | None = None
    # For `jsonl-keys`: the key of each field, and the values that records must have, or must not all have.
    keys: Mapping[str, str] = field(default_factory=dict)
    keep_if: Mapping[str, Any] = field(default_factory=dict)
    skip_if: Mapping[str, Any] = field(default_factory=dict)


class AnyTwo(Sequence[str]):
    """The names of all pairs of some languages, made when they are needed.

    >>> names = AnyTwo(["ab", "cd", "ef"])
    >>> len(names), names[0], "ef-ab" in names, "ab-ab" in names
    (6, 'ab-cd', True, False)
    """

    def __init__(self, languages: Iterable[str]) -> None:
        self.languages = tuple(languages)
        self._known = frozenset(self.languages)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[one] for one in range(*index.indices(len(self)))]
        source, target = divmod(range(len(self))[index], len(self.languages) - 1)
        return f"{self.languages[source]}-{self.languages[target + (target >= source)]}"

    def __len__(self) -> int:
        return len(self.languages) * (len(self.languages) - 1)

    def __contains__(self, name: object) -> bool:
        source, _, target = name.partition("-") if isinstance(name, str) else ("", "", "")
        return source != target and source in self._known and target in self._known

    def __repr__(self) -> str:
        return f"<any two of {len(self.languages)} languages>"


class PairsByRule(Mapping[str, Pair]):
    """The pairs of a set that has every two of its languages, made when they are needed."""

    def __init__(self, members: Mapping[str, str], metadata: Mapping[str, str]) -> None:
        self.names = AnyTwo(members)
        self.languages = self.names.languages
        self._members, self._metadata = members, metadata

    def __getitem__(self, name: str) -> Pair:
        if name not in self.names:
            raise KeyError(name)
        return Pair(name, tuple(self._members[code] for code in name.split("-")), metadata=self._metadata)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


@dataclass(frozen=True)
class Definition:
    """What the registry says about a test set."""

    name: str
    format: str
    description: str
    files: tuple[File, ...]
    pairs: Mapping[str, Pair]
    # sacreBLEU does not have it.
    extra: bool = False
    # How many segments there must be, and the only original language that is kept, if the registry says so.
    lines: int | None = None
    origlang: str | None = None
    citation: str | None = None
    # The set whose table in `annotations.json` says what the documents are about.
    annotations: str | None = None
    # The version that its maker gives the set, and a hash of its text.
    set_version: str | None = None
    content_hash: str | None = None
    # The unit of a text: "segment", or "document", whose paragraphs end in `paragraphs`.
    unit: str = "segment"
    paragraphs: str | None = None
    cut: Mapping[str, Cut] = field(default_factory=dict)
    # What its makers allow and request; `gated`: downloads need a token of the user.
    licence: str | None = None
    noncommercial: bool = False
    rehost: bool = True
    gated: bool = False
    request: str | None = None
    # Texts that show whether a model was trained on the set.
    canary: str | None = None
    # The file that describes it, unless it is built in, and the description.
    origin: Path | None = None
    record: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def version(self) -> str:
        """The version of the set; 1 if its maker gives no version."""
        return self.set_version or "1"

    @property
    def file_stem(self) -> str:
        """How the names of the set's files in the cache begin."""
        return self.name.replace("/", "_")

    def raw_name(self, file: File) -> str:
        """The name of a file in the set's folder of raw material, which is sacreBLEU's."""
        return f"{self.file_stem}.{file.basename}" if file.url else file.basename

    def digests(self, pair: str) -> list[str | None]:
        """The SHA-256 of each file of a language pair."""
        names = self.pairs[pair].members
        return [file.sha256 for name in names for file in self.files if name in (self.raw_name(file), file.basename)]

    def pair(self, name: str) -> Pair:
        """The description of a language pair; for an unknown pair, the error lists the existing ones."""
        found = named(name, self.pairs) if isinstance(name, str) else []
        if len(found) == 1:
            return self.pairs[found[0]]
        if found:
            meant = f"{shown(brief(name))} may mean {' or '.join(found[:6])}"
            raise UnknownTestSet(f"the test set {self.name!r}: the language pair {meant}; name one of them")
        known = ", ".join(self.pairs) if not isinstance(self.pairs, PairsByRule) else self._strange(name)
        raise UnknownTestSet(f"the test set {self.name!r} has no language pair {shown(brief(name))}, only {known}")

    def _strange(self, name: object) -> str:
        """The pairs in a few words, if they are too many to list, and which language in the name is unknown."""
        assert isinstance(self.pairs, PairsByRule)
        known = self.pairs.languages
        strange = [code for code in str(name).split("-")[:2] if not meant_by(code, known)]
        near = "".join(f"; it does not have {shown(brief(code))}{did_you_mean(code, known)}" for code in strange)
        listing = f"'truebleu --list -t {self.name}' lists them"
        return f"those of {len(known)} languages such as {known[0]}{near}; {listing}"


def named(name: str, pairs: Collection[str]) -> list[str]:
    """Find the pairs of a set that a name may mean: the pair of this name, or the pairs of the languages it
    abbreviates.

    >>> named("en-de", ["en-de_DE", "en-da_DK"]), named("en-ja", ["eng-jpn", "eng-jpn_Hira"])
    (['en-de_DE'], ['eng-jpn'])
    """
    if name in pairs:
        return [name]
    source, hyphen, target = name.partition("-")
    if isinstance(pairs, AnyTwo | PairsByRule):
        known = pairs.languages
        both = ((one, other) for one in meant_by(source, known) for other in meant_by(target, known))
        return [f"{one}-{other}" for one, other in both if one != other]
    ends = [(one, one.partition("-")) for one in pairs] if hyphen else []
    found = [one for one, (a, _, b) in ends if meant_by(source, [a]) and meant_by(target, [b])]
    # A pair without scripts and countries is preferred to pairs with them.
    return [one for one in found if "_" not in one] or found


def names() -> list[str]:
    """The names of all test sets: the built-in ones in definition order, then others."""
    return list(_raw_sets())


def definition(name: str) -> Definition:
    """The definition of a test set; for an unknown name, the error suggests another."""
    sets = _raw_sets()
    if isinstance(name, str) and name not in sets and (own := _of_plugin(name)) is not None:
        return own
    if not isinstance(name, str) or name not in sets:
        raise UnknownTestSet(
            f"there is no test set {shown(brief(name))}{did_you_mean(name, sets)}; "
            "'truebleu --list' and truebleu.testsets() list them"
        )
    return _definition(sets[name])


def _of_plugin(name: str) -> Definition | None:
    """A set that a plug-in describes, in the form of the registry; files are beside its module, or have a digest."""
    import sys

    if (point := plugin("testsets", name)) is None:
        return None
    function = point.load()
    try:
        document = {"version": SCHEMA, "sets": {point.name: dict(function())}}
        where = sys.modules[function.__module__].__file__
        found = parse(document, Path(str(where)).parent, f"the plug-in {point.dist} {point.version}")[0]
    except RegistryError:
        raise
    except Exception as error:
        raise point.wrong(f"cannot be read: {type(error).__name__}: {error}") from error
    unverified = [one.basename for one in found.files if one.url and not (one.sha256 or one.md5 or one.git_blob)]
    if unverified:
        raise point.wrong(f"has {unverified[0]} at an address without a SHA-256")
    return found


def definitions() -> Iterator[Definition]:
    """All test sets, in the order of `names()`."""
    return map(_definition, _raw_sets().values())


def set_names() -> list[str]:
    """The names of all test sets that may have files in the cache: all except sets of local files."""
    return [one.name for one in definitions() if any(file.url or file.package for file in one.files)]


def packaged_files(name: str) -> list[Path]:
    """The files of a test set that ship with a Python package."""
    from importlib.resources import files

    packaged = [file for file in definition(name).files if file.package]
    return [Path(str(files(str(file.package)).joinpath(file.basename))) for file in packaged]


def remote_files(name: str) -> list[store.RemoteFile]:
    """The files of the network that a test set is made of."""
    one = definition(name)
    return [remote_file(one, file) for file in one.files if file.url]


def remote_file(of: Definition, file: File) -> store.RemoteFile:
    """A file for the store. Sets with the same archive share one copy, in the folder of the set with the shortest
    name."""
    sharing = _users_of_files(BUILT_IN).get((file.url, file.md5, file.sha256), [of.name])
    home = min(sharing, key=len)
    places = {name: (f"{name}/raw", f"{name.replace('/', '_')}.{file.basename}") for name in sharing}
    return store.RemoteFile(
        str(file.url),
        filename=places[home][1],
        folder=places[home][0],
        sha256=file.sha256,
        md5=file.md5,
        git_blob=file.git_blob,
        gated=of.gated,
        rehost=of.rehost,
        elsewhere=tuple("/".join(place) for name, place in places.items() if name != home),
    )


@cache
def _users_of_files(path: Path) -> dict[tuple[str | None, ...], list[str]]:
    """The built-in sets that use a file, by its address and checksums; each file of the table belongs to one set."""
    users: dict[tuple[str | None, ...], list[str]] = {}
    for name, raw in _built_in(path).items():
        for file in raw.content.get("files", ()):
            users.setdefault(tuple(file.get(key) for key in ("url", "md5", "sha256")), []).append(name)
    return users


def summaries() -> Iterator[tuple[str, str, Collection[str]]]:
    """Name, description and pairs of all test sets; faster than reading all definitions."""
    for name, raw in _raw_sets().items():
        pairs = raw.content["pairs"]
        yield name, str(raw.content.get("description", "")), AnyTwo(pairs["any_of"]) if "any_of" in pairs else pairs


def reference_field(label: str) -> str:
    """The field of a reference: a label may be given as `A`, as `ref:A`, or as nothing for the unlabelled one.

    >>> reference_field("A"), reference_field("ref:A"), reference_field("refA"), reference_field("")
    ('ref:A', 'ref:A', 'ref:refA', 'ref')
    """
    if label in ("", "ref"):
        return "ref"
    return label if label.startswith("ref:") else f"ref:{label}"


def split(names: str) -> list[str]:
    """The names in a comma-separated list."""
    if not isinstance(names, str) or not names.strip():
        raise OptionError(f"the name of a test set should be text such as 'wmt22', got {brief(names)}")
    return [name.strip() for name in names.split(",")]


def reverse(pair: str) -> str:
    """The opposite direction.

    >>> reverse("en-de")
    'de-en'
    """
    source, hyphen, target = pair.partition("-") if isinstance(pair, str) else ("", "", "")
    if not (source and hyphen and target):
        raise OptionError(f"{shown(brief(pair))} is not a language pair such as en-de")
    return f"{target}-{source}"


def user_folder() -> Path:
    """Where the registry files of the user's own sets are."""
    return store.cache_folder() / "registry"


def read(path: Path) -> list[Definition]:
    """Read and check the sets that a registry file describes."""
    return [_definition(raw) for raw in _raw_sets_of(path)]


def parse(document: Any, folder: Path | None, where: str) -> list[Definition]:
    """Check the sets of a registry document."""
    return [_checked(raw, folder, where) for raw in _listed(document, where)]


# --- where descriptions come from ---------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Raw:
    """A set as it is written in a file. It is parsed when needed: listings use little of it."""

    content: Any
    path: Path | None
    where: str


def _raw_sets() -> dict[str, _Raw]:
    sets = dict(_built_in(BUILT_IN))
    for raw in _others():
        name = raw.content["name"]
        if sets.setdefault(name, raw) is not raw:
            problem = f"{raw.where}: the name {name!r} is taken ({sets[name].where}); give the set another"
            if raw.path is None or raw.path.parent != user_folder():
                raise RegistryError(problem)
            _warn_once(problem)
    return sets


@cache
def _warn_once(problem: str) -> None:
    """The registry is looked at many times in the life of a process."""
    warn("%s", problem)


@cache
def _built_in(path: Path) -> dict[str, _Raw]:
    document = _load(path.read_bytes(), path.name)
    return {content["name"]: _Raw(content, None, path.name) for content in document["sets"]}


def _others() -> Iterator[_Raw]:
    for place in filter(None, (part.strip() for part in os.environ.get(VARIABLE, "").split(","))):
        for path in _places(place):
            yield from _raw_sets_of(path)
    for path in json_files(user_folder()):
        try:
            yield from _raw_sets_of(path)
        except TruebleuError as error:
            # One bad file must not hide all other sets.
            _warn_once(f"not used: {shown(error, longest=1_000)}")


def _places(place: str) -> list[Path]:
    if place.startswith(("https:", "http:")):
        return [_fetched(place, _fetched_folder())]
    path = expanded(place)
    if path.is_dir():
        return json_files(path)
    if not path.is_file():
        raise RegistryError(f"{VARIABLE}: there is no file or folder {place}")
    return [path]


def json_files(folder: Path) -> list[Path]:
    """Find the registry files in a folder, which may not exist."""
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == ".json" and path.is_file())
    except OSError:
        return []


def _fetched_folder() -> Path:
    return user_folder() / "remote"


@cache
def _fetched(address: str, folder: Path) -> Path:
    """A registry from the network: fetched and verified once in the life of a process."""
    url, _, fragment = address.partition("#")
    digest = fragment.removeprefix("sha256=") or None
    if digest and not _DIGESTS["sha256"].fullmatch(digest):
        raise RegistryError(f"{VARIABLE}: {address} should end in #sha256= and 64 hexadecimal digits")
    filename = re.sub(r"[^\w.-]+", "_", url.partition("//")[2])
    return store.fetch(store.RemoteFile(url, filename, "registry/remote", sha256=digest))


def _raw_sets_of(path: Path) -> tuple[_Raw, ...]:
    """The sets in a file, all of them checked; read again when the file has changed."""
    try:
        status = regular(path).stat()
        return _read(path, status.st_ino, status.st_mtime_ns, status.st_size)
    except OSError as error:
        raise RegistryError(f"{path} cannot be read: {error}") from error
    except TruebleuError:
        raise
    except Exception as error:  # Whatever the file contains, it must not hide other sets.
        raise RegistryError(f"{path} cannot be understood: {type(error).__name__}: {shown(error)}") from error


@cache
def _read(path: Path, inode: int, modified: int, size: int) -> tuple[_Raw, ...]:
    raws = tuple(_Raw(raw, path, str(path)) for raw in _listed(_load(path.read_bytes(), str(path)), str(path)))
    for raw in raws:
        _definition(raw)
    return raws


def _load(content: bytes, where: str) -> Any:
    import json

    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise RegistryError(f"{where} is not JSON: {shown(error)}") from error


# --- from JSON to definitions -------------------------------------------------------------------


@cache
def _definition(raw: _Raw) -> Definition:
    one = _checked(raw.content, raw.path.parent if raw.path else None, raw.where)
    return one if raw.path is None else replace(one, origin=raw.path)


def _listed(document: Any, where: str) -> list[dict[str, Any]]:
    if not isinstance(document, dict):
        raise RegistryError(f"{where}: a registry is a JSON object, this is {type(document).__name__}")
    schema = document.get("schema", document.get("version"))
    if schema != SCHEMA:
        raise RegistryError(f"{where}: the schema is {shown(repr(schema))}, this version of truebleu knows {SCHEMA}")
    sets = document.get("sets")
    if isinstance(sets, dict):
        sets = [{"name": name, **one} if isinstance(one, dict) else one for name, one in sets.items()]
    if not isinstance(sets, list) or not all(isinstance(one, dict) for one in sets):
        raise RegistryError(f"{where}: 'sets' should be a list of objects, or an object of them by name")
    for one in sets:
        if not can_be_a_name(one.get("name")):
            raise RegistryError(f"{where}: {shown(repr(one.get('name')))} cannot be the name of a test set")
    return sets


def can_be_a_name(name: Any) -> bool:
    """Tell whether a text can be the name of a test set.

    A name is a folder in the cache: it must stay inside, and must not be used there for something else.
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        return False
    parts = name.split("/")
    return not {"raw", "text"} & set(parts) and parts[0] not in ("registry", "models")


def _checked(raw: dict[str, Any], folder: Path | None, where: str) -> Definition:
    where = f"{where}: {raw.get('name')}"
    record, raw = raw, _with_files_together(raw)
    if folder is None and "base" in raw:
        raw = {**{key: raw[key] for key in raw if key != "base"}, "files": _tabled(raw["name"], raw["base"])}
    _only_known(raw, Definition, where, also=("refs", *_FOR_ALL_PAIRS))
    if raw.get("format") not in FORMATS:
        found = shown(repr(raw.get("format")))
        raise RegistryError(f"{where}: the format is {found}, expected one of {', '.join(FORMATS)}")
    for key, kind, what in (("files", list, "a list"), ("pairs", dict, "an object")):
        if not isinstance(raw.get(key), kind) or not raw[key]:
            raise RegistryError(f"{where}: {key!r} should be {what} that is not empty")
    _check_values(raw, where)
    return Definition(
        name=raw["name"],
        format=raw["format"],
        description=raw.get("description") or "",
        files=tuple(_file(file, folder, where) for file in raw["files"]),
        pairs=_pairs(raw, where),
        extra=bool(raw.get("extra", folder is not None)),
        set_version=str(raw["set_version"]) if "set_version" in raw else None,
        unit=raw.get("unit", "segment"),
        cut={name: _cut(cut, f"{where}: {name}") for name, cut in raw.get("cut", {}).items()},
        noncommercial=raw.get("noncommercial", False),
        rehost=raw.get("rehost", True),
        gated=raw.get("gated", False),
        **{key: raw.get(key) for key in ("lines", *_TEXTS)},
        record={key: value for key, value in record.items() if key != "name"},
    )


# Keys of a set whose values are texts, and those that say the same about each of its pairs.
_TEXTS = ("origlang", "citation", "annotations", "content_hash", "paragraphs", "licence", "request", "canary")
_FOR_ALL_PAIRS = ("keys", "skip_if")


def _check_values(raw: Mapping[str, Any], where: str) -> None:
    for key in ("description", *_TEXTS):
        _expect(raw.get(key), str | None, f"{where}: {key!r} should be a text")
    _expect(raw.get("set_version"), str | int | None, f"{where}: 'set_version' should be a text or a number")
    _expect(raw.get("lines"), int | None, f"{where}: 'lines' should be a number")
    _expect(raw.get("cut", {}), dict, f"{where}: 'cut' should be an object by field")
    if raw.get("annotations") not in (None, *ANNOTATED):
        raise RegistryError(f"{where}: there are annotations for {', '.join(ANNOTATED)}, not {raw['annotations']!r}")
    if raw.get("unit", "segment") not in UNITS:
        raise RegistryError(f"{where}: 'unit' is {shown(repr(raw['unit']))}, expected {' or '.join(UNITS)}")
    for key in ("noncommercial", "rehost", "gated"):
        if not isinstance(raw.get(key, False), bool):
            raise RegistryError(f"{where}: {key!r} should be true or false, got {shown(repr(raw[key]))}")


def _tabled(name: str, base: str) -> list[dict[str, str]]:
    """The files of a built-in set that `files.tsv` lists: path below the address, SHA-256 if it is known, `as`."""
    rows = [row.split("\t") for row in _table(FILE_TABLE)[name]]
    listed = [dict(zip(("sha256", "as"), row[1:], strict=False), url=base + row[0]) for row in rows]
    return [{key: value for key, value in file.items() if value} for file in listed]


@cache
def _table(path: Path) -> dict[str, list[str]]:
    parts = (part.splitlines() for part in path.read_text("utf-8").split("\n\n"))
    return {lines[0].strip("[]"): lines[1:] for lines in parts}


def _cut(raw: Any, where: str) -> Cut:
    kinds = {"column": int, "header": int, "before": str}
    if not isinstance(raw, dict) or not raw.keys() <= kinds.keys():
        raise RegistryError(f"{where}: 'cut' should be an object of {', '.join(kinds)}, got {shown(repr(raw))}")
    for key, value in raw.items():
        _expect(value, kinds[key], f"{where}: {key!r} should be a {'text' if key == 'before' else 'number'}")
    cut = Cut(**raw)
    if cut.column < -1 or cut.header < 0:
        raise RegistryError(f"{where}: 'column' should be -1 or more and 'header' 0 or more, got {shown(repr(raw))}")
    return cut


def _pairs(raw: Mapping[str, Any], where: str) -> Mapping[str, Pair]:
    pairs = raw["pairs"]
    if "any_of" not in pairs:
        common = {key: raw[key] for key in _FOR_ALL_PAIRS if key in raw}
        return {name: _pair(name, pair, raw.get("refs"), common, where) for name, pair in pairs.items()}
    members = pairs["any_of"]
    if not isinstance(members, dict) or len(members) < 2:
        raise RegistryError(f"{where}: 'any_of' should be an object of two languages or more")
    if raw["format"] != "plain-text" or pairs.keys() - {"any_of", *METADATA}:
        raise RegistryError(f"{where}: 'any_of' is for plain-text and may have {', '.join(METADATA)} beside it")
    for code, member in (*members.items(), *((key, pairs[key]) for key in METADATA if key in pairs)):
        if not re.fullmatch(r"\w+", code):
            raise RegistryError(f"{where}: {shown(repr(code))} is not a language such as deu_Latn")
        _expect(member, str, f"{where}: the member of {shown(code)} should be a text")
    return PairsByRule(members, {key: pairs[key] for key in METADATA if key in pairs})


def _with_files_together(raw: dict[str, Any]) -> dict[str, Any]:
    """A set whose pairs have files of their own, as `truebleu data add` writes it, as one whose set has them."""
    pairs = raw.get("pairs")
    if not isinstance(pairs, dict):
        return raw
    if not isinstance(raw.get("files", []), list | None):
        return raw
    files, plain = list(raw.get("files") or ()), {}
    for name, pair in pairs.items():
        if isinstance(pair, dict) and isinstance(pair.get("files"), list):
            own = [file for file in pair["files"] if isinstance(file, dict)]
            pair = {key: value for key, value in pair.items() if key not in ("files", "fields", "segments")}
            pair.setdefault("members", [str(file.get("path", file.get("url"))).rsplit("/", 1)[-1] for file in own])
            files += own
        plain[name] = pair
    return {**raw, "files": files, "pairs": plain}


def _file(raw: Any, folder: Path | None, where: str) -> File:
    if not isinstance(raw, dict):
        raise RegistryError(f"{where}: a file is an object with 'url' or 'path', not {shown(repr(raw))}")
    _only_known(raw, File, where)
    for key, value in raw.items():
        _expect(value, str, f"{where}: {key!r} of a file should be a text")
        if not value or not value.isprintable():
            raise RegistryError(f"{where}: {key!r} of a file is {shown(repr(value))}, which cannot be a file name")
    if ("url" in raw) == ("path" in raw):
        raise RegistryError(f"{where}: a file has either 'url' or 'path': {shown(repr(raw))}")
    for kind, form in _DIGESTS.items():
        if kind in raw and not form.fullmatch(raw[kind]):
            raise RegistryError(f"{where}: {shown(repr(raw[kind]))} is not a {kind}")
    # Only built-in sets may have a file whose checksum the first download determines.
    if folder is not None and "url" in raw and not _DIGESTS.keys() & raw.keys():
        raise RegistryError(f"{where}: {shown_address(raw['url'])} has no checksum; give its sha256")
    if re.search(r"[/\\]|^\.", raw.get("as", "")):
        raise RegistryError(f"{where}: 'as' of a file is {shown(repr(raw['as']))}, expected a plain name")
    path = raw.get("path")
    if folder is not None and ("package" in raw or (path is not None and folder == _fetched_folder())):
        raise RegistryError(f"{where}: a registry from elsewhere may name addresses only, not {shown(repr(raw))}")
    if path is not None and "package" not in raw:
        path = (folder or Path()) / expanded(path)
    known = {key: raw[key] for key in raw if key not in ("as", "path")}
    return File(**known, as_=raw.get("as"), path=Path(path) if path is not None else None)


def _pair(name: str, raw: Any, refs: list[str] | None, common: Mapping[str, Any], where: str) -> Pair:
    if not _PAIR.fullmatch(name):
        raise RegistryError(f"{where}: {shown(repr(name))} is not a language pair such as en-de")
    where = f"{where}: {name}"
    if not isinstance(raw, dict):
        raw = {"members": raw}
    elif "path" in raw:  # sacreBLEU's way of giving a pair references of its own
        raw = {"members": [raw["path"]], "default_refs": raw.get("refs", refs)}
    members = [raw["members"]] if isinstance(raw.get("members"), str) else raw.get("members")
    if not isinstance(members, list) or not members or not all(isinstance(member, str) for member in members):
        found = shown(repr(raw.get("members")))
        raise RegistryError(f"{where}: 'members' should be a list of texts, got {found}")
    raw = {**common, **raw}
    sources = {key: raw[key] for key in raw if re.fullmatch(r"src:\w+", key)}
    unknown = set(raw) - {"members", "default_refs", "drop", *_OBJECTS, *METADATA, *sources}
    if unknown:
        raise RegistryError(f"{where}: unknown key {shown(repr(min(unknown)))}")
    labels = raw.get("default_refs", refs)
    _expect(labels, list | None, f"{where}: references should be a list of texts")
    _expect(raw.get("drop"), str | None, f"{where}: 'drop' should be a text")
    objects = {key: raw.get(key, {}) for key in _OBJECTS}
    for key, value in objects.items():
        _expect(value, dict, f"{where}: {key!r} should be an object" + ("" if "if" in key else " of texts"))
    metadata = {key: raw[key] for key in METADATA if key in raw}
    texts = (objects["systems"], objects["keys"], sources, metadata)
    for value in (*(labels or ()), *(text for some in texts for text in some.values())):
        _expect(value, str, f"{where}: references, systems and metadata should be texts")
    chosen = tuple(map(reference_field, labels)) if labels is not None else None
    return Pair(name, tuple(members), chosen, metadata, sources=sources, drop=raw.get("drop"), **objects)


_OBJECTS = ("systems", "keys", "keep_if", "skip_if")


def _expect(value: object, kind: type | UnionType, otherwise: str) -> None:
    # JSON's true is a whole number to Python.
    if not isinstance(value, kind) or isinstance(value, bool):
        raise RegistryError(f"{otherwise}, got {shown(repr(value))}")


def _only_known(raw: Mapping[str, Any], kind: type, where: str, also: tuple[str, ...] = ()) -> None:
    fields: Iterable[str] = kind.__dataclass_fields__  # type: ignore[attr-defined]
    known = (*(name.rstrip("_") for name in fields if name not in ("origin", "record")), *also)
    for key in raw:
        if key not in known:
            raise RegistryError(f"{where}: unknown key {shown(repr(key))}; known are {', '.join(known)}")
