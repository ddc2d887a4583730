"""Nearly every function of the script runs while a reader uses the page: what never runs is not tested either."""

import tempfile
from pathlib import Path
from typing import Any

from tests.browser.live_page import Opened, all_drawn, usual_page
from tests.browser.test_random_filters import flawed_study

from truebleu import BLEU, CHRF, TER, Study
from truebleu.metrics.external import ExternalMetric
from truebleu.scores import ErrorSpan
from truebleu.study.earlier import since
from truebleu.study.page.page import Look, study_page
from truebleu.study.page.payload import script

LEAST = 0.95

# Formulas and helpers that the demo's metrics do not reach, called as the other tests call them.
FORMULAS = """() => {
    for (const smoothing of ["exp", "floor", "add-k", "method0", "method4", "method5", "method6", "method7"]) {
        const options = { order: 4, smoothing, value: 1, effective_order: false, compensated_sum: smoothing === "exp" };
        const ahead = smoothing === "method5" || smoothing === "method7";
        bleuOf(options, ahead ? [9, 10, 5, 2, 1, 0, 0, 9, 8, 7, 6, 5] : [9, 10, 5, 2, 1, 0, 9, 8, 7, 6]);
    }
    appendText(document.createElement("p"), "a\\u202eb");
}"""


def walk(page: Opened) -> None:
    """Use everything once."""
    keyboard = page.keyboard
    for key in "jkosmdgl?":
        keyboard.press(key)
    page.locator("#tb-help button").click()
    page.locator("#tb-fold").check()
    page.locator("#tb-place").select_option("b")
    page.locator("#tb-search").fill("der")
    page.locator("#tb-search").fill("/(/")
    page.locator("#tb-search").fill("/der/i")
    page.get_by_role("button", name="whole set").click()
    page.get_by_role("button", name="copy as --only").click()
    page.locator("#subset").get_by_role("button", name="subset", exact=True).click()
    page.locator(".chip").click()
    for name in ("A is better", "A is worse", "A and B differ", "has major errors"):
        page.get_by_role("button", name=name).click()
        page.locator("#tb-clear").click()
    page.locator("select[data-set=domain]").select_option("news")
    for kind, value in (("only", "1-200"), ("diff", "-90..90"), ("score:a", "0..500"), ("ratio:a", "0..9")):
        page.locator("#tb-kind").select_option(kind)
        page.locator("#tb-value").fill(value)
        page.locator("#tb-value").press("Enter")
    page.locator("#tb-kind").select_option("diff")
    page.locator("#tb-value").fill("no")
    page.locator("#tb-value").press("Enter")
    page.locator("#tb-clear").click()
    page.locator("#tb-check").select_option(index=1)
    page.locator(".card button.check").first.click()
    page.locator("#tb-clear").click()
    for field in ("sort", "marks", "decimals"):
        options = page.locator(f"#tb-controls select[data-field={field}]")
        for value in options.locator("option").evaluate_all("(all) => all.map((one) => one.value)"):
            options.select_option(value)
    for field in ("all", "invisible"):
        page.locator(f"[data-field={field}]").check()
    walk_sections(page)
    walk_segments(page)
    page.locator(".card .permalink").first.click()
    page.locator("nav a").first.click()
    page.set_viewport_size({"width": 700, "height": 700})
    page.evaluate("() => scrollBy(0, 3000)")
    page.go_back()
    page.evaluate("() => { location.hash = '#x=1&f=label:no:no'; }")
    page.evaluate(FORMULAS)


def walk_sections(page: Opened) -> None:
    page.locator("#tb-look select[data-field=theme]").select_option("dark")
    page.locator("#leaderboard thead button").nth(2).click()
    page.locator("#leaderboard select[data-field=plot]").select_option("score")
    page.locator("#leaderboard select[data-field=against]").select_option("1")
    page.locator("#tb-shown input").first.click()
    page.locator("#tb-show-all").click()
    page.locator("#leaderboard tbody tr").last.click()
    page.evaluate("() => change({ metric: 0 })")
    page.locator("#pairs .matrix tbody td:not(.self)").first.click()
    page.locator("#pairs .matrix tbody td:not(.self)").nth(1).press("Enter")
    page.locator("#ab select[data-field=a]").select_option("0")
    page.locator("#ab select[data-field=b]").select_option("2")
    page.locator("#tb-swap").click()
    all_drawn(page).locator("#groups details.all summary").first.click()
    page.locator("#groups .most button").first.click()
    page.locator("#groups tbody button").first.click()
    all_drawn(page).locator("#ngrams tbody button").first.click()
    page.evaluate("() => change({ filters: [] })")
    all_drawn(page).locator("#distributions select[data-field=second]").select_option("2")
    for kind in ("difference", "shares", "pair", "metrics", "length", "ratios"):
        area = all_drawn(page).locator(f"figure[data-figure={kind}] .drawing")
        area.focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        page.evaluate("() => change({ filters: [] })")
        box = all_drawn(page).locator(f"figure[data-figure={kind}] svg").bounding_box()
        page.evaluate("(y) => scrollBy(0, y)", box["y"] - 100)
        box = page.locator(f"figure[data-figure={kind}] svg").bounding_box()
        for end in (350, 400):
            page.mouse.move(box["x"] + 150, box["y"] + 80)
            page.mouse.down()
            page.mouse.move(box["x"] + end, box["y"] + 80)
            page.mouse.up()
        page.mouse.move(0, 0)
        page.evaluate("() => change({ filters: [] })")
    with page.expect_download():
        page.locator("figure .save").first.click()
    page.locator("#checks th button").first.click()
    page.evaluate("() => change({ filters: [] })")


