"""D2: lines that are shifted, in another order, or of other texts."""

import random

import pytest

import truebleu
from truebleu import demo
from truebleu.doctor.finding import Diagnosis

GERMAN, CHINESE, SPANISH = demo.load("en-de"), demo.load("en-zh"), demo.load("en-es")
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


@pytest.mark.parametrize("count", [11, 15, 20, 50, 100])
def test_lines_that_are_lost_in_any_number_are_found(count: int) -> None:
    texts = [*HYPOTHESES[:30], *HYPOTHESES[30 + count :], *["Ende."] * count]
    (finding,) = report(texts).findings
    number = f"{count} lines"
    assert "D201" == finding.code and count == finding.evidence["offset"]
    assert abs(finding.evidence["first"] - 31) <= 2 and abs(finding.evidence["last"] - (240 - count)) <= 2
    assert f"fit the references {number} further down: {number} are missing at " in finding.message
    assert "lines" == finding.repair and finding.prices["BLEU"].points > 1


@pytest.mark.parametrize("count", [11, 40, 90])
def test_lines_that_are_too_many_in_any_number_are_found(count: int) -> None:
    foreign = SPANISH.references["A"]
    texts = [*HYPOTHESES[:60], *(foreign * 2)[:count], *HYPOTHESES[60:]][:240]
    found = report(texts)
    (finding,) = found.findings
    assert -count == finding.evidence["offset"] and abs(finding.evidence["first"] - (61 + count)) <= 2
    assert f"further up: {count} lines are too many before " in finding.message
    repaired = found.repaired("lines")
    assert HYPOTHESES[:58] == repaired[:58] and HYPOTHESES[62 : 240 - count] == repaired[62 : 240 - count]
    assert set(range(62, 238)) <= set(finding.segments)


def test_a_block_that_is_repeated_is_named_with_the_lines_that_it_repeats() -> None:
    texts = [*HYPOTHESES[:100], *HYPOTHESES[50:100], *HYPOTHESES[150:]]
    found = report(texts)
    (finding,) = found.findings
    assert finding.message.startswith("lines 101 to 150 repeat lines 51 to 100")
    assert (101, 150, -50, 50) == tuple(finding.evidence[key] for key in ("first", "last", "offset", "repeated"))
    if finding.repair:  # the copies go, and nothing that is nowhere else
        assert set(texts) == {text for text in found.repaired("lines") if text}
    alone = truebleu.diagnose(texts, [A], checks="D406")
    assert ["D406"] == [one.code for one in alone.findings] and set(range(100, 150)) == set(alone.findings[0].segments)
    assert [] == codes(HYPOTHESES) and () == truebleu.diagnose(HYPOTHESES, [A], checks="D406").findings


def test_blocks_in_another_order_are_put_back() -> None:
    blocks = [HYPOTHESES[at : at + 40] for at in range(0, 240, 40)]
    texts = [text for at in (3, 0, 5, 1, 4, 2) for text in blocks[at]]
    found = report(texts)
    (finding,) = found.findings
    assert "D201" == finding.code
    assert finding.message.startswith(
        "blocks of lines are in another order: lines 1 to 40 fit the references 120 lines further down; "
    )
    assert HYPOTHESES == found.repaired("lines") and 5 == finding.evidence["stretches"]


def test_an_end_padded_with_the_beginning_is_named() -> None:
    (finding,) = report([*HYPOTHESES[:90], *HYPOTHESES[120:], *HYPOTHESES[:30]]).findings
    assert "lines 91 to 210 fit the references 30 lines further down: 30 lines are missing at 91" in finding.message
    assert "lines 211 to 240 repeat lines 1 to 30, as if the end were padded" in finding.message


def test_no_repair_is_offered_that_would_lose_lines_that_fit() -> None:
    # Two translations of the first half: both fit, and only one could stay.
    texts = [*HYPOTHESES[:120], *GERMAN.systems["birch"][:120]]
    found = report(texts)
    (finding,) = found.findings
    assert "D201" == finding.code and finding.repair is None and {} == finding.prices
    assert texts == found.repaired("lines")


@pytest.mark.parametrize("lost", [60, 110])
def test_many_lines_that_are_missing_are_placed_where_numbers_differ(lost: int) -> None:
    found = truebleu.diagnose([*HYPOTHESES[:50], *HYPOTHESES[50 + lost :]], [A])
    (finding,) = [one for one in found.findings if one.code == "D101"]
    assert lost == finding.evidence["offset"] and abs(finding.evidence["line"] - 51) <= 2


# Sources.


def sources_report(sources: list[str]) -> Diagnosis:
    return truebleu.diagnose(HYPOTHESES, [A], sources, checks="D2")


@pytest.mark.parametrize("change", ["shuffled", "sorted", "reversed"])
def test_sources_in_another_order(change: str) -> None:
    texts = GERMAN.sources
    shuffled = random.Random(0).sample(texts, len(texts))
    changed = {"shuffled": shuffled, "sorted": sorted(texts), "reversed": texts[::-1]}[change]
    (finding,) = sources_report(changed).findings
    assert ("D204", "error", "sources") == (finding.code, finding.level, finding.side)
    assert finding.message.startswith("the sources do not fit the references line by line")


@pytest.mark.parametrize("by", [1, 7, 60])
def test_sources_that_are_shifted(by: int) -> None:
    (finding,) = sources_report([*GERMAN.sources[:64], *GERMAN.sources[64 + by :], *GERMAN.sources[:by]]).findings
    assert ("D204", by) == (finding.code, finding.evidence["offset"]) and abs(finding.evidence["first"] - 65) <= 16
    assert f"fit the references {by} line" in finding.message


def test_sources_in_the_order_of_the_references_are_fine() -> None:
    assert () == sources_report(GERMAN.sources).findings
    few = truebleu.diagnose(HYPOTHESES, [A], ["x"] * 240, checks="D204")
    assert {"D204": "sources and references have too few rare words in common"} == {
        code: why for code, why in few.not_checked.items() if code == "D204"
    }


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


@pytest.mark.parametrize(("different", "times"), [(10, 3), (20, 3), (12, 6)])
def test_texts_that_repeat_are_compared_with_other_texts(different: int, times: int) -> None:
    """Three samples of each translation, end to end: a third of the file further down stands the same reference."""
    assert [] == codes(HYPOTHESES[:different] * times, A[:different] * times)
    assert ["D203"] == codes(HYPOTHESES[:different] * times, A[120 : 120 + different] * times)


def test_few_different_references_tell_nothing() -> None:
    found = report(HYPOTHESES[:4] * 6, A[:4] * 6)
    assert () == found.findings and "it needs 10 different references" == found.not_checked["D203"]


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
