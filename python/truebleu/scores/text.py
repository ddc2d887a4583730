"""The answer of `truebleu scores` as text, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from truebleu._counts import number_of
from truebleu._shown import shown
from truebleu._text.style import Style
from truebleu.scores.comparing import ColumnFacts
from truebleu.significance.correction import AUTHORS
from truebleu.significance.notes import missing_notes, power_note
from truebleu.study.results import Results, SystemScores, compared_scores, fitted

if TYPE_CHECKING:
    from truebleu.scores.table import ScoreTable
    from truebleu.significance.results import Comparison, MetricReport

_KINDS = {"human": "people", "judge": "a judge", "qe": "without references"}


def results_of(comparison: Comparison) -> Results:
    """Give a comparison as the formats of reports take it."""
    scores = zip(comparison.systems, compared_scores(comparison), strict=True)
    return Results(tuple(SystemScores(name, name, one) for name, one in scores), comparison=comparison)


def lines_of(comparison: Comparison, facts: Sequence[ColumnFacts], width: int | None = None) -> Iterator[str]:
    """Write for each metric what it is, the ranking, the clusters and what the test can find."""
    style = Style(width=2 if width is None else width, is_width_typed=width is not None)
    style = fitted(style, results_of(comparison))
    for at, (metric, one) in enumerate(zip(comparison.metrics, facts, strict=True)):
        if at:
            yield ""
        yield shown_title(one)
        yield from _unit_lines(comparison, metric, one)
        yield from _ranking(metric, one.items, style.of(metric.name))
        yield _clusters(comparison, metric)
        yield from power_note(comparison, metric)
        yield from missing_notes(metric)
        yield from _rater_lines(one, style.of(metric.name))
        yield f"{shown(metric.name)}|{metric.signature}"


def shown_title(facts: ColumnFacts) -> str:
    """Name a metric, with whose scores they are, which are better, and how many there are."""
    about = [_KINDS[facts.kind]] if facts.kind in _KINDS else []
    about += ["direction unknown" if facts.direction is None else f"{facts.direction} is better"]
    some = f"{facts.items:,} of {facts.all_items:,}" if facts.items < facts.all_items else f"{facts.items:,}"
    have = "have" if facts.items != 1 else "has"
    return f"{shown(facts.metric)} ({', '.join(about)}; {some} {facts.level}s {have} scores)"


def _unit_lines(comparison: Comparison, metric: MetricReport, facts: ColumnFacts) -> Iterator[str]:
    clustering = facts.clustering
    if clustering is None:
        return
    drawn = any(pair.unit == "document" for pair in metric.pairs)
    yield (
        f"documents {clustering.documents:,}, {clustering.size:.1f} segments each, ICC {clustering.icc:.2f}, design "
        f"effect {clustering.design_effect:.1f}: {'documents' if drawn else 'segments'} are drawn"
        + (" whole" if drawn else "")
    )
    if not drawn:
        yield (
            f"{clustering.size:.1f} segments of a document move together: the variance is 1 + "
            f"({clustering.size:.1f} - 1) x {clustering.icc:.2f} = {clustering.design_effect:.1f} times what it seems"
        )


def _ranking(metric: MetricReport, items: int, style: Style) -> list[str]:
    from tabulate import tabulate

    beaten = [pair.winner for pair in metric.pairs]
    has_gaps = any(system.adjusted is not None for system in metric.systems)
    rows = []
    for system in metric.best_first:
        low, high = system.rank_range or ("", "")
        ranks = str(low) if low == high else f"{low}-{high}"
        interval = ""
        if system.mean is not None and system.half_width is not None:
            ends = (style.number(system.mean + sign * system.half_width) for sign in (-1, 1))
            interval = f"[{', '.join(ends)}]"
        adjusted = [style.number(system.compared)] if has_gaps else []
        count = f"{items if system.n is None else system.n:,}"
        rows.append(
            [
                ranks,
                shown(system.name),
                style.number(system.score),
                interval,
                count,
                *adjusted,
                str(beaten.count(system.name)),
            ]
        )
    head = ["rank", "system", "mean", "95 %", "n", *(["adjusted"] if has_gaps else []), "beats"]
    align = ["left", "left", *["right"] * (len(head) - 2)]
    table: str = tabulate(rows, head, "plain", disable_numparse=True, colalign=align)
    return [f"  {line}".rstrip() for line in table.split("\n")]


def _clusters(comparison: Comparison, metric: MetricReport) -> str:
    untested = sum(pair.p_value != pair.p_value for pair in metric.pairs)
    few = f"; {number_of(untested, 'pair has', 'pairs have')} too few segments for a test" if untested else ""
    method = AUTHORS.get(comparison.correction or "", "")
    unit = f" on {metric.pairs[0].unit}s" if "test" in comparison.title.split() else ""
    how = f"{number_of(len(metric.pairs), 'pair')}, {comparison.title[:1].lower()}{comparison.title[1:]}{unit}"
    groups = " | ".join(", ".join(shown(name) for name in group) for group in metric.clusters or ())
    found = groups if len(metric.clusters or ()) > 1 else "one cluster, no line divides the systems"
    return f"clusters{f' after {method}' if method else ''} ({how}{few}): {found}"


def _rater_lines(facts: ColumnFacts, style: Style) -> Iterator[str]:
    from tabulate import tabulate

    if len(facts.raters) < 2:
        return
    rows = [
        [shown(one.name), f"{one.n:,}", style.number(one.mean),
         "" if one.deviation is None else style.number(one.deviation),
         "" if one.agreement is None else f"{one.agreement:.2f}"]
        for one in facts.raters
    ]  # fmt: skip
    head = ["rater", "n", "mean", "deviation", "correlation with the others"]
    table: str = tabulate(rows, head, "plain", disable_numparse=True, colalign=["left", *["right"] * 4])
    yield from (f"  {line}".rstrip() for line in table.split("\n"))


def system_lines(table: ScoreTable, width: int | None = None) -> Iterator[str]:
    """Write the scores of whole systems, or of domains, which are not tested."""
    for metric in table.metrics:
        values = table.matrix(metric)
        for place, item in enumerate(table.items):
            of = f", {shown(item)}" if table.level == "domain" else ""
            yield f"{shown(metric)} of each system{of}: one number has no chance in it, so that it is not tested"
            order = sorted(range(len(table.systems)), key=lambda at: -values[at, place])
            for at in (at for at in order if values[at, place] == values[at, place]):
                yield f"  {shown(table.systems[at])}  {values[at, place]:.{4 if width is None else width}f}"


def as_dict(comparison: Comparison | None, facts: Sequence[ColumnFacts]) -> dict[str, Any]:
    """Give everything as plain values, for JSON."""
    columns = []
    for one in facts:
        clustering = None
        if one.clustering is not None:
            clustering = {**one.clustering._asdict(), "design_effect": one.clustering.design_effect}
        columns.append({**one._asdict(), "clustering": clustering, "raters": [rater._asdict() for rater in one.raters]})
    return {"schema": 1, "columns": columns, **({} if comparison is None else comparison.to_dict())}
