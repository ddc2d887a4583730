"""Scores of groups of segments: by labels, and in the detail of a test set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from truebleu.cli.external import external_metrics
from truebleu.report.results import GroupOutcomes, Outcome, Results, SystemOutcomes

if TYPE_CHECKING:
    from truebleu.cli.request import TestChoice
    from truebleu.cli.run import Job
    from truebleu.dataset.subsets import Group
    from truebleu.signature import SignatureValue
    from truebleu.stats import Stats

# The outcome of all segments, and that of each group.
Parts = tuple[Outcome, dict[str, Outcome]]


def grouped_results(job: Job, labels: list[str]) -> Results:
    """Every system and metric on every group."""
    metrics, samples, threads = job.metrics(), job.request.confidence_samples, job.request.threads
    external = external_metrics(job.request.external, len(job.systems), 1, len(labels))
    by_system = []
    for at, system in enumerate(job.systems):
        counted: list[tuple[Any, Stats]] = [
            (metric, metric.stats(system.segments, job.references.streams, threads=threads)) for metric in metrics
        ]
        counted += [(metric, metric.stats(scores[at][0])) for metric, scores in external]
        by_system.append([_parts(metric, stats, labels, samples) for metric, stats in counted])
    totals = tuple(
        SystemOutcomes(system.name, tuple(total for total, _ in parts))
        for system, parts in zip(job.systems, by_system, strict=True)
    )
    groups = tuple(_group(label, labels.count(label), by_system) for label in dict.fromkeys(labels))
    return Results(totals, groups=groups)


def _parts(metric: Any, stats: Stats, labels: list[str], samples: int) -> Parts:
    total = Outcome.of(metric.score(stats))
    everything = _scored(metric, stats, [""] * len(labels), samples, total)[""]
    total = total._replace(signature=everything.signature, mean=everything.mean, half_width=everything.half_width)
    return total, _scored(metric, stats, labels, samples, total._replace(verbose="", parts={}))


def _scored(metric: Any, stats: Stats, labels: list[str], samples: int, like: Outcome) -> dict[str, Outcome]:
    from truebleu.resample.seed import Seed
    from truebleu.significance.groups import breakdown

    samples = samples if samples > 1 else 0
    fields: dict[str, SignatureValue] = {}
    if samples:
        fields = {"bs": samples, "seed": Seed.from_environment().number_text()}
    signature = like.signature.with_test(fields)
    return {
        str(group.label): like._replace(
            score=group.score, signature=signature, mean=group.mean, half_width=group.half_width
        )
        for group in breakdown(metric, stats, labels, n_bootstrap=samples)
    }


def _group(label: str, segments: int, by_system: Sequence[Sequence[Parts]]) -> GroupOutcomes:
    return GroupOutcomes(label, segments, tuple(tuple(groups[label] for _, groups in parts) for parts in by_system))


def _is_wanted(group: Group, choice: TestChoice | None) -> bool:
    """A filter leaves its own language and its own subject in the detail."""
    if choice is None:
        return True
    of_language = choice.origlang in (None, group.origlang)
    subjects = {"ALL", group.value, f"country:{group.value}"}
    return of_language and (choice.subset is None or group.value == "ALL" or choice.subset in subjects)


def detailed_results(job: Job, results: Results) -> Results:
    """The same results with the scores of each original language and domain of the whole test set."""
    if job.chosen is None:
        return results
    references = job.chosen.whole.references
    # In the order they were asked for: so has sacreBLEU its detail.
    metrics = [job.metric(choice) for choice in job.request.metrics]
    threads = job.request.threads
    rows = [
        [(metric, metric.stats(system.segments, references, threads=threads)) for metric in metrics]
        for system in job.whole
    ]
    groups = []
    for group in job.chosen.whole.groups():
        if not _is_wanted(group, job.request.test_set):
            continue
        segments = [at for at, is_member in enumerate(group.flags) if is_member]
        systems = tuple(
            tuple(Outcome.of(metric.score(stats.select(segments))) for metric, stats in counted) for counted in rows
        )
        groups.append(GroupOutcomes(f"origlang={group.origlang} {group.kind}={group.value}", len(segments), systems))
    return results._replace(details=tuple(groups))
