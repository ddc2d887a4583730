"""The README's Python runs as written, and prints what it says."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import truebleu
from truebleu.errors import LengthMismatch

README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")


def test_every_python_block_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", README, re.S)
    assert 7 == len(blocks)
    names: dict[str, object] = {}
    for block in blocks:
        exec(block, names)
    printed = re.findall(r"print\(.*?\)\s+# (.*)", blocks[0])
    assert printed == capsys.readouterr().out.splitlines()


def test_the_error_shown_is_the_error_raised() -> None:
    call, message = re.findall(r"^>>> (.*)\nLengthMismatch: (.*)$", README, re.M)[0]
    with pytest.raises(LengthMismatch) as caught:
        eval(call, {"bleu": truebleu.BLEU()})
    assert message == str(caught.value)


def test_the_command_shown_prints_what_is_shown() -> None:
    words, shown = re.findall(r"^\$ truebleu ([^\n]*)\n(.*?)```", README, re.M | re.S)[0]
    done = subprocess.run([sys.executable, "-m", "truebleu", *words.split()], capture_output=True, check=True)
    assert done.stdout.decode("utf-8").startswith(shown)
