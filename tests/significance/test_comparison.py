"""compare(): tests, documents, runs, scores from elsewhere, corrections and ranks."""

import json
import logging
import math
import pickle
from dataclasses import FrozenInstanceError
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import Generator
from truebleu.errors import (
    BadScore,
    EmptyCorpus,
    InputTypeError,
    LengthMismatch,
    OptionError,
    StatsMismatch,
    TooFew,
    UnknownTest,
)
from truebleu.metrics import BLEU, CHRF, TER
from truebleu.significance import ExternalMetric, PairedTest, compare
from truebleu.significance.correction import benjamini_hochberg, holm
from truebleu.significance.experiment import Experiment
from truebleu.significance.sentences import sentence
from truebleu.significance.tests import TESTS, Verdict
from truebleu.significance.wmt_ranks import clusters, rank_ranges


def corpus(name: str = "compare", segments: int = 50) -> tuple[dict[str, list[str]], Any]:
    generator = Generator(name, longest=40)
    drawn = generator.corpus(segments=segments, streams=1)
    texts = drawn.hypotheses
    return {"a": texts, **{key: [generator.variant(text) for text in texts] for key in "bc"}}, drawn.streams


METRICS = [BLEU(), CHRF(), TER()]


@pytest.mark.parametrize("test", ["ar", "bs"])
def test_p_values_are_those_of_paired_test(test: str) -> None:
    systems, references = corpus()
    report = compare(systems, METRICS, references, test=test, n_samples=300, correction=None)
    _, scores = PairedTest(list(systems.items()), {m.name: m for m in METRICS}, references, test, 300)()
    for metric in report.metrics:
        results: Any = scores[metric.name]
        assert [result.score for result in results] == [system.score for system in metric.systems]
        p_values = [result.p_value for result in results[1:]]
        # Beside shuffles with a larger difference, ours counts those with exactly the real one.
        found = [pair.p_value for pair in metric.pairs]
        assert found == p_values if test == "bs" else all(map(float.__ge__, found, p_values))
        assert [result.score - results[0].score for result in results[1:]] == [pair.delta for pair in metric.pairs]


def test_rows_texts_and_mixtures_give_the_same() -> None:
    systems, references = corpus()
    metrics = {"BLEU": BLEU(), "TER": TER()}
    expected = compare(systems, metrics, references, n_samples=100)
    counted = {
        name: {key: metric.stats(texts, references) for key, metric in metrics.items()}
        for name, texts in systems.items()
    }
    assert expected == compare(counted, metrics, n_samples=100)
    assert expected == compare(list(counted.items()), metrics, n_samples=100)
    assert expected == compare(systems, metrics, (iter(stream) for stream in references), n_samples=100)
    assert expected == compare({**counted, "b": systems["b"]}, metrics, references, n_samples=100)


def test_threads_do_not_show_and_seeds_do() -> None:
    systems, references = corpus("threads", 200)
    for test in ("ar", "bs2"):
        one, two = (compare(systems, METRICS, references, test=test, n_samples=400, threads=n) for n in (1, 3))
        assert one == two
        assert one != compare(systems, METRICS, references, test=test, n_samples=400, seed=5)


