"""The page without a browser: it is valid, its numbers are the study's, and nothing in it becomes markup."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import html5lib
import pytest

import truebleu
from report.page_corpora import HOSTILE, demo_study, hostile_study, right_to_left_study
from truebleu import BLEU, CHRF
from truebleu.significance import compare
from truebleu.study.page.characters import pieces, plain
from truebleu.study.page.page import Look, comparison_page, fixed, public_dict, signed, study_page

ASSETS = Path(truebleu.__file__).parent / "study" / "page" / "assets"
PAGES = {
    "demo": demo_study,
    "chinese": lambda: demo_study("en-zh"),
    "hostile": hostile_study,
    "rtl": right_to_left_study,
}


@pytest.fixture(scope="module")
def study() -> truebleu.Study:
    return demo_study()


@pytest.fixture(scope="module")
def tree(study: truebleu.Study) -> Any:
    return parsed(study_page(study))


def parsed(data: bytes) -> Any:
    parser = html5lib.HTMLParser(strict=False, namespaceHTMLElements=False)
    found = parser.parse(data)
    assert [] == parser.errors
    return found


def section(tree: Any, name: str) -> Any:
    return tree.find(f".//section[@id='{name}']")


def text_of(element: Any) -> str:
    return "".join(element.itertext())


def values(element: Any) -> list[float]:
    found = [one.get("data-value") for one in element.iter() if one.get("data-value")]
    return [float(number) for one in found for number in one.split()]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_valid_and_all_that_it_refers_to_is_there(name: str) -> None:
    tree = parsed(study_page(PAGES[name]()))
    elements = list(tree.iter())
    ids = Counter(one.get("id") for one in elements if one.get("id"))
    assert {1} == set(ids.values())
    for one in elements:
        for attribute in ("for", "aria-labelledby", "aria-describedby", "aria-controls"):
            assert set((one.get(attribute) or "").split()) <= set(ids)
        if (one.get("href") or "").startswith("#"):
            assert one.get("href")[1:] in ids
        assert not [key for key in one.attrib if str(key) == "style" or str(key).startswith("on")]


@pytest.mark.parametrize("name", PAGES)
def test_the_same_study_gives_the_same_bytes(name: str) -> None:
    assert study_page(PAGES[name]()) == study_page(PAGES[name]())


def test_the_ranking_has_the_scores_and_intervals_of_the_study(study: truebleu.Study, tree: Any) -> None:
    facts = study.to_dict()
    metrics, compared = facts["metrics"], facts["comparison"]["metrics"]
    best = metrics[0]["ranking"][0]
    rows = section(tree, "leaderboard").findall(".//tbody/tr")
    assert metrics[0]["ranking"] == [row.get("data-system") for row in rows]
    for row in rows:
        name, expected = row.get("data-system"), []
        for metric, report in zip(metrics, compared, strict=True):
            half_width = next(one["half_width"] for one in report["systems"] if one["name"] == name)
            expected += [metric["scores"][name]["score"], half_width]
        if name != best:
            pair = oriented(compared[0], name, best)
            expected += [pair["delta"], *pair["interval"]]
        assert expected == values(row)


def oriented(metric: dict[str, Any], a: str, b: str) -> dict[str, Any]:
    pair = next(one for one in metric["pairs"] if {one["system"], one["baseline"]} == {a, b})
    if pair["system"] == a:
        return pair
    low, high = pair["interval"]
    return pair | {"delta": -pair["delta"], "interval": (-high, -low)}


def test_matrix_and_list_have_the_differences_and_p_values_of_the_study(study: truebleu.Study, tree: Any) -> None:
    compared = study.to_dict()["comparison"]["metrics"]
    tables = section(tree, "pairs").findall(".//table")
    assert 2 * len(compared) == len(tables)
    for metric, matrix, listed in zip(compared, tables[::2], tables[1::2], strict=True):
        order = study.ranking(metric["key"])
        assert [oriented(metric, a, b)["delta"] for a in order for b in order if a != b] == values(matrix)
        expected = []
        for at, a in enumerate(order):
            for b in order[at + 1 :]:
                pair = oriented(metric, a, b)
                expected += [pair["delta"], *pair["interval"], pair["p_value"], pair["adjusted_p_value"]]
        assert expected == values(listed)
        stars = [cell for cell in matrix.iter("td") if text_of(cell).endswith("*")]
        assert 2 * sum(pair["significant"] for pair in metric["pairs"]) == len(stars)


def test_equal_systems_have_the_order_of_the_study_under_every_metric() -> None:
    systems, same = {"a": ["x y z", "v w"], "b": ["x y", "v w"]}, {"a": [0.5, 0.5], "b": [0.5, 0.5]}
    study = truebleu.Study(systems, [["x y", "v w"]], CHRF(), external={"COMET": same}, n_samples=20, n_confidence=20)
    _, matrix = section(parsed(study_page(study)), "pairs").findall(".//table")[::2]
    assert ["b", "a"] == study.ranking("CHRF")
    assert ["a", "b"] == study.ranking("COMET") == [text_of(row.find("th")) for row in matrix.findall("tbody/tr")]


@pytest.mark.parametrize(
    ("better", "words"),
    [((1, 1), "All metrics agree which of the two is better."), ((1, -1), "Metrics disagree:"), ((1, 0), "")],
)
def test_a_pair_says_whether_metrics_agree(better: tuple[int, int], words: str) -> None:
    texts = [f"the heron {at} stood by the pond" for at in range(40)]
    columns = [[0.5 + side * 0.1 * (at % 3) for at in range(40)] for side in better]
    external = {name: {"a": of, "b": [0.5] * 40} for name, of in zip(("ESA", "DA"), columns, strict=True)}
    worse = [text.replace("stood", "sat") for text in texts]
    given = truebleu.Study({"a": texts, "b": worse}, references=[texts], metrics=[BLEU()], external=external)
    said = parsed(study_page(given)).find(".//span[@id='tb-disagree']")
    assert text_of(said).strip().startswith(words) and bool(words) == bool(text_of(said).strip())


def test_a_against_b_has_the_numbers_of_the_study(study: truebleu.Study, tree: Any) -> None:
    facts = study.to_dict()
    a, b = facts["pair"]
    rows = section(tree, "ab").findall(".//tbody/tr")
    for metric, report, row in zip(facts["metrics"], facts["comparison"]["metrics"], rows, strict=True):
        pair = oriented(report, a, b)
        scores = [metric["scores"][name]["score"] for name in (a, b)]
        signs = [metric["signs"][key] for key in ("better", "worse", "same")]
        assert [*scores, pair["delta"], *pair["interval"], pair["adjusted_p_value"], *signs] == values(row)


def test_groups_have_the_numbers_of_the_study(study: truebleu.Study, tree: Any) -> None:
    tables = iter(section(tree, "groups").findall(".//table"))
    for group in study.to_dict()["groups"]:
        for key in study.inputs.metrics:
            found = next(
                pair for pair in group["pairs"] if (pair["metric"], pair["a"], pair["b"]) == (key, *study.pair)
            )
            for at, row in enumerate(next(tables).findall(".//tbody/tr")):
                expected = [group["n_segments"][at]]
                for name in study.pair:
                    scores = group["scores"][key][name]
                    expected += [scores["score"][at], scores["half_width"][at]]
                expected += [found["delta"][at], *(found["interval"][at] or ()), found["adjusted_p_value"][at]]
                assert [number for number in expected if number is not None] == values(row)
        for name, row in zip(study.ranking("BLEU"), next(tables).findall(".//tbody/tr"), strict=True):
            assert group["scores"]["bleu"][name]["score"] == values(row)


def test_cards_show_the_largest_gains_and_losses_with_their_scores(study: truebleu.Study, tree: Any) -> None:
    a, b = study.pair
    scores = study.segments("BLEU")
    found = section(tree, "segments").findall(".//article[@class='card']")
    expected = [*scores.gains(a, b)[:20], *scores.gains(b, a)[:20]]
    assert expected == [int(card.get("data-segment")) for card in found]
    for at, card in zip(expected, found, strict=True):
        by_metric = [[study.segments(key).of(name)[at] for key in study.inputs.metrics] for name in (a, b)]
        assert [scores.difference(a, b)[at], *by_metric[0], *by_metric[1]] == values(card)
        shown = [text_of(one) for one in card.iter("bdi") if one.get("dir") == "auto"]
        given = study.inputs
        texts = [
            given.sources[at],
            *(stream[at] for stream in given.references),
            *(given.systems[n][at] for n in (a, b)),
        ]
        assert texts == shown


def test_hostile_strings_stay_text() -> None:
    study = hostile_study()
    data = study_page(study, program="")
    tree, kinds = parsed(data), {str(one.tag) for one in parsed(study_page(demo_study(), program="")).iter()}
    assert {str(one.tag) for one in tree.iter()} <= kinds | {"em", "strong"}
    shown = {text_of(one) for one in tree.iter("bdi") if one.get("dir") == "auto"}
    cards = [int(card.get("data-segment")) for card in tree.iter("article")]
    assert len(cards) > 20
    for at in cards:
        assert "".join(piece.text for piece in pieces(HOSTILE[at])) in shown or not HOSTILE[at]
    assert plain(study.title) == text_of(tree.find(".//title"))
    names = {row.get("data-system") for row in tree.iter("tr") if row.get("data-system")}
    assert {plain(name) for name in study.inputs.systems} == names


@pytest.mark.parametrize("text", HOSTILE)
def test_each_hostile_string_stays_text(text: str) -> None:
    """As a title, a name, a label and a text, one at a time: no string hides behind another."""
    name = text if text.strip() else f"{text}x"
    study = truebleu.Study(
        {name: [f"{text} a b c d", "a b c d"], "other": [f"{text} y", "a b c"]},
        [[f"{text} a b c d", "a b c d"]], [BLEU()],
        sources=[text, "s"], labels={"set": [text, "b"]}, title=text, n_confidence=10, n_samples=100,
    )  # fmt: skip
    tree = parsed(study_page(study, program=""))
    assert [] == [
        one.tag for one in tree.iter() if one.tag in ("script", "img", "iframe", "b", "base", "object", "form")
    ]
    shown = [text_of(one) for one in tree.iter("bdi") if one.get("dir") == "auto"]
    assert "".join(piece.text for piece in pieces(text)) in shown


def test_controls_become_labelled_boxes_and_long_texts_say_so() -> None:
    assert [("a", False), ("U+202E", True), ("b", False), ("U+D800", True)] == pieces("a\u202eb\ud800")
    assert ("and 995,000 more characters", True) == pieces("w" * 1_000_000)[-1]
    assert [] == pieces("")


def test_the_policy_names_style_and_script_by_their_hashes(study: truebleu.Study) -> None:
    import hashlib
    from base64 import b64encode

    for page in (study_page(study, program=""), study_page(study)):
        text = page.decode()
        policy = re.search(r'Security-Policy" content="([^"]*)"', text)[1].replace("&#39;", "'")
        style = re.search("<style>(.*?)</style>", text, re.DOTALL)[1]
        assert f"style-src 'sha256-{b64encode(hashlib.sha256(style.encode()).digest()).decode()}'" in policy
        assert policy.startswith("default-src 'none'; script-src ")
        assert policy.endswith("require-trusted-types-for 'script'; trusted-types 'none'")
    script = re.search("<script>(.*?)</script>", text, re.DOTALL)[1]
    assert f"script-src 'sha256-{b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" in policy
    assert '<script type="application/json" id="tb-meta">{"schema":1,' in text
    assert re.search('<script type="application/octet-stream" id="tb-rows-0">[A-Za-z0-9+/=]+</script>', text)


def test_nothing_but_style_and_script_skips_the_escaping() -> None:
    template = (ASSETS / "page.html.j2").read_text("utf-8")
    assert ["style|safe", "script|safe"] == re.findall(r"\w+\s*\|\s*safe", template)
    assert not re.search("autoescape|Markup|http:|https:", template + (ASSETS / "report.css").read_text("utf-8"))


def test_no_texts_leaves_no_segment_behind(study: truebleu.Study) -> None:
    look = Look(texts=False)
    page, facts = study_page(study, look).decode(), str(public_dict(study, look))
    assert "The texts were left out" in page
    given = study.inputs
    for texts in (given.sources, *given.references, *given.systems.values()):
        assert not [text for text in texts if len(text) > 12 and (text in page or text in facts)]


def test_units_that_were_not_kept_are_on_the_page_unless_texts_are_left_out() -> None:
    data = demo_study().inputs
    marked = [[f"{text} {{secret}}" for text in side] for side in (*data.references, data.sources)]
    study = truebleu.Study(data.systems, marked[:-1], [truebleu.BLEU()], sources=marked[-1])
    page, facts = study_page(study).decode(), str(public_dict(study, Look()))
    assert '1: <span title="placeholder">' in page and "{secret}" in facts
    assert '<mark class="err other" title="placeholder">{secret}</mark>' in page and "<br>output: <bdi" in page
    page, facts = study_page(study, Look(texts=False)).decode(), str(public_dict(study, Look(texts=False)))
    assert "secret" not in page + facts


def test_a_changed_unit_is_marked_in_source_and_output() -> None:
    data = demo_study().inputs
    (name, texts), *_ = data.systems.items()
    wrong = {name: [f"{text} #PRS_ORG # 4712" for text in texts]}
    sides = [[f"{text} #PRS_ORG# 4711" for text in side] for side in (data.references[0], data.sources)]
    page = study_page(truebleu.Study(wrong, sides[:1], [truebleu.BLEU()], sources=sides[1])).decode()
    for kind, units in (("placeholder", ("#PRS_ORG#", "#PRS_ORG #")), ("number", ("4711", "4712"))):
        assert all(f'<mark class="err other" title="{kind}">{unit}</mark>' in page for unit in units)


def test_anonymous_pages_have_no_hash_of_a_system(study: truebleu.Study) -> None:
    page, facts = study_page(study, Look(anonymous=True)).decode(), str(public_dict(study, Look(anonymous=True)))
    for given in study.provenance.inputs:
        assert (given.kind != "systems") == (given.sha256[:16] in page) == (given.sha256 in facts)


def test_numbers_have_a_true_minus_and_no_minus_nothing() -> None:
    assert ["0.0", "\u22121.2", "12.5"] == [fixed(number, 1) for number in (-0.04, -1.25, 12.5)]
    assert ["+0.1", "0.0", "\u22122.0"] == [signed(number, 1) for number in (0.1, 0.04, -2)]


def test_a_lower_is_better_metric_ranks_and_tints_by_what_is_better() -> None:
    from truebleu import TER

    data = demo_study().inputs
    study = truebleu.Study(data.systems, data.references, [TER()])
    tree = parsed(study_page(study))
    assert ["atlas", "birch", "cedar"] == [row.get("data-system") for row in section(tree, "leaderboard").iter("tr")][
        1:
    ]
    first = section(tree, "pairs").find(".//table").find(".//tbody/tr")
    assert all("gain" in cell.get("class") and "\u2212" in text_of(cell) for cell in first.findall("td")[1:])


def test_too_few_trials_give_no_star_and_no_colour() -> None:
    study = demo_study(n_samples=10)
    tree = parsed(study_page(study))
    assert "Nothing can be told" in text_of(tree.find(".//p[@class='verdict']"))
    cells = section(tree, "pairs").findall(".//td")
    assert not [cell for cell in cells if "*" in text_of(cell) or re.search(r"gain\d|loss\d", cell.get("class") or "")]


def test_steps_that_the_trials_cannot_reach_are_not_in_the_legend() -> None:
    given = demo_study().inputs
    few = truebleu.Study(given.systems, given.references, n_samples=500)
    legend = text_of(section(parsed(study_page(few)), "pairs").find(".//ul[@class='legend']"))
    assert "p ≤ 0.01" in legend and "0.001" not in legend


def test_one_system_and_no_test_have_a_page() -> None:
    given = demo_study().inputs
    alone = truebleu.Study({"atlas": given.systems["atlas"]}, given.references)
    assert "nothing to compare it with" in study_page(alone).decode()
    untested = truebleu.Study(given.systems, given.references, test="none", n_confidence=0)
    assert "no test was made" in text_of(parsed(study_page(untested)).find(".//p[@class='verdict']"))
    assert section(parsed(study_page(alone)), "pairs") is None


def test_a_comparison_has_a_page_of_its_own(study: truebleu.Study, tmp_path: Path) -> None:
    given = study.inputs
    for options in ({"all_pairs": True, "test": "bs2"}, {"test": "ar"}):
        report = compare(given.systems, [BLEU(), CHRF()], given.references, **options)
        report.to_html(tmp_path / "pairs.html")
        data = (tmp_path / "pairs.html").read_bytes()
        assert comparison_page(report) == data
        tree = parsed(data)
        assert ["leaderboard", "pairs", "methods"] == [one.get("id") for one in tree.iter("section")]


def test_a_page_that_cannot_be_written_leaves_nothing(study: truebleu.Study, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(truebleu.errors.OutputExists, match="is a folder"):
        study.to_html(tmp_path / "folder")
    with pytest.raises(truebleu.errors.OptionError, match="theme is 'pink'"):
        study.to_html(tmp_path / "x.html", theme="pink")
    study.to_html(tmp_path / "x.html", theme="dark", texts=False)
    assert ["folder", "x.html"] == sorted(path.name for path in tmp_path.iterdir())
    assert 'data-theme="dark"' in (tmp_path / "x.html").read_text("utf-8")


# What the specification lists among the checks, and where it is looked for.
LISTED = {
    "lengths": "D101", "empty outputs": "D401", "empty references": "D502", "output equals source": "D402 D105",
    "output equals a reference": "D501 D104", "identical systems": "D109", "duplicate references": "D103",
    "tokenized text": "D302", "wrong script": "D301 D403 D404", "control and replacement characters": "D308 D309",
    "normalization forms": "D310", "length ratio": "D407 D408 D409", "loops": "D405", "carriage returns": "D108",
    "shift of lines": "D201", "too few resamples": "S101", "messages of the logger": "S102",
}  # fmt: skip


def test_every_check_is_listed_as_passed_failed_or_not_made(tree: Any) -> None:
    text = text_of(section(tree, "checks"))
    assert [] == [name for name, codes in LISTED.items() if not all(code in text for code in codes.split())]


def test_messages_and_too_few_trials_are_among_the_findings() -> None:
    given = demo_study().inputs
    systems = {name: [f"{text} ." for text in texts] for name, texts in given.systems.items()}
    study = truebleu.Study(systems, given.references, [BLEU()], n_samples=10, n_confidence=0)
    rows = [text_of(row) for row in section(parsed(study_page(study, program="")), "checks").findall(".//tbody/tr")]
    assert any("S101" in row and "no difference can be significant" in row for row in rows)
    assert any("S102" in row and "detokenize" in row for row in rows)


def test_the_table_for_a_paper_has_the_best_and_their_equals_in_bold(study: truebleu.Study) -> None:
    given = study.inputs
    atlas, birch, cedar = given.systems.values()
    twin = [*atlas[:-1], birch[-1]]
    tested = truebleu.Study(
        {"atlas": atlas, "twin_of_atlas": twin, "cedar": cedar}, given.references, [BLEU(), CHRF()], n_samples=500
    )
    assert ("atlas", "twin_of_atlas") == tuple(sorted(tested.comparison.metrics[0].unbeaten))
    tables = {one.get("aria-label"): text_of(one) for one in parsed(study_page(tested)).iter("pre")}
    rows = {row.split("&")[0].strip(): row for row in tables["The table as LaTeX"].splitlines() if row.count("&") == 2}
    assert [0, 2, 2, 0] == [row.count(r"\textbf{") for row in rows.values()]
    assert {"System", "atlas", r"twin\_of\_atlas", "cedar"} == set(rows) and all(
        row.count("{") == row.count("}") for row in rows.values()
    )
    assert 4 == tables["The table as Markdown"].count(" **")
    assert "**" not in tables["The table as CSV"] and "\x02" not in "".join(tables.values())
    assert 6 == tables["The reporting template"].count("Signature: ")
    untested = truebleu.Study(given.systems, given.references, [BLEU()], test="none", n_confidence=0)
    assert b"textbf" not in study_page(untested, program="")


def test_the_reporting_template_is_that_of_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from truebleu.cli.main import main

    words = ["-t", "demo", "-l", "en-de", "-i", "atlas", "birch"]
    assert 0 == main([*words, "--report", "-q"])
    printed = capsys.readouterr().out
    assert 0 == main(["report", *words, "-m", "bleu", "--test", "none", "-q", "-o", str(tmp_path / "r.html")])
    found = {one.get("aria-label"): one for one in parsed((tmp_path / "r.html").read_bytes()).iter("pre")}
    template = text_of(found["The reporting template"])
    without = r"^References: .*\n"
    assert re.sub(without, "", printed, flags=re.M) == re.sub(without, "", template, flags=re.M)


def test_cells_of_a_large_matrix_have_signs_and_its_list_the_numbers() -> None:
    from truebleu.significance import ExternalMetric, compare
    from truebleu.study.page.page import comparison_page

    scores = {f"s{at:02}": {"m": [at + (at * place) % 7 for place in range(30)]} for at in range(41)}
    report = compare(scores, ExternalMetric("m", higher_is_better=True), all_pairs=True, n_samples=100, n_confidence=0)
    matrix, listed = section(parsed(comparison_page(report)), "pairs").findall(".//table")
    cells = [cell for cell in matrix.iter("td") if cell.get("class") != "self"]
    assert not any(cell.get("title") or cell.get("data-value") for cell in cells)
    assert {"+", "\u2212"} <= {text_of(cell) for cell in cells}
    assert 41 * 40 // 2 == len(listed.findall("tbody/tr")) and all(values(listed))
