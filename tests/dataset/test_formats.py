"""Each format against sacreBLEU's reader, on files full of traps; and what sacreBLEU does not refuse."""

import gzip
import json
import re
import string
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from dataset.peer import Peer
from growth import assert_linear
from truebleu.dataset import formats, pair_text
from truebleu.dataset.formats import PairFields, columns, fake_sgml, wmt_xml
from truebleu.dataset.registry import Definition, Pair, parse
from truebleu.errors import InvalidTestSet

SPACES = ["\t", "\r", "\x0b", "\x0c", "\x1c", "\x1f", "\x85", "\xa0", "\u2028", "\u3000", " ", "  "]
NO_SPACES = ["\u200b", "\ufeff", "\u2060"]
WORDS = ["a", "Haus", "&amp;", "&lt;b&gt;", "<b>", ">", "<", '"', "\U0001f600", "文", "é"]

text = st.lists(st.sampled_from([*SPACES, *NO_SPACES, *WORDS]), max_size=6).map("".join)
free_text = st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=10)


def definition(kind: str, name: str = "wmt19", **keys: Any) -> Definition:
    document = {"name": name, "format": kind, "files": [{"url": "https://x/y.tgz", "md5": "0" * 32}], **keys}
    return parse({"schema": 1, "sets": [{"pairs": {"en-de": ["none"]}, **document}]}, None, "test")[0]


def ours(kind: str, contents: Mapping[str, bytes], members: list[str], name: str = "wmt19") -> PairFields:
    one = definition(kind, name, pairs={"en-de": members})
    return formats.format_of(one).read(one, one.pairs["en-de"], contents.__getitem__)


def as_bytes(read: PairFields) -> dict[str, bytes]:
    return {field: "".join(f"{line}\n" for line in lines).encode() for field, lines in read.fields.items()}


# --- SGML ---------------------------------------------------------------------------------------

attribute = st.sampled_from(["en", "de", "", "xx yy", "rt.com.68098", "bbc.381790", "guardian.221754"])
attributes = st.lists(
    st.tuples(
        st.sampled_from([" ", "", "  ", "\t"]),
        st.sampled_from(["docid", "origlang", "genre", "sysid", "xoriglang", "srcdocid"]),
        attribute,
        st.sampled_from(['"', '"', '"', "'"]),
    ).map(lambda drawn: f"{drawn[0]}{drawn[1]}={drawn[3]}{drawn[2]}{drawn[3]}"),
    max_size=4,
).map("".join)

sgml_line = st.one_of(
    st.tuples(text, st.integers(1, 9)).map(lambda drawn: f'<seg id="{drawn[1]}">{drawn[0]}</seg>'),
    st.tuples(text, text).map(lambda drawn: f"<seg id='1'>{drawn[0]}</seg>{drawn[1]}"),
    attributes.map(lambda drawn: f"<doc {drawn}>"),
    st.sampled_from(
        [
            "</doc>", "<p>", '<seg id="1">open', "close</seg>", " <seg id='1'>indented</seg>", "<seg>bare</seg>", "",
            '<seg id="1">a</seg><seg id="2">b</seg>', '<seg id=">">x</seg>', "<seg >></seg>", "<seg \t></seg>", "<seg ",
            "<doc", "<DOC docid='x'>", '<seg id="1"> a <seg id="2"> b </seg> c </seg> d', '\ufeff<seg id="1">x</seg>',
            '<doc docid="a" docid="b" origlang="en" origlang="de">', '<doc origlang="fr>', "<SEG x>y</SEG>", "<seg x",
        ]
    ),
    text,
)  # fmt: skip
sgml = st.tuples(st.lists(sgml_line, max_size=10), st.sampled_from(["\n", "\r\n"]), st.booleans()).map(
    lambda drawn: (drawn[1].join(drawn[0]) + drawn[1] * drawn[2]).encode()
)


CARRIED = b'<doc docid="a" origlang="en">\n<seg id="1">x</seg>\n<doc docid="b">\n<seg id="1">y</seg>\n'


