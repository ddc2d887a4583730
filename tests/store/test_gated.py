"""Files that need a token, files that Git knows, and what servers send in place of data."""

import hashlib
import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from loopback import CONTENT, isolate, serving
from truebleu.errors import DownloadError
from truebleu.store import RemoteFile, download, fetch
from truebleu.store.files import digest_of

SHA256 = hashlib.sha256(CONTENT).hexdigest()
BLOB = hashlib.sha1(b"blob %d\0" % len(CONTENT) + CONTENT).hexdigest()
TOKEN = "hf_onlyForOneHost"
POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{SHA256}\nsize {len(CONTENT)}\n".encode()
LOGIN = b"\n<!DOCTYPE html>\n<html><title>Log in</title></html>\n"


@pytest.fixture
def server() -> Iterator[Any]:
    with serving({"/pointer": POINTER, "/login": LOGIN}) as running:
        yield running


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # The loopback by its number is the host that wants a token; by its name it is another host.
    monkeypatch.setattr(download, "TOKENS", {"127.0.0.1": "HF_TOKEN"})
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    return isolate(tmp_path, monkeypatch)


@pytest.fixture
def gated(server: Any) -> RemoteFile:
    return RemoteFile(f"{server.url}/good", "set.jsonl", "lab/raw", sha256=SHA256, gated=True)


def test_a_gated_file_is_asked_for_with_the_token(gated: RemoteFile, server: Any) -> None:
    assert CONTENT == fetch(gated).read_bytes()
    assert [f"Bearer {TOKEN}"] == [signature for _, _, signature in server.signed]


def test_a_file_that_is_not_gated_is_asked_for_without_the_token(gated: RemoteFile, server: Any) -> None:
    fetch(replace(gated, gated=False))
    assert [None] == [signature for _, _, signature in server.signed]


def test_the_token_goes_to_no_other_host_by_redirect(gated: RemoteFile, server: Any) -> None:
    elsewhere = server.url.replace("127.0.0.1", "localhost")
    assert CONTENT == fetch(replace(gated, url=f"{server.url}/to/{elsewhere}/good")).read_bytes()
    (first, _, signed), (second, _, unsigned) = server.signed
    assert first.startswith("127.0.0.1") and signed == f"Bearer {TOKEN}"
    assert second.startswith("localhost") and unsigned is None


def test_the_token_goes_to_no_mirror(gated: RemoteFile, server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "TOKENS", {"huggingface.co": "HF_TOKEN"})
    monkeypatch.setenv("TRUEBLEU_MIRROR", server.url)
    server.files["/huggingface.co/datasets/lab/set.jsonl"] = CONTENT
    fetch(replace(gated, url="https://huggingface.co/datasets/lab/set.jsonl"))
    assert [None] == [signature for _, _, signature in server.signed]


def test_a_refused_token_is_said_and_never_shown(
    gated: RemoteFile, server: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for status in (401, 403):
        with pytest.raises(DownloadError, match=rf"requires authentication \({status}\); was your token") as caught:
            fetch(replace(gated, url=f"{server.url}/status/{status}/9/set.jsonl"))
        assert TOKEN not in str(caught.value) and "Bearer $HF_TOKEN" in str(caught.value)
    assert TOKEN not in caplog.text
    assert 2 == len(server.signed)  # Asking again would not help.


def test_without_a_token_nothing_is_asked(gated: RemoteFile, server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_TOKEN")
    url = f"{server.url}/datasets/lab/set/resolve/main/x.jsonl"
    with pytest.raises(DownloadError, match=r"is gated: agree to its terms at \S+/lab/set and set HF_TOKEN"):
        fetch(replace(gated, url=url))
    assert [] == server.requests


@pytest.mark.parametrize("odd", ["hf one", "hf_\u00e9", "hf\x7fone"])
def test_what_cannot_be_a_token_is_not_shown(gated: RemoteFile, odd: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message of whoever refuses a header would show it."""
    monkeypatch.setenv("HF_TOKEN", odd)
    with pytest.raises(DownloadError, match="HF_TOKEN has a character that is not allowed in a token") as caught:
        fetch(gated)
    assert odd not in str(caught.value)


def test_a_server_that_wants_a_login_for_an_open_file(gated: RemoteFile, server: Any) -> None:
    with pytest.raises(DownloadError, match=r"requires authentication \(401\); is it gated\?"):
        fetch(replace(gated, url=f"{server.url}/status/401/9/set.jsonl", gated=False))


@pytest.mark.parametrize("known", [{"sha256": SHA256}, {"git_blob": BLOB}, {}])
def test_a_pointer_or_a_web_page_in_place_of_data_is_called_so(
    gated: RemoteFile, server: Any, known: dict[str, str]
) -> None:
    bare = replace(gated, sha256=None, gated=False)
    with pytest.raises(DownloadError, match=f"is a Git LFS pointer of the data with sha256 {SHA256}"):
        fetch(replace(bare, url=f"{server.url}/pointer", **known))
    with pytest.raises(DownloadError, match="is a web page, perhaps a login page, not the data"):
        fetch(replace(bare, url=f"{server.url}/login", **known))
    assert not bare.home.exists() and not bare.record.exists()


def test_a_blob_of_git_is_verified_and_its_sha256_recorded(gated: RemoteFile, server: Any) -> None:
    file = replace(gated, sha256=None, git_blob=BLOB)
    assert file.unseen
    copy = fetch(file)
    assert BLOB == digest_of(copy, "git_blob")
    assert SHA256 == file.record.read_text().split()[0] and not file.unseen
    copy.write_bytes(CONTENT[:-1])
    assert CONTENT == fetch(file).read_bytes()
    with pytest.raises(DownloadError, match=f"has git_blob {BLOB}, expected 0000"):
        fetch(replace(file, filename="other", git_blob="0" * 40))
