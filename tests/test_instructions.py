"""The gate on instruction counts, without the counting."""

from __future__ import annotations

import copy
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.guard

SCRIPT = Path(__file__).parents[1] / "bench" / "instructions.py"
RECORD: dict[str, Any] = {
    "python": "3.11.7",
    "machine": "Linux x86_64",
    "segments": 500,
    "instructions": {"BLEU": 1000, "TER": 2000},
    "starts": {"import truebleu": 5000},
}


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(SCRIPT.parent))
    spec = importlib.util.spec_from_file_location("instructions", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_figures_within_the_margin_pass(script: Any) -> None:
    found = copy.deepcopy(RECORD)
    found["instructions"] = {"BLEU": 1030, "TER": 1500}
    assert [] == script.compare(found, RECORD)


def test_a_figure_beyond_the_margin_is_named_with_the_record(script: Any) -> None:
    found = {**RECORD, "python": "3.12.1", "instructions": {"BLEU": 1031, "TER": 2000}}
    expected = "BLEU: 1,031 instructions a segment, the record is 1,000 and 3% more are allowed"
    assert [f"{expected}; the record is of Python 3.11.7"] == script.compare(found, RECORD)


def test_a_start_beyond_the_margin_is_named_with_the_record(script: Any) -> None:
    expected = "import truebleu: 5,151 instructions to start, the record is 5,000 and 3% more are allowed"
    assert [expected] == script.compare({**RECORD, "starts": {"import truebleu": 5151}}, RECORD)


@pytest.mark.parametrize(("fact", "other"), [("machine", "Linux aarch64"), ("segments", 50)])
def test_figures_of_something_else_are_not_compared(script: Any, fact: str, other: object) -> None:
    (fault,) = script.compare({**RECORD, fact: other}, RECORD)
    assert f"the record has {fact} {RECORD[fact]}, this run {other}: the figures cannot be compared" == fault


def test_without_valgrind_the_check_fails_and_says_how_to_install_it(tmp_path: Path) -> None:
    command = [sys.executable, str(SCRIPT), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PATH": str(tmp_path)})
    assert (1, "") == (done.returncode, done.stdout)
    assert "apt install valgrind" in done.stderr
