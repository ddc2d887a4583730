"""chrF as NLTK 3.10.4 computes it: `nltk.translate.chrf_score`.

Not sacreBLEU's chrF: beta is 3, an order without n-grams scores 1e-16, and a corpus scores the mean of its segments.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from truebleu import _core
from truebleu._inputs import brief, equally_many
from truebleu._options import finite_number, thread_count, whole_number, yes_or_no
from truebleu.errors import InputTypeError, NothingToDivide, OptionError
from truebleu.nltk.bleu_score import ngrams

Text = str | Sequence[str]


def sentence_chrf(
    reference: Text,
    hypothesis: Text,
    min_len: int = 1,
    max_len: int = 6,
    beta: float = 3.0,
    ignore_whitespace: bool = True,
) -> float:
    """Score one segment with chrF, from 0 to 1.

    Parameters
    ----------
    reference
        The reference: a string, or a list of tokens that are joined by spaces.
    hypothesis
        The output of the system: a string, or a list of tokens.
    min_len
        The shortest n-grams that are counted.
    max_len
        The longest.
    beta
        How many times as much recall counts as precision.
    ignore_whitespace
        Whether white space is left out of the n-grams.

    Examples
    --------
    >>> round(sentence_chrf("it was a grey heron", "it was a grey bird"), 12)
    0.608272766912
    """
    return _chrf("sentence_chrf", [reference], [hypothesis], min_len, max_len, beta, ignore_whitespace)


def corpus_chrf(
    references: Sequence[Text],
    hypotheses: Sequence[Text],
    min_len: int = 1,
    max_len: int = 6,
    beta: float = 3.0,
    ignore_whitespace: bool = True,
) -> float:
    """Score each segment with chrF and return the mean, from 0 to 1.

    Parameters
    ----------
    references
        One reference for each segment: a string, or a list of tokens that are joined by spaces.
    hypotheses
        The output of the system: for each segment a string or a list of tokens.
    min_len, max_len, beta, ignore_whitespace
        As in `sentence_chrf`.
    """
    return _chrf("corpus_chrf", references, hypotheses, min_len, max_len, beta, ignore_whitespace)


def _chrf(
    name: str,
    references: Sequence[Text],
    hypotheses: Sequence[Text],
    min_len: int,
    max_len: int,
    beta: float,
    ignore_whitespace: bool,
) -> float:
    min_len = whole_number(name, "min_len", min_len, 1, _HIGHEST_ORDER)
    max_len = whole_number(name, "max_len", max_len, min_len, _HIGHEST_ORDER)
    ignore_whitespace = yes_or_no(name, "ignore_whitespace", ignore_whitespace)
    if abs(finite_number(name, "beta", beta)) > _HIGHEST_BETA:
        raise OptionError(f"{name}: beta is {brief(beta)}, expected a number whose square is finite")
    outer_references, outer_hypotheses = equally_many(name, references, hypotheses)
    if not outer_hypotheses:
        raise NothingToDivide(f"{name}: there are no segments in hypotheses, expected at least one")
    whitespace = not ignore_whitespace
    ours = tuple(_joined(name, "hypothesis", at, text) for at, text in enumerate(outer_hypotheses))
    theirs = tuple(_joined(name, "reference", at, text) for at, text in enumerate(outer_references))
    if ignore_whitespace and any(separator in text for text in (*ours, *theirs) for separator in _SEPARATORS):
        ours, theirs = (tuple(text.translate(_NO_WHITESPACE) for text in side) for side in (ours, theirs))
        whitespace = True
    # No text has longer n-grams, and all orders without any score the same.
    order = min(max_len, max(min_len, *map(len, ours)))
    scores = memoryview(_core.nltk_chrf(ours, theirs, order, float(beta**2), whitespace, thread_count(None))).cast("d")
    sums = [sum(scores[n - 1 :: order]) for n in range(min_len, order + 1)]
    sums += [sum([_NOTHING] * len(ours))] * (max_len - order)
    return sum(sums) / (max_len - min_len + 1) / len(ours)


def chrf_precision_recall_fscore_support(
    reference: Sequence[Any], hypothesis: Sequence[Any], n: int, beta: float = 3.0, epsilon: float = 1e-16
) -> tuple[float, float, float, float]:
    """Compute precision, recall and F-score of the n-grams of one order, and the number of those that match.

    Examples
    --------
    >>> chrf_precision_recall_fscore_support("heron", "hero", 2, beta=0)
    (1.0, 0.75, 1.0, 3)
    """
    theirs, ours = Counter(ngrams(reference, n)), Counter(ngrams(hypothesis, n))
    factor = finite_number("chrf_precision_recall_fscore_support", "beta", beta) ** 2
    epsilon = finite_number("chrf_precision_recall_fscore_support", "epsilon", epsilon)
    matches = (theirs & ours).total()
    if not matches:
        return epsilon, epsilon, epsilon, matches
    precision, recall = matches / ours.total(), matches / theirs.total()
    return precision, recall, (1 + factor) * (precision * recall) / (factor * precision + recall), matches


# An order above that of every text scores nothing, and each takes its place in a sum.
_HIGHEST_ORDER = 100_000
_HIGHEST_BETA = 1e150

# What an order without n-grams scores.
_NOTHING = 1e-16

# NLTK takes for white space what Unicode calls so. Python, and with it the engine, adds four separators.
_SEPARATORS = "\x1c\x1d\x1e\x1f"
_NO_WHITESPACE = dict.fromkeys(
    [*range(0x09, 0x0E), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000]
)


def _joined(name: str, what: str, at: int, text: Any) -> str:
    if isinstance(text, str):
        return text
    try:
        return " ".join(text)
    except TypeError:
        raise InputTypeError(f"{name}: {what} {at} is {brief(text)}, expected a string or a list of strings") from None
