"""Which test sets there are, and what each is made of. Nothing here reads a test set.

`registry.json` beside this file describes the built-in sets. Others come from

- `TRUEBLEU_REGISTRY`: registry files, folders of them, or https addresses, separated by commas. An address may end in
  `#sha256=…`, which the file must then have;
- `<cache>/registry/*.json`: sets the user has added.

All have the same schema::

    {"schema": 1, "version": "2026-11", "sets": [{
        "name": "ours/2026", "format": "jsonl", "description": "…", "citation": "@misc{…}",
        "files": [{"path": "de.jsonl", "sha256": "…"}, {"url": "https://…/fr.jsonl", "sha256": "…"}],
        "pairs": {"en-de": ["de.jsonl"], "en-fr": ["fr.jsonl"]}}]}

A pair is a list of members, or an object `{"members": […], "default_refs": […], "docid": …, "systems": {…}}`, or one
with files of its own, `{"files": [{"path": …, "sha256": …}]}`. `sets` may also be an object by name. A member is a
file of `files` by its name or, if it is in an archive, its path there; `3:path` is the fourth column of a TSV file.
A name that is taken is never redefined: a score labelled `test:wmt22` must mean the same everywhere.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any

from truebleu import store
from truebleu._inputs import brief
from truebleu._logs import warn
from truebleu._shown import shown, shown_address
from truebleu.errors import OptionError, RegistryError, TruebleuError, UnknownTestSet
from truebleu.store.config import expanded, regular

SCHEMA = 1
BUILT_IN = Path(__file__).with_name("registry.json")
VARIABLE = "TRUEBLEU_REGISTRY"
FORMATS = ("wmt-xml", "fake-sgml", "sgml-plus-text", "iwslt-xml", "plain-text", "tsv", "jsonl")
METADATA = ("docid", "genre", "origlang", "domain")
# The sets that `annotations.json` has a table for.
ANNOTATED = ("wmt18", "wmt19")

_NAME = re.compile(r"[A-Za-z0-9][\w.+-]*(/[A-Za-z0-9][\w.+-]*)*")
_PAIR = re.compile(r"\w+-\w+(-\w+)*")
_DIGESTS = {"md5": re.compile(r"[0-9a-fA-F]{32}"), "sha256": re.compile(r"[0-9a-fA-F]{64}")}


@dataclass(frozen=True)
class File:
    """A file that members are taken from: on the network, on this machine, or in a Python package."""

    url: str | None = None
    md5: str | None = None
    sha256: str | None = None
    # In a set of several archives, how the paths of the members of this one begin.
    holds: str | None = None
    path: Path | None = None
    package: str | None = None

    @property
    def basename(self) -> str:
        """The last part of the address or path."""
        return self.path.name if self.path is not None else str(self.url).rsplit("/", 1)[-1]


@dataclass(frozen=True)
class Pair:
    """What the segments of one language pair are read from."""

    name: str
    members: tuple[str, ...]
    # Field names of the references that scores are computed with; None: all there are.
    default_refs: tuple[str, ...] | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    systems: Mapping[str, str] = field(default_factory=dict)


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
    # What its maker calls this state of a set, and a hash of its text.
    set_version: str | None = None
    content_hash: str | None = None
    # The file that describes it, unless it is built in, and what stands there.
    origin: Path | None = None
    record: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def version(self) -> str:
        """The version of the set; 1 if its maker gives none."""
        return self.set_version or "1"

    @property
    def file_stem(self) -> str:
        """How the names of the set's files in the cache begin."""
        return self.name.replace("/", "_")

    def raw_name(self, file: File) -> str:
        """The name of a file in the set's folder of raw material, which is sacreBLEU's.

        Parameters
        ----------
        file
            A file of the set.
        """
        return f"{self.file_stem}.{file.basename}" if file.url else file.basename

    def digests(self, pair: str) -> list[str | None]:
        """The SHA-256 of each file of a language pair.

        Parameters
        ----------
        pair
            The language pair.
        """
        names = self.pairs[pair].members
        return [file.sha256 for name in names for file in self.files if name in (self.raw_name(file), file.basename)]

    def pair(self, name: str) -> Pair:
        """The description of a language pair, or an error that names those there are.

        Parameters
        ----------
        name
            The name of the pair, such as `en-de`.
        """
        if not isinstance(name, str) or name not in self.pairs:
            pairs = ", ".join(self.pairs)
            raise UnknownTestSet(f"the test set {self.name!r} has no language pair {shown(brief(name))}, only {pairs}")
        return self.pairs[name]


