"""Rows that were counted earlier or elsewhere, made ready for `significance.compare`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from truebleu._inputs import brief
from truebleu.columns.schema import Layout, Measure, identity, measures
from truebleu.columns.table import batches
from truebleu.errors import EmptyCorpus, InputError, OptionError, StatsMismatch
from truebleu.stats import Stats


def stats_of_rows(
    data: Any, metric: Any, *, by: str | Sequence[str] = (), order: str | Sequence[str] = ()
) -> Stats | dict[Any, Stats]:
    """Make `Stats` of a table that `rows` made: of all its lines, or with `by` of those of each key.

    Parameters
    ----------
    data
        Anything that holds Arrow data: the table itself, or the path of a Parquet file it was written to.
    metric
        The metric that counted; a mapping of its name to it where `rows` was given a name.
    by
        The column whose values are the keys of the result; a list of columns makes tuples of values.
    order
        The columns that say which segment a line is: lines are sorted by them, so that the segments of two systems
        meet. No two lines of a key may have the same. Without them lines stay as they are.
    """
    if len(found := measures(metric)) != 1:
        raise OptionError(f"stats_of_rows: metric holds {len(found)} metrics, expected one")
    measure = found[0]
    layout = Layout(measure.cells[0], [*measure.cells[1:], f"{measure.name}_refs"], by, order)
    groups: dict[Any, list[tuple[Any, ...]]] = {}
    for batch in batches(data, layout.needed):
        layout.check(batch.names, batch.types)
        _check_counted_by(measure, batch.metadata())
        columns = {name: batch.values(name) for name in layout.needed}
        for row in range(len(batch)):
            cells = [columns[name][row] for name in (*measure.cells, f"{measure.name}_refs")]
            if None not in cells:  # such a row was skipped
                key = tuple(columns[name][row] for name in layout.by)
                place = tuple(columns[name][row] for name in layout.keep)
                groups.setdefault(key[0] if isinstance(by, str) else key, []).append((place, *cells))
    made = {key: _stats(measure, layout.keep, key, lines) for key, lines in groups.items()}
    if layout.by:
        return made
    if not made:
        raise EmptyCorpus("stats_of_rows: data has no rows")
    return made[()]


def _check_counted_by(measure: Measure, about: bytes | None) -> None:
    """Raise if the table says that its rows were counted with other options. One that says nothing is believed."""
    described = json.loads(about).get(measure.name) if about is not None else None
    if described is None:
        return
    theirs = identity(measure.metric.name, described["fingerprint"])
    if theirs != measure.id:
        raise StatsMismatch(
            f"stats_of_rows: the rows of {measure.name!r} were counted by {described['metric']} ({theirs}), and metric "
            f"is {measure.metric!r} ({measure.id})"
        )


def _stats(measure: Measure, order: Sequence[str], key: Any, lines: Iterable[tuple[Any, ...]]) -> Stats:
    lines = list(lines)
    if order:
        lines.sort(key=lambda line: [(value is None, value) for value in line[0]])
        for one, next_one in pairwise(lines):
            if one[0] == next_one[0]:
                place = ", ".join(f"{name}={brief(value)}" for name, value in zip(order, one[0], strict=True))
                raise InputError(f"stats_of_rows: two rows of the key {brief(key)} have the same order, {place}")
    if not all(type(cell).__name__ in ("int", "Decimal") for line in lines for cell in line[1:]):
        raise StatsMismatch(f"stats_of_rows: the cells of {measure.name!r} are not whole numbers, as rows are")
    cells = np.array([line[1:] for line in lines], np.int64)
    rows = cells[:, :-1] / np.array(measure.units, np.float64)
    pair = int(cells[:, -1].min()), int(cells[:, -1].max())
    return Stats(rows, measure.metric.columns, measure.metric.fingerprint(), pair)
