"""Weights of learned metrics: fetched or copied, and verified."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loopback import forbid_sockets, isolate, serving
from truebleu.errors import DownloadError, ModelError, OptionError
from truebleu.runners import models
from truebleu.runners.families import FAMILIES, PinnedModel
from truebleu.runners.identity import model_files
from truebleu.runners.models import fetch_model, is_here, model_folder, models_of
from truebleu.store import offline

FILES = {"hparams.yaml": b"class_identifier: regression_metric\n", "checkpoints/model.ckpt": b"weights" * 100}
MODEL = PinnedModel("org/small", "0123abcd", {name: hashlib.sha256(data).hexdigest() for name, data in FILES.items()})


@pytest.fixture(autouse=True)
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    isolate(tmp_path, monkeypatch)
    with serving({f"/org/small/resolve/0123abcd/{name}": data for name, data in FILES.items()}) as server:
        monkeypatch.setenv("HF_ENDPOINT", f"{server.url}/")
        yield server


def test_a_model_is_fetched_once_and_verified(hub: Any) -> None:
    assert not is_here(MODEL)
    folder = fetch_model(MODEL)
    assert (model_folder(MODEL), True) == (folder, is_here(MODEL))
    assert FILES == {name: (folder / name).read_bytes() for name in FILES}
    assert [folder] == [fetch_model(MODEL)] and 2 == len(hub.requests)
    (folder / "hparams.yaml").write_bytes(b"damaged")
    fetch_model(MODEL)
    assert FILES["hparams.yaml"] == (folder / "hparams.yaml").read_bytes()


def test_another_file_is_not_taken(hub: Any) -> None:
    hub.files["/org/small/resolve/0123abcd/checkpoints/model.ckpt"] = b"other weights"
    with pytest.raises(DownloadError, match=r"model\.ckpt.*(?s:.*)has sha256 .*, expected"):
        fetch_model(MODEL)
    assert not is_here(MODEL)


@pytest.mark.parametrize(
    "layout", ["", "org/small", "models--org--small/snapshots/0123abcd", "models/org/small/0123abcd"]
)
def test_a_folder_replaces_the_network(layout: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forbid_sockets(monkeypatch)
    for name, data in FILES.items():
        path = tmp_path / "there" / layout / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    assert is_here(MODEL) is False
    folder = fetch_model(MODEL._replace(is_gated=True), tmp_path / "there")
    assert FILES == {name: (folder / name).read_bytes() for name in FILES}


def test_a_damaged_or_missing_file_of_a_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"has no hparams\.yaml of org/small$"):
        fetch_model(MODEL, tmp_path)
    (tmp_path / "hparams.yaml").write_bytes(b"other")
    with pytest.raises(ModelError, match=r"hparams\.yaml has sha256 .*: another file, or a damaged one$"):
        fetch_model(MODEL, tmp_path)
    assert not is_here(MODEL)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("bertscore", r"has no revision and no digests here, so nothing fetches what could not be verified: get it"),
        ("Unbabel/wmt20-comet-da", "get it with the hub's own tool, or name a folder$"),
        ("google/metricx-23-large-v2p0", "has no revision and no digests"),
        ("cometkiwi", r"asks for an agreement: .* tool at revision 1ad78.*, or by --from FOLDER; truebleu takes no"),
        ("xcomet", "asks for an agreement: .* get its files with the hub's own tool; truebleu takes no token$"),
        ("Unbabel/wmt23-cometkiwi-da-xxl", "asks for an agreement"),
    ],
)
def test_what_cannot_be_verified_or_is_gated_is_not_fetched(
    name: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    forbid_sockets(monkeypatch)
    with pytest.raises(ModelError, match=message):
        fetch_model(models_of(name)[0])


def test_weights_that_are_not_here_say_how_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    forbid_sockets(monkeypatch)
    for model, message in (
        ("Unbabel/wmt22-comet-da", "@ 2760a223ac95 is not on this machine: truebleu metrics fetch Unbabel/wmt22-comet"),
        ("Unbabel/wmt22-cometkiwi-da", "asks for an agreement"),
        ("my/own", "get it with the hub's own tool, or name a folder, as in -m comet=./folder"),
    ):
        with pytest.raises(ModelError, match=message):
            model_files(model, "", "comet")
    with offline(), pytest.raises(ModelError, match=r"and the network is off: .* by fetch --from FOLDER"):
        model_files("Unbabel/wmt22-comet-da", "", "comet")


def test_a_pinned_model_with_other_weights_is_refused_before_anything_starts() -> None:
    model = FAMILIES["comet"].model
    for name in model.files:
        (model_folder(model) / name).parent.mkdir(parents=True, exist_ok=True)
        (model_folder(model) / name).write_bytes(b"other weights")
    with pytest.raises(ModelError, match=r"of Unbabel/wmt22-comet-da is [0-9a-f]{12}, expected e213091cde22: another"):
        model_files(model.name, "", "comet")


def test_a_metric_stands_for_its_model_and_its_tokenizer() -> None:
    assert ["google/metricx-24-hybrid-xl-v2p6", "google/mt5-xl"] == [one.name for one in models_of("metricx")]
    assert [FAMILIES["comet"].model, FAMILIES["comet"].tokenizer] == models_of("Unbabel/wmt22-comet-da")
    assert ["google/mt5-xl"] == [one.name for one in models_of("google/mt5-xl")]
    with pytest.raises(OptionError, match=r"called comett \(did you mean comet"):
        models_of("comett")


def test_files_of_a_revision_without_a_digest_are_the_same_later(hub: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "_ALSO", {"org/small": ("config.json",)})
    hub.files["/org/small/resolve/0123abcd/config.json"] = b"{}"
    config = fetch_model(MODEL) / "config.json"
    config.write_bytes(b"{ }")
    hub.files["/org/small/resolve/0123abcd/config.json"] = b"[]"
    with pytest.raises(DownloadError, match="according to"):
        fetch_model(MODEL)
