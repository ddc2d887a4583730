"""What a reader does in the page: search, filter, sort, choose A and B, follow links, use keys."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

import pytest
from tests.browser.live_page import Opened, all_drawn, open_page, start_again

from report.page_corpora import HOSTILE, hostile_study
from truebleu import BLEU, CHRF, TER, Study, demo
from truebleu.study.page.characters import pieces, plain

DATA = {pair: demo.load(pair) for pair in ("en-de", "en-zh")}


def make_study(pair: str) -> Study:
    data = DATA[pair]
    return Study(
        data.systems, list(data.references.values()), [BLEU(trg_lang=pair[-2:]), CHRF(), TER()],
        sources=data.sources, labels={"domain": data.domains}, n_samples=100, n_confidence=50, seed=1,
    )  # fmt: skip


STUDIES = {pair: make_study(pair) for pair in DATA}


@pytest.fixture(scope="module")
def opened(browser: Any) -> Iterator[Opened]:
    with open_page(browser, STUDIES["en-de"]) as page:
        yield page


@pytest.fixture
def page(opened: Opened) -> Opened:
    return start_again(opened)


def fold(text: str) -> str:
    return "".join(one for one in unicodedata.normalize("NFD", text) if unicodedata.category(one)[0] != "M").lower()


def texts_of(pair: str) -> list[list[str]]:
    data = DATA[pair]
    return [list(texts) for texts in zip(data.sources, *data.references.values(), *data.systems.values(), strict=True)]


def found_in(pair: str, test: Callable[[str], object]) -> list[int]:
    return [at for at, texts in enumerate(texts_of(pair)) if any(map(test, texts))]


def chosen(page: Opened) -> list[int]:
    found: list[int] = page.evaluate("() => live.chosen")
    return found


def count_shown(page: Opened) -> str:
    text: str = page.locator("#tb-count").text_content()
    return text


@pytest.mark.parametrize(
    ("pair", "query", "folded", "test"),
    [
        ("en-de", "über", False, lambda text: "über" in text),
        ("en-de", "UBER", True, lambda text: "uber" in fold(text)),
        ("en-de", "/[0-9]{2}/", False, lambda text: re.search("[0-9]{2}", text)),
        ("en-de", "/^die /i", False, lambda text: re.search("^die ", text, re.I)),
        ("en-de", ".", False, lambda text: "." in text),
        ("en-zh", "的", False, lambda text: "的" in text),
        ("en-zh", "/[一-龥]{12}/", False, lambda text: re.search("[一-龥]{12}", text)),
    ],
)
def test_a_search_finds_what_python_finds(
    browser: Any, pair: str, query: str, folded: bool, test: Callable[[str], object]
) -> None:
    expected = found_in(pair, test)
    with open_page(browser, STUDIES[pair]) as page:
        page.locator("#tb-fold").set_checked(folded)
        page.locator("#tb-search").fill(query)
        assert expected == chosen(page)
        assert f"{len(expected)} of {len(texts_of(pair))} segments" == count_shown(page)


def test_a_wrong_pattern_gives_a_message_and_leaves_the_list(page: Opened) -> None:
    page.locator("#tb-search").fill("/(/")
    assert "This pattern cannot be read" in page.locator("#tb-message").text_content()
    assert 240 == len(chosen(page))
    page.locator("#tb-search").fill("Hotel")
    assert "" == page.locator("#tb-message").text_content()
    assert found_in("en-de", lambda text: "Hotel" in text) == chosen(page)


def test_filters_combine_and_chips_remove_them(page: Opened) -> None:
    bar = page.locator("#subset")
    assert not bar.is_visible()
    whole = page.locator("#leaderboard tbody").inner_text()
    page.locator("#tb-search").fill("die")
    page.locator("select[data-set=domain]").select_option("news")
    news = {at for at, domain in enumerate(DATA["en-de"].domains) if domain == "news"}
    both = [at for at in found_in("en-de", lambda text: "die" in text) if at in news]
    assert (both, 2) == (chosen(page), page.locator(".chip").count())
    assert bar.is_visible()
    assert page.locator("#leaderboard h2 .badge").is_visible()
    bleu = STUDIES["en-de"].inputs.metrics["BLEU"]
    for row in page.locator("#leaderboard tbody tr").all():
        expected = bleu.score(STUDIES["en-de"].rows["BLEU"][row.get_attribute("data-system")].select(both)).score
        assert f"{expected:.1f}" == row.locator("td[data-value]").first.text_content()
    page.locator(".chip").first.click()
    assert sorted(news) == chosen(page)
    page.get_by_role("button", name="whole set").click()
    assert whole == page.locator("#leaderboard tbody").inner_text()
    assert bar.is_visible()
    page.locator("#tb-clear").click()
    assert (240, False) == (len(chosen(page)), bar.is_visible())
    assert whole == page.locator("#leaderboard tbody").inner_text()


def test_no_star_and_no_interval_is_shown_for_a_subset(page: Opened) -> None:
    page.get_by_role("button", name="A is better").click()
    assert "*" not in page.locator("#ab tbody").inner_text()
    assert ["–", "–"] == page.locator("#ab tbody tr").first.locator("td").all_text_contents()[3:5]
    assert not page.locator("#leaderboard td.half").first.is_visible()
    assert not page.locator("#leaderboard td.plot").last.is_visible()


@pytest.mark.parametrize("metric", ["BLEU", "CHRF", "TER"])
def test_segments_are_sorted_by_their_gain(page: Opened, metric: str) -> None:
    scores = STUDIES["en-de"].segments(metric)
    a, b = STUDIES["en-de"].pair or ("", "")
    gain = scores.difference(a, b) * (1 if scores.higher_is_better else -1)
    gains = [round(float(one), 9) if metric == "BLEU" else float(one) for one in gain]  # log is not the same everywhere
    page.locator("#ab select[data-field=metric]").select_option(str(["BLEU", "CHRF", "TER"].index(metric)))
    page.locator("select[data-field=sort]").select_option("gain")
    assert sorted(range(240), key=lambda at: (-gains[at], at)) == page.evaluate("() => live.order")
    page.get_by_role("button", name="A is better").click()
    assert scores.gains(a, b) == page.evaluate("() => live.order")
    page.locator("select[data-field=sort]").select_option("loss")
    page.locator(".chip").click()
    page.get_by_role("button", name="A is worse").click()
    assert scores.gains(b, a) == page.evaluate("() => live.order")


def test_every_sort_gives_every_segment_once(page: Opened) -> None:
    for sort in page.locator("select[data-field=sort] option").evaluate_all("(all) => all.map((one) => one.value)"):
        page.locator("select[data-field=sort]").select_option(sort)
        assert list(range(240)) == sorted(page.evaluate("() => live.order")), sort


def test_a_cell_of_the_matrix_chooses_a_and_b_and_back_returns(page: Opened) -> None:
    before = page.locator("#ab tbody").inner_text()
    page.locator("#pairs .matrix tbody tr").nth(1).locator("td").nth(2).click()
    assert page.url.endswith("#a=birch&b=cedar")
    values = page.locator("#ab select").evaluate_all(
        "(all) => all.slice(0, 2).map((one) => one.selectedOptions[0].text)"
    )
    assert ["birch", "cedar"] == values
    study = STUDIES["en-de"]
    scores = [study.scores["BLEU"][name].score for name in ("birch", "cedar")]
    signs = [str(one) for one in study.segments("BLEU").signs("birch", "cedar")]
    cells = page.locator("#ab tbody tr").first.locator("td").all_text_contents()
    assert [f"{one:.1f}" for one in scores] == cells[:2]
    assert f"+{scores[0] - scores[1]:.1f}" == cells[2].rstrip("*")
    assert signs == cells[5:]
    assert "birch" in page.locator(".card").first.inner_text()
    assert page.locator("#groups .stale").is_visible()
    page.go_back()
    assert before == page.locator("#ab tbody").inner_text()
    assert 0 == page.locator("#groups .stale").count()


def test_what_the_test_says_turns_with_a_and_b(page: Opened) -> None:
    row = page.locator("#ab tbody tr").first.locator("td")
    static = row.all_text_contents()
    page.locator("#tb-swap").click()
    turned = row.all_text_contents()
    assert (static[0], static[1], static[4]) == (turned[1], turned[0], turned[4])
    assert static[2].replace("+", "−") == turned[2]
    low, high = static[3].split(" to ")
    opposite = {"+": "−", "−": "+"}
    assert [opposite[end[0]] + end[1:] for end in (high, low)] == turned[3].split(" to ")
    page.locator("#tb-swap").click()
    assert static == row.all_text_contents()


def test_an_address_shows_the_same_page_to_others(browser: Any, page: Opened) -> None:
    page.locator("#tb-search").fill("die ~&:=#%")
    page.locator("#tb-search").fill("die")
    page.locator("select[data-field=sort]").select_option("gain")
    page.locator("select[data-field=marks]").select_option("pair")
    page.locator("select[data-field=decimals]").select_option("3")
    page.locator(".card .permalink").nth(7).click()
    address = page.evaluate("() => location.hash")
    with open_page(browser, STUDIES["en-de"], address=address) as other:
        assert page.evaluate("() => live.state") == other.evaluate("() => live.state")
        assert page.evaluate("() => live.order") == other.evaluate("() => live.order")
        segment = other.evaluate("() => live.state.segment")
        assert str(segment) == other.evaluate("() => document.activeElement.dataset.segment")
        assert other.locator(f".card[data-segment='{segment}']").is_visible()
        top = other.evaluate("() => document.activeElement.getBoundingClientRect().top")
        assert 0 <= top < 120


@pytest.mark.parametrize("query", ["a~b:c", "100 %", "&amp;#=", "café", "😀"])
def test_any_text_survives_the_address(browser: Any, page: Opened, query: str) -> None:
    page.locator("#tb-search").fill(query)
    with open_page(browser, STUDIES["en-de"], address=page.evaluate("() => location.hash")) as other:
        assert [["text", query]] == other.evaluate("() => live.state.filters")


def test_unknown_parts_of_an_address_are_left_out_with_a_note(browser: Any) -> None:
    address = "#m=Nothing&a=" + quote("__proto__") + "&f=label:domain:none&x=1&dec=2&sort=bogus"
    with open_page(browser, STUDIES["en-de"], address=address) as page:
        state = page.evaluate("() => live.state")
        assert (0, [], 2, "number") == (state["metric"], state["filters"], state["decimals"], state["sort"])
        assert "not known" in page.locator("#tb-said").text_content()


def test_links_to_sections_keep_the_state(page: Opened) -> None:
    page.locator("#tb-search").fill("die")
    page.locator("nav a[href='#methods']").click()
    assert page.url.endswith("#f=text:die")
    assert "methods" == page.evaluate("() => document.activeElement.id")


def test_keys_do_what_controls_do(page: Opened) -> None:
    press = page.keyboard.press
    press("/")
    assert "tb-search" == page.evaluate("() => document.activeElement.id")
    page.keyboard.type("js?")  # in a field, keys are letters
    assert "js?" == page.locator("#tb-search").input_value()
    press("Escape")
    press("Escape")
    assert 240 == len(chosen(page))
    press("j")
    press("j")
    press("k")
    assert page.evaluate("() => live.state.segment") is not None
    assert page.evaluate("() => document.activeElement.matches('.card.current')")
    press("s")
    assert "a=birch&b=atlas" in page.url
    press("m")
    assert "m=chrf" in page.url
    press("d")
    assert "pair" == page.locator("select[data-field=marks]").input_value()
    press("g")
    press("l")
    assert "leaderboard" == page.evaluate("() => document.activeElement.id")
    press("?")
    assert page.locator("#tb-help").is_visible()
    press("Escape")
    page.locator("label:has(> [data-field=keys])").click()
    page.evaluate("() => document.activeElement.blur()")
    press("s")
    assert "a=birch&b=atlas" in page.url


def test_the_chrf_of_segments_with_a_question_mark_takes_two_actions(page: Opened) -> None:
    page.keyboard.press("/")
    page.keyboard.type("?")
    segments = found_in("en-de", lambda text: "?" in text)
    chrf, rows = STUDIES["en-de"].inputs.metrics["CHRF"], STUDIES["en-de"].rows["CHRF"]
    for row in page.locator("#leaderboard tbody tr").all():
        expected = chrf.score(rows[row.get_attribute("data-system")].select(segments)).score
        assert f"{expected:.1f}" == row.locator("td[data-value]:not(.half)").nth(1).text_content()


# Marks.


def marks(page: Opened, kind: str) -> list[list[str]]:
    found: list[list[str]] = page.locator(f".card .{kind} bdi[dir] span").evaluate_all(
        "(all) => all.map((one) => [one.textContent, one.className])"
    )
    return found


@pytest.mark.parametrize(
    ("a", "b", "references", "mode", "of_a"),
    [
        ("the cat sat", "the dog sat", [["the cat sat"]], "reference", ["match3"] * 3),
        ("the the cat", "x", [["the cat"]], "reference", ["match1", "match2", "match2"]),
        ("sat cat the", "x", [["the cat sat"]], "reference", ["match1"] * 3),
        ("a b", "x", [["a c"], ["d b"]], "reference", ["match1", "match1"]),
        ("a b c d e", "x", [["a b c d z"]], "reference", ["match4"] * 4 + ["unmatched"]),
        ("the new cat sat", "the cat sat", [["the new cat"]], "pair", ["own-gain", "shared-error"]),
        ("the odd cat", "the cat", [["the cat"]], "pair", ["own-error"]),
        ("a b", "b a", [["a b"]], "pair", ["own-gain"]),
    ],
)
def test_marks_of_small_texts(
    browser: Any, a: str, b: str, references: list[list[str]], mode: str, of_a: list[str]
) -> None:
    study = Study({"a": [a], "b": [b]}, references, [BLEU()], test="none", n_confidence=0)
    first = "a" if study.pair == ("a", "b") else "b"
    address = f"#marks={mode}" if first == "a" else f"#a=a&b=b&marks={mode}"
    with open_page(browser, study, address=address) as page:
        row = page.locator(".card .system").first.locator("bdi[dir] span")
        assert of_a == row.evaluate_all("(all) => all.map((one) => one.className)")


def test_reference_tokens_that_nobody_has_are_struck_through(browser: Any) -> None:
    study = Study({"a": ["the cat"], "b": ["a cat"]}, [["the grey cat."]], [BLEU()], test="none", n_confidence=0)
    with open_page(browser, study) as page:
        assert [["grey", "missed"], [".", "missed"]] == marks(page, "reference")


def test_tokens_of_chinese_are_those_of_the_tokenizer(browser: Any) -> None:
    study = STUDIES["en-zh"]
    bleu = study.tokenizing
    with open_page(browser, study) as page:
        found = page.evaluate(
            "() => live.data.systems.map((name, system) => Array.from({length: live.data.n}, (x, segment) =>"
            " tokensAt(live.data, segment, live.data.meta.references + system).map((token) => token.key)))"
        )
    assert [bleu.tokens(texts) for texts in study.inputs.systems.values()] == found


def test_tokens_that_are_no_pieces_of_the_text_are_listed(browser: Any) -> None:
    study = Study({"a": ["a &amp; b"], "b": ["a b"]}, [["a & b"]], [BLEU()], test="none", n_confidence=0)
    with open_page(browser, study, address="#a=a&b=b") as page:
        assert "a & b" == page.locator(".card .system bdi[dir]").first.text_content()


# Five cards of one text, and the time of the quickest; a diff of all tokens would grow with the square of their number.
QUICKEST_CARD = """segment => {
    const took = [];
    for (let time = 0; time < 5; time += 1) {
        const start = performance.now();
        makeCard(live.data, live.state, segment);
        took.push(performance.now() - start);
    }
    return Math.min(...took);
}"""


def test_marks_of_long_texts_are_quick_and_say_what_they_leave_out(browser: Any) -> None:
    # Times are compared with each other, because other programs run on the machine.
    texts = [[" ".join(f"w{at * step % 997}" for at in range(n)) for n in (3_000, 12_000)] for step in (3, 5, 7)]
    study = Study({"a": texts[0], "b": texts[1]}, [texts[2]], [BLEU()], test="none", n_confidence=0)
    with open_page(browser, study, address="#marks=pair") as page:
        assert "More than 400 tokens" in page.locator(".card").first.inner_text()
        short, long = (page.evaluate(QUICKEST_CARD, segment) for segment in (0, 1))
        assert long < 9 * max(short, 5), f"{short} ms became {long} ms"


def test_controls_of_direction_are_boxes(browser: Any) -> None:
    texts = ["a\u202eb\x00c\ud800d\u2066"]
    study = Study({"a": texts, "b": ["x"]}, [["a b"]], [BLEU()], test="none", n_confidence=0)
    with open_page(browser, study, address="#a=a&b=b&marks=none") as page:
        shown = page.locator(".card .system bdi[dir]").first
        assert "aU+202EbU+0000cU+D800dU+2066" == shown.text_content()
        assert 4 == shown.locator(".box").count()


# Many segments.


@pytest.fixture(scope="module")
def long_study() -> Study:
    data = DATA["en-de"]
    systems = {name: texts * 10 for name, texts in data.systems.items()}
    references = [list(stream) * 10 for stream in data.references.values()]
    return Study(systems, references, [BLEU(), CHRF()], sources=data.sources * 10, test="none", n_confidence=0)


def test_two_hundred_jumps_leave_each_card_at_its_place(browser: Any, long_study: Study) -> None:
    with open_page(browser, long_study, address="#f=differ&sort=gain") as page:
        order = page.evaluate("() => live.order")
        page.keyboard.press("j")
        start = order.index(page.evaluate("() => live.state.segment"))
        for jump in range(1, 201):
            page.keyboard.press("j")
            segment, top, cards = page.evaluate(
                "() => [live.state.segment, document.activeElement.getBoundingClientRect().top - barHeight(),"
                " document.querySelectorAll('.card').length]"
            )
            assert order[start + jump] == segment
            assert abs(top - 8) < 1.5, jump
            assert cards <= 60


def test_no_more_than_sixty_cards_wherever_the_reader_scrolls(browser: Any, long_study: Study) -> None:
    with open_page(browser, long_study) as page:
        height = page.evaluate("() => document.documentElement.scrollHeight")
        for part in range(1, 20):
            page.evaluate("(y) => window.scrollTo(0, y)", height * part / 20)
            page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            assert 10 <= page.locator(".card").count() <= 60
            inside = page.evaluate(
                "() => { const { top, bottom } = list.box.getBoundingClientRect();"
                " return top < 0 && bottom > innerHeight; }"
            )
            covered = page.evaluate(
                "() => { const all = [...list.cards.values()].map((one) => one.getBoundingClientRect());"
                " return all[0].top <= 16 && all.at(-1).bottom >= innerHeight - 16; }"
            )
            assert covered or not inside


def test_the_first_visible_card_stays_where_it_is(browser: Any, long_study: Study) -> None:
    with open_page(browser, long_study) as page:
        for _ in range(40):
            page.keyboard.press("j")
        before = page.evaluate(
            "() => [live.state.segment, document.querySelector('.current').getBoundingClientRect().top]"
        )
        page.evaluate("() => change({ sort: 'gain' })")
        after = page.evaluate(
            "() => [live.state.segment, document.querySelector('.current').getBoundingClientRect().top]"
        )
        assert before[0] == after[0]
        assert abs(before[1] - after[1]) < 2


# Hostile texts, looks and axe, with the script at work.


def kinds_of(page: Opened) -> set[str]:
    return set(page.evaluate("() => [...document.querySelectorAll('*')].map((one) => one.localName)"))


def test_hostile_strings_do_nothing_in_cards_controls_and_addresses(browser: Any) -> None:
    with open_page(browser, STUDIES["en-de"], address="#systems=all") as page:
        usual = kinds_of(all_drawn(page))
    study = hostile_study()
    with open_page(browser, study, address="#systems=all&marks=none") as page:
        dialogs: list[str] = []
        page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
        seen = set()
        for segment in range(study.inputs.n):
            page.evaluate("(segment) => change({ segment })", segment)
            card = page.locator(f".card[data-segment='{segment}']")
            seen |= set(card.locator("bdi[dir]").all_text_contents())
        for at, text in enumerate(HOSTILE[: study.inputs.n]):
            assert "".join(piece.text for piece in pieces(text)) in seen, at
        for text in HOSTILE:
            page.evaluate("(text) => addFilter(['text', text])", text[:200])
        assert kinds_of(page) <= usual | {"em", "strong", "wbr"}
        assert ([], plain(HOSTILE[0])) == (dialogs, page.title())


@pytest.mark.parametrize("width", [320, 1200])
@pytest.mark.parametrize("name", ["demo", "hostile"])
def test_the_page_never_scrolls_sideways(browser: Any, name: str, width: int) -> None:
    study = STUDIES["en-de"] if name == "demo" else hostile_study()
    with open_page(browser, study, address="#f=better&systems=all") as page:
        page.set_viewport_size({"width": width, "height": 800})
        page.evaluate("() => goToSection('segments')")
        wide = page.evaluate(
            "() => [...document.querySelectorAll('#subset, .controls *, .card')]"
            ".filter((one) => one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.className || one.id)"
        )
        assert ([], True) == (wide, page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation_with_filters_marks_and_help(browser: Any, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    with open_page(browser, STUDIES["en-de"], address="#f=better~text:die&marks=pair&seg=3") as page:
        page.emulate_media(color_scheme=scheme)
        for act in (
            "() => {}",
            "() => change({ marks: 'reference' })",
            "() => change({ a: 1, b: 2, metric: 1, hidden: [0], filters: [] })",
            "help",
        ):
            if act == "help":
                page.evaluate("() => document.activeElement.blur()")
                page.keyboard.press("?")
            else:
                page.evaluate(act)
            found = axe.Axe().run(page).response["violations"]
            assert [] == [(one["id"], one["nodes"][0]["html"][:200]) for one in found], act
