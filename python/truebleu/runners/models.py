"""The weights of learned metrics: from the hub, or from a folder, into the cache, verified by their SHA-256.

A file of a pinned revision whose digest is not known is trusted when it first comes, and its digest is required later,
as with the files of test sets. A model without a revision is never fetched.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from truebleu._atomic import aside
from truebleu._shown import did_you_mean, shown
from truebleu.errors import ModelError, OptionError
from truebleu.runners.families import FAMILIES, MODELS, PinnedModel
from truebleu.runners.identity import not_here
from truebleu.store.config import cache_folder
from truebleu.store.files import RemoteFile, fetch, problem_of

HUB = "https://huggingface.co"
# Files that are needed too, and whose digests nobody has published: their revision is pinned.
_ALSO = {"xlm-roberta-large": ("config.json",)}


def models_of(name: str) -> list[PinnedModel]:
    """The model of a metric, or the listed one of this name, and the tokenizer that it is scored with."""
    if name in FAMILIES:
        family = FAMILIES[name]
        return [one for one in (family.model, family.tokenizer) if one is not None]
    if name in MODELS:
        tokenizers = (FAMILIES[one].tokenizer for one in MODELS[name].families[:1])
        return [MODELS[name], *(one for one in tokenizers if one is not None)]
    near = did_you_mean(name, [*FAMILIES, *MODELS])
    raise OptionError(f"no metric and no listed model is called {shown(name)}{near}; expected {', '.join(FAMILIES)}")


def model_folder(model: PinnedModel) -> Path:
    """Where the files of a model are, or would be."""
    return cache_folder() / _below(model)


def is_here(model: PinnedModel) -> bool:
    """Whether all files of a model are in its folder; they are not read."""
    return bool(model.revision) and all(file.home.is_file() for file in files_of(model))


def files_of(model: PinnedModel) -> list[RemoteFile]:
    """The files of a pinned model, on the hub that HF_ENDPOINT names, or the usual one."""
    hub = (os.environ.get("HF_ENDPOINT") or HUB).rstrip("/")
    digests = {**dict.fromkeys(_ALSO.get(model.name, ())), **model.files}
    found = []
    for path, digest in digests.items():
        folder, _, name = f"{_below(model)}/{path}".rpartition("/")
        found.append(RemoteFile(f"{hub}/{model.name}/resolve/{model.revision}/{path}", name, folder, digest))
    return found


def fetch_model(model: PinnedModel, source: Path | None = None) -> Path:
    """Bring the files of a model into its folder, from the hub or from a folder that has them, and verify them."""
    if not model.is_pinned or (source is None and model.is_gated and not is_here(model)):
        raise not_here(model)
    for file in files_of(model):
        if source is None:
            fetch(file)
        elif not (file.home.is_file() and problem_of(file.home, file) is None):
            _copy(_found(source, model, file), file)
    return model_folder(model)


def _below(model: PinnedModel) -> str:
    return f"models/{model.name}/{model.revision}"


def _found(source: Path, model: PinnedModel, file: RemoteFile) -> Path:
    path = file.below.removeprefix(f"{_below(model)}/")
    for folder in _layouts(source, model):
        if (folder / path).is_file():
            return folder / path
    raise ModelError(f"{shown(source)} has no {path} of {model.name}")


def _layouts(source: Path, model: PinnedModel) -> Iterator[Path]:
    """Where the files of a model may be: as in our cache, as in that of the hub's tool, by name, or at once."""
    yield source / _below(model)
    yield source / f"models--{model.name.replace('/', '--')}" / "snapshots" / model.revision
    yield source / model.name
    yield source


def _copy(path: Path, file: RemoteFile) -> None:
    try:
        file.home.parent.mkdir(parents=True, exist_ok=True)
        with aside(file.home) as part:
            shutil.copyfile(path, part)
            if problem := problem_of(part, file):
                raise ModelError(f"{shown(path)} {problem}: another file, or a damaged one")
            os.replace(part, file.home)
    except OSError as error:
        raise ModelError(f"{shown(path)} cannot be copied to {shown(file.home)}: {error.strerror or error}") from error
