"""The guide's commands and Python print what it says."""

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest

from conftest import REPOSITORY
from reconciliation.f8 import HYPOTHESES, A, B
from truebleu.cli.main import main

GUIDE = (REPOSITORY / "docs" / "reconcile.md").read_text("utf-8")


@pytest.mark.parametrize("block", re.findall(r"```console\n(.*?)```", GUIDE, re.S), ids=lambda block: block[21:60])
def test_commands_print_what_the_guide_says(
    block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, texts in (("s.txt", HYPOTHESES), ("refA.txt", A), ("refB.txt", B)):
        (tmp_path / name).write_text("".join(f"{text}\n" for text in texts), "utf-8")
    monkeypatch.chdir(tmp_path)
    command, _, expected = block.partition("\n")
    assert 0 == main(shlex.split(command)[2:])
    # How many settings there are depends on the tokenizers that are installed.
    tried = r"[\d,]+ settings tried; by chance [\d.e-]+"
    assert re.sub(tried, "", expected) == re.sub(tried, "", capsys.readouterr().out)


def test_python_prints_what_the_guide_says() -> None:
    examples = re.findall(r"```python\n(.*?)```\n+```text\n(.*?)```", GUIDE, re.S)
    assert examples
    for code, expected in examples:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, {})
        assert expected == printed.getvalue()