def test_signatures_show_what_was_asked_for() -> None:
    systems, references = corpus()
    signature = [
        str(compare(systems, BLEU(), references, n_samples=10, seed=3, **options).metrics[0].signature).split("|case")[
            0
        ]
        for options in (
            {"n_confidence": 0, "correction": None},
            {"n_confidence": 20},
            {"test": "bs", "correction": None},
            {"test": "bs2", "correction": "bh"},
            {"documents": [at // 2 for at in range(50)], "correction": "holm"},
        )
    ]
    assert [
        "nrefs:1|ar:10|ties:counted|seed:3",
        "nrefs:1|bs:20|ar:10|ties:counted|seed:3|adjust:holm",
        "nrefs:1|bs:10|seed:3",
        "nrefs:1|bs2:10|seed:3|adjust:bh",
        "nrefs:1|bs:1000|ar:10|ties:counted|seed:3|docs:25|adjust:holm",
    ] == signature


def test_reports_are_frozen_and_become_json() -> None:
    systems, references = corpus()
    report = compare(systems, METRICS, references, n_samples=20, n_confidence=20, all_pairs=True, correction="holm")
    with pytest.raises(FrozenInstanceError):
        report.metrics[0].systems[0].score = 1.0  # type: ignore[misc]
    shown = json.loads(json.dumps(report.to_dict()))
    assert "Paired approximate randomization test with 20 trials" == shown["title"]
    assert ["a", "b", "c"] == shown["systems"]
    assert (50, 1, None) == (shown["n_segments"], shown["n_runs"], shown["n_documents"])
    assert {"baseline": "a", "system": "b"}.items() <= shown["metrics"][0]["pairs"][0].items()
    assert report.metrics[0].pairs[0].interval is not None


def test_identical_systems_have_p_one(caplog: pytest.LogCaptureFixture) -> None:
    systems, references = corpus()
    for test in ("ar", "bs", "bs2"):
        caplog.clear()
        with caplog.at_level(logging.WARNING, logger="truebleu"):
            report = compare({"a": systems["a"], "same": list(systems["a"])}, TER(), references, test=test)
        (pair,) = report.metrics[0].pairs
        assert (1.0, 0.0, True, False, None) == (
            pair.p_value, pair.delta, pair.identical, pair.significant, pair.winner
        )  # fmt: skip
        assert ["'same' has the same ter statistics as 'a': p = 1"] == caplog.messages


def test_a_record_in_the_table_is_all_that_a_new_test_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    def verdicts(experiment: Experiment) -> list[list[Verdict]]:
        return [[Verdict(1 / (experiment.samples + b)) for _, b in experiment.pairs] for _ in experiment.tables]

    dummy = TESTS["ar"]._replace(name="dummy", title="Dummy test of {}", default=100, verdicts=verdicts, is_ours=False)
    monkeypatch.setitem(TESTS, "dummy", dummy)
    systems, references = corpus()
    report = compare(systems, METRICS, references, test="dummy", n_confidence=10, alpha=0.2)
    assert ("Dummy test of 100", "dummy", 100) == (report.title, report.test, report.n_samples)
    for metric in report.metrics:
        assert [1 / 101, 1 / 102] == [pair.p_value for pair in metric.pairs]
        assert all(system.half_width is not None for system in metric.systems)
        assert str(metric.signature).startswith("nrefs:1|bs:10|dummy:100|ties:counted|seed:12345|adjust:holm|")
    with pytest.raises(OptionError, match="test='dummy' needs the same number of runs"):
        compare({**systems, "a": [systems["a"]] * 2}, METRICS, references, test="dummy")
    exact = dummy._replace(default=0, needs_equal_runs=False, needs_one_run=True, verdicts=TESTS["sign"].verdicts)
    monkeypatch.setitem(TESTS, "dummy", exact)
    signature = compare(systems, BLEU(), references, test="dummy", n_confidence=0).metrics[0].signature
    assert str(signature).startswith("nrefs:1|dummy:exact|adjust:holm|case")
    with pytest.raises(OptionError, match="test='dummy' takes one run per system"):
        compare({name: [texts] * 2 for name, texts in systems.items()}, METRICS, references, test="dummy")


def test_a_fresh_seed_shows_as_none() -> None:
    systems, references = corpus()
    report = compare(systems, BLEU(), references, n_samples=10, seed="none")
    assert "none" == report.seed
    assert "|seed:none|" in str(report.metrics[0].signature)


# Theory.


def test_randomization_approaches_the_exact_permutation_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("truebleu.resample.randomization.MOST_ENUMERATED", 0)
    scores = {"a": [1.0, 4.0, 2.0, 8.0, 5.0, 7.0, 3.0], "b": [2.0, 3.0, 4.0, 9.0, 7.0, 7.5, 3.0]}
    differences = np.subtract(scores["b"], scores["a"])
    gap = abs(differences.sum())
    exact = np.mean([abs(np.dot(signs, differences)) >= gap - 1e-9 for signs in product((-1, 1), repeat=7)])
    given = {name: {"x": values} for name, values in scores.items()}
    report = compare(given, {"x": ExternalMetric("x", higher_is_better=True)}, n_samples=10_000)
    # Four standard errors of a share of 10,000.
    assert report.metrics[0].pairs[0].p_value == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 10_000))


