"""The examples of docs/documents.md and docs/receipts.md show what happens."""

import doctest
from pathlib import Path

import pytest

from conftest import REPOSITORY


@pytest.mark.parametrize("page", ["documents.md", "receipts.md"])
def test_the_guide_shows_what_happens(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testfile(str(REPOSITORY / "docs" / page), module_relative=False)
    assert failed == 0 and tried > 5
