"""Environments for runners: what would be installed where and with what, the work itself, and its removal.

Versions and the SHA-256 of every wheel come from a lock file that truebleu brings (`tools/lock_runners.py` writes
them). Nothing is installed that was not asked for, and nothing is removed that truebleu did not make.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import NamedTuple

from truebleu._atomic import turn, write_whole
from truebleu._counts import number_of
from truebleu._shown import did_you_mean, shown
from truebleu.errors import OptionError, RunnerError, RunnerMissing
from truebleu.runners import environments as places
from truebleu.runners.environments import CARD, INCOMPLETE, SHARED, SIZE, Environment
from truebleu.runners.families import FAMILIES, OWN, RUNNERS
from truebleu.runners.process import Runner
from truebleu.store.config import expanded, is_offline, state_folder
from truebleu.store.download import report_waiting
from truebleu.version import __version__

LOCKS = Path(__file__).resolve().parent / "locks"
SAID = ("unbabel-comet", "bert-score", "transformers", "torch")  # packages that matter to a user
STEPS = 3  # of an installation, as a rule
_PYTHONS = ("3.12", "3.11")  # in this order; which of them has a lock depends on the platform
_ROOM = 1.3  # free space, times the size
_LONGEST_FOLDER = 100  # on Windows, whose paths have at most 260 characters; those inside torch have up to 150
_LAST_WORDS = 20  # lines of a program that failed
_POLL = 2.0  # seconds
_TORCH = ("torch==", "triton==", "nvidia-", "cuda-")  # packages that an index for torch replaces


class Installation(NamedTuple):
    """An environment that could be made."""

    name: str
    runners: tuple[str, ...]
    folder: Path
    lock: Path
    requirements: tuple[str, ...]
    python: Path | None  # None: uv brings one
    version: str  # of Python
    uv: str  # "" if there is none
    torch_index: str
    free: float  # GB

    @property
    def packages(self) -> dict[str, str]:
        """The version of each package."""
        pins = (line.split(" ")[0].partition("==") for line in self.requirements)
        return {name: version for name, _, version in pins}


def plans(
    names: Sequence[str] = (), *, python: str = "", torch_index: str = "", separate: bool = False
) -> list[Installation]:
    """What would be installed for some runners or metrics: one environment for all, unless they should be separate."""
    wanted = dict.fromkeys(_runner_of(name) for name in names or (SHARED,))
    groups = [(SHARED, OWN)]
    if separate:
        groups = [(one, (one,)) for one in (OWN if SHARED in wanted else wanted)]
    uv = shutil.which("uv") or ""
    path, version, lock = _python(python, uv)
    found = []
    for name, runners in groups:
        requirements = _requirements(lock, runners)
        digest = _digest((*requirements, version, torch_index))
        folder = places.environments_folder() / f"{name}-{digest[:6]}"
        free = shutil.disk_usage(next(one for one in folder.absolute().parents if one.exists())).free / 1e9
        found.append(Installation(name, runners, folder, lock, requirements, path, version, uv, torch_index, free))
    return found


def refuse(wanted: Sequence[Installation]) -> None:
    """Raise where there is no network, or not enough room for all of them."""
    for plan in wanted:
        if is_offline():
            raise RunnerError(
                f"installing needs a network, and it is off; an administrator can install what {shown(plan.lock)} "
                "lists, and TRUEBLEU_RUNNER_NEURAL names the interpreter"
            )
        if plan.free < (room := SIZE * _ROOM * len(wanted)):
            raise RunnerError(
                f"{shown(plan.folder.parent)} has {plan.free:.1f} GB free, expected {room:.1f} (the size and 30 % "
                "more); TRUEBLEU_ENVIRONMENTS names another folder"
            )
        if sys.platform == "win32" and len(str(plan.folder)) > _LONGEST_FOLDER:
            raise RunnerError(
                f"{shown(plan.folder, 1000)} has {number_of(len(str(plan.folder)), 'character')}, expected "
                f"{_LONGEST_FOLDER} at most: files in it would have paths of over 260; "
                "TRUEBLEU_ENVIRONMENTS names a shorter folder"
            )


def install(
    plan: Installation, step: Callable[[str], AbstractContextManager[object]] = lambda _: nullcontext()
) -> Environment:
    """Make an environment, prove that its packages can be imported and its runners start, and give it its card."""
    refuse([plan])
    log = state_folder() / "runners" / f"install-{plan.name}.log"
    waiting = f"waiting for another process that makes {plan.folder.name}"
    with turn(plan.folder, plan.folder.parent / ".locks", lambda: report_waiting(waiting)) as alive:
        there = places.environment_at(plan.folder)
        if there is not None and not (plan.folder / INCOMPLETE).exists():
            return there
        if plan.folder.exists() and not (plan.folder / INCOMPLETE).exists():
            raise RunnerError(f"{shown(plan.folder)} is there, and truebleu has not made it: move it away")
        shutil.rmtree(plan.folder, ignore_errors=True)
        plan.folder.mkdir(parents=True)
        (plan.folder / INCOMPLETE).touch()
        write_whole(log, b"")
        for doing, command in _steps(plan):
            with step(doing):
                _run(doing, command, log, alive)
        with step("starting the runners"):
            for runner in plan.runners:
                alive()
                _greet(plan, runner)
        card = _card(plan)
        write_whole(plan.folder / CARD, (json.dumps(card, indent=1) + "\n").encode())
        (plan.folder / INCOMPLETE).unlink()
    return Environment(plan.folder, card)


def is_current(environment: Environment) -> bool:
    """Whether an environment has the packages that this version of truebleu would install."""
    lock = LOCKS / str(environment.card.get("lock_name"))
    return lock.is_file() and environment.card.get("lock") == _digest(_requirements(lock, environment.runners))


def size_of(folder: Path) -> int:
    """The bytes in a folder; a file with several names counts once."""
    seen: dict[tuple[int, int], int] = {}
    for path, _, files in os.walk(folder):
        for name in files:
            state = os.lstat(os.path.join(path, name))
            seen[state.st_dev, state.st_ino] = state.st_size
    return sum(seen.values())


def remove(environment: Environment) -> None:
    """Remove an environment, which must have the card of one, and be in the folder of environments."""
    if places.environment_at(environment.path) is None or environment.path.parent != places.environments_folder():
        raise RunnerError(f"{shown(environment.path)} has no {CARD}: truebleu has not made it, and leaves it")
    (environment.path / INCOMPLETE).touch()  # if this is interrupted, nobody uses what remains
    shutil.rmtree(environment.path)


def _runner_of(name: str) -> str:
    known = {one.name: one.script for one in FAMILIES.values() if one.script in OWN}
    if name not in known and name not in (SHARED, *OWN):
        raise OptionError(f"no runner is called {shown(name)}{did_you_mean(name, [SHARED, *known])}; expected "
                          f"{SHARED}, {', '.join(OWN)}")  # fmt: skip
    return known.get(name, name)


def _python(given: str, uv: str) -> tuple[Path | None, str, Path]:
    """An interpreter, its version, and the lock for it."""
    locks = {version: _lock(version) for version in _PYTHONS if _lock(version).exists()}
    if not locks:
        raise RunnerMissing(
            f"there is no lock for {_platform()}: make an environment by hand, and name its interpreter with "
            "--runner-python"
        )
    expected = " or ".join(locks)
    if given:
        program = shutil.which(expanded(given))
        version = _version_of(program) if program else ""
        if program is None or not version:
            raise OptionError(f"--python {shown(given)}: not an interpreter that can be started")
        if version not in locks:
            raise OptionError(
                f"--python {shown(given)} is Python {version}, expected {expected}: the lock is for these, and COMET "
                "needs numpy below 2, which has no wheel for 3.13 and later"
            )
        return Path(program), version, locks[version]
    for version in locks:
        for path in _candidates(version):
            if _version_of(path) == version:
                return Path(path), version, locks[version]
    if uv:
        return None, *next(iter(locks.items()))
    raise RunnerMissing(
        f"no Python {expected} was found on the PATH or in ~/.pyenv/versions, and there is no uv to bring one (COMET "
        "needs numpy below 2, which has no wheel for 3.13 and later): install one, or name it with --python"
    )


def _candidates(version: str) -> list[str]:
    on_path = shutil.which(f"python{version}")
    own = sorted(expanded("~/.pyenv/versions").glob(f"{version}.*/bin/python{version}"), reverse=True)
    here = [sys.executable] if sys.executable else []
    return [*([on_path] if on_path else []), *map(str, own), *here]


def _version_of(program: str) -> str:
    """The version of an interpreter, as "3.12"; "" if it is none."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        run = subprocess.run([program, "-I", "-c", code], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return ""
    return run.stdout.strip() if run.returncode == 0 else ""


