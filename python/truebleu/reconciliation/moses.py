"""Text as Moses' tokenizer.perl leaves it, from what it is known to do: spaces around signs, and escapes.

Signs other than full stops, commas, apostrophes and hyphens stand alone; commas do unless between digits; a full stop
does at the end of a word, unless the word is an abbreviation or a small letter follows. Of Moses' long lists of
abbreviations only common English and German ones are here, so a few full stops differ.
"""

from __future__ import annotations

import re

_SIGN = re.compile(r"([^\w\s.'`,-]|_)")
_DOTS = re.compile(r"(\.{2,})")
_COMMA = re.compile(r"(?<!\d),|,(?!\d)")
_ENGLISH = (
    (re.compile(r"(?<![^\W\d_])'(?![^\W\d_])"), " ' "),
    (re.compile(r"(?<![\w])'(?=[^\W\d_])"), " ' "),
    (re.compile(r"(?<=[^\W\d_])'(?![^\W\d_])"), " ' "),
    (re.compile(r"(?<=[^\W\d_])'(?=[^\W\d_])"), " '"),
    (re.compile(r"(?<=\d)'(?=s)"), " '"),
)
_ELSEWHERE = ((re.compile("'"), " ' "),)
_CAPITALS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_ENGLISH_SHORT = (
    "Mr Mrs Ms Dr Prof St Sr Jr Gen Col Capt Lt Sgt Maj Gov Sen Rep Rev Hon Pres Adm Cmdr Mt Messrs Drs Bros Corp Inc "
    "Ltd Co vs v i.e e.g rev Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec"
)
_GERMAN_SHORT = (
    "ca bzw usw Dr Prof Hr Fr St Std Mio Mrd Tel Nr Abs Art vgl evtl inkl ggf sog Jh Jan Feb Apr Aug Sep Sept Okt Nov "
    "Dez Mr Mrs Ms vs"
)
_OF_ENGLISH = _CAPITALS.union(_ENGLISH_SHORT.split())
_OF_GERMAN = _CAPITALS.union(_GERMAN_SHORT.split(), map(str.lower, _CAPITALS), map(str, range(100)))
_BEFORE_NUMBERS = frozenset(("No", "Nos", "Art", "Nr", "pp"))
_ESCAPES = (
    ("&", "&amp;"), ("|", "&#124;"), ("<", "&lt;"), (">", "&gt;"), ("'", "&apos;"), ('"', "&quot;"), ("[", "&#91;"),
    ("]", "&#93;"),
)  # fmt: skip


def tokenized(line: str, is_english: bool = True) -> str:
    """Put spaces between tokens, and escape signs that Moses' decoder reads otherwise; for German unless English.

    >>> tokenized("Mr. O'Neil's boat, 1,000 tons (new)...")
    'Mr. O &apos;Neil &apos;s boat , 1,000 tons ( new ) ...'
    """
    short = _OF_ENGLISH if is_english else _OF_GERMAN
    line = _SIGN.sub(r" \1 ", " ".join(line.split()))
    line = _COMMA.sub(" , ", _DOTS.sub(r" \1 ", line))
    for pattern, new in _ENGLISH if is_english else _ELSEWHERE:
        line = pattern.sub(new, line)
    words = line.split()
    line = " ".join(_ended(word, after, short) for word, after in zip(words, [*words, ""][1:], strict=True))
    for sign, escape in _ESCAPES:
        line = line.replace(sign, escape)
    return line


def _ended(word: str, after: str, short: frozenset[str]) -> str:
    """A word with its full stop apart, if it ends a sentence."""
    stem = word[:-1]
    if word[-1:] != "." or not stem or stem[-1] == ".":
        return word
    is_short = ("." in stem and any(map(str.isalpha, stem))) or stem in short or after[:1].islower()
    return word if is_short or (stem in _BEFORE_NUMBERS and after[:1].isdigit()) else f"{stem} ."
