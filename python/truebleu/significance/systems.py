"""The input of a comparison: systems and metrics as a caller gives them, counted and checked."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from truebleu._counts import number_of, there_are
from truebleu._inputs import brief, check_texts, ordered
from truebleu._logs import at_system
from truebleu.errors import EmptyCorpus, InputError, InputTypeError, LengthMismatch, OptionError, TooFew
from truebleu.metrics.external import ExternalMetric
from truebleu.metrics.names import ByMetric, as_metric, as_written, name_of
from truebleu.significance.units import drawn_labels
from truebleu.stats import Stats

if TYPE_CHECKING:
    from truebleu.metrics import Score

    Labels = list[Hashable] | None


class RowMetric(Protocol):
    """The interface that significance tests need. Every metric of this package has it, including `ExternalMetric`."""

    @property
    def name(self) -> str:
        """The name of the metric."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of a row's cells."""

    @property
    def shared_columns(self) -> tuple[str, ...]:
        """The columns that depend on the references alone: all systems must agree in them."""

    @property
    def engine(self) -> Any:
        """The native side, which scores rows."""

    @property
    def higher_is_better(self) -> bool:
        """Whether the better of two systems has the higher score."""

    @property
    def stats(self) -> Callable[..., Stats]:
        """The method that counts texts with references, or for an external metric takes scores."""

    def score(self, stats: Stats) -> Score:
        """Score the sum of rows."""

    def fingerprint(self) -> Mapping[str, object]:
        """Name the metric and the options that decide its rows."""


class MetricTable(NamedTuple):
    """All systems under one metric, a list of runs for each system."""

    key: str
    metric: RowMetric
    systems: list[str]
    counted: list[list[Stats]]
    drawn: list[list[Stats]]
    scores: list[list[Score]]
    means: list[float]  # of each system, over its runs
    segments: int  # how many each system has
    units: int  # how many segments, or documents, are drawn from
    runs: list[int]  # how many each system has
    draws_documents: bool
    higher: bool | None  # whether the better system has the higher score; None if nobody knows
    labels: Labels = None  # of the documents that are drawn
    again: Callable[[RowMetric, int], list[Stats]] | None = None  # counts a system, where there are texts

    @property
    def cells(self) -> int:
        """How many numbers are added in a trial."""
        return sum(stats.rows.size for runs in self.drawn for stats in runs)


def tabulate(
    who: str,
    key: str,
    metric: RowMetric,
    systems: list[str],
    counted: list[list[Stats]],
    labels: Labels = None,
    of_documents: bool = False,
) -> MetricTable:
    """Put the rows of all systems together and score them, if they can be compared."""
    first, *others = (stats for runs in counted for stats in runs)
    for at, stats in enumerate(others, 1):
        first.require(stats.fingerprint, f"{who}: the rows of systems 0 and {at}")
        if len(stats) != len(first):
            raise LengthMismatch(
                f"{who}: system {at} has {number_of(len(stats), 'segment')}, system 0 has {len(first)}"
            )
    drawn = counted
    if labels is not None and len(first) > 1:
        drawn = [[stats.merge(labels) for stats in runs] for runs in counted]
    for count, kind in ((len(first), "segment"), (len(drawn[0][0]), "document")):
        if count < 2:
            raise TooFew(f"{who}: there is {count} {kind}, and resampling needs at least 2")
    scores = [[metric.score(stats) for stats in runs] for runs in counted]
    return MetricTable(
        key, metric, systems, counted, drawn, scores,
        means=[sum([score.score for score in runs]) / len(runs) for runs in scores],
        segments=len(first),
        units=len(drawn[0][0]),
        runs=[len(runs) for runs in counted],
        draws_documents=of_documents or labels is not None,
        higher=None if getattr(metric, "direction", "") is None else metric.higher_is_better,
        labels=labels,
    )  # fmt: skip


def check_metric(who: str, what: str, metric: Any) -> RowMetric:
    """Give a metric, perhaps made of its name; raise InputTypeError if it lacks what tests ask of one."""
    metric = as_metric(who, what, metric)
    if isinstance(metric, type) or not hasattr(metric, "engine") or not hasattr(metric, "stats"):
        raise InputTypeError(
            f"{who}: {what} is of type {type(metric).__name__}, expected a metric object such as BLEU(), or its name"
        )
    found: RowMetric = metric
    return found


def check_both(who: str, baseline: Any, system: Any) -> tuple[list[str], list[str]]:
    """Give the texts of two systems as lists, if they are strings."""
    return list(check_texts(who, "baseline", baseline)), list(check_texts(who, "system", system))


