"""Scores and their aggregation, as `rouge_score.scoring` has them.

`BootstrapAggregator` draws from NumPy's global generator, as rouge-score does, and gives the same numbers to the last
bit. Its `mid` is the median of resampled means: it changes with the seed. The mean itself is `truebleu.ROUGE`'s.
"""

from __future__ import annotations

import abc
from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from truebleu import _core
from truebleu._inputs import as_float, brief, check_instance
from truebleu._options import MOST_SAMPLES, number_from_zero, whole_number
from truebleu.errors import InputTypeError, OptionError

# Its square is a finite float.
_LARGEST = 1e150


class Score(NamedTuple):
    """Precision, recall and F, from 0 to 1."""

    precision: Any
    recall: Any
    fmeasure: Any


class AggregateScore(NamedTuple):
    """The lower end, the median and the upper end of resampled means."""

    low: Score
    mid: Score
    high: Score


class BaseScorer(abc.ABC):
    """The base class of scorers."""

    @abc.abstractmethod
    def score(self, target: str, prediction: str) -> Any:
        """Score a prediction.

        Parameters
        ----------
        target
            The reference.
        prediction
            The prediction.
        """


class BootstrapAggregator:
    """Collects scores, and gives the median and an interval of the means of resamples.

    Parameters
    ----------
    confidence_interval
        How much of the resampled means lies inside the interval, from 0 to 1.
    n_samples
        How many resamples are drawn for each type.
    """

    def __init__(self, confidence_interval: float = 0.95, n_samples: int = 1000) -> None:
        self._confidence_interval = number_from_zero("BootstrapAggregator", "confidence_interval", confidence_interval)
        if self._confidence_interval > 1:
            raise OptionError(
                f"BootstrapAggregator: confidence_interval is {brief(confidence_interval)}, expected a number up to 1"
            )
        self._n_samples = whole_number("BootstrapAggregator", "n_samples", n_samples, 1, MOST_SAMPLES)
        self._scores: dict[str, list[Score]] = defaultdict(list)

    def add_scores(self, scores: Mapping[str, Score]) -> None:
        """Add the scores of one segment.

        Parameters
        ----------
        scores
            What `RougeScorer.score` returned: a score for each type.
        """
        who = "BootstrapAggregator.add_scores"
        check_instance(who, "scores", scores, Mapping, "a score for each type")
        for name, score in scores.items():
            if not isinstance(score, tuple) or len(score) != 3 or not all(map(_is_number, score)):
                raise InputTypeError(f"{who}: scores[{brief(name)}] is {brief(score)}, expected a Score")
        for name, score in scores.items():
            self._scores[name].append(score)

    def aggregate(self) -> dict[str, AggregateScore]:
        """Resample the scores of each type, in the order in which types first appeared."""
        arrays = {name: np.array(scores, np.float64) for name, scores in self._scores.items()}
        return {name: resample(rows, self._confidence_interval, self._n_samples) for name, rows in arrays.items()}


def _is_number(part: object) -> bool:
    # Nearly always it is a plain float.
    return (type(part) is float and part == part) or as_float(part) == part


def resample(rows: np.ndarray[Any, Any], confidence_interval: float, n_samples: int) -> AggregateScore:
    """Take the median and an interval of the means of resampled scores."""
    half = (1 - confidence_interval) / 2
    means = _resampled_means(rows, n_samples)
    percentiles = np.percentile(means, 100 * np.array([half, 0.5, 1 - half]), axis=0)
    return AggregateScore(*(Score(*row) for row in percentiles))


def _resampled_means(rows: np.ndarray[Any, Any], samples: int) -> np.ndarray[Any, Any]:
    """The means of rows drawn from NumPy's global generator, which goes on behind them."""
    state: Any = np.random.get_state()
    if state[0] != "MT19937":  # somebody has put another generator in its place
        return np.array([rows[np.random.randint(0, len(rows), size=len(rows))].mean(axis=0) for _ in range(samples)])
    means, key, place = _core.drawn_means(rows.tobytes(), samples, state[1].tolist(), int(state[2]))
    np.random.set_state((state[0], np.array(key, np.uint32), place, *state[3:]))
    return np.frombuffer(means).reshape(samples, 3)


def fmeasure(precision: float, recall: float) -> float:
    """Take the harmonic mean of precision and recall; 0.0 if both are 0.

    Parameters
    ----------
    precision
        The precision.
    recall
        The recall.
    """
    ours, theirs = as_float(precision), as_float(recall)
    for option, number, given in (("precision", ours, precision), ("recall", theirs, recall)):
        if not abs(number) < _LARGEST:
            raise OptionError(f"fmeasure: {option} is {brief(given)}, expected a number such as 0.5")
    return 2 * ours * theirs / (ours + theirs) if ours + theirs > 0 else 0.0
