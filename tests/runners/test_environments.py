"""Which interpreter a runner gets, and why."""

import json
import os
import sys
from pathlib import Path

import pytest

from truebleu.errors import OptionError, RunnerMissing
from truebleu.runners import environments
from truebleu.runners.environments import CARD, INCOMPLETE, environment_at, interpreter, python_in
from truebleu.runners.families import OWN, RUNNERS, register

ON_POSIX = pytest.mark.skipif(sys.platform == "win32", reason="makes links to an interpreter")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of environments that is empty, and no variable of a runner."""
    for name in [name for name in os.environ if name.startswith("TRUEBLEU_RUNNER_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("TRUEBLEU_ENVIRONMENTS", str(tmp_path / "environments"))
    return tmp_path / "environments"


def make(home: Path, name: str, *runners: str, made: str = "2026-01-01") -> Path:
    """An environment that looks like one of ours."""
    python = python_in(home / name)
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    (home / name / CARD).write_text(json.dumps({"runners": runners, "made": made}))
    return home / name


def test_without_an_environment_both_ways_out_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environments, "_is_here", lambda _: False)  # whatever is beside truebleu here
    with pytest.raises(RunnerMissing) as caught:
        interpreter("comet")
    assert (
        "comet runs in an environment of its own, and there is none: truebleu metrics install comet (5.9 GB), or "
        "--runner-python comet=/path/to/python"
    ) == str(caught.value)
    assert isinstance(caught.value, ImportError)


@ON_POSIX
def test_the_first_way_that_is_given_wins(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make(home, "neural-123456", "comet", "metricx")
    assert (str(folder / "bin" / "python"), f"installed in {folder}") == (
        interpreter("comet").command[0], interpreter("comet").why,
    )  # fmt: skip
    monkeypatch.setenv("TRUEBLEU_RUNNER_NEURAL", "/bin/cat")
    assert "TRUEBLEU_RUNNER_NEURAL=/bin/cat" == interpreter("comet").why
    monkeypatch.setenv("TRUEBLEU_RUNNER_COMET", "/bin/ls")
    assert ("TRUEBLEU_RUNNER_COMET=/bin/ls", "TRUEBLEU_RUNNER_NEURAL=/bin/cat") == (
        interpreter("comet").why, interpreter("metricx").why,
    )  # fmt: skip
    named = interpreter("comet", sys.executable)
    assert (f"--runner-python comet={sys.executable}", None) == (named.why, named.environment)
    assert (sys.executable, "-E", "-s", "-u", "-X", "utf8") == named.command[:-1]
    assert named.command[-1].endswith("run_comet.py")


@ON_POSIX
def test_a_path_from_here_is_no_name_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").symlink_to(sys.executable)
    assert str(tmp_path / "mine") == interpreter("comet", "./mine").command[0]
    with pytest.raises(OptionError, match="not a program that can be started"):
        interpreter("comet", "mine")


@ON_POSIX
def test_the_newest_complete_environment_with_the_runner_is_taken(home: Path) -> None:
    make(home, "neural-1", "comet", made="2026-01-01")
    newer = make(home, "neural-2", "comet", made="2026-02-01")
    unfinished = make(home, "neural-3", "comet", made="2026-03-01")
    (unfinished / INCOMPLETE).touch()
    make(home, "bertscore-1", "bertscore", made="2026-04-01")
    environment = interpreter("comet").environment
    assert environment is not None and environment.path == newer


@ON_POSIX
def test_a_package_beside_truebleu_is_found_and_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "comet.py").write_text("raise RuntimeError('imported')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert (sys.executable, "its package is beside truebleu") == (
        interpreter("comet").command[0],
        interpreter("comet").why,
    )
    assert "comet" not in sys.modules


@pytest.mark.parametrize(
    ("name", "why"), [("nowhere/python", "no such file"), (".", "a folder")], ids=["absent", "folder"]
)
def test_what_cannot_be_started_is_an_option_error(name: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / name
    with pytest.raises(OptionError) as caught:
        interpreter("comet", str(path))
    assert f"--runner-python comet={path}: not a program that can be started ({why})" == str(caught.value)


@ON_POSIX
def test_uv_runs_the_script_by_its_header(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(OptionError, match=r"^--runner-python comet=uv: there is no uv on the PATH"):
        interpreter("comet", "uv")
    (tmp_path / "uv").symlink_to(sys.executable)
    command = interpreter("comet", "uv").command
    assert (str(tmp_path / "uv"), "run", "--no-project", "--script") == command[:-1]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"runners": "comet"}', '{"runners": [1]}', "[" * 100_000])
def test_a_folder_without_a_good_card_is_not_ours(text: str, tmp_path: Path) -> None:
    (tmp_path / CARD).write_text(text)
    assert environment_at(tmp_path) is None


def test_the_folder_is_among_the_data_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("TRUEBLEU_ENVIRONMENTS")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    if sys.platform == "linux":
        assert tmp_path / "truebleu" / "environments" == environments.environments_folder()


def test_the_runner_of_somebody_else_has_its_own_script_and_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = RUNNERS["comet"]._replace(name="my-runner", script=tmp_path / "x.py", module="")
    monkeypatch.setattr(environments, "RUNNERS", {"my-runner": spec})
    assert (sys.executable, str(tmp_path / "x.py")) == (
        interpreter("my-runner").command[0], interpreter("my-runner").command[-1],
    )  # fmt: skip
    monkeypatch.setenv("TRUEBLEU_RUNNER_MY_RUNNER", "/bin/cat")
    assert "/bin/cat" == interpreter("my-runner").command[0]


def test_ours_are_registered_as_those_of_plug_ins_are() -> None:
    assert {*OWN} <= {*RUNNERS}
    with pytest.raises(OptionError, match="the runner comet cannot be added: comet is there already"):
        register(RUNNERS["comet"])
    with pytest.raises(OptionError, match="the runner x cannot be added: xcomet is there already"):
        register(RUNNERS["comet"]._replace(name="x", families=RUNNERS["comet"].families[4:]))
    with pytest.raises(OptionError, match="it needs metrics, and a package that it is about"):
        register(RUNNERS["comet"]._replace(name="x", families=()))
