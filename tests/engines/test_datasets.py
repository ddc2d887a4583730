"""Datasets of Hugging Face are tables like others."""

from __future__ import annotations

import logging
from typing import Any

import pytest

pytest.importorskip("pyarrow")
datasets = pytest.importorskip("datasets")

from engines.cases import LINES, METRICS, SCORES, SEGMENTS, TABLE, WHICH  # noqa: E402
from truebleu import columns  # noqa: E402

pytestmark = pytest.mark.engines


def dataset(table: Any = TABLE) -> Any:
    return datasets.Dataset(table)


def test_a_dataset_is_scored_by_key_and_by_segment() -> None:
    assert SCORES.equals(columns.score_table(dataset(), METRICS, **WHICH))
    found = columns.segment_scores(dataset(), METRICS, **LINES, keep=["system", "lang", "seg"])
    assert SEGMENTS == found.to_pylist()


def test_a_shuffled_dataset_has_the_same_scores_and_a_hint_is_given(caplog: pytest.LogCaptureFixture) -> None:
    shuffled = dataset().shuffle(seed=3)
    with caplog.at_level(logging.WARNING, "truebleu"):
        assert SCORES.equals(columns.score_table(shuffled, METRICS, **WHICH))
    assert "flatten_indices()" in caplog.text


def test_a_dataset_without_rows_has_no_keys() -> None:
    assert 0 == len(columns.totals(dataset(TABLE.slice(0, 0)), METRICS, **WHICH))
