"""Scores of all systems in parts of the segments, from rows that were counted before."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from truebleu._inputs import References, check_cached
from truebleu.metrics.score import Score
from truebleu.significance.group_scores import draw_groups
from truebleu.stats import Stats
from truebleu.study.results import GroupScores, plain_score, signature_of

if TYPE_CHECKING:
    from truebleu.resample.seed import Seed

Rows = list[tuple[Any, Stats]]  # of one system, metric by metric
Streams = Sequence[Sequence[str | None]]
Scores = tuple[tuple[Score, ...], ...]  # of each system, metric by metric


def score_part(systems: Sequence[Rows], places: Sequence[int], streams: Streams = ()) -> Scores:
    """Score some segments of each system; given the references, signatures tell how many these segments have."""
    texts = References([[stream[at] for at in places] for stream in streams], len(places))
    count = cache(partial(check_cached, "the group", texts))

    def part(metric: Any, stats: Stats) -> Stats:
        some = stats.select(places)
        seen = count(metric.empty_refs == "keep") if streams else some.references
        return Stats(some.rows, some.columns, some.fingerprint, seen)

    return tuple(tuple(metric.score(part(metric, stats)) for metric, stats in rows) for rows in systems)


def score_groups(
    systems: Sequence[Rows],
    labels: Sequence[Hashable],
    samples: int,
    seed: Seed,
    threads: int,
    streams: Streams = (),
    documents: Sequence[Hashable] | None = None,
) -> tuple[Scores, dict[Any, GroupScores]]:
    """Score all segments and each group of them; in a group all systems and metrics share the draws."""
    counted, width = [one for rows in systems for one in rows], len(systems[0])
    totals: list[Score] = [metric.score(stats) for metric, stats in counted]

    def by_system(scores: list[Score]) -> Scores:
        return tuple(tuple(scores[at : at + width]) for at in range(0, len(scores), width))

    if streams and not samples:  # all that a metric tells of a group
        parts = counted[0][1].members(labels).items()
        groups = {label: GroupScores(str(label), len(at), score_part(systems, at, streams)) for label, at in parts}
        return by_system(totals), groups
    fields: dict[str, Any] = {"bs": samples, "seed": seed.number_text()} if samples else {}
    (every,) = draw_groups(counted, [""] * len(labels), samples, seed, documents=documents, threads=threads)
    if samples and every.documents is not None:
        fields["docs"] = every.documents
    for total, one in zip(totals, every.groups, strict=True):
        total.signature, total.confidence = signature_of(total).with_test(fields), one.interval
    groups = {}
    for drawn in draw_groups(counted, labels, samples, seed, documents=documents, threads=threads):
        group = drawn.groups
        both = zip(totals, group, strict=True)
        scores = [plain_score(total.name, one.number, total.signature, one.interval) for total, one in both]
        groups[group[0].label] = GroupScores(str(group[0].label), group[0].n_segments, by_system(scores))
    return by_system(totals), groups
