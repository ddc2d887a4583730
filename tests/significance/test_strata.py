"""Strata: units drawn in each by itself, each tested by itself, and how many are won; families of tests."""

import logging
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truebleu import Study, demo
from truebleu.errors import LengthMismatch, OptionError
from truebleu.metrics import BLEU, CHRF
from truebleu.metrics.published import parse_signature
from truebleu.resample.bootstrap import stratified_scores
from truebleu.resample.seed import Seed
from truebleu.significance import Comparison, ExternalMetric, compare
from truebleu.significance.correction import holm

M = ExternalMetric("m", higher_is_better=True)
DATA = demo.load("en-de")
REFERENCES = list(DATA.references.values())


def judged(gaps: Any, strata: Any, **options: Any) -> Comparison:
    base = np.linspace(0, 1, len(gaps))
    return compare({"a": {"m": base}, "b": {"m": base + gaps}}, M, strata=strata, **options)


def test_each_stratum_keeps_its_size() -> None:
    strata = np.array([0] * 7 + [1] * 30 + [0] * 3 + [2])
    rows = M.stats([float(one) for one in strata]).rows
    (scores,) = stratified_scores([(M.engine, rows)], strata, 500, Seed.of(1))
    assert {strata.mean()} == set(scores.tolist())


def test_strata_are_drawn_by_counting() -> None:
    """The same draws, unit by unit."""
    strata, systems = np.array([0, 1] * 20), ("atlas", "cedar")
    stats = [BLEU().stats(DATA.systems[name][:40], [one[:40] for one in REFERENCES]) for name in systems]
    found = stratified_scores([(BLEU().engine, one.rows) for one in stats], strata, 50, Seed.of(7))
    rng = np.random.default_rng([0x73747261, 7])
    drawn = [np.flatnonzero(strata == code)[rng.integers(20, size=(50, 20))] for code in (0, 1)]
    for at in range(50):
        places = np.concatenate([one[at] for one in drawn])
        assert [BLEU().score(one.select(places)).score for one in stats] == found[:, at].tolist()


def test_a_stratum_has_the_test_of_its_segments() -> None:
    systems = {name: DATA.systems[name] for name in ("atlas", "birch", "cedar")}
    report = compare(systems, [BLEU(), CHRF()], REFERENCES, strata=DATA.domains, documents=DATA.docids, n_samples=500)
    places = [at for at, domain in enumerate(DATA.domains) if domain == "news"]
    alone = compare(
        {name: [texts[at] for at in places] for name, texts in systems.items()}, [BLEU(), CHRF()],
        [[stream[at] for at in places] for stream in REFERENCES],
        documents=[DATA.docids[at] for at in places], n_samples=500, correction=None,
    )  # fmt: skip
    for ours, theirs in zip(report.metrics, alone.metrics, strict=True):
        for pair, other in zip(ours.pairs, theirs.pairs, strict=True):
            news = pair.strata[0]
            assert ("news", 65, other.delta) == (news.label, news.n_segments, news.delta)
            assert news.p_value == other.p_value or (math.isnan(news.p_value) and math.isnan(other.p_value))


def test_without_strata_nothing_changes() -> None:
    systems = {name: DATA.systems[name] for name in ("atlas", "birch")}
    plain, kept = (compare(systems, BLEU(), REFERENCES, strata=one) for one in (None, DATA.domains))
    (one,), (other,) = plain.metrics[0].pairs, kept.metrics[0].pairs
    assert (one.delta, one.p_value) == (other.delta, other.p_value)  # a swap leaves each unit in its stratum
    assert one.interval != other.interval and not one.strata
    assert "strata" not in str(plain.metrics[0].signature)
    signature = kept.metrics[0].signature
    assert "|strata:4|" in str(signature)
    assert "4" == parse_signature(f"BLEU|{signature}").context["strata"]


@given(st.lists(st.integers(1, 400), min_size=1, max_size=8))
def test_the_count_is_that_of_partial_conjunctions(numerators: list[int]) -> None:
    """Dror et al. (2017): the largest u for which u sets, at least, have a difference, one u after the other."""
    p_values, n = sorted(number / 1000 for number in numerators), len(numerators)
    conjunctions = [p * (n - at) <= 0.05 for at, p in enumerate(p_values)]
    expected = next((at for at, holds in enumerate(conjunctions) if not holds), n)
    assert expected == sum(p <= 0.05 for p in holm(p_values))


