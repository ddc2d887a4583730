"""Every click shows segments: in Chromium and in Firefox, on a desk and on a phone."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest
from tests.browser.live_page import open_page
from tests.browser.test_firefox import firefox as firefox  # a fixture
from tests.browser.test_random_filters import flawed_study

from truebleu import BLEU, CHRF, Study, demo
from truebleu.study.earlier import since
from truebleu.study.page.page import Look, study_page

SIZES = {"desk": (1280, 800), "phone": (390, 844)}
DATA = demo.load("en-de")

# What scenarios have in common. They see the page as a reader does: by its elements, its address and its places.
TOOLS = """
const one = (selector) => document.querySelector(selector);
const box = (element) => element.getBoundingClientRect();
const isSeen = (each) => each && each.checkVisibility() && box(each).bottom > 0 && box(each).top < innerHeight;
const rest = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
const until = async (isSo) => {
    const end = Date.now() + 20_000;
    for (; !isSo(); await rest()) if (Date.now() > end) throw new Error(`never: ${isSo}`);
};
const drawn = async () => {
    await rest();
    await until(() => document.documentElement.dataset.drawn === "all" && !one("#ngrams .progress"));
    await rest();
};
const back = async () => {
    const { hash } = location;
    history.back();
    await until(() => location.hash !== hash);
    await drawn();
};
const cards = () => [...document.querySelectorAll("#cards .card, #cards tr[data-segment]")];
const choose = async (selector, value) => {
    one(selector).value = value;
    one(selector).dispatchEvent(new Event("change", { bubbles: true }));
    await drawn();
};
"""


class Engine(Protocol):
    def run(self, script: str, *values: Any) -> Any:
        """Run the body of an async function in the page."""

    def press(self, key: str) -> None: ...


class Chromium:
    def __init__(self, page: Any) -> None:
        self.page = page

    def run(self, script: str, *values: Any) -> Any:
        return self.page.evaluate(f"async (given) => {{ {TOOLS} {script} }}", list(values))

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)


class Firefox:
    def __init__(self, client: Any) -> None:
        self.client = client

    def run(self, script: str, *values: Any) -> Any:
        body = f"const [given, done] = arguments; (async () => {{ {TOOLS} {script} }})()"
        told = self.client.execute_async_script(
            f"{body}.then((found) => done({{ found }}), (error) => done({{ error: String(error) }}))",
            script_args=[list(values)],
            script_timeout=60_000,
        )
        assert "error" not in told, told
        return told.get("found")

    def press(self, key: str) -> None:
        from marionette_driver.by import By

        self.client.find_element(By.CSS_SELECTOR, "body").send_keys(key)


def large_study() -> Study:
    """Twenty systems of 3,000 segments: the demo's, with words left out."""
    systems = {}
    for at in range(20):
        texts = list(DATA.systems.values())[at % 3] * 13
        systems[f"s{at + 1:02}"] = [
            " ".join(word for place, word in enumerate(text.split()) if (place + line) % (at + 9) or at < 3) or text
            for line, text in enumerate(texts[:3_000])
        ]
    reference = (next(iter(DATA.references.values())) * 13)[:3_000]
    return Study(
        systems, [reference], [BLEU(), CHRF()],
        sources=(DATA.sources * 13)[:3_000], labels={"domain": (DATA.domains * 13)[:3_000]}, language="de",
        n_samples=4_000, n_confidence=20, threads=2,
    )  # fmt: skip


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Pages, each made once: a large one, one with flaws that checks find, and one held against an older one."""
    folder = tmp_path_factory.mktemp("clicks")

    def path_of(name: str) -> Path:
        path = folder / f"{name}.html"
        if path.exists():
            return path
        study = large_study() if name == "large" else flawed_study()
        look = Look(date="2030-01-31")
        if name == "since":
            older = folder / "older.html"
            older.write_bytes(study_page(flawed_study()))
            study = newer_study()
            look = look._replace(since=since(study, older))
        path.write_bytes(study_page(study, look))
        return path

    return path_of


def newer_study() -> Study:
    """The flawed study after some work: the best system is better in some segments and worse in others."""
    given = flawed_study().inputs
    systems = dict(given.systems)
    systems["atlas"] = [
        given.references[0][at] if at % 7 == 0 else given.systems["cedar"][at] if at % 5 == 0 else text
        for at, text in enumerate(given.systems["atlas"])
    ]
    return Study(
        systems, given.references, list(given.metrics.values()),
        sources=given.sources, labels={"domain": given.labels["domain"]}, n_samples=100, n_confidence=20, language="de",
    )  # fmt: skip


@pytest.fixture(params=[f"{engine} {size}" for engine in ("chromium", "firefox") for size in SIZES])
def opened(request: pytest.FixtureRequest, written: Callable[[str], Path]) -> Iterator[Callable[[str], Engine]]:
    """Opens one of the pages in an engine, in a window of a size."""
    name, size = request.param.split()
    width, height = SIZES[size]
    close: list[Callable[[], Any]] = []

    def in_chromium(page: str) -> Engine:
        context = request.getfixturevalue("browser").new_context(
            offline=True, viewport={"width": width, "height": height}
        )
        close.append(context.close)
        tab = context.new_page()
        tab.goto(written(page).as_uri())
        return Chromium(tab)

    def in_firefox(page: str) -> Engine:
        client = request.getfixturevalue("firefox")
        client.set_window_rect(width=width, height=height)
        client.navigate("about:blank")
        client.navigate(written(page).as_uri())
        engine = Firefox(client)
        wider = engine.run("return [outerWidth - innerWidth, outerHeight - innerHeight]")
        client.set_window_rect(width=width + wider[0], height=height + wider[1])
        return engine

    def ready(page: str) -> Engine:
        engine = in_chromium(page) if name == "chromium" else in_firefox(page)
        engine.run("await drawn()")
        return engine

    yield ready
    for one in close:
        one()


def test_a_large_page_is_at_most_twenty_screens_high(opened: Callable[[str], Engine]) -> None:
    page = opened("large")
    found = page.run(
        "return { screens: document.documentElement.scrollHeight / innerHeight, cards: cards().length,"
        " sideways: document.documentElement.scrollWidth > innerWidth, pager: one('[data-pager]').textContent }"
    )
    assert found["screens"] <= 20, found
    assert found["cards"] in (5, 10) and not found["sideways"]
    assert f"1–{found['cards']} of 3,000" in found["pager"]
    # Every page of segments is as easy to reach, and Back returns.
    found = page.run(
        "const field = one('[data-pager] input'); field.value = field.max; field.dispatchEvent(new Event('change'));"
        "await drawn(); const last = cards().at(-1).getAttribute('aria-label'); const hash = location.hash;"
        "await back(); return { last, hash, first: cards()[0].getAttribute('aria-label') }"
    )
    assert ("Segment 3,000", "Segment 1") == (found["last"], found["first"])
    assert re.fullmatch("#page=(300|600)", found["hash"])


# A click on a button of a table: table, button and place stay; the segments it counts are in sight; Back returns.
CLICK = """
const button = [...document.querySelectorAll(given[0])].filter((each) => each.checkVisibility())[given[1]];
button.scrollIntoView({ block: "center" });
await rest();
const table = button.closest("table");
const rows = [...table.querySelectorAll("tbody tr")];
const [text, before, y] = [table.textContent, box(button).top, scrollY];
button.focus();
button.click();
await drawn();
const panel = one("#segments");
const found = {
    isKept: table.isConnected && table.textContent === text && rows.every((row) => row.isConnected),
    isSeen: isSeen(button) && box(button).bottom <= box(panel).top,
    moved: box(button).top - before,
    hadRoom: before + box(button).height < box(panel).top - 8,
    focus: document.activeElement === button,
    pressed: button.getAttribute("aria-pressed"),
    row: [...button.closest("tr").children].map((cell) => cell.textContent.replace(" few", "")),
    count: one("#tb-count").textContent,
    cards: cards().filter((card) => isSeen(card) && box(card).top < innerHeight - 60).length,
    docked: getComputedStyle(panel).position,
    hash: location.hash,
};
await back();
found.away = Math.max(Math.abs(scrollY - y), Math.abs(box(button).top - before));
return { ...found, after: location.hash, filters: one("#subset").hidden, closed: getComputedStyle(panel).position };
"""


@pytest.mark.parametrize(
    ("selector", "which"),
    [
        ("#checks th button", 1),
        ("#ngrams-gains-list th button", 2),
        ("#groups .set th button", 1),
        ("#tb-by-score td button", 3),
        ("#tb-by-words th button", 1),
    ],
    ids=["check", "n-gram", "group", "score", "words"],
)
def test_a_click_shows_its_segments_and_back_returns(
    opened: Callable[[str], Engine], selector: str, which: int
) -> None:
    page = opened("flawed")
    page.run("await until(() => one('#tb-by-words th button'))")
    found = page.run(CLICK, selector, which)
    assert found["isKept"] and found["isSeen"] and found["focus"] and found["pressed"] == "true", found
    assert abs(found["moved"]) <= 1 or not found["hadRoom"], found
    assert found["cards"] >= 1 and found["docked"] == "fixed", found
    number = re.match(r"[\d,]+", found["count"])
    assert number and ("words" in selector or number[0] in found["row"]), found
    assert found["hash"].startswith("#f=") and "panel=on" in found["hash"]
    assert found["after"] in ("", "#") and found["filters"] and found["closed"] != "fixed"
    assert found["away"] <= 1, found


def test_a_search_keeps_its_box_and_results_in_sight(opened: Callable[[str], Engine]) -> None:
    page = opened("flawed")
    page.run("one('#leaderboard').scrollIntoView()")
    page.press("/")
    found = page.run(
        "await drawn(); const field = one('#tb-search');"
        "const found = [];"
        "for (const word of ['d', 'di', 'die']) { field.value = word; field.dispatchEvent(new Event('input'));"
        " await drawn(); found.push([isSeen(field), document.activeElement === field, isSeen(cards()[0]),"
        " box(cards()[0]).top > box(field).bottom - 1, box(cards()[0]).top < innerHeight - 60]); }"
        "const hash = location.hash; await back();"
        "return { found, hash, after: location.hash, docked: getComputedStyle(one('#segments')).position }"
    )
    assert [[True] * 5] * 3 == found["found"], found
    assert found["hash"] == "#f=text:die&panel=on" and found["after"] in ("", "#") and found["docked"] != "fixed"
    # In the section itself the box stays where it is, and what it finds stays below it.
    found = page.run(
        "const field = one('#tb-search'); field.scrollIntoView({ block: 'end' }); field.focus(); await rest();"
        "field.value = 'die'; field.dispatchEvent(new Event('input')); await drawn();"
        "return [isSeen(field), isSeen(cards()[0]) || isSeen(one('#tb-more')),"
        " getComputedStyle(one('#segments')).position]"
    )
    assert [True, True, "static"] == found


def test_wide_tables_show_that_there_is_more(opened: Callable[[str], Engine]) -> None:
    page = opened("large")
    found = page.run(
        "return [...document.querySelectorAll('.scroll')].filter((each) => each.checkVisibility()).map((each) => {"
        " const seen = [each.scrollWidth > each.clientWidth + 1, each.dataset.more.includes('right'),"
        " getComputedStyle(each).maskImage.includes('gradient')]; each.scrollLeft = 9999; return seen; })"
    )
    assert all(is_wide == is_told and (is_faded or not is_wide) for is_wide, is_told, is_faded in found), found
    assert any(is_wide for is_wide, *_ in found) or page.run("return innerWidth") > 1000
    ends = page.run(
        "await rest(); await rest();"
        "return [...document.querySelectorAll('.scroll')].map((each) => (each.dataset.more ?? '').includes('right'))"
    )
    assert not any(ends)


def test_who_wins_comes_before_controls_and_contents_mark_the_section(opened: Callable[[str], Engine]) -> None:
    page = opened("flawed")
    found = page.run(
        "const table = one('#leaderboard table'); const controls = [...document.querySelectorAll('main .controls')];"
        "const contents = [];"
        "for (const id of ['leaderboard', 'ngrams', 'checks', 'provenance']) { one(`#${id}`).scrollIntoView();"
        " await rest(); await rest(); contents.push(one('nav [aria-current]').getAttribute('href'),"
        " box(one('nav [aria-current]')).left >= 0, box(one('nav [aria-current]')).right <= innerWidth); }"
        "scrollTo(0, 0); return { contents, h1: one('h1').textContent, date: one('.date').textContent,"
        " order: controls.every((each) => table.compareDocumentPosition(each) & 4), top: box(one('h1')).top,"
        " checks: one('.facts a').textContent,"
        " levels: [...document.querySelectorAll('#checks tbody tr')].map((each) => each.className) }"
    )
    expected = [[f"#{name}", True, True] for name in ("leaderboard", "ngrams", "checks", "provenance")]
    assert [part for each in expected for part in each] == found["contents"]
    assert ("de, 3 systems", "2030-01-31", True) == (found["h1"], found["date"], bool(found["order"]))
    assert found["top"] < 120
    errors, warnings = (found["levels"].count(level) for level in ("error", "warning"))
    assert found["checks"] == f"{errors or 'none'} failed, {warnings} warning{'s' if warnings > 1 else ''}"


def test_systems_side_by_side_and_a_dense_table(opened: Callable[[str], Engine]) -> None:
    page = opened("large")
    found = page.run(
        "one('#tb-more').open = true; await choose('[data-field=view]', 'side');"
        "for (const at of [3, 4]) { one(`#tb-with [data-value='${at}']`).click(); await drawn(); }"
        "const systems = [...cards()[0].querySelectorAll('.system')];"
        "const hash = location.hash; const tops = systems.map((each) => Math.round(box(each).top));"
        "const lefts = systems.map((each) => box(each).left);"
        "await choose('[data-field=view]', 'table'); await choose('[data-field=size]', '50');"
        "const heads = () => [...document.querySelectorAll('.dense thead th')].map((each) => each.textContent);"
        "const [first, rows] = [heads(), cards().map((each) => box(each).height)];"
        "one(`#tb-columns [data-value=source]`).click(); await drawn();"
        "const [second, columns] = [heads(), location.hash];"
        "cards()[2].querySelector('button').click(); await drawn();"
        "const opened = one('.dense .opened .card').getAttribute('aria-label');"
        "return { hash, tops, lefts, first, second, columns, rows, opened,"
        " sideways: document.documentElement.scrollWidth > innerWidth }"
    )
    assert 4 == len(found["lefts"]) == len(set(found["lefts"])) and 1 == len(set(found["tops"])), found
    assert found["hash"].endswith("view=side&with=s04~s05")
    assert 50 == len(found["rows"]) and max(found["rows"]) < 40 and not found["sideways"]
    assert "source" not in found["first"] and "source" in found["second"] and "source" in found["columns"]
    assert {"A − B", "reference"} <= set(found["first"]) and "Segment 3" == found["opened"]


def test_marks_and_notes_are_kept_and_shown(opened: Callable[[str], Engine]) -> None:
    page = opened("flawed")
    found = page.run(
        "one('#tb-more').open = true; cards()[1].querySelector('.mark').click();"
        "const field = cards()[2].querySelector('textarea'); field.value = 'why\\t\\n?';"
        "field.dispatchEvent(new Event('input')); one('#tb-notes button').click(); await drawn();"
        "return { shown: cards().map((each) => each.getAttribute('aria-label')),"
        " told: one('#tb-notes .count').textContent,"
        " kept: Object.keys(localStorage).filter((key) => key.startsWith('truebleu ')) }"
    )
    assert (["Segment 2", "Segment 3"], "Marks and notes: 2") == (found["shown"], found["told"])
    assert 1 == len(found["kept"]) and re.fullmatch("truebleu [0-9a-f]{32}", found["kept"][0])
    page.run("for (const key of Object.keys(localStorage)) localStorage.removeItem(key)")


def test_notes_survive_a_reload_and_are_saved_as_files(browser: Any, written: Callable[[str], Path]) -> None:
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto(written("flawed").as_uri())
    page.locator(".card .mark").nth(1).click()
    page.locator(".note-of summary").nth(2).click()
    page.locator(".note-of textarea").nth(2).fill("=why\t\n?")
    page.reload()
    assert "=why\t\n?" == page.locator(".note-of textarea").nth(2).input_value()
    saved = {}
    for kind in ("JSON", "TSV"):
        with page.expect_download() as found:
            page.get_by_role("button", name=f"save as {kind}").click()
        saved[found.value.suggested_filename] = Path(found.value.path()).read_text("utf-8")
    context.close()
    notes = json.loads(saved["notes.json"])["notes"]
    assert [
        {"segment": 2, "marked": True, "note": ""},
        {"segment": 3, "marked": False, "note": "=why\t\n?"},
    ] == notes
    assert "segment\tmarked\tnote\n2\tyes\t\n3\tno\t'=why ?\n" == saved["notes.tsv"]


def test_a_browser_that_keeps_nothing_has_notes_until_the_page_is_left(browser: Any) -> None:
    def without(script: str) -> str:
        return script.replace("localStorage.", "(() => { throw new Error('denied'); })().")

    with open_page(browser, flawed_study(), change=without) as page:
        page.locator(".card .mark").first.click()
        page.get_by_role("button", name="show them").click()
        assert 1 == page.locator(".card").count()


def test_what_became_worse_since_an_older_report_is_shown(opened: Callable[[str], Engine]) -> None:
    page = opened("since")
    found = page.run(CLICK, "#since td button", 1)
    assert found["isKept"] and found["isSeen"] and found["cards"] >= 1 and found["filters"], found
    older, newer = flawed_study(), newer_study()
    gains = (newer.segments("bleu").of("atlas") - older.segments("bleu").of("atlas")).round(6)
    worse = int((gains < 0).sum())
    assert 0 < worse < 200
    assert f"{worse} of {newer.inputs.n} segments" == found["count"]
    assert ["", "#"].count(found["after"]) == 1
    # The text that the system had is there too, and the largest loss comes first.
    found = page.run(
        "[...document.querySelectorAll('#since td button')][1].click(); await drawn();"
        "const card = cards()[0]; return { number: card.getAttribute('aria-label'),"
        " before: card.querySelector('.earlier bdi')?.textContent ?? '' }"
    )
    lost = int(gains.argmin())
    assert (f"Segment {lost + 1}", older.inputs.systems["atlas"][lost]) == (found["number"], found["before"])
