"""The progress bars: on a terminal, and nowhere else; standard output stays what it is."""

import hashlib
import io
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from loopback import CONTENT, isolate, serving
from truebleu._atomic import turn
from truebleu.cli import progress
from truebleu.store import RemoteFile, fetch
from truebleu.store.config import lock_folder


class Screen(io.StringIO):
    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


def put_screen(monkeypatch: pytest.MonkeyPatch, terminal: bool = True) -> Screen:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    screen = Screen(terminal)
    monkeypatch.setattr(sys, "stderr", screen)
    return screen


def shown(
    monkeypatch: pytest.MonkeyPatch,
    *,
    terminal: bool,
    patience: float,
    quiet: bool = False,
    names: Sequence[str] = ("first", "second"),
) -> str:
    monkeypatch.setattr(progress, "_PATIENCE", patience)
    screen = put_screen(monkeypatch, terminal)
    with progress.Progress(quiet) as bar:
        bar.steps = len(names)
        for name in names:
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


def test_names_in_a_bar_are_no_markup_and_cannot_act(monkeypatch: pytest.MonkeyPatch) -> None:
    text = shown(monkeypatch, terminal=True, patience=0.05, names=["[red]x[/nothing]", "a\x1b]0;pwned\x07", "n" * 500])
    assert "[red]x[/nothing]" in text and "a\\x1b]0;pwned" in text and "\x1b]0" not in text
    assert "n" * 20 in text and "n" * 51 not in text


