"""NIST's SGM: what real files look like, what is wrong with others, and back again from generated ones."""

import contextlib
import gzip
import html
import re
import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from growth import assert_linear
from truebleu import sgm
from truebleu.errors import FileFormatError, InputFileError, UndecodableText


def texts(stream: sgm.Stream) -> dict[sgm.Key, str]:
    return {key: segment.text for key, segment in stream.items()}


def only(text: str) -> dict[sgm.Key, str]:
    (stream,) = sgm.parse(text, "x.sgm")
    return texts(stream)


def around(body: str, kind: str = "tstset") -> str:
    return f'<{kind} setid="s" srclang="en" trglang="de">\n<doc docid="d" sysid="m">\n{body}\n</doc>\n</{kind}>\n'


def segment(body: str) -> str:
    return only(around(f'<seg id="1">{body}</seg>'))["d", "1"]


LOOSE = """\ufeff<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE mteval SYSTEM "mteval.dtd" [ <!ENTITY own "x"> ]>
<!-- <seg id="9"> not this one </seg> -->
<MTEVAL>
<RefSet SETID = demo srclang='en' TrgLang="de">\r
<DOC sysid=ann DOCID='o"n e' genre=news>
<HL><SEG ID=1>First  of\tall</SEG></HL>
<P>
<seg  id = "2" >
  two
  lines
</seg>
<seg id=3/>
<!-- a comment between -->
<seg id='4'></SEG ></P>
</Doc>
<doc docid=o'neil sysid=ann><seg>no id</seg> stray text <seg>nor here</seg></doc>
</refSET>
</MTEVAL>
"""


def test_loose_markup_is_read() -> None:
    expected = {
        ('o"n e', "1"): "First of all",
        ('o"n e', "2"): "two lines",
        ('o"n e', "3"): "",
        ('o"n e', "4"): "",
        ("o'neil", "1"): "no id",
        ("o'neil", "2"): "nor here",
    }
    (stream,) = sgm.parse(LOOSE, "x.sgm")
    assert expected == texts(stream)
    assert list(expected) == list(stream)
    assert ("refset", "ann", {'o"n e': 4, "o'neil": 2}) == (stream.kind, stream.name, stream.documents)
    assert [7, 9, 13, 15, 17, 17] == [entry.line for entry in stream.values()]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("a &amp; b &lt;c&gt; &quot;d&quot; &apos;e&apos;", "a & b <c> \"d\" 'e'"),
        ("&#65;&#x42;&#X43;&#x1F600;", "ABC\U0001f600"),
        ("caf&eacute; &hellip; &nbsp;", "caf\xe9 \u2026 \xa0"),
        ("S&Q, AT&T; R & D & &; &#; &#x; &unknown; &amp", "S&Q, AT&T; R & D & &; &#; &#x; &unknown; &amp"),
        ("&notit; &copy2;", "&notit; &copy2;"),
        ("&amp;lt; &amp;amp;", "&lt; &amp;"),
        ("&#0; &#xD800; &#1114112; &#99999999; &#1;", "&#0; &#xD800; &#1114112; &#99999999; &#1;"),
        ("&#xFFFD;", "\ufffd"),
        ("it&#146;s", "it\u2019s"),
        ("a&#10;b&#9;c", "a b c"),
        ("1 < 2 > 0, <unk> <b>bold</b> <p> <document> <3", "1 < 2 > 0, <unk> <b>bold</b> <p> <document> <3"),
        ("a <!-- why? --> b", "a b"),
        ("a <!-- b", "a <!-- b"),
        ("<![CDATA[1 < 2 &amp; </seg>]]> &amp;", "1 < 2 &amp; </seg> &"),
        ("\xa0kept\u3000 \u2028", "\xa0kept\u3000 \u2028"),
        ("", ""),
        (" \n \t ", ""),
    ],
)
def test_text_is_what_was_meant(written: str, meant: str) -> None:
    assert meant == segment(written)


def test_a_comment_that_does_not_end_before_its_segment_does_not_swallow_the_next() -> None:
    body = '<seg id="1">a <!-- b</seg><seg id="2">c --> d</seg>'
    assert {("d", "1"): "a <!-- b", ("d", "2"): "c --> d"} == only(around(body))