def walk_segments(page: Opened) -> None:
    """Pages, views, notes, buckets and what changed since an older report."""
    page.evaluate("() => change({ filters: [], panel: false, segment: null, all: false })")
    all_drawn(page).locator("#tb-by-words th button").first.click()
    page.locator("#tb-close").click()
    all_drawn(page).locator("#tb-by-score td button").first.click()
    page.locator("#tb-show").click()
    page.locator("#tb-clear").click()
    all_drawn(page).locator("#since td button").nth(1).click()
    all_drawn(page).locator("#tb-clear").click()
    page.get_by_role("button", name="next page of segments").first.click()
    page.evaluate("() => document.activeElement.blur()")
    for key in "[jxvv":
        page.keyboard.press(key)
    page.locator("#tb-more").evaluate("(one) => { one.open = true; }")
    page.locator("#tb-columns input").evaluate_all("(all) => all.forEach((one) => one.checked || one.click())")
    page.locator(".dense td.line").nth(9).click()
    page.locator(".dense .note-of summary").click()
    page.locator(".dense textarea").fill("a note")
    page.locator("select[data-field=view]").select_option("side")
    page.locator("#tb-with input:enabled").first.click()
    for name in ("save as JSON", "save as TSV"):
        with page.expect_download():
            page.get_by_role("button", name=name).click()
    page.get_by_role("button", name="show them").click()
    page.locator("#tb-clear").click()
    page.locator("#tb-search").fill("der")
    page.get_by_role("button", name="copy scores as CSV").click()
    page.evaluate("() => change({ filters: [], view: 'cards' }, true)")
    page.go_back()
    page.keyboard.press("/")


def study_of_everything(better: bool = False) -> Study:
    given = flawed_study().inputs
    systems = dict(given.systems)
    if better:
        systems["atlas"] = [*given.references[0][:20], *systems["cedar"][20:40], *systems["atlas"][40:]]
    labels = {"domain": given.labels["domain"], "many": [f"g{at // 5}" for at in range(given.n)]}
    metrics = {"BLEU": BLEU(), "CHRF": CHRF(), "TER": TER(), "COST": ExternalMetric("COST", higher_is_better=False)}
    cost = {name: [float(len(text)) for text in texts] for name, texts in given.systems.items()}
    errors = [ErrorSpan(0, 2, "major", "Style", rater="r1"), ErrorSpan(0, 3, "minor", in_source=True)]
    spans = {"MQM": {name: [errors[: at % 3] for at in range(given.n)] for name in given.systems}}
    return Study(
        systems, given.references, metrics,
        sources=given.sources, labels=labels, external={"COST": cost}, spans=spans, n_samples=100,
        n_confidence=20, language="de",
    )  # fmt: skip


def test_nearly_every_function_of_the_script_runs_while_the_page_is_used(browser: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, study = Path(folder) / "page.html", study_of_everything(better=True)
        path.write_bytes(usual_page(study_of_everything()))
        path.write_bytes(study_page(study, Look(since=since(study, path))))
        context = browser.new_context(offline=True)
        page = context.new_page()
        tools = context.new_cdp_session(page)
        tools.send("Profiler.enable")
        tools.send("Profiler.startPreciseCoverage", {"callCount": True, "detailed": False})
        page.goto(path.as_uri())
        walk(all_drawn(page))
        found = tools.send("Profiler.takePreciseCoverage")["result"]
        context.close()
    ours = [one for one in found if one["url"].endswith("page.html")]  # what the test brings along has no address
    functions = [(one["functionName"], one["ranges"][0]) for each in ours for one in each["functions"]]
    assert len(functions) > 500
    missed = [script()[place["startOffset"] :][:60] for _, place in functions if not place["count"]]
    assert 1 - len(missed) / len(functions) >= LEAST, missed
