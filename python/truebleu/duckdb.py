"""Scores in DuckDB's SQL, from DuckDB 1.1 on.

>>> import duckdb  # doctest: +SKIP
>>> con = duckdb.connect()  # doctest: +SKIP
>>> register(con)  # doctest: +SKIP
>>> con.sql("SELECT system, corpus_bleu(mt, ref) FROM 'outputs.parquet' GROUP BY system")  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from truebleu import _engines, columns, metrics
from truebleu._engines import Which
from truebleu.columns.schema import Measure, measures

__all__ = ["register", "score", "totals"]


def register(connection: Any, metrics: Any = None) -> None:
    """Give a connection four SQL functions for each metric; those of BLEU are

    - ``bleu(mt, ref)``: the score of a segment;
    - ``corpus_bleu(mt, ref)``: the score of a corpus, in an aggregation. It is not the mean of the scores of segments;
    - ``bleu_rows(mt, ref)``: the row of a segment, a STRUCT of BIGINT that ``sum`` adds exactly;
    - ``bleu_of_totals(totals)``: the score of such sums.

    `ref` is a text or a list of texts, and there may be more of them. A text that is NULL is an error.

    Parameters
    ----------
    connection
        The connection.
    metrics
        One metric, a list of them, or a mapping of names to metrics; all with their defaults unless given.
    """
    _engines.require("truebleu.duckdb", "connection", connection, ("create_function", "sql"), "a connection of DuckDB")
    duckdb = _engines.engine("duckdb", (1, 1))
    for measure in measures(_all_metrics() if metrics is None else metrics):
        name, fields = measure.name, dict.fromkeys([*_fields(measure), "refs"], "BIGINT")
        sums = dict.fromkeys([*_fields(measure), "segments", "refs_min", "refs_max"], "HUGEINT")
        # NULL must reach us: by default DuckDB answers NULL by itself, and a sum would leave the row out in silence.
        arrow = {"type": "arrow", "null_handling": "special"}
        connection.create_function(name, _Segments(measure, columns.segment_scores), None, "DOUBLE", **arrow)
        row = duckdb.struct_type(fields)
        connection.create_function(f"{name}_rows", _Segments(measure, columns.rows), None, row, **arrow)
        of_totals = _OfTotals(measure)
        connection.create_function(f"{name}_of_totals", of_totals, [duckdb.struct_type(sums)], "DOUBLE", **arrow)
        connection.execute(_corpus_macro(measure))
