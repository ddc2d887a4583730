"""Scores of groups of segments: by document, domain, original language.

>>> from truebleu.metrics import CHRF
>>> chrf = CHRF()
>>> stats = chrf.stats(["a b", "c d", "e f"], [["a b", "c x", "e f"]])
>>> for group in breakdown(chrf, stats, ["news", "chat", "news"]):
...     print(group.label, group.n_segments, round(group.score, 1))
news 2 100.0
chat 1 25.0
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, NamedTuple

from truebleu._inputs import brief
from truebleu._options import MOST_SAMPLES, thread_count, whole_number
from truebleu.errors import EmptyCorpus
from truebleu.metrics.external import ExternalMetric
from truebleu.resample.bootstrap import resampled_scores
from truebleu.resample.interval import Interval
from truebleu.resample.seed import Seed
from truebleu.significance.systems import check_metric
from truebleu.significance.units import drawn_labels, interval_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from truebleu.significance.systems import RowMetric
    from truebleu.stats import Stats


@dataclass(frozen=True)
class Group:
    """The segments with one label, and their score.

    Parameters
    ----------
    label
        The label.
    n_segments
        How many segments have it.
    score
        Their score; None if nothing in the group can be scored.
    mean
        The mean of the resampled scores; None if no resamples were asked for, and for a single segment.
    half_width
        Half the width of their 95 % interval.
    """

    label: Hashable
    n_segments: int
    score: float | None
    mean: float | None = None
    half_width: float | None = None

    @property
    def number(self) -> float:
        """The score, or nan if there is none."""
        return nan if self.score is None else self.score

    @property
    def interval(self) -> Interval | None:
        """Mean and half width together."""
        return None if self.mean is None or self.half_width is None else Interval(self.mean, self.half_width)


def breakdown(
    metric: RowMetric | str,
    stats: Stats,
    labels: Iterable[Hashable],
    *,
    n_bootstrap: int = 0,
    documents: Iterable[Hashable] | None = None,
    seed: int | str | None = None,
    threads: int | None = None,
) -> list[Group]:
    """Score each group of segments, in order of first appearance.

    Parameters
    ----------
    metric
        The metric that counted the rows, or its name, such as "bleu".
    stats
        The rows of all segments.
    labels
        One label for each segment: the group that it belongs to.
    n_bootstrap
        How many resamples give a mean and a 95 % interval; none up to 1.
    documents
        The document of each segment, if documents are to be drawn whole.
    seed
        A whole number, or "none" for a fresh seed; None takes that of `SACREBLEU_SEED`.
    threads
        How many threads work; None for all cores.
    """
    samples = whole_number("breakdown", "n_bootstrap", n_bootstrap, 0, MOST_SAMPLES)
    drawn_from, workers = Seed.of(seed), thread_count(threads)
    metric = check_metric("breakdown", "metric", metric)
    metric.score(stats)  # refuses rows of another metric before anything is drawn
    whole = drawn_labels("breakdown", "auto", None if documents is None else stats.check_labels(documents))
    drawn = draw_groups([(metric, stats)], labels, samples, drawn_from, documents=whole, threads=workers)
    return [group for one in drawn for group in one.groups]


class DrawnGroup(NamedTuple):
    """A group under several systems."""

    groups: list[Group]
    resamples: NDArray[np.float64] | None
    documents: int | None = None  # how many were drawn; None: segments were


def draw_groups(
    counted: Sequence[tuple[RowMetric, Stats]],
    labels: Iterable[Hashable],
    samples: int,
    seed: Seed,
    *,
    documents: Sequence[Hashable] | None = None,
    threads: int = 0,
) -> Iterator[DrawnGroup]:
    """Score each group of segments for all systems, which share the draws of a group."""
    import numpy as np

    for label, segments in counted[0][1].members(labels).items():
        places = np.array(segments)
        parts = [(metric, stats.select(places)) for metric, stats in counted]
        units, whole = parts, None
        if documents is not None:
            of_group = [documents[segment] for segment in segments]
            units = [(metric, part.merge(of_group)) for metric, part in parts]
            whole = len(units[0][1])
        resamples = None
        if samples > 1 and len(units[0][1]) > 1:
            rows = [(metric.engine, part.rows) for metric, part in units]
            resamples = resampled_scores(rows, samples, seed, threads=threads)
        groups = []
        for at, (metric, part) in enumerate(parts):
            interval = None if resamples is None else interval_of(resamples[at], whole)
            if part.columns == ExternalMetric.columns and not part.rows[:, 1].any():
                raise EmptyCorpus(f"{metric.name}: a system has no score in the group {brief(label)}")
            score = metric.engine.score(part.sum())
            groups.append(Group(label, len(segments), score if score == score else None, *(interval or ())))
        yield DrawnGroup(groups, resamples, whole)
