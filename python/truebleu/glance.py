"""One quick look at texts: are these what somebody meant to score?

A `Glance` sees systems and their references, all at once or batch by batch, and keeps a few facts and a sample. A rule
is a function of this module and its line in `RULES`. The rules are the quick form of the doctor's, which know more and
take their thresholds and lists of words from here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from operator import eq
from typing import TYPE_CHECKING, Any, NamedTuple

from truebleu import _core
from truebleu._counts import number_of
from truebleu._logs import of_which, warn
from truebleu._options import thread_count
from truebleu._shown import shown

if TYPE_CHECKING:
    from truebleu._core import Engine, LineCounter

    Texts = Sequence[str]
    Stream = Sequence[str | None]
    Gaps = tuple[int, int]  # how many marks there are, and how many of them have a gap before them

SAMPLE = 200  # segments in a sample, at most
FEW = 10  # so few segments say nothing

# From so many hypotheses on that end in a detached full stop, metrics that count them all say so.
MANY_STOPS = 100
# Text is tokenized if so many of its commas and full stops, and such a share, have a space before them while less than
# another share of the other side's have one.
FEWEST_GAPS, TOKENIZED, PLAIN = 20, 0.30, 0.10
# The share of letters from which on a text counts as one without spaces between words, and that of kana in Japanese.
UNSPACED_SHARE, KANA_SHARE = 0.30, 0.10
# With fewer letters between two spaces, somebody has cut such a text into words; those of Han and kana are shorter.
_LETTERS_PER_WORD = {True: 3, False: 8}
# Tokenizers that cut at spaces, and so take a sentence of Chinese for a word.
SPACE_BASED = ("13a", "intl", "none")

# What a decoder leaves behind: marks of subwords, before a space or anywhere; and special tokens.
SUBWORD_MARKS = ("@@ ", "@@\n", "\u2581", "<0x")
SPECIAL_TOKENS = (
    *(f"<{word}>" for word in ("s", "/s", "unk", "pad", "eos", "bos", "mask")),
    *(f"<{word}>" for word in ("S", "/S", "UNK", "PAD", "EOS", "BOS", "MASK")),
    *(f"[{word}]" for word in ("UNK", "PAD", "CLS", "SEP", "MASK", "INST", "/INST")),
    "\u2047", "<<SYS>>", "<</SYS>>", "<think>", "</think>", "<start_of_turn>", "<end_of_turn>",
)  # fmt: skip
_BEGINNINGS = (*SPECIAL_TOKENS, "<|", "<extra_id_")

# The scripts that have a column each; the letters of all others are in the column "other".
SCRIPTS = (
    "Latin", "Cyrillic", "Greek", "Armenian", "Hebrew", "Arabic", "Devanagari", "Bengali", "Hangul", "Han", "Hiragana",
    "Katakana", "Thai", "Lao", "Khmer", "Myanmar", "Tibetan",
)  # fmt: skip
UNSPACED = ("Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar", "Tibetan")

# The columns of a row, in the order of the core (crates/core/src/features.rs says what each counts).
COLUMNS = (
    "len", "words", "letters", "upper", "lower", "first",  # first letter: 1 upper case, 2 lower case, 0 neither
    *SCRIPTS, "other",
    "stops", "stops_gap", "cjk_stops", "cjk_stops_gap", "cjk_pairs", "cjk_pairs_gap",
    "quote_straight", "quote_curly", "quote_low", "quote_angle", "quote_corner", "apostrophe", "apostrophe_curly",
    "hyphen", "en_dash", "em_dash", "dots", "ellipsis",
    "wide_marks", "narrow_marks", "wide_alnum", "narrow_alnum", "half_kana", "space", "odd_space",
    "at_at", "low_line", "less", "ampersand", "replacement", "invisible", "control", "line_break", "backslash",
    "bracket", "underscore", "greater", "question", "hash", "g_dot", "mojibake", "backtick", "star", "tilde", "tab",
    "at", "colon", "crowded", "opening", "loose", "unsettled",
)  # fmt: skip


def look_at(systems: Sequence[Texts], streams: Sequence[Stream], sample: int = SAMPLE) -> Glance:
    """Look at all segments at once."""
    glance = Glance(len(systems), sample)
    glance.look_at(systems, streams)
    return glance


class Glance:
    """A look at systems and their references, at all segments at once or batch by batch."""

    def __init__(self, systems: int = 1, sample: int = SAMPLE) -> None:
        self.segments = 0
        self._are_blank: list[list[bool]] = [[True] * systems, []]  # of systems, and of references
        self._same: list[set[int]] = [set() for _ in range(systems)]
        self._texts: list[list[Any]] = [[] for _ in range(systems)]
        self._streams: list[list[Any]] = []
        self._limit, self._distance = sample, 1

    @classmethod
    def of_lines(cls, counter: LineCounter, references: int) -> Glance:
        """Take what a counter of lines has seen on its way."""
        samples: list[list[Any]] = [[line.decode() for line in lines] for lines in counter.sample()]
        are_blank = [filled == 0 for filled in counter.filled()]
        found = cls()
        found.segments, found._same = counter.lines()[0], [set(places) for places in counter.same()]
        found._are_blank = [are_blank[references:], are_blank[:references]]
        found._texts, found._streams = samples[references:], samples[:references]
        return found

    @property
    def references(self) -> int:
        """The largest number of references of a segment so far."""
        return len(self._streams)

    @property
    def is_settled(self) -> bool:
        """Whether segments that follow matter only for the sample: no text is blank, and no system is a reference."""
        return self.segments > 0 and not any(map(any, self._are_blank)) and not any(self._same)

    def chosen(self, segments: int) -> range:
        """Choose the sample of the segments that follow: at equal distances from the first of all, powers of two."""
        while self._limit and -(-(self.segments + segments) // self._distance) > self._limit:
            for texts in (*self._texts, *self._streams):
                del texts[1::2]
            self._distance *= 2
        return range(-self.segments % self._distance, segments if self._limit else 0, self._distance)

    def look_at(self, systems: Sequence[Texts], streams: Sequence[Stream], of: int | None = None) -> None:
        """Learn from the next segments; or, where they are settled, from those that were `chosen` of so many."""
        segments = len(systems[0]) if of is None else of
        chosen = self.chosen(segments) if of is None else range(len(systems[0]))
        if not self.segments:
            self._same = [set(range(len(streams))) for _ in systems]
        for _ in streams[len(self._streams) :]:
            self._streams.append([None] * len(self._texts[0]))
            self._are_blank[1].append(True)
        for are_blank, texts in zip(self._are_blank, (systems, streams), strict=True):
            for at, each in enumerate(texts):
                are_blank[at] = are_blank[at] and not any(text and not text.isspace() for text in each)
        for equal, text in zip(self._same, systems, strict=True):
            equal -= {at for at in equal if at >= len(streams) or not all(map(eq, text, streams[at]))}
        missing = [(None,) * len(systems[0])] * (len(self._streams) - len(streams))
        for kept, each in zip((*self._texts, *self._streams), (*systems, *streams, *missing), strict=True):
            kept += [each[at] for at in chosen]
        self.segments += segments

    def doubts(self, systems: Texts, references: Texts, splits: Texts = (), *, is_first: bool = True) -> Iterator[str]:
        """Say what is doubtful about systems and references of these names; of the references once, if at all."""
        seen = [Seen(*one) for one in zip(map(shown, references), self._are_blank[1], self._streams, strict=True)]
        theirs = [text for one in seen for text in one.sample if text]
        for at, name in enumerate(systems):
            equal = [seen[one].name for one in sorted(self._same[at])] if self.segments >= FEW else []
            sample, text = self._texts[at], "".join([f"{text}\n" for text in self._texts[at]])
            is_blank, is_now = self._are_blank[0][at], is_first and at == 0
            view = View(shown(name), is_blank, equal, sample, text, seen, theirs, is_now, splits)
            for find, is_last in RULES:
                found = list(find(view))
                yield from found
                if found and is_last:
                    break

    def warn(self, *names: Sequence[str], is_first: bool = True) -> None:
        """Warn of what is doubtful; the arguments are those of `doubts`."""
        for doubt in self.doubts(*names, is_first=is_first):
            warn("%s", doubt)


class Seen(NamedTuple):
    """A reference as far as it was seen."""

    name: str
    is_blank: bool
    sample: Stream


class View(NamedTuple):
    """What a rule sees: one system beside its references, and a sample of both."""

    name: str
    is_blank: bool
    same: Sequence[str]  # the references that have the very lines of the system
    sample: Texts
    text: str  # the system's sample in one text
    references: Sequence[Seen]
    theirs: Texts  # all references' samples
    is_first: bool  # whether the references are to be looked at too
    split_at_spaces: Sequence[str]  # the metrics that take what stands between spaces for words, and why


# The rules.


def blank_references(view: View) -> Iterator[str]:
    """Find references without any text."""
    for one in view.references if view.is_first else ():
        if one.is_blank:
            yield f"the reference {one.name}: all segments are empty"


def blank(view: View) -> Iterator[str]:
    """Find a system without any text."""
    if view.is_blank:
        yield f"{view.name}: all segments are empty"


def same(view: View) -> Iterator[str]:
    """Find a reference that is scored as if it were a system."""
    if view.same:
        yield f"{view.name} is the same as the reference {view.same[0]} in all lines; is it the output of a system?"


def shuffled(view: View) -> Iterator[str]:
    """Find lines that fit those of all references no better than others would."""
    if view.references and all(_looks_shuffled(view.sample, one.sample) for one in view.references):
        yield (
            f"{view.name} fits the reference no better line by line than with its lines in another order; are they "
            "shuffled, or in another language?"
        )


def misread(view: View) -> Iterator[str]:
    """Find UTF-8 that was read in another encoding; D307."""
    sides: list[tuple[str, str, Stream]] = [(view.name, "sys", view.sample)]
    sides += [(f"the reference {one.name}", "ref", one.sample) for one in view.references] if view.is_first else []
    for name, side, texts in sides:
        if not all(text is None or text.isascii() for text in texts) and (found := mistaken_encoding(texts)):
            encoding, bad, good = found
            yield (
                f"{name}: text such as {shown(bad, 40)!r} for {shown(good, 40)!r} is UTF-8 that was read as "
                f"{encoding}; read it as UTF-8 (-e {side}=utf-8), or, if the file itself is like this, restore it "
                "('truebleu doctor' tells more)"
            )


def misfit(view: View) -> Iterator[str]:
    """Find references in a script that the tokenizers of the metrics do not fit; D301."""
    is_asked = view.is_first and view.split_at_spaces and not all(map(str.isascii, view.theirs))
    if is_asked and (fitting := _fitting(view.theirs)):
        reasons = " and ".join(view.split_at_spaces)
        yield f"{view.name}: the references have no spaces between words, and {reasons}; use {fitting}"


def tokenized(view: View) -> Iterator[str]:
    """Find text that a tokenizer has cut up; D302. Of more segments `warn_of_stops` knows."""
    if len(view.sample) >= MANY_STOPS or view.text.count(" ,") + view.text.count(" .") < FEWEST_GAPS:
        return
    (marks, gaps), theirs = (_totals(texts, "stops", "stops_gap") for texts in (view.sample, view.theirs))
    if seems_tokenized((marks, gaps), (theirs[0], theirs[1])):
        share = f"{100 * gaps / marks:.0f} %"
        yield f"{view.name}: {share} of commas and full stops have a space before them; is it tokenized?"


def left_behind(view: View) -> Iterator[str]:
    """Find marks of words cut into pieces, D303, and tokens that only a model should see, D304; not in references."""
    for what, known in (("subword marks", SUBWORD_MARKS), ("special tokens", _BEGINNINGS)):
        marks = [mark for mark in known if mark in view.text]
        found = []
        for text, *others in zip(view.sample, *(one.sample for one in view.references), strict=True) if marks else ():
            here = [mark for mark in marks if mark in f"{text}\n" and not any(mark in f"{one}\n" for one in others)]
            found += here[:1]
        if len(found) >= max(1, min(3, 0.02 * len(view.sample))):
            looked_at = f"{len(found)} of {number_of(len(view.sample), 'segment')} looked at"
            lacking = f"{what} ({found[0].strip()}) that the references lack"
            yield f"{view.name}: {looked_at} have {lacking}; 'truebleu doctor' tells more"


# Each rule, and whether a system of which it has something to say needs no look by those after it.
RULES: tuple[tuple[Callable[[View], Iterator[str]], bool], ...] = (
    (blank_references, False),
    (blank, True),
    (same, True),
    (shuffled, True),
    (misread, False),
    (misfit, False),
    (tokenized, False),
    (left_behind, False),
)


def seems_tokenized(
    ours: Gaps, theirs: Gaps, least: float = FEWEST_GAPS, high: float = TOKENIZED, low: float = PLAIN
) -> bool:
    """Tell from two sides' numbers of marks, and of gaps before them, whether only the first is tokenized."""
    (marks, gaps), (their_marks, their_gaps) = ours, theirs
    is_enough = min(marks, their_marks) >= FEWEST_GAPS and gaps >= least
    return is_enough and gaps / marks >= high and their_gaps / their_marks < low


