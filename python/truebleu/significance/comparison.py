"""Comparing systems from their rows: any metric, any number of systems and runs, several tests.

>>> from truebleu.metrics import BLEU, CHRF
>>> systems = {"base": ["a b c d e", "f g h i", "k l m n"], "new": ["a b c d x", "f g h j", "k l m n"]}
>>> report = compare(systems, [BLEU(), CHRF()], [["a b c d x", "f g h i", "k l m o"]], test="bs2", n_samples=200)
>>> report.title
'Two-sided paired bootstrap test with 200 resampling trials'
>>> [(metric.name, metric.pairs[0].significant) for metric in report.metrics]
[('BLEU', False), ('chrF2', False)]

Which test to use is measured in `docs/calibration.md`. In short: "ar", or "bs2" if means and intervals are wanted as
well; "bs" only to repeat sacreBLEU's figures.

**Documents.** With `documents` (one label a segment), rows are summed by document, and documents are drawn or swapped
whole. Segments of a document succeed and fail together; to treat them as independent finds differences that are not
there.

**Runs.** A system may be given as several runs (training seeds, samples). Its score is the mean of its runs' scores.
The bootstrap then draws twice for each resample: segments, shared by all systems, and for each system as many runs as
it has, with replacement. So intervals and p-values cover the chance of training, as far as the runs show it: with R
runs, the part of the variance that comes from them is estimated at (R - 1)/R of its size. "ar" swaps a segment in all
runs at once, the first run of one system with the first of the other and so on, and says whether the means of these
very runs differ; it needs equally many runs a system.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

from truebleu._logs import warn
from truebleu._options import MOST_SAMPLES, thread_count, whole_number
from truebleu.errors import OptionError, UnknownTest
from truebleu.resample.bootstrap import (
    DEFAULT_SAMPLES,
    bootstrap_p_value,
    resampled_scores,
    two_sided_p_value,
)
from truebleu.resample.interval import estimate_interval, percentile_interval
from truebleu.resample.randomization import DEFAULT_TRIALS, randomization_p_values
from truebleu.resample.seed import Seed
from truebleu.significance.correction import CORRECTIONS
from truebleu.significance.inputs import Table, count_all
from truebleu.significance.ranking import clusters, rank_ranges
from truebleu.significance.results import Comparison, MetricReport, PairReport, SystemReport
from truebleu.significance.rows import identical

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from truebleu.signature import SignatureValue

TESTS = {
    "ar": "Paired approximate randomization test with {} trials",
    "bs": "Paired bootstrap resampling test with {} resampling trials",
    "bs2": "Two-sided paired bootstrap test with {} resampling trials",
    "sign": "Segment replacement sign test",
}
_BOOTSTRAPS = {"bs": bootstrap_p_value, "bs2": two_sided_p_value}
_DEFAULTS = {"ar": DEFAULT_TRIALS, "bs": DEFAULT_SAMPLES, "bs2": DEFAULT_SAMPLES, "sign": 0}

# Keeps the draws of runs apart from those of segments; any number would do.
_RUNS_STREAM = 0x72756E73


def compare(
    systems: Mapping[str, Any] | Iterable[tuple[str, Any]],
    metrics: Any,
    references: Iterable[Iterable[str | None]] | None = None,
    *,
    test: str = "ar",
    n_samples: int | None = None,
    n_confidence: int = 0,
    all_pairs: bool = False,
    correction: str | None = None,
    alpha: float = 0.05,
    documents: Iterable[Hashable] | None = None,
    seed: int | str | None = None,
    threads: int | None = None,
) -> Comparison:
    """Compare the first system with the others, or with `all_pairs` each with each.

    `systems` maps names to texts, to a list of several runs' texts, or to a mapping from metric to what that metric
    takes: `Stats`, texts, or scores for an `ExternalMetric`, or a list of runs of these. `metrics` is a mapping, a list
    or a single one. `test` is "ar" (approximate randomization), "bs2" (two-sided bootstrap), "bs" (sacreBLEU's
    bootstrap) or "sign". `n_samples` is the number of trials or resamples; `n_confidence` asks for means and intervals
    beside "ar" and "sign". `correction` is "holm" or "bh" (Benjamini and Hochberg), for each metric by itself. `seed`
    overrides `SACREBLEU_SEED`.
    """
    plan = _plan(test, n_samples, n_confidence, all_pairs, correction, alpha, seed, thread_count(threads))
    tables = count_all(systems, metrics, references, documents, threads)
    names, runs = tables[0].systems, tables[0].runs
    if test == "ar" and len(set(runs)) > 1:
        counts = dict(zip(names, runs, strict=True))
        raise OptionError(f"compare: test='ar' needs equally many runs a system, got {counts}; use test='bs2'")
    if test == "sign" and (documents is not None or max(runs) > 1):
        raise OptionError("compare: test='sign' takes one run a system and no documents; use 'ar' or 'bs2'")
    pairs = [*combinations(range(len(names)), 2)] if all_pairs else [(0, at) for at in range(1, len(names))]
    results = _run(plan, tables, pairs)
    return Comparison(
        title=TESTS[test].format(plan.n_samples),
        test=test,
        n_samples=plan.n_samples,
        n_confidence=plan.n_confidence,
        seed=plan.shown_seed,
        alpha=alpha,
        correction=correction,
        all_pairs=all_pairs,
        n_segments=tables[0].segments,
        n_documents=None if documents is None else tables[0].units,
        n_runs=max(runs),
        systems=tuple(names),
        metrics=tuple(_report(plan, table, pairs, result) for table, result in zip(tables, results, strict=True)),
    )


@dataclass(frozen=True)
class _Plan:
    """The options, checked."""

    test: str
    n_samples: int
    n_confidence: int
    all_pairs: bool
    correction: str | None
    alpha: float
    seed: Seed
    shown_seed: str
    threads: int

    @property
    def resamples(self) -> int:
        """How many resamples are to be drawn."""
        return self.n_samples if self.test in _BOOTSTRAPS else self.n_confidence


@dataclass(frozen=True)
class _Found:
    """What a test found under one metric: a p-value a pair, and resampled scores by system."""

    p_values: list[float]
    resamples: NDArray[np.float64] | None = None
    signs: list[Any] | None = None


def _plan(
    test: str,
    n_samples: int | None,
    n_confidence: int,
    all_pairs: bool,
    correction: str | None,
    alpha: float,
    seed: int | str | None,
    threads: int,
) -> _Plan:
    if test not in TESTS:
        raise UnknownTest(f"compare: test is {test!r}, expected one of {', '.join(map(repr, TESTS))}")
    if correction is not None and correction not in CORRECTIONS:
        raise OptionError(f"compare: correction is {correction!r}, expected None, 'holm' or 'bh'")
    if isinstance(alpha, bool) or not isinstance(alpha, (int, float)) or not 0 < alpha < 1:
        raise OptionError(f"compare: alpha is {alpha!r}, expected a number between 0 and 1")
    samples = _DEFAULTS[test] if n_samples is None or test == "sign" else _count_of("n_samples", n_samples, 1)
    given = Seed.of(seed)
    confidence = _count_of("n_confidence", n_confidence, 0)
    return _Plan(test, samples, confidence, all_pairs, correction, alpha, given.fixed(), given.number_text(), threads)


def _count_of(option: str, value: Any, low: int) -> int:
    return whole_number("compare", option, value, low, MOST_SAMPLES)


# The test.


def _run(plan: _Plan, tables: list[Table], pairs: list[tuple[int, int]]) -> list[_Found]:
    resamples = _resample(plan, tables) if plan.resamples else [None] * len(tables)
    if plan.test == "ar":
        p_values = _shuffle(plan, tables, pairs)
        return [_Found(*found) for found in zip(p_values, resamples, strict=True)]
    if plan.test == "sign":
        return [_signs(table, pairs, scores) for table, scores in zip(tables, resamples, strict=True)]
    p_value = _BOOTSTRAPS[plan.test]
    return [
        _Found([p_value(scores[a], scores[b], table.gap(a, b)) for a, b in pairs], scores)
        for table, scores in zip(tables, resamples, strict=True)
        if scores is not None
    ]


def _shuffle(plan: _Plan, tables: list[Table], pairs: list[tuple[int, int]]) -> list[list[float]]:
    """All metrics at once: they share the coins."""
    flat: list[tuple[Any, NDArray[np.float64]]] = []
    wanted: list[tuple[list[int], list[int]]] = []
    for table in tables:
        places = table.places(len(flat))
        flat += table.flat()
        wanted += [(places[a], places[b]) for a, b in pairs]
    found = randomization_p_values(flat, wanted, plan.n_samples, plan.seed, threads=plan.threads)
    return [found[at * len(pairs) : (at + 1) * len(pairs)] for at in range(len(tables))]


def _resample(plan: _Plan, tables: list[Table]) -> list[NDArray[np.float64] | None]:
    """Resampled scores, a row a system; all metrics share the draws of segments and of runs."""
    import numpy as np

    flat = [system for table in tables for system in table.flat()]
    scores = resampled_scores(flat, plan.resamples, plan.seed, threads=plan.threads)
    found: list[NDArray[np.float64] | None] = []
    start = 0
    for table in tables:
        generator = np.random.default_rng([_RUNS_STREAM, *plan.seed.words()])
        places = table.places(start)
        found.append(np.stack([_mean_of_drawn_runs(scores[runs], generator) for runs in places]))
        start = places[-1][-1] + 1
    return found


def _mean_of_drawn_runs(scores: NDArray[np.float64], generator: np.random.Generator) -> NDArray[np.float64]:
    """The mean over runs drawn with replacement, anew for every resample."""
    import numpy as np

    runs, samples = scores.shape
    drawn = generator.integers(runs, size=(runs, samples))
    mean: NDArray[np.float64] = scores[drawn, np.arange(samples)].mean(axis=0)
    return mean


def _signs(table: Table, pairs: list[tuple[int, int]], resamples: NDArray[np.float64] | None) -> _Found:
    import importlib

    # Loaded late: the sign test brings the replacement of single segments, which no other test needs.
    sign_test = importlib.import_module("truebleu.significance.sign").sign_test
    signs = [sign_test(table.counted[a][0], table.counted[b][0], table.metric) for a, b in pairs]
    return _Found([found.p_value for found in signs], resamples, signs)


# The report.


def _report(plan: _Plan, table: Table, pairs: list[tuple[int, int]], found: _Found) -> MetricReport:
    higher = getattr(table.metric, "higher_is_better", table.metric.name != "TER")
    systems = _system_reports(table, found)
    reports = _pair_reports(plan, table, pairs, found, higher)
    example = table.metric.score(table.counted[0][0])
    signature = example.signature.with_test(_fields(plan, table))
    groups = None
    if plan.all_pairs:
        wins = [_win(pair, report) for pair, report in zip(pairs, reports, strict=True) if report.significant]
        ranges = rank_ranges(len(systems), wins)
        systems = [replace(system, rank_range=span) for system, span in zip(systems, ranges, strict=True)]
        ranking = sorted(range(len(systems)), key=lambda at: -systems[at].score if higher else systems[at].score)
        groups = tuple(tuple(table.systems[at] for at in group) for group in clusters(ranking, wins))
    return MetricReport(table.key, example.name, signature, higher, tuple(systems), tuple(reports), groups)


def _system_reports(table: Table, found: _Found) -> list[SystemReport]:
    reports = []
    for at, name in enumerate(table.systems):
        report = SystemReport(name, table.score(at), tuple(table.run_scores[at]))
        if found.resamples is not None:
            mean, half_width = estimate_interval(found.resamples[at])
            report = replace(report, mean=mean, half_width=half_width)
        reports.append(report)
    return reports


def _pair_reports(
    plan: _Plan, table: Table, pairs: list[tuple[int, int]], found: _Found, higher: bool
) -> list[PairReport]:
    same = [_identical(table, a, b) for a, b in pairs]
    p_values = [1.0 if alike else p_value for p_value, alike in zip(found.p_values, same, strict=True)]
    adjusted = CORRECTIONS[plan.correction](p_values) if plan.correction else None
    reports = []
    for at, (a, b) in enumerate(pairs):
        delta = table.gap(a, b)
        decisive = p_values[at] if adjusted is None else adjusted[at]
        signs = found.signs[at] if found.signs is not None else None
        # The sign test speaks of the number of segments, which need not go with the difference of the scores.
        lead = (delta if higher else -delta) if signs is None else signs.better - signs.worse
        significant = decisive <= plan.alpha and lead != 0
        winner = table.systems[b if lead > 0 else a] if significant else None
        reports.append(
            PairReport(
                table.systems[a],
                table.systems[b],
                delta,
                p_values[at],
                None if adjusted is None else adjusted[at],
                significant,
                winner,
                same[at],
                None if found.resamples is None else percentile_interval(found.resamples[b] - found.resamples[a]),
                None if signs is None else (signs.better, signs.worse, signs.same),
                None if signs is None else signs.z,
            )
        )
    return reports


def _win(pair: tuple[int, int], report: PairReport) -> tuple[int, int]:
    a, b = pair
    return (b, a) if report.winner == report.system else (a, b)


def _identical(table: Table, a: int, b: int) -> bool:
    ours, theirs = table.counted[a], table.counted[b]
    alike = len(ours) == len(theirs) and all(identical(*runs) for runs in zip(ours, theirs, strict=True))
    if alike:
        names = table.systems[b], table.key, table.systems[a]
        warn("%r has the same %s statistics as %r: p = 1", *names)
    return alike


def _fields(plan: _Plan, table: Table) -> dict[str, SignatureValue]:
    """What the test adds to a signature; only what was asked for shows."""
    fields: dict[str, SignatureValue] = {}
    if plan.test != "bs2" and plan.resamples:
        fields["bs"] = plan.resamples
    if plan.test in ("ar", "bs2"):
        fields[plan.test] = plan.n_samples
    if plan.test == "sign":
        fields["sign"] = "exact"
    if plan.test != "sign" or plan.resamples:
        fields["seed"] = plan.shown_seed
    if table.drawn is not table.counted:
        fields["docs"] = table.units
    if max(table.runs) > 1:
        fields["runs"] = max(table.runs)
    if plan.correction:
        fields["adjust"] = plan.correction
    return fields
