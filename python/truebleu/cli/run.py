"""From a request to results."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from truebleu._logs import inform, warn
from truebleu.cli.inputs import References, System
from truebleu.cli.job import Job, external_metrics, read_job
from truebleu.cli.progress import Progress
from truebleu.cli.request import PairedChoice, Request, TestChoice
from truebleu.errors import TooFew
from truebleu.metrics.base import Metric
from truebleu.report.results import GroupOutcomes, Outcome, PairedTitle, Results, SystemOutcomes

if TYPE_CHECKING:
    from truebleu.dataset.subsets import Group
    from truebleu.signature import SignatureValue
    from truebleu.significance.results import Comparison
    from truebleu.stats import Stats


def run(request: Request) -> tuple[Results, References]:
    """Read everything, check it, and score."""
    for note in request.notes:
        warn("--like: %s", note)
    job = read_job(request)
    if request.published_references not in (None, "var", str(len(job.references.streams))):
        published, given = request.published_references, len(job.references.streams)
        warn("--like: the signature is of scores with nrefs:%s, here there are %d references", published, given)
    if len(job.systems) > 1:
        inform("found %d systems", len(job.systems))
    with _seed(request.seed):
        return _score(job), job.references


def _score(job: Job) -> Results:
    request = job.request
    if request.paired is not None:
        with Progress(1, request.quiet) as progress, progress.step("testing"):
            return paired_results(job, request.paired)
    if request.breakdown is not None:
        return grouped_results(job, job.labels(request.breakdown))
    results = _plain(job)
    if request.test_set is not None and request.layout.detail:
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


# Paired tests.


def paired_results(job: Job, choice: PairedChoice) -> Results:
    """Run the test that was chosen."""
    named = _named_runs(job.systems, job.request.runs, is_ranking=choice.all_pairs)
    if len(named) < 2:
        raise TooFew(f"a paired test needs two or more systems, got {len(named)}; the first is the baseline")
    # In the order they were asked for: so has sacreBLEU its columns.
    metrics = {choice.name: job.metric(choice) for choice in job.request.metrics}
    if _is_sacrebleus(job.request, choice):
        return _as_sacrebleu(choice, named, job.references, metrics)
    comparison = _compare(job, choice, named, metrics)
    if choice.all_pairs:
        return Results((), comparison=comparison)
    return _against_baseline(comparison)


Metrics = Mapping[str, Metric[Any]]
Runs = list[list[str]]


def _is_sacrebleus(request: Request, choice: PairedChoice) -> bool:
    ours = choice.all_pairs or choice.correction or choice.documents or request.runs > 1 or request.external
    return choice.test in ("bs", "ar") and not ours


def _named_runs(systems: Sequence[System], runs: int, *, is_ranking: bool) -> dict[str, Runs]:
    """The systems by the names that sacreBLEU gives them: the first is the baseline, unless all are to be ranked."""
    if len(systems) % runs:
        raise TooFew(f"--runs is {runs}, and {len(systems)} files are no whole number of systems")
    firsts = range(0, len(systems), runs)
    names = [systems[at].name if runs == 1 else f"{systems[at].name} ({runs} runs)" for at in firsts]
    if not is_ranking:
        is_stdin = names[0] == "System 1"
        names[0] = "Baseline" if is_stdin else f"Baseline: {names[0]}"
        names[1:] = [f"System {at}" for at in range(1, len(names))] if is_stdin else names[1:]
    grouped = ([system.segments for system in systems[at : at + runs]] for at in firsts)
    return dict(zip(names, grouped, strict=True))


# sacreBLEU's two tests, with its numbers.


def _as_sacrebleu(choice: PairedChoice, named: dict[str, Runs], references: References, metrics: Metrics) -> Results:
    from truebleu.significance.paired import PairedTest

    test = PairedTest(
        [(name, runs[0]) for name, runs in named.items()],
        metrics,
        references.streams,
        choice.test,
        choice.trials,
        choice.confidence_samples,
        choice.threads,
    )
    signatures, scores = test()
    systems = []
    for at, name in enumerate(named):
        outcomes = []
        for key, signature in signatures.items():
            result: Any = scores[key][at]
            outcomes.append(Outcome(key, result.score, signature, result.mean, result.ci, result.p_value))
        systems.append(SystemOutcomes(name, tuple(outcomes), is_baseline=at == 0))
    return Results(tuple(systems), paired=_title(_TITLES[choice.test].format(test.n_samples), systems, choice.test))


_TITLES = {
    "ar": "Paired approximate randomization test with {} trials",
    "bs": "Paired bootstrap resampling test with {} resampling trials",
}


# Ours.


def _compare(job: Job, choice: PairedChoice, named: dict[str, Runs], metrics: Metrics) -> Comparison:
    from truebleu.significance.comparison import compare

    external = external_metrics(job.request.external, len(named), job.request.runs, len(job.systems[0].segments))
    systems = {
        name: {key: runs for key in metrics} | {metric.name: scores[at] for metric, scores in external}
        for at, (name, runs) in enumerate(named.items())
    }
    return compare(
        systems,
        {**metrics, **{metric.name: metric for metric, _ in external}},
        job.references.streams,
        test=choice.test,
        n_samples=choice.trials if choice.trials > 0 else None,
        n_confidence=_confidence_samples(choice.confidence_samples),
        all_pairs=choice.all_pairs,
        correction=choice.correction,
        documents=job.labels(choice.documents) if choice.documents else None,
        threads=choice.threads or None,
    )


def _confidence_samples(asked: int) -> int:
    return max(asked, 0) if asked else 1000


def _against_baseline(comparison: Comparison) -> Results:
    systems = []
    for at, name in enumerate(comparison.systems):
        outcomes = []
        for metric in comparison.metrics:
            system, pair = metric.systems[at], metric.pairs[at - 1] if at else None
            outcomes.append(
                Outcome(
                    metric.name,
                    system.score,
                    metric.signature,
                    system.mean,
                    system.half_width,
                    pair.p_value if pair else None,
                    adjusted_p_value=pair.adjusted_p_value if pair else None,
                )
            )
        systems.append(SystemOutcomes(name, tuple(outcomes), is_baseline=at == 0))
    return Results(tuple(systems), paired=_title(comparison.title, systems, comparison.test))


def _title(title: str, systems: Sequence[SystemOutcomes], test: str) -> PairedTitle:
    return PairedTitle(title, systems[0].name.removeprefix("Baseline: "), test, systems[0].outcomes[0].mean is not None)


# Groups of segments.

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
