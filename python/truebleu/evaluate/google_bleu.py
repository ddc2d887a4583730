"""evaluate's `google_bleu`: NLTK's `corpus_gleu` on 13a's tokens, from 0 to 1."""

from __future__ import annotations

from numbers import Real
from typing import Any

from truebleu import _core
from truebleu._inputs import Reference
from truebleu.evaluate.module import EvaluationModule, MetricInfo
from truebleu.evaluate.tokens import Tokenize, count_text, is_13a, tokenized
from truebleu.metrics.citations import entries
from truebleu.nltk.gleu_score import corpus_gleu

_ORDERS_OF_THE_ENGINE = range(1, 33)


class GoogleBleu(EvaluationModule):
    """Google BLEU with the numbers of evaluate's `google_bleu`. `compute` takes these options:

    - `tokenizer`: a function from a string to a list of tokens; 13a unless given.
    - `min_len`, `max_len`: the shortest and the longest n-grams that are counted.

    Examples
    --------
    >>> GoogleBleu().compute(predictions=["it was a grey bird"], references=["it was a grey heron"], min_len=2)
    {'google_bleu': 0.6666666666666666}
    """

    name = "google_bleu"
    info = MetricInfo(
        description="Google BLEU (Wu et al., 2016) from 0 to 1: the smaller of n-gram precision and recall.",
        citation=entries()["wu-etal-2016-googles"],
        reference_urls=("https://arxiv.org/abs/1609.08144",),
    )

    def _score(
        self,
        predictions: list[str],
        references: list[Reference],
        *,
        tokenizer: Tokenize = None,
        min_len: int = 1,
        max_len: int = 4,
    ) -> dict[str, Any]:
        is_number = isinstance(min_len, Real) and isinstance(max_len, Real)
        ordinary = is_number and {min_len, max_len} <= set(_ORDERS_OF_THE_ENGINE) and min_len <= max_len
        if ordinary and is_13a(tokenizer):
            return {"google_bleu": _score_text(predictions, references, int(min_len), int(max_len))}
        lists = tokenized("google_bleu", tokenizer, predictions, references)
        return {"google_bleu": corpus_gleu(*lists, min_len, max_len)}


def _score_text(predictions: list[str], references: list[Reference], min_len: int, max_len: int) -> float:
    """The score of text that the core splits and counts."""
    if not all(map(any, references)):
        # A prediction without references does not count; an empty reference is one.
        pairs = list(zip(predictions, references, strict=True))
        pairs = [(text, texts) for text, texts in pairs if any(each is not None for each in texts)]
        if not pairs:
            return 0.0
        predictions, references = map(list, zip(*pairs, strict=True))
    engine = _core.gleu_engine(tokenizer="13a", min_len=min_len, max_len=max_len, lowercase=False)
    matches, ngrams = count_text("google_bleu", engine, predictions, references)
    return matches / ngrams if ngrams else 0.0