def _platform() -> str:
    system = {"darwin": "macos", "win32": "windows"}.get(sys.platform, sys.platform)
    machine = platform.machine().lower()
    return (
        f"{system}-{ {'amd64': 'x86_64', 'arm64': 'arm64' if system == 'macos' else 'aarch64'}.get(machine, machine) }"
    )


def _lock(version: str) -> Path:
    return LOCKS / f"{SHARED}-py{version.replace('.', '')}-{_platform()}.txt"


def _steps(plan: Installation) -> list[tuple[str, list[str]]]:
    """The programs that make an environment, and what each does."""
    python = str(places.python_in(plan.folder))
    folder, wanted = str(plan.folder), str(plan.python or plan.version)
    with_uv = [plan.uv, "pip", "install", "--python", python]
    pip = with_uv if plan.uv else [python, "-m", "pip", "install", "--no-input"]
    make = [plan.uv, "venv", "--allow-existing", "--python", wanted] if plan.uv else [wanted, "-m", "venv"]
    lines = [line for line in plan.requirements if not plan.torch_index or not line.startswith(_TORCH)]
    listed = plan.folder / "requirements.txt"
    listed.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    hashed = [*pip, "--no-deps", "--require-hashes", "--only-binary", ":all:", "-r", str(listed)]
    steps = [("making the environment", [*make, folder]), ("installing the packages", hashed)]
    if plan.torch_index:
        torch = f"torch=={plan.packages['torch']}"
        steps.append(("installing torch", [*pip, "--index-url", plan.torch_index, torch]))
    modules = ", ".join(RUNNERS[runner].module for runner in plan.runners)
    return [*steps, ("trying the packages", [python, "-E", "-s", "-X", "utf8", "-c", f"import torch, {modules}"])]


