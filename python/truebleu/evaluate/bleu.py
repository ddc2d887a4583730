"""evaluate's `bleu`: BLEU from 0 to 1, without smoothing, with the length of the *shortest* reference.

It is not sacreBLEU's BLEU, though both split with 13a. Smoothed, it adds one to all orders, unigrams included.
"""

from __future__ import annotations

import math
from typing import Any

from truebleu import _core
from truebleu._inputs import Reference, References, as_streams, check_corpus, numbered
from truebleu._options import choice, thread_count, whole_number, yes_or_no
from truebleu.errors import NothingToDivide
from truebleu.evaluate.module import EvaluationModule, MetricInfo
from truebleu.evaluate.tokens import Tokenize, count_text, is_13a, tokenized
from truebleu.metrics.citations import entries

# "hf" and "sacrebleu" are bleuscore's names for these rules.
_REF_LEN = {"shortest": "shortest", "hf": "shortest", "closest": "closest", "sacrebleu": "closest"}

# Beyond this, rows of zeros would cost more than tokens that cross into Python and back.
_ORDERS_OF_THE_ENGINE = 32
_MOST_ORDERS = 10_000


class Bleu(EvaluationModule):
    """BLEU with the numbers of evaluate's `bleu`. `compute` takes these options:

    - `tokenizer`: a function from a string to a list of tokens; 13a unless given.
    - `max_order`: the longest n-grams that are counted.
    - `smooth`: whether one is added to the matches and the totals of all orders.
    - `ref_len_method`: "shortest" or "closest", the reference whose length counts.

    Examples
    --------
    >>> result = Bleu().compute(predictions=["I ate an apple"], references=[["Bye", "I ate an apple here"]])
    >>> result["bleu"], result["reference_length"]
    (1.0, 1)
    """

    name = "bleu"
    info = MetricInfo(
        description="BLEU (Papineni et al., 2002) from 0 to 1, with the shortest reference's length.",
        citation=entries()["papineni-etal-2002-bleu"],
        reference_urls=("https://aclanthology.org/P02-1040",),
    )

    def _score(
        self,
        predictions: list[str],
        references: list[Reference],
        *,
        tokenizer: Tokenize = None,
        max_order: int = 4,
        smooth: bool = False,
        ref_len_method: str = "shortest",
    ) -> dict[str, Any]:
        order = whole_number("bleu", "max_order", max_order, 1, _MOST_ORDERS)
        smooth = yes_or_no("bleu", "smooth", smooth)
        ref_len = _REF_LEN[choice("bleu", "ref_len_method", ref_len_method, _REF_LEN)]
        count = _count_text if is_13a(tokenizer) and order <= _ORDERS_OF_THE_ENGINE else _count_tokens
        return _result(*count(predictions, references, tokenizer, order, ref_len), smooth)


_Counts = tuple[int, int, list[int], list[int]]


def _count_text(
    predictions: list[str], references: list[Reference], tokenizer: Tokenize, order: int, ref_len: str
) -> _Counts:
    """Lengths, matches and n-grams of text that the core splits and counts."""
    engine = _core.bleu_engine(
        tokenizer="13a",
        order=order,
        lowercase=False,
        smooth_method="none",
        smooth_value=0.0,
        effective_order=False,
        compensated_sum=False,
        ref_len=ref_len,
    )
    sys_len, length, *counts = count_text("bleu", engine, predictions, references)
    return sys_len, length, counts[:order], counts[order:]


def _count_tokens(
    predictions: list[str], references: list[Reference], tokenizer: Tokenize, order: int, ref_len: str
) -> _Counts:
    """Lengths, matches and n-grams of tokens that are made in Python."""
    check_corpus("bleu", predictions, References(as_streams("bleu", references), len(references)), True)
    corpus = numbered("bleu", *tokenized("bleu", tokenizer, predictions, references))
    sys_len, length, matches, ngrams, _, _ = corpus.bleu(order, ref_len, thread_count(None))
    return sys_len, length, matches, ngrams


def _result(sys_len: int, ref_len: int, matches: list[int], ngrams: list[int], smooth: bool) -> dict[str, Any]:
    """What `compute` returns. Products and sums are taken in evaluate's order: the last bit depends on it."""
    if ref_len == 0:
        raise NothingToDivide(
            "bleu: the references have no tokens (of several, the shortest counts), so there is no ratio of lengths. "
            "Expected at least one token"
        )
    if smooth:
        precisions = [(matched + 1.0) / (total + 1.0) for matched, total in zip(matches, ngrams, strict=True)]
    else:
        precisions = [matched / total if total else 0.0 for matched, total in zip(matches, ngrams, strict=True)]
    ratio = sys_len / ref_len
    # evaluate divides by zero where no prediction has a token.
    penalty = 0.0 if ratio == 0 else 1.0 if ratio > 1.0 else math.exp(1 - 1.0 / ratio)
    return {
        "bleu": _geometric_mean(precisions) * penalty,
        "precisions": precisions,
        "brevity_penalty": penalty,
        "length_ratio": ratio,
        "translation_length": sys_len,
        "reference_length": ref_len,
    }


def _geometric_mean(precisions: list[float]) -> float:
    if min(precisions) <= 0:
        return 0.0
    # evaluate calls Python's sum, which is compensated from 3.12 on, so we call it too.
    return math.exp(sum((1.0 / len(precisions)) * math.log(precision) for precision in precisions))