@pytest.mark.parametrize("kind, name, endings", [
    ("fake-sgml", "wmt19", ("sgm", "sgm")),
    ("fake-sgml", "wmt08/nc", ("sgm", "sgm")),
    ("fake-sgml", "two", ("sgm", "sgm", "sgm")),
    ("sgml-plus-text", "plus", ("sgm", "sgm", "txt", "ref")),
    ("iwslt-xml", "iwslt", ("xml", "xml")),
])  # fmt: skip
def test_sgml_is_read_as_sacrebleu_reads_it(root: Path, kind: str, name: str, endings: tuple[str, ...]) -> None:
    members = [f"{number}.{ending}" for number, ending in enumerate(endings)]

    @given(st.tuples(*[sgml] * len(members)))
    @example((CARRIED,) * len(members))
    def agree(drawn: tuple[bytes, ...]) -> None:
        contents = dict(zip(members, drawn, strict=True))
        theirs = Peer(root, kind, members, name).read(contents)
        found = ours(kind, contents, members, name)
        assert theirs == as_bytes(found)
        one = definition(kind, name, pairs={"en-de": members})
        assert list(theirs) == pair_text.fields_of(one, one.pairs["en-de"])

    agree()


def test_a_reference_for_one_origin_goes_with_the_source_of_that_origin() -> None:
    """As in wmt18/google/wmtp, whose paraphrases cover what was written in English."""
    source = (
        b'<doc docid="a" genre="news" origlang="de">\n<seg id="1">eins</seg>\n</doc>\n'
        b'<doc docid="b" genre="news" origlang="en">\n<seg id="1">two</seg>\n<seg id="2">three</seg>\n</doc>\n'
    )
    contents = {"a.sgm": source, "b.ref": b"zwei\ndrei\n"}
    one = definition("sgml-plus-text", pairs={"en-de": list(contents)}, origlang="en")
    read = formats.format_of(one).read(one, one.pairs["en-de"], contents.__getitem__)
    assert {
        "src": ["two", "three"],
        "ref": ["zwei", "drei"],
        "docid": ["b", "b"],
        "genre": ["news", "news"],
        "origlang": ["en", "en"],
    } == read.fields
    assert {"origlang": ["en", "en"], "docid": ["b", "b"]} == read.filters


# --- plain text and TSV -------------------------------------------------------------------------


@given(st.lists(st.one_of(text, free_text), max_size=6), st.booleans())
def test_plain_text_is_read_as_sacrebleu_reads_it(root: Path, lines: list[str], ended: bool) -> None:
    content = ("\n".join(lines) + "\n" * ended).encode()
    members = ["0.txt", "1.txt"]
    contents = dict.fromkeys(members, content)
    assert Peer(root, "plain-text", members).read(contents) == as_bytes(ours("plain-text", contents, members))


def test_a_gzipped_member_is_decompressed(root: Path) -> None:
    packed = gzip.compress("eins  \nzwei\u3000\n".encode())
    theirs = Peer(root, "plain-text", ["a.gz", "a.gz"]).read({"a.gz": packed})
    assert {"src": b"eins\nzwei\n", "ref": b"eins\nzwei\n"} == theirs
    assert b"eins  \nzwei\xe3\x80\x80\n" == pair_text._gunzipped(packed, "a.gz")


rows_of_text = st.lists(st.lists(st.one_of(text, free_text), min_size=3, max_size=4), max_size=6)


@given(rows_of_text, st.sampled_from(["\n", "\r\n"]))
def test_tsv_is_read_as_sacrebleu_reads_it(root: Path, rows: list[list[str]], ending: str) -> None:
    content = "".join("\t".join(row) + ending for row in rows).encode()
    theirs = Peer(root, "tsv", ["2:a.tsv", "0:a.tsv"]).read({"a.tsv": content})
    assert theirs == as_bytes(ours("tsv", {"a.tsv": content}, ["2:a.tsv", "0:a.tsv"]))


def test_a_row_with_too_few_columns_is_refused_by_number() -> None:
    with pytest.raises(InvalidTestSet, match=r"a\.tsv: line 2 has 1 column, column 1 \(from 0\) is wanted"):
        ours("tsv", {"a.tsv": b"x\ty\nz\n"}, ["0:a.tsv", "1:a.tsv"])


def test_what_is_not_utf8_is_refused_by_line() -> None:
    with pytest.raises(InvalidTestSet, match=r"0\.txt, line 2: byte . of the line is 0x"):
        ours("plain-text", {"0.txt": b"a\nb\xff\n"}, ["0.txt", "0.txt"])


# --- WMT's XML ----------------------------------------------------------------------------------

