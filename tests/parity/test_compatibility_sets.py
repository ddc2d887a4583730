"""The entries of COMPATIBILITY.md about test sets, from both sides."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sacrebleu
import sacrebleu.dataset
import sacrebleu.utils

import truebleu
import truebleu.utils
from cli.conftest import Files
from dataset.caches import add_set
from dataset.peer import Peer, look_in
from truebleu import errors
from truebleu.dataset import listing as testsets

PAIRS_WITH_REFERENCES_OF_THEIR_OWN = {
    "wmt22": ["cs-en", "en-cs", "liv-en", "ru-sah"],
    "wmt23": ["en-he", "he-en"],
}


class Both:
    """A set of one file for sacreBLEU and for truebleu, made from the same bytes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, kind: str, content: str, **keys: Any) -> Peer:
        members = ["a"] if kind == "wmt-xml" else ["a.sgm", "a.sgm"]
        contents = {members[0]: content.encode()}
        add_set(self.folder / "cache/registry", "lab/x", kind, contents, {"en-de": members}, **keys)
        options = {"refs": ["A"]} if kind == "wmt-xml" else {}
        peer = Peer(self.folder / "theirs", kind, members, "lab/x", **options)
        (peer.raw / members[0]).write_bytes(content.encode())
        return peer


@pytest.fixture
def both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Both]:
    monkeypatch.setenv("TRUEBLEU_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TRUEBLEU_OFFLINE", "1")
    before, there = dict(sacrebleu.dataset.DATASETS), sacrebleu.utils.SACREBLEU_DIR
    yield Both(tmp_path)
    sacrebleu.dataset.DATASETS.clear()
    sacrebleu.dataset.DATASETS.update(before)
    look_in(Path(there))


def document(attributes: str = 'id="d" origlang="en"', source: str = "s", inner: str = "") -> str:
    return (
        f'<doc {attributes}><src lang="en"><seg id="1">{source}</seg></src>'
        f'<ref lang="de" translator="A"><seg id="1">r</seg></ref>{inner}</doc>'
    )


def output(system: str) -> str:
    return f'<hyp system="{system}" lang="de"><seg id="1">h</seg></hyp>'


def dataset(*documents: str) -> str:
    return f"<dataset>{''.join(documents)}</dataset>"


ORDER = """
import sys, sacrebleu
sacrebleu.dataset.base.SACREBLEU_DIR = sys.argv[1]
options = {"data": ["https://127.0.0.1/there"], "md5": ["x"], "langpairs": {"en-de": ["a"]}, "refs": ["A"]}
print(*sacrebleu.dataset.WMTXMLDataset("lab/x", **options).fieldnames("en-de"))
"""


