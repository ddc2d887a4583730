"""Paired tests: from systems to results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from truebleu.cli.external import external_metrics
from truebleu.cli.inputs import References, System
from truebleu.cli.request import MetricChoice, PairedChoice, Request
from truebleu.errors import TooFew
from truebleu.metrics.base import Metric
from truebleu.report.results import Outcome, PairedTitle, Results, SystemOutcomes

if TYPE_CHECKING:
    from truebleu.cli.run import Job
    from truebleu.significance.results import Comparison


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


def metric_names(choices: Sequence[MetricChoice]) -> list[str]:
    """The metrics in the order they were asked for, which is that of the columns of a paired test."""
    return [choice.name for choice in choices]