def names() -> list[str]:
    """The names of all test sets: the built-in ones in definition order, then others."""
    return list(_raw_sets())


def definition(name: str) -> Definition:
    """What the registry says about a test set, or an error that suggests another name.

    Parameters
    ----------
    name
        The name of the set.
    """
    sets = _raw_sets()
    if not isinstance(name, str) or name not in sets:
        raise UnknownTestSet(
            f"there is no test set {shown(brief(name))}{did_you_mean(name, sets)}; "
            "'truebleu --list' and truebleu.testsets() list them"
        )
    return _definition(sets[name])


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Suggest names like one that is not there, in parentheses after a space; nothing if none is like it.

    >>> did_you_mean("atlass", ["atlas", "birch"])
    ' (did you mean atlas?)'

    Parameters
    ----------
    name
        The name that is not there.
    known
        The names that are.
    """
    from difflib import get_close_matches

    near = " or ".join(map(shown, get_close_matches(str(name)[:100], list(known), n=3)))
    return f" (did you mean {near}?)" if near else ""


def definitions() -> Iterator[Definition]:
    """All test sets, in the order of `names()`."""
    return map(_definition, _raw_sets().values())


def set_names() -> list[str]:
    """The names of all test sets that the store may hold something of: but for those of files on this machine."""
    return [one.name for one in definitions() if any(file.url or file.package for file in one.files)]


def packaged_files(name: str) -> list[Path]:
    """The files of a test set that ship with a Python package.

    Parameters
    ----------
    name
        The name of the set.
    """
    from importlib.resources import files

    packaged = [file for file in definition(name).files if file.package]
    return [Path(str(files(str(file.package)).joinpath(file.basename))) for file in packaged]


def remote_files(name: str) -> list[store.RemoteFile]:
    """The files of the network that a test set is made of.

    Parameters
    ----------
    name
        The name of the set.
    """
    one = definition(name)
    return [remote_file(one, file) for file in one.files if file.url]


def remote_file(of: Definition, file: File) -> store.RemoteFile:
    """A file as the store knows it. Sets that use the same archive share one copy, at the set of the shortest name.

    Parameters
    ----------
    of
        The set.
    file
        A file of it that has an address.
    """
    facts = {"url": file.url, "md5": file.md5, "sha256": file.sha256}
    sharing = [
        name
        for name, raw in _built_in(BUILT_IN).items()
        if any(facts == {key: other.get(key) for key in facts} for other in raw.content["files"])
    ] or [of.name]
    home = min(sharing, key=len)
    places = {name: (f"{name}/raw", f"{name.replace('/', '_')}.{file.basename}") for name in sharing}
    return store.RemoteFile(
        str(file.url),
        filename=places[home][1],
        folder=places[home][0],
        sha256=file.sha256,
        md5=file.md5,
        elsewhere=tuple("/".join(place) for name, place in places.items() if name != home),
    )


def summaries() -> Iterator[tuple[str, str, set[str]]]:
    """Name, description and pairs of all test sets; faster than all their definitions."""
    for name, raw in _raw_sets().items():
        yield name, str(raw.content.get("description", "")), set(raw.content["pairs"])


def reference_field(label: str) -> str:
    """The field of a reference: a label may be given as `A`, as `ref:A`, or as nothing for the unlabelled one.

    >>> reference_field("A"), reference_field("ref:A"), reference_field("refA"), reference_field("")
    ('ref:A', 'ref:A', 'ref:refA', 'ref')

    Parameters
    ----------
    label
        The label, or the name of the field.
    """
    if label in ("", "ref"):
        return "ref"
    return label if label.startswith("ref:") else f"ref:{label}"


def split(names: str) -> list[str]:
    """The names in a comma-separated list.

    Parameters
    ----------
    names
        The names, with commas.
    """
    if not isinstance(names, str) or not names.strip():
        raise OptionError(f"the name of a test set should be text such as 'wmt22', got {brief(names)}")
    return [name.strip() for name in names.split(",")]


def reverse(pair: str) -> str:
    """The opposite direction.

    >>> reverse("en-de")
    'de-en'

    Parameters
    ----------
    pair
        A language pair, such as `en-de`.
    """
    source, hyphen, target = pair.partition("-") if isinstance(pair, str) else ("", "", "")
    if not (source and hyphen and target):
        raise OptionError(f"{shown(brief(pair))} is not a language pair such as en-de")
    return f"{target}-{source}"


def user_folder() -> Path:
    """Where the registry files of the user's own sets are."""
    return store.cache_folder() / "registry"


