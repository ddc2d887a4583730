"""`truebleu scores` from the shell."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from truebleu.cli.main import main

Files = dict[str, str]


def segments(systems: str = "abc", documents: int = 12, size: int = 3, seed: int = 1, missing: str = "") -> str:
    """A file of mt-metrics-eval, in which the last system is worse."""
    random = np.random.default_rng(seed)
    values = random.normal(-3, 2, (len(systems), documents * size)).clip(max=0)
    values[-1] -= 2
    lines = []
    for name, row in zip(systems, values, strict=True):
        lines += [f"{name}\t{'None' if name in missing and at % 4 == 0 else round(x, 2)}" for at, x in enumerate(row)]
    return "\n".join(lines) + "\n"


DOCS = "".join(f"news\td{at // 3}\n" for at in range(36))


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    texts = {"en-de.mqm.seg.score": segments(), "docs": DOCS, "COMET-refA.seg.score": segments("abcd", seed=2)}
    for name, text in texts.items():
        Path(name).write_text(text, "utf-8")
    return tmp_path


MQM = "en-de.mqm.seg.score"


def run(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> tuple[str, str]:
    found = main(["scores", *words])
    out, err = capsys.readouterr()
    assert code == found, err
    return out, err


def refused(capsys: pytest.CaptureFixture[str], *words: str, code: int = 1) -> str:
    out, err = run(capsys, *words, code=code)
    assert not out
    return err


def test_the_answer_has_means_intervals_ranks_and_clusters(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, MQM, "--documents", "docs")
    lines = out.splitlines()
    assert "MQM (people, higher is better; 36 segments have scores)" == lines[0]
    assert lines[1].startswith("documents 12, 3.0 segments each, ICC 0.") and lines[1].endswith(
        ": documents are drawn whole"
    )
    assert ["rank", "system", "mean", "95", "%", "n", "beats"] == lines[2].split()
    assert "c" == lines[5].split()[1]
    (clusters,) = (line for line in lines if line.startswith("clusters"))
    assert clusters.startswith("clusters after Holm (3 pairs, ") and clusters.endswith("| c")
    assert "docs:12" in lines[-1]


def test_json_has_a_schema_and_everything(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(run(capsys, MQM, "--documents", "docs", "-f", "json")[0])
    assert (1, 12, ["a", "b", "c"]) == (found["schema"], found["n_documents"], found["systems"])
    column, metric = found["columns"][0], found["metrics"][0]
    assert ("MQM", "human", "higher", 36) == tuple(column[key] for key in ("metric", "kind", "direction", "items"))
    assert 1 <= column["clustering"]["design_effect"]
    pair = metric["pairs"][0]
    assert (36, "document", 12) == (pair["n"], pair["unit"], pair["n_units"])
    assert "c" == metric["clusters"][-1][0]


@pytest.mark.parametrize(
    ("kind", "mark"), [("latex", r"\toprule"), ("markdown", "|"), ("csv", ","), ("html", "<table>")]
)
def test_tables_come_in_the_formats_of_reports(kind: str, mark: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert mark in run(capsys, MQM, "--documents", "docs", "-f", kind)[0]


def test_a_page_is_written_too(capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, MQM, "--documents", "docs", "--report", "page.html")
    assert "<!doctype html>" in Path("page.html").read_text("utf-8").lower()


def test_people_come_first_and_say_which_systems(capsys: pytest.CaptureFixture[str]) -> None:
    out, err = run(
        capsys, "COMET-refA.seg.score", "--human", MQM, "--documents", "docs", "--higher-is-better", "COMET-refA"
    )
    assert out.index("MQM (people") < out.index("COMET-refA (higher")
    assert "COMET-refA also has scores of d, which MQM has not: left out" in err


def test_a_column_that_lacks_a_system_is_refused_with_both_sides(capsys: pytest.CaptureFixture[str]) -> None:
    err = refused(capsys, MQM, "--human", "COMET-refA.seg.score")
    assert "MQM has no scores of d, which COMET-refA has; MQM has a, b, c" in err


def test_segments_are_drawn_with_a_warning_where_documents_are_not_known(capsys: pytest.CaptureFixture[str]) -> None:
    out, err = run(capsys, MQM)
    assert 1 == err.count("(S104)") == err.count("documents of segments are not known") and "docs:" not in out
    out, err = run(capsys, MQM, "--documents", "docs", "--unit", "segment")
    assert "(S104)" not in err and "times what it seems" in out


def test_people_and_a_metric_on_other_segments_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    gaps = "".join(f"{name}\t{'None' if at >= 24 else -at % 5}\n" for name in "abc" for at in range(36))
    Path(MQM).write_text(gaps.replace("\t", "\t-").replace("-None", "None"), "utf-8")
    _, err = run(capsys, "COMET-refA.seg.score", "--human", MQM, "--documents", "docs")
    assert "MQM: 24 segments, COMET-refA: 36 segments" in err


def test_one_system_has_means_with_intervals_and_no_test(capsys: pytest.CaptureFixture[str]) -> None:
    words = [MQM, "--documents", "docs", "--exclude", "b", "c"]
    both = json.loads(run(capsys, MQM, "--documents", "docs", "-f", "json")[0])["metrics"][0]
    found = json.loads(run(capsys, *words, "-f", "json")[0])
    (metric,) = found["metrics"]
    (system,) = metric["systems"]
    wanted = next(one for one in both["systems"] if one["name"] == "a")
    assert (["a"], [], "document", 36) == (found["systems"], metric["pairs"], metric["unit"], system["n"])
    assert wanted["score"] == pytest.approx(system["score"]) and "|bs:1000|seed:12345|docs:12|" in metric["signature"]
    # The same documents are drawn with the same seed.
    assert (wanted["mean"], wanted["half_width"]) == pytest.approx((system["mean"], system["half_width"]))
    out, _ = run(capsys, *words)
    assert out.startswith("MQM (people, higher is better; 36 segments have scores)\n  a  -") and "]  n = 36\n" in out
    assert out.endswith("One system alone has nothing to be tested against.\n") and "beats" not in out
    assert "docs:" not in run(capsys, *words, "--unit", "segment")[0]
    assert "a | -2.95" in run(capsys, *words, "-f", "markdown")[0]
    assert "-f wmt-latex shows a test, and there is one system, a" in refused(capsys, *words, "-f", "wmt-latex", code=2)
    assert "--report shows a test" in refused(capsys, *words, "--report", "x.html", code=2)


def test_one_system_needs_no_direction_and_may_lack_scores(capsys: pytest.CaptureFixture[str]) -> None:
    Path("mine.seg.score").write_text("".join(f"a\t{'None' if at % 2 else at}\n" for at in range(80)), "utf-8")
    out, _ = run(capsys, "mine.seg.score")
    assert out.startswith("mine (direction unknown; 40 of 80 segments have scores)\n  a  39.0") and "[" in out
    Path("mine.seg.score").write_text("".join(f"a\t{'None' if at % 4 else at}\n" for at in range(80)), "utf-8")
    assert "[" not in run(capsys, "mine.seg.score")[0]  # of 20 scores among missing ones there is no interval


def test_missing_scores_are_tested_pair_by_pair(capsys: pytest.CaptureFixture[str]) -> None:
    Path(MQM).write_text(segments(missing="b"), "utf-8")
    out, _ = run(capsys, MQM, "--documents", "docs")
    assert "adjusted" in out and "missing:pairs" in out
    assert "MQM: scores are missing. Each pair was tested on the segments that both have: 27 to 36." in out
    out, _ = run(capsys, MQM, "--documents", "docs", "--missing", "fit", "--assignment", "random")
    assert "missing:fit" in out


def test_scores_of_whole_systems_are_shown_and_not_tested(capsys: pytest.CaptureFixture[str]) -> None:
    Path("COMET-refA.sys.score").write_text("a 0.75\nb 0.5\n", "utf-8")
    out, _ = run(capsys, "COMET-refA.sys.score")
    assert "COMET-refA of each system: one number has no chance in it, so that it is not tested\n  a  0.7500\n" in out
    found = json.loads(run(capsys, "COMET-refA.sys.score", "-f", "json")[0])
    assert {"schema": 1, "system_scores": {"COMET-refA": {"a": 0.75, "b": 0.5}}} == found
    assert "scores of whole systems are not tested" in refused(capsys, "COMET-refA.sys.score", "-f", "latex", code=2)


def test_files_of_one_system_each_are_put_together(capsys: pytest.CaptureFixture[str]) -> None:
    random = np.random.default_rng(4)
    for name in "ab":
        lines = [json.dumps({"prediction": round(x, 3)}) for x in random.uniform(1, 9, 40)]
        Path(f"{name}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    out, _ = run(capsys, "a.jsonl", "b.jsonl")
    assert "MetricX (lower is better; 40 segments have scores)" in out and "dir:low" in out
    Path("other").mkdir()
    Path("other/a.jsonl").write_bytes(Path("b.jsonl").read_bytes())
    err = refused(capsys, "a.jsonl", "other/a.jsonl")
    assert "other/a.jsonl: MetricX of the system 'a' is in a.jsonl, too; expected one file for each" in err


def ratings(systems: str = "ABC", users: str = "uvwxy") -> str:
    random = np.random.default_rng(8)
    rows = ["system,segment,document,rater,metric,score"]
    for document in range(10):
        for user in users:
            rows += [
                f"{name},{document}-{at},d{document},ann-{user},ESA,{random.integers(20, 90) - 15 * (name == 'C')}"
                for at in range(2)
                for name in systems
            ]
    return "\n".join(rows) + "\n"


def test_raters_have_numbers_unless_their_names_are_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    Path("esa.csv").write_text(ratings(), "utf-8")
    for words in (
        ["esa.csv"],
        ["esa.csv", "-f", "json"],
        ["esa.csv", "--raters", "random"],
        ["esa.csv", "--z", "raters"],
    ):
        out, err = run(capsys, *words)
        assert "ann-" not in out + err and "r5" in out
    assert "ann-u" in run(capsys, "esa.csv", "--with-raters")[0]


# Bad input.


@pytest.mark.parametrize(
    ("files", "words", "code", "message"),
    [
        ({}, [], 2, "expected files of scores, or --human with one of people"),
        ({"x.csv": "system,segment,metric,score\na,1,foo,1\nb,1,foo,2\na,2,foo,3\nb,2,foo,2\n"}, ["x.csv"], 2,
         "the direction of foo is unknown, and without it there is no ranking: give --higher-is-better foo or --lower"),
        ({"MetricX.seg.score": "a 0.5\na 18.2\nb 3\nb 4\n"}, ["MetricX.seg.score", "--higher-is-better", "MetricX"], 2,
         "MetricX is lower-is-better (0 to 25); these are 0.5 to 18.2"),
        ({"MetricX.seg.score": "a -9\na 3\nb 3\nb 4\n"}, ["MetricX.seg.score"], 2,
         "MetricX: some scores are above zero and some below it, -9 to 4, expected one sign"),
        ({"COMET.seg.score": "a 1\na 2\nb None\nb None\n"}, ["COMET.seg.score"], 1,
         "COMET: the system 'b' has no score, all of its 2 are missing"),
        ({"a.txt": "1\n2\n", "b.txt": "1\n2\n3\n"}, ["a.txt", "b.txt", "--metric", "COMET"], 1,
         "COMET has 2 segments, COMET has 3; without names of segments their numbers must be equal"),
        ({"x.csv": "system,segment,metric,score\na,s1,ESA,1\na,s2,ESA,2\n",
          "y.csv": "system,segment,metric,score\nb,s1,ESA,1\nb,s3,ESA,2\n"}, ["x.csv", "y.csv"], 1,
         "y.csv: 2 items are in some files only (s2, s3); with --missing pairs the rest is compared"),
        ({"x.csv": "system,segment,metric,score\na,s1,ESA,1\na,s1,ESA,2\n"}, ["x.csv"], 1,
         "x.csv: ESA: the system 'a' has two scores for the item 's1' (1 such), expected one"),
        ({"x.csv": "system,segment,metric,score\nnan,s1,ESA,1\na,s1,ESA,2\n"}, ["x.csv"], 1,
         "a system is called 'nan', expected a name that can be shown"),
        ({}, [MQM, "--documents", "docs", "--exclude", "z"], 2, "there is no system 'z' to be left out, only a, b, c"),
        ({"few": "d\nd\n"}, [MQM, "--documents", "few"], 1, "in documents there are 2 labels and 36 segments"),
        ({"one": "d\n" * 36}, [MQM, "--documents", "one", "--unit", "document"], 1, "there is 1 document, and"),
        ({}, [MQM, "--documents", "nowhere"], 1, "nowhere: there is no such file"),
        ({}, [MQM, "--lower-is-better", "ESA"], 2, "a direction is given for ESA, and the scores are MQM"),
        ({}, [MQM, "--width", "-1"], 2, "--width is -1, expected a whole number from 0 to 20"),
        ({}, [MQM, "--trials", "0"], 2, "n_samples is 0, expected a whole number from 1"),
        ({}, ["nowhere"], 1, "nowhere: there is no such file"),
        ({}, [MQM, "--scores-format", "mtm"], 2, "format is 'mtm', expected one of"),
        ({}, [MQM, "--assignment", "random"], 2, "--assignment is about --missing fit"),
        ({}, [MQM, "--documents", "docs", "--raters", "random"], 1, "is about several raters, and there are 0 raters"),
        ({"x.csv": "system,segment,metric,score\na,s1,ESA,1\nb,s1,ESA,2\n"}, ["x.csv", "--documents", "docs"], 2,
         "these scores name their segments (s1); put a column document into the scores"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(
    files: Files, words: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in files.items():
        Path(name).write_text(text, "utf-8")
    assert message in refused(capsys, *words, code=code)


def test_names_that_look_alike_are_doubted(capsys: pytest.CaptureFixture[str]) -> None:
    Path(MQM).write_text(segments("aAb"), "utf-8")
    assert "the systems a and A have nearly the same name: are they one?" in run(capsys, MQM, "--documents", "docs")[1]


def test_models_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    comet = {
        f"out/{name}.txt": [{"COMET": at % 7 / 10 + by} for at in range(40)] for name, by in (("a", 0), ("b", 0.1))
    }
    Path("comet.json").write_text(json.dumps(comet), "utf-8")
    _, err = run(capsys, "comet.json")
    assert "the files of COMET do not name its model; --model COMET=MODEL does" in err
    out, err = run(capsys, "comet.json", "--model", "COMET=Unbabel/wmt22-comet-da@2760a223ac957f30acfb18")
    assert "do not name its model" not in err
    assert "COMET|external:COMET|model:Unbabel/wmt22-comet-da|rev:2760a223ac95|prec:fp16|" in out
    for bad in ("COMET", "COMET=", "COMET=x@", "BLEURT=x"):
        assert "expected NAME=MODEL or NAME=MODEL@REVISION, with a name of COMET" in refused(
            capsys, "comet.json", "--model", bad, code=2
        )


def test_links_in_a_circle_and_bombs_are_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("loop.seg.score").symlink_to("loop.seg.score")
    assert "loop.seg.score" in refused(capsys, "loop.seg.score")
    monkeypatch.setattr("truebleu._textio._LONGEST", 1 << 24)
    Path("bomb.seg.score.gz").write_bytes(gzip.compress(bytes(1 << 26)))
    assert "bomb.seg.score.gz" in refused(capsys, "bomb.seg.score.gz")


def test_missing_scores_of_plain_files_are_allowed_by_a_flag(capsys: pytest.CaptureFixture[str]) -> None:
    random = np.random.default_rng(6)
    for name in "ab":
        lines = [f"{x:.3f}" for x in random.uniform(0, 1, 40)]
        Path(f"{name}.txt").write_text("\n".join([*lines, "", "0.5"]) + "\n", "utf-8")
    words = ["a.txt", "b.txt", "--metric", "COMET"]
    assert "a.txt, line 41: the score is '', expected a number; if scores may be missing" in refused(capsys, *words)
    assert "41 of 42 segments have scores" in run(capsys, *words, "--missing", "pairs")[0]
