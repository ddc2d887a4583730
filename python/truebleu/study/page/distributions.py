"""How the scores and lengths of single segments are spread: five figures of the default pair under the first metric.

The script draws the same figures for other pairs, metrics and subsets (`assets/js/plots.js`), by the same rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from truebleu.study.groups import LENGTH_LABELS
from truebleu.study.page import svg
from truebleu.study.segments import agreement, length_ratios

if TYPE_CHECKING:
    import numpy as np
    from markupsafe import Markup
    from numpy.typing import NDArray

    from truebleu.significance.results import MetricReport
    from truebleu.study.segments import SegmentScores
    from truebleu.study.study import Study

# A bar of the histogram is so wide, and the last one holds all that is longer.
BARS_IN_ONE = 20
MOST_BARS = 2 * BARS_IN_ONE


class Figure(NamedTuple):
    """A figure, what it shows, and the name by which the script finds it."""

    kind: str
    told: str
    drawn: Markup


def figures(study: Study, metrics: Sequence[MetricReport]) -> list[Figure]:
    """Draw how the scores of segments are spread."""
    scores = study.segments(metrics[0].key)
    chosen = study.pair or (scores.systems[0],)
    found = [_shares(metrics[0].name, scores, chosen)]
    if study.pair:
        found.append(_pair(metrics[0], scores, study.pair))
    if len(metrics) > 1:
        found.append(_two_metrics(study, metrics[0], metrics[1], chosen[0]))
    found.append(_by_length(metrics[0].name, study.length_labels, scores, chosen))
    ratios = length_ratios(study.inputs.metrics, study.rows)
    return found if ratios is None else [*found, _ratios(ratios[0], [ratios[1][name] for name in chosen])]


def _shares(name: str, scores: SegmentScores, chosen: Sequence[str]) -> Figure:
    import numpy as np

    kinds = dict(zip(chosen, "ab", strict=False))
    lines = []
    for system in sorted(scores.systems, key=lambda one: one in kinds):
        values = np.sort(scores.of(system))
        # A point in every two hundredth is as much as a screen shows.
        places = np.unique(np.linspace(0, len(values) - 1, min(len(values), 200)).astype(int))
        points = [(float(values[at]), 100 * (at + 1) / len(values)) for at in places.tolist()]
        lines.append(svg.Line(points, kinds.get(system, "other")))
    told = f"Share of the segments with at most a {name} score, for each system"
    return Figure("shares", told, svg.chart(told, lines, f"{name} of a segment", "share of the segments, %"))


def _pair(metric: MetricReport, scores: SegmentScores, pair: tuple[str, str]) -> Figure:
    a, b = (scores.of(system).tolist() for system in pair)
    better = "B" if metric.higher_is_better else "A"
    told = f"{metric.name} of each segment: A to the right, B upwards; above the line {better} is better"
    ends = min(*a, *b), max(*a, *b)
    diagonal = svg.Line([(ends[0], ends[0]), (ends[1], ends[1])], "other")
    dots = svg.Line(list(zip(a, b, strict=True)), "points")
    return Figure("pair", told, svg.chart(told, [diagonal, dots], f"{metric.name} of A", f"{metric.name} of B"))


def _two_metrics(study: Study, first: MetricReport, second: MetricReport, system: str) -> Figure:
    x, y = (study.segments(one.key).of(system).tolist() for one in (first, second))
    pearson, kendall = ("–" if one is None else f"{one:.2f}".replace("-", "\u2212") for one in agreement(x, y))
    told = f"{second.name} against {first.name} for each segment of A: Pearson {pearson}, Kendall (tau-b) {kendall}"
    points = [svg.Line(list(zip(x, y, strict=True)), "points")]
    return Figure("metrics", told, svg.chart(told, points, f"{first.name} of A", f"{second.name} of A"))


def _by_length(name: str, labels: Sequence[object], scores: SegmentScores, chosen: Sequence[str]) -> Figure:
    import numpy as np

    known = np.array([str(label) for label in labels])
    lines, bands = [], []
    for kind, system in zip("ab", chosen, strict=False):
        values = scores.of(system)
        groups = [(at, values[known == label]) for at, label in enumerate(LENGTH_LABELS) if label in known]
        ends = [(float(at), [float(one) for one in np.percentile(group, (25, 50, 75))]) for at, group in groups]
        around = [*((at, low) for at, (low, _, _) in ends), *((at, high) for at, (_, _, high) in reversed(ends))]
        bands.append(svg.Line(around, f"band {kind}"))
        lines.append(svg.Line([(at, middle) for at, (_, middle, _) in ends], kind))
    told = f"{name} of a segment by the length of its reference: the median, and the middle half of the segments"
    drawn = svg.chart(
        told, [*bands, *lines], "tokens of the reference", f"{name} of a segment", x_labels=LENGTH_LABELS
    )  # fmt: skip
    return Figure("length", told, drawn)


def _ratios(unit: str, ratios: Sequence[NDArray[np.float64]]) -> Figure:
    import numpy as np

    lines = []
    for kind, values in zip("ab", ratios, strict=False):
        known = values[~np.isnan(values)]
        counts = np.bincount(np.minimum(known * BARS_IN_ONE, MOST_BARS).astype(int), minlength=MOST_BARS + 1)
        shares = [100 * int(count) / max(len(known), 1) for count in counts]
        points = [(at / BARS_IN_ONE, share) for bar, share in enumerate(shares) for at in (bar, bar + 1)]
        lines.append(svg.Line([(0.0, 0.0), *points], kind))
    told = f"Length of the outputs over that of their references, in {unit}; the last step holds all above 2"
    return Figure("ratios", told, svg.chart(told, lines, "length ratio", "share of the segments, %", zero=True))
