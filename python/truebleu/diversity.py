"""How alike texts are to each other: self-BLEU (Zhu et al., 2018), and the same with any metric.

Each text is scored with all the others as its references; the mean of the scores is high where texts repeat each
other. Where the metric allows it, the core does that without looking at every pair of texts, and the scores are the
same to the last bit.

>>> samples = ["the tide came in slowly", "the tide came in fast", "nobody had brought a boat"]
>>> score = self_bleu(samples)
>>> print(score)
self-BLEU = 44.58 (3 samples)
>>> [round(number, 2) for number in score.scores.tolist()]
[66.87, 66.87, 0.0]
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from truebleu.errors import EmptyCorpus, InputTypeError, OptionError
from truebleu.metrics import BLEU, Metric
from truebleu.metrics.base import Score, _threads
from truebleu.signature import Signature

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from truebleu._inputs import Texts

DEFINITIONS = ("sacrebleu", "fast-bleu")


class SelfScore(Score):
    """The mean of the scores of all texts, each with the others as its references."""

    def __init__(
        self, name: str, score: float, scores: NDArray[np.float64], definition: str, *, signature: Signature
    ) -> None:
        super().__init__(name, score, signature=signature)
        self.scores = scores
        self.definition = definition
        self._verbose = f"({len(scores)} samples)"

    def _parts(self) -> dict[str, Any]:
        return {"definition": self.definition, "samples": len(self.scores), "scores": self.scores.tolist()}


def self_bleu(
    samples: Iterable[str],
    metric: Metric[Any] | None = None,
    *,
    definition: str = "sacrebleu",
    threads: int | None = None,
) -> SelfScore:
    """The mean score of each sample with all the others as its references. For BLEU, high is little diversity.

    `metric` is `BLEU()` unless given; any metric will do. With `definition="fast-bleu"` scores are those that the
    package fast-bleu means to compute: words are split on white space (unless a BLEU with another tokenizer is given),
    smoothing is NLTK's method 1, and scores go from 0 to 1.
    """
    if definition not in DEFINITIONS:
        known = ", ".join(map(repr, DEFINITIONS))
        raise OptionError(f"self_bleu: definition is {definition!r}, expected one of {known}")
    if metric is not None and not isinstance(metric, Metric):
        raise InputTypeError(f"self_bleu: metric is of type {type(metric).__name__}, expected a metric such as BLEU()")
    texts = _check_samples(samples)
    if definition == "fast-bleu":
        return _fast_bleu(texts, metric)
    return _score(texts, metric or BLEU(), _threads(threads))


def _check_samples(samples: Any) -> Texts:
    from truebleu.metrics.pairwise import check_texts

    texts = check_texts("self_bleu", "samples", samples)
    if len(texts) == 1:
        raise EmptyCorpus("self_bleu: there is one sample, expected at least two: each needs another as its reference")
    return texts


def _score(texts: Texts, metric: Metric[Any], threads: int) -> SelfScore:
    # An empty text beside a filled one is no reference, here as everywhere.
    void = [] if metric._keep_empty else [at for at, text in enumerate(texts) if not text]
    scores = metric._engine.scores_among_others(metric._prepared_texts(texts), void, threads)
    signature = metric._signature_for(_count_references(len(texts), len(void)))
    name = metric._score_from([0.0] * len(metric._columns), signature).name
    return _mean(f"self-{name}", scores, signature, "sacrebleu")


def _count_references(texts: int, void: int) -> tuple[int, int]:
    """The smallest and the largest number of references of a text."""
    filled = texts - void
    counts = {filled - 1 or texts - 1} if filled else set()
    if void:
        counts.add(filled or texts - 1)
    return min(counts), max(counts)


def _fast_bleu(texts: Texts, metric: Metric[Any] | None) -> SelfScore:
    from truebleu import _core

    bleu = BLEU(tokenize="none") if metric is None else metric
    if not isinstance(bleu, BLEU):
        raise OptionError(f"self_bleu: definition='fast-bleu' is for BLEU, the metric is {type(bleu).__name__}")
    native = bleu.tokenizer.native
    scores = _core.fast_bleu_among_others(
        bleu._prepared_texts(texts),
        tokenizer=native or "none",
        order=bleu.max_ngram_order,
        lowercase=bleu.lowercase and native is not None,
    )
    fields = bleu._signature_fields() | {"eff": False, "smooth": "method1[0.10]"}
    return _mean("self-BLEU", scores, Signature({"nrefs": len(texts) - 1, **fields}), "fast-bleu")


def _mean(name: str, scores: bytes, signature: Signature, definition: str) -> SelfScore:
    import numpy as np

    each = np.frombuffer(scores)
    # Python's sum, because that is what a loop over sacreBLEU would end with.
    return SelfScore(name, sum(each.tolist()) / len(each), each, definition, signature=signature)
