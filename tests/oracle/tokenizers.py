"""The built-in tokenizers, pass by pass.

Each pass is one left-to-right scan whose matches do not overlap, over the output
of the pass before: exactly what ``re.sub`` does with a pattern that consumes
everything it looks at.
"""

import re

import regex

from oracle.text import WHITESPACE, respaced

# Space to tilde without apostrophe, comma, hyphen, period, digits and letters.
ASCII_SYMBOLS = r"\x20-\x26\x28-\x2b\x2f\x3a-\x40\x5b-\x60\x7b-\x7e"

# Two ranges meant for the supplementary planes came out as U+2001-2A6D and U+2F81-2FA1
# in sacreBLEU; the second lies inside the radicals.
HAN = (
    "\u2001-\u2a6d\u2e80-\u2fdf\u2ff0-\u303f\u3100-\u312f\u31a0-\u31ef\u3200-\u4db5\u4e00-\u9fbb"
    "\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9\ufe10-\ufe1f\ufe30-\ufe4f\uff00-\uffef"
)

TER_IDEOGRAPHS = "\u2e80-\u2eff\u31c0-\u31ef\u3200-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f"
TER_ASIAN_MARKS = "\u3001\u3002\u3008-\u3011\u3014-\u301f\u30fb\uff61-\uff65"
TER_FULL_WIDTH_MARKS = "\uff01\uff02\uff08\uff09\uff0c\uff0e\uff1a\uff1b\uff1f"
TER_PUNCTUATION = TER_ASIAN_MARKS + TER_FULL_WIDTH_MARKS


def tokenize_none(line: str) -> str:
    return line


def tokenize_char(line: str) -> str:
    return " ".join(line)


def tokenize_13a(line: str) -> str:
    line = line.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    return western(f" {unescape(line)} ")


def tokenize_zh(line: str) -> str:
    return western(re.sub(f"([{HAN}])", r" \1 ", line.strip(WHITESPACE)))


def tokenize_intl(line: str) -> str:
    line = regex.sub(r"(\P{N})(\p{P})", r"\1 \2 ", line)
    line = regex.sub(r"(\p{P})(\P{N})", r" \1 \2", line)
    return respaced(regex.sub(r"(\p{S})", r" \1 ", line))


def western(line: str) -> str:
    """The core that 13a and zh share."""
    line = re.sub(f"([{ASCII_SYMBOLS}])", r" \1 ", line)
    return respaced(split_number_marks(line))


def split_number_marks(line: str) -> str:
    """Periods and commas leave everything but digits; a hyphen leaves the digit before it."""
    line = re.sub(r"([^0-9])([.,])", r"\1 \2 ", line)
    line = re.sub(r"([.,])([^0-9])", r" \1 \2", line)
    return re.sub(r"([0-9])-", r"\1 - ", line)


def unescape(line: str) -> str:
    for entity, character in (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")):
        line = line.replace(entity, character)
    return line


def tokenize_ter(line: str, normalized: bool, no_punct: bool, asian_support: bool) -> str:
    """One pass of TER's tokenizer; lower-casing is the caller's."""
    line = line.rstrip(WHITESPACE)
    if normalized and line:
        line = _ter_normalize(line)
        if asian_support:
            line = re.sub(f"([{TER_IDEOGRAPHS}{TER_PUNCTUATION}])", r" \1 ", line)
    if no_punct:
        line = re.sub(r'[.,?:;!"()]', "", line)
        if asian_support:
            line = re.sub(f"[{TER_PUNCTUATION}]", "", line)
    return respaced(line)


def _ter_normalize(line: str) -> str:
    line = line.replace("\n-", "").replace("\n", " ")
    line = re.sub(f"([{ASCII_SYMBOLS}])", r" \1 ", f" {unescape(line)} ")
    return split_number_marks(line.replace("'s ", " 's "))


TOKENIZERS = {
    "none": tokenize_none,
    "char": tokenize_char,
    "13a": tokenize_13a,
    "zh": tokenize_zh,
    "intl": tokenize_intl,
}
