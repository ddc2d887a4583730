"""Many files of the cache in one, for machines without a network.

A bundle is a plain tar file. Its first member, `truebleu-bundle.json`, names every other with its size and
SHA-256, in order. Packing the same files gives the same bytes. Opening one verifies all of it aside
before anything is renamed into the cache, so a damaged bundle changes nothing.
"""

import hashlib
import io
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from truebleu._atomic import aside, replacing, sweep
from truebleu._counts import number_of
from truebleu._shown import shown
from truebleu.errors import BundleError, CacheError
from truebleu.store.config import cache_folder
from truebleu.store.files import digest_of
from truebleu.version import __version__

if TYPE_CHECKING:
    import tarfile

MANIFEST = "truebleu-bundle.json"
SCHEMA = 1
_MAX_MANIFEST = 16 << 20
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Content:
    """A file of a bundle: its path below the cache, its size and SHA-256."""

    path: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Bundle:
    """The contents of a bundle, by its manifest: which files belong to which set."""

    sets: Mapping[str, Sequence[str]]
    files: Sequence[Content]


def pack(sets: Mapping[str, Mapping[str, Path]], target: Path) -> Bundle:
    """Write a bundle, and say what is in it."""
    import json
    import tarfile

    sources = {path: source for files in sets.values() for path, source in files.items()}
    bundle = Bundle(
        {name: sorted(files) for name, files in sorted(sets.items())},
        [Content(path, sources[path].stat().st_size, digest_of(sources[path])) for path in sorted(sources)],
    )
    for content in bundle.files:
        _check_path(content.path, target)
    manifest = {
        "format": "truebleu-bundle",
        "schema": SCHEMA,
        "sets": bundle.sets,
        "files": [vars(content) for content in bundle.files],
    }
    text = (json.dumps(manifest, indent=1, sort_keys=True) + "\n").encode()
    try:
        with replacing(target) as stream, tarfile.open(fileobj=stream, mode="w:", format=tarfile.PAX_FORMAT) as tar:
            tar.addfile(_header(MANIFEST, len(text)), io.BytesIO(text))
            for content in bundle.files:
                _add(tar, content, sources[content.path])
    except BundleError:
        raise
    except OSError as error:
        raise CacheError(f"cannot write the bundle {target}: {error}") from error
    return bundle


def unpack_bundle(path: Path, check: Callable[[Path, Bundle], None] = lambda folder, bundle: None) -> Bundle:
    """Copy the files of a bundle into the cache, all of them or none."""
    home = cache_folder()
    try:
        home.mkdir(parents=True, exist_ok=True)
        sweep(home)
        with aside(home / "bundle") as folder:
            folder.mkdir()
            bundle = _extract(path, folder)
            check(folder, bundle)
            # The description of a set comes after its files, so that no process finds a set without its files.
            for content in sorted(bundle.files, key=lambda content: content.path.endswith(".json")):
                target = home / content.path
                target.parent.mkdir(parents=True, exist_ok=True)
                os.replace(folder / content.path, target)
    except OSError as error:
        if error.errno is None:
            raise
        raise CacheError(f"cannot bring {path} into the cache {home}: {error}") from error
    return bundle


def _header(name: str, size: int) -> "tarfile.TarInfo":
    import tarfile

    header = tarfile.TarInfo(name)  # No owner and no time: the same files give the same bytes.
    header.size, header.mode = size, 0o644
    return header


def _add(tar: "tarfile.TarFile", content: Content, source: Path) -> None:
    with source.open("rb") as stream:
        reader = _Hashing(stream)
        tar.addfile(_header(content.path, content.bytes), cast(BinaryIO, reader))
    if reader.digest.hexdigest() != content.sha256:
        raise BundleError(f"{source} changed while it was being packed; pack again")