def count_all(
    systems: Any,
    metrics: Any,
    references: Any,
    documents: Iterable[Hashable] | None,
    threads: int | None,
    resegment: Any = False,
    level: str = "segment",
    unit: str = "auto",
    checks: bool = False,
    missing: bool = False,
    sources: Iterable[str] | None = None,
) -> list[MetricTable]:
    """Count what `compare` was given, one table for each metric; everything is checked before anything is drawn."""
    metrics, references = arranged("compare", metrics, references)
    named, given = named_metrics("compare", metrics), named_systems("compare", systems)
    if len(given) < 2:
        raise TooFew(f"compare: {there_are(len(given), 'system')} in systems, expected at least two")
    if references is not None:
        # Each system reads the streams anew. What is no stream is left for the metric to refuse.
        streams = ordered("compare", "references", references, "a list of reference streams")
        references = [list(stream) if isinstance(stream, Iterator) else stream for stream in streams]
    of_documents = require_same_texts(given.values())
    labels = None
    if documents is not None:
        labels = list(ordered("compare", "documents", documents, "a list with one label for each segment"))
    whole = drawn_labels("compare", unit, labels)
    more: dict[str, Any] = {"threads": threads}
    if resegment is not False or level != "segment":
        more |= {"resegment": resegment, "documents": labels, "level": level}
    if sources is not None:
        more["sources"] = list(check_texts("compare", "sources", sources))
    tables = []
    for key, metric in named.items():
        how = {"missing": missing} if isinstance(metric, ExternalMetric) else more
        is_learned = getattr(metric, "is_learned", False)
        metric = metric.with_documents(labels) if hasattr(metric, "with_documents") else metric
        if is_learned and more.keys() <= {"threads", "sources"}:
            _ask(metric, key, given, references, more.get("sources"))
        counted = [_runs_of(key, metric, name, value, references, how) for name, value in given.items()]
        # What is longer than a segment is drawn as it is.
        own = metric.level if isinstance(metric, ExternalMetric) else "segment"
        if own == "system":
            raise OptionError(f"compare: {key} has one number for each system, which has no chance in it to be tested")
        drawn = whole if level == own == "segment" else None
        table = tabulate("compare", key, metric, list(given), counted, drawn, of_documents or own == "document")
        tables.append(table._replace(again=None if is_learned else _counting(key, given, references, more)))
    first = tables[0]
    for table in tables[1:]:
        if table.segments != first.segments:
            raise LengthMismatch(
                f"compare: {there_are(table.segments, 'segment')} for {table.key} and {first.segments} for {first.key}"
            )
        if table.runs != first.runs:
            raise OptionError(f"compare: {table.key} has {table.runs} runs per system, {first.key} has {first.runs}")
    texts = {name: value for name, value in given.items() if isinstance(value, list) and isinstance(value[0], str)}
    if checks and references is not None and more.keys() <= {"threads", "sources"}:
        from truebleu.glance import warn_of

        warn_of(texts, [list(stream) for stream in references])
    return tables


def _ask(metric: Any, key: str, systems: Mapping[str, Any], references: Any, sources: list[str] | None) -> None:
    """Have a learned metric score all systems at once, where they are texts."""
    found: dict[str, Any] = {}
    for name, value in systems.items():
        given = value.get(as_written(key, value)) if isinstance(value, Mapping) else value
        runs = [] if given is None or isinstance(given, Iterator) else several_runs(given)
        texts = [run for run in runs if isinstance(run, list | tuple)]
        found |= {f"{name}, run {at}" if len(texts) > 1 else name: run for at, run in enumerate(texts, 1)}
    if found:
        metric.ask(found, references, sources=sources)


def arranged(who: str, metrics: Any, references: Any) -> tuple[Any, Any]:
    """Tell metrics and references apart by their types: the order was once another one."""
    if isinstance(metrics, Iterator):
        metrics = list(metrics)
    if not _are_streams(metrics):
        return metrics, references
    if _are_streams(references):
        raise InputTypeError(
            f"{who}: metrics and references are both lists of texts; write {who}(systems, metrics=..., references=...)"
        )
    return references, metrics


def _are_streams(value: Any) -> bool:
    """Tell lists of lists of texts, which references are, from metrics and their names."""
    # An array without dimensions claims to be iterable, but is not.
    is_one = isinstance(value, str | Mapping | Iterator) or hasattr(value, "engine") or getattr(value, "shape", 1) == ()
    first = None if is_one or not isinstance(value, Iterable) else next(iter(value), None)
    return isinstance(first, Iterable) and not isinstance(first, str | bytes) and not hasattr(first, "engine")


def named_metrics(who: str, metrics: Any, language: str = "") -> dict[str, RowMetric]:
    """Give metrics by name, if there are any; those that are given as names are for texts of the language."""
    if isinstance(metrics, Mapping):
        named = {key: as_metric(who, f"metrics[{brief(key)}]", metric, language) for key, metric in metrics.items()}
    else:
        is_one = isinstance(metrics, str) or hasattr(metrics, "engine")
        given = [metrics] if is_one else ordered(who, "metrics", metrics, "metrics, or names such as 'bleu'")
        several = [as_metric(who, f"metrics[{at}]", metric, language) for at, metric in enumerate(given)]
        named = {name_of(metric) or brief(metric): metric for metric in several}
        if len(named) < len(several):
            raise OptionError(f"{who}: two metrics have the same name, pass a mapping: {{'cased': ..., 'lower': ...}}")
    if not named:
        raise TooFew(f"{who}: metrics is empty, expected at least one")
    for key, metric in named.items():
        check_metric(who, f"metric {brief(key)}", metric)
    return ByMetric(named)


