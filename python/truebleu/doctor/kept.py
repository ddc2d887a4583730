"""Parts of a text that a translation keeps: placeholders, markup, addresses and emoji.

`units_of` finds them, from left to right and without overlap, in the order of `_FAMILIES`.
Every pattern is linear in the length of the text: a run of characters is entered only at its beginning, and none of
its repetitions can be divided in two ways.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from truebleu import _core
from truebleu._options import thread_count

if TYPE_CHECKING:
    from numpy.typing import NDArray

PLACEHOLDER, MARKUP, ADDRESS, EMOJI = "placeholder", "markup", "address", "emoji"

# What a text can have, as the core says (crates/core/src/features/kept.rs): a bit for each of these four kinds, and for
# numbers that are checked, and for several versions of a translation.
HAS_UNITS, HAS_NUMBER, HAS_VERSIONS = 15, 16, 32


class KeptUnit(NamedTuple):
    """A part of a text: its kind, its family, the form in which it is compared, and its place."""

    kind: str
    family: str
    key: str
    start: int
    end: int


def units_of(text: str) -> list[KeptUnit]:
    """Find the units of a text, sorted by their places.

    >>> [(one.family, one.key) for one in units_of("Hi {{ name }}, see <b>%1$s</b> at www.x.org, #PRS_ORG#")]
    ... # doctest: +NORMALIZE_WHITESPACE
    [('mustache', '{{name}}'), ('tag', '<b>'), ('printf', '%1$s'), ('tag', '</b>'), ('url', 'www.x.org'),
     ('mask', '#PRS_ORG#')]
    """
    return units_in(text, int(kinds_of([text], 1)[0, 0]))


def kinds_of(texts: Sequence[str], threads: int | None) -> NDArray[np.int32]:
    """Tell what each text can have, and what its numbers look like: three columns."""
    return np.frombuffer(_core.kinds(list(texts), thread_count(threads)), np.int32).reshape(-1, 3)


def units_in(text: str, kinds: int) -> list[KeptUnit]:
    """Find the units of a text that can have some kinds."""
    found: list[KeptUnit] = []
    for at, (kind, pattern, key) in enumerate(_FAMILIES):
        if not kinds >> at & 1:
            continue
        fresh = []
        for match in pattern.finditer(text):
            family = match.lastgroup or kind
            inside = re.sub("\x1a+", "…", match[family] if match.lastgroup else match[0])  # of units found before
            if written := key(inside, family):
                fresh.append(KeptUnit(kind, family, written, *match.span(match.lastgroup or 0)))
        if any(one.family == "icu" for one in fresh):
            cases = _case_openings(text)
            fresh = [one for one in fresh if one.start not in cases]
        if fresh:
            found += fresh
            text = blanked(text, fresh)
    return sorted(found, key=lambda one: one.start)


def blanked(text: str, units: list[KeptUnit]) -> str:
    """Put a blank mark in place of each character of some units, so that the places of others stay."""
    parts, last = [], 0
    for one in units:
        parts += [text[last : one.start], "\x1a" * (one.end - one.start)]
        last = one.end
    return "".join((*parts, text[last:]))


def _case_openings(text: str) -> set[int]:
    """The places of braces that open a case of a message, whose text is no argument: "one {a}"."""
    found: set[int] = set()
    has_cases: list[bool] = []  # of each open brace
    at, end = 0, len(text)
    while at < end:
        mark = text[at]
        if mark == "'" and text[at + 1 : at + 2] in ("{", "}") and (closing := text.find("'", at + 2)) > 0:
            at = closing
        elif mark == "{":
            if has_cases and has_cases[-1]:
                found.add(at)
                has_cases.append(False)
            else:
                has_cases.append(_CASES_FOLLOW.match(text, at) is not None)
        elif mark == "}" and has_cases:
            has_cases.pop()
        at += 1
    return found


def compact(text: str) -> str:
    """Fold a unit so that damaged forms of it are equal: NFKC, no case, no white space."""
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text)
    return "".join(plain.casefold().split())


def places_of_damaged(text: str, key: str) -> list[tuple[int, int]]:
    """Find the places where a text has a unit in a damaged form: with other spaces, in another case or width.

    >>> text = "#PRS_ORG # and ％S, 5 % sicher"
    >>> [text[start:end] for key in ("#PRS_ORG#", "%s") for start, end in places_of_damaged(text, key)]
    ['#PRS_ORG #', '％S']
    """
    folded, places = _compacted(text)
    wanted, found, at = compact(key), list[tuple[int, int]](), 0
    while wanted and (at := folded.find(wanted, at)) >= 0:
        start, end = places[at], places[at + len(wanted) - 1] + 1
        at += len(wanted)
        joins = (text[start - 1 : start] + text[start], text[end - 1] + text[end : end + 1])
        if text[start:end] != key and not any(len(pair) == 2 and pair.isalnum() for pair in joins):
            found.append((start, end))
    return found


@lru_cache(maxsize=1)
def _compacted(text: str) -> tuple[str, list[int]]:
    """A text as units are folded, and where each of its characters is in the text."""
    found = [(one, at) for at, character in enumerate(text) for one in compact(character)]
    return "".join(one for one, _ in found), [at for _, at in found]


_CASES_FOLLOW = re.compile(r"\{\s{0,3}\w{1,60}\s{0,3},\s{0,3}(?:plural|selectordinal|select)\s{0,3},")
_CONVERSION = r"(?:hh|h|ll|l|L|z|j|t|q)?[diouxXeEfFgGcsaAp@](?![A-Za-z0-9]|['’][^\W\d_])"
_FIELD = r"[A-Za-z0-9_][\w.\[\]-]*+(?:![rsa])?(?::[^\s{}:,]{1,20})?"

# Which of these comes first matters: the longest form of each beginning.
_OF_PLACEHOLDERS = (
    ("mustache", r"\{\{\{[^{}]{0,200}\}\}\}|\{\{[^{}]{0,200}\}\}|\{%[^{}%]{0,200}%\}"),
    ("shell", r"\$\{[^{}\s]{1,100}\}"),
    ("ruby", r"%\{[^{}\s]{1,100}\}|%<\w{1,60}>[-+0#.\d]{0,12}[a-zA-Z]"),
    ("python", r"%\(\w[^()\n]{0,60}\)[-+#0]{0,4}\d{0,6}(?:\.\d{1,6})?[diouxXeEfFgGcrsa](?![A-Za-z])"),
    ("icu", r"\{\s{0,3}\w{1,60}\s{0,3},\s{0,3}(?:plural|selectordinal|select|number|date|time)(?=\s{0,3}[,}])"),
    ("braces", rf"(?<![\w$%{{])\{{(?:{_FIELD})?\}}(?!\}})"),
    ("mask", r"#[A-Z][A-Z0-9_]{1,40}#|__[A-Z][A-Z0-9]{0,30}(?:_[A-Z0-9]{1,30}){0,6}__|%[A-Z][A-Z0-9_]{1,40}%|"
             r"\[\[[^\[\]\n]{1,60}\]\]|@@[A-Za-z]\w{0,40}@@|"
             r"<(?!(?:BR|HR|LI|UL|OL|TD|TR|TH|EM|DIV|SPAN|STRONG|TABLE|SUP|SUB|IMG|PRE|CODE|FONT|HTML|BODY|H)\b)"
             r"[A-Z][A-Z0-9_]{1,40}>"),
    ("printf", r"(?<![\w%])%(?:\d{1,2}\$)?[-#0+']{0,4}(?:\d{1,6}|\*)?(?:\.(?:\d{1,6}|\*))?" + _CONVERSION),
    ("qt", r"(?<![\w%])(?<!\d )%(?:L?[1-9]\d?(?![\d%$])|n(?![A-Za-z0-9]))"),
    ("dollars", r"(?<![\w$])\$[A-Za-z_]\w{0,40}\$(?!\w)"),
)  # fmt: skip
FAMILIES = tuple(name for name, _ in _OF_PLACEHOLDERS)
_PLACEHOLDERS = "|".join(f"(?P<{name}>{pattern})" for name, pattern in _OF_PLACEHOLDERS)

_TAGS = (
    r"(?P<tag></?[A-Za-z][\w:.-]*+(?:\s[^<>]*+|/)?>)|(?P<image>!\[[^\[\]\n]{0,200}\]\([^()\s]{1,500}\))|"
    r"(?P<link>(?<!!)\[[^\[\]\n]{1,200}\]\([^()\s]{1,500}\))|(?P<code>(?<!`)`[^`\n]{1,200}`(?!`))"
)

_ENDINGS = (
    "txt|json|py|js|ts|html?|xml|ya?ml|csv|tsv|pdf|docx?|xlsx?|pptx?|png|jpe?g|gif|svg|zip|exe|dll|cfg|ini|log|sql|css"
)
_ADDRESSES = "|".join(
    (
        r"(?P<url>(?:(?<![A-Za-z])(?:https?|ftp)://|(?<![\w.])www\.)[^\s<>\"'“”«»\x1a\u3000-\u303f\uff00-\uffef]++)",
        r"(?P<email>(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]++@[A-Za-z0-9-]++(?:\.[A-Za-z0-9-]++)++)",
        rf"(?P<path>(?<![\w./\\~:-])(?:[A-Za-z]:\\|~/|\.{{1,2}}/|/)(?:[\w.-]++[/\\])++[\w.-]*+|"
        rf"(?<![\w./\\-])[A-Za-z0-9_-]{{1,60}}(?:\.[A-Za-z0-9_-]{{1,30}}){{0,3}}\.(?:{_ENDINGS})(?![\w.]*\w))",
        r"(?P<mention>(?<![\w@/.])@[A-Za-z_][A-Za-z0-9_]{1,40})",
        r"(?P<hashtag>(?<![\w#&/])#[^\W\d_]\w{0,100})",
        r"(?P<phone>(?<![\w.,+-])(?:\+ ?\d|0\d)[\d ()/-]{4,24}\d(?!\w))",
        r"(?P<version>(?<![\w.,:/-])v?\d{1,6}(?:\.\d{1,6}){2,6}(?![\w.,]*\d))",
        r"(?P<identifier>(?<![\w.-])(?:[A-Za-z][A-Za-z0-9]{0,60}(?:_[A-Za-z0-9]{1,60}){1,8}|"
        r"[a-z]{2,40}(?:[A-Z][a-z0-9]{1,40}){1,8})(?:\(\)|(?!\w)))",
    )
)

# Characters that are shown as pictures; stars, notes and ticks of plain text are not among them.
_PICTURE = (
    "[\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff"
    "☀-☄☎☔☕☘☝☠☢☣☹☺♈-♓♥♦♠♣⚠⚡⚽⚾⛄⛅⛔⛪✂✅✈-✍✨❌❎❓-❕❗❣❤➕-➗]"
)
_TONES = "[\ufe0f\U0001f3fb-\U0001f3ff]*+"
_EMOJI = f"[\U0001f1e6-\U0001f1ff]{{2}}|{_PICTURE}{_TONES}(?:\u200d{_PICTURE}{_TONES})*+"

_DATE = re.compile(r"\d{1,2}\.\d{1,2}\.(?:\d{2}|\d{4})|\d{4}\.\d{1,2}\.\d{1,2}")
_GROUPED = re.compile(r"[1-9]\d{0,2}(?:\.\d{3})+")
# Attributes whose values people read, which are therefore translated.
_READ = ("title", "alt", "placeholder", "label", "aria-label", "content", "value")
_ATTRIBUTE = re.compile(r"([\w:.-]+)(?:\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s\"'>]+))?")


def _placeholder_key(text: str, family: str) -> str:
    return "".join(text.split()) if family in ("mustache", "icu") else text


def _markup_key(text: str, family: str) -> str:
    if family == "tag":
        found = re.match(r"</?([\w:.-]+)", text)
        assert found is not None
        name, rest = found[0].lower(), text[found.end() : -1].strip()
        closes = "/" if rest.endswith("/") else ""
        attributes = [
            f" {key.lower()}" + ("" if key.lower() in _READ or not value else f"={value.strip(chr(34) + chr(39))}")
            for key, value in _ATTRIBUTE.findall(rest.removesuffix("/"))
        ]
        return f"{name}{''.join(sorted(attributes))}{closes}>"
    if family in ("link", "image"):
        return f"{'!' if family == 'image' else ''}[]({text.rpartition('(')[2]}"
    return text


def _address_key(text: str, family: str) -> str:
    if family == "url":
        # The name of a server has no case.
        return re.sub(r"\A(?:\w+://)?[^/]*", lambda match: match[0].lower(), text.rstrip(".,;:!?)]}…*_"))
    if family == "email":
        name, _, server = text.rpartition("@")
        return f"{name}@{server.lower()}"
    if family == "phone":
        digits = re.sub(r"[^\d+]", "", text)
        return digits if len(digits) >= 7 and not _DATE.fullmatch(text.replace("/", ".").replace("-", ".")) else ""
    if family == "version":
        return "" if _DATE.fullmatch(text) or _GROUPED.fullmatch(text) else text
    return text


def _emoji_key(text: str, family: str) -> str:
    return re.sub("[\ufe0f\U0001f3fb-\U0001f3ff]", "", text)


# In the order of the bits.
_FAMILIES: tuple[tuple[str, re.Pattern[str], Callable[[str, str], str]], ...] = (
    (PLACEHOLDER, re.compile(_PLACEHOLDERS), _placeholder_key),
    (MARKUP, re.compile(_TAGS), _markup_key),
    (ADDRESS, re.compile(_ADDRESSES), _address_key),
    (EMOJI, re.compile(_EMOJI), _emoji_key),
)


# Messages in braces, as ICU reads them.

_ARGUMENT = re.compile(r"\s*([\w.-]+)\s*(?:,\s*([^\s,{}']+)\s*(,)?)?\s*")
_CASE = re.compile(r"\s*(?:offset:\d+\s*)?(=\d+|[\w-]+)\s*\{")
_DEEPEST = 20
_PLURALS = frozenset(("zero", "one", "two", "few", "many", "other"))
_KEYWORDS = ("plural", "selectordinal", "select", "number", "date", "time", "spellout", "ordinal", "duration")


class BrokenMessage(ValueError):
    """A message whose braces, keywords or cases are wrong; the text says what."""


class Argument(NamedTuple):
    """An argument of a message with cases: its name, its keyword, its cases, and those of them that have a #."""

    name: str
    keyword: str
    cases: frozenset[str]
    with_number: frozenset[str]


