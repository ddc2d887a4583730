"""A server on the loopback with the faults of real ones, and an environment in which nothing else can be reached."""

import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from truebleu.store import download

CONTENT = b"a model, let us say " * 5000


class Handler(BaseHTTPRequestHandler):
    """`/good` serves CONTENT, a path in `server.files` what is there; the other paths do what their names say."""

    server: Any

    def do_GET(self) -> None:
        self.server.requests.append(self.path)
        self.server.signed.append((self.headers["Host"], self.path, self.headers["Authorization"]))
        asked = self.server.requests.count(self.path)
        if self.path.startswith("/status/"):  # /status/500/2/…: twice 500, then all is well
            status, times = (int(number) for number in self.path.split("/")[2:4])
            if asked <= times:
                return self._refuse(status)
        if self.path.startswith("/to/"):
            return self._redirect(self.path.removeprefix("/to/"))
        if self.path == "/loop":
            return self._redirect("/loop")
        if self.path.startswith("/cut-then-good") and asked > 1:
            return self._send(CONTENT, CONTENT)
        if self.path.startswith("/cut"):
            return self._send(CONTENT, CONTENT[:-1000])
        if self.path == "/stall":
            return self._stall()
        if self.path == "/drip":
            return self._drip(CONTENT)
        if self.path == "/drip-headers":
            return self._drip(b"X: " + b"x" * 60_000, in_headers=True)
        if self.path == "/drip-redirect":
            return self._drip(CONTENT, status=302, location="/good")
        if self.path.startswith("/length/"):  # what stands there is the Content-Length
            return self._send(CONTENT, CONTENT, length=self.path.removeprefix("/length/"))
        if self.path == "/shouting":
            return self.send_error(404, "\x1b[31mred\x1b]0;title\x07")
        if self.path == "/labelled":
            return self._send(CONTENT, CONTENT, ("Content-Encoding", "gzip"))
        body = {"/other": CONTENT[::-1], "/good": CONTENT, **self.server.files}.get(self.path)
        if body is None and not self.path.startswith("/status/"):
            return self._refuse(404)
        return self._send(body or CONTENT, body or CONTENT)

    def _refuse(self, status: int) -> None:
        self.send_response(status)
        self.send_header("Retry-After", "0")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _redirect(self, location: str) -> None:
        self.send_response(302)
        self.send_header("Location", location)
        self.end_headers()

    def _send(self, promised: bytes, body: bytes, *headers: tuple[str, str], length: str = "") -> None:
        self.send_response(200)
        self.send_header("Content-Length", length or str(len(promised)))
        for header in headers:
            self.send_header(*header)
        self.end_headers()
        self.wfile.write(body)

    def _stall(self) -> None:
        """Some of a large file, then nothing for as long as the test says."""
        self.send_response(200)
        self.send_header("Content-Length", str(8 * len(CONTENT)))
        self.end_headers()
        self.wfile.write(4 * CONTENT)
        self.wfile.flush()
        self.server.stalled.set()
        self.server.released.wait(20)

    def _drip(self, what: bytes, *, status: int = 200, location: str = "", in_headers: bool = False) -> None:
        """A byte now and then, so that no timeout is reached."""
        self.send_response(status)
        self.send_header("Content-Length", str(len(what)))
        if location:
            self.send_header("Location", location)
        if in_headers:
            self.flush_headers()
        else:
            self.end_headers()
        with suppress(OSError):
            for at in range(600):
                self.wfile.write(what[at : at + 1])
                self.wfile.flush()
                if self.server.released.wait(0.02):
                    return

    def log_message(self, *args: object) -> None:
        pass


def serving(files: dict[str, bytes] | None = None) -> AbstractContextManager[Any]:
    return running_server(Handler, requests=[], files=files or {}, signed=[], stalled=threading.Event())


@contextmanager
def running_server(handler: type[BaseHTTPRequestHandler], **state: Any) -> Iterator[Any]:
    """Run a server whose handlers find this state in it; who waits for `released` goes on when it ends."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        running.daemon_threads = True
        server: Any = running
        vars(server).update(state, released=threading.Event(), url=f"http://127.0.0.1:{running.server_port}")
        threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield server
        finally:
            server.released.set()
            running.shutdown()


def isolate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache and a home of the test's own, no proxy, no way to other machines, and no waiting."""
    for name in list(os.environ):
        if name.lower().endswith("_proxy") or name.startswith(("SACREBLEU", "TRUEBLEU_", "XDG_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TRUEBLEU_CACHE", str(tmp_path / "cache"))
    connect = socket.socket.connect

    def only_loopback(self: socket.socket, address: Any) -> None:
        assert address[0] in ("127.0.0.1", "::1"), f"a connection to {address}"
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", only_loopback)
    monkeypatch.setattr(download, "PAUSE", 0.001)
    return tmp_path / "cache"


def forbid_sockets(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@contextmanager
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


def wait_until(condition: Any, seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)
