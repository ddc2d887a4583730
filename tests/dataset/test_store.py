"""The store against a server on the loopback: nothing here reaches a network."""

import contextlib
import hashlib
import importlib
import logging
import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from truebleu.dataset import store
from truebleu.dataset.store import RemoteFile, cache_folder, fetch, is_offline, sacrebleu_folder
from truebleu.errors import DownloadError, MissingDependency

CONTENT = b"a model, let us say " * 5000
SHA256 = hashlib.sha256(CONTENT).hexdigest()
MD5 = hashlib.md5(CONTENT).hexdigest()


class Handler(BaseHTTPRequestHandler):
    """`/good` serves CONTENT; the other paths do what their names say."""

    def do_GET(self) -> None:
        self.server.requests.append(self.path)  # type: ignore[attr-defined]
        if self.path == "/missing":
            self.send_error(404)
        elif self.path.startswith("/to/"):
            self.send_response(302)
            self.send_header("Location", self.path.removeprefix("/to/"))
            self.end_headers()
        else:
            self.send_response(200)
            self.send_header("Content-Length", str(len(CONTENT)))
            self.end_headers()
            body = {"/cut": CONTENT[:-1000], "/other": CONTENT[::-1]}.get(self.path, CONTENT)
            self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Any]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.requests = []  # type: ignore[attr-defined]
        running.url = f"http://127.0.0.1:{running.server_port}"  # type: ignore[attr-defined]
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.shutdown()


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache and a home of the test's own, no proxy, and no way to other machines."""
    for name in list(os.environ):
        if name.lower().endswith("_proxy") or name in ("SACREBLEU", "TRUEBLEU_OFFLINE", "XDG_CACHE_HOME"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TRUEBLEU_CACHE", str(tmp_path / "cache"))
    connect = socket.socket.connect

    def only_loopback(self: socket.socket, address: Any) -> None:
        assert address[0] in ("127.0.0.1", "::1"), f"a connection to {address}"
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", only_loopback)
    return tmp_path / "cache"


@pytest.fixture
def file(server: Any) -> RemoteFile:
    return RemoteFile(f"{server.url}/good", "some.model", "models", sha256=SHA256)


@pytest.fixture
def unknown(file: RemoteFile) -> RemoteFile:
    """The same file, its checksum not published."""
    return replace(file, sha256=None, check=starts_like_a_model)


def starts_like_a_model(path: Path) -> str | None:
    return None if path.read_bytes().startswith(b"a model") else "is no model"


def place(folder: Path, content: bytes = CONTENT) -> Path:
    path = folder / "models" / "some.model"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


# --- fetching ---------------------------------------------------------------------------------


def test_a_file_is_downloaded_once(file: RemoteFile, server: Any, cache: Path) -> None:
    assert cache / "models" / "some.model" == fetch(file) == fetch(file)
    assert CONTENT == fetch(file).read_bytes()
    assert ["/good"] == server.requests


def test_nothing_is_left_beside_it(file: RemoteFile) -> None:
    assert ["some.model"] == [path.name for path in fetch(file).parent.iterdir()]


def test_other_users_of_the_cache_may_read_it(file: RemoteFile) -> None:
    before = os.umask(0o022)
    try:
        assert 0o644 == fetch(file).stat().st_mode & 0o777
    finally:
        os.umask(before)


def test_an_md5_is_as_good(file: RemoteFile) -> None:
    assert CONTENT == fetch(replace(file, sha256=None, md5=MD5.upper())).read_bytes()


def test_redirects_are_followed(file: RemoteFile, server: Any) -> None:
    fetch(replace(file, url=f"{server.url}/to//good"))
    assert ["/to//good", "/good"] == server.requests


def test_a_mirror_is_tried_when_the_address_fails(file: RemoteFile, server: Any) -> None:
    fetch(replace(file, url=f"{server.url}/missing", mirrors=(file.url,)))
    assert ["/missing", "/good"] == server.requests


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/missing", "404"),
        ("/cut", "the download|IncompleteRead|Connection broken"),
        ("/other", "has sha256"),
    ],
)
def test_a_failed_download_leaves_nothing_and_says_why(
    path: str, reason: str, file: RemoteFile, server: Any, cache: Path
) -> None:
    with pytest.raises(DownloadError, match=reason) as caught:
        fetch(replace(file, url=server.url + path))
    assert server.url + path in str(caught.value)
    assert [] == list((cache / "models").iterdir())


def test_a_cut_download_is_noticed_without_a_checksum(unknown: RemoteFile, server: Any, cache: Path) -> None:
    """By its length alone: what arrives would pass the check."""
    with pytest.raises(DownloadError, match="IncompleteRead"):
        fetch(replace(unknown, url=f"{server.url}/cut"))
    assert [] == list((cache / "models").iterdir())


def test_a_server_that_is_gone_is_a_download_error(file: RemoteFile) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/x"
    with pytest.raises(DownloadError, match=r"no good copy of some\.model is in the cache"):
        fetch(replace(file, url=url))


