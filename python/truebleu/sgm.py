"""NIST's SGM: the format of sources, references and system outputs in shared tasks.

A file holds sets (`srcset`, `refset`, `tstset`) of documents (`doc`) of segments (`seg`); other tags, such as `hl` and
`p`, only wrap them. Real files are SGML of a loose kind: names in capitals, attributes without quotes, ampersands and
angle brackets as they are. All of this is read; anything that would lose or misplace a segment is an error with file
and line.

>>> streams = parse('''<REFSET setid=demo srclang=en trglang=de>
... <DOC docid="d1" sysid="ann"> <hl> <seg id=1> Wind &amp; Wetter </seg> </hl> </DOC>
... <DOC docid="d1" sysid="bob"> <hl> <seg id=1> Wetter & Wind </seg> </hl> </DOC>
... </REFSET>''', "demo.sgm")
>>> [(stream.kind, stream.name, stream[("d1", "1")].text) for stream in streams]
[('refset', 'ann', 'Wind & Wetter'), ('refset', 'bob', 'Wetter & Wind')]
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections import Counter
from typing import NamedTuple

from truebleu._counts import number_of
from truebleu._inputs import check_instance, check_path, check_text
from truebleu._shown import shown
from truebleu._textio import read_text
from truebleu.errors import FileFormatError

KINDS = ("srcset", "refset", "tstset")

Key = tuple[str, str]
"""Document id and segment id."""


class Segment(NamedTuple):
    """The text of a segment, with entities decoded and on one line, and the line of its tag."""

    text: str
    line: int


class Stream(dict[Key, Segment]):
    """One translation of a whole set, or its source: segments by document and segment id, in the order of the file.

    Parameters
    ----------
    path
        The file, for messages.
    kind
        `srcset`, `refset` or `tstset`.
    name
        The system or the translator; empty if the file does not tell.
    line
        The line where it begins.
    """

    def __init__(self, path: str, kind: str, name: str, line: int) -> None:
        self.path = path
        self.kind = kind
        self.name = name
        self.line = line

    def __repr__(self) -> str:
        return f"Stream({self.path}, {self.kind} {self.name!r}, {number_of(len(self), 'segment')})"

    @property
    def documents(self) -> dict[str, int]:
        """The ids of the documents, in order, with the number of their segments."""
        return dict(Counter(docid for docid, _ in self))


def is_sgm(text: str) -> bool:
    """Tell whether a text looks like SGM, or XML of the same tags, and not like one segment per line.

    >>> is_sgm('<?xml version="1.0"?><mteval>'), is_sgm("<unk> said nothing")
    (True, False)

    Parameters
    ----------
    text
        The content of a file.
    """
    markup = _Markup(check_text("text", text, "what a file holds"))
    end: int | None = int(text.startswith("\ufeff"))
    while end is not None:
        root = _ROOT.match(text, end)
        end = markup.end(root.start(1), in_segment=False) if root else None
    return root is not None and root[2] is not None


def parse(text: str, path: str | os.PathLike[str] = "<text>") -> list[Stream]:
    """Find the streams in the text of an SGM file, in the order in which they begin.

    Parameters
    ----------
    text
        The content of the file.
    path
        How messages name the file.
    """
    return _TagWalk(check_text("text", text, "what an SGM file holds"), check_path("path", path)).streams()


def read(path: str | os.PathLike[str], encoding: str = "utf-8") -> list[Stream]:
    """Read the streams of an SGM file, which may be compressed.

    Parameters
    ----------
    path
        The file.
    encoding
        How its text is encoded.
    """
    check_text("encoding", encoding, "the name of an encoding")
    return parse(read_text(check_path("path", path), encoding), path)


def texts_in_order(stream: Stream, guide: Stream) -> list[str]:
    """Put the texts of a stream into the order of another; an error unless both have the same segments.

    Parameters
    ----------
    stream
        The stream whose texts are returned.
    guide
        The stream whose order they get.
    """
    for what, side in (("stream", stream), ("guide", guide)):
        check_instance("texts_in_order", what, side, Stream, "what parse() returns")
    if stream.keys() == guide.keys():
        return [stream[key].text for key in guide]
    for side in (stream, guide):
        if not side:
            raise FileFormatError(f"{_named(side)}: the {side.kind} of line {side.line} has no segments")
    if not stream.keys() & guide.keys():
        there, here = (_named_key(next(iter(side))) for side in (stream, guide))
        raise FileFormatError(
            f"{_named(stream)} and {_named(guide)} have no segment in common: one begins with {there}, the other with "
            f"{here}. Are they of the same test set? If only the ids differ, align them by position (--by-position)"
        )
    missing, extra = ([key for key in a if key not in b] for a, b in ((guide, stream), (stream, guide)))
    if missing:
        raise FileFormatError(_difference(missing, guide, stream))
    raise FileFormatError(_difference(extra, stream, guide))


def _difference(keys: list[Key], has: Stream, lacks: Stream) -> str:
    docid, segid = keys[0]
    what = _named_key(keys[0])
    if docid not in lacks.documents:
        what = f"document {docid!r} ({number_of(has.documents[docid], 'segment')})"
    more = f"; {len(keys)} segments are missing in all" if len(keys) > 1 else ""
    return f"{_named(lacks)}: {what} is missing; {has.path} has it in line {has[docid, segid].line}{more}"


def _named(stream: Stream) -> str:
    return f"{stream.path} (sysid {stream.name!r})" if stream.name else stream.path


def _named_key(key: Key) -> str:
    docid, segid = key
    return f"segment {segid!r} of document {docid!r}"


# --- markup -----------------------------------------------------------------------------------

# Every pattern reads a text once, whatever the text is: what could be given back is never taken back ("++", "*+"), and
# where a pattern has no end in sight, `_Ahead` remembers it. A file of comments that do not close must not take hours.

# Values may lack quotes. A tag whose quotes do not close is matched by the second alternative, and refused by
# `_attributes` with its line.
_INSIDE = r"""((?:[^<>"']++|"[^"<]*+"|'[^'<]*+')*+|[^<>]*+)>"""
_STRUCTURE = "srcset|refset|tstset|doc|seg"
_NAMES = rf"({_STRUCTURE}|mteval)(?=[\s/>])"

# ASCII: otherwise "ſ" would be a lower-case "S".
_FLAGS = re.S | re.I | re.A
_ROOT = re.compile(r"\s*+(<(srcset|refset|tstset|mteval)[\s>]|<)", _FLAGS)
_TAG = re.compile(rf"<(/?){_NAMES}{_INSIDE}", _FLAGS)
_TAG_OR_MARKUP = re.compile(rf"<(?:[!?]|/?{_NAMES})", _FLAGS)
_COMMENT, _CDATA = "<!--", "<![CDATA["
_DECLARATION = re.compile(r"<!(?!--|\[)[^<>\[]*+([>\[])", _FLAGS)
# A name begins where the one before has ended, so that a long name is not tried from each of its letters.
_ATTRIBUTE = re.compile(r"""(?<![^\s=<>"'/])([^\s=<>"'/]++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'<>][^\s<>]*+))""")
_ENTITY = re.compile(r"&(#[0-9]{1,8}|#[xX][0-9a-fA-F]{1,7}|[A-Za-z][A-Za-z0-9]*);")
# Not Python's \s: a no-break space is text.
_SPACES = re.compile(r"[ \t\n\r\f\v]+")


class _Ahead:
    """Finds where a pattern ends next from a position on. Positions grow, so the text is read once."""

    def __init__(self, pattern: str, text: str) -> None:
        self._pattern, self._text = re.compile(pattern, _FLAGS), text
        self._start = self._end = -1

    def __call__(self, position: int) -> int | None:
        if position > self._start:
            found = self._pattern.search(self._text, position)
            self._start, self._end = found.span() if found else (len(self._text), -1)
        return self._end if self._end >= 0 else None


class _Markup:
    """Comments, declarations, processing instructions and CDATA sections of a text: where they end."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._comment, self._cdata = _Ahead("-->", text), _Ahead(r"\]\]>", text)
        self._angle, self._subset, self._segment = (
            _Ahead(">", text), _Ahead(r"\]\s*+>", text), _Ahead("</seg", text),
        )  # fmt: skip

    def end(self, at: int, *, in_segment: bool) -> int | None:
        """Where the markup that begins at a position ends, or None if none begins there."""
        text = self._text
        if text.startswith(_COMMENT, at):
            end = self._comment(at + len(_COMMENT))
            closing = self._segment(at + len(_COMMENT)) if in_segment and end else None
            # Text may speak of comments: one that does not end before the segment does is not one.
            return None if end and closing and closing < end else end
        if in_segment:
            is_cdata = text[at : at + len(_CDATA)].upper() == _CDATA
            return self._cdata(at + len(_CDATA)) if is_cdata else None
        if text.startswith("<?", at):
            return self._angle(at + 2)
        found = _DECLARATION.match(text, at)
        return None if found is None else found.end() if found[1] == ">" else self._subset(found.end())


class _Tag(NamedTuple):
    name: str
    closes: bool
    attributes: str
    start: int
    end: int


class _Set(NamedTuple):
    kind: str
    name: str
    number: int
    line: int


class _OpenDocument(NamedTuple):
    docid: str
    stream: Stream
    line: int


class _TagWalk:
    """Walks through the tags once; `_set` and `_document` are what is open."""

    def __init__(self, text: str, path: str) -> None:
        self._text = text
        self._path = path
        self._markup = _Markup(text)
        self._newlines = [match.start() for match in re.finditer("\n", text)]
        self._streams: dict[tuple[str, str, int, int], Stream] = {}
        self._set: _Set | None = None
        self._sets = 0
        self._document: _OpenDocument | None = None
        self._segments = 0
        # Within a set: how often each document has come, and how many documents each system has.
        self._occurrences: Counter[str] = Counter()
        self._documents: Counter[str] = Counter()

    def streams(self) -> list[Stream]:
        """Everything in the file."""
        position = 0
        while (tag := self._next_tag(position, in_segment=False)) is not None:
            position = self._step(tag)
        self._expect_all_closed()
        return list(self._streams.values())

    def _next_tag(self, position: int, *, in_segment: bool) -> _Tag | None:
        while (found := _TAG_OR_MARKUP.search(self._text, position)) is not None:
            at = found.start()
            tag = _TAG.match(self._text, at) if found[1] else None
            if tag is not None:
                return _Tag(tag[2].lower(), tag[1] == "/", tag[3], *tag.span())
            end = None if found[1] else self._markup.end(at, in_segment=in_segment)
            position = at + 1 if end is None else end
        return None

    def _step(self, tag: _Tag) -> int:
        """Handle a tag; where to go on."""
        if tag.name == "seg":
            return self._read_segment(tag)
        if tag.name == "doc":
            self._close_document(tag) if tag.closes else self._open_document(tag)
        elif tag.name in KINDS:
            self._close_set(tag) if tag.closes else self._open_set(tag)
        return tag.end

    def _open_set(self, tag: _Tag) -> None:
        self._expect_no_document(tag)
        if self._set is not None:
            raise self._error(
                tag.start,
                f"<{tag.name}> begins inside the {self._set.kind} of line {self._set.line}, which is not closed",
            )
        attributes = self._attributes(tag)
        name = attributes.get("refid") or attributes.get("sysid") or ""
        self._sets += 1
        self._set = _Set(tag.name, name, self._sets, self._line(tag.start))
        self._occurrences.clear()
        self._documents.clear()

    def _close_set(self, tag: _Tag) -> None:
        self._expect_no_document(tag)
        if self._set is None or self._set.kind != tag.name:
            what = "no set" if self._set is None else f"the {self._set.kind} of line {self._set.line}"
            raise self._error(tag.start, f"</{tag.name}>, but {what} is open")
        self._set = None

    def _open_document(self, tag: _Tag) -> None:
        self._expect_no_document(tag)
        if self._set is None:
            raise self._error(tag.start, f"<doc> outside any set, expected one of {', '.join(KINDS)} around it")
        attributes = self._attributes(tag)
        name = self._name_of_system(self._set, attributes.get("sysid", ""))
        self._documents[name] += 1
        # Without an id, its place among the documents of the same system is the id.
        docid = attributes.get("docid") or attributes.get("id") or f"#{self._documents[name]}"
        self._occurrences[docid] += 1
        line = self._line(tag.start)
        self._document = _OpenDocument(docid, self._stream(self._set, name, docid, line), line)
        self._segments = 0

    @staticmethod
    def _name_of_system(around: _Set, sysid: str) -> str:
        # Sources often carry the sysid of a reference, which means nothing there.
        if around.kind == "srcset":
            return ""
        names = dict.fromkeys(name for name in (around.name, sysid) if name)
        return "/".join(names)

    def _stream(self, around: _Set, name: str, docid: str, line: int) -> Stream:
        """The stream a document belongs to.

        Where no sysid names one, each set is a translation of its own, and a document that comes
        a second time belongs to the next translation.
        """
        key = (around.kind, name, 0, 0)
        if not name and around.kind != "srcset":
            key = (around.kind, name, around.number, self._occurrences[docid])
        if key not in self._streams:
            self._streams[key] = Stream(self._path, around.kind, name, line)
        return self._streams[key]

    def _close_document(self, tag: _Tag) -> None:
        if self._document is None:
            raise self._error(tag.start, "</doc>, but no document is open")
        self._document = None

    def _read_segment(self, tag: _Tag) -> int:
        if tag.closes:
            raise self._error(tag.start, "</seg>, but no segment is open")
        if self._document is None:
            raise self._error(tag.start, "<seg> outside any document, expected <doc> around it")
        self._segments += 1
        body, end = "", tag.end
        if tag.attributes.endswith("/"):
            tag = tag._replace(attributes=tag.attributes[:-1])
        else:
            body, end = self._body(tag)
        segid = self._attributes(tag).get("id") or str(self._segments)
        docid, stream, _ = self._document
        if (docid, segid) in stream:
            raise self._error(
                tag.start,
                f"segment {segid!r} of document {docid!r} is here a second time "
                f"(sysid {stream.name!r}); the first is in line {stream[docid, segid].line}",
            )
        stream[docid, segid] = Segment(_plain(body), self._line(tag.start))
        return end

    def _body(self, tag: _Tag) -> tuple[str, int]:
        """What stands between a segment's tags, and where its end tag ends."""
        following = self._next_tag(tag.end, in_segment=True)
        if following is None or following.name != "seg" or not following.closes:
            what = "the end of the file" if following is None else f"line {self._line(following.start)}"
            raise self._error(tag.start, f"<seg{shown(tag.attributes)}> is not closed before {what}; expected </seg>")
        return self._text[tag.end : following.start], following.end

    def _attributes(self, tag: _Tag) -> dict[str, str]:
        """The attributes of a tag by name in lower case, their entities decoded."""
        rest = _ATTRIBUTE.sub(" ", tag.attributes)
        if re.search("[=\"']", rest):
            raise self._error(
                tag.start,
                f"<{tag.name}{shown(tag.attributes)}> has attributes that cannot be read; is a quote missing?",
            )
        found: dict[str, str] = {}
        for name, *values in _ATTRIBUTE.findall(tag.attributes):
            found.setdefault(name.lower(), _plain("".join(values)))
        return found

    def _expect_no_document(self, tag: _Tag) -> None:
        if self._document is not None:
            docid, _, line = self._document
            raise self._error(
                tag.start,
                f"<{'/' * tag.closes}{tag.name}> inside document {docid!r} of line {line}, which is not closed",
            )

    def _expect_all_closed(self) -> None:
        if self._document is not None:
            raise self._error(
                len(self._text), f"document {self._document.docid!r} of line {self._document.line} is not closed"
            )
        if self._set is not None:
            raise self._error(len(self._text), f"the {self._set.kind} of line {self._set.line} is not closed")
        if not self._sets:
            raise self._error(0, f"there is no set in this file, expected one of {', '.join(KINDS)}")

    def _line(self, offset: int) -> int:
        return bisect_left(self._newlines, offset) + 1

    def _error(self, offset: int, message: str) -> FileFormatError:
        return FileFormatError(f"{self._path}, line {self._line(offset)}: {message}")


def _plain(body: str) -> str:
    """Text as it is meant: without comments, entities decoded, on one line."""
    body = _without_markup(body) if "<!" in body else _decoded(body)
    return _SPACES.sub(" ", body).strip(" ")


def _without_markup(body: str) -> str:
    pieces, position, markup = [], 0, _Markup(body)
    for found in re.finditer("<!", body):
        at = found.start()
        end = markup.end(at, in_segment=True) if at >= position else None
        if end is not None:
            pieces.append(_decoded(body[position:at]))
            if not body.startswith(_COMMENT, at):
                pieces.append(body[at + len(_CDATA) : end - len("]]>")])
            position = end
    return "".join([*pieces, _decoded(body[position:])])


def _decoded(text: str) -> str:
    return _ENTITY.sub(_entity, text) if "&" in text else text


def _entity(match: re.Match[str]) -> str:
    """The character that an entity stands for; the entity itself if there is no such character."""
    import html
    from html.entities import html5

    if match[1][0] != "#":
        return html5.get(match[1] + ";", match[0])
    # As browsers do, &#146; is read as the apostrophe of Windows and not as a control character.
    character = html.unescape(match[0])
    known = character and (character != "\ufffd" or re.fullmatch("#0*65533|#x0*fffd", match[1], re.I))
    return character if known else match[0]
