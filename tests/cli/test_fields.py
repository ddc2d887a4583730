"""Files with fields: what they are is told or asked, never guessed in silence."""

import csv
import io
import json
from pathlib import Path

import pytest

import truebleu
from truebleu.cli.main import main

ROWS = [
    {"src": "x", "mt": 'The "old" heron stood here.', "ref": 'The "old" heron stood there.'},
    {"src": "y", "mt": "Nobody, not even once, came.", "ref": "Nobody, not even then, came."},
]
FIELDS = ["--hyp-field", "mt", "--ref-field", "ref"]


def comma_separated() -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(ROWS[0]))
    writer.writeheader()
    writer.writerows(ROWS)
    return text.getvalue()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lines = "".join(json.dumps(row) + "\n" for row in ROWS)
    tabs = "src\tmt\tref\n" + "".join("\t".join(row.values()) + "\n" for row in ROWS)
    contents = {
        "one.jsonl": lines,
        "one.json": lines,
        "blank.jsonl": lines + "\n \n",
        "list.json": json.dumps(ROWS, indent=2),
        "x.csv": comma_separated(),
        "x.tsv": tabs,
        "x.tab": tabs + "\n",
        "unknown": lines,
        "ref.txt": "".join(row["ref"] + "\n" for row in ROWS),
        "a.txt": "".join(row["mt"] + "\n" for row in ROWS),
    }
    for name, content in contents.items():
        Path(name).write_text(content, "utf-8", newline="")
    return tmp_path


def score() -> str:
    return f"{truebleu.BLEU().corpus_score([r['mt'] for r in ROWS], [[r['ref'] for r in ROWS]]).score:.4f}\n"


@pytest.mark.parametrize(
    "words",
    [
        "one.jsonl",
        "one.json",
        "blank.jsonl",
        "list.json",
        "x.csv",
        "x.tsv",
        "x.tab",
        "one.json -i one.json",
        "x.csv -i x.csv",
        "unknown --fields-format jsonl",
        "unknown --fields-format json",
    ],
)
def test_a_file_with_fields_is_read_by_them_whatever_its_kind(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == main([*words.split(), *FIELDS, "-b", "-w", "4"])
    assert (score(), "") == capsys.readouterr()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "unknown --hyp-field mt --ref-field ref",
            "unknown should have fields, but its name does not show its format",
        ),
        ("ref.txt -i a.txt --hyp-field mt --ref-field ref", "--fields-format jsonl, json, tsv or csv"),
        ("ref.txt -i a.txt --hyp-field mt", "a.txt should have fields"),
        ("unknown --hyp-field mt", "--hyp-field without -i reads the file of the references"),
        ("ref.txt -i a.txt --system-field x", "--system-field is about files with fields"),
        ("ref.txt -i a.txt --nulls skip", "--nulls is about files with fields"),
        ("one.jsonl --hyp-field mt --ref-field ref --fields-format text", "--fields-format text says that files are"),
        ("ref.txt -i a.txt --fields-format tsv", "--fields-format is about fields"),
    ],
)
def test_fields_that_would_be_ignored_are_a_mistake(
    words: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 2 == main(words.split())
    out, err = capsys.readouterr()
    assert "" == out and message in err


@pytest.mark.parametrize("words", ["ref.txt -i one.jsonl", "one.jsonl -i a.txt", "ref.txt -i one.json"])
def test_records_scored_as_plain_text_get_a_warning(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == main(words.split())
    assert "is read as plain text, one segment per line, though its name says json" in capsys.readouterr().err
    assert 0 == main([*words.split(), "--fields-format", "text"])
    assert "is read as plain text" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("deep.jsonl", "[" * 100_000 + "\n", "deep.jsonl, line 1: its brackets are nested too deeply"),
        ("bad.jsonl", '{"mt": 1}\n{', "bad.jsonl, line 2: not JSON: Expecting property name"),
        (
            "gap.jsonl",
            '{"mt": "a", "ref": "a"}\n\n{"mt": "a", "ref": "a"}\n',
            "gap.jsonl, line 2: not JSON: the line is",
        ),
        ("bad.csv", 'mt,ref\n"a,b\n', "bad.csv, line 2: not CSV: unexpected end of data"),
        ("short.csv", 'mt,ref\n"a\nb",c\nd\n', "short.csv, line 4: found 1 cell, expected 2 as in the header"),
        ("bare.tsv", "A long text\tAnother\nb\tc\n", "bare.tsv, line 1: there is no column 'ref' in the header"),
        ("no.json", "[]", "no.json has no records"),
        ("odd.json", '[{"mt": "a", "ref": "a"}, 3]', "odd.json, record 2: a number, expected an object"),
        ("digits.jsonl", '{"mt": ' + "1" * 5000 + "}\n", "digits.jsonl, line 1: not JSON: Exceeds the limit"),
        ("none.csv", "mt,ref\n", "none.csv has a header and no records"),
    ],
)
def test_a_fault_in_records_is_named_by_its_place(
    name: str, content: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(name).write_text(content, "utf-8")
    assert 1 == main([name, *FIELDS])
    err = capsys.readouterr().err
    assert f"truebleu: {message}" in err and err.count("line") <= 2


def test_a_cell_of_csv_may_be_a_long_document_with_line_feeds(capsys: pytest.CaptureFixture[str]) -> None:
    text = "a b c d\n" * 30_000
    Path("long.csv").write_text(f'mt,ref\n"{text}","{text}"\n', "utf-8")
    assert 0 == main(["long.csv", *FIELDS, "-b"])
    assert "100.0\n" == capsys.readouterr().out


def test_a_segment_without_reference_is_named_by_file_and_line(capsys: pytest.CaptureFixture[str]) -> None:
    Path("none.jsonl").write_text('{"mt": "a", "ref": ["a"]}\n{"mt": "b", "ref": [null]}\n', "utf-8")
    assert 1 == main(["none.jsonl", *FIELDS])
    assert "truebleu: none.jsonl, line 2: there is no reference" in capsys.readouterr().err


def test_a_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for name, fields in (("a.txt", []), ("list.json", ["--hyp-field", "mt"])):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path(name).read_bytes())))
        assert 0 == main(["ref.txt", "-i", "-", "-b", "-w", "4", *fields])
        assert score() == capsys.readouterr().out
    assert 2 == main(["ref.txt", "-i", "-", "a.txt"])
    assert "-i - is standard input, which goes without other files" in capsys.readouterr().err


