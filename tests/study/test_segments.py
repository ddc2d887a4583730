"""The scores of single segments."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import truebleu
from truebleu import BLEU, CHRF, GLEU, TER, Study
from truebleu.errors import OptionError
from truebleu.study import SegmentScores

DEMO = truebleu.testset("demo", "en-de")
METRICS = {"BLEU": BLEU(), "chrF": CHRF(), "TER": TER(), "GLEU": GLEU()}


@pytest.fixture(scope="module")
def study() -> Study:
    scores = {name: [float(len(text)) for text in texts] for name, texts in DEMO.systems.items()}
    return DEMO.study(metrics=METRICS, external={"length": scores})


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
