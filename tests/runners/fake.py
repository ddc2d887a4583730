"""A runner without a model: its score is a function of the texts, and `options["mode"]` makes it misbehave."""

import json
import os
import signal
import subprocess
import sys
import time
import zlib
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python" / "truebleu" / "runners" / "scripts"))
import wire

options: dict[str, Any] = {}
MODE = sys.argv[1] if len(sys.argv) > 1 else ""  # what happens before a model is loaded


def value_of(unit: dict[str, str]) -> float:
    """The score of a unit, from 0 to 1."""
    return zlib.crc32("\0".join(unit[key] for key in sorted(unit)).encode()) / 2**32


def load(message: dict[str, Any]) -> dict[str, Any]:
    options.update(message["options"])
    if options.get("loaded"):
        Path(options["loaded"]).write_text(json.dumps(message))
    if options.get("mode") == "fails":
        raise wire.Failed("checksum", "model.ckpt is 9f31, expected e213")
    return {"max_tokens": 20, "device": "cpu", "batch": message["batch"]}


def score(units: list[dict[str, str]]) -> list[dict[str, Any]]:
    mode = options.get("mode", "good")
    if any(unit["hyp"] == options.get("at") for unit in units) and not _was_there():
        _misbehave(mode)
    if mode == "oom" and len(units) > options["most"]:
        raise wire.OutOfMemory
    if mode == "prints":
        print("noise", flush=True)
        os.write(1, b'{"type": "result", "id": 1, "results": []}\n')
    if mode == "flood":
        for _ in range(50):
            os.write(2, b"x" * (1 << 20))
    time.sleep(options.get("seconds", 0))
    shift = options.get("shift", 0.0)
    results: list[dict[str, Any]] = [{"score": min(1.0, value_of(unit) + shift)} for unit in units]
    for unit, result in zip(units, results, strict=True):
        words = len(unit["hyp"].split())
        result["cut"] = max(0, words - 20)
        if unit["hyp"].startswith("mute"):
            result |= {"score": None, "why": "mute"}
        if unit["hyp"].startswith("bad"):
            result["spans"] = [{"start": 0, "end": 3, "severity": "major", "confidence": 0.5}]
            result["parts"] = {"mqm": 0.25}
    if mode == "answers":  # any result
        results[0] = options["answer"]
    return results[: len(results) + options.get("fewer", 0)] if mode == "few" else results


def _was_there() -> bool:
    """Whether it misbehaved before, if it should only once."""
    mark = options.get("once")
    if mark and Path(mark).exists():
        return True
    if mark:
        Path(mark).touch()
    return False


def _misbehave(mode: str) -> None:
    if mode == "exit":
        os._exit(7)
    if mode in ("SIGSEGV", "SIGKILL"):
        print("the last words", file=sys.stderr, flush=True)
        os.kill(os.getpid(), getattr(signal, mode))
    if mode == "raw":  # a line that the shared loop would never send
        out = next(fd for fd in range(3, 20) if _is_pipe(fd))
        os.write(out, options["line"].encode() * options.get("times", 1))
        time.sleep(60)
    if mode == "silent":
        wire.BEAT = 1e9
        time.sleep(60)
    if mode == "beats":
        time.sleep(60)
    if mode == "grandchild":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        Path(options["pids"]).write_text(json.dumps([os.getpid(), child.pid]))
        time.sleep(60)
    if mode == "ignores":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        Path(options["pids"]).write_text(json.dumps([os.getpid()]))
        time.sleep(60)


def _is_pipe(fd: int) -> bool:
    import stat

    try:
        return stat.S_ISFIFO(os.fstat(fd).st_mode)
    except OSError:
        return False


def installed(packages: Any) -> tuple[dict[str, str], list[str]]:
    """What the packages of real runners would be, for commands that look at them."""
    told: dict[str, str] = json.loads(os.environ.get("FAKE_PACKAGES", "{}"))
    usual = {"unbabel-comet": "2.2.7", "bert-score": "0.3.13", "transformers": "4.57.6", "torch": "2.15.0"}
    return {**usual, **told}, []


if __name__ == "__main__":
    if MODE == "double":  # stands in for the scripts of real runners: see `double` in tests/runners/doubles.py
        wire.installed = installed
        options.update(json.loads(os.environ.get("FAKE_OPTIONS", "{}")))
    if options.get("answered"):
        told = wire.Wire.send

        def noted(self: wire.Wire, message_type: str, **fields: Any) -> None:
            told(self, message_type, **fields)
            if message_type == "result":
                with Path(options["answered"]).open("a") as file:
                    file.write(f"{len(fields['results'])}\n")

        wire.Wire.send = noted  # type: ignore[method-assign]
    if MODE == "no hello":
        time.sleep(60)
    if MODE == "exits":
        sys.exit("no such package")
    if MODE == "other protocol":
        wire.PROTOCOL = 2
    if MODE == "prints first":
        print("welcome", flush=True)
    wire.serve("fake", ["pytest"], load, score)
