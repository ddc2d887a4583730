"""Texts full of traps, corpora and options: as hypothesis strategies, and as a fast seeded generator.

Both draw on the same tables. Hypothesis shrinks what it finds; `Generator` makes tens of
thousands of cases a second and names each by a string, so that any one can be made again:

>>> Generator("bleu/13a/7").corpus() == Generator("bleu/13a/7").corpus()
True
"""

import random
import string
import sys
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from hypothesis import strategies as st

Streams = list[list[str | None]]


class Corpus(NamedTuple):
    """Hypotheses and reference streams, as sacreBLEU takes them."""

    hypotheses: list[str]
    streams: Streams

    @property
    def segments(self) -> list[list[str | None]]:
        """The references grouped by segment."""
        return [list(references) for references in zip(*self.streams, strict=True)]


# --- the tables -------------------------------------------------------------------------------

# Python's whitespace; Rust's lacks U+001C to U+001F.
WHITESPACE = [chr(c) for c in range(0x3001) if chr(c).isspace()]
LOOKS_LIKE_WHITESPACE = ["\u200b", "\u180e", "\u2060", "\ufeff", "\u200d", "\0", "\x08", "\x1b"]

MARKUP = [
    "&quot;", "&amp;", "&lt;", "&gt;", "&amp;lt;", "&amp;quot;", "&amp;amp;", "&amp;amp;lt;", "&apos;",
    "&QUOT;", "&LT;", "&#39;", "&quot", "&&", "<skipped>", "<SKIPPED>", "<skip<skipped>ped>", "&lt<skipped>;",
    "-\n", "\n-", "-\r\n", "--\n", "-\n\n", "\n", "\r", "-<skipped>\n",
]  # fmt: skip

NUMBERS = [
    "0", "5", "42", "1,000.50", "1..2", "1...2", "1....2", "1.....2", "1,,2", "1.,2", "1,.2", ".5", "5.",
    ",5", "5,", "3-4", "3--4", "3-", "-3", "10-20-30", "5%.5", "5%", "1.2.3.4", "2020.", "1-", "v2.0,b",
    "\u0663.\u0664", "\u0663\u066b\u0664", "\u00bd.", "x\u00b2.", "\u2167.", "\u2460,\u2460", "5.\u00a06",
    "1\u00bd-", "\uff11\uff0c\uff12", "\u096b-\u096c", "1\ufe0f\u20e3", "\U0001d7d8.\U0001d7d9",
    "\U00010107,\U00010108",
]  # fmt: skip

MARKS = [
    *string.punctuation, ".,", ",.", "...", "....", ",,", "a.,5", "a.,b", "'s", "'s.", "'s,", "'s 's", "s's",
    "'S", "Ann's", "Ann's.", "'t", "''", '"a"', "(hi)", "a!!", "\u2019s", "\u201cHi\u201d", "\u2014",
    "\u2026", "\u00ab\u00e9\u00bb", "\u00bfQu\u00e9?", "\u00b7", "\u0964", "\u203f", "U.K.", "i.e.",
    "x@y.com", "a/b\\c_d^e`f", "-- -", " .", " . ", "$5.00", "\u20ac5", "\u2122", "\u00b0", "\u2192",
    "\u02c6",
]  # fmt: skip

# The first and last characters of every range that zh and TER treat apart, and their neighbours.
_RANGES = [
    (0x2001, 0x2A6D), (0x2E80, 0x2FDF), (0x2E80, 0x2EFF), (0x2F81, 0x2FA1), (0x2FF0, 0x303F),
    (0x3001, 0x3002), (0x3008, 0x3011), (0x3014, 0x301F), (0x30FB, 0x30FB), (0x3100, 0x312F),
    (0x31A0, 0x31EF), (0x31C0, 0x31EF), (0x3200, 0x4DB5), (0x3200, 0x4DBF), (0x3F22, 0x3F22),
    (0x4E00, 0x9FBB), (0x4E00, 0x9FFF), (0xF900, 0xFA2D), (0xF900, 0xFAFF), (0xFA30, 0xFA6A),
    (0xFA70, 0xFAD9), (0xFE10, 0xFE1F), (0xFE30, 0xFE4F), (0xFF00, 0xFFEF), (0xFF01, 0xFF02),
    (0xFF08, 0xFF09), (0xFF0C, 0xFF0C), (0xFF0E, 0xFF0E), (0xFF1A, 0xFF1B), (0xFF1F, 0xFF1F),
    (0xFF61, 0xFF65), (0x20000, 0x2A6D6), (0x2F800, 0x2FA1D), (0x3040, 0x309F), (0x30A0, 0x30FF),
    (0x31F0, 0x31FF), (0xAC00, 0xD7A3), (0x3005, 0x3007),
]  # fmt: skip
RANGE_EDGES = sorted({chr(c + d) for bounds in _RANGES for c in bounds for d in (-1, 0, 1)})

