"""Comparing systems from their rows: any metric, any number of systems and runs, several tests.

>>> from truebleu.metrics import BLEU, CHRF
>>> systems = {"base": ["a b c d e", "f g h i", "k l m n"] * 3, "new": ["a b c d x", "f g h j", "k l m n"] * 3}
>>> report = compare(systems, [BLEU(), CHRF()], [["a b c d x", "f g h i", "k l m o"] * 3])
>>> report.title
'Exact paired randomization test'
>>> [(metric.name, metric.pairs[0].p_value) for metric in report.metrics]
[('BLEU', 1.0), ('chrF2', 0.34375)]

Which test to use is measured in `docs/calibration.md`, and `defaults.py` has the choice: "ar". "bs" is only to repeat
sacreBLEU's figures.

**Documents.** With `documents` (one label per segment), rows are summed by document, and documents are drawn or swapped
whole. Segments of a document succeed and fail together; to treat them as independent finds differences that are not
there. `units.py` has what follows from the number of documents.

**Runs.** A system may be given as several runs (training seeds, samples). Its score is the mean of its runs' scores.
The bootstrap then draws twice for each resample: segments, shared by all systems, and for each system as many runs as
it has, with replacement. So intervals and p-values cover the chance of training, as far as the runs show it: with R
runs, the part of the variance that comes from them is estimated at (R - 1)/R of its size. "ar" swaps a segment in all
runs at once, the first run of one system with the first of the other and so on, and says whether the means of these
very runs differ; it needs the same number of runs for each system.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from truebleu._inputs import check_labels, ordered
from truebleu._logs import warn, warn_each_time
from truebleu._options import (
    MOST_SAMPLES,
    checks_are_off,
    choice,
    level_of_test,
    number_from_zero,
    thread_count,
    whole_number,
    yes_or_no,
)
from truebleu.errors import OptionError, UnknownTest
from truebleu.metrics.external import ExternalMetric
from truebleu.resample.seed import Seed
from truebleu.significance.correction import CORRECTIONS, adjusted
from truebleu.significance.defaults import (
    ALPHA,
    AUTO,
    FAMILIES,
    RESAMPLES,
    TEST,
    bounded_at,
    correction_of,
    trials_of,
)
from truebleu.significance.experiment import Experiment
from truebleu.significance.power import weighed
from truebleu.significance.results import Comparison, MetricReport, Missing, PairReport, StratumReport, SystemReport
from truebleu.significance.strata import Strata, divide, reports_of_strata
from truebleu.significance.systems import MetricTable, RowMetric, count_all
from truebleu.significance.tests import TESTS
from truebleu.significance.trials import smallest_p_value, too_few
from truebleu.significance.typography import with_explanations
from truebleu.significance.units import FEWEST_SCORES, OF_PEOPLE, drawn_labels
from truebleu.significance.wmt_ranks import clusters, rank_ranges
from truebleu.significance.worth import with_people

if TYPE_CHECKING:
    from truebleu.signature import Signature
    from truebleu.significance.tests import Test, Verdict


def compare(
    systems: Mapping[str, Any] | Iterable[tuple[str, Any]],
    metrics: RowMetric | str | Iterable[RowMetric | str] | Mapping[str, RowMetric | str],
    references: Iterable[Iterable[str | None]] | None = None,
    *,
    test: str = TEST,
    n_samples: int | None = None,
    n_confidence: int = RESAMPLES,
    all_pairs: bool = False,
    correction: str | None = AUTO,
    alpha: float = ALPHA,
    documents: Iterable[Hashable] | None = None,
    unit: str = "auto",
    seed: int | str | None = None,
    threads: int | None = None,
    resegment: bool | str = False,
    level: str = "segment",
    checks: bool = True,
    family: str = FAMILIES[0],
    margin: float | None = None,
    strata: Iterable[Hashable] | None = None,
    people: bool = True,
    missing: str | None = None,
    assignment: str | None = None,
    sources: Iterable[str] | None = None,
) -> Comparison:
    """Compare the first system with the others, or all pairs.

    Parameters
    ----------
    systems
        A mapping from names to texts, to a `Receipt`, to a list of several runs' texts, or to a mapping from the name
        of a metric to what that metric takes: `Stats`, texts, scores for an `ExternalMetric`, or a list of these.
        A list of pairs of a name and its value is accepted too.
    metrics
        A metric or its name on the command line, such as "bleu"; a list of these, or a mapping from names to them.
    references
        Streams of references, each with one for every segment; None where all systems are given as rows or scores, or
        the metrics have their own.
    test
        "ar" (randomization; exact where at most 17 segments or documents differ), "bs2" (two-sided bootstrap), "bs"
        (sacreBLEU's bootstrap) or "sign".
    n_samples
        How many trials or resamples the test has; "sign" has none. None for 20,000 of "ar" and "bs2" where they take
        about a second or less, else 10,000 and 1,000, and 1,000 of "bs"; and for more where many pairs, or a low level,
        need them: 5 x pairs / alpha (2 x from 200 pairs on), rounded up to thousands. From 200 pairs on, "ar" has 5,000
        to 20,000 trials and upper bounds in the place of p-values that are too small for them.
    n_confidence
        How many resamples give means and intervals beside "ar" and "sign"; 0 for none.
    all_pairs
        Whether to compare every pair of systems, with ranks and clusters.
    correction
        "holm" or "bh" (Benjamini and Hochberg), for each metric separately; "auto" for Holm's where there is more than
        one pair; None for no correction.
    alpha
        The level up to which a p-value is called significant.
    documents
        One label for each segment: its document. Documents are drawn and swapped whole.
    unit
        What is drawn and swapped: "document" or "segment", or "auto" for documents where they are known.
    seed
        A whole number, or "none" for a fresh seed; None takes that of `SACREBLEU_SEED`.
    threads
        How many threads work; None for all cores.
    resegment
        Whether the texts of systems are to be divided into the segments of the references first, as metrics take it;
        each system separately, and with `documents` document by document.
    level
        The unit that is counted and drawn: each "segment", or the joined texts of each "paragraph" or "document".
    checks
        Whether 50 or more segments are looked at for what nobody can have meant to score, as `corpus_score` does, and
        texts are counted once more to see if quotation marks, dashes, case or spaces explain a difference.
    family
        Which p-values are corrected together: those of each "metric", or "all".
    margin
        A difference that would not matter. Two one-sided tests then say of each pair whether a smaller one is shown.
    strata
        One label for each segment: its test set, or its domain. Units are drawn in each stratum by itself, and each
        stratum is also tested by itself.
    missing
        What is done about scores from elsewhere that are missing: "pairs" tests each pair on the segments that both
        systems have, "drop" on those that all have, "fit" fits effects of segments and systems to all scores. With one
        of these, None and nan among scores are missing ones; None refuses them, and is "pairs" for rows without scores.
    assignment
        For "fit": how it was decided which segments of a system were scored, "random" or "dynamic".
    people
        Whether pairs say how often people preferred the system that was better by so much; see `worth`.
    sources
        What was translated, for metrics that take it.
    """
    checks = yes_or_no("compare", "checks", checks) and not checks_are_off()
    chosen, n_samples = _check_options(test, n_samples, correction, alpha)
    choice("compare", "family", family, FAMILIES)
    people = yes_or_no("compare", "people", people)
    margin = None if margin is None else number_from_zero("compare", "margin", margin)
    n_confidence = whole_number("compare", "n_confidence", n_confidence, 0, MOST_SAMPLES)
    n_confidence = 0 if chosen.resamples else n_confidence  # the resamples of the test give the intervals as well
    all_pairs = yes_or_no("compare", "all_pairs", all_pairs)
    drawn_from, workers = Seed.of(seed), thread_count(threads)
    documents = None if documents is None else list(ordered("compare", "documents", documents, "a list of labels"))
    may_lack = missing is not None or assignment is not None
    if may_lack:
        from truebleu.significance.missing import check_rule

        check_rule("compare", missing, assignment)
    tables = count_all(
        systems, metrics, references, documents, threads, resegment, level, unit, checks, may_lack, sources
    )
    for table in tables:
        if table.higher is None and all_pairs:
            _ = table.metric.higher_is_better  # raises, and says why
        if table.higher is None:
            warn("direction of %s unknown, so that no system is called better: give higher_is_better "
                "(--higher-is-better or --lower-is-better)", table.key)  # fmt: skip
        if getattr(table.metric, "kind", None) == "human" and not table.draws_documents and unit != "segment":
            warn("%s is of people, and the documents of segments are not known. %s", table.key, " ".join(OF_PEOPLE))
    divided = None
    if strata is not None:
        if level != "segment":
            raise OptionError(f"compare: strata has a label for each segment, and level={level!r} joins segments")
        whole = drawn_labels("compare", unit, documents)
        divided = divide(check_labels("compare", "strata", strata, tables[0].segments), whole)
    names, runs = tables[0].systems, tables[0].runs
    if chosen.needs_equal_runs and len(set(runs)) > 1:
        counts = dict(zip(names, runs, strict=True))
        raise OptionError(
            f"compare: test={test!r} needs the same number of runs for each system, got {counts}; use test='bs2'"
        )
    if chosen.needs_one_run and max(runs) > 1:
        raise OptionError(f"compare: test={test!r} takes one run per system; use 'ar' or 'bs2'")
    pairs = [*combinations(range(len(names)), 2)] if all_pairs else [(0, at) for at in range(1, len(names))]
    tests = len(pairs) * (len(tables) if family == "all" else 1)
    correction = correction_of(correction, tests)
    all_tests = tests if divided is None else tests * len(divided.labels)
    samples = trials_of(chosen, tables, all_tests, alpha) if n_samples is None else n_samples
    least = bounded_at(chosen, samples, tests, correction, alpha)
    if least is None and (message := too_few(samples, tests, correction, alpha)):
        warn("%s", message)
    codes = None if divided is None else divided.of_units
    experiment = Experiment(
        chosen, tables, pairs, samples, n_confidence, drawn_from, workers, strata=codes, least=least
    )
    experiments = [experiment]
    if may_lack or any(table.metric.columns == ExternalMetric.columns for table in tables):
        from truebleu.significance.missing import separated
        from truebleu.significance.raters import divided as by_raters

        rest, rated = by_raters(experiment)
        experiments = [*separated(rest, missing, assignment), *rated]
    found = _report(experiments, Claims(all_pairs, correction, alpha, family, tests, margin, divided, people))
    if len(experiments) > 1:
        keys = [table.key for table in tables]
        found = replace(found, metrics=tuple(sorted(found.metrics, key=lambda one: keys.index(one.key))))
    return with_explanations(found, experiment) if checks else found


class Claims(NamedTuple):
    """What is to be said of an experiment."""

    all_pairs: bool = False
    correction: str | None = None
    alpha: float = ALPHA
    family: str = FAMILIES[0]
    tests: int = 1  # that are corrected together
    margin: float | None = None
    strata: Strata | None = None
    people: bool = True


def compare_as_sacrebleu(
    tables: list[MetricTable],
    test: str,
    samples: int,
    confidence: int,
    seed: Seed,
    threads: int,
    *,
    intervals: bool = True,
    people: bool = True,
) -> Comparison:
    """Compare the first system with the others as sacreBLEU does, with its draws and its means."""
    pairs = [(0, at) for at in range(1, len(tables[0].systems))]
    experiment = Experiment(
        TESTS[test], tables, pairs, samples, confidence, seed, threads, like_sacrebleu=True, intervals=intervals
    )
    found = with_explanations(_report([experiment], Claims(people=people)), experiment)
    for metric in found.metrics:
        for pair in metric.pairs:
            strict, honest = pair.p_value, pair.p_value_with_ties
            if honest is not None and ((strict <= found.alpha) != (honest <= found.alpha) or honest > 2 * strict):
                warn_each_time(
                    "%s of %r and %r: p = %.4f leaves out shuffles with exactly the same difference; with them, as it "
                    "should be, p = %.4g", metric.name, pair.system, pair.baseline, strict, honest,
                )  # fmt: skip
    return found


def _report(experiments: list[Experiment], wanted: Claims) -> Comparison:
    """Run experiments, and say what came of them. Metrics of which scores are missing have one of their own."""
    experiment, found = experiments[0], [verdicts for one in experiments for verdicts in one.verdicts()]
    table, test = experiment.tables[0], experiment.test
    ways = [verdict.ways for verdicts in found for verdict in verdicts]
    samples = 0 if all(ways) else experiment.samples
    corrected: list[list[float | None]] = [[None] * len(verdicts) for verdicts in found]
    if wanted.correction is not None:
        plain = [[verdict.p_value for verdict in verdicts] for verdicts in found]
        corrected = _adjusted(plain, wanted.correction, wanted.family)
    of_strata: list[list[tuple[StratumReport, ...]]] = [[() for _ in verdicts] for verdicts in found]
    if wanted.strata is not None:
        over = {"over_pairs": wanted.correction is not None, "over_metrics": wanted.family == "all"}
        of_strata = reports_of_strata(experiment, wanted.strata, wanted.alpha, **over)
    metrics, places = [], [(one, at) for one in experiments for at in range(len(one.tables))]
    for (one, at), verdicts, p_values, strata in zip(places, found, corrected, of_strata, strict=True):
        pairs = _pair_reports(one, at, verdicts, p_values, wanted)
        pairs = [replace(pair, strata=several) for pair, several in zip(pairs, strata, strict=True)]
        metric = _metric_report(one, at, verdicts, pairs, wanted)
        metrics.append(with_people(metric) if wanted.people else metric)
    return Comparison(
        title=experiment.own_title or (test.exact_title if all(ways) else test.title.format(samples)),
        test=test.name,
        n_samples=samples,
        smallest_p_value=smallest_p_value(samples, wanted.tests, wanted.correction, max(ways), experiment.least),
        n_confidence=experiment.confidence,
        seed=experiment.seed.number_text(),
        alpha=wanted.alpha,
        correction=wanted.correction,
        all_pairs=wanted.all_pairs,
        n_segments=table.segments,
        n_documents=experiment.documents,
        n_runs=max(table.runs),
        systems=tuple(table.systems),
        metrics=tuple(metrics),
        family=wanted.family,
        n_tests=wanted.tests,
        margin=wanted.margin,
    )


def _check_options(test: str, n_samples: int | None, correction: str | None, alpha: float) -> tuple[Test, int | None]:
    """Find the test, and how many samples were asked for."""
    choice("compare", "test", test, TESTS, UnknownTest)
    if correction is not None:
        choice("compare", "correction", correction, (*CORRECTIONS, AUTO))
    level_of_test("compare: alpha", alpha)
    if n_samples is None or not TESTS[test].default:
        return TESTS[test], None
    return TESTS[test], whole_number("compare", "n_samples", n_samples, 1, MOST_SAMPLES)


def _metric_report(
    experiment: Experiment, at: int, verdicts: list[Verdict], pairs: list[PairReport], wanted: Claims
) -> MetricReport:
    table, higher = experiment.tables[at], experiment.tables[at].higher
    ranges, groups, own = None, None, experiment.coverage
    compared = own.adjusted if own is not None and own.adjusted is not None else table.means
    if wanted.all_pairs:
        wins = [
            (b, a) if pair.winner == pair.system else (a, b)
            for (a, b), pair in zip(experiment.pairs, pairs, strict=True)
            if pair.significant
        ]
        ranges = rank_ranges(len(table.systems), wins)
        ranking = sorted(range(len(table.systems)), key=compared.__getitem__, reverse=bool(higher))
        groups = tuple(tuple(table.systems[place] for place in group) for group in clusters(ranking, wins))
    is_exact = all(verdict.ways for verdict in verdicts)
    signature = experiment.signature(table, wanted.correction, is_exact, wanted.family)
    systems = []
    for place, name in enumerate(table.systems):
        scores = tuple(score.score for score in table.scores[place])
        resampled = experiment.resamples[at][place] if experiment.resamples else None
        mean, half_width = (resampled is not None and experiment.interval(resampled)) or (None, None)
        rank_range = ranges[place] if ranges else None
        system = SystemReport(name, table.means[place], scores, mean, half_width, rank_range)
        if "in" in signature.info:  # a learned metric, whose scores have facts of their own
            system = replace(system, **_own_facts(table.scores[place][0], table.scores[0][0], signature))
        if own is not None:
            system = replace(system, n=own.n[place], adjusted=own.adjusted[place] if own.adjusted else None)
            if own.n[place] < FEWEST_SCORES:  # a resample may have none of them
                system = replace(system, mean=None, half_width=None)
        systems.append(system)
    name, lacks = table.scores[0][0].name, () if own is None else own.lacks
    return MetricReport(
        table.key, name, signature, higher, tuple(systems), tuple(pairs), groups, lacks, experiment.left_out
    )


def _own_facts(score: Any, first: Any, signature: Signature) -> dict[str, Any]:
    """What is told of a system alone: its signature if it is not that of the first, and the noise of its judge."""
    own, theirs = score.signature.info, first.signature.info
    differing = {key: own.get(key) for key in {**own, **theirs} if own.get(key) != theirs.get(key)}
    changed = signature.with_test({})
    for key, value in differing.items():
        changed.update(key, value)
    return {"signature": changed if differing else None, "noise": score.noise}


def _pair_reports(
    experiment: Experiment, at: int, verdicts: list[Verdict], all_corrected: list[float | None], wanted: Claims
) -> list[PairReport]:
    table, reports, measured = experiment.tables[at], [], experiment.measured(at)
    higher, unit = table.higher, "document" if table.draws_documents else "segment"
    for (a, b), corrected, verdict, one in zip(experiment.pairs, all_corrected, verdicts, measured, strict=True):
        p_value, signs, z, identical, ways, with_ties = verdict
        delta, names = one.delta, (table.systems[a], table.systems[b])
        lead = verdict.lead(delta, higher)
        decisive = with_ties if with_ties is not None else p_value if corrected is None else corrected
        significant = decisive <= wanted.alpha and (lead if higher is not None else delta) != 0
        winner = names[lead > 0] if significant and higher is not None else None
        gap = None if one.alone is None else Missing(experiment.missing or "", *one.alone)
        report = PairReport(
            *names, delta, p_value, corrected, significant, winner, identical, one.interval, signs, z, exact=ways > 0,
            p_value_with_ties=with_ties, n=one.segments, unit=unit, n_units=one.units, missing=gap,
        )  # fmt: skip
        level = wanted.alpha / (wanted.tests if wanted.correction else 1)  # of one test, after Bonferroni
        reports.append(weighed(report, one, higher, level, wanted.margin))
    return reports


def _adjusted(p_values: list[list[float]], correction: str, family: str) -> list[list[float | None]]:
    """Correct the p-values that there are, metric by metric or all together."""
    families = [[*chain(*p_values)]] if family == "all" else p_values
    corrected = chain(*(adjusted(one, correction) for one in families))
    return [[next(corrected) for _ in of_metric] for of_metric in p_values]
