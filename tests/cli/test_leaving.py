"""A program that is all of its process ends it at once, and everything that belongs to an end is done."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

WORDS = ["ref.txt", "-i", "sys.txt", "-b"]
RUN = "import runpy, sys; sys.argv[1:] = {words}; runpy.run_module('truebleu', run_name='__main__')"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("ref.txt", "sys.txt"):
        (tmp_path / name).write_text("The cat sat on the mat.\n", encoding="utf-8")
    return tmp_path


def _run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], cwd=folder, capture_output=True, text=True, timeout=60)


def test_the_module_ends_the_process_with_its_code_and_all_of_its_output(folder: Path) -> None:
    done = _run(folder, "-m", "truebleu", *WORDS)
    assert (0, "100.0\n", "") == (done.returncode, done.stdout, done.stderr)
    assert 1 == _run(folder, "-m", "truebleu", "absent.txt", *WORDS[1:]).returncode


def test_the_installed_program_does_what_was_left_for_the_exit(folder: Path) -> None:
    program = "from truebleu.__main__ import program"
    last = "import atexit, os; atexit.register(lambda: print('at exit'))"
    # Nobody sees the end of an object that modules still hold, because they are not taken apart.
    witness = "class Witness:\n  def __del__(self): os.write(1, b'taken apart')\nwitness = Witness()"
    script = folder / "truebleu_program.py"
    script.write_text(
        f"import sys\n{last}\n{witness}\n{program}\nsys.argv[1:] = {WORDS}\nprogram()\n", encoding="utf-8"
    )
    done = _run(folder, str(script))
    assert (0, "100.0\nat exit\n") == (done.returncode, done.stdout)


@pytest.mark.parametrize("before", ["", "sys.setprofile(lambda *_: None); ", "import threading; "])
def test_who_runs_the_module_inside_a_program_goes_on_after_it(folder: Path, before: str) -> None:
    code = f"import sys; {before}" + RUN.format(words=WORDS)
    body = f"try:\n  exec({code!r})\nexcept SystemExit as left:\n  print('went on', left.code)"
    done = _run(folder, "-c", body)
    assert (0, "100.0\nwent on 0\n") == (done.returncode, done.stdout)


def test_a_profiler_prints_what_it_found(folder: Path) -> None:
    assert "function calls" in _run(folder, "-m", "cProfile", "-m", "truebleu", *WORDS).stdout
