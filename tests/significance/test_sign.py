"""The sign test, against corpora that are put together and scored again for every segment."""

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sacrebleu.metrics
from hypothesis import given
from hypothesis import strategies as st

import truebleu.metrics
from strategies import BLEU_OPTIONS, CHRF_OPTIONS, TER_OPTIONS, Generator, ter_cases_stay_short
from truebleu import demo
from truebleu.errors import EmptyCorpus, InputTypeError, LengthMismatch, StatsMismatch
from truebleu.metrics import BLEU, CHRF, TER
from truebleu.significance import ExternalMetric
from truebleu.significance.sign import (
    BETTER,
    SAME,
    WORSE,
    SignTest,
    binomial_p_value,
    sign_test,
    sign_test_of_texts,
    z_value,
)

METRICS: dict[str, tuple[Any, Callable[[str], Generator]]] = {
    "BLEU": (BLEU_OPTIONS, Generator),
    "CHRF": (CHRF_OPTIONS, Generator),
    "TER": (TER_OPTIONS, ter_cases_stay_short),
}


def slow_test(baseline: list[str], system: list[str], score: Callable[[list[str]], float], sign: int) -> list[Any]:
    """The definition: for each segment put its text into the baseline and score the whole corpus."""
    before = score(baseline)
    items = []
    for index in range(len(baseline)):
        if baseline[index] != system[index]:
            after = score([*baseline[:index], system[index], *baseline[index + 1 :]])
            items.append((index, after, sign * ((after > before) - (after < before))))
    return items


def items_of(test: SignTest) -> list[Any]:
    return [(int(i), float(test.scores[i]), int(test.outcomes[i])) for i in test.different.nonzero()[0]]


def another(generator: Generator, texts: list[str]) -> list[str]:
    return [generator.variant(text) if generator.rng.random() < 0.7 else text for text in texts]


