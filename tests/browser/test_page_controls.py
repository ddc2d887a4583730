"""Controls of the page: ranking, hiding, colours, filters of ranges and checks, and what figures can be asked."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.live_page import Opened, all_drawn, open_page, start_again
from tests.browser.test_other_pairs import make_study
from tests.browser.test_random_filters import flawed_study

from truebleu import BLEU, CHRF, Study
from truebleu.study.page.page import fixed, signed


@pytest.fixture(scope="module")
def study() -> Study:
    return make_study(n_samples=400)


@pytest.fixture(scope="module")
def opened(browser: Any, study: Study) -> Iterator[Opened]:
    with open_page(browser, study) as page:
        yield page


@pytest.fixture
def page(opened: Opened) -> Opened:
    opened.emulate_media(color_scheme="light")
    return start_again(opened)


def board(page: Opened) -> list[list[str]]:
    rows: list[list[str]] = page.locator("#leaderboard tbody tr").evaluate_all(
        "(rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent.replace('\\u00a0', ' ')))"
    )
    return rows


def expected_board(study: Study, key: str) -> list[list[str]]:
    """The rows of the ranking by a metric, from the comparison."""
    assert study.comparison is not None
    reports = {one.key: one for one in study.comparison.metrics}
    order = study.ranking(key)
    rows = []
    for name in order:
        systems = {
            metric: next(one for one in report.systems if one.name == name) for metric, report in reports.items()
        }
        low, high = systems[key].rank_range or (0, 0)
        row = [str(low) if low == high else f"{low}–{high}", name]
        for one in systems.values():
            row += [fixed(one.score, 1), f"± {fixed(one.half_width or 0, 1)}"]
        if name == order[0]:
            rows.append([*row, "the others are compared with this system"])
            continue
        pair = next(one for one in reports[key].pairs if {one.system, one.baseline} == {name, order[0]})
        sign = 1 if pair.system == name else -1
        ends = sorted(sign * end for end in pair.interval or ())
        star = "*" if pair.significant else ""
        rows.append([*row, signed(sign * pair.delta, 1) + star, " to ".join(signed(end, 1) for end in ends), ""])
    return rows


@pytest.fixture(scope="module")
def flawed() -> Study:
    return flawed_study()


# The ranking.


@pytest.mark.parametrize("key", ["chrf", "ter", "bleu"])
def test_another_metric_ranks_with_its_own_ranges_clusters_and_differences(
    page: Opened, study: Study, key: str
) -> None:
    page.locator("#leaderboard thead button").nth(list(study.inputs.metrics).index(key)).click()
    assert expected_board(study, key) == board(page)
    assert study.comparison is not None
    clusters = next(one.clusters for one in study.comparison.metrics if one.key == key) or ()
    ends = [cluster[-1] for cluster in clusters[:-1]]
    lines = page.locator("#leaderboard tr.end").evaluate_all("(all) => all.map((one) => one.dataset.system)")
    assert [set(cluster) for cluster in clusters[: len(ends)]] and len(ends) == len(lines)
    assert all(line in cluster for line, cluster in zip(lines, clusters, strict=False))
    opened = page.locator("#pairs details.view[open], #groups details.view[open]")
    assert {str(list(study.inputs.metrics).index(key))} == set(
        opened.evaluate_all("(all) => all.map((one) => one.dataset.metric)")
    )
    assert f"ranked by {study.scores[key]['atlas'].name}" in page.locator("#board-note").inner_text()


def test_systems_can_be_hidden_everywhere_and_brought_back(browser: Any, page: Opened, study: Study) -> None:
    page.evaluate("() => change({ all: true })")
    page.locator("#tb-shown label", has_text="birch").click()
    all_drawn(page)
    assert ["atlas", "cedar"] == [row[1] for row in board(page)]
    assert "1 system is hidden" in page.locator("#board-note").inner_text()
    matrix = page.locator("#pairs .matrix").first
    assert not matrix.get_by_text("birch").first.is_visible()
    assert 2 == matrix.locator("tbody tr:visible").count()
    assert 1 == page.locator("#pairs .listed").first.locator("tbody tr:not([hidden])").count()
    assert "hide=birch" in page.url
    page.evaluate("() => change({ a: 2, b: 2 })")  # B is always drawn, so it must be another system
    assert 2 == all_drawn(page).locator("figure[data-figure=shares] path").count()
    assert 2 == page.locator(".card").first.locator(".system").count()
    with open_page(browser, study, address="#hide=atlas~nobody~cedar") as other:
        assert ["birch"] == [row[1] for row in board(other)]
        assert "not known" in other.locator("#tb-said").text_content()
    page.locator("#tb-show-all").click()
    assert 3 == len(board(page))
    assert page.locator("#tb-show-all").is_visible()


def test_the_plot_shows_scores_or_differences_to_any_system(page: Opened, study: Study) -> None:
    page.locator("#leaderboard select[data-field=plot]").select_option("score")
    assert study.comparison is not None
    for row, one in zip(board(page), study.comparison.metrics[0].systems, strict=True):
        ends = [(one.mean or 0) + sign * (one.half_width or 0) for sign in (-1, 1)]
        assert " to ".join(fixed(end, 1) for end in ends) == row[-2]
    assert 3 == page.locator("#leaderboard tbody td.plot .span").count()
    page.locator("#leaderboard select[data-field=plot]").select_option("difference")
    page.locator("#leaderboard select[data-field=against]").select_option(label="cedar")
    assert "vs=cedar" in page.url
    scores = study.scores["BLEU"]
    assert signed(scores["atlas"].score - scores["cedar"].score, 1) == board(page)[0][-3].rstrip("*")
    assert "compared with this system" in board(page)[2][-1]


def test_runs_are_dots_behind_the_mean(browser: Any, study: Study) -> None:
    # The comparison of a study has its runs; two more are put in here.
    runs = "systems.forEach((one) => one.run_scores.push(one.score - 1, one.score + 2))"
    change = lambda script: script.replace(  # noqa: E731
        "const shape =", f"for (const {{ systems }} of numbers.comparison.metrics) {runs};\n  const shape ="
    )
    with open_page(browser, study, change, "#plot=score") as page:
        assert 9 == page.locator("#leaderboard tbody circle.run").count()
        page.evaluate("() => change({ plot: 'difference' })")
        assert 6 == page.locator("#leaderboard tbody circle.run").count()


# Colours.


def test_colours_can_be_switched_and_are_kept_in_the_address(browser: Any, page: Opened, study: Study) -> None:
    color = "() => getComputedStyle(document.body).backgroundColor"
    light, dark = "rgb(255, 255, 255)", "rgb(21, 24, 28)"
    page.emulate_media(color_scheme="light")
    assert light == page.evaluate(color)
    page.locator("#tb-look select[data-field=theme]").select_option("dark")
    assert (dark, True) == (page.evaluate(color), page.url.endswith("#theme=dark"))
    with open_page(browser, study, address="#theme=dark") as other:
        assert dark == other.evaluate(color)
        assert "dark" == other.locator("#tb-look select[data-field=theme]").input_value()
    page.emulate_media(color_scheme="dark")
    page.locator("#tb-look select[data-field=theme]").select_option("light")
    assert light == page.evaluate(color)
    page.locator("#tb-look select[data-field=theme]").select_option("auto")
    assert dark == page.evaluate(color)


# Filters.


def test_each_check_with_segments_is_a_filter(browser: Any, flawed: Study) -> None:
    with open_page(browser, flawed) as page:
        for name, diagnosis in flawed.checks.items():
            for one in (one for one in diagnosis.findings if one.segments and one.side == "hypotheses"):
                option = page.locator("#tb-check option", has_text=f"{one.code} {one.name}, {name}")
                page.locator("#tb-check").select_option(option.get_attribute("value"))
                assert list(one.segments) == page.evaluate("() => live.chosen")
                page.locator("#tb-clear").click()
        buttons = page.locator("#checks th button")
        assert buttons.count() > 3
        for at in range(buttons.count()):
            count = int(buttons.nth(at).locator("xpath=ancestor::tr").locator("td.num").get_attribute("data-value"))
            buttons.nth(at).click()
            assert count == page.evaluate("() => live.chosen.length")
            page.evaluate("() => change({ filters: [] })")
        page.evaluate("() => change({ segment: 3 })")
        page.locator(".card.current button.check").first.click()
        assert 3 in page.evaluate("() => live.chosen")
        assert page.locator(".chip").count() == 1


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        ("only", "3-5,9", "segments 3-5,9"),
        ("diff", "1..20", "A − B: 1..20"),
        ("score:b", "..50", "score of B: ..50"),
        ("ratio:a", "1.2..", "length ratio of A: 1.2.."),
        ("gram", "in der", "n-gram “in der”"),
    ],
)
def test_what_is_typed_becomes_a_filter(page: Opened, kind: str, value: str, words: str) -> None:
    page.locator("#tb-kind").select_option(kind)
    page.locator("#tb-value").fill(value)
    page.locator("#tb-value").press("Enter")
    assert f"{words} ×" == page.locator(".chip").inner_text()
    assert 0 < page.evaluate("() => live.chosen.length") < 240
    page.locator("#tb-kind").select_option("diff")
    page.locator("#tb-value").fill("nonsense")
    page.locator("#tb-value").press("Enter")
    assert "This filter cannot be read: nonsense" == page.locator("#tb-message").inner_text()


# Figures.


def box(page: Opened, kind: str) -> dict[str, float]:
    area = page.locator(f"figure[data-figure={kind}] svg")
    area.scroll_into_view_if_needed()
    found: dict[str, float] = area.bounding_box()
    return found


def drag(page: Opened, kind: str, start: float, end: float) -> None:
    """Draw a range from one share of the width of a figure to another."""
    place = box(page, kind)
    y = place["y"] + 0.4 * place["height"]
    page.mouse.move(place["x"] + start * place["width"], y)
    page.mouse.down()
    page.mouse.move(place["x"] + (start + end) / 2 * place["width"], y)
    assert 1 == page.locator(f"figure[data-figure={kind}] .brush").count()
    page.mouse.move(place["x"] + end * place["width"], y)
    page.mouse.up()


@pytest.mark.parametrize(
    ("kind", "filter"),
    [
        ("shares", ["score", "a", "bleu"]),
        ("pair", ["score", "a", "bleu"]),
        ("metrics", ["score", "a", "bleu"]),
        ("ratios", ["ratio", "a"]),
        ("difference", ["diff", "bleu"]),
    ],
)
def test_a_range_that_is_drawn_becomes_a_filter(page: Opened, study: Study, kind: str, filter: list[str]) -> None:
    drag(page, kind, 0.3, 0.6)
    (found,) = page.evaluate("() => live.state.filters")
    low, high = (float(end) for end in next(part for part in found if ".." in part).split(".."))
    assert filter == [part for part in found if ".." not in part]
    values = {
        "score": study.segments("BLEU").of("atlas"),
        "diff": study.segments("BLEU").difference("atlas", "birch"),
        "ratio": study.rows["BLEU"]["atlas"].rows[:, 0] / study.rows["BLEU"]["atlas"].rows[:, 1],
    }[filter[0]]
    assert [at for at, value in enumerate(values) if low <= value <= high] == page.evaluate("() => live.chosen")
    assert 0 < page.evaluate("() => live.chosen.length") < 240
    all_drawn(page)
    drag(page, kind, 0.2, 0.9)
    assert 1 == page.evaluate("() => live.state.filters.length"), "a range takes the place of the one before"


def test_a_point_tells_and_opens_its_segment(page: Opened, study: Study) -> None:
    place = box(page, "pair")
    target = page.evaluate("() => placesOf(plots.get('pair').shown)[17]")
    page.mouse.move(place["x"] + target[0] * place["width"] / 640, place["y"] + target[1] * place["width"] / 640)
    readout = page.locator("figure[data-figure=pair] .readout").inner_text()
    scores = [study.segments("BLEU").of(name)[17] for name in ("atlas", "birch")]
    assert f"Segment 18: A {fixed(scores[0], 1)}, B {fixed(scores[1], 1)} BLEU" == readout
    page.mouse.down()
    page.mouse.up()
    assert "17" == page.evaluate("() => document.activeElement.dataset.segment")
    assert page.url.endswith("#panel=on&seg=18")
    page.mouse.move(0, 0)
    assert 0 == page.locator(".ring").count()


@pytest.mark.parametrize("kind", ["difference", "shares", "pair", "metrics"])
def test_arrow_keys_go_from_point_to_point_and_enter_opens(page: Opened, kind: str) -> None:
    page.locator(f"figure[data-figure={kind}] .drawing").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowUp", "ArrowLeft"):
        page.keyboard.press(key)
    number = re.match(r"Segment (\d+)", page.locator(f"figure[data-figure={kind}] .readout").inner_text())
    assert number and number[0] in page.locator("#tb-said").text_content()
    page.keyboard.press("Enter")
    assert int(number[1]) - 1 == page.evaluate("() => live.state.segment")


@pytest.mark.parametrize(("kind", "filter"), [("length", "label"), ("ratios", "ratio")])
def test_steps_of_lengths_become_filters_by_keys(page: Opened, kind: str, filter: str) -> None:
    page.locator(f"figure[data-figure={kind}] .drawing").focus()
    page.keyboard.press("ArrowLeft")
    count = re.search(r"(\d+) segments", page.locator(f"figure[data-figure={kind}] .readout").inner_text())
    page.keyboard.press("Enter")
    assert [filter] == [one[0] for one in page.evaluate("() => live.state.filters")]
    assert count and int(count[1]) == page.evaluate("() => live.chosen.length")


def test_a_saved_figure_is_svg_that_stands_alone(page: Opened, tmp_path: Path) -> None:
    for button in page.locator("figure .save").all():
        with page.expect_download() as found:
            button.click()
        path = tmp_path / found.value.suggested_filename
        found.value.save_as(path)
        root = ET.parse(path).getroot()
        tags = {one.tag.rpartition("}")[2] for one in root.iter()}
        assert {"svg", "rect", "line", "text", "path"} <= tags <= {"svg", "rect", "line", "text", "path", "circle"}
        assert not [key for one in root.iter() for key in one.attrib if key in ("class", "style") or key[:2] == "on"]
        assert all(one.get("stroke", "none") != "" for one in root.iter())
    assert 6 == len(list(tmp_path.iterdir()))


def test_one_metric_picker_serves_all_and_another_metric_can_be_held_against(page: Opened) -> None:
    page.locator("#distributions select[data-field=metric]").select_option(label="TER")
    assert "m=ter" in page.url
    all_drawn(page)
    page.locator("#distributions select[data-field=second]").select_option(label="chrF2")
    assert "m2=chrf" in page.url
    assert (
        all_drawn(page).locator("figure[data-figure=metrics] figcaption").inner_text().startswith("chrF2 against TER")
    )
    assert "TER" == page.locator("#leaderboard select[data-field=metric] option:checked").inner_text()


# What is missing in a study is missing in its page.


@pytest.mark.parametrize("metrics", [[CHRF()], [BLEU(), CHRF()]])
def test_a_single_system_has_figures_and_no_comparison(browser: Any, metrics: list[Any]) -> None:
    given = make_study().inputs
    study = Study({"atlas": given.systems["atlas"]}, given.references, metrics, sources=given.sources)
    with open_page(browser, study, address="#m=chrf&f=label:length:20-29&plot=score&vs=atlas") as page:
        figures = all_drawn(page).locator("figure[data-figure]")
        kinds = figures.evaluate_all("(all) => all.map((one) => one.dataset.figure)")
        assert ["shares", *(["metrics"] if len(metrics) > 1 else []), "length", "ratios"] == kinds
        assert 1 == len(board(page))
        page.evaluate("() => change({ filters: [] })")
        assert 0 < all_drawn(page).locator("#groups .set").first.locator("td[data-value]").count()


def test_tokens_of_mecab_are_marked(browser: Any) -> None:
    pytest.importorskip("MeCab", reason="MeCab is not installed: pip install 'truebleu[ja]'")
    study = Study(
        {"a": ["今日は天気が良いです。"], "b": ["今日は雨が降ります。"]}, [["今日は天気がとても良いです。"]],
        [BLEU(trg_lang="ja")], test="none", n_confidence=0,
    )  # fmt: skip
    with open_page(browser, study, address="#a=a&b=b") as page:
        spans = page.locator(".card .system").first.locator("bdi[dir] span")
        assert study.tokenizing.tokens(["今日は天気が良いです。"])[0] == spans.all_inner_texts()
        assert ["match4"] * 8 != spans.evaluate_all("(all) => all.map((one) => one.className)")
        missed = page.locator(".card .reference .missed").all_inner_texts()
        assert ["とても"] == missed


# Looks, with everything that is new on the screen.


@pytest.mark.parametrize("width", [320, 1200])
def test_nothing_new_scrolls_the_page_sideways(browser: Any, flawed: Study, width: int) -> None:
    with open_page(browser, flawed, address="#f=differ&hide=cedar&plot=score&m=ter") as page:
        page.set_viewport_size({"width": width, "height": 800})
        all_drawn(page).eval_on_selector_all("details", "all => all.forEach(one => { one.open = true; })")
        wide = page.evaluate(
            "() => [...document.querySelectorAll('.controls *, figure, figure *, .tools, .card')].filter((one) => "
            "one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.outerHTML.slice(0, 80))"
        )
        assert ([], True) == (wide, page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"))


def test_help_has_a_button_and_begins_at_its_top(page: Opened) -> None:
    page.locator("#tb-look").get_by_role("button", name="help").click()
    assert "help" == page.evaluate("() => document.querySelector('dialog[open]').id.slice(3)")
    assert 0 == page.evaluate("() => document.getElementById('tb-help').scrollTop")
    told = page.locator("#tb-help").inner_text()
    assert all(word in told for word in ("next and previous segment", "corpus score", "cluster", "matrix", "reversal"))
    page.locator("#tb-help button").click()
    assert not page.locator("#tb-help").is_visible()


def test_a_line_says_what_the_marks_mean(page: Opened) -> None:
    kinds = "() => [...document.querySelectorAll('#tb-marks span')].map((one) => one.className)"
    assert ["match1", "match2", "match3", "match4", "missed"] == page.evaluate(kinds)
    page.locator("select[data-field=marks]").select_option("pair")
    assert ["own-gain", "own-error", "shared-error", "missed"] == page.evaluate(kinds)
    page.locator("select[data-field=marks]").select_option("none")
    assert "" == page.locator("#tb-marks").inner_text()


def test_segments_are_sorted_by_their_document(browser: Any) -> None:
    documents = ["b", "a", "c", "b", "a", "c", "c", "a"]
    texts = [f"text {at}" for at in range(len(documents))]
    for given, order, sort in ((documents, [0, 3, 1, 4, 7, 2, 5, 6], "document"), (None, [*range(8)], "number")):
        study = Study({"x": texts, "y": texts[::-1]}, [texts], BLEU(), documents=given, n_confidence=0)
        with open_page(browser, study, address="#sort=document") as page:
            assert order == page.evaluate("() => live.order")
            assert sort == page.locator("select[data-field=sort]").input_value()
            assert (given is not None) == page.locator("select[data-field=sort] option[value=document]").count()


def test_what_is_out_of_date_is_not_drawn(page: Opened) -> None:
    """Somebody who types on gets the last of the pages, and none of those between."""
    drawn = page.evaluate(
        """async () => {
            for (const word of ["d", "di", "die"]) change({ filters: [["text", word]] });
            const [last, chosen] = [live.about, live.chosen.length];
            while (document.documentElement.dataset.drawn !== "all") await new Promise((done) => setTimeout(done, 10));
            return [last === live.about, chosen, plots.get("pair").shown.made.points.length];
        }"""
    )
    assert [True, drawn[1], drawn[1]] == drawn


def test_the_list_of_pairs_is_sorted_by_any_column(page: Opened, study: Study) -> None:
    listed = page.locator("#pairs .listed").first
    listed.locator("summary").click()
    values = "(rows) => rows.map((row) => Number(row.children[2].dataset.value))"
    before = listed.locator("tbody tr").evaluate_all(values)
    for names, turn in (("ascending", False), ("descending", True)):
        listed.get_by_role("button", name="Difference").click()
        assert names == listed.locator("th", has_text="Difference").get_attribute("aria-sort")
        assert sorted(before, reverse=turn) == listed.locator("tbody tr").evaluate_all(values)
    listed.get_by_role("button", name="System").click()
    systems = listed.locator("tbody th").all_inner_texts()
    assert sorted(systems) == systems
    # A system that is hidden leaves the list, however it is sorted.
    page.evaluate("() => change({ hidden: [0] })")
    hidden = next(iter(study.inputs.systems))
    shown = listed.locator("tbody tr:visible").all_inner_texts()
    assert shown and not any(hidden in text for text in shown)
    assert len(before) - len(shown) == len(study.inputs.systems) - 1