def test_40_the_order_of_references(both: Both) -> None:
    references = "".join(f'<ref lang="de" translator="{label}"><seg id="1">x</seg></ref>' for label in "DBAC")
    both("wmt-xml", dataset(document(inner=references)))
    theirs = {
        subprocess.run(
            [sys.executable, "-c", ORDER, str(both.folder / "theirs")],
            env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }  # fmt: skip
    assert len(theirs) > 1
    assert ["src", "ref:A", "ref:B", "ref:C", "ref:D"] == truebleu.testset("lab/x", "en-de").fields[:5]


@pytest.mark.parametrize("last", [False, True])
def test_41_documents_without_a_domain(both: Both, last: bool) -> None:
    documents = [document('id="1" origlang="en" domain="news"'), document()]
    peer = both("wmt-xml", dataset(*(documents[::-1] if last else documents)))
    if last:
        with pytest.raises(AttributeError):
            peer.read({})
    else:
        assert "domain" not in peer.read({})
    expected = ["", "news"] if last else ["news", ""]
    assert expected == truebleu.testset("lab/x", "en-de").domains
    assert 1 == len(truebleu.testset("lab/x", "en-de", subset="news"))


def test_42_a_system_that_lacks_segments(both: Both) -> None:
    peer = both("wmt-xml", dataset(document(inner=output("X")), document(inner=output("X") + output("Y"))))
    assert (b"h\nh\n", b"h\n") == (peer.read({})["X"], peer.read({})["Y"])
    assert {"X": ["h", "h"], "Y": ["", "h"]} == dict(truebleu.testset("lab/x", "en-de").systems)
    peer = both("wmt-xml", dataset(document(inner=output("X").replace('id="1"', 'id="2"'))))
    with pytest.raises(KeyError):
        peer.read({})
    assert {"X": [""]} == dict(truebleu.testset("lab/x", "en-de").systems)


def test_43_filters_where_sacrebleu_has_none(both: Both) -> None:
    for name, pairs in PAIRS_WITH_REFERENCES_OF_THEIR_OWN.items():
        for pair in pairs:
            with pytest.raises(KeyError):
                sacrebleu.utils.filter_subset([["a"]], name, pair, "en")
    content = dataset(document(), document('id="e" origlang="de"'))
    path = add_set(
        both.folder / "cache/registry", "lab/y", "wmt-xml", {"a": content.encode()},
        {"en-de": {"path": "a", "refs": ["A"]}}, refs=["B"],
    )  # fmt: skip
    assert path.is_file() and 1 == len(truebleu.testset("lab/y", "en-de", origlang="de"))
    # A document without an original language is listed by its markup; here it is of none.
    peer = both("fake-sgml", '<doc docid="x">\n<seg id="1">a</seg>\n')
    peer.read({})
    sacrebleu.dataset.DATASETS["lab/x"] = peer.dataset
    assert ['<doc docid="x">\n'] == sacrebleu.utils.get_available_origlangs("lab/x", "en-de")
    assert [] == truebleu.utils.get_available_origlangs("lab/x", "en-de")


def test_44_filters_and_lengths(both: Both) -> None:
    peer = both("fake-sgml", '<doc docid="x" origlang="en">\n<seg id="1">a</seg>\n')
    peer.read({})
    sacrebleu.dataset.DATASETS["lab/x"] = peer.dataset
    too_long = [["one", "two", "three"]]
    assert [["one"]] == sacrebleu.utils.filter_subset(too_long, "lab/x", "en-de", "en")
    with pytest.raises(errors.LengthMismatch, match="stream 0 has 3 segments, lab/x en-de has 1"):
        truebleu.utils.filter_subset(too_long, "lab/x", "en-de", "en")


def test_45_the_reference_that_is_echoed(both: Both, capsys: pytest.CaptureFixture[str]) -> None:
    second = '<ref lang="de" translator="B"><seg id="1">scored</seg></ref>'
    content = dataset(document(inner=second))
    peer = both("wmt-xml", content)
    peer.dataset.kwargs["refs"] = ["B"]
    peer.read({})
    sacrebleu.dataset.DATASETS["lab/x"] = peer.dataset
    sacrebleu.utils.print_test_set("lab/x", "en-de", ["ref"])
    assert ["r"] == capsys.readouterr().out.split()
    assert [("scored\n",)] == list(peer.dataset.references("en-de"))
    add_set(both.folder / "cache/registry", "lab/x", "wmt-xml", {"a": content.encode()}, {"en-de": ["a"]}, refs=["B"])
    assert ["scored"] == list(testsets.echo("lab/x", "en-de", ["ref"]))


def test_28_fields_that_only_the_data_tell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU", str(tmp_path))
    monkeypatch.setenv("TRUEBLEU_CACHE", str(tmp_path / "ours"))
    # Nobody answers there, so nothing can be downloaded.
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    run = Files(tmp_path).theirs_now("--list", "-t", "wmt24")
    assert run.code != 0 and "en-de" not in run.out
    assert "en-de: (not downloaded yet; -l en-de lists its fields)" in list(testsets.list_fields("wmt24"))
    monkeypatch.setenv("TRUEBLEU_OFFLINE", "1")
    with pytest.raises(errors.DownloadError):
        list(testsets.list_fields("wmt24", "en-de"))


def test_46_citations(tmp_path: Path) -> None:
    run = Files(tmp_path).theirs("--citation", "-t", "wmt17")
    assert 1 == run.code and "TypeError" in run.err
    assert next(testsets.cite("wmt17")).lower().startswith("@inproceedings{")
    assert sacrebleu.DATASETS["wmt16/B"].citation is None
    assert truebleu.DATASETS["wmt16"].citation == truebleu.DATASETS["wmt16/B"].citation


def test_47_names_that_are_not_there(tmp_path: Path) -> None:
    run = Files(tmp_path).theirs("--list", "-t", "nope")
    assert (0, "") == (run.code, run.out)
    with pytest.raises(errors.UnknownTestSet, match="there is no test set 'nope'"):
        list(testsets.list_fields("nope"))
    with pytest.raises(IndexError):
        sacrebleu.utils.get_available_testsets_for_langpair("en")
    with pytest.raises(errors.OptionError, match="'en' is not a language pair"):
        truebleu.utils.get_available_testsets_for_langpair("en")
    for module in (sacrebleu, truebleu):
        with pytest.raises(Exception, match=r"o such test set nope|no test set 'nope'"):
            module.get_source_file("nope", "en-de")


def test_48_xml_that_no_test_set_needs(both: Both) -> None:
    entity = '<!DOCTYPE dataset [<!ENTITY x "expanded">]>'
    peer = both("wmt-xml", entity + dataset(document(source="&x;")))
    assert b"expanded\n" == peer.read({})["src"]
    with pytest.raises(errors.InvalidTestSet, match="declares entities"):
        truebleu.testset("lab/x", "en-de")
    peer = both("wmt-xml", dataset(document(source="")))
    with pytest.raises(AttributeError):
        peer.read({})
    assert [""] == truebleu.testset("lab/x", "en-de").source
    peer = both("wmt-xml", dataset(document(inner=output("docid"))))
    assert b"h\n" == peer.read({})["docid"]
    with pytest.raises(errors.InvalidTestSet, match="cannot be called 'docid'"):
        truebleu.testset("lab/x", "en-de")


def test_49_text_in_the_cache(both: Both) -> None:
    peer = both("fake-sgml", '<doc docid="x">\n<seg id="1">a</seg>\n<seg id="2">b</seg>\n')
    peer.read({})
    theirs, ours = peer.dataset.get_source_file("en-de"), truebleu.get_source_file("lab/x", "en-de")
    for path in (theirs, ours):
        Path(path).write_text("a\n")
    assert "a\n" == Path(peer.dataset.get_source_file("en-de")).read_text()
    assert "a\nb\n" == Path(truebleu.get_source_file("lab/x", "en-de")).read_text()
    assert set(sacrebleu.DATASETS) < set(truebleu.DATASETS)
