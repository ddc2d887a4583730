"""`Study`: every number of a report, from texts that are counted once.

>>> from truebleu import BLEU, demo
>>> data = demo.load("en-de")
>>> references = list(data.references.values())
>>> study = Study(data.systems, metrics=[BLEU()], references=references, labels={"domain": data.domains})
>>> study.pair, study.comparison.metrics[0].clusters
(('atlas', 'birch'), (('atlas',), ('birch',), ('cedar',)))
>>> [(one.label, round(one.delta, 1)) for one in study.groups("domain").pair("BLEU", "atlas", "birch").groups][:2]
[('news', 3.3), ('social', 4.8)]
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from truebleu._frames import FRACTION, TEXT, WHOLE, Tabular
from truebleu._inputs import brief, check_labels, check_text, ordered
from truebleu._logs import at_system, heard, silenced
from truebleu._options import (
    MOST_SAMPLES,
    choice,
    level_of_test,
    number_from_zero,
    thread_count,
    whole_number,
    yes_or_no,
)
from truebleu._text.p_values import without_nan
from truebleu.errors import InputTypeError, OptionError, UnknownTest
from truebleu.metrics import BLEU, CHRF, Metric, Score
from truebleu.metrics.base import varied, with_about
from truebleu.metrics.names import ByMetric, as_written
from truebleu.metrics.tokenized import TokenizedMetric
from truebleu.normalization import NORMALIZATIONS
from truebleu.resample.seed import Seed
from truebleu.signature import Signature
from truebleu.significance.correction import CORRECTIONS
from truebleu.significance.defaults import ALPHA, AUTO, FAMILIES, RESAMPLES, TEST, UNITS
from truebleu.significance.systems import RowMetric, arranged
from truebleu.significance.tests import TESTS
from truebleu.significance.units import drawn_labels
from truebleu.study.inputs import DOCUMENT, LENGTH, WHO, check_inputs, from_table, spans_of_table

if TYPE_CHECKING:
    import os

    from matplotlib.axes import Axes

    from truebleu.agreement.agreement import Agreement
    from truebleu.contamination.found import Overlap
    from truebleu.contamination.split import SplitReport
    from truebleu.doctor.finding import Diagnosis
    from truebleu.metrics.terms import TermUse
    from truebleu.scores import ErrorSpan, ScoreTable
    from truebleu.significance.results import Comparison, MetricReport, SystemReport
    from truebleu.stats import Stats
    from truebleu.study.checks import OwnCheck
    from truebleu.study.groups import Breakdown
    from truebleu.study.ngrams import NGramTable
    from truebleu.study.provenance import Provenance
    from truebleu.study.segments import SegmentScores

T = TypeVar("T")

# What stands for a system: one list, or a list of lists, a run each.
Runs = Iterable[T] | Iterable[Iterable[T]]

SCHEMA = 1

# For a set with more groups, or more pairs of systems, `to_dict` has the differences of the default pair alone; all of
# them would be long, and take long to test.
MOST_GROUPS = 40
MOST_PAIRS = 10

_SYSTEM_COLUMNS = {
    "metric": TEXT, "system": TEXT, "score": FRACTION, "mean": FRACTION, "half_width": FRACTION, "rank": WHOLE,
    "best_rank": WHOLE, "worst_rank": WHOLE, "signature": TEXT,
}  # fmt: skip

# So many texts are split into tokens at a time.
_PART = 1000


class Study(Tabular):
    """Systems, references and metrics, and all results from them. Each value is computed once, when it is needed.

    As a table, a study has a row for each metric and system: the score, the mean of the resampled scores and half
    the width of their 95 % interval, the rank, and the best and the worst rank that the test allows.

    Parameters
    ----------
    systems
        The output of each system by name: one string for each segment, or a list of several runs, each such a list. A
        score is then the mean over the runs, and texts are those of the first run. None for a system that has scores
        alone.
    metrics
        A metric or its name on the command line, such as "bleu"; a list of these, or a mapping from names to them; BLEU
        and chrF unless given.
    references
        Streams of references, each with one for every segment (None: no reference here). References may also come
        before metrics, as they once did: the types tell them apart. None where all scores are from elsewhere.
    sources
        The source texts.
    labels
        Sets of labels by name, with one label for each segment: {"domain": ["news", "chat", ...]}.
    documents
        The document of each segment. Tests and intervals then draw documents whole.
    unit
        What tests and intervals draw: "document" or "segment", or "auto" for documents where they are known.
    external
        Segment scores from elsewhere, or their rows, by metric and by system: {"COMET": {"a": [0.8, ...], "b": [...]}}.
        Where the name does not tell whether higher is better, put an `ExternalMetric` of this name among the metrics.
    baseline
        The system to compare the others with; the best one unless given.
    test
        The test of all pairs of systems, as `compare` has them, or "none".
    n_samples
        How many trials or resamples the test has; None for the usual number.
    n_confidence
        How many resamples each group has, and the whole set if the test draws no resamples; 0 for no intervals.
    correction
        "holm" or "bh" for the p-values of all pairs, "auto" for Holm's where there is more than one, or None.
    alpha
        The level up to which a p-value is called significant.
    family
        Which p-values are corrected together: those of each "metric", or "all".
    margin
        A difference that would not matter, as `compare` takes it.
    people
        Whether pairs say how often people preferred the system that was better by so much, where that is known.
    strata
        One label for each segment: its test set. Units are drawn in each stratum by itself; see `compare`.
    missing
        What is done about scores from elsewhere that are missing, as `compare` takes it: "pairs", "drop" or "fit".
    assignment
        For "fit": how it was decided which segments of a system were scored, "random" or "dynamic".
    scores
        A table of scores, as `truebleu.scores.read` gives it. Its metrics, documents and errors join the others.
        Without `systems`, a study of scores alone is made of its systems, and shows nothing that needs texts.
    spans
        Errors that were marked in the outputs or in the sources, by metric and system, with a list for each segment:
        {"XCOMET": {"a": [[ErrorSpan(0, 4, "major")], [], ...]}}. The page shows them in its segments.
    human
        The metric of this table that is of people, if the table does not tell; it comes first.
    overlap
        What `truebleu.overlap` has found of the references in training text, or the file with it: `overlapping` then
        scores the parts of the test set that overlap and that do not, and tests the differences.
    seed
        A whole number, or "none" for a fresh seed; None takes that of `SACREBLEU_SEED`.
    language
        The target language, such as "de", if it is known; it makes the checks more precise.
    title
        The title of the study.
    files
        The files that texts were read from, for the provenance: lists of paths by "systems", "references", "sources".
    threads
        How many threads work; None for all cores.
    checks
        Whether 50 or more segments are looked at for what nobody can have meant to score, as `corpus_score` does, and
        texts are counted once more to see if quotation marks, dashes, case or spaces explain a difference.
    """

    def __init__(
        self,
        systems: Mapping[str, Runs[str] | None] | Iterable[tuple[str, Runs[str] | None]] | None = None,
        metrics: RowMetric | str | Iterable[RowMetric | str] | Mapping[str, RowMetric | str] | None = None,
        references: Iterable[Iterable[str | None]] | None = None,
        *,
        sources: Iterable[str] | None = None,
        labels: Mapping[str, Iterable[Hashable]] | None = None,
        documents: Iterable[Hashable] | None = None,
        unit: str = "auto",
        external: Mapping[str, Mapping[str, Runs[float | None] | Stats | Sequence[Stats]]] | None = None,
        baseline: str | None = None,
        test: str = TEST,
        n_samples: int | None = None,
        n_confidence: int = RESAMPLES,
        correction: str | None = AUTO,
        alpha: float = ALPHA,
        family: str = FAMILIES[0],
        margin: float | None = None,
        people: bool = True,
        strata: Iterable[Hashable] | None = None,
        missing: str | None = None,
        assignment: str | None = None,
        scores: ScoreTable | None = None,
        spans: Mapping[str, Mapping[str, Sequence[Sequence[ErrorSpan]]]] | None = None,
        human: str | None = None,
        overlap: Overlap | str | os.PathLike[str] | None = None,
        seed: int | str | None = None,
        language: str = "",
        title: str = "",
        files: Mapping[str, Iterable[str | os.PathLike[str]]] | None = None,
        threads: int | None = None,
        checks: bool = True,
    ) -> None:
        self.test = choice(WHO, "test", test, (*TESTS, "none"), UnknownTest)
        self.unit = choice(WHO, "unit", unit, UNITS)
        self.n_samples = None if n_samples is None else whole_number(WHO, "n_samples", n_samples, 1, MOST_SAMPLES)
        self.n_confidence = whole_number(WHO, "n_confidence", n_confidence, 0, MOST_SAMPLES)
        self.correction = None if correction is None else choice(WHO, "correction", correction, (*CORRECTIONS, AUTO))
        self.alpha = level_of_test(f"{WHO}: alpha", alpha)
        self.family = choice(WHO, "family", family, FAMILIES)
        self.margin = None if margin is None else number_from_zero(WHO, "margin", margin)
        self.people = yes_or_no(WHO, "people", people)
        self.seed = Seed.of(seed)
        self.language = check_text(f"{WHO}: language", language, "a language such as 'de'")
        self.title = check_text(f"{WHO}: title", title, "a text")
        self.threads, self._workers = threads, thread_count(threads)
        self._explains = yes_or_no(WHO, "checks", checks)
        if missing is not None or assignment is not None:
            from truebleu.significance.missing import check_rule

            check_rule(WHO, missing, assignment)
        if human is not None and scores is None:
            raise OptionError(f"{WHO}: human is {brief(human)}, and there are no scores whose metric it could be")
        metrics, references = arranged(WHO, metrics, references)
        if scores is not None:
            metrics = metrics if metrics is not None or references is None else [BLEU(), CHRF()]
            systems, metrics, external, documents = from_table(scores, systems, metrics, external, documents, human)
            spans = spans_of_table(scores, systems, spans)
        if systems is None:
            raise InputTypeError(f"{WHO}: systems is None, expected the texts of systems by name, or scores of them")
        if references is None and external is None and not _is_without_references(metrics):
            raise InputTypeError(
                f"{WHO}: references is None, expected a list of reference streams; write {WHO}(systems, metrics=..., "
                "references=[...])"
            )
        self.inputs = check_inputs(
            systems, references, metrics,
            sources=sources, labels=labels, documents=documents, external=external, files=files, spans=spans,
            language=language,
            missing=missing is not None,
        )  # fmt: skip
        self.missing, self.assignment = missing, assignment
        if self._explains and self.inputs.references:
            from truebleu.glance import warn_of

            warn_of(self.inputs.outputs, self.inputs.references, self.inputs.sources)
        self.overlap: Overlap | None = None
        if overlap is not None:
            from truebleu.contamination.found import overlap_of_test

            self.overlap = overlap_of_test(WHO, overlap, self.inputs.references)
        self.strata = None if strata is None else check_labels(WHO, "strata", strata, self.inputs.n)
        self._documents = drawn_labels(WHO, unit, self.inputs.documents)
        self.baseline = None if baseline is None else choice(WHO, "baseline", baseline, self.inputs.systems)
        self._made: dict[object, Any] = {}
        self._messages: list[str] = []

    def __repr__(self) -> str:
        from truebleu.significance.results import in_brief

        scores = {key: {name: of[name].score for name in self.ranking(key)} for key, of in self.scores.items()}
        return in_brief("study", len(self.inputs.systems), self.inputs.n, scores)

    def _repr_html_(self) -> str:
        """Write the systems under each metric as tables, for notebooks."""
        from truebleu._notebook import as_html
        from truebleu.significance.results import system_tables

        return as_html(system_tables(self.reports))

    @cached_property
    def rows(self) -> Mapping[str, Mapping[str, Stats]]:
        """The rows by metric and system; of several runs, those of the first."""
        found = {key: {name: runs[0] for name, runs in of.items()} for key, of in self.run_rows.items()}
        return MappingProxyType(ByMetric(found))

    @cached_property
    def run_rows(self) -> Mapping[str, Mapping[str, list[Stats]]]:
        """The rows of each run by metric and system."""
        external, metrics = self.inputs.external, self.inputs.metrics
        with heard(self._messages):
            found = {key: external.get(key) or self._counted(key, one) for key, one in metrics.items()}
        return MappingProxyType(ByMetric(found))

    def _counted(self, key: str, metric: RowMetric) -> dict[str, list[Stats]]:
        given, found = self.inputs, {}
        how: dict[str, Any] = {"threads": self.threads}
        if given.sources is not None and isinstance(metric, Metric):
            how["sources"] = given.sources
        if getattr(metric, "is_learned", False):
            learned: Any = metric.with_documents(given.documents) if hasattr(metric, "with_documents") else metric
            metric = learned
            learned.ask(given.outputs, given.references or None, sources=given.sources)
        for name, runs in given.runs.items():
            with at_system(name, of=len(given.runs)):
                found[name] = [metric.stats(texts, given.references, **how) for texts in runs]
        if getattr(metric, "is_learned", False):
            self._mark(key, {name: runs[0] for name, runs in found.items()})
        return found

    def _mark(self, key: str, rows: Mapping[str, Stats]) -> None:
        """Add the errors that a learned metric has marked to those that were given."""
        from truebleu.study.inputs import marked_spans

        if (marked := marked_spans(self.inputs, rows)) and key not in self.inputs.spans:
            self.inputs = replace(self.inputs, spans={**self.inputs.spans, key: marked})

    @cached_property
    def scores(self) -> Mapping[str, Mapping[str, Score]]:
        """The scores of the whole set by metric and system; of several runs, their mean."""
        metrics = self.inputs.metrics
        return MappingProxyType(ByMetric({key: _scored(metrics[key], rows) for key, rows in self.run_rows.items()}))

    @cached_property
    def judges(self) -> Mapping[str, Mapping[str, Any]]:
        """Of each metric that is a judge: its model, passes, noise, answers without a score, systems of its name."""
        from truebleu.study.judged import judged

        return MappingProxyType(judged(self))

    @cached_property
    def length_bias(self) -> Mapping[str, Mapping[str, float | None]]:
        """How scores of segments go with the length of outputs: Spearman's correlation, by metric and system.

        The length is that of the output by that of the first reference, or of the source.
        """
        from truebleu.study.judged import length_bias

        return MappingProxyType(length_bias(self))

    @cached_property
    def variants(self) -> Mapping[str, Mapping[str, Mapping[str, Score]]]:
        """The scores with each normalisation alone, by its name, metric and system; scores from elsewhere have none."""
        found: dict[str, dict[str, dict[str, Score]]] = {name: ByMetric() for name in NORMALIZATIONS}
        with silenced():
            for name, scores in found.items():
                for key, metric in self.inputs.text_metrics.items():
                    if metric.is_learned:
                        continue
                    other = with_about(varied(metric, normalize=f"{metric.normalize},{name}".strip(",")), metric.about)
                    scores[key] = _scored(other, self._counted(key, other))
        return MappingProxyType(found)

    @cached_property
    def run_scores(self) -> Mapping[str, Mapping[str, tuple[float, ...]]]:
        """The score of each run by metric and system."""
        metrics, found = self.inputs.metrics, {}
        for key, rows in self.run_rows.items():
            score = metrics[key].score
            found[key] = {name: tuple(score(stats).score for stats in runs) for name, runs in rows.items()}
        return MappingProxyType(ByMetric(found))

    def ranking(self, metric: str) -> list[str]:
        """Sort the systems by their score, the best first; equal ones stay in their order.

        Parameters
        ----------
        metric
            The name of the metric.
        """
        metric = choice("Study.ranking", "metric", as_written(metric, self.inputs.metrics), self.inputs.metrics)
        chosen = self.inputs.metrics[metric]
        scores = {name: one.score for name, one in self.scores[metric].items()}
        if metric in self.inputs.external and self.comparison is not None:  # scores may be of different segments
            report = next(one for one in self.comparison.metrics if one.key == metric)
            scores = {one.name: one.compared for one in report.systems}
        return sorted(scores, key=scores.__getitem__, reverse=chosen.higher_is_better)

    @cached_property
    def pair(self) -> tuple[str, str] | None:
        """The systems A and B that a reader sees first: the best, and the baseline or the next best; None for one."""
        best, *others = self.ranking(next(iter(self.inputs.metrics)))
        if not others:
            return None
        return best, others[0] if self.baseline in (None, best) else str(self.baseline)

    @cached_property
    def comparison(self) -> Comparison | None:
        """All pairs of systems; None without a test, and for one system, one segment or one document."""
        from truebleu.significance.comparison import compare

        given = self.inputs
        units = given.n if self._documents is None else len(set(self._documents))
        if self.test == "none" or len(given.systems) < 2 or units < 2:
            return None
        systems = {name: {key: self._runs(key, name) for key in given.metrics} for name in given.systems}
        with heard(self._messages):
            return compare(
                systems, given.metrics,
                test=self.test, n_samples=self.n_samples, n_confidence=self.n_confidence, all_pairs=True,
                correction=self.correction, alpha=self.alpha, documents=self._documents, seed=self.seed.value,
                threads=self.threads, family=self.family, margin=self.margin, strata=self.strata, checks=self._explains,
                missing=self.missing, assignment=self.assignment, people=self.people,
            )  # fmt: skip

    @cached_property
    def agreement(self) -> Agreement | None:
        """How well the metrics agree with people; None without scores of people, and for fewer than three systems."""
        from truebleu.study.agreed import agreement_of

        return agreement_of(self)

    @cached_property
    def overlapping(self) -> SplitReport | None:
        """Scores of the parts of the test set that overlap with training text and that do not, with their tests."""
        if self.overlap is None:
            return None
        from truebleu.contamination.split import split_scores

        names = {one.key: one.name for one in self.reports}
        if len({*names.values()}) < len(names):
            names = {key: key for key in names}
        counted = {names[key]: (self.inputs.metrics[key], self.rows[key]) for key in self.complete}
        return split_scores(self.overlap, counted, seed=self.seed.value)

    @cached_property
    def terms(self) -> Mapping[str, Mapping[str, Sequence[TermUse]]]:
        """What became of each term of a glossary, by the metrics that have one and by system."""
        from truebleu.metrics.preparation import with_glossary

        given, found = self.inputs, ByMetric[Any]()
        for key, metric in with_glossary(given.text_metrics, given.sources).items():
            found[key] = {
                name: metric.uses(texts, references=given.references) for name, texts in given.systems.items()
            }
        return MappingProxyType(found)

    def _runs(self, key: str, name: str) -> Sequence[_Run | Stats]:
        """The rows of a system, with its texts where they may be counted once more."""
        rows, metric, given = self.run_rows[key][name], self.inputs.text_metrics.get(key), self.inputs
        if metric is None or metric.is_learned:
            return rows
        return [_Run(*one, metric, given.references, self.threads) for one in zip(rows, given.runs[name], strict=True)]

    @cached_property
    def reports(self) -> tuple[MetricReport, ...]:
        """The systems under each metric: their results in the comparison, or without a comparison their scores."""
        from truebleu.significance.results import MetricReport, SystemReport

        if self.comparison is not None:
            return self.comparison.metrics
        found = []
        for key, scores in self.scores.items():
            first = next(iter(scores.values()))
            systems = [SystemReport(name, one.score, self.run_scores[key][name]) for name, one in scores.items()]
            signature, higher = first.signature or Signature({}), self.inputs.metrics[key].higher_is_better
            found.append(MetricReport(key, first.name, signature, higher, tuple(systems), ()))
        return tuple(found)

    @property
    def messages(self) -> tuple[str, ...]:
        """The messages to the logger `truebleu` while texts were counted and systems compared, each once."""
        _ = self.run_rows, self.comparison  # which are made now, if nobody has asked for them yet
        return tuple(dict.fromkeys(self._messages))

    @property
    def label_sets(self) -> tuple[str, ...]:
        """The names that `groups` takes: the sets of labels, "document" if there are any, and "length"."""
        if not self.complete:
            return ()
        return (*self.inputs.labels, LENGTH) if self.inputs.references else (*self.inputs.labels,)

    @cached_property
    def complete(self) -> tuple[str, ...]:
        """The metrics of which no score is missing; only they are broken down."""
        external = self.inputs.external
        return tuple(
            key
            for key in self.inputs.metrics
            if all(stats.rows[:, 1].all() for runs in external.get(key, {}).values() for stats in runs)
        )

    @cached_property
    def length_labels(self) -> list[Hashable]:
        """The group of each segment by the length of its first reference that is not empty, in tokens."""
        from truebleu.study.groups import length_label

        return [length_label(next(filter(None, map(len, texts)), 0)) for texts in self._reference_tokens]

    def groups(self, name: str) -> Breakdown:
        """Score all systems in the groups of a set of labels, with paired differences.

        Parameters
        ----------
        name
            One of `label_sets`. "length" is that of a segment's first reference that is not empty, in tokens.
        """
        from truebleu.study.groups import break_down

        choice("Study.groups", "name", name, self.label_sets)
        if name not in self._made:
            given = self.inputs
            metrics = ByMetric({key: given.metrics[key] for key in self.complete})
            rows = ByMetric({key: self.run_rows[key] for key in metrics})
            scores = ByMetric({key: self.scores[key] for key in metrics})
            self._made[name] = break_down(
                name, self.length_labels if name == LENGTH else given.labels[name], metrics,
                rows, scores, samples=self.n_confidence, seed=self.seed, alpha=self.alpha,
                # A document by itself is a sample of its segments.
                documents=None if name == DOCUMENT else self._documents, threads=self._workers,
            )  # fmt: skip
        found: Breakdown = self._made[name]
        return found

    def ngrams(self, a: str, b: str, segments: Iterable[int] | None = None) -> NGramTable:
        """List the n-grams that tell two systems apart.

        Parameters
        ----------
        a, b
            The names of systems A and B.
        segments
            The segments to look at, counted from 0; None for all.
        """
        from truebleu.study.ngrams import compare_ngrams

        systems, n = self.inputs.systems, self.inputs.n
        names = tuple(choice("Study.ngrams", *each, systems) for each in (("a", a), ("b", b)))
        places = range(n) if segments is None else ordered("Study.ngrams", "segments", segments, "a list of indices")
        chosen = sorted({whole_number("Study.ngrams", "segments", at, 0, n - 1) for at in places})
        key = (a, b, tuple(chosen))
        if key not in self._made:
            tokens: list[Sequence[Sequence[str]]] = [self._split(systems[name]) for name in names]
            self._made[key] = compare_ngrams((a, b), tokens, self._reference_tokens, chosen)
        found: NGramTable = self._made[key]
        return found

    def segments(self, metric: str) -> SegmentScores:
        """Score each segment of all systems.

        Parameters
        ----------
        metric
            The name of the metric.
        """
        from truebleu.study.segments import segment_scores

        metric = choice("Study.segments", "metric", as_written(metric, self.inputs.metrics), self.inputs.metrics)
        chosen = self.inputs.metrics[metric]
        if ("segments", metric) not in self._made:
            self._made["segments", metric] = segment_scores(metric, chosen, self.run_rows[metric])
        found: SegmentScores = self._made["segments", metric]
        return found

    @cached_property
    def checks(self) -> Mapping[str, Diagnosis]:
        """The doctor's report on each system, and on each of its runs if there are several."""
        from truebleu.doctor.diagnosis import diagnose_together

        given = self.inputs
        if not given.references:
            return MappingProxyType({})
        rows = [[one for runs in self.run_rows[key].values() for one in runs] for key in given.text_metrics]
        found = diagnose_together(
            given.outputs, given.references, given.sources,
            metrics=list(given.text_metrics.values()) or None,
            rows=[dict(zip(given.outputs, of_metric, strict=True)) for of_metric in rows],
            language=self.language, threads=self.threads,
        )  # fmt: skip
        return MappingProxyType(found)

    def prepare(self) -> None:
        """Compute what a report shows. With several threads, texts are checked while the rest is computed."""
        from threading import Event, Thread

        is_needless = Event()

        def draw() -> None:
            # What fails here fails again where it is asked for, and is told there.
            with suppress(Exception):
                for make in self._drawn():
                    if is_needless.is_set():
                        return
                    make()

        _ = self.rows
        beside = Thread(target=draw, daemon=True)
        if self._workers != 1:
            beside.start()
        try:
            _ = self.checks
            # In this thread, because the memory that the checks gave back is not for others.
            if self.pair is not None and self.inputs.references:
                self.ngrams(*self.pair)
        finally:
            # Somebody who presses Ctrl-C waits for what is being drawn, and for no more.
            if sys.exc_info()[0] is not None:
                is_needless.set()
            if self._workers != 1:
                beside.join()

    def _drawn(self) -> Iterator[Callable[[], object]]:
        """What a report shows beside the checks, one after the other."""
        yield from (partial(self.groups, name) for name in self.label_sets)
        yield lambda: self.comparison
        yield from (partial(self.segments, name) for name in self.inputs.metrics)

    @cached_property
    def own_checks(self) -> tuple[OwnCheck, ...]:
        """What is checked beside the doctor's: the number of trials, and the messages of the logger."""
        from truebleu.study.checks import own_checks, score_checks

        return (*own_checks(self.comparison, self.messages), *score_checks(self.comparison, self.inputs))

    @cached_property
    def provenance(self) -> Provenance:
        """The inputs and the versions of the programs."""
        from truebleu.study.provenance import provenance_of

        return provenance_of(self.inputs)

    def plot(
        self,
        kind: str,
        *,
        metric: str | None = None,
        systems: Iterable[str] | None = None,
        labels: str | None = None,
        ax: Axes | None = None,
        size: str = "acl1",
        font_size: float = 8.0,
        gray: bool = False,
    ) -> Axes:
        """Draw a figure with matplotlib, and return its axes; `truebleu.plot.save` writes a file.

        Parameters
        ----------
        kind
            "ranking", "pairs", "groups", "ecdf", "scatter", "length" or "difference".
        metric
            The name of the metric; the first one unless given.
        systems
            A and B for "groups", "scatter" and "difference"; up to six for "ecdf" and "length".
        labels
            The set of labels that "groups" shows; the first one unless given.
        ax
            Where to draw; a new figure of our style unless given.
        size
            Of a new figure: "acl1", "acl2", or width and height in centimetres, as in "8x6".
        font_size
            The size of letters of a new figure, in points.
        gray
            Whether to go without colours.
        """
        from truebleu.study.plot.figure import draw

        return draw(
            self, kind,
            metric=metric, systems=systems, labels=labels, ax=ax, size=size, font_size=font_size, gray=gray,
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Give every number of the study as plain values, ready for JSON."""
        from truebleu.study.groups import plain
        from truebleu.study.page.spans import listed

        pair, given = self.pair, self.inputs
        documents = None if given.documents is None else len(set(given.documents))
        return {
            "schema": SCHEMA,
            "title": self.title,
            "language": self.language,
            "n_segments": given.n,
            "n_documents": documents,
            "n_references": len(given.references),
            "systems": list(given.systems),
            "n_runs": given.n_runs,
            "baseline": self.baseline,
            "pair": pair,
            "metrics": [self._metric_dict(key, metric) for key, metric in given.metrics.items()],
            "comparison": None if self.comparison is None else self.comparison.to_dict(),
            **({} if self.agreement is None else {"agreement": self.agreement.to_dict()}),
            "labels": {name: [plain(label) for label in labels] for name, labels in given.labels.items()},
            "groups": [self._group_dict(name) for name in self.label_sets],
            "ngrams": None if pair is None or not given.references else self.ngrams(*pair).to_dict(),
            **({"judges": dict(self.judges), "length_bias": dict(self.length_bias)} if self.judges else {}),
            **({"spans": listed(self)} if given.spans else {}),
            **({} if self.overlapping is None else {"overlap": self.overlapping.to_dict()}),
            "own_checks": [asdict(one) for one in self.own_checks],
            "checks": {name: diagnosis.to_dict() for name, diagnosis in self.checks.items()},
            "provenance": self.provenance.to_dict(),
        }

    def to_html(
        self, path: str | os.PathLike[str], *, texts: bool = True, theme: str = "auto", against: Any = None
    ) -> None:
        """Write the study as one HTML file that needs no server and no network.

        Parameters
        ----------
        path
            The file; an existing file is replaced when everything is written.
        texts
            Whether to show segments, and texts that quote them.
        theme
            "auto", "light" or "dark".
        against
            An older report of the same references: the page, its JSON, or a list of receipts. The page then shows what
            became better and worse since.
        """
        from truebleu.study.earlier import since
        from truebleu.study.page.page import study_page, write_page

        before = None if against is None else since(self, against)
        write_page(path, lambda look: study_page(self, look._replace(since=before)), texts=texts, theme=theme)

    def _table(self) -> tuple[Mapping[str, str], Iterable[tuple[Any, ...]]]:
        return _SYSTEM_COLUMNS, (_cells(metric, one) for metric in self.reports for one in metric.systems)

    def _metric_dict(self, key: str, metric: RowMetric) -> dict[str, Any]:
        scores, segments = self.scores[key], self.segments(key)
        found = {
            "key": key,
            "name": next(iter(scores.values())).name,
            "signature": str(next(iter(scores.values())).signature),
            "higher_is_better": metric.higher_is_better,
            "ranking": self.ranking(key),
            "scores": {name: score.to_dict() for name, score in scores.items()},
            "run_scores": {name: list(runs) for name, runs in self.run_scores[key].items()},
            "segments": {name: [without_nan(one) for one in segments.of(name).tolist()] for name in scores},
        }
        if self.pair is not None:
            found["signs"] = dict(zip(("better", "worse", "same"), segments.signs(*self.pair), strict=True))
        return found

    def _group_dict(self, name: str) -> dict[str, Any]:
        groups = self.groups(name)
        n = len(self.inputs.systems)
        one_pair = self.pair if len(groups.groups) > MOST_GROUPS or n * (n - 1) // 2 > MOST_PAIRS else None
        return groups.to_dict() if one_pair is None else groups.to_dict(*one_pair)

    def _split(self, texts: Sequence[str]) -> list[list[str]]:
        """The tokens of texts, some texts at a time. A word that comes often is kept once, which takes a fifth."""
        words: dict[str, str] = self._made.setdefault("words", {})
        parts = (self.tokenizing.tokens(texts[at : at + _PART]) for at in range(0, len(texts), _PART))
        return [[words.setdefault(word, word) for word in tokens] for part in parts for tokens in part]

    @cached_property
    def _reference_tokens(self) -> list[list[list[str]]]:
        """The tokens of the references of each segment."""
        by_segment = zip(*(self._split([text or "" for text in one]) for one in self.inputs.references), strict=True)
        present = zip(*self.inputs.references, strict=True)
        return [
            [one for one, text in zip(tokens, texts, strict=True) if text is not None]
            for tokens, texts in zip(by_segment, present, strict=True)
        ]

    @cached_property
    def tokenizing(self) -> TokenizedMetric[Any]:
        """The metric whose tokens are counted: BLEU, or another metric with tokens, else a BLEU of our own."""
        known = [metric for metric in self.inputs.metrics.values() if isinstance(metric, TokenizedMetric)]
        return next((one for one in known if isinstance(one, BLEU)), next(iter(known), BLEU(trg_lang=self.language)))


@dataclass(frozen=True, eq=False)
class _Run:
    """A run of a system, as `compare` takes it: its rows, and its texts for a metric that counts in another way."""

    rows: Stats
    texts: list[str]
    metric: Metric[Any]
    references: Sequence[Sequence[str | None]]
    threads: int | None
    rows_of = "segments"
    has_texts = True

    def require_same(self, other: object) -> None:
        """Say nothing: all runs of a study are of the same texts."""

    def rows_for(self, metric: Metric[Any], references: object = None) -> Stats:
        """Give the rows that a metric counts."""
        is_counted = metric is self.metric
        return self.rows if is_counted else metric.stats(self.texts, self.references, threads=self.threads)


def _cells(metric: MetricReport, system: SystemReport) -> tuple[Any, ...]:
    # Systems with equal scores have the same rank.
    rank = 1 + [one.score for one in metric.best_first].index(system.score)
    interval, ranks = (pair or (None, None) for pair in (system.interval, system.rank_range))
    return (metric.key, system.name, system.score, *interval, rank, *ranks, str(metric.signature))


def _is_without_references(metrics: Any) -> bool:
    """Whether all metrics are objects that need no references."""
    given = [*metrics.values()] if isinstance(metrics, Mapping) else metrics
    several = given if isinstance(given, list | tuple) else [given]
    return bool(several) and all(getattr(one, "needs_references", True) is False for one in several)


def _scored(metric: RowMetric, counted: Mapping[str, Sequence[Stats]]) -> dict[str, Score]:
    found = {}
    for name, runs in counted.items():
        scores = [metric.score(stats) for stats in runs]
        mean = sum(one.score for one in scores) / len(scores)
        found[name] = scores[0] if len(runs) == 1 else Score(scores[0].name, mean, signature=scores[0].signature)
    return found
