"""A page with the script in it, open in a browser that has no network."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from truebleu import Study
from truebleu.study.page.page import study_page
from truebleu.study.page.payload import script

# As a type this is Playwright's page, which need not be installed.
Opened = Any

# The page of each study with the script as it is, made once.
_PAGES: WeakKeyDictionary[Study, bytes] = WeakKeyDictionary()


def usual_page(study: Study) -> bytes:
    if study not in _PAGES:
        _PAGES[study] = study_page(study)
    return _PAGES[study]


@contextmanager
def open_page(browser: Any, study: Study, change: Callable[[str], str] = str, address: str = "") -> Iterator[Opened]:
    """Open the page of a study; a message on the console or a failure in the script fails the test."""
    from playwright.sync_api import expect

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        path.write_bytes(usual_page(study) if change is str else study_page(study, program=change(script())))
        context = browser.new_context(offline=True)
        page = context.new_page()
        seen: list[str] = []
        page.on("console", lambda message: seen.append(message.text))
        page.on("pageerror", lambda error: seen.append(str(error)))
        page.goto(path.as_uri() + address)
        # Half a minute, because other programs run on the machine; a page that fails says so on the console at once.
        expect(page.locator("html")).to_have_attribute("data-state", "ready", timeout=30_000)
        yield page
        context.close()
        assert [] == seen


def start_again(page: Opened) -> Opened:
    """The page as it was when it was opened: a test that shares it with others begins with this."""
    page.evaluate(
        "() => { history.replaceState(null, '', '#'); live.address = null; readAddress(); scrollTo(0, 0);"
        " document.activeElement.blur(); }"
    )
    return all_drawn(page)


def all_drawn(page: Opened) -> Opened:
    """The page when all that follows a change is on the screen."""
    from playwright.sync_api import expect

    expect(page.locator("html")).to_have_attribute("data-drawn", "all", timeout=30_000)
    expect(page.locator("#ngrams .progress")).to_have_count(0, timeout=30_000)
    return page
