"""The browser: Debian's chromium, driven by Playwright."""

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A browser for all tests; they are skipped where there is none, unless `TRUEBLEU_BROWSER=required`."""
    program = os.environ.get("TRUEBLEU_CHROMIUM") or shutil.which("chromium")
    required = os.environ.get("TRUEBLEU_BROWSER") == "required"
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        program = None
    if program is None:
        assert not required, "no browser: apt-get install chromium, pip install playwright"
        pytest.skip("no browser: apt-get install chromium, pip install playwright")
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=program)
        yield opened
        opened.close()