xml_characters = [*string.ascii_letters[:4], " ", "\t", "\n", "\xa0", "é", "文", "\U0001f600"]
xml_text = st.text(st.sampled_from(xml_characters), max_size=5)
markup = st.sampled_from(
    ["", "", "", "<!-- note -->x", "<b>x</b>y", "<?pi x?>y", "<![CDATA[<&>]]>", "&amp;&#233;", "&lt;"]
)


@st.composite
def segments(draw: st.DrawFn, numbers: list[int], empty: bool) -> str:
    found = []
    for number in numbers:
        content = ("" if empty else "x") + draw(xml_text) + draw(markup)
        found.append(f'<seg id="{number}">{content}</seg>')
    return f"<p>{''.join(found)}</p>" if draw(st.booleans()) else "".join(found)


@st.composite
def xml_files(draw: st.DrawFn) -> bytes:
    """Files that sacreBLEU can read: sources have text, documents have all attributes, systems have all segments."""
    domain = draw(st.booleans())
    systems = draw(st.lists(st.sampled_from(["Online-A", "b:c", "Über", "d e"]), unique=True, max_size=3))
    documents = []
    for number in range(draw(st.integers(1, 3))):
        numbers = draw(st.lists(st.sampled_from([1, 2, 3, 9, 10]), min_size=1, max_size=4))
        body = f'<src lang="en">{draw(segments(numbers, empty=False))}</src>'
        for label in draw(st.lists(st.sampled_from(["A", "B", "refA", None]), unique=True, max_size=3)):
            translator = "" if label is None else f' translator="{label}"'
            some = draw(st.lists(st.sampled_from([*numbers, 4]), max_size=4))
            body += f'<ref lang="de"{translator}>{draw(segments(some, empty=True))}</ref>'
        for system in systems:
            body += f'<hyp system="{system}" lang="de">{draw(segments([*numbers, 7], empty=True))}</hyp>'
        suite = draw(st.sampled_from(["", "", "", ' testsuite="x"']))
        shown = f' domain="{draw(st.sampled_from(["news", "so cial", " x "]))}"' if domain else ""
        origin = draw(st.sampled_from(["en", "de"]))
        documents.append(f'<doc id="d{number}" origlang="{origin}"{shown}{suite}>{body}</doc>')
    inner = "".join(documents)
    if draw(st.booleans()):
        inner = f'<collection id="general">{inner}</collection>'
    return f'<?xml version="1.0" encoding="utf-8"?>\n<dataset id="x">{inner}</dataset>'.encode()


@given(xml_files())
def test_xml_is_read_as_sacrebleu_reads_it(root: Path, content: bytes) -> None:
    assume(b"<ref " in content)
    assume(content.count(b"<doc ") > content.count(b"testsuite="))
    theirs = Peer(root, "wmt-xml", ["a.xml"], refs=["A"]).read({"a.xml": content})
    found = as_bytes(ours("wmt-xml", {"a.xml": content}, ["a.xml"]))
    if not found["src"]:  # Whether there are domains cannot be told without segments.
        found.pop("domain", None)
        theirs.pop("domain", None)
    assert theirs == found
    in_order = [field for field in theirs if not field.startswith("ref")]
    assert in_order == [field for field in found if not field.startswith("ref")]
    references = [field for field in found if field.startswith("ref")]
    assert sorted(references) == references


def wmt(*documents: str) -> dict[str, bytes]:
    return {"a.xml": f"<dataset>{''.join(documents)}</dataset>".encode()}


def document(source: str = "s", extra: str = "", attributes: str = 'id="d" origlang="en"') -> str:
    return (
        f'<doc {attributes}><src lang="en"><seg id="1">{source}</seg></src>'
        f'<ref lang="de" translator="A"><seg id="1">r</seg></ref>{extra}</doc>'
    )


def hyp(system: str, text: str = "h") -> str:
    return f'<hyp system="{system}" lang="de"><seg id="1">{text}</seg></hyp>'


BOMB = (
    '<!DOCTYPE dataset [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">'
    '<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]>'
)


@pytest.mark.parametrize(
    "prologue, source",
    [
        (BOMB, "&c;"),
        ('<!DOCTYPE dataset [<!ENTITY x SYSTEM "file:///etc/hostname">]>', "&x;"),
        ('<!DOCTYPE dataset [<!ENTITY % x SYSTEM "http://127.0.0.1:9/x.dtd"> %x;]>', "s"),
        ('<!DOCTYPE dataset [<!NOTATION n SYSTEM "n"><!ENTITY x SYSTEM "x" NDATA n>]>', "s"),
    ],
    ids=["bomb", "file", "parameter", "unparsed"],
)
def test_entities_are_refused(prologue: str, source: str) -> None:
    content = prologue.encode() + wmt(document(source))["a.xml"]
    with pytest.raises(InvalidTestSet, match=r"a\.xml declares entities or refers to other files"):
        ours("wmt-xml", {"a.xml": content}, ["a.xml"])


