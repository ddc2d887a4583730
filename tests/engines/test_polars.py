"""Scores in Polars are those of one process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")

import truebleu.polars  # noqa: E402
from engines.cases import (  # noqa: E402
    LINES,
    METRICS,
    NULL_MESSAGE,
    SCORES,
    TABLE,
    TOTALS,
    WHICH,
    WITH_NULL,
    same_segments,
    same_stats,
)
from truebleu import BLEU, TER, columns  # noqa: E402
from truebleu.errors import EmptyCorpus, InputTypeError, OptionError, UnknownField  # noqa: E402

pytestmark = pytest.mark.engines

FRAME = pl.DataFrame(TABLE)
truebleu.polars.register()


def corpus() -> list[Any]:
    return [pl.col("mt").tb.corpus(metric, "refs").alias(name) for name, metric in METRICS.items()]


def segments() -> list[Any]:
    return [pl.col("mt").tb.segment(metric, "refs").alias(name) for name, metric in METRICS.items()]


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_expressions_score_corpora_and_segments(engine: Any) -> None:
    truebleu.polars.register()  # again
    found = FRAME.lazy().group_by("system", "lang").agg(*corpus()).sort("system", "lang").collect(engine=engine)
    names = ("system", "lang", *METRICS)
    assert found.rows() == [tuple(line[name] for name in names) for line in SCORES.to_pylist()]
    assert same_segments(FRAME.lazy().with_columns(*segments()).collect(engine=engine).to_dicts())


def test_metrics_have_small_names_and_take_options() -> None:
    found = FRAME.select(pl.col("mt").tb.bleu(pl.col("refs").list.first(), "refs", lowercase=True))
    first = FRAME.with_columns(first=pl.col("refs").list.first())
    expected = columns.segment_scores(first, BLEU(lowercase=True), hypothesis="mt", references=["first", "refs"])
    assert expected["bleu"].to_pylist() == found["bleu"].to_list()
    with pytest.raises(AttributeError, match="no 'comet'; there are bleu, chrf, ter, gleu"):
        pl.col("mt").tb.comet("refs")
    with pytest.raises(OptionError, match="0 as references"):
        pl.col("mt").tb.bleu()
    with pytest.raises(InputTypeError, match="references is of type int"):
        pl.col("mt").tb.bleu(5)


def test_rows_are_a_column_of_structs() -> None:
    found = FRAME.select(rows=pl.col("mt").tb.rows(TER(), "refs")).unnest("rows").sum()
    totals = columns.totals(TABLE, TER(), **LINES).to_arrow()
    assert totals["ter_length_720720"].to_pylist() == found["ter_length_720720"].to_list()


def test_a_lazy_frame_streams(tmp_path: Path) -> None:
    FRAME.write_parquet(tmp_path / "t.parquet", row_group_size=100)
    lazy = pl.scan_parquet(tmp_path / "t.parquet")
    for frame in (FRAME, lazy, lazy.filter(pl.col("seg") >= 0)):
        assert TOTALS.equals(truebleu.polars.totals(frame, METRICS, **WHICH).to_arrow())
    assert SCORES.equals(truebleu.polars.score(lazy, METRICS, **WHICH))
    assert 0 == len(truebleu.polars.totals(lazy.filter(pl.col("seg") < 0), METRICS, **WHICH))
    with pytest.raises(EmptyCorpus):
        truebleu.polars.score(lazy.filter(pl.col("seg") < 0), METRICS, **WHICH)
    assert same_stats(columns.stats(lazy, BLEU(), **WHICH))  # type: ignore[arg-type]


def test_errors_name_the_row_and_the_column() -> None:
    nulls = pl.DataFrame(WITH_NULL)
    with pytest.raises(InputTypeError, match=NULL_MESSAGE):
        truebleu.polars.score(nulls.lazy(), METRICS, **WHICH, id="seg")
    for expressions in (segments(), corpus()):
        with pytest.raises(
            InputTypeError, match=r"'hypothesis' is null in row 0; filter such rows, or write \.fill_null"
        ):
            nulls.select(*expressions)
    with pytest.raises(UnknownField, match="no column 'hyp'"):
        truebleu.polars.score(FRAME, METRICS, hypothesis="hyp", references="refs")
