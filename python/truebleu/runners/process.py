"""One runner: a child process with its own interpreter. It is started, talked to, and ended with all its children.

Messages are read in a thread, because a program that writes and reads in one waits for ever once both pipes are full.
What the child writes on standard error is kept (the last 64 kB, and a log file) and shown only if the child fails.
"""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from truebleu._shown import shown
from truebleu.errors import ModelError, RunnerDied, RunnerError, RunnerMissing, RunnerProtocolError
from truebleu.runners.protocol import LONGEST_LINE, LineReader, line_of

HELLO_SECONDS = 60.0
SILENT_SECONDS = 120.0
_STOP_SECONDS, _TERM_SECONDS = 2.0, 3.0
_KEPT = 64 << 10  # bytes of standard error
_LOG = 1 << 20
_LAST_WORDS = 20  # lines
_IN_CHILD = {
    "TOKENIZERS_PARALLELISM": "false", "HF_HUB_DISABLE_TELEMETRY": "1", "TRANSFORMERS_VERBOSITY": "error",
    "HF_HUB_OFFLINE": "1",  # models are files here: a name would be looked up anew, in whatever version there is now
}  # fmt: skip
SECRETS = {"TRUEBLEU_JUDGE_KEY"}  # and what judges name; no runner gets these variables
_NOT_THERE = ("missing-model", "gated", "checksum", "load", "precision")


