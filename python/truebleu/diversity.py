"""How alike texts are to each other: self-BLEU (Zhu et al., 2018), the same with any metric, and distinct-n.

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

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from truebleu import _core
from truebleu._counts import number_of
from truebleu._inputs import Texts, check_texts
from truebleu._logs import warn
from truebleu._options import choice, thread_count, whole_number
from truebleu.errors import EmptyCorpus, InputTypeError, OptionError
from truebleu.metrics import BLEU, Metric, Score
from truebleu.metrics.names import as_metric
from truebleu.signature import Signature

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from truebleu.tokenizers import BaseTokenizer

DEFINITIONS = ("sacrebleu", "fast-bleu")

# Metrics that take the best of all references look at every pair of texts. chrF is the fastest of them: so many
# characters, each met by every text, take a second on one core of 2023. Above so many seconds there is a warning.
_CHARACTERS_A_SECOND = 6_000_000_000
_LONG = 30
PER = ("ngrams", "tokens")


class SelfScore(Score):
    """The mean of the scores of all texts, each with the others as its references.

    Parameters
    ----------
    name
        The name of the score.
    score
        The mean.
    scores
        The score of each text.
    definition
        How texts were scored: "sacrebleu" or "fast-bleu".
    signature
        The settings behind the score.
    """

    def __init__(
        self, name: str, score: float, scores: NDArray[np.float64], definition: str, *, signature: Signature
    ) -> None:
        super().__init__(name, score, signature=signature)
        self.scores = scores
        self.definition = definition
        self.verbose = f"({number_of(len(scores), 'sample')})"

    def parts(self) -> dict[str, Any]:
        """The definition, the number of texts, and the score of each."""
        return {"definition": self.definition, "samples": len(self.scores), "scores": self.scores.tolist()}


def self_bleu(
    samples: Iterable[str],
    metric: Metric[Any] | str | None = None,
    *,
    definition: str = "sacrebleu",
    threads: int | None = None,
) -> SelfScore:
    """Take the mean score of each sample with all the others as its references. For BLEU, high is little diversity.

    Parameters
    ----------
    samples
        The texts, at least two.
    metric
        The metric that scores, or its name on the command line; `BLEU()` unless given.
    definition
        "sacrebleu" takes the metric as it is. "fast-bleu" gives the scores that the package fast-bleu means to
        compute: words are split on white space (unless a BLEU with another tokenizer is given), smoothing is NLTK's
        method 1, and scores go from 0 to 1.
    threads
        How many threads count; all cores unless given.
    """
    choice("self_bleu", "definition", definition, DEFINITIONS)
    metric = as_metric("self_bleu", "metric", metric)
    if metric is not None and not isinstance(metric, Metric):
        raise InputTypeError(f"self_bleu: metric is of type {type(metric).__name__}, expected a metric such as BLEU()")
    texts = check_texts("self_bleu", "samples", samples)
    if len(texts) == 1:
        raise EmptyCorpus("self_bleu: there is one sample, expected at least two: each needs another as its reference")
    if definition == "fast-bleu":
        scores, signature = _fast_bleu(texts, metric)
        name = "BLEU"
    else:
        from truebleu.metrics.pairwise import scores_among_others

        _warn_of_many(texts, metric)
        scores, name, signature = scores_among_others(metric or BLEU(), texts, thread_count(threads))
    # Python's sum, because that is what a loop over sacreBLEU would end with.
    mean = sum(scores.tolist()) / len(scores)
    return SelfScore(f"self-{name}", mean, scores, definition, signature=signature)


def _warn_of_many(texts: Texts, metric: Metric[Any] | None) -> None:
    """Log that every pair of texts is looked at, where that takes long."""
    seconds = len(texts) * sum(map(len, texts)) / _CHARACTERS_A_SECOND
    if seconds > _LONG and not (metric is None or isinstance(metric, BLEU)):
        warn(
            "self_bleu: %s looks at every pair of %s samples, which takes %.0f seconds or more on one core; a part of "
            "the samples takes less (--sample N), and BLEU does not look at pairs",
            metric.label, f"{len(texts):,}", seconds,
        )  # fmt: skip


def _fast_bleu(texts: Texts, metric: Metric[Any] | None) -> tuple[NDArray[np.float64], Signature]:
    from truebleu.metrics.pairwise import fast_bleu_among_others

    bleu = BLEU(tokenize="none") if metric is None else metric
    if not isinstance(bleu, BLEU):
        raise OptionError(f"self_bleu: definition='fast-bleu' is for BLEU, the metric is {type(bleu).__name__}")
    return fast_bleu_among_others(bleu, texts)


class DistinctScore(Score):
    """The share of different n-grams among all n-grams of some texts (Li et al., 2016), from 0 to 1.

    Parameters
    ----------
    order
        The length of the n-grams.
    score
        The share over all texts together.
    distinct
        How many different n-grams there are.
    total
        The divisor: all n-grams, or all tokens.
    scores
        The share of each text alone.
    """

    def __init__(self, order: int, score: float, distinct: int, total: int, scores: NDArray[np.float64]) -> None:
        super().__init__(f"distinct-{order}", score)
        self.distinct = distinct
        self.total = total
        self.scores = scores
        self.verbose = f"(distinct = {distinct:d} total = {total:d})"

    def parts(self) -> dict[str, Any]:
        """The counts, and the share of each text."""
        return {"distinct": self.distinct, "total": self.total, "scores": self.scores.tolist()}


def distinct(
    texts: Iterable[str],
    n: int = 2,
    tokenize: str | BaseTokenizer | Callable[[str], object] | None = "13a",
    per: str = "ngrams",
    *,
    lowercase: bool = False,
) -> DistinctScore:
    """Count the different n-grams of all texts together, as a share of all that there are. High is much diversity.

    Longer corpora have lower shares, so compare only corpora of the same size.

    Parameters
    ----------
    texts
        The texts, at least one.
    n
        The length of the n-grams.
    tokenize
        A tokenizer by name, as an object or as a function, as for `BLEU`.
    per
        The divisor: all "ngrams", as in most programs, or all "tokens", as in the paper.
    lowercase
        Whether case is ignored.

    Examples
    --------
    >>> print(distinct(["the tide came in", "the tide came back"]))
    distinct-2 = 0.67 (distinct = 4 total = 6)
    """
    import numpy as np

    from truebleu.metrics.preparation import texts_and_options

    n = whole_number("distinct", "n", n, 1, 100)
    choice("distinct", "per", per, PER)
    found = check_texts("distinct", "texts", texts)
    prepared, options = texts_and_options(BLEU(lowercase, tokenize=tokenize), found)
    together, cells = _core.distinct_ngrams(prepared, order=n, **options)
    different, tokens = np.frombuffer(cells).reshape(-1, 2).T
    sizes = tokens if per == "tokens" else np.maximum(tokens - (n - 1), 0)
    total = int(sizes.sum())
    # Texts without n-grams have no share; it is 0 as in all metrics.
    scores = different / np.maximum(sizes, 1)
    return DistinctScore(n, together / total if total else 0.0, together, total, scores)
