"""Each system against each: a ranking with clusters, and all p-values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from truebleu.report.results import CYAN, Style
from truebleu.report.table import STYLES, titled

if TYPE_CHECKING:
    from truebleu.significance.results import Comparison, MetricReport, PairReport, SystemReport

PAIR_COLUMNS = (
    "metric",
    "baseline",
    "system",
    "delta",
    "p_value",
    "adjusted_p_value",
    "significant",
    "winner",
    "signature",
)


def ranking_lines(comparison: Comparison, format: str, style: Style) -> Iterator[str]:
    """For each metric the ranking and a matrix of p-values."""
    for metric in comparison.metrics:
        yield from titled(f"{metric.name}: {comparison.title}", format)
        yield from _ranking(metric, format, style)
        yield ""
        yield from _matrix(metric, format, style)
        yield ""
    yield from _explanation(comparison)
    yield ""
    yield from titled("Metric signatures", format)
    for metric in comparison.metrics:
        signature = metric.signature.format(style.short)
        yield f"- {metric.name}: `{signature}`" if format == "markdown" else f" - {metric.name:<10} {signature}"


def _ranked(metric: MetricReport) -> list[SystemReport]:
    return sorted(metric.systems, key=lambda system: -system.score if metric.higher_is_better else system.score)


def _ranking(metric: MetricReport, format: str, style: Style) -> Iterator[str]:
    cluster_of = {name: at for at, cluster in enumerate(metric.clusters or (), 1) for name in cluster}
    rows = []
    for number, system in enumerate(_ranked(metric), 1):
        low, high = system.rank_range or (number, number)
        ranks = str(low) if low == high else f"{low}-{high}"
        rows.append([str(number), system.name, _score(system, style), ranks, str(cluster_of.get(system.name, ""))])
    score = metric.name + (" (μ ± 95% CI)" if metric.systems[0].mean is not None else "")
    yield from _table(rows, ["", "System", score, "Ranks", "Cluster"], format, style)


def _score(system: SystemReport, style: Style) -> str:
    shown = style.number(system.score)
    if system.mean is None or system.half_width is None:
        return shown
    return f"{shown} ({style.number(system.mean)} ± {style.number(system.half_width)})"


def _matrix(metric: MetricReport, format: str, style: Style) -> Iterator[str]:
    names = [system.name for system in _ranked(metric)]
    found = {frozenset((pair.baseline, pair.system)): pair for pair in metric.pairs}
    rows = []
    for at, name in enumerate(names):
        cells = [_p_value(found[frozenset((name, other))]) if after > at else "" for after, other in enumerate(names)]
        rows.append([str(at + 1), name, *cells[1:]])
    headers = ["", "p-value against", *(str(at + 1) for at in range(1, len(names)))]
    yield from _table(rows[:-1], headers, format, style)


def _p_value(pair: PairReport) -> str:
    decisive = pair.p_value if pair.adjusted_p_value is None else pair.adjusted_p_value
    return f"{decisive:.4f}" + ("*" if pair.significant else "")


def _table(rows: list[list[str]], headers: list[str], format: str, style: Style) -> Iterator[str]:
    from tabulate import tabulate

    align = ("right", "left", *("center" for _ in headers[2:]))
    painted = [style.paint(header, CYAN) if header else header for header in headers]
    text: str = tabulate(rows, headers=painted, tablefmt=STYLES[format], colalign=align, disable_numparse=True)
    yield from text.split("\n")


_CORRECTIONS = {"holm": "Holm", "bh": "Benjamini and Hochberg"}


def _explanation(comparison: Comparison) -> Iterator[str]:
    method = _CORRECTIONS.get(comparison.correction or "")
    corrected = f"corrected after {method}" if method else "not corrected"
    yield f" - A star (*) marks pairs that differ at the level {comparison.alpha}."
    yield f"   The p-values of {_pairs(comparison)} are {corrected}."
    yield " - Ranks go from one more than the systems that beat it significantly to all but those it beats."
    yield "   A cluster ends where every system above beats every system below."


def _pairs(comparison: Comparison) -> str:
    count = len(comparison.metrics[0].pairs)
    return f"{count} pairs a metric" if count > 1 else "1 pair a metric"


def pair_objects(comparison: Comparison) -> Iterator[dict[str, Any]]:
    """A flat dictionary for each pair."""
    for metric in comparison.metrics:
        for pair in metric.pairs:
            yield {
                "metric": metric.name,
                "baseline": pair.baseline,
                "system": pair.system,
                "delta": pair.delta,
                "p_value": pair.p_value,
                "adjusted_p_value": pair.adjusted_p_value,
                "significant": pair.significant,
                "winner": pair.winner,
                "signature": str(metric.signature),
            }
