"""Segment scores from elsewhere (a learned metric, a judge, people) as a metric: its score is their mean.

A row is a score and a count; the row of a segment without a score is (0, 0), so that sums leave it out by themselves.

>>> comet = ExternalMetric("COMET", model="Unbabel/wmt22-comet-da")
>>> comet.score(comet.stats([0.81, 0.77, 0.9]))
COMET = 0.83
>>> comet.stats([0.81, None, 0.9], missing=True).sum()
[1.71, 2.0]
>>> comet.direction, ExternalMetric("MetricX").direction, ExternalMetric("mine").direction
('higher', 'lower', None)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from truebleu import _core
from truebleu._inputs import FROM_0, brief, check_instance, ordered
from truebleu._logs import inform
from truebleu._options import MOST_SAMPLES, choice, thread_count, whole_number, yes_or_no
from truebleu._shown import shown
from truebleu._typing import TYPE_CHECKING, Any, ClassVar
from truebleu.errors import BadScore, EmptyCorpus, InputTypeError, OptionError
from truebleu.metrics.known import KnownMetric, known
from truebleu.metrics.score import Score
from truebleu.signature import NOTHING, About, Signature

if TYPE_CHECKING:
    from truebleu.stats import Stats

KINDS = ("metric", "qe", "judge", "human")
SIGNED = {"segment": None, "document": "doc", "system": "sys"}  # levels, as signatures have them

# What signatures call the parts of a metric's identity, in their order.
FIELDS = {"model": "model", "revision": "rev", "precision": "prec", "version": "pkg"}
_SHOWN_DIGITS = 12  # of a revision that is a hash


class ExternalMetric:
    """The mean of segment scores that came from elsewhere. It works in every significance test and breakdown.

    Parameters
    ----------
    name
        The name of the scores.
    higher_is_better
        Whether a higher score is better; None to ask the name, and the sign of the scores where they may be negated
        (COMET, MetricX and others are known). Where nobody knows, a test names no winner, and nothing is ranked.
    model
        The model that gave the scores, such as "Unbabel/wmt22-comet-da".
    revision
        Its revision. The signature shows 12 digits of a hash.
    precision
        The precision it ran in, such as "fp16".
    version
        The program that ran it, and its version, such as "unbabel-comet-2.2.7".
    kind
        "metric", "qe" (without references), "judge" or "human".
    level
        What a score is of: a "segment", a "document", or a whole "system".
    direction_anyway
        Whether `higher_is_better` is right even if the name and the signs of the scores say the opposite.
    """

    columns: ClassVar[tuple[str, ...]] = ("score", "count")
    shared_columns: ClassVar[tuple[str, ...]] = ()
    predictors: ClassVar[Mapping[str, str]] = {}
    is_learned: ClassVar[bool] = False  # its scores are here, and no program is asked for them
    script_formula: ClassVar[tuple[str, Mapping[str, Any]]] = "mean", {}
    about: About = NOTHING

    def __init__(
        self,
        name: str,
        *,
        higher_is_better: bool | None = None,
        model: str | None = None,
        revision: str | None = None,
        precision: str | None = None,
        version: str | None = None,
        kind: str | None = None,
        level: str = "segment",
        direction_anyway: bool = False,
    ) -> None:
        who = "ExternalMetric"
        self.name = _checked_name(name)
        self.model, self.revision, self.precision, self.version = (
            _checked_text(key, value) for key, value in zip(FIELDS, (model, revision, precision, version), strict=True)
        )
        self.kind: str | None = None if kind is None else choice(who, "kind", kind, KINDS)
        self.level: str = choice(who, "level", level, SIGNED)
        # What the caller says, and the lowest and the highest score so far.
        self._said = None if higher_is_better is None else yes_or_no(who, "higher_is_better", higher_is_better)
        self._is_certain = yes_or_no(who, "direction_anyway", direction_anyway)
        self._seen: tuple[float, ...] = ()
        self.engine = _core.mean_engine()

    @property
    def known(self) -> KnownMetric | None:
        """What is known of scores of this name and model."""
        return known(self.name, self.model)

    @property
    def direction(self) -> str | None:
        """The scores that are better: "higher", "lower", or None if nobody knows."""
        is_higher = self._said
        if is_higher is None and (found := self.known) is not None:
            is_higher = found.is_higher_better(self._seen)
        return None if is_higher is None else "higher" if is_higher else "lower"

    @property
    def is_negated(self) -> bool:
        """Whether these scores are penalties that somebody negated, so that higher is better, or the other way."""
        found = self.known
        return found is not None and not self._is_certain and found.is_negated(self._seen)

    @property
    def higher_is_better(self) -> bool:
        """Whether a higher score is a better one."""
        if self.direction is None:
            raise OptionError(
                f"{shown(self.name)}: it is unknown whether higher or lower scores are better, so no system can be "
                f"called better: pass ExternalMetric({brief(self.name)}, higher_is_better=True), or False"
            )
        return self.direction == "higher"

    def stats(self, scores: Iterable[float | None], *, missing: bool = False) -> Stats:
        """Make rows, one per segment. A score that is not a finite number is refused: a mean over the rest would
        mislead.

        Parameters
        ----------
        scores
            One number for each segment.
        missing
            Whether segments may have no score, but None or nan. Tests then leave them out pair by pair.
        """
        import numpy as np

        from truebleu.stats import Stats

        values = self._as_floats(scores, yes_or_no(self.name, "missing", missing))
        has_score = ~np.isnan(values)
        rows = np.column_stack([np.where(has_score, values, 0.0), has_score.astype(np.float64)])
        return self.notice(Stats(rows, self.columns, self.fingerprint(), (0, 0)))

    def notice(self, stats: Stats) -> Stats:
        """Look at the signs of the scores in rows, which may tell or contradict the direction; give the rows back.

        Parameters
        ----------
        stats
            The rows.
        """
        score, count = self._checked(stats).rows.T
        given = score[count > 0] / count[count > 0]
        found = self.known
        if found is None or not len(given) or self._is_certain:
            return stats
        ends = [float(given.min()), float(given.max()), *self._seen]
        before, seen = bool(self._seen), (min(ends), max(ends))
        is_higher = found._replace(name=self.name).is_higher_better(seen)
        if self._said is (not is_higher):
            raise OptionError(self._contradiction(found, seen, is_higher))
        self._seen = seen
        if not before and found.is_negated(seen):
            sign, better, beyond = ("≤", "higher", seen[1]) if is_higher else ("≥", "lower", -seen[0])
            share = "all" if beyond <= 0 else "nearly all"
            inform("%s scores are %s %s 0: they were negated, %s is better", self.name, share, sign, better)
        return stats

    def _checked(self, stats: Stats) -> Stats:
        from truebleu.stats import Stats

        check_instance(self.name, "stats", stats, Stats, "the rows that stats() returns")
        stats.require({**self.fingerprint(), **stats.division}, f"the rows and {self.name}", self.columns)
        return stats

    def _contradiction(self, found: KnownMetric, seen: tuple[float, float], is_higher: bool) -> str:
        right, wrong = ("higher", "lower") if is_higher else ("lower", "higher")
        usual, low, high = f" ({found.shown_range})" if found.shown_range else "", *seen
        direction = "higher" if found.higher else "lower"
        these = f"these are {low:g} to {high:g}" + ("" if right == direction else ", so they were negated")
        return (
            f"{self.name} is {direction}-is-better{usual}; {these}: {right} is better, and {wrong} was said to be. If "
            "they are something else, give them another name, or insist with direction_anyway (--direction-anyway)"
        )

    def score(
        self, stats: Stats, n_bootstrap: int = 1, *, seed: int | str | None = None, threads: int | None = None
    ) -> Score:
        """Take the mean of rows.

        Parameters
        ----------
        stats
            The rows.
        n_bootstrap
            Above 1, the score carries a mean and a 95 % interval from as many resamples.
        seed, threads
            As in `Metric.corpus_score`.
        """
        totals = self._checked(stats).sum()
        if not totals[1]:
            raise EmptyCorpus(f"{self.name}: no segment of these has a score, so there is no mean")
        found, samples = Score(self.name, self.engine.score(totals), signature=self.signature()), n_bootstrap
        if whole_number(self.name, "n_bootstrap", samples, 0, MOST_SAMPLES) > 1:
            from truebleu.resample.bootstrap import resampled_scores
            from truebleu.resample.interval import estimate_interval
            from truebleu.resample.seed import Seed

            drawn = Seed.of(seed)
            rows = [(self.engine, stats.rows)]
            (resampled,) = resampled_scores(rows, samples, drawn, threads=thread_count(threads))
            found.confidence = estimate_interval(resampled)
            found.signature = self.signature().with_test({"bs": samples, "seed": drawn.number_text()})
        return found

    def signature(self) -> Signature:
        """Name the scores, their model and their direction, where lower is better."""
        shown = {written: getattr(self, key) for key, written in FIELDS.items()}
        if shown["rev"] and len(shown["rev"]) > _SHOWN_DIGITS and set(shown["rev"]) <= set("0123456789abcdefABCDEF"):
            shown["rev"] = shown["rev"][:_SHOWN_DIGITS]
        is_forced = self._is_certain and self._said is not None
        direction = "low" if self.direction == "lower" else "high" if is_forced else None
        shown["dir"] = f"{direction}!" if is_forced else direction
        return Signature({"external": self.name, **shown, "level": SIGNED[self.level], "only": self.about.only})

    def arguments(self) -> dict[str, Any]:
        """The arguments that make such a metric again; a direction that the scores told is among them."""
        known = {key: getattr(self, key) for key in (*FIELDS, "kind")}
        known["higher_is_better"] = None if self.direction is None else self.direction == "higher"
        known["level"] = None if self.level == "segment" else self.level
        known["direction_anyway"] = self._is_certain or None
        return {"name": self.name} | {key: value for key, value in known.items() if value is not None}

    def impossible_rows(self, stats: Stats, *, summed: bool = False) -> list[tuple[int, str]]:
        """Find rows that no scores can have: the first of each kind, and what is wrong with it.

        Parameters
        ----------
        stats
            The rows.
        summed
            Whether a row is the sum of several segments.
        """
        import numpy as np

        score, count = self._checked(stats).rows.T
        summed = yes_or_no(self.name, "summed", summed)
        mean, found = score / np.maximum(count, 1), self.known
        low, high = (-np.inf, np.inf) if found is None or self._is_certain else found.widest
        rules = (
            ((count < 0) | (count != count.round()) | ((count > 1) & (not summed)), "count", "0 or 1"),
            ((count == 0) & (score != 0), "score", "0, because there is none"),
            ((count > 0) & ((mean < low) | (mean > high)), "score", f"{self.name} from {low:g} to {high:g}"),
        )
        broken = [(int(bad.argmax()), name, expected) for bad, name, expected in rules if bad.any()]
        return [(row, f"{name} is {stats.rows[row].tolist()}, expected {expected}") for row, name, expected in broken]

    def fingerprint(self) -> dict[str, object]:
        """The fingerprint of rows of these scores: those of two revisions cannot be put together."""
        parts = {key: getattr(self, key) for key in (*FIELDS, "kind")}
        parts["level"] = None if self.level == "segment" else self.level
        named: dict[str, object] = {"metric": "external", "name": self.name}
        return named | {key: value for key, value in parts.items() if value is not None}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "engine": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, engine=_core.mean_engine())

    def __repr__(self) -> str:
        is_higher = None if self.direction is None else self.direction == "higher"
        parts = {"higher_is_better": is_higher, **{key: getattr(self, key) for key in (*FIELDS, "kind")}}
        shown = [f"{key}={value!r}" for key, value in parts.items() if value is not None or key == "higher_is_better"]
        return f"ExternalMetric({', '.join([repr(self.name), *shown])})"

    def _as_floats(self, scores: Iterable[float | None], missing: bool) -> Any:
        import numpy as np

        given = ordered(self.name, "scores", scores, "a list of numbers")
        if not len(given):
            raise EmptyCorpus(f"{self.name}: scores is empty, expected one score for each segment")
        hint = "" if missing else "; missing=True takes None and nan as scores that are missing"
        for segment, value in enumerate(given):
            if isinstance(value, (str, bytes)) or (value is None and not missing):
                raise InputTypeError(
                    f"{self.name}: the score of segment {segment} is {brief(value)}, expected a number{hint}. {FROM_0}"
                )
        try:
            values = np.array([np.nan if value is None else value for value in given], dtype=np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise InputTypeError(f"{self.name}: scores are not all numbers ({str(error)[:200]})") from error
        if values.ndim != 1:
            raise InputTypeError(f"{self.name}: scores has the shape {values.shape}, expected one number per segment")
        bad = np.flatnonzero(np.isinf(values) if missing else ~np.isfinite(values))
        if len(bad):
            raise BadScore(
                f"{self.name}: the score of segment {bad[0]} is {values[bad[0]]} ({len(bad)} such), expected a finite "
                f"number. Leave the segment out for all systems, or score it again{hint}. {FROM_0}"
            )
        return values


def _checked_name(name: Any) -> str:
    if not isinstance(name, str) or not name or "|" in name or ":" in name:
        first, colon, model = name.partition(":") if isinstance(name, str) else ("", "", "")
        hint = f"; give model={model!r}" if first and colon and model else ""
        raise OptionError(f"ExternalMetric: name is {brief(name)}, expected a name without '|' and ':'{hint}")
    return name


def _checked_text(key: str, value: Any) -> str | None:
    if value is not None and (not isinstance(value, str) or not value.strip() or "|" in value):
        raise OptionError(f"ExternalMetric: {key} is {brief(value)}, expected text without '|'")
    found: str | None = value
    return found
