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

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from truebleu._options import MOST_SAMPLES, thread_count, whole_number
from truebleu.resample.bootstrap import resampled_scores
from truebleu.resample.interval import estimate_interval
from truebleu.resample.seed import Seed

if TYPE_CHECKING:
    from truebleu.stats import Stats


@dataclass(frozen=True)
class Group:
    """The segments with one label. `mean` and `half_width` are None unless asked for, and for a single segment."""

    label: Hashable
    n_segments: int
    score: float
    mean: float | None = None
    half_width: float | None = None


def breakdown(
    metric: Any,
    stats: Stats,
    labels: Iterable[Hashable],
    *,
    n_bootstrap: int = 0,
    seed: int | str | None = None,
    threads: int | None = None,
) -> list[Group]:
    """The score of each group, in order of first appearance; with `n_bootstrap` above 1, mean and 95 % interval too."""
    samples = whole_number("breakdown", "n_bootstrap", n_bootstrap, 0, MOST_SAMPLES)
    drawn_from = Seed.of(seed).fixed()
    groups = []
    for label, part in stats.group(labels).items():
        score = metric.score(part).score
        mean = half_width = None
        if samples > 1 and len(part) > 1:
            table = [(metric.engine, part.rows)]
            (scores,) = resampled_scores(table, samples, drawn_from, threads=thread_count(threads))
            mean, half_width = estimate_interval(scores)
        groups.append(Group(label, len(part), score, mean, half_width))
    return groups
