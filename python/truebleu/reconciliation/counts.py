"""The texts of one system, rewritten and counted once for all settings that agree on them.

Rows depend on texts, tokenizer and references only, and are kept for a while; everything else is arithmetic on them. A
value that changes no text gives back the very texts it was given, so that nothing is counted twice.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from truebleu.errors import OptionError
from truebleu.metrics import Metric
from truebleu.normalization import NORMALIZATIONS, normalize
from truebleu.reconciliation.rewriting import CASES, TEXTS, Maker, Rewriter

Array: TypeAlias = NDArray[np.float64]
Indices = NDArray[np.intp]
Stream = Sequence[str | None]

_KEPT = 48  # sets of rows; what is made of them is small and stays
SHIFTS = {"shifted -1": 1, "shifted +1": -1}


class SystemTexts(NamedTuple):
    """A system and its references by name; `usual` are those that it is scored with unless a setting says otherwise."""

    hypotheses: Sequence[str]
    streams: Mapping[str, Stream]
    usual: tuple[str, ...]
    labels: Mapping[str, Sequence[Hashable]]

    def group(self, references: str) -> tuple[str, ...]:
        """Name the references that a value of the axis `references` stands for."""
        return self.usual if references == "all" else (references,)


@dataclass(frozen=True, eq=False)
class Wording:
    """The texts after some rewriting, and the names of its steps; equal texts are one object."""

    steps: tuple[str, ...]
    hypotheses: Sequence[str]
    streams: Mapping[str, Stream]

    def rewritten(self, name: str, rewriter: Rewriter) -> Wording:
        """Rewrite the texts; the same object comes back if nothing changes."""
        ours = list(rewriter.hypotheses(self.hypotheses))
        theirs: dict[str, Stream] = {}
        for stream, texts in self.streams.items():
            done = iter(rewriter.references([text for text in texts if text is not None]))
            theirs[stream] = [None if text is None else next(done) for text in texts]
        made = Wording((*self.steps, name), ours, theirs)
        return self if made.is_like(self) else made

    def is_like(self, other: Wording) -> bool:
        """Tell whether the texts are equal."""
        return (self.hypotheses, self.streams) == (other.hypotheses, other.streams)


class Counts:
    """Counts the rows of one system."""

    def __init__(self, texts: SystemTexts, threads: int | None = None) -> None:
        self.texts, self.threads = texts, threads
        streams: dict[str, Stream] = {name: list(stream) for name, stream in texts.streams.items()}
        self._wordings: dict[tuple[str, ...], Wording] = {(): Wording((), list(texts.hypotheses), streams)}
        self._selections: dict[str, Indices | None] = dict.fromkeys(("all", *SHIFTS))
        self._rows: dict[Hashable, Array] = {}
        self._small: dict[Hashable, Array] = {}

    # Texts.

    def wording(self, value: str, case: str = "mixed") -> Wording:
        """Rewrite the texts for a value of the axis `text` and one of the axis `case`."""
        texts = self._wordings[()]
        if value in NORMALIZATIONS:
            texts = self.step(texts, value, lambda _: Rewriter(*(lambda lines: normalize(lines, value),) * 2))
        elif value != "as is":
            texts = self.step(texts, value, TEXTS[value])
        return self.step(texts, case, lambda _: CASES[case]) if case in CASES else texts

    def step(self, texts: Wording, name: str, make: Maker) -> Wording:
        """Rewrite texts once more; a step is told from others by its name."""
        key = (*texts.steps, name)
        if key not in self._wordings:
            made = texts.rewritten(name, make(lambda: self._characters))
            # Letters beyond A to Z are rare in English: both ways to lower-case then give the same texts.
            other = self._wordings.get((*texts.steps, {"ascii": "lower", "lower": "ascii"}.get(name, "")))
            self._wordings[key] = other if other is not None and made.is_like(other) else made
        return self._wordings[key]

    @cached_property
    def _characters(self) -> str:
        """All characters of the texts, and those that are no digits and that entities may stand for."""
        base = self._wordings[()]
        texts = [*base.hypotheses, *(text for stream in base.streams.values() for text in stream if text)]
        return "".join(sorted(set("".join(texts)) | set("¹²³¼½¾")))

    # Which segments.

    def chosen(self, rows: Array, lines: str) -> Array:
        """Take the rows of the segments that a value of the axis `lines` leaves."""
        selection = self.selection(lines)
        return rows if selection is None else rows[selection]

    def selection(self, lines: str) -> Indices | None:
        """Find the segments that a value of the axis `lines` leaves; None for all."""
        if lines not in self._selections:
            self._selections[lines] = np.flatnonzero(np.array(self._kept(lines), dtype=bool))
        return self._selections[lines]

    def _kept(self, lines: str) -> list[bool]:
        texts, streams = self.texts.hypotheses, [self.texts.streams[name] for name in self.texts.usual]
        count = len(texts)
        if lines == "no blank hypotheses":
            return [bool(text.strip()) for text in texts]
        if lines == "no blank references":
            return [all(text is None or text.strip() for text in each) for each in zip(*streams, strict=True)]
        if lines == "no repeated references":
            seen: set[Any] = set()
            return [not (each in seen or seen.add(each)) for each in zip(*streams, strict=True)]  # type: ignore[func-returns-value]
        if lines == "last lost":
            return [at < count - 1 for at in range(count)]
        if lines.startswith("first "):
            return [at < int(lines[6:]) for at in range(count)]
        label, found, value = lines.partition("=")
        if not found or label not in self.texts.labels:
            raise OptionError(f"reconcile: there is no selection of lines called {lines!r}")
        return [str(each) == value for each in self.texts.labels[label]]

    # Rows.

    def rows(self, key: Hashable, make: Callable[[], Array]) -> Array:
        """Make rows, or find those made before for the same key; only the latest are kept."""
        if key not in self._rows:
            rows = make()
            while len(self._rows) >= _KEPT:
                del self._rows[next(iter(self._rows))]
            self._rows[key] = rows
        return self._rows[key]

    def small(self, key: Hashable, make: Callable[[], Array]) -> Array:
        """Make sums or scores, or find those made before for the same key."""
        if key not in self._small:
            self._small[key] = make()
        return self._small[key]

    def count(self, metric: Metric[Any], texts: Wording, group: Sequence[str], shift: int = 0) -> Array:
        """Count rows with some references; a segment that has none of them has a row of zeros."""
        own, other = windows(shift)
        ours, streams = texts.hypotheses[own], [texts.streams[name][other] for name in group]
        void = []
        if all(None in stream for stream in streams):
            void = [at for at, each in enumerate(zip(*streams, strict=True)) if all(text is None for text in each)]
        if void:
            absent = set(void)
            streams = [["" if at in absent else text for at, text in enumerate(streams[0])], *streams[1:]]
        rows = metric.stats(ours, streams, threads=self.threads).rows
        if void:
            rows = rows.copy()
            rows[void] = 0
        return rows


def windows(shift: int) -> tuple[slice, slice]:
    """Tell which hypotheses, and which references, are left where lines are shifted."""
    first, last = slice(None, -1), slice(1, None)
    return (first, last) if shift > 0 else (last, first) if shift else (slice(None), slice(None))


def scores(metric: Metric[Any], rows: Array) -> Array:
    """Score each row with the metric's formula."""
    return np.frombuffer(metric.engine.score_rows(rows.tobytes()))
