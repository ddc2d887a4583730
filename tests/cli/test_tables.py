"""Files of columns on the command line: groups, totals that are kept and merged, and scores as columns."""

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from truebleu import BLEU, CHRF, TER
from truebleu.cli.main import main
from truebleu.cli.progress import Progress

pa = pytest.importorskip("pyarrow")
import pyarrow.parquet as pq  # noqa: E402

from columns.made_up import table, write_parts  # noqa: E402

FIELDS = ["--hyp-field", "mt", "--ref-field", "ref"]


@pytest.fixture(autouse=True)
def whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Three files, and the same rows in one file of JSON lines."""
    monkeypatch.chdir(tmp_path)
    whole = pa.concat_tables(write_parts(tmp_path, 3))
    Path("whole.jsonl").write_text("".join(json.dumps(row) + "\n" for row in whole.to_pylist()))
    nulls = table(4).set_column(3, "mt", pa.chunked_array([["a", None, "b c d e f", "c"]]))
    pq.write_table(nulls, "null.parquet")
    return whole


def run(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> tuple[str, str]:
    capsys.readouterr()
    assert code == main(list(words)), capsys.readouterr().err
    out, err = capsys.readouterr()
    return out, err


def objects(capsys: pytest.CaptureFixture[str], *words: str) -> list[dict[str, Any]]:
    found = json.loads(run(capsys, *words, "-f", "json")[0])
    return found if isinstance(found, list) else [found]


def test_a_pattern_in_quotes_names_files_that_follow_each_other(whole: Any, capsys: pytest.CaptureFixture[str]) -> None:
    expected = BLEU().corpus_score(whole["mt"].to_pylist(), [whole["ref"].to_pylist()])
    out, err = run(capsys, "part-*.parquet", *FIELDS)
    assert f"{expected.name}|{expected.signature} = {expected.format(width=1)[len('BLEU = ') :]}\n" == out
    assert "truebleu: the field 'system' is not used; --system-field makes a system of each of its values\n" == err
    for words in (
        ["part-00.parquet", "part-01.parquet", "part-02.parquet", *FIELDS],
        ["--parquet", "part-*.parquet", "--hyp-column", "mt", "--ref-column", "ref"],
        ["part-0?.*", *FIELDS, "--fields-format", "parquet"],
    ):
        assert out == run(capsys, *words)[0]


@pytest.mark.parametrize("metrics", ["bleu", "bleu chrf ter"])
def test_the_output_is_that_of_json_lines(metrics: str, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (FIELDS, ["--hyp-field", "mt", "other", "--ref-field", "ref"]):
        for layout in ("text", "json", "csv", "markdown", "latex"):
            style = ["-m", *metrics.split(), "-f", layout, "-q"]
            ours, theirs = (run(capsys, name, *words, *style)[0] for name in ("part-*.parquet", "whole.jsonl"))
            assert theirs == ours


def test_groups_are_scored_by_their_rows(whole: Any, capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "part-*.parquet",
        "--hyp-field",
        "mt",
        "--ref-field",
        "refs",
        "--by",
        "system",
        "lang",
        "-m",
        "bleu",
        "ter",
    ]
    found = objects(capsys, *words)
    assert 2 * (2 * 3 + 1) == len(found) and "group" not in found[-1]
    for one in found[:-2]:
        key, label = one["group"]["key"], one["group"]["label"]
        assert f"system={key['system']} lang={key['lang'] or '(null)'}" == label
        rows = [row for row in whole.to_pylist() if (row["system"], row["lang"]) == (key["system"], key["lang"])]
        metric = BLEU() if one["name"] == "BLEU" else TER()
        texts, lists = [row["mt"] for row in rows], [row["refs"] for row in rows]
        assert len(rows) == one["group"]["segments"]
        assert metric.corpus_score(texts, lists, layout="segments").score == pytest.approx(one["score"], rel=1e-12)
    keys = [one["group"]["key"]["lang"] for one in found[:6:2]]
    assert ["de", "fr", None] == keys


@pytest.mark.parametrize("layout", ["text", "json", "jsonl", "csv", "tsv", "markdown", "latex", "rst", "html"])
def test_groups_are_in_every_format_and_of_every_kind_of_file(layout: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = [*FIELDS, "--by", "lang", "-m", "bleu", "chrf", "-f", layout]
    ours, theirs = run(capsys, "part-*.parquet", *words)[0], run(capsys, "whole.jsonl", *words)[0]
    assert "(null)" in ours and "de" in ours
    assert theirs == ours


def test_rows_that_are_asked_for_are_read_into_memory(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (
        [*FIELDS, "--confidence", "-cin", "20"],
        [*FIELDS, "--by", "lang", "-ci", "-cin", "20", "-f", "json"],
        [*FIELDS, "--sentence-level"],
        ["--hyp-field", "mt", "other", "--ref-field", "refs", "--paired", "ar", "-parn", "20"],
    ):
        assert run(capsys, "whole.jsonl", *words)[0] == run(capsys, "part-*.parquet", *words)[0]
    out = run(capsys, "part-00.parquet", "-i", "part-00.parquet", "part-01.parquet", *FIELDS)[0]
    assert "part-01.parquet" in out


def test_totals_are_kept_gone_on_with_and_merged(capsys: pytest.CaptureFixture[str]) -> None:
    words = [*FIELDS, "--by", "lang", "-m", "bleu", "chrf"]
    expected = run(capsys, "part-*.parquet", *words)[0]
    run(capsys, "part-00.parquet", *words, "--totals-out", "t1")
    _, err = run(capsys, "part-00.parquet", "part-01.parquet", *words, "--totals-out", "t1", "--resume")
    assert "truebleu: 1 of 2 files are in t1 already, and are skipped\n" == err
    run(capsys, "part-02.parquet", *words, "--totals-out", "t2")
    for layout in ("text", "json", "markdown", "csv"):
        assert run(capsys, "part-*.parquet", *words, "-f", layout)[0] == run(capsys, "merge", "t?", "-f", layout)[0]
    assert expected == run(capsys, "merge", "t1", "t2", "--totals-out", "t3")[0] == run(capsys, "merge", "t3")[0]
    assert expected == run(capsys, "part-*.parquet", *words, "--totals-out", "t3", "--resume")[0]


def test_totals_that_do_not_belong_together_are_not_merged(capsys: pytest.CaptureFixture[str]) -> None:
    for name, words in {"t1": [], "t2": ["-lc"], "t3": ["--by", "lang"], "t4": ["-m", "chrf"]}.items():
        run(capsys, "part-00.parquet", *FIELDS, "--totals-out", name, *words)
    for name, message in {"t2": "differ in lowercase of 'bleu'", "t3": "differ in columns", "t4": "differ in"}.items():
        assert f"truebleu merge: {name}: totals to be added {message}" in run(capsys, "merge", "t1", name, code=1)[1]
    assert "t1: " in run(capsys, "merge", "t4", "t1", code=1)[1]
    Path("t5").write_bytes(Path("t1").read_bytes())
    assert "part-00.parquet is in another of the totals too" in run(capsys, "merge", "t1", "t5", code=1)[1]
    assert "t1 is given twice" in run(capsys, "merge", "t1", "t1", code=2)[1]
    assert "part-00.parquet: Totals.from_arrow" in run(capsys, "merge", "part-00.parquet", code=1)[1]


def test_scores_are_columns_beside_those_of_the_input(whole: Any, capsys: pytest.CaptureFixture[str]) -> None:
    out, err = run(capsys, "part-*.parquet", *FIELDS, "--scores-out", "s.parquet", "-m", "chrf", "bleu")
    assert ("", "truebleu: 150 rows written to s.parquet\n") == (out, err)
    found = pq.read_table("s.parquet")
    assert whole == found.select(whole.column_names) and ["bleu", "chrf"] == found.column_names[-2:]
    texts = found["mt"].to_pylist(), [found["ref"].to_pylist()]
    assert CHRF().sentence_scores(*texts).tolist() == found["chrf"].to_pylist()
    # As with --sentence-level.
    assert BLEU(effective_order=True).sentence_scores(*texts).tolist() == found["bleu"].to_pylist()
    assert (
        "s.parquet exists and is not replaced"
        in run(capsys, "part-00.parquet", *FIELDS, "--scores-out", "s.parquet", code=1)[1]
    )


def test_rows_without_a_text_are_an_error_unless_said_otherwise(capsys: pytest.CaptureFixture[str]) -> None:
    err = run(capsys, "part-00.parquet", "null.parquet", *FIELDS, code=1)[1]
    assert "truebleu: null.parquet: 'mt' is null in row 1; --nulls skip leaves such rows out" in err
    out, err = run(capsys, "null.parquet", *FIELDS, "--nulls", "skip", "--by", "seg", "-b", "-f", "csv")
    assert ["0", "2", "3", ""] == [row[0] for row in csv.reader(io.StringIO(out))][1:]
    assert "1 of 4 rows have no hypothesis or no reference, and were skipped" in err
    assert "all rows of the group 1 were skipped, so it has no score" in err
    assert (
        4
        == objects(capsys, "null.parquet", *FIELDS, "--nulls", "empty", "--by", "seg")[-1]["counts"][0]
        + 4
        - (objects(capsys, "null.parquet", *FIELDS, "--nulls", "skip")[0]["counts"][0])
    )
    err = run(capsys, "null.parquet", *FIELDS, "--nulls", "skip", "--scores-out", "s")[1]
    assert "1 of 4 rows have no hypothesis or no reference: their scores are null" in err
    assert [False, True, False, False] == [value is None for value in pq.read_table("s")["bleu"].to_pylist()]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (
            "part-00.parquet --hyp-field hyp --ref-field ref",
            2,
            "part-00.parquet: there is no column 'hyp'; the columns",
        ),
        ("part-00.parquet --hyp-field seg --ref-field ref", 1, "part-00.parquet: "),
        ("part-00.parquet --hyp-field mt --ref-field ref --by nothing", 2, "there is no column 'nothing'"),
        ("part-00.parquet --hyp-field mt --ref-field ref --by refs", 2, "part-00.parquet: by has 'refs'"),
        ("part-00.parquet --hyp-field mt", 2, "'ref' and 'refs' are usual names of references; say which with"),
        ("part-00.parquet --ref-field ref", 1, "the system 'old' has 22 records, 'new' has 28"),
        ("none.parquet --hyp-field mt --ref-field ref", 1, "none.parquet: there is no such file"),
        ("none*.parquet --hyp-field mt --ref-field ref", 1, "there is no file that matches none*.parquet"),
        (
            "whole.jsonl --parquet part-00.parquet --hyp-field mt --ref-field ref",
            1,
            "whole.jsonl is not a file of columns",
        ),
        ("whole.jsonl part-00.parquet --hyp-field mt --ref-field ref", 2, "files of columns and other files"),
        ("whole.jsonl --hyp-field mt --ref-field ref --totals-out t", 2, "--totals-out goes with files of columns"),
        ("whole.jsonl --hyp-field mt --ref-field ref --by refs", 1, "whole.jsonl, line 1: the field 'refs' is a list"),
        ("whole.jsonl whole.jsonl --hyp-field mt --ref-field ref --by lang", 2, "--by reads one file of records"),
        ("part-00.parquet --hyp-field mt --ref-field ref --resume", 2, "name their file with --totals-out"),
        ("part-00.parquet --hyp-field mt --ref-field ref -ci --totals-out t", 2, "does not go with --confidence"),
        ("part-00.parquet --hyp-field mt other --ref-field ref --totals-out t", 2, "--totals-out is for one system"),
        ("part-00.parquet --hyp-field mt --ref-field ref --scores-out s --by lang", 2, "leave out --by"),
        ("part-00.parquet --hyp-field mt --ref-field ref --scores-out s.arrow", 2, "--scores-out writes Parquet"),
        ("part-00.parquet --hyp-field mt other --ref-field ref --by lang -sl", 2, "leave out --sentence-level"),
        ("part-00.parquet --hyp-field mt --ref-field ref --totals-out part-00.parquet --resume", 1, "to be read"),
        (
            "part-00.parquet --hyp-field mt --ref-field ref --totals-out no/t",
            1,
            "no: there is no such folder; make it first",
        ),
    ],
)
def test_what_makes_no_sense_is_said_before_any_counting(
    words: str, code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(os.listdir())
    out, err = run(capsys, *words.split(), code=code)
    assert "" == out and message in err
    assert before == sorted(os.listdir())


def test_a_published_signature_of_other_references_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    like = "BLEU|nrefs:2|case:lc|eff:no|tok:13a|smooth:exp|version:2.6.0"
    out, err = run(capsys, "part-00.parquet", *FIELDS, "--like", like)
    assert "nrefs:1|case:lc" in out and "of scores with nrefs:2, here nrefs is 1" in err


def test_json_numbers_and_booleans_make_groups_and_mixtures_do_not(capsys: pytest.CaptureFixture[str]) -> None:
    def write(*values: object) -> None:
        rows = [{"mt": "a b c d", "ref": "a b c d", "n": value} for value in values]
        Path("n.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    write(10, 9, None, 10)
    groups = [one["group"] for one in objects(capsys, "n.jsonl", *FIELDS, "--by", "n")[:-1]]
    assert [(9, 1), (10, 2), (None, 1)] == [(group["key"]["n"], group["segments"]) for group in groups]
    write(True, False)
    assert 3 == len(objects(capsys, "n.jsonl", *FIELDS, "--by", "n"))
    for values in ([1, "1"], [1, 1.5], [1, True]):
        write(*values)
        assert "n.jsonl, line 2: the field 'n' is a" in run(capsys, "n.jsonl", *FIELDS, "--by", "n", code=1)[1]


def test_files_of_columns_cost_nothing_at_the_start(tmp_path: Path) -> None:
    Path("ref").write_text("a b c d\n")
    for words in (["--help"], ["ref", "-i", "ref"]):
        code = f"import sys; from truebleu.cli.main import main; main({words!r}); print('\\n'.join(sys.modules))"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        loaded = set(done.stdout.split())
        assert "truebleu.cli.flags" in loaded
        assert set() == {"pyarrow", "truebleu.columns", "truebleu.cli.tables", "truebleu.cli.json_lines"} & loaded


def test_without_pyarrow_the_command_tells_what_to_install(whole: Any) -> None:
    words = ["part-00.parquet", *FIELDS]
    code = f"import sys; sys.modules['pyarrow'] = None; from truebleu.cli.main import main; sys.exit(main({words!r}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (1, "") == (done.returncode, done.stdout)
    assert "with pyarrow, which is not installed: pip install 'truebleu[arrow]'" in done.stderr


def test_progress_is_told_in_rows_of_all_files_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[int, int]] = []
    hears = "hear" if hasattr(Progress, "hear") else "_hear"
    monkeypatch.setattr(Progress, hears, lambda self, done, total: told.append((done, total)) if total > 1 else None)
    run(capsys, "part-*.parquet", *FIELDS)
    assert [] == told
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    run(capsys, "part-*.parquet", *FIELDS)
    assert (150, 150) == max(told) and (50, 150) in told
    told.clear()
    run(capsys, "part-*.parquet", *FIELDS, "--quiet")
    assert [] == told


def test_columns_may_have_any_name(capsys: pytest.CaptureFixture[str]) -> None:
    data = table(20)
    odd = {"mt": "mt.text", "ref": "le ref", "lang": "ключ"}
    pq.write_table(data.rename_columns([odd.get(name, name) for name in data.column_names]), "odd.parquet")
    pq.write_table(data, "even.parquet")
    ours = run(capsys, "odd.parquet", "--hyp-field", "mt.text", "--ref-field", "le ref", "--by", "ключ", "-f", "csv")[0]
    assert run(capsys, "even.parquet", *FIELDS, "--by", "lang", "-f", "csv")[0] == ours.replace("mt.text", "mt")


# Doubtful texts.

DOUBTFUL = {
    "shuffled": lambda whole: whole["ref"].to_pylist()[40:] + whole["ref"].to_pylist()[:40],
    "empty": lambda whole: ["", " "] * (len(whole) // 2) + [""] * (len(whole) % 2),
    "same": lambda whole: whole["ref"].to_pylist(),
    "fine": lambda whole: whole["mt"].to_pylist(),
}


@pytest.mark.parametrize("kind", list(DOUBTFUL))
@pytest.mark.parametrize("references", ["ref", "refs", "blank"])
def test_doubtful_columns_are_told_as_those_of_json_lines_are(
    kind: str, references: str, whole: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = whole.drop_columns(["mt", "refs"]).append_column("mt", pa.array(DOUBTFUL[kind](whole)))
    texts = whole["ref"].to_pylist()
    rows = rows.append_column(
        "refs", pa.array([[text, text.upper()] if at % 2 else [text] for at, text in enumerate(texts)])
    )
    rows = rows.append_column("blank", pa.array([""] * len(rows)))
    for at, name in enumerate(("a.parquet", "b.parquet")):
        pq.write_table(rows.slice(at * (len(rows) // 2), len(rows) // 2), name, row_group_size=17)
    rows = pa.concat_tables([pq.read_table("a.parquet"), pq.read_table("b.parquet")])
    Path("rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows.to_pylist()))
    words = ["--hyp-field", "mt", "--ref-field", references, "-m", "chrf", "-q"]
    expected = run(capsys, "rows.jsonl", *words)[1].replace("rows.jsonl", "a.parquet and the 1 file after it")
    assert expected == run(capsys, "a.parquet", "b.parquet", *words)[1]
    if references == "ref":
        assert ("" == expected) == (kind == "fine")


def test_texts_that_are_missing_are_not_doubtful(capsys: pytest.CaptureFixture[str]) -> None:
    texts = [f"line {at} of these" if at % 3 else None for at in range(90)]
    pq.write_table(pa.table({"mt": texts, "ref": [f"line {at} of those" for at in range(90)]}), "gaps.parquet")
    assert "doubt" not in run(capsys, "gaps.parquet", *FIELDS, "--nulls", "skip")[1]
    assert "empty" not in run(capsys, "gaps.parquet", *FIELDS, "--nulls", "empty")[1]


def test_the_bar_ends_full_after_a_run_that_goes_on(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [*FIELDS, "--totals-out", "t", "--resume"]
    run(capsys, "part-00.parquet", *words)
    told: list[tuple[int, int]] = []
    monkeypatch.setattr(Progress, "hear", lambda self, done, total: told.append((done, total)) if total > 1 else None)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    run(capsys, "part-*.parquet", *words)
    assert ((50, 150), (150, 150)) == (told[0], told[-1])
