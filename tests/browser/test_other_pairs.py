"""The breakdown, the n-grams and the figures for other systems and for subsets, against Python."""

import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from tests.browser.live_page import Opened, all_drawn, open_page, start_again

from truebleu import BLEU, CHRF, TER, Study, demo
from truebleu.study.groups import LENGTH_LABELS
from truebleu.study.page.page import fixed, signed
from truebleu.study.segments import agreement, length_ratios

DATA = demo.load("en-de")
NEWS = [at for at, domain in enumerate(DATA.domains) if domain == "news"]


def make_study(**options: Any) -> Study:
    chosen = {"labels": {"domain": DATA.domains, "docid": DATA.docids}, "n_samples": 100, "n_confidence": 50, "seed": 1}
    metrics = [BLEU(), CHRF(), TER()]
    return Study(DATA.systems, list(DATA.references.values()), metrics, sources=DATA.sources, **(chosen | options))


@pytest.fixture(scope="module")
def study() -> Study:
    return make_study()


@pytest.fixture(scope="module")
def opened(browser: Any, study: Study) -> Iterator[Opened]:
    with open_page(browser, study) as page:
        yield page


@pytest.fixture
def page(opened: Opened) -> Opened:
    return start_again(opened)


def choose(page: Opened, a: str, b: str, **changes: object) -> Opened:
    places = list(DATA.systems)
    page.evaluate("(changes) => change(changes)", {"a": places.index(a), "b": places.index(b), **changes})
    return all_drawn(page)


def group_rows(page: Opened, which: int, metric: int) -> list[list[str]]:
    """The visible cells of a table of groups."""
    table = page.locator(f"#groups .set[data-set='{which}'] details.view[data-metric='{metric}']")
    table.evaluate("(one) => { one.open = true; }")
    page.evaluate("() => new Promise((done) => setTimeout(done, 20))")
    rows: list[list[str]] = table.locator("tbody tr").evaluate_all(
        "(rows) => rows.map((row) => [...row.children].filter((cell) => cell.checkVisibility() && "
        "!cell.matches('.plot')).map((cell) => cell.textContent.replace('\\u00a0', ' ')))"
    )
    return rows


# Breakdown.


@pytest.mark.parametrize(("a", "b"), [("atlas", "birch"), ("birch", "atlas"), ("cedar", "birch")])
def test_groups_have_the_figures_of_python_for_any_pair(page: Opened, study: Study, a: str, b: str) -> None:
    choose(page, a, b)
    tested = {a, b} == set(study.pair or ())
    for which, name in enumerate(study.label_sets):
        found = study.groups(name)
        for at, key in enumerate(study.inputs.metrics):
            rows = group_rows(page, which, at)
            scores, pair = found.scores[key], found.pair(key, a, b)
            for row, ours, theirs, one in zip(rows, scores[a], scores[b], pair.groups, strict=True):
                expected = [str(one.label), f"{one.n_segments}{' few' if one.few else ''}"]
                for score in (ours, theirs):
                    expected += [
                        fixed(score.score, 1),
                        "" if score.half_width is None else f"± {fixed(score.half_width, 1)}",
                    ]
                sure = tested and one.adjusted_p_value is not None and one.adjusted_p_value <= study.alpha
                expected.append(signed(one.delta, 1) + ("*" if sure else ""))
                if tested:
                    expected.append(
                        "–" if one.interval is None else " to ".join(signed(end, 1) for end in one.interval)
                    )
                    expected.append("–" if one.adjusted_p_value is None else f"{one.adjusted_p_value:.4f}")
                assert expected == row
    assert tested == (page.locator("#groups .stale").count() == 0)


