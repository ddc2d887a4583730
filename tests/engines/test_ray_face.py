"""Workers of Ray get the face from `python -m truebleu.sacrebleu`, in a cluster that the program starts itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("ray", reason="Ray is not installed: make test-engines installs it")

PROGRAM = """
import ray
ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="ERROR")

@ray.remote
def score(text):
    import sacrebleu
    return hasattr(sacrebleu, "truebleu_version"), sacrebleu.corpus_bleu([text], [[text]]).score

print(ray.get(score.remote("a heron stood by the pond")))
"""


@pytest.mark.engines
@pytest.mark.parametrize(("options", "is_face"), [([], True), (["--no-children"], False)])
def test_workers_have_the_face(options: list[str], is_face: bool, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM, "utf-8")
    command = [sys.executable, "-m", "truebleu.sacrebleu", *options, str(tmp_path / "program.py")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert f"({is_face}, " in done.stdout, done.stderr
