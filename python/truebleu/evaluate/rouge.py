"""evaluate's `rouge`: rouge-score with a bootstrap, from 0 to 1."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from truebleu._inputs import Reference, brief
from truebleu._options import choice, thread_count, yes_or_no
from truebleu.errors import InputTypeError
from truebleu.evaluate.module import EvaluationModule, MetricInfo
from truebleu.evaluate.tokens import Tokenize
from truebleu.metrics.citations import entries
from truebleu.rouge_score.rouge_scorer import RougeScorer, segments_of
from truebleu.rouge_score.scoring import resample

_TYPES = ("rouge1", "rouge2", "rougeL", "rougeLsum")


class Rouge(EvaluationModule):
    """ROUGE with the numbers of evaluate's `rouge`. `compute` takes these options:

    - `rouge_types`: the scores wanted; rouge1, rouge2, rougeL and rougeLsum unless given.
    - `use_aggregator`: whether there is one number for all predictions, or a list with one for each.
    - `use_stemmer`: whether words are compared by their stems.
    - `tokenizer`: a function from a string to a list of tokens, which does without the stemmer.
    - `aggregator`: "bootstrap" is evaluate's, the median of resampled means, which changes with the seed of `load`;
      "mean" is ours, the mean of the predictions' scores.

    Examples
    --------
    >>> Rouge().compute(
    ...     predictions=["it was a grey bird"], references=["it was a grey heron"], rouge_types=["rouge2"],
    ...     aggregator="mean",
    ... )
    {'rouge2': 0.75}
    """

    name = "rouge"
    info = MetricInfo(
        description="ROUGE (Lin, 2004) from 0 to 1: n-grams and sequences of words that both sides share.",
        citation=entries()["lin-2004-rouge"],
        reference_urls=("https://aclanthology.org/W04-1013",),
    )

    def __init__(self, config_name: str | None = None, experiment_id: str = "default_experiment") -> None:
        super().__init__(config_name, experiment_id)
        # Without a seed of its own, a module of evaluate takes the word at which NumPy's global generator stands.
        state: Any = np.random.get_state()
        self.seed = int(state[1][state[2] if state[2] < len(state[1]) else 0])

    def _score(
        self,
        predictions: list[str],
        references: list[Reference],
        *,
        rouge_types: Sequence[str] | None = None,
        use_aggregator: bool = True,
        use_stemmer: bool = False,
        tokenizer: Tokenize = None,
        aggregator: str = "bootstrap",
    ) -> dict[str, Any]:
        choice("rouge", "aggregator", aggregator, ("bootstrap", "mean"))
        scorer = RougeScorer(_TYPES if rouge_types is None else rouge_types, use_stemmer, False, _as_object(tokenizer))
        texts, streams = segments_of("rouge", predictions, references)
        parts = scorer.parts(texts, streams, thread_count(None))
        if not yes_or_no("rouge", "use_aggregator", use_aggregator):
            # The whole zeros of rouge-score are minus zeros here.
            whole = lambda one: 0 if math.copysign(1, one) < 0 else one  # noqa: E731
            return {name: [*map(whole, rows[:, 2].tolist())] for name, rows in parts.items()}
        if aggregator == "mean":
            return {name: math.fsum(rows[:, 2].tolist()) / len(rows) for name, rows in parts.items()}
        # NumPy's global generator is afterwards what it was before.
        state = np.random.get_state()
        np.random.seed(self.seed)
        try:
            return {name: resample(rows + 0.0, 0.95, 1000).mid.fmeasure for name, rows in parts.items()}
        finally:
            np.random.set_state(state)


class _Tokenizer:
    """A function as an object with a method."""

    def __init__(self, function: Any) -> None:
        self.tokenize = function


def _as_object(tokenizer: Tokenize) -> _Tokenizer | None:
    if tokenizer is not None and not callable(tokenizer):
        raise InputTypeError(f"rouge: tokenizer is {brief(tokenizer)}, expected a function from a text to its tokens")
    return None if tokenizer is None else _Tokenizer(tokenizer)
