"""Strata of a comparison: the differences of each pair in each of them, and how many are won."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from truebleu._text.style import Style
from truebleu.study.formats.tables import drawn, titled

if TYPE_CHECKING:
    from truebleu.significance.results import Comparison


def strata_lines(comparison: Comparison, labels: dict[str, str], style: Style) -> Iterator[str]:
    """Write a table for each metric with a row for each pair and a column for each stratum."""
    for metric in comparison.metrics:
        strata, sign = metric.pairs[0].strata, style.of(metric.name)
        headers = ["System", "minus", *(f"{style.name(one.label)} ({one.n_segments})" for one in strata), "Won"]
        rows = []
        for pair in metric.pairs:
            names = [style.name(labels[name].removeprefix("Baseline: ")) for name in (pair.system, pair.baseline)]
            cells = [f"{one.delta:+.{sign.width}f}{'*' if one.winner else ''}" for one in pair.strata]
            rows.append([*names, *cells, "{} : {}".format(*pair.strata_won)])
        yield ""
        if not style.score_only:
            yield from titled(f"{metric.name}: differences in each stratum (segments), and strata won", style)
        yield from drawn(rows, headers, ["left", "left"], style)
    if not style.score_only:
        yield ""
        yield " - A star (*) marks differences that are significant by a test of the stratum alone,"
        yield f"   corrected after Holm for all strata{' and pairs' if comparison.correction else ''}."
