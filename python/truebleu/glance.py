"""One quick look at texts: are these what somebody meant to score?

A `Glance` sees systems and their references, all at once or batch by batch, and keeps a few facts and a sample. A rule
is a function of this module and its line in `RULES`. The rules are the quick form of the doctor's, which know more and
take their thresholds and lists of words from here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from operator import eq

from truebleu import _core
from truebleu._counts import number_of
from truebleu._logs import has_receiver, of_which, warn
from truebleu._options import FEWEST_SEEN, checks_are_off
from truebleu._shown import shown
from truebleu._typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from truebleu._core import LineCounter

    Texts = Sequence[str]
    Stream = Sequence[str | None]
    Gaps = tuple[int, int]  # how many marks there are, and how many of them have a gap before them
    Rules = Sequence[tuple[Callable[["View"], Iterator[str]], bool]]

T = TypeVar("T")

SAMPLE = 200  # segments in a sample, at most
FEW = 10  # so few segments say nothing

# Lines are kept in blocks, and so many blocks at most, at equal distances: a line is compared with its neighbours.
BLOCK, BLOCKS = 256, 16
# The quick look at their order is at up to so many windows of so many lines, so far apart at least. Of the words that
# stand on one line of each side there, such a share stands on the same line, unless lines are moved or in no order: in
# WMT22 it is 0.69 and more in windows of 32 lines, and 0.25 at most with lines moved. Fewer words say nothing.
_WINDOWS, _WINDOW, _APART, _FITTING, _FEWEST_VOTES = 12, 6, 160, 0.5, 8
# An output in another language has less than such a share of the commonest words of the references, if there are so
# many: in WMT22 it is 0.76 and more, and 0.11 at most of sources.
_COMMON, _SHARED = 10, 0.35
# Moved lines are refused if BLEU is so many times as high elsewhere, and so many points.
_SURELY = (3.0, 10.0)
# The share of lines equal to the source, where the reference is not, from which on the output is the source.
_COPIED = 0.8

# From so many hypotheses on that end in a detached full stop, and such a share, metrics that count them all say so.
MANY_STOPS, _STOPS_SHARE = 100, 0.01
# Text is tokenized if so many of its commas and full stops, and such a share, have a space before them while less than
# another share of the other side's have one.
FEWEST_GAPS, TOKENIZED, PLAIN = 20, 0.30, 0.10
# The share of letters from which on a text counts as one without spaces between words, and that of kana in Japanese.
UNSPACED_SHARE, KANA_SHARE = 0.30, 0.10
# With fewer letters between two spaces, somebody has cut such a text into words; those of Han and kana are shorter.
_LETTERS_PER_WORD = {True: 3, False: 8}
# Tokenizers that cut at spaces, and so take a sentence of Chinese for a word.
SPACE_BASED = ("13a", "intl", "none")

# What a decoder leaves behind: marks of subwords, before a space or anywhere; special tokens, and
# those of chats among them.
SYSTEM_MARKS, TURN_MARKS = ("<<SYS>>", "<</SYS>>"), ("<start_of_turn>", "<end_of_turn>")
SUBWORD_MARKS = ("@@ ", "@@\n", "\u2581", "<0x")
SPECIAL_TOKENS = (
    *(f"<{word}>" for word in ("s", "/s", "unk", "pad", "eos", "bos", "mask")),
    *(f"<{word}>" for word in ("S", "/S", "UNK", "PAD", "EOS", "BOS", "MASK")),
    *(f"[{word}]" for word in ("UNK", "PAD", "CLS", "SEP", "MASK", "INST", "/INST")),
    "\u2047", "<think>", "</think>", *SYSTEM_MARKS, *TURN_MARKS,
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


class Certain(str):
    """A doubt of which nothing is doubtful: the command refuses such texts."""


def look_at(systems: Sequence[Texts], streams: Sequence[Stream], sources: Stream | None = None) -> Glance:
    """Look at all segments at once."""
    glance = Glance(len(systems))
    # Where there are more sources, what is scored is not what was translated, but longer.
    glance.look_at(systems, streams, sources=sources if sources and len(sources) == len(systems[0]) else ())
    return glance


def warn_of(
    systems: Mapping[str, Texts], streams: Sequence[Stream], sources: Stream | None = None, rules: Rules = ()
) -> None:
    """Warn a caller in Python of texts that nobody can have meant to score; the command does so itself."""
    first = next(iter(systems.values()), ())
    if len(first) < FEWEST_SEEN or has_receiver() or checks_are_off():
        return
    rules = rules or quick_rules(first, streams)
    names = [f"references[{at}]" for at in range(len(streams))]
    for doubt in look_at([*systems.values()], streams, sources).warn([*systems], names, rules=rules):
        warn("%s", doubt)


class Glance:
    """A look at systems and their references, at all segments at once or batch by batch."""

    def __init__(self, systems: int = 1) -> None:
        self.segments = 0
        self._are_blank: list[list[bool]] = [[True] * systems, []]  # of systems, and of references
        self._same: list[set[int]] = [set() for _ in range(systems)]
        self._texts: list[list[Any]] = [[] for _ in range(systems)]
        self._streams: list[list[Any]] = []
        self._sources: list[str | None] = []
        self._distance = 1  # of the blocks that are kept

    @classmethod
    def of_lines(cls, counter: LineCounter, references: int) -> Glance:
        """Take what a counter of lines has seen on its way."""
        kept: list[list[Any]] = [[line.decode() for line in lines] for lines in counter.sample()]
        are_blank = [filled == 0 for filled in counter.filled()]
        found = cls()
        found.segments, found._same = counter.lines()[0], [set(places) for places in counter.same()]
        found._are_blank = [are_blank[references:], are_blank[:references]]
        found._texts, found._streams = kept[references:], kept[:references]
        while -(-found.segments // (BLOCK * found._distance)) > BLOCKS:
            found._distance *= 2
        return found

    @property
    def references(self) -> int:
        """The largest number of references of a segment so far."""
        return len(self._streams)

    @property
    def is_settled(self) -> bool:
        """Whether segments that follow matter only if they are kept: no text is blank, and no system is a reference."""
        return self.segments > 0 and not any(map(any, self._are_blank)) and not any(self._same)

    def chosen(self, segments: int) -> list[int]:
        """Choose those of the segments that follow that are kept: blocks at equal distances, powers of two."""
        return [at for stretch in self.stretches(segments) for at in range(stretch.start, stretch.stop)]

    def stretches(self, segments: int) -> list[slice]:
        """Choose them as stretches."""
        end = self.segments + segments
        while -(-end // (BLOCK * self._distance)) > BLOCKS:
            for texts in (*self._texts, *self._streams, self._sources):
                texts[:] = [text for at in range(0, len(texts), 2 * BLOCK) for text in texts[at : at + BLOCK]]
            self._distance *= 2
        apart = BLOCK * self._distance
        starts = range(self.segments // apart * apart, end, apart)
        found = [slice(max(0, at - self.segments), min(end, at + BLOCK) - self.segments) for at in starts]
        return [stretch for stretch in found if stretch.start < stretch.stop]

    def look_at(
        self, systems: Sequence[Texts], streams: Sequence[Stream], of: int | None = None, sources: Stream = ()
    ) -> None:
        """Learn from the next segments; or, where they are settled, from those that were `chosen` of so many."""
        segments = len(systems[0]) if of is None else of
        stretches = self.stretches(segments) if of is None else [slice(None)]
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
        places, texts = (*self._texts, *self._streams, self._sources), (*systems, *streams, *missing, sources)
        for kept, each in zip(places, texts, strict=True):
            for stretch in stretches:
                kept += each[stretch]
        self.segments += segments

    def doubts(
        self,
        systems: Texts,
        references: Texts,
        splits: Texts = (),
        *,
        is_first: bool = True,
        rules: Rules = (),
    ) -> Iterator[str]:
        """Say what is doubtful about systems and references of these names; of the references once, if at all."""
        seen = [Seen(*one) for one in zip(map(shown, references), self._are_blank[1], self._streams, strict=True)]
        for at, name in enumerate(systems):
            view = View(shown(name), self._texts[at], seen, self._distance)
            view.same = [seen[one].name for one in sorted(self._same[at])] if self.segments >= FEW else []
            view.is_blank, view.is_first = self._are_blank[0][at], is_first and at == 0
            view.sources, view.split_at_spaces = self._sources, splits
            for find, is_last in rules or RULES:
                found = list(find(view))
                yield from found
                if found and is_last:
                    break

    def warn(self, *names: Sequence[str], is_first: bool = True, rules: Rules = ()) -> list[Certain]:
        """Warn of what is doubtful; the arguments are those of `doubts`. What is certain is left to the caller."""
        certain = []
        for doubt in self.doubts(*names, is_first=is_first, rules=rules):
            if isinstance(doubt, Certain):
                certain.append(doubt)
            else:
                warn("%s", doubt)
        return certain


def sample_of(texts: Sequence[T]) -> Sequence[T]:
    """Take texts at equal distances, powers of two, that are no more than a sample."""
    distance = 1
    while -(-len(texts) // distance) > SAMPLE:
        distance *= 2
    return texts[::distance]


# Plain classes: to make a named tuple takes longer than to look at the texts.


class Seen:
    """A reference as far as it was seen."""

    def __init__(self, name: str, is_blank: bool, kept: Stream) -> None:
        self.name, self.is_blank, self.kept, self.sample = name, is_blank, kept, sample_of(kept)


class View:
    """What a rule sees: one system beside its references, the lines that were kept of both, and a sample of these."""

    def __init__(self, name: str, kept: Texts, references: Sequence[Seen], distance: int = 1) -> None:
        self.name, self.kept, self.sample, self.references = name, kept, sample_of(kept), references
        self.is_blank = False
        self.same: Sequence[str] = ()  # the references that have the very lines of the system
        self.sources: Stream = ()
        self.is_first = True  # whether the references are to be looked at too
        self.split_at_spaces: Sequence[str] = ()  # the metrics that take what stands between spaces for words, and why
        self._distance = distance  # of the blocks that were kept

    @property
    def theirs(self) -> Texts:
        """All references' samples."""
        return [text for one in self.references for text in one.sample if text]

    @property
    def is_whole(self) -> bool:
        """Whether all lines were kept."""
        return self._distance == 1

    def line(self, at: int) -> str:
        """Name a line that was kept, as exactly as that is known."""
        number = at // BLOCK * BLOCK * self._distance + at % BLOCK + 1
        return f"line {number}" if self.is_whole else f"about line {number}"


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


