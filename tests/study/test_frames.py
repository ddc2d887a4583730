"""Tables of pandas, polars and pyarrow, made from results."""

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import truebleu
from truebleu import BLEU, CHRF, errors

pytest.importorskip("pandas")
pytest.importorskip("polars")
pytest.importorskip("pyarrow")

DEMO = truebleu.testset("demo", "en-de")
STUDY = DEMO.study(metrics=[BLEU(), CHRF()], n_samples=50, n_confidence=20)
COMPARISON: Any = STUDY.comparison
ALONE = DEMO.study({"mine": DEMO.systems["atlas"]}, metrics=[BLEU()])
BY_TABLE = {"study": STUDY, "comparison": COMPARISON, "segments": STUDY.segments("bleu"), "one system": ALONE}


def rows_of(made: Any) -> list[dict[str, Any]]:
    """The rows of a table, which has its names and types in every library."""
    table = made.to_arrow().to_pylist()
    frame = made.to_pandas()
    assert made.to_polars().to_dicts() == table
    assert list(table[0]) == list(frame.columns)
    assert table == [{k: None if v != v or v is None else v for k, v in row.items()} for row in plain(frame)]
    return list(table)


def plain(frame: Any) -> Any:
    return frame.astype(object).where(frame.notna(), None).to_dict("records")


@pytest.mark.parametrize("name", BY_TABLE)
def test_libraries_get_the_same_rows(name: str) -> None:
    assert rows_of(BY_TABLE[name])


def test_a_study_has_a_row_for_each_metric_and_system() -> None:
    expected = [
        (report.key, one.name, one.score, one.mean, one.half_width, *one.rank_range, str(report.signature))
        for report in STUDY.reports
        for one in report.systems
        if one.rank_range
    ]
    names = ("metric", "system", "score", "mean", "half_width", "best_rank", "worst_rank", "signature")
    found = rows_of(STUDY)
    assert 6 == len(expected) and expected == [tuple(row[name] for name in names) for row in found]
    assert [1, 2, 3] == [row["rank"] for row in found[:3]]


def test_equal_systems_share_a_rank_and_cells_without_a_value_are_empty() -> None:
    texts = DEMO.systems
    same = DEMO.study({"a": texts["birch"], "b": texts["birch"], "c": texts["cedar"]}, metrics=["bleu"], test="none")
    found = rows_of(same)
    assert [1, 1, 3] == [row["rank"] for row in found]
    assert {None} == {row[name] for row in found for name in ("mean", "half_width", "best_rank", "worst_rank")}
    frame = same.to_pandas()
    assert ["float64", "Int64", "Int64"] == [str(frame[name].dtype) for name in ("mean", "rank", "best_rank")]


def test_a_comparison_has_a_row_for_each_metric_and_pair() -> None:
    found = rows_of(COMPARISON)
    pairs = [(report, pair) for report in COMPARISON.metrics for pair in report.pairs]
    assert 6 == len(pairs) == len(found)
    for row, (report, pair) in zip(found, pairs, strict=True):
        names = ("system", "baseline", "delta", "p_value", "adjusted_p_value", "significant", "winner")
        assert [report.key, *(getattr(pair, name) for name in names)] == [row[name] for name in ("metric", *names)]
        assert pair.interval in (None, (row["low"], row["high"]))
        assert report.by_name[pair.system].score == row["score"]
        assert row["score"] - row["baseline_score"] == pytest.approx(row["delta"], abs=1e-9)


def test_segment_scores_have_a_row_for_each_system_and_segment() -> None:
    frame = STUDY.segments("bleu").to_pandas()
    assert ["metric", "system", "segment", "score"] == list(frame.columns) and (720, 4) == frame.shape
    assert np.array_equal(STUDY.segments("bleu").of("birch"), frame[frame["system"] == "birch"]["score"])
    assert list(range(240)) == frame[frame["system"] == "cedar"]["segment"].tolist()


def test_a_comparison_without_pairs_has_the_same_columns() -> None:
    none = replace(COMPARISON, metrics=())
    assert none.to_arrow().schema == COMPARISON.to_arrow().schema and 0 == len(none.to_pandas()) == len(
        none.to_polars()
    )


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_library_that_is_missing_is_named(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(errors.MissingDependency, match=rf"Study\.to_{library} needs {library}.*pip install {library}"):
        getattr(STUDY, f"to_{library}")()


def test_a_table_of_arrow_needs_no_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    import polars

    expected = STUDY.to_polars()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert hasattr(STUDY.to_arrow(), "__arrow_c_stream__") and expected.equals(polars.DataFrame(STUDY.to_arrow()))
