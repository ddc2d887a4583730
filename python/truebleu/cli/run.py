"""From a request to results."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import nullcontext

from truebleu._logs import at_system, inform, warn
from truebleu._textio import content_size
from truebleu._typing import TYPE_CHECKING, Any
from truebleu.cli.inputs import RefStreams, System, key_label
from truebleu.cli.job import Job, check_texts, read_job, warn_of_another_corpus, warn_of_signature
from truebleu.cli.progress import Progress
from truebleu.cli.request import Columns, Grouped, Paired, Plain, Request, Sentences
from truebleu.errors import TooFew
from truebleu.metrics import Metric, Score
from truebleu.significance.defaults import AUTO, FAMILIES, RESAMPLES
from truebleu.significance.tests import TESTS
from truebleu.study.results import GroupScores, Results, SystemScores, compared_scores

if TYPE_CHECKING:
    from pathlib import Path

    from truebleu.cli.external import External, ReadScores
    from truebleu.cli.json_lines import CountedRecords
    from truebleu.cli.streaming import Counted
    from truebleu.significance.results import Comparison
    from truebleu.stats import Stats


def run_request(request: Request) -> tuple[Results, RefStreams]:
    """Read everything, check it, and score it; the results come with the references."""
    mode = request.mode
    if request.like is not None:
        warn_of_signature(request, request.like)
    if isinstance(mode, Columns):
        from truebleu.cli.tables import score_columns

        return score_columns(request, mode)
    with Progress(request.quiet) as progress:
        counted, contents = (None, {}) if request.needs_texts else _counted_in_blocks(request, progress)
        with nullcontext() if request.input.division is None else progress.step("re-segmenting"):
            job = read_job(request, contents) if counted is None else counted.job
        if request.like is not None:
            warn_of_another_corpus(request.like, job)
        if len(job.systems) > 1:
            inform("found %d systems", len(job.systems))
        if counted is None:
            check_texts(job)
            if request.learned is not None:
                request.learned.ask(job, progress)
        elif request.checks:
            counted.check_texts()
        if isinstance(mode, Paired):
            with progress.step("testing"):
                results = _paired(job, mode)
                if job.keys:
                    from truebleu.cli.group_tests import with_groups

                    results = with_groups(job, results, lambda part: _paired(part, mode))
        elif counted is not None:
            results = counted.results()
        elif isinstance(mode, Grouped):
            results = _grouped(job, mode, progress)
        else:
            results = _plain(job, mode, progress)
            details = (_details(job) if request.detail else ()) + (_sensitivity(job) if mode.sensitivity else ())
            results = results._replace(details=details)
        if job.divided:
            from truebleu.cli.segmentation import tell

            results = tell(job, results)
        if request.doctor:
            results = _diagnosed(job, results, progress)
    return results, job.references


def _diagnosed(job: Job, results: Results, progress: Progress) -> Results:
    """Let the doctor look at each system."""
    found = {system.path: diagnosis for system, diagnosis in job.diagnosed(progress, job.sources)}
    return results._replace(systems=tuple(one._replace(diagnosis=found[one.path]) for one in results.systems))


# Bytes of all files from which on they are counted block by block. The modules are not loaded for less, unless there
# is a pipe, whose size nobody knows.
LARGE = 1 << 25


def _counted_in_blocks(
    request: Request, progress: Progress
) -> tuple[Counted | CountedRecords | None, dict[str, bytes]]:
    """Count large files, or tell what has been read of pipes that turned out to be short."""
    source = request.input.source
    paths = [*source.references, *(source.systems or ())]
    files = [path for path in paths if os.path.isfile(path)]
    is_large = sum(map(content_size, files)) >= LARGE
    if source.hypothesis_fields:
        if not is_large:
            return None, {}
        from truebleu.cli.json_lines import count_large_records

        return count_large_records(request, progress), {}
    if not is_large and source.systems is not None and len(files) == len(paths):
        return None, {}
    from truebleu.cli.streaming import count_in_blocks

    return count_in_blocks(request, LARGE, progress)


def _plain(job: Job, mode: Plain, progress: Progress) -> Results:
    request, found, by_segment = job.request, [], isinstance(mode, Sentences)
    metrics: dict[str, Any] = {**job.named_metrics()}
    if not by_segment and all(system.receipt is not None for system in job.systems):
        from truebleu.cli.receipts import shared_scores

        metrics |= shared_scores([system.receipt for system in job.systems])
    progress.expect(len(job.systems) * len(metrics))
    samples, seed, threads = mode.confidence_samples, request.seed, request.threads
    targets = _receipt_targets(job, mode)
    documents = job.documents(mode.documents, mode.unit) if samples > 1 else None
    external, known = _external(job, mode.external)
    for at, system in enumerate(job.systems):
        scores, segments, rows = [], [], {}
        for name, metric in metrics.items():
            with progress.step(f"{metric.name} of {system.name}"), at_system(system.name, of=len(job.systems)):
                if by_segment or targets or system.receipt is not None or documents is not None:
                    rows[name] = stats = job.rows(metric, system)
                    scores.append(metric.score(stats, samples, seed=seed, threads=threads))
                    if documents is not None:
                        scores[-1] = _by_documents(job, mode, metric, stats, documents, scores[-1])
                    if by_segment:
                        segments.append(metric.segment_scores(stats))
                else:
                    texts = system.segments, job.references.streams
                    scores.append(metric.corpus_score(*texts, samples, seed=seed, threads=threads))
        for one in external:
            from truebleu.cli.external import scored

            scores.append(scored(one, at, samples, seed, threads, documents or known))
            rows[one.metric.name] = one.rows[at][0]
        if targets:
            from truebleu.cli.receipts import How, make_receipt

            elsewhere = [(one.metric, one.path_of(at)) for one in external]
            make_receipt(job, system, How(samples=samples), rows, elsewhere).save(targets[at])
        found.append(SystemScores(system.name, system.path, tuple(scores), tuple(zip(*segments, strict=True))))
    numbers = None if job.kept is None else job.kept.numbers
    return Results(tuple(found), is_sentence_level=by_segment, numbers=numbers)


def _by_documents(
    job: Job, mode: Plain, metric: Metric[Any], stats: Stats, documents: list[str], score: Score
) -> Score:
    """Give the score with an interval by documents if that was asked for; else the score, and say what it would be."""
    from truebleu._options import thread_count
    from truebleu.resample.seed import Seed
    from truebleu.significance.units import score_by_documents

    seed, threads = Seed.of(job.request.seed), thread_count(job.request.threads)
    found = score_by_documents(metric, stats, documents, mode.confidence_samples, seed, threads)
    if mode.documents is not None or mode.unit == "document":
        return found
    if found.confidence is not None:
        told = score.name, len(set(documents)), *found.confidence
        inform("the interval of %s takes segments as independent; by its %d documents it is %.2f ± %.2f", *told)
    return score


def _receipt_targets(job: Job, mode: Plain) -> list[Path]:
    """The files that `--receipt` asks for, one for each system."""
    if mode.receipt is None:
        return []
    from truebleu.cli.receipts import base_name, check_targets

    return check_targets(mode.receipt, [base_name(system) for system in job.systems], overwrite=mode.overwrite)


# Paired tests.


def _paired(job: Job, choice: Paired) -> Results:
    systems = [several[0] for several in job.runs()]
    if len(systems) < 2:
        raise TooFew(f"a paired test needs two or more systems, got {len(systems)}; the first is the baseline")
    # In the order they were asked for, as sacreBLEU has its columns.
    metrics = {one.name: job.metric(one) for one in job.request.metrics}
    # sacreBLEU has one baseline and two tests, and nothing of the rest.
    typed = (
        choice.correction != AUTO, choice.unit != "auto", choice.documents, choice.runs > 1,
        choice.external is not None, choice.family != FAMILIES[0], choice.margin is not None, choice.strata,
    )  # fmt: skip
    by_documents = (one.rows_of == "documents" for one in job.request.input.source.receipts.values())
    learned = [metric for metric in metrics.values() if metric.is_learned]
    is_ours = (choice.all_pairs, *typed, *by_documents, *learned)
    is_sacrebleus = metrics and choice.test in ("bs", "ar") and not any(is_ours)
    comparison = (_sacrebleu_test if is_sacrebleus else _compare)(job, choice, metrics)
    found = _named(systems, compared_scores(comparison))
    return Results(found, runs=choice.runs, comparison=comparison, is_sacrebleus=bool(is_sacrebleus))


def _named(systems: Sequence[System], scores: Iterable[tuple[Score, ...]]) -> tuple[SystemScores, ...]:
    return tuple(SystemScores(one.name, one.path, found) for one, found in zip(systems, scores, strict=True))


def _sacrebleu_test(job: Job, choice: Paired, metrics: dict[str, Metric[Any]]) -> Comparison:
    """Run one of sacreBLEU's two tests, for its very numbers."""
    from truebleu.resample.seed import Seed
    from truebleu.significance.comparison import compare_as_sacrebleu
    from truebleu.significance.systems import tabulate
    from truebleu.significance.trials import too_few

    names = [system.name for system in job.systems]
    receipts = [system.receipt for system in job.systems if system.receipt is not None]
    of_documents = bool(receipts) and receipts[0].rows_of == "documents"

    tables, is_final = [], bool(receipts) or not job.request.checks
    for key, metric in metrics.items():
        counted = [[job.rows(metric, one)] for one in job.systems]
        table = tabulate("the test", key, metric, names, counted, None, of_documents)
        again = None if is_final else lambda other, at: [job.rows(other, job.systems[at])]
        tables.append(table._replace(again=again))
    samples = choice.trials if choice.trials > 0 else TESTS[choice.test].default
    confidence = max(0, choice.confidence_samples or TESTS["bs"].default)
    seed = Seed.of(job.request.seed)
    people = choice.people and job.request.style.format == "json"  # sacreBLEU's tables have no room for it
    found = compare_as_sacrebleu(tables, choice.test, samples, confidence, seed, choice.threads, people=people)
    if message := too_few(samples, 1, None, 0.05):
        warn("%s", message)
    if choice.test == "bs":
        inform(
            "--paired bs claims a difference in 11 %% of pairs without one, at the 5 %% level; --paired-all keeps it"
        )
    return found


