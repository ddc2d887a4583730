"""Errors that were marked, in the page with its script: marks, lists, filters and order against Python."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from tests.browser.live_page import Opened, all_drawn, open_page, start_again

from report.page_corpora import marked_study
from truebleu import BLEU, Study
from truebleu.scores import ErrorSpan
from truebleu.study.page.spans import errors_of, runs_of

MARKS = """(card) => [...card.querySelectorAll(".source, .system")].map((row) =>
    [...row.querySelectorAll("dd > bdi mark")].map((one) =>
        [one.textContent, one.className, one.dataset.letters ?? "", one.title]))"""
LISTS = """(card) => [...card.querySelectorAll(".system")].map((row) =>
    [...row.querySelectorAll("li")].map((one) => one.textContent))"""


@cache
def study() -> Study:
    return marked_study()


@pytest.fixture(scope="module")
def opened(browser: Any) -> Iterator[Opened]:
    with open_page(browser, study()) as page:
        yield page


@pytest.fixture
def page(opened: Opened) -> Opened:
    return start_again(opened)


def shown(page: Opened) -> list[int]:
    return page.evaluate("() => live.order.slice()")  # type: ignore[no-any-return]


def errors(at: int, severities: tuple[str, ...] = ()) -> int:
    found = [one for name in study().pair or () for one in errors_of(study(), name, at)]
    return sum(not severities or one.kind in severities for one in found)


def test_marks_and_lists_are_those_of_the_static_page(page: Opened) -> None:
    page.evaluate("() => change({ sort: 'errors', size: 50 })")
    for card in page.locator(".card").all():
        at, pair = int(card.get_attribute("data-segment")), study().pair or ()
        own = {name: errors_of(study(), name, at) for name in pair}
        in_source = [
            (letter, one) for letter, name in zip("AB", pair, strict=True) for one in own[name] if one.span.in_source
        ]
        texts = [runs_of((study().inputs.sources or [])[at], in_source)]
        texts += [
            runs_of(study().inputs.systems[name][at], [("", one) for one in own[name] if not one.span.in_source])
            for name in pair
        ]
        marks = [[run for run in runs if run.kind] for runs in texts]
        expected = [
            [["".join(piece.text for piece in run.pieces), f"err {run.kind}", run.letters, run.title] for run in runs]
            for runs in marks
        ]
        assert expected == card.evaluate(MARKS)
        words = [[f"{one.letter} {one.words}{one.where}" for one in own[name]] for name in pair]
        assert words == card.evaluate(LISTS)


def test_the_filter_and_the_order_follow_the_errors_of_a_and_b(page: Opened) -> None:
    n = study().inputs.n
    page.get_by_role("button", name="has major errors").click()
    assert [at for at in range(n) if errors(at, ("major", "critical"))] == shown(page)
    assert "#f=errors:major" in page.url
    page.locator("#tb-clear").click()
    page.get_by_role("button", name="has errors").click()
    assert [at for at in range(n) if errors(at)] == shown(page)
    page.locator("#tb-controls select[data-field=sort]").select_option("errors")
    assert sorted(shown(page), key=lambda at: (-errors(at), at)) == shown(page)
    page.evaluate("() => { location.hash = '#f=errors:critical'; }")
    page.wait_for_function("live.state.filters.length === 1 && live.state.filters[0][1] === 'critical'")
    assert [at for at in range(n) if errors(at, ("critical",))] == shown(page)


def test_the_table_counts_errors_and_other_marks_leave_the_list(page: Opened) -> None:
    page.evaluate("() => change({ view: 'table', sort: 'errors' })")
    assert ["1C 1M 1m", "1M 1n"] == [
        one.inner_text() for one in page.locator(".dense tbody tr").nth(0).locator("td").all()
    ][3:5]
    page.evaluate("() => change({ view: 'cards', marks: 'reference' })")
    assert 0 == page.locator(".card mark").count() and page.locator(".card .errors").count() > 0
    page.evaluate("() => document.activeElement.blur()")
    page.keyboard.press("d")
    page.keyboard.press("d")
    assert "errors" == page.evaluate("() => live.state.marks") and page.locator(".card mark").count() > 0


def test_a_page_without_errors_offers_nothing_about_them(browser: Any) -> None:
    plain = Study({"a": ["x y"], "b": ["x z"]}, BLEU(), [["x y"]], checks=False)
    with open_page(browser, plain, address="#f=errors:major&sort=errors&marks=errors") as page:
        assert 0 == page.get_by_role("button", name="has major errors").count()
        assert "not known" in page.locator("#tb-said").inner_text()
        assert "reference" == page.evaluate("() => live.state.marks")


def test_places_are_characters_in_every_script_and_boxes_stay_boxes(browser: Any) -> None:
    texts = ["😀😀 wörld 👩‍👩‍👧 end", "שלום עולם 12", "مرحبا بالعالم", "a\u202eb c", "x" * 6000]
    places = [(3, 8), (5, 9), (0, 5), (1, 3), (4990, 5010)]
    spans = [
        [ErrorSpan(start, end, "major", "Style", quote=text[start:end])]
        for text, (start, end) in zip(texts, places, strict=True)
    ]
    made = Study({"a": texts, "b": texts}, BLEU(), [texts], spans={"ESA": {"a": spans}}, checks=False, test="none")
    with open_page(browser, made) as page:
        for at, (text, (start, end)) in enumerate(zip(texts, places, strict=True)):
            mark = all_drawn(page).locator(f'.card[data-segment="{at}"] mark').all()
            found = mark[0].text_content() if mark else ""
            expected = text[start:end].replace("\u202e", "U+202E")
            assert (expected if at < 4 else "x" * 10) == found, text[:20]  # the page shows 5,000 characters
        left = page.locator('.card[data-segment="1"] mark').bounding_box()
        whole = page.locator('.card[data-segment="1"] .system dd > bdi').first.bounding_box()
        assert left["x"] > whole["x"] + whole["width"] / 2  # Hebrew begins at the right
