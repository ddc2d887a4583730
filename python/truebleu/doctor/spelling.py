"""D428 to D430: text in another spelling: Traditional characters, kana for kanji, no diacritics; language tags."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from truebleu.doctor.finding import quotation
from truebleu.doctor.rule import Fault, NotChecked, listed, many
from truebleu.doctor.unwrapping import tag_place, variants

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truebleu.doctor.case import Case

_KANA = ("Hiragana", "Katakana")
_FEWEST_LETTERS = 16
_MARKED = 0.03  # the share of words with diacritics in a language that needs them
# Letters that Unicode does not take apart.
_STRIPPED = str.maketrans("øØłŁđĐıħŧ", "oOlLdDiht")
_WORD = re.compile(r"[^\W\d_]{3,}")


def other_script(corpus: Case) -> Iterator[Fault]:
    """D428: find Traditional Chinese for Simplified, or the other way round, and kana for kanji."""
    if corpus.shares["Han"] < 0.1:
        raise NotChecked("the references have few Chinese characters")
    if sum(corpus.shares[name] for name in _KANA) >= 0.05:
        yield from _without_kanji(corpus)
        return
    traditional, simplified = (re.compile(f"[{''.join(side)}]") for side in (variants().keys(), variants().values()))
    for variant, wrong, right, one, other in (
        ("traditional", traditional, simplified, "Traditional characters", "Simplified ones"),
        ("simplified", simplified, traditional, "Simplified characters", "Traditional ones"),
    ):
        found = [at for at, text in enumerate(corpus.hypotheses) if _is_other(corpus, at, text, wrong, right)]
        what = f"written in {one} {corpus.quoted(found, 30)}, and the references in {other}"
        cure = None if variant == "traditional" else ""
        yield from listed(found, "segment is", "segments are", what, variant=variant, repair=cure)


def _is_other(corpus: Case, at: int, text: str, wrong: re.Pattern[str], right: re.Pattern[str]) -> bool:
    """Whether a text has characters of one script where all its references have only those of the other."""
    if not wrong.search(text) or len(wrong.findall(text)) <= len(right.findall(text)):
        return False
    others = [stream[at] for stream in corpus.references if stream[at].strip()]
    return bool(others) and all(right.search(other) and not wrong.search(other) for other in others)


def _without_kanji(corpus: Case) -> Iterator[Fault]:
    def han(columns: object) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        of = {name: columns[name] for name in ("Han", *_KANA)}  # type: ignore[index]
        letters = of["Han"] + of["Hiragana"] + of["Katakana"]
        return letters, of["Han"] / np.maximum(1, letters)

    letters, share = han(corpus.hyp)
    of_references = [han(ref) for ref in corpus.refs]
    theirs = np.min([share for _, share in of_references], axis=0)
    wrong = (letters >= _FEWEST_LETTERS) & (theirs >= 0.25) & (share < 0.1 * theirs)
    wrong &= corpus.hyp["Hiragana"] >= 0.7 * letters  # names and loan words are in the other kana
    wrong &= letters > 1.2 * np.min([number for number, _ in of_references], axis=0)  # kana are longer than kanji
    found = np.flatnonzero(wrong).tolist()
    what = f"in kana {corpus.quoted(found, 30)} where the references have kanji"
    yield from listed(found, "segment is", "segments are", what, variant="kana", repair="")


def stripped(corpus: Case) -> Iterator[Fault]:
    """D429: find text whose letters have lost their diacritics."""
    if corpus.main[0] not in ("Latin", "Greek"):
        raise NotChecked("the script of the references has no diacritics that are always written")
    number, marked = corpus.once("marked words", lambda: _marked_words_of(corpus.references))
    if number < _MARKED * sum(int(ref["words"].sum()) for ref in corpus.refs):
        raise NotChecked("the references have few letters with diacritics")
    found: dict[int, str] = {}
    for at, text in enumerate(corpus.hypotheses):
        theirs = marked[at]
        # Two of them are needed, and it is quick to see that a text does not have them at all.
        if sum(plain in text for plain in theirs) < 2 or _marked_words(text):
            continue
        lost = [word for word in dict.fromkeys(_WORD.findall(text)) if word in theirs]
        # A name that the source writes so is no loss.
        if corpus.sources is not None:
            lost = [word for word in lost if word not in corpus.sources[at]]
        if len(lost) >= 2:
            found[at] = f"{lost[0]} for {theirs[lost[0]]}"
    if found:
        yield _lost_marks(found)


def _lost_marks(found: dict[int, str]) -> Fault:
    example = quotation(found[min(found)])
    return Fault(
        lambda n: f"{many(n, 'segment has', 'segments have')} letters without their diacritics {example}",
        sorted(found),
        narrow=lambda left: _lost_marks({at: found[at] for at in left}),
    )


def _marked_words_of(streams: list[list[str]]) -> tuple[int, list[dict[str, str]]]:
    """The number of such words in references, and those of each segment."""
    marked = [[_marked_words(text) for text in stream] for stream in streams]
    number = sum(len(words) for side in marked for words in side)
    return number, [
        {plain: word for words in of_segment for plain, word in words.items()}
        for of_segment in zip(*marked, strict=True)
    ]


def _marked_words(text: str) -> dict[str, str]:
    """The words of a text that have letters with diacritics, by their form without these."""
    if text.isascii():
        return {}
    return {_plain(word): word for word in _WORD.findall(unicodedata.normalize("NFC", text)) if _plain(word) != word}


@cache
def _plain(word: str) -> str:
    if word.isascii():
        return word
    parts = unicodedata.normalize("NFD", word.translate(_STRIPPED))
    return "".join(one for one in parts if not unicodedata.combining(one))


def language_tags(corpus: Case) -> Iterator[Fault]:
    """D430: find the tag of a language before or after the translation: "[de]", "<de>", "de_DE"."""
    tagged = (at for at, text in enumerate(corpus.hypotheses) if tag_place(text))
    found = corpus.only_here(tagged, tag_place)
    one, more = "segment has the tag of a language", "segments have tags of languages"
    yield from listed(found, one, more, corpus.quoted(found, 30))
