"""Every format of files of scores: it is recognised by its content, and its traps are known."""

import gzip
import io
import json
import lzma
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from score_samples import MQM_HEADER, SAMPLES, lines, mqm, pearmut, rated
from truebleu._logs import send_to
from truebleu.errors import BadScore, FileFormatError, InputError, LengthMismatch, OptionError
from truebleu.scores import ScoreTable, read
from truebleu.scores.mqm import weights_of
from truebleu.scores.opened import ScoreFile
from truebleu.scores.reading import SCORE_FORMATS, recognised

NAN = float("nan")

# What the sample of each format holds: metric, systems by items, and the rater, document and domain of the first cell.
HELD: dict[str, tuple[str, dict[str, list[float]], tuple[str | None, ...]]] = {
    "mtme": ("COMET-refA", {"a": [0.5, NAN], "b": [0.25, 0]}, (None, None, None)),
    "mtme-domain": ("COMET-refA", {"a": [0.5, 1], "b": [0.25, 2]}, (None, None, None)),
    "mtme-rating": ("MQM", {"a": [-1, NAN], "b": [0, -5]}, ("rater1", None, None)),
    "plain": ("score", {"a": [0.5, 1, -0.2]}, (None, None, None)),
    "comet": ("COMET", {"a": [0.5, 0.25], "b": [0.75, 1]}, (None, None, None)),
    "metricx": ("MetricX", {"a": [2.25, 7.5]}, (None, None, None)),
    "wmt25": ("MetricX-24", {"a": [-9.5, NAN]}, (None, "en-is_IS_#_literary_#_d1", "literary")),
    "wmt25-people": ("ESA", {"a": [75.5], "b": [55]}, ("u", "en-is_IS_#_news_#_d1", "news")),
    "appraise": ("ESA", {"wmt24.a": [36, 87]}, ("u1", "d1", None)),
    "mqm": ("MQM", {"a": [-1.1, 0], "b": [-25, NAN]}, ("r1", "d", None)),
    "mqm-average": ("MQM", {"a": [-1.5, NAN], "b": [0, -7]}, (None, None, None)),
    "pearmut": ("ESA", {"A": [65, 1], "B": [100, 2]}, ("u1", "d1", None)),
    "table": ("ESA", {"a": [70, NAN], "b": [100, NAN]}, ("u1", None, None)),
}


def written(folder: Path, text: str, name: str) -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


def read_text(folder: Path, text: str, name: str, **options: Any) -> ScoreTable:
    return read(written(folder, text, name), **options)


def told(folder: Path, text: str, name: str, **options: Any) -> tuple[ScoreTable, list[str]]:
    """The table, and what was said about it."""
    messages: list[str] = []
    send_to(lambda _, message: messages.append(message.partition(": ")[2]))
    try:
        return read_text(folder, text, name, **options), messages
    finally:
        send_to(None)


def holds(table: ScoreTable, metric: str, scores: dict[str, list[float]]) -> None:
    assert tuple(scores) == table.systems
    np.testing.assert_array_equal([*scores.values()], table.matrix(metric))


def test_every_format_has_a_sample() -> None:
    assert list(SCORE_FORMATS) == sorted(SAMPLES, key=list(SCORE_FORMATS).index)
    assert SAMPLES.keys() == HELD.keys()


@pytest.mark.parametrize("kind", SAMPLES)
def test_a_format_is_recognised_and_read(kind: str, tmp_path: Path) -> None:
    name, text = SAMPLES[kind]
    path = written(tmp_path, text, name)
    assert SCORE_FORMATS[kind] == recognised(ScoreFile(str(path)))
    metric, scores, (rater, document, domain) = HELD[kind]
    table = read(path)
    holds(table, metric, scores)
    assert rater == (table.raters[0] if table.raters else None)
    assert (document, domain) == tuple(labels and labels[0] for labels in (table.documents, table.domains))
    holds(read(path, kind), metric, scores)