def test_groups_of_a_subset_are_scored_alone_and_untested(page: Opened, study: Study) -> None:
    choose(page, "atlas", "cedar", filters=[["text", "die", "a"]])
    chosen = page.evaluate("() => live.chosen")
    assert 0 < len(chosen) < 240
    rows = {row[0]: row[1:] for row in group_rows(page, 0, 1)}
    metric, stats = study.inputs.metrics["CHRF"], study.rows["CHRF"]
    for domain, (n, ours, theirs, delta) in ((name, [cell for cell in row if cell]) for name, row in rows.items()):
        segments = [at for at in chosen if DATA.domains[at] == domain]
        a, b = (metric.score(stats[name].select(segments)).score for name in ("atlas", "cedar"))
        assert [fixed(a, 1), fixed(b, 1), signed(a - b, 1)] == [ours, theirs, delta]
        assert str(len(segments)) == n.removesuffix(" few")
    assert "chosen after looking" in page.locator("#groups .stale").inner_text()
    assert page.locator("#groups h2 .badge").is_visible()


def test_a_group_becomes_a_filter_and_all_systems_are_there_for_every_metric(page: Opened, study: Study) -> None:
    all_drawn(page)
    page.locator("#groups th button", has_text="ecommerce").first.click()
    assert [["label", "domain", "ecommerce"]] == page.evaluate("() => live.state.filters")
    page.evaluate("() => change({ filters: [], metric: 2 })")
    all_drawn(page).locator("#groups .set").first.locator("details.all summary").click()
    table = page.locator("#groups .set").first.locator("details.all")
    assert "TER" in table.locator("summary").inner_text()
    rows = table.locator("tbody tr")
    scores = study.groups("domain").scores["TER"]
    for at, name in enumerate(study.ranking("TER")):
        assert [name, *(fixed(one.score, 1) for one in scores[name])] == [
            rows.nth(at).locator("th").inner_text(), *rows.nth(at).locator("td").all_inner_texts()
        ]  # fmt: skip


def test_of_many_groups_the_largest_differences_are_shown_until_all_are_asked_for(browser: Any) -> None:
    labels = [f"g{at // 5:02}" for at in range(240)]
    study = make_study(labels={"many": labels}, test="none", n_confidence=0)
    with open_page(browser, study) as page:
        choose(page, "birch", "cedar")
        found = study.groups("many").pair("BLEU", "birch", "cedar").groups
        largest = sorted(found, key=lambda one: -abs(one.delta))[:40]
        assert {one.label for one in largest} == {row[0] for row in group_rows(page, 0, 0)}
        page.locator("#groups .most button").click()
        assert [one.label for one in found] == [row[0] for row in group_rows(page, 0, 0)]
        page.locator("#groups .most button").click()
        assert 40 == len(group_rows(page, 0, 0))


def simpson_study(first_is_best: bool) -> Study:
    """In each domain "new" is better, and "old" on the whole set; a third system may be the best of all."""
    news = [f"w{at}" for at in range(40)]
    references = [["c d e f g"] * 20 + [" ".join(news)] * 20]
    systems = {
        "old": ["y"] * 20 + [" ".join(news[:36] + ["x"] * 4)] * 20,
        "new": ["c d e f g " + "x " * 150] * 20 + [" ".join(news[:37])] * 20,
    }
    if first_is_best:
        systems["best"] = [*references[0][:-1], "w1 w2 w3 w4 w5"]
    metrics = {"BLEU": BLEU(smooth_method="floor", force=True), "CHRF": CHRF()}
    return Study(systems, references, metrics, labels={"domain": ["chat"] * 20 + ["news"] * 20}, n_confidence=50)


@pytest.mark.parametrize("of_three", [False, True])
def test_a_planted_simpson_reversal_is_named_for_the_chosen_pair(browser: Any, of_three: bool) -> None:
    study = simpson_study(of_three)
    scores = study.scores["BLEU"]
    gap = f"{scores['old'].score - scores['new'].score:.2f}"
    with open_page(browser, study, address="#a=old&b=new" if of_three else "") as page:
        texts = all_drawn(page).locator("#groups .set").first.locator(".reversal").all_inner_texts()
    (named,) = [text for text in texts if "BLEU" in text]
    assert f"Reversal: old wins the whole set by {gap} BLEU and loses every group: chat (20 segments) by " in named


