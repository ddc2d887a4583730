"""Scores in DuckDB's SQL, from DuckDB 1.1 on.

    con = duckdb.connect()
    truebleu.duckdb.register(con)
    con.sql("SELECT system, corpus_bleu(mt, ref) FROM 'outputs.parquet' GROUP BY system")

Paired tests need no adapter: `columns.stats` and all other calls of `columns` take a relation as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from decimal import Decimal
from typing import Any, Unpack

from truebleu import _engines, columns
from truebleu._arrow import make_table
from truebleu._engines import WhichHere
from truebleu.columns.schema import Layout, Measure, measures
from truebleu.columns.work import Chunk, Task
from truebleu.metrics.registry import one_of_each

__all__ = ["register", "score"]

_FACTS = ("segments", "refs_min", "refs_max")  # what a score needs beside the sums of cells
_FIELDS = tuple(f"all_{fact}" for fact in _FACTS)  # metrics have cells of their own that are called "segments"


def register(connection: Any, metrics: Any = None) -> None:
    """Give a connection SQL functions for each metric.

    Those of BLEU are ``bleu(mt, ref)``, the score of a segment; ``corpus_bleu(mt, ref)``, the score of a corpus, in an
    aggregation (it is not the mean of segment scores); ``bleu_rows(mt, ref)``, the row of a segment, a STRUCT of whole
    numbers that ``sum`` adds exactly; and ``bleu_of_totals``, the score of such sums. `ref` is a text or a list of
    texts; `bleu` and `bleu_rows` take several. NULL as a hypothesis is an error: filter such rows, or `coalesce` them.

    Parameters
    ----------
    connection, metrics
        The connection; the metrics, as in `columns.rows`, or all with their defaults unless given.
    """
    _engines.require("truebleu.duckdb", "connection", connection, ("create_function", "sql"), "a connection of DuckDB")
    duckdb = _engines.engine("duckdb", (1, 1))
    for measure in measures(one_of_each() if metrics is None else metrics):
        row = duckdb.struct_type({**dict.fromkeys(_cells(measure), "BIGINT"), "refs": "INTEGER"})
        sums = duckdb.struct_type(dict.fromkeys([*_cells(measure), *_FIELDS], "HUGEINT"))
        calls = _Functions(measure)
        functions: dict[str, tuple[Callable[..., Any], Any, Any]] = {
            measure.name: (calls.scores, None, "DOUBLE"),
            f"{measure.name}_rows": (calls.rows, None, row),
            f"{measure.name}_of_totals": (calls.of_totals, [sums], "DOUBLE"),
        }
        for name, (function, parameters, result) in functions.items():
            with suppress(duckdb.Error):
                connection.remove_function(name)
            # NULL must reach us: DuckDB would answer NULL by itself, and a sum would leave the row out in silence.
            connection.create_function(name, function, parameters, result, type="arrow", null_handling="special")
        connection.execute(_corpus(measure))


def score(relation: Any, metrics: Any, **which: Unpack[WhichHere]) -> Any:
    """Score each key of a relation: the table of `columns.score_table`, in constant memory.

    Parameters
    ----------
    relation, metrics
        The relation, such as ``con.sql("FROM 'data/*.parquet'")``; the metrics, as in `columns.rows`.
    which
        `hypothesis`, `references`, `by`, `nulls` and `id`, as in `columns.totals`.
    """
    _engines.require("truebleu.duckdb", "relation", relation, ("__arrow_c_stream__", "project"), "a relation of DuckDB")
    layout = Layout(**which)
    layout.check(relation.columns)
    chosen = relation.project(", ".join(map(_quoted, layout.needed)))
    return columns.score_table(chosen, metrics, **which)


class _Functions:
    """What DuckDB calls with the columns of a batch; the metric and the names of columns are looked at once."""

    def __init__(self, measure: Measure) -> None:
        self.measure, self.tasks = measure, dict[int, Task]()

    def scores(self, *texts: Any) -> Any:
        """The score of each segment."""
        made = make_table(["score"], [[chunk.scores(self.measure)] for chunk in self._chunks(texts)])
        return made.column(0).combine_chunks()

    def rows(self, *texts: Any) -> Any:
        """The row of each segment."""
        import pyarrow

        measure, names = self.measure, [*_cells(self.measure), "refs"]
        lines = [[*chunk.cells(measure), chunk.texts.refs_column(measure.keep_empty)] for chunk in self._chunks(texts)]
        made = make_table(names, lines)
        return pyarrow.StructArray.from_arrays([column.combine_chunks() for column in made.columns], names)

    def of_totals(self, sums: Any) -> Any:
        """The scores of sums of rows; null if nothing was added."""
        import pyarrow
        import pyarrow.compute

        name, count = self.measure.name, len(sums)
        names = [*self.measure.cells, *(fact if fact == "segments" else f"{name}_{fact}" for fact in _FACTS)]
        cells = (pyarrow.compute.fill_null(cell, Decimal(0)) for cell in sums.flatten())
        given = dict(zip(names, cells, strict=True))
        given["skipped"] = given[f"{name}_detached_stops"] = pyarrow.array([0] * count, "int64")
        given[f"{name}_id"] = pyarrow.array([self.measure.id] * count, "string")
        given["line"] = pyarrow.array(range(count), "int64")
        found = columns.Totals.from_arrow(pyarrow.table(given), {name: self.measure.metric})
        return found.scores()[name].combine_chunks() if count else pyarrow.array([], "float64")

    def _chunks(self, texts: tuple[Any, ...]) -> Iterator[Chunk]:
        names = ["hypothesis", *(f"reference {at}" for at in range(1, len(texts)))]
        if len(texts) not in self.tasks:
            # One thread: DuckDB has threads of its own, and they wait for nobody while texts are counted.
            self.tasks[len(texts)] = Task(self.measure.metric, Layout(names[0], names[1:]), threads=1)
        with _engines.advising("filter such rows, or write coalesce(mt, '')"):
            yield from self.tasks[len(texts)].read(dict(zip(names, texts, strict=True)))


def _corpus(measure: Measure) -> str:
    """The macro that adds up rows and scores the sums. DuckDB counts the rows once, however often they are named."""
    rows = f"{_quoted(measure.name + '_rows')}(mt, ref)"
    cells = [f"sum({rows}.{_quoted(column)})::HUGEINT" for column in _cells(measure)]
    sums = [*cells, "count(*)::HUGEINT", f"min({rows}.refs)::HUGEINT", f"max({rows}.refs)::HUGEINT"]
    fields = ", ".join(
        f"{_quoted(to)} := {value}" for to, value in zip([*_cells(measure), *_FIELDS], sums, strict=True)
    )
    made = f"{_quoted(measure.name + '_of_totals')}(struct_pack({fields}))"
    return f"CREATE OR REPLACE TEMP MACRO {_quoted('corpus_' + measure.name)}(mt, ref) AS {made}"


def _cells(measure: Measure) -> list[str]:
    """The fields of a row; the function's name says already which metric they are of."""
    return [cell.removeprefix(f"{measure.name}_") for cell in measure.cells]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
