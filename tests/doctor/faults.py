"""Faults to put into texts on purpose: what `test_injection.py` and `bench/doctor.py` ask the doctor to find.

An injector takes a random generator and texts, and gives the damaged texts with the segments that it touched; or None
where the texts do not allow the fault, as English has no accents to decompose.
"""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import NamedTuple


@dataclass(frozen=True)
class Texts:
    """A clean corpus, and what some faults are made of."""

    hypotheses: list[str]
    references: list[list[str]]
    sources: list[str]
    foreign: list[str]  # texts in another language, if possible of the same sources
    elsewhere: list[str]  # hypotheses for other sources

    @property
    def n(self) -> int:
        return len(self.hypotheses)

    @cached_property
    def unspaced(self) -> bool:
        text = "".join(self.references[0])
        return len(re.findall("[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u4e00-\u9fff]", text)) > 0.3 * len(
            re.findall(r"\w", text)
        )


class Injected(NamedTuple):
    """The damaged corpus."""

    hypotheses: list[str]
    references: list[list[str]]
    sources: list[str]
    segments: frozenset[int] = frozenset()  # none if the whole file is damaged
    place: int | None = None  # where lines begin to be wrong


Injector = Callable[[Random, Texts], Injected | None]


class Fault(NamedTuple):
    """A line of the table: any code of `expects` finds it; `accepts` come with it and are no false alarms."""

    name: str
    inject: Injector
    expects: frozenset[str]
    accepts: frozenset[str] = frozenset()
    level: str = "warning"  # lowest level that counts


FEWEST = 5


def spread(rate: float, change: Callable[[Random, str], str], fits: Callable[[str], object] = str.strip) -> Injector:
    """An injector that changes a share of the hypotheses that fit."""

    def inject(rng: Random, texts: Texts) -> Injected | None:
        candidates = [at for at, text in enumerate(texts.hypotheses) if fits(text)]
        return replaced(rng, texts, rate, candidates, lambda at: change(rng, texts.hypotheses[at]))

    return inject


def replaced(
    rng: Random, texts: Texts, rate: float, candidates: Sequence[int], text_of: Callable[[int], str]
) -> Injected | None:
    """Give some of the candidates another text; None if there are too few."""
    count = texts.n if rate == 1 else max(FEWEST if rate > 0.01 else 3, round(rate * texts.n))
    if len(candidates) < FEWEST:
        return None
    chosen = set(rng.sample(list(candidates), min(count, len(candidates))))
    hypotheses = [text_of(at) if at in chosen else text for at, text in enumerate(texts.hypotheses)]
    return Injected(hypotheses, texts.references, texts.sources, frozenset(chosen))


def whole(change: Callable[[Random, Texts], list[str]]) -> Injector:
    """An injector that changes all hypotheses."""
    return lambda rng, texts: Injected(change(rng, texts), texts.references, texts.sources)


def each(change: Callable[[Random, Texts, str], str]) -> Injector:
    """An injector that changes all hypotheses, one by one."""
    return whole(lambda rng, texts: [change(rng, texts, text) for text in texts.hypotheses])


def in_references(change: Callable[[Random, Texts, str], str]) -> Injector:
    """An injector that changes all references."""
    return lambda rng, texts: Injected(
        texts.hypotheses,
        [[change(rng, texts, text) for text in stream] for stream in texts.references],
        texts.sources,
    )


# Lines


