"""From a request to results."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from truebleu.cli.inputs import Reader, References, System, check_lengths, read_labels
from truebleu.cli.progress import Progress
from truebleu.cli.request import MetricChoice, Request
from truebleu.errors import FileFormatError
from truebleu.logs import inform, warn
from truebleu.metrics import BLEU, CHRF, TER
from truebleu.metrics.base import Metric
from truebleu.report.results import Outcome, Results, SystemOutcomes

CLASSES: dict[str, type[Metric[Any]]] = {"bleu": BLEU, "chrf": CHRF, "ter": TER}


def run(request: Request) -> tuple[Results, References]:
    """Read everything, check it, and score."""
    for note in request.notes:
        warn("--like: %s", note)
    reader = Reader(request.source)
    references = reader.references()
    systems = _distinct(reader.systems(), is_paired=request.paired is not None)
    for system in systems:
        check_lengths(system, references)
    if request.published_references not in (None, "var", str(len(references.streams))):
        published, given = request.published_references, len(references.streams)
        warn("--like: the signature is of scores with nrefs:%s, here there are %d references", published, given)
    if len(systems) > 1:
        inform("found %d systems", len(systems))
    with _seed(request.seed):
        return _score(request, systems, references), references


def _score(request: Request, systems: Sequence[System], references: References) -> Results:
    if request.paired is not None:
        from truebleu.cli.paired import paired_results

        metrics = {choice.name: make_metric(choice) for choice in request.metrics}
        with Progress(1, request.quiet) as progress, progress.step("testing"):
            return paired_results(request, request.paired, systems, references, metrics)
    if request.breakdown is not None:
        from truebleu.cli.groups import grouped_results

        labels = read_labels(request.breakdown, len(systems[0].segments))
        return grouped_results(request, labels, systems, references, shown_metrics(request))
    metrics_in_order = shown_metrics(request)
    with Progress(len(systems) * len(metrics_in_order), request.quiet) as progress:
        score = _sentence_outcomes if request.sentence_level else _corpus_outcomes
        outcomes = tuple(score(request, system, metrics_in_order, references, progress) for system in systems)
    return Results(outcomes, is_sentence_level=request.sentence_level)


def make_metric(choice: MetricChoice) -> Metric[Any]:
    """The metric that was asked for."""
    return CLASSES[choice.name](**choice.options)


def shown_metrics(request: Request) -> list[Metric[Any]]:
    """The metrics in the order in which they are shown, whatever the order they were asked for in."""
    order = list(CLASSES)
    return [make_metric(choice) for choice in sorted(request.metrics, key=lambda choice: order.index(choice.name))]


def _corpus_outcomes(
    request: Request, system: System, metrics: Sequence[Metric[Any]], references: References, progress: Progress
) -> SystemOutcomes:
    outcomes = []
    for metric in metrics:
        with progress.step(f"{type(metric).__name__} of {system.name}"):
            score = metric.corpus_score(
                system.segments, references.streams, request.confidence_samples, threads=request.threads
            )
            outcomes.append(Outcome.of(score))
    return SystemOutcomes(system.name, tuple(outcomes))


def _sentence_outcomes(
    request: Request, system: System, metrics: Sequence[Metric[Any]], references: References, progress: Progress
) -> SystemOutcomes:
    columns, totals = [], []
    for metric in metrics:
        with progress.step(f"{type(metric).__name__} of {system.name}"):
            stats = metric.stats(system.segments, references.streams, threads=request.threads)
            columns.append([Outcome.of(score) for score in metric.segment_scores(stats)])
            totals.append(Outcome.of(metric.score(stats)))
    return SystemOutcomes(system.name, tuple(totals), tuple(zip(*columns, strict=True)))


def _distinct(systems: list[System], *, is_paired: bool) -> list[System]:
    """Refuse to score a file twice; where the first is the baseline, `*.txt` may name it again."""
    seen: dict[str, System] = {}
    for system in systems:
        if system.name not in seen:
            seen[system.name] = system
        elif is_paired and system.name == systems[0].name:
            inform("%s is the baseline already and is not tested against itself", system.name)
        else:
            raise FileFormatError(f"{system.name} is given twice; give each system once")
    return list(seen.values())


@contextmanager
def _seed(seed: str | None) -> Iterator[None]:
    """The seed of a published signature, for as long as it is needed."""
    before = os.environ.get("SACREBLEU_SEED")
    if seed is None:
        yield
        return
    os.environ["SACREBLEU_SEED"] = seed
    try:
        yield
    finally:
        if before is None:
            del os.environ["SACREBLEU_SEED"]
        else:
            os.environ["SACREBLEU_SEED"] = before