def test_long_s_is_not_an_s() -> None:
    assert "a </\u017feg> b" == segment("a </\u017feg> b")


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("<refset><doc docid=d sysid=a><seg id=1>x</seg></doc>"
         "<doc docid=d sysid=b><seg id=1>y</seg></doc></refset>", ["a", "b"]),
        ("<refset refid=a><doc docid=d><seg id=1>x</seg></doc></refset>"
         "<refset refid=b><doc docid=d><seg id=1>y</seg></doc></refset>", ["a", "b"]),
        ("<refset><doc docid=d><seg id=1>x</seg></doc></refset>"
         "<refset><doc docid=d><seg id=1>y</seg></doc></refset>", ["", ""]),
        ("<refset><doc docid=d><seg id=1>x</seg></doc><doc docid=d><seg id=1>y</seg></doc></refset>", ["", ""]),
        ("<tstset sysid=a><doc docid=d sysid=a><seg id=1>x</seg></doc></tstset>"
         "<tstset sysid=b><doc docid=d sysid=c><seg id=1>y</seg></doc></tstset>", ["a", "b/c"]),
    ],
)  # fmt: skip
def test_several_translations_in_a_file(content: str, names: list[str]) -> None:
    streams = sgm.parse(content, "x.sgm")
    assert names == [stream.name for stream in streams]
    assert [{("d", "1"): "x"}, {("d", "1"): "y"}] == [texts(stream) for stream in streams]


def test_sources_are_one_stream_whatever_sysid_they_carry() -> None:
    (stream,) = sgm.parse(
        '<srcset><doc docid=d sysid=ref><seg id=1>x</seg></doc><doc docid=e sysid=""><seg id=1>y</seg></doc></srcset>'
    )
    assert ("srcset", "", {("d", "1"): "x", ("e", "1"): "y"}) == (stream.kind, stream.name, texts(stream))


def test_documents_without_ids_are_known_by_their_place() -> None:
    content = (
        "<tstset><doc sysid=a><seg>x</seg></doc><doc sysid=a><seg>y</seg></doc><doc sysid=b><seg>z</seg></doc></tstset>"
    )
    first, second = sgm.parse(content)
    assert {("#1", "1"): "x", ("#2", "1"): "y"} == texts(first)
    assert {("#1", "1"): "z"} == texts(second)


def test_a_document_in_two_pieces_is_one() -> None:
    content = (
        "<tstset><doc docid=d sysid=a><seg id=1>x</seg></doc>\n<doc docid=d sysid=a><seg id=2>y</seg></doc></tstset>"
    )
    assert {("d", "1"): "x", ("d", "2"): "y"} == only(content)


BROKEN = [
    ("<tstset>\n<doc docid=d>\n<seg id=1>a\n<seg id=2>b</seg></doc></tstset>",
     "x.sgm, line 3: <seg id=1> is not closed before line 4; expected </seg>"),
    ("<tstset>\n<doc docid=d>\n<seg id=1>a</doc></tstset>", "x.sgm, line 3: <seg id=1> is not closed before line 3"),
    ("<tstset>\n<doc docid=d>\n<seg id=1>a", "x.sgm, line 3: <seg id=1> is not closed before the end of the file"),
    ("<tstset>\n<doc docid=d>\na</seg></doc></tstset>", "x.sgm, line 3: </seg>, but no segment is open"),
    ("<tstset>\n<seg id=1>a</seg></tstset>", "x.sgm, line 2: <seg> outside any document"),
    ("<doc docid=d><seg id=1>a</seg></doc>", "x.sgm, line 1: <doc> outside any set, expected one of srcset, refset"),
    ("<tstset>\n<doc docid=d>\n<doc docid=e>", "line 3: <doc> inside document 'd' of line 2, which is not closed"),
    ("<tstset>\n<doc docid=d>\n</tstset>", "line 3: </tstset> inside document 'd' of line 2, which is not closed"),
    ("<tstset>\n<doc docid=d>\n", "line 3: document 'd' of line 2 is not closed"),
    ("<tstset>\n\n", "line 3: the tstset of line 1 is not closed"),
    ("<tstset>\n</doc></tstset>", "line 2: </doc>, but no document is open"),
    ("<tstset>\n<refset>", "line 2: <refset> begins inside the tstset of line 1, which is not closed"),
    ("<tstset>\n</refset>", "line 2: </refset>, but the tstset of line 1 is open"),
    ("\n</refset>", "line 2: </refset>, but no set is open"),
    ("just text", "line 1: there is no set in this file, expected one of srcset, refset, tstset"),
    ("", "line 1: there is no set in this file"),
    ('<tstset>\n<doc docid="d>\n</doc></tstset>', "line 2: <doc docid=\"d> has attributes that cannot be read"),
    ("<tstset>\n<doc docid=d>\n<seg id=1>a</seg>\n<seg id=1>b</seg></doc></tstset>",
     "x.sgm, line 4: segment '1' of document 'd' is here a second time (sysid ''); the first is in line 3"),
    ("<tstset>\n<doc docid=d sysid=m>\n<seg id=1>a</seg></doc>\n<doc docid=d sysid=m><seg id=1>b</seg></doc></tstset>",
     "x.sgm, line 4: segment '1' of document 'd' is here a second time (sysid 'm'); the first is in line 3"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "message"), BROKEN)