class _Hashing:
    """A stream that computes the SHA-256 of the bytes read from it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self.digest = stream, hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self.digest.update(data)
        return data


def _extract(path: Path, folder: Path) -> Bundle:
    import tarfile

    try:
        with tarfile.open(path, "r:") as tar:
            bundle = _read_manifest(path, tar, tar.next())
            for content in bundle.files:
                cast(Any, tar).members.clear()  # Otherwise all headers stay in memory.
                _extract_one(path, tar, tar.next(), content, folder)
            extra = tar.next()
    except (tarfile.TarError, EOFError, ValueError, RecursionError) as error:
        raise BundleError(f"{path} is not a bundle, or is damaged: {shown(error)}. {_ADVICE}") from error
    if extra is not None:
        raise BundleError(f"{path} has a member {shown(repr(extra.name))} that its manifest does not name. {_ADVICE}")
    return bundle


_ADVICE = "Copy it again, or make it again with `truebleu data pack`; the cache is unchanged"


def _read_manifest(path: Path, tar: "tarfile.TarFile", member: "tarfile.TarInfo | None") -> Bundle:
    import json

    if member is None or member.name != MANIFEST or not member.isreg() or member.size > _MAX_MANIFEST:
        found = "nothing" if member is None else shown(repr(member.name))
        raise BundleError(f"{path} is not a bundle: it begins with {found}, expected {MANIFEST}. {_ADVICE}")
    data = cast(BinaryIO, tar.extractfile(member)).read()
    try:
        return _parse(path, json.loads(data))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BundleError(f"{path} has an invalid manifest: {shown(repr(error))}. {_ADVICE}") from error


def _parse(path: Path, manifest: dict[str, Any]) -> Bundle:
    if manifest["format"] != "truebleu-bundle" or manifest["schema"] != SCHEMA:
        raise BundleError(
            f"{path} is a bundle of schema {manifest['schema']!r}, expected {SCHEMA}: "
            f"it needs another version of truebleu than {__version__}"
        )
    files = [Content(entry["path"], entry["bytes"], entry["sha256"]) for entry in manifest["files"]]
    for content in files:
        _check_path(content.path, path)
        if not isinstance(content.bytes, int) or not _SHA256.fullmatch(content.sha256):
            raise BundleError(f"{path} gives no size or SHA-256 for {content.path}. {_ADVICE}")
    paths = [content.path for content in files]
    if len(set(paths)) < len(paths):
        raise BundleError(f"{path} names a file twice. {_ADVICE}")
    return Bundle({str(name): list(members) for name, members in manifest["sets"].items()}, files)


def _check_path(path: str, bundle: Path) -> None:
    """A bundle may hold files of sets and models, but no settings and no hidden files."""
    parts = path.split("/")
    bad = any(part.startswith(".") or not part or "\\" in part or ":" in part for part in parts)
    if bad or len(parts) < 2 or not path.isprintable():
        raise BundleError(f"{bundle} names the path {shown(repr(path))}, which is not a path of a test set. {_ADVICE}")


def _extract_one(
    path: Path, tar: "tarfile.TarFile", member: "tarfile.TarInfo | None", content: Content, folder: Path
) -> None:
    found = "the end" if member is None else shown(repr(member.name))
    if member is None or member.name != content.path or not member.isreg() or member.issparse():
        raise BundleError(f"{path} is cut short or mixed up: expected {content.path!r}, found {found}. {_ADVICE}")
    target = folder / content.path
    target.parent.mkdir(parents=True, exist_ok=True)
    reader, size = _Hashing(cast(BinaryIO, tar.extractfile(member))), 0
    with target.open("xb") as stream:
        while chunk := reader.read(1 << 16):
            size += stream.write(chunk)
    if (size, reader.digest.hexdigest()) != (content.bytes, content.sha256):
        raise BundleError(
            f"{path} is damaged: {content.path} has {number_of(size, 'byte')} and SHA-256 {reader.digest.hexdigest()}, "
            f"expected {number_of(content.bytes, 'byte')} and {content.sha256}. {_ADVICE}"
        )
