"""Debian's chromium, driven by Playwright: for pictures, and for tests of pages."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class NoBrowser(Exception):
    """There is no chromium, or no Playwright to drive it; the message says how to get them."""


@contextmanager
def chromium() -> Iterator[Any]:
    """Open a browser that has no window. `TRUEBLEU_CHROMIUM` names a program other than the `chromium` of the path."""
    program = os.environ.get("TRUEBLEU_CHROMIUM") or shutil.which("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        program = None
    if program is None:
        raise NoBrowser("no browser: apt-get install chromium, pip install playwright")
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=program)
        yield opened
        opened.close()
