"""The scores of one system: its means with intervals, and nothing to be tested."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from truebleu._options import thread_count
from truebleu._shown import shown
from truebleu._text.style import Style
from truebleu.resample.seed import Seed
from truebleu.scores.comparing import ColumnFacts, described, documents_of, standardized
from truebleu.scores.text import as_dict, shown_title
from truebleu.significance.defaults import RESAMPLES
from truebleu.significance.units import FEWEST_SCORES, score_by_documents
from truebleu.study.results import Results, SystemScores, fitted

if TYPE_CHECKING:
    from truebleu.metrics import Score
    from truebleu.scores.table import ScoreTable


class AloneScore(NamedTuple):
    """The mean of a system under a metric, and what is known of the metric."""

    facts: ColumnFacts
    score: Score
    draws_documents: bool


def scored_alone(
    table: ScoreTable,
    system: str,
    *,
    unit: str = "auto",
    z: str | None = None,
    higher_is_better: dict[str, bool] | None = None,
    direction_anyway: bool = False,
    seed: int | str | None = None,
    threads: int | None = None,
    with_raters: bool = False,
) -> list[AloneScore]:
    """Score one system under all metrics of a table; documents are drawn whole where they are known."""
    import numpy as np

    table, found = table.in_order(), []
    for name in table.metrics:
        table = table if z is None else standardized(table, name)
        said = (higher_is_better or {}).get(name)
        metric = table.metric(name, said, direction_anyway=direction_anyway and said is not None)
        stats, labels = table.stats(name, [system], metric)[system], documents_of(table, unit)
        there = np.flatnonzero(stats.rows[:, 1])
        own = stats.select(there)
        drawn = None if labels is None else [labels[at] for at in there]
        samples = RESAMPLES if len(own) == len(stats) or len(own) >= FEWEST_SCORES else 0
        if samples and drawn is not None and len(set(drawn)) > 1:
            score = score_by_documents(metric, own, drawn, samples, Seed.of(seed), thread_count(threads))
        else:
            score = metric.score(own, samples if len(own) > 1 else 0, seed=seed, threads=threads)
        higher = None if metric.direction is None else metric.higher_is_better
        facts = described(table, name, [system], higher, with_raters)
        found.append(AloneScore(facts, score, drawn is not None))
    return found


def results_alone(system: str, found: list[AloneScore]) -> Results:
    """Give the scores as the formats of reports take them."""
    return Results((SystemScores(system, system, tuple(one.score for one in found)),))


def lines_alone(system: str, found: list[AloneScore], width: int | None = None) -> Iterator[str]:
    """Write for each metric what it is, and its mean."""
    style = Style(width=2 if width is None else width, is_width_typed=width is not None)
    style = fitted(style, results_alone(system, found))
    for at, (facts, score, _) in enumerate(found):
        own = style.of(score.name)
        yield from ("",) * (at > 0)
        yield shown_title(facts)
        interval = ""
        if score.confidence is not None:
            mean, half_width = score.confidence
            interval = f"  [{own.number(mean - half_width)}, {own.number(mean + half_width)}]"
        yield f"  {shown(system)}  {own.number(score.score)}{interval}  n = {facts.items:,}"
        yield f"{shown(score.name)}|{score.signature}"
    yield "One system alone has nothing to be tested against."


def dict_alone(system: str, found: list[AloneScore]) -> dict[str, Any]:
    """Give everything as plain values, for JSON."""
    metrics = []
    for facts, score, draws_documents in found:
        mean, half_width = score.confidence or (None, None)
        own = {"name": system, "score": score.score, "mean": mean, "half_width": half_width, "n": facts.items}
        metrics.append(
            {
                "key": facts.metric,
                "name": score.name,
                "signature": str(score.signature),
                "higher_is_better": None if facts.direction is None else facts.direction == "higher",
                "unit": "document" if draws_documents else facts.level,
                "systems": [own],
                "pairs": [],
            }
        )
    return {**as_dict(None, [one.facts for one in found]), "systems": [system], "metrics": metrics}