def _run(doing: str, command: Sequence[str], log: Path, alive: Callable[[], None]) -> None:
    """Run a program; its output goes into the log, and its last lines into the error."""
    with log.open("ab") as out:
        start = out.tell()
        try:
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)
        except OSError as error:
            raise RunnerError(f"{doing} failed: {shown(command[0])} cannot be started ({error.strerror})") from error
        try:
            while child.poll() is None:
                alive()
                try:
                    child.wait(_POLL)
                except subprocess.TimeoutExpired:
                    continue
        finally:
            if child.poll() is None:
                child.terminate()
                child.wait()
    if child.returncode:
        words = log.read_bytes()[start:].decode("utf-8", "replace").splitlines()[-_LAST_WORDS:]
        last = "".join(f"\n  {shown(line)}" for line in words)
        raise RunnerError(f"{doing} failed (exit code {child.returncode}); its last words, of {shown(log)}:{last}")


def _greet(plan: Installation, runner: str) -> None:
    """Start a runner; it must find the versions that were installed."""
    child = Runner(runner, places.command_of(places.python_in(plan.folder), RUNNERS[runner].script))
    child.close()
    for package, found in child.hello["packages"].items():
        # Behind a plus stands how an index has built it: torch of an index without CUDA is 2.15.0+cpu.
        if (expected := plan.packages.get(package)) not in (None, found.partition("+")[0]):
            raise RunnerError(f"{shown(plan.folder)}: {runner} finds {package} {found}, expected {expected}")


def _requirements(lock: Path, runners: Sequence[str]) -> tuple[str, ...]:
    """The lines of a lock file that some runners need."""
    lines = (line.rpartition("#") for line in lock.read_text("utf-8").splitlines())
    return tuple(line.strip() for line, _, needed_by in lines if set(runners) & set(needed_by.split()))


def _digest(lines: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _card(plan: Installation) -> dict[str, object]:
    return {
        "schema": 1,
        "name": plan.name,
        "runners": list(plan.runners),
        "lock": _digest(plan.requirements),
        "lock_name": plan.lock.name,
        "python": plan.version,
        "torch_index": plan.torch_index,
        "truebleu": __version__,
        "made": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "bytes": size_of(plan.folder),
    }
