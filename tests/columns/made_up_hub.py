"""A hub of datasets on this machine, as far as `hf://` asks for one."""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit


class Handler(BaseHTTPRequestHandler):
    """The dataset `x/y`, whose files are those of the server's folder."""

    server: Any

    def log_message(self, *_: object) -> None:
        """Print nothing."""

    def do_GET(self) -> None:
        path, root = unquote(urlsplit(self.path).path), self.server.folder
        if path.startswith("/api/datasets/x/y/tree/main"):
            listed = [self._entry(one, root) for one in sorted(root.rglob("*"))]
            self._send(json.dumps(listed).encode())
        elif path == "/api/datasets/x/y":
            self._send(json.dumps({"id": "x/y", "sha": "1" * 40, "siblings": [], "tags": []}).encode())
        elif (found := re.fullmatch(r"/datasets/x/y/resolve/main/(.*)", path)) and (root / found[1]).is_file():
            content = (root / found[1]).read_bytes()
            wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers["Range"] or f"bytes=0-{len(content) - 1}")
            assert wanted is not None
            self._send(content[int(wanted[1]) : int(wanted[2]) + 1], 206)
        else:
            self._send(b"{}", 404)

    def _entry(self, path: Path, root: Path) -> dict[str, object]:
        kind, size = ("directory", 0) if path.is_dir() else ("file", path.stat().st_size)
        return {"type": kind, "path": path.relative_to(root).as_posix(), "size": size, "oid": "0" * 40}

    def _send(self, content: bytes, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def hub(folder: Path) -> Iterator[str]:
    """A hub with one dataset, and its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.folder = folder  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