def test_an_external_dtd_is_never_opened(tmp_path: Path) -> None:
    content = b'<!DOCTYPE dataset SYSTEM "http://127.0.0.1:9/x.dtd">' + wmt(document())["a.xml"]
    assert ["s"] == ours("wmt-xml", {"a.xml": content}, ["a.xml"]).fields["src"]


@pytest.mark.parametrize(
    "content, message",
    [
        (b"<dataset>", "not well-formed"),
        (b"<dataset>&nbsp;</dataset>", "not well-formed"),
        (b"\xff\xfe", "not well-formed"),
        (wmt(document().replace('"de"', '"fr"'), document())["a.xml"], "one reference language, it has de, fr"),
        (b"<dataset/>", "one source language, it has none"),
        (wmt(document().replace('id="1"', 'id="x"'))["a.xml"], "the id 'x', expected a whole number"),
        (wmt(document(extra='<hyp lang="de"><seg id="1">h</seg></hyp>'))["a.xml"], "does not name its system"),
        (wmt(document(extra=hyp("docid")))["a.xml"], "cannot be called 'docid'"),
        (wmt(document(extra=hyp("domain")))["a.xml"], "cannot be called 'domain'"),
    ],
)  # fmt: skip
def test_malformed_xml_is_refused(content: bytes, message: str) -> None:
    with pytest.raises(InvalidTestSet, match=message):
        ours("wmt-xml", {"a.xml": content}, ["a.xml"])


def test_deep_nesting_does_not_end_the_process() -> None:
    content = b"<dataset>" + b"<a>" * 100_000 + b"</a>" * 100_000 + b"</dataset>"
    with pytest.raises(InvalidTestSet):
        wmt_xml.read(definition("wmt-xml"), Pair("en-de", ("a.xml",)), lambda name: content)


# --- JSON lines ---------------------------------------------------------------------------------


def jsonl(*segments: object) -> dict[str, bytes]:
    return {"a.jsonl": "".join(json.dumps(segment) + "\n" for segment in segments).encode()}


def test_jsonl_gives_fields_in_order_and_blanks_for_what_is_missing() -> None:
    contents = jsonl(
        {"src": "s1", "refs": {"A": "a1", "B": None}, "systems": {"x": "x1"}, "docid": "d"},
        {"src": "s2", "refs": {"A": "a2", "C": "c2"}, "domain": "news"},
    )
    read = ours("jsonl", contents, ["a.jsonl"])
    assert {
        "src": ["s1", "s2"],
        "ref:A": ["a1", "a2"],
        "ref:B": ["", ""],
        "ref:C": ["", "c2"],
        "docid": ["d", ""],
        "domain": ["", "news"],
        "x": ["x1", ""],
    } == read.fields
    assert ("x",) == read.systems


def test_jsonl_references_may_be_one_or_a_list() -> None:
    assert ["src", "ref"] == list(ours("jsonl", jsonl({"src": "s", "ref": "r"}), ["a.jsonl"]).fields)
    assert ["src", "ref:0", "ref:1"] == list(ours("jsonl", jsonl({"src": "s", "refs": ["r", "q"]}), ["a.jsonl"]).fields)


@pytest.mark.parametrize(
    "content, message",
    [
        (b"", "has no segments"),
        (b"{\n", "line 1: not JSON"),
        (jsonl({"src": "s"}, [1])["a.jsonl"], "line 2 should be an object with the text 'src'"),
        (jsonl({"src": "s", "reference": "r"})["a.jsonl"], "line 1: unknown key 'reference'"),
        (jsonl({"src": "s", "refs": "r"})["a.jsonl"], "'refs' should be an object of texts"),
        (jsonl({"src": "s", "ref": "q", "refs": ["r"]})["a.jsonl"], "line 1: both 'ref' and 'refs' give references"),
        (jsonl({"src": "s", "ref:A": "q", "refs": {"A": "r"}})["a.jsonl"], "line 1: both 'ref:A' and 'refs' give"),
        (jsonl({"src": "s", "refs": {"A": 3}})["a.jsonl"], "refs 'A' should be text, got int"),
        (jsonl({"src": "a\nb"})["a.jsonl"], "src has a line break"),
        (b'{"src": "\\ud800"}\n', "half a surrogate pair"),
        (jsonl({"src": "s", "docid": "d", "systems": {"docid": "x"}})["a.jsonl"], "cannot be called 'docid'"),
    ],
)  # fmt: skip
def test_malformed_jsonl_is_refused_by_line(content: bytes, message: str) -> None:
    with pytest.raises(InvalidTestSet, match=message):
        ours("jsonl", {"a.jsonl": content}, ["a.jsonl"])


