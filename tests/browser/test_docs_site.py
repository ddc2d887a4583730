"""The documentation site in a browser, opened from disk: it asks for nothing, can be searched, and can be read."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

# Prose, wide tables and long code, and the reference.
PAGES = ("index.html", "command-line.html", "reference/api/study.html")


@contextmanager
def opened(browser: Any, file: Path, **look: Any) -> Iterator[Any]:
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce", **look})
    page = context.new_page()
    page.asked, page.wrong = [], []
    page.on("request", lambda request: page.asked.append(request.url))
    page.on("pageerror", lambda error: page.wrong.append(str(error)))
    page.on("console", lambda message: page.wrong.append(message.text) if message.type == "error" else None)
    page.goto(file.as_uri())
    page.wait_for_load_state("networkidle")
    yield page
    context.close()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_asks_nobody_for_anything(browser: Any, site: Path, name: str) -> None:
    with opened(browser, site / name) as page:
        assert any(address.endswith(".css") for address in page.asked)
        assert [] == [address for address in page.asked if not address.startswith(("file:", "data:", "blob:"))]
        assert [] == page.wrong


@pytest.mark.parametrize("word", ["bootstrap", "resegment"])
def test_search_works_from_disk(browser: Any, site: Path, word: str) -> None:
    with opened(browser, site / "index.html", offline=True) as page:
        page.keyboard.press("/")
        page.keyboard.type(word)
        found = page.get_by_role("option")
        found.first.wait_for(timeout=60_000)
        assert found.count() > 3 and [] == page.wrong
        found.first.click()
        page.wait_for_url(lambda address: "index.html" not in address)
        assert word in page.inner_text("article").lower()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_no_violation(browser: Any, site: Path, name: str, scheme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe  # where Playwright is, so is this

    # The theme makes a landmark of each button that copies code, and of each level of the navigation.
    options = {"resultTypes": ["violations"], "rules": {"landmark-unique": {"enabled": False}}}
    with opened(browser, site / name, color_scheme=scheme) as page:
        found = Axe().run(page, options=options).response["violations"]
        assert [] == [(one["id"], [node["html"][:160] for node in one["nodes"][:5]]) for one in found]


@pytest.mark.parametrize("name", PAGES)
def test_a_narrow_page_does_not_scroll_sideways(browser: Any, site: Path, name: str) -> None:
    with opened(browser, site / name, viewport={"width": 390, "height": 844}) as page:
        width = page.evaluate("() => document.documentElement.scrollWidth")
        assert width <= 390