def warn_of_stops(stops: int) -> None:
    """Warn of so many hypotheses that end in a detached full stop."""
    if stops >= MANY_STOPS:
        warn(
            "%d hypotheses%s end in a full stop with a space before it, so they seem to be tokenized already. "
            "Scores of tokenized text are not comparable: detokenize, or pass force=True to silence this",
            stops, of_which(),
        )  # fmt: skip


def warn_of_script(metric: Any, streams: Sequence[Stream]) -> None:
    """Warn of references without spaces between words, of which a metric needs some."""
    if fitting := _fitting([text for stream in streams for text in stream[:: -(-len(stream) // 20)] if text]):
        names = " or ".join(f'"{name}"' for name in fitting.split(" or "))
        has = f"tokenize={names}" if hasattr(metric, "tokenizer") else "asian_support=True and normalized=True"
        name = metric.splits_at_spaces.replace("--ter-asian-support", "asian_support")
        warn(
            "the references have no spaces between words, and %s, so most sentences are one word; use %s. "
            "logging.getLogger('truebleu').setLevel('ERROR') silences this",
            name, has,
        )  # fmt: skip


def _looks_shuffled(segments: Texts, references: Stream) -> bool:
    """Tell from a sample whether segments are as near to the reference of another segment as to their own."""
    ours, theirs = [*segments], [text or "" for text in references]
    if len(ours) < 2 * FEW or len(set(theirs)) < 0.8 * len(theirs) or not any(theirs):
        return False
    chrf, orders = _chrf(), (theirs, [*theirs[1:], theirs[0]])
    own, moved = (chrf.score(chrf.totals(ours, [(*order,)], False, 1)) for order in orders)  # from 0 to 100
    return own < 1.0 + moved


# Encodings as which UTF-8 is taken by mistake. In clean text of 197 languages (programs' messages) at most 7 % of the
# characters beyond ASCII happen to be UTF-8 in one of them, and 3 % where there are more than a hundred.
_MISTAKEN = ("latin-1", "cp1252", "cp1251", "cp1250", "koi8-r")
_MISREAD_SHARE, _FEWEST_MISREAD, _ASCII = 0.3, 3, bytes(range(128))
# What letters with accents, Cyrillic, quotes, Chinese and Japanese become. One of them is in nearly all such texts, and
# in few others, which are spared a closer look.
_SIGNS = (*"ÃÂÐĂ─", "Рѕ", "Г©", "Г¤", "Гј", "ГЎ", "ï¼", "ã\x80", "ã€", "â€", "â\x80", "рџ", "пј", "гЂ", "╪", "В»")


def seems_misread(texts: Texts) -> bool:
    """Tell in little time whether texts in UTF-8 seem to have been read in another encoding."""
    joined = "".join(texts)
    return any(sign in joined for sign in _SIGNS) and mistaken_encoding(texts) is not None


def mistaken_encoding(texts: Stream) -> tuple[str, str, str] | None:
    """The encoding as which texts in UTF-8 were read, and a word before and after it is put right."""
    wide = [text for text in texts if text and not text.isascii()][:50]
    joined, best = "\n".join(wide), ""
    most = max(2 * _FEWEST_MISREAD - 1, _MISREAD_SHARE * (len(joined) - len(joined.encode("ascii", "ignore"))))
    for encoding in _MISTAKEN if len(wide) >= _FEWEST_MISREAD else ():
        right = joined.encode(encoding, "replace").decode(errors="ignore").encode().translate(None, _ASCII)
        if len(right) > most:
            best, most = encoding, len(right)
    words = [word for word in joined.split() if not word.isascii()] if best else []
    for errors in ("strict", "ignore"):  # of some only a part can be put right
        for word in words:
            with suppress(UnicodeError):
                return best, word, word.encode(best, errors).decode(errors=errors)
    return None


def _fitting(references: Sequence[str]) -> str:
    """The tokenizer for references without spaces between words; nothing for others."""
    letters, words = sum(_totals(references, *SCRIPTS, "other")), _totals(references, "words")[0]
    unspaced, (han, *kana) = sum(_totals(references, *UNSPACED)), _totals(references, *UNSPACED[:3])
    is_cut = words > 2 * len(references) and letters < _LETTERS_PER_WORD[han + sum(kana) > unspaced / 2] * words
    if unspaced < UNSPACED_SHARE * max(letters, 1) or is_cut:
        return ""
    # Japanese has Han beside its kana.
    if sum(kana) >= KANA_SHARE * letters:
        return "ja-mecab"
    return "zh" if han > unspaced / 2 else "flores200 or char"


def _totals(texts: Sequence[str], *columns: str) -> list[int]:
    """The totals of some of the core's columns."""
    cells = memoryview(_core.features(list(texts), 1)).cast("i")
    return [sum(cells[COLUMNS.index(name) :: len(COLUMNS)]) for name in columns]


# Lines that are missing.

_LEAST_GAIN = 5.0  # points of likeness for each line, on average, that moving the rest must bring


def drift(ours: list[str], references: Stream) -> str:
    """Say where texts of different lengths come apart, if one place explains it.

    Up to that line the two fit as they stand; from there on they fit when one of them is moved by the difference. The
    place is the one with the largest sum of sentence scores, and is told only if both parts fit clearly better than
    they do without moving anything.
    """
    import numpy as np

    theirs = [text or "" for text in references]
    if not ours or not theirs:
        return ""
    shorter, shift = min(len(ours), len(theirs)), len(theirs) - len(ours)
    count, threads = _chrf().sentence_scores, thread_count(None)
    as_is = np.frombuffer(count(ours[:shorter], [(*theirs[:shorter],)], False, threads))
    moved = np.frombuffer(count(ours[-shorter:], [(*theirs[-shorter:],)], False, threads))
    gains = np.concatenate([[0.0], np.cumsum(as_is)]) + np.concatenate([np.cumsum(moved[::-1])[::-1], [0.0]])
    at, short = int(gains.argmax()), "the system" if shift > 0 else "the reference"
    if at == shorter:
        fits = as_is.mean() >= moved.mean() + _LEAST_GAIN
        first = "first fits" if shorter == 1 else f"first {shorter} fit"
        return f". The {first}; is the end of {short} missing?" if fits else ""
    if gains[at] - max(gains[-1], gains[0] if at else 0.0) < _LEAST_GAIN * (shorter - at):
        return ""
    missing = f"{number_of(abs(shift), 'line')} of {short} missing"
    return f". They seem to drift apart at line {at + 1}: {'is' if abs(shift) == 1 else 'are'} {missing} there?"


@cache
def _chrf() -> Engine:
    return _core.chrf_engine(
        char_order=6, word_order=0, beta_squared=4.0, lowercase=False, whitespace=False, eps_smoothing=False
    )
