"""The Python in the pages on score matrices and self-BLEU runs, and prints what they say."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"


@pytest.mark.parametrize("page", ["score-matrices.md", "self-bleu.md"])
def test_every_python_block_prints_what_it_says(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text("utf-8"), re.S)
    ours = [block for block in blocks if not block.startswith("sacrebleu.")]
    names: dict[str, object] = {}
    for block in ours:
        exec(block, names)
    said = re.findall(r"^print\(.*\)\s+# (.*)$", "".join(ours), re.M)
    printed = capsys.readouterr().out.splitlines()
    assert len(said) == len(printed) > 0
    for expected, line in zip(said, printed, strict=True):
        start, dots, _ = expected.partition("…")
        assert start == (line[: len(start)] if dots else line)
