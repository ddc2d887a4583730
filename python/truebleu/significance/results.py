"""The results of a comparison: plain frozen values that can be shown without computing anything."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from truebleu._counts import number_of
from truebleu._frames import FRACTION, TEXT, TRUTH, Tabular
from truebleu._options import choice, level_of_test, number_from_zero
from truebleu._shown import shown
from truebleu._text.p_values import p_text, without_nan
from truebleu.errors import OptionError
from truebleu.resample.interval import Interval
from truebleu.signature import Signature
from truebleu.significance.sentences import sentence, told
from truebleu.significance.worth import SOURCE

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from truebleu._notebook import HtmlTable
    from truebleu.significance.power import Needed, PowerPlan

_MOST_IN_BRIEF = 3  # systems under each metric
_PAIR_COLUMNS = {
    "metric": TEXT, "system": TEXT, "baseline": TEXT, "score": FRACTION, "baseline_score": FRACTION, "delta": FRACTION,
    "low": FRACTION, "high": FRACTION, "p_value": FRACTION, "adjusted_p_value": FRACTION, "significant": TRUTH,
    "winner": TEXT, "signature": TEXT,
}  # fmt: skip


_TURNED = {"no worse": "no better", "no better": "no worse"}


@dataclass(frozen=True)
class SystemReport:
    """A system under one metric.

    Parameters
    ----------
    name
        The name of the system.
    score
        Its score; the mean over its runs, if there are several.
    run_scores
        The score of each run.
    mean
        The mean of the resampled scores; None where there are no resamples.
    half_width
        Half the width of their 95 % interval.
    rank_range
        The best and the worst rank it may have; None unless all pairs were compared.
    n
        How many of the segments it has a score for; None where all systems have the same ones.
    adjusted
        Its mean as if all systems had the same segments, by a fit of all scores; systems are ranked by it.
    signature
        Its own signature, where facts of its score differ from those of the first system, such as answers of a judge
        that could not be read; else None.
    noise
        Of a judge with several passes, the figures of its noise; else None.
    lacking
        How many segments have no score of a learned metric.
    """

    name: str
    score: float
    run_scores: tuple[float, ...]
    mean: float | None = None
    half_width: float | None = None
    rank_range: tuple[int, int] | None = None
    n: int | None = None
    adjusted: float | None = None
    signature: Signature | None = None
    noise: Mapping[str, Any] | None = None
    lacking: int = 0

    @property
    def compared(self) -> float:
        """The score that ranks it."""
        return self.score if self.adjusted is None else self.adjusted

    @property
    def interval(self) -> Interval | None:
        """Mean and half width together."""
        return None if self.mean is None or self.half_width is None else Interval(self.mean, self.half_width)


@dataclass(frozen=True)
class Explained:
    """How two systems compare without differences in typography or case.

    Parameters
    ----------
    folded
        What was made the same in all texts: "quotes", "dashes", "spaces" as `normalize` has them, and "case".
    part
        How much of the difference that explains.
    delta
        The difference that is left.
    p_value
        Its p-value, from as many trials as the level needs.
    adjusted_p_value
        The p-value after the correction; None if there is no correction.
    kind
        Whether the system is then significantly better ("gain") or worse ("loss"), or "none".
    """

    folded: tuple[str, ...]
    part: float
    delta: float
    p_value: float
    adjusted_p_value: float | None
    kind: str


@dataclass(frozen=True)
class StratumReport:
    """Two systems in one stratum, under one metric.

    Parameters
    ----------
    label
        The label of the stratum.
    n_segments
        How many segments it has.
    delta
        The score of the system minus the score of the baseline.
    p_value
        The p-value of the test on this stratum alone; nan where there are too few units for one.
    adjusted_p_value
        The p-value after Holm's correction for all strata, and for all pairs if their p-values are corrected.
    winner
        The name of the better system; None if the difference is not significant.
    """

    label: str
    n_segments: int
    delta: float
    p_value: float
    adjusted_p_value: float
    winner: str | None


class Missing(NamedTuple):
    """What was done about missing scores of a pair, and how many segments only one of the two has."""

    rule: str
    a_only: int
    b_only: int


@dataclass(frozen=True, slots=True)
class PairReport:
    """Two systems under one metric.

    Parameters
    ----------
    baseline
        The name of one system.
    system
        The name of the other.
    delta
        The score of the system minus the score of the baseline.
    p_value
        The p-value of the test; nan where there are too few units for one.
    adjusted_p_value
        The p-value after the correction; None if there is no correction.
    significant
        Whether the p-value that decides is up to the level: the adjusted one, the one that counts ties, or the plain
        one if there is neither.
    winner
        The name of the better system; None if the difference is not significant.
    identical
        Whether the systems have the same rows; the p-value is 1 then.
    interval
        The 95 % interval of the delta, from resampling.
    signs
        The segments on which the system is better, worse and the same, from the sign test.
    z
        The statistic of these counts.
    exact
        Whether all ways of swapping the units that differ were tried.
    p_value_with_ties
        Beside sacreBLEU's p-value of "ar", the one that counts shuffles with exactly the real difference.
    explained
        What quotation marks, dashes, case or spaces have to do with the difference: more than a fifth of it, or
        whether it is significant. None if it is less, and where there are no texts to look at.
    standard_error
        The standard error of the delta; None where there are too few units.
    smallest_shown
        Of a difference that is not significant: the smallest one that this test would find with 80 % power.
    needed
        Of a difference that is not significant: how many segments would decide it, if it is the one seen, and at both
        ends of its interval; None without an interval.
    equivalence
        With a margin: "equivalent", "no worse" or "no better" than the baseline by the margin, or "not shown".
    strata
        The two systems in each stratum, if there are strata.
    n
        How many segments the two were compared on.
    unit
        What was drawn or swapped: a "segment" or a "document".
    n_units
        How many of them there are.
    missing
        What was done about scores that are missing; None where none is.
    people
        In how many per cent of past cases people preferred the system that was better by so much; None where that is
        not known. It is no p-value, and below 50 it is no better than a coin. See `worth`.
    """

    baseline: str
    system: str
    delta: float
    p_value: float
    adjusted_p_value: float | None
    significant: bool
    winner: str | None
    identical: bool
    interval: tuple[float, float] | None = None
    signs: tuple[int, int, int] | None = None
    z: float | None = None
    exact: bool = False
    p_value_with_ties: float | None = None
    explained: Explained | None = None
    standard_error: float | None = None
    smallest_shown: float | None = None
    needed: Needed | None = None
    equivalence: str | None = None
    strata: tuple[StratumReport, ...] = ()
    n: int | None = None
    unit: str = "segment"
    n_units: int | None = None
    missing: Missing | None = None
    people: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain values, for JSON."""
        needed = None if self.needed is None else self.needed._asdict()
        explained = None if self.explained is None else vars(self.explained)
        missing = None if self.missing is None else self.missing._asdict()
        found = _plain(self) | {"needed": needed, "explained": explained, "missing": missing}
        found["strata"] = tuple(map(_plain, self.strata))
        people = found.pop("people")
        return found if people is None else {**found, "human_accuracy": people, "human_accuracy_source": SOURCE}

    @property
    def strata_won(self) -> tuple[int, int]:
        """In how many strata the system is significantly better than the baseline, and in how many it is worse."""
        winners = [one.winner for one in self.strata]
        return winners.count(self.system), winners.count(self.baseline)

    @property
    def decisive(self) -> float:
        """The p-value that decides: after the correction, if there is one."""
        return self.p_value if self.adjusted_p_value is None else self.adjusted_p_value

    @property
    def kind(self) -> str:
        """Whether the system is significantly better ("gain") or worse ("loss") than the baseline, or "none"."""
        return "none" if self.winner is None else "gain" if self.winner == self.system else "loss"

    @property
    def turned(self) -> PairReport:
        """These systems the other way round: the baseline less the system."""
        interval, signs, z, explained = self.interval, self.signs, self.z, self.explained
        if explained is not None:
            kind = {"gain": "loss", "loss": "gain"}.get(explained.kind, "none")
            explained = replace(explained, part=-explained.part, delta=-explained.delta, kind=kind)
        return replace(
            self,
            baseline=self.system,
            system=self.baseline,
            delta=-self.delta,
            interval=None if interval is None else (-interval[1], -interval[0]),
            signs=None if signs is None else (signs[1], signs[0], signs[2]),
            z=None if z is None else -z,
            explained=explained,
            equivalence=_TURNED.get(self.equivalence or "", self.equivalence),
            strata=tuple(replace(one, delta=-one.delta) for one in self.strata),
            missing=self.missing and self.missing._replace(a_only=self.missing.b_only, b_only=self.missing.a_only),
        )


