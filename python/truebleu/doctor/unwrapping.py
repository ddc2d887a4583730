"""The translation inside an output: without reasoning, JSON, XML, quotation marks, list numbers and language tags."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

from truebleu.doctor import patterns

# The keys of an object that hold its translation: the first of these that it has.
_KEYS = ("translation", "translated_text", "translated", "target", "output", "text", "result", "answer", "response")
_ELEMENT = re.compile(r"<(translation|answer|output|result|target|text)(?:\s[^<>]{0,200})?>", re.IGNORECASE)
_ITEM = re.compile(r"(?:\(?(\d{1,3})[.)]|[-*•])\s+(?=\S)")
# Beginnings of lists in any form: "2)Tap" may become "2) 画面".
_LISTED = re.compile(r"\W{0,3}[\d①-⑳一二三四五六七八九十]|[-*•·‧–—―−・※]")
_PAIRS = ('""', "“”", "„“", "„”", "””", "«»", "»«", "‹›", "「」", "『』", "‘’", "‚‘", "''")
_QUOTE = re.compile("[\"“”„«»‹›「」『』]|(?<!\\w)['‘’‚]|['‘’](?!\\w)")


def without_thoughts(text: str) -> str:
    """Cut reasoning and the turns of others; what was never closed goes up to the end.

    >>> without_thoughts("<think>Is it formal?</think>Das Boot.<|im_end|>"), without_thoughts("Das Boot. <think>Or")
    ('Das Boot.', 'Das Boot.')
    """
    parts, start, is_open, end = list[str](), 0, False, len(text.rstrip())
    for match in patterns.THOUGHTS_AND_TURNS.finditer(text):
        if not is_open:
            parts.append(text[start : match.start()])
        if match.lastgroup == "closes" and not is_open and match.end() < end:
            parts.clear()  # its beginning was cut off
        is_open, start = match.lastgroup == "opens", match.end()
    if not is_open:
        parts.append(text[start:])
    return " ".join(part.strip() for part in parts if part.strip())


def unwrapped(text: str) -> str:
    """Take the translation out of JSON, an XML element, quotation marks or an item of a list.

    >>> unwrapped('```json\\n{"translation": "Das Boot."}\\n```'), unwrapped("1. Das Boot."), unwrapped("„Ja.“")
    ('Das Boot.', 'Das Boot.', 'Ja.')
    """
    return next((found for _, inside, _, _ in WRAPPINGS.values() if (found := inside(text))), text)


def _object(text: str) -> str | None:
    """The translation inside JSON; empty if nobody can tell which part it is, None if the text is no JSON."""
    text = text.strip()
    if len(text) > 6 and text[:3] == text[-3:] and text[:3] in ("```", "~~~"):
        text = re.sub(r"\A\w{0,20}", "", text[3:-3]).strip()
    try:
        value = json.loads(text, strict=False) if text[:1] in ("{", "[") else None
    except (ValueError, RecursionError):
        return None
    if isinstance(value, dict):
        strings = {str(key).lower(): one for key, one in value.items() if isinstance(one, str)}
        only = next(iter(strings.values())) if len(strings) == 1 else ""
        return next((strings[key] for key in _KEYS if key in strings), only)
    if isinstance(value, list):
        return value[0] if len(value) == 1 and isinstance(value[0], str) else ""
    return None


def _element(text: str) -> str | None:
    text = text.strip()
    opening = _ELEMENT.match(text)
    closing = f"</{opening[1]}>".lower() if opening else ""
    if opening is None or not text.lower().endswith(closing) or len(text) < opening.end() + len(closing):
        return None
    return text[opening.end() : -len(closing)].strip()


def _item(text: str) -> str | None:
    found = _ITEM.match(text.lstrip())
    # "* The Next Generation * has" is emphasis.
    return text.lstrip()[found.end() :] if found and (found[0][0] != "*" or text.count("*") == 1) else None


def is_date(text: str, other: str) -> bool:
    """Whether another text has the number before a text near its beginning: "20. März" is no item."""
    found = _ITEM.match(text.lstrip())
    number = found[1] if found else None
    return number is not None and re.search(rf"(?<!\d){number}(?!\d)", other[:24]) is not None


def _quoted(text: str) -> str | None:
    text = text.strip()
    is_pair = len(text) >= 3 and text[0] + text[-1] in _PAIRS
    return text[1:-1] if is_pair and not _QUOTE.search(text[1:-1]) else None


def _is_listed(text: str) -> bool:
    return _LISTED.match(text.lstrip()) is not None


def _has_quote(text: str) -> bool:
    return _QUOTE.search(text) is not None


# The first characters, the text inside, whether another text is of that kind, and its name.
WRAPPINGS: dict[str, tuple[str, Callable[[str], str | None], Callable[[str], bool], str]] = {
    "json": ("{[`~", _object, lambda text: text.lstrip()[:1] in ("{", "["), "wrapped in JSON"),
    "xml": ("<", _element, lambda text: text.lstrip()[:1] == "<", "wrapped in an XML element"),
    "list": ("0123456789(-*•", _item, _is_listed, "made an item of a list"),
    "quoted": ("".join(pair[0] for pair in _PAIRS), _quoted, _has_quote, "wrapped in quotation marks"),
}


# Tags of languages.

_CODES = (
    "af|am|ar|az|be|bg|bn|bs|ca|cs|cy|da|de|el|en|es|et|eu|fa|fi|fr|ga|gl|gu|he|hi|hr|hu|hy|id|is|it|ja|ka|kk|km|kn|ko|"
    "ky|lo|lt|lv|mk|ml|mn|mr|ms|my|nb|ne|nl|no|pa|pl|ps|pt|ro|ru|si|sk|sl|so|sq|sr|sv|sw|ta|te|th|tl|tr|uk|ur|uz|vi|xh|"
    "yi|yo|zh|zu|deu|eng|fra|spa|ita|por|nld|pol|ces|rus|ukr|zho|jpn|kor|ara|hin|tur"
)
_TAG = rf"(?:{_CODES}|{_CODES.upper()})(?:[-_][A-Za-z]{{2,4}})?"
_BRACKETED = rf"(?:\[{_TAG}\]|</?{_TAG}>|\{{{_TAG}\}})"
_FIRST = re.compile(
    rf"\s{{0,20}}(?:{_BRACKETED}|\((?:{_CODES.upper()})\)|(?:{_CODES})[-_][A-Z]{{2}}\b:?|(?:{_CODES}):(?= ))\s{{0,20}}"
)
_LAST = re.compile(rf"\s{{0,20}}{_BRACKETED}\s{{0,20}}\Z")


def tag_place(text: str) -> tuple[int, int] | None:
    """Find the tag of a language: the place where the text begins after it, and where it ends before one.

    >>> tag_place("[de] Das Boot."), tag_place("<de>Ja.</de>"), tag_place("Das Boot.")
    ((5, 14), (4, 7), None)
    """
    first = _FIRST.match(text)
    tail = len(text) - min(len(text), 60)
    last = _LAST.search(text, tail) if text.rstrip()[-1:] in ("]", ">", "}") else None
    start, end = first.end() if first else 0, last.start() if last else len(text)
    return (start, end) if (first or last) and text[start:end].strip() else None


def without_tags_of_languages(text: str) -> str:
    """Cut the tag of a language before or after a text."""
    start, end = tag_place(text) or (0, len(text))
    return text[start:end]


@cache
def variants() -> dict[str, str]:
    """Give the Simplified form of each Traditional character (tools/build_variants.py)."""
    traditional, simplified = Path(__file__).with_name("variants.txt").read_text("utf-8").split()
    return dict(zip(traditional, simplified, strict=True))


def in_simplified(text: str) -> str:
    """Write a text in Simplified characters.

    >>> in_simplified("漢語")
    '汉语'
    """
    return text.translate({ord(one): other for one, other in variants().items()})
