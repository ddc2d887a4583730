"""Filters against sacreBLEU's, and the groups of a detailed report."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import truebleu
from dataset.caches import add_set
from dataset.peer import Peer
from truebleu.dataset import subsets
from truebleu.dataset.pair_text import PairText
from truebleu.dataset.registry import parse
from truebleu.errors import FilterUnavailable, LengthMismatch, OptionError
from truebleu.sacrebleu.utils import filter_subset, get_available_origlangs, get_available_subsets

# Documents of wmt19, and one that has no annotation.
DOCUMENTS = ["bbc.381790", "guardian.221754", "upi.176266", "reuters.218882", "nobody.1"]

origlang = st.sampled_from(["en", "de", "EN", "", "x y"])
sgml_documents = st.lists(
    st.tuples(
        st.sampled_from(DOCUMENTS),
        st.one_of(
            origlang.map(lambda value: f' origlang="{value}"'),
            st.sampled_from(
                ["", ' origlang="en" origlang="de"', '\toriglang="en"', " origlang='en'", ' xoriglang="en"']
            ),
        ),
        st.integers(0, 3),
    ),
    min_size=1,
    max_size=5,
)
wanted_languages = st.sampled_from([None, "en", "de", "non-en", "non-de", "EN", "x"])
wanted_subsets = st.sampled_from(
    [None, "US", "country:GB", "crime", "^US-.*s$", "politics|sport", "", "^$", "world-ID", "OTHER", "us"]
)


def pair_text_of(folder: Path, kind: str, content: bytes, name: str, annotations: str | None = None) -> PairText:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "a.sgm").write_bytes(content)
    one = {"name": name, "format": kind, "files": [{"path": "a.sgm"}], "pairs": {"en-de": ["a.sgm", "a.sgm"]}}
    if kind == "wmt-xml":
        one["pairs"] = {"en-de": ["a.sgm"]}
    if annotations:
        one["annotations"] = annotations
    (definition,) = parse({"schema": 1, "sets": [one]}, folder, "test")
    return PairText(definition, definition.pairs["en-de"])


@given(sgml_documents, wanted_languages, wanted_subsets)
def test_sgml_filters_are_sacrebleus(
    root: Path, documents: list[tuple[str, str, int]], language: str | None, subset: str | None
) -> None:
    body = "".join(
        f'<doc docid="{name}"{origin}>\n' + '<seg id="1">x</seg>\n' * count for name, origin, count in documents
    )
    count = sum(drawn[2] for drawn in documents)
    peer = Peer(root / "theirs", "fake-sgml", ["a.sgm", "a.sgm"], "wmt19")
    peer.read({"a.sgm": body.encode()})
    pair_text = pair_text_of(root / "ours", "fake-sgml", body.encode(), "wmt19", "wmt19")
    kept = subsets.flags([pair_text], language, subset)
    assert peer.cut(count, language, subset) == [number for number, flag in enumerate(kept) if flag]


@given(
    st.lists(
        st.tuples(st.sampled_from(["en", "de", ""]), st.sampled_from(["news", "social", "newsy"])),
        min_size=1,
        max_size=4,
    ),
    wanted_languages,
    st.sampled_from([None, "news", "^news$", "country:so", "", "s|n", "NEWS"]),
)
def test_xml_filters_are_sacrebleus(
    root: Path, documents: list[tuple[str, str]], language: str | None, subset: str | None
) -> None:
    body = "".join(
        f'<doc id="{number}" origlang="{origin}" domain="{domain}"><src lang="en"><seg id="1">s</seg></src>'
        f'<ref lang="de" translator="A"><seg id="1">r</seg></ref></doc>'
        for number, (origin, domain) in enumerate(documents)
    )
    content = f"<dataset>{body}</dataset>".encode()
    peer = Peer(root / "theirs", "wmt-xml", ["a.xml"], "x", refs=["A"])
    peer.read({"a.xml": content})
    pair_text = pair_text_of(root / "ours", "wmt-xml", content, "x")
    kept = subsets.flags([pair_text], language, subset)
    assert peer.cut(len(documents), language, subset) == [number for number, flag in enumerate(kept) if flag]


@pytest.fixture
def two(own_cache: Path) -> str:
    """A set with annotations and one with domains."""
    sgml = (
        b'<doc docid="bbc.381790" origlang="en">\n<seg id="1">a</seg>\n<seg id="2">b</seg>\n</doc>\n'
        b'<doc docid="nobody.1" origlang="de">\n<seg id="1">c</seg>\n</doc>\n'
        b'<doc docid="nobody.2">\n<seg id="1">d</seg>\n'
    )
    add_set(
        own_cache / "registry",
        "lab/s",
        "fake-sgml",
        {"a.sgm": sgml},
        {"en-de": ["a.sgm", "a.sgm"]},
        annotations="wmt19",
    )
    lines = (
        b'{"src": "e", "ref": "E", "origlang": "en", "domain": "a+b"}\n'
        b'{"src": "f", "ref": "F", "origlang": "en", "domain": "aab"}\n'
    )
    add_set(own_cache / "registry", "lab/j", "jsonl", {"a.jsonl": lines}, {"en-de": ["a.jsonl"]})
    return "lab/s,lab/j"


def test_several_sets_are_filtered_one_after_the_other(two: str) -> None:
    opened = truebleu.testset(two, "en-de")
    assert ["a", "b", "e", "f"] == opened.select(origlang="en").source
    assert ["c", "d"] == opened.select(origlang="non-en").source
    assert [["a", "b"]] == opened.select(origlang="en", subset="politics|sport|GB|world|crime|business|US").references


def test_languages_and_subsets_are_listed(two: str) -> None:
    assert ["de", "en"] == get_available_origlangs(two, "en-de")
    assert ["a+b", "aab", "business", "country:EU"] == get_available_subsets(two, "en-de")[:4]
    assert [] == get_available_origlangs(None, "en-de") == get_available_subsets(None, "en-de")


def test_groups_are_languages_and_then_their_subsets(two: str) -> None:
    groups = list(truebleu.testset(two, "en-de").groups())
    assert [("de", "domain", "ALL"), ("en", "domain", "ALL"), ("en", "domain", "a+b")] == [
        group[:3] for group in groups
    ][:3]
    assert [False, False, True, False, False, False] == groups[0].flags
    # A domain is itself, not a pattern: "a+b" would match "aab".
    assert [False, False, False, False, True, False] == groups[2].flags
    assert any(group.kind == "country" for group in groups)


def test_what_cannot_be_selected_by_is_refused() -> None:
    with pytest.raises(FilterUnavailable, match="needs a test set and a language pair"):
        filter_subset([["a"]], None, "en-de", "en")
    assert [["a"]] == filter_subset([["a"]], None, None, None)


def test_plain_sets_say_nothing_to_select_by(own_cache: Path) -> None:
    add_set(own_cache / "registry", "lab/p", "plain-text", {"s": b"a\n", "r": b"b\n"}, {"en-de": ["s", "r"]})
    with pytest.raises(
        FilterUnavailable, match="lab/p en-de does not say in which language its documents were written"
    ):
        truebleu.testset("lab/p", "en-de", origlang="en")
    with pytest.raises(FilterUnavailable, match="does not say what its documents are about"):
        truebleu.testset("lab/p", "en-de", subset="news")
    iwslt = b'<doc docid="1">\n<seg id="1">x</seg>\n'
    add_set(own_cache / "registry", "lab/i", "iwslt-xml", {"a.xml": iwslt}, {"en-de": ["a.xml", "a.xml"]})
    with pytest.raises(FilterUnavailable):
        truebleu.testset("lab/i", "en-de", origlang="en")


def test_lengths_are_compared_before_segments_are_selected(two: str) -> None:
    assert [["1", "2", "5", "6"]] == filter_subset([list("123456")], two, "en-de", "en")
    with pytest.raises(LengthMismatch, match="stream 0 has 7 segments, lab/s,lab/j en-de has 6"):
        filter_subset([list("1234567")], two, "en-de", "en")


def test_values_that_make_no_sense_are_refused() -> None:
    for nothing in ("", "non-"):
        with pytest.raises(OptionError, match="names no language"):
            truebleu.testset("demo", "en-de", origlang=nothing)
    with pytest.raises(OptionError, match=r"subset='\(' is not a regular expression"):
        truebleu.testset("demo", "en-de", subset="(")
