"""Test sets of one's own: added once, then used by name like any other.

A set lives in `<cache>/registry/`: its description in `<name with _>.json`, in the form of the registry, and
its segments beside it, one JSON line each, in files named by content. A new description replaces the old in one
step, after its files are there.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truebleu._atomic import turn, write_whole
from truebleu.dataset.columns import read_columns
from truebleu.errors import CacheError, InvalidTestSet, NameTaken, OptionError, UnknownTestSet
from truebleu.store.config import cache_folder, lock_folder
from truebleu.store.files import digest_of

SCHEMA = 1

_WORD = r"[A-Za-z0-9][A-Za-z0-9._+-]*"
_NAME = re.compile(rf"{_WORD}(/{_WORD})*")
_PAIR = re.compile(r"[A-Za-z]{2,8}(_[A-Za-z0-9]+)*-[A-Za-z]{2,8}(_[A-Za-z0-9]+)*")
_VERSION = re.compile(_WORD)


@dataclass(frozen=True)
class OwnSet:
    """A set somebody added: its description, and the file it stands in."""

    name: str
    path: Path
    record: Mapping[str, Any]

    @property
    def version(self) -> str:
        """What the user called this state of it."""
        return str(self.record.get("set_version", "1"))

    @property
    def pairs(self) -> list[str]:
        """Its language pairs."""
        return list(self.record["pairs"])

    @property
    def files(self) -> dict[Path, str]:
        """Its files on this machine, and the SHA-256 each must have."""
        return {self.path.parent / entry["path"]: entry["sha256"] for entry in self._entries if "path" in entry}

    @property
    def is_local(self) -> bool:
        """Whether all of it is on this machine; a description by hand may name addresses instead."""
        return bool(self._entries) and all("path" in entry for entry in self._entries)

    @property
    def _entries(self) -> list[Mapping[str, str]]:
        return [entry for pair in self.record["pairs"].values() for entry in pair.get("files", ())]


@dataclass(frozen=True)
class Added:
    """What adding a set did."""

    own: OwnSet
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
) -> Added:
    """Add a language pair to a set of one's own, and the set if it is new.

    Other text under the same name, pair and version, and another version, are refused unless `force` says
    to replace them; another version replaces the whole set.
    """
    _check_names(name, pair, version)
    table = read_columns(files, columns=columns, labels=labels, metadata=metadata)
    data = table.to_jsonl()
    sha256 = hashlib.sha256(data).hexdigest()
    home = description_file(name)
    with turn(home, lock_folder()):
        before = _same_name(name, home)
        kept = _kept(before, pair, sha256, version, force)
        filename = f"{home.stem}.{pair}.{sha256[:12]}.jsonl"
        entry = {
            "files": [{"path": filename, "sha256": sha256}],
            "fields": list(table.fields),
            "segments": table.segments,
        }
        record = _record(before, {**kept, pair: entry}, version, description)
        changed = before is None or record != before.record
        try:
            write_whole(home.parent / filename, data)
            if changed:
                write_whole(home, _as_json(name, record))
        except OSError as error:
            raise CacheError(
                f"cannot write to {home.parent}: {error}; set TRUEBLEU_CACHE to a folder you can"
            ) from error
        own = OwnSet(name, home, record)
        if before is not None:
            drop_old_files(before, own)
    return Added(own, pair, table.segments, table.references, table.notes, changed)


def remove(name: str) -> list[Path]:
    """Remove a set of one's own; the files that are gone."""
    home = description_file(name)
    with turn(home, lock_folder()):
        own = _same_name(name, home)
        if own is None:
            raise UnknownTestSet(f"there is no test set {name!r} of your own in {home.parent}")
        try:
            home.unlink()
        except OSError as error:
            raise CacheError(f"cannot remove {home}: {error}") from error
        # The description names the files; those it took from elsewhere are not ours to remove.
        inside = [path for path in own.files if path.parent == home.parent]
        for path in inside:
            path.unlink(missing_ok=True)
    return [home, *inside]


def own_sets() -> dict[str, OwnSet]:
    """All sets of one's own that can be read, by name: those whose text lies in files of this machine."""
    found: dict[str, OwnSet] = {}
    for path in sorted(registry_folder().glob("*.json")):
        try:
            found |= {own.name: own for own in read_description(path) if own.is_local}
        except InvalidTestSet:
            continue
    return found


def damaged_descriptions() -> dict[Path, str]:
    """Descriptions that cannot be read, and why."""
    found = {}
    for path in sorted(registry_folder().glob("*.json")):
        try:
            read_description(path)
        except InvalidTestSet as error:
            found[path] = str(error)
    return found


