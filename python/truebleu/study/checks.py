"""Checks of a study that are not about texts, and so are not the doctor's: the trials of its test, and messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from truebleu.metrics.external import ExternalMetric
from truebleu.significance.trials import too_few
from truebleu.significance.units import OF_PEOPLE

if TYPE_CHECKING:
    from truebleu.significance.results import Comparison
    from truebleu.study.inputs import Inputs


@dataclass(frozen=True)
class OwnCheck:
    """One check, and what came of it."""

    code: str
    name: str
    messages: tuple[str, ...] = ()
    skipped: str = ""


def score_checks(comparison: Comparison | None, inputs: Inputs) -> tuple[OwnCheck, ...]:
    """Check scores from elsewhere: those that are missing, documents of people's, and directions."""
    metrics = {key: metric for key, metric in inputs.metrics.items() if isinstance(metric, ExternalMetric)}
    if not metrics:
        return ()
    lacks, untold, told = [], [], []
    for report in () if comparison is None else comparison.metrics:
        counts = [one.n for one in report.systems if one.n is not None]
        if counts:
            most = max(pair.n or 0 for pair in report.pairs)
            span = f"{min(counts):,} to {max(counts):,} scores"
            lacks.append(f"{report.name}: systems have {span}, and two of them share {most:,} at most")
        lacks += [f"{report.name}: {line}" for line in report.lacks]
    for metric in metrics.values():
        if metric.kind == "human" and inputs.documents is None:
            untold.append(
                f"{metric.name} is of people, and the documents of segments are not known. {' '.join(OF_PEOPLE)}"
            )
        if metric.is_negated:
            told.append(f"{metric.name} was negated, so that {metric.direction} is better")
    return (
        OwnCheck("S103", "missing scores", tuple(lacks), "" if comparison is not None else "no test was made"),
        OwnCheck("S104", "documents of people's scores", tuple(untold)),
        OwnCheck("S105", "directions of scores from elsewhere", tuple(told)),
    )


def own_checks(comparison: Comparison | None, messages: Sequence[str]) -> tuple[OwnCheck, ...]:
    """Check a study as a whole."""
    skipped, few = "no test was made", ""
    if comparison is not None:
        skipped = "" if comparison.n_samples else "the test has no trials"
        if not comparison.is_bounded:
            few = too_few(comparison.n_samples, comparison.n_tests, comparison.correction, comparison.alpha)
    others = tuple(one for one in messages if one != few)
    return (
        OwnCheck("S101", "too few trials", (few,) if few else (), skipped),
        OwnCheck("S102", "messages of the logger", others),
    )