def test_a_silent_server_is_given_up(file: RemoteFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "TIMEOUT", (0.2, 0.2))
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/x"
        with pytest.raises(DownloadError, match="timed out"):
            fetch(replace(file, url=url))


@pytest.mark.parametrize("url", ["http://example.org/x", "ftp://example.org/x", "file:///etc/passwd", "http://[::2]/x"])
def test_only_https_is_spoken_to_others(url: str, file: RemoteFile, server: Any) -> None:
    with pytest.raises(DownloadError, match="is not an https address"):
        fetch(replace(file, url=url))
    with pytest.raises(DownloadError, match="is not an https address"):
        fetch(replace(file, url=f"{server.url}/to/{url}"))


def test_without_pooch_the_error_says_what_to_install(file: RemoteFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(MissingDependency, match="pip install pooch"):
        fetch(file)


def test_offline_nothing_is_asked_and_the_error_says_what_to_do(
    file: RemoteFile, server: Any, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRUEBLEU_OFFLINE", "1")
    with pytest.raises(DownloadError) as caught:
        fetch(file)
    message = str(caught.value)
    assert "TRUEBLEU_OFFLINE is set" in message
    assert f"curl -L -o some.model {file.url}" in message
    assert f"put it at {cache / 'models' / 'some.model'}" in message
    assert isinstance(caught.value, OSError)
    assert [] == server.requests


def test_offline_a_cached_file_is_used(
    file: RemoteFile, server: Any, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRUEBLEU_OFFLINE", "1")
    monkeypatch.setitem(sys.modules, "pooch", None)
    assert place(cache) == fetch(file)
    assert [] == server.requests


# --- damage -----------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"", CONTENT[:-1], CONTENT.replace(b"m", b"n", 1)])
def test_a_damaged_file_is_logged_and_fetched_anew(
    content: bytes, file: RemoteFile, cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = place(cache, content)
    with caplog.at_level(logging.WARNING, logger="truebleu"):
        assert CONTENT == fetch(file).read_bytes()
    assert f"not used: {path} " in caplog.text


def test_offline_a_damaged_file_is_an_error_that_names_it(
    file: RemoteFile, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = place(cache, CONTENT[:-1])
    monkeypatch.setenv("TRUEBLEU_OFFLINE", "1")
    with pytest.raises(DownloadError, match=rf"{path} has sha256 \w+, expected {SHA256}"):
        fetch(file)
    assert CONTENT[:-1] == path.read_bytes()


def test_a_failed_repair_keeps_what_was_there(file: RemoteFile, server: Any, cache: Path) -> None:
    path = place(cache, b"damaged")
    with pytest.raises(DownloadError):
        fetch(replace(file, url=f"{server.url}/missing"))
    assert b"damaged" == path.read_bytes()


# --- files without a published checksum -------------------------------------------------------


def test_the_first_checksum_is_written_as_sha256sum_would(unknown: RemoteFile) -> None:
    path = fetch(unknown)
    assert f"{SHA256}  some.model\n" == path.with_name("some.model.sha256").read_text()


def test_what_changes_later_is_noticed_and_repaired(
    unknown: RemoteFile, server: Any, caplog: pytest.LogCaptureFixture
) -> None:
    path = fetch(unknown)
    path.write_bytes(CONTENT + b"!")
    with caplog.at_level(logging.WARNING, logger="truebleu"):
        assert CONTENT == fetch(unknown).read_bytes()
    assert "according to" in caplog.text
    assert ["/good", "/good"] == server.requests


def test_a_download_that_differs_from_the_first_is_refused(unknown: RemoteFile, server: Any) -> None:
    path = fetch(unknown)
    path.unlink()
    with pytest.raises(DownloadError, match=rf"has sha256 \w+, expected {SHA256}, according to .*\.sha256"):
        fetch(replace(unknown, url=f"{server.url}/other"))
    assert not path.exists()


def test_a_file_put_by_hand_is_checked_and_recorded(unknown: RemoteFile, server: Any, cache: Path) -> None:
    path = place(cache)
    assert path == fetch(unknown)
    assert path.with_name("some.model.sha256").exists()
    assert [] == server.requests


def test_a_file_that_fails_its_check_is_never_recorded(unknown: RemoteFile, server: Any, cache: Path) -> None:
    place(cache, b"<html>sign in to this hotel's network</html>")
    with pytest.raises(DownloadError, match="is no model"):
        fetch(replace(unknown, url=f"{server.url}/other"))
    assert ["some.model"] == [path.name for path in (cache / "models").iterdir()]


def test_a_garbled_record_matches_nothing_and_is_named(unknown: RemoteFile, server: Any, cache: Path) -> None:
    record = place(cache).with_name("some.model.sha256")
    record.write_bytes(b"\xff")
    with pytest.raises(DownloadError, match=f"according to {record}"):
        fetch(unknown)


# --- caches -----------------------------------------------------------------------------------


def test_a_file_of_sacrebleu_is_used_and_its_folder_left_alone(
    unknown: RemoteFile, server: Any, tmp_path: Path
) -> None:
    path = place(tmp_path / "home" / ".sacrebleu")
    assert path == fetch(unknown) == fetch(unknown)
    assert [path] == list(path.parent.iterdir())
    assert [] == server.requests


def test_a_file_of_sacrebleu_that_changes_is_not_used(unknown: RemoteFile, tmp_path: Path, cache: Path) -> None:
    path = place(tmp_path / "home" / ".sacrebleu")
    fetch(unknown)
    path.write_bytes(CONTENT + b"!")
    assert cache / "models" / "some.model" == fetch(unknown)
    assert CONTENT + b"!" == path.read_bytes()


@pytest.mark.parametrize("content", [b"", b"half a downl"])
def test_a_damaged_file_of_sacrebleu_is_passed_over(content: bytes, unknown: RemoteFile, tmp_path: Path) -> None:
    path = place(tmp_path / "home" / ".sacrebleu", content)
    assert CONTENT == fetch(unknown).read_bytes()
    assert content == path.read_bytes()


def test_the_cache_is_the_first_of_the_two_variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU", str(tmp_path / "theirs"))
    assert tmp_path / "cache" == cache_folder()
    assert tmp_path / "theirs" == sacrebleu_folder()
    monkeypatch.setenv("TRUEBLEU_CACHE", "")
    assert tmp_path / "theirs" == cache_folder()


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="the folder is named differently there")
@pytest.mark.parametrize(("xdg", "folder"), [("", "home/.cache"), ("relative", "home/.cache"), ("{0}/xdg", "xdg")])
def test_else_it_is_the_users_cache(xdg: str, folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRUEBLEU_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", xdg.format(tmp_path))
    assert tmp_path / folder / "truebleu" == cache_folder()


@pytest.mark.parametrize(("value", "offline"), [("", False), ("0", False), ("no", False), ("1", True), ("true", True)])
def test_offline_is_a_switch(value: str, offline: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUEBLEU_OFFLINE", value)
    assert offline == is_offline()


def test_a_cache_that_cannot_be_made_is_a_download_error(
    file: RemoteFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a file").touch()
    monkeypatch.setenv("TRUEBLEU_CACHE", str(tmp_path / "a file" / "cache"))
    with pytest.raises(DownloadError, match="set TRUEBLEU_CACHE to another folder: one you can write"):
        fetch(file)


@contextlib.contextmanager
def without_privileges() -> Iterator[None]:
    """Root may write anywhere; become nobody for a moment."""
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.fixture
def read_only(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache that may be read by all and written by none. pytest's own folders are closed to nobody."""
    for name in ("pooch", "requests"):  # Which nobody may be unable to read.
        importlib.import_module(name)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        place(folder)
        (folder / "models").chmod(0o555)
        folder.chmod(0o555)
        monkeypatch.setenv("TRUEBLEU_CACHE", name)
        monkeypatch.setenv("HOME", "/nonexistent")
        yield folder
        folder.chmod(0o755)
        (folder / "models").chmod(0o755)


def test_a_read_only_cache_is_read(unknown: RemoteFile, server: Any, read_only: Path) -> None:
    with without_privileges():
        assert read_only / "models" / "some.model" == fetch(unknown) == fetch(unknown)
    assert [] == server.requests


def test_a_read_only_cache_without_the_file_is_a_download_error(unknown: RemoteFile, read_only: Path) -> None:
    with without_privileges(), pytest.raises(DownloadError, match="Permission denied"):
        fetch(replace(unknown, filename="other.model"))


def test_an_unreadable_file_is_not_used(file: RemoteFile, read_only: Path) -> None:
    (read_only / "models" / "some.model").chmod(0)
    with (
        without_privileges(),
        pytest.raises(DownloadError, match=r"some\.model cannot be read: .*Permission denied"),
    ):
        fetch(file)


# --- at once ----------------------------------------------------------------------------------


def test_processes_may_fetch_the_same_file_at_once(unknown: RemoteFile, cache: Path) -> None:
    program = (
        "import sys; from truebleu.dataset.store import RemoteFile, fetch;"
        f"file = RemoteFile({unknown.url!r}, 'some.model', 'models');"
        "sys.stdin.readline(); print(fetch(file).stat().st_size)"
    )
    folders = [str(Path(store.__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}
    running = [
        subprocess.Popen(
            [sys.executable, "-c", program],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
        )
        for _ in range(4)
    ]  # fmt: skip
    for process in running:  # All have imported what they need, or nearly: now they go together.
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    assert [f"{len(CONTENT)}\n"] * 4 == [process.communicate()[0] for process in running]
    assert ["some.model", "some.model.sha256"] == sorted(path.name for path in (cache / "models").iterdir())


def test_threads_may_fetch_the_same_file_at_once(file: RemoteFile, cache: Path) -> None:
    found: list[Path] = []
    threads = [threading.Thread(target=lambda: found.append(fetch(file))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [cache / "models" / "some.model"] * 6 == found
    assert CONTENT == found[0].read_bytes()