# What a file is, where it is not what it seems.


def test_a_file_in_utf_16_is_named_as_such(capsys: pytest.CaptureFixture[str]) -> None:
    for encoding, advice in (("utf-16", "--encoding FILE=utf-16)"), ("utf-16-le", "-le)"), ("utf-16-be", "-be)")):
        Path("wide").write_bytes(Path("a.txt").read_text("utf-8").encode(encoding))
        assert 1 == main(["ref.txt", "-i", "wide"])
        err = capsys.readouterr().err
        assert "UTF-16" in err and advice in err
        assert 0 == main(["wide", "-i", "wide", "-e", encoding, "-b", "-q"])
        assert "100.0\n" == capsys.readouterr().out


def test_a_file_with_carriage_returns_alone_is_named_as_such(capsys: pytest.CaptureFixture[str]) -> None:
    Path("mac").write_text(Path("a.txt").read_text("utf-8").replace("\n", "\r"), "utf-8", newline="")
    assert 1 == main(["ref.txt", "-i", "mac"])
    err = capsys.readouterr().err
    assert "mac: only carriage returns end its lines, so it is taken as one line" in err and "mac has 1 line," in err


@pytest.mark.parametrize(
    ("more", "hint"), [("\n", "last line is blank: remove it"), ("\n \n", "last 2 lines are blank")]
)
def test_blank_lines_at_the_end_are_called_that(more: str, hint: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("b.txt").write_text(Path("a.txt").read_text("utf-8") + more, "utf-8")
    for words in (["ref.txt", "-i", "b.txt"], ["b.txt", "-i", "ref.txt"]):
        assert 1 == main(words)
        err = capsys.readouterr().err
        assert f"The {hint}" in err and "from b.txt" in err and "missing" not in err


def test_a_misspelt_system_of_a_test_set_is_recognised(capsys: pytest.CaptureFixture[str]) -> None:
    assert 1 == main(["-t", "demo", "-l", "en-de", "-i", "atlass"])
    assert "atlass: there is no such file, and no such system; did you mean atlas?" in capsys.readouterr().err
    assert 1 == main(["-t", "demo", "-l", "en-de", "-i", "zzz"])
    assert "those of the test set are atlas, birch, cedar" in capsys.readouterr().err