def problems_of(own: OwnSet) -> dict[Path, str]:
    """What is wrong with the files of a set, and with its description."""
    found = {}
    expected = own.record.get("content_hash")
    if expected is not None and expected != content_hash(own.record["pairs"]):
        found[own.path] = f"has content_hash {expected}, expected {content_hash(own.record['pairs'])}"
    for path, sha256 in own.files.items():
        try:
            digest = digest_of(path)
        except OSError as error:
            found[path] = f"cannot be read: {error.strerror}"
            continue
        if digest != sha256:
            found[path] = f"has sha256 {digest}, expected {sha256}"
    return found


def drop_old_files(before: OwnSet, now: OwnSet) -> None:
    """Remove the files of a set that has been replaced, but for those still in use."""
    for path in before.files.keys() - now.files.keys():
        if path.parent == registry_folder():
            path.unlink(missing_ok=True)


def registry_folder() -> Path:
    """Where the sets of the cache's users are described."""
    return cache_folder() / "registry"


def description_file(name: str) -> Path:
    """Where a set of one's own is described, if there is one of that name."""
    return registry_folder() / f"{name.replace('/', '_')}.json"


def read_description(path: Path) -> list[OwnSet]:
    """The sets that a file describes."""
    try:
        content = json.loads(path.read_bytes())
        if content["version"] != SCHEMA:
            raise InvalidTestSet(f"{path} has version {content['version']!r}, expected {SCHEMA}")
        sets = [OwnSet(name, path, record) for name, record in content["sets"].items()]
        for own in sets:
            _ = own.files, own.version
    except OSError as error:
        raise InvalidTestSet(f"cannot read {path}: {error}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        if isinstance(error, InvalidTestSet):
            raise
        raise InvalidTestSet(f"{path} does not describe a test set: {error!r}") from error
    return sets


def conflict(new: OwnSet) -> str | None:
    """What a set would replace if it came into the cache, or None."""
    home = description_file(new.name)
    before = _same_name(new.name, home)
    if before is None or before.record.get("content_hash") == new.record.get("content_hash"):
        return None
    return (
        f"{new.name!r} is there in version {before.version} ({_short(before)}), this is {new.version} ({_short(new)})"
    )


def _check_names(name: str, pair: str, version: str | None) -> None:
    if not _NAME.fullmatch(name):
        raise OptionError(f"{name!r} cannot be the name of a test set: expected words like lab/news24")
    if not _PAIR.fullmatch(pair):
        raise OptionError(f"{pair!r} is not a language pair: expected two languages like en-de or eng-zho_Hans")
    if version is not None and not _VERSION.fullmatch(version):
        raise OptionError(f"{version!r} cannot be a version: expected a word like 2 or 2024-05")


def _same_name(name: str, home: Path) -> OwnSet | None:
    if not home.exists():
        return None
    sets = read_description(home)
    for own in sets:
        if own.name == name:
            return own
    others = ", ".join(own.name for own in sets)
    raise NameTaken(f"{name!r} and {others!r} would share the file {home}: choose another name")


def _kept(before: OwnSet | None, pair: str, sha256: str, version: str | None, force: bool) -> dict[str, Any]:
    """The pairs that stay as they are."""
    if before is None:
        return {}
    if version is not None and version != before.version:
        if not force:
            raise NameTaken(
                f"{before.name!r} is there already in version {before.version}, you give {version}; "
                "choose another name, or replace the old version with --force"
            )
        return {}
    there = before.record["pairs"].get(pair)
    if there is not None and [entry["sha256"] for entry in there["files"]] != [sha256] and not force:
        raise NameTaken(
            f"{before.name!r} {pair} is there already with other text ({_short(before)}, version {before.version}); "
            "choose another name, or replace it with --version and --force"
        )
    return dict(before.record["pairs"])


def _record(
    before: OwnSet | None, pairs: Mapping[str, Any], version: str | None, description: str | None
) -> dict[str, Any]:
    old = before.record if before is not None else {}
    return {
        "format": "jsonl",
        "description": description if description is not None else old.get("description", ""),
        "pairs": dict(sorted(pairs.items())),
        "content_hash": content_hash(pairs),
        "set_version": version or old.get("set_version", "1"),
    }


def content_hash(pairs: Mapping[str, Any]) -> str:
    """One hash for all text of a set: of lines of pair and SHA-256, in the order of the pairs."""
    lines = [f"{pair} {entry['sha256']}\n" for pair in sorted(pairs) for entry in pairs[pair]["files"]]
    return "sha256:" + hashlib.sha256("".join(lines).encode()).hexdigest()


def _as_json(name: str, record: Mapping[str, Any]) -> bytes:
    content = {"version": SCHEMA, "sets": {name: record}}
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()


def _short(own: OwnSet) -> str:
    return str(own.record.get("content_hash", ""))[:19]
