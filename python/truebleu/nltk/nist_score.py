"""NIST as NLTK 3.10.4 computes it: `nltk.translate.nist_score`."""

from __future__ import annotations

import math
from collections.abc import Sequence

from truebleu._inputs import Tokens, equally_many, numbered
from truebleu._options import COMPENSATED_SUM, whole_number
from truebleu.errors import EmptyReferences, NothingToDivide

# A hypothesis of two thirds of the length is penalized by half.
_BETA = math.log(0.5) / math.log(1.5) ** 2

_HIGHEST_ORDER = 1000


def sentence_nist(references: Sequence[Tokens], hypothesis: Tokens, n: int = 5) -> float:
    """NIST of one tokenized segment, from 0 without a limit.

    >>> sentence_nist(["there is a cat on the mat".split()], "the cat is on the mat".split())
    2.1164383136702805
    """
    return _nist("sentence_nist", [references], [hypothesis], n)


def corpus_nist(list_of_references: Sequence[Sequence[Tokens]], hypotheses: Sequence[Tokens], n: int = 5) -> float:
    """NIST of a tokenized corpus: matches count by how rare they are in all references.

    An order that no hypothesis has n-grams of adds nothing; NLTK divides by zero there.
    """
    return _nist("corpus_nist", list_of_references, hypotheses, n)


def _nist(name: str, list_of_references: Sequence[Sequence[Tokens]], hypotheses: Sequence[Tokens], n: int) -> float:
    n = whole_number(name, "n", n, 1, _HIGHEST_ORDER)
    references, texts = equally_many(name, list_of_references, hypotheses)
    corpus = numbered(name, references, texts)
    if not len(corpus):
        raise NothingToDivide(f"{name}: there are no segments, expected at least one")
    segment = corpus.without_references()
    if segment is not None:
        raise EmptyReferences(f"{name}: segment {segment} has an empty list of references, expected at least one")
    matched, ngrams, hyp_len, ref_len = corpus.nist(n, COMPENSATED_SUM)
    score = 0.0
    for information, total in zip(matched, ngrams, strict=True):
        score += information / total if total else 0.0
    return score * nist_length_penalty(ref_len, hyp_len) if ref_len else 0.0


def nist_length_penalty(ref_len: float, hyp_len: float) -> float:
    """What a hypothesis that is too short is multiplied with."""
    ratio = hyp_len / ref_len
    if 0 < ratio < 1:
        return math.exp(_BETA * math.log(ratio) ** 2)
    return max(min(ratio, 1.0), 0.0)
