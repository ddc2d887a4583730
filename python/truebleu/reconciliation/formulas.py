"""BLEU from counts by the rules of tools that differ from sacreBLEU's.

Each function takes an array of rows (hypothesis length, reference length, matches of six orders, n-grams of six
orders), which are segments, batches or the sum of a corpus, and gives a score from 0 to 100 for each row.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]

ORDERS = 6
_TINY = sys.float_info.min


def matches(rows: Array, order: int = 4) -> Array:
    """Take the matches of each order."""
    return rows[:, 2 : 2 + order]


def ngrams(rows: Array, order: int = 4) -> Array:
    """Take the number of n-grams of each order."""
    return rows[:, 2 + ORDERS : 2 + ORDERS + order]


def penalty(rows: Array, more: float = 0.0) -> Array:
    """Compute the brevity penalty, which is 0 for an empty hypothesis."""
    length, goal = rows[:, 0] + more, rows[:, 1] + more
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(length == 0, 0.0, np.where(length >= goal, 1.0, np.exp(1 - goal / length)))


def _logs(precisions: Array) -> Array:
    with np.errstate(divide="ignore"):
        logarithms: Array = np.log(precisions)
    return logarithms


def _mean(rows: Array, precisions: Array, more: float = 0.0) -> Array:
    """The geometric mean of all orders, times the penalty; a precision of zero makes it zero."""
    scores: Array = 100 * penalty(rows, more) * np.exp(_logs(precisions).mean(axis=1))
    return scores


def _shares(rows: Array, order: int = 4, add: float = 0.0, first: int = 0) -> Array:
    """Matches by n-grams, with something added to both from an order on."""
    added = np.where(np.arange(order) >= first, add, 0.0)
    parts, whole = matches(rows, order) + added, ngrams(rows, order) + added
    return np.divide(parts, whole, out=np.zeros_like(parts), where=whole > 0)


def _halved(parts: Array, whole: Array) -> Array:
    """Precisions in which the first order without a match counts as half a match, the next as a quarter, and so on."""
    unmatched = (parts == 0) & (whole > 0)
    stand_in = 0.5 ** np.cumsum(unmatched, axis=1)
    return np.divide(np.where(unmatched, stand_in, parts), whole, out=np.zeros_like(parts), where=whole > 0)


def exp_always(rows: Array, order: int = 4) -> Array:
    """Smooth as sacreBLEU before 2 did: also where nothing matches."""
    return _mean(rows, _halved(matches(rows, order), ngrams(rows, order)))


def mteval(rows: Array) -> Array:
    """Score by mteval's rule: exp smoothing, and an order without any n-gram has the precision 1."""
    return _mean(rows, np.where(ngrams(rows) == 0, 1.0, _halved(matches(rows), ngrams(rows))))


def add(rows: Array, first: int, order: int = 4, more: float = 0.0) -> Array:
    """Add one to matches and n-grams from an order on."""
    return _mean(rows, _shares(rows, order, 1.0, first), more)


def coco(rows: Array, order: int = 4) -> Array:
    """Score by COCO's rule, which adds tiny numbers in place of smoothing."""
    ratio = (rows[:, 0] + 1e-15) / (rows[:, 1] + 1e-9)
    precisions = (matches(rows, order) + 1e-15) / (ngrams(rows, order) + 1e-9)
    with np.errstate(over="ignore", divide="ignore"):
        shorter = np.exp(np.minimum(0.0, 1 - 1 / ratio))
    scores: Array = 100 * shorter * np.exp(_logs(precisions).mean(axis=1))
    return scores


def allennlp(rows: Array) -> Array:
    """Score by AllenNLP's rule, which adds a tiny number to matches and n-grams."""
    return _mean(rows, (matches(rows) + 1e-13) / (ngrams(rows) + 1e-13))


def _in_32_bits(rows: Array, precisions: Array, skip_zeros: bool = False) -> Array:
    small = precisions.astype(np.float32)
    with np.errstate(divide="ignore"):
        logs = np.log(small)
    if skip_zeros:
        logs = np.where(small > 0, logs, np.float32(0))
    scores = penalty(rows).astype(np.float32) * np.exp(logs.mean(axis=1, dtype=np.float32))
    points: Array = 100 * scores.astype(np.float64)
    return points


