"""The guide's examples give what it says."""

import doctest
from pathlib import Path

GUIDE = Path(__file__).parents[2] / "docs" / "study.md"


def test_the_guides_examples_run() -> None:
    result = doctest.testfile(str(GUIDE), module_relative=False, encoding="utf-8")
    assert result.attempted > 15
    assert 0 == result.failed
