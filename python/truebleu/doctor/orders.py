"""D606: output that speaks to a judge of it. It is listed, and never removed: it is what the system said."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from truebleu.doctor.rule import Fault, from_both, listed
from truebleu.doctor.words import words_to_a_judge

if TYPE_CHECKING:
    from truebleu.doctor.case import Case

_ENOUGH = 3  # kinds of words
_TELLING = frozenset(("judge", "score", "instruction", "fault", "work"))  # two of these are worth a look


def to_a_judge(corpus: Case) -> Iterator[Fault]:
    """D606: find hypotheses with orders to a judge, or praise of themselves, that no other text of the segment has."""
    of_pool = corpus.pool.once("words to a judge", lambda: [words_to_a_judge(text) for text in corpus.pool.texts])
    others = [texts for side, texts in corpus.sides.items() if side != "hypotheses"]
    places, is_certain = [], False
    for at, place in enumerate(corpus.index.tolist()):
        kinds = of_pool[place]
        if len(kinds) > 1:
            kinds = kinds.difference(*(words_to_a_judge(texts[at]) for texts in others))
        if len(kinds) >= _ENOUGH or len(kinds & _TELLING) > 1:
            places.append(at)
            is_certain |= len(kinds) >= _ENOUGH
    alarm = from_both(1 if is_certain else _ENOUGH, 0)
    yield from listed(places, "segment speaks to a judge of it", "segments speak to a judge of them", alarm=alarm)
