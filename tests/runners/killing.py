"""Commands that are killed or interrupted while a runner without a model works: what is left of them.

`Killing` makes two systems of many units, and starts `truebleu` on them. The fake runner writes down every batch that
it has answered, so that a moment is a number of batches, whatever the machine is doing.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from random import Random

from tests.runners.doubles import double, model

BATCH = 512
GONE_SECONDS, STOP_SECONDS = 2.0, 6.0


class Killing:
    """A folder with texts, a model and a runner, of which the commands are stopped.

    Two batches are open at a time, so that a host that gets no processor while both are answered would lose both: a
    batch takes long enough here, as those of real models do.
    """

    def __init__(self, folder: Path, batches: int = 10, seconds: float = 0.15) -> None:
        self.folder, self.batches, self.seconds = folder, batches, seconds
        half = batches * BATCH // 2
        for name in ("ref", "src", "a", "b"):
            lines = (f"{name} text {at} of the heron by the pond\n" for at in range(half))
            (folder / f"{name}.txt").write_text("".join(lines))
        model(folder)
        self.environment = {
            **os.environ, "TRUEBLEU_RUNNER_NEURAL": str(double(folder)), "XDG_STATE_HOME": str(folder / "state"),
            "TRUEBLEU_SCORES": str(folder / "scores"),
            "FAKE_OPTIONS": json.dumps({"seconds": seconds, "answered": str(folder / "answered")}),
        }  # fmt: skip
        self.plain = self.finished()
        assert self.kept() == 2 * half and len(self.answered()) == batches

    def command(self) -> list[str]:
        """The command: two systems, two metrics and a test."""
        words = "ref.txt --src src.txt -i a.txt b.txt -m bleu comet=./my-comet --batch-size 512 --paired-all -f json"
        return [sys.executable, "-m", "truebleu", *words.split()]

    def started(self) -> subprocess.Popen[bytes]:
        """Start the command."""
        (self.folder / "starts").unlink(missing_ok=True)
        (self.folder / "answered").unlink(missing_ok=True)
        out = subprocess.PIPE
        # A shell lets commands in its background ignore interrupts, and their children inherit that.
        return subprocess.Popen(
            self.command(), cwd=self.folder, env=self.environment, stdout=out, stderr=out,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )  # fmt: skip

    def finished(self) -> bytes:
        """Run the command to its end, and give what it printed."""
        run = self.started()
        out, err = run.communicate()
        assert run.returncode == 0, err.decode()
        return out

    def forget(self) -> None:
        """Remove all scores that were kept."""
        for path in (self.folder / "scores").glob("*"):
            path.unlink()

    def answered(self) -> list[int]:
        """The units of each batch that was answered."""
        path = self.folder / "answered"
        return [int(line) for line in path.read_text().splitlines()] if path.exists() else []

    def kept(self) -> int:
        """How many scores are kept, in a file that is sound."""
        paths = [*(self.folder / "scores").glob("*.sqlite")]
        if not paths:
            return 0
        (path,) = paths
        with closing(sqlite3.connect(path)) as base:
            assert base.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            if not base.execute("SELECT 1 FROM sqlite_master WHERE name = 'score'").fetchall():
                return 0  # stopped before the first batch was kept
            count: int = base.execute("SELECT count(*) FROM score").fetchone()[0]
        return count

    def children(self) -> list[int]:
        """The numbers of the runners that were started."""
        path = self.folder / "starts"
        return [int(line) for line in path.read_text().split()] if path.exists() else []

    def until_answered(self, batches: int, run: subprocess.Popen[bytes]) -> None:
        """Wait until so many batches were answered."""
        until = time.monotonic() + 60
        while (len(self.answered()) < batches or not self.children()) and run.poll() is None:
            assert time.monotonic() < until, "the runner does not get on"
            time.sleep(0.002)

    def kill(self, who: str, draw: Random) -> None:
        """Kill host, child or both at a random moment, and look at what is left; then run the command once more."""
        self.forget()
        run = self.started()
        self.until_answered(draw.randrange(self.batches - 2), run)
        time.sleep(draw.random() * self.seconds)
        child = self.children()[0]
        with suppress(ProcessLookupError):
            if who != "host":
                os.kill(child, signal.SIGKILL)
            if who != "child":
                run.kill()
        out, err = run.communicate()
        if who == "child":
            assert (run.returncode, out) == (0, self.plain), err.decode()
        else:
            answered = self.answered()
            assert run.returncode == -signal.SIGKILL
            assert self.is_gone(GONE_SECONDS), "a runner is left"
            lost = sum(answered) - self.kept()
            assert lost <= BATCH, f"{lost} scores are lost that were answered, of {answered}"
        assert self.finished() == self.plain
        assert self.kept() == self.batches * BATCH

    def interrupt(self, draw: Random) -> float:
        """Interrupt the command at a random moment; how long it takes to end, without a child that is left."""
        self.forget()
        run = self.started()
        self.until_answered(draw.randrange(self.batches - 2), run)
        time.sleep(draw.random() * self.seconds)
        start, answered = time.monotonic(), len(self.answered())
        run.send_signal(signal.SIGINT)
        _, err = run.communicate()
        took = time.monotonic() - start
        if answered == self.batches:  # nobody ran this here in time: the work was done before the interrupt
            return self.interrupt(draw)
        assert run.returncode == 130, f"{run.returncode} after {answered} batches, {took:.2f} s: {err.decode()}"
        assert took < STOP_SECONDS and self.is_gone(0.1), "a runner is left"
        self.kept()
        return took

    def is_gone(self, seconds: float) -> bool:
        """Whether no runner is left after so many seconds."""
        return _within(seconds, lambda: not any(_is_alive(child) for child in self.children()))


def _within(seconds: float, is_so: Callable[[], bool]) -> bool:
    until = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def _is_alive(child: int) -> bool:
    try:
        state = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"