@pytest.mark.parametrize("kind", SAMPLES)
@pytest.mark.parametrize("form", ["gz", "xz", "bom", "crlf"])
def test_a_format_is_read_compressed_marked_and_with_carriage_returns(kind: str, form: str, tmp_path: Path) -> None:
    name, text = SAMPLES[kind]
    forms = {
        "gz": (f"{name}.gz", gzip.compress(text.encode())),
        "xz": (f"{name}.xz", lzma.compress(text.encode())),
        "bom": (name, b"\xef\xbb\xbf" + text.encode()),
        "crlf": (name, text.replace("\n", "\r\n").encode()),
    }
    name, content = forms[form]
    (tmp_path / name).write_bytes(content)
    holds(read(tmp_path / name), *HELD[kind][:2])


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SAMPLES["mtme"][1].encode())))
    holds(read("-", metric="m"), "m", HELD["mtme"][1])


def test_parquet_is_a_table(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    rows = {
        "system": ["a", "b"],
        "item": ["1", "1"],
        "metric": ["m", "m"],
        "score": [0.5, None],
        "document": ["d", "d"],
    }
    pq.write_table(pa.table(rows), tmp_path / "scores.parquet")
    table = read(tmp_path / "scores.parquet")
    holds(table, "m", {"a": [0.5], "b": [NAN]})
    assert ("d",) == table.documents


# The traps.


def test_numbers_alone_lack_one_only_if_that_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadScore, match="line 2: the score is 'None', expected a number; if scores may be missing, say"):
        read_text(tmp_path, "1\nNone\n3\n", "a.txt")
    with pytest.raises(BadScore, match="line 2: the score is ''"):
        read_text(tmp_path, "1\n\n3\n", "a.txt")
    holds(read_text(tmp_path, "1\n\nnan\n3\n", "a.txt", missing=True), "score", {"a": [1, NAN, NAN, 3]})


def test_paths_of_comet_that_end_alike_are_refused(tmp_path: Path) -> None:
    text = json.dumps({"x/a.txt": [{"COMET": 1}], "y/a.txt": [{"COMET": 1}]})
    with pytest.raises(FileFormatError, match=r"'x/a.txt' and 'y/a.txt' are both the system 'a', expected different"):
        read_text(tmp_path, text, "scores.json")


def test_comet_works_with_half_precision_and_names_no_model(tmp_path: Path) -> None:
    table, said = told(tmp_path, SAMPLES["comet"][1], "scores.json")
    assert ("fp16", None, []) == (table.columns["COMET"].precision, table.columns["COMET"].model, said)


def test_metricx_is_better_when_lower_and_when_negated_when_higher(tmp_path: Path) -> None:
    assert not read_text(tmp_path, SAMPLES["metricx"][1], "a.jsonl").metric("MetricX").higher_is_better
    assert read_text(tmp_path, SAMPLES["wmt25"][1], "a.jsonl").metric("MetricX-24").higher_is_better


def test_one_pair_of_languages_is_read_at_a_time(tmp_path: Path) -> None:
    text = SAMPLES["wmt25"][1] + SAMPLES["wmt25"][1].replace("en-is_IS", "en-cs_CZ")
    with pytest.raises(OptionError, match=r"several pairs of languages .en-is_IS, en-cs_CZ.; --pair names one"):
        read_text(tmp_path, text, "a.jsonl")
    with pytest.raises(OptionError, match="there is no pair 'de-en', only en-is_IS, en-cs_CZ"):
        read_text(tmp_path, text, "a.jsonl", pair="de-en")
    assert 2 == len(read_text(tmp_path, text, "a.jsonl", pair="en-cs_CZ").items)


def test_two_waves_are_two_raters_also_where_one_person_did_both(tmp_path: Path) -> None:
    assert ("u", "v", "u in wave 2") == read_text(tmp_path, SAMPLES["wmt25-people"][1], "p.jsonl").raters