def test_strata_won_by_either_system() -> None:
    rng = np.random.default_rng(1)
    gaps = np.concatenate([rng.normal(mean, 1, 40) for mean in (2, 2, 0, -2)])
    report = judged(gaps, np.repeat(["w", "x", "y", "z"], 40).tolist())
    (pair,) = report.metrics[0].pairs
    assert ["b", "b", None, "a"] == [one.winner for one in pair.strata]
    assert (2, 1) == pair.strata_won and (1, 2) == pair.turned.strata_won
    assert "m: of 4 strata, b beats a in 2, and a beats b in 1." in report.notes
    assert 4 == len(report.to_dict()["metrics"][0]["pairs"][0]["strata"])
    adjusted = holm([one.p_value for one in pair.strata])
    assert adjusted == [one.adjusted_p_value for one in pair.strata]


def test_false_counts_are_rare() -> None:
    """Where no system is better, hardly ever a set is counted as won: 5 sets, each tested at 5 %, would have 23 %."""
    rng, wrong, count = np.random.default_rng(12345), 0, 300
    strata = np.repeat(np.arange(5), 12).tolist()
    for _ in range(count):
        (pair,) = judged(rng.normal(0, 1, 60), strata, n_samples=400, n_confidence=0).metrics[0].pairs
        wrong += any(pair.strata_won)
    assert wrong / count <= 0.05 + 0.03


def test_a_document_belongs_to_one_stratum() -> None:
    with pytest.raises(OptionError, match="the document 'p' has segments in two strata, 'x' and 'y'"):
        judged(np.arange(20.0), ["x"] * 10 + ["y"] * 10, documents=["p"] * 12 + ["q"] * 8)


def test_bad_strata(caplog: pytest.LogCaptureFixture) -> None:
    gaps = np.random.default_rng(1).normal(0, 1, 20)
    with pytest.raises(LengthMismatch, match="in strata there are 3 labels and 20 segments"):
        judged(gaps, ["x", "y", "z"])
    with pytest.raises(OptionError, match="strata has one label for all segments, 'x', expected two or more"):
        judged(gaps, ["x"] * 20)
    with caplog.at_level(logging.WARNING, logger="truebleu"):
        (pair,) = judged(gaps, ["x"] * 18 + ["y"] * 2).metrics[0].pairs
    assert "1 stratum has fewer than 6 segments, and no p-value: 'y'" in caplog.text
    assert [False, True] == [math.isnan(one.p_value) for one in pair.strata] and pair.strata[1].delta
    texts = {"a": DATA.systems["atlas"], "b": DATA.systems["birch"]}
    with pytest.raises(OptionError, match="level='document' joins segments"):
        compare(texts, BLEU(), REFERENCES, strata=DATA.domains, documents=DATA.docids, level="document")
    with caplog.at_level(logging.WARNING, logger="truebleu"):
        assert judged(np.array([1.0] * 3 + [0] * 57 + [1, 2] * 30), ["x"] * 60 + ["y"] * 60, test="bs2")
    assert "the stratum 'x' has no p-value of its own: 'a' and 'b' differ in 3 segments" in caplog.text


def test_families() -> None:
    systems = {name: DATA.systems[name] for name in ("atlas", "birch", "cedar")}
    each, both = (
        compare(systems, ["bleu", "chrf"], REFERENCES, family=one, n_samples=800) for one in ("metric", "all")
    )
    assert (2, 2) == (each.n_families, each.n_tests) and (1, 4) == (both.n_families, both.n_tests)
    p_values = [pair.p_value for metric in both.metrics for pair in metric.pairs]
    assert holm(p_values) == [pair.adjusted_p_value for metric in both.metrics for pair in metric.pairs]
    assert holm(p_values[:2]) == [pair.adjusted_p_value for pair in each.metrics[0].pairs]
    assert "|adjust:holm|family:all|" in str(both.metrics[0].signature) and "family" not in str(
        each.metrics[0].signature
    )
    assert (1, "metric") == (both.to_dict()["n_families"], each.to_dict()["family"])
    one = compare({"a": systems["atlas"], "b": systems["birch"]}, ["bleu", "chrf"], REFERENCES, family="all")
    assert "holm" == one.correction and one.smallest_p_value == pytest.approx(2 / 20001)
    with pytest.raises(OptionError, match="family is 'x', expected one of 'metric', 'all'"):
        compare(systems, "bleu", REFERENCES, family="x")


def test_a_study_has_strata_too() -> None:
    systems = {name: DATA.systems[name] for name in ("atlas", "birch")}
    study = Study(systems, REFERENCES, "bleu", strata=DATA.domains, family="all", margin=1.0, n_samples=300)
    direct = compare(
        systems, "bleu", REFERENCES, strata=DATA.domains, family="all", margin=1.0, n_samples=300, all_pairs=True
    )
    assert study.comparison == direct
    with pytest.raises(LengthMismatch, match="Study: in strata there are 1 label"):
        Study(systems, REFERENCES, strata=["x"])
