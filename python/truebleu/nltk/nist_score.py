"""NIST as NLTK 3.10.4 computes it: `nltk.translate.nist_score`."""

from __future__ import annotations

import math
from collections.abc import Sequence

from truebleu._inputs import Tokens, equally_many, numbered
from truebleu._options import COMPENSATED_SUM, number_from_zero, whole_number
from truebleu.errors import NothingToDivide
from truebleu.nltk.bleu_score import refuse_empty

# A hypothesis of two thirds of the length is penalized by half.
_BETA = math.log(0.5) / math.log(1.5) ** 2

_HIGHEST_ORDER = 1000


def sentence_nist(references: Sequence[Tokens], hypothesis: Tokens, n: int = 5) -> float:
    """Score one tokenized segment with NIST, which begins at 0 and has no upper limit.

    Parameters
    ----------
    references, hypothesis
        As in `truebleu.nltk.sentence_bleu`.
    n
        The longest n-grams that are counted.

    Examples
    --------
    >>> sentence_nist(["there is a cat on the mat".split()], "the cat is on the mat".split())
    2.1164383136702805
    """
    return _nist("sentence_nist", [references], [hypothesis], n)


def corpus_nist(list_of_references: Sequence[Sequence[Tokens]], hypotheses: Sequence[Tokens], n: int = 5) -> float:
    """Score a tokenized corpus with NIST: the rarer an n-gram is in the references, the more a match counts.

    An order in which no hypothesis has an n-gram adds nothing; NLTK divides by zero there.

    Parameters
    ----------
    list_of_references, hypotheses
        As in `truebleu.nltk.corpus_bleu`.
    n
        As in `sentence_nist`.
    """
    return _nist("corpus_nist", list_of_references, hypotheses, n)


def _nist(name: str, list_of_references: Sequence[Sequence[Tokens]], hypotheses: Sequence[Tokens], n: int) -> float:
    n = whole_number(name, "n", n, 1, _HIGHEST_ORDER)
    corpus = numbered(name, *equally_many(name, list_of_references, hypotheses))
    if not len(corpus):
        raise NothingToDivide(f"{name}: there are no segments in hypotheses, expected at least one")
    refuse_empty(name, corpus)
    matched, ngrams, hyp_len, ref_len = corpus.nist(n, COMPENSATED_SUM)
    score = 0.0
    for information, total in zip(matched, ngrams, strict=True):
        score += information / total if total else 0.0
    return score * nist_length_penalty(ref_len, hyp_len) if ref_len else 0.0


def nist_length_penalty(ref_len: float, hyp_len: float) -> float:
    """Compute the factor by which NIST is lowered for a short hypothesis, from 0 to 1."""
    ref_len = number_from_zero("nist_length_penalty", "ref_len", ref_len)
    if not ref_len:
        raise NothingToDivide("nist_length_penalty: ref_len is 0, expected a length above 0")
    ratio = number_from_zero("nist_length_penalty", "hyp_len", hyp_len) / ref_len
    if 0 < ratio < 1:
        return math.exp(_BETA * math.log(ratio) ** 2)
    return max(min(ratio, 1.0), 0.0)