@pytest.mark.parametrize("terminal", [True, False])
def test_a_download_is_shown_on_a_terminal_only(
    terminal: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    isolate(tmp_path, monkeypatch)
    screen = put_screen(monkeypatch, terminal)
    sha256 = hashlib.sha256(CONTENT).hexdigest()
    with serving() as server, progress.Progress():
        fetch(RemoteFile(f"{server.url}/good", "some.model", "models", sha256=sha256))
    text = screen.getvalue()
    assert terminal == bool(text)
    for part in ("connecting to 127.0.0.1...", "some.model", "of 100.0 kB"):
        assert terminal == (part in text)


def test_waiting_for_another_process_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    isolate(tmp_path, monkeypatch)
    screen = put_screen(monkeypatch)
    with serving() as server:
        file = RemoteFile(f"{server.url}/good", "m", "models", sha256=hashlib.sha256(CONTENT).hexdigest())
        is_ours, may_go = threading.Event(), threading.Event()

        def work() -> None:
            with turn(file.home, lock_folder()):
                is_ours.set()
                may_go.wait(20)

        other = threading.Thread(target=work)
        other.start()
        is_ours.wait(20)
        threading.Timer(0.5, may_go.set).start()
        with progress.Progress():
            fetch(file)
        other.join()
    assert "waiting for another process" in screen.getvalue()


# In a pseudo-terminal.


def on_a_terminal(words: str, output: Path | None = None, columns: int = 100) -> str:
    """What a terminal gets that standard error, and standard output unless it goes to a file, are connected with.

    Every change is drawn at once, so that what is seen does not depend on how fast the machine is.
    """
    pty = pytest.importorskip("pty", reason="there are no pseudo-terminals here")
    ours, theirs = pty.openpty()
    program = (
        "from truebleu.cli import progress\n"
        "begin, change = progress.Progress.__init__, progress.Progress._show\n"
        "def without_patience(self, quiet=False):\n    begin(self, quiet); self._is_work_shown = True\n"
        "def drawn_at_once(self, *line):\n    change(self, *line); self._bar is None or self._bar.refresh()\n"
        "progress.Progress.__init__, progress.Progress._show = without_patience, drawn_at_once\n"
        f"from truebleu.cli.main import main; raise SystemExit(main({words.split()!r}))"
    )
    environment = os.environ | {"TERM": "xterm", "COLUMNS": str(columns)}
    with open(output, "wb") if output is not None else os.fdopen(os.dup(theirs), "wb") as stdout:
        running = subprocess.Popen(
            [sys.executable, "-c", program], stdin=theirs, stdout=stdout, stderr=theirs, env=environment
        )
    os.close(theirs)
    found = b""
    with suppress(OSError):  # the other end is closed
        while chunk := os.read(ours, 65536):
            found += chunk
    os.close(ours)
    assert 0 == running.wait(), found
    return found.decode()


@pytest.mark.parametrize("more", ["-ci -cin 100", "--paired bs -pan 100", "--paired bs -pan 100 -b"])
def test_tables_fit_into_a_terminal_of_80_columns(more: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With three metrics, intervals, and names of Chinese characters, which take two columns each."""
    wcwidth = pytest.importorskip("wcwidth")
    monkeypatch.chdir(tmp_path)
    for name in ("ref", "系统甲的译文第一版", "a-system-with-a-long-name", "系统乙"):
        Path(name).write_text("".join(f"the cat sat on mat {at} {len(name) * at % 7}\n" for at in range(40)))
    words = f"ref -i 系统甲的译文第一版 a-system-with-a-long-name 系统乙 -m bleu chrf ter -q {more}"
    shown = re.sub("\x1b\\[[0-9;?]*[A-Za-z]", "", on_a_terminal(words, columns=80)).replace("\r", "").split("\n")
    widths = [wcwidth.wcswidth(line) for line in shown if line and line[0] in "╒│╞├╘"]
    assert max(widths) <= 80 and len(widths) > 9
    # A table may have been divided into several, each of which is as wide as its frame.
    frames = [wcwidth.wcswidth(line) for line in shown if line.startswith(("╒", "╘"))]
    assert set(widths) == set(frames) and frames[::2] == frames[1::2]
    # What is to be read alone, with nothing around it, has no explanations and no signatures.
    assert ("-b" in more) != any("version:" in line for line in shown)


def test_output_to_a_file_is_whole_though_messages_go_to_a_terminal(tmp_path: Path) -> None:
    for words in ("-t demo -l en-de -i atlas", "-t demo -l en-de --echo src"):
        found = tmp_path / "out"
        assert "version:" not in on_a_terminal(words, found)
        expected = subprocess.run([sys.executable, "-m", "truebleu", *words.split()], capture_output=True, check=True)
        assert expected.stdout == found.read_bytes() and found.read_bytes()


@pytest.mark.parametrize(
    ("words", "doing"),
    [
        ("long.txt -i [red]long long.txt -m ter", "TER of [red]long"),
        ("ref.txt -i [red]a ref.txt --paired ar -parn 500000", "testing"),
        ("ref.txt -i [red]a ref.txt --breakdown labels -ci -cin 100000", "groups of [red]a"),
        ("self-bleu many.txt -m chrf", "self-chrf"),
        ("sign-test -r long.txt -t long.txt -b [red]long --no-files -m ter", "testing"),
        ("resegment ref.txt -i joined.txt -o divided.txt", "re-segmenting"),
        ("ref.txt -i joined.txt --resegment", "re-segmenting"),
        ("doctor ref.txt -i [red]a many.txt --checks D3 -m chrf", "examining [red]a"),
        ("reconcile ref.txt -i [red]a --from sacrebleu --to multi-bleu", "scoring"),
        ("report ref.txt -i [red]a many.txt -m ter -o page.html", "making the report"),
    ],
)
def test_every_long_command_shows_a_bar_that_moves(
    words: str, doing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [" ".join(f"w{at * k % 997}" for k in range(1, 60)) for at in range(1500)]
    many = "".join(f"{line}\n" for line in lines)
    Path("many.txt").write_text(many)
    Path("long.txt").write_text(4 * many)
    Path("[red]long").write_text(4 * many.replace("w1", "v1"))
    Path("ref.txt").write_text(many)
    Path("joined.txt").write_text(many.replace("\n", " "))
    Path("labels").write_text("".join(f"{at % 5}\n" for at in range(1500)))
    Path("[red]a").write_text(many.replace("w2 ", "v2 "))
    text = on_a_terminal(words)
    parts = re.findall(r"(\d+)% \S*0:00", text)
    assert doing + " " in text and len(set(parts)) > 1, text
    assert all(int(part) <= 100 for part in parts), text
