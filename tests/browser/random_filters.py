"""Filters of the page, drawn at random, each with the segments that it lets through by plain Python."""

import random
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from truebleu import Study

Test = Callable[[int], bool]


class Drawn(NamedTuple):
    filter: list[str]
    test: Test


def times(wanted: list[str], tokens: list[str]) -> int:
    return sum(wanted == tokens[at : at + len(wanted)] for at in range(len(tokens)))


class Filters:
    """Draws filters of every kind for a study whose A and B are its first pair and whose first metric is chosen."""

    def __init__(self, study: Study, seed: int) -> None:
        self.study, self.draw = study, random.Random(seed)
        assert study.pair is not None
        self.a, self.b = study.pair
        given = study.inputs
        tokens = study.tokenizing.tokens
        self.tokens = {name: tokens(texts) for name, texts in given.systems.items()}
        self.references = [tokens([text or "" for text in stream]) for stream in given.references]
        self.kinds = [self.text, self.pattern, self.label, self.length, self.better, self.worse, self.differ]
        self.kinds += [self.difference, self.score, self.ratio, self.only, self.gram, self.check]

    def one(self) -> Drawn:
        """A filter of a random kind."""
        return self.draw.choice(self.kinds)()

    def several(self) -> list[Drawn]:
        """One filter, and now and then one or two more."""
        return [self.one() for _ in range(self.draw.choice((1, 1, 1, 2, 2, 3)))]

    def side(self) -> tuple[str, str]:
        return self.draw.choice((("a", self.a), ("b", self.b)))

    def word(self) -> str:
        return self.draw.choice(self.draw.choice([one for one in self.tokens[self.b] if one]))

    def texts(self, place: str) -> list[list[str]]:
        given = self.study.inputs
        places = {
            "source": [given.sources], "reference": given.references, "a": [given.systems[self.a]],
            "b": [given.systems[self.b]], "any": [given.sources, *given.references, *given.systems.values()],
        }  # fmt: skip
        return [[text for text in texts if text is not None] for texts in zip(*places[place], strict=True)]  # type: ignore[arg-type]

    def text(self) -> Drawn:
        word, place = self.word(), self.draw.choice(("any", "source", "reference", "a", "b"))
        texts = self.texts(place)
        return Drawn(["text", word, place], lambda at: any(word in text for text in texts[at]))

    def pattern(self) -> Drawn:
        letters, texts = "".join(self.draw.sample("abcdefghij", 3)), self.texts("a")
        return Drawn(
            ["text", f"/[{letters}]/", "a"], lambda at: any(letter in text for text in texts[at] for letter in letters)
        )

    def label(self) -> Drawn:
        name = self.draw.choice(list(self.study.inputs.labels))
        labels = self.study.inputs.labels[name]
        value = self.draw.choice(labels)
        return Drawn(["label", name, str(value)], lambda at: labels[at] == value)

    def length(self) -> Drawn:
        labels = self.study.length_labels
        value = self.draw.choice(labels)
        return Drawn(["label", "length", str(value)], lambda at: labels[at] == value)

    def gain(self, key: str) -> NDArray[np.float64]:
        found = self.study.segments(key)
        return found.difference(self.a, self.b) * (1 if found.higher_is_better else -1)

    def better(self) -> Drawn:
        gain = self.gain(next(iter(self.study.inputs.metrics)))
        return Drawn(["better"], lambda at: gain[at] > 0)

    def worse(self) -> Drawn:
        gain = self.gain(next(iter(self.study.inputs.metrics)))
        return Drawn(["worse"], lambda at: gain[at] < 0)

    def differ(self) -> Drawn:
        ours, theirs = (self.study.inputs.systems[name] for name in (self.a, self.b))
        return Drawn(["differ"], lambda at: ours[at] != theirs[at])

    def range(self, low: int, high: int) -> tuple[str, Callable[[float], bool]]:
        """A range with an end in the middle of two scores, so that the last bit of a score does not matter."""
        ends = sorted(self.draw.uniform(low, high) for _ in range(2))
        texts = [f"{end:.5f}" for end in ends]
        start, end = (float(text) for text in texts)
        shown = self.draw.choice(("both", "from", "to"))
        if shown == "from":
            return f"{texts[0]}..", lambda value: start <= value
        if shown == "to":
            return f"..{texts[1]}", lambda value: value <= end
        return "..".join(texts), lambda value: start <= value <= end

    def difference(self) -> Drawn:
        key = self.draw.choice(list(self.study.inputs.metrics))
        (text, inside), values = self.range(-40, 40), self.study.segments(key).difference(self.a, self.b)
        return Drawn(["diff", text, key], lambda at: inside(values[at]))

    def score(self) -> Drawn:
        key, (letter, system) = self.draw.choice(list(self.study.inputs.metrics)), self.side()
        (text, inside), values = self.range(0, 100), self.study.segments(key).of(system)
        return Drawn(["score", letter, text, key], lambda at: inside(values[at]))

    def ratio(self) -> Drawn:
        letter, system = self.side()
        rows = self.study.rows["BLEU"][system].rows
        text, inside = self.range(0, 2)
        return Drawn(["ratio", letter, text], lambda at: inside(rows[at, 0] / rows[at, 1]))

    def only(self) -> Drawn:
        first, single = (self.draw.randrange(1, self.study.inputs.n) for _ in range(2))
        last = min(first + self.draw.randrange(60), self.study.inputs.n)
        return Drawn(["only", f"{first}-{last},{single}"], lambda at: first <= at + 1 <= last or at + 1 == single)

    def gram(self) -> Drawn:
        text = self.draw.choice([one for one in self.tokens[self.a] if len(one) > 3])
        start, size = self.draw.randrange(len(text) - 2), self.draw.choice((1, 1, 2))
        wanted, kind = text[start : start + size], self.draw.choice(("any", "match", "own"))

        def test(at: int) -> bool:
            ours, theirs = (times(wanted, self.tokens[name][at]) for name in (self.a, self.b))
            if kind == "any":
                return ours + theirs > 0
            limit = max(times(wanted, stream[at]) for stream in self.references)
            return not limit and ours != theirs if kind == "own" else min(ours, limit) != min(theirs, limit)

        return Drawn(["gram", " ".join(wanted), kind], test)

    def check(self) -> Drawn:
        found = [(name, one) for name, each in self.study.checks.items() for one in each.findings if one.segments]
        name, finding = self.draw.choice(found)
        chosen = {at for _, one in found if one.code == finding.code for at in one.segments}
        if self.draw.random() < 0.5:
            return Drawn(["check", finding.code], lambda at: at in chosen)
        named = set(finding.segments)
        return Drawn(["check", finding.code, finding.side, name], lambda at: at in named)
