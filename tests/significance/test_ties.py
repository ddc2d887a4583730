"""Randomization counts ties: its p-values are those of all flips, or of shuffles that include the real difference."""

import json
import logging
import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truebleu.errors import TooFew
from truebleu.metrics import BLEU, CHRF, TER
from truebleu.resample.randomization import MOST_ENUMERATED
from truebleu.significance import ExternalMetric, PairedTest, compare
from truebleu.stats import Stats

METRICS: dict[str, Any] = {"BLEU": BLEU(), "CHRF": CHRF(), "TER": TER()}
WORDS = st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), min_size=1, max_size=6).map(" ".join)


def brute_force(metric: Any, one: Stats, other: Stats) -> Fraction:
    """The share of all flips that put two systems at least as far apart as they are; sums are whole numbers."""
    units = np.flatnonzero((one.rows != other.rows).any(axis=1))

    def gap(flips: tuple[bool, ...]) -> float:
        ours, theirs = one.rows.copy(), other.rows.copy()
        swapped = units[list(flips)]
        ours[swapped], theirs[swapped] = other.rows[swapped], one.rows[swapped]
        scores = [metric.engine.score([math.fsum(column) for column in side.T]) for side in (ours, theirs)]
        return abs(float(scores[0] - scores[1]))

    gaps = [gap(flips) for flips in product((False, True), repeat=len(units))]
    return Fraction(sum(found >= gaps[0] for found in gaps), len(gaps))


@settings(max_examples=40, deadline=None)
@pytest.mark.parametrize("name", METRICS)
@given(st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=6, max_size=8))
def test_the_p_value_of_a_small_corpus_is_that_of_all_flips(name: str, drawn: list[tuple[str, str, str]]) -> None:
    references, *systems = (list(texts) for texts in zip(*drawn, strict=True))
    metric = METRICS[name]
    one, other = (metric.stats(texts, [references]) for texts in systems)
    (pair,) = compare({"a": one, "b": other}, metric, n_samples=10).metrics[0].pairs
    assert brute_force(metric, one, other) == Fraction(pair.p_value)
    assert pair.exact


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(*[st.integers(0, 30).map(lambda tenths: tenths / 10)] * 2), min_size=6, max_size=9))
def test_the_p_value_of_decimal_scores_is_that_of_their_decimals(drawn: list[tuple[float, float]]) -> None:
    """In doubles 0.1 + 0.2 is not 0.3; as people wrote these scores, it is a tie."""
    tenths = [round(10 * (b - a)) for a, b in drawn]
    flips = [abs(sum(map(int.__mul__, signs, tenths))) for signs in product((-1, 1), repeat=len(tenths))]
    expected = Fraction(sum(found >= abs(sum(tenths)) for found in flips), len(flips))
    scores = {name: {"m": [pair[at] for pair in drawn]} for at, name in enumerate("ab")}
    (pair,) = compare(scores, ExternalMetric("m", higher_is_better=True)).metrics[0].pairs
    assert expected == Fraction(pair.p_value)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(*[st.floats(-1, 1)] * 2), min_size=6, max_size=8))
def test_the_p_value_of_any_scores_is_that_of_exact_sums(drawn: list[tuple[float, float]]) -> None:
    rounded = [[Fraction(round(value * 10**12)) for value in pair] for pair in drawn]
    differences = [b - a for a, b in rounded]
    signed = [zip(signs, differences, strict=True) for signs in product((-1, 1), repeat=len(drawn))]
    flips = [abs(sum(sign * difference for sign, difference in one)) for one in signed]
    expected = Fraction(sum(found >= abs(sum(differences)) for found in flips), len(flips))
    scores = {name: {"m": [round(pair[at], 12) for pair in drawn]} for at, name in enumerate("ab")}
    (pair,) = compare(scores, ExternalMetric("m", higher_is_better=True)).metrics[0].pairs
    assert expected == Fraction(pair.p_value)


def differing(count: int, segments: int = 100) -> tuple[dict[str, list[str]], list[list[str]]]:
    """Two systems that differ in so many segments, all in favour of one."""
    references = [f"the heron {at} stood by the pond" for at in range(segments)]
    system = [f"the heron {at} sat at the pond" for at in range(segments)]
    return {"a": system, "b": references[:count] + system[count:]}, [references]


@pytest.mark.parametrize(
    ("count", "expected"), [(1, 1.0), (2, 0.5), (3, 0.25), (5, 0.0625), (8, 0.0078125), (17, 2**-16)]
)
@pytest.mark.parametrize("name", METRICS)
def test_few_segments_that_differ_have_the_exact_p_value(name: str, count: int, expected: float) -> None:
    systems, references = differing(count)
    report = compare(systems, METRICS[name], references, n_confidence=0)
    (pair,) = report.metrics[0].pairs
    assert (expected, True, 0, None) == (pair.p_value, pair.exact, report.n_samples, report.smallest_p_value)
    assert "Exact paired randomization test" == report.title
    assert "|ar:exact|" in str(report.metrics[0].signature) and "seed" not in str(report.metrics[0].signature)