DA = "u1,a,{},{},eng,ces,{},{},{},1684000000.1,1684000009.2\n"


def test_controls_tutorials_and_documents_are_left_out_and_told(tmp_path: Path) -> None:
    rows = [(1, "TGT", 87, "d", "False"), (2, "BAD", 3, "d", "False"), (3, "REF", 99, "d", "False")]
    rows += [(1, "TGT", 50, "tutorial-1", "False"), (4, "TGT", 70, "d", "True")]
    table, said = told(tmp_path, "".join(DA.format(*row) for row in rows), "da.csv")
    holds(table, "DA", {"a": [87]})
    assert [
        "left out 1 score of controls (BAD)",
        "left out 1 score of controls (REF)",
        "left out 1 score of the tutorial",
        "left out 1 score of whole documents",
    ] == said


def test_scores_of_documents_alone_are_another_level(tmp_path: Path) -> None:
    text = DA.format(1, "TGT", 70, "d", "True") + DA.format(2, "TGT", 80, "e", "True")
    table = read_text(tmp_path, text, "da.csv")
    assert ("document", ("d", "e")) == (table.level, table.items)


def test_segments_that_are_numbered_through_a_task_are_counted_from_their_document(tmp_path: Path) -> None:
    """In an export of ESA, numbers run through all documents of a rater, and down."""
    row = "u1,{s},{n},TGT,eng,ces,{x},{d}#{s},False,[],1.0,{n}.5\n"
    cells = [("a", 5, 1, "d"), ("a", 4, 2, "d"), ("b", 3, 3, "d"), ("b", 2, 4, "d"), ("a", 1, 9, "e")]
    text = "".join(row.format(s=s, n=n, x=x, d=d) for s, n, x, d in cells)
    table = read_text(tmp_path, text, "esa.csv")
    assert {"d/1", "d/2", "e/1"} == set(table.items)
    found = dict(zip(table.items, table.matrix("ESA", ["a"])[0], strict=True))
    assert {"d/1": 2, "d/2": 1, "e/1": 9} == found


def test_names_of_segments_in_an_export_are_kept(tmp_path: Path) -> None:
    text = "u1,a,en-cs_#_news_#_d1_#_3,TGT,eng,ces,50,x,False,[],1.0,2.0\n"
    table = read_text(tmp_path, text, "esa.csv")
    assert (("en-cs_#_news_#_d1_#_3",), ("en-cs_#_news_#_d1",)) == (table.items, table.documents)


def test_the_last_score_of_a_rater_counts(tmp_path: Path) -> None:
    row = "u1,a,1,TGT,eng,ces,{},d,False,[],1.0,{}\n"
    table, said = told(tmp_path, row.format(40, 9.5) + row.format(60, 3.5), "esa.csv")
    holds(table, "ESA", {"a": [40]})
    assert ["1 score of an item that its rater scored again later"] == said


@pytest.mark.parametrize("score", ["101", "-1", "inf", "", "x"])
def test_a_slider_goes_from_0_to_100(score: str, tmp_path: Path) -> None:
    with pytest.raises(BadScore, match=f"line 1: the score of 'a' is '{score}', expected 0 to 100"):
        read_text(tmp_path, DA.format(1, "TGT", score, "d", "False"), "da.csv")


def test_mqm_has_sets_of_weights() -> None:
    google, wmt24 = weights_of("google"), weights_of("wmt24")
    cases = {
        ("Major", "Source issue"): (5, 0), ("Minor", "Non-translation!"): (1, 25), ("MINOR", "Style/Awkward"): (1, 1),
        ("Critical", "Accuracy/Addition"): (None, 5), ("Major", "Accuracy/Creative Reinterpretation"): (5, 0),
        ("Minor", "fluency/punctuation"): (0.1, 0.1), ("Major", "Fluency/Punctuation"): (5, 5),
        ("Neutral", "Other"): (0, 0), ("Minor", "Cosmetic/Color"): (None, None), ("Huge", "Other"): (None, None),
        ("Major", "Accuracy/Omission (Translation 2)"): (5, 5), ("no-error", "No-error"): (0, 0),
    }  # fmt: skip
    assert cases == {case: (google.cost(*case), wmt24.cost(*case)) for case in cases}