def test_a_reversal_has_the_metrics_own_name(browser: Any) -> None:
    # The keys of metrics are not what readers call them: chrF2, not CHRF.
    study = Study(
        {"a": ["abcdef ghi"] * 60 + ["xx xx xxx"] * 40, "b": ["abcdef qqq"] * 60 + ["abcdef ghi"] * 25 + ["zz"] * 15},
        [["abcdef ghi"] * 100], [CHRF()], labels={"g": ["many"] * 60 + ["few"] * 40}, n_confidence=200,
    )  # fmt: skip
    with open_page(browser, study) as page:
        before = page.locator("#groups .reversal").all_inner_texts()
        after = all_drawn(page).locator("#groups .reversal").all_inner_texts()
    assert any(" chrF2 and significantly loses " in text for text in after)
    assert before == after


# n-grams.

LISTS = {"gains": "gains", "losses": "losses", "only_a": "only-a", "only_b": "only-b"}


def shown_grams(page: Opened, kind: str) -> list[list[str]]:
    rows: list[list[str]] = page.locator(f"#ngrams-{kind}-list tbody tr").evaluate_all(
        "(rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent))"
    )
    return rows


@pytest.mark.parametrize("segments", [None, NEWS, list(range(0, 240, 3))])
@pytest.mark.parametrize(("a", "b"), [("atlas", "birch"), ("birch", "cedar"), ("cedar", "atlas")])
def test_n_grams_are_pythons_for_any_pair_and_filter(
    page: Opened, study: Study, a: str, b: str, segments: list[int] | None
) -> None:
    only = None if segments is None else ",".join(str(at + 1) for at in segments)
    choose(page, a, b, filters=[] if only is None else [["only", only]])
    table = study.ngrams(a, b, segments)
    for name, kind in LISTS.items():
        expected = [
            [" ".join(one.tokens), *map(str, (one.count_a, one.count_b, one.wins, one.losses)), signed(one.z, 1)]
            for one in getattr(table, name)
        ]
        assert expected == shown_grams(page, kind)
    places = page.evaluate(
        "() => grams.last && grams.last.gains.map(({ places }) => places.map(([segment]) => segment))"
    )
    if places is not None:
        assert [list(one.segments) for one in table.gains] == places
    assert page.locator("#ngrams h2 .badge").count() == (only is not None)


def test_n_grams_with_equal_figures_are_in_pythons_order(browser: Any) -> None:
    # Python orders by code points; JavaScript would put 😀 before ﬁ, and "ab" and "a" need care.
    words = ["😀", "\ufb01", "z", "a", "ab", "Z", "é", "\U00010400", "\ue000"]
    ours = [f"{word} x{at}" for at in range(3) for word in words]
    theirs = [f"x{at}" for at in range(3) for _ in words]
    study = Study({"a": ours, "b": theirs}, [ours], [BLEU(tokenize="none")], test="none", n_confidence=0)
    with open_page(browser, study, address="#f=only:1-27&a=a&b=b") as page:
        found = [row[0] for row in shown_grams(all_drawn(page), "gains")]
    assert [" ".join(one.tokens) for one in study.ngrams("a", "b").gains] == found
    assert len(words) == len(found)


@pytest.mark.parametrize("kind", ["gains", "only-b"])
def test_an_n_gram_becomes_a_filter_of_its_segments_and_is_marked(page: Opened, study: Study, kind: str) -> None:
    choose(page, "birch", "cedar")
    listed = getattr(study.ngrams("birch", "cedar"), kind.replace("-", "_"))
    at, one = next((at, one) for at, one in enumerate(listed) if len(one.tokens) > 1)
    page.locator(f"#ngrams-{kind}-list tbody th button").nth(at).click()
    assert list(one.segments) == page.evaluate("() => live.chosen")
    marked = page.locator(".card").first.locator(".system .gram").all_inner_texts()
    assert marked and len(marked) % len(one.tokens) == 0
    assert list(one.tokens) == marked[: len(one.tokens)]


# Figures.


def figure_points(page: Opened, kind: str) -> list[list[Any]]:
    found = page.evaluate(
        "(kind) => JSON.stringify(plots.get(kind).shown.made.lines.map(({ points, kind }) => [kind, points]))", kind
    )
    lines: list[list[Any]] = json.loads(found)
    return lines


