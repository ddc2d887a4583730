"""Test sets to work with."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

import truebleu
from dataset.caches import add_set, tar
from truebleu import demo
from truebleu.dataset import cache
from truebleu.errors import LengthMismatch, OptionError, UnknownField, UnknownTestSet

pytestmark = pytest.mark.usefixtures("own_cache")

XML = """<dataset>
<doc id="d1" origlang="en" domain="news"><src lang="en"><p><seg id="1">one</seg><seg id="2">two</seg></p></src>
<ref lang="de" translator="refA"><p><seg id="1">eins</seg><seg id="2">zwei</seg></p></ref>
<ref lang="de" translator="refB"><p><seg id="1">ein</seg></p></ref>
<hyp system="X" lang="de"><p><seg id="1">Eins</seg><seg id="2">Zwo</seg></p></hyp></doc>
<doc id="d2" origlang="de" domain="social"><src lang="en"><p><seg id="1">three</seg></p></src>
<ref lang="de" translator="refB"><p><seg id="1">drei</seg></p></ref>
<hyp system="X" lang="de"><p><seg id="1">Drei</seg></p></hyp></doc>
</dataset>"""


@pytest.fixture
def xml(own_cache: Path) -> str:
    add_set(own_cache / "registry", "lab/x", "wmt-xml", {"a.xml": XML.encode()}, {"en-de": ["a.xml"]}, refs=["refA"])
    return "lab/x"


def test_everything_a_set_has(xml: str) -> None:
    opened = truebleu.testset(xml, "en-de")
    assert ["src", "ref:refA", "ref:refB", "docid", "origlang", "X", "domain"] == opened.fields
    assert ["one", "two", "three"] == opened.source
    assert [["eins", "zwei", ""]] == opened.references
    assert ["d1", "d1", "d2"] == opened.documents
    assert ["news", "news", "social"] == opened.domains
    assert ["en", "en", "de"] == opened.origlangs
    assert {"X": ["Eins", "Zwo", "Drei"]} == dict(opened.systems)
    assert (3, "lab/x", "en-de", "en", "de") == (
        len(opened), opened.name, opened.pair, opened.source_language, opened.target_language,
    )  # fmt: skip
    assert "<test set lab/x en-de: 3 segments, 1 reference>" == repr(opened)


def test_references_are_chosen_by_name_and_shown(xml: str) -> None:
    both = [["eins", "zwei", ""], ["ein", "", "drei"]]
    usual = {"test": "lab/x", "lang": "en-de"}
    assert usual == truebleu.testset(xml, "en-de").signature_fields
    for refs in (["refA", "refB"], ["ref:refA", "ref:refB"], "refA,refB", "all"):
        opened = truebleu.testset(xml, "en-de", refs=refs)
        assert both == opened.references
        assert {**usual, "refs": "refA,refB"} == opened.signature_fields
    assert {**usual, "refs": "refB,refA"} == truebleu.testset(xml, "en-de", refs=["refB", "refA"]).signature_fields
    assert usual == truebleu.testset(xml, "en-de", refs=["refA"]).signature_fields
    assert both == truebleu.testset(xml, "en-de").refs()
    assert both[1:] == truebleu.testset(xml, "en-de").refs("refB")


def test_signature_fields_need_the_data_only_for_references(xml: str) -> None:
    fields = truebleu.dataset.signature_fields
    assert {"test": "wmt22", "lang": "en-de", "origlang": "en", "subset": "x"} == fields(
        "wmt22", "en-de", None, "en", "x"
    )
    assert {"test": xml, "lang": "en-de", "refs": "refB"} == fields(xml, "en-de", ["refB"])


def test_a_signature_shows_the_choice(xml: str) -> None:
    opened = truebleu.testset(xml, "en-de", refs="all")
    metric = opened.signed(truebleu.BLEU())
    score = metric.corpus_score(opened.systems["X"], opened.references)
    assert str(score.signature).startswith("nrefs:var|test:lab/x|lang:en-de|refs:refA,refB|case:mixed")
    assert "|r:refA,refB|" in score.signature.format(short=True)


def test_a_choice_that_cannot_be_made_is_refused(xml: str) -> None:
    with pytest.raises(UnknownField, match="lab/x en-de has no reference 'C', only refA, refB"):
        truebleu.testset(xml, "en-de", refs=["C"])
    with pytest.raises(OptionError, match="should name references, each once"):
        truebleu.testset(xml, "en-de", refs=["refA", "refA"])
    with pytest.raises(OptionError, match="should name references"):
        truebleu.testset(xml, "en-de", refs=[])


def test_a_set_without_its_usual_references_says_so(own_cache: Path) -> None:
    add_set(own_cache / "registry", "lab/y", "wmt-xml", {"a.xml": XML.encode()}, {"en-de": ["a.xml"]}, refs=["Z"])
    with pytest.raises(UnknownField, match=r"none of its usual references \(ref:Z\), only ref:refA, ref:refB; choose"):
        truebleu.testset("lab/y", "en-de")
    assert "refB" == truebleu.testset("lab/y", "en-de", refs="refB").signature_fields["refs"]


def test_segments_without_text_in_the_references_are_reported(xml: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("WARNING")
    assert truebleu.testset(xml, "en-de").references
    assert "lab/x en-de: 1 segment has no text in the references chosen" in caplog.text


def test_segments_are_selected(xml: str) -> None:
    opened = truebleu.testset(xml, "en-de", origlang="en")
    assert (["one", "two"], [["eins", "zwei"]], ["Eins", "Zwo"]) == (
        opened.source, opened.references, opened.systems["X"],
    )  # fmt: skip
    assert ["a", "b"] == opened.cut(["a", "b", "c"])
    with pytest.raises(LengthMismatch, match="lab/x en-de has 3 segments, the output has 2"):
        opened.cut(["a", "b"])
    assert {"test": xml, "lang": "en-de", "origlang": "en", "subset": "news"} == opened.select(
        subset="news"
    ).signature_fields
    assert 0 == len(opened.select(subset="social"))
    assert opened is opened.select()
    with pytest.raises(OptionError, match="select from the whole set"):
        opened.select(origlang="de")


def test_several_sets_come_one_after_the_other(xml: str, own_cache: Path) -> None:
    plain = {"s": b"four\n", "r": b"vier\n"}
    add_set(own_cache / "registry", "lab/p", "plain-text", plain, {"en-de": ["s", "r"]})
    opened = truebleu.testset("lab/p, lab/x", "en-de")
    assert ["four", "one", "two", "three"] == opened.source
    assert [["vier", "eins", "zwei", ""]] == opened.references
    assert ["src"] == opened.fields and {} == dict(opened.systems)
    assert {"test": "lab/p,lab/x", "lang": "en-de"} == opened.signature_fields
    with pytest.raises(OptionError, match=r"have different numbers of references \(lab/p has 1, lab/x has 2\)"):
        assert truebleu.testset("lab/p,lab/x", "en-de", refs="all").references


def test_columns_of_other_lengths_are_neither_cut_nor_joined(own_cache: Path) -> None:
    source = b'<doc docid="x" origlang="en">\n<seg id="1">a</seg>\n<seg id="2">b</seg>\n'
    members = {"a.sgm": source, "b.sgm": b'<seg id="1">A</seg>\n'}
    pairs = {"en-de": ["a.sgm", "b.sgm"]}
    path = add_set(own_cache / "registry", "lab/s", "fake-sgml", members, pairs)
    # Sets from the network are taken as they are; those of one's own would be refused at once.
    document = json.loads(path.read_text())
    archive = tar(members)
    document["sets"][0]["files"] = [{"url": "https://127.0.0.1/s.tgz", "md5": hashlib.md5(archive).hexdigest()}]
    path.write_text(json.dumps(document))
    (own_cache / "lab/s/raw").mkdir(parents=True)
    (own_cache / "lab/s/raw/lab_s.s.tgz").write_bytes(archive)
    assert [["A"]] == truebleu.testset("lab/s", "en-de").references
    with pytest.raises(LengthMismatch, match="the field 'ref' has 1 line, the source has 2"):
        assert truebleu.testset("lab/s", "en-de", origlang="en").references
    with pytest.raises(LengthMismatch, match="it can be neither cut nor joined"):
        assert truebleu.testset("lab/s,lab/s", "en-de").references


def test_what_a_set_gives_may_be_changed(xml: str) -> None:
    opened = truebleu.testset(xml, "en-de")
    opened.source.clear()
    opened.references[0].clear()
    assert (3, 3) == (len(opened.source), len(opened.references[0]))


def test_unknown_names_are_refused() -> None:
    with pytest.raises(UnknownField, match="demo en-de has no field 'genre', only src, ref:A, ref:B, docid"):
        assert truebleu.testset("demo", "en-de").genres
    with pytest.raises(UnknownField, match="demo en-de has no system 'x', only atlas, birch, cedar"):
        assert truebleu.testset("demo", "en-de").systems["x"]
    for bad in ("", " ", None):
        with pytest.raises(OptionError, match="the name of a test set should be text"):
            truebleu.testset(bad, "en-de")  # type: ignore[arg-type]
    with pytest.raises(UnknownTestSet, match="no language pair 'de-en'"):
        truebleu.testset("demo", "de-en")


@pytest.mark.parametrize("pair", demo.PAIRS)
def test_the_demo_is_a_test_set(pair: str, own_cache: Path) -> None:
    opened, bundled = truebleu.testset("demo", pair), demo.load(pair)
    assert list(bundled.references.values()) == opened.references
    assert bundled.systems == dict(opened.systems)
    assert (bundled.sources, bundled.docids, bundled.domains) == (opened.source, opened.documents, opened.domains)
    assert {"en"} == set(opened.origlangs)
    assert not own_cache.exists()


def test_testsets_lists_names_and_pairs() -> None:
    assert 87 == len(truebleu.testsets())
    assert {"wmt22": ["en-liv", "liv-en"]} == truebleu.testsets("liv-en")
    with pytest.raises(OptionError, match="'en' is not a language pair"):
        truebleu.testsets("en")


def test_text_in_the_cache_is_made_once_and_again_if_damaged(xml: str, own_cache: Path) -> None:
    path = Path(truebleu.get_source_file(xml, "en-de"))
    assert "one\ntwo\nthree\n" == path.read_text()
    assert own_cache / "lab/x/text/en-de" == path.parents[1]
    path.write_text("one\ntwo\n")
    assert str(path) == truebleu.get_source_file(xml, "en-de")
    assert "one\ntwo\nthree\n" == path.read_text()


def test_asking_for_the_list_needs_no_numpy_and_little_else() -> None:
    code = (
        "from truebleu.dataset.listing import list_sets\nfor line in list_sets(): pass\nimport sys; print(*sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set() == {"numpy", "requests", "xml.etree.ElementTree", "tarfile"} & set(run.stdout.split())


def test_a_system_that_is_not_there_is_suggested() -> None:
    demo = truebleu.testset("demo", "en-de")
    with pytest.raises(UnknownField, match=r"no system 'atlass' \(did you mean atlas\?\), only atlas, birch, cedar"):
        demo.systems["atlass"]
    with pytest.raises(UnknownField, match=r"no field 'doc_id' \(did you mean docid\?\), only src"):
        demo.field("doc_id")


def test_the_demo_is_known_to_the_store(own_cache: Path) -> None:
    """Its text was listed as that of no set, could not be removed, and was nowhere."""
    path = Path(truebleu.get_source_file("demo", "en-de"))
    assert "demo" in {holding.name for holding in cache.holdings() if holding.path == path.parent}
    kinds = {holding.kind: holding.path for holding in cache.holdings(["demo"])}
    assert path.parent == kinds["text"] and kinds["package"].is_file()
    assert ([path.parent], []) == cache.remove(["demo"])
    assert not path.exists() and 240 == len(truebleu.testset("demo", "en-de"))
