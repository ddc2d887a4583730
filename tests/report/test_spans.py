"""Errors that were marked, in the page: every character is in the text once and under the right marks, and in JSON."""

import json
import zlib
from base64 import b64decode
from itertools import pairwise
from pathlib import Path
from typing import Any

import html5lib
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from report.page_corpora import HOSTILE, marked_study
from truebleu import BLEU, Study
from truebleu.cli.main import main
from truebleu.errors import InputTypeError, LengthMismatch, OptionError
from truebleu.scores import ErrorSpan
from truebleu.study.page.characters import pieces
from truebleu.study.page.page import Look, public_dict, study_page
from truebleu.study.page.spans import KINDS, LETTERS, ShownError, errors_of, packed, runs_of, summary

TEXT = st.text(st.characters(), max_size=20) | st.sampled_from([text for text in HOSTILE if len(text) < 60])


def parsed(data: bytes) -> Any:
    parser = html5lib.HTMLParser(strict=False, namespaceHTMLElements=False)
    found = parser.parse(data)
    assert [] == parser.errors
    return found


@given(st.data(), TEXT)
def test_every_character_is_shown_once_under_the_marks_that_hold_it(data: st.DataObject, text: str) -> None:
    place, severity = st.integers(0, len(text)), st.sampled_from([*LETTERS, "neutral"])
    drawn = data.draw(st.lists(st.tuples(place, place, severity), max_size=5))
    errors = [ErrorSpan(min(a, b), max(a, b), word) for a, b, word in drawn if a != b]
    runs = runs_of(text, [("", ShownError("MQM", one, "a", "")) for one in errors])
    assert pieces(text) == [] == runs or "".join(one.text for one in pieces(text)) == "".join(
        piece.text for run in runs for piece in run.pieces
    )
    kinds = {one: one.severity if one.severity in KINDS else "other" for one in errors}
    edges = sorted({0, len(text), *(end for one in errors for end in (one.start, one.end))})
    expected = []
    for start, end in pairwise(edges):
        over = [one for one in errors if start in range(one.start, one.end)]
        worst = max((KINDS.index(kinds[one]) for one in over), default=None)
        letters = "".join(LETTERS[kinds[one]] for one in over if one.start == start)
        expected.append(("" if worst is None else KINDS[worst], letters, len(over)))
        assert over == [one for one in errors if end - 1 in range(one.start, one.end)]
    assert expected == [(run.kind, run.letters, len(list(filter(None, run.title.split("; "))))) for run in runs]


def test_the_page_marks_errors_without_a_script_and_lists_them_all() -> None:
    study = marked_study()
    tree = parsed(study_page(study, program=""))
    section = tree.find(".//section[@id='segments']")
    heads = [one.text for one in section.iter("h3")]
    assert "Where most errors are marked" == heads[-1]
    cards = section.findall(".//div[@class='cards']")[-1].findall("article")
    counts = [
        sum(len(errors_of(study, name, int(one.get("data-segment")))) for name in study.pair or ()) for one in cards
    ]
    assert counts == sorted(counts, reverse=True) and 0 < counts[-1] and 5 == counts[0]
    for card in cards:
        at = int(card.get("data-segment"))
        for name, row in zip(study.pair or (), card.findall(".//div[@class='system']"), strict=True):
            assert study.inputs.systems[name][at] == "".join(row.find("dd/bdi").itertext())
            items = ["".join(one.itertext()) for one in row.iter("li")]
            assert [f"{one.letter} {one.words}{one.where}" for one in errors_of(study, name, at)] == items
    marks = [one for one in section.iter("mark") if one.get("title")]
    assert {"err minor", "err major", "err critical", "err other"} == {one.get("class") for one in marks}
    in_source = [
        one.get("data-letters") for row in section.iterfind(".//div[@class='source']") for one in row.iter("mark")
    ]
    assert in_source and set(in_source) <= {"AC", "BC"}


def test_hostile_words_stay_words_and_are_cut() -> None:
    spans = [[ErrorSpan(0, 1, "major", text + "x" * 200, rater="r1")] for text in HOSTILE]
    texts = [f"{text}." for text in HOSTILE]
    study = Study(
        {"a": texts, "b": texts}, BLEU(), [texts], spans={"<b>judge": {"a": spans}}, test="none", checks=False
    )
    tree = parsed(study_page(study))
    assert [] == [one for one in tree.iter("b") if one.get("class") is None]
    assert all(len("".join(one.itertext())) < 300 for one in tree.iter("li") if one.find("b") is not None)
    # A reader of JSON gets the words whole.
    assert len(study.to_dict()["spans"][0]["category"]) > 200


