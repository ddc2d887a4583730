"""Where the environments of runners are, and which interpreter a runner gets.

An environment that `truebleu metrics install` makes is a folder with a card, `truebleu-environment.json`: a folder
without one is not ours and is never removed. While it is being made it has a file `.incomplete`, and nobody uses it.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from truebleu._shown import shown
from truebleu.errors import OptionError, RunnerMissing
from truebleu.runners.families import OWN, RUNNERS
from truebleu.store.config import expanded

CARD, INCOMPLETE = "truebleu-environment.json", ".incomplete"
SHARED = "neural"  # the environment that all of our runners share, and the word that stands for them
ALONE = ("-E", "-s", "-u", "-X", "utf8")  # our PYTHONPATH and the user's site stay away from the packages of a runner
SIZE = 5.9  # GB of the shared environment, measured on Linux with its CUDA libraries: others are smaller


class Interpreter(NamedTuple):
    """What starts a runner, and why it is this."""

    command: tuple[str, ...]
    why: str
    environment: Environment | None = None  # if truebleu made it


class Environment(NamedTuple):
    """An environment that `truebleu metrics install` has made."""

    path: Path
    card: Mapping[str, Any]

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return python_in(self.path)

    @property
    def runners(self) -> tuple[str, ...]:
        """The runners that it was made for."""
        return tuple(self.card["runners"])


def environments_folder() -> Path:
    """The folder of environments: `TRUEBLEU_ENVIRONMENTS`, else one among the user's data (it is no cache).

    >>> import os; os.environ["TRUEBLEU_ENVIRONMENTS"] = "/data/environments"
    >>> environments_folder().as_posix()
    '/data/environments'
    >>> del os.environ["TRUEBLEU_ENVIRONMENTS"]
    """
    if given := os.environ.get("TRUEBLEU_ENVIRONMENTS"):
        return expanded(given)
    if sys.platform == "win32":
        data = expanded(os.environ.get("LOCALAPPDATA") or "~/AppData/Local")
    elif sys.platform == "darwin":
        data = expanded("~/Library/Application Support")
    else:
        xdg = Path(os.environ.get("XDG_DATA_HOME", ""))
        data = xdg if xdg.is_absolute() else expanded("~/.local/share")
    return data / "truebleu" / "environments"


def environments() -> list[Environment]:
    """All environments that are complete, the newest first."""
    try:
        folders = [path for path in environments_folder().iterdir() if not (path / INCOMPLETE).exists()]
    except OSError:
        return []
    found = [one for one in map(environment_at, folders) if one is not None and one.python.exists()]
    return sorted(found, key=lambda one: (str(one.card.get("made", "")), one.path.name), reverse=True)


def environment_at(folder: Path) -> Environment | None:
    """The environment in a folder; None if truebleu has made none there."""
    try:
        card = json.loads((folder / CARD).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    runners = card.get("runners") if isinstance(card, dict) else None
    is_card = isinstance(runners, list) and all(isinstance(name, str) for name in runners)
    return Environment(folder, card) if is_card else None


def interpreter(script: str, chosen: str = "") -> Interpreter:
    """Choose what starts a runner: what the user names, a variable, an environment of ours, or this interpreter."""
    path = RUNNERS[script].script
    if chosen:
        return _named(chosen, path, f"--runner-python {script}")
    for variable in (variable_of(script), variable_of(SHARED)):
        if given := os.environ.get(variable):
            return _named(given, path, variable)
    for one in environments():
        if script in one.runners:
            return Interpreter(command_of(one.python, path), f"installed in {shown(one.path, 1000)}", one)
    if _is_here(script):
        return Interpreter(command_of(Path(sys.executable), path), "its package is beside truebleu")
    size = f" ({SIZE} GB)" if script in OWN else ""
    install = f"truebleu metrics install {script}{size}, or " if script in OWN else ""
    raise RunnerMissing(
        f"{script} runs in an environment of its own, and there is none: {install}"
        f"--runner-python {script}=/path/to/python"
    )


def variable_of(script: str) -> str:
    """The variable that names the interpreter of a runner.

    >>> variable_of("my-runner")
    'TRUEBLEU_RUNNER_MY_RUNNER'
    """
    return f"TRUEBLEU_RUNNER_{script.upper().replace('-', '_')}"


def python_in(folder: Path) -> Path:
    """The interpreter of a virtual environment."""
    return folder / "Scripts" / "python.exe" if sys.platform == "win32" else folder / "bin" / "python"


def _named(given: str, path: Path, who: str) -> Interpreter:
    if given == "uv":
        if (uv := shutil.which("uv")) is None:
            raise OptionError(f"{who}=uv: there is no uv on the PATH; install it, or name an interpreter")
        return Interpreter((uv, "run", "--no-project", "--script", str(path)), f"{who}=uv")
    # A path from here is no name on the PATH, and `Path` forgets that it began with './'.
    program = shutil.which(expanded(given).absolute() if os.path.dirname(given) else given)
    if program is None:
        found = expanded(given)
        why = "a folder" if found.is_dir() else "not allowed" if found.exists() else "no such file"
        raise OptionError(f"{who}={shown(given)}: not a program that can be started ({why})")
    return Interpreter(command_of(Path(program), path), f"{who}={shown(given, 1000)}")


def command_of(python: Path, script: Path) -> tuple[str, ...]:
    """The words that start a runner."""
    return (str(python), *ALONE, str(script))


def _is_here(script: str) -> bool:
    """Whether the package of a runner can be imported here; it is looked up and not imported."""
    module = RUNNERS[script].module
    return not module or importlib.util.find_spec(module) is not None
