"""Without a network a missing file is one line at once: what it is, where it comes from, and where to put it."""

import re
import socket
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import requests

from cli.conftest import run_here
from loopback import CONTENT, isolate, serving
from truebleu import _atomic
from truebleu.errors import DownloadError
from truebleu.store import RemoteFile, download, fetch

INSIDE = re.compile(
    r"PosixPath|\.part\b|HTTPS?Connection|urllib3|requests\.|Max retries|Caused by|\[Errno|object at 0x"
)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return isolate(tmp_path, monkeypatch)


@pytest.fixture
def server() -> Iterator[Any]:
    with serving() as running:
        yield running


def a_file(*urls: str) -> RemoteFile:
    return RemoteFile(urls[0], "some.model", "models", mirrors=urls[1:])


def closed_port() -> int:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port: int = unused.getsockname()[1]
    return port


def message(file: RemoteFile) -> tuple[str, float]:
    start = time.monotonic()
    with pytest.raises(DownloadError) as caught:
        fetch(file)
    assert not INSIDE.search(str(caught.value)), caught.value
    return str(caught.value), time.monotonic() - start


def lookups(monkeypatch: pytest.MonkeyPatch, answer: Any) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", answer)


def unknown_name(*_: object, **__: object) -> None:
    raise socket.gaierror(-2, "Name or service not known")


def never_answers(*_: object, **__: object) -> None:
    time.sleep(10)  # a resolver whose servers are away
    raise socket.gaierror(-3, "Temporary failure in name resolution")


def swallows(address: object, timeout: float | None = None, *_: object, **__: object) -> None:
    time.sleep(min(timeout or 60, 60))  # packets go nowhere
    raise TimeoutError("timed out")


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("name", "data.example cannot be found by its name, other.example cannot be found by its name"),
        ("resolver", "data.example does not answer, other.example does not answer"),
        ("packets", "data.example does not answer, other.example does not answer"),
    ],
)
def test_one_line_within_two_seconds(kind: str, told: str, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if kind == "packets":
        monkeypatch.setattr(socket, "create_connection", swallows)
    else:
        lookups(monkeypatch, unknown_name if kind == "name" else never_answers)
    monkeypatch.setattr(download, "PAUSE", 1.0)
    text, seconds = message(a_file("https://data.example/some.model", "https://other.example/x"))
    home = cache / "models" / "some.model"
    assert seconds < 2 and "\n" not in text
    parts = text.partition("(")[2].partition(")")[0].split(", ")
    assert told.split(", ") == sorted(parts)
    assert text.startswith("some.model is missing here, and no server that has it can be reached (")
    assert f"): get it elsewhere from https://data.example/some.model, and put it at {home};" in text


def test_a_refused_connection_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "PAUSE", 1.0)
    text, seconds = message(a_file(f"http://127.0.0.1:{closed_port()}/x"))
    assert seconds < 2 and "(127.0.0.1 refuses the connection)" in text


def test_one_server_that_answers_is_enough(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    found = fetch(a_file(f"http://127.0.0.1:{closed_port()}/x", f"{server.url}/good"))
    assert CONTENT == found.read_bytes()


def test_a_proxy_is_asked_in_place_of_the_server(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", server.url)
    assert "" == download.unreachable(["https://data.example/x"])
    monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{closed_port()}")
    assert "127.0.0.1 refuses the connection" == download.unreachable(["https://data.example/x"])


def test_a_folder_of_copies_is_asked_without_a_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lookups(monkeypatch, unknown_name)
    (tmp_path / "mirror" / "data.example").mkdir(parents=True)
    for name in ("data.example/some.model", "some.model"):
        (tmp_path / "mirror" / name).write_bytes(CONTENT)
    monkeypatch.setenv("TRUEBLEU_MIRROR", str(tmp_path / "mirror"))
    assert CONTENT == fetch(a_file("https://data.example/some.model")).read_bytes()


@pytest.mark.parametrize("path", ["/missing", "/status/500/9", "/cut", "/loop", "/to/ftp://x", "/other"])
def test_other_failures_do_not_show_the_inside_either(path: str, server: Any) -> None:
    message(replace(a_file(server.url + path), sha256="0" * 64))


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (requests.exceptions.SSLError("[SSL: X] (_ssl.c:1007)"), "makes no secure connection"),
        (requests.exceptions.ConnectTimeout("HTTPSConnectionPool(host=...)"), "does not answer"),
        (requests.exceptions.ReadTimeout("HTTPSConnectionPool(host=...)"), "timed out while it was sending"),
        (requests.exceptions.ProxyError("HTTPSConnectionPool(host=...)"), "is behind a proxy that cannot be reached"),
        (PermissionError(13, "Permission denied", "/cache/models"), "/cache/models: Permission denied"),
    ],
)
def test_errors_of_libraries_in_our_words(error: Exception, told: str) -> None:
    assert told == download._in_words(error)


def test_the_command_says_it_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    lookups(monkeypatch, unknown_name)
    run = run_here(["-t", "wmt22", "-l", "en-de", "-i", __file__])
    assert 1 == run.code and 1 == run.err.count("\n") and not INSIDE.search(run.err)
    assert run.err.startswith("truebleu: wmt22.v1.1.tar.gz is missing here, and no server")


def test_a_file_that_cannot_be_written_has_its_own_name_in_the_message(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file where a folder is wanted")
    with pytest.raises(OSError) as caught, _atomic.aside(tmp_path / "out" / "x.html") as part:
        part.open("xb")
    assert str(tmp_path / "out" / "x.html") == caught.value.filename and ".part" not in str(caught.value)
