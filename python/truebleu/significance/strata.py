"""Several test sets in one comparison: strata, which keep their sizes when units are drawn.

Each stratum is also tested by itself, and the sets in which a system is significantly better are counted. Holm's
correction over the sets makes this count a lower bound that is too high in at most 5 % of cases: it equals the count of
Dror et al. (2017) with Bonferroni's partial conjunctions, and tells which sets they are.

>>> strata = divide(["news", "chat", "news"], None)
>>> strata.labels, strata.segments, strata.of_units.tolist()
(['news', 'chat'], [[0, 2], [1]], [0, 1, 0])
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from truebleu._counts import number_of
from truebleu._inputs import brief
from truebleu._logs import silenced, warn
from truebleu.errors import OptionError, TooFew
from truebleu.significance.correction import holm
from truebleu.significance.results import StratumReport
from truebleu.significance.systems import tabulate
from truebleu.significance.tests import Verdict
from truebleu.significance.units import FEWEST

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from truebleu.significance.experiment import Experiment

Tested = list[list[tuple[float, Verdict]]]  # by metric and pair: the difference, and what the test says


class Strata(NamedTuple):
    """The strata of a comparison, in order of first appearance."""

    labels: list[str]
    segments: list[list[int]]  # of each
    of_units: NDArray[np.int_]
    documents: Sequence[Hashable] | None  # of the segments, where documents are drawn

    def documents_of(self, at: int) -> list[Hashable] | None:
        """The document of each segment of a stratum; None where segments are drawn."""
        return None if self.documents is None else [self.documents[place] for place in self.segments[at]]


def divide(labels: Sequence[Hashable], documents: Sequence[Hashable] | None) -> Strata:
    """Find the strata, of segments and of what is drawn; a document has to be in one of them."""
    import numpy as np

    members: dict[Hashable, list[int]] = {}
    of_units: dict[Hashable, Hashable] = {}
    for at, label in enumerate(labels):
        members.setdefault(label, []).append(at)
        unit = at if documents is None else documents[at]
        if of_units.setdefault(unit, label) != label:
            both = f"{brief(of_units[unit])} and {brief(label)}"
            raise OptionError(
                f"compare: the document {brief(unit)} has segments in two strata, {both}; expected documents that are "
                "in one, or unit='segment'"
            )
    if len(members) < 2:
        raise OptionError(f"compare: strata has one label for all segments, {brief(labels[0])}, expected two or more")
    codes = {label: at for at, label in enumerate(members)}
    places = np.array([codes[label] for label in of_units.values()])
    return Strata([str(label) for label in members], list(members.values()), places, documents)


def reports_of_strata(
    experiment: Experiment, strata: Strata, alpha: float, *, over_pairs: bool, over_metrics: bool
) -> list[list[tuple[StratumReport, ...]]]:
    """Test each stratum by itself: the reports by metric and pair."""
    _warn_of_small(strata)
    found = [_tested(experiment, strata, at) for at in range(len(strata.labels))]
    reports: list[list[list[StratumReport]]] = []
    for at, table in enumerate(experiment.tables):
        reports.append([])
        for place, (a, b) in enumerate(experiment.pairs):
            names, several = (table.systems[a], table.systems[b]), []
            for label, segments, tested in zip(strata.labels, strata.segments, found, strict=True):
                delta, verdict = tested[at][place]
                winner = None if table.higher is None else names[verdict.lead(delta, table.higher) > 0]
                several.append(StratumReport(label, len(segments), delta, verdict.p_value, math.nan, winner))
            reports[-1].append(several)
    # The tests that are corrected together: those of a pair, of all pairs of a metric, or of all.
    families = [[pair] for metric in reports for pair in metric]
    if over_pairs:
        families = [[pair for metric in reports for pair in metric]] if over_metrics else reports
    for family in families:
        known = [(pair, at) for pair in family for at, one in enumerate(pair) if not math.isnan(one.p_value)]
        adjusted = holm([pair[at].p_value for pair, at in known])
        for (pair, at), p_value in zip(known, adjusted, strict=True):
            pair[at] = replace(pair[at], adjusted_p_value=p_value)
    return [[tuple(_claimed(one, alpha) for one in pair) for pair in metric] for metric in reports]


def _warn_of_small(strata: Strata) -> None:
    small = [label for at, label in enumerate(strata.labels) if (strata.of_units == at).sum() < FEWEST]
    if small:
        units = "segments" if strata.documents is None else "documents"
        named = ", ".join(map(brief, small[:5])) + (", ..." if len(small) > 5 else "")
        has = number_of(len(small), "stratum has", "strata have")
        warn("%s fewer than %d %s, and no p-value: %s", has, FEWEST, units, named)


def _claimed(one: StratumReport, alpha: float) -> StratumReport:
    is_won = one.adjusted_p_value <= alpha and one.delta != 0
    return one if is_won else replace(one, winner=None)


def _tested(experiment: Experiment, strata: Strata, at: int) -> Tested:
    """Test one stratum, if it has enough units."""
    places, labels = strata.segments[at], strata.documents_of(at)
    parts = [[[one.select(places) for one in runs] for runs in table.counted] for table in experiment.tables]
    verdicts = [[Verdict(math.nan) for _ in experiment.pairs] for _ in experiment.tables]
    if (strata.of_units == at).sum() >= FEWEST:
        tables = [
            tabulate("compare", table.key, table.metric, table.systems, counted, labels, table.draws_documents)
            for table, counted in zip(experiment.tables, parts, strict=True)
        ]
        try:
            with silenced():
                verdicts = replace(experiment, tables=tables, strata=None).verdicts()
        except TooFew as error:
            why = str(error).removeprefix("compare: ")
            warn("the stratum %r has no p-value of its own: %s", strata.labels[at], why)
    found: Tested = []
    for table, counted, of_pairs in zip(experiment.tables, parts, verdicts, strict=True):
        means = [sum(table.metric.engine.score(one.sum()) for one in runs) / len(runs) for runs in counted]
        found.append([(means[b] - means[a], one) for (a, b), one in zip(experiment.pairs, of_pairs, strict=True)])
    return found
