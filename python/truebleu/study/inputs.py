"""What a study is made of: everything is checked here, before any text is counted."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from truebleu._counts import number_of, there_are
from truebleu._inputs import (
    Stream,
    brief,
    check_corpus,
    check_instance,
    check_labels,
    check_path,
    check_references,
    check_text,
    check_texts,
    ordered,
)
from truebleu._options import choice
from truebleu.errors import InputTypeError, LengthMismatch, OptionError
from truebleu.metrics import BLEU, CHRF, Metric
from truebleu.metrics.external import ExternalMetric
from truebleu.metrics.names import ByMetric, as_written
from truebleu.significance.systems import RowMetric, named_metrics, named_systems, rows_of, several_runs
from truebleu.stats import Stats

if TYPE_CHECKING:
    from truebleu.scores import ErrorSpan, ScoreTable

WHO = "Study"
DOCUMENT = "document"
LENGTH = "length"

_EXTERNAL = "scores by metric and system: {'COMET': {'a': [0.8, 0.7]}}"


@dataclass(frozen=True, eq=False)
class Inputs:
    """The texts, metrics and labels of a study, checked."""

    systems: Mapping[str, list[str]]
    runs: Mapping[str, list[list[str]]]
    references: list[Stream]
    metrics: Mapping[str, RowMetric]
    external: Mapping[str, Mapping[str, list[Stats]]]
    sources: list[str] | None
    labels: Mapping[str, list[Hashable]]
    documents: list[Hashable] | None
    files: Mapping[str, list[str]]
    n: int  # how many segments there are
    spans: Mapping[str, Mapping[str, Mapping[int, tuple[ErrorSpan, ...]]]]  # by metric, system and segment

    @property
    def n_runs(self) -> int:
        """How many runs each system has."""
        return len(next(iter(self.runs.values())))

    @property
    def outputs(self) -> dict[str, list[str]]:
        """The outputs of all runs by a name of their own; one run a system has the name of the system."""
        if self.n_runs == 1:
            return dict(self.systems)
        return {f"{name} (run {at})": run for name, runs in self.runs.items() for at, run in enumerate(runs, 1)}

    @property
    def text_metrics(self) -> dict[str, Metric[Any]]:
        """The metrics that count texts."""
        return {key: metric for key, metric in self.metrics.items() if isinstance(metric, Metric)}


def check_inputs(
    systems: Any,
    references: Any,
    metrics: Any,
    *,
    sources: Any = None,
    labels: Any = None,
    documents: Any = None,
    external: Any = None,
    files: Any = None,
    spans: Any = None,
    language: str = "",
    missing: bool = False,
) -> Inputs:
    """Check what `Study` was given."""
    scores = {} if external is None else external
    check_instance(WHO, "external", scores, Mapping, _EXTERNAL)
    runs = _texts(systems)
    n = _size(runs, scores)
    streams: list[Stream] = []
    if references is not None:
        given = check_references(WHO, references)
        corpus = check_corpus(WHO, next(iter(runs.values()))[0], given, keep_empty=False)
        streams = [list(stream) for stream in corpus.streams]
    originals = None if sources is None else list(check_texts(WHO, "sources", sources))
    if originals is not None and len(originals) != n:
        raise LengthMismatch(
            f"{WHO}: there are {number_of(len(originals), 'source')} and {number_of(n, 'segment')}, expected one each"
        )
    whole = None if documents is None else check_labels(WHO, "documents", documents, n)
    usual = [BLEU(), CHRF()] if streams else [ExternalMetric(key) for key in scores]
    named = named_metrics(WHO, usual if metrics is None else metrics, language)
    counting = [key for key, metric in named.items() if isinstance(metric, Metric) and metric.needs_references]
    if not streams and counting:
        raise InputTypeError(
            f"{WHO}: references is None, and {', '.join(counting)} needs them; expected a list of reference streams: "
            f"{WHO}(systems, metrics=..., references=[...])"
        )
    chosen, rows = _external(named, scores, runs, n, missing)
    # People come first.
    chosen = ByMetric(sorted(chosen.items(), key=lambda one: getattr(one[1], "kind", None) != "human"))
    texts = {name: several[0] for name, several in runs.items()}
    named_labels, errors = _label_sets(labels, whole, n), _spans(spans, runs, n)
    checked = Inputs(texts, runs, streams, chosen, rows, originals, named_labels, whole, {}, n, errors)
    return replace(checked, files=_files(files, checked))


def from_table(
    table: ScoreTable, systems: Any, metrics: Any, external: Any, documents: Any, human: str | None
) -> tuple[Any, dict[str, Any], dict[str, Any], Any]:
    """Add the metrics of a table of scores to what a study is given; without systems, they are those of the table."""
    if not hasattr(table, "matrix") or table.level == "system":
        raise InputTypeError(f"{WHO}: scores is {brief(table)}, expected a ScoreTable with scores of segments")
    if human is not None:
        choice(WHO, "human", human, table.metrics)
    named = {} if metrics is None else dict(named_metrics(WHO, metrics))
    texts = dict.fromkeys(table.systems) if systems is None else named_systems(WHO, systems)
    given = {} if external is None else external
    check_instance(WHO, "external", given, Mapping, _EXTERNAL)
    found = dict(given)
    for name in table.metrics:
        metric, rows = table.metric(name), table.stats(name, list(texts))
        if name == human and metric.kind != "human":
            metric = copy(metric)
            metric.kind = "human"
            rows = {one: Stats(of.rows, of.columns, metric.fingerprint(), (0, 0)) for one, of in rows.items()}
        named[name], found[name] = metric, rows
    if documents is None and table.documents is not None and None not in table.documents:
        documents = table.documents
    return texts, named, found, documents


_SPANS = "lists of ErrorSpan by metric, system and segment: {'XCOMET': {'a': [[ErrorSpan(0, 4, 'major')], []]}}"


def spans_of_table(table: ScoreTable, systems: Any, given: Any) -> dict[str, Any]:
    """Add the errors that a table of scores has to those that are given."""
    from truebleu.scores.spans import in_items

    check_instance(WHO, "spans", {} if given is None else given, Mapping, _SPANS)
    marked = {metric for metric, _, _ in table.spans}
    found = {name: {one: in_items(table, name, one) for one in systems} for name in table.metrics if name in marked}
    return {**found, **(given or {})}


def _spans(spans: Any, systems: Mapping[str, Any], n: int) -> dict[str, dict[str, dict[int, tuple[ErrorSpan, ...]]]]:
    """Check the errors, and keep the segments that have some."""
    check_instance(WHO, "spans", {} if spans is None else spans, Mapping, _SPANS)
    found: dict[str, dict[str, dict[int, tuple[ErrorSpan, ...]]]] = {}
    for metric, by_system in ({} if spans is None else spans).items():
        what = f"spans[{brief(metric)}]"
        check_instance(WHO, what, by_system, Mapping, _SPANS)
        for name, given in by_system.items():
            choice(WHO, f"the system of {what}", name, systems)
            listed = ordered(WHO, f"{what}[{brief(name)}]", given, _SPANS)
            if len(listed) != n:
                raise LengthMismatch(f"{WHO}: {what}[{brief(name)}] has {len(listed)} lists, {there_are(n, 'segment')}")
            every = (_errors(f"{what}[{brief(name)}][{at}]", one) for at, one in enumerate(listed))
            if own := {at: errors for at, errors in enumerate(every) if errors}:
                found.setdefault(check_text(f"{WHO}: the metric of spans", metric, "a name"), {})[name] = own
    return found


def marked_spans(inputs: Inputs, rows: Mapping[str, Stats]) -> dict[str, dict[int, tuple[ErrorSpan, ...]]]:
    """Find what a learned metric has marked, as errors of the outputs: white space before a text was not scored."""
    from truebleu.scores import ErrorSpan

    found: dict[str, dict[int, tuple[ErrorSpan, ...]]] = {}
    for name, stats in rows.items():
        for at, result in enumerate(getattr(stats, "results", ())):
            text = inputs.systems[name][at]
            before = len(text) - len(text.lstrip())
            marked = [
                ErrorSpan(one.start + before, one.end + before, one.severity, one.category or "", one.confidence)
                for one in result.spans
            ]
            if marked:
                found.setdefault(name, {})[at] = tuple(marked)
    return found


def _errors(what: str, given: Any) -> tuple[ErrorSpan, ...]:
    from truebleu.scores import ErrorSpan

    errors = ordered(WHO, what, given, _SPANS)
    for one in errors:
        check_instance(WHO, what, one, ErrorSpan, "an ErrorSpan")
    return tuple(errors)


def _size(runs: Mapping[str, list[list[str]]], scores: Mapping[Any, Any]) -> int:
    """How many segments there are, by the texts, or where there are none by the scores."""
    first = next(iter(runs.values()))[0]
    if first or not scores:
        return len(first)
    by_system = next(iter(scores.values()))
    check_instance(WHO, "external", by_system, Mapping, _EXTERNAL)
    given = several_runs(next(iter(by_system.values()), ()))[0]
    return len(given) if isinstance(given, Stats) else len(ordered(WHO, "external", given, "a list of numbers"))


def _texts(systems: Any) -> dict[str, list[list[str]]]:
    """The texts of each run; a system that has scores alone has none."""
    texts: dict[str, list[list[str]]] = {}
    named = named_systems(WHO, systems)
    if len({given is None for given in named.values()}) > 1:
        raise InputTypeError(f"{WHO}: some systems have texts and some have scores alone, expected one of the two")
    for name, given in named.items():
        if given is None:
            texts[name] = [[]]
            continue
        what = f"systems[{brief(name)}]"
        runs = several_runs(given)
        texts[name] = [list(check_texts(WHO, what, runs[0]))] if len(runs) == 1 else [
            list(check_texts(WHO, f"{what}[{at}]", run)) for at, run in enumerate(runs)
        ]  # fmt: skip
        first = next(iter(texts))
        for run in texts[name]:
            if len(run) != len(texts[first][0]):
                counts = f"{number_of(len(run), 'segment')}, system {brief(first)} has {len(texts[first][0])}"
                raise LengthMismatch(f"{WHO}: system {brief(name)} has {counts}")
        if len(texts[name]) != len(texts[first]):
            counts = f"{number_of(len(texts[name]), 'run')}, system {brief(first)} has {len(texts[first])}"
            raise LengthMismatch(f"{WHO}: system {brief(name)} has {counts}, expected equally many")
    if not texts:
        raise InputTypeError(f"{WHO}: systems is empty, expected at least one system")
    return texts


def _label_sets(labels: Any, documents: list[Hashable] | None, n: int) -> dict[str, list[Hashable]]:
    check_instance(WHO, "labels", {} if labels is None else labels, Mapping, "labels by name: {'domain': [...]}")
    found = {}
    for name, values in ({} if labels is None else labels).items():
        if not isinstance(name, str) or not name or name == LENGTH or (name == DOCUMENT and documents is not None):
            raise OptionError(f"{WHO}: labels has the name {brief(name)}, expected a name that is not taken")
        found[name] = check_labels(WHO, f"labels[{brief(name)}]", values, n)
    return found if documents is None else {**found, DOCUMENT: documents}


def _external(
    named: dict[str, RowMetric],
    external: Mapping[Any, Any],
    systems: Mapping[str, list[list[str]]],
    n: int,
    missing: bool,
) -> tuple[dict[str, RowMetric], dict[str, dict[str, list[Stats]]]]:
    """Make rows of scores from elsewhere; a metric may be among the others, where lower scores are better."""
    rows: dict[str, dict[str, list[Stats]]] = {}
    for key, scores in external.items():
        metric = named.pop(as_written(key, named), None) if isinstance(key, str) else None
        metric = ExternalMetric(key) if metric is None else metric
        if not isinstance(metric, ExternalMetric):
            raise OptionError(f"{WHO}: external has scores for {brief(key)}, which the metrics count themselves")
        expected = f"the scores of each system by name: {', '.join(map(brief, list(systems)[:5]))}"
        check_instance(WHO, f"external[{brief(key)}]", scores, Mapping, expected)
        if set(scores) != set(systems):
            odd = brief(next(iter(set(scores) ^ set(systems))))
            raise OptionError(f"{WHO}: external[{brief(key)}] and systems differ in {odd}, expected {expected}")
        rows[key] = {}
        for name, texts in systems.items():
            what = f"{WHO}: external[{brief(key)}][{brief(name)}] has"
            how = {"missing": missing}
            rows[key][name] = [rows_of(WHO, key, metric, name, run, None, how) for run in several_runs(scores[name])]
            for stats in rows[key][name]:
                if len(stats) != n:
                    raise LengthMismatch(f"{what} {number_of(len(stats), 'score')}, {there_are(n, 'segment')}")
            if len(rows[key][name]) != len(texts) and any(texts):
                raise LengthMismatch(f"{what} {number_of(len(rows[key][name]), 'run')}, the texts have {len(texts)}")
        named[key] = metric
        _ = metric.higher_is_better  # raises where nobody knows
    for key, metric in named.items():
        if key not in rows and not isinstance(metric, Metric):
            raise OptionError(f"{WHO}: metrics has {brief(key)}, and external has no scores for it")
    return named, rows


def _files(files: Any, inputs: Inputs) -> dict[str, list[str]]:
    """Check that there is one file for each input of a kind."""
    named = {} if files is None else files
    check_instance(WHO, "files", named, Mapping, "lists of paths: {'systems': ['a.txt'], 'references': ['ref.txt']}")
    counts = {
        "systems": sum(map(len, inputs.runs.values())),
        "references": len(inputs.references),
        "sources": int(inputs.sources is not None),
    }
    found = {}
    for kind, paths in named.items():
        if kind not in counts:
            raise OptionError(f"{WHO}: files has {brief(kind)}, expected {', '.join(map(repr, counts))}")
        given = ordered(WHO, f"files[{kind!r}]", paths, "a list of paths")
        found[kind] = [os.fspath(check_path(f"{WHO}: files[{kind!r}][{at}]", path)) for at, path in enumerate(given)]
        if len(found[kind]) != counts[kind]:
            raise LengthMismatch(f"{WHO}: files[{kind!r}] has {len(found[kind])} paths, expected {counts[kind]}")
    return found
