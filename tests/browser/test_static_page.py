"""The page in a real browser, without its script: scenarios 1, 2, 3, 13, 14, 16, 17 and 18 of the specification."""

import json
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import truebleu
from report.page_corpora import HOSTILE, demo_study, hostile_study, right_to_left_study
from truebleu.cli.main import main
from truebleu.study.page.characters import pieces, plain
from truebleu.study.page.page import Look, study_page

STUDIES = {
    "demo": demo_study,
    "chinese": lambda: demo_study("en-zh"),
    "hostile": hostile_study,
    "rtl": right_to_left_study,
}


class Opened(NamedTuple):
    page: Any
    messages: list[str]  # of the console, errors and dialogs
    requests: list[str]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The page of a study, written once."""
    folder = tmp_path_factory.mktemp("pages")

    def written(name: str) -> Path:
        path = folder / f"{name}.html"
        if not path.exists():
            path.write_bytes(study_page(STUDIES[name](), Look(source_language="en"), program=""))
        return path

    return written


@pytest.fixture
def show(browser: Any) -> Iterator[Callable[..., Opened]]:
    contexts = []

    def opened(path: Path, **options: Any) -> Opened:
        context = browser.new_context(offline=True, **options)
        contexts.append(context)
        page, messages, requests = context.new_page(), [], []
        page.on("console", lambda message: messages.append(message.text))
        page.on("pageerror", lambda error: messages.append(str(error)))
        page.on("dialog", lambda dialog: (messages.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri())
        return Opened(page, messages, requests)

    yield opened
    for context in contexts:
        context.close()


def check_quiet(opened: Opened) -> None:
    """No message, and no request but the file and pictures inside it."""
    assert [] == opened.messages
    assert 1 == len([url for url in opened.requests if not url.startswith("data:")])


# 1. Opens offline from disk.


@pytest.mark.parametrize("name", ["plain.html", "with space #1 100% 报告.html"])
def test_a_report_opens_offline_without_a_message_or_a_request(
    name: str, show: Callable[..., Opened], files: Callable[[str], Path], tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(files("demo").read_bytes())
    opened = show(path)
    assert "demo en-de" == opened.page.title()
    assert opened.page.locator("#leaderboard tbody tr").count() == 3
    check_quiet(opened)


# 2. Every number equals those of --json.


@pytest.mark.parametrize("pair", truebleu.demo.PAIRS)
def test_every_number_on_the_page_is_in_the_json(pair: str, show: Callable[..., Opened], tmp_path: Path) -> None:
    words = f"report -t demo -l {pair} -i atlas birch cedar -m bleu chrf ter -q".split()
    assert 0 == main([*words, "-o", str(tmp_path / "r.html"), "--json", str(tmp_path / "r.json")])
    facts = json.loads((tmp_path / "r.json").read_text("utf-8"))
    known = set(numbers(facts))
    for metric in facts["metrics"]:
        a, b = (metric["segments"][name] for name in facts["pair"])
        known |= {ours - theirs for ours, theirs in zip(a, b, strict=True)}
    page = show(tmp_path / "r.html", java_script_enabled=False).page
    found = page.eval_on_selector_all("[data-value]", "all => all.map(one => [one.dataset.value, one.textContent])")
    assert len(found) > 500
    for values, text in found:
        exact = [float(value) for value in values.split()]
        assert all(value in known or -value in known for value in exact), (values, text)
        # What is printed is the exact value, rounded.
        shown = [float(one.replace("\u2212", "-").replace(",", "")) for one in re.findall(r"[−-]?[\d,]*\.?\d+", text)]
        if shown and "=" not in text:
            assert all(abs(one - value) <= 0.05 + 1e-9 for one, value in zip(shown, exact, strict=False)), text


def numbers(value: Any) -> Iterator[float]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from numbers(one)
    elif isinstance(value, int | float):
        yield value


# 3. Scripts off.


def test_without_scripts_everything_is_there_to_read(show: Callable[..., Opened], files: Callable[[str], Path]) -> None:
    page = show(files("demo"), java_script_enabled=False).page
    for section in [
        "leaderboard",
        "pairs",
        "ab",
        "groups",
        "ngrams",
        "distributions",
        "segments",
        "checks",
        "methods",
        "provenance",
    ]:
        assert page.locator(f"section#{section} h2").is_visible()
    assert 40 == page.locator("article.card").count()
    assert page.locator("#ngrams tbody tr").count() > 20
    assert page.locator("#pairs table.matrix").first.is_visible()


# 13. Right to left.


def test_arabic_is_aligned_right_and_latin_within_it_stays_in_order(
    show: Callable[..., Opened], files: Callable[[str], Path], tmp_path: Path
) -> None:
    page = show(files("rtl")).page
    texts = page.locator("article.card .system bdi[dir]")
    assert texts.count() > 10
    directions = texts.evaluate_all("all => all.map(one => getComputedStyle(one).direction)")
    assert {"rtl"} == set(directions)
    # The order of words on the screen is that of the same text by itself.
    words = """element => { const text = element.firstChild, found = [];
        for (const match of text.data.matchAll(/\\S+/g)) { const range = document.createRange();
            range.setStart(text, match.index); range.setEnd(text, match.index + match[0].length);
            const box = range.getClientRects()[0]; found.push([match[0], box.left, box.top]); }
        return found.sort((a, b) => a[2] - b[2] || a[1] - b[1]).map(one => one[0]); }"""
    given = texts.evaluate_all("all => all.map(one => one.textContent)")[:10]
    alone = tmp_path / "alone.html"
    lines = "".join(f'<p dir="auto">{text}</p>' for text in given)
    alone.write_text(f'<!doctype html><meta charset="utf-8">{lines}', "utf-8")
    expected = show(alone).page.locator("p")
    for at in range(len(given)):
        assert expected.nth(at).evaluate(words) == texts.nth(at).evaluate(words)


def test_an_override_is_boxed_and_the_next_text_is_unharmed(show: Callable[..., Opened], tmp_path: Path) -> None:
    systems = {"a": ["\u202eabc d e f", "good text here now"], "b": ["x", "good text"]}
    study = truebleu.Study(systems, [["abc d e f", "good text here now"]], n_samples=100)
    (tmp_path / "p.html").write_bytes(study_page(study))
    page = show(tmp_path / "p.html").page
    assert "U+202E" == page.locator("article.card .box").first.text_content()
    directions = page.locator("article.card bdi[dir]").evaluate_all(
        "all => all.map(one => getComputedStyle(one).direction)"
    )
    assert {"ltr"} == set(directions)


# 14. Hostile corpus.


def test_hostile_strings_do_nothing_and_are_seen(show: Callable[..., Opened], files: Callable[[str], Path]) -> None:
    kinds = "() => [...new Set([...document.querySelectorAll('*')].map(one => one.localName))]"
    usual = set(show(files("demo")).page.evaluate(kinds))
    opened = show(files("hostile"))
    page = opened.page
    assert set(page.evaluate(kinds)) <= usual | {"em", "strong"}
    assert plain(HOSTILE[0]) == page.title()
    assert page.evaluate("window.hacked === undefined")
    shown = set(page.locator("article.card bdi[dir]").all_text_contents())
    segments = page.locator("article.card").evaluate_all("all => all.map(one => +one.dataset.segment)")
    assert len(segments) > 20
    for at in segments:
        assert "".join(piece.text for piece in pieces(HOSTILE[at])) in shown
    check_quiet(opened)


def test_markup_in_file_names_stays_text(show: Callable[..., Opened], tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    names = ["<img src=x onerror=alert(1)>", "b'\"><svg onload=alert(2)>"]
    for name in (*names, "ref"):
        Path(name).write_text(
            "one two three four\nfive six seven eight\n" if name != names[1] else "one two\nfive\n", "utf-8"
        )
    assert 0 == main(
        ["report", "ref", "-i", *names, "-o", "r.html", "-q", "--title", "</title><script>alert(3)</script>"]
    )
    opened = show(tmp_path / "r.html")
    assert "</title><script>alert(3)</script>" == opened.page.title()
    assert set(names) <= set(opened.page.locator("#provenance tbody bdi").all_text_contents())
    check_quiet(opened)


# 16. Looks.

LOOKS = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "forced colours": {"forced_colors": "active"},
    "reduced motion": {"reduced_motion": "reduce"},
    "narrow": {"viewport": {"width": 320, "height": 640}},
    "200 % zoom": {"viewport": {"width": 640, "height": 400}, "device_scale_factor": 2},
}
CLIPPED = """() => [...document.querySelectorAll('td.num, dd, summary, h1, h2, h3, p')]
    .filter(one => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0)
    .filter(one => getComputedStyle(one).display !== 'inline').map(one => one.outerHTML.slice(0, 200))"""
OVERLAPS = """() => { const rows = [...document.querySelectorAll('tr')].filter(one => one.checkVisibility());
    return rows.flatMap(row => {
        const cells = [...row.children].filter(one => one.checkVisibility()).map(one => one.getBoundingClientRect());
        return cells.slice(1).filter((box, at) => box.left < cells[at].right - 1).map(() => row.textContent); }); }"""


@pytest.mark.parametrize(
    ("name", "look"),
    [
        *(("demo", look) for look in LOOKS),
        ("chinese", "narrow"),
        ("chinese", "light"),
        ("hostile", "narrow"),
        ("hostile", "light"),
    ],
)
def test_no_look_clips_overlaps_or_scrolls_sideways(
    name: str, look: str, show: Callable[..., Opened], files: Callable[[str], Path]
) -> None:
    page = show(files(name), **LOOKS[look]).page
    page.eval_on_selector_all("details", "all => all.forEach(one => { one.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert [] == page.evaluate(OVERLAPS)
    if name != "hostile":  # a combining mark reaches out of any box
        assert [] == page.evaluate(CLIPPED)


def test_a_theme_that_was_asked_for_overrules_the_system(show: Callable[..., Opened], tmp_path: Path) -> None:
    colors = {}
    for theme in ("light", "dark"):
        (tmp_path / theme).with_suffix(".html").write_bytes(study_page(demo_study(), Look(theme)))
        other = "dark" if theme == "light" else "light"
        page = show((tmp_path / theme).with_suffix(".html"), color_scheme=other).page
        colors[theme] = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert {"light": "rgb(255, 255, 255)", "dark": "rgb(21, 24, 28)"} == colors


# 17. axe.


@pytest.mark.parametrize(
    ("name", "scheme"), [("demo", "light"), ("demo", "dark"), ("hostile", "light"), ("rtl", "dark")]
)
def test_axe_finds_no_violation(
    name: str, scheme: str, show: Callable[..., Opened], files: Callable[[str], Path]
) -> None:
    from axe_playwright_python.sync_playwright import Axe  # where Playwright is, so is this

    page = show(files(name), color_scheme=scheme).page
    page.eval_on_selector_all("details", "all => all.forEach(one => { one.open = true; })")
    found = Axe().run(page).response["violations"]
    assert [] == [(one["id"], one["nodes"][0]["html"][:200]) for one in found]


# 18. Print.


def test_print_is_light_and_leaves_out_what_only_a_screen_needs(
    show: Callable[..., Opened], files: Callable[[str], Path]
) -> None:
    page = show(files("demo"), color_scheme="dark").page
    page.emulate_media(media="print", color_scheme="dark")
    assert "rgb(26, 29, 33)" == page.evaluate("getComputedStyle(document.body).color")
    assert not page.locator("nav").is_visible()
    assert not page.locator("#ngrams").is_visible()
    heads = page.locator("table thead").evaluate_all("all => all.map(one => getComputedStyle(one).display)")
    assert {"table-header-group"} == set(heads)


def test_real_systems_print_on_twelve_pages(show: Callable[..., Opened], wmt22: Path, tmp_path: Path) -> None:
    references = sorted(map(str, (wmt22 / "references").glob("*.en-de.*")))
    systems = sorted(map(str, (wmt22 / "system-outputs").glob("*.en-de.*")))
    source = str(next((wmt22 / "sources").glob("*.en-de.*")))
    path = tmp_path / "r.html"
    assert 0 == main(["report", *references, "-i", *systems, "--src", source, "-o", str(path), "-q"])
    assert page_count(show(path).page.pdf(format="A4")) <= 12


def page_count(pdf: bytes) -> int:
    """Count the pages of a PDF, whose objects may be packed."""
    parts = [pdf]
    for packed in re.findall(rb"stream\r?\n(.*?)endstream", pdf, re.DOTALL):
        try:
            parts.append(zlib.decompress(packed))
        except zlib.error:
            continue
    return sum(len(re.findall(rb"/Type\s*/Page\b(?!s)", part)) for part in parts)
