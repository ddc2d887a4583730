"""The one table of metrics that are not ours: names, directions, ranges and curves."""

import math
import re

import pytest

from truebleu.errors import OptionError
from truebleu.metrics import METRICS
from truebleu.metrics.known import FAMILIES, MODELS, KnownMetric, direction, known


@pytest.mark.parametrize(
    ("name", "found", "is_higher"),
    [
        ("COMET", "COMET22", True),
        ("COMET-refB", "COMET22", True),
        ("Unbabel/wmt22-comet-da", "COMET22", True),
        ("wmt20-comet-da", "COMET20", True),
        ("CometKiwi-src", "CometKiwi22", True),
        ("wmt23-cometkiwi-da-xxl", "CometKiwi23-XXL", True),
        ("XCOMET-Ensemble-refA.refB", "XCOMET", True),
        ("xcomet-xl*", "XCOMET-XL", True),
        ("f200spBLEU-refA", "spBLEU200", True),
        ("google/metricx-24-hybrid-xl-v2p6", "MetricX", False),
        ("MetricX-23-QE[noref]", "MetricX", False),
        ("MetricX-25", "MetricX", False),
        ("GEMBA-MQM_", "MQM", True),
        ("GEMBA-ESA", "ESA", True),
        ("Judge-MQM", "MQM", True),
        ("bert_score", "BERTScore", True),
        ("DA+SQM", "SQM", True),
        ("DA", "DA", True),
        ("errors", "errors", False),
        ("TER", "TER", False),
        ("chrF++", "chrF", True),
        ("google_bleu", "GLEU", True),
    ],
)
def test_names_are_known_in_their_usual_forms(name: str, found: str, is_higher: bool) -> None:
    entry = known(name)
    assert entry is not None and (found, is_higher) == (entry.name, entry.higher)


@pytest.mark.parametrize(
    "name", ["ESA_time", "COMET_time", "judge", "Random-sysname", "water", "MERLIN", "", "-", "_*"]
)
def test_a_name_with_words_that_may_mean_anything_is_not_known(name: str) -> None:
    assert known(name) is None and direction(name, [1.0]) is None


def test_metrics_of_ours_have_the_direction_of_their_class() -> None:
    for name, kind in METRICS.items():
        entry = known(name)
        assert entry is not None and kind.higher_is_better == entry.higher, name


def test_a_model_decides_and_one_that_is_not_known_has_no_curve() -> None:
    entries = known("COMET", "Unbabel/wmt20-comet-da"), known("COMET", "ours/v7"), known("mine", "ours/v7")
    assert ["COMET20", "COMET22", None] == [entry and entry.name for entry in entries]
    assert entries[1] is not None and entries[1].curve is None


def test_the_curves_are_those_of_their_authors() -> None:
    assert 17 == len(MODELS) == len({one.name for one in MODELS})
    shares = {one.name: one.curve[0] / (1 + math.exp(-one.curve[1])) for one in MODELS if one.curve}
    assert (63.989, 70.0) == (round(shares["BLEU"], 3), round(shares["chrF"], 1))
    for one in MODELS:
        assert known(one.name) == one and re.fullmatch(one.alias, one.name.lower())
        assert (100 if "COMET" in one.name.upper() else one.scale) == one.scale
    others = ("chrF++", "TER", "MetricX-24-Hybrid-XL", "MetricX-23", "MetricX-23-XXL", "rougeL", "GEMBA-MQM", "XCOMET",
              "BLEURT", "wmt21-comet-da", "eBLEU", "Judge-ESA")  # fmt: skip
    assert [] == [name for name in others if (entry := known(name)) and entry.curve]


def test_every_family_is_known_by_its_own_name() -> None:
    for one in FAMILIES:
        entry = known(f"{one.name}-v9-xl")
        assert entry is not None and (one.name, one.higher, one.low) == (entry.name, entry.higher, entry.low)


@pytest.mark.parametrize(
    ("name", "scores", "is_higher"),
    [
        ("MetricX", [0.5, 18.2], False),
        ("MetricX", [-9.62, -0.0], True),
        ("MetricX", [0.0, -0.0], False),
        ("MetricX-23", [-25.6, 0.28, 0.93], True),  # it does not clip, and WMT negated it
        ("MetricX-23", [-0.3, 24.0], False),
        ("MQM", [-72.0, -0.0], True),
        ("MQM", [0.0, 25.0], False),
        ("MQM", [], True),
        ("TER", [55.0], False),
        ("TER", [-55.0, 1e-12], True),
        ("COMET", [-0.2, 0.9], True),
        ("COMET20", [-1.2, -0.1], True),
    ],
)
def test_the_sign_of_penalties_tells_whether_they_were_negated(name: str, scores: list[float], is_higher: bool) -> None:
    assert is_higher is direction(name, scores)


@pytest.mark.parametrize(
    ("name", "scores"), [("MetricX", [-9.0, 3.0]), ("MetricX", [-0.4, 0.4]), ("MQM", [-1.0, 1.0]), ("WER", [-2.0, 6.0])]
)
def test_penalties_with_both_signs_are_refused(name: str, scores: list[float]) -> None:
    low, high = min(scores), max(scores)
    with pytest.raises(
        OptionError, match=f"^{name}: some scores are above zero and some below it, {low:g} to {high:g}"
    ):
        direction(name, scores)


def test_ranges_in_words() -> None:
    assert "0 to 25" == FAMILIES[9].shown_range and "0 and below" == FAMILIES[11].shown_range
    assert ("0 and above", "") == (KnownMetric("x", False, low=0.0).shown_range, KnownMetric("x", True).shown_range)
