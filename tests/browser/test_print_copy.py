"""Scenarios 18 and 20 with the script at work: what is printed, and what is copied."""

import csv
import io
import math
import random
import re
from collections.abc import Iterator
from typing import Any

import pytest
from tests.browser.live_page import Opened, open_page
from tests.browser.test_static_page import page_count

from report.page_corpora import demo_study
from truebleu import BLEU, CHRF, TER, Study, dataset, demo
from truebleu.cli.main import main

STUDY = demo_study(n_samples=100, n_confidence=50, seed=1)
DENY = "() => { navigator.clipboard.writeText = () => Promise.reject(new Error('denied')); }"


@pytest.fixture
def page(browser: Any) -> Iterator[Opened]:
    with open_page(browser, STUDY) as opened:
        opened.context.grant_permissions(["clipboard-read", "clipboard-write"])
        yield opened


def copied(page: Opened) -> str:
    page.wait_for_timeout(50)
    text: str = page.evaluate("() => navigator.clipboard.readText()")
    return text


# 18. Print.


def test_paper_has_no_controls_repeats_heads_is_light_and_says_what_was_chosen(page: Opened) -> None:
    page.locator("#tb-search").fill("die")
    page.emulate_media(media="print", color_scheme="dark")
    page.evaluate("() => window.dispatchEvent(new Event('beforeprint'))")
    controls = page.locator(":is(select, input, textarea, fieldset, .controls, .copy, nav, dialog)").evaluate_all(
        "(all) => all.filter((one) => one.checkVisibility()).map((one) => one.outerHTML.slice(0, 100))"
    )
    assert [] == controls
    buttons = page.locator("button").evaluate_all(
        "(all) => all.filter((one) => one.checkVisibility() && !one.closest('th, td, .card'))"
        ".map((one) => one.textContent)"
    )
    assert [] == buttons
    assert "rgb(26, 29, 33)" == page.evaluate("() => getComputedStyle(document.body).color")
    # In one call, because tables are still being filled.
    display = "() => [...document.querySelectorAll('thead')].map((one) => getComputedStyle(one).display)"
    assert {"table-header-group"} == set(page.evaluate(display))
    assert "What was chosen: #f=text:die" == page.locator("#tb-address").inner_text()
    for section in ("leaderboard", "pairs", "ab", "groups", "segments", "checks", "methods", "provenance"):
        assert page.locator(f"#{section} h2").is_visible()


def test_nine_systems_are_printed_on_twelve_pages(browser: Any) -> None:
    data, draw = demo.load("en-de"), random.Random(3)

    def worse(text: str, share: float) -> str:
        return " ".join(word for word in text.split() if draw.random() > share) or text

    names = [(system, share) for system in data.systems for share in (0.0, 0.02, 0.05)]
    systems = {f"{system}-{share}": [worse(text, share) for text in data.systems[system]] for system, share in names}
    study = Study(
        systems, list(data.references.values()), [BLEU(), CHRF(), TER()],
        sources=data.sources, labels={"domain": data.domains}, n_samples=500, n_confidence=100,
    )  # fmt: skip
    with open_page(browser, study) as page:
        assert 2 <= page_count(page.pdf(format="A4")) <= 12


# 20. Copy.


def test_the_clipboard_holds_the_latex_of_the_command(browser: Any, capsys: pytest.CaptureFixture[str]) -> None:
    words = "-t demo -l en-de -i atlas birch cedar -m bleu chrf ter -f latex -q"
    assert 0 == main(words.split())
    printed = capsys.readouterr().out
    metrics = [BLEU(trg_lang="de"), CHRF(), TER()]
    with open_page(
        browser, dataset.testset("demo", "en-de").study(metrics=metrics, test="none", n_confidence=0)
    ) as page:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.locator("#methods summary", has_text="LaTeX").last.click()
        page.locator(".copy[aria-label='copy: The table as LaTeX']").click()
        assert printed == copied(page)


def test_the_csv_of_a_subset_has_the_numbers_of_python(page: Opened) -> None:
    page.locator("#tb-search").fill("die")
    page.get_by_role("button", name="copy scores as CSV").click()
    head, *rows = csv.reader(io.StringIO(copied(page)))
    segments = page.evaluate("() => live.chosen")
    about = f"(subset of {len(segments)} of 240 segments)"
    assert ["system", f"BLEU {about}", f"chrF2 {about}", f"TER {about}"] == head
    assert list(STUDY.inputs.systems) == [row[0] for row in rows]
    for name, *texts in rows:
        for (key, metric), text in zip(STUDY.inputs.metrics.items(), texts, strict=True):
            expected = metric.score(STUDY.rows[key][name].select(segments)).score
            assert abs(float(text) - expected) <= (16 if key == "BLEU" else 0) * math.ulp(expected)


def test_names_that_a_spreadsheet_would_take_for_formulas_are_text(browser: Any) -> None:
    names = ["=1+1", '-x"y', "a,b"]
    study = Study({name: ["a b c d", "x"] for name in names}, [["a b c d", "x"]], [BLEU()], test="none", n_confidence=0)
    with open_page(browser, study) as page:
        text = page.evaluate("() => subsetCsv(live.data, [0])")
    assert ["'=1+1", "'-x\"y", "a,b"] == [row[0] for row in csv.reader(io.StringIO(text))][1:]


def test_where_the_clipboard_is_denied_the_text_is_there_to_copy(page: Opened) -> None:
    page.evaluate(DENY)
    page.locator("#methods .copy").first.click()
    field = page.locator("textarea.copied")
    assert page.locator("#methods-text").text_content() == field.input_value()
    selected = field.evaluate("(one) => [one.selectionStart, one.selectionEnd]")
    assert [0, len(field.input_value())] == selected
    page.keyboard.press("Tab")
    assert 0 == field.count()


def test_every_text_for_a_paper_can_be_copied(page: Opened) -> None:
    texts = page.locator("#methods pre").evaluate_all("(all) => all.map((one) => one.getAttribute('aria-label'))")
    tables = {f"The table as {name}" for name in ("LaTeX", "Markdown", "CSV")}
    assert {"BibTeX", "The reporting template", *tables} <= set(texts)
    labels = page.locator("#methods .copy").evaluate_all("(all) => all.map((one) => one.getAttribute('aria-label'))")
    assert sorted(["copy: The paragraph", *(f"copy: {text}" for text in texts)]) == sorted(labels)
    page.locator("#methods details").evaluate_all("(all) => all.forEach((one) => { one.open = true; })")
    for text in page.locator("#methods pre").all():
        page.locator(f".copy[aria-label='copy: {text.get_attribute('aria-label')}']").click()
        assert re.sub(r"^\n", "", text.text_content()) == copied(page)
