"""Data that lie end no interpreter."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.guard

pytest.importorskip("pyarrow")


def test_data_that_lie_end_in_errors_and_not_in_a_crash() -> None:
    script = Path(__file__).with_name("hostile.py")
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=300)
    assert (0, "alive\n") == (run.returncode, run.stdout), run.stderr[-3000:]
