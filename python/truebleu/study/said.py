"""What a study knows of its test set beside scores: overlap with training text, and the terms of a glossary."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from truebleu._inputs import brief
from truebleu.errors import InputTypeError, MissingReferences
from truebleu.study.inputs import WHO, Inputs

if TYPE_CHECKING:
    from truebleu.contamination.found import Overlap
    from truebleu.contamination.split import SplitReport
    from truebleu.metrics.terms import Terms
    from truebleu.study.study import Study


def overlap_of(given: Any, references: Sequence[Sequence[str | None]]) -> Overlap:
    """Take an overlap, or read it; it must be of these references."""
    from truebleu.contamination.found import Overlap

    found = Overlap.load(given) if isinstance(given, str | os.PathLike) else given
    if not isinstance(found, Overlap):
        raise InputTypeError(f"{WHO}: overlap is {brief(given)}, expected what truebleu.overlap returns, or its file")
    if not references:
        raise MissingReferences(f"{WHO}: overlap is of a test set, and there are no references to know it by")
    found.require_test(references)
    return found


def split_of(study: Study, found: Overlap) -> SplitReport:
    """Score the parts of the test set under each metric of which no score is missing."""
    from truebleu.contamination.split import split_scores

    given = study.inputs
    counted = {key: (given.metrics[key], study.rows[key]) for key in study.complete}
    lengths = [len(next(filter(None, texts), "")) for texts in zip(*given.references, strict=True)]
    return split_scores(found, counted, lengths, seed=study.seed.value)


def terms_of(given: Inputs) -> dict[str, Terms]:
    """The metrics that have a glossary, which know the sources."""
    found: dict[str, Terms] = {}
    for key, metric in given.text_metrics.items():
        if getattr(metric, "glossary", None) is not None:
            placed: Any = metric if given.sources is None else metric._of_sources(given.sources)
            found[key] = placed
    return found
