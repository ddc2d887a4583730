"""Scores in DuckDB's SQL are those of one process."""

from __future__ import annotations

from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")
duckdb = pytest.importorskip("duckdb")

import truebleu.duckdb  # noqa: E402
from engines.cases import LINES, METRICS, NULL_MESSAGE, SCORES, TABLE, WHICH, WITH_NULL, same_stats  # noqa: E402
from truebleu import BLEU, GLEU, columns  # noqa: E402
from truebleu.errors import EmptyCorpus, InputTypeError, UnknownField  # noqa: E402

pytestmark = pytest.mark.engines


@pytest.fixture
def con() -> Any:
    connection = duckdb.connect()
    truebleu.duckdb.register(connection, {**METRICS, "gleu": GLEU()})
    connection.register("t", TABLE)
    yield connection
    connection.close()


def test_sql_adds_up_the_scores_of_corpora_by_key(con: Any) -> None:
    scores = ", ".join(f"corpus_{name}(mt, refs) AS {name}" for name in METRICS)
    found = con.sql(f"SELECT system, lang, {scores} FROM t GROUP BY ALL ORDER BY ALL").fetchall()
    assert found == [tuple(line[name] for name in ("system", "lang", *METRICS)) for line in SCORES.to_pylist()]


def test_sql_scores_segments_with_any_number_of_references(con: Any) -> None:
    expected = columns.segment_scores(TABLE, METRICS, **LINES)
    found = con.sql(f"SELECT {', '.join(f'{name}(mt, refs)' for name in METRICS)} FROM t").fetchall()
    assert found == list(zip(*(expected[name].to_pylist() for name in METRICS), strict=True))
    one, several = con.sql("SELECT bleu(mt, refs[1]), bleu(mt, refs[1], refs[2]) FROM t LIMIT 1").fetchall()[0]
    refs = TABLE["refs"][0].as_py()
    assert (one, several) == tuple(
        BLEU(effective_order=True).sentence_score(TABLE["mt"][0].as_py(), refs[:count]).score for count in (1, 2)
    )


def test_rows_that_sql_adds_are_the_totals(con: Any) -> None:
    found = con.sql("SELECT sum(r.sys_len), sum(r.correct_1) FROM (SELECT bleu_rows(mt, refs) AS r FROM t)").fetchall()[
        0
    ]
    totals = columns.totals(TABLE, BLEU(), **LINES).to_arrow()
    assert found == (totals["bleu_sys_len"][0].as_py(), totals["bleu_correct_1"][0].as_py())


def test_null_is_an_error_and_nothing_gives_null(con: Any) -> None:
    con.register("nulls", WITH_NULL)
    for function in ("bleu", "corpus_bleu", "bleu_rows"):
        with pytest.raises(duckdb.Error, match="InputTypeError: columns: 'hypothesis' is null in row 0") as raised:
            con.sql(f"SELECT {function}(mt, refs) FROM nulls").fetchall()
        assert "row 0; filter such rows, or write coalesce(mt, '')" in str(raised.value)
        assert "nulls=" not in str(raised.value)
    assert [(None,)] == con.sql("SELECT corpus_ter(mt, refs) FROM t WHERE false").fetchall()


def test_registering_again_replaces(con: Any) -> None:
    before = con.sql("SELECT bleu('A b c d', 'a b c d')").fetchall()[0]
    truebleu.duckdb.register(con, BLEU(lowercase=True))
    assert before < con.sql("SELECT bleu('A b c d', 'a b c d')").fetchall()[0]


def test_a_relation_is_scored_by_key(con: Any) -> None:
    assert SCORES.equals(truebleu.duckdb.score(con.sql("FROM t"), METRICS, **WHICH))
    assert same_stats(columns.stats(con.sql("FROM t"), BLEU(), **WHICH))  # type: ignore[arg-type]
    con.register("nulls", WITH_NULL)
    with pytest.raises(InputTypeError, match=NULL_MESSAGE):
        truebleu.duckdb.score(con.sql("FROM nulls"), METRICS, **WHICH, id="seg")
    with pytest.raises(EmptyCorpus):
        truebleu.duckdb.score(con.sql("FROM t WHERE false"), METRICS, **WHICH)
    with pytest.raises(UnknownField, match="no column 'hyp'"):
        truebleu.duckdb.score(con.sql("FROM t"), METRICS, hypothesis="hyp", references="refs")
