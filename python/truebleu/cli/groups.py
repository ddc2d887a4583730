"""Scores of groups of segments: from labels to results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from truebleu.cli.external import external_metrics
from truebleu.cli.inputs import References, System
from truebleu.cli.request import Request
from truebleu.report.results import GroupOutcomes, Outcome, Results, SystemOutcomes

if TYPE_CHECKING:
    from truebleu.signature import SignatureValue
    from truebleu.stats import Stats

# The outcome of all segments, and that of each group.
Parts = tuple[Outcome, dict[str, Outcome]]


def grouped_results(
    request: Request, labels: list[str], systems: Sequence[System], references: References, metrics: Sequence[Any]
) -> Results:
    """Every system and metric on every group."""
    external = external_metrics(request.external, len(systems), 1, len(labels))
    by_system = []
    for at, system in enumerate(systems):
        counted = [(metric, metric.stats(system.segments, references.streams)) for metric in metrics]
        counted += [(metric, metric.stats(scores[at][0])) for metric, scores in external]
        by_system.append([_parts(metric, stats, labels, request.confidence_samples) for metric, stats in counted])
    totals = tuple(
        SystemOutcomes(system.name, tuple(total for total, _ in parts))
        for system, parts in zip(systems, by_system, strict=True)
    )
    groups = tuple(_group(label, labels.count(label), by_system) for label in dict.fromkeys(labels))
    return Results(totals, groups=groups)


def _parts(metric: Any, stats: Stats, labels: list[str], samples: int) -> Parts:
    total = Outcome.of(metric.score(stats))
    everything = _scored(metric, stats, [""] * len(labels), samples, total)[""]
    total = total._replace(signature=everything.signature, mean=everything.mean, half_width=everything.half_width)
    return total, _scored(metric, stats, labels, samples, total._replace(verbose="", parts={}))


def _scored(metric: Any, stats: Stats, labels: list[str], samples: int, like: Outcome) -> dict[str, Outcome]:
    from truebleu.significance.groups import breakdown
    from truebleu.significance.rows import with_fields
    from truebleu.significance.seed import Seed

    samples = samples if samples > 1 else 0
    fields: dict[str, SignatureValue] = {}
    if samples:
        fields = {"bs": samples, "seed": Seed.from_environment().number_text()}
    signature = with_fields(like.signature, fields)
    return {
        str(group.label): like._replace(
            score=group.score, signature=signature, mean=group.mean, half_width=group.half_width
        )
        for group in breakdown(metric, stats, labels, n_bootstrap=samples)
    }


def _group(label: str, segments: int, by_system: Sequence[Sequence[Parts]]) -> GroupOutcomes:
    return GroupOutcomes(label, segments, tuple(tuple(groups[label] for _, groups in parts) for parts in by_system))
