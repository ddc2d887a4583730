"""What a learned metric could not see, or did not: text that was cut off, copied sources, a language it may not know.

These rules look at the scores of learned metrics, and find nothing where there are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from math import isinf
from typing import TYPE_CHECKING, Any

from truebleu._shown import shown
from truebleu._text.p_values import p_text
from truebleu.doctor.content import source_copied, wrong_language, wrong_script
from truebleu.doctor.rule import Fault, NotChecked, many
from truebleu.resample.randomization import randomize
from truebleu.resample.seed import Seed
from truebleu.runners.languages import encoder_of, is_known

if TYPE_CHECKING:
    from truebleu.doctor.case import Case

_FEWEST = 50  # segments that say anything about a spread
_DEAD = 1e-4  # a standard deviation below this, as a part of the range, is that of a model that does not work
_NEAR = 0.5  # standard deviations
_FEWEST_ODD = 3
_PLACELESS = 0.05  # of the errors of a judge
_TRIALS, _LEVEL = 1000, 0.05  # of the tests behind D609
_MOST_OTHERS = 3  # systems that one message names


def _scores(corpus: Case) -> Iterator[tuple[Any, Any]]:
    """The learned metrics, and the scores of their segments; not a number where there is none."""
    import numpy as np

    for metric in corpus.metrics:
        if metric.is_learned:
            total, count = corpus.counted(metric).rows.T
            yield metric, np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _said(one: str, more: str, what: str, count: int) -> str:
    return f"{many(count, one, more)} {what}"


def cut_off(corpus: Case) -> Iterator[Fault]:
    """D601: find segments that were longer than a model reads."""
    import numpy as np

    for metric, scores in _scores(corpus):
        results = getattr(corpus.counted(metric), "results", ())
        cut = [at for at, one in enumerate(results) if one.cut]
        if cut:
            lost = sum(results[at].cut for at in cut)
            means = np.nanmean(scores[cut]), np.nanmean(scores)
            said = f"longer than {metric.label} reads, and cut off: {many(lost, 'token', 'tokens')}"
            yield Fault(
                partial(_said, "segment is", "segments are", said), cut,
                evidence={"tokens": lost, "mean_cut": float(means[0]), "mean": float(means[1])}, variant=metric.name,
            )  # fmt: skip


def alike(corpus: Case) -> Iterator[Fault]:
    """D602: find a model whose scores are nearly all the same, though the texts are not."""
    import numpy as np

    for metric, scores in _scores(corpus):
        low, high = metric.known.low, metric.known.high
        width = 1.0 if isinf(low) or isinf(high) else high - low
        given = scores[~np.isnan(scores)]
        if len(given) >= _FEWEST and len(set(corpus.hypotheses)) >= _FEWEST and given.std() < _DEAD * width:
            message = f"{metric.label} gives nearly all segments the same score: does its model work?"
            yield Fault(message, level="error", evidence={"deviation": float(given.std())}, variant=metric.name)


def copies_scored_well(corpus: Case) -> Iterator[Fault]:
    """D603: find copies of the source that a learned metric scores like translations."""
    copied = [at for fault in source_copied(corpus) for at in fault.segments]
    several = "segment is a copy", "segments are copies"
    yield from _scored_well(corpus, copied, several, "of the source, scored like translations by")


def foreign_scored_well(corpus: Case) -> Iterator[Fault]:
    """D608: find text in another language that a metric without references scores like translations."""
    if any(metric.is_learned and not metric.needs_references for metric in corpus.metrics):
        foreign = sorted(
            {at for find in (wrong_language, wrong_script) for fault in find(corpus) for at in fault.segments}
        )
        several = "segment does", "segments do"
        said = "not look like the target language, scored like translations by"
        yield from _scored_well(corpus, foreign, several, said, without_references=True)


def _scored_well(
    corpus: Case, places: Sequence[int], several: tuple[str, str], said: str, *, without_references: bool = False
) -> Iterator[Fault]:
    """Find the metrics that score some segments, which are no translations, like the rest."""
    import numpy as np

    is_odd = np.zeros(corpus.n, bool)
    is_odd[places] = True
    for metric, scores in _scores(corpus):
        there = ~np.isnan(scores)
        odd, others = scores[is_odd & there], scores[~is_odd & there]
        if (without_references and metric.needs_references) or len(odd) < _FEWEST_ODD or len(others) < _FEWEST:
            continue
        better = 1 if metric.higher_is_better else -1
        if better * (odd.mean() - others.mean()) >= -_NEAR * others.std():
            yield Fault(
                partial(_said, *several, f"{said} {metric.label}"), [*places], variant=metric.name,
                evidence={"mean_odd": float(odd.mean()), "mean": float(others.mean())},
            )  # fmt: skip


def unknown_language(corpus: Case) -> Iterator[Fault]:
    """D604: find a target language that the encoder of a learned metric may not know."""
    scripts = {metric: family.script for metric in corpus.metrics if (family := getattr(metric, "family", None))}
    if scripts and not re.match("[A-Za-z]{2,3}(?![A-Za-z])", corpus.language):
        raise NotChecked(f"the target language is {shown(corpus.language) or 'not known'}, and no code such as 'de'")
    for metric, script in scripts.items():
        if is_known(script, corpus.language) is False:
            yield Fault(
                f"{metric.label} may not know the target language: {shown(corpus.language)} is not among those of "
                f"{encoder_of(script)}, the usual encoder", level="note", variant=metric.name,
            )  # fmt: skip


def disagreeing(corpus: Case) -> Iterator[Fault]:
    """D609: find other systems that are better by one metric and worse by another, one of them significantly."""
    told: list[str] = []
    evidence: dict[str, float] = {}
    for name in corpus.others if any(metric.is_learned for metric in corpus.metrics) else ():
        gaps = [(metric, _gap(corpus, metric, name)) for metric in corpus.metrics]
        p_values = _p_values(corpus, name) if len({gap > 0 for _, gap in gaps if gap}) == 2 else []
        if min(p_values, default=1.0) < _LEVEL:
            better, worse = (
                ", ".join(
                    f"{metric.label} ({p_text(p, 'p')})"
                    for (metric, gap), p in zip(gaps, p_values, strict=True) if gap * sign > 0
                )
                for sign in (1, -1)
            )  # fmt: skip
            told.append(f"better than {shown(name)} by {better}, worse by {worse}")
            evidence |= {f"p {metric.label} {name}": p for (metric, _), p in zip(gaps, p_values, strict=True)}
    if told:
        rest = f"; and so with {len(told) - _MOST_OTHERS} more" if len(told) > _MOST_OTHERS else ""
        yield Fault(f"metrics disagree: {'; '.join(told[:_MOST_OTHERS])}{rest}", level="note", evidence=evidence)


def _gap(corpus: Case, metric: Any, name: str) -> float:
    """How much better a system is than another one; below zero where it is worse."""
    gap = metric.score(corpus.counted(metric)).score - metric.score(corpus.counted_of(metric, name)).score
    return float(gap if metric.higher_is_better else -gap)


def _p_values(corpus: Case, name: str) -> list[float]:
    """The p-value of the difference to another system in each metric, by approximate randomization."""
    pairs = (
        [(metric.engine, stats.rows) for stats in (corpus.counted(metric), corpus.counted_of(metric, name))]
        for metric in corpus.metrics
    )
    return [
        randomize(both, [([0], [1])], _TRIALS, Seed.of(None), threads=corpus.threads or 0)[0].p_value for both in pairs
    ]


def unparsed(corpus: Case) -> Iterator[Fault]:
    """D605: find segments about which a judge gave no answer that can be read."""
    for metric, results in _results(corpus):
        lost = [at for at, one in enumerate(results) if one.parts.get("bad")]
        if lost:
            said = f"an answer of {metric.label} that could not be read"
            yield Fault(partial(_said, "segment has", "segments have", said), lost, variant=metric.name)


def placeless(corpus: Case) -> Iterator[Fault]:
    """D607: find a judge that names errors in words that the texts do not have."""
    for metric, results in _results(corpus):
        errors = sum(one.parts.get("errors", 0) for one in results)
        lost = [at for at, one in enumerate(results) if one.parts.get("placeless")]
        count = int(sum(results[at].parts["placeless"] for at in lost))
        if errors >= _FEWEST and count > _PLACELESS * errors:
            said = f"errors whose words stand nowhere, by {metric.label}: {count} of {int(errors)}"
            yield Fault(
                partial(_said, "segment has", "segments have", said), lost, variant=metric.name,
                evidence={"errors": errors, "placeless": count},
            )  # fmt: skip


def _results(corpus: Case) -> Iterator[tuple[Any, Sequence[Any]]]:
    """The learned metrics, and the results of their segments."""
    for metric in corpus.metrics:
        if metric.is_learned:
            yield metric, getattr(corpus.counted(metric), "results", ())
