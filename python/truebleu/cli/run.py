"""From a request to results."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from truebleu._logs import inform, warn
from truebleu.cli.inputs import Reader, References, System, check_lengths
from truebleu.cli.progress import Progress
from truebleu.cli.request import MetricChoice, Request
from truebleu.cli.testsets import Chosen, labels_of
from truebleu.errors import FileFormatError
from truebleu.metrics import BLEU, CHRF, GLEU, TER
from truebleu.metrics.base import Metric
from truebleu.report.results import Outcome, Results, SystemOutcomes

CLASSES: dict[str, type[Metric[Any]]] = {"bleu": BLEU, "chrf": CHRF, "ter": TER, "gleu": GLEU}


class Job(NamedTuple):
    """All that has been read and is to be scored; with a test set, `whole` are the systems before any selection."""

    request: Request
    systems: Sequence[System]
    references: References
    chosen: Chosen | None
    whole: Sequence[System]

    def metric(self, choice: MetricChoice) -> Metric[Any]:
        """The metric that was asked for."""
        metric = CLASSES[choice.name](**choice.options)
        if self.chosen is not None:
            self.chosen.sign(metric)
        return metric

    def metrics(self) -> list[Metric[Any]]:
        """The metrics in the order in which they are shown, whatever the order they were asked for in."""
        order = list(CLASSES)
        chosen = sorted(self.request.metrics, key=lambda choice: order.index(choice.name))
        return [self.metric(choice) for choice in chosen]

    def labels(self, name: str) -> list[str]:
        """A label for each segment, from a file or from the test set."""
        return labels_of(name, len(self.systems[0].segments), self.chosen)


def run(request: Request) -> tuple[Results, References]:
    """Read everything, check it, and score."""
    for note in request.notes:
        warn("--like: %s", note)
    job = _read(request)
    if request.published_references not in (None, "var", str(len(job.references.streams))):
        published, given = request.published_references, len(job.references.streams)
        warn("--like: the signature is of scores with nrefs:%s, here there are %d references", published, given)
    if len(job.systems) > 1:
        inform("found %d systems", len(job.systems))
    with _seed(request.seed):
        return _score(job), job.references


def _read(request: Request) -> Job:
    chosen = Chosen(request.test_set) if request.test_set else None
    reader = Reader(request.source, chosen.whole.systems if chosen else None)
    references = chosen.references if chosen else reader.references()
    systems = _distinct(reader.systems(), is_paired=request.paired is not None)
    if chosen is not None:
        _warn_about_tokenizer(request)
        return Job(request, chosen.cut(systems), references, chosen, systems)
    for system in systems:
        check_lengths(system, references)
    return Job(request, systems, references, None, systems)


def _warn_about_tokenizer(request: Request) -> None:
    if any(choice.options.get("tokenize") == "none" for choice in request.metrics):
        warn("the tokenizer is 'none': scores of text that was tokenized elsewhere cannot be compared")


def _score(job: Job) -> Results:
    request = job.request
    if request.paired is not None:
        from truebleu.cli.paired import paired_results

        with Progress(1, request.quiet) as progress, progress.step("testing"):
            return paired_results(job, request.paired)
    if request.breakdown is not None:
        from truebleu.cli.groups import grouped_results

        return grouped_results(job, job.labels(request.breakdown))
    results = _plain(job)
    if request.test_set is not None and request.layout.detail:
        from truebleu.cli.groups import detailed_results

        return detailed_results(job, results)
    return results


def _plain(job: Job) -> Results:
    metrics = job.metrics()
    with Progress(len(job.systems) * len(metrics), job.request.quiet) as progress:
        score = _sentence_outcomes if job.request.sentence_level else _corpus_outcomes
        outcomes = tuple(score(job, system, metrics, progress) for system in job.systems)
    return Results(outcomes, is_sentence_level=job.request.sentence_level)


def _corpus_outcomes(job: Job, system: System, metrics: Sequence[Metric[Any]], progress: Progress) -> SystemOutcomes:
    outcomes = []
    for metric in metrics:
        with progress.step(f"{type(metric).__name__} of {system.name}"):
            score = metric.corpus_score(
                system.segments, job.references.streams, job.request.confidence_samples, threads=job.request.threads
            )
            outcomes.append(Outcome.of(score))
    return SystemOutcomes(system.name, tuple(outcomes))


def _sentence_outcomes(job: Job, system: System, metrics: Sequence[Metric[Any]], progress: Progress) -> SystemOutcomes:
    columns, totals = [], []
    for metric in metrics:
        with progress.step(f"{type(metric).__name__} of {system.name}"):
            stats = metric.stats(system.segments, job.references.streams, threads=job.request.threads)
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
