"""What can move a score: the program that runs a model, the packages that compute, and the files of the model.

Weights are hashed once: their size and the time of their last change tell whether they are the same. Packages and the
device are what a runner said when it was last started, as long as the files that tell their versions have not changed.
So a run whose scores are all in the cache starts no program.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from truebleu._atomic import replacing
from truebleu._shown import shown
from truebleu.errors import ModelError, RunnerMissing
from truebleu.runners.environments import Interpreter
from truebleu.runners.families import MODELS, RUNNERS, PinnedModel, why_not
from truebleu.store.config import cache_folder, expanded, is_offline, state_folder

_WEIGHTS = (".ckpt", ".bin", ".safetensors", ".pt")
# Files of a model that decide scores; documentation and images do not.
_KEPT = (*_WEIGHTS, ".yaml", ".json", ".model", ".txt")
_BLOCK = 1 << 20


class ModelFiles(NamedTuple):
    """A model on this machine: what it is called, where it is, and the SHA-256 of its files."""

    name: str
    revision: str
    path: Path
    digests: Mapping[str, str]
    is_pinned: bool

    @property
    def weights(self) -> str:
        """The digest of its only file of weights, or of the sorted list of all names and digests."""
        several = sorted((name, digest) for name, digest in self.digests.items() if name.endswith(_WEIGHTS))
        if len(several) == 1:
            return several[0][1]
        return sha256("".join(f"{name} {digest}\n" for name, digest in several).encode()).hexdigest()

    def message(self) -> dict[str, Any]:
        """The model as a runner is told of it."""
        return {"model": self.name, "revision": self.revision, "path": str(self.path), "expect": dict(self.digests)}


def is_path(model: str) -> bool:
    """Tell a folder or a file from a name on the hub: it begins like a path.

    >>> [is_path(one) for one in ("./x", "~/x", "/x", "C:\\\\x", "org/name")]
    [True, True, True, True, False]
    """
    return model.startswith((".", "/", "~", "\\")) or model[1:3] in (":\\", ":/")


def local_name(path: str) -> str:
    """The name of a model in a folder: nothing of the path before its last part is shown."""
    place = expanded(path).absolute()
    if place.suffix == ".ckpt":
        place = place.parent.parent if place.parent.name == "checkpoints" else place
    return f"local/{place.name}"


def model_files(model: str, revision: str, script: str) -> ModelFiles:
    """Find a model on this machine, and hash its files; a pinned one must have the digests that were published."""
    if is_path(model):
        place = expanded(model)
        if place.is_file():
            place = place.parent.parent if place.parent.name == "checkpoints" else place.parent
        if not place.is_dir():
            raise ModelError(f"{shown(model)}: there is no such folder, expected the files of a model")
        return ModelFiles(local_name(model), "", place.absolute(), _digests(place, ()), False)
    known = MODELS.get(model, PinnedModel(model))
    if known.is_pinned and (not revision or known.revision.startswith(revision)):
        folder = _folder_of(known.name, known.revision)
        found = None if folder is None else _digests(folder, known.files)
        if folder is None or found is None:
            raise not_here(known, script)
        for name, digest in known.files.items():
            if found[name] != digest:
                raise ModelError(
                    f"{name} of {model} is {found[name][:12]}, expected {digest[:12]}: another file, or a damaged one"
                )
        return ModelFiles(model, known.revision, folder, found, True)
    folder = _folder_of(model, revision)
    if folder is None:
        raise not_here(known._replace(revision=revision), script)
    return ModelFiles(model, revision or folder.name, folder, _digests(folder, ()), False)


def digest_of(path: Path) -> str:
    """The SHA-256 of a file; it is read again only if its size, or the time of its last change, is another one."""
    found = path.stat()
    stamp = [found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns]
    known = _read("digests")
    if (one := known.get(str(path))) and one[:4] == stamp:
        return str(one[4])
    digest = sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    _write("digests", str(path), [*stamp, digest.hexdigest()])
    return digest.hexdigest()


def known_packages(script: str, runner: Interpreter) -> dict[str, str] | None:
    """The packages of an interpreter, as its runner told them last; None if something has changed since."""
    one = _read("packages").get(f"{script} {' '.join(runner.command)}")
    if not one or any(_time(path) != stamp for path, stamp in one["places"].items()):
        return None
    found: dict[str, str] = one["packages"]
    return found


def greet(script: str, runner: Interpreter, hello: Mapping[str, Any]) -> None:
    """Refuse packages that are known to fail, and remember the others."""
    packages: dict[str, str] = hello["packages"]
    if script in RUNNERS and (problem := why_not(script, packages)):
        raise RunnerMissing(f"{shown(runner.command[0], 1000)}: {problem}")
    places = [runner.command[0], runner.command[-1], *map(str, hello.get("places") or ())]
    known = {"packages": packages, "places": {path: _time(path) for path in places}}
    _write("packages", f"{script} {' '.join(runner.command)}", known)


def known_meta(key: str) -> dict[str, Any] | None:
    """What a runner said when it last loaded a model like this; None if it never did."""
    found: dict[str, Any] | None = _read("loaded").get(key)
    return found


def remember_meta(key: str, meta: Mapping[str, Any]) -> None:
    """Keep what a runner said of a model."""
    _write("loaded", key, dict(meta))


def program_digest(script: Path) -> str:
    """The digest of a script and of the loop that all of them share."""
    shared = (script.with_name(name) for name in ("wire.py", "proof.py"))
    own = [path for path in (script, *shared) if path.is_file()]
    return sha256(b"".join(path.read_bytes() for path in own)).hexdigest()


def _folder_of(name: str, revision: str) -> Path | None:
    """Where the files of a model are: in our cache, or in that of the hub's own tool."""
    folders = [cache_folder() / "models" / name / revision] if revision else []
    hub = os.environ.get("HF_HUB_CACHE")
    home = expanded(os.environ.get("HF_HOME") or "~/.cache/huggingface")
    there = (expanded(hub) if hub else home / "hub") / f"models--{name.replace('/', '--')}"
    if not revision:
        try:
            revision = (there / "refs" / "main").read_text().strip()
        except OSError:
            return None
    folders.append(there / "snapshots" / revision)
    return next((folder for folder in folders if folder.is_dir()), None)


