"""Scores from elsewhere as a metric: identity, direction, missing cells."""

import logging
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import truebleu
from truebleu.errors import EmptyCorpus, InputTypeError, OptionError, StatsMismatch, UnknownSignature
from truebleu.metrics import METRICS
from truebleu.metrics.external import ExternalMetric
from truebleu.signature import SHORT_FORMS
from truebleu.significance import compare
from truebleu.stats import Stats

HASH = "2760a223ac957f30acfb18c8aa649b01cf1d75f2"
COMET: dict[str, Any] = {"model": "Unbabel/wmt22-comet-da", "revision": HASH, "precision": "fp16"}


def test_the_signature_names_model_revision_and_precision_in_this_order() -> None:
    metric = ExternalMetric("COMET", **COMET, version="unbabel-comet-2.2.7")
    text = str(metric.score(metric.stats([0.5, 0.75])).signature)
    shown = "external:COMET|model:Unbabel/wmt22-comet-da|rev:2760a223ac95|prec:fp16|pkg:unbabel-comet-2.2.7|version:"
    assert text.startswith(shown)
    assert metric.fingerprint()["revision"] == HASH
    scores = {name: np.linspace(0, 1, 40) + at for at, name in enumerate("ab")}
    report = compare(scores, ExternalMetric("COMET", **COMET), documents=[at // 4 for at in range(40)])
    assert "prec:fp16|bs:1000|ar:exact|seed:12345|docs:10|" in str(report.metrics[0].signature)


def test_a_revision_that_is_not_a_hash_is_shown_whole() -> None:
    assert "|rev:a-name-of-a-branch|" in str(ExternalMetric("COMET", revision="a-name-of-a-branch").signature())


@pytest.mark.parametrize("short", [False, True])
@pytest.mark.parametrize(
    "metric",
    [
        ExternalMetric("COMET", model="Unbabel/wmt22-comet-da", revision="v1:2", precision="fp16", version="x-1"),
        ExternalMetric("mine", higher_is_better=False),
        ExternalMetric("MetricX", level="document"),
        ExternalMetric("MetricX", higher_is_better=True, direction_anyway=True),
        ExternalMetric("MetricX", higher_is_better=False, direction_anyway=True, level="system"),
    ],
)
def test_a_signature_is_read_back(metric: ExternalMetric, short: bool) -> None:
    found = truebleu.metric_from_signature(f"{metric.name}|{metric.signature().format(short)}")
    assert isinstance(found, ExternalMetric) and metric.fingerprint() == found.fingerprint()
    assert (metric.direction, metric.signature()) == (found.direction, found.signature())


def test_a_command_that_is_to_score_like_scores_from_elsewhere_says_what_to_do() -> None:
    signature = ExternalMetric("COMET", **COMET).signature()
    with pytest.raises(UnknownSignature, match=r"--external 'COMET:Unbabel/wmt22-comet-da=FILE,\.\.\.'"):
        truebleu.metrics.published.parse_signature(str(signature))
    with pytest.raises(UnknownSignature, match="dir 'up', expected low"):
        truebleu.metric_from_signature("external:COMET|dir:up")


def test_no_short_key_is_that_of_another_field() -> None:
    assert len(SHORT_FORMS) == len(set(SHORT_FORMS.values()))
    new = {SHORT_FORMS[key] for key in ("model", "rev", "prec", "pkg", "dir", "missing")}
    assert [] == [field.key for kind in METRICS.values() for field in kind.fields if {field.short, field.key} & new]


@pytest.mark.parametrize("field", ["model", "revision", "precision", "version", "kind"])
def test_rows_of_two_revisions_cannot_be_put_together(field: str) -> None:
    one, other = (ExternalMetric("COMET", **{field: value}).stats([0.5]) for value in ("metric", "judge"))
    with pytest.raises(StatsMismatch, match=f"differ in {field}: 'metric' and 'judge'"):
        _ = one + other
    with pytest.raises(StatsMismatch, match=f"differ in {field}"):
        compare({"a": one, "b": other}, ExternalMetric("COMET", **{field: "metric"}))


def test_rows_of_before_still_fit() -> None:
    assert {"metric": "external", "name": "errors"} == ExternalMetric("errors", higher_is_better=False).fingerprint()
    old = Stats(np.array([[0.5, 1.0], [0.7, 1.0]]), ("score", "count"), {"metric": "external", "name": "COMET"}, (0, 0))
    assert 0.6 == ExternalMetric("COMET").score(old).score


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("COMET:wmt22-comet-da", {}, "without '|' and ':'; give model='wmt22-comet-da'"),
        ("", {}, "expected a name"),
        ("COMET", {"model": "a|b"}, "model is 'a|b', expected text without"),
        ("COMET", {"revision": ""}, "revision is '', expected text"),
        ("COMET", {"kind": "person"}, "kind is 'person', expected one of 'metric', 'qe', 'judge', 'human'"),
        ("COMET", {"level": "word"}, "level is 'word', expected one of 'segment', 'document', 'system'"),
    ],
)
def test_a_bad_identity_is_refused(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError) as error:
        ExternalMetric(name, **options)
    assert message in str(error.value)


