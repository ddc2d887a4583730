"""What a fault costs: the score without it against the score as asked for.

Rows exist, so the score of other segments is a sum; after a repair only the segments that it changed are counted again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from truebleu.doctor.corpus import Corpus
from truebleu.doctor.explain import Found
from truebleu.doctor.finding import Price
from truebleu.doctor.repairs import NORMALIZATIONS, is_available, repair
from truebleu.metrics import Metric
from truebleu.stats import Stats


class Prices:
    """The scores of a corpus, and what they would be without a fault.

    Parameters
    ----------
    corpus
        The texts.
    """

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.labels = _labels(corpus.metrics)
        self._other: dict[str, float] = {}

    def of(self, found: Found) -> dict[str, Price]:
        """Price a fault in each metric; there is no price where it cannot be told.

        Parameters
        ----------
        found
            The fault and its rule.
        """
        rule, fault = found
        name = rule.repair if fault.repair is None else fault.repair
        kind = rule.price
        if kind == "other" and fault.other is not None:
            return {
                label: self._price(metric, self._scored(other), "other")
                for metric, label, other in zip(self.corpus.metrics, self.labels, fault.other, strict=True)
                if repr(metric) != repr(other)
            }
        if kind == "rest" and 0 < len(fault.segments) < self.corpus.n:
            others = np.ones(self.corpus.n, bool)
            others[list(fault.segments)] = False
            return self._each(lambda metric, stats: stats.select(others), "rest")
        if kind == "repair" and fault.order is not None:
            moved = [self.corpus.hypotheses[at] if at >= 0 else "" for at in fault.order]
            return self._each(lambda metric, stats: self._recounted(metric, stats, moved, None), "repair")
        if kind == "repair" and name and is_available(name):
            repaired = repair(self.corpus.hypotheses, name, fault.segments)
            streams = None
            if name in NORMALIZATIONS:
                streams = [repair(stream, name, ()) for stream in self.corpus.references]
            return self._each(lambda metric, stats: self._recounted(metric, stats, repaired, streams), "repair")
        return {}

    def _each(self, rows: Any, kind: str) -> dict[str, Price]:
        """The prices in all metrics, given a function from a metric and its rows to the rows without the fault."""
        return {
            label: self._price(metric, metric.score(rows(metric, self.corpus.counted(metric))).score, kind)
            for metric, label in zip(self.corpus.metrics, self.labels, strict=True)
        }

    def _price(self, metric: Metric[Any], after: float, kind: str) -> Price:
        before = metric.score(self.corpus.counted(metric)).score
        return Price(before, after, kind, metric.higher_is_better)

    def _scored(self, metric: Metric[Any]) -> float:
        """The score under another setting, which several rules may suggest."""
        key, corpus = repr(metric), self.corpus
        if key not in self._other:
            self._other[key] = metric.corpus_score(corpus.hypotheses, corpus.streams, threads=corpus.threads).score
        return self._other[key]

    def _recounted(
        self, metric: Metric[Any], stats: Stats, hypotheses: list[str], streams: list[list[str]] | None
    ) -> Stats:
        """The rows after a repair: those of the segments that it changed are counted anew."""
        corpus = self.corpus
        changed = {at for at in range(corpus.n) if hypotheses[at] != corpus.hypotheses[at]}
        for old, new in zip(corpus.references, streams or (), strict=False):
            changed.update(at for at in range(corpus.n) if old[at] != new[at])
        if not changed:
            return stats
        places = sorted(changed)
        given = corpus.streams
        if streams is not None:
            # Where there was no reference there is none now.
            pairs = zip(corpus.streams, streams, strict=True)
            given = [[None if a is None else b for a, b in zip(old, new, strict=True)] for old, new in pairs]
        part = [[stream[at] for at in places] for stream in given]
        counted = metric.stats([hypotheses[at] for at in places], part, threads=corpus.threads)
        rows = stats.rows.copy()
        rows[places] = counted.rows
        return Stats(rows, stats.columns, metric.fingerprint(), stats.references)


def _labels(metrics: list[Metric[Any]]) -> list[str]:
    """What metrics are called in the report; the second BLEU is "BLEU 2"."""
    labels: list[str] = []
    for metric in metrics:
        again = 1 + sum(label.split()[0] == metric.label for label in labels)
        labels.append(metric.label if again == 1 else f"{metric.label} {again}")
    return labels