def _digests(folder: Path, names: Sequence[str] | Mapping[str, str]) -> Any:
    paths = {name: folder / name for name in names} or dict(_files_below(folder))
    if not all(path.is_file() for path in paths.values()):
        return None
    if not any(name.endswith((*_WEIGHTS, ".model")) for name in paths):
        raise ModelError(f"{shown(folder)} has no weights, expected a file *{', *'.join(_WEIGHTS)}")
    return {name: digest_of(path) for name, path in paths.items()}


def _files_below(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in _KEPT:
            yield path.relative_to(folder).as_posix(), path


def not_here(model: PinnedModel, script: str = "") -> ModelError:
    """Say how the files of a model come to this machine."""
    there = f"{model.name}{f' @ {model.revision[:12]}' if model.revision else ''} is not on this machine"
    if model.is_gated:
        at = f" at revision {model.revision}, which is found there, or by --from FOLDER" if model.is_pinned else ""
        return ModelError(
            f"{there}, and it asks for an agreement: open its page, accept, and get its files with the hub's own "
            f"tool{at}; truebleu takes no token"
        )
    if model.is_pinned and is_offline():
        return ModelError(
            f"{there}, and the network is off: truebleu metrics fetch {model.name} on a machine that has it, then copy "
            "the folder, and name it here by fetch --from FOLDER"
        )
    if model.is_pinned:
        return ModelError(f"{there}: truebleu metrics fetch {model.name} brings it here")
    folder = model.name if Path(model.name).exists() else "folder"
    named = f", as in -m {script}=./{folder}" if script else ""
    return ModelError(
        f"{there}, and it has no revision and no digests here, so nothing fetches what could not be verified: get it "
        f"with the hub's own tool, or name a folder{named}"
    )


def _time(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


def _file(kind: str) -> Path:
    return state_folder() / "runners" / f"{kind}.json"


def _read(kind: str) -> dict[str, Any]:
    try:
        found = json.loads(_file(kind).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _write(kind: str, key: str, value: object) -> None:
    """Remember something; where the folder cannot be written, it is found out again."""
    try:
        _file(kind).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with replacing(_file(kind)) as file:
            file.write(json.dumps({**_read(kind), key: value}).encode())
    except OSError:
        pass