@dataclass(frozen=True)
class MetricReport:
    """Everything under one metric.

    Parameters
    ----------
    key
        The caller's name for the metric.
    name
        The name of its score.
    signature
        The settings of the metric and of the test.
    higher_is_better
        Whether the better system has the higher score; None if nobody knows.
    systems
        The systems, in the order they were given.
    pairs
        The pairs that were compared.
    clusters
        The names of systems by cluster, the best first; None unless all pairs were compared.
    lacks
        Sentences about systems that lack scores of segments that are harder or easier than the others.
    """

    key: str
    name: str
    signature: Signature
    higher_is_better: bool | None
    systems: tuple[SystemReport, ...]
    pairs: tuple[PairReport, ...]
    clusters: tuple[tuple[str, ...], ...] | None = None
    lacks: tuple[str, ...] = ()

    @property
    def best_first(self) -> list[SystemReport]:
        """The systems by their score, the best first; equal ones stay in their order, and all if nobody knows it."""
        if self.higher_is_better is None:
            return list(self.systems)
        return sorted(self.systems, key=lambda one: one.compared, reverse=self.higher_is_better)

    @property
    def has_gaps(self) -> bool:
        """Whether systems have scores of different segments."""
        return any(one.n is not None for one in self.systems)

    @cached_property
    def order(self) -> list[str]:
        """The names of the systems, the best first."""
        return [one.name for one in self.best_first]

    @cached_property
    def by_name(self) -> dict[str, SystemReport]:
        """The systems by their names."""
        return {one.name: one for one in self.systems}

    @cached_property
    def _tested(self) -> dict[tuple[str, str], PairReport]:
        return {(one.system, one.baseline): one for one in self.pairs}

    def pair(self, system: str, baseline: str) -> PairReport:
        """Give what is known of two systems; where no test was made, the p-value is nan.

        Parameters
        ----------
        system
            The name of the system.
        baseline
            The name of the system whose score is subtracted.
        """
        for what, name in (("system", system), ("baseline", baseline)):
            choice("MetricReport.pair", what, name, self.by_name)
        if (tested := self._tested.get((system, baseline))) is not None:
            return tested
        if (tested := self._tested.get((baseline, system))) is not None:
            return tested.turned
        delta = self.by_name[system].score - self.by_name[baseline].score
        return PairReport(baseline, system, delta, math.nan, None, False, None, False)

    @property
    def unbeaten(self) -> tuple[str, ...]:
        """The best system and those that it does not significantly beat; empty unless all pairs were compared."""
        if self.clusters is None:
            return ()
        best, *others = self.best_first
        beaten = {name for pair in self.pairs if pair.winner == best.name for name in (pair.system, pair.baseline)}
        return (best.name, *(one.name for one in others if one.name not in beaten))


