"""The examples of docs/columns.md print what the page says, where the engine is installed."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import re
from pathlib import Path

import pytest

from conftest import REPOSITORY

pytest.importorskip("pyarrow")

PAGE = (REPOSITORY / "docs" / "columns.md").read_text("utf-8")
EXAMPLES = re.findall(r"```python\n([^`]*?)```\n+```text\n(.*?)```", PAGE, re.S)
ENGINES = ("duckdb", "polars", "datasets")


@pytest.mark.engines
def test_examples_print_what_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if missing := [name for name in ENGINES if importlib.util.find_spec(name) is None]:
        pytest.skip(f"{', '.join(missing)} not installed: make test-engines installs them")
    monkeypatch.chdir(tmp_path)
    assert 10 == len(EXAMPLES)
    names: dict[str, object] = {}
    for code, expected in EXAMPLES:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, names)
        assert expected == printed.getvalue(), code
