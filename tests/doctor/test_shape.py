"""D1: files that are not what they should be."""

import json
import random

import pytest

import truebleu
from truebleu import demo, diagnose
from truebleu.doctor.finding import Finding
from truebleu.errors import LengthMismatch

GERMAN = demo.load("en-de")
HYPOTHESES, A, B = GERMAN.systems["atlas"], GERMAN.references["A"], GERMAN.references["B"]


def findings(hypotheses: list[str], *references: list[str], sources: list[str] | None = None) -> dict[str, Finding]:
    report = truebleu.diagnose(hypotheses, references or [A], sources, checks="D1,D2,D3")
    return {finding.code: finding for finding in report.findings}


@pytest.mark.parametrize("lost", [1, 2, 5])
def test_lost_lines_are_named_with_their_place(lost: int) -> None:
    found = findings(HYPOTHESES[:100] + HYPOTHESES[100 + lost :])
    assert {"D101"} == set(found) and "error" == found["D101"].level
    assert abs(found["D101"].evidence["line"] - 101) <= 2 and lost == found["D101"].evidence["offset"]
    assert f"the hypotheses have {240 - lost} lines, references[0] 240. From line 1" in found["D101"].message


def test_a_line_that_was_split_is_named_with_its_place() -> None:
    text = HYPOTHESES[60]
    found = findings([*HYPOTHESES[:60], text[:30], text[30:], *HYPOTHESES[61:]])
    assert abs(found["D101"].evidence["line"] - 62) <= 2 and -1 == found["D101"].evidence["offset"]


def test_numbers_that_are_far_apart_are_told_without_a_search() -> None:
    found = findings(HYPOTHESES[:100])
    assert "the hypotheses have 100 lines, references[0] 240" == found["D101"].message


def test_the_second_stream_may_be_the_short_one() -> None:
    assert "references[1] 239" in findings(HYPOTHESES, A, B[1:])["D101"].message


def test_a_file_of_another_format_is_named_when_numbers_differ_too() -> None:
    assert {"D101", "D106"} == set(findings([json.dumps({"hyp": text}) for text in HYPOTHESES[:-1]]))


def test_transposed_references_are_told_by_their_number() -> None:
    found = findings(HYPOTHESES, *([text] for text in A))
    assert "these references are grouped the other way: pass layout='segments'" == found["D102"].message
    report = truebleu.diagnose(HYPOTHESES, [A], layout="segments")
    assert ["D102"] == [finding.code for finding in report.findings]
    assert "the numbers of hypotheses and references differ" == report.not_checked["D304"]


def test_transposed_references_of_a_square_are_told_by_similarity() -> None:
    rng = random.Random(3)
    places = rng.sample(range(240), 5)
    streams = [[A[at] for _ in range(5)] for at in places]  # streams[k][i] should be a reference of segment i
    found = findings([HYPOTHESES[at] for at in places], *streams)
    assert "these references fit far better if they are grouped the other way" in found["D102"].message
    right = [[A[at] for at in places] for _ in range(5)]
    assert "D102" not in findings([HYPOTHESES[at] for at in places], *right)


def test_one_reference_twice() -> None:
    twice = [f"{text} " if at % 20 else B[at] for at, text in enumerate(A)]
    found = findings(HYPOTHESES, A, twice)
    assert "references 1 and 2 are the same text in 95% of lines" == found["D103"].message
    assert "references[1]" == found["D103"].side
    assert {} == findings(HYPOTHESES, A, B)


def test_the_reference_as_hypothesis() -> None:
    assert "the hypotheses are the reference itself" == findings([f" {text}" for text in B], A, B)["D104"].message
    assert "D104" not in findings(B[:200] + HYPOTHESES[200:], A, B)


