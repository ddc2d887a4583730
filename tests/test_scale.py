"""What a large job costs, in times of a smaller one: bench/scale.py has the bars."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "bench" / "scale.py"


@pytest.mark.guard
@pytest.mark.skipif(sys.platform != "linux", reason="the peak is in kilobytes on Linux")
def test_no_cost_grows_beyond_its_bar() -> None:
    done = subprocess.run([sys.executable, str(SCRIPT), "--check"], capture_output=True, text=True, timeout=900)
    assert 0 == done.returncode, done.stdout + done.stderr
