"""Scores of people and of metrics brought side by side: the systems that all have, in order of name, and all items."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from truebleu._counts import number_of
from truebleu._inputs import as_float, brief, check_labels, ordered
from truebleu._logs import warn
from truebleu._options import yes_or_no
from truebleu._shown import shown
from truebleu.errors import InputTypeError, LengthMismatch, OptionError, TooFew, TruebleuError
from truebleu.metrics.external import ExternalMetric
from truebleu.scores.table import ScoreTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truebleu.agreement.cells import Floats

FEWEST_SYSTEMS, FEWEST_ITEMS = 3, 2


class ScoresBySystem(NamedTuple):
    """The scores of a metric, or people's, by system; higher is better after `sign`."""

    name: str
    scores: Mapping[str, Floats]
    items: Sequence[Hashable] | None  # None: known by their order
    documents: Sequence[Hashable] | None
    sign: int = 1


class Aligned(NamedTuple):
    """Tables of systems × items, higher is better, NaN where a score is missing."""

    systems: tuple[str, ...]
    people: Floats
    metrics: Mapping[str, Floats]
    documents: list[Hashable] | None
    directions: Mapping[str, str]
    notes: tuple[str, ...]


def columns_of(what: str, given: Any, directions: Mapping[str, bool | None]) -> list[ScoresBySystem]:
    """Take the columns of tables of scores, or of a mapping from names to mappings from systems to scores."""
    tables = given if isinstance(given, (list, tuple)) else [given]
    if tables and all(isinstance(one, ScoreTable) for one in tables):
        found = [_column(what, table, name, directions) for table in tables for name in table.metrics]
    elif isinstance(given, Mapping) and all(isinstance(one, Mapping) for one in given.values()):
        plain = [ScoresBySystem(name, _arrays(what, name, one), None, None) for name, one in given.items()]
        found = [_with_direction(what, one, directions.get(one.name)) for one in plain]
    else:
        raise InputTypeError(
            f"agree: {what} is {brief(given)}, expected a table of scores, or {{name: {{system: [scores]}}}}"
        )
    names = [one.name for one in found]
    if not names:
        raise OptionError(f"agree: {what} has no scores")
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise OptionError(f"agree: {what} has {brief(twice[0])} twice; expected each name once")
    return found


def _column(what: str, table: ScoreTable, name: str, directions: Mapping[str, bool | None]) -> ScoresBySystem:
    systems = table.scored(name)
    scores = dict(zip(systems, table.matrix(name, systems), strict=True))
    items = None if table.is_by_order else table.items
    column = ScoresBySystem(name, scores, items, table.documents)
    return _with_direction(what, column, directions.get(name), table)


def align(
    people: ScoresBySystem,
    metrics: Sequence[ScoresBySystem],
    documents: Iterable[Hashable] | None,
    exclude: Iterable[str] = (),
    only: Sequence[bool] | None = None,
) -> Aligned:
    """Bring scores side by side."""
    shared, notes = _shared(people, metrics, set(exclude))
    items = _items(people, metrics)
    of_people, *of_metrics = (one.sign * _table(one, shared, items) for one in (people, *metrics))
    labels = _documents((people, *metrics), items, documents, of_people.shape[1])
    for system, row in zip(shared, of_people, strict=True):
        if np.isnan(row).all():
            raise TooFew(f"agree: human has no score of {brief(system)}; leave it out with exclude")
    kept = np.asarray(~np.isnan(of_people).all(axis=0))
    if not kept.all():
        notes.append(
            f"metrics: {number_of(len(kept), 'segment', commas=True)}, people: {int(kept.sum()):,}; only those with "
            "scores of people count"
        )
    if only is not None:
        kept &= _chosen(only, len(kept))
    if kept.sum() < FEWEST_ITEMS:
        which = "" if only is None else " that only takes"
        raise TooFew(f"agree: human has scores of {int(kept.sum())} items{which}, expected {FEWEST_ITEMS} or more")
    chosen = None if labels is None else [label for label, is_kept in zip(labels, kept, strict=True) if is_kept]
    found = {one.name: table[:, kept] for one, table in zip(metrics, of_metrics, strict=True)}
    directions = {one.name: "higher" if one.sign > 0 else "lower" for one in metrics}
    return Aligned(tuple(shared), of_people[:, kept], found, chosen, directions, tuple(notes))


def _chosen(only: Any, size: int) -> NDArray[np.bool_]:
    """Which items are to count, after a check that there is one truth value for each."""
    given = ordered("agree", "only", only, "a list with True or False for each item")
    if len(given) != size:
        raise LengthMismatch(f"agree: only has {number_of(len(given), 'value')}, and there are {size} items")
    return np.array([yes_or_no("agree", f"only[{at}]", one) for at, one in enumerate(given)], np.bool_)


def _shared(
    people: ScoresBySystem, metrics: Sequence[ScoresBySystem], left_out: set[str]
) -> tuple[list[str], list[str]]:
    """Find the systems that all have, in order of name, and say who is left out."""
    shared = sorted(set(people.scores).intersection(*(one.scores for one in metrics)) - left_out)
    everybody = set(people.scores).union(*(one.scores for one in metrics)) - left_out
    if len(shared) < FEWEST_SYSTEMS:
        raise TooFew(
            f"agree: human and all metrics have {number_of(len(shared), 'system')} in common "
            f"({', '.join(map(_short, shared))}), "
            f"expected {FEWEST_SYSTEMS} or more{' without those of exclude' if left_out else ''}; "
            f"human has {_listed(people)}, {_short(metrics[0].name)} has {_listed(metrics[0])}"
        )
    alone = sorted(everybody - set(shared))
    return shared, [f"without scores of people or of a metric, and left out: {', '.join(alone)}"] if alone else []