def message_arguments(text: str) -> list[Argument]:
    """Read a message in braces, and give its arguments that have a keyword; a wrong one raises `BrokenMessage`.

    >>> message_arguments("{n, plural, one {# file} other {# files}} of {who}")[0].keyword
    'plural'
    """
    found: list[Argument] = []
    # The arguments that are open: name, keyword, cases, and cases with a #.
    open_arguments: list[tuple[str, str, set[str], set[str]]] = []
    names: list[str] = []  # the cases that are open
    at, end = 0, len(text)
    while at < end:
        mark = text[at]
        if mark == "'":
            # An apostrophe quotes if a brace follows, up to the next one.
            if text[at + 1 : at + 2] in ("{", "}") and (closing := text.find("'", at + 2)) > 0:
                at = closing
        elif mark == "#":
            # The number is that of the innermost plural.
            for (_, keyword, _, numbered), case in zip(reversed(open_arguments), reversed(names), strict=False):
                if keyword != "select":
                    numbered.add(case)
                    break
        elif mark == "{":
            match = _ARGUMENT.match(text, at + 1)
            if match is None:
                raise BrokenMessage("a brace without the name of an argument")
            name, keyword, at = match[1], match[2] or "", match.end()
            if keyword and keyword not in _KEYWORDS:
                raise BrokenMessage(f"the keyword {keyword!r}, which does not exist")
            if keyword in ("plural", "select", "selectordinal"):
                if not match[3]:
                    raise BrokenMessage(f"{keyword} without cases")
                open_arguments.append((name, keyword, set(), set()))
                if len(open_arguments) > _DEEPEST:
                    raise BrokenMessage(f"more than {_DEEPEST} arguments inside each other")
                at = _next_case(text, at, open_arguments, names, found)
                continue
            at = text.find("}", at) if match[3] else at
            if at < 0 or text[at : at + 1] != "}":
                raise BrokenMessage(f"the argument {name!r} that does not end")
            if keyword:
                found.append(Argument(name, keyword, frozenset(), frozenset()))
        elif mark == "}":
            if not names:
                raise BrokenMessage("a closing brace that nothing opens")
            names.pop()
            at = _next_case(text, at + 1, open_arguments, names, found)
            continue
        at += 1
    if names:
        raise BrokenMessage("a brace that does not close")
    return found


def _next_case(
    text: str, at: int, arguments: list[tuple[str, str, set[str], set[str]]], names: list[str], found: list[Argument]
) -> int:
    """Enter the next case of the innermost argument, or end the argument; give the place to read on."""
    name, keyword, cases, numbered = arguments[-1]
    if match := _CASE.match(text, at):
        if keyword != "select" and match[1] not in _PLURALS and not match[1].startswith("="):
            raise BrokenMessage(f"the case {match[1]!r}, which {keyword} does not have")
        cases.add(match[1])
        names.append(match[1])
        return match.end()
    while text[at : at + 1].isspace():
        at += 1
    if text[at : at + 1] != "}":
        raise BrokenMessage(f"the argument {name!r} that does not end")
    if "other" not in cases:
        raise BrokenMessage(f"the argument {name!r} without the case 'other'")
    arguments.pop()
    found.append(Argument(name, keyword, frozenset(cases), frozenset(numbered)))
    return at + 1
