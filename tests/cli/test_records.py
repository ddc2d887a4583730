"""One file of records in every command: whatever its form and format, the answer is that of plain files."""

import csv
import gzip
import io
import json
import random
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cli.conftest import run_here
from truebleu import BLEU, CHRF, demo
from truebleu.cli import run as running

FEW = 60
DATA = demo.load("en-de")
REFERENCES = [list(texts[:FEW]) for texts in DATA.references.values()]
SYSTEMS = {name: list(DATA.systems[name][:FEW]) for name in ("atlas", "birch")}
DOCUMENTS = [f"d{at // 5}" for at in range(FEW)]
DOMAINS = ["news" if at // 5 % 2 else "chat" for at in range(FEW)]


def long_rows() -> list[dict[str, Any]]:
    return [
        {"id": f"s{at}", "model": name, "prompt": DATA.sources[at], "response": texts[at],
         "reference": REFERENCES[0][at], "doc_id": DOCUMENTS[at], "domain": DOMAINS[at]}
        for name, texts in SYSTEMS.items() for at in range(FEW)
    ]  # fmt: skip


def lines(rows: Sequence[object]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def write(name: str, rows: Sequence[dict[str, Any]]) -> str:
    """Write records in the format that the name says."""
    if ".jsonl" in name:
        content = lines(rows).encode()
        Path(name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    elif name.endswith(".json"):
        Path(name).write_text(json.dumps(rows), "utf-8")
    elif name.endswith(".parquet"):
        pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        parquet.write_table(pa.Table.from_pylist(rows), name)
    elif name.endswith(".tsv"):
        table = [list(rows[0]), *(list(row.values()) for row in rows)]
        Path(name).write_text("".join("\t".join(row) + "\n" for row in table), "utf-8")
    else:
        out = io.StringIO()
        csv.writer(out).writerows([list(rows[0]), *(row.values() for row in rows)])
        Path(name).write_text(out.getvalue(), "utf-8", newline="")
    return name


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    plain = {"ref": REFERENCES[0], "ref2": REFERENCES[1], "docs": DOCUMENTS, "domains": DOMAINS}
    for name, texts in {**SYSTEMS, **plain, "src": DATA.sources[:FEW]}.items():
        Path(f"{name}.txt").write_text("".join(f"{text}\n" for text in texts), "utf-8")
    return tmp_path


def scores(*words: str, stdin: bytes = b"") -> list[tuple[str, float]]:
    run = run_here([*words, "-f", "json"], stdin)
    assert 0 == run.code, run.err
    return [(one["system"].removesuffix(".txt"), one["score"]) for one in json.loads(run.out)]


def plain(*words: str) -> list[tuple[str, float]]:
    return scores("ref.txt", "-i", "atlas.txt", "birch.txt", *words)


def refused(*words: str, code: int = 1) -> str:
    run = run_here(words)
    assert (code, "") == (run.code, run.out), run.err
    return run.err


# Forms and formats.

FORMATS = ["x.jsonl", "x.jsonl.gz", "x.json", "x.csv", "x.tsv", "x.parquet"]


@pytest.mark.parametrize("name", FORMATS)
def test_the_long_form_gives_the_scores_of_plain_files_and_says_what_it_took(name: str) -> None:
    assert plain("-m", "bleu", "chrf") == scores(write(name, long_rows()), "-m", "bleu", "chrf")
    assert (
        f"truebleu: {name}: fields taken by their names: hypotheses 'response' (--hyp-field), references 'reference' "
        "(--ref-field), systems 'model' (--system-field)\n"
    ) in run_here([name]).err


@pytest.mark.parametrize("name", FORMATS)
def test_the_wide_form_has_a_field_for_each_system(name: str) -> None:
    rows = [{"atlas": a, "birch": b, "ref": ref} for a, b, ref in zip(*SYSTEMS.values(), REFERENCES[0], strict=True)]
    assert plain() == scores(write(name, rows), "--hyp-field", "atlas", "birch")


_TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)


@st.composite
def corpora(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Segments of two systems, with one to three references each."""
    rows = []
    for at in range(draw(st.integers(1, 6))):
        texts = draw(st.lists(_TEXTS, min_size=3, max_size=5))
        rows.append({"id": at, "a": texts[0], "b": texts[1], "refs": texts[2:]})
    return rows


@given(corpora(), st.randoms(use_true_random=False))
@settings(max_examples=30)
def test_all_forms_give_the_same_scores(rows: list[dict[str, Any]], draw: random.Random) -> None:
    wide = [{"out.a": row["a"], "deep": {"b": [{"t": row["b"]}]}, "refs": row["refs"]} for row in rows]
    flat = [
        {"id": row["id"], "system": name, "hyp": row[name], "references": row["refs"]} for name in "ab" for row in rows
    ]
    long = [{**row, "hyp": {"text": row["hyp"]}} for row in flat]
    mixed = sorted(draw.sample(long, len(long)), key=lambda row: row["system"])
    forms = {
        "wide.jsonl": (wide, ["--hyp-field", "out.a", "deep.b.0.t"]),
        "flat.json": (flat, []),
        "long.jsonl": (long, ["--hyp-field", "hyp.text"]),
        "mixed.jsonl": (mixed, ["--hyp-field", "hyp.text", "--id-field", "id"]),
        "long.parquet": (long, ["--hyp-field", "hyp.text"]),
        "flat.parquet": (flat, ["--system-field", "system"]),
    }
    expected = [
        metric.corpus_score([row[side] for row in rows], [*zip_longest(*(row["refs"] for row in rows))], checks=False)
        for side in "ab"
        for metric in (BLEU(), CHRF())
    ]
    for name, (records, fields) in forms.items():
        found = scores(write(name, records), *fields, "-m", "bleu", "chrf", "--no-checks", "-q")
        assert [one.score for one in expected] == [score for _, score in found], name


@pytest.mark.parametrize("name", ["x.jsonl", "x.json", "x.parquet"])
@pytest.mark.parametrize("way", ["response.text", "Response.content", "choices.0.message.content",
                                 "output.choices.0.text"])  # fmt: skip
def test_the_text_inside_of_a_field_with_a_usual_name_is_taken(way: str, name: str) -> None:
    def inside(text: str, parts: Sequence[str]) -> Any:
        return (
            text if not parts else [inside(text, parts[1:])] if parts[0] == "0" else {parts[0]: inside(text, parts[1:])}
        )

    rows = []
    for row in long_rows():
        text = row.pop("response")
        rows.append({**row, **inside(text, way.split("."))})
    assert plain() == scores(write(name, rows))
    assert f"hypotheses '{way}' (--hyp-field)" in run_here([name]).err


def test_of_two_texts_inside_the_flag_has_to_say_which() -> None:
    rows = [{**row, "response": {"text": row["response"], "content": "x"}} for row in long_rows()]
    err = refused(write("x.jsonl", rows), code=2)
    assert "'response.text' and 'response.content' are usual names of hypotheses; say which with --hyp-field" in err
    rows = [{**row, "response": {"finish_reason": "stop"}} for row in long_rows()]
    assert "no field has a usual name of hypotheses" in refused(write("x.jsonl", rows), code=2)


def test_references_are_texts_or_lists_of_any_length() -> None:
    rows = [{**row, "reference": [stream[at % FEW] for stream in REFERENCES]} for at, row in enumerate(long_rows())]
    assert scores("ref.txt", "ref2.txt", "-i", "atlas.txt", "birch.txt") == scores(write("x.jsonl", rows))


def test_standard_input_may_have_records_and_be_compressed() -> None:
    text = lines(long_rows()).encode()
    for content in (text, gzip.compress(text), json.dumps(long_rows()).encode()):
        assert plain() == scores("-", stdin=content)
    table = Path(write("x.csv", long_rows())).read_bytes()
    assert plain() == scores("-", "--fields-format", "csv", stdin=table)
    columns = Path(write("x.parquet", long_rows())).read_bytes()
    assert plain() == scores("-", stdin=columns) == scores("-", stdin=gzip.compress(columns))
    assert plain() == scores("-", "--fields-format", "parquet", stdin=columns)
    assert "standard input is not a file of columns" in run_here(["-", "--fields-format", "parquet"], text).err
    assert "standard input cannot be read, is it damaged or cut off?" in run_here(["-"], columns[:-9]).err
    run = run_here(["report", "-", "--trials", "40", "-o", "r.html"], text)
    assert 0 == run.code and "documents 'doc_id'" in run.err


def test_a_literal_key_with_a_dot_wins() -> None:
    rows = [{"a.b": "one two three four", "a": {"b": "other"}, "ref": "one two three four"}]
    assert "100.0\n" == run_here([write("x.jsonl", rows), "--hyp-field", "a.b", "-b"]).out


def test_segments_are_matched_by_their_ids() -> None:
    rows = random.Random(1).sample(long_rows(), 2 * FEW)
    assert "--id-field matches segments by a field" in refused(write("x.jsonl", rows))
    assert sorted(plain()) == sorted(scores("x.jsonl", "--id-field", "id"))
    write("gold.jsonl", [{"id": f"s{at}", "ref": text} for at, text in enumerate(REFERENCES[0])])
    for name in SYSTEMS:
        write(f"{name}.jsonl", [row for row in rows if row["model"] == name])
    found = scores("gold.jsonl", "-i", "atlas.jsonl", "birch.jsonl", "--id-field", "id")
    assert [score for _, score in plain()] == [score for _, score in found]


# Nulls.


def test_nulls_are_an_error_or_left_out_or_empty() -> None:
    rows = long_rows()
    rows[3]["response"] = rows[FEW + 7]["response"] = None
    rows[9]["reference"] = rows[FEW + 9]["reference"] = None
    err = refused(write("x.jsonl", rows))
    assert "x.jsonl, line 10: there is no reference" in err and "--nulls skip leaves such segments out" in err
    left = ",".join(str(at + 1) for at in range(FEW) if at not in (3, 7, 9))
    assert plain("--only", left) == scores("x.jsonl", "--nulls", "skip")
    run = run_here(["x.jsonl", "--nulls", "skip"])
    assert "3 of 60 segments have no hypothesis or no reference, and were skipped" in run.err and "only:" not in run.out
    rows[9]["reference"] = rows[FEW + 9]["reference"] = "a"
    err = refused(write("x.jsonl", rows))
    assert "x.jsonl, line 4: the field 'response' is null, expected a text; --nulls skip" in err
    write("y.jsonl", [{**row, "response": row["response"] or ""} for row in rows])
    assert scores("y.jsonl") == scores("x.jsonl", "--nulls", "empty")


def test_segments_keep_their_numbers_where_others_are_left_out() -> None:
    rows = [{"mt": None if at == 1 else f"a b {at}", "ref": "a b c", "kind": "xy"[at % 2]} for at in range(4)]
    found = json.loads(run_here([write("x.jsonl", rows), "--nulls", "skip", "-sl", "-f", "json"]).out)
    assert [1, 3, 4] == [one["segment"] for one in found]
    found = json.loads(run_here(["x.jsonl", "--nulls", "skip", "--only", "2-3", "--by", "kind", "-f", "json"]).out)
    assert [("x", 1)] == [(one["group"]["label"], one["group"]["segments"]) for one in found[:-1]]


def test_below_null_all_is_null() -> None:
    rows = [{"a": {"b": "x y"}, "ref": "x y"}, {"a": None, "ref": "x"}]
    assert "line 2: the field 'a.b' is null" in refused(write("x.jsonl", rows), "--hyp-field", "a.b")


# What is wrong is named by file, line and field.


def faults() -> dict[str, tuple[str, int, str]]:
    good = [{"mt": f"word {at}", "ref": f"word {at}", "sys": "a"} for at in range(1300)]

    def with_one(**fields: Any) -> str:
        rows = [dict(row) for row in good]
        rows[1203] = {key: value for key, value in (rows[1203] | fields).items() if value is not ...}
        return lines(rows)

    return {
        "x.jsonl": (with_one(mt=...), 1, "x.jsonl, line 1204: there is no field 'mt'; the fields are 'ref', 'sys'"),
        "x.jsonl --hyp-field mt": (with_one(mt=3), 1, "line 1204: the field 'mt' is a number, expected a text"),
        "x.jsonl --ref-field ref": (with_one(mt=["a"]), 1, "line 1204: the field 'mt' is a list, expected a text"),
        "x.jsonl -m chrf": (with_one(mt=None), 1, "line 1204: the field 'mt' is null, expected a text; --nulls skip"),
        "x.jsonl -m ter": (with_one(ref={"a": 1}), 1, "line 1204: the field 'ref' is an object, expected a text or a"),
        "x.jsonl --system-field sys": (with_one(sys=None), 1, "line 1204: the field 'sys' is null or empty"),
        "x.jsonl --id-field mt": (with_one(mt="word 3"), 1, "line 1204: the id 'word 3' of a segment is there twice"),
        "x.jsonl -b": (lines(good[:4]) + "[1]\n", 1, "x.jsonl, line 5: a list, expected an object with fields"),
        "x.jsonl -q": ("", 1, "x.jsonl is empty, expected records"),
        "x.jsonl -w 3": (lines(good[:1]) + '{"mt": "a\n', 1,
            "x.jsonl, line 2: not JSON: Unterminated string starting at column 8"),
        "x.jsonl -w 2": (lines([{"mt": "a", "ref": "b", "target": "c"}]), 2,
            "x.jsonl: 'ref' and 'target' are usual names of references; say which with --ref-field"),
        "x.jsonl -w 4": (lines([{"out": {"text": "a"}, "l": [{"c": 1}], "ref": "b"}]), 2,
            "no field has a usual name of hypotheses (hypothesis, hyp, mt, prediction, ...); name it with --hyp-field. "
            "The fields are 'out.text', 'l.0.c', 'ref'"),
        "x.jsonl --hyp-field a.1": (lines([{"a": ["x"], "ref": "b"}]), 1, "x.jsonl, line 1: there is no field 'a.1'"),
    }  # fmt: skip


@pytest.mark.parametrize("words", faults())
def test_a_fault_is_named_by_file_line_and_field(words: str) -> None:
    content, code, message = faults()[words]
    Path("x.jsonl").write_text(content, "utf-8")
    err = refused(*words.split(), code=code)
    assert message in err and err.count(" at ") < 2


def test_systems_must_have_the_same_segments() -> None:
    rows = long_rows()
    err = refused(write("x.jsonl", rows[:-1]))
    assert "the system 'birch' has 59 records, 'atlas' has 60 records; --id-field tells which are missing" in err
    err = refused("x.jsonl", "--id-field", "id")
    assert "x.jsonl: the system 'birch' has no segment with the id 's59', which x.jsonl: the system 'atlas' has" in err
    err = refused(write("x.jsonl", [*rows, rows[-1]]), "--id-field", "id")
    assert "line 121: the id 's59' of 'birch' is there twice, which line 120 has too" in err


# What is a file of records, and what is plain text.


@pytest.mark.parametrize("name", ["r.tsv", "r.csv", "r.txt", "r.json.txt"])
@pytest.mark.parametrize("content", ["a line\nanother\n", "one, two\nthree, four\n", '{"mt": "a", "ref": "a"}\n{}\n'])
def test_a_plain_file_stays_plain_whatever_it_holds(name: str, content: str) -> None:
    Path(name).write_text(content, "utf-8")
    piped, named = run_here([name, "-b"], content.encode()), run_here([name, "-i", name, "-b"])
    assert piped.out == named.out and 0 == piped.code and "fields taken" not in piped.err


def test_a_table_has_fields_if_its_header_names_both_texts() -> None:
    Path("x.tsv").write_text("mt\tref\na b c d\ta b c d\n", "utf-8")
    assert "100.0\n" == run_here(["x.tsv", "-b"]).out
    Path("x.tsv").write_text("mt\tother\na b c d\ta b c d\n", "utf-8")
    assert "x.tsv is read as plain text" in run_here(["x.tsv", "-b"], "a\nb\n").err
    assert "100.0\n" == run_here(["x.tsv", "--ref-field", "other", "-b"]).out


def test_fields_format_text_says_that_a_file_is_plain() -> None:
    write("x.jsonl", long_rows()[:3])
    run = run_here(["x.jsonl", "--fields-format", "text", "-b"], Path("x.jsonl").read_bytes())
    assert ("100.0\n", True) == (run.out, "fields taken" not in run.err)


def test_a_plain_file_that_is_called_json_is_told_how_to_be_read() -> None:
    Path("x.json").write_text("a line\nanother\n", "utf-8")
    assert "x.json, line 1: not JSON: Expecting value at column 1; --fields-format text says" in refused("x.json")


@pytest.mark.parametrize("words", ["self-bleu x.jsonl", "align x.jsonl -i x.jsonl"])
def test_a_command_that_does_not_read_fields_says_so(words: str) -> None:
    write("x.jsonl", long_rows()[:3])
    run = run_here(words.split())
    assert (0, 1) == (run.code, run.err.count("x.jsonl is read as plain text")) and "does not read fields" in run.err


# Every command.

OF_FILES = {
    "--paired-all --paired-n 40": "ref.txt -i atlas.txt birch.txt --paired-all --paired-n 40 --docids docs.txt",
    "--paired ar --paired-n 40": "ref.txt -i atlas.txt birch.txt --paired ar --paired-n 40",
    "-ci -cin 40 --doc-field doc_id": "ref.txt -i atlas.txt birch.txt -ci -cin 40 --docids docs.txt",
    "--breakdown domain": "ref.txt -i atlas.txt birch.txt --breakdown domains.txt",
    "--level document": "ref.txt -i atlas.txt birch.txt --level document --docids docs.txt",
    "doctor": "doctor ref.txt -i atlas.txt birch.txt --src src.txt",
    "reconcile --target 48.7 --target 46.5 --max-changes 1": "reconcile ref.txt -i atlas.txt birch.txt --target 48.7 "
    "--target 46.5 --max-changes 1",
}


@pytest.mark.parametrize("words", OF_FILES)
@pytest.mark.parametrize("name", ["x.jsonl", "x.parquet"])
def test_every_command_gives_the_answer_of_plain_files(words: str, name: str) -> None:
    write(name, long_rows())
    parts = words.split()
    ours = [parts[0], name, *parts[1:]] if parts[0].isalpha() else [name, *parts]
    expected, found = (run_here([*line, "-f", "json"]) for line in (OF_FILES[words].split(), ours))
    assert (expected.code, expected.out.replace(".txt", "")) == (found.code, found.out.replace(".txt", "")), found.err


def test_a_report_of_records_is_that_of_plain_files() -> None:
    def numbers(*words: str) -> dict[str, Any]:
        run = run_here(["report", *words, "--trials", "40", "--json", "n.json"])
        assert 0 == run.code, run.err
        return {"err": run.err, **json.loads(Path("n.json").read_text("utf-8"))}

    files = "ref.txt -i atlas.txt birch.txt --src src.txt --labels domain=domains.txt --docids docs.txt"
    theirs, ours = numbers(*files.split()), numbers(write("x.jsonl", long_rows()))
    assert {"err", "provenance"} == {key for key in theirs if theirs[key] != ours.get(key)} and len(theirs) > 8
    assert "sources 'prompt' (--src-field), documents 'doc_id' (--doc-field), labels 'domain' (--labels)" in ours["err"]


def test_a_field_that_only_its_name_spoke_for_may_be_missing() -> None:
    rows = long_rows()
    del rows[5]["prompt"], rows[6]["doc_id"], rows[7]["domain"]
    run = run_here(["report", write("x.jsonl", rows), "--trials", "40"])
    assert 0 == run.code and "the field 'prompt' is not used: x.jsonl, line 6: there is no field 'prompt'" in run.err
    assert "line 7: there is no field 'doc_id'" in refused("report", "x.jsonl", "--doc-field", "doc_id")


def test_plots_receipts_and_divided_texts_take_records() -> None:
    pytest.importorskip("matplotlib")
    write("x.jsonl", long_rows())
    words = "plot groups x.jsonl --labels domain -o x.svg --trials 40"
    assert 0 == run_here(words.split()).code and Path("x.svg").exists()
    assert 0 == run_here(["receipt", "make", "x.jsonl", "-o", "."]).code
    run = run_here(["receipt", "verify", "atlas.receipt.json", "birch.receipt.json", "x.jsonl"])
    assert 0 == run.code and 2 == run.out.count("4 text"), run
    assert "60 in 12 documents" in run_here(["receipt", "show", "atlas.receipt.json"]).out
    run = run_here(["resegment", write("one.jsonl", long_rows()[:FEW])])
    assert (0, SYSTEMS["atlas"]) == (run.code, run.out.splitlines())


@pytest.mark.parametrize("words", ["", "--paired-all", "receipt make", "report", "plot -o x.svg ranking"])
def test_moved_lines_are_refused_in_every_command_unless_checks_are_off(words: str) -> None:
    rows = long_rows()
    texts = [row["response"] for row in rows[:FEW]]
    for at in range(FEW):
        rows[at]["response"] = texts[at - 1]
    line = [*words.split(), write("x.jsonl", rows)]
    assert "--no-checks scores it anyway" in refused(*line)
    assert 0 == run_here([*line, "--no-checks"]).code


def test_a_test_of_each_group_is_that_of_its_segments() -> None:
    words = [write("x.jsonl", long_rows()), "--paired-all", "--paired-n", "200", "-m", "chrf"]
    found = json.loads(run_here([*words, "--by", "domain", "-f", "json"]).out)
    assert ["chat", "news"] == [one["group"]["label"] for one in found["groups"]]
    assert json.loads(run_here([*words, "-f", "json"]).out)["metrics"] == found["metrics"]
    for group in found["groups"]:
        write("part.jsonl", [row for row in long_rows() if row["domain"] == group["group"]["label"]])
        assert json.loads(run_here(["part.jsonl", *words[1:], "-f", "json"]).out)["metrics"] == group["metrics"]
    for layout in ("text", "markdown", "jsonl", "csv", "tsv"):
        for test in (words, ["x.jsonl", "--paired", "ar", "--paired-n", "40"]):
            run = run_here([*test, "--by", "domain", "-f", layout])
            assert 0 == run.code and "chat" in run.out and "news" in run.out


def test_names_of_systems_stay_as_they_are() -> None:
    rows = [{**row, "model": f"lab/model-3.{row['model']}"} for row in long_rows()]
    assert 0 == run_here(["report", write("x.jsonl", rows), "--trials", "40", "--json", "n.json"]).code
    assert "lab/model-3.atlas" in Path("n.json").read_text("utf-8")


def test_a_field_of_systems_that_is_not_used_is_told() -> None:
    words = [write("x.jsonl", long_rows()), "--hyp-field", "response", "--ref-field", "reference"]
    assert "the field 'model' is not used; --system-field makes a system" in run_here(words).err
    assert "is not used" not in run_here([*words, "--by", "model"]).err
    assert plain() == scores(*words, "--system-field", "model")


# Large files.


@pytest.mark.parametrize("more", ["", "--nulls skip", "--nulls empty", "--hyp-field response --ref-field reference"])
def test_large_files_give_the_same_answer_without_being_kept(more: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words = [write("x.jsonl", long_rows()), "-m", "bleu", "ter", *more.split()]
    usual = run_here(words)
    monkeypatch.setattr(running, "LARGE", 0)
    monkeypatch.setattr("truebleu.cli.fields._LARGE", 0)
    monkeypatch.setattr("truebleu._textio._BLOCK", 4000)
    assert (0, usual) == (usual.code, run_here(words))
    if more != "--nulls skip":
        monkeypatch.setattr(running, "read_job", lambda *given: pytest.fail("the file was read whole"))
        assert usual == run_here(words)
