"""Scenarios 16 and 17 with the script at work: looks, and axe in every state that a reader comes to."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.browser.live_page import Opened, open_page
from tests.browser.test_static_page import CLIPPED, LOOKS, OVERLAPS

from report.page_corpora import demo_study, hostile_study

STUDY = demo_study(n_samples=100, n_confidence=50, seed=1)


def choose_pair(page: Opened) -> None:
    page.locator("#pairs .matrix tbody tr").nth(1).locator("td").nth(2).click()


def filter_group(page: Opened) -> None:
    page.locator("#groups th[scope=row] button").first.click()


def open_help(page: Opened) -> None:
    page.evaluate("() => document.activeElement.blur()")
    page.keyboard.press("?")


STATES: dict[str, Callable[[Opened], object]] = {
    "opened": lambda page: None,
    "another pair": choose_pair,
    "a group": filter_group,
    "help": open_help,
}


def check_axe(page: Opened) -> None:
    from axe_playwright_python.sync_playwright import Axe  # where Playwright is, so is this

    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = Axe().run(page).response["violations"]
        assert [] == [(scheme, one["id"], one["nodes"][0]["html"][:200]) for one in found]


@pytest.mark.parametrize("state", STATES)
def test_axe_finds_no_violation_in_any_state(browser: Any, state: str) -> None:
    with open_page(browser, STUDY) as page:
        STATES[state](page)
        check_axe(page)


def test_axe_finds_no_violation_among_hostile_strings(browser: Any) -> None:
    with open_page(browser, hostile_study(), address="#systems=all") as page:
        check_axe(page)


@pytest.mark.parametrize("look", ["forced colours", "reduced motion", "narrow", "200 % zoom"])
def test_no_look_clips_overlaps_or_scrolls_sideways_with_a_filter_on(browser: Any, look: str) -> None:
    settings = dict(LOOKS[look])
    with open_page(browser, STUDY, address="#f=better~text:die&systems=all&marks=pair") as page:
        if "viewport" in settings:
            page.set_viewport_size(settings["viewport"])
        page.emulate_media(**{key: settings[key] for key in ("forced_colors", "reduced_motion") if key in settings})
        page.eval_on_selector_all("details", "all => all.forEach(one => { one.open = true; })")
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        assert [] == page.evaluate(OVERLAPS)
        assert [] == page.evaluate(CLIPPED)
