"""Jobs on resampling: intervals, paired tests, two threads, and a whole shared task from files to table."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import contestants
from corpora import Task, task
from report import Goal, Row, cores
from timing import AnswersDiffer, Side, median_ratio, race

if TYPE_CHECKING:
    from jobs import Settings

SEGMENTS = 2_000
METRICS = ("BLEU", "CHRF", "TER")
TITLES = {"BLEU": "BLEU", "CHRF": "chrF"}


def interval(metric: str, settings: Settings) -> list[Row]:
    """A score with its interval, from text."""
    title = f"{TITLES[metric]} with {settings.resamples:,} resamples"
    first = task().head(SEGMENTS)
    texts = [(drawn.first(), [drawn.references]) for drawn in (first, first.copy())]

    def call(package: str, at: int, **options: int) -> Any:
        return _metric(package, metric).corpus_score(*texts[at], n_bootstrap=settings.resamples, **options)

    sides = [Side(partial(call, "truebleu", 0, threads=1)), Side(partial(call, "sacrebleu", 1), _forget)]
    return [_duel(title, Goal(65, 100), sides, settings, _same_texts)]


def shuffles(metric: str, settings: Settings) -> list[Row]:
    """Two systems, approximate randomization, from text."""
    title = f"{TITLES[metric]} of two systems, {settings.shuffles:,} shuffles"
    first = task().head(SEGMENTS, systems=2)

    def call(package: str, drawn: Task) -> Any:
        test = importlib.import_module(f"{package}.significance").PairedTest
        metrics = {metric: _metric(package, metric)}
        return test(list(drawn.systems.items()), metrics, [drawn.references], "ar", settings.shuffles)()

    sides = [Side(partial(call, "truebleu", first)), Side(partial(call, "sacrebleu", first.copy()), _forget)]
    return [_duel(title, Goal(150, 250), sides, settings, _same_results)]


def two_threads(settings: Settings) -> list[Row]:
    """Two systems from rows, on two threads against one."""
    return [
        _thread_row("BLEU, bootstrap of two systems", "BLEU", "bs2", 5 * settings.resamples, settings),
        _thread_row("chrF, bootstrap of two systems", "CHRF", "bs2", 5 * settings.resamples, settings),
        # Ten times as many as elsewhere: 10,000 take two milliseconds, and what is around them is not shared.
        _thread_row("chrF, shuffles of two systems", "CHRF", "ar", 10 * settings.shuffles, settings),
    ]


def shared_task(settings: Settings) -> list[Row]:
    """All systems against all, three metrics, 10,000 shuffles: from files to a table."""
    task.cache_clear()
    start = time.perf_counter()
    drawn = task()
    table = _compare_all(drawn, settings.shuffles)
    seconds = time.perf_counter() - start
    _check_baseline(table, drawn, settings.shuffles)
    pairs = sum(len(metric.pairs) for metric in table.metrics)
    note = f"{drawn.origin}, {len(drawn.systems)} systems, {pairs} comparisons with {settings.shuffles:,} shuffles each"
    goal = Goal(20, unit=" s", ceiling=True)
    return [Row("a shared task, all pairs, from files", goal, seconds, segments=f"{len(drawn):,}", note=note)]


JOBS: dict[str, Callable[[Settings], list[Row]]] = {
    "bootstrap-bleu": partial(interval, "BLEU"),
    "bootstrap-chrf": partial(interval, "CHRF"),
    "shuffles-bleu": partial(shuffles, "BLEU"),
    "shuffles-chrf": partial(shuffles, "CHRF"),
    "resampling-threads": two_threads,
    "shared-task": shared_task,
}


def _compare_all(drawn: Task, trials: int) -> Any:
    from truebleu.significance import compare

    metrics = [_metric("truebleu", name) for name in METRICS]
    return compare(drawn.systems, metrics, [drawn.references], all_pairs=True, correction="holm", n_samples=trials)


def _check_baseline(report: Any, drawn: Task, trials: int) -> None:
    """The pairs with the first system are those of our PairedTest, which other jobs hold against sacreBLEU's.

    Beside shuffles with a larger difference, `compare` counts those with exactly the real one.
    """
    from truebleu.significance import PairedTest

    metrics = {name: _metric("truebleu", name) for name in METRICS}
    _, scores = PairedTest(list(drawn.systems.items()), metrics, [drawn.references], "ar", trials)()
    for metric in report.metrics:
        results: list[Any] = scores[metric.name]
        expected = [(found.score, found.p_value) for found in results[1:]]
        pairs = metric.pairs[: len(expected)]
        found = [(system.score, pair.p_value) for system, pair in zip(metric.systems[1:], pairs, strict=True)]
        is_more = all(ours >= theirs for (_, ours), (_, theirs) in zip(found, expected, strict=True))
        if [score for score, _ in expected] != [score for score, _ in found] or not is_more:
            raise AnswersDiffer(f"{metric.name}: {found} is not {expected}")


def _thread_row(title: str, metric: str, test: str, samples: int, settings: Settings) -> Row:
    title, goal = f"{title}, two threads against one", Goal(1.7)
    if cores() < 2:
        return Row(title, goal, None, note="needs two cores")
    from truebleu.significance import compare

    drawn = task().head(SEGMENTS, systems=2)
    scorer = _metric("truebleu", metric)
    rows = {name: {metric: scorer.stats(texts, [drawn.references])} for name, texts in drawn.systems.items()}
    call = partial(compare, rows, {metric: scorer}, test=test, n_samples=samples)
    one, two = race([Side(partial(call, threads=n)) for n in (1, 2)], 3 * settings.rounds, _same)
    segments = f"{len(drawn):,}"
    micros = two.micros(len(drawn)).best, one.micros(len(drawn)).best
    return Row(title, goal, one.best / two.best, median_ratio(one, two), *micros, segments)


def _duel(title: str, goal: Goal, sides: list[Side], settings: Settings, check: Callable[..., None]) -> Row:
    """One thread against one, by the time of the processor: other programs would slow one side more than the other."""
    ours, theirs = race(sides, settings.duel_rounds, check, time.process_time)
    micros = ours.micros(SEGMENTS).best, theirs.micros(SEGMENTS).best
    return Row(title, goal, theirs.best / ours.best, median_ratio(theirs, ours), *micros, f"{SEGMENTS:,}")


def _same_texts(mine: Any, other: Any) -> None:
    """Scores to the last bit; means and intervals as they are printed."""
    if mine.score != other.score or str(mine) != str(other):
        raise AnswersDiffer(f"{mine} is not {other}")


def _same_results(mine: Any, other: Any) -> None:
    """Scores and p-values to the last bit."""
    for name in other[0]:
        here, there = ([(found.score, found.p_value) for found in side[1][name]] for side in (mine, other))
        if here != there:
            raise AnswersDiffer(f"{name}: {here} is not {there}")


def _same(one: Any, two: Any) -> None:
    if one != two:
        raise AnswersDiffer("results depend on the number of threads")


def _forget() -> None:
    contestants.forget_sacrebleu()


def _metric(package: str, name: str) -> Any:
    return getattr(importlib.import_module(f"{package}.metrics"), name)()