def source(view: View) -> Iterator[str]:
    """Find the source in place of the output."""
    known = [list(one.kept) for one in view.references]
    lines = zip(view.kept, view.sources, *known, strict=True) if view.sources and known else ()
    asked = [ours == theirs for ours, theirs, *others in lines if theirs and theirs not in others]
    if len(asked) >= FEW and sum(asked) >= _COPIED * len(asked):
        copied = f"{sum(asked)} of {number_of(len(asked), 'line')} looked at"
        yield f"{view.name} has the text of the source in {copied}; is it the output of a system?"


def misplaced(view: View) -> Iterator[str]:
    """Find lines that do not fit any reference as they stand: in another language, moved, or in no order."""
    fits = [_fit(view.kept, one.kept) for one in view.references if len(view.kept) >= 2 * FEW]
    is_fine = not fits or any(fine for fine, _ in fits)
    moves = [] if is_fine else [move for one in view.references if (move := _moved(view, one.kept))]
    if moves:
        yield _told(view, *max(moves, key=lambda move: len(move[0])))
    elif fits and all(foreign for _, foreign in fits):
        yield f"{view.name} has hardly any of the references' common words; is it the source, or in another language?"
    elif not is_fine and all(_looks_shuffled(view.sample, one.sample) for one in view.references):
        yield (
            f"{view.name} fits the reference no better line by line than with its lines in another order; are they "
            "shuffled, or in another language?"
        )


