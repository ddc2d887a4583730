"""Caches full of test sets, made without a network.

`mirror` has the real bytes of some test sets, where the folder of real texts has them. The other functions make small
sets with texts of our own.
"""

import gzip
import hashlib
import io
import json
import shutil
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import sacrebleu.utils

from dataset.peer import look_in
from truebleu.dataset import registry

REGISTRY = registry.BUILT_IN


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test may see the user's cache, or reach the network."""
    monkeypatch.setenv("TRUEBLEU_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("SACREBLEU", str(tmp_path / "sacrebleu"))
    monkeypatch.setenv("TRUEBLEU_OFFLINE", "1")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("TRUEBLEU_REGISTRY", raising=False)
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder that sacreBLEU looks in, for as long as a module runs."""
    before = sacrebleu.utils.SACREBLEU_DIR
    yield tmp_path_factory.mktemp("peer")
    look_in(Path(before))


def tar(members: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=1) as packed:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            packed.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def zipped(members: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        for name, content in members.items():
            packed.writestr(name, content)
    return buffer.getvalue()


def raw_name(name: str, url: str) -> str:
    return f"{name.replace('/', '_')}.{url.rsplit('/', 1)[-1]}"


def put(cache: Path, name: str, file: dict[str, Any], content: bytes) -> None:
    """A raw file where it belongs in the cache, and its checksum in the registry."""
    path = cache / name / "raw" / raw_name(name, file["url"])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    file["md5"] = hashlib.md5(content).hexdigest()


def add_set(folder: Path, name: str, kind: str, members: Mapping[str, bytes], pairs: Any, **keys: Any) -> Path:
    """A registry file for a small set whose members are in one archive on this machine; where it is."""
    folder.mkdir(parents=True, exist_ok=True)
    archive = folder / f"{name.replace('/', '_')}.tgz"
    archive.write_bytes(tar(members))
    one = {"name": name, "format": kind, "files": [{"path": archive.name}], "pairs": pairs, **keys}
    path = folder / f"{name.replace('/', '_')}.json"
    path.write_text(json.dumps({"schema": 1, "sets": [one]}), "utf-8")
    return path


def use(cache: Path, document: dict[str, Any], patch: pytest.MonkeyPatch) -> None:
    path = cache / "registry.test.json"
    path.write_text(json.dumps(document), "utf-8")
    patch.setattr(registry, "BUILT_IN", path)
    patch.setenv("TRUEBLEU_CACHE", str(cache))
    patch.setenv("TRUEBLEU_OFFLINE", "1")
    patch.setenv("XDG_STATE_HOME", str(cache.with_name(f"{cache.name}.state")))
    patch.delenv("TRUEBLEU_REGISTRY", raising=False)


@pytest.fixture(scope="session")
def mirrored(data: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A cache with the real raw files, and the registry: true checksums where the archive's own bytes are there."""
    mirror = data / "mirror"
    if not mirror.is_dir():
        pytest.skip("the folder of real texts has no mirror of test sets")
    cache = tmp_path_factory.mktemp("mirrored")
    document = json.loads(REGISTRY.read_bytes())
    members = members_by_path(mirror)
    for one in document["sets"]:
        for file in one.get("files", ()):
            if "url" not in file:
                continue
            original = mirror / "urls" / file["url"].removeprefix("https://")
            if original.is_file():
                path = cache / one["name"] / "raw" / raw_name(one["name"], file["url"])
                path.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(original, path)
                continue
            wanted = {
                member: members[member]
                for pair in one["pairs"].values()
                for member in (pair if isinstance(pair, list) else [pair.get("path")])
                if member in members
            }
            if wanted:
                put(cache, one["name"], file, tar(wanted))
    return cache, document


def members_by_path(mirror: Path) -> dict[str, bytes]:
    found = {}
    for folder in ("members", "rebuilt"):
        for path in sorted((mirror / folder).rglob("*.gz")):
            inner = Path(*path.relative_to(mirror / folder).parts[1:])
            found[str(inner).removesuffix(".gz")] = gzip.decompress(path.read_bytes())
    return found


@pytest.fixture
def mirror(mirrored: tuple[Path, dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    use(*mirrored, monkeypatch)
    yield mirrored[0]