def _compare(job: Job, choice: Paired, metrics: dict[str, Metric[Any]]) -> Comparison:
    from truebleu.significance.comparison import compare

    external, known = _external(job, choice.external, choice.runs, ranked=choice.all_pairs)
    tested: dict[str, Any] = {**metrics, **{one.metric.name: one.metric for one in external}}
    systems = {}
    if all(system.receipt is not None for system in job.systems):
        from truebleu.cli.receipts import shared_scores

        tested |= shared_scores([system.receipt for system in job.systems])
    for at, runs in enumerate(job.runs()):
        texts = [system.receipt or system.segments for system in runs]
        scores = {one.metric.name: one.rows[at] for one in external}
        systems[runs[0].name] = {key: texts for key in tested} | scores
    documents = job.documents(choice.documents, choice.unit)
    return compare(
        systems,
        tested,
        job.references.streams or None,
        test=choice.test,
        n_samples=choice.trials if choice.trials > 0 else None,
        n_confidence=choice.confidence_samples if choice.confidence_samples > 0 else RESAMPLES,
        all_pairs=choice.all_pairs,
        correction=None if choice.correction == "none" else choice.correction,
        documents=known if documents is None and choice.unit != "segment" else documents,
        seed=job.request.seed,
        threads=choice.threads or None,
        checks=job.request.checks,
        family=choice.family,
        margin=choice.margin,
        strata=job.strata(choice.strata),
        people=choice.people,
        missing=choice.external and choice.external.missing,
        assignment=choice.external and choice.external.assignment,
    )


