"""Every hypothesis against every reference, and minimum-Bayes-risk decoding: the checks before, the arrays after.

The work is done in the core, where each text is prepared once and not once a pair.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from truebleu.errors import EmptyCorpus, InputTypeError, LengthMismatch, OptionError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truebleu._inputs import Texts
    from truebleu.metrics.base import Metric

    Weights = list[float] | None


@dataclass(frozen=True, eq=False)
class MBRResult:
    """The expected score of each candidate, and the index of the best; of equals, the first."""

    scores: NDArray[np.float64]
    best: int


def pairwise(metric: Metric[Any], hypotheses: Any, references: Any, threads: int) -> NDArray[np.float64]:
    """The score of every hypothesis with every reference."""
    rows = check_texts(metric.name, "hypotheses", hypotheses)
    columns = check_texts(metric.name, "references", references)
    metric._seen_references = (1, 1)
    scores = metric.engine.pairwise(metric._prepared_texts(rows), metric._prepared_texts(columns), threads)
    return np.frombuffer(scores).reshape(len(rows), len(columns))


def decode(
    metric: Metric[Any], candidates: Any, references: Any, weights: Any, aggregate: bool, threads: int
) -> MBRResult | list[MBRResult]:
    """Choose from one list of candidates, or from each of many."""
    if aggregate and not metric._can_aggregate:
        raise OptionError(f"{metric.name}: aggregate=True is for metrics that count n-grams; expected False here")
    candidates = _as_tuple(metric.name, "candidates", candidates)
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


def check_texts(name: str, what: str, texts: Any) -> Texts:
    """The texts as a tuple of strings, at least one."""
    checked = _as_tuple(name, what, texts)
    if not checked:
        raise EmptyCorpus(f"{name}: {what} is empty, expected at least one text")
    for index, text in enumerate(checked):
        if not isinstance(text, str):
            raise InputTypeError(f"{name}: {what}[{index}] is of type {type(text).__name__}, expected a string")
    return checked


def _as_tuple(name: str, what: str, values: Any) -> tuple[Any, ...]:
    if isinstance(values, str):
        raise InputTypeError(f"{name}: {what} is the plain string {values[:40]!r}, expected a list of strings")
    # A set has no order and a mapping iterates over its keys.
    if not isinstance(values, Iterable) or isinstance(values, (bytes, bytearray, Set, Mapping)):
        raise InputTypeError(f"{name}: {what} is of type {type(values).__name__}, expected a list of strings")
    return tuple(values)


def _one_each(name: str, what: str, values: Any, many: int) -> tuple[Any, ...]:
    if values is None:
        return (None,) * many
    each = _as_tuple(name, what, values)
    if len(each) != many:
        raise LengthMismatch(f"{name}: {what} has {len(each)} entries, there are {many} lists of candidates")
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
        numbers = [float(weight) for weight in weights]
    except (TypeError, ValueError) as error:
        raise InputTypeError(f"{name}: {what} is not a list of numbers: {error}") from error
    if len(numbers) != references:
        raise LengthMismatch(f"{name}: {what} has {len(numbers)} entries, there are {references} references")
    for index, number in enumerate(numbers):
        if not 0 <= number < math.inf:
            raise OptionError(
                f"{name}: {what}[{index}] is {number!r}, expected a number from 0 (of log-probabilities, pass exp)"
            )
    if not 0 < sum(numbers) < math.inf:
        raise OptionError(f"{name}: the sum of {what} is {sum(numbers)!r}, expected a number above 0")
    return numbers


def _decode(
    metric: Metric[Any], choices: list[tuple[Texts, Texts, Weights]], aggregate: bool, threads: int
) -> list[MBRResult]:
    expected = map(np.frombuffer, metric.engine.expected(choices, bool(aggregate), threads))
    best = np.argmax if metric.higher_is_better else np.argmin
    return [MBRResult(scores, int(best(scores))) for scores in expected]
