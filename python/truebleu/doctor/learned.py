"""What a learned metric could not see, or did not: texts that were cut off, scores that are all alike, copied sources.

These rules look at the scores of learned metrics, and find nothing where there are none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import isinf
from typing import TYPE_CHECKING, Any

from truebleu.doctor.rule import Fault, many

if TYPE_CHECKING:
    from truebleu.doctor.case import Case

_FEWEST = 50  # segments that say anything about a spread
_DEAD = 1e-4  # a standard deviation below this, as a part of the range, is that of a model that does not work
_NEAR = 0.5  # standard deviations
_FEWEST_COPIES = 3
_PLACELESS = 0.05  # of the errors of a judge


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
    import numpy as np

    sources, outputs = corpus.folded["sources"], corpus.folded["hypotheses"]
    copied = np.array([bool(one) and one == other for one, other in zip(sources, outputs, strict=True)])
    for metric, scores in _scores(corpus):
        there = ~np.isnan(scores)
        copies, others = scores[copied & there], scores[~copied & there]
        if len(copies) < _FEWEST_COPIES or len(others) < _FEWEST:
            continue
        better = 1 if metric.higher_is_better else -1
        if better * (copies.mean() - others.mean()) >= -_NEAR * others.std():
            said = f"of the source, scored like translations by {metric.label}"
            yield Fault(
                partial(_said, "segment is a copy", "segments are copies", said),
                np.flatnonzero(copied).tolist(), variant=metric.name,
                evidence={"mean_copies": float(copies.mean()), "mean": float(others.mean())},
            )  # fmt: skip


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