class Runner:
    """A child process that scores units."""

    def __init__(
        self, name: str, command: Sequence[str], *, log: Path | None = None, hello_seconds: float = HELLO_SECONDS,
        silent_seconds: float = SILENT_SECONDS,
    ) -> None:  # fmt: skip
        self.name = name
        self._silent_seconds = silent_seconds
        self.reader, self._lines = LineReader(name), queue.SimpleQueue[bytes]()
        self._kept, self._log = bytearray(), log
        self._was_ended = False
        self._next_id = 1
        environment = {key: value for key, value in os.environ.items() if key not in SECRETS} | _IN_CHILD
        self._child = _started(name, command, environment)
        self._threads = [self._thread(self._read), self._thread(self._drain)]
        self.hello = self._expect("hello", time.monotonic() + hello_seconds)

    def load(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Have the model loaded; give the runner's answer, once it is ready."""
        self.send({"type": "load", **message})
        while (answer := self.receive())["type"] == "progress":
            continue
        if answer["type"] == "failed":
            raise self.failure(answer)
        if answer["type"] != "ready":
            raise self._out_of_turn(answer)
        return answer

    def score(self, units: Sequence[Mapping[str, str]]) -> int:
        """Send a batch, and give its number."""
        number, self._next_id = self._next_id, self._next_id + 1
        self.send({"type": "score", "id": number, "units": units})
        return number

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a message. If the child is gone, `receive` says so."""
        assert self._child.stdin is not None
        try:
            self._child.stdin.write(line_of(message))
            self._child.stdin.flush()
        except OSError:
            pass

    def receive(self) -> dict[str, Any]:
        """Wait for a message; a child that dies, or gives no sign of life, is an error."""
        return self._receive(time.monotonic() + self._silent_seconds)

    @property
    def pid(self) -> int:
        """The number of the process, which is that of its group."""
        return self._child.pid

    def is_alive(self) -> bool:
        """Tell whether the child still runs."""
        return self._child.poll() is None

    def failure(self, message: Mapping[str, Any], place: str = "") -> RunnerError:
        """The error that a message "failed" stands for."""
        text = shown(message["message"], 1000)
        kind: type[RunnerError] = ModelError if message["kind"] in _NOT_THERE else RunnerError
        if message["kind"] == "dependency":
            kind = RunnerMissing
        if message["kind"] == "oom":
            text = f"no memory for {place or 'a unit'} even alone; --device {self.name}=cpu, or a smaller model"
        elif place:
            text = f"{place}: {text}"
        return kind(f"{self.name}: {text}")

    def close(self, *, patience: float = _STOP_SECONDS) -> None:
        """End the child and everything it started: it is asked, then told, then killed."""
        self._was_ended = True
        if self.is_alive():
            self.send({"type": "stop"})
            for seconds, sent in ((patience, signal.SIGTERM), (_TERM_SECONDS, None)):
                try:
                    self._child.wait(seconds)
                    break
                except subprocess.TimeoutExpired:
                    if sent is not None:
                        self._signal(sent)
        self._kill()

    def _kill(self) -> None:
        self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))
        self._child.wait()
        for thread in self._threads:
            thread.join(_TERM_SECONDS)
        for pipe in (self._child.stdin, self._child.stdout, self._child.stderr):
            try:
                if pipe is not None:
                    pipe.close()
            except OSError:
                pass  # the rest of a message that the child did not read

    def _signal(self, number: int) -> None:
        try:
            if sys.platform == "win32":
                self._child.kill()
            else:
                os.killpg(self._child.pid, number)
        except (ProcessLookupError, PermissionError):
            pass  # all of them are gone

    def _expect(self, wanted: str, until: float) -> dict[str, Any]:
        try:
            while (message := self._receive(until))["type"] == "progress":
                pass
            if message["type"] != wanted:
                raise self._out_of_turn(message)
        except BaseException:
            self._kill()
            raise
        return message

    def _receive(self, until: float) -> dict[str, Any]:
        try:
            line = self._lines.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            self._was_ended = True
            self._kill()
            raise RunnerDied(f"the runner {self.name} gave no sign of life and was ended{self._last_words()}") from None
        if not line:
            raise self._died()
        try:
            return self.reader.message(line)
        except RunnerProtocolError:
            self._was_ended = True
            self._kill()
            raise

    def _died(self) -> RunnerDied:
        try:
            code = self._child.wait(_TERM_SECONDS)
        except subprocess.TimeoutExpired:
            code = 0  # it closed its output, and runs
        self._kill()
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        error = RunnerDied(f"the runner {self.name} died ({how}){self._last_words()}")
        error.killed = code == -9 and not self._was_ended  # type: ignore[attr-defined]
        return error

    def _out_of_turn(self, message: Mapping[str, Any]) -> RunnerProtocolError:
        self.close(patience=0)
        return RunnerProtocolError(
            f"the runner {self.name} sent '{shown(message['type'])}', which nobody waits for now: that is its mistake, "
            "not that of your texts"
        )

    def _last_words(self) -> str:
        lines = bytes(self._kept).decode("utf-8", "replace").splitlines()[-_LAST_WORDS:]
        return "; its last words: " + " / ".join(shown(line, 200) for line in lines if line.strip()) if lines else ""

    def _thread(self, work: Any) -> threading.Thread:
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        return thread

    def _read(self) -> None:
        assert self._child.stdout is not None
        try:
            while line := self._child.stdout.readline(LONGEST_LINE + 1):
                self._lines.put(line)
                if len(line) > LONGEST_LINE:
                    break
        except (OSError, ValueError):
            pass  # closed
        self._lines.put(b"")

    def _drain(self) -> None:
        assert self._child.stderr is not None
        log, written = _opened(self._log), 0
        try:
            while part := os.read(self._child.stderr.fileno(), 1 << 16):
                self._kept += part
                del self._kept[:-_KEPT]
                if log is not None and written < _LOG:
                    written += log.write(part[: _LOG - written])
        except (OSError, ValueError):
            pass
        if log is not None:
            log.close()


def _started(name: str, command: Sequence[str], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    own: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        own = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment, **own)
    except OSError as error:
        why = error.strerror or str(error)
        raise RunnerMissing(f"{name}: {shown(command[0])} is not a program that can be started ({why})") from error


def _opened(log: Path | None) -> IO[bytes] | None:
    """A new log file; the one before it is kept under another name."""
    if log is None:
        return None
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        if log.exists():
            log.replace(log.with_suffix(".old.log"))
        return log.open("wb")
    except OSError:
        return None
