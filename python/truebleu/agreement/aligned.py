"""Scores of people and of metrics brought side by side: the systems that all have, in order of name, and all items."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from truebleu._counts import number_of
from truebleu._inputs import brief
from truebleu._logs import warn
from truebleu.errors import InputTypeError, LengthMismatch, OptionError, TooFew, TruebleuError
from truebleu.metrics.external import ExternalMetric
from truebleu.scores.table import ScoreTable

if TYPE_CHECKING:
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


def columns_of(what: str, given: Any, directions: Mapping[str, bool]) -> list[ScoresBySystem]:
    """Take the columns of tables of scores, or of a mapping from names to mappings from systems to scores."""
    tables = given if isinstance(given, (list, tuple)) else [given]
    if tables and all(isinstance(one, ScoreTable) for one in tables):
        found = [_column(table, name, directions) for table in tables for name in table.metrics]
    elif isinstance(given, Mapping) and all(isinstance(one, Mapping) for one in given.values()):
        plain = [ScoresBySystem(name, _arrays(name, one), None, None) for name, one in given.items()]
        found = [_with_direction(one, directions.get(one.name)) for one in plain]
    else:
        raise InputTypeError(
            f"agree: {what} is {brief(given)}, expected a table of scores, or {{name: {{system: [scores]}}}}"
        )
    names = [one.name for one in found]
    if not names:
        raise OptionError(f"agree: {what} has no scores")
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise OptionError(f"agree: {what} has {twice[0]!r} twice; expected each name once")
    return found


def _column(table: ScoreTable, name: str, directions: Mapping[str, bool]) -> ScoresBySystem:
    systems = table.scored(name)
    scores = dict(zip(systems, table.matrix(name, systems), strict=True))
    items = None if table.is_by_order else table.items
    return _with_direction(ScoresBySystem(name, scores, items, table.documents), directions.get(name), table)


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
            raise TooFew(f"agree: people have no score of {system!r}; leave it out with exclude")
    kept = np.asarray(~np.isnan(of_people).all(axis=0))
    if not kept.all():
        notes.append(
            f"metrics: {number_of(len(kept), 'segment', commas=True)}, people: {int(kept.sum()):,}; only those with "
            "scores of people count"
        )
    if only is not None:
        kept &= np.asarray(only, bool)
    if kept.sum() < FEWEST_ITEMS:
        raise TooFew(f"agree: people have scores of {int(kept.sum())} items, expected {FEWEST_ITEMS} or more")
    chosen = None if labels is None else [label for label, is_kept in zip(labels, kept, strict=True) if is_kept]
    found = {one.name: table[:, kept] for one, table in zip(metrics, of_metrics, strict=True)}
    directions = {one.name: "higher" if one.sign > 0 else "lower" for one in metrics}
    return Aligned(tuple(shared), of_people[:, kept], found, chosen, directions, tuple(notes))


def _shared(
    people: ScoresBySystem, metrics: Sequence[ScoresBySystem], left_out: set[str]
) -> tuple[list[str], list[str]]:
    """Find the systems that all have, in order of name, and say who is left out."""
    shared = sorted(set(people.scores).intersection(*(one.scores for one in metrics)) - left_out)
    everybody = set(people.scores).union(*(one.scores for one in metrics)) - left_out
    if len(shared) < FEWEST_SYSTEMS:
        raise TooFew(
            f"agree: people and all metrics have {number_of(len(shared), 'system')} in common ({', '.join(shared)}), "
            f"expected {FEWEST_SYSTEMS} or more; people have {_listed(people)}, {metrics[0].name} has "
            f"{_listed(metrics[0])}"
        )
    alone = sorted(everybody - set(shared))
    return shared, [f"without scores of people or of a metric, and left out: {', '.join(alone)}"] if alone else []


def _documents(
    columns: Sequence[ScoresBySystem], items: Sequence[Hashable] | None, given: Iterable[Hashable] | None, size: int
) -> list[Hashable] | None:
    """The documents that were given, or those that a table knows, in the order of the items."""
    if given is not None:
        labels = list(given)
        if len(labels) != size:
            raise LengthMismatch(
                f"agree: documents has {number_of(len(labels), 'label')}, expected {size}, one for each item"
            )
        return labels
    for one in columns:
        if one.documents is not None and (items is None or one.items is None):
            return list(one.documents)
        if one.documents is not None and items is not None:
            known = dict(zip(one.items or (), one.documents, strict=True))
            if all(item in known for item in items):
                return [known[item] for item in items]
    return None


def _with_direction(column: ScoresBySystem, said: bool | None, table: ScoreTable | None = None) -> ScoresBySystem:
    """Ask the name, the sign of the scores, the file and the caller whether higher is better."""
    values = np.concatenate([np.empty(0), *column.scores.values()])
    values = values[~np.isnan(values)]
    if not len(values):
        raise TooFew(f"agree: {column.name} has no scores")
    if table is None:
        metric = ExternalMetric(column.name.translate({ord(":"): " ", ord("|"): " "}), higher_is_better=said)
        metric.stats(values)
    else:
        metric = table.metric(column.name, said)
    try:
        return column._replace(sign=1 if metric.higher_is_better else -1)
    except TruebleuError as error:
        raise OptionError(
            f"agree: it is unknown whether higher or lower scores of {column.name} are better: pass "
            f"higher_is_better={{{column.name!r}: True}}, or False (--higher-is-better, --lower-is-better)"
        ) from error


def _arrays(name: str, scores: Mapping[str, Iterable[float | None]]) -> dict[str, Floats]:
    found = {}
    for system, given in scores.items():
        try:
            found[system] = np.array([np.nan if one is None else one for one in given], dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InputTypeError(f"agree: {name} of {system!r} has a score that is no number ({error})") from error
        if np.isinf(found[system]).any():
            raise InputTypeError(f"agree: {name} of {system!r} has an infinite score, expected numbers or None")
    return found


def _items(people: ScoresBySystem, metrics: Sequence[ScoresBySystem]) -> Sequence[Hashable] | None:
    """The items of people's, if all are known by name; else all must be equally many."""
    if people.items is not None and all(one.items is not None for one in metrics):
        return people.items
    counts = {one.name: {len(scores) for scores in one.scores.values()} for one in (people, *metrics)}
    if len(set().union(*counts.values())) > 1:
        sizes = "; ".join(f"{name} {' and '.join(map(str, sorted(sizes)))}" for name, sizes in counts.items())
        raise LengthMismatch(f"agree: scores without names of items must be equally many, got {sizes}")
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
    return ", ".join(sorted(column.scores)[:5]) + (", …" if len(column.scores) > 5 else "")
