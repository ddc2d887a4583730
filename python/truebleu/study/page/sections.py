"""What each section of the page shows: values that are chosen and put in order, and no new ones.

A number keeps its exact value beside what is printed, so that a reader, a test or a script can take it from the page.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from truebleu._counts import number_of
from truebleu.significance.sentences import told
from truebleu.study.groups import LENGTH_LABELS
from truebleu.study.inputs import LENGTH
from truebleu.study.missed import MOST, missed_most
from truebleu.study.page import svg
from truebleu.study.page.characters import LONGEST_TEXT, pieces
from truebleu.study.page.spans import MarkedRun, ShownError, counts_of, errors_of, runs_of, summary
from truebleu.study.results import Results, SystemScores, compared_scores

if TYPE_CHECKING:
    from truebleu.agreement.agreement import Agreement
    from truebleu.contamination.split import SplitReport
    from truebleu.doctor.rule import Rule
    from truebleu.significance.results import Comparison, MetricReport, PairReport
    from truebleu.study.checks import OwnCheck
    from truebleu.study.groups import GroupDifference, PairedGroups
    from truebleu.study.study import Study

# Groups beyond these are counted and not listed.
MOST_GROUPS = 40
# The largest gains and as many losses.
CARDS = 20
# Cells of a larger matrix have signs and no numbers.
MOST_CELLS = 12
# Cells of a still larger one have no titles, which are most of such a page; the list has the same numbers.
MOST_TITLES = 40
STEPS = (0.01, 0.001)


def results_of(comparison: Comparison | None, study: Study | None) -> Results:
    """Put the scores of all systems in the form that the writers of tables take; the best system first."""
    best: tuple[Sequence[str], ...] = ()
    if comparison is not None:
        order = comparison.metrics[0].order
        scores = dict(zip(comparison.systems, compared_scores(comparison), strict=True))
        best = tuple(metric.unbeaten for metric in comparison.metrics)
    elif study is not None:
        order = study.reports[0].order
        scores = {name: tuple(of_metric[name] for of_metric in study.scores.values()) for name in order}
    return Results(tuple(SystemScores(name, name, scores[name]) for name in order), best=best)


def leaderboard(metrics: Sequence[MetricReport], baseline: str | None) -> dict[str, Any]:
    """Rank the systems by the first metric, each with its difference to the baseline or the best."""
    first = metrics[0]
    order = first.order
    against = baseline or order[0]
    clusters = first.clusters or ()
    pairs = {name: first.pair(name, against) for name in order if name != against}
    runs = _run_differences(first, against)
    ends = ((one.delta, *(one.interval or ()), *runs.get(name, ())) for name, one in pairs.items())
    scale = svg.spanning(chain.from_iterable(ends), 8, svg.ROW_WIDTH - 8)
    cluster_of = {name: at for at, cluster in enumerate(clusters, 1) for name in cluster}
    cluster_ends = {name for at, name in enumerate(order[:-1]) if cluster_of.get(name) != cluster_of.get(order[at + 1])}
    rows = []
    for rank, name in enumerate(order, 1):
        low, high = first.by_name[name].rank_range or (rank, rank)
        pair = pairs.get(name)
        dot = pair and svg.row_dot(scale, pair.delta, pair.interval, pair.kind, runs.get(name, ()))
        rows.append(
            {
                "name": name,
                "rank": str(low) if low == high else f"{low}\u2013{high}",
                "cells": [(one, one.by_name[name]) for one in metrics],
                "pair": pair,
                "plot": dot,
                "ends_cluster": name in cluster_ends,
            }
        )
    return {
        "rows": rows, "against": against, "axis": svg.row_axis(scale) if pairs else None, "clusters": len(clusters),
        "tested": bool(first.pairs),
    }  # fmt: skip


def _run_differences(metric: MetricReport, against: str) -> dict[str, list[float]]:
    """How far the runs of each system are from the system that all are compared with; nothing for a single run."""
    several = [one for one in metric.systems if metric.pairs and len(one.run_scores) > 1]
    return {one.name: [score - metric.by_name[against].score for score in one.run_scores] for one in several}


def matrix(metric: MetricReport, comparison: Comparison) -> dict[str, Any]:
    """Put all pairs in a square, in the order of the ranking, and in a list."""
    order = metric.order
    smallest = comparison.smallest_p_value or 0.0
    steps = [step for step in STEPS if smallest <= step and step <= comparison.alpha]
    steps = (
        [comparison.alpha, *(step for step in steps if step < comparison.alpha)] if smallest <= comparison.alpha else []
    )

    def cell(a: str, b: str) -> tuple[PairReport, str] | None:
        if a == b:
            return None
        pair = metric.pair(a, b)
        level = sum(pair.decisive <= step for step in steps)
        return pair, f"{pair.kind}{level}" if pair.significant else "none"

    listed = [metric.pair(a, b) for at, a in enumerate(order) for b in order[at + 1 :]]
    if not comparison.all_pairs:
        baseline = comparison.systems[0]
        listed = [metric.pair(name, baseline) for name in order if name != baseline]
    return {
        "metric": metric,
        "order": order,
        "rows": [(a, [cell(a, b) for b in order]) for a in order] if comparison.all_pairs else [],
        "is_small": len(order) <= MOST_CELLS,
        "has_titles": len(order) <= MOST_TITLES,
        "steps": steps,
        "sentences": list(told(comparison, metric)),
        "pairs": listed,
    }


def against(study: Study, metrics: Sequence[MetricReport], a: str, b: str) -> dict[str, Any]:
    """Show two systems under every metric, with the segments on which each is better."""
    rows = [(one, one.pair(a, b), study.segments(one.key).signs(a, b)) for one in metrics]
    sides = {(one.delta > 0) == metric.higher_is_better for metric, one, _ in rows if one.delta}
    first = study.segments(metrics[0].key)
    differences = sorted(first.difference(a, b).tolist(), reverse=True)
    n = len(differences)
    points = [(100 * (at + 0.5) / n, value) for at, value in enumerate(differences)]
    name = metrics[0].name
    title = f"Differences of {name} between the two systems on each segment, from the largest to the smallest"
    good, bad = ("area up", "area down") if metrics[0].higher_is_better else ("area down", "area up")
    areas = [
        svg.Line([(x, max(y, 0.0)) for x, y in points], good), svg.Line([(x, min(y, 0.0)) for x, y in points], bad)
    ]  # fmt: skip
    figure = svg.chart(title, areas, "share of the segments, %", f"{name} of A less B", zero=True)
    shares = [round(100 * number / n) for number in rows[0][2][:2]]
    agree = len(rows) > 1 and len(sides) == 1 and all(one.delta for _, one, _ in rows)
    said = {"disagree": len(sides) > 1, "agree": agree}
    return {"a": a, "b": b, "rows": rows, **said, "figure": figure, "shares": shares}


def breakdown(study: Study, metrics: Sequence[MetricReport], name: str) -> dict[str, Any]:
    """Show the groups of one set of labels: the default pair under each metric, and all systems under the first."""
    groups = study.groups(name)
    pairs = [groups.pair(one.key, *study.pair) for one in metrics] if study.pair else []
    sizes = dict(groups.groups)
    order: list[Hashable] = list(sizes)
    if len(order) > MOST_GROUPS:
        first = {one.label: abs(one.delta) for one in pairs[0].groups} if pairs else sizes
        largest = sorted(order, key=lambda label: -first[label])[:MOST_GROUPS]
        order = [label for label in order if label in set(largest)]
    scores = {
        system: {group.label: group for group in found} for system, found in groups.scores[metrics[0].key].items()
    }
    return {
        "name": name,
        "n_groups": len(sizes),
        "labels": order,
        "sizes": sizes,
        "scores": scores,
        "n_samples": groups.n_samples,
        "reversals": [
            str(replace(pair.reversal, metric=one.name))
            for one, pair in zip(metrics, pairs, strict=False)
            if pair.reversal is not None
        ],
        "views": [
            _group_view(groups.scores[one.key], one, pair, order, groups.alpha)
            for one, pair in zip(metrics, pairs, strict=False)
        ],
    }


def _group_view(
    scores: Mapping[str, Any], metric: MetricReport, pair: PairedGroups, order: Sequence[Hashable], alpha: float
) -> dict[str, Any]:
    by_label = {one.label: one for one in pair.groups}
    wanted = [by_label[label] for label in order]
    ends = chain.from_iterable((one.delta, *(one.interval or ())) for one in wanted)
    scale = svg.spanning(ends, 8, svg.ROW_WIDTH - 8)
    ours, theirs = ({group.label: group for group in scores[name]} for name in (pair.a, pair.b))
    rows = []
    for one in wanted:
        kind = _group_kind(one, metric.higher_is_better, alpha)
        rows.append((one, ours[one.label], theirs[one.label], svg.row_dot(scale, one.delta, one.interval, kind), kind))
    return {"metric": metric, "rows": rows, "axis": svg.row_axis(scale)}


def _group_kind(one: GroupDifference, higher_is_better: bool | None, alpha: float) -> str:
    if one.adjusted_p_value is None or one.adjusted_p_value > alpha:
        return "none"
    return "gain" if (one.delta > 0) == higher_is_better else "loss"


class CardText(NamedTuple):
    """The output of a system: its letter, the text with marks, its scores by metric, and its errors in words."""

    letter: str
    runs: list[MarkedRun]
    scores: list[tuple[MetricReport, float]]
    errors: list[ShownError]
    summary: str
    is_open: bool  # because an error has no place in the text


class Card(NamedTuple):
    """A segment with its texts and scores."""

    segment: int  # counted from 0
    number: int  # as the files count it
    labels: list[tuple[str, Hashable]]
    source: list[MarkedRun] | None
    references: list[str]
    systems: list[CardText]
    names: list[str]
    delta: float | None


def cards(study: Study, metrics: Sequence[MetricReport], numbers: Sequence[int] | None) -> list[tuple[str, list[Card]]]:
    """Choose the segments with the largest gains and losses of the default pair, or the worst of one system."""
    scores = study.segments(metrics[0].key)
    if study.pair is None:
        only = scores.of(scores.systems[0])
        order = (only if scores.higher_is_better else -only).argsort(kind="stable")[: 2 * CARDS]
        lowest = [_card(study, metrics, int(at), numbers, scores.systems) for at in order]
        return [("The lowest scores", lowest), *_most_errors(study, metrics, numbers, scores.systems[:1])]
    a, b = study.pair
    lists = (("Where A gains most", scores.gains(a, b)), ("Where A loses most", scores.gains(b, a)))
    delta = scores.difference(a, b)
    made = [
        (title, [_card(study, metrics, at, numbers, (a, b))._replace(delta=float(delta[at])) for at in found[:CARDS]])
        for title, found in lists
    ]
    return [*made, *_most_errors(study, metrics, numbers, (a, b))]


def _most_errors(
    study: Study, metrics: Sequence[MetricReport], numbers: Sequence[int] | None, systems: Sequence[str]
) -> list[tuple[str, list[Card]]]:
    """The segments in which people or programs marked most errors; nothing where nobody marked any."""
    if not study.inputs.spans:
        return []
    counts = counts_of(study, systems)
    order = sorted((at for at, count in enumerate(counts) if count), key=lambda at: -counts[at])[:CARDS]
    return [("Where most errors are marked", [_card(study, metrics, at, numbers, systems) for at in order])]


def _card(
    study: Study, metrics: Sequence[MetricReport], at: int, numbers: Sequence[int] | None, systems: Sequence[str]
) -> Card:
    given = study.inputs
    shown, in_source = [], []
    for letter, name in zip("AB", systems, strict=False):
        of_metrics = [(one, float(study.segments(one.key).of(name)[at])) for one in metrics]
        errors = errors_of(study, name, at)
        runs = runs_of(given.systems[name][at], [("", one) for one in errors if not one.span.in_source])
        is_open = any(one.span.start < 0 for one in errors)
        shown.append(CardText(letter, runs, of_metrics, errors, summary(errors), is_open))
        in_source += [(letter, one) for one in errors if one.span.in_source]
    return Card(
        at,
        at + 1 if numbers is None else numbers[at],
        [(name, labels[at]) for name, labels in given.labels.items()],
        None if given.sources is None else runs_of(given.sources[at], in_source),
        [text for stream in given.references if (text := stream[at]) is not None],
        shown,
        list(systems[:2]),
        None,
    )


@dataclass
class Check:
    """One finding of the doctor, with the systems that it was found in."""

    level: str
    code: str
    name: str
    where: str
    count: int
    message: str
    systems: list[str]
    places: list[int]  # of these systems among all that were looked at
    has_segments: bool
    units: Sequence[ShownUnit] = ()  # of the first of these systems


class ShownUnit(NamedTuple):
    """A unit of a `Finding`, and the parts of source and output around it, where it is marked."""

    at: int
    kind: str
    expected: str
    found: str
    sides: list[tuple[str, list[MarkedRun]]]


_MOST_UNITS = 3
_AROUND = 40  # characters on each side of a unit


def _shown_unit(study: Study, system: str, unit: tuple[int, str, str, str]) -> ShownUnit:
    at, kind, expected, _ = unit
    given, (wanted, _, got) = study.inputs, expected.partition(" → ")
    texts = [("source", given.sources[at] if given.sources else "", wanted), ("output", given.outputs[system][at], got)]
    return ShownUnit(*unit, [(side, _around(text, one or wanted, kind)) for side, text, one in texts if text])


def _around(text: str, unit: str, kind: str) -> list[MarkedRun]:
    """The part of a text around a unit, or its beginning if it does not have the unit, not even in a damaged form."""
    from truebleu.doctor.kept import places_of_damaged

    start = text.find(unit)
    places = [(start, start + len(unit))] if start >= 0 else places_of_damaged(text[:LONGEST_TEXT], unit)
    if not places:
        return [MarkedRun(pieces(text[: 2 * _AROUND]))]
    start, end = places[0]
    before, after = text[max(0, start - _AROUND) : start], text[end : end + _AROUND]
    return [
        MarkedRun(pieces(before)),
        MarkedRun(pieces(text[start:end]), "other", title=kind),
        MarkedRun(pieces(after)),
    ]


def checks(study: Study, own: Sequence[OwnCheck], *, quotes: bool) -> dict[str, Any]:
    """Gather what the doctor says of all systems; a finding that several systems share is told once."""
    from truebleu.doctor.rule import LEVELS
    from truebleu.doctor.rules import RULES

    diagnoses, found = study.checks, dict[tuple[str, ...], Check]()
    for place, (name, diagnosis) in enumerate(diagnoses.items()):
        for one in diagnosis.findings:
            message = one.message if quotes else one.discreet
            key = (one.code, one.side, message)
            check = Check(one.level, one.code, one.name, one.side, one.count, message, [], [], bool(one.segments),
                          [_shown_unit(study, name, unit) for unit in one.units[:_MOST_UNITS] if quotes])  # fmt: skip
            found.setdefault(key, check).systems.append(name)
            found[key].places.append(place)
    told = [
        Check("warning", one.code, one.name, "the study", 0, text, [], [], False)
        for one in own
        for text in one.messages
    ]
    listed = sorted([*found.values(), *told], key=lambda one: (-LEVELS.index(one.level), one.code))
    failed = {one.code for one in listed}
    skipped = {code: why for one in diagnoses.values() for code, why in one.not_checked.items() if code not in failed}
    skipped |= {one.code: one.skipped for one in own if one.skipped}
    made: list[Rule | OwnCheck] = [*(RULES if diagnoses else ()), *own]
    warned = sum(one.level == "warning" for one in listed)
    return {
        "found": listed,
        "failed": sum(one.level == "error" for one in listed),
        "warned": f", {number_of(warned, 'warning')}" if warned else "",
        "passed": [(rule.code, rule.name) for rule in made if rule.code not in failed and rule.code not in skipped],
        "skipped": [(rule.code, rule.name, skipped[rule.code]) for rule in made if rule.code in skipped],
    }


def for_script(study: Study, metrics: Sequence[MetricReport]) -> dict[str, Any]:
    """Give what the page shows and its script cannot compute: groups with their tests, lengths, checks."""
    sizes = [label for label in LENGTH_LABELS if label in set(study.length_labels)]
    places = {label: at for at, label in enumerate(sizes)}
    checked = list(enumerate(study.checks.values()))
    return {
        "baseline": study.baseline,
        "alpha": study.alpha,
        "lengths": {
            "known": LENGTH_LABELS, "values": sizes, "codes": [places[str(label)] for label in study.length_labels]
        },
        "groups": [_tested_groups(study, metrics, name) for name in study.label_sets],
        "checked": list(study.checks),
        "checks": [
            {"code": one.code, "name": one.name, "side": one.side, "system": place, "segments": one.segments}
            for place, diagnosis in checked
            for one in diagnosis.findings
            if one.segments
        ],
    }  # fmt: skip


def _tested_groups(study: Study, metrics: Sequence[MetricReport], name: str) -> dict[str, Any]:
    """The groups in their order, by the places of their labels; scores of all systems, or of A and B in a large set."""
    groups = study.groups(name)
    labels = study.length_labels if name == LENGTH else study.inputs.labels[name]
    # The script knows the labels in the order in which segments have them, and lengths from the shortest.
    known = [label for label in LENGTH_LABELS if label in set(labels)] if name == LENGTH else dict.fromkeys(labels)
    places = {label: at for at, label in enumerate(known)}
    wanted = study.pair if study.pair and len(groups.groups) > MOST_GROUPS else study.inputs.systems
    scores, tests = {}, {}
    for one in metrics:
        by_system = groups.scores[one.key]
        scores[one.key] = {who: [(group.score, group.half_width) for group in by_system[who]] for who in wanted}
        if study.pair:
            pair = groups.pair(one.key, *study.pair)
            tests[one.key] = [(group.interval, group.adjusted_p_value) for group in pair.groups]
    return {"codes": [places[label] for label, _ in groups.groups], "scores": scores, "tests": tests}


# Agreement with people.

_MOST_FIGURES = 4


def agreement(study: Study, found: Agreement) -> dict[str, Any]:
    """The table of metrics and statistics, and the means of systems for the metrics that agree best."""
    from truebleu.agreement.text import head_of, notes_of, rows_of

    figures = []
    for metric in [*found.metrics][:_MOST_FIGURES]:
        ours, theirs = (study.scores[key] for key in (metric, found.gold))
        points = [(ours[system].score, theirs[system].score) for system in found.systems]
        line = svg.Line(points, "systems")
        figures.append((metric, svg.chart(f"{metric} and {found.gold}", [line], metric, found.gold, margin=0.05)))
    return {
        "link": ("agreement", "Agreement with people"), "gold": found.gold, "head": head_of(found), "words": (0,),
        "rows": rows_of(found), "notes": [*notes_of(found)], "figures": figures,
    }  # fmt: skip


# Overlap with training text, and terms.


def overlapping(report: SplitReport) -> Iterator[dict[str, Any]]:
    """The scores of the parts of a test set, and the pairs of systems."""
    from truebleu.contamination.text import notes_of, pair_table, system_table

    sizes = ", ".join(f"{name} {count:,}" for name, count in report.sizes.items())
    parts = [("overlap", "Overlap with training text", *system_table(report))]
    if report.pairs:
        parts.append(("overlap-pairs", "Overlap: pairs of systems", *pair_table(report)))
    for name, title, head, rows in parts:
        rows = [[*row[:2], *(cell.replace("-", "\u2212") for cell in row[2:])] for row in rows]
        notes = [f"Segments: {sizes}."] if name == "overlap" else []
        notes += notes_of(report) if name == parts[-1][0] else []
        yield {"link": (name, title), "head": head, "words": (0, 1), "rows": rows, "figures": (), "notes": notes}


def missed_terms(study: Study, key: str) -> dict[str, Any]:
    """The terms that systems missed most."""
    head, rows = missed_most(study.terms[key])
    note = f"At most {MOST} terms, with how often they are wanted and how often each system has them."
    return {
        "link": (f"terms-{list(study.terms).index(key)}", f"Terms that were missed most ({key})"), "head": head,
        "words": (0, len(head) - 1), "rows": rows, "figures": (), "notes": [note if rows else "No term was missed."],
    }  # fmt: skip
