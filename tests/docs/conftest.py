"""The shell that the documentation's commands run in."""

import os
import shutil
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import REPOSITORY
from judges.server import judging

# `pip` here installs nothing. It says no to an extra that truebleu does not have.
PIP = f"""#!{sys.executable}
import re, sys
extras = {set(tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"])!r}
assert sys.argv[1] == "install", sys.argv
for word in sys.argv[2:]:
    name, asked = re.fullmatch(r"([\\w-]+)(?:\\[([\\w,]+)\\])?", word).groups()
    assert not asked or name == "truebleu" and set(asked.split(",")) <= extras, word
"""

# `make` here says what it would do, in the repository: a target that does not exist is an error.
MAKE = f"""#!/bin/sh
exec /usr/bin/env PATH={os.defpath} make --dry-run --directory {REPOSITORY} "$@"
"""


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, and an environment that knows nothing of the machine's."""
    stand_ins, folder = tmp_path / "bin", tmp_path / "work"
    stand_ins.mkdir()
    folder.mkdir()
    for name, text in (("pip", PIP), ("make", MAKE)):
        (stand_ins / name).write_text(text, "utf-8")
        (stand_ins / name).chmod(0o755)
    if not shutil.which("pdflatex"):  # nothing to compile with
        (stand_ins / "pdflatex").symlink_to("/bin/true")
    monkeypatch.setenv("PATH", os.pathsep.join([str(stand_ins), str(Path(sys.executable).parent), os.environ["PATH"]]))
    for name in ("HOME", "XDG_STATE_HOME", "TRUEBLEU_CACHE", "SACREBLEU"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
        (tmp_path / name.lower()).mkdir()
    monkeypatch.setenv("TRUEBLEU_OFFLINE", "1")
    monkeypatch.setenv("BROWSER", "true")
    monkeypatch.setenv("PYTHONIOENCODING", "utf-8")
    ours = ("TRUEBLEU_REGISTRY", "TRUEBLEU_MIRROR", "TRUEBLEU_FORMAT", "SACREBLEU_FORMAT", "SACREBLEU_SEED")
    for name in (*ours, "PYTEST_ADDOPTS"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture(autouse=True)
def judge(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A server for the page about judges, whose marks are functions of the texts."""
    page = request.node.callspec.params.get("page") if hasattr(request.node, "callspec") else None
    if page not in ("docs/judges.md", "docs/coming-from/gemba.md"):
        yield
        return
    monkeypatch.setenv("TRUEBLEU_SCORES", str(tmp_path / "scores"))
    with judging() as server:
        monkeypatch.setenv("TRUEBLEU_JUDGE_URL", server.url)
        yield