def test_what_would_lose_a_segment_is_an_error_with_its_line(content: str, message: str) -> None:
    with pytest.raises(FileFormatError, match=re.escape(message)):
        sgm.parse(content, "x.sgm")


def stream_of(path: str, *keys: tuple[str, str]) -> sgm.Stream:
    body = "".join(f"\n<doc docid={d} sysid=m><seg id={s}>{path} {d} {s}</seg></doc>" for d, s in keys)
    return sgm.parse(f"<tstset>{body}</tstset>", path)[0]


GUIDE = stream_of("ref", ("d", "1"), ("d", "2"), ("e", "1"), ("e", "2"), ("f", "1"))


def test_texts_come_in_the_order_of_the_guide() -> None:
    stream = stream_of("out", *reversed(list(GUIDE)))
    assert ["out d 1", "out d 2", "out e 1", "out e 2", "out f 1"] == sgm.texts_in_order(stream, GUIDE)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ([("d", "1"), ("e", "1"), ("e", "2"), ("f", "1")],
         "out (sysid 'm'): segment '2' of document 'd' is missing; ref has it in line 3"),
        ([("d", "1"), ("d", "2"), ("f", "1")],
         "out (sysid 'm'): document 'e' (2 segments) is missing; ref has it in line 4; 2 segments are missing in all"),
        ([*GUIDE, ("d", "3")], "ref (sysid 'm'): segment '3' of document 'd' is missing; out has it in line 7"),
        ([("x", "1")], "have no segment in common: one begins with segment '1' of document 'x', the other with"),
    ],
)  # fmt: skip
def test_streams_that_do_not_match_are_refused_by_document_and_segment(keys: list[sgm.Key], message: str) -> None:
    with pytest.raises(FileFormatError, match=re.escape(message)):
        sgm.texts_in_order(stream_of("out", *keys), GUIDE)


def test_a_set_without_segments_matches_nothing() -> None:
    (empty,) = sgm.parse("<tstset>\n<doc docid=d></doc></tstset>", "out")
    with pytest.raises(FileFormatError, match="out: the tstset of line 2 has no segments"):
        sgm.texts_in_order(empty, GUIDE)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('  \n<refset setid="x">', True),
        ("<SRCSET>", True),
        ('<?xml version="1.0"?>\n<!DOCTYPE mteval>\n<!-- c --><mteval>', True),
        ("<unk> is a token", False),
        ("<refsets of all kinds", False),
        ("the <refset> tag", False),
        ("", False),
    ],
)
def test_sgm_is_known_by_its_beginning(text: str, expected: bool) -> None:
    assert expected is sgm.is_sgm(text)


def test_files_may_have_a_byte_order_mark_or_be_compressed(tmp_path: Path) -> None:
    content = around("<seg id=1>\xe9</seg>")
    for name, data in (
        ("plain", content.encode()),
        ("bom", content.encode("utf-8-sig")),
        ("gzip", gzip.compress(content.encode("utf-8-sig"))),
    ):
        (tmp_path / name).write_bytes(data)
        assert "\xe9" == sgm.read(tmp_path / name)[0]["d", "1"].text
    (tmp_path / "latin").write_bytes(content.encode("latin-1"))
    assert "\xe9" == sgm.read(tmp_path / "latin", encoding="latin-1")[0]["d", "1"].text
    (tmp_path / "wide").write_bytes(content.encode("utf-16"))
    assert "\xe9" == sgm.read(tmp_path / "wide", encoding="utf-16")[0]["d", "1"].text