def test_weights_may_come_from_a_file(tmp_path: Path) -> None:
    path = written(tmp_path, "major 10\nminor\t2\nminor/style 0.5\n", "mine.txt")
    weights = weights_of(str(path))
    assert ("mine", 0.5, 10) == (weights.name, weights.cost("Minor", "Style/Awkward"), weights.cost("major", "Other"))
    with pytest.raises(FileFormatError, match=r"line 1: found 'major', expected a severity, perhaps with a category"):
        weights_of(str(written(tmp_path, "major\n", "bad.txt")))


def test_an_unknown_severity_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    text = lines(MQM_HEADER, mqm("a", 1, "r", "Accuracy/Addition", "Critical"))
    with pytest.raises(
        FileFormatError, match=r"line 2: the error is 'Accuracy/Addition', 'Critical'; the weights 'goo"
    ):
        read_text(tmp_path, text, "r.tsv")
    holds(read_text(tmp_path, text, "r.tsv", mqm_weights="wmt24"), "MQM", {"a": [-5]})
    holds(read_text(tmp_path, text, "r.tsv", mqm_weights="wmt24", mqm="positive"), "MQM", {"a": [5]})


def test_attention_tests_are_left_out_and_no_error_is_zero(tmp_path: Path) -> None:
    table, said = told(tmp_path, SAMPLES["mqm"][1], "r.tsv")
    assert ["left out 1 row of attention tests", "1 row has no error: a score of zero"] == said
    assert table.metric("MQM").higher_is_better


def test_a_canary_moves_the_numbers(tmp_path: Path) -> None:
    rows = [mqm("a", 1, "r", "No-error", "No-error", "canary", "CANARY string"), mqm("a", 2, "r", "Other", "Minor")]
    table, said = told(tmp_path, lines(MQM_HEADER, *rows), "r.tsv")
    assert ("1",) == table.items
    assert any("the first segment is a canary" in message for message in said)
    assert ("1",) == read_text(tmp_path, lines(MQM_HEADER, rows[1]), "r.tsv", canary=True).items


def test_old_tables_of_mqm_have_other_names(tmp_path: Path) -> None:
    text = lines(
        "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity",
        "a\td\t3\t1\tr1\ts\tt\tOther\tMinor", "a\td\t4\t2\tr2\ts\tt\tOther\tMajor",
    )  # fmt: skip
    holds(read_text(tmp_path, text, "r.tsv"), "MQM", {"a": [-1, -5]})


def test_a_reset_voids_what_this_rater_has_done_there(tmp_path: Path) -> None:
    text = lines(
        pearmut("u1", 0, [rated(A=1, B=1)], "d_###_0"), pearmut("u2", 0, [rated(A=10, B=10)], "d_###_0"),
        pearmut("u1", 1, [rated(A=20, B=20)], "e_###_0"), pearmut("u1", 0, "__RESET__", "d_###_0"),
        pearmut("u1", 0, [rated(A=30, B=50)], "d_###_0"),
    )  # fmt: skip
    table, said = told(tmp_path, text, "c.jsonl")
    assert ["left out 1 annotation that their rater had reset"] == said
    assert {"d_###_0": 20, "e_###_0": 20} == dict(zip(table.items, table.matrix("ESA", ["A"])[0], strict=True))