@pytest.mark.parametrize("shift", [0.0, 0.04, 0.1])
def test_p_values_and_intervals_of_means_are_those_of_the_normal_distribution(shift: float) -> None:
    rng = np.random.default_rng(1)
    a = rng.normal(0.7, 0.3, 1000)
    b = a + rng.normal(0.0, 0.5, 1000)
    b += shift + a.mean() - b.mean()
    scores = {"a": {"m": a}, "b": {"m": b}}
    error = (b - a).std() / math.sqrt(1000)
    expected = math.erfc(shift / error / math.sqrt(2))
    for test in ("ar", "bs2"):
        report = compare(scores, {"m": ExternalMetric("m", higher_is_better=True)}, test=test, n_samples=20_000)
        # 20,000 trials are good for 0.007 (two standard errors at the worst); the rest is for the normal approximation.
        assert report.metrics[0].pairs[0].p_value == pytest.approx(expected, abs=0.015)
    system = report.metrics[0].systems[0]
    assert system.half_width == pytest.approx(1.96 * a.std() / math.sqrt(1000), rel=0.05)
    assert report.metrics[0].pairs[0].interval == pytest.approx((shift - 1.96 * error, shift + 1.96 * error), abs=0.003)


def test_the_two_sided_bootstrap_keeps_its_level_and_sacrebleus_does_not() -> None:
    rng = np.random.default_rng(2)
    claims = {"bs": 0, "bs2": 0, "ar": 0}
    pairs = 400
    for at in range(pairs):
        scores = {"a": {"m": rng.normal(size=80)}, "b": {"m": rng.normal(size=80)}}
        for test in claims:
            report = compare(
                scores, {"m": ExternalMetric("m", higher_is_better=True)}, test=test, n_samples=300, seed=at, threads=1
            )
            claims[test] += report.metrics[0].pairs[0].p_value <= 0.05
    # Three standard errors of 5 % of 400 are 13; sacreBLEU's makes 10 % or more.
    assert 20 == pytest.approx(claims["bs2"], abs=13)
    assert 20 == pytest.approx(claims["ar"], abs=13)
    assert claims["bs"] > 34


# Documents.


def test_documents_are_segments_when_each_has_one() -> None:
    systems, references = corpus()
    plain = compare(systems, METRICS, references, n_samples=200)
    single = compare(systems, METRICS, references, n_samples=200, documents=range(50))
    p_values = [[pair.p_value for metric in one.metrics for pair in metric.pairs] for one in (plain, single)]
    assert p_values[0] == p_values[1]