ASIAN = [
    "\u4f60\u597d", "\u4e16\u754c\u3002", "\uff0c", "\u6587.\u5b57", "5.\u4e2d", "\u4e2d.5",
    "\u4ef7\u683c1,234.56\u5143", "\u3053\u3093\u306b\u3061\u306f", "\u30ab\u30bf\u30ab\u30ca\u30fb",
    "\uff76\uff9e\uff61\uff62\uff63", "\uff21\uff22\uff11", "\uff0e5", "\uc11c\uc6b8", "\ub0a0\uc528.",
    "\u1100\u1161", "\u3131", "\u3005\u3006\u3007", "\u3231\u33a1\u2460",
    "\u5927\u962a\u30bf\u30ef\u30fc\u30fb\u300c\u6d77\u300d\u3001\u3067\u3059\u3002",
]  # fmt: skip

CASED = [
    "\u03a3", "\u039f\u0394\u039f\u03a3", "\u03a3\u0391\u03a3.", "\u0391\u03a3\u0391", "\u0391\u03a3'",
    "\u0391\u03a3'\u0391", "\u0391\u03a3\u0301", "\u0391.\u03a3", "\u0130", "I", "\u0131", "\u1e9e", "\u00df",
    "\u01c4", "\u01c5", "\u2126", "\u212a", "\u212b", "\u10a0", "\u1c90", "\u13a0", "\uab70", "\u24b6",
    "\uff21", "\u0416", "\u0531", "\u2c00", "\ua64a", "\U00010400", "\U0001e900", "\U000118a0", "\U00016e40",
    "\u1f88", "\u1ffc", "\u0345", "THE", "The", "QUOT",
]  # fmt: skip

COMPOSED = [
    "e\u0301", "\u0301", "a\u20e3", "n\u0303o", "\u1112\u1161\u11ab", "\u0915\u094d\u0937", "\ufe0f",
    "\ufe0e", "\U0001f600", "\U0001f469\u200d\U0001f467", "\u2764\ufe0f", "\U0001f44d\U0001f3fd",
    "\U0001f3f3\ufe0f\u200d\U0001f308", "\U0001f1e9\U0001f1ea",
]  # fmt: skip

ASTRAL_LETTERS = [
    "\U0001d400",
    "\U00010428",
    "\U00020000",
    "\U0002a6d6",
    "\U0002f800",
    "\U00030000",
    "\U00010330",
]
SURROGATES = [
    "\ud800",
    "\udbff",
    "\udc00",
    "\udfff",
    "\ud83d\ude00",
    "\ude00\ud83d",
    "a\ud800b",
    "\ud840\udc00",
]
# Unassigned in Unicode 14, which CPython 3.11 carries; some came later, into P, N, S or letters.
RECENT = [
    "\u0378", "\uffff", "\ufdd0", "\U000e0fff", "\U0010ffff", "\U00011b00", "\U00011f50", "\U0001fadc",
    "\U0001f6d8", "\u1b4e", "\U00010d40", "\U0001cc00", "\U00010ed0", "\u20c1", "\U00011de0", "\u2e60",
    "\U0001246f", "\u20c2", "\ua7cb", "\u1c89", "\U00010d50", "\u2ffc", "\u31ef", "\ua7dc", "\U00016ea0",
]  # fmt: skip


def _of_category(initial: str, first: int, last: int) -> list[str]:
    return [chr(c) for c in range(first, last) if unicodedata.category(chr(c)).startswith(initial)]


CATEGORIES = [
    category
    for initial in "PNS"
    for category in (_of_category(initial, 0x80, 0x10000), _of_category(initial, 0x10000, 0x20000))
]

VOCABULARIES = [
    ["a", "b"],
    ["a", "b", "c", "d"],
    ["the", "cat", "sat", "on", "mat", "."],
    ["A", "a", "B", "b."],
    ["It's", "Ann's", "it", "'s", "ann", ".", ","],
    ["\u6211", "\u4eec", "\u53bb", "\u6211\u4eec", "\u3002"],
    [f"w{i}" for i in range(12)],
    ["quick", "brown", "fox,", "(jumped)", "over", "3-4", "1,5", "dogs.", "The"],
]

PIECES = [
    WHITESPACE, LOOKS_LIKE_WHITESPACE, MARKUP, NUMBERS, MARKS, RANGE_EDGES, ASIAN, CASED, COMPOSED,
    ASTRAL_LETTERS, SURROGATES, RECENT, *CATEGORIES, ["a", "b", "x", "7", "\u00e9", "\u044f"], *VOCABULARIES,
]  # fmt: skip