def test_undecodable_bytes_are_reported_with_the_line(tmp_path: Path) -> None:
    path = tmp_path / "x.sgm"
    path.write_bytes(b"ab\ncd\xe9\n")
    message = "x.sgm, line 2: byte 3 of the line is 0xe9, which is not utf-8 (invalid continuation byte)"
    with pytest.raises(UndecodableText, match=re.escape(message)):
        sgm.read(path)
    path.write_bytes("ab".encode("utf-16"))
    with pytest.raises(UndecodableText, match="begins with the byte order mark of UTF-16"):
        sgm.read(path)
    path.write_bytes(gzip.compress(b"abc")[:-5])
    with pytest.raises(InputFileError, match="cannot be decompressed, is it damaged or cut off"):
        sgm.read(path)


# --- back again -------------------------------------------------------------------------------

anything = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
words = st.sampled_from([
    "a", "&", "&amp;", "&#65;", "<", ">", '"', "'", "<p>", "<seg>", "</seg>", "</doc>", "<!--", "-->", "]]>", "\xa0",
    "\u2028", "\x85", " ", "\n", "=", "/",
])  # fmt: skip
structure = st.sampled_from(["<tstset>", "</tstset>", "<doc docid=d>", "<seg id=1>", "<doc x='", "<![CDATA["])
segments = st.one_of(anything, st.lists(words, max_size=8).map("".join))
ids = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1, max_size=6).filter(
    lambda text: text.strip(" ")
)


def as_read(text: str) -> str:
    return re.sub("[ \t\n\r\f\v]+", " ", text).strip(" ")


@st.composite
def written(draw: st.DrawFn, text: str) -> str:
    """The text in markup, escaped in one of the ways there are."""
    named = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;"}
    ways = [named, {c: f"&#{ord(c)};" for c in named}, {c: f"&#x{ord(c):X};" for c in named}]
    way = draw(st.sampled_from(ways))
    return "".join(way.get(character, character) for character in text)


@st.composite
def tags(draw: st.DrawFn, name: str, attributes: dict[str, str]) -> str:
    parts = [draw(st.sampled_from([name, name.upper(), name.title()]))]
    for key, value in draw(st.permutations(list(attributes.items()))):
        quote = draw(st.sampled_from("'\""))
        bare = re.fullmatch("[A-Za-z0-9._-]+", value) and draw(st.booleans())
        key = draw(st.sampled_from([key, key.upper()]))
        parts.append(f"{key}={value}" if bare else f"{key} = {quote}{draw(written(value))}{quote}")
    return f"<{draw(st.sampled_from([' ', chr(10), chr(9)])).join(parts)}>"


between = st.sampled_from(["", "\n", "\r\n", " ", "<p>", "</P>", "<hl>\n", "<!-- <doc> -->", "&", "stray", "<?pi?>"])
Content = dict[str, dict[str, dict[str, str]]]
contents: st.SearchStrategy[Content] = st.dictionaries(
    ids.map(as_read),
    st.dictionaries(ids.map(as_read), st.dictionaries(ids.map(as_read), segments, min_size=1, max_size=3), max_size=3),
    min_size=1,
    max_size=3,
)


@given(contents, st.data())
def test_generated_files_come_back(content: Content, data: st.DataObject) -> None:
    pieces = [data.draw(tags("refset", {"setid": "s", "srclang": "any"}))]
    for sysid, documents in content.items():
        for docid, body in documents.items():
            pieces += [data.draw(between), data.draw(tags("doc", {"docid": docid, "sysid": sysid, "genre": "x"}))]
            for segid, text in body.items():
                pieces += [
                    data.draw(between),
                    data.draw(tags("seg", {"id": segid})),
                    data.draw(written(text)),
                    "</Seg>",
                ]
            pieces += [data.draw(between), "</DOC>"]
    pieces.append("</refset >")
    expected = {
        sysid: {(docid, segid): as_read(text) for docid, body in documents.items() for segid, text in body.items()}
        for sysid, documents in content.items()
        if documents
    }
    assert expected == {stream.name: texts(stream) for stream in sgm.parse("".join(pieces))}