def _documents(
    columns: Sequence[ScoresBySystem], items: Sequence[Hashable] | None, given: Iterable[Hashable] | None, size: int
) -> list[Hashable] | None:
    """The documents that were given, or those that a table knows, in the order of the items."""
    if given is not None:
        labels = list(ordered("agree", "documents", given, "a list with one label for each item"))
        if len(labels) != size:
            raise LengthMismatch(
                f"agree: documents has {number_of(len(labels), 'label')}, expected {size}, one for each item"
            )
        return check_labels("agree", "documents", labels, size)
    for one in columns:
        if one.documents is not None and (items is None or one.items is None):
            return list(one.documents)
        if one.documents is not None and items is not None:
            known = dict(zip(one.items or (), one.documents, strict=True))
            if all(item in known for item in items):
                return [known[item] for item in items]
    return None


def _with_direction(
    what: str, column: ScoresBySystem, said: bool | None, table: ScoreTable | None = None
) -> ScoresBySystem:
    """Ask the name, the sign of the scores, the file and the caller whether higher is better."""
    values = np.concatenate([np.empty(0), *column.scores.values()])
    values = values[~np.isnan(values)]
    if not len(values):
        raise TooFew(f"agree: {what}: {_short(column.name)} has no scores")
    try:
        if table is None:
            metric = ExternalMetric(column.name.translate({ord(":"): " ", ord("|"): " "}), higher_is_better=said)
            metric.stats(values)
        else:
            metric = table.metric(column.name, said)
    except OptionError as error:
        raise OptionError(f"agree: {what}{'' if said is None else ' and higher_is_better'}: {error}") from error
    try:
        return column._replace(sign=1 if metric.higher_is_better else -1)
    except TruebleuError as error:
        raise OptionError(
            f"agree: {what}: it is unknown whether higher or lower scores of {_short(column.name)} are better: pass "
            f"higher_is_better={{{brief(column.name)}: True}}, or False (--higher-is-better, --lower-is-better)"
        ) from error


def _arrays(what: str, name: Any, scores: Mapping[Any, Any]) -> dict[str, Floats]:
    """The scores of each system as arrays, after a check of them and of the names."""
    if not isinstance(name, str) or not name:
        raise InputTypeError(f"agree: {what} has the name {brief(name)}, expected a text")
    found = {}
    for system, given in scores.items():
        if not isinstance(system, str):
            raise InputTypeError(f"agree: {what}[{brief(name)}] has the system {brief(system)}, expected its name")
        place = f"{what}[{brief(name)}][{brief(system)}]"
        values = ordered("agree", place, given, "a list of numbers, None for a missing one")
        found[system] = np.array([np.nan if one is None else as_float(one) for one in values], dtype=np.float64)
        for at in np.flatnonzero(np.isnan(found[system])):
            if values[at] is not None and not _is_nan(values[at]):
                raise InputTypeError(f"agree: {place} has a score that is no number: {brief(values[at])}")
        if np.isinf(found[system]).any():
            raise InputTypeError(f"agree: {place} has an infinite score, expected numbers or None")
    return found


def _is_nan(value: Any) -> bool:
    return isinstance(value, float | np.floating) and bool(np.isnan(value))


def _items(people: ScoresBySystem, metrics: Sequence[ScoresBySystem]) -> Sequence[Hashable] | None:
    """The items of people's, if all are known by name; else all must be equally many."""
    if people.items is not None and all(one.items is not None for one in metrics):
        return people.items
    # A metric may have the name of people's scores.
    counts = [(one.name, {len(scores) for scores in one.scores.values()}) for one in (people, *metrics)]
    if len(set().union(*(sizes for _, sizes in counts))) > 1:
        sizes = "; ".join(f"{name} {' and '.join(map(str, sorted(sizes)))}" for name, sizes in counts)
        raise LengthMismatch(
            f"agree: scores of human and metrics without names of items must be equally many, got {shown(sizes)}"
        )
    return None


def _table(column: ScoresBySystem, systems: Sequence[str], items: Sequence[Hashable] | None) -> Floats:
    table = np.stack([column.scores[system] for system in systems])
    if items is None or column.items == items:
        return table
    places = {item: at for at, item in enumerate(column.items or ())}
    if missing := [item for item in items if item not in places]:
        if len(missing) == len(items):
            raise LengthMismatch(
                f"agree: {column.name} and people have no item in common: {brief(items[0])} is not in {column.name}"
            )
        warn("%s lacks %d of the items, such as %s", column.name, len(missing), brief(missing[0]))
    there = np.array([places.get(item, -1) for item in items])
    return np.where(there >= 0, table[:, there], np.nan)


def _listed(column: ScoresBySystem) -> str:
    return ", ".join(map(_short, sorted(column.scores)[:5])) + (", …" if len(column.scores) > 5 else "")


def _short(name: str) -> str:
    return shown(name, 40)
