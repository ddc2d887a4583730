"""Groups of segments under all systems, against the slow obvious computation."""

import operator
from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import truebleu
from truebleu import BLEU, CHRF, TER, Study
from truebleu.errors import OptionError
from truebleu.significance import ExternalMetric, breakdown, compare
from truebleu.study.groups import LENGTH_LABELS, PairedGroups, length_label

DEMO = truebleu.testset("demo", "en-de")
METRICS = {"BLEU": BLEU(), "chrF": CHRF(), "TER": TER()}
SAMPLES = 60


@pytest.fixture(scope="module")
def study() -> Study:
    return DEMO.study(metrics=METRICS, n_confidence=SAMPLES)


def external(
    scores: dict[str, list[int]], labels: Sequence[object], *, lower: bool = False, **options: object
) -> Study:
    """A study of scores alone."""
    n = len(labels)
    texts = {name: ["x"] * n for name in scores}
    metric = ExternalMetric("m", higher_is_better=not lower)
    return Study(texts, [["x"] * n], metric, external={"m": scores}, labels={"g": labels}, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("labels", ["domain", "docid"])
def test_shared_draws_give_each_system_what_breakdown_gives_it_alone(study: Study, name: str, labels: str) -> None:
    metric = METRICS[name]
    found = study.groups(labels)
    for system, texts in DEMO.systems.items():
        alone = breakdown(metric, metric.stats(texts, DEMO.references), DEMO.field(labels), n_bootstrap=SAMPLES)
        assert alone == list(found.scores[name][system])


@pytest.mark.parametrize("name", METRICS)
def test_a_paired_difference_is_that_of_drawn_texts(study: Study, name: str) -> None:
    metric, pair = METRICS[name], study.groups("domain").pair(name, "atlas", "cedar")
    assert list(dict.fromkeys(DEMO.domains)) == [group.label for group in pair.groups]
    for group in pair.groups[:2]:
        places = [at for at, label in enumerate(DEMO.domains) if label == group.label]
        delta = difference(metric, places)
        # NumPy's own draws, from the beginning of the stream for every group.
        drawn = np.random.default_rng(12345).choice(len(places), size=(SAMPLES, len(places)))
        drawn_deltas = np.array([difference(metric, [places[at] for at in row]) for row in drawn])
        ranked = sorted(drawn_deltas)
        assert (len(places), delta) == (group.n_segments, group.delta)
        assert (ranked[SAMPLES // 40], ranked[SAMPLES - SAMPLES // 40 - 1]) == group.interval
        texts = {name: [DEMO.systems[name][at] for at in places] for name in ("atlas", "cedar")}
        references = [[stream[at] for at in places] for stream in DEMO.references]
        (alone,) = compare(texts, {name: metric}, references, n_samples=10_000).metrics[0].pairs
        assert alone.p_value == group.p_value


def difference(metric: BLEU | CHRF | TER, places: list[int]) -> float:
    references = [[stream[at] for at in places] for stream in DEMO.references]
    ours, theirs = (
        metric.corpus_score([DEMO.systems[name][at] for at in places], references).score for name in ("atlas", "cedar")
    )
    return ours - theirs


scored = st.lists(
    st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.sampled_from(["x", "y", 3])), min_size=2, max_size=14
)


@settings(max_examples=60)
@given(scored, st.booleans())
def test_groups_equal_the_slow_computation(drawn: list[tuple[int, int, object]], lower: bool) -> None:
    labels = [label for *_, label in drawn]
    study = external(
        {"a": [one for one, _, _ in drawn], "b": [other for _, other, _ in drawn]}, labels, lower=lower, n_confidence=40
    )
    pair = study.groups("g").pair("m", "a", "b")
    expected = [naive_group(drawn, label) for label in dict.fromkeys(labels)]
    assert expected == [(one.label, one.n_segments, one.delta, one.p_value) for one in pair.groups]
    p_values = sorted(one.p_value for one in pair.groups if one.p_value is not None)
    for one in pair.groups:
        if one.p_value is not None:
            # Benjamini and Hochberg: the least p times m / rank over all that are no smaller.
            bounds = [p * len(p_values) / (p_values.index(p) + p_values.count(p)) for p in p_values if p >= one.p_value]
            assert one.adjusted_p_value == pytest.approx(min(1, *bounds) if len(bounds) > 1 else min(1, bounds[0]))
    assert naive_reversal(pair, lower) == (None if pair.reversal is None else pair.reversal.winner)
    other = study.groups("g").pair("m", "b", "a")
    assert [-one.delta for one in pair.groups] == [one.delta for one in other.groups]
    assert (pair.reversal is None) == (other.reversal is None)


def naive_group(drawn: list[tuple[int, int, object]], label: object) -> tuple[object, int, float, float | None]:
    gaps = [(one, other) for one, other, its in drawn if its == label]
    delta = sum(one for one, _ in gaps) / len(gaps) - sum(other for _, other in gaps) / len(gaps)
    if len(gaps) < 6:
        return label, len(gaps), delta, None
    differing = [one - other for one, other in gaps if one != other]
    flips = list(product((1, -1), repeat=len(differing)))
    as_far = sum(abs(sum(map(operator.mul, flip, differing))) >= abs(sum(differing)) for flip in flips)
    return label, len(gaps), delta, as_far / len(flips)


def naive_reversal(pair: PairedGroups, lower: bool) -> str | None:
    leads = [-one.delta if lower else one.delta for one in pair.groups]
    whole = -pair.delta if lower else pair.delta
    if whole == 0:
        return None
    sure = [one.adjusted_p_value is not None and one.adjusted_p_value <= 0.05 for one in pair.groups]
    against = [lead * whole < 0 for lead in leads]
    is_one = all(against) or any(one and other for one, other in zip(against, sure, strict=True))
    return ("a" if whole > 0 else "b") if is_one else None


def test_a_planted_simpson_reversal_is_named() -> None:
    # In each domain "new" is better. It says so much in the chat that its precision on the whole set is the lower one;
    # "old" says hardly anything there.
    news = [f"w{at}" for at in range(40)]
    references = [["c d e f g"] * 20 + [" ".join(news)] * 20]
    old = ["y"] * 20 + [" ".join(news[:36] + ["x"] * 4)] * 20
    new = ["c d e f g " + "x " * 150] * 20 + [" ".join(news[:37])] * 20
    labels = ["chat"] * 20 + ["news"] * 20
    metric = BLEU(smooth_method="floor", force=True)
    study = Study({"old": old, "new": new}, references, metric, labels={"domain": labels}, n_confidence=50)
    scores = {name: score.score for name, score in study.scores["BLEU"].items()}
    assert scores["old"] > scores["new"]
    (reversal,) = study.groups("domain").reversals
    assert ("old", "new", True) == (reversal.winner, reversal.loser, reversal.every)
    gap = f"{scores['old'] - scores['new']:.2f}"
    assert f"old wins the whole set by {gap} BLEU and loses every group: chat (20 segments) by " in str(reversal)


def test_a_group_that_is_surely_lost_is_named() -> None:
    ours = [5] * 60 + [1, 2, 1, 2] * 10
    theirs = [1] * 60 + [3, 3, 4, 3] * 10
    labels = ["many"] * 60 + ["few"] * 40
    (reversal,) = external({"a": ours, "b": theirs}, labels, n_confidence=200).groups("g").reversals
    assert "a wins the whole set by 1.70 m and significantly loses few (40 segments) by 1.75" == str(reversal)
    (reversal,) = external({"a": ours, "b": theirs}, labels, lower=True, n_confidence=200).groups("g").reversals
    assert ("b", "a", False) == (reversal.winner, reversal.loser, reversal.every)


def test_a_lone_segment_has_no_interval_and_no_p_value() -> None:
    found = external({"a": [1, *range(6)], "b": [2, *range(6, 0, -1)]}, ["x", *"yyyyyy"], n_confidence=20).groups("g")
    lone, other = found.pair("m", "a", "b").groups
    assert (None, None, None) == (lone.interval, lone.p_value, lone.adjusted_p_value)
    assert other.p_value == other.adjusted_p_value is not None
    assert lone.few and other.few


def test_documents_are_drawn_whole_except_where_they_are_the_groups() -> None:
    scores = {"a": [1, 2, 3, 4, 5, 6], "b": [0] * 6}
    options = {"documents": [1, 1, 2, 2, 3, 3], "n_confidence": 30}
    study = external(scores, ["x", "x", "x", "x", "y", "y"], **options)
    by_label, by_document = study.groups("g"), study.groups("document")
    # Fewer than five documents have no interval.
    assert [False, False] == [one.mean is not None for one in by_label.scores["m"]["a"]]
    assert [True] * 3 == [one.mean is not None for one in by_document.scores["m"]["a"]]
    # Two documents, with means 1.5 and 3.5: a resample has one of three means.
    assert {1.5, 2.5, 3.5} == set(by_label.resamples["m"]["a"][0])  # type: ignore[arg-type]
    assert ("g", "document", "length") == study.label_sets


def test_the_length_of_the_reference_makes_six_groups(study: Study) -> None:
    found = study.groups("length")
    labels = [label for label, _ in found.groups]
    assert labels == [label for label in LENGTH_LABELS if label in labels] and len(labels) > 2
    lengths = [len(tokens) for tokens in BLEU().tokens(DEMO.references[0])]
    expected = [sum(length_label(one) == label for one in lengths) for label in labels]
    assert expected == [size for _, size in found.groups]
    assert ("1-9", "10-19", "20-29", "30-39", "40-59", "60+") == LENGTH_LABELS


def test_a_wrong_name_is_refused(study: Study) -> None:
    with pytest.raises(OptionError, match=r"Study\.groups: name is 'topic', expected one of 'domain', 'docid'"):
        study.groups("topic")
    with pytest.raises(OptionError, match=r"Breakdown.pair: b is 'x', expected one of 'atlas'"):
        study.groups("domain").pair("BLEU", "atlas", "x")
