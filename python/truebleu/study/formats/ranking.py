"""Each system against each: a ranking with clusters, and all p-values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from truebleu._counts import number_of
from truebleu._text.p_values import p_text
from truebleu._text.style import Style
from truebleu.significance.notes import family_note
from truebleu.study.formats.tables import (
    INTERVALS,
    count_of,
    drawn,
    note_lines,
    sentence_lines,
    signature_lines,
    titled,
    unit_lines,
)
from truebleu.study.results import Results

if TYPE_CHECKING:
    from truebleu.significance.results import Comparison, MetricReport


def ranking_lines(results: Results, comparison: Comparison, style: Style) -> Iterator[str]:
    """Write for each metric the ranking and a table of p-values."""
    is_bare = style.score_only or style.format == "latex"
    for metric in comparison.metrics:
        if not is_bare:
            yield from titled(f"{metric.name}: {comparison.title}", style)
        yield from _ranking(metric, results.labels, style)
        yield ""
        yield from _p_values(metric, results.labels, style)
        if not is_bare:
            yield ""
            yield from sentence_lines(comparison, metric, style)
        if not is_bare or metric is not comparison.metrics[-1]:
            yield ""
    if not is_bare:
        yield from () if style.quiet else style.wrapped(_notes(comparison))
        yield from signature_lines(comparison.metrics, style)


def _notes(comparison: Comparison) -> Iterator[str]:
    yield f" - Differences are row minus column. A star (*) marks pairs that differ at the level {comparison.alpha}."
    yield f"   {family_note(comparison)}"
    smallest = comparison.smallest_p_value
    if smallest is not None:
        trials = number_of(comparison.n_samples, "trial")
        yield f"   With {trials}, the smallest p-value that a pair can have is {smallest:.4g}."
    yield from unit_lines(comparison)
    yield from note_lines(comparison)
    yield " - Best rank = 1 + number of systems significantly better; worst rank = number of systems - number"
    yield "   significantly worse. A cluster ends where every system above beats every system below."
    yield ""


def _ranking(metric: MetricReport, labels: dict[str, str], style: Style) -> list[str]:
    cluster_of = {name: at for at, cluster in enumerate(metric.clusters or (), 1) for name in cluster}
    rows = []
    for number, system in enumerate(metric.best_first, 1):
        low, high = system.rank_range or (number, number)
        ranks = str(low) if low == high else f"{low}-{high}"
        score = style.interval(metric.name, system.score, system.mean, system.half_width)
        more = [] if system.n is None else [str(system.n), style.of(metric.name).number(system.compared)]
        place = str(cluster_of.get(system.name, ""))
        rows.append([str(number), style.name(labels[system.name]), score, *more, ranks, place])
    score = f"{style.name(metric.name)}{'' if metric.systems[0].mean is None else INTERVALS}"
    more = [] if metric.systems[0].n is None else ["n", "Adjusted"]
    return drawn(rows, ["", "System", score, *more, "Ranks", "Cluster"], ["right", "left"], style)


def _p_values(metric: MetricReport, labels: dict[str, str], style: Style) -> list[str]:
    names, rows, width = metric.order, [], style.of(metric.name).width
    separator = "\n" if style.format == "text" else ", "
    for at, name in enumerate(names[:-1], 1):
        pairs = [metric.pair(name, other) for other in names[at:]]
        shown = (
            (f"{one.delta:+z.{width}f}", f"{p_text(one.decisive)}{'*' if one.significant else ''}", *count_of(one))
            for one in pairs
        )
        rows.append([str(at), style.name(labels[name]), *("" for _ in names[1:at]), *map(separator.join, shown)])
    headers = ["", "difference, p-value against", *(str(at) for at in range(2, len(names) + 1))]
    return drawn(rows, headers, ["right", "left"], style)
