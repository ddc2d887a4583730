"""Segment scores from elsewhere (a learned metric, a judge, people) as a metric: its score is their mean.

>>> comet = ExternalMetric("COMET")
>>> stats = comet.stats([0.81, 0.77, 0.9])
>>> comet.score(stats)
COMET = 0.83
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from truebleu import _core
from truebleu._inputs import FROM_0, brief, check_instance, ordered
from truebleu._options import yes_or_no
from truebleu.errors import BadScore, EmptyCorpus, InputTypeError, OptionError
from truebleu.metrics.known import direction
from truebleu.metrics.score import Score
from truebleu.signature import NOTHING, About, Signature

if TYPE_CHECKING:
    from truebleu.stats import Stats


class ExternalMetric:
    """The mean of segment scores that came from elsewhere. It works in every significance test and breakdown.

    Parameters
    ----------
    name
        The name of the scores.
    higher_is_better
        Whether a higher score is better; None to ask the name, and the sign of the scores where they may be negated
        (COMET, MetricX and others are known). Where nobody knows, a test is refused, because it could name no winner.
    """

    columns: ClassVar[tuple[str, ...]] = ("score", "count")
    shared_columns: ClassVar[tuple[str, ...]] = ()
    script_formula: ClassVar[tuple[str, Mapping[str, Any]]] = "mean", {}
    about: About = NOTHING

    def __init__(self, name: str, *, higher_is_better: bool | None = None) -> None:
        if not isinstance(name, str) or not name or "|" in name or ":" in name:
            raise OptionError(f"ExternalMetric: name is {brief(name)}, expected a name without '|' and ':'")
        self.name = name
        said = None if higher_is_better is None else yes_or_no("ExternalMetric", "higher_is_better", higher_is_better)
        self._said = said  # by the caller
        self._told: bool | None = None  # by the scores
        self.engine = _core.mean_engine()

    @property
    def higher_is_better(self) -> bool:
        """Whether a higher score is a better one."""
        known = self._known()
        if known is None:
            raise OptionError(
                f"{self.name}: it is unknown whether higher or lower scores are better, so no system can be called "
                f"better: pass ExternalMetric({self.name!r}, higher_is_better=True), or False"
            )
        return known

    def _known(self) -> bool | None:
        told = self._told if self._said is None else self._said
        return direction(self.name, ()) if told is None else told

    def stats(self, scores: Iterable[float]) -> Stats:
        """Make rows, one per segment. A score that is not a finite number is refused: a mean over the rest would
        mislead.

        Parameters
        ----------
        scores
            One number for each segment.
        """
        import numpy as np

        from truebleu.stats import Stats

        values = self._as_floats(scores)
        known = direction(self.name, (values.min(), values.max()))
        if self._said is None and values.any():
            if self._told is (not known):  # those of another system have the other sign
                direction(self.name, (-9.0, 9.0))  # raises, and says why
            self._told = known
        if known is not None and self._said is (not known):
            right, wrong = ("higher", "lower") if known else ("lower", "higher")
            raise OptionError(
                f"{self.name}: {right} is better for scores of this name, and higher_is_better or a flag says that "
                f"{wrong} is; if they are something else, give them another name"
            )
        rows = np.column_stack([values, np.ones(len(values))])
        return Stats(rows, self.columns, self.fingerprint(), (0, 0))

    def score(self, stats: Stats) -> Score:
        """Take the mean of rows.

        Parameters
        ----------
        stats
            The rows.
        """
        from truebleu.stats import Stats

        check_instance(self.name, "stats", stats, Stats, "the rows that stats() returns")
        stats.require(self.fingerprint(), f"the rows and {self.name}", self.columns)
        signature = Signature({"only": self.about.only, "external": self.name})
        return Score(self.name, self.engine.score(stats.sum()), signature=signature)

    def fingerprint(self) -> dict[str, object]:
        """The fingerprint of rows of these scores."""
        return {"metric": "external", "name": self.name}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "engine": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, engine=_core.mean_engine())

    def __repr__(self) -> str:
        return f"ExternalMetric({self.name!r}, higher_is_better={self._known()})"

    def _as_floats(self, scores: Iterable[float]) -> Any:
        import numpy as np

        given = ordered(self.name, "scores", scores, "a list of numbers")
        if not given:
            raise EmptyCorpus(f"{self.name}: scores is empty, expected one score for each segment")
        for segment, value in enumerate(given):
            if isinstance(value, (str, bytes)) or value is None:
                raise InputTypeError(
                    f"{self.name}: the score of segment {segment} is {brief(value)}, expected a number. {FROM_0}"
                )
        try:
            values = np.array(given, dtype=np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise InputTypeError(f"{self.name}: scores are not all numbers ({str(error)[:200]})") from error
        if values.ndim != 1:
            raise InputTypeError(f"{self.name}: scores has the shape {values.shape}, expected one number per segment")
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            raise BadScore(
                f"{self.name}: the score of segment {bad[0]} is {values[bad[0]]} ({len(bad)} such), expected a finite "
                f"number. Leave the segment out for all systems, or score it again. {FROM_0}"
            )
        return values
