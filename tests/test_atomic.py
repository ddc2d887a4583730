"""Files that are written whole, and what is no file."""

import os
import threading
from pathlib import Path

import pytest

from truebleu._atomic import check_targets, write_whole
from truebleu.cli.main import main

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")


def _read_from(pipe: Path, found: list[bytes]) -> threading.Thread:
    thread = threading.Thread(target=lambda: found.append(pipe.read_bytes()), daemon=True)
    thread.start()
    return thread


def test_a_pipe_or_a_device_is_written_to_and_stays_what_it_is(tmp_path: Path) -> None:
    pipe, found = tmp_path / "pipe", list[bytes]()
    os.mkfifo(pipe)
    thread = _read_from(pipe, found)
    check_targets([pipe], overwrite=True)
    write_whole(pipe, b"whole")
    thread.join(60)
    assert [b"whole"] == found and pipe.is_fifo()
    assert [pipe] == list(tmp_path.iterdir())


def test_a_command_writes_to_a_pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ref").write_text("a cat sat\non a mat\n", "utf-8")
    Path("joined").write_text("a cat sat on a mat\n", "utf-8")
    pipe, found = tmp_path / "pipe", list[bytes]()
    os.mkfifo(pipe)
    thread = _read_from(pipe, found)
    assert 0 == main(["resegment", "ref", "-i", "joined", "-o", "pipe", "-q"])
    thread.join(60)
    assert [b"a cat sat\non a mat\n"] == found and pipe.is_fifo()
