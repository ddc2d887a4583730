"""The browser: Debian's chromium, driven by Playwright."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from headless import NoBrowser, chromium


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A browser for all tests; they are skipped where there is none, unless `TRUEBLEU_BROWSER=required`."""
    with ExitStack() as stack:
        try:
            opened = stack.enter_context(chromium())
        except NoBrowser as error:
            assert os.environ.get("TRUEBLEU_BROWSER") != "required", str(error)
            pytest.skip(str(error))
        yield opened
