"""The loop that all runners share: it reads messages, checks them, scores in batches, and answers.

A script calls `serve(name, packages, load, score)`. `load(message)` loads the model and gives `meta`, a dictionary;
`meta["max_tokens"]` is the longest input. `score(units)` gives a dictionary with "score" for each unit. Only the
standard library is imported here, so that the first message does not wait. It runs on Python 3.10 and later.
"""

from __future__ import annotations

import json
import math
import os
import queue
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any

PROTOCOL = 1
LONGEST_LINE = 16 << 20
BEAT = 2.0  # seconds between signs of life

Unit = dict[str, str]
Load = Callable[[dict[str, Any]], dict[str, Any]]
Score = Callable[[list[Unit]], list[dict[str, Any]]]


class Failed(Exception):
    """A failure that the user is told of: its kind, one line, and the place of the unit in its batch, if known."""

    def __init__(self, kind: str, message: str, unit: int | None = None) -> None:
        super().__init__(message)
        self.kind, self.unit = kind, unit


class OutOfMemory(Exception):
    """A batch was too large; a script may raise it where the error of its library does not say so."""


class Wire:
    """Both ends of the pipe, and the phase of the work, which the signs of life tell."""

    def __init__(self) -> None:
        # What a library prints goes to standard error, so that it cannot become a message.
        self._out = os.fdopen(os.dup(1), "wb", buffering=0)
        os.dup2(2, 1)
        self._lock = threading.Lock()
        self.inbox: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self.phase, self.done, self.total = "import", 0, 0

    def send(self, message_type: str, **fields: Any) -> None:
        """Write one message; a number that is not finite is an error."""
        line = json.dumps({"type": message_type, **fields}, ensure_ascii=False, allow_nan=False)
        data = line.encode("utf-8", "replace") + b"\n"
        if len(data) > LONGEST_LINE:
            raise Failed("internal", f"an answer has {len(data)} bytes, expected at most {LONGEST_LINE}")
        with self._lock:
            view = memoryview(data)
            while view:
                view = view[self._out.write(view) :]

    def beat(self) -> None:
        """Tell that the process is alive, until it ends."""
        pause = threading.Event()
        while not pause.wait(BEAT):
            self.send("progress", phase=self.phase, done=self.done, total=self.total)

    def listen(self) -> None:
        """Read messages. If their end comes without "stop", the host is gone, and so is this process: no orphan."""
        source = sys.stdin.buffer
        while line := source.readline(LONGEST_LINE + 1):
            try:
                message = json.loads(line)
            except ValueError:
                os._exit(4)
            self.inbox.put(message)
            if message.get("type") == "stop":
                return
        os._exit(3)


def installed(packages: Iterable[str]) -> tuple[dict[str, str], list[str]]:
    """The versions of those packages that are installed, and the folders that tell them."""
    from importlib.metadata import PackageNotFoundError, distribution

    versions, places = {}, []
    for name in packages:
        try:
            found = distribution(name)
        except PackageNotFoundError:
            continue
        versions[name] = found.version
        places.append(str(getattr(found, "_path", "")))
    return versions, places


def serve(name: str, packages: Iterable[str], load: Load, score: Score, version: int = 1) -> None:
    """Answer messages until the host says "stop" or goes away."""
    wire = Wire()
    for work in (wire.listen, wire.beat):
        threading.Thread(target=work, daemon=True).start()
    versions, places = installed(packages)
    wire.send(
        "hello", protocol=PROTOCOL, runner=name, runner_version=version, python=sys.version.split()[0],
        packages=versions, places=places,
    )  # fmt: skip
    loop = _Loop(wire, load, score)
    while (message := wire.inbox.get())["type"] != "stop":
        try:
            loop.answer(message)
        except Failed as failure:
            fields: dict[str, Any] = {} if failure.unit is None else {"unit": failure.unit}
            told = " ".join(str(failure).split())[:1000]
            wire.send("failed", id=message.get("id"), kind=failure.kind, message=told, **fields)
        except Exception as error:
            import traceback

            traceback.print_exc()
            told = f"{type(error).__name__}: {error}"
            kind = "load" if message["type"] == "load" else "internal"
            wire.send("failed", id=message.get("id"), kind=kind, message=" ".join(told.split())[:1000])


class _Loop:
    def __init__(self, wire: Wire, load: Load, score: Score) -> None:
        self._wire, self._load, self._score = wire, load, score
        self._fields: set[str] = set()
        self._batch = 1

    def answer(self, message: dict[str, Any]) -> None:
        if message["type"] == "load":
            self._wire.phase = "load"
            self._fields, self._batch = set(message["fields"]), int(message["batch"])
            meta = self._load(message)
            self._wire.phase = "score"
            self._wire.send("ready", meta=meta, max_tokens=meta.get("max_tokens"), batch=self._batch)
        elif message["type"] == "score":
            self._wire.send("result", id=message["id"], results=self._scored(message["units"]))
        else:
            raise Failed("internal", f"unknown message {message['type']!r}")

    def _scored(self, units: list[Unit]) -> list[dict[str, Any]]:
        for at, unit in enumerate(units):
            # A unit without its reference would make a whole batch be scored without references.
            if set(unit) != self._fields or not all(isinstance(text, str) for text in unit.values()):
                raise Failed("unit", f"a unit has {sorted(unit)}, expected texts as {sorted(self._fields)}", at)
        results: list[dict[str, Any]] = []
        self._wire.done, self._wire.total = 0, len(units)
        while len(results) < len(units):
            part = units[len(results) : len(results) + self._batch]
            try:
                found = self._score(part)
            except Exception as error:
                self._halve(error, len(results))
                continue
            if len(found) != len(part):
                raise Failed("internal", f"{len(found)} results for {len(part)} units")
            for at, one in enumerate(found, len(results)):
                if isinstance(one.get("score"), float) and not math.isfinite(one["score"]):
                    raise Failed("unit", f"the score is {one['score']}, expected a finite number", at)
            results += found
            self._wire.done = len(results)
        return results

    def _halve(self, error: Exception, at: int) -> None:
        """Go on with half the batch if memory was short; anything else is raised again."""
        if not isinstance(error, (OutOfMemory, MemoryError)) and "out of memory" not in str(error).lower():
            raise error
        torch = sys.modules.get("torch")
        if torch is not None and torch.cuda.is_available():
            torch.cuda.empty_cache()
        if self._batch == 1:
            raise Failed("oom", "no memory for this unit even alone", at) from error
        self._batch //= 2
        self._wire.send(
            "progress", phase="score", done=self._wire.done, total=self._wire.total, batch=self._batch
        )  # fmt: skip