def test_documents_are_drawn_whole() -> None:
    """Segments that come in fives of the same: five times the variance, and no more evidence than one in five."""
    rng = np.random.default_rng(3)
    values = {name: rng.normal(size=60) for name in "ab"}
    repeated = {name: {"m": np.repeat(found, 5)} for name, found in values.items()}
    metric = {"m": ExternalMetric("m", higher_is_better=True)}
    options: dict[str, Any] = {"test": "bs2", "n_samples": 500}
    once = compare({name: {"m": found} for name, found in values.items()}, metric, **options)
    clustered = compare(repeated, metric, **options, documents=[at // 5 for at in range(300)])
    naive = compare(repeated, metric, **options)
    assert once.metrics[0].pairs[0].p_value == clustered.metrics[0].pairs[0].p_value
    wide, narrow = clustered.metrics[0].systems[0].half_width, naive.metrics[0].systems[0].half_width
    assert wide is not None and narrow is not None
    assert math.sqrt(5) == pytest.approx(wide / narrow, rel=0.15)
    assert 60 == clustered.n_documents


# Runs.


def test_equal_runs_count_as_one() -> None:
    systems, references = corpus()
    one = compare(systems, METRICS, references, n_samples=200)
    three = compare({name: [texts] * 3 for name, texts in systems.items()}, METRICS, references, n_samples=200)
    assert [[p.p_value for p in m.pairs] for m in one.metrics] == [[p.p_value for p in m.pairs] for m in three.metrics]
    assert "|runs:3|" in str(three.metrics[0].signature)
    assert 3 == three.n_runs


def test_runs_that_differ_widen_the_interval() -> None:
    rng = np.random.default_rng(4)
    base = rng.normal(size=400)
    spread = [base + step for step in (-0.3, 0.0, 0.3)]
    metric = {"m": ExternalMetric("m", higher_is_better=True)}
    report = compare({"runs": {"m": spread}, "one": {"m": base}}, metric, test="bs2", n_samples=4000)
    runs, one = report.metrics[0].systems
    assert (pytest.approx(base.mean()), 3) == (runs.score, len(runs.run_scores))
    # The variance of a mean of three runs drawn from three is that of the runs (0.06) over three.
    expected = 1.96 * math.sqrt(0.06 / 3 + base.var() / 400)
    assert runs.half_width == pytest.approx(expected, rel=0.05)
    assert one.half_width == pytest.approx(1.96 * base.std() / 20, rel=0.06)


def test_shuffles_need_equally_many_runs() -> None:
    systems, references = corpus()
    given = {"a": [systems["a"], systems["b"]], "c": systems["c"]}
    with pytest.raises(OptionError, match=r"the same number of runs for each system, got \{'a': 2, 'c': 1\}"):
        compare(given, BLEU(), references)
    assert (2, 1) == tuple(
        len(system.run_scores) for system in compare(given, BLEU(), references, test="bs2").metrics[0].systems
    )


# All pairs.


def test_all_pairs_find_ranks_and_clusters() -> None:
    rng = np.random.default_rng(5)
    noise = rng.normal(size=(4, 500)) * 0.1
    levels = {"low": 0.1, "high": 0.9, "also high": 0.9, "middle": 0.5}
    scores = {name: {"m": level + row} for (name, level), row in zip(levels.items(), noise, strict=True)}
    report = compare(
        scores, {"m": ExternalMetric("m", higher_is_better=True)}, all_pairs=True, correction="holm", n_samples=2000
    )
    (metric,) = report.metrics
    assert 6 == len(metric.pairs)
    assert [{"high", "also high"}, {"middle"}, {"low"}] == [set(group) for group in metric.clusters or ()]
    assert {"low": (4, 4), "high": (1, 2), "also high": (1, 2), "middle": (3, 3)} == {
        system.name: system.rank_range for system in metric.systems
    }
    lower = compare(scores, {"m": ExternalMetric("m", higher_is_better=False)}, all_pairs=True, n_samples=2000)
    assert [{"low"}, {"middle"}, {"high", "also high"}] == [set(group) for group in lower.metrics[0].clusters or ()]
    assert {pair.winner for pair in lower.metrics[0].pairs if pair.baseline == "low"} == {"low"}


def test_a_lower_is_better_external_score_names_the_right_winner() -> None:
    rng = np.random.default_rng(7)
    scores = {"many errors": {"m": rng.random(60) + 0.5}, "few errors": {"m": rng.random(60)}}
    for test in ("ar", "bs", "bs2", "sign"):
        for higher, winner in ((False, "few errors"), (True, "many errors")):
            metric = ExternalMetric("m", higher_is_better=higher)
            (report,) = compare(scores, metric, test=test, n_samples=200).metrics
            assert (winner, higher) == (report.pairs[0].winner, report.higher_is_better), test


def test_a_low_ter_wins() -> None:
    systems, references = corpus("ter", 120)
    good = [stream or "" for stream in references[0]]
    report = compare({"bad": systems["b"], "good": good}, TER(), references, n_samples=500)
    assert ("good", False) == (report.metrics[0].pairs[0].winner, report.metrics[0].higher_is_better)


p_values = st.lists(st.floats(0, 1), min_size=1, max_size=30)


@given(p_values)
def test_corrections_are_those_of_their_definitions(found: list[float]) -> None:
    count = len(found)
    ranked = sorted(found)
    for p_value, by_holm, by_bh in zip(found, holm(found), benjamini_hochberg(found), strict=True):
        smaller = [at for at, other in enumerate(ranked) if other <= p_value]
        larger = [at for at, other in enumerate(ranked) if other >= p_value]
        # Equal p-values take the smallest rank among them in one, the largest in the other.
        first = [at for at in smaller if ranked[at] < p_value] + [larger[0]]
        assert by_holm == pytest.approx(min(1.0, max(ranked[at] * (count - at) for at in first)))
        assert by_bh == pytest.approx(min(1.0, min(ranked[at] * count / (at + 1) for at in larger)))
        assert p_value <= by_bh <= by_holm or by_bh == pytest.approx(by_holm)


@given(st.integers(1, 6).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.tuples(*[st.integers(0, n - 1)] * 2)))))
def test_clusters_cut_where_all_above_beat_all_below(drawn: tuple[int, set[tuple[int, int]]]) -> None:
    count, wins = drawn
    ranking = list(range(count))
    groups = clusters(ranking, wins)
    assert ranking == [system for group in groups for system in group]
    cuts = {group[0] for group in groups}
    for place in ranking:
        assert (place in cuts) == all((a, b) in wins for a in range(place) for b in range(place, count))


