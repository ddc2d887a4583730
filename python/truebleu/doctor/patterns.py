"""Patterns of faults in the form of a text: rules look for them and repairs remove them."""

import re

from truebleu.glance import SPECIAL_TOKENS, SYSTEM_MARKS, TURN_MARKS

# Letters of Han and kana, for the inside of brackets.
CJK = "\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"

# Letters cut into pieces: fastBPE, SentencePiece and bytes that a vocabulary lacked.
SUBWORDS = re.compile(r"(?<=\S)@@(?=\s|$)|\u2581|<0x[0-9A-F]{2}>")
WORDPIECE = re.compile(r"(?<=\s)##(?=[^\W\d_])")

SPECIALS = re.compile(
    "|".join(map(re.escape, SPECIAL_TOKENS)) + r"|<\|[^\s|<>]{1,40}\|>|<extra_id_\d+>|<2[a-z]{2,3}>|"
    r">>[a-z]{2,3}(?:_[A-Za-z]{2,4})?<<|(?<!\S)__[a-z]{2,3}__(?!\S)|(?<!\S)[a-z]{3}_(?:[A-Z][a-z]{3})(?!\S)"
)

# What a model says to itself, and the turns and channels of chats. What follows a mark that opens is no translation,
# and neither is what comes before one that closes.
_THINK = "think(?:ing)?|thoughts?|reasoning|reflection|scratchpad|analysis"
(_SYSTEM, _END_OF_SYSTEM), (_TURN, _END_OF_TURN) = SYSTEM_MARKS, TURN_MARKS
_OPENS = (
    rf"<(?:{_THINK})>|\[(?:{_THINK})\]|◁think▷|\[INST\]|{_SYSTEM}|(?:{_TURN}|<\|im_start\|>)\s?(?:user|system)\b|"
    r"<\|start_header_id\|>\s?(?:user|system)\s?<\|end_header_id\|>|<\|(?:user|system)\|>|"
    r"<\|channel\|>\s?(?:analysis|commentary)(?:\s?<\|message\|>)?"
)
_CLOSES = (
    rf"</(?:{_THINK})>|\[/(?:{_THINK})\]|◁/think▷|\[/INST\]|{_END_OF_SYSTEM}|"
    r"<\|channel\|>\s?final(?:\s?<\|message\|>)?"
)
_TURNS = (
    rf"{_TURN}(?:\s?(?:model|assistant)\b)?|{_END_OF_TURN}|<\|im_start\|>(?:\s?assistant\b)?|<\|im_(?:end|sep)\|>|"
    r"<\|start_header_id\|>\s?assistant\s?<\|end_header_id\|>|"
    r"<\|(?:eot_id|eom_id|end|message|return|start|assistant|call|start_header_id|end_header_id|channel)\|>"
)
THOUGHTS_AND_TURNS = re.compile(f"(?P<opens>{_OPENS})|(?P<closes>{_CLOSES})|(?P<turns>{_TURNS})", re.IGNORECASE)
THOUGHTS = re.compile(f"{_OPENS}|{_CLOSES}|{_TURNS}", re.IGNORECASE)
WHITE_THOUGHTS = re.compile("◁/?think▷")

# "AT&T; x" is text: names of entities are in small letters, except for a few of the older ones.
ENTITIES = re.compile(r"&(?:[A-Za-z][a-z]{1,7}|[a-z]{2,6}[1-4]{1,2}|#\d{1,7}|#[xX][0-9A-Fa-f]{1,6});")
MOSES = re.compile(r"(?<!\S)@[-,.:/]@(?!\S)")

_ELEMENTS = "b|i|u|p|br|hr|span|div|strong|em|li|ul|ol|table|tr|td|th|sup|sub|font|h[1-6]|img|code|pre|html|body"
TAGS = re.compile(rf"</?(?:{_ELEMENTS})(?:\s[^<>]*)?/?>|<a\s(?=[^<>]*?href)[^<>]*>|</a>", re.IGNORECASE)

CONTROLS = re.compile("[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f]")
LINE_BREAKS = re.compile("[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
SPELT_OUT = re.compile(r"\\n|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}")

# UTF-8 read as Windows-1252 or Latin-1: the appearance of first bytes, and of later bytes.
_ON = "[\u0080-\u00bf\u20ac\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u017d\u2018\u2019\u201c"
_ON += "\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u017e\u0178]"
MOJIBAKE = re.compile(
    f"[ÂÃ]{_ON}|â€{_ON}|â‚¬|[Â-ô][\u0080-\u009f]|(?:[ÐÑ]{_ON}){{2}}|(?:[ØÙÚÛ×]{_ON}){{2}}|(?:[äåæçèéãï]{_ON}{_ON}){{2}}|"
    rf"(?:à[¤-»]{_ON}){{2}}|ð[Ÿ\u009f]{_ON}{_ON}|[ÄÅ]{_ON}(?=[^\W\d_])"
)
INVISIBLE = re.compile("[\u200b\u2060\ufeff\u00ad\u180e]")

# Markdown: code fences, and marks of emphasis and headings.
FENCES = re.compile(r"`{3,}|~{3,}")
EMPHASIS = re.compile(r"\*\*(?=\S)[^*\n]+(?<=\S)\*\*|(?<!\w)__(?=\S)[^_\n]+(?<=\S)__(?!\w)")
HEADING = re.compile(r"\A#{1,6} ")
