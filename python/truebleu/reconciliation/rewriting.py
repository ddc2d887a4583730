"""Texts rewritten for a setting, before a tokenizer of the core counts them.

Some tools split where no tokenizer of the core does. To get their rules, some characters are replaced by characters
that the core treats as that tool does: a no-break space that must not separate words becomes a character for private
use. Scores depend only on which tokens are equal, so only the borders change.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from truebleu.reconciliation.moses import tokenized

Line = Callable[[str], str]
Lines = Callable[[Sequence[str]], Sequence[str]]

# Beyond what any text has: the last plane for private use.
_PRIVATE = 0x10F000


def standing_in(characters: Sequence[str]) -> Line:
    """Make a function that puts a character for private use in the place of each of some characters."""
    table = {character: chr(_PRIVATE + at) for at, character in enumerate(characters)}
    found = re.compile(f"[{re.escape(''.join(characters))}]") if characters else None
    return lambda line: found.sub(lambda match: table[match[0]], line) if found else line


def each(function: Line) -> Lines:
    """Make a function of lists from one of lines. To rewrite all lines joined was tried, and is slower: lines that stay
    the same objects are not encoded again for the core.
    """
    return lambda lines: [function(line) for line in lines]


# White space of Python that Perl does not know on bytes, and all of Python's.
ODD_SPACES = (
    "\x1c\x1d\x1e\x1f\x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
)
SPACES = " \t\n\r\f\v" + ODD_SPACES
_BLANK, _UNKNOWN = chr(_PRIVATE + 900), chr(_PRIVATE + 901)

_SIGN = re.compile(r"([^\w\s])")
_HYPHEN = re.compile(r"(?<=\S)-(?=\S)")
_SUBWORD = re.compile(r"@@(?: |$)")
_SPECIAL = re.compile(
    r"</?s>|<(?:unk|pad|eos|bos|mask|UNK|PAD|EOS|BOS|MASK)>|\[(?:UNK|PAD|CLS|SEP|MASK|/?INST)\]|<\|[^|>]*\|>|</?think>"
    r"|<extra_id_\d+>|\u2047"
)
# Han, kana, Thai, Lao, Tibetan, Myanmar, Khmer: scripts without spaces between words.
_CONTINUOUS = re.compile(r"([\u0e00-\u0eff\u0f00-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])")


class Rewriter(NamedTuple):
    """How a value changes hypotheses and references."""

    hypotheses: Lines
    references: Lines


# Makes a rewriter; what it is given tells all characters of the texts.
Maker = Callable[[Callable[[], str]], Rewriter]


def _both(function: Lines) -> Maker:
    return lambda characters: Rewriter(function, function)


def _as_they_are(lines: Sequence[str]) -> Sequence[str]:
    return lines


def _without(category: str) -> Maker:
    def make(characters: Callable[[], str]) -> Rewriter:
        found = "".join(c for c in characters() if unicodedata.category(c).startswith(category))
        pattern = re.compile(f"[{re.escape(found)}]") if found else None
        remove: Line = lambda line: pattern.sub("", line) if pattern else line  # noqa: E731
        return Rewriter(each(remove), each(remove))

    return make


def _specials(line: str) -> str:
    return " ".join(_SPECIAL.sub(" ", line).split()) if _SPECIAL.search(line) else line


def _fairseq(is_reference: bool) -> Line:
    def rewrite(line: str) -> str:
        if is_reference and "<unk>" in line:
            line = " ".join(_UNKNOWN if word == "<unk>" else word for word in line.split())
        return line if line and not line.isspace() else _BLANK

    return rewrite


def _wordpunct(line: str) -> str:
    return " ".join(_SIGN.split(line))


def _t2t(characters: Callable[[], str]) -> Rewriter:
    # Numbers that are no decimal digits are letters to tensor2tensor.
    stand_in = standing_in([c for c in characters() if unicodedata.category(c) in ("No", "Nl")][:800])
    return Rewriter(each(stand_in), each(stand_in))


TEXTS: Mapping[str, Maker] = {
    "nfkc": _both(each(lambda line: unicodedata.normalize("NFKC", line))),
    "no punctuation": _without("P"),
    "no specials": lambda characters: Rewriter(each(_specials), _as_they_are),
    "joined subwords": _both(each(lambda line: _SUBWORD.sub("", line))),
    "split compounds": _both(each(lambda line: _HYPHEN.sub(" ##AT##-##AT## ", line))),
    "stripped": _both(each(str.strip)),
    "moses": _both(each(tokenized)),
    "moses de": _both(each(lambda line: tokenized(line, is_english=False))),
}
_lower, _lower_ascii = (
    each(str.lower),
    each(lambda text: text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")),
)
CASES: Mapping[str, Rewriter] = {
    "lower": Rewriter(_lower, _lower),
    "ascii": Rewriter(_lower_ascii, _lower_ascii),
    "hypotheses": Rewriter(_lower, _as_they_are),
}
_ascii_spaces = each(standing_in(ODD_SPACES))
# The tokenizer of the core that does the rest, and what is done before.
TOKENS: Mapping[str, tuple[str, Maker]] = {
    "ascii-space": ("none", _both(_ascii_spaces)),
    "13a-bytes": ("13a", _both(_ascii_spaces)),
    "wordpunct": ("none", _both(each(_wordpunct))),
    "code": ("13a", _both(each(_wordpunct))),
    "t2t": ("intl", _t2t),
    "fairseq": ("none", lambda characters: Rewriter(each(_fairseq(False)), each(_fairseq(True)))),
    "characters": ("char", _both(each(standing_in(SPACES)))),
    "scripts": ("13a", _both(each(lambda text: " ".join(_CONTINUOUS.split(text))))),
}
