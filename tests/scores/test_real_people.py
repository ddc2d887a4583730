"""Real scores of WMT23, which are not part of this repository: the files of mt-metrics-eval, and Google's MQM."""

import json
from pathlib import Path

import numpy as np
import pytest

from real_texts import people_folder
from truebleu._logs import send_to
from truebleu.cli.main import main
from truebleu.scores import read

FOLDER = people_folder()
pytestmark = pytest.mark.skipif(FOLDER is None, reason="no scores of people at hand")
WMT23 = (FOLDER or Path()) / "wmt23"
SIDE_BY_SIDE = (FOLDER or Path()) / "mqm" / "zh-en.sxs.3ratings.tsv.gz"


@pytest.mark.parametrize("name", ["he-en.mqm", "zh-en.mqm", "zh-en.da-sqm"])
def test_means_of_segments_are_those_of_the_systems_file(name: str) -> None:
    segments, systems = (read(WMT23 / "human-scores" / f"{name}.{level}.score.gz") for level in ("seg", "sys"))
    assert ("segment", "system") == (segments.level, systems.level)
    (metric,) = segments.metrics
    ours = np.nanmean(segments.matrix(metric), axis=1)
    np.testing.assert_allclose(systems.matrix(metric, segments.systems)[:, 0], ours, rtol=1e-9)


@pytest.mark.parametrize(
    ("weights", "dropped"), [("google", "left out 461 rows of attention tests"), ("wmt24", "left out 461 rows")]
)
def test_side_by_side_mqm_has_all_cells_of_three_raters(weights: str, dropped: str) -> None:
    messages: list[str] = []
    send_to(lambda _, message: messages.append(message))
    try:
        table = read(SIDE_BY_SIDE, mqm_weights=weights)
    finally:
        send_to(None)
    assert any(dropped in message for message in messages)
    assert any("3373 rows have no error: a score of zero" in message for message in messages)
    assert (10, 377, 8, 38) == (
        len(table.systems),
        len(table.items),
        len(table.raters),
        len(set(table.documents or ())),
    )
    assert 3770 * 3 == len(table) == (~np.isnan(table.scores)).sum()
    assert 3770 == (~np.isnan(table.matrix("MQM"))).sum()
    assert 3373 == (table.scores == 0).sum() if weights == "google" else 3373 < (table.scores == 0).sum()


def test_weights_differ_where_organisers_do() -> None:
    google, wmt24 = (read(SIDE_BY_SIDE, mqm_weights=name).matrix("MQM") for name in ("google", "wmt24"))
    assert (wmt24 >= google - 1e-12).all()  # there is no Critical error in it, and only Major non-translations
    assert (wmt24 != google).any()


def test_the_command_ranks_the_systems_of_zh_en(capsys: pytest.CaptureFixture[str]) -> None:
    words = [str(WMT23 / "human-scores" / "zh-en.mqm.seg.score.gz"), "--exclude", "refA", "-f", "json"]
    assert 0 == main(["scores", *words, "--documents", str(WMT23 / "documents" / "zh-en.docs.gz")])
    found = json.loads(capsys.readouterr().out)
    column, metric = found["columns"][0], found["metrics"][0]
    assert (1177, 1976, 179) == (column["items"], column["all_items"], found["n_documents"])
    assert 0.1 < column["clustering"]["icc"] < 0.2
    assert ["Lan-BridgeMT", "GPT4-5shot"] == metric["clusters"][0]
    assert 105 == len(metric["pairs"])
