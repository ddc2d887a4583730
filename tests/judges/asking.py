"""Asking the server of `server.py`, with a clock that never waits."""

import threading
from pathlib import Path
from typing import Any

from truebleu.runners.judging.client import Asked
from truebleu.runners.judging.endpoint import Key, endpoint_of
from truebleu.runners.judging.pace import Clock, Purse
from truebleu.runners.judging.prompts import read_prompt
from truebleu.runners.judging.scorer import JudgeRecipe, JudgeScorer
from truebleu.runners.protocol import Result, Unit

SECRET = "sk-very/secret+key"


class SetClock(Clock):
    """A clock that a test reads: whoever waits for it is there at once."""

    def __init__(self) -> None:
        self.waits: list[float] = []
        self._time = 0.0
        self._turn = threading.Lock()

    def now(self) -> float:
        return self._time

    def date(self) -> float:
        return 1_000_000_000.0 + self._time

    def wait(self, seconds: float, stopped: threading.Event) -> None:
        with self._turn:
            self.waits.append(seconds)
            self._time += seconds


def units(*translations: str) -> list[Unit]:
    return [Unit(f"source of {text}", text, None) for text in translations]


MANY = units(*(f"text {number}" for number in range(40)))


def place(unit: Unit) -> str:
    return f"segment '{unit.hyp}'"


def scorer(url: str, folder: Path, name: str = "judge-da", **more: Any) -> JudgeScorer:
    """A scorer for a server; `timeout` and the like are of `Asked`, `seed` and the like of `JudgeRecipe`."""
    asked = Asked("tiny", **{key: more.pop(key) for key in ("temperature", "timeout") if key in more})
    key, clock = Key(more.pop("secret", "")), more.pop("clock", None) or SetClock()
    own = {key: more.pop(key) for key in ("purse", "uses_cache", "fresh") if key in more}
    prompt = more.pop("prompt", None) or read_prompt(name)
    return JudgeScorer(JudgeRecipe(prompt, endpoint_of(url), asked, **more), key, clock=clock, folder=folder, **own)


def judge(url: str, folder: Path, given: list[Unit], **more: Any) -> list[Result]:
    """The results of units."""
    asked = scorer(url, folder, **more)
    try:
        return asked.results(given, place)
    finally:
        asked.close()


__all__ = ["MANY", "SECRET", "Purse", "SetClock", "judge", "place", "scorer", "units"]
