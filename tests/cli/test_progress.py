"""The progress bars: on a terminal, and nowhere else."""

import hashlib
import io
import sys
import time
from pathlib import Path

import pytest

from loopback import CONTENT, isolate, serving
from truebleu.cli import progress
from truebleu.store import RemoteFile, fetch


class Screen(io.StringIO):
    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


def shown(monkeypatch: pytest.MonkeyPatch, *, terminal: bool, patience: float, quiet: bool = False) -> str:
    monkeypatch.setattr(progress, "_PATIENCE", patience)
    monkeypatch.setenv("TERM", "xterm")
    screen = Screen(terminal)
    monkeypatch.setattr(sys, "stderr", screen)
    with progress.Progress(2, quiet) as bar:
        for name in ("first", "second"):
            with bar.step(name):
                time.sleep(0.3)
    return screen.getvalue()


def test_long_work_shows_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    text = shown(monkeypatch, terminal=True, patience=0.05)
    assert "first" in text and "second" in text and "1/2" in text


def test_short_work_pipes_and_quiet_show_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "" == shown(monkeypatch, terminal=True, patience=10)
    assert "" == shown(monkeypatch, terminal=False, patience=0.05)
    assert "" == shown(monkeypatch, terminal=True, patience=0.05, quiet=True)


@pytest.mark.parametrize("terminal", [True, False])
def test_a_download_is_shown_on_a_terminal_only(
    terminal: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    isolate(tmp_path, monkeypatch)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", Screen(terminal))
    sha256 = hashlib.sha256(CONTENT).hexdigest()
    with serving() as server, progress.progress_bar():
        fetch(RemoteFile(f"{server.url}/good", "some.model", "models", sha256=sha256))
    assert terminal == ("some.model" in sys.stderr.getvalue())  # type: ignore[attr-defined]
    assert terminal == bool(sys.stderr.getvalue())  # type: ignore[attr-defined]