def test_what_is_shown_beside_the_documents_is_left_out(tmp_path: Path) -> None:
    text = lines(
        pearmut("u1", "welcome_0", [rated(A=1)], "w_###_0"), pearmut("u1", 0, [rated(A=2)], "attention_check_1_###_0"),
        pearmut("u1", 1, [rated(A=3)], "en_#_tutorial_#_1_###_0"), pearmut("u1", 2, [rated(A=4)], "d_###_0"),
    )  # fmt: skip
    table, said = told(tmp_path, text, "c.jsonl")
    assert ("d_###_0",) == table.items
    assert [
        "left out 1 annotation beside the documents",
        "left out 2 annotations of tutorials and attention checks",
    ] == said


def test_pearmuts_lines_may_be_in_lists_by_pair(tmp_path: Path) -> None:
    text = json.dumps({"en-cs": [pearmut("u1", 0, [rated(A=4, B=5)], "d_###_0")], "en-de": []}, indent=1)
    holds(read_text(tmp_path, text, "annotations.json", pair="en-cs"), "ESA", {"A": [4], "B": [5]})
    with pytest.raises(OptionError, match="several pairs of languages"):
        read_text(tmp_path, text, "annotations.json")


def test_a_wide_table_is_refused_with_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(
        FileFormatError, match=r"the columns are 'segment', 'a', 'b', expected system, .*df.melt..segment"
    ):
        read_text(tmp_path, "segment,a,b\n1,2,3\n", "wide.csv")


@pytest.mark.parametrize("score", ["inf", "1e999", "1,5", "0x1p3", "１２", "x", "1_0"])
def test_no_number_is_refused_with_its_place(score: str, tmp_path: Path) -> None:
    with pytest.raises(BadScore, match=f"scores.tsv, line 2, a: the score is '{score}', expected a number"):
        read_text(tmp_path, f"system\tsegment\tscore\na\t1\t{score}\n", "scores.tsv")


def test_a_cell_that_is_there_twice_is_refused_with_the_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"scores.csv: score: the system 'a' has two scores for the item '1'"):
        read_text(tmp_path, "system,segment,score\na,1,2\na,1,3\n", "scores.csv")


def test_json_that_is_none_is_refused(tmp_path: Path) -> None:
    start = lines({"prediction": 1})
    for text, message in (
        ('{"prediction": 1, "prediction": 2}\n', "line 2: an object has the field 'prediction' twice"),
        ("[" * 10_000 + "\n", "line 2: its brackets are nested too deeply"),
        ("[]\n", "line 2: found .., expected an object with fields"),
        ('{"prediction": "1"}\n', "line 2: the field 'prediction' is '1', expected a number"),
        ('{"prediction": 1e999}\n', "line 2: the score is inf, expected a number or null"),
        ('{"prediction": true}\n', "line 2: the score is True, expected a number or null"),
    ):
        with pytest.raises(InputError, match=message):
            read_text(tmp_path, start + text, "a.jsonl", format="metricx")


def test_a_damaged_archive_and_a_long_line_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.score.gz").write_bytes(gzip.compress(b"a 1\n" * 1000)[:-20])
    with pytest.raises(InputError, match="cannot be decompressed, is it damaged or cut off"):
        read(tmp_path / "a.score.gz")
    monkeypatch.setattr("truebleu._textio._BLOCK", 8)
    monkeypatch.setattr("truebleu._textio._LONGEST", 64)
    with pytest.raises(FileFormatError, match="has a line of more than 64 bytes"):
        read_text(tmp_path, "a " + "1" * 200, "a.score")


def test_files_of_one_system_are_joined(tmp_path: Path) -> None:
    a, b = (read_text(tmp_path, SAMPLES["metricx"][1], f"{name}.jsonl") for name in "ab")
    holds(a.join(b), "MetricX", {"a": [2.25, 7.5], "b": [2.25, 7.5]})
    longer = read_text(tmp_path, SAMPLES["metricx"][1] * 2, "c.jsonl")
    with pytest.raises(LengthMismatch, match="MetricX has 2 segments, MetricX has 4"):
        a.join(longer)
