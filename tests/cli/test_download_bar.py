"""The progress bar: on a terminal, and nowhere else."""

import hashlib
import io
import sys
from pathlib import Path

import pytest

from loopback import CONTENT, isolate, serving
from truebleu.cli.download_bar import progress_bar
from truebleu.store import RemoteFile, fetch


class Screen(io.StringIO):
    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


@pytest.mark.parametrize("terminal", [True, False])
def test_a_download_is_shown_on_a_terminal_only(
    terminal: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    isolate(tmp_path, monkeypatch)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", Screen(terminal))
    sha256 = hashlib.sha256(CONTENT).hexdigest()
    with serving() as server, progress_bar():
        fetch(RemoteFile(f"{server.url}/good", "some.model", "models", sha256=sha256))
    assert terminal == ("some.model" in sys.stderr.getvalue())  # type: ignore[attr-defined]
    assert terminal == bool(sys.stderr.getvalue())  # type: ignore[attr-defined]
