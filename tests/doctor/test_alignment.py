"""D2: lines that are shifted, in another order, or of other texts."""

import random

import pytest

import truebleu
from truebleu import demo
from truebleu.doctor.finding import Diagnosis

GERMAN, CHINESE = demo.load("en-de"), demo.load("en-zh")
HYPOTHESES, A = GERMAN.systems["atlas"], GERMAN.references["A"]


def report(hypotheses: list[str], *references: list[str]) -> Diagnosis:
    return truebleu.diagnose(hypotheses, references or [A], checks="D2")


def codes(hypotheses: list[str], *references: list[str]) -> list[str]:
    return [finding.code for finding in report(hypotheses, *references).findings]


@pytest.mark.parametrize("system", GERMAN.systems)
@pytest.mark.parametrize("place", [0, 5, 68, 150, 225])
def test_a_lost_line_is_found_within_two_lines(system: str, place: int) -> None:
    texts = GERMAN.systems[system]
    (finding,) = report([*texts[:place], *texts[place + 1 :], "Ende."]).findings
    assert "D201" == finding.code and 1 == finding.evidence["offset"]
    assert abs(finding.segments[0] - place) <= 2 and abs(finding.segments[-1] - 238) <= 2
    assert "lines further down" in finding.message or "1 line further down: 1 line is missing at" in finding.message


@pytest.mark.parametrize("place", [5, 68, 150, 220])
def test_a_repeated_line_is_found_within_two_lines(place: int) -> None:
    (finding,) = report([*HYPOTHESES[:place], HYPOTHESES[place - 1], *HYPOTHESES[place:-1]]).findings
    assert "D201" == finding.code and -1 == finding.evidence["offset"]
    assert abs(finding.segments[0] - place) <= 2
    assert "fit the references 1 line further up: 1 line is too many before" in finding.message


def test_a_block_of_lines_in_another_place_is_found() -> None:
    texts = HYPOTHESES[:50] + HYPOTHESES[53:80] + HYPOTHESES[50:53] + HYPOTHESES[80:]
    (finding,) = report(texts).findings
    assert "D201" == finding.code and 3 == finding.evidence["offset"] and abs(finding.segments[0] - 50) <= 2


def test_poor_output_does_not_hide_a_lost_line() -> None:
    short = [" ".join(text.split()[:4]) for text in HYPOTHESES]
    assert [] == codes(short)
    (finding,) = report([*short[:68], *short[69:], "Ende."]).findings
    assert "D201" == finding.code and abs(finding.segments[0] - 68) <= 2


def test_lines_that_are_moved_back_score_as_before() -> None:
    texts = [*HYPOTHESES[:68], *HYPOTHESES[69:], "Ende."]
    drifted = report(texts)
    price = drifted.findings[0].prices["BLEU"]
    untouched = truebleu.corpus_bleu(HYPOTHESES, [A]).score
    # The lost line stays lost; the bar is that of the specification.
    assert abs(price.after - untouched) <= 0.15 and price.before < untouched - 10
    repaired = drifted.repaired("lines")
    assert "" == repaired[68] and HYPOTHESES[69:] == repaired[69:] and HYPOTHESES[:68] == repaired[:68]


@pytest.mark.parametrize("change", ["shuffled", "sorted", "reversed"])
def test_texts_in_another_order(change: str) -> None:
    shuffled = random.Random(0).sample(HYPOTHESES, len(HYPOTHESES))
    changed = {"shuffled": shuffled, "sorted": sorted(HYPOTHESES), "reversed": HYPOTHESES[::-1]}[change]
    (finding,) = report(changed).findings
    assert ("D202", "error") == (finding.code, finding.level) and finding.evidence["ratio"] < 1.6
    assert {} == finding.prices


def test_files_that_do_not_belong_together() -> None:
    assert ["D203"] == codes(HYPOTHESES[:120], A[120:])
    assert ["D203"] == codes(CHINESE.systems["atlas"], A[:60])


def test_the_first_reference_that_is_not_blank_counts() -> None:
    blank = [text if at % 2 else " " for at, text in enumerate(A)]
    texts = [*HYPOTHESES[:68], *HYPOTHESES[69:], "Ende."]
    assert [] == codes(HYPOTHESES, blank, A) and ["D201"] == codes(texts, blank, A)


@pytest.mark.parametrize("filled", [0, 9])
def test_a_file_that_is_almost_empty_is_no_crash(filled: int) -> None:
    found = report(HYPOTHESES[:filled] + [""] * (240 - filled))
    assert () == found.findings
    assert {"D201", "D202", "D203"} <= set(found.not_checked)
    assert "it needs 10 segments with a hypothesis and a reference" == found.not_checked["D203"]


def test_few_segments_are_not_checked() -> None:
    assert "it needs 10 segments" == report(HYPOTHESES[9::-1][:9], A[:9]).not_checked["D202"]
