"""The price of a fault: the score without it, compared with the score as it is.

After a repair only the segments that it changed are counted.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from truebleu.doctor.case import Case
from truebleu.doctor.explain import FoundFault
from truebleu.doctor.finding import Price
from truebleu.doctor.repairs import NORMALIZATIONS, is_available, repair
from truebleu.errors import TruebleuError
from truebleu.metrics import Metric
from truebleu.stats import Stats


class Prices:
    """The scores of a corpus, with and without a fault."""

    def __init__(self, corpus: Case) -> None:
        self.corpus = corpus
        self.labels = _labels(corpus.metrics)
        self.before: dict[int, float] = {}

    def of(self, found: FoundFault) -> dict[str, Price]:
        """Price a fault in each metric; a metric without a possible price is left out."""
        rule, fault = found
        name, kind = found.repair, rule.price
        if kind == "other" and fault.other is not None:
            return self._under(fault.other)
        if kind == "repair" and fault.order is not None:
            moved = [self.corpus.hypotheses[at] if at >= 0 else "" for at in fault.order]
            return self._each(self._recounted(self._changed(moved)), "repair")
        if kind == "repair" and name in NORMALIZATIONS:
            return self._each(self._recounted(self._changed_by(name), name), "repair")
        if kind == "repair" and name and is_available(name):
            repaired = repair(self.corpus.hypotheses, name, fault.segments, fault.edits)
            return self._each(self._recounted(self._changed(repaired)), "repair")
        return {}

    def _changed(self, hypotheses: list[str]) -> dict[int, str]:
        """The hypotheses that a repair has changed, by segment."""
        pairs = zip(hypotheses, self.corpus.hypotheses, strict=True)
        return {at: new for at, (new, old) in enumerate(pairs) if new != old}

    def _changed_by(self, name: str) -> dict[int, str]:
        """The hypotheses that a normalisation changes, by segment; each text of the pool is normalised once."""
        pool, index = self.corpus.pool, self.corpus.index.tolist()
        known: dict[int, str | None] = pool.once(("normalized", name), dict)
        places = [place for place in dict.fromkeys(index) if place not in known]
        old = [pool.texts[place] for place in places]
        for place, before, after in zip(places, old, repair(old, name, ()), strict=True):
            known[place] = None if before == after else after
        return {at: text for at, place in enumerate(index) if (text := known[place]) is not None}

    def _each(self, rows: Any, kind: str) -> dict[str, Price]:
        """The prices in all metrics, given a function from a metric and its rows to the rows without the fault."""
        return {
            label: self._price(metric, metric.score(rows(metric, self.corpus.counted(metric))).score, kind)
            for metric, label in zip(self.corpus.metrics, self.labels, strict=True)
            if kind != "repair" or not metric.is_learned
        }

    def _price(self, metric: Metric[Any], after: float, kind: str) -> Price:
        if id(metric) not in self.before:
            self.before[id(metric)] = metric.score(self.corpus.counted(metric)).score
        return Price(self.before[id(metric)], after, kind, metric.higher_is_better)

    def _under(self, others: list[Metric[Any]]) -> dict[str, Price]:
        """The prices under other settings, one for each metric; a metric whose settings stay the same has no price."""
        corpus, prices = self.corpus, {}
        for metric, label, other in zip(corpus.metrics, self.labels, others, strict=True):
            if metric.is_learned or repr(metric) == repr(other):
                continue
            # The user did not choose this tokenizer, and it may refuse these texts: MeCab refuses lone surrogates.
            with suppress(TruebleuError):
                after = other.corpus_score(corpus.hypotheses, corpus.streams, threads=corpus.threads).score
                prices[label] = self._price(metric, after, "other")
        return prices

    def _recounted(self, changed: dict[int, str], normalization: str = "") -> Callable[[Metric[Any], Stats], Stats]:
        """Make the function that gives the rows after a repair: only segments that it changed are counted anew."""
        corpus, others = self.corpus, set[int]()
        streams = corpus.streams
        if normalization:
            streams, others = corpus.once(("normalized", normalization), lambda: self._normalized(normalization))
        places = sorted(others.union(changed))
        part = [[stream[at] for at in places] for stream in streams]

        def rows_of(metric: Metric[Any], stats: Stats) -> Stats:
            if not places:
                return stats
            texts = [changed.get(at, corpus.hypotheses[at]) for at in places]
            counted = metric.stats(texts, part, threads=corpus.threads)
            rows = stats.rows.copy()
            rows[places] = counted.rows
            return Stats(rows, stats.columns, metric.fingerprint(), stats.references)

        return rows_of

    def _normalized(self, name: str) -> tuple[list[list[str | None]], set[int]]:
        """The references after a normalisation (a missing one stays missing), and the segments that it changed."""
        corpus = self.corpus
        streams: list[list[str | None]] = []
        changed: set[int] = set()
        for given, old in zip(corpus.streams, corpus.references, strict=True):
            new = repair(old, name, ())
            changed.update(at for at, (one, other) in enumerate(zip(new, old, strict=True)) if one != other)
            streams.append([None if a is None else b for a, b in zip(given, new, strict=True)])
        return streams, changed


def _labels(metrics: list[Metric[Any]]) -> list[str]:
    """The names of metrics in the report; the second BLEU is "BLEU 2"."""
    labels: list[str] = []
    for metric in metrics:
        again = 1 + sum(label.split()[0] == metric.label for label in labels)
        labels.append(metric.label if again == 1 else f"{metric.label} {again}")
    return labels
