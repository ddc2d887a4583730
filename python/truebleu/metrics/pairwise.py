"""Every hypothesis against every reference, and minimum-Bayes-risk decoding: the checks before, the arrays after.

The work is done in the core, where each text is prepared once, not once per pair.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from truebleu import _core
from truebleu._counts import number_of, there_are
from truebleu._inputs import Texts, brief, check_texts, ordered
from truebleu._typing import TYPE_CHECKING, Any
from truebleu.errors import InputTypeError, LengthMismatch, OptionError
from truebleu.signature import Signature

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truebleu.metrics.base import Metric
    from truebleu.metrics.bleu import BLEU

    Weights = list[float] | None


_HEAVIEST = 1e300


@dataclass(frozen=True, eq=False)
class MBRResult:
    """The expected score of each candidate, and the index of the best one (the first of equal ones)."""

    scores: NDArray[np.float64]
    best: int


def pairwise(metric: Metric[Any], hypotheses: Any, references: Any, threads: int) -> NDArray[np.float64]:
    """Score every hypothesis with every reference."""
    rows = check_texts(metric.name, "hypotheses", hypotheses)
    columns = check_texts(metric.name, "references", references)
    metric._seen_references = (1, 1)
    scores = metric.engine.pairwise(metric._prepared_texts(rows), metric._prepared_texts(columns), threads)
    return np.frombuffer(scores).reshape(len(rows), len(columns))


def scores_among_others(metric: Metric[Any], texts: Texts, threads: int) -> tuple[NDArray[np.float64], str, Signature]:
    """Score each text with all the others as its references; also the name of such a score, and its signature."""
    # An empty text beside a filled one is no reference, here as everywhere.
    is_kept = metric.empty_refs == "keep"
    void = [] if is_kept else [at for at, text in enumerate(metric._normalized(texts)) if not text]
    scores = metric.engine.scores_among_others(metric._prepared_texts(texts), void, threads)
    filled = len(texts) - len(void)
    counts = {filled - 1 or len(texts) - 1} if filled else set()
    if void:
        counts.add(filled or len(texts) - 1)
    example = metric._score_from([0.0] * len(metric.columns), metric._signature_for((min(counts), max(counts))))
    assert example.signature is not None
    return np.frombuffer(scores), example.name, example.signature


def fast_bleu_among_others(bleu: BLEU, texts: Texts) -> tuple[NDArray[np.float64], Signature]:
    """Score each text by fast-bleu's formula with all the others as its references, from 0 to 1."""
    texts_as_told = bleu._engine_text()
    scores = _core.fast_bleu_among_others(bleu._prepared_texts(texts), order=bleu.max_ngram_order, **texts_as_told)
    fields = {field.key: field.value(bleu) for field in bleu.fields} | {"eff": False, "smooth": "method1[0.10]"}
    short = {field.key: field.short for field in bleu.fields}
    fields |= {"textnorm": bleu.normalize.replace(",", "+") or None}
    return np.frombuffer(scores), Signature({"nrefs": len(texts) - 1, **fields}, short)


def decode(
    metric: Metric[Any], candidates: Any, references: Any, weights: Any, aggregate: bool, threads: int
) -> MBRResult | list[MBRResult]:
    """Choose from one list of candidates, or from each of many."""
    if aggregate and not metric._can_aggregate:
        raise OptionError(f"{metric.name}: aggregate=True is for metrics that count n-grams; expected False here")
    candidates = ordered(metric.name, "candidates", candidates, "a list of strings")
    if candidates and isinstance(candidates[0], str):
        return _decode(metric, [_check_choice(metric, "", candidates, references, weights)], aggregate, threads)[0]
    many = len(candidates)
    each_references = _one_each(metric.name, "references", references, many)
    each_weights = _one_each(metric.name, "weights", weights, many)
    choices = [
        _check_choice(metric, f"[{at}]", *choice)
        for at, choice in enumerate(zip(candidates, each_references, each_weights, strict=True))
    ]
    return _decode(metric, choices, aggregate, threads)


def _one_each(name: str, what: str, values: Any, many: int) -> tuple[Any, ...]:
    if values is None:
        return (None,) * many
    each = tuple(ordered(name, what, values, "a list of lists"))
    if len(each) != many:
        raise LengthMismatch(
            f"{name}: {what} has {number_of(len(each), 'entry', 'entries')}, "
            f"{there_are(many, 'list of candidates', 'lists of candidates')}"
        )
    return each


def _check_choice(
    metric: Metric[Any], place: str, candidates: Any, references: Any, weights: Any
) -> tuple[Texts, Texts, Weights]:
    ours = metric._prepared_texts(check_texts(metric.name, f"candidates{place}", candidates))
    if references is None:
        theirs = ours
    else:
        theirs = metric._prepared_texts(check_texts(metric.name, f"references{place}", references))
    return ours, theirs, _check_weights(metric.name, f"weights{place}", weights, len(theirs))


def _check_weights(name: str, what: str, weights: Any, references: int) -> Weights:
    if weights is None:
        return None
    try:
        numbers = [float(weight) for weight in ordered(name, what, weights, "a list of numbers")]
    except (TypeError, ValueError, OverflowError) as error:
        raise InputTypeError(f"{name}: {what} is not a list of numbers: {brief(weights)}") from error
    if len(numbers) != references:
        raise LengthMismatch(
            f"{name}: {what} has {number_of(len(numbers), 'entry', 'entries')}, {there_are(references, 'reference')}"
        )
    for index, number in enumerate(numbers):
        if not 0 <= number < math.inf:
            raise OptionError(
                f"{name}: {what}[{index}] is {number!r}, expected a number from 0 (of log-probabilities, pass exp)"
            )
    # Weights are multiplied by scores, which can be some thousands.
    if not 0 < sum(numbers) < _HEAVIEST:
        raise OptionError(
            f"{name}: the sum of {what} is {sum(numbers)!r}, expected a number above 0 and below {_HEAVIEST:g}"
        )
    return numbers


def _decode(
    metric: Metric[Any], choices: list[tuple[Texts, Texts, Weights]], aggregate: bool, threads: int
) -> list[MBRResult]:
    expected = map(np.frombuffer, metric.engine.expected(choices, bool(aggregate), threads))
    best = np.argmax if metric.higher_is_better else np.argmin
    return [MBRResult(scores, int(best(scores))) for scores in expected]
