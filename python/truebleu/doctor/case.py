"""The data for rules: texts, numbers of each segment, scripts and similarity. Each is computed once, when needed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from truebleu import _core
from truebleu._logs import silenced
from truebleu._options import thread_count
from truebleu.doctor.finding import quotation
from truebleu.doctor.texts import CJK, Chosen, Columns, Pool, columns_of, folded, hits, squash
from truebleu.glance import SCRIPTS, UNSPACED, UNSPACED_SHARE
from truebleu.metrics import CHRF, Metric
from truebleu.metrics.preparation import placed
from truebleu.stats import Stats

if TYPE_CHECKING:
    from numpy.typing import NDArray

T = TypeVar("T")


def similarity(
    left: Sequence[str], right: Sequence[Sequence[str | None]], threads: int | None = None
) -> NDArray[np.float64]:
    """Compare texts with references, segment by segment: sentence chrF, from 0 to 1, the best of several references."""
    if not len(left):
        return np.zeros(0)
    return CHRF().sentence_scores(list(left), [list(stream) for stream in right], threads=threads) / 100


class _Shared(Generic[T]):
    """A property of references and sources alone: systems that are examined together compute it once."""

    def __init__(self, compute: Callable[[Case], T]) -> None:
        self.compute, self.__doc__ = compute, compute.__doc__

    def __get__(self, corpus: Case, owner: type[Case]) -> T:
        return corpus.once(self.compute, lambda: self.compute(corpus))


class Case:
    """The texts under examination: as many references and sources as hypotheses."""

    def __init__(
        self,
        hypotheses: Sequence[str],
        streams: Sequence[Sequence[str | None]],
        sources: Sequence[str] | None,
        metrics: Sequence[Metric[Any]],
        language: str = "",
        threads: int | None = None,
        others: Mapping[str, Sequence[str]] | None = None,
        shared: dict[Any, Any] | None = None,
        pool: Pool | None = None,
        placeholders: str = "auto",
        numbers: str = "",
    ) -> None:
        self.hypotheses, self.others = list(hypotheses), dict(others or {})
        self.given, self.sources = streams, None if sources is None else list(sources)
        self.metrics, self.language, self.threads = list(metrics), language, threads
        self.placeholders, self.numbers = placeholders, numbers
        self.n = len(self.hypotheses)
        self.pool = Pool([self.hypotheses], threads) if pool is None else pool
        # The systems that are examined together, this one among them.
        self.peers: Sequence[Case] = [self]
        # Results that rules keep for each other, and for other systems.
        self.kept: dict[Any, Any] = {}
        self.shared = {} if shared is None else shared

    def once(self, key: Any, compute: Callable[[], T]) -> T:
        """Compute a property of references and sources, or of other data that systems share, once for all systems."""
        if key not in self.shared:
            self.shared[key] = compute()
        found: T = self.shared[key]
        return found

    def keep(self, key: Any, compute: Callable[[], T]) -> T:
        """Compute a property of this system once."""
        if key not in self.kept:
            self.kept[key] = compute()
        found: T = self.kept[key]
        return found

    @_Shared
    def references(self) -> list[list[str]]:
        """The references by stream; "" if a segment has no reference there."""
        return [[text or "" for text in stream] for stream in self.given]

    @_Shared
    def streams(self) -> list[list[str | None]]:
        """The references as the metrics get them: a segment needs one reference, which may be empty."""
        streams = [list(stream) for stream in self.given]
        for segment, texts in enumerate(zip(*streams, strict=True)):
            if all(text is None for text in texts):
                streams[0][segment] = ""
        return streams

    @cached_property
    def index(self) -> NDArray[np.intp]:
        """The place of each hypothesis in the pool."""
        return self.pool.index(self.hypotheses)

    @cached_property
    def hyp(self) -> Columns:
        """The numbers of the hypotheses, by column."""
        return Chosen(self.pool.columns, self.index)

    @_Shared
    def refs(self) -> list[Columns]:
        """The numbers of each stream of references, by column."""
        return [columns_of(stream, self.threads) for stream in self.references]

    @_Shared
    def src(self) -> Columns | None:
        """The numbers of the sources, by column; None without sources."""
        return None if self.sources is None else columns_of(self.sources, self.threads)

    @_Shared
    def first(self) -> list[str]:
        """The first reference of each segment that is not blank, or "" if all are."""
        return [next((text for text in texts if text.strip()), "") for texts in zip(*self.references, strict=True)]

    @_Shared
    def shares(self) -> dict[str, float]:
        """The share of each script in the letters of the references."""
        return _shares_of(self.refs)

    @_Shared
    def main(self) -> tuple[str, ...]:
        """The most frequent script of the references; Chinese characters and kana are one group."""
        groups = {"Han": CJK, **{name: (name,) for name in (*SCRIPTS, "other") if name not in CJK}}
        return max(groups.values(), key=lambda group: sum(self.shares[name] for name in group))

    @_Shared
    def unspaced(self) -> bool:
        """Whether the language of the references puts no spaces between words."""
        return sum(self.shares[name] for name in UNSPACED) >= UNSPACED_SHARE

    @_Shared
    def source_is_unspaced(self) -> bool:
        """Whether the language of the sources puts no spaces between words."""
        shares = _shares_of([] if self.src is None else [self.src])
        return sum(shares[name] for name in UNSPACED) >= UNSPACED_SHARE

    @property
    def u(self) -> int:
        """2 if unspaced, else 1: limits in characters are divided by it, limits in units multiplied."""
        return 2 if self.unspaced else 1

    @cached_property
    def sims(self) -> NDArray[np.float64]:
        """The similarity of each hypothesis and its references, from 0 to 1."""
        return similarity(self.hypotheses, self.streams, self.threads)

    def sim(self, left: Sequence[str], right: Sequence[str]) -> NDArray[np.float64]:
        """Compare texts pair by pair: sentence chrF, from 0 to 1."""
        return similarity(left, [right], self.threads)

    @cached_property
    def folded(self) -> dict[str, list[str]]:
        """The folded form of each text (see `fold`), by side: "hypotheses", "references[0]" … and perhaps "sources"."""
        known = self.pool.folded
        others = {side: texts for side, texts in self.sides.items() if side != "hypotheses"}
        shared = self.once("folded", lambda: {side: folded(texts) for side, texts in others.items()})
        return {"hypotheses": [known[place] for place in self.index.tolist()], **shared}

    @cached_property
    def equals(self) -> list[NDArray[np.bool_]]:
        """For each stream, which hypotheses equal its text, apart from white space."""
        found = []
        for ref, texts in zip(self.refs, self.squashed_references, strict=True):
            equal = (self.hyp["len"] == ref["len"]) & (self.hyp["words"] == ref["words"])
            for at in np.flatnonzero(equal).tolist():
                equal[at] = squash(self.hypotheses[at]) == texts[at]
            found.append(equal)
        return found

    @_Shared
    def squashed_references(self) -> list[list[str]]:
        """The references with one space for each run of white space, by stream."""
        return [[squash(text) for text in stream] for stream in self.references]

    @cached_property
    def sides(self) -> dict[str, list[str]]:
        """The texts by side: "hypotheses", "references[0]" and so on, and "sources" if there are any."""
        sides = {"hypotheses": self.hypotheses}
        sides |= {f"references[{at}]": stream for at, stream in enumerate(self.references)}
        return sides if self.sources is None else {**sides, "sources": self.sources}

    def only_here(self, places: Iterable[int], has: Callable[[str], object]) -> list[int]:
        """Give those of some segments whose source and references all lack something."""
        others = [texts for side, texts in self.sides.items() if side != "hypotheses"]
        return [at for at in places if not any(has(texts[at]) for texts in others)]

    def quoted(self, places: Sequence[int], longest: int = 60) -> str:
        """Quote the output of the first of some segments, if there are any."""
        return quotation(self.hypotheses[places[0]], longest) if places else ""

    @property
    def reference_sides(self) -> list[str]:
        """The names of the streams of references: "references[0]" and so on."""
        return [f"references[{at}]" for at in range(len(self.references))]

    def know(self, metric: Metric[Any], stats: Stats) -> None:
        """Take the rows that a metric has counted already."""
        self.kept["stats", id(metric)] = stats
        usual = CHRF()
        if (repr(metric), metric.fingerprint()) == (repr(usual), usual.fingerprint()):
            self.sims = np.frombuffer(metric.engine.score_rows(stats.rows.tobytes())) / 100

    def counted(self, metric: Metric[Any]) -> Stats:
        """Count the corpus with a metric, once."""
        return self.keep(
            ("stats", id(metric)), lambda: self.count(metric, self.hypotheses, self.streams, range(self.n))
        )

    def counted_of(self, metric: Metric[Any], other: str) -> Stats:
        """Count another system with a metric, once."""
        count = partial(self.count, metric, self.others[other], self.streams, range(self.n))
        return self.once(("stats", id(metric), other), count)

    def count(
        self, metric: Metric[Any], texts: Sequence[str], streams: Sequence[Sequence[str | None]], places: Sequence[int]
    ) -> Stats:
        """Count the texts of some segments with a metric."""
        sources = None if self.sources is None else [self.sources[at] for at in places]
        with silenced():  # findings say it
            return placed(metric, sources, places).stats(texts, streams, threads=self.threads)

    def columns(self, side: str) -> Columns:
        """Give the numbers of one side, by column."""
        by_side = dict(zip((f"references[{at}]" for at in range(len(self.refs))), self.refs, strict=True))
        found = {**by_side, "hypotheses": self.hyp}.get(side, self.src)
        assert found is not None
        return found

    def runs(self, side: str) -> dict[str, NDArray[np.int32]]:
        """Find the longest run of repeated units in each text, and the longest of repeated characters.

        The columns are `repeats`, `period` and `covered` in units, then `char_repeats`, `char_period` and
        `char_covered` in characters (periods up to 12, with a letter among them). For hypotheses, a column is zero if
        no run is long enough to matter.
        """
        units = self.unspaced
        if side == "hypotheses":
            found = self.pool.once(
                ("runs", units), lambda: _runs(_core.telling_runs, self.pool.texts, units, self.threads)
            )
            return {name: column[self.index] for name, column in found.items()}
        return self.once(("runs", side), lambda: _runs(_core.runs, self.sides[side], units, self.threads))

    def extra(
        self, pattern: re.Pattern[str], gates: Iterable[str] = (), side: str = "hypotheses"
    ) -> dict[int, list[str]]:
        """Find a pattern where it is a fault: if the other sides have it as often, it is part of the text.

        Gives the matches of each segment where it occurs more often than in any other text of the segment.
        """
        is_reference = side.startswith("references")
        others = [
            self._hits(pattern, tuple(gates), name) for name in self.sides
            if name != side and not (is_reference and name.startswith("references"))
        ]  # fmt: skip
        found = self._hits(pattern, tuple(gates), side)
        return {
            at: hits for at, hits in found.items()
            if all(len(hits) > len(other.get(at, ())) for other in others)
        }  # fmt: skip

    def _hits(self, pattern: re.Pattern[str], gates: tuple[str, ...], side: str) -> dict[int, list[str]]:
        """The matches of a pattern in each segment of a side that has any."""
        if side != "hypotheses":
            return self.once((pattern, side), lambda: hits(pattern, self.sides[side], self.columns(side), gates))
        has, found = self.pool.hits(pattern, gates)
        return {at: found[int(self.index[at])] for at in np.flatnonzero(has[self.index]).tolist()}

    def extra_in(self, column: str) -> NDArray[np.intp]:
        """Find the segments where a column of the hypothesis is above those of all its references and its source."""
        others = [*self.refs, *([self.src] if self.src is not None else [])]
        return np.flatnonzero(np.all([self.hyp[column] > other[column] for other in others], axis=0))


def _shares_of(sides: Sequence[Columns]) -> dict[str, float]:
    letters = {name: sum(int(side[name].sum()) for side in sides) for name in (*SCRIPTS, "other")}
    total = max(1, sum(letters.values()))
    return {name: number / total for name, number in letters.items()}


def _runs(
    find: Callable[[list[str], bool, int], bytes], texts: list[str], by_character: bool, threads: int | None
) -> dict[str, NDArray[np.int32]]:
    names = ("repeats", "period", "covered", "char_repeats", "char_period", "char_covered")
    rows = np.frombuffer(find(texts, by_character, thread_count(threads)), np.int32).reshape(-1, len(names))
    return dict(zip(names, rows.T, strict=True))