@pytest.mark.parametrize("name", METRICS)
def test_every_replaced_score_is_that_of_the_corpus_put_together_anew(name: str, cases: int) -> None:
    table, make = METRICS[name]
    for case in range(max(30, cases // 3)):
        generator = make(f"sign/{name}/{case}")
        hypotheses, streams = generator.corpus(segments=generator.rng.randint(1, 9))
        system = another(generator, hypotheses)
        metric = getattr(truebleu.metrics, name)(**generator.options(table))
        test = sign_test_of_texts(hypotheses, system, streams, metric)
        expected = slow_test(
            hypotheses,
            system,
            lambda texts, metric=metric, streams=streams: metric.corpus_score(texts, streams).score,
            -1 if name == "TER" else 1,
        )
        assert expected == items_of(test), f"sign/{name}/{case}"
        assert metric.corpus_score(hypotheses, streams).score == test.baseline_score
        assert metric.corpus_score(system, streams).score == test.system_score
        counts = [sum(outcome == kind for _, _, outcome in expected) for kind in (BETTER, WORSE, SAME)]
        assert counts == [test.better, test.worse, test.same]


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("pair", ["en-de", "en-es"])
def test_real_systems_agree_with_sacrebleu_scoring_every_replaced_corpus(name: str, pair: str) -> None:
    data = demo.load(pair)
    segments = slice(14 if name == "TER" else 25)  # sacreBLEU's TER takes its time
    baseline, system = (data.systems[name][segments] for name in ("cedar", "birch"))
    streams = [stream[segments] for stream in data.references.values()]
    theirs = getattr(sacrebleu.metrics, name)()
    expected = slow_test(
        baseline, system, lambda texts: theirs.corpus_score(texts, streams).score, -1 if name == "TER" else 1
    )
    assert expected == items_of(sign_test_of_texts(baseline, system, streams, getattr(truebleu.metrics, name)()))
    assert len(expected) >= 8


def test_ters_mean_lengths_stay_exact_in_a_long_corpus() -> None:
    # Three references of different lengths: thirds do not add up to the same bits in every order.
    generator = ter_cases_stay_short("sign/thirds")
    words = ["heron", "pond", "grey", "ferry", "noon"]
    texts = [
        [" ".join(generator.rng.choices(words, k=generator.rng.randint(1, 9))) for _ in range(400)] for _ in range(5)
    ]
    baseline, system, *streams = texts
    metric = TER()
    rows = metric.stats(baseline, streams)
    assert any(length % 1 for length in rows.rows[:, 1])
    test = sign_test(rows, metric.stats(system, streams), metric)
    for index in range(0, 400, 23):
        replaced = [*baseline[:index], system[index], *baseline[index + 1 :]]
        assert metric.corpus_score(replaced, streams).score == test.scores[index]


def test_chunks_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    data = demo.load("en-de")
    texts = data.systems["cedar"], data.systems["atlas"], list(data.references.values()), CHRF()
    whole = sign_test_of_texts(*texts)
    monkeypatch.setattr("truebleu.significance.sign._CHUNK", 7)
    assert whole.scores.tolist() == sign_test_of_texts(*texts).scores.tolist()
    assert 0.99 == whole.level and "the system is better than the baseline at 99% confidence" == whole.verdict


SIX = {
    "baseline": ["a b c d e", "f g h i", "k l m n", "X y z w"],
    "system": ["a b c d e", "f g h x", "k l m n o", "x y z w"],
    "references": [["a b c d e", "f g h i", "k l m n o", "x y z w"]],
}


def test_a_change_of_case_takes_part_and_is_the_same_where_case_does_not_count() -> None:
    texts = SIX["baseline"], SIX["system"], SIX["references"]
    lowered = sign_test_of_texts(*texts, BLEU(lowercase=True))
    assert (1, 1, 1, [3]) == (lowered.better, lowered.worse, lowered.same, lowered.indices(SAME))
    cased = sign_test_of_texts(*texts, BLEU())
    assert (2, 1, 0, [2, 3]) == (cased.better, cased.worse, cased.same, cased.indices(BETTER))


def test_rows_alone_leave_out_what_only_texts_show() -> None:
    metric = BLEU(lowercase=True)
    rows = [metric.stats(SIX[side], SIX["references"]) for side in ("baseline", "system")]
    test = sign_test(rows[0], rows[1], metric)
    assert (1, 1, 0, 2) == (test.better, test.worse, test.same, int(test.different.sum()))


@pytest.mark.parametrize("metric", [BLEU(), CHRF(word_order=2), TER()])
def test_a_system_does_not_differ_from_itself(metric: Any) -> None:
    test = sign_test_of_texts(SIX["baseline"], list(SIX["baseline"]), SIX["references"], metric)
    assert (0, 0, 0, 0.0, 1.0) == (test.better, test.worse, test.same, test.z, test.p_value)
    assert (None, "no difference", 0) == (test.level, test.verdict, int(test.different.sum()))
    assert test.baseline_score == test.system_score
    assert (0.0, 0.0) == (test.gain, test.loss)


def test_lower_is_better_for_ter_only() -> None:
    texts = ["a b x"], ["a b c"], [["a b c"]]
    for metric, delta in ((TER(), -1), (CHRF(), 1), (BLEU(effective_order=True), 1)):
        test = sign_test_of_texts(*texts, metric)
        assert (1, 0) == (test.better, test.worse)
        assert test.deltas[0] * delta > 0


def test_swapping_both_systems_of_one_segment_swaps_the_counts() -> None:
    ours, theirs = ["a b c d x"], ["a b c d e"]
    there = sign_test_of_texts(ours, theirs, [["a b c d e"]], BLEU())
    back = sign_test_of_texts(theirs, ours, [["a b c d e"]], BLEU())
    assert (there.better, there.worse) == (back.worse, back.better) == (1, 0)


# The expected values were computed with another program: better, worse, Z, normal and exact p-value.
P_VALUES = [
    (60, 40, 2.0, 0.04550026389635844, 0.05688793364098079),
    (61, 39, 2.2, 0.02780689502699722, 0.03520020021770481),
    (64, 38, 2.5743836117393535, 0.0100418865909459, 0.0129204519111262),
    (10, 2, 2.3094010767585034, 0.020921335337794028, 0.03857421875),
    (10, 1, 2.7136021011998728, 0.006655605482949382, 0.01171875),
    (9, 1, 2.5298221281347035, 0.011412036386001656, 0.021484375),
    (7, 0, 2.6457513110645903, 0.008150971593502709, 0.015625),
    (4, 0, 2.0, 0.04550026389635844, 0.125),
    (3, 0, 1.7320508075688774, 0.08326451666355043, 0.25),
    (113, 87, 1.8384776310850235, 0.0659920550593476, 0.07683763213126037),
    (0, 0, 0.0, 1.0, 1.0),
    (5, 5, 0.0, 1.0, 1.0),
]


@pytest.mark.parametrize(("better", "worse", "z", "normal", "exact"), P_VALUES)
def test_z_and_p_values(better: int, worse: int, z: float, normal: float, exact: float) -> None:
    test = outcome(better, worse)
    assert (z, exact) == (test.z, test.p_value)
    # erfc is the C library's, and may differ in the last bits.
    assert math.isclose(normal, test.p_value_normal, rel_tol=1e-12)
    assert exact == outcome(worse, better).p_value


@pytest.mark.parametrize(
    ("better", "worse", "level"),
    [
        (4, 0, 0.95),
        (3, 0, None),
        (64, 38, 0.99),
        (60, 40, 0.95),
        (113, 87, None),
        (7, 0, 0.99),
        (38, 64, 0.99),
        (337, 288, None),
        (20257, 19743, 0.95),
    ],  # Z is exactly 1.96 and 2.57: not above
)
def test_thresholds(better: int, worse: int, level: float | None) -> None:
    test = outcome(better, worse)
    assert level == test.level
    direction = "better" if better > worse else "worse"
    expected = f"the system is {direction} than the baseline at {100 * (level or 0):.0f}% confidence"
    assert (expected if level else "not significant") == test.verdict


def test_between_the_two_thresholds_for_99_percent_it_matters_which_is_meant() -> None:
    test = outcome(64, 38)
    assert (0.99, 0.95) == (test.level, replace(test, thresholds=(1.96, 2.576)).level)


@given(st.integers(0, 900), st.integers(0, 900))
def test_the_p_value_is_the_rounded_exact_fraction(better: int, worse: int) -> None:
    trials = better + worse
    tail = sum(math.comb(trials, i) for i in range(min(better, worse) + 1))
    assert float(min(Fraction(1), Fraction(2 * tail, 2**trials))) == binomial_p_value(better, worse)


def test_p_values_of_huge_counts_are_neither_slow_nor_wrong() -> None:
    # Of a million throws, 1000 more on one side: the normal distribution with continuity correction is near.
    p_value = binomial_p_value(500_500, 499_500)
    assert math.isclose(math.erfc(999 / 1000 / math.sqrt(2)), p_value, rel_tol=1e-5)
    assert 0.0 == binomial_p_value(100_000, 0)


def outcome(better: int, worse: int) -> SignTest:
    empty = np.zeros(0)
    return SignTest(
        "BLEU", "", 0.0, 0.0, better, worse, 0, z_value(better, worse), binomial_p_value(better, worse),
        empty.astype(bool), empty, empty.astype(np.int8),
    )  # fmt: skip


def test_to_dict_has_plain_numbers() -> None:
    import json

    fields = sign_test_of_texts(SIX["baseline"], SIX["system"], SIX["references"], BLEU()).to_dict()
    assert fields == json.loads(json.dumps(fields))
    assert (4, 3, 2, 1, 0) == tuple(fields[key] for key in ("segments", "different", "f_plus", "f_minus", "f_zero"))


def test_rows_that_do_not_belong_together_are_refused() -> None:
    metric = BLEU()
    rows = metric.stats(["a b", "c"], [["a b", "c"]])
    other = metric.stats(["a b"], [["a b"]])
    with pytest.raises(LengthMismatch, match="the system has 1 segment, the baseline has 2"):
        sign_test(rows, other, metric)
    with pytest.raises(StatsMismatch, match="differ in metric"):
        sign_test(rows, CHRF().stats(["a b", "c"], [["a b", "c"]]), metric)
    with pytest.raises(StatsMismatch, match="the rows and this CHRF differ in metric"):
        sign_test(rows, rows, CHRF())
    with pytest.raises(StatsMismatch, match="different references: 1 and 1 to 2 per segment"):
        sign_test(rows, metric.stats(["a b", "c"], [["a b", "c"], ["a", None]]), metric)
    with pytest.raises(EmptyCorpus, match="no rows"):
        sign_test(rows.select([]), rows.select([]), metric)
    with pytest.raises(InputTypeError, match="the baseline is of type list, expected Stats"):
        sign_test(["a b", "c"], rows, metric)  # type: ignore[arg-type]


def test_ter_rows_of_different_references_are_refused() -> None:
    metric = TER()
    rows = [metric.stats(["a b"], [["a b"], [other]]) for other in ("a b c", "a b c d e")]
    with pytest.raises(StatsMismatch, match=r"length of segment 0 is 2\.5 in the baseline and 3\.5 in the system"):
        sign_test(rows[0], rows[1], metric)
    whole = [metric.stats(["a b", "c"], [["a b", other]]) for other in ("c", "c d")]
    with pytest.raises(StatsMismatch, match=r"length of segment 1 is 1\.0 in the baseline and 2\.0 in the system"):
        sign_test(whole[0], whole[1], metric)


def test_external_scores_may_be_fractions() -> None:
    ours, theirs = [0.25, 0.7, 0.1, 0.9], [0.35, 0.7, 0.3, 0.8]
    for higher, counts in ((True, (2, 1)), (False, (1, 2))):
        metric = ExternalMetric("judge", higher_is_better=higher)
        test = sign_test(metric.stats(ours), metric.stats(theirs), metric)
        assert (*counts, 0) == (test.better, test.worse, test.same)
        assert test.scores[0] == pytest.approx(np.mean([0.35, *ours[1:]]))


def test_flags_are_checked() -> None:
    metric = CHRF()
    rows = [metric.stats(texts, [["a b", "c"]]) for texts in (["a b", "c"], ["a x", "c"])]
    with pytest.raises(LengthMismatch, match="different has 1 flag, the baseline has 2 segments"):
        sign_test(rows[0], rows[1], metric, different=[True])
    with pytest.raises(InputTypeError, match="flat list of booleans"):
        sign_test(rows[0], rows[1], metric, different=[1, 0])  # type: ignore[list-item]
    with pytest.raises(StatsMismatch, match="segment 0 is the same in both systems, but its rows are not equal"):
        sign_test(rows[0], rows[1], metric, different=[False, True])
    assert 1 == sign_test(rows[0], rows[1], metric, different=np.array([True, True])).same


def test_texts_of_different_length_are_refused() -> None:
    with pytest.raises(LengthMismatch, match="stream 0 of 1 has 2 segments, the hypotheses have 1"):
        sign_test_of_texts(["a", "b"], ["a"], [["a", "b"]], BLEU())