def torchmetrics(rows: Array, smooth: bool = False) -> Array:
    """Score by torchmetrics' rule, in 32 bits: zero if an order has no match, even when it smooths."""
    scores = _in_32_bits(rows, _shares(rows, add=float(smooth), first=1))
    return np.where((matches(rows) == 0).any(axis=1), 0.0, scores)


def t2t(rows: Array) -> Array:
    """Score by tensor2tensor's rule, in 32 bits: orders without n-grams are left out and still divided by."""
    return _in_32_bits(rows, _halved(matches(rows), ngrams(rows)), skip_zeros=True)


def nltk(rows: Array, method: int) -> Array:
    """Score each row as NLTK scores a segment; NaN where NLTK fails."""
    parts, whole = matches(rows, 5), np.maximum(ngrams(rows, 5), 1)
    precisions = _smoothed(method, parts[:, :4], whole[:, :4], parts[:, 4] / whole[:, 4], rows[:, 0])
    logs = np.where(precisions > 0, _logs(precisions), 0.0)
    scores = 100 * penalty(rows) * np.exp(logs.sum(axis=1) / 4)
    return np.where(parts[:, 0] == 0, 0.0, scores)


def _smoothed(method: int, parts: Array, whole: Array, fifth: Array, length: Array) -> Array:
    plain, zero = parts / whole, parts == 0
    if method == 0:
        return np.where(zero, _TINY, plain)
    if method == 1:
        return np.where(zero, 0.1 / whole, plain)
    if method == 2:
        return np.where(np.arange(4) > 0, (parts + 1) / (whole + 1), plain)
    if method == 3:
        return _halved(parts, whole)
    if method == 6:
        return _expected(plain, parts, length)
    if method in (4, 7):
        longer = np.log(np.maximum(length, 1))[:, None] / 5
        plain = np.where(zero, _halved(parts, whole) * longer, plain)
    return plain if method == 4 else _neighbours(plain, fifth)


def _neighbours(precisions: Array, fifth: Array) -> Array:
    following = np.column_stack([precisions[:, 1:], fifth])
    smoothed, before = precisions.copy(), precisions[:, 0] + 1
    for at in range(4):
        before = smoothed[:, at] = (before + precisions[:, at] + following[:, at]) / 3
    return smoothed


def _expected(precisions: Array, parts: Array, length: Array) -> Array:
    smoothed = precisions.copy()
    with np.errstate(divide="ignore", invalid="ignore"):
        for at in (2, 3):
            before = smoothed[:, at - 2]
            prior = np.where(before == 0, 0.0, smoothed[:, at - 1] ** 2 / before)
            smoothed[:, at] = (parts[:, at] + 5 * prior) / (np.maximum(0, length - at) + 5)
    return np.where(precisions[:, [2]] == 0, np.nan, smoothed)


def at_least_one(rows: Array) -> Array:
    """Count an order without n-grams as one n-gram, in every segment, as NLTK does."""
    return np.column_stack([rows[:, : 2 + ORDERS], np.maximum(rows[:, 2 + ORDERS :], 1)])


# Rules by the names that the axis `aggregation` has for them.
OF_SEGMENTS: Mapping[str, Callable[[Array], Array]] = {
    "mean mteval": mteval,
    **{f"mean nltk{method}": partial(nltk, method=method) for method in range(8)},
    "mean code": lambda rows: add(rows, 1, more=1.0),
    "mean fairseq": lambda rows: add(rows, 1),
}  # fmt: skip
OF_CORPORA: Mapping[str, Callable[[Array], Array]] = {
    "nltk": lambda rows: nltk(rows, 0),
    "mteval": mteval,
    "torchmetrics": torchmetrics,
    "torchmetrics smooth": lambda rows: torchmetrics(rows, smooth=True),
    "t2t": t2t,
    "allennlp": allennlp,
}
OF_SMOOTHING: Mapping[str, Callable[[Array, int], Array]] = {
    "exp-always": exp_always,
    "add-one": lambda rows, order: add(rows, 0, order),
    "add-k-trigrams": lambda rows, order: add(rows, 2, order),
}
