"""Segment scores from elsewhere (a learned metric, a judge, people) as a metric: its score is their mean.

>>> comet = ExternalMetric("COMET")
>>> stats = comet.stats([0.81, 0.77, 0.9])
>>> comet.score(stats)
COMET = 0.83
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from truebleu import _core
from truebleu.errors import BadScore, EmptyCorpus, InputTypeError, OptionError
from truebleu.metrics.base import Score
from truebleu.signature import Signature

if TYPE_CHECKING:
    from truebleu.stats import Stats

_COLUMNS = ("score", "count")


class ExternalMetric:
    """The mean of segment scores that came from elsewhere. It works in every significance test and breakdown."""

    def __init__(self, name: str, *, higher_is_better: bool = True) -> None:
        if not isinstance(name, str) or not name or "|" in name or ":" in name:
            raise OptionError(f"ExternalMetric: name is {name!r}, expected a name without '|' and ':'")
        self._name = name
        self.higher_is_better = bool(higher_is_better)
        self._engine = _core.mean_engine()

    @property
    def name(self) -> str:
        """What the scores are called."""
        return self._name

    def stats(self, scores: Iterable[float]) -> Stats:
        """One row a segment. A score that is not a finite number is refused: a mean over the rest would mislead."""
        import numpy as np

        from truebleu.stats import Stats

        values = self._as_floats(scores)
        rows = np.column_stack([values, np.ones(len(values))])
        return Stats(rows, _COLUMNS, self._fingerprint(), (0, 0))

    def score(self, stats: Stats) -> Score:
        """The mean."""
        stats.require({"schema": stats.fingerprint["schema"], **self._fingerprint()}, f"the rows and {self._name}")
        return Score(self._name, self._engine.score(stats.sum()), signature=Signature({"external": self._name}))

    def __getstate__(self) -> dict[str, Any]:
        return {"_name": self._name, "higher_is_better": self.higher_is_better}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _engine=_core.mean_engine())

    def __repr__(self) -> str:
        return f"ExternalMetric({self._name!r}, higher_is_better={self.higher_is_better})"

    def _fingerprint(self) -> dict[str, object]:
        return {"metric": "external", "name": self._name}

    def _as_floats(self, scores: Iterable[float]) -> Any:
        import numpy as np

        if isinstance(scores, (str, bytes)) or not isinstance(scores, Iterable):
            raise InputTypeError(f"{self._name}: scores is of type {type(scores).__name__}, expected a list of numbers")
        given = list(scores)
        if not given:
            raise EmptyCorpus(f"{self._name}: scores is empty, expected one score for each segment")
        for segment, value in enumerate(given):
            if isinstance(value, (str, bytes)) or value is None:
                raise InputTypeError(f"{self._name}: the score of segment {segment} is {value!r}, expected a number")
        try:
            values = np.array(given, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InputTypeError(f"{self._name}: scores are not all numbers ({error})") from error
        if values.ndim != 1:
            raise InputTypeError(f"{self._name}: scores has the shape {values.shape}, expected one number a segment")
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            raise BadScore(
                f"{self._name}: the score of segment {bad[0]} is {values[bad[0]]} ({len(bad)} such), expected a finite "
                "number. Leave the segment out for all systems, or score it again"
            )
        return values