def _external(
    job: Job, chosen: External | None, runs: int = 1, *, ranked: bool = False
) -> tuple[list[ReadScores], list[str] | None]:
    """Read the scores from elsewhere, if there are any."""
    if chosen is None:
        return [], None
    from truebleu.cli.external import read_external

    return read_external(job, chosen, runs, ranked=ranked)


# Parts of the segments, and variants of the metrics.


def _grouped(job: Job, mode: Grouped, progress: Progress) -> Results:
    """Score all segments and each group: those with one label, or with the same values of fields, in their order."""
    from truebleu._options import thread_count
    from truebleu.cli.beside import overlap_of, with_tables
    from truebleu.resample.seed import Seed
    from truebleu.study.parts import Rows, score_groups

    metrics, (external, _), systems = job.metrics(), _external(job, mode.external), []
    found = overlap_of(job, mode.labels)
    labels: Sequence[Any] = found.verdicts if found else job.keys if mode.labels is None else job.labels(mode.labels)
    progress.expect(len(job.systems) + 1)
    for at, system in enumerate(job.systems):
        with progress.step(system.name):
            rows: Rows = [(metric, job.rows(metric, system)) for metric in metrics]
            systems.append(rows + [(one.metric, one.rows[at][0]) for one in external])
    samples = mode.confidence_samples if mode.confidence_samples > 1 else 0
    seed, threads = Seed.of(job.request.seed), thread_count(job.request.threads)
    streams, names = ((), ()) if mode.labels is not None else (job.references.streams, job.request.input.source.by)
    others = f" and {len(job.systems) - 1} more" if len(job.systems) > 1 else ""
    with progress.step(f"groups of {job.systems[0].name}{others}"):
        whole = job.documents(mode.documents, mode.unit) if mode.documents or mode.unit == "document" else None
        totals, groups = score_groups(systems, labels, samples, seed, threads, streams, whole)
    for key in sorted(groups, key=lambda key: [(value is None, value) for value in key]) if names else ():
        groups[key] = groups.pop(key)._replace(label=key_label(names, key), key=dict(zip(names, key, strict=True)))
    return with_tables(job, found, systems, Results(_named(job.systems, totals), groups=tuple(groups.values())))