@given(st.lists(st.one_of(words, structure), max_size=14).map("".join))
def test_any_markup_is_read_or_refused_with_a_line(text: str) -> None:
    try:
        streams = sgm.parse(text, "x.sgm")
    except FileFormatError as error:
        assert re.match(r"x\.sgm, line \d+: ", str(error))
    else:
        assert text.lower().count("</seg>") >= sum(map(len, streams))


def test_real_talks_with_their_headers_have_the_text_between_their_tags(data: Path) -> None:
    archives = sorted((data / "mirror" / "urls").glob("*/hlt-mt/**/*.tgz"))
    if not archives:
        pytest.skip("the folder of real texts has no mirror")
    for archive in archives:
        with tarfile.open(archive) as members:
            for member in members:
                if member.name.endswith(".xml") and (file := members.extractfile(member)):
                    content = file.read().decode()
                    expected = re.findall(r"<seg[^>]*>(.*?)</seg>", content, re.S)
                    assert sgm.is_sgm(content)
                    assert [as_read(html.unescape(text)) for text in expected] == list(only(content).values())
                    assert len(expected) > 1000


def test_real_files_have_the_text_of_their_lines(data: Path) -> None:
    files = sorted((data / "mirror").glob("*/*/*/*.sgm.gz")) + sorted((data / "mirror").glob("rebuilt/wmt19/sgm/*.gz"))
    if not files:
        pytest.skip("the folder of real texts has no mirror")
    for path in dict.fromkeys(files):
        lines = gzip.decompress(path.read_bytes()).decode().split("\n")
        expected = [
            html.unescape(match[1]) if re.search("&[a-z]+;", match[1]) else match[1]
            for line in lines
            if (match := re.search("<seg[^>]*>(.*)</seg>", line))
        ]
        (stream,) = sgm.read(path)
        assert [" ".join(re.split(" +", text.strip())) for text in expected] == list(texts(stream).values())
        assert len(expected) in (1997, 3000, 3002)


# --- time ---------------------------------------------------------------------------------------


def parsed_or_refused(text: str) -> None:
    with contextlib.suppress(FileFormatError):
        sgm.parse(text)


@pytest.mark.guard
@pytest.mark.parametrize("markup", ["<!-- a -->\n", "<?a>", "<!a[]>", "<!--", "<?", "<!a[", "<!"])
def test_telling_sgm_from_lines_is_linear(markup: str) -> None:
    """28 comments took more than a minute, and each more twice as long."""
    assert_linear(sgm.is_sgm, lambda size: markup * size + "text", 5_000)


@pytest.mark.guard
@pytest.mark.parametrize(
    "markup",
    [
        "<!--", "<?", "<![CDATA[", "<!a[", "<!a[]", "<!a", "<doc ", "<doc '", "<doc a='", "</seg", "<seg>",
        "<!-- </seg -->", "<!--</seg", "]]>", "-->", "&a", "&#",
    ],
)  # fmt: skip
@pytest.mark.parametrize("around", ["<refset>{}", "<refset><doc><seg>{}", "<refset><doc><seg>{}</seg></doc></refset>"])
def test_markup_that_does_not_end_is_read_in_linear_time(markup: str, around: str) -> None:
    """80 kB of it took 20 seconds and more."""
    assert_linear(parsed_or_refused, lambda size: around.format(markup * size), 3_000)


@pytest.mark.guard
@pytest.mark.parametrize("attributes", ["a", "a ", "a=", "a='", "a=\"b' ", "='", "a=b", " = "])
def test_attributes_are_read_in_linear_time(attributes: str) -> None:
    """A name of 20,000 letters was tried from each of them."""
    assert_linear(parsed_or_refused, lambda size: f"<refset><doc {attributes * size}>", 10_000)


def test_a_comment_ends_where_it_first_can() -> None:
    """So what follows is no part of it, though a longer comment would make the text look like SGM."""
    assert sgm.is_sgm("<!-- a --> <!-- b --> <refset>")
    assert not sgm.is_sgm("<!-- a --> text --> <refset>")


def test_a_message_repeats_attributes_in_short() -> None:
    with pytest.raises(FileFormatError) as caught:
        sgm.parse(f"<refset><doc a={'b' * 100_000}'>" + "<doc a=\x1b'>")
    assert len(str(caught.value)) < 1000