SEPARATORS = [" "] * 12 + ["", "", "", "  ", "\t", "\u00a0", "\u3000", "\x1f", "\n"]

BLEU_OPTIONS: dict[str, Sequence[Any]] = {
    "lowercase": (False, True),
    "force": (False, True),
    "smooth_method": ("exp", "floor", "add-k", "none"),
    "smooth_value": (None, None, 0, 1, 2, 5, 0.0, 0.1, 0.5, 1.0, 1.5, 0.005, 1e-3, 100),
    "max_ngram_order": (1, 2, 3, 4, 4, 4, 5, 6),
    "effective_order": (False, True),
    "trg_lang": ("", "", "", "de"),
}
BLEU_TOKENIZERS = ("none", "char", "13a", "intl", "zh")

CHRF_OPTIONS: dict[str, Sequence[Any]] = {
    "char_order": (6, 6, 1, 2, 3, 4, 5, 7, 8),
    "word_order": (0, 0, 1, 2, 2, 3),
    "beta": (2, 2, 1, 3, 0, 5, 0.5, 1.5, 2.0, 0.1),
    "lowercase": (False, True),
    "whitespace": (False, True),
    "eps_smoothing": (False, True),
}

TER_OPTIONS: dict[str, Sequence[Any]] = {
    "normalized": (False, True),
    "no_punct": (False, True),
    "asian_support": (False, True),
    "case_sensitive": (False, True),
}


# --- the fast generator -----------------------------------------------------------------------