def _details(job: Job) -> tuple[GroupScores, ...]:
    """Score each original language and domain of the whole test set; a filter leaves its own."""
    from truebleu.study.parts import score_part

    choice, whole = job.request.input.test_set, job.test_set
    if choice is None or whole is None:
        return ()
    # In the order they were asked for, as sacreBLEU has its detail.
    metrics = [job.metric(one) for one in job.request.metrics]
    rows = [
        [(metric, metric.stats(system.segments, whole.references, threads=job.request.threads)) for metric in metrics]
        for system in job.whole
    ]
    groups, kept = [], set(job.kept.numbers) if job.kept else None
    for group in whole.groups():
        subjects = (None, "ALL", group.value, f"country:{group.value}")
        if choice.origlang in (None, group.origlang) and (group.value == "ALL" or choice.subset in subjects):
            segments = [at for at, is_member in enumerate(group.flags) if is_member and (not kept or at + 1 in kept)]
            if segments:
                label = f"origlang={group.origlang} {group.kind}={group.value}"
                groups.append(GroupScores(label, len(segments), score_part(rows, segments)))
    return tuple(groups)


def _sensitivity(job: Job) -> tuple[GroupScores, ...]:
    """Score all systems once more with each normalisation by itself, beside those that were asked for."""
    from truebleu.study import Study

    texts = {system.path: system.segments for system in job.systems}
    references, metrics = job.references.streams, job.named_metrics()
    study = Study(texts, metrics=metrics, references=references, test="none", threads=job.request.threads)
    groups = []
    for name, by_metric in study.variants.items():
        scores = tuple(zip(*(one.values() for one in by_metric.values()), strict=True))
        groups.append(GroupScores(f"normalize={name}", study.inputs.n, scores))
    return tuple(groups)