def read(path: Path) -> list[Definition]:
    """Read and check the sets that a registry file describes.

    Parameters
    ----------
    path
        The file.
    """
    return [_definition(raw) for raw in _raw_sets_of(path)]


def parse(document: Any, folder: Path | None, where: str) -> list[Definition]:
    """Check the sets of a registry document.

    Parameters
    ----------
    document
        What a registry file holds, read from JSON.
    folder
        What paths in the document are relative to; None for the built-in registry.
    where
        How messages name the document.

    >>> parse({"schema": 2}, None, "lab.json")
    Traceback (most recent call last):
    truebleu.errors.RegistryError: lab.json: the schema is 2, this version of truebleu knows 1
    """
    return [_checked(raw, folder, where) for raw in _listed(document, where)]


# --- where descriptions come from ---------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Raw:
    """A set as it stands in a file. Parsed when asked for: listings need little of it."""

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
            # One bad file of somebody's must not keep everybody from the other sets.
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
    """Find the registry files in a folder, which need not be there.

    Parameters
    ----------
    folder
        The folder.
    """
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
    except Exception as error:  # Whatever somebody has written there, it must not hide other sets.
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
    """Tell whether a test set can be called so.

    A name is a place in the cache: it must stay inside, and be none that something else has there.

    Parameters
    ----------
    name
        The name, or whatever stands in its place.
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        return False
    parts = name.split("/")
    return not {"raw", "text"} & set(parts) and parts[0] not in ("registry", "models")


def _checked(raw: dict[str, Any], folder: Path | None, where: str) -> Definition:
    where = f"{where}: {raw.get('name')}"
    record, raw = raw, _with_files_together(raw)
    _only_known(raw, Definition, where, also=("refs",))
    if raw.get("format") not in FORMATS:
        found = shown(repr(raw.get("format")))
        raise RegistryError(f"{where}: the format is {found}, expected one of {', '.join(FORMATS)}")
    for key, kind, what in (("files", list, "a list"), ("pairs", dict, "an object")):
        if not isinstance(raw.get(key), kind) or not raw[key]:
            raise RegistryError(f"{where}: {key!r} should be {what} with something in it")
    for key in ("description", "origlang", "citation", "annotations", "content_hash"):
        _expect(raw.get(key), str | None, f"{where}: {key!r} should be a text")
    _expect(raw.get("set_version"), str | int | None, f"{where}: 'set_version' should be a text or a number")
    _expect(raw.get("lines"), int | None, f"{where}: 'lines' should be a number")
    if raw.get("annotations") not in (None, *ANNOTATED):
        raise RegistryError(f"{where}: there are annotations for {', '.join(ANNOTATED)}, not {raw['annotations']!r}")
    common = raw.get("refs")
    return Definition(
        name=raw["name"],
        format=raw["format"],
        description=raw.get("description") or "",
        files=tuple(_file(file, folder, where) for file in raw["files"]),
        pairs={name: _pair(name, pair, common, where) for name, pair in raw["pairs"].items()},
        extra=bool(raw.get("extra", folder is not None)),
        set_version=str(raw["set_version"]) if "set_version" in raw else None,
        **{key: raw.get(key) for key in ("lines", "origlang", "citation", "annotations", "content_hash")},
        record={key: value for key, value in record.items() if key != "name"},
    )


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
            raise RegistryError(f"{where}: {key!r} of a file is {shown(repr(value))}, which nothing can be called")
    if ("url" in raw) == ("path" in raw):
        raise RegistryError(f"{where}: a file has either 'url' or 'path': {shown(repr(raw))}")
    for kind, form in _DIGESTS.items():
        if kind in raw and not form.fullmatch(raw[kind]):
            raise RegistryError(f"{where}: {shown(repr(raw[kind]))} is not a {kind}")
    if "url" in raw and not (raw.get("md5") or raw.get("sha256")):
        raise RegistryError(f"{where}: {shown_address(raw['url'])} has no checksum; give its sha256")
    path = raw.get("path")
    if folder is not None and ("package" in raw or (path is not None and folder == _fetched_folder())):
        raise RegistryError(f"{where}: a registry from elsewhere may name addresses only, not {shown(repr(raw))}")
    if path is not None and "package" not in raw:
        path = (folder or Path()) / expanded(path)
    return File(**{**raw, "path": Path(path) if path is not None else None})


def _pair(name: str, raw: Any, common: list[str] | None, where: str) -> Pair:
    if not _PAIR.fullmatch(name):
        raise RegistryError(f"{where}: {shown(repr(name))} is not a language pair such as en-de")
    where = f"{where}: {name}"
    if not isinstance(raw, dict):
        raw = {"members": raw}
    elif "path" in raw:  # sacreBLEU's way of giving a pair references of its own
        raw = {"members": [raw["path"]], "default_refs": raw.get("refs", common)}
    members = [raw["members"]] if isinstance(raw.get("members"), str) else raw.get("members")
    if not isinstance(members, list) or not members or not all(isinstance(member, str) for member in members):
        found = shown(repr(raw.get("members")))
        raise RegistryError(f"{where}: 'members' should be a list of texts, got {found}")
    unknown = set(raw) - {"members", "default_refs", "systems", *METADATA}
    if unknown:
        raise RegistryError(f"{where}: unknown key {shown(repr(min(unknown)))}")
    labels, systems = raw.get("default_refs", common), raw.get("systems", {})
    _expect(labels, list | None, f"{where}: references should be a list of texts")
    _expect(systems, dict, f"{where}: 'systems' should be an object of texts")
    for value in (*(labels or ()), *systems.values(), *(raw[key] for key in METADATA if key in raw)):
        _expect(value, str, f"{where}: references, systems and metadata should be texts")
    return Pair(
        name,
        tuple(members),
        tuple(map(reference_field, labels)) if labels is not None else None,
        {key: raw[key] for key in METADATA if key in raw},
        dict(systems),
    )


def _expect(value: object, kind: type | UnionType, otherwise: str) -> None:
    # JSON's true is a whole number to Python.
    if not isinstance(value, kind) or isinstance(value, bool):
        raise RegistryError(f"{otherwise}, got {shown(repr(value))}")


def _only_known(raw: Mapping[str, Any], kind: type, where: str, also: tuple[str, ...] = ()) -> None:
    known = (*(name for name in kind.__dataclass_fields__ if name not in ("origin", "record")), *also)  # type: ignore[attr-defined]
    for key in raw:
        if key not in known:
            raise RegistryError(f"{where}: unknown key {shown(repr(key))}; known are {', '.join(known)}")