def caption(page: Opened, kind: str) -> str:
    text: str = page.locator(f"figure[data-figure={kind}] figcaption").inner_text()
    return text


@pytest.mark.parametrize("segments", [None, NEWS])
@pytest.mark.parametrize("metric", ["bleu", "ter"])
def test_figures_show_the_chosen_pair_and_metric(
    page: Opened, study: Study, metric: str, segments: list[int] | None
) -> None:
    filters = [] if segments is None else [["label", "domain", "news"]]
    choose(page, "cedar", "birch", metric=list(study.inputs.metrics).index(metric), filters=filters)
    places = np.arange(240) if segments is None else np.array(segments)
    ours, theirs = (study.segments(metric).of(name)[places] for name in ("cedar", "birch"))
    scatter = figure_points(page, "pair")[1]
    assert [[x, y] for x, y in zip(ours, theirs, strict=True)] == [
        [pytest.approx(end) for end in one] for one in scatter[1]
    ]
    shares = dict(figure_points(page, "shares"))
    assert [ours.min(), ours.max(), 100] == pytest.approx([shares["a"][0][0], shares["a"][-1][0], shares["a"][-1][1]])
    sorted_differences = sorted((ours - theirs).tolist(), reverse=True)
    drawn_differences = [
        max(y, 0) + min(z, 0)
        for (_, y), (_, z) in zip(*(line[1] for line in figure_points(page, "difference")), strict=True)
    ]
    assert sorted_differences == pytest.approx(drawn_differences, abs=1e-8)
    second = "chrf" if metric == "bleu" else "bleu"
    pearson, kendall = agreement(ours.tolist(), study.segments(second).of("cedar")[places].tolist())
    assert f"Pearson {fixed(pearson or 0, 2)}, Kendall (tau-b) {fixed(kendall or 0, 2)}." in caption(page, "metrics")


def test_scores_by_length_and_length_ratios_are_pythons(page: Opened, study: Study) -> None:
    choose(page, "birch", "cedar", metric=1)
    labels = np.array(study.length_labels)
    lines = dict(figure_points(page, "length"))
    unit, ratios = length_ratios(study.inputs.metrics, study.rows) or ("", {})
    assert unit in caption(page, "ratios")
    for letter, name in (("a", "birch"), ("b", "cedar")):
        scores = study.segments("CHRF").of(name)
        groups = {at: scores[labels == label] for at, label in enumerate(LENGTH_LABELS) if label in labels}
        assert [[at, np.median(group)] for at, group in groups.items()] == lines[letter]
        low, high = ([[at, np.percentile(group, q)] for at, group in groups.items()] for q in (25, 75))
        for expected, found in zip([*low, *high[::-1]], lines[f"band {letter}"], strict=True):
            assert expected == pytest.approx(found)
        edges = [*(at / 20 for at in range(41)), np.inf]
        shares = np.histogram(ratios[name], edges)[0] * 100 / 240
        assert shares.tolist() == [y for _, y in dict(figure_points(page, "ratios"))[letter][1::2]]


def test_without_a_change_the_figures_are_those_that_python_drew(browser: Any, study: Study) -> None:
    paths = "(all) => all.map((one) => [...one.querySelectorAll('path')].map((path) => path.getAttribute('d')))"

    def places(page: Opened) -> list[list[list[float]]]:
        found = page.locator("figure[data-figure]").evaluate_all(paths)
        return [[[float(one) for one in re.findall(r"[\d.]+", path)] for path in figure] for figure in found]

    with open_page(browser, study, change=lambda script: script.replace("startPlots();", "")) as page:
        expected, told = places(page), page.locator("figcaption").all_inner_texts()
    with open_page(browser, study) as page:
        found = places(all_drawn(page))
        assert told == [text.replace(" %", "\u00a0%") for text in page.locator("figcaption").all_inner_texts()]
    assert 6 == len(expected)
    for ours, theirs in zip(expected, found, strict=True):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            assert one == pytest.approx(other, abs=0.011)  # a hundredth of a pixel, which ties may round either way