def named_texts(who: str, what: str, systems: Any) -> list[tuple[str, Any]]:
    """Give pairs of a name and what it stands for, if there are any."""
    expected = "names with the texts of a system"
    pairs = systems.items() if isinstance(systems, Mapping) else ordered(who, what, systems, expected)
    for at, pair in enumerate(pairs):
        if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not isinstance(pair[0], str):
            raise InputTypeError(
                f"{who}: {what}[{at}] is {brief(pair)}, expected a name and the texts of a system, as in {{'a': texts}}"
            )
    return list(pairs)


def named_systems(who: str, systems: Any) -> dict[str, Any]:
    """Give what stands for each system by name, if no two have the same name."""
    named: dict[str, Any] = {}
    for name, value in named_texts(who, "systems", systems):
        if name in named:
            raise OptionError(f"{who}: two systems are called {brief(name)}, expected names that tell them apart")
        named[name] = value
    return named


def _runs_of(
    key: str, metric: RowMetric, name: str, value: Any, references: Any, more: Mapping[str, Any]
) -> list[Stats]:
    if isinstance(value, Mapping):
        written = as_written(key, value)
        if written not in value:
            raise OptionError(f"compare: system {name!r} has nothing for the metric {key!r}, only {sorted(value)}")
        value = value[written]
    return [rows_of("compare", key, metric, name, run, references, more) for run in several_runs(value)]


def _counting(
    key: str, given: Mapping[str, Any], references: Any, more: Mapping[str, Any]
) -> Callable[[RowMetric, int], list[Stats]] | None:
    """How to count the systems once more; None where there are rows, or texts that can be read only once."""
    names, values = list(given), list(given.values())
    runs = [value.get(as_written(key, value)) if isinstance(value, Mapping) else value for value in values]
    if more.get("resegment", False) is not False or not all(_has_texts(value, references) for value in runs):
        return None
    return lambda metric, at: _runs_of(key, metric, names[at], values[at], references, more)


def _has_texts(value: Any, references: Any) -> bool:
    if isinstance(value, Iterator):
        return False
    return all(
        getattr(run, "has_texts", False) if holds_rows(run)
        else references is not None and not isinstance(run, Stats | Iterator)
        for run in several_runs(value)
    )  # fmt: skip


def several_runs(value: Any) -> list[Any]:
    """Tell the runs of a system apart: a list of lists, or of rows, has several, and anything else is one run."""
    if not isinstance(value, Iterable) or isinstance(value, (Stats, str)) or holds_rows(value):
        return [value]
    items = list(value)
    return items if items and all(map(_is_run, items)) else [items]


def rows_of(
    who: str, key: str, metric: RowMetric, name: str, value: Any, references: Any, more: Mapping[str, Any]
) -> Stats:
    """Give the rows of a system under a metric: count its texts, unless it is given as rows."""
    if holds_rows(value):
        value = value.rows_for(metric, references)
    if not isinstance(value, Stats):
        given = (value,) if isinstance(metric, ExternalMetric) else (value, references)
        try:
            with at_system(name, of=2):
                value = metric.stats(*given, **more)
        except InputError as error:
            # The metric does not know whose texts they are.
            error.args = (f"{who}: of the system {brief(name)}: {error}",)
            raise
    value.require({**metric.fingerprint(), **value.division}, f"{who}: the rows of {name!r} and {key}")
    found: Stats = value
    if isinstance(metric, ExternalMetric) and not metric.notice(found).rows[:, 1].any():
        raise EmptyCorpus(f"{who}: the system {brief(name)} has no score of {key}, all of them are missing")
    return found


def holds_rows(value: Any) -> bool:
    """Tell whether something stands for the texts of a system, as a receipt does."""
    return hasattr(value, "rows_for") and not isinstance(value, type)


def require_same_texts(systems: Iterable[Any]) -> bool:
    """Raise, naming the field, unless all receipts are of the same texts; tell whether they have rows of documents."""
    by_metric = [one for given in systems for one in (given.values() if isinstance(given, Mapping) else (given,))]
    # A list that begins with a text has texts, thousands perhaps; any other has runs.
    has_runs = [isinstance(one, list) and not (one and isinstance(one[0], str)) for one in by_metric]
    runs = [run for one, is_list in zip(by_metric, has_runs, strict=True) for run in (one if is_list else (one,))]
    receipts = [run for run in runs if holds_rows(run)]
    for other in receipts[1:]:
        receipts[0].require_same(other)
    return bool(receipts) and receipts[0].rows_of == "documents"


def _is_run(item: Any) -> bool:
    is_texts = isinstance(item, Iterable) and not isinstance(item, (str, bytes))
    return isinstance(item, Stats) or is_texts or holds_rows(item)
