"""Learned metrics without a model: their scores are functions of the texts, or were recorded."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from truebleu.metrics import CHRF
from truebleu.metrics.neural import LearnedMetric, Told
from truebleu.runners.families import FAMILIES
from truebleu.runners.protocol import Result, Unit

Value = Callable[[Unit], float]


class Judged(LearnedMetric):
    """A metric with references, whose scores are those of a function; it reads so many words."""

    name, label = "JUDGED", "COMET"
    texts: ClassVar[tuple[str, ...]] = ("src", "hyp", "ref")
    longest = 30

    def __init__(self, value: Value, *, rescore: bool = False) -> None:
        super().__init__(rescore=rescore)
        self.value = value
        self.asked: list[Unit] = []

    def _scorer(self) -> Judged:
        return self

    def results(self, units: Sequence[Unit], place: Callable[[Unit], str], told: Told | None = None) -> list[Result]:
        self.asked += units
        return [Result(self.value(unit), cut=max(0, len(unit.hyp.split()) - self.longest)) for unit in units]

    def facts(self) -> Mapping[str, str]:
        return {"model": "org/judged"}


class Estimated(Judged):
    """A metric without references."""

    label, texts = "CometKiwi", ("src", "hyp")


def noise(unit: Unit) -> float:
    """A number from 0 to 1 that the output decides."""
    return zlib.crc32(unit.hyp.encode()) / 2**32


class Similar(Judged):
    """Half of its score is the similarity with the reference, half is noise. Odd units have a score of their own."""

    family = FAMILIES["comet"]

    def __init__(self, odd: Mapping[tuple[str | None, str], float]) -> None:
        super().__init__(lambda unit: odd.get((unit.src, unit.hyp), noise(unit)))
        self.odd = odd

    def results(self, units: Sequence[Unit], place: Callable[[Unit], str], told: Told | None = None) -> list[Result]:
        given = super().results(units, place, told)
        alike = CHRF().sentence_scores([unit.hyp for unit in units], [[unit.ref or "" for unit in units]]) / 100
        usual = [chrf if unit.ref else 0.5 for unit, chrf in zip(units, alike.tolist(), strict=True)]
        return [
            one._replace(
                score=one.score if (unit.src, unit.hyp) in self.odd else 0.4 + 0.3 * chrf + 0.3 * (one.score or 0.0),
                cut=max(0, len(unit.hyp) // 3 - 512),
            )
            for one, unit, chrf in zip(given, units, usual, strict=True)
        ]


class SimilarWithout(Similar):
    """One without references, and so nothing but noise, and odd units."""

    label, texts, family = "CometKiwi", ("src", "hyp"), FAMILIES["cometkiwi"]
