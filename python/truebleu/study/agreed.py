"""How well the metrics of a study agree with its scores of people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truebleu._logs import silenced
from truebleu.errors import TooFew

if TYPE_CHECKING:
    from truebleu.agreement.agreement import Agreement
    from truebleu.study.study import Study


def agreement_of(study: Study) -> Agreement | None:
    """Compare all metrics with the first one that is of people; None without one, or with too few systems for it."""
    from truebleu.agreement.agreement import agree

    given = study.inputs.metrics
    people = [key for key, metric in given.items() if getattr(metric, "kind", None) == "human"]
    others = [key for key, metric in given.items() if key not in people and _is_known(metric)]
    if not people or not others or not _is_known(given[people[0]]):
        return None
    tables = {key: _scores(study, key) for key in (people[0], *others)}
    directions = {key: bool(given[key].higher_is_better) for key in tables}
    try:
        with silenced():  # the comparison has said what there is to say of documents
            return agree(
                {people[0]: tables[people[0]]}, {key: tables[key] for key in others},
                documents=study.inputs.documents, higher_is_better=directions, alpha=study.alpha,
                seed=study.seed.value,
            )  # fmt: skip
    except TooFew:
        return None


def _is_known(metric: Any) -> bool:
    """Whether it is known if higher scores are better."""
    return getattr(metric, "direction", "higher") is not None


def _scores(study: Study, key: str) -> dict[str, list[float]]:
    found = study.segments(key)
    return {system: found.of(system).tolist() for system in found.systems}