def test_more_segments_are_shuffled_and_the_signature_says_that_ties_count() -> None:
    systems, references = differing(MOST_ENUMERATED + 1)
    report = compare(systems, BLEU(), references, n_samples=500)
    assert "nrefs:1|bs:1000|ar:500|ties:counted|seed:12345|" in str(report.metrics[0].signature)
    assert not report.metrics[0].pairs[0].exact and 500 == report.n_samples


def test_units_that_do_not_differ_are_left_out_and_change_nothing() -> None:
    rng = np.random.default_rng(1)
    scores = rng.integers(0, 5, size=(2, 60)).astype(float)
    alike = rng.integers(0, 5, size=200).astype(float)
    mixed = [np.concatenate([alike[:100], one, alike[100:]]) for one in scores]
    # Those among them that happen to be the same differ no more in a third system.
    third = [*mixed, rng.integers(0, 5, size=260).astype(float)]
    few, many = (
        compare(
            {name: {"m": one} for name, one in zip("abc", given, strict=False)},
            ExternalMetric("m", higher_is_better=True),
            n_samples=900,
        )
        for given in (mixed, third)
    )
    assert few.metrics[0].pairs[0].p_value == many.metrics[0].pairs[0].p_value


def test_p_values_do_not_depend_on_the_other_systems() -> None:
    rng = np.random.default_rng(2)
    scores = {name: {"m": rng.random(80)} for name in "abcd"}
    alone = compare({name: scores[name] for name in "ab"}, ExternalMetric("m", higher_is_better=True), n_samples=700)
    together = compare(scores, ExternalMetric("m", higher_is_better=True), n_samples=700, all_pairs=True)
    assert alone.metrics[0].pairs[0].p_value == together.metrics[0].pairs[0].p_value


def test_170_paired_test_keeps_sacrebleus_p_value_and_says_where_it_misleads(caplog: pytest.LogCaptureFixture) -> None:
    import sacrebleu.significance
    from sacrebleu.metrics.bleu import BLEU as TheirBLEU

    for count, honest in ((1, "1"), (5, "0.0625"), (8, "0.007812")):
        systems, references = differing(count)
        given = list(systems.items())
        _, theirs = sacrebleu.significance.PairedTest(given, {"BLEU": TheirBLEU()}, references, "ar", 2000)()
        caplog.clear()
        with caplog.at_level(logging.WARNING, logger="truebleu"):
            _, ours = PairedTest(given, {"BLEU": BLEU()}, references, "ar", 2000)()
        found: Any = ours["BLEU"][1]
        assert theirs["BLEU"][1].p_value == found.p_value
        said = f"p = {found.p_value:.4f} leaves out shuffles with exactly the same difference; with them"
        assert [f"BLEU of 'b' and 'a': {said}, as it should be, p = {honest}"] == caplog.messages


def test_bs2_is_refused_where_few_segments_differ(caplog: pytest.LogCaptureFixture) -> None:
    systems, references = differing(9)
    with pytest.raises(
        TooFew, match="'a' and 'b' differ in 9 segments by bleu, and test='bs2' needs 10 or more; use ar"
    ):
        compare(systems, BLEU(), references, test="bs2")
    compare(differing(10)[0], BLEU(), references, test="bs2", n_samples=50)
    assert 1.0 == compare({**systems, "b": systems["a"]}, BLEU(), references, test="bs2").metrics[0].pairs[0].p_value
    caplog.clear()
    systems, references = differing(30, 49)
    with caplog.at_level(logging.WARNING, logger="truebleu"):
        compare(systems, BLEU(), references, test="bs2")
    assert ["there are 49 segments, and with fewer than 50 the bootstrap claims too many differences; use ar"] == [
        one for one in caplog.messages if "bootstrap" in one
    ]


@pytest.mark.parametrize("test", ["ar", "bs2", "sign"])
def test_fewer_than_six_segments_have_no_p_value(test: str, caplog: pytest.LogCaptureFixture) -> None:
    systems, references = differing(5, 5)
    with caplog.at_level(logging.WARNING, logger="truebleu"):
        report = compare({**systems, "c": systems["b"][::-1]}, BLEU(), references, test=test)
    assert "there are 5 segments, and a test needs 6 segments or more: there is no p-value" in caplog.messages
    for pair in report.metrics[0].pairs:
        assert math.isnan(pair.p_value) and math.isnan(pair.decisive) and not pair.significant and pair.delta
    assert (
        "Too few segments or documents to test a and b: +79.4 BLEU" in str(report) and "too few" in report._repr_html_()
    )
    assert [None, None] == [pair["p_value"] for pair in json.loads(json.dumps(report.to_dict()))["metrics"][0]["pairs"]]
