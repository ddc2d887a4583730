"""A family that `reconcile` does not have, to show what a new one costs: this file, and a line in `FAMILIES`."""

from __future__ import annotations

from collections.abc import Mapping

from truebleu.metrics import WER
from truebleu.reconciliation.counts import SHIFTS, Counts, scores
from truebleu.reconciliation.family import CASE, LINES, REFERENCES, TEXT, Axis, Family, Setting, by_name, profile


class WordErrors(Family):
    """The word error rate."""

    metric = WER
    axes = by_name(
        LINES, REFERENCES, TEXT, CASE,
        Axis("marks", 1.0, "kept", {"kept": "punctuation kept", "dropped": "punctuation dropped"}),
        Axis("aggregation", 1.2, "corpus", {"corpus": "the corpus as a whole", "mean": "mean of segments"}),
    )  # fmt: skip
    profiles = (
        profile("wer", "jiwer", "", "jiwer's wer"),
        profile("wer", "a-leaderboard", "", "a leaderboard's normalised WER", case="lower", marks="dropped"),
    )

    def values_of(self, metric: WER) -> Mapping[str, str]:
        return {
            "case": "lower" if metric.lowercase else "mixed",
            "marks": "dropped" if metric.remove_punctuation else "kept",
        }

    def score(self, setting: Setting, counts: Counts) -> float:
        metric, shift = WER(remove_punctuation=setting["marks"] == "dropped"), SHIFTS.get(setting["lines"], 0)
        texts, group = counts.wording(setting["text"], setting["case"]), counts.texts.group(setting["references"])
        key = ("wer", texts, setting["marks"], group, shift)
        rows = counts.chosen(counts.rows(key, lambda: counts.count(metric, texts, group, shift)), setting["lines"])
        return float(scores(metric, rows if setting["aggregation"] == "mean" else rows.sum(axis=0)).mean())