def test_the_source_as_hypothesis_or_reference() -> None:
    copied = [text.upper() for text in GERMAN.sources]
    found = findings(copied, A, sources=GERMAN.sources)
    assert "the hypotheses are the source text, untranslated" == found["D105"].message
    assert {"D105"} == set(found), "it explains case and style"
    found = findings(HYPOTHESES, GERMAN.sources, sources=GERMAN.sources)
    assert "the references are the source text, untranslated" == found["D105"].message


FORMATS = {
    "fairseq": (lambda at, text: f"H-{at}\t-0.31\t{text}", "fairseq"),
    "json": (lambda at, text: json.dumps({"id": at, "text": text}), "JSON"),
    "list": (lambda at, text: repr([text]), "Python lists"),
    "bytes": (lambda at, text: repr(text.encode()), "Python lists or bytes"),
    "csv": (lambda at, text: f'"{text}"', "CSV"),
    "numbered": (lambda at, text: f"{at + 1}. {text}", "numbered"),
    "bars": (lambda at, text: f"{at} ||| {text}", "numbered"),
    "tsv": (lambda at, text: f"x\t{text}\t0.5", "3 columns"),
}


@pytest.mark.parametrize("name", FORMATS)
def test_another_file_format(name: str) -> None:
    wrap, message = FORMATS[name]
    found = findings([wrap(at, text) for at, text in enumerate(HYPOTHESES)])
    assert {"D106"} == set(found) and message in found["D106"].message
    found = findings(HYPOTHESES, [wrap(at, text) for at, text in enumerate(A)])
    assert "references[0]" == found["D106"].side
    both = [[wrap(at, text) for at, text in enumerate(texts)] for texts in (HYPOTHESES, A)]
    assert "D106" not in findings(*both)


@pytest.mark.parametrize("word", ["nan", "NaN", "None", "null", "NULL", "N/A", "<NA>"])
def test_values_that_went_missing(word: str) -> None:
    texts = [word if at in (4, 9) else text for at, text in enumerate(HYPOTHESES)]
    found = findings(texts)["D107"]
    assert ("error", (4, 9)) == (found.level, found.segments)
    assert f'2 hypotheses are the word "{word}": an empty cell of a table?' == found.message
    references = [word if at == 4 else text for at, text in enumerate(A)]
    assert (9,) == findings(texts, references)["D107"].segments


@pytest.mark.parametrize("character", "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")
def test_line_breaks_inside_segments(character: str) -> None:
    texts = [text.replace(" ", character, 1) if at < 5 else text for at, text in enumerate(HYPOTHESES)]
    found = findings(texts)["D108"]
    assert ("warning", 5) == (found.level, found.count)
    assert f"5 segments contain U+{ord(character):04X}, which str.splitlines() and some tools" in found.message


@pytest.mark.parametrize("spelt", ["\\n", "\\u00fc", "\\x0a"])
def test_line_breaks_that_are_spelt_out(spelt: str) -> None:
    texts = [text.replace(" ", spelt, 1) if at < 5 else text for at, text in enumerate(HYPOTHESES)]
    assert tuple(range(5)) == findings(texts)["D108"].segments
    references = [text.replace(" ", spelt, 1) if at < 5 else text for at, text in enumerate(A)]
    assert "D108" not in findings(texts, references)


def test_another_system_with_the_same_output_is_named() -> None:
    texts = [f"Das Boot {at} liegt heute im Hafen." for at in range(50)]
    references = [[f"Das Schiff {at} liegt im Hafen." for at in range(50)]]
    others = {"copy": [f"{text} " for text in texts], "other": [text.replace("heute", "nun") for text in texts]}
    (found,) = diagnose(texts, references, others=others, checks="D109").findings
    assert ("D109", "warning") == (found.code, found.level) and "copy" in found.message and "other" not in found.message
    assert "there is no other system" == diagnose(texts, references, checks="D109").not_checked["D109"]
    with pytest.raises(LengthMismatch, match="others"):
        diagnose(texts, references, others={"short": texts[:-1]})
