"""Tables for notebooks: what they show, and that nothing in them can act."""

import json
from html.parser import HTMLParser
from typing import Any

import pytest

import truebleu
import truebleu.demo
from truebleu import BLEU, CHRF
from truebleu._notebook import LONGEST, HtmlTable, as_html
from truebleu.significance import ExternalMetric, compare

TAGS = {"table", "caption", "tr", "th", "td", "p"}

HOSTILE = [
    "</script><script>alert(1)</script>", "</SCRIPT ", "<!--<script>", "-->", "]]>", "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>", '<math><a xlink:href="javascript:alert(1)">x</a></math>', "<style>*{display:none}</style>",
    '<base href="https://x.example/">', '<meta http-equiv="refresh" content="0;url=https://x.example">',
    '<iframe srcdoc="<script>alert(1)</script>">', "javascript:alert(1)", "{{7*7}}", "${7*7}", "{% raw %}",
    "&lt;b&gt;", "&amp;lt;", "&#60;b&#62;", "\"'`«»“”‘’", "\0", "\u2028\u2029", "\ufeff", "\ufffe", "\ud800", "\udfff",
    "\u202e\u2067\u2066\u202d", "\u200e\u200f\u061c", "e" + "\u0301" * 10_000, "x" * 1_000_000, "   ", "__proto__",
    "constructor", "toString", "Name", "name", "Stra\u00dfe", "Strasse", "\u00e9", "e\u0301",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467", "a\tb\nc\r\nd", "</td></tr></table>", "<p title='</p>'>", "\x1b[31m",
]  # fmt: skip


class Reader(HTMLParser):
    """Collects the tags, attributes and texts of cells."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.open: list[str] = []
        self.cells: list[str] = []
        self.odd: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.open.append(tag)
        self.odd += [str(one) for one in attrs]
        if tag in ("td", "th", "caption"):
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        assert tag == self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open[-1:] == ["p"]:
            return
        self.cells[-1] += data

    def handle_comment(self, data: str) -> None:
        self.odd.append(data)

    def handle_decl(self, decl: str) -> None:
        self.odd.append(decl)

    def unknown_decl(self, data: str) -> None:
        self.odd.append(data)

    def handle_pi(self, data: str) -> None:
        self.odd.append(data)


def read(page: str) -> Reader:
    """The page, which must be plain and short."""
    reader = Reader(page)
    assert set(reader.tags) <= TAGS and [] == reader.odd == reader.open
    assert len(page.encode()) <= LONGEST == 20_000
    return reader


def comparison(names: list[str], metrics: int = 1) -> Any:
    chosen = [ExternalMetric(f"m{at}", higher_is_better=True) for at in range(metrics)]
    systems = {name: {one.name: [at, at + 1, at] for one in chosen} for at, name in enumerate(names)}
    return compare(systems, chosen, test="bs2", n_samples=20, all_pairs=True, correction="holm")


def test_a_score_is_a_table_with_its_parts_and_its_whole_signature() -> None:
    data = truebleu.demo.load("en-de")
    score = BLEU().corpus_score(data.systems["atlas"], list(data.references.values()), n_bootstrap=50)
    cells = read(score._repr_html_()).cells
    assert ["BLEU", "part", "value", "score", f"{score.score:.2f}", "95 % interval"] == cells[:6]
    assert [score.verbose, "signature", str(score.signature)] == cells[-3:]


def test_a_comparison_is_a_table_for_each_metric_and_one_of_pairs() -> None:
    data = truebleu.demo.load("en-de")
    found = compare(data.systems, [BLEU(), CHRF()], list(data.references.values()), test="bs2", n_samples=50)
    reader = read(found._repr_html_())
    assert 3 == reader.tags.count("table")
    for metric in found.metrics:
        assert f"{metric.name}|{metric.signature}" in reader.cells
        assert all(f"{system.score:.2f}" in reader.cells for system in metric.systems)
        assert all(f"{pair.delta:+.2f}" in reader.cells for pair in metric.pairs)
    assert found.title in reader.cells and "p (None)" not in reader.cells
    assert "p (holm)" in read(comparison(["a", "b"])._repr_html_()).cells


def test_a_study_is_a_table_for_each_metric() -> None:
    study = truebleu.testset("demo", "en-de").study(metrics=["bleu", "ter"], n_samples=50)
    reader = read(study._repr_html_())
    assert 2 == reader.tags.count("table")
    for report in study.reports:
        assert f"{report.name}|{report.signature}" in reader.cells
        assert all(f"{system.score:.2f}" in reader.cells for system in report.systems)


def test_a_comparison_is_one_short_line_with_the_best_scores() -> None:
    few = comparison(["a", "b"])
    assert "<comparison of 2 systems, 3 segments: m0 b 1.333, a 0.3333>" == repr(few)
    many = repr(comparison([f"system {at}" for at in range(9)]))
    assert many.endswith("m0 system 8 8.333, system 7 7.333, system 6 6.333, …>")
    assert len(repr(comparison(["a\x1b[2J\n" * 40, "b"], 30))) < 1000
    assert repr(comparison(["a\x1b[2J\n", "b"])).isprintable()


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: json.dumps(text[:20]))
def test_a_hostile_name_stays_text(text: str) -> None:
    cells = read(as_html([HtmlTable(text, (text, "x"), [(text, text)])])).cells
    if text.isprintable() and len(text) <= 300:
        assert [text, text, "x", text, text] == cells
    else:
        assert cells[0] and len(cells[1]) <= 300 * 6
    assert not set("\0\x1b\u202e\u2028\ud800") & set("".join(cells))
    read(comparison([text, "other"])._repr_html_())
    if text and "|" not in text and ":" not in text:
        metric = ExternalMetric(text, higher_is_better=True)
        read(metric.score(metric.stats([1, 2]))._repr_html_())


@pytest.mark.parametrize(("systems", "metrics"), [(40, 1), (30, 8), (2, 400)])
def test_a_table_that_would_be_too_long_tells_what_is_left_out(systems: int, metrics: int) -> None:
    page = comparison([f"system {at} <&>" * 3 for at in range(systems)], metrics)._repr_html_()
    read(page)
    assert " more " in page
    shown = page.count("<tr>")
    assert shown > 20


def test_rows_shown_and_rows_left_out_are_all_rows() -> None:
    rows = [(f"row {at}", "x" * 100) for at in range(500)]
    page = as_html([HtmlTable("", ("a", "b"), rows)])
    shown = page.count("<td>row ")
    assert f"<td>… and {500 - shown} more rows</td>" in page and 100 < shown < 500


def test_an_html5_parser_finds_no_error() -> None:
    html5lib = pytest.importorskip("html5lib", reason="html5lib is not installed")
    # The one character that no HTML may hold is U+FFFE; it is shown as it is, and does nothing.
    names = [text for text in HOSTILE if "\ufffe" not in text]
    page = as_html([HtmlTable(text, (text,), [(text,)]) for text in names])
    parser = html5lib.HTMLParser(strict=True)
    tree = parser.parseFragment(page)
    assert {"table", "caption", "tbody", "tr", "th", "td", "p"} >= {
        one.tag.rpartition("}")[2] for one in tree.iter() if isinstance(one.tag, str) and one.tag != "DOCUMENT_FRAGMENT"
    }
