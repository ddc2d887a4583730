"""chrF as tools compute it: rows of each reference have all orders, and each setting chooses the best reference."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from truebleu._core import nltk_chrf
from truebleu.errors import OptionError
from truebleu.metrics import CHRF
from truebleu.reconciliation.counts import SHIFTS, Array, Counts, Wording, scores, windows
from truebleu.reconciliation.family import CASE, LINES, REFERENCES, TEXT, Axis, Family, Setting, by_name, profile
from truebleu.reconciliation.rewriting import ODD_SPACES, Rewriter, each, standing_in

_CHARACTERS, _WORDS = 6, 2

_chrf = partial(profile, "chrf")


class Chrf(Family):
    """chrF and chrF++."""

    metric = CHRF
    axes = by_name(
        LINES, REFERENCES, TEXT, CASE,
        Axis("characters", 1.2, "6", {str(n): f"character n-grams up to {n}" for n in (6, 4, 5)}),
        Axis("words", 1.0, "0",
             {"0": "no word n-grams", "1": "word n-grams up to 1 (chrF+)", "2": "chrF++ (words to 2)"}),
        Axis("beta", 1.2, "2", {str(n): f"beta {n}" for n in (2, 1, 3)}),
        Axis("white space", 1.2, "no", {"no": "white space left out", "yes": "white space kept"}),
        Axis("chrF smoothing", 1.3, "no", {"no": "effective order", "yes": "eps smoothing"}),
        Axis(
            "aggregation", 1.2, "corpus",
            {"corpus": "the corpus as a whole", "mean": "mean of segments", "nltk": "mean of segments by NLTK's rule",
             "torchmetrics": "torchmetrics' rule, in 32 bits"},
            ("nltk", "torchmetrics"),
        ),
    )  # fmt: skip
    profiles = (
        _chrf("sacrebleu", "chrF", "sacreBLEU's chrF"),
        _chrf("sacrebleu", "chrF++", "sacreBLEU's chrF++", words="2"),
        _chrf("nltk", "chrF", "NLTK's corpus_chrf", True, beta="3", aggregation="nltk"),
        _chrf("torchmetrics", "chrF", "torchmetrics' CHRFScore", words="2", aggregation="torchmetrics"),
        _chrf("torchmetrics", "chrF nw 0", "torchmetrics' CHRFScore with n_word_order=0", aggregation="torchmetrics"),
    )

    def values_of(self, metric: CHRF) -> Mapping[str, str]:
        """Find the values of a metric on the axes."""
        if metric.char_order > _CHARACTERS or metric.word_order > _WORDS:
            raise OptionError("reconcile: chrF is known up to six characters and two words")
        return {
            "case": "lower" if metric.lowercase else "mixed", "characters": str(metric.char_order),
            "words": str(metric.word_order), "beta": f"{metric.beta:g}",
            "white space": "yes" if metric.whitespace else "no",
            "chrF smoothing": "yes" if metric.eps_smoothing else "no",
        }  # fmt: skip

    def score(self, setting: Setting, counts: Counts) -> float:
        """Score a system with some of its references."""
        rule, lines = setting["aggregation"], setting["lines"]
        if rule in ("nltk", "torchmetrics"):
            return (_nltk if rule == "nltk" else _torchmetrics)(setting, counts)
        metric = CHRF(
            char_order=int(setting["characters"]), word_order=int(setting["words"]), beta=_number(setting["beta"]),
            eps_smoothing=setting["chrF smoothing"] == "yes",
        )  # fmt: skip
        rows = _rows(setting, counts, setting["white space"] == "yes")
        parts = [_orders(table, metric.char_order, metric.word_order) for table in rows]
        found = np.column_stack([scores(metric, part) for part in parts])
        if rule == "mean":
            return float(counts.chosen(found.max(axis=1), lines).mean())
        totals = counts.chosen(_best(parts, found), lines).sum(axis=0)
        return float(scores(metric, totals)[0])


def _rows(
    setting: Setting, counts: Counts, whitespace: bool, odd_spaces: bool = False, all_own: bool = False
) -> list[Array]:
    """The rows of each reference."""
    texts, shift = counts.wording(setting["text"], setting["case"]), SHIFTS.get(setting["lines"], 0)
    if odd_spaces:  # torchmetrics strips the ends and then removes U+0020 only
        stand_in = standing_in("\t\n\r\f\v" + ODD_SPACES)
        strip = each(lambda line: stand_in(line.strip()))
        texts = counts.step(texts, "u+0020", lambda _: Rewriter(strip, strip))
    metric = CHRF(char_order=_CHARACTERS, word_order=_WORDS, whitespace=whitespace)

    def count(name: str) -> Array:
        rows = counts.count(metric, texts, (name,), shift)
        return _with_all_own(metric, rows, texts, shift, counts) if all_own else rows

    return [
        counts.rows(("chrf", texts, whitespace, name, shift, all_own), partial(count, name))
        for name in counts.texts.group(setting["references"])
    ]


def _with_all_own(metric: CHRF, rows: Array, texts: Wording, shift: int, counts: Counts) -> Array:
    """The rows with all n-grams of the hypotheses; sacreBLEU leaves out orders that no reference has."""
    own = counts.count(metric, Wording((), texts.hypotheses, {"": texts.hypotheses}), ("",))
    rows = rows.copy()
    rows[:, ::3] = own[windows(shift)[0], ::3]
    return rows


def _orders(rows: Array, characters: int, words: int) -> Array:
    """The columns of fewer orders: three for each, characters first."""
    start = 3 * _CHARACTERS
    return np.column_stack([rows[:, : 3 * characters], rows[:, start : start + 3 * words]])


def _best(parts: list[Array], found: Array) -> Array:
    """The row of the best reference of each segment."""
    best: Array = np.stack(parts)[found.argmax(axis=1), np.arange(len(found))]
    return best


def _nltk(setting: Setting, counts: Counts) -> float:
    texts, chosen = counts.wording(setting["text"], setting["case"]), counts.selection(setting["lines"])
    at = range(len(texts.hypotheses)) if chosen is None else chosen
    stream = texts.streams[counts.texts.group(setting["references"])[0]]
    ours, theirs = tuple(texts.hypotheses[n] for n in at), tuple(stream[n] or "" for n in at)
    order, square = int(setting["characters"]), _number(setting["beta"]) ** 2
    found = nltk_chrf(ours, theirs, order, square, setting["white space"] == "yes", counts.threads or 0)
    return 100 * float(np.frombuffer(found).mean())


def _torchmetrics(setting: Setting, counts: Counts) -> float:
    characters, words, square = int(setting["characters"]), int(setting["words"]), _number(setting["beta"]) ** 2
    whitespace = setting["white space"] == "yes"
    pairs = zip(
        _rows(setting, counts, whitespace, not whitespace, all_own=True),
        _rows(setting, counts, whitespace, all_own=True),
        strict=True,
    )
    parts = [
        np.column_stack([_orders(ours, characters, 0), _orders(theirs, _CHARACTERS, words)[:, 3 * _CHARACTERS :]])
        for ours, theirs in pairs
    ]
    found = np.column_stack([_f_score(part, square) for part in parts])
    table = _best(parts, found)
    # A segment that matches nothing never finds a best reference, so only its own n-grams are added.
    lost = found.max(axis=1) == 0
    for column in (1, 2):
        table[lost, column::3] = 0
    totals = counts.chosen(table, setting["lines"]).sum(axis=0, keepdims=True)
    return 100 * float(np.float32(_f_score(totals, square)[0]))


def _f_score(rows: Array, square: float) -> Array:
    """The F-scores of torchmetrics: the mean over all orders, whether there are n-grams or not."""
    hypothesis, reference, match = (rows[:, at::3] for at in range(3))
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.where(hypothesis > 0, match / hypothesis, 0.0)
        recall = np.where(reference > 0, match / reference, 0.0)
    bottom = np.maximum(square * precision + recall, 1e-16)
    found: Array = ((1 + square) * precision * recall / bottom).mean(axis=1)
    return found


def _number(text: str) -> float:
    return int(text) if text.isdecimal() else float(text)
