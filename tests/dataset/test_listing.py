"""What the command prints about test sets, in sacreBLEU's layouts."""

import contextlib
import io
from pathlib import Path

import pytest
import sacrebleu.dataset
import sacrebleu.utils

import truebleu
from cli.conftest import Files
from dataset.caches import add_set
from dataset.peer import Peer
from loopback import forbid_sockets
from truebleu.dataset import registry
from truebleu.dataset.listing import cite, echo, list_fields, list_pairs, list_sets
from truebleu.errors import OptionError, UnknownField, UnknownTestSet

pytestmark = pytest.mark.usefixtures("own_cache")

SGML = (
    '<doc docid="bbc.381790" genre="news" origlang="en">\n<seg id="1"> a  &amp; b\u3000</seg>\n'
    '<seg id="2"></seg>\n</doc>\n<doc docid="x" genre="news" origlang="de">\n<seg id="1">c</seg>\n</doc>\n'
).encode()


def printed_by_sacrebleu(*arguments: str) -> list[str]:
    run = Files(Path()).theirs(*arguments)
    assert 0 == run.code
    return run.out.splitlines()


def test_sets_are_listed_in_sacrebleus_layout() -> None:
    theirs, ours = printed_by_sacrebleu("--list"), list(list_sets())
    assert theirs[0] == ours[0]
    descriptions = {line[:30].rstrip(): line[32:] for line in ours[1:]}
    assert sorted(truebleu.testsets()) == list(descriptions)
    for line in theirs[1:]:
        name = line[:30].rstrip()
        assert f"{name:<30}: {descriptions[name]}" in ours
        assert line[:32] == f"{name:<30}: "


def test_sets_that_have_a_pair_in_either_direction() -> None:
    theirs = printed_by_sacrebleu("--list", "-l", "fi-en")
    ours = list(list_sets("fi-en"))
    assert theirs[0] == ours[0]
    added = {one.name for one in registry.definitions() if one.extra}
    assert [line[:32] for line in theirs[1:]] == [line[:32] for line in ours[1:] if line.split()[0] not in added]
    assert {"ntrex128", "flores200/devtest"} <= {line.split()[0] for line in ours[1:]}
    assert ["The available test sets for xx-yy are:"] == list(list_sets("xx-yy"))
    with pytest.raises(OptionError, match="'fi' is not a language pair such as en-de"):
        list(list_sets("fi"))


def test_fields_are_listed_in_sacrebleus_layout() -> None:
    assert printed_by_sacrebleu("--list", "-t", "wmt17/ms") == list(list_fields("wmt17/ms"))
    for name, theirs in sacrebleu.dataset.DATASETS.items():
        if not isinstance(theirs, sacrebleu.dataset.WMTXMLDataset):
            expected = [f"{pair}: {', '.join(theirs.fieldnames(pair))}" for pair in theirs.langpairs]
            assert expected == list(list_fields(name))
    assert ["en-fi: src, ref, docid, genre, origlang"] == list(list_fields("wmt16", "en-fi"))
    assert ["en-de: src, ref:A, ref:B, docid, origlang, domain, atlas, birch, cedar"] == list(
        list_fields("demo", "en-de")
    )
    with pytest.raises(UnknownTestSet):
        list(list_fields("nope"))
    assert ["en-fi"] == list_pairs("wmt16/B,wmt17")


def test_pairs_are_listed_without_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """The archive was downloaded for it, though the registry knows the pairs."""
    monkeypatch.delenv("TRUEBLEU_OFFLINE")
    forbid_sockets(monkeypatch)
    lines = list(list_fields("wmt22"))
    assert list(truebleu.testsets()["wmt22"]) == [line.partition(":")[0] for line in lines]
    assert "cs-en: (not downloaded yet; -l cs-en lists its fields)" == lines[0]
    assert "en-de: src, ref:A" in "".join(list_fields("demo"))


