"""What is doubtful about texts that pass by and are not kept: the warnings are those of texts in memory."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from truebleu.cli.inputs import FEW, SAMPLE, warn_of_doubts


class Doubts:
    """What is to be known of systems and their references besides their counts."""

    def __init__(self, systems: int) -> None:
        self.segments = self.references = 0
        self._filled: set[int] = set()  # systems, and references below zero
        self._same: list[set[int]] = [set() for _ in range(systems)]
        self._sample: list[tuple[Sequence[str], list[str | None]]] = []
        self._distance = 1

    @property
    def are_settled(self) -> bool:
        """Whether texts that follow matter only for the sample: none is empty, and no system is a reference so far."""
        known = len(self._same) + self.references
        return self.segments > 0 and len(self._filled) == known and not any(self._same)

    def chosen(self, segments: int) -> range:
        """Which of the segments that follow are for the sample."""
        return range(-self.segments % self._distance, segments, self._distance)

    def look_at(self, texts: Sequence[Sequence[str]], lists: Sequence[list[str | None]]) -> None:
        """Learn from the next segments."""
        streams = list(zip_longest(*lists))
        for at, stream in [*enumerate(texts), *((-1 - at, stream) for at, stream in enumerate(streams))]:
            if at not in self._filled and any(text and not text.isspace() for text in stream):
                self._filled.add(at)
        for at, text in enumerate(texts):
            among = range(len(streams)) if not self.segments else self._same[at]
            self._same[at] = {one for one in among if one < len(streams) and tuple(text) == streams[one]}
        chosen = self.chosen(len(lists))
        self.look_at_sample([[text[at] for at in chosen] for text in texts], [lists[at] for at in chosen], len(lists))

    def look_at_sample(self, texts: Sequence[Sequence[str]], lists: Sequence[list[str | None]], segments: int) -> None:
        """Learn from the next segments what a sample of them tells."""
        self._sample += zip(zip(*texts, strict=True), lists, strict=True)
        while len(self._sample) > SAMPLE:
            self._sample, self._distance = self._sample[::2], 2 * self._distance
        self.segments += segments
        self.references = max([self.references, *map(len, lists)])

    def warn(
        self, systems: Sequence[str], names: Sequence[str], split_at_spaces: Sequence[str], *, is_first: bool = True
    ) -> None:
        """Warn where texts were scored that nobody can have meant."""
        texts = list(zip(*(one for one, _ in self._sample), strict=True))
        streams = list(zip_longest(*(row for _, row in self._sample)))
        streams += [(None,) * len(self._sample)] * (len(names) - len(streams))
        references = [(name, -1 - at not in self._filled, streams[at]) for at, name in enumerate(names)]
        for at, system in enumerate(systems):
            same = [names[one] for one in sorted(self._same[at])] if self.segments >= FEW else []
            given = (at not in self._filled, same, texts[at], references, split_at_spaces)
            warn_of_doubts(system, *given, is_first=is_first and at == 0)