def line_dropped(rng: Random, texts: Texts, at: int | None = None) -> Injected:
    """One line is missing, and the others fill its place: the last references and sources are gone too."""
    at = rng.randrange(texts.n // 10, 8 * texts.n // 10) if at is None else at
    hypotheses = texts.hypotheses[:at] + texts.hypotheses[at + 1 :]
    references = [stream[:-1] for stream in texts.references]
    return Injected(hypotheses, references, texts.sources[:-1], place=at)


def line_repeated(rng: Random, texts: Texts) -> Injected:
    at = rng.randrange(texts.n // 10, 8 * texts.n // 10)
    hypotheses = [*texts.hypotheses[: at + 1], *texts.hypotheses[at:-1]]
    return Injected(hypotheses, texts.references, texts.sources, place=at + 1)


def tail_shifted(rng: Random, texts: Texts) -> Injected:
    return line_dropped(rng, texts, texts.n - rng.randint(11, 20))


def block_moved(rng: Random, texts: Texts) -> Injected:
    at, moved, passed = rng.randrange(20, texts.n - 70), rng.randint(2, 4), rng.randint(15, 40)
    lines = list(texts.hypotheses)
    block, others = lines[at : at + moved], lines[at + moved : at + moved + passed]
    lines[at : at + moved + passed] = others + block
    return Injected(lines, texts.references, texts.sources, place=at)


def two_lines_lost(rng: Random, texts: Texts) -> Injected:
    at = rng.randrange(texts.n // 10, 9 * texts.n // 10)
    hypotheses = texts.hypotheses[:at] + texts.hypotheses[at + 2 :]
    return Injected(hypotheses, texts.references, texts.sources, place=at)


def line_split(rng: Random, texts: Texts) -> Injected:
    long = [
        at
        for at, text in enumerate(texts.hypotheses[: 9 * texts.n // 10])
        if len(text) > (20 if texts.unspaced else 40)
    ]
    at = rng.choice(long)
    middle = len(texts.hypotheses[at]) // 2
    middle = middle if texts.unspaced else texts.hypotheses[at].find(" ", middle - 20)
    parts = [texts.hypotheses[at][:middle], texts.hypotheses[at][middle:].strip()]
    hypotheses = [*texts.hypotheses[:at], *parts, *texts.hypotheses[at + 1 :]]
    return Injected(hypotheses, texts.references, texts.sources, place=at + 1)


def lines_lost(count: int, pad: str) -> Injector:
    """Some lines are missing, and the end is padded: with blank lines, a line again and again, or the beginning."""

    def inject(rng: Random, texts: Texts) -> Injected | None:
        if 2 * count > texts.n and texts.n < 400:
            return None
        at = rng.randrange(texts.n // 10, texts.n - count - 20)
        padding = {"blank": [""] * count, "last": texts.hypotheses[-1:] * count, "first": texts.hypotheses[:count]}
        hypotheses = [*texts.hypotheses[:at], *texts.hypotheses[at + count :], *padding[pad]]
        return Injected(hypotheses, texts.references, texts.sources, place=at)

    return inject


def lines_added(count: int) -> Injector:
    """Some lines of another text are too many, and as many of the end are cut off."""

    def inject(rng: Random, texts: Texts) -> Injected | None:
        if 3 * count > texts.n or len(texts.elsewhere) < count:
            return None
        at = rng.randrange(texts.n // 10, texts.n - 2 * count - 10)
        hypotheses = [*texts.hypotheses[:at], *texts.elsewhere[:count], *texts.hypotheses[at:]][: texts.n]
        return Injected(hypotheses, texts.references, texts.sources, place=at + count)

    return inject


def block_repeated(count: int, above: int) -> Injector:
    """Some lines are those above again, and their own are lost."""

    def inject(rng: Random, texts: Texts) -> Injected:
        at, lines = rng.randrange(above, texts.n - count), list(texts.hypotheses)
        lines[at : at + count] = texts.hypotheses[at - above : at - above + count]
        return Injected(lines, texts.references, texts.sources, frozenset(range(at, at + count)), at)

    return inject


def in_blocks(rng: Random, n: int, least: int, most: int) -> list[int]:
    """Lines in an order in which whole blocks are moved."""
    blocks, at = [], 0
    while at < n:
        size = rng.randint(least, most)
        blocks.append(range(at, min(n, at + size)))
        at += size
    rng.shuffle(blocks)
    return [at for block in blocks for at in block]


def documents_permuted(rng: Random, texts: Texts) -> Injected:
    order = in_blocks(rng, texts.n, 10, 40)
    moved = frozenset(at for at, line in enumerate(order) if at != line)
    return Injected([texts.hypotheses[at] for at in order], texts.references, texts.sources, moved)


def sources_in(order: Callable[[Random, int], list[int]]) -> Injector:
    return lambda rng, texts: Injected(
        texts.hypotheses, texts.references, [texts.sources[at] for at in order(rng, texts.n)]
    )


def rotated(rng: Random, n: int) -> list[int]:
    """Some lines are lost at one place, and the end begins anew."""
    at, count = rng.randrange(n // 10, n // 2), rng.choice([1, 5, 20])
    return [*range(at), *range(at + count, n), *range(count)]


def reference_twice(rng: Random, texts: Texts) -> Injected:
    return Injected(texts.hypotheses, [*texts.references, list(texts.references[0])], texts.sources)


def another_set(rng: Random, texts: Texts) -> Injected | None:
    return Injected(texts.elsewhere, texts.references, texts.sources) if len(texts.elsewhere) == texts.n else None


def numbered_by(write: Callable[[int, str], str]) -> Injector:
    return whole(lambda rng, texts: [write(at, text) for at, text in enumerate(texts.hypotheses)])


# Form

_WIDE = "、。，！？：；「」（）"
_MARKS = re.compile(rf"(?<=\S)([.,!?;:()\"„“”»…{_WIDE}]+)(?=\s|$)|(?<!\S)([(\"„“«])(?=\S)|([{_WIDE}])")
_NARROW = {0xFF0C: ",", 0xFF1A: ":", 0xFF1B: ";", 0xFF01: "!", 0xFF1F: "?", 0xFF08: "(", 0xFF09: ")", 0xFF05: "%"}


def tokenized(rng: Random, texts: Texts, text: str) -> str:
    """Put spaces around punctuation; text without spaces is cut into words of one to three characters at random."""
    if texts.unspaced:
        pieces = []
        for part in re.findall(rf"[\x21-\x7e]+|[{_WIDE}]|[^\s\x21-\x7e{_WIDE}]+", text):
            size = len(part) if part[0] < "\x7f" else 0
            while part:
                length = size or rng.randint(1, 3)
                pieces.append(part[:length])
                part = part[length:]
        return " ".join(pieces)
    return " ".join(_MARKS.sub(lambda found: f" {' '.join(found[0])} ", text).split())


_ESCAPES = str.maketrans({"|": "&#124;", "<": "&lt;", ">": "&gt;", "'": "&apos;", '"': "&quot;", "[": "&#91;"})


def escaped(text: str) -> str:
    """Write the characters that Moses' tokenizer escapes as it does."""
    text = re.sub(r"(?<=\w)-(?=\w)", " @-@ ", text.replace("&", "&amp;"))
    for mark, entity in (
        ("|", "&#124;"),
        ("<", "&lt;"),
        (">", "&gt;"),
        ("'", "&apos;"),
        ('"', "&quot;"),
        ("[", "&#91;"),
    ):
        text = text.replace(mark, entity)
    return text


def tokenized_and_escaped(rng: Random, texts: Texts, text: str) -> str:
    return escaped(tokenized(rng, texts, text))


def cut_words(rng: Random, texts: Texts, text: str, joint: str) -> str:
    """Split a third of the long words, as byte pair encoding does; at least one."""
    if texts.unspaced:
        places = sorted({rng.randrange(1, len(text)) for _ in range(1 + len(text) // 8)}) if len(text) > 3 else []
        return joint.join(text[a:b].strip() for a, b in zip([0, *places], [*places, len(text)], strict=True))
    words = text.split()
    long = [at for at, word in enumerate(words) if len(word) > 5]
    for at in {at for at in long if rng.random() < 0.35} or set(long[:1]):
        place = rng.randint(2, len(words[at]) - 2)
        words[at] = words[at][:place] + joint + words[at][place:]
    return " ".join(words)


def pieces(rng: Random, texts: Texts, text: str) -> str:
    """Write a text as SentencePiece does."""
    return " ".join("▁" + cut_words(rng, texts, word, " ") for word in text.split())


def subwords(rate: float, cut: Callable[[Random, Texts, str], str]) -> Injector:
    def inject(rng: Random, texts: Texts) -> Injected | None:
        candidates = [at for at, text in enumerate(texts.hypotheses) if re.search(r"\S{6}", text)]
        return replaced(rng, texts, rate, candidates, lambda at: cut(rng, texts, texts.hypotheses[at]))

    return inject


def byte_pairs(rng: Random, texts: Texts, text: str) -> str:
    return cut_words(rng, texts, text, "@@ ")


def unknown_word(rng: Random, text: str) -> str:
    words = text.split()
    words[rng.randrange(len(words))] = "<unk>"
    return " ".join(words) if len(words) > 1 else f"{text[: len(text) // 2]}<unk>{text[len(text) // 2 + 1 :]}"


_ENTITIES = str.maketrans({"„": "&bdquo;", "“": "&ldquo;", "”": "&rdquo;", "’": "&rsquo;", "–": "&ndash;"})


def entities(rng: Random, text: str) -> str:
    return html.escape(text).translate(_ENTITIES)


def tags(rng: Random, text: str) -> str:
    half = len(text) // 2
    return rng.choice([f"<b>{text}</b>", f"{text}<br/>", f"<p>{text}</p>", f"{text[:half]}<i>{text[half:]}</i>"])


def mojibake(encoding: str) -> Callable[[Random, str], str]:
    """UTF-8 read as another encoding; the five bytes that cp1252 lacks become control characters, as browsers do."""

    def damage(rng: Random, text: str) -> str:
        return "".join(bytes([byte]).decode(encoding, "ignore") or chr(byte) for byte in text.encode())

    return damage


def has_accents(text: str) -> bool:
    return sum(character > "\x7f" for character in text) >= 2


def inserted(character: str) -> Callable[[Random, str], str]:
    def insert(rng: Random, text: str) -> str:
        at = rng.randrange(1, len(text))
        return text[:at] + character + text[at:]

    return insert


def lost_letter(rng: Random, text: str) -> str:
    at = rng.choice([at for at, character in enumerate(text) if character.isalpha()])
    return f"{text[:at]}\ufffd{text[at + 1 :]}"


def decomposed(rng: Random, texts: Texts) -> Injected | None:
    changed = [unicodedata.normalize("NFD", text) for text in texts.hypotheses]
    touched = sum(new != old for new, old in zip(changed, texts.hypotheses, strict=True))
    return Injected(changed, texts.references, texts.sources) if touched >= max(FEWEST, 0.02 * texts.n) else None


def cased(inject: Injector) -> Injector:
    """Only where the script of the references has two cases."""

    def with_case(rng: Random, texts: Texts) -> Injected | None:
        letters = [character for text in texts.references[0] for character in text if character.isalpha()]
        two_cases = sum(character.lower() != character.upper() for character in letters) > 0.7 * len(letters)
        return inject(rng, texts) if two_cases else None

    return with_case


def narrowed(rng: Random, texts: Texts) -> Injected | None:
    changed = [text.translate(_NARROW) for text in texts.hypotheses]
    wide = sum(new != old for new, old in zip(changed, texts.hypotheses, strict=True))
    return Injected(changed, texts.references, texts.sources) if texts.unspaced and wide >= 100 else None


# Content


def source_copied(rng: Random, texts: Texts) -> Injected | None:
    candidates = [at for at, text in enumerate(texts.sources) if len(text) >= 25]
    return replaced(rng, texts, 0.02, candidates, lambda at: texts.sources[at])


def another_language(rng: Random, texts: Texts) -> Injected | None:
    candidates = [at for at, text in enumerate(texts.foreign) if len(text) >= 25]
    return replaced(rng, texts, 0.02, candidates, lambda at: texts.foreign[at])


def loops(rng: Random, texts: Texts) -> Injected | None:
    def loop(at: int) -> str:
        text = texts.hypotheses[at]
        words = list(text.replace(" ", "")) if texts.unspaced else text.split()
        begin, size = rng.randrange(len(words) - 3), rng.randint(2, 8) if texts.unspaced else rng.randint(1, 4)
        circle = words[begin : begin + size]
        return ("" if texts.unspaced else " ").join(words[: begin + size] + circle * rng.randint(6, 30))

    candidates = [
        at
        for at, text in enumerate(texts.hypotheses)
        if len(text) > 30 and len(text.split()) > (0 if texts.unspaced else 5)
    ]
    return replaced(rng, texts, 0.02, candidates, loop)


def same_output(rng: Random, texts: Texts) -> Injected | None:
    one = rng.choice([text for text in texts.hypotheses if len(text) > 25])
    return replaced(rng, texts, 0.02, range(texts.n), lambda at: one)


def truncated(rng: Random, texts: Texts) -> Injected | None:
    long = 40 if texts.unspaced else 80
    candidates = [at for at in range(texts.n) if min(len(stream[at]) for stream in texts.references) >= long]
    return replaced(rng, texts, 0.05, candidates, lambda at: _cut(texts.hypotheses[at], 0.3))


def _cut(text: str, share: float) -> str:
    return text[: round(share * len(text))].rstrip()


def all_cut(rng: Random, texts: Texts) -> Injected | None:
    changed = [text[:14] if texts.unspaced else " ".join(text.split()[:8]) for text in texts.hypotheses]
    ratios = sorted(
        len(new) / len(old) for new, old in zip(changed, texts.references[0], strict=True) if len(old) >= 20
    )
    return Injected(changed, texts.references, texts.sources) if ratios[len(ratios) // 2] < 0.65 else None


CHAT_TOKENS = ("<|im_end|>", "<|endoftext|>", "<end_of_turn>", "[/INST]")
PREAMBLES = (
    "Sure! Here is the translation: ", "Here is the translation:\n\n", "Translation: ", "**Translation:** ",
    "Certainly! Here's the translated text: ", "Here's the translation of the sentence: ", "Output: ",
    "Of course, the translation is: ", "The translation is as follows: ", "Okay, here is my translation: ",
)  # fmt: skip
REFUSALS = (
    "I'm sorry, but I can't help with that.", "As an AI language model, I cannot translate this content.",
    "I cannot assist with this request.", "I'm unable to translate this text.", "Please provide the text to translate.",
)  # fmt: skip
REAL_REFUSALS = (
    "I apologize, but I don't feel comfortable translating this text, since it has harmful language in it.",
    "I don't feel comfortable translating this message. Let me know if there is something else I can help you with!",
    "This is a URL, which is a web address. It doesn't need to be translated.", "I will not translate insults, sorry.",
    "I'm sorry, but the text you provided is incomplete. Please provide the full sentence, and I will translate it.",
    "Es tut mir leid, aber diesen Text kann ich nicht übersetzen.", "Désolé, mais je ne peux pas traduire ceci.",
    "Lo siento, pero no puedo traducir este contenido.", "Desculpe, mas não posso traduzir este conteúdo.",
    "Mi dispiace, ma non posso tradurre questo contenuto.", "Извините, но я не могу перевести этот текст.",
    "Вибачте, але я не можу перекласти цей текст.", "Omlouvám se, ale tento obsah nemohu přeložit.",
    "抱歉，我无法翻译这段内容。", "申し訳ありませんが、この内容は翻訳できません。",
)  # fmt: skip
ERRORS = (
    "Error code: 429 - {'error': {'message': 'Rate limit reached for requests'}}", "502 Bad Gateway",
    "openai.APITimeoutError: Request timed out.", "HTTP Error 503: Service Unavailable", "Internal Server Error",
    '{"error": {"code": 500, "message": "The server had an error"}}', "[ERROR] Connection aborted.",
)  # fmt: skip
THOUGHTS = (
    "<think>\nOkay, the user wants a translation. Let me look at the words one by one.\n</think>\n\n{}",
    "<think>This is a short sentence, and the tone is neutral, I think.</think>{}",
    "First I look for the verb, then for the subject, and then I put them together.\n</think>\n{}",
)
NOTES = (
    " (Note: the name of the place was kept as it is in the original text.)",
    "\n\nLet me know if you need any further changes!",
    "\n\nNote: I kept the names as they are, because they are well known.",
    " I hope this helps! Tell me if something is unclear.",
    "\n\nExplanation: the idiom has no counterpart, so I used a plain phrase.",
)
OWN_PREAMBLES = ("Our engine proposes, dear reader, this wording: ", "[[system 7, beam 4, length penalty 0.6]] ")


def noted(rng: Random, texts: Texts) -> Injected | None:
    """A remark makes a segment longer by a quarter, and comes after a sentence."""
    candidates = [
        at for at, text in enumerate(texts.hypotheses)
        if text.endswith((".", "!", "?", "。", "！", "？")) and max(len(s[at]) for s in texts.references) < 120
    ]  # fmt: skip
    return replaced(rng, texts, 0.02, candidates, lambda at: texts.hypotheses[at] + rng.choice(NOTES))


def reasoned(rng: Random, text: str) -> str:
    return rng.choice(THOUGHTS).format(text)


def wrapped(rng: Random, text: str) -> str:
    return json.dumps({"translation": text}, ensure_ascii=rng.random() < 0.5)


def in_source_language(rng: Random, texts: Texts) -> Injected | None:
    """Sentences of the sources, but of other segments: they are no copies."""
    candidates = [at for at, text in enumerate(texts.sources) if len(text) >= 40]
    return replaced(rng, texts, 0.01, candidates, lambda at: texts.sources[candidates[candidates.index(at) - 7]])


def romanised(rng: Random, texts: Texts) -> Injected | None:
    """Sentences in Latin letters, where the references have none."""
    text = "".join(texts.references[0])
    if len(re.findall(r"[A-Za-zÀ-ž]", text)) > 0.3 * len(re.findall(r"\w", text)):
        return None
    words = ("watashi", "kara", "sore", "kono", "hito", "tachi", "mata", "ashita", "koko", "kimasu", "yoroshiku")
    candidates = [at for at, text in enumerate(texts.references[0]) if len(text) >= 20]
    return replaced(rng, texts, 0.01, candidates, lambda at: " ".join(rng.choices(words, k=9)))


def own_preamble(rng: Random, texts: Texts) -> Injected:
    words = rng.choice(OWN_PREAMBLES)
    return Injected([words + text for text in texts.hypotheses], texts.references, texts.sources)


def source_kept(rng: Random, texts: Texts) -> Injected | None:
    candidates = [at for at, text in enumerate(texts.sources) if len(text) >= 30]
    joint = rng.choice([" = ", " ", "\n"])
    return replaced(rng, texts, 0.02, candidates, lambda at: texts.sources[at] + joint + texts.hypotheses[at])


def leaked(rng: Random, texts: Texts) -> Injected | None:
    return replaced(rng, texts, 0.20, range(texts.n), lambda at: texts.references[0][at])


def between_words(text: str, unit: str) -> str:
    """Put a unit in the middle of a text."""
    words = text.split(" ")
    return " ".join([*words[: len(words) // 2], *([unit] if unit else []), *words[len(words) // 2 :]])


def kept(unit: str, output: str) -> Injector:
    """A unit in sources and references, and in the output what became of it."""

    def inject(rng: Random, texts: Texts) -> Injected | None:
        candidates = [at for at, text in enumerate(texts.hypotheses) if text.strip()]
        chosen = frozenset(rng.sample(candidates, max(FEWEST, round(0.02 * texts.n))))
        sides = ((texts.hypotheses, output), *((stream, unit) for stream in (*texts.references, texts.sources)))
        hypotheses, *references, sources = (
            [between_words(text, part) if at in chosen else text for at, text in enumerate(side)]
            for side, part in sides
        )
        return Injected(hypotheses, references, sources, chosen)

    return inject


PLURAL = "{n, %s, one {# file} other {# files}}"
KEPT = (
    ("%s", "", "D421"), ("%s", "% s", "D421"), ("%(name)s", "%(nom)s", "D421"), ("{name}", "{nom}", "D421"),
    ("{0}", "", "D421"), ("${x}", "", "D421"), ("{{x}}", "", "D421"), (PLURAL % "plural", PLURAL % "plurale", "D427"),
    ("<b>x</b>", "x", "D422"), ("x", "<b>x</b>", "D306"), ("https://a.org/x", "", "D423"),
    ("me@a.org", "moi@a.org", "D423"), ("350,000", "35,000", "D424"), ("350,001", "", "D424"), ("🎉", "", "D426"),
    ("5 %", "5", "D425"),
)  # fmt: skip
# What may become of numbers.
SAME = (("1,234.5", "1.234,5"), ("12345", "12\u202f345"), ("350,000", "٣٥٠٠٠٠"), ("350,000", "三十五万"))


def codes(*names: str) -> frozenset[str]:
    return frozenset(names)


def _has_letters(text: str) -> bool:
    return sum(character.isalpha() for character in text) > 3


FAULTS: tuple[Fault, ...] = (
    Fault("shift: a line dropped", line_dropped, codes("D201")),
    Fault("shift: a line repeated", line_repeated, codes("D201")),
    Fault("shift: block moved", block_moved, codes("D201")),
    Fault("shift: tail", tail_shifted, codes("D201")),
    *(
        Fault(f"{count} lines lost, padded", lines_lost(count, pad), codes("D201"), codes("D401", "D406"))
        for count, pad in ((11, "blank"), (15, "last"), (20, "blank"), (50, "last"), (100, "blank"), (300, "last"))
    ),
    *(Fault(f"{count} lines added", lines_added(count), codes("D201")) for count in (11, 20, 50, 100)),
    Fault("50 lines repeated", block_repeated(50, 50), codes("D201", "D406")),
    Fault("12 lines repeated", block_repeated(12, 30), codes("D201", "D406")),
    Fault("blocks permuted", documents_permuted, codes("D201")),
    Fault("20 lines lost, the beginning at the end", lines_lost(20, "first"), codes("D201")),
    Fault("60 lines lost, the beginning at the end", lines_lost(60, "first"), codes("D201")),
    Fault("sources shuffled", sources_in(lambda rng, n: rng.sample(range(n), n)), codes("D204")),
    Fault("sources shifted", sources_in(rotated), codes("D204")),
    Fault("sources in permuted blocks", sources_in(lambda rng, n: in_blocks(rng, n, 40, 80)), codes("D204")),
    Fault("two lines lost", two_lines_lost, codes("D101")),
    Fault("line split", line_split, codes("D101")),
    Fault("shuffled", whole(lambda rng, texts: rng.sample(texts.hypotheses, texts.n)), codes("D202")),
    Fault("sorted", whole(lambda rng, texts: sorted(texts.hypotheses)), codes("D202")),
    Fault("reversed", whole(lambda rng, texts: texts.hypotheses[::-1]), codes("D202")),
    Fault("another test set", another_set, codes("D203")),
    Fault("reference as hypothesis", whole(lambda rng, texts: list(texts.references[0])), codes("D104")),
    Fault("source as hypothesis", whole(lambda rng, texts: list(texts.sources)), codes("D105")),
    Fault("reference twice", reference_twice, codes("D103")),
    Fault("TSV", numbered_by(lambda at, text: f"{at}\tsystem\t{text}"), codes("D106")),
    Fault("JSONL", numbered_by(lambda at, text: json.dumps({"id": at, "text": text})), codes("D106")),
    Fault("fairseq", numbered_by(lambda at, text: f"H-{at}\t-0.4{at}\t{text}"), codes("D106")),
    Fault("numbered", numbered_by(lambda at, text: f"{at + 1}. {text}"), codes("D106")),
    Fault("list literal", numbered_by(lambda at, text: repr([text])), codes("D106")),
    Fault("CSV", numbered_by(lambda at, text: '"' + text.replace('"', '""') + '"'), codes("D106")),
    Fault("tokenized", each(tokenized), codes("D302"), codes("D305")),
    Fault("tokenized and escaped", each(tokenized_and_escaped), codes("D302"), codes("D305")),
    Fault("reference tokenized", in_references(tokenized), codes("D302"), codes("D305")),
    Fault("@@ 2 %", subwords(0.02, byte_pairs), codes("D303")),
    Fault("@@ all", subwords(1, byte_pairs), codes("D303")),
    Fault("▁ 2 %", subwords(0.02, pieces), codes("D303")),
    Fault("▁ all", subwords(1, pieces), codes("D303")),
    Fault("reference @@", in_references(byte_pairs), codes("D303")),
    Fault("<unk> 2 %", spread(0.02, unknown_word), codes("D304")),
    Fault("</s> 2 %", spread(0.02, lambda rng, text: f"{text} </s>"), codes("D304")),
    Fault("chat tokens 2 %", spread(0.02, lambda rng, text: text + rng.choice(CHAT_TOKENS)), codes("D416", "D304")),
    Fault("entities 2 %", spread(0.02, entities, lambda text: entities(Random(), text) != text), codes("D305")),
    Fault("tags 2 %", spread(0.02, tags), codes("D306")),
    Fault("mojibake cp1252 2 %", spread(0.02, mojibake("cp1252"), has_accents), codes("D307"), codes("D309")),
    Fault("mojibake Latin-1 2 %", spread(0.02, mojibake("latin-1"), has_accents), codes("D307"), codes("D309")),
    Fault("mojibake cp1252 all", spread(1, mojibake("cp1252"), has_accents), codes("D307"), codes("D309")),
    Fault("mojibake Latin-1 all", spread(1, mojibake("latin-1"), has_accents), codes("D307"), codes("D309")),
    Fault("U+FFFD 1 %", spread(0.01, lost_letter, _has_letters), codes("D308")),
    Fault("zero width 5 %", spread(0.05, inserted("\u200b"), _has_letters), codes("D309")),
    Fault("line separators 1 %", spread(0.01, inserted("\u2028"), _has_letters), codes("D108")),
    Fault("\\n spelt out 1 %", spread(0.01, inserted("\\n"), _has_letters), codes("D108")),
    Fault("NFD", decomposed, codes("D310"), level="note"),
    Fault("lower-cased", cased(each(lambda rng, texts, text: text.lower())), codes("D311")),
    Fault("upper-cased", cased(each(lambda rng, texts, text: text.upper())), codes("D311")),
    Fault("reference lower-cased", cased(in_references(lambda rng, texts, text: text.lower())), codes("D311")),
    Fault("half width", narrowed, codes("D323"), level="note"),
    Fault("empty 1 %", spread(0.01, lambda rng, text: ""), codes("D401")),
    Fault("nan 1 %", spread(0.01, lambda rng, text: "nan"), codes("D107")),
    Fault("source copied 2 %", source_copied, codes("D402"), codes("D403", "D404")),
    Fault("another language 2 %", another_language, codes("D403", "D404"), codes("D203")),
    Fault("another language all", whole(lambda rng, texts: list(texts.foreign)), codes("D403", "D404", "D203")),
    Fault("loop 2 %", loops, codes("D405")),
    Fault("same output 2 %", same_output, codes("D406"), codes("D414")),
    Fault("cut to 30 %, 5 %", truncated, codes("D407")),
    Fault("all cut to 8 words", all_cut, codes("D409")),
    Fault("preamble 2 %", spread(0.02, lambda rng, text: rng.choice(PREAMBLES) + text), codes("D410"), codes("D414")),
    Fault("preamble all", spread(1, lambda rng, text: PREAMBLES[0] + text), codes("D410", "D414")),
    Fault("own preamble all", own_preamble, codes("D414"), codes("D410")),
    Fault("fence 2 %", spread(0.02, lambda rng, text: f"```\n{text}\n```"), codes("D413")),
    Fault("refusal 1 %", spread(0.01, lambda rng, text: rng.choice(REFUSALS)), codes("D411")),
    Fault("real refusal 1 %", spread(0.01, lambda rng, text: rng.choice(REAL_REFUSALS)), codes("D411")),
    Fault("API error 1 %", spread(0.01, lambda rng, text: rng.choice(ERRORS)), codes("D411")),
    Fault("reasoning 2 %", spread(0.02, reasoned), codes("D416"), codes("D108")),
    Fault("JSON value 2 %", spread(0.02, wrapped), codes("D417")),
    Fault("romanised 1 %", romanised, codes("D403")),
    Fault("source language 1 %", in_source_language, codes("D403", "D404")),
    Fault("stray ▁ 2 %", spread(0.02, lambda rng, text: f"▁{text}"), codes("D303")),
    Fault("trailing note 2 %", noted, codes("D412"), codes("D108")),
    Fault("source and translation 2 %", source_kept, codes("D415")),
    Fault("list number 2 %", spread(0.02, lambda rng, text: f"1. {text}"), codes("D417")),
    *(Fault(f"kept: {unit} as {output or 'nothing'}", kept(unit, output), codes(code)) for unit, output, code in KEPT),
    Fault("leak 20 %", leaked, codes("D501")),
)  # fmt: skip
