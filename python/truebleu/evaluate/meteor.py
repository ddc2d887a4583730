"""evaluate's `meteor`: NLTK's METEOR on the words of `word_tokenize`, from 0 to 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from truebleu._inputs import Reference
from truebleu.evaluate.module import EvaluationModule, MetricInfo
from truebleu.metrics.citations import entries
from truebleu.nltk.meteor_score import scores_of_words
from truebleu.tokenizers.registry import resolve


class Meteor(EvaluationModule):
    """METEOR with the numbers of evaluate's `meteor`. `compute` takes these options:

    - `alpha`: the weight of precision in its mean with recall.
    - `beta`: the power of the share of chunks.
    - `gamma`: the largest penalty for chunks.
    - `tokenizer`: "nltk" is evaluate's, which needs NLTK's model of sentences; "nltk-words" does without.

    Examples
    --------
    >>> found = Meteor().compute(
    ...     predictions=["it was a grey bird"], references=["it was a grey heron"], tokenizer="nltk-words"
    ... )
    >>> round(float(found["meteor"]), 6)
    0.79375
    """

    name = "meteor"
    info = MetricInfo(
        description="METEOR (Banerjee and Lavie, 2005) from 0 to 1: words that match as they are, by stem or synonym.",
        citation=entries()["banerjee-lavie-2005-meteor"],
        reference_urls=("https://aclanthology.org/W05-0909",),
    )

    def _score(
        self,
        predictions: list[str],
        references: list[Reference],
        *,
        alpha: float = 0.9,
        beta: float = 3,
        gamma: float = 0.5,
        tokenizer: str = "nltk",
    ) -> dict[str, Any]:
        words = resolve(tokenizer)
        ours = [line.lower() for line in words.apply(predictions)]
        texts = [[one for one in each if one is not None] for each in references]
        made = iter(words.apply([one for each in texts for one in each]))
        theirs = [[next(made).lower() for _ in each] for each in texts]
        scores = scores_of_words(ours, theirs, alpha, beta, gamma)
        # NumPy adds in another order than Python, which shows in the last bit.
        return {"meteor": np.mean(scores)}