def misread(view: View) -> Iterator[str]:
    """Find UTF-8 that was read in another encoding; D307."""
    sides: list[tuple[str, str, Stream]] = [(view.name, "sys", view.sample)]
    sides += [(f"the reference {one.name}", "ref", one.sample) for one in view.references] if view.is_first else []
    for name, side, texts in sides:
        wide = [text for text in texts if text and not text.isascii()]
        if seems_misread(wide[:: max(1, len(wide) // 8)]) and (found := mistaken_encoding(wide)):
            encoding, bad, good = found
            yield (
                f"{name}: text such as {shown(bad, 40)!r} for {shown(good, 40)!r} is UTF-8 that was read as "
                f"{encoding}; read it as UTF-8 (-e {side}=utf-8), or, if the file itself is like this, restore it "
                "('truebleu doctor' tells more)"
            )


def misfit(view: View) -> Iterator[str]:
    """Find references in a script that the tokenizers of the metrics do not fit; D301."""
    is_asked = view.is_first and view.split_at_spaces and not all(map(str.isascii, view.theirs))
    if is_asked and (fitting := _fitting(view.theirs[:: -(-len(view.theirs) // 50)])):
        reasons = " and ".join(view.split_at_spaces)
        yield f"{view.name}: the references have no spaces between words, and {reasons}; use {fitting}"


def tokenized(view: View) -> Iterator[str]:
    """Find text that a tokenizer has cut up; D302. Of more segments `warn_of_stops` knows."""
    sample = view.sample
    if len(sample) >= MANY_STOPS or sum(text.count(" ,") + text.count(" .") for text in sample) < FEWEST_GAPS:
        return
    (marks, gaps), theirs = (_totals(texts, "stops", "stops_gap") for texts in (sample, view.theirs))
    if seems_tokenized((marks, gaps), (theirs[0], theirs[1])):
        share = f"{100 * gaps / marks:.0f} %"
        yield f"{view.name}: {share} of commas and full stops have a space before them; is it tokenized?"


def left_behind(view: View) -> Iterator[str]:
    """Find marks of words cut into pieces, D303, and tokens that only a model should see, D304; not in references."""
    sample, references = view.sample, [one.sample for one in view.references]
    whole = "\n".join([*sample, ""])
    for what, known in (("subword marks", SUBWORD_MARKS), ("special tokens", _BEGINNINGS)):
        marks = [mark for mark in known if mark in whole]
        found = []
        for text, *others in zip(sample, *references, strict=True) if marks else ():
            here = [mark for mark in marks if mark in f"{text}\n" and not any(mark in f"{one}\n" for one in others)]
            found += here[:1]
        if len(found) >= max(1, min(3, 0.02 * len(sample))):
            looked_at = f"{len(found)} of {number_of(len(sample), 'segment')} looked at"
            lacking = f"{what} ({found[0].strip()}) that the references lack"
            yield f"{view.name}: {looked_at} have {lacking}; 'truebleu doctor' tells more"


# Each rule, and whether a system of which it has something to say needs no look by those after it.
ORDER: Rules = ((source, True), (misplaced, True))
RULES: Rules = (
    (blank_references, False),
    (blank, True),
    (same, True),
    (misread, True),
    *ORDER,
    (misfit, False),
    (tokenized, False),
    (left_behind, False),
)
QUICK = (*RULES[:3], *ORDER)  # these cost next to nothing


def quick_rules(texts: Texts, streams: Sequence[Stream]) -> Rules:
    """Choose what a call in Python can afford to look for; misread text only where a few segments speak for it."""
    step = -(-len(texts) // 4)  # few, because each of the encodings that may have been taken by mistake is tried
    few = [text for side in (texts, *streams) for text in side[::step] if text and not text.isascii()]
    return RULES[:6] if seems_misread(few) else QUICK


def seems_tokenized(
    ours: Gaps, theirs: Gaps, least: float = FEWEST_GAPS, high: float = TOKENIZED, low: float = PLAIN
) -> bool:
    """Tell from two sides' numbers of marks, and of gaps before them, whether only the first is tokenized."""
    (marks, gaps), (their_marks, their_gaps) = ours, theirs
    is_enough = min(marks, their_marks) >= FEWEST_GAPS and gaps >= least
    return is_enough and gaps / marks >= high and their_gaps / their_marks < low


def many_stops(segments: int) -> float:
    """How many detached full stops at the end say that segments are tokenized."""
    return max(MANY_STOPS, _STOPS_SHARE * segments)


def warn_of_stops(stops: int, segments: int) -> None:
    """Warn of so many hypotheses that end in a detached full stop."""
    if stops >= many_stops(segments):
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


def warn_of_layout(who: str, what: str, texts: Texts, streams: Sequence[Stream], *, by_segment: bool = False) -> None:
    """Warn of as many references as segments that match better if streams are taken for segments, and segments for
    streams: both readings fit. `by_segment` says that the references were given by segment."""
    from truebleu.drift import chrf_of

    step = -(-len(texts) // 20)
    ours, here = texts[::step], [[text or "" for text in stream[::step]] for stream in streams[::step]]
    there = [[*stream] for stream in zip(*here, strict=True)]
    as_given, turned = (sum(chrf_of(ours, reading)) / len(reading) for reading in (here, there))
    if turned > as_given + 1.0:
        ways = ("by segment", "by stream") if by_segment else ("by stream", "by segment")
        told = "" if by_segment else "; layout='segments' says so, and layout='streams' silences this"
        warn(
            "%s: there are as many lists in %s as texts. They were read %s, and read %s they match better: if that was "
            "meant, pass list(zip(*%s))%s",
            who, what, *ways, what, told,
        )  # fmt: skip


def _looks_shuffled(segments: Texts, references: Stream) -> bool:
    """Tell from a sample whether segments are as near to the reference of another segment as to their own."""
    from truebleu.drift import chrf_of

    ours, theirs = [*segments], [text or "" for text in references]
    if len(ours) < 2 * FEW or len(set(theirs)) < 0.8 * len(theirs) or not any(theirs):
        return False
    own, turned = chrf_of(ours, [theirs, [*theirs[1:], theirs[0]]])
    return own < 1.0 + turned


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
    words, others, *scripts = _totals(references, "words", "other", *SCRIPTS)
    letters, counts = others + sum(scripts), dict(zip(SCRIPTS, scripts, strict=True))
    han, *kana = (counts[name] for name in UNSPACED[:3])
    unspaced = sum(counts[name] for name in UNSPACED)
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


# Lines that are moved.


def _fit(ours: Texts, references: Stream) -> tuple[bool, bool]:
    """Tell from some windows whether lines fit those beside them, and whether hardly any common word is shared."""
    last, windows = len(ours) - _WINDOW, max(2, min(_WINDOWS, len(ours) // _APART))
    starts = [at * last // (windows - 1) for at in range(windows)]
    here = [text for at in starts for text in ours[at : at + _WINDOW]]
    there = [text or "" for at in starts for text in references[at : at + _WINDOW]]
    cells, common, shared = _core.line_fit(here, there, _WINDOW)
    votes = memoryview(cells).cast("I").tolist()
    pairs = [*zip(votes[::2], votes[1::2], strict=True), (sum(votes[::2]), sum(votes[1::2]))]
    enough = [own >= _FITTING * both for own, both in pairs if both >= _FEWEST_VOTES]
    if shared < _SHARED:  # the words of a few windows may be those of a subject
        _, common, shared = _core.line_fit([*sample_of(ours)], [text or "" for text in sample_of(references)], _WINDOW)
    return bool(enough) and all(enough), common >= _COMMON and shared < _SHARED


def _moved(view: View, references: Stream) -> tuple[list[tuple[int, int]], float, float] | None:
    """Find lines that fit clearly better elsewhere; `drift.moved` says how, and what is given."""
    from truebleu.drift import moved

    theirs = [text or "" for text in references]
    is_unspaced = not all(map(str.isascii, theirs)) and _fitting(sample_of(theirs))
    # Blocks that are apart say nothing of lines that are farther away than a block.
    farthest = len(theirs) if view.is_whole else BLOCK
    return moved(view.kept, theirs, farthest, "char" if is_unspaced else "13a")


def _told(view: View, lines: list[tuple[int, int]], given: float, moved: float) -> str:
    """Say where lines are that fit; certain where nobody can doubt it."""
    offset, (times, points) = lines[0][1] - lines[0][0], _SURELY
    way, what = ("down", "missing") if offset > 0 else ("up", "too many")
    text = (
        f"{view.name}: from {view.line(lines[0][0])} on, lines fit the reference {number_of(abs(offset), 'line')} "
        f"further {way} (BLEU {moved:.1f} there, {given:.1f} as they stand); are there lines {what} before it?"
    )
    is_certain = moved >= max(times * given, given + points) and 2 * len(lines) >= len(view.kept)
    return Certain(text) if is_certain else text
