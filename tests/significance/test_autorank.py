"""AutoRank: the published tables of WMT25 to the printed digit, and what is refused."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import real_texts
from truebleu import autorank
from truebleu.errors import TruebleuError
from truebleu.significance.autorank import autoranks

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "autorank.json").read_text("utf-8"))


def check(metrics: list[str], systems: dict[str, list[float]]) -> int:
    scores = {name: {system: row[at] for system, row in systems.items()} for at, name in enumerate(metrics, 1)}
    found = autorank(scores)
    assert {system: f"{row[0]:.1f}" for system, row in systems.items()} == {
        system: f"{found[system]:.1f}" for system in systems
    }
    return len(found)


@pytest.mark.parametrize("title", GOLDEN)
def test_two_published_tables(title: str) -> None:
    assert 27 <= check(**GOLDEN[title])


def test_all_published_tables() -> None:
    folder = real_texts.people_folder()
    if folder is None or not (folder / "autorank").is_dir():
        pytest.skip("no tables of AutoRank at hand: name a folder with people/autorank in TRUEBLEU_TEST_DATA")
    tables = json.loads(gzip.decompress((folder / "autorank" / "wmt25.json.gz").read_bytes()))
    cells = 0
    for one in tables:
        systems = {name: [row["autorank"], *row["means"]] for name, row in one["systems"].items()}
        cells += check(one["metrics"], systems)
    assert (30, 1034) == (len(tables), cells)


def test_a_tiny_table() -> None:
    scores = {"GEMBA-ESA": {"a": 80, "b": 75, "c": 60, "d": 40}, "MetricX": {"a": -2, "b": -1, "c": -4, "d": -9}}
    assert {"b": 1, "a": 1.032258, "c": 2.193548, "d": 4} == pytest.approx(autorank(scores), abs=5e-7)
    assert ["b", "a", "c", "d"] == [*autorank(scores)]
    positive = {**scores, "MetricX": {name: -score for name, score in scores["MetricX"].items()}}
    assert autorank(scores) == autorank(positive)


def test_equal_systems_and_one_alone_have_rank_1() -> None:
    assert {"a": 1.0, "b": 1.0} == autorank({"COMET": {"a": 0.5, "b": 0.5}})
    assert {"a": 1.0} == autorank({"COMET": {"a": 0.5}})


@given(st.lists(st.lists(st.floats(-100, 100, width=32), min_size=3, max_size=3), min_size=1, max_size=7))
def test_ranks_go_from_1_to_their_number(rows: list[list[float]]) -> None:
    ranks = autoranks(np.array(rows))
    assert ranks.min() == 1.0 and ranks.max() <= len(rows) + 1e-9
    together = autoranks(np.array([rows, rows[::-1]]))
    assert np.allclose(together[0], ranks) and np.allclose(together[1], ranks[::-1])


def test_who_lacks_a_metric_is_refused_or_left_out() -> None:
    scores = {"COMET": {"a": 0.5, "b": 0.6, "c": 0.4}, "XCOMET-XL": {"a": 0.5, "b": 0.9}}
    with pytest.raises(TruebleuError, match=r"1 system of 3 lack a metric, such as 'c', which lacks XCOMET-XL"):
        autorank(scores)
    assert {"b": 1.0, "a": 2.0} == autorank(scores, partial=True)


@pytest.mark.parametrize(
    ("scores", "says"),
    [
        ({}, "expected {metric: {system: score}}"),
        ({"COMET": [1, 2]}, "expected {metric: {system: score}}"),
        ({"COMET": {"a": float("nan"), "b": 1.0}}, "COMET of 'a' is nan"),
        ({"mine": {"a": 1.0, "b": 2.0}}, "unknown whether higher or lower"),
        ({"MetricX": {"a": 9.0, "b": -8.0}}, "one sign"),
        ({"COMET": {"a": 1.0}, "BLEU": {"b": 1.0}}, "lack a metric"),
    ],
)
def test_what_is_refused(scores: dict[str, dict[str, float]], says: str) -> None:
    with pytest.raises(TruebleuError) as caught:
        autorank(scores)
    assert says in str(caught.value)
    assert {"b": 1.0, "a": 2.0} == autorank({"mine": {"a": 1.0, "b": 2.0}}, higher_is_better={"mine": True})
