"""What is compared: systems and metrics as a caller gives them, counted and checked."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from truebleu.errors import InputTypeError, LengthMismatch, OptionError, StatsMismatch, TooFew
from truebleu.significance.rows import require_comparable, require_several
from truebleu.stats import Stats

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Table:
    """All systems under one metric: the rows of each run, by segment and by what is drawn (documents, if given)."""

    key: str
    metric: Any
    systems: list[str]
    counted: list[list[Stats]]
    drawn: list[list[Stats]]
    run_scores: list[list[float]]

    @property
    def segments(self) -> int:
        """How many segments each system has."""
        return len(self.counted[0][0])

    @property
    def units(self) -> int:
        """How many segments, or documents, are drawn from."""
        return len(self.drawn[0][0])

    @property
    def runs(self) -> list[int]:
        """How many runs each system has."""
        return [len(runs) for runs in self.counted]

    def score(self, system: int) -> float:
        """The mean over the runs."""
        return sum(self.run_scores[system]) / len(self.run_scores[system])

    def gap(self, baseline: int, system: int) -> float:
        """By how much a system's score exceeds another's."""
        return self.score(system) - self.score(baseline)

    def flat(self) -> list[tuple[Any, NDArray[np.float64]]]:
        """Engine and rows of every run, system after system."""
        return [(self.metric.engine, stats.rows) for runs in self.drawn for stats in runs]

    def places(self, start: int) -> list[list[int]]:
        """Where the runs of each system are in that list, which begins at `start`."""
        found = []
        for count in self.runs:
            found.append(list(range(start, start + count)))
            start += count
        return found


def count_all(
    systems: Any, metrics: Any, references: Any, documents: Iterable[Hashable] | None, threads: int | None
) -> list[Table]:
    """One table a metric; everything is checked before anything is drawn."""
    named = _as_metrics(metrics)
    given = _as_systems(systems)
    streams = _as_streams(references)
    labels = None if documents is None else list(documents)
    tables = [_count(key, metric, given, streams, labels, threads) for key, metric in named.items()]
    first = tables[0]
    for table in tables[1:]:
        if table.segments != first.segments:
            raise LengthMismatch(
                f"compare: there are {table.segments} segments for {table.key} and {first.segments} for {first.key}"
            )
        if table.runs != first.runs:
            raise OptionError(f"compare: {table.key} has {table.runs} runs a system, {first.key} has {first.runs}")
    return tables


def _as_metrics(metrics: Any) -> dict[str, Any]:
    if isinstance(metrics, Mapping):
        named = dict(metrics)
    else:
        several = list(metrics) if isinstance(metrics, Iterable) else [metrics]
        named = {getattr(metric, "name", str(metric)): metric for metric in several}
        if len(named) < len(several):
            raise OptionError("compare: two metrics have the same name, pass a mapping: {'chrF': ..., 'chrF++': ...}")
    if not named:
        raise TooFew("compare: metrics is empty, expected at least one")
    for key, metric in named.items():
        if not hasattr(metric, "engine") or not hasattr(metric, "stats"):
            kind = type(metric).__name__
            raise InputTypeError(f"compare: metric {key!r} is of type {kind}, expected a metric object such as BLEU()")
    return named


def _as_systems(systems: Any) -> dict[str, Any]:
    pairs = list(systems.items()) if isinstance(systems, Mapping) else list(systems)
    named = dict(pairs)
    if len(named) < len(pairs):
        twice = next(name for name, _ in pairs if sum(name == other for other, _ in pairs) > 1)
        raise OptionError(f"compare: two systems are called {twice!r}, expected names that tell them apart")
    if len(named) < 2:
        raise TooFew(f"compare: there is {len(named)} system, expected at least two")
    return named


def _as_streams(references: Any) -> Any:
    """Streams that can be read once for each system. Strings are left for the metric to refuse."""
    if not isinstance(references, Iterable) or isinstance(references, str):
        return references
    return [stream if isinstance(stream, (str, Sequence)) or stream is None else list(stream) for stream in references]


def _count(
    key: str,
    metric: Any,
    systems: Mapping[str, Any],
    references: Any,
    labels: list[Hashable] | None,
    threads: int | None,
) -> Table:
    counted = [_runs_of(key, metric, name, value, references, threads) for name, value in systems.items()]
    require_comparable("compare", [stats for runs in counted for stats in runs])
    drawn = counted
    if labels is not None:
        drawn = [[stats.merge(labels) for stats in runs] for runs in counted]
        require_several("compare", len(drawn[0][0]), "document")
    scores = [[metric.score(stats).score for stats in runs] for runs in counted]
    return Table(key, metric, list(systems), counted, drawn, scores)


def _runs_of(key: str, metric: Any, name: str, value: Any, references: Any, threads: int | None) -> list[Stats]:
    if isinstance(value, Mapping):
        if key not in value:
            raise OptionError(f"compare: system {name!r} has nothing for the metric {key!r}, only {sorted(value)}")
        value = value[key]
    if isinstance(value, (Stats, str)) or not isinstance(value, Iterable):
        return [_stats_of(key, metric, name, value, references, threads)]
    items = list(value)
    runs = items if items and all(map(_is_run, items)) else [items]
    return [_stats_of(key, metric, name, run, references, threads) for run in runs]


def _is_run(item: Any) -> bool:
    return isinstance(item, Stats) or (isinstance(item, Iterable) and not isinstance(item, (str, bytes)))


def _stats_of(key: str, metric: Any, name: str, run: Any, references: Any, threads: int | None) -> Stats:
    if not isinstance(run, Stats):
        is_external = metric.fingerprint()["metric"] == "external"
        run = metric.stats(run) if is_external else metric.stats(run, references, threads=threads)
    try:
        run.require({"schema": run.fingerprint["schema"], **metric.fingerprint()}, f"the rows of {name!r} and {key}")
    except StatsMismatch as error:
        raise StatsMismatch(f"compare: {error}") from None
    checked: Stats = run
    return checked
