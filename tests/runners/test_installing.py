"""Environments of runners: the plan, a real one of small packages, and what is refused."""

import hashlib
import json
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from truebleu.errors import OptionError, RunnerError, RunnerMissing
from truebleu.runners import installing
from truebleu.runners.environments import CARD, INCOMPLETE, environments, interpreter
from truebleu.runners.families import OWN, RUNNERS
from truebleu.runners.installing import LOCKS, Installation, install, is_current, plans, remove

HERE = f"{sys.version_info[0]}.{sys.version_info[1]}"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Locks of two small packages, made for this interpreter; no uv."""
    wheels, locks = tmp_path / "wheels", tmp_path / "locks"
    modules = [one.module for one in RUNNERS.values()]
    locks.mkdir()
    lines = [
        f"torch==1.0 --hash=sha256:{wheel(wheels, 'torch', 'torch')}  # comet bertscore metricx",
        f"models==2.0 --hash=sha256:{wheel(wheels, 'models', *modules, version='2.0')}  # comet bertscore",
    ]
    for platform in ("linux-x86_64", installing._platform()):
        (locks / f"neural-py{HERE.replace('.', '')}-{platform}.txt").write_text("\n".join(lines) + "\n")
    monkeypatch.setattr(installing, "LOCKS", locks)
    monkeypatch.setattr(installing, "_PYTHONS", (HERE,))
    monkeypatch.setattr(installing, "_POLL", 0.1)
    monkeypatch.setenv("TRUEBLEU_ENVIRONMENTS", str(tmp_path / "environments"))
    for name in ("TRUEBLEU_OFFLINE", "TRUEBLEU_RUNNER_COMET", "TRUEBLEU_RUNNER_NEURAL", "PIP_FIND_LINKS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    which = installing.shutil.which
    monkeypatch.setattr(installing.shutil, "which", lambda name: None if name == "uv" else which(name))
    return tmp_path / "environments"


def wheel(folder: Path, name: str, *modules: str, version: str = "1.0") -> str:
    """Make a wheel with empty modules, and give its SHA-256."""
    folder.mkdir(exist_ok=True)
    path, info = folder / f"{name}-{version}-py3-none-any.whl", f"{name}-{version}.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        for module in modules:
            archive.writestr(f"{module}.py", "")
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return hashlib.sha256(path.read_bytes()).hexdigest()


def only(**options: str) -> Installation:
    (plan,) = plans((), python=sys.executable, **options)
    return plan


def test_an_environment_is_made_used_and_removed(home: Path) -> None:
    plan = only()
    steps: list[str] = []
    made = install(plan, lambda doing: steps.append(doing) or installing.nullcontext())
    assert ["making the environment", "installing the packages", "trying the packages", "starting the runners"] == steps
    assert [made.path] == [one.path for one in environments()]
    assert is_current(made) and installing.size_of(made.path) > 100_000
    assert (made, str(made.python)) == (interpreter("comet").environment, interpreter("comet").command[0])
    card = json.loads((made.path / CARD).read_text())
    assert (["comet", "metricx", "bertscore"], HERE, plan.lock.name) == (
        card["runners"], card["python"], card["lock_name"],
    )  # fmt: skip
    before = (made.path / CARD).stat().st_mtime_ns
    assert made == install(plan)  # it is there
    assert before == (made.path / CARD).stat().st_mtime_ns
    wrong = plan._replace(requirements=(f"extra==1.0 --hash=sha256:{'0' * 64}",))
    wheel(home.parent / "wheels", "extra")
    with pytest.raises(RunnerError, match=r"(?s)DO NOT MATCH THE HASHES"):
        installing._run(*installing._steps(wrong)[1], home / "log", lambda: None)
    installing.LOCKS.joinpath(plan.lock.name).write_text("torch==1.1  # comet bertscore metricx\n")
    assert not is_current(made) and only().folder != made.path
    remove(made)
    assert not made.path.exists()


def test_an_environment_whose_runners_find_other_packages_is_not_used(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, run, found = only(), installing._run, "1.1"

    def changed(doing: str, *given: Any) -> None:
        run(doing, *given)
        if doing == "trying the packages":
            (about,) = plan.folder.glob("lib/*/site-packages/torch-1.0.dist-info/METADATA")
            about.write_text(about.read_text().replace("Version: 1.0", f"Version: {found}"))

    monkeypatch.setattr(installing, "_run", changed)
    with pytest.raises(RunnerError, match=r"comet finds torch 1\.1, expected 1\.0"):
        install(plan)
    assert [] == [*environments()]
    found = "1.0+cpu"  # the same, built by another index
    assert [install(plan).path] == [one.path for one in environments()]


def test_a_program_that_fails_leaves_its_last_words(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = only()
    code = "print('x' * 99); print('no room'); raise SystemExit(3)"
    monkeypatch.setattr(installing, "_steps", lambda _: [("making the environment", [sys.executable, "-c", code])])
    with pytest.raises(
        RunnerError, match=r"(?s)^making the environment failed \(exit code 3\); .*log:\n.*\n  no room$"
    ):
        install(plan)
    assert [] == environments() and (plan.folder / INCOMPLETE).exists()
    monkeypatch.setattr(installing, "_steps", lambda _: [("making the environment", [str(home / "nowhere")])])
    with pytest.raises(RunnerError, match="nowhere cannot be started"):
        install(plan)


def test_names_choose_the_runners() -> None:
    assert [("neural", ("comet", "metricx", "bertscore"))] == [(one.name, one.runners) for one in plans(["xcomet"])]
    apart = plans(["xcomet", "metricx-qe", "comet"], separate=True)
    assert [("comet", {"torch", "models"}), ("metricx", {"torch"})] == [(one.name, {*one.packages}) for one in apart]
    assert list(OWN) == [one.name for one in plans(separate=True)]
    with pytest.raises(OptionError, match=r"no runner is called commet \(did you mean comet or xcomet"):
        plans(["commet"])


def test_an_index_for_torch_takes_its_place() -> None:
    plan = only(torch_index="https://example.org/cpu")
    assert plan.folder != only().folder
    plan.folder.mkdir(parents=True)
    steps = installing._steps(plan)
    assert ["--index-url", "https://example.org/cpu", "torch==1.0"] == steps[2][1][-3:]
    assert ["models==2.0"] == [line.split()[0] for line in (plan.folder / "requirements.txt").read_text().splitlines()]


def test_offline_and_little_room_are_refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RunnerError, match=r"has 7\.0 GB free, expected 7\.7 \(the size and 30 % more\)"):
        install(only()._replace(free=7.0))
    monkeypatch.setenv("TRUEBLEU_OFFLINE", "1")
    with pytest.raises(RunnerError, match=r"installing needs a network, and it is off; .*neural-py.*txt lists"):
        install(only())
    assert not home.exists()


def test_a_folder_whose_paths_windows_cannot_have_is_refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = only()._replace(folder=Path("C:/") / "long-name" / ("x" * 100))
    monkeypatch.setattr(installing, "sys", SimpleNamespace(platform="win32"))
    with pytest.raises(
        RunnerError, match=r"has 1\d\d characters, expected 100 at most: .*; TRUEBLEU_ENVIRONMENTS names"
    ):
        installing.refuse([plan])
    installing.refuse([plan._replace(folder=Path("C:/short"))])


def test_a_folder_of_somebody_else_stays(home: Path) -> None:
    plan = only()
    plan.folder.mkdir(parents=True)
    (plan.folder / "thesis.txt").touch()
    with pytest.raises(RunnerError, match="is there, and truebleu has not made it: move it away"):
        install(plan)
    with pytest.raises(RunnerError, match="truebleu has not made it, and leaves it"):
        remove(installing.Environment(plan.folder, {"runners": []}))
    assert (plan.folder / "thesis.txt").exists()


def test_an_interpreter_must_be_of_a_locked_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OptionError, match=r"^--python /bin/false: not an interpreter that can be started$"):
        plans(python="/bin/false")
    monkeypatch.setattr(installing, "_version_of", lambda _: "3.13")
    with pytest.raises(OptionError, match=r"is Python 3\.13, expected .*: the lock is for these"):
        plans(python=sys.executable)
    with pytest.raises(RunnerMissing, match=r"^no Python .* was found on the PATH"):
        plans()
    monkeypatch.setattr(installing, "_platform", lambda: "plan9-mips")
    with pytest.raises(RunnerMissing, match="there is no lock for plan9-mips"):
        plans()


@pytest.mark.parametrize("lock", sorted(LOCKS.glob("*.txt")), ids=lambda path: path.stem)
def test_a_lock_has_the_tested_versions_and_a_digest_for_each_package(lock: Path) -> None:
    lines = lock.read_text("utf-8").splitlines()
    assert lines == [line for line in lines if "==" in line and "--hash=sha256:" in line]
    versions = dict(line.split(" ")[0].split("==") for line in lines)
    for runner, needed in ((one, RUNNERS[one].requirements) for one in OWN):
        of_runner = {line.split("==")[0] for line in lines if runner in line.partition("#")[2].split()}
        assert {one.package for one in needed} <= of_runner
        assert {one.package: one.tested for one in needed} == {one.package: versions[one.package] for one in needed}