def test_without_wins_all_ranks_are_open() -> None:
    assert [(1, 3)] * 3 == rank_ranges(3, set())
    assert [[0, 1, 2]] == clusters([0, 1, 2], set())


# Scores from elsewhere.


def test_scores_from_elsewhere_stand_beside_metrics() -> None:
    systems, references = corpus()
    rng = np.random.default_rng(6)
    comet = ExternalMetric("COMET")
    given = {name: {"BLEU": texts, "COMET": rng.random(50).tolist()} for name, texts in systems.items()}
    report = compare(given, [BLEU(), comet], references, n_samples=50)
    assert ["BLEU", "COMET"] == [metric.name for metric in report.metrics]
    assert str(report.metrics[1].signature).startswith(
        "external:COMET|bs:1000|ar:50|ties:counted|seed:12345|adjust:holm|"
    )
    expected = math.fsum(given["b"]["COMET"]) / 50
    assert expected == pytest.approx(report.metrics[1].systems[1].score, rel=1e-14)
    assert repr(comet) == repr(pickle.loads(pickle.dumps(comet)))


def test_a_message_about_texts_names_their_system() -> None:
    systems, references = {"a": ["x y"] * 3, "b": ["x y"] * 2}, [["x y"] * 3]
    with pytest.raises(LengthMismatch, match="compare: of the system 'b': BLEU: reference stream 0 of 1 has 3"):
        compare(systems, BLEU(), references)
    with pytest.raises(LengthMismatch, match="PairedTest: of the system 'b': BLEU: "):
        PairedTest(list(systems.items()), {"BLEU": BLEU()}, references, test_type="ar")()


def test_bad_scores_are_refused_with_their_place() -> None:
    metric = ExternalMetric("COMET")
    for bad in (float("nan"), float("inf"), -float("inf")):
        with pytest.raises(BadScore, match=r"COMET: the score of segment 1 is -?(nan|inf) \(1 such\)"):
            metric.stats([0.5, bad, 0.5])
    with pytest.raises(InputTypeError, match="the score of segment 1 is None"):
        metric.stats([0.5, None])  # type: ignore[list-item]
    with pytest.raises(InputTypeError, match=r"segment 0 is '0\.5'"):
        metric.stats(["0.5"])  # type: ignore[list-item]
    with pytest.raises(InputTypeError, match="shape"):
        metric.stats([[0.5, 0.5]])  # type: ignore[list-item]
    with pytest.raises(InputTypeError, match="of type float"):
        metric.stats(0.5)  # type: ignore[arg-type]
    with pytest.raises(EmptyCorpus):
        metric.stats([])
    with pytest.raises(StatsMismatch, match="differ in name"):
        ExternalMetric("other").score(metric.stats([0.5]))
    with pytest.raises(OptionError, match="expected a name"):
        ExternalMetric("a|b")
    with pytest.raises(LengthMismatch, match="system 1 has 2 segments, system 0 has 3"):
        compare({"a": {"COMET": [1, 2, 3]}, "b": {"COMET": [1, 2]}}, [metric])


# What is refused.


