"""chrF and chrF++ after Popović (2015, 2017), as sacreBLEU 2.6.0 counts them."""

import string
from collections import Counter
from collections.abc import Sequence

from oracle.text import WHITESPACE, split

EPSILON = 1e-16


def row(
    hypothesis: str,
    references: Sequence[str | None],
    char_order: int = 6,
    word_order: int = 0,
    beta: float = 2,
    lowercase: bool = False,
    whitespace: bool = False,
    eps_smoothing: bool = False,
) -> list[int]:
    """``hyp, ref, match`` for each order, against the reference with the highest F (the first of equals)."""
    options = (char_order, word_order, lowercase, whitespace)
    hyp = prepare(hypothesis, *options)
    rows = [pair(hyp, prepare(ref, *options)) for ref in references if ref is not None]
    return max(rows, key=lambda row: score(row, beta, eps_smoothing))


def prepare(
    segment: str, char_order: int, word_order: int, lowercase: bool, whitespace: bool
) -> list[Counter[str] | Counter[tuple[str, ...]]]:
    """The n-grams of a segment: one bag per character order, then one per word order."""
    if lowercase:
        segment = segment.lower()
    words = [piece for word in split(segment) for piece in detached(word)]
    characters = segment if whitespace else "".join(c for c in segment if c not in WHITESPACE)
    return [ngrams(characters, n) for n in range(1, char_order + 1)] + [
        ngrams(words, n) for n in range(1, word_order + 1)
    ]


def detached(word: str) -> list[str]:
    """At most one ASCII punctuation mark leaves a word, the last before the first."""
    if len(word) > 1 and word[-1] in string.punctuation:
        return [word[:-1], word[-1]]
    if len(word) > 1 and word[0] in string.punctuation:
        return [word[0], word[1:]]
    return [word]


def ngrams(units: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(units[i : i + n]) for i in range(len(units) - n + 1))


def pair(hyp: Sequence[Counter], ref: Sequence[Counter]) -> list[int]:
    row = []
    for h, r in zip(hyp, ref, strict=True):
        # An order that the reference lacks does not count against the hypothesis.
        row += [h.total() if r else 0, r.total(), (h & r).total()]
    return row


def score(totals: Sequence[int], beta: float, eps_smoothing: bool) -> float:
    factor = beta**2
    orders = len(totals) // 3
    smooth = precision_sum = recall_sum = 0.0
    effective = 0
    for n in range(orders):
        hyp, ref, match = totals[3 * n : 3 * n + 3]
        precision = match / hyp if hyp else EPSILON
        recall = match / ref if ref else EPSILON
        smooth += f_score(precision, recall, factor, EPSILON)
        if hyp and ref:
            precision_sum += precision
            recall_sum += recall
            effective += 1
    if eps_smoothing:
        return 100 * smooth / orders
    if effective == 0:
        return 0.0
    return 100 * f_score(precision_sum / effective, recall_sum / effective, factor, 0.0)


def f_score(precision: float, recall: float, factor: float, otherwise: float) -> float:
    denominator = factor * precision + recall
    return (1 + factor) * precision * recall / denominator if denominator > 0 else otherwise
