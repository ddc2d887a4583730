"""TER as tools compute it: the edits are those of the best reference, the length is the mean of all."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from truebleu.metrics import TER
from truebleu.reconciliation.counts import SHIFTS, Array, Counts, Wording, scores
from truebleu.reconciliation.family import LINES, REFERENCES, TEXT, Axis, Family, Setting, by_name, profile


class Ter(Family):
    """TER."""

    metric = TER
    axes = by_name(
        LINES, REFERENCES, TEXT,
        Axis("normalized", 1.0, "no", {"no": "punctuation attached", "yes": "punctuation separated"}),
        Axis("punctuation", 1.0, "yes", {"yes": "punctuation kept", "no": "punctuation dropped"}),
        Axis("asian", 1.0, "no", {"no": "ideographs together", "yes": "ideographs split"}),
        Axis("TER case", 1.0, "lower", {"lower": "case ignored", "mixed": "case kept"}),
        Axis(
            "aggregation", 1.2, "corpus",
            {"corpus": "the corpus as a whole", "mean": "mean of segments",
             "torchmetrics": "hypothesis and reference swapped (torchmetrics)"},
            ("torchmetrics",),
        ),
    )  # fmt: skip
    profiles = (
        profile("ter", "sacrebleu", "TER", "sacreBLEU's TER"),
        profile("ter", "torchmetrics", "TER", "torchmetrics' TranslationEditRate", aggregation="torchmetrics"),
    )

    def values_of(self, metric: TER) -> Mapping[str, str]:
        """Find the values of a metric on the axes."""
        return {
            "normalized": "yes" if metric.normalized else "no", "punctuation": "no" if metric.no_punct else "yes",
            "asian": "yes" if metric.asian_support else "no", "TER case": "mixed" if metric.case_sensitive else "lower",
        }  # fmt: skip

    def score(self, setting: Setting, counts: Counts) -> float:
        """Score a system with some of its references."""
        texts, shift = counts.wording(setting["text"]), SHIFTS.get(setting["lines"], 0)
        metric = TER(
            normalized=setting["normalized"] == "yes", no_punct=setting["punctuation"] == "no",
            asian_support=setting["asian"] == "yes", case_sensitive=setting["TER case"] == "mixed",
        )  # fmt: skip
        count = _count_swapped if setting["aggregation"] == "torchmetrics" else _count
        rows = np.stack([
            counts.rows(
                (count, texts, repr(metric), name, shift), partial(count, metric, texts, name, shift, counts)
            )
            for name in counts.texts.group(setting["references"])
        ])  # fmt: skip
        table = np.column_stack([rows[:, :, 0].min(axis=0), rows[:, :, 1].mean(axis=0)])
        table = counts.chosen(table, setting["lines"])
        if setting["aggregation"] == "mean":
            return float(scores(metric, table).mean())
        return float(scores(metric, table.sum(axis=0))[0])


def _count(metric: TER, texts: Wording, name: str, shift: int, counts: Counts) -> Array:
    return counts.count(metric, texts, (name,), shift)


def _count_swapped(metric: TER, texts: Wording, name: str, shift: int, counts: Counts) -> Array:
    """Edits of the reference into the hypothesis; none if the hypothesis is empty."""
    other = Wording((), [text or "" for text in texts.streams[name]], {name: list(texts.hypotheses)})
    edits = counts.count(metric, other, (name,), -shift)[:, 0]
    empty = np.array([not text.strip() for text in texts.hypotheses])[: len(edits)]
    return np.column_stack([np.where(empty, 0.0, edits), _count(metric, texts, name, shift, counts)[:, 1]])