# Directions.


def test_a_direction_is_known_stated_or_unknown() -> None:
    assert ["higher", "lower", None, "lower"] == [
        ExternalMetric(name, higher_is_better=said).direction
        for name, said in (("COMET", None), ("MetricX", None), ("mine", None), ("mine", False))
    ]
    with pytest.raises(OptionError, match="mine: it is unknown whether higher or lower scores are better"):
        _ = ExternalMetric("mine").higher_is_better


def test_the_two_lines_of_metricx_rank_the_better_system_first_however_they_are_stored() -> None:
    rng = np.random.default_rng(3)
    good, bad = rng.uniform(0.5, 3, 60), rng.uniform(4, 9, 60)
    for sign in (1, -1):
        report = compare({"s2": sign * bad, "s1": sign * good}, ExternalMetric("MetricX-24"), all_pairs=True)
        assert ["s1", "s2"] == report.metrics[0].order and "s1" == report.metrics[0].pairs[0].winner
        rows = {name: ExternalMetric("MetricX-24").stats(sign * one) for name, one in (("s2", bad), ("s1", good))}
        assert ["s1", "s2"] == compare(rows, ExternalMetric("MetricX-24"), all_pairs=True).metrics[0].order


def test_scores_that_were_negated_are_told(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "truebleu")
    metric = ExternalMetric("MetricX")
    metric.stats([-9.0, -0.5])
    assert metric.is_negated and "MetricX scores are all ≤ 0: they were negated, higher is better" in caplog.messages
    ExternalMetric("MQM").stats([5.0, 0.0])
    assert "MQM scores are all ≥ 0: they were negated, lower is better" in caplog.messages


@pytest.mark.parametrize(
    ("name", "is_higher", "scores", "message"),
    [
        ("MetricX", True, [0.5, 18.2], "MetricX is lower-is-better (0 to 25); these are 0.5 to 18.2: lower is better"),
        ("MetricX", False, [-9.0, -0.5], "these are -9 to -0.5, so they were negated: higher is better, and lower was"),
        ("COMET", False, [0.7, 0.8], "COMET is higher-is-better (0 to 1); these are 0.7 to 0.8"),
        ("MetricX", False, [-9.0, 3.0], "some scores are above zero and some below it, -9 to 3"),
        ("MQM", None, [-9.0, 3.0], "MQM: some scores are above zero and some below it"),
    ],
)
def test_a_direction_that_scores_contradict_is_refused_unless_the_caller_insists(
    name: str, is_higher: bool | None, scores: list[float], message: str
) -> None:
    with pytest.raises(OptionError) as error:
        ExternalMetric(name, higher_is_better=is_higher).stats(scores)
    assert message in str(error.value)
    if is_higher is not None:
        metric = ExternalMetric(name, higher_is_better=is_higher, direction_anyway=True)
        assert metric.stats(scores) is not None and is_higher == metric.higher_is_better
        assert f"|dir:{'high' if is_higher else 'low'}!|" in str(metric.signature())


def test_the_direction_is_in_the_signature_where_lower_is_better() -> None:
    assert "|dir:low|" in str(ExternalMetric("MetricX").signature())
    assert "dir" not in str(ExternalMetric("COMET").signature())