# --- lines and names ----------------------------------------------------------------------------


@given(free_text)
def test_squeezing_leaves_no_white_space_but_single_spaces(drawn: str) -> None:
    squeezed = columns.squeeze(drawn)
    assert squeezed == " ".join(drawn.split())
    assert not any(character.isspace() and character != " " for character in squeezed)


@given(st.lists(st.text(min_size=1, max_size=4), unique=True, max_size=8))
def test_file_names_are_distinct_and_stay_in_their_folder(fields: list[str]) -> None:
    names = list(pair_text._file_names(fields, "set.en-de.").values())
    assert len(fields) == len({name.casefold() for name in names})
    for name in names:
        assert Path("folder", name).parent == Path("folder") and "\0" not in name and "/" not in name


@pytest.mark.guard
def test_segments_of_wmts_sgml_are_read_in_linear_time() -> None:
    """800 tags in a line took 20 seconds."""
    assert_linear(lambda line: fake_sgml.segments("x", [line]), lambda size: "<seg " + "<seg>" * size, 20_000)
    assert_linear(lambda line: fake_sgml.segments("x", [line]), lambda size: "<seg " + "</seg>" * size, 20_000)


@given(st.lists(st.sampled_from(["<seg", "</seg>", ">", "<", "a", " "]), max_size=12).map("".join))
def test_tags_are_dropped_as_the_greedy_pattern_does(rest: str) -> None:
    line = f"<seg {rest}"
    assert [" ".join(re.sub("<seg.*?>(.*)</seg>", r"\1", line).split())] == fake_sgml.segments("x", [line])


def xml_of(inside: str, before: str = "") -> bytes:
    return f'{before}<dataset><doc id="d" origlang="en">{inside}</doc></dataset>'.encode()


@pytest.mark.parametrize("encoding", ["klingon", "utf-7", "utf-16", "idna", "punycode", "\u0130"])
def test_an_encoding_that_the_parser_does_not_know_is_refused(encoding: str) -> None:
    with pytest.raises(InvalidTestSet, match="x is not well-formed XML"):
        wmt_xml.parse(xml_of("", f'<?xml version="1.0" encoding="{encoding}"?>'), "x")


def test_attributes_cannot_expand_a_small_file() -> None:
    """0.8 MB became 1.9 GB."""
    declared = f'<!DOCTYPE dataset [<!ATTLIST seg big CDATA "{"A" * 100_000}">]>'
    with pytest.raises(InvalidTestSet, match="or declares attributes, which no test set needs"):
        wmt_xml.parse(xml_of('<seg id="1"/>' * 1000, declared), "x")


@pytest.mark.parametrize("tag", ["doc", "src", "seg", "x"])
def test_elements_nested_deeper_than_test_sets_need_are_refused(tag: str) -> None:
    """5,000 documents inside each other took more than a minute, 5 million tags 1.5 GB."""
    wmt_xml.parse(xml_of(f"<{tag}>" * 40 + f"</{tag}>" * 40), "x")
    with pytest.raises(InvalidTestSet, match="has more than 50 elements inside each other"):
        wmt_xml.parse(xml_of(f"<{tag}>" * 100_000), "x")


@pytest.mark.guard
def test_nested_documents_are_read_in_linear_time() -> None:
    def nested(size: int) -> str:
        segments = "".join(f'<seg id="{number}">a</seg>' for number in range(size))
        texts = f'<src lang="en">{segments}</src><ref lang="de">{segments}</ref>'
        return xml_of('<doc id="e">' * 30 + texts + "</doc>" * 30).decode()

    one = definition("wmt-xml")
    assert_linear(lambda text: wmt_xml.read(one, one.pair("en-de"), lambda name: text.encode()), nested, 500)
