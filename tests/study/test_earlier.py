"""What became better and worse since an older report, whatever the older report is."""

import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from report.page_corpora import demo_study
from truebleu import BLEU, CHRF, TER, Receipt, Study
from truebleu.errors import TruebleuError
from truebleu.study.earlier import since
from truebleu.study.page.page import Look, public_dict, study_page

OLD = demo_study(n_samples=100, n_confidence=0)


def changed(**systems: list[str]) -> Study:
    given = OLD.inputs
    return Study(
        systems or {"atlas": better(), "birch": given.systems["birch"], "new": given.systems["cedar"]},
        given.references, [BLEU(trg_lang="de"), CHRF(), TER()],
        sources=given.sources, language="de", n_samples=100, n_confidence=0,
    )  # fmt: skip


def better() -> list[str]:
    """The first system, with some outputs that are perfect and some of another system."""
    given = OLD.inputs
    return [
        given.references[0][at] if at % 7 == 0 else given.systems["cedar"][at] if at % 5 == 0 else text
        for at, text in enumerate(given.systems["atlas"])
    ]


@pytest.fixture(scope="module")
def older(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("older")
    pages = {"page": Look(), "no text": Look(texts=False)}
    for name, look in pages.items():
        (folder / f"{name}.html").write_bytes(study_page(OLD, look))
    (folder / "facts.json").write_text(json.dumps(public_dict(OLD, Look())), "utf-8")
    metrics = [BLEU(trg_lang="de"), CHRF(), TER()]
    receipts = [
        Receipt.make(texts, OLD.inputs.references, metrics, system=f"{name}.de")
        for name, texts in OLD.inputs.systems.items()
    ]
    return {**{name: folder / f"{name}.html" for name in pages}, "json": folder / "facts.json", "receipts": receipts}


@pytest.mark.parametrize("kind", ["page", "no text", "json", "receipts"])
def test_each_kind_of_older_report_gives_the_same_changes(older: dict[str, Any], kind: str) -> None:
    study = changed()
    found = since(study, older[kind])
    for key, metric in study.inputs.metrics.items():
        expected = []
        for name in (name for name in study.ranking(key) if name != "new"):
            gain = (study.segments(key).of(name) - OLD.segments(key).of(name)).round(6)
            gain = gain if metric.higher_is_better else -gain
            counts = [int((gain > 0).sum()), int((gain < 0).sum()), int((gain == 0).sum())]
            expected.append((name, OLD.scores[key][name].score, study.scores[key][name].score, *counts))
        assert [tuple(one) for one in found.changes[key]] == expected
    assert (["new"], ["cedar"]) == (found.new, found.gone)
    for_script = found.for_script(study, texts=True)
    segments = np.array(for_script["scores"]["bleu"]["atlas"], float)
    differs = ~np.isnan(segments)
    assert differs.sum() == found.changes["bleu"][0].better + found.changes["bleu"][0].worse
    assert np.allclose(segments[differs], OLD.segments("bleu").of("atlas")[differs], atol=1e-6)
    if kind == "page":
        pairs = zip(OLD.inputs.systems["atlas"], better(), strict=True)
        assert [was if was != now else None for was, now in pairs] == for_script["texts"]["atlas"]


def test_a_page_has_the_numbers_and_is_written_in_one_call(older: dict[str, Any], tmp_path: Path) -> None:
    study = changed()
    study.to_html(tmp_path / "new.html", against=older["page"])
    text = (tmp_path / "new.html").read_text("utf-8")
    change = since(study, older["page"]).changes["bleu"][0]
    row = re.search(r'<section id="since".*?<tbody>\s*<tr>(.*?)</tr>', text, re.DOTALL)
    assert row and [
        *map(repr, (change.before, change.after, change.delta)), *map(str, (change.better, change.worse, change.same))
    ] == re.findall('data-value="(.*?)"', row[1])  # fmt: skip
    assert (
        public_dict(study, Look(since=since(study, older["page"])))["since"]["changes"]["bleu"][0]["delta"]
        == change.delta
    )


def test_an_anonymous_page_names_neither_the_older_report_nor_what_is_gone(older: dict[str, Any]) -> None:
    found = since(changed(), older["page"], anonymous=True)
    assert ("", []) == (found.name, found.gone)


def test_the_report_of_another_test_set_is_refused(older: dict[str, Any], tmp_path: Path) -> None:
    given = OLD.inputs
    other = [[*given.references[0][:-1], "another reference"], *given.references[1:]]
    study = Study({"atlas": given.systems["atlas"]}, other, [BLEU(trg_lang="de")], n_confidence=0)
    for kind in ("page", "no text", "json", "receipts"):
        with pytest.raises(TruebleuError, match="other references"):
            since(study, older[kind])
    with pytest.raises(TruebleuError, match="no metric with the same signature"):
        since(Study({"atlas": given.systems["atlas"]}, given.references, [BLEU(lowercase=True)]), older["page"])
    with pytest.raises(TruebleuError, match=r"page\.html has systems called atlas, birch, cedar, and none of these"):
        since(changed(dune=given.systems["atlas"]), older["page"])


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: "<!doctype html><title>x</title>",
        lambda text: "no report",
        lambda text: "[" * 100_000,
        lambda text: '{"metrics": []}',
        lambda text: text.replace('"n":240', '"n":"many"'),
        lambda text: text.replace('"systems":["atlas"', '"systems":["atlas","x"'),
        lambda text: text.replace('id="tb-rows-0">', 'id="tb-rows-0">AAAA'),
        lambda text: re.sub('(id="tb-rows-0">)[^<]*', lambda found: found[1] + bomb(), text),
        lambda text: re.sub('(id="tb-texts">)[^<]*', lambda found: found[1] + bomb(), text),
        lambda text: text.replace('"planes":', '"planes":9'),
        lambda text: text.replace('"base":null', '"base":77'),
    ],
)
def test_what_is_no_report_is_an_error_that_names_it(older: dict[str, Any], tmp_path: Path, spoil: Any) -> None:
    path = tmp_path / "spoiled.html"
    path.write_text(spoil(older["page"].read_text("utf-8")), "utf-8")
    with pytest.raises(TruebleuError, match=r"spoiled\.html"):
        since(changed(), path)


def bomb() -> str:
    """Little text that would be 300 MB."""
    return base64.b64encode(zlib.compress(b"\0" * 300_000_000, 1)).decode()


def test_no_script_of_an_older_page_is_looked_at(older: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "other.html"
    text = older["page"].read_text("utf-8")
    path.write_text(re.sub(r"<script>.*?</script>", "<script>alert(1)</script>", text, flags=re.DOTALL), "utf-8")
    study = changed()
    assert since(study, older["page"]).changes == since(study, path).changes
    assert b"alert(1)" not in study_page(study, Look(since=since(study, path)))
