"""The scores of single segments."""

from math import nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import truebleu
from truebleu import BLEU, CHRF, GLEU, TER, Study
from truebleu.errors import OptionError
from truebleu.metrics.external import ExternalMetric
from truebleu.study import SegmentScores
from truebleu.study.segments import agreement, length_ratios

DEMO = truebleu.testset("demo", "en-de")
METRICS = {"BLEU": BLEU(), "chrF": CHRF(), "TER": TER(), "GLEU": GLEU()}


@pytest.fixture(scope="module")
def study() -> Study:
    scores = {name: [float(len(text)) for text in texts] for name, texts in DEMO.systems.items()}
    length = ExternalMetric("length", higher_is_better=True)
    return DEMO.study(metrics={**METRICS, "length": length}, external={"length": scores})


@pytest.mark.parametrize("name", METRICS)
def test_a_segments_score_is_that_of_the_sentence(study: Study, name: str) -> None:
    # BLEU with effective order, as at sentence level everywhere.
    metric = BLEU(effective_order=True) if name == "BLEU" else METRICS[name]
    for system, texts in DEMO.systems.items():
        by_segment = zip(*DEMO.references, strict=True)
        expected = [metric.sentence_score(*each).score for each in zip(texts, by_segment, strict=True)]  # type: ignore[arg-type]
        assert expected == study.segments(name).of(system).tolist()


def test_scores_from_elsewhere_stay_as_they_are(study: Study) -> None:
    assert [len(text) for text in DEMO.systems["birch"]] == study.segments("length").of("birch").tolist()


@pytest.mark.parametrize("name", ["BLEU", "TER"])
def test_gains_are_true_gains_the_largest_first_and_ties_in_order(study: Study, name: str) -> None:
    found = study.segments(name)
    ours, theirs = found.of("atlas").tolist(), found.of("cedar").tolist()
    sign = -1 if name == "TER" else 1
    gains = [(sign * (one - other), at) for at, (one, other) in enumerate(zip(ours, theirs, strict=True))]
    expected = [at for gain, at in sorted(gains, key=lambda one: (-one[0], one[1])) if gain > 0]
    assert expected == found.gains("atlas", "cedar")
    assert [one - other for one, other in zip(ours, theirs, strict=True)] == found.difference("atlas", "cedar").tolist()


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1), st.booleans())
def test_signs_add_up(drawn: list[tuple[int, int]], lower: bool) -> None:
    scores = {"a": [one for one, _ in drawn], "b": [other for _, other in drawn]}
    metric = truebleu.significance.ExternalMetric("m", higher_is_better=not lower)
    texts = {name: ["x"] * len(drawn) for name in scores}
    found = Study(texts, [["x"] * len(drawn)], metric, external={"m": scores}).segments("m")
    better = sum((one < other) if lower else (one > other) for one, other in drawn)
    same = sum(one == other for one, other in drawn)
    assert (better, len(drawn) - better - same, same) == found.signs("a", "b")


def test_scores_cannot_be_written_to(study: Study) -> None:
    found: SegmentScores = study.segments("BLEU")
    assert found is study.segments("BLEU")
    with pytest.raises(ValueError, match="read-only"):
        found.scores[0, 0] = 1
    with pytest.raises(OptionError, match="SegmentScores: b is 'x'"):
        found.difference("atlas", "x")
    with pytest.raises(OptionError, match=r"Study\.segments: metric is 'COMET'"):
        study.segments("COMET")


# Agreement of metrics, and lengths.

values = st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=1, max_size=30)


@given(values)
def test_the_agreement_of_two_lists_equals_the_slow_computation(drawn: list[tuple[int, int]]) -> None:
    x, y = ([float(one[side]) for one in drawn] for side in (0, 1))
    pearson, kendall = agreement(x, y)
    pairs = [(sign(a[0] - b[0]), sign(a[1] - b[1])) for at, a in enumerate(drawn) for b in drawn[at + 1 :]]
    untied = [sum(one[side] != 0 for one in pairs) for side in (0, 1)]
    if not all(untied):
        assert (None, None) == (pearson, kendall)
        return
    balance = sum(one * other for one, other in pairs)
    assert kendall == pytest.approx(balance / (untied[0] * untied[1]) ** 0.5, abs=1e-12)
    assert pearson == pytest.approx(float(np.corrcoef(x, y)[0, 1]), abs=1e-9)


def test_segments_without_a_score_have_no_say_in_the_agreement() -> None:
    assert agreement([1.0, 2.0, 3.0], [2.0, 4.0, 9.0]) == agreement([1.0, nan, 2.0, 3.0], [2.0, 1.0, 4.0, 9.0])
    assert (None, None) == agreement([nan, 1.0], [1.0, nan])


def sign(number: int) -> int:
    return (number > 0) - (number < 0)


def test_length_ratios_are_those_of_bleu_or_else_of_chrf() -> None:
    given = {"a": ["one two three", "one", ""], "b": ["one two", "one two", "x"]}
    references = [["one two", "one two three four", "x"], ["one two three", "one", "x"]]
    study = Study(given, references, [CHRF(), BLEU()], test="none", n_confidence=0)
    unit, ratios = length_ratios(study.inputs.metrics, study.rows) or ("", {})
    assert ("tokens", [1.0, 1.0, 0.0]) == (unit, ratios["a"].tolist())
    study = Study(given, references, [TER(), CHRF()], test="none", n_confidence=0)
    unit, ratios = length_ratios(study.inputs.metrics, study.rows) or ("", {})
    assert ("characters", 1.0) == (unit, ratios["a"][0])
    assert length_ratios({"TER": TER()}, study.rows) is None
