"""The price of a fault: the score without it, compared with the score as it is.

After a repair only the segments that it changed are counted. A learned metric scores them anew only if it was made to
(`rescore`), because that takes minutes; what the others would score without the segments of a fault, its rows tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from truebleu.doctor.case import Case
from truebleu.doctor.explain import FoundFault
from truebleu.doctor.finding import Price
from truebleu.doctor.repairs import NORMALIZATIONS, is_available, repair
from truebleu.doctor.rule import Fault
from truebleu.errors import EmptyCorpus, TruebleuError
from truebleu.metrics import Metric
from truebleu.stats import Stats


class Prices:
    """The scores of a corpus, with and without a fault."""

    def __init__(self, corpus: Case) -> None:
        self.corpus = corpus
        self.labels = _labels(corpus.metrics)
        self.before: dict[int, float] = {}
        self.waiting: dict[int, dict[str, int]] = {}  # for a fault, the segments that a metric has not scored anew

    def of(self, found: FoundFault) -> dict[str, Price]:
        """Price a fault in each metric; a metric without a possible price is left out."""
        prices = self._cured(found)
        if found.rule.price != "repair":
            prices |= self._without(found.fault.segments)
        return {label: prices[label] for label in self.labels if label in prices}

    def _without(self, segments: Sequence[int]) -> dict[str, Price]:
        """The prices in learned metrics, without some segments; no model is asked."""
        import numpy as np

        prices, rest = {}, np.delete(np.arange(self.corpus.n), segments)
        for metric, label in zip(self.corpus.metrics, self.labels, strict=True):
            if metric.is_learned and 0 < len(rest) < self.corpus.n:
                stats = self.corpus.counted(metric)
                kept = Stats(stats.rows[rest], stats.columns, stats.fingerprint, stats.references)
                with suppress(EmptyCorpus):
                    prices[label] = self._price(metric, metric.score(kept).score, "rest")
        return prices

    def _cured(self, found: FoundFault) -> dict[str, Price]:
        rule, fault = found
        name, kind = found.repair, rule.price
        if kind == "other" and fault.other is not None:
            return self._under(fault.other)
        if kind == "repair" and fault.order is not None:
            moved = [self.corpus.hypotheses[at] if at >= 0 else "" for at in fault.order]
            return self._each(fault, self._changed(moved))
        if kind == "repair" and name in NORMALIZATIONS:
            return self._each(fault, self._changed_by(name), name)
        if kind == "repair" and name and is_available(name):
            repaired = repair(self.corpus.hypotheses, name, fault.segments, fault.edits)
            return self._each(fault, self._changed(repaired))
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

    def _each(self, fault: Fault, changed: dict[int, str], normalization: str = "") -> dict[str, Price]:
        """The prices of a repair in all metrics: only segments that it changed are counted anew."""
        corpus, others = self.corpus, set[int]()
        streams = corpus.streams
        if normalization:
            streams, others = corpus.once(("normalized", normalization), lambda: self._normalized(normalization))
        places = sorted(others.union(changed))
        texts = [changed.get(at, corpus.hypotheses[at]) for at in places]
        part = [[stream[at] for at in places] for stream in streams]
        prices = {}
        for metric, label in zip(corpus.metrics, self.labels, strict=True):
            if places and metric.is_learned and not getattr(metric, "rescore", False):
                self.waiting.setdefault(id(fault), {})[label] = len(places)
                continue
            stats = corpus.counted(metric)
            if places:
                rows = stats.rows.copy()
                rows[places] = corpus.count(metric, texts, part, places).rows
                stats = Stats(rows, stats.columns, metric.fingerprint(), stats.references)
            prices[label] = self._price(metric, metric.score(stats).score, "repair")
        return prices

    def _price(self, metric: Metric[Any], after: float, kind: str) -> Price:
        if id(metric) not in self.before:
            self.before[id(metric)] = metric.score(self.corpus.counted(metric)).score
        known = getattr(metric, "known", None)
        return Price(
            self.before[id(metric)], after, kind, metric.higher_is_better, known.decimals if known is not None else 2
        )

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