def test_a_test_of_unknown_direction_names_no_winner(caplog: pytest.LogCaptureFixture) -> None:
    scores = {"a": np.arange(40) / 10, "b": np.arange(40) / 10 + 1}
    report = compare(scores, ExternalMetric("mine"))
    known = compare(scores, ExternalMetric("mine", higher_is_better=True))
    (pair,), (told,) = report.metrics[0].pairs, known.metrics[0].pairs
    assert (told.p_value, True, None) == (pair.p_value, pair.significant, pair.winner)
    assert report.metrics[0].higher_is_better is None
    unknown = "Direction of mine unknown: give --higher-is-better or --lower-is-better."
    assert report.sentences[0].startswith("a and b differ: +1.0 mine") and report.sentences[0].endswith(unknown)
    assert any("direction of mine unknown" in message for message in caplog.messages)


@given(
    st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9), st.integers(-9, 9)), min_size=8, max_size=25),
    st.sampled_from(["ar", "bs2"]),
)
def test_to_negate_scores_and_turn_the_direction_changes_nothing(rows: list[tuple[int, ...]], test: str) -> None:
    columns = dict(zip("abc", np.array(rows, float).T, strict=True))
    reports = []
    for sign in (1, -1):
        metric = ExternalMetric("m", higher_is_better=sign > 0)
        given = {name: sign * column for name, column in columns.items()}
        try:
            reports.append(compare(given, metric, all_pairs=True, test=test, n_samples=200, n_confidence=20))
        except truebleu.errors.TooFew:
            reports.append(None)
    one, other = reports
    if one is None or other is None:
        assert one is other
        return
    ours, theirs = one.metrics[0], other.metrics[0]
    assert ours.clusters == theirs.clusters
    for pair, turned in zip(ours.pairs, theirs.pairs, strict=True):
        assert (str(pair.p_value), pair.winner, -pair.delta) == (str(turned.p_value), turned.winner, turned.delta)
    assert [system.rank_range for system in ours.systems] == [system.rank_range for system in theirs.systems]


def test_scores_of_documents_are_drawn_as_documents_and_scores_of_systems_are_not_tested() -> None:
    scores = {"a": np.arange(30) % 7, "b": np.arange(30) % 5 + 1.0}
    report = compare(scores, ExternalMetric("ESA", level="document"), documents=["x", "y"] * 40)
    assert "|level:doc|" in str(report.metrics[0].signature) and "|docs:30|" in str(report.metrics[0].signature)
    assert (30, "document", 30) == (report.metrics[0].pairs[0].n, report.metrics[0].pairs[0].unit, report.n_documents)
    whole = ExternalMetric("ESA", level="system")
    assert 61.5 == whole.score(whole.stats([61.5])).score
    with pytest.raises(OptionError, match="compare: ESA has one number for each system, which has no chance in it"):
        compare({"a": [61.5], "b": [60.0]}, whole)


# Missing cells.


def test_a_missing_score_is_a_row_of_zeros() -> None:
    metric = ExternalMetric("COMET")
    stats = metric.stats([0.5, None, float("nan"), 0.75], missing=True)
    assert [[0.5, 1], [0, 0], [0, 0], [0.75, 1]] == stats.rows.tolist()
    assert 0.625 == metric.score(stats).score
    assert [[0.5, 1], [0.75, 1]] == stats.merge(["x", "x", "y", "y"]).rows.tolist()
    with pytest.raises(EmptyCorpus, match="COMET: no segment of these has a score"):
        metric.score(stats.select([1, 2]))


def test_a_missing_score_is_refused_unless_it_is_expected() -> None:
    with pytest.raises(InputTypeError, match="segment 1 is None, expected a number; missing=True takes None and nan"):
        ExternalMetric("COMET").stats([0.5, None])
    with pytest.raises(truebleu.errors.BadScore, match="missing=True takes None and nan"):
        ExternalMetric("COMET").stats([0.5, float("nan")])
    with pytest.raises(truebleu.errors.BadScore, match="segment 1 is inf"):
        ExternalMetric("COMET").stats([0.5, float("inf")], missing=True)


def test_a_copy_knows_what_the_metric_knows() -> None:
    metric = ExternalMetric("MetricX", **COMET, kind="metric")
    metric.stats([-9.0, -3.0])
    copy = pickle.loads(pickle.dumps(metric))
    assert copy.direction == "higher" and repr(copy) == repr(metric) and "kind='metric'" in repr(copy)
