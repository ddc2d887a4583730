"""Errors that raters and programs marked: every format that has them hands them through, in characters of the text."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from score_samples import MQM_HEADER, lines, pearmut
from truebleu.errors import FileFormatError
from truebleu.scores import ErrorSpan, ScoreTable, read
from truebleu.scores.spans import in_items, marked_in


def written(folder: Path, text: str, name: str) -> Path:
    path = folder / name
    path.write_text(text, "utf-8", newline="")
    return path


def mqm(segment: int, rater: str, source: str, target: str, category: str, severity: str) -> str:
    return "\t".join(("a", "d", "1", str(segment), rater, source, target, category, severity, "{}"))


def found(table: ScoreTable, item: str, system: str = "a") -> tuple[ErrorSpan, ...]:
    return table.spans.get((table.metrics[0], system, item), ())


def test_marks_of_mqm_are_places_in_the_output_or_in_the_source(tmp_path: Path) -> None:
    text = lines(
        MQM_HEADER,
        mqm(1, "r1", "s", "Der <v>Hund</v> 😀 schläft", "Accuracy/Mistranslation", "Major"),
        mqm(1, "r2", "The <v>big</v> dog", "Der Hund 😀 schläft", "Accuracy/Omission", "minor"),
        mqm(1, "r2", "s", "Der Hund 😀 <v>schläft</v>", "Style", "Minor"),
        mqm(2, "r1", "s", "x", "No-error", "no-error"),
        mqm(3, "r1", "s", "x", "Non-translation!", "Major"),
    )
    table = read(written(tmp_path, text, "ratings.tsv"))
    assert found(table, "1") == (
        ErrorSpan(4, 8, "major", "Accuracy/Mistranslation", rater="r1", quote="Hund"),
        ErrorSpan(4, 7, "minor", "Accuracy/Omission", in_source=True, rater="r2", quote="big"),
        ErrorSpan(11, 18, "minor", "Style", rater="r2", quote="schläft"),
    )
    assert () == found(table, "2")
    assert (ErrorSpan(-1, -1, "major", "Non-translation!", rater="r1"),) == found(table, "3")


PLAIN = st.text(st.characters(blacklist_characters="<>\t\r\n", blacklist_categories=("Cs",)), max_size=8)


@given(st.lists(st.tuples(PLAIN, PLAIN), min_size=1, max_size=4), PLAIN)
def test_places_are_those_of_the_text_without_marks(parts: list[tuple[str, str]], end: str) -> None:
    text = "".join(before + inside for before, inside in parts) + end
    marked = "".join(f"{before}<v>{inside}</v>" for before, inside in parts) + end
    spans = marked_in(marked, "", "Minor", "Style")
    assert [inside for _, inside in parts] == [text[one.start : one.end] for one in spans]


def test_ends_of_appraise_pearmut_and_wmt25_are_the_last_character(tmp_path: Path) -> None:
    errors = [
        {"start_i": 2, "end_i": 5, "severity": "Major", "error_type": None},
        {"start_i": "missing", "end_i": "missing", "severity": "minor", "category": "Omission"},
    ]
    expected = (ErrorSpan(2, 6, "major"), ErrorSpan(-1, -1, "minor", "Omission"))
    quoted = json.dumps(errors).replace('"', '""')
    row = f'u1,a,1,TGT,eng,ces,36,d1#a,False,"{quoted}",1.5,2.5'
    esa = read(written(tmp_path, lines(row, row.replace("36", "40").replace("1.5,2.5", "0.5,0.6")), "esa.csv"))
    rating = {"human1": 70, "annotator1": "u", "errors1": errors}
    people = lines({"doc_id": "en-is_IS_#_news_#_d1_#_0", "scores": {"a": rating}})
    given = {"a": {"score": 7, "error_spans": errors}, "b": {"score": 9, "error_spans": []}}
    shown = lines(pearmut("u1", 0, [given], "d1_###_0"))
    waves, campaign = (read(written(tmp_path, text, f"{at}.jsonl")) for at, text in enumerate((people, shown)))
    for table in (esa, waves, campaign):
        assert expected == tuple(one._replace(rater=None) for one in found(table, table.items[0]))
        assert {table.raters[0]} == {one.rater for one in found(table, table.items[0])}
        assert ["r1", "r1"] == [one.rater for one in in_items(table, "ESA", "a")[0]]


def test_xcomets_errors_and_those_of_ratings_have_places_and_confidence(tmp_path: Path) -> None:
    error = {"text": "t2", "confidence": 0.41, "severity": "minor", "start": 0, "end": 2}
    comet = {
        "a.txt": [{"src": "s", "mt": "t1", "COMET": 0.8}, {"src": "s", "mt": "t2", "COMET": 0.7, "errors": [error]}]
    }
    table = read(written(tmp_path, json.dumps(comet, indent=1), "scores.json"))
    assert (ErrorSpan(0, 2, "minor", confidence=0.41, quote="t2"),) == found(table, "2") and () == found(table, "1")
    rating = {"start": 0, "end": 1, "category": "style", "severity": "minor", "score": 1.0, "is_source_error": True}
    text = f"a\t{json.dumps({'errors': [rating]})}\na\tNone\n"
    mtme = read(written(tmp_path, text, "en-de.mqm.rater1.seg.rating"))
    assert (ErrorSpan(0, 1, "minor", "style", in_source=True, rater="rater1"),) == found(mtme, "1")


def test_errors_stay_with_their_items_when_tables_are_joined_put_in_order_and_changed(tmp_path: Path) -> None:
    text = lines(
        MQM_HEADER,
        mqm(10, "r1", "s", "<v>x</v>", "Style", "Minor"),
        mqm(9, "r1", "s", "<v>xyz</v>", "Style", "Major"),
    )
    table = read(written(tmp_path, text, "ratings.tsv"))
    numbers = read(written(tmp_path, "a\t1\na\t2\n", "COMET-refA.seg.score"))
    for one in (table, table.join(numbers), numbers.join(table), table.in_order(), table.with_documents(["d", "d"])):
        assert [3, 1] == [spans[0].end for spans in in_items(one, "MQM", "a")]
    again = table.join(read(written(tmp_path, text.replace("\tr1\t", "\tr2\t"), "more.tsv")))
    assert [["r1", "r2"]] * 2 == [[span.rater for span in spans] for spans in in_items(again, "MQM", "a")]


@pytest.mark.parametrize("errors", ['{"start_i": 1}', "[1]", "[", "7"])
def test_errors_that_are_no_list_of_objects_are_refused_with_their_line(errors: str, tmp_path: Path) -> None:
    quoted = errors.replace('"', '""')
    row = f'u1,a,1,TGT,eng,ces,36,d1#a,False,"{quoted}",1.5,2.5'
    with pytest.raises(FileFormatError, match=r"esa\.csv, line 1"):
        read(written(tmp_path, lines(row), "esa.csv"))


@pytest.mark.parametrize(
    ("span", "fits"),
    [
        (ErrorSpan(0, 2, "minor"), True),
        (ErrorSpan(0, 2, "minor", quote="a😀"), True),
        (ErrorSpan(0, 4, "minor", quote="a😀  b"), True),  # programs write spaces in their own way
        (ErrorSpan(0, 2, "minor", quote="b"), False),
        (ErrorSpan(1, 1, "minor"), False),
        (ErrorSpan(3, 5, "minor"), False),
        (ErrorSpan(-1, -1, "minor"), False),
        (ErrorSpan(2, 1, "minor"), False),
    ],
)
def test_an_error_fits_a_text_that_has_its_words_there(span: ErrorSpan, fits: bool) -> None:
    assert fits is span.fits("a😀 b")