def test_text_of_a_registry_cannot_act_on_a_terminal(own_cache: Path) -> None:
    evil = "\x1b[31mred\x1b]0;title\x07"
    members = {"s": b"a\n", "r": b"b\n"}
    pairs = {"en-de": {"members": ["s", "r"], "systems": {evil: "r"}}}
    add_set(own_cache / "registry", "lab/t", "plain-text", members, pairs, description=evil, citation=f"@x{{{evil}}}")
    lines = [*list_sets(), *list_fields("lab/t"), *cite("lab/t")]
    with pytest.raises(UnknownField) as caught:
        echo("lab/t", "en-de", ["x\x07"])
    with pytest.raises(UnknownField) as also_caught:
        truebleu.testset("lab/t", "en-de").systems["y\x07"]
    for line in (*lines, str(caught.value), str(also_caught.value)):
        assert "\x1b" not in line and "\x07" not in line
    assert sum(r"\x1b[31mred" in line for line in lines) == 3


def test_citations_are_bibtex() -> None:
    lines = list(cite("wmt08,demo,wmt16/B"))
    assert "@inproceedings{callisonburch-EtAl:2008:WMT," == lines[0]
    assert "% no citation is known for demo" in lines
    assert list(cite("wmt16/B")) == list(cite("wmt16"))
    assert lines[-1] == "}"


@pytest.fixture
def sgml(own_cache: Path, root: Path) -> Peer:
    """The same set for truebleu and for sacreBLEU."""
    pairs = {"en-de": ["a.sgm", "a.sgm"]}
    add_set(own_cache / "registry", "lab/s", "fake-sgml", {"a.sgm": SGML}, pairs, annotations="wmt19")
    peer = Peer(root, "fake-sgml", ["a.sgm", "a.sgm"], "lab/s")
    peer.read({"a.sgm": SGML})
    return peer


def echoed_by_sacrebleu(peer: Peer, fields: list[str], origlang: str | None = None) -> list[str]:
    sacrebleu.dataset.DATASETS[peer.name] = peer.dataset
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            sacrebleu.utils.print_test_set(peer.name, "en-de", fields, origlang)
    finally:
        del sacrebleu.dataset.DATASETS[peer.name]
    return out.getvalue().split("\n")[:-1]


@pytest.mark.parametrize("fields", [["all"], ["src"], ["ref", "src"], ["src", "docid", "origlang"], ["genre"]])
@pytest.mark.parametrize("origlang", [None, "en", "non-en", "xx"])
def test_echo_prints_what_sacrebleu_prints(sgml: Peer, fields: list[str], origlang: str | None) -> None:
    assert echoed_by_sacrebleu(sgml, fields, origlang) == list(echo("lab/s", "en-de", fields, origlang))


def test_both_is_source_and_reference(sgml: Peer) -> None:
    assert list(echo("lab/s", "en-de", ["src", "ref"])) == list(echo("lab/s", "en-de", ["both"]))
    assert ["a &amp; b\ta &amp; b", "\t", "c\tc"] == list(echo("lab/s", "en-de", ["both"]))


def test_several_sets_are_echoed_one_after_the_other(sgml: Peer) -> None:
    assert 243 == len(list(echo("lab/s,demo", "en-de", ["src"])))


def test_what_cannot_be_echoed_is_refused_before_anything_comes() -> None:
    with pytest.raises(UnknownField, match=r"has no field 'nope'; it has src, ref:A.*\('ref' means ref:A\)"):
        echo("demo", "en-de", ["src", "nope"])
    with pytest.raises(OptionError, match="'all' cannot be combined"):
        echo("demo", "en-de", ["all", "src"])
    with pytest.raises(OptionError, match="no field to echo"):
        echo("demo", "en-de", [])
    with pytest.raises(UnknownTestSet):
        echo("nope", "en-de", ["src"])


def test_print_test_set_prints(capsys: pytest.CaptureFixture[str]) -> None:
    truebleu.utils.print_test_set("demo", "en-de", ["docid"], subset="news")
    assert 65 == len(capsys.readouterr().out.splitlines())
