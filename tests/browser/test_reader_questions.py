"""Scenario 15: the five questions of the specification, answered by keyboard alone with at most three actions each."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.browser.live_page import Opened, open_page

from report.page_corpora import demo_study

STUDY = demo_study(n_samples=200, n_confidence=100, seed=1)
A, B = STUDY.pair or ("", "")

# What has the focus can be seen: it is in the window, and something is drawn around it.
FOCUS = """() => {
    const [one, style] = [document.activeElement, getComputedStyle(document.activeElement)];
    const { top, bottom, left, right, width, height } = one.getBoundingClientRect();
    return {
        what: one.outerHTML.slice(0, 120),
        isDrawn: (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1) || style.boxShadow !== "none",
        isInside: width > 0 && height > 0 && bottom > 0 && top < innerHeight && right > 0 && left < innerWidth,
    };
}"""
STATE = "() => JSON.stringify([live.state.a, live.state.b, live.state.metric, live.state.marks])"
IS_AT = "(selector) => document.activeElement.matches(selector)"


@pytest.fixture
def page(browser: Any) -> Iterator[Opened]:
    with open_page(browser, STUDY) as opened:
        opened.context.grant_permissions(["clipboard-read", "clipboard-write"])
        yield opened


def go(page: Opened, letter: str) -> None:
    """One action: to a section."""
    page.keyboard.press("g")
    page.keyboard.press(letter)


def tab_to(page: Opened, selector: str) -> None:
    """One action: to a control behind; whatever has the focus on the way can be seen."""
    for _ in range(60):
        page.keyboard.press("Tab")
        check_focus(page)
        if page.evaluate(IS_AT, selector):
            return
    raise AssertionError(f"{selector} cannot be reached")


def check_focus(page: Opened) -> None:
    focus = page.evaluate(FOCUS)
    assert focus["isDrawn"] and focus["isInside"], focus


def clipboard(page: Opened) -> str:
    text: str = page.evaluate("() => navigator.clipboard.readText()")
    return text


def test_which_systems_cannot_be_told_from_the_best(page: Opened) -> None:
    go(page, "l")
    rows = page.locator("#leaderboard tbody tr").evaluate_all(
        "(all) => all.map((row) => [row.dataset.system, row.textContent.includes('*')])"
    )
    assert STUDY.comparison is not None
    assert [name for name, is_beaten in rows if not is_beaten] == list(STUDY.comparison.metrics[0].unbeaten)
    assert page.locator(".verdict").text_content().startswith("atlas is the best by BLEU")


def test_in_which_domain_b_loses_most_and_whether_that_is_sure(page: Opened) -> None:
    go(page, "b")
    rows = page.locator("#groups table").first.locator("tbody tr").evaluate_all(
        "(all) => all.map((row) => [row.querySelector('th').textContent, row.textContent])"
    )  # fmt: skip
    groups = STUDY.groups("domain").pair("BLEU", A, B).groups
    most = max(groups, key=lambda one: one.delta)
    shown = {name: text for name, text in rows}
    assert set(shown) == {one.label for one in groups}
    is_sure = most.adjusted_p_value is not None and most.adjusted_p_value <= STUDY.alpha
    assert f"+{most.delta:.1f}" in shown[str(most.label)] and is_sure == ("*" in shown[str(most.label)])


def test_the_ten_segments_where_a_gains_most(page: Opened) -> None:
    go(page, "s")
    tab_to(page, "select[data-field=sort]")
    page.keyboard.press("ArrowDown")
    shown = page.locator(".card").evaluate_all("(all) => all.slice(0, 10).map((one) => Number(one.dataset.segment))")
    assert STUDY.segments("BLEU").gains(A, B)[:10] == shown


def test_the_chrf_of_all_systems_on_segments_with_a_question_mark(page: Opened) -> None:
    page.keyboard.press("/")
    check_focus(page)
    page.keyboard.type("?")
    given = STUDY.inputs
    texts = [given.sources, *given.references, *given.systems.values()]
    segments = [at for at in range(given.n) if any("?" in (one[at] or "") for one in texts if one)]
    chrf = given.metrics["CHRF"]
    for row in page.locator("#leaderboard tbody tr").all():
        expected = chrf.score(STUDY.rows["CHRF"][row.get_attribute("data-system")].select(segments)).score
        assert f"{expected:.1f}" == row.locator("td[data-value]:not(.half)").nth(1).text_content()


def test_what_to_paste_into_the_paper_for_methods_and_table(page: Opened) -> None:
    go(page, "m")
    tab_to(page, "#methods .copy")
    page.keyboard.press("Enter")
    page.wait_for_timeout(50)
    assert page.locator("#methods-text").text_content() == clipboard(page)
    page.evaluate("() => document.activeElement.blur()")
    summary = page.locator("#methods summary", has_text="LaTeX").last
    summary.focus()
    page.keyboard.press("Enter")
    tab_to(page, ".copy[aria-label='copy: The table as LaTeX']")
    page.keyboard.press("Enter")
    page.wait_for_timeout(50)
    assert r"\begin{tabular}" in clipboard(page) and r"\textbf{" in clipboard(page)


def test_each_stop_of_the_tab_key_can_be_seen(page: Opened) -> None:
    seen = set()
    for _ in range(45):
        page.keyboard.press("Tab")
        check_focus(page)
        seen.add(page.evaluate("() => document.activeElement.outerHTML.slice(0, 200)"))
    assert len(seen) > 30


def test_no_single_key_acts_in_a_field_or_when_they_are_off(page: Opened) -> None:
    for field in ("#tb-search", "#tb-value"):
        page.locator(field).fill("")
        before = page.evaluate(STATE)
        page.locator(field).press_sequentially("jksmdo?g/")
        assert "jksmdo?g/" == page.locator(field).input_value()
        after = page.evaluate(STATE)
        assert before == after and not page.locator("#tb-help").is_visible()
        page.locator(field).fill("")
    switch = page.locator("[data-field=keys]")
    switch.focus()
    page.keyboard.press("Space")
    page.evaluate("() => document.activeElement.blur()")
    before = page.evaluate("() => JSON.stringify({ ...live.state })")
    for key in ("j", "k", "s", "m", "d", "o", "?", "g", "l", "/"):
        page.keyboard.press(key)
    assert before == page.evaluate("() => JSON.stringify({ ...live.state })")
    assert not page.locator("#tb-help").is_visible() and page.evaluate("() => document.activeElement === document.body")
