"""Rows that were counted earlier or elsewhere, made ready for `significance.compare`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from truebleu._counts import number_of
from truebleu._inputs import brief
from truebleu.columns.schema import METADATA, Layout, measures
from truebleu.columns.table import batches
from truebleu.errors import EmptyCorpus, InputError, MissingDependency, OptionError
from truebleu.stats import Stats


def stats_of_rows(
    data: Any, metric: Any, *, by: str | Sequence[str] = (), order: str | Sequence[str] = ()
) -> Stats | dict[Any, Stats]:
    """Make `Stats` of a table from `rows`: of all its rows, or with `by` of the rows of each key.

    Parameters
    ----------
    data
        Any object with Arrow data: the table itself, or the path of a Parquet file with it.
    metric
        The metric that counted; a mapping from its name to the metric if `rows` was given a name.
    by
        The column whose values are the keys of the result; a list of columns makes tuples of values.
    order
        The columns that identify the segment of a row: rows are sorted by them, so that two systems are compared
        segment by segment. Their values must be different for all rows of a key. Without them rows keep their order.
    """
    if len(found := measures(metric)) != 1:
        raise OptionError(f"stats_of_rows: metric holds {number_of(len(found), 'metric')}, expected one")
    name, counted = found[0].name, found[0].metric
    layout = Layout(found[0].cells[0], [*found[0].cells[1:], f"{name}_refs"], by, order)
    table = _counted(data, layout, counted, name)
    if not len(table):
        if layout.by:
            return {}
        raise EmptyCorpus("stats_of_rows: data has no rows")
    if layout.keep:
        table = table.sort_by([(column, "ascending") for column in layout.keep])
        _check_different(table, layout)
    if not layout.by:
        return Stats.from_arrow(table, counted, name=name)
    places: dict[Any, list[int]] = {}
    for at, line in enumerate(table.select(list(layout.by)).to_pylist()):
        key = tuple(line.values())
        places.setdefault(key[0] if isinstance(by, str) else key, []).append(at)
    return {key: Stats.from_arrow(table.take(rows), counted, name=name) for key, rows in places.items()}


def _counted(data: Any, layout: Layout, counted: Any, name: str) -> Any:
    """The rows of a table that were not skipped."""
    try:
        import pyarrow as pa
        import pyarrow.compute as pc
    except ImportError as error:
        raise MissingDependency(
            "stats_of_rows: rows are sorted with pyarrow, which is not installed: pip install 'truebleu[arrow]'"
        ) from error
    parts = []
    for batch in batches(data, layout.needed):
        layout.check(batch.names, batch.types)
        about = batch.metadata()
        parts.append(pa.table(pa.record_batch(batch)).replace_schema_metadata(about and {METADATA: about}))
        if about is not None:
            Stats.from_arrow(parts[-1].slice(0, 0), counted, name=name)  # each part must be counted by the metric
    if not parts:
        return []
    table = pa.concat_tables(parts, promote_options="default")  # the keys of a part without rows may be nulls
    return table.filter(pc.is_valid(table[layout.references[-1]]))


def _check_different(table: Any, layout: Layout) -> None:
    names = [*layout.by, *(name for name in layout.keep if name not in layout.by)]
    for line in table.group_by(names).aggregate([([], "count_all")]).to_pylist():
        if line.pop("count_all") > 1:
            place = ", ".join(f"{name}={brief(value)}" for name, value in line.items())
            raise InputError(f"stats_of_rows: two rows have the same place in by and order, {place}")
