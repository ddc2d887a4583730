"""The answer in words: who is better, by how much, and what explains it."""

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from truebleu._text.p_values import p_text
from truebleu.signature import Signature
from truebleu.significance import Comparison, MetricReport, PairReport, compare
from truebleu.significance.results import Explained
from truebleu.significance.sentences import sentence, told

BLEU, TER = (MetricReport(one.lower(), one, Signature({}), one == "BLEU", (), ()) for one in ("BLEU", "TER"))


def pair(delta: float, winner: str | None, p_value: float = 0.0004, **more: Any) -> PairReport:
    report = PairReport("A", "B", delta, p_value, None, winner is not None, winner, False)
    return replace(report, **more)


@pytest.mark.parametrize(
    ("metric", "given", "expected"),
    [
        (BLEU, pair(1.84, "B", interval=(0.91, 2.79)), "B is better than A by 1.8 BLEU (0.9 to 2.8), p = 0.0004."),
        (BLEU, pair(-1.84, "A", interval=(-2.79, -0.91)), "A is better than B by 1.8 BLEU (0.9 to 2.8), p = 0.0004."),
        (
            TER,
            pair(-1.84, "B", interval=(-2.79, -0.91)),
            "B is better than A by 1.8 TER (0.9 to 2.8; lower is better), p = 0.0004.",
        ),
        (TER, pair(1.84, "A"), "A is better than B by 1.8 TER (lower is better), p = 0.0004."),
        (
            BLEU,
            pair(0.31, None, 0.31, interval=(-0.42, 1.04)),
            "No difference shown between A and B: +0.3 BLEU (-0.4 to 1.0), p = 0.3100.",
        ),
        (
            TER,
            pair(-0.31, None, 0.31),
            "No difference shown between A and B: -0.31 TER (lower is better), p = 0.3100.",
        ),
        (BLEU, pair(0.0, None, 1.0), "No difference shown between A and B: +0.0 BLEU, p = 1.0000."),
        (
            BLEU,
            pair(-0.0001, None, 0.9, interval=(-1.5, 1.5)),
            "No difference shown between A and B: +0.0 BLEU (-1.5 to 1.5), p = 0.9000.",
        ),
        (BLEU, pair(0.0, None, 1.0, identical=True), "A and B are the same by BLEU."),
        (BLEU, pair(2.0, None, math.nan), "Too few segments or documents to test A and B: +2.0 BLEU."),
        (BLEU, pair(0.0042, "B", 1 / 20001), "B is better than A by 0.0042 BLEU, p < 0.0001."),
        (BLEU, pair(2.0, "B", 0.01, adjusted_p_value=0.03), "B is better than A by 2.0 BLEU, adjusted p = 0.0300."),
        (
            BLEU,
            pair(2.0, None, 0.0001, p_value_with_ties=1.0),
            "No difference shown between A and B: +2.0 BLEU, p = 1.0000.",
        ),
        (BLEU, pair(-0.3, "B", signs=(12, 1, 4)), "B is better than A (12 wins, 1 loss): -0.30 BLEU, p = 0.0004."),
        (BLEU, pair(0.3, "A", signs=(1, 12, 4)), "A is better than B (12 wins, 1 loss): -0.30 BLEU, p = 0.0004."),
        (
            TER,
            pair(0.3, None, 0.5, signs=(2, 2, 4)),
            "No difference shown between A and B (2 wins, 2 losses): +0.30 TER (lower is better), p = 0.5000.",
        ),
    ],
)  # fmt: skip
def test_a_pair_in_words(metric: MetricReport, given: PairReport, expected: str) -> None:
    assert expected == sentence(metric, given)
    if given.winner is not None or given.identical:
        assert {expected, expected.replace("A and B", "B and A")} >= {sentence(metric, given.turned)}


QUOTES = Explained(("quotes",), 1.06, 0.78, 0.008, None, "gain")


@pytest.mark.parametrize(
    ("metric", "delta", "explained", "expected"),
    [
        (BLEU, 1.84, QUOTES, "Quotation marks explain 1.1 of these 1.8 points."),
        (TER, -1.84, replace(QUOTES, part=-1.06, delta=-0.78), "Quotation marks explain 1.1 of these 1.8 points."),
        (BLEU, 1.84, replace(QUOTES, folded=("case",)), "Case explains 1.1 of these 1.8 points."),
        (
            BLEU,
            1.84,
            replace(QUOTES, folded=("quotes", "case", "spaces"), kind="none", p_value=0.2),
            "Quotation marks, case and spaces explain 1.1 of these 1.8 points. Without differences in quotation marks, "
            "case and spaces: no difference shown between A and B: +0.78 BLEU, p = 0.2000.",
        ),
        (
            BLEU,
            1.84,
            Explained(("dashes",), -1.0, 2.84, 0.001, None, "gain"),
            "Without differences in dashes: B is better than A by 2.8 BLEU, p = 0.0010.",
        ),
        (
            BLEU,
            1.84,
            Explained(("quotes",), 3.0, -1.16, 0.001, 0.002, "loss"),
            "Without differences in quotation marks: A is better than B by 1.2 BLEU, adjusted p = 0.0020.",
        ),
    ],
)
def test_what_explains_a_difference(metric: MetricReport, delta: float, explained: Explained, expected: str) -> None:
    given = pair(delta, "B", explained=explained)
    first, _, rest = sentence(metric, given).partition("p = 0.0004. ")
    assert "B is better than A by 1.8" in first and expected == rest
    assert sentence(metric, given.turned) == sentence(metric, given)


def test_p_values_have_four_decimals_and_are_never_nothing() -> None:
    assert ["1.0000", "0.0500", "0.0001", "<0.0001"] == [p_text(p) for p in (1.0, 0.05, 1 / 10_001, 1 / 20_001)]


def compared(systems: int, **options: Any) -> Comparison:
    texts = {f"s{at}": ["a b c d e f"] * 20 + ["x y z"] * at + ["a b c"] * (30 - at) for at in range(systems)}
    return compare(texts, "bleu", [["a b c d e f"] * 20 + ["x y z"] * 30], n_samples=200, **options)


def test_all_pairs_of_few_systems_and_neighbours_of_many_have_a_sentence() -> None:
    few, many, against = compared(3, all_pairs=True), compared(6, all_pairs=True), compared(14)
    assert [3, 5, 11] == [len(one.sentences) for one in (few, many, against)]
    assert many.sentences == tuple(told(many, many.metrics[0]))
    ranked = many.metrics[0].order
    for (better, worse), words in zip(pairwise(ranked), many.sentences, strict=True):
        assert {better, worse} == {word.rstrip(":") for word in words.split() if word[0] == "s" and word[1:2].isdigit()}
    assert "JSON has a sentence for each of 13 pairs." == against.sentences[-1]


def test_a_comparison_says_it_when_printed_in_notebooks_and_as_plain_values() -> None:
    report = compared(3)
    (metric,) = report.metrics
    expected = [sentence(metric, one) for one in metric.pairs]
    assert list(report.sentences) == expected == [one["sentence"] for one in report.to_dict()["metrics"][0]["pairs"]]
    lines = str(report).splitlines()
    assert [f"  {one}" for one in expected] == [line for line in lines if line.startswith("  ") and "p = " in line]
    assert all(one.replace("<", "&lt;") in report._repr_html_() for one in expected)
