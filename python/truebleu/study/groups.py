"""Groups of segments under all systems: scores, paired differences, and where a group says what the set does not.

In a group all systems share the draws, so the interval of a difference is that of the pair. It is narrower than the
intervals of the two scores suggest. The test is that of every comparison. Groups are places to look at, so p-values are
corrected after Benjamini and Hochberg: of the differences that are called significant, few are chance; Holm's
correction would keep even one from being so, and among many groups it finds next to nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

from truebleu._options import choice
from truebleu.doctor.rule import many
from truebleu.metrics.names import ByMetric, as_written, label_of
from truebleu.resample.randomization import Shuffled, randomize
from truebleu.significance.correction import benjamini_hochberg
from truebleu.significance.defaults import TEST, enough_trials
from truebleu.significance.group_scores import DrawnGroup, Group, draw_groups
from truebleu.significance.tests import TESTS
from truebleu.significance.units import FEWEST, interval_of, interval_of_difference
from truebleu.study.inputs import LENGTH

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from truebleu.metrics import Score
    from truebleu.resample.seed import Seed
    from truebleu.significance.systems import RowMetric
    from truebleu.stats import Stats

# A group with fewer segments is marked: its interval is wide, and the bootstrap makes it too narrow all the same.
FEW = 30

# The first number of tokens of each bucket; the last bucket has no end.
LENGTH_CUTS = (1, 10, 20, 30, 40, 60)
LENGTH_LABELS = (*(f"{low}-{high - 1}" for low, high in pairwise(LENGTH_CUTS)), f"{LENGTH_CUTS[-1]}+")


@dataclass(frozen=True)
class GroupDifference:
    """Two systems in one group.

    Parameters
    ----------
    label
        The label of the group.
    n_segments
        How many segments have it.
    delta
        The score of system A minus the score of system B.
    interval
        The 95 % interval of the delta; None for a group of one segment, or of one document where these are drawn.
    p_value
        That of the randomization test, as `compare` has it; None for a group with fewer than 6 segments, or documents.
    adjusted_p_value
        The p-value after Benjamini and Hochberg's correction for all groups of the set.
    """

    label: Hashable
    n_segments: int
    delta: float
    interval: tuple[float, float] | None
    p_value: float | None
    adjusted_p_value: float | None

    @property
    def few(self) -> bool:
        """Whether the group has fewer than 30 segments."""
        return self.n_segments < FEW


@dataclass(frozen=True)
class Reversal:
    """A pair of systems whose order in groups is not that of the whole set. Its text is a sentence.

    Parameters
    ----------
    metric
        The name of the metric.
    winner
        The system that is better on the whole set.
    loser
        The other, which is better in the groups.
    delta
        The difference of their scores on the whole set, from 0 on.
    groups
        The groups in which the order is reversed: all groups, or those with a significant difference.
    every
        Whether these are all groups of the set.
    """

    metric: str
    winner: str
    loser: str
    delta: float
    groups: tuple[GroupDifference, ...]
    every: bool

    def __str__(self) -> str:
        whole = f"{self.winner} wins the whole set by {self.delta:.2f} {label_of(self.metric)}"
        lost = ", ".join(
            f"{group.label} ({many(group.n_segments, 'segment', 'segments')}) by {abs(group.delta):.2f}"
            for group in self.groups
        )
        return f"{whole} and loses every group: {lost}" if self.every else f"{whole} and significantly loses {lost}"


@dataclass(frozen=True)
class PairedGroups:
    """Two systems in all groups, under one metric.

    Parameters
    ----------
    metric
        The name of the metric.
    a, b
        The systems; the scores of `b` are subtracted.
    delta
        The difference of their scores on the whole set.
    groups
        The groups.
    reversal
        What the groups say against the whole set; None if they do not.
    """

    metric: str
    a: str
    b: str
    delta: float
    groups: tuple[GroupDifference, ...]
    reversal: Reversal | None


@dataclass(frozen=True, eq=False)
class Breakdown:
    """All systems in the groups of one set of labels.

    Parameters
    ----------
    name
        The name of the set of labels.
    n_samples
        How many resamples each group had.
    alpha
        The level up to which an adjusted p-value is called significant.
    higher_is_better
        For each metric, whether the better system has the higher score.
    totals
        The scores on the whole set, by metric and system.
    scores
        The groups by metric and system, as `breakdown` gives them.
    resamples
        The resampled scores by metric and system, an array for each group that has any.
    n_documents
        How many documents were drawn in each group; None where segments were.
    test
        The function that tests two systems under a metric, and gives the p-value of each group that can be tested.
    """

    name: str
    n_samples: int
    alpha: float
    higher_is_better: Mapping[str, bool]
    totals: Mapping[str, Mapping[str, float]]
    scores: Mapping[str, Mapping[str, tuple[Group, ...]]]
    resamples: Mapping[str, Mapping[str, list[NDArray[np.float64] | None]]] = field(repr=False)
    n_documents: tuple[int | None, ...] = ()
    test: Callable[[str, str, str], list[float | None]] | None = field(default=None, repr=False)
    _tested: dict[tuple[str, ...], list[float | None]] = field(default_factory=dict, repr=False)

    @property
    def groups(self) -> tuple[tuple[Hashable, int], ...]:
        """The label of each group, and how many segments have it."""
        first = next(iter(next(iter(self.scores.values())).values()))
        return tuple((group.label, group.n_segments) for group in first)

    def pair(self, metric: str, a: str, b: str) -> PairedGroups:
        """Compare two systems in each group.

        Parameters
        ----------
        metric
            The name of the metric.
        a, b
            The systems; the scores of `b` are subtracted.
        """
        metric = choice("Breakdown.pair", "metric", as_written(metric, self.scores), self.scores)
        systems = self.scores[metric]
        ours, theirs = (systems[choice("Breakdown.pair", *each, systems)] for each in (("a", a), ("b", b)))
        deltas = [one.number - other.number for one, other in zip(ours, theirs, strict=True)]
        drawn = zip(self.resamples[metric][a], self.resamples[metric][b], deltas, self.n_documents, strict=True)
        intervals = [
            None if one is None or other is None else interval_of_difference(one - other, delta, whole)
            for one, other, delta, whole in drawn
        ]
        p_values = self._p_values(metric, *sorted((a, b)))
        adjusted = iter(benjamini_hochberg([one for one in p_values if one is not None]))
        groups = []
        for group, delta, interval, p_value in zip(ours, deltas, intervals, p_values, strict=True):
            corrected = None if p_value is None else next(adjusted)
            groups.append(GroupDifference(group.label, group.n_segments, delta, interval, p_value, corrected))
        delta = self.totals[metric][a] - self.totals[metric][b]
        return PairedGroups(metric, a, b, delta, tuple(groups), self._reversal(metric, a, b, delta, groups))

    def _p_values(self, *names: str) -> list[float | None]:
        """Test two systems in each group, once."""
        if names not in self._tested:
            self._tested[names] = [None] * len(self.groups) if self.test is None else self.test(*names)
        return self._tested[names]

    @cached_property
    def reversals(self) -> tuple[Reversal, ...]:
        """Every pair of systems, under every metric, whose order in groups is not that of the whole set."""
        pairs = (self.pair(key, a, b) for key in self.scores for a, b in combinations(self.scores[key], 2))
        return tuple(pair.reversal for pair in pairs if pair.reversal is not None)

    def _reversal(
        self, metric: str, a: str, b: str, delta: float, groups: Sequence[GroupDifference]
    ) -> Reversal | None:
        against = [group for group in groups if group.delta * delta < 0]
        every = len(against) == len(groups)
        sure = [one for one in against if one.adjusted_p_value is not None and one.adjusted_p_value <= self.alpha]
        if not against or not (every or sure):
            return None
        winner, loser = (a, b) if (delta > 0) == self.higher_is_better[metric] else (b, a)
        return Reversal(metric, winner, loser, abs(delta), tuple(against if every else sure), every)

    def to_dict(self, a: str | None = None, b: str | None = None) -> dict[str, Any]:
        """Give the groups as plain values, ready for JSON: a list has an entry for each group.

        Parameters
        ----------
        a, b
            The systems; the scores of `b` are subtracted. None for the differences of all pairs.
        """
        pairs = [*combinations(next(iter(self.scores.values())), 2)] if a is None and b is None else [(a, b)]
        found = [self.pair(key, str(one), str(other)) for key in self.scores for one, other in pairs]
        return {
            "name": self.name,
            "n_samples": self.n_samples,
            "labels": [plain(label) for label, _ in self.groups],
            "n_segments": [size for _, size in self.groups],
            "scores": {
                key: {
                    system: {part: [getattr(one, part) for one in groups] for part in ("score", "mean", "half_width")}
                    for system, groups in systems.items()
                }
                for key, systems in self.scores.items()
            },
            "pairs": [_pair_dict(one) for one in found],
        }


def _pair_dict(pair: PairedGroups) -> dict[str, Any]:
    parts = ("delta", "interval", "p_value", "adjusted_p_value")
    return {
        "metric": pair.metric,
        "a": pair.a,
        "b": pair.b,
        "total": pair.delta,
        **{part: [getattr(group, part) for group in pair.groups] for part in parts},
        "reversal": None if pair.reversal is None else str(pair.reversal),
    }


def plain(label: Hashable) -> str | int | float | bool:
    """Give a label as a value that JSON has: numbers and truth values stay, all else becomes text."""
    if isinstance(label, (str, int)) or (isinstance(label, float) and math.isfinite(label)):
        return label
    return str(label)


def break_down(
    name: str,
    labels: Sequence[Hashable],
    metrics: Mapping[str, RowMetric],
    counted: Mapping[str, Mapping[str, list[Stats]]],
    whole: Mapping[str, Mapping[str, Score]],
    *,
    samples: int,
    seed: Seed,
    alpha: float,
    documents: Sequence[Hashable] | None,
    threads: int,
) -> Breakdown:
    """Score all groups of a set of labels for all systems and metrics, which share the draws."""
    names = [(key, system) for key, systems in counted.items() for system in systems]
    n_runs = len(counted[names[0][0]][names[0][1]])
    rows = [(metrics[key], stats) for key, system in names for stats in counted[key][system]]
    drawn = list(draw_groups(rows, labels, samples, seed, documents=documents, threads=threads))
    if n_runs > 1:
        drawn = [_mean_of_runs(one, n_runs) for one in drawn]
    if name == LENGTH:
        drawn.sort(key=lambda one: LENGTH_LABELS.index(str(one.groups[0].label)))
    scores: dict[str, dict[str, tuple[Group, ...]]] = {key: {} for key in counted}
    resamples: dict[str, dict[str, list[NDArray[np.float64] | None]]] = {key: {} for key in counted}
    for at, (key, system) in enumerate(names):
        scores[key][system] = tuple(one.groups[at] for one in drawn)
        resamples[key][system] = [None if one.resamples is None else one.resamples[at] for one in drawn]
    totals = {key: {system: score.score for system, score in of.items()} for key, of in whole.items()}
    higher = {key: metric.higher_is_better for key, metric in metrics.items()}
    documents_drawn = tuple(one.documents for one in drawn)
    by_metric = ByMetric(higher), ByMetric(totals), ByMetric(scores), ByMetric(resamples)
    members = rows[0][1].members(labels)
    places = [members[one.groups[0].label] for one in drawn]
    trials = enough_trials(TESTS[TEST].default, len(places), alpha)
    shuffled = partial(randomize, trials=trials, seed=seed, threads=threads)
    test = partial(_tested_groups, metrics, counted, places, documents, shuffled)
    return Breakdown(name, samples, alpha, *by_metric, documents_drawn, test)


def _tested_groups(
    metrics: Mapping[str, RowMetric],
    counted: Mapping[str, Mapping[str, list[Stats]]],
    places: Sequence[Sequence[int]],
    documents: Sequence[Hashable] | None,
    shuffled: Callable[..., list[Shuffled]],
    key: str,
    *names: str,
) -> list[float | None]:
    """Test two systems in each group; None for too few units."""
    found: list[float | None] = []
    for segments in places:
        parts = [stats.select(segments) for name in names for stats in counted[key][name]]
        if documents is not None:
            parts = [part.merge([documents[segment] for segment in segments]) for part in parts]
        systems, runs = [(metrics[key].engine, part.rows) for part in parts], len(parts) // 2
        pair = [*range(runs)], [*range(runs, len(parts))]
        found.append(shuffled(systems, [pair])[0].p_value if len(parts[0]) >= FEWEST else None)
    return found


def _mean_of_runs(drawn: DrawnGroup, n_runs: int) -> DrawnGroup:
    """Take the mean over the runs of each system, of scores and of resampled scores; runs follow each other."""
    resamples = drawn.resamples
    if resamples is not None:
        resamples = resamples.reshape(-1, n_runs, resamples.shape[1]).mean(axis=1)
    groups = []
    for at, first in enumerate(drawn.groups[::n_runs]):
        score = sum(one.number for one in drawn.groups[n_runs * at : n_runs * (at + 1)]) / n_runs
        interval = None if resamples is None else interval_of(resamples[at], drawn.documents)
        mean, half_width = interval or (None, None)
        groups.append(Group(first.label, first.n_segments, score if score == score else None, mean, half_width))
    return DrawnGroup(groups, resamples, drawn.documents)


def length_label(tokens: int) -> str:
    """Tell the bucket of a length; an empty text is in the first.

    >>> [length_label(tokens) for tokens in (0, 9, 10, 59, 60)]
    ['1-9', '1-9', '10-19', '40-59', '60+']
    """
    return LENGTH_LABELS[max(0, sum(tokens >= cut for cut in LENGTH_CUTS) - 1)]