@dataclass(frozen=True)
class Comparison(Tabular):
    """What `compare` returns. As a table, it has a row for each metric and pair of systems.

    Parameters
    ----------
    title
        The name of the test in words, with its number of trials.
    test
        The name of the test in the table of tests.
    n_samples
        How many trials or resamples the test had.
    smallest_p_value
        The smallest p-value, after the correction, that a pair can have with this number; None for a test without
        trials.
    n_confidence
        How many resamples were asked for beside the test.
    seed
        The seed, as signatures show it.
    alpha
        The level up to which a p-value is called significant.
    correction
        The correction of the p-values, if there is one.
    all_pairs
        Whether each system was compared with each.
    n_segments
        How many segments each system has.
    n_documents
        How many documents they belong to; None if there were no labels.
    n_runs
        The largest number of runs of a system.
    systems
        The names of the systems.
    metrics
        The results for each metric.
    family
        Which tests are corrected together: those of one "metric", or "all".
    n_tests
        How many tests are corrected together.
    margin
        The margin of equivalence, if one was asked for.
    """

    title: str
    test: str
    n_samples: int
    smallest_p_value: float | None
    n_confidence: int
    seed: str
    alpha: float
    correction: str | None
    all_pairs: bool
    n_segments: int
    n_documents: int | None
    n_runs: int
    systems: tuple[str, ...]
    metrics: tuple[MetricReport, ...]
    family: str = "metric"
    n_tests: int = 1
    margin: float | None = None

    @property
    def n_families(self) -> int:
        """How many families of tests there are, each corrected by itself."""
        return 1 if self.family == "all" else len(self.metrics)

    @property
    def level_of_one(self) -> float:
        """The level of one test for power and equivalence: after Bonferroni, where p-values are corrected."""
        return self.alpha / self.n_tests if self.correction else self.alpha

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences: what the test could have found, what is equivalent, families of tests, and strata won."""
        from truebleu.significance.notes import notes_of

        return tuple(notes_of(self))

    def plan(self, delta: float | None = None, *, power: float = 0.8) -> PowerPlan:
        """Say what sets of other sizes could show of these systems.

        Parameters
        ----------
        delta
            The difference that is to be found, chosen beforehand; None for the smallest differences alone. The one
            seen is no good choice: it is uncertain itself, and of a significant one there is nothing left to find.
        power
            How often it is to be found.
        """
        from truebleu.significance.power import make_plan

        if delta is not None and number_from_zero("Comparison.plan", "delta", delta) == 0:
            raise OptionError("Comparison.plan: delta is 0, expected a difference to be found, above 0")
        return make_plan(self, delta, level_of_test("Comparison.plan: power", power))

    @property
    def is_bounded(self) -> bool:
        """Whether p-values that the trials are too few for are upper bounds: with many pairs."""
        return any("tail" in metric.signature.info for metric in self.metrics)

    def __repr__(self) -> str:
        scores = {metric.key: {one.name: one.score for one in metric.best_first} for metric in self.metrics}
        return in_brief("comparison", len(self.systems), self.n_segments, scores)

    def __str__(self) -> str:
        lines = [self.title]
        if self.smallest_p_value is not None:
            lines.append(f"The smallest p-value of a pair can be {self.smallest_p_value:.4g}")
        lines += [line for metric in self.metrics for line in _lines(metric, self)]
        return "\n".join([*lines, *(["", *self.notes] if self.notes else [])])

    @property
    def sentences(self) -> tuple[str, ...]:
        """The answer in words, metric by metric: for each system, or for neighbours in a ranking of many."""
        return tuple(line for metric in self.metrics for line in told(self, metric))

    def _repr_html_(self) -> str:
        """Write the comparison as tables, for notebooks."""
        from truebleu._notebook import HtmlTable, as_html

        adjusted = [f"p ({self.correction})"] if self.correction else []
        head = ["metric", "system", "baseline", "difference", "95 % interval", "p", *adjusted, "in words"]
        pairs = HtmlTable(self.title, head, [row for one in self.metrics for row in _pair_rows(one)])
        return as_html([*system_tables(self.metrics), pairs])

    def to_html(self, path: str | os.PathLike[str], *, theme: str = "auto") -> None:
        """Write ranking, pairs and methods as one HTML file; a comparison holds no texts.

        Parameters
        ----------
        path
            The file; an existing file is replaced when everything is written.
        theme
            "auto", "light" or "dark".
        """
        from truebleu.study.page.page import comparison_page, write_page

        write_page(path, lambda look: comparison_page(self, look), theme=theme)

    def to_dict(self) -> dict[str, Any]:
        """Give everything as nested dicts and sequences of plain values, for JSON."""
        # All values are immutable, so none has to be copied, as `asdict` would; there may be thousands of pairs.
        metrics = []
        for metric in self.metrics:
            pairs = tuple({**one.to_dict(), "sentence": sentence(metric, one)} for one in metric.pairs)
            rows = {"systems": tuple(map(_plain, metric.systems)), "pairs": pairs}
            values = {one.name: getattr(metric, one.name) for one in fields(metric)}
            metrics.append({**values, "signature": str(metric.signature), **rows})
        return {**vars(self), "metrics": tuple(metrics), "n_families": self.n_families, "notes": self.notes}

    def _table(self) -> tuple[Mapping[str, str], Iterable[tuple[Any, ...]]]:
        return _PAIR_COLUMNS, (_pair_cells(metric, pair) for metric in self.metrics for pair in metric.pairs)


def in_brief(what: str, systems: int, segments: int, scores: Mapping[str, Mapping[str, float]]) -> str:
    """Write one line for people who ask what an object is: its size, and by metric the scores of the best systems."""
    parts = []
    for key, by_name in scores.items():
        best = [f"{name} {score:.4g}" for name, score in list(by_name.items())[:_MOST_IN_BRIEF]]
        parts.append(f"{key} {', '.join(best)}{', …' if len(by_name) > _MOST_IN_BRIEF else ''}")
    size = f"{what} of {number_of(systems, 'system')}, {number_of(segments, 'segment')}"
    return f"<{shown(': '.join(filter(None, (size, '; '.join(parts)))), 300)}>"


def system_tables(metrics: Iterable[MetricReport]) -> list[HtmlTable]:
    """Make a table of systems for each metric, for notebooks."""
    from truebleu._notebook import HtmlTable

    head = ("system", "score", "interval", "ranks")
    return [HtmlTable(f"{one.name}|{one.signature}", head, _system_rows(one)) for one in metrics]


def _plain(report: SystemReport | PairReport | StratumReport) -> dict[str, Any]:
    found = {one.name: without_nan(getattr(report, one.name)) for one in fields(report)}
    return found | {"signature": str(found["signature"])} if found.get("signature") is not None else found


def _pair_cells(metric: MetricReport, pair: PairReport) -> tuple[Any, ...]:
    scores = (metric.by_name[name].score for name in (pair.system, pair.baseline))
    p_values = (without_nan(value) for value in (pair.p_value, pair.adjusted_p_value))
    return (
        metric.key, pair.system, pair.baseline, *scores, pair.delta, *(pair.interval or (None, None)), *p_values,
        pair.significant, pair.winner, str(metric.signature),
    )  # fmt: skip


def _system_rows(metric: MetricReport) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for system in metric.systems:
        interval = "" if system.mean is None else f"{system.mean:.2f} ± {system.half_width:.2f}"
        ranks = "" if system.rank_range is None else "–".join(map(str, dict.fromkeys(system.rank_range)))
        rows.append((system.name, f"{system.score:.2f}", interval, ranks))
    return rows


def _pair_rows(metric: MetricReport) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for pair in metric.pairs:
        p_values = [p_text(value) for value in (pair.p_value, pair.adjusted_p_value) if value is not None]
        numbers = f"{pair.delta:+.2f}", "{:+.2f} to {:+.2f}".format(*pair.interval) if pair.interval else ""
        rows.append((metric.name, pair.system, pair.baseline, *numbers, *p_values, sentence(metric, pair)))
    return rows


def _lines(metric: MetricReport, of: Comparison) -> list[str]:
    """A metric in lines of text: one per system with its score, or one per pair if all pairs were compared."""
    width = max(len(name) for name in of.systems)
    lines = ["", f"{metric.name}|{metric.signature}"]
    for system in metric.systems:
        interval = "" if system.mean is None else f"  (μ = {system.mean:.2f} ± {system.half_width:.2f})"
        ranks = "" if system.rank_range is None else f"  ranks {system.rank_range[0]} to {system.rank_range[1]}"
        lines.append(f"  {system.name:<{width}}  {system.score:8.2f}{interval}{ranks}")
    return [*lines, *(f"  {sentence(metric, pair)}" for pair in metric.pairs)]