class Generator:
    """Random texts, corpora and options, made from a name and nothing else."""

    def __init__(self, name: str, longest: int = 300) -> None:
        self.rng = random.Random(name)
        self.longest = longest

    def piece(self) -> str:
        return self._of(self._of(PIECES))

    def segment(self) -> str:
        """One line of text: mostly a handful of tokens, now and then nothing, or hundreds."""
        kind = self.rng.random()
        if kind < 0.45:
            return self._words(self.rng.randint(1, 12))
        if kind < 0.82:
            return self._mixture(self.rng.randint(1, 8))
        if kind < 0.90:
            return "".join(self.piece()[:1] for _ in range(self.rng.randint(1, 25)))
        if kind < 0.94:
            return self.piece()
        if kind < 0.96:
            return ""
        if kind < 0.98:
            return "".join(self._of(WHITESPACE) for _ in range(self.rng.randint(1, 3)))
        if kind < 0.998:
            return self._words(self.rng.randint(12, 30))
        return self._words(self.longest)

    def variant(self, text: str) -> str:
        """The text after a few edits, so that n-grams still match."""
        tokens = text.split(" ")
        for _ in range(self._of((0, 1, 1, 2, 3, 5))):
            self._edit(tokens)
        edited = " ".join(tokens)
        return self._of(_REWRITES)(edited) if self.rng.random() < 0.2 else edited

    def corpus(self, segments: int | None = None, streams: int | None = None) -> Corpus:
        """Up to six segments and four streams with holes, but a reference for every segment."""
        rows = segments or self._of((1, 1, 1, 2, 2, 3, 4, 6))
        columns = streams or self._of((1, 1, 1, 2, 2, 3, 4))
        hypotheses, references = [], []
        for _ in range(rows):
            base = self.segment()
            references.append(self._references(base, columns))
            hypotheses.append(self.variant(base) if self.rng.random() < 0.8 else self.segment())
        return Corpus(hypotheses, [list(stream) for stream in zip(*references, strict=True)])

    def options(self, table: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
        """Some of the options of a constructor; the others keep their defaults."""
        return {name: self._of(values) for name, values in table.items() if self.rng.random() < 0.6}

    def _references(self, base: str, count: int) -> list[str | None]:
        references: list[str | None] = []
        for _ in range(count):
            kind = self.rng.random()
            references.append(
                None if kind < 0.12 else "" if kind < 0.17 else self.segment() if kind < 0.3 else self.variant(base)
            )
        if all(reference is None for reference in references):
            references[self.rng.randrange(count)] = base
        return references

    def _words(self, count: int) -> str:
        vocabulary = self._of(VOCABULARIES)
        return " ".join(self._of(vocabulary) for _ in range(count)) + self._of(("", "", "", " .", ".", "\n", " "))

    def _mixture(self, count: int) -> str:
        return "".join(self.piece() + self._of(SEPARATORS) for _ in range(count))

    def _edit(self, tokens: list[str]) -> None:
        at, other = (self.rng.randint(0, len(tokens)) for _ in range(2))
        kind = self.rng.randrange(6)
        if kind == 0:
            del tokens[at : at + self.rng.randint(1, 2)]
        elif kind == 1:
            tokens.insert(at, self.piece())
        elif kind == 2:
            tokens[at : at + 1] = [self.piece()]
        elif kind == 3:
            tokens[at:at] = tokens[at : at + 2]
        else:
            block = tokens[at : at + self.rng.randint(1, 4)]
            del tokens[at : at + len(block)]
            tokens[other:other] = block

    def _of(self, values: Sequence[Any]) -> Any:
        # Much faster than rng.choice, and as good for this purpose.
        return values[int(self.rng.random() * len(values))]


_REWRITES: list[Callable[[str], str]] = [
    str.lower,
    str.upper,
    str.swapcase,
    lambda text: text.replace(" ", ""),
    lambda text: text.replace(" ", "\u00a0"),
    lambda text: text[::-1],
    lambda text: text + " .",
    lambda text: text + "\n",
    lambda text: " " + text + " ",
    lambda text: text[:-1],
    lambda text: text.replace("a", "\u00e4"),
]


def ter_cases_stay_short(name: str) -> Generator:
    """TER costs seconds on sentences of 300 words; what only they show has golden vectors."""
    return Generator(name, longest=60)


# --- hypothesis -------------------------------------------------------------------------------

pieces: st.SearchStrategy[str] = st.one_of([st.sampled_from(table) for table in PIECES])

anything: st.SearchStrategy[str] = st.text(st.one_of(st.characters(), st.characters(categories=["Cs"])), max_size=12)

vocabulary_text: st.SearchStrategy[str] = st.sampled_from(VOCABULARIES).flatmap(
    lambda words: st.lists(st.sampled_from(words), max_size=14).map(" ".join)
)

piece_text: st.SearchStrategy[str] = st.lists(
    st.tuples(pieces, st.sampled_from(sorted(set(SEPARATORS), key=len))).map("".join), max_size=8
).map("".join)

long_text: st.SearchStrategy[str] = st.sampled_from(VOCABULARIES).flatmap(
    lambda words: st.tuples(st.sampled_from(words), st.sampled_from(words), st.integers(100, 150)).map(
        lambda drawn: " ".join([drawn[0], drawn[1]] * drawn[2])
    )
)

texts: st.SearchStrategy[str] = st.one_of(vocabulary_text, piece_text, anything)


@st.composite
def variants(draw: st.DrawFn, text: str) -> str:
    """`text` with some tokens taken out, put in or moved."""
    tokens = text.split(" ")
    for _ in range(draw(st.integers(0, 3))):
        start, end, target = (draw(st.integers(0, len(tokens))) for _ in range(3))
        block = tokens[start:end]
        del tokens[start:end]
        tokens[target:target] = draw(st.sampled_from([block, block * 2, []])) or [draw(pieces)]
    return " ".join(tokens)


@st.composite
def corpora(draw: st.DrawFn, segments: st.SearchStrategy[str] = texts) -> Corpus:
    """One to six segments with one to four streams of references, some of them missing."""
    width = draw(st.integers(1, 4))
    hypotheses, references = [], []
    for _ in range(draw(st.integers(1, 6))):
        base = draw(segments)
        others = draw(st.lists(st.one_of(st.none(), st.just(""), segments, variants(base)), max_size=width - 1))
        row = [*others, base] + [None] * (width - 1 - len(others))
        references.append(draw(st.permutations(row)))
        hypotheses.append(draw(st.one_of(variants(base), segments)))
    return Corpus(hypotheses, [list(stream) for stream in zip(*references, strict=True)])


def options(table: Mapping[str, Sequence[Any]]) -> st.SearchStrategy[dict[str, Any]]:
    """Any subset of the options in the table, with any of their values."""
    values = {name: st.sampled_from(sorted(set(map(_keyed, choices)))) for name, choices in table.items()}
    return st.fixed_dictionaries({}, optional={name: drawn.map(_unkeyed) for name, drawn in values.items()})


# 1, 1.0 and True are equal to a set and different to a signature, so options travel with their type's name.
def _keyed(value: Any) -> tuple[str, Any]:
    return (type(value).__name__, value if value is not None else "")


def _unkeyed(keyed: tuple[str, Any]) -> Any:
    return None if keyed[0] == "NoneType" else keyed[1]


bleu_options = options({**BLEU_OPTIONS, "tokenize": BLEU_TOKENIZERS})
chrf_options = options(CHRF_OPTIONS)
ter_options = options(TER_OPTIONS)

EVERY_CODE_POINT = range(sys.maxunicode + 1)