def test_an_error_without_its_words_is_listed_without_a_place() -> None:
    spans = [
        ErrorSpan(0, 1, "major", quote="y"),
        ErrorSpan(2, 9, "minor"),
        ErrorSpan(0, 1, "minor", in_source=True),
    ]
    made = Study({"a": ["x y", "z"]}, BLEU(), [["x y", "z"]], checks=False, spans={"M": {"a": [spans, []]}})
    errors = errors_of(made, "a", 0)
    assert [-1, -1, -1] == [one.span.start for one in errors]
    assert [": “y”, not found there", ", without a place", ", without a place"] == [one.where for one in errors]
    assert "3 errors: 1 major, 2 minor" == summary(errors)


@given(st.lists(st.text(st.characters(blacklist_categories=("Cs",)), min_size=2, max_size=6), min_size=1, max_size=3))
@settings(max_examples=50)
def test_packed_places_are_those_of_javascript(texts: list[str]) -> None:
    study = Study({"a": texts}, BLEU(), [texts], test="none", checks=False,
                  spans={"M": {"a": [[ErrorSpan(1, 2, "major", rater="r1")] for _ in texts]}})  # fmt: skip
    rows = packed(study)["rows"]
    for text, row in zip(texts, rows, strict=True):
        units = text.encode("utf-16-le")
        assert text[1:2] == units[2 * row[4] : 2 * row[5]].decode("utf-16-le")


def test_packed_errors_are_small_and_there_only_with_texts() -> None:
    study = marked_study()
    rows = packed(study)["rows"]
    assert max(len(json.dumps(row, separators=(",", ":"))) for row in rows if len(row) < 11) <= 60
    page = parsed(study_page(study))
    block = next(one for one in page.iter("script") if one.get("id") == "tb-spans")
    assert rows == json.loads(zlib.decompress(b64decode(block.text)))["rows"]
    for look in (Look(texts=False), Look(texts=False, anonymous=True)):
        silent = study_page(study, look)
        assert b'id="tb-spans"' not in silent and b"Mistranslation" not in silent
        assert "spans" not in public_dict(study, look)


def test_json_has_every_error_and_leaves_out_what_is_not_known() -> None:
    found = marked_study().to_dict()["spans"]
    assert {"metric": "MQM", "system": "atlas", "segment": 1, "start": 0, "end": 5, "severity": "minor",
            "category": "Fluency/Grammar", "rater": "r1"} == found[0]  # fmt: skip
    assert {"metric": "MQM", "system": "birch", "segment": 2, "severity": "major", "category": "Omission"} in found
    assert "spans" not in Study({"a": ["x"]}, BLEU(), [["x"]], checks=False).to_dict()


@pytest.mark.parametrize(
    ("spans", "error", "message"),
    [
        (7, InputTypeError, "spans is of type int, expected lists of ErrorSpan by metric"),
        ({"M": 7}, InputTypeError, r"spans\['M'\] is of type int"),
        ({"M": {"b": [[]]}}, OptionError, r"the system of spans\['M'\] is 'b', expected one of 'a'"),
        ({"M": {"a": []}}, LengthMismatch, "has 0 lists, there is 1 segment"),
        ({"M": {"a": [[7]]}}, InputTypeError, r"spans\['M'\]\['a'\]\[0\] is of type int, expected an ErrorSpan"),
        ({"M": {"a": [7]}}, InputTypeError, r"spans\['M'\]\['a'\]\[0\]"),
    ],
)
def test_spans_that_are_none_are_refused(spans: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Study({"a": ["x"]}, BLEU(), [["x"]], spans=spans)


def test_the_command_takes_errors_from_a_table_of_mqm(tmp_path: Path) -> None:
    header = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"
    rows = [f"{name}\td\t1\t{at}\tanna\tsrc\tdas <v>{name}</v> {at}\tStyle\tMajor" for name in "ab" for at in (1, 2, 3)]
    (tmp_path / "mqm.tsv").write_text("\n".join((header, *rows)) + "\n")
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text("".join(f"das {name} {at}\n" for at in (1, 2, 3)))
    (tmp_path / "ref.txt").write_text("das a 1\ndas a 2\ndas b 3\n")
    words = [
        "report",
        *(str(tmp_path / one) for one in ("ref.txt",)),
        "-i",
        str(tmp_path / "a.txt"),
        str(tmp_path / "b.txt"),
    ]
    more = ["--external", f"MQM={tmp_path / 'mqm.tsv'}", "--only", "2-3", "-q", "--no-checks", "--trials", "50"]
    assert 0 == main([*words, *more, "-o", str(tmp_path / "r.html"), "--json", str(tmp_path / "r.json")])
    found = json.loads((tmp_path / "r.json").read_text())["spans"]
    assert [("a", 0), ("a", 1), ("b", 0), ("b", 1)] == [(one["system"], one["segment"]) for one in found]
    assert {(4, 5, "major", "r1")} == {(one["start"], one["end"], one["severity"], one["rater"]) for one in found}
    assert "anna" not in (tmp_path / "r.html").read_text("utf-8") + json.dumps(found)