def test_what_cannot_be_compared_is_refused() -> None:
    systems, references = corpus()
    two = {"a": systems["a"], "b": systems["b"]}
    with pytest.raises(UnknownTest, match="test is 'xx', expected one of 'ar', 'bs', 'bs2', 'sign'"):
        compare(two, BLEU(), references, test="xx")
    with pytest.raises(OptionError, match="correction is 'x'"):
        compare(two, BLEU(), references, correction="x")
    with pytest.raises(OptionError, match="alpha is 5"):
        compare(two, BLEU(), references, alpha=5)
    with pytest.raises(OptionError, match="n_samples is 0"):
        compare(two, BLEU(), references, n_samples=0)
    with pytest.raises(OptionError, match="the seed is '-1'"):
        compare(two, BLEU(), references, seed=-1)
    with pytest.raises(OptionError, match="threads is 0"):
        compare(two, BLEU(), references, threads=0)
    with pytest.raises(TooFew, match="there is 1 system"):
        compare({"a": systems["a"]}, BLEU(), references)
    with pytest.raises(OptionError, match="two systems are called 'a'"):
        compare([("a", systems["a"]), ("a", systems["b"])], BLEU(), references)
    with pytest.raises(TooFew, match="there is 1 segment"):
        compare({"a": ["x"], "b": ["y"]}, BLEU(), [["x"]])
    with pytest.raises(TooFew, match="there is 1 document"):
        compare(two, BLEU(), references, documents=["d"] * 50)
    with pytest.raises(LengthMismatch, match="there are 49 labels and 50 segments"):
        compare(two, BLEU(), references, documents=["d"] * 49)
    with pytest.raises(InputTypeError, match="the label of segment 3 is None"):
        compare(two, BLEU(), references, documents=[None if at == 3 else at for at in range(50)])
    with pytest.raises(OptionError, match=r"system 'b' has nothing for the metric 'bleu', only \['x'\]"):
        compare({"a": systems["a"], "b": {"x": systems["b"]}}, BLEU(), references)
    with pytest.raises(StatsMismatch, match="differ in lowercase"):
        compare({**two, "c": BLEU(lowercase=True).stats(systems["c"], references)}, BLEU(), references)
    with pytest.raises(OptionError, match="two metrics have the same name"):
        compare(two, [CHRF(), CHRF(lowercase=True)], references)
    with pytest.raises(TooFew, match="metrics is empty"):
        compare(two, [], references)
    with pytest.raises(InputTypeError, match="metric 'BLEU' is of type int"):
        compare(two, {"BLEU": 4}, references)  # type: ignore[dict-item]
    with pytest.raises(InputTypeError, match="a flat list"):
        compare(two, BLEU(), references[0])
    with pytest.raises(InputTypeError, match="hypotheses is the plain string"):
        compare({"a": "text", "b": systems["b"]}, BLEU(), references)
    short = {name: {"BLEU": texts, "m": [0.5] * 49} for name, texts in two.items()}
    with pytest.raises(LengthMismatch, match="there are 49 segments for m and 50 for bleu"):
        compare(short, [BLEU(), ExternalMetric("m", higher_is_better=True)], references)
    uneven = {name: {"BLEU": texts, "m": [[0.5] * 50] * 2} for name, texts in two.items()}
    with pytest.raises(OptionError, match=r"m has \[2, 2\] runs per system, bleu has \[1, 1\]"):
        compare(uneven, [BLEU(), ExternalMetric("m", higher_is_better=True)], references)
    with pytest.raises(OptionError, match="'sign' takes one run per system"):
        compare({name: [texts] * 2 for name, texts in two.items()}, BLEU(), references, test="sign")


def test_a_comparison_prints_as_lines() -> None:
    systems, references = corpus()
    report = compare(systems, [BLEU(), TER()], references, test="bs2", n_samples=100, all_pairs=True, correction="holm")
    lines = str(report).splitlines()
    assert "Two-sided paired bootstrap test with 100 resampling trials" == lines[0]
    assert f"The smallest p-value of a pair can be {3 / 101:.4g}" == lines[1]
    pair = report.metrics[1].pairs[0]
    assert ["BLEU|nrefs", "TER|nrefs:"] == [line[:10] for line in lines if "|" in line]
    assert f"  {sentence(report.metrics[1], pair)}" in lines
    assert 2 * (2 + len(systems)) + 2 * len(report.metrics[0].pairs) == len(lines) - 2 - 1 - len(report.notes)
    assert [*report.notes] == lines[-len(report.notes) :]
