"""D32x: what two publishers write differently."""

import pytest

import truebleu
from truebleu import demo
from truebleu.doctor.finding import Finding
from truebleu.metrics import BLEU, CHRF

GERMAN, CHINESE = demo.load("en-de"), demo.load("en-zh")
HYPOTHESES, A = GERMAN.systems["atlas"], GERMAN.references["A"]


def findings(hypotheses: list[str], references: list[str], tokenize: str = "13a") -> dict[str, Finding]:
    report = truebleu.diagnose(hypotheses, [references], metrics=[BLEU(tokenize=tokenize), CHRF()], checks="D32")
    return {one.code: one for one in report.findings}


def ended(texts: list[str], end: str, number: int = 30) -> list[str]:
    return [f"{text}{end}" if at < number else text for at, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("ours", "theirs", "code", "message"),
    [
        (' "x"', " „x“", "D321", 'hypotheses write " where references write „ “'),
        (' "x"', " “x”", "D321", 'hypotheses write " where references write “ ”'),
        (" «x»", ' "x"', "D321", 'hypotheses write « » where references write "'),
        (" it's", " it’s", "D321", "hypotheses write ' where references write ’"),
        (" - x", " – x", "D322", "hypotheses write - where references write –"),
        (" - x", "—x", "D322", "hypotheses write - where references write —"),
        ("...", "…", "D322", "hypotheses write ... where references write …"),
    ],
)
def test_another_style_is_told_with_its_price(ours: str, theirs: str, code: str, message: str) -> None:
    found = findings(ended(HYPOTHESES, ours), ended(A, theirs))
    assert {code} == set(found) and found[code].message.startswith(message)
    assert "Folded on both sides: +" in found[code].message
    assert ("warning" if found[code].points >= 1 else "note") == found[code].level
    assert {} == findings(ended(HYPOTHESES, ours), ended(A, ours))


def test_a_price_below_a_point_is_a_note() -> None:
    found = findings(ended(HYPOTHESES * 4, "...", 24), ended(A * 4, "…", 24))["D322"]
    assert 0 < max(abs(price.points) for price in found.prices.values()) < 1 and "note" == found.level


def test_few_marks_tell_nothing() -> None:
    assert {} == findings(ended(HYPOTHESES, ' "x"', 9), ended(A, " „x“", 9))


def test_ranges_are_no_dashes() -> None:
    assert {} == findings(ended(HYPOTHESES, " 2019-20"), ended(A, " 2019–20"))


def test_half_width_marks_in_chinese() -> None:
    narrow = str.maketrans("，：；！？（）％", ",:;!?()%")
    texts, references = CHINESE.systems["atlas"] * 4, CHINESE.references["A"] * 4
    found = findings([text.translate(narrow) for text in texts], references, "zh")
    assert "full-width marks: 0% in hypotheses, 99% in references" in found["D323"].message
    assert {} == findings(texts, references, "zh")
    report = truebleu.diagnose(HYPOTHESES, [A], checks="D323")
    assert "full-width forms belong to scripts without spaces" == report.not_checked["D323"]


def test_half_width_kana() -> None:
    texts = ["ガラスのコップです", "カメラを買いました"] * 6
    half = [text.translate(str.maketrans("コプメラス", "ｺﾌﾒﾗｽ")) for text in texts]
    assert "half-width kana" in findings(half, texts, "char")["D323"].message


def test_kinds_of_spaces_matter_only_where_they_cost() -> None:
    wide = [text.replace(" ", "\u00a0") for text in HYPOTHESES]
    report = truebleu.diagnose(wide, [A], metrics=[BLEU(), CHRF()], checks="D324")
    # To 13a and chrF a no-break space is white space.
    assert () == report.findings and ("D324",) == report.passed
    report = truebleu.diagnose(wide, [A], metrics=[CHRF(whitespace=True)], checks="D324")
    (finding,) = report.findings
    assert "hypotheses have no-break or wide spaces where references have plain spaces" in finding.message
    assert truebleu.CHRF(whitespace=True).corpus_score(HYPOTHESES, [A]).score == finding.prices["chrF"].after
