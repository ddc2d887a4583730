"""A metric is one file and one line: registered, it works everywhere without anybody knowing its name."""

import json
from pathlib import Path
from typing import Any

import pytest

import truebleu
from dialects.test_torch import torch  # noqa: F401
from truebleu.accumulator import Accumulator
from truebleu.cli.main import COMMANDS, load, main
from truebleu.metrics import METRICS
from truebleu.significance import breakdown, compare
from word_overlap import WordOverlap

REFERENCES = ["the ferry sailed at noon", "nobody saw the heron", "it rained all day"]
BASE = ["the ferry left at noon", "no one saw a heron", "It rained"]
NEW = ["the ferry sailed at noon", "nobody saw a heron", "it rained all day"]


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(METRICS, "OVERLAP", WordOverlap)
    monkeypatch.chdir(tmp_path)
    for name, lines in (("ref", REFERENCES), ("base", BASE), ("new", NEW)):
        Path(name).write_text("".join(f"{line}\n" for line in lines), "utf-8")


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    code = main(words)
    out, err = capsys.readouterr()
    assert 0 == code, err
    return out


def test_the_command_scores_with_its_flags(capsys: pytest.CaptureFixture[str]) -> None:
    expected = WordOverlap(2, lowercase=True).corpus_score(BASE, [REFERENCES])
    words = ("ref", "-i", "base", "-m", "overlap", "--overlap-length", "2", "--overlap-lowercase", "-f", "json")
    found = json.loads(printed(capsys, *words))
    assert (expected.score, str(expected.signature)) == (found["score"], found["signature"])
    assert "words:2" in found["signature"]


def test_it_stands_beside_others_in_a_table_and_a_sentence_level(capsys: pytest.CaptureFixture[str]) -> None:
    assert "Overlap" in printed(capsys, "ref", "-i", "base", "new", "-m", "bleu", "overlap")
    assert 3 == printed(capsys, "ref", "-i", "base", "-m", "overlap", "-sl").count("Overlap|")


def test_help_shows_its_flags(capsys: pytest.CaptureFixture[str]) -> None:
    assert "--overlap-length" in printed(capsys, "--help")
    assert "--overlap-length" in printed(capsys, "sign-test", "--help")


@pytest.mark.parametrize("short", [False, True])
def test_its_signature_is_read_back(short: bool, capsys: pytest.CaptureFixture[str]) -> None:
    signature = WordOverlap(2, lowercase=True).corpus_score(BASE, [REFERENCES]).signature
    assert signature is not None
    text = f"Overlap|{signature.format(short)}"
    assert "WordOverlap(length=2, lowercase=True)" == repr(truebleu.metric_from_signature(text))
    found = json.loads(printed(capsys, "ref", "-i", "base", "--like", text, "-f", "json"))
    assert str(signature) == found["signature"]


def test_the_sign_test_knows_it(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("sign-test", "-r", "ref", "-b", "base", "-t", "new", "-m", "overlap", "--no-files", "--json", "-c")
    found = json.loads(printed(capsys, *words))
    assert ("Overlap", 3, 0) == (found["metric"], found["f_plus"], found["f_minus"])


def test_self_scores_know_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "self-bleu", "base", "-m", "overlap").startswith("self-Overlap|nrefs:2|")


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_every_command_knows_it(name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """What a command is called with is its own word; where that names no metric, the command has none to choose."""
    monkeypatch.setenv("TRUEBLEU_CACHE", "cache")
    words = load(name).example.split()
    if "TOTALS" in words:
        arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        parquet.write_table(arrow.table({"mt": BASE, "ref": REFERENCES}), "t.parquet")
        kept = "t.parquet --hyp-field mt --ref-field ref -m overlap --totals-out totals"
        assert "Overlap|" in printed(capsys, *kept.split())
    Path("marked").write_text("".join(f"{line} &amp; more\n" for line in BASE), "utf-8")  # for the doctor
    Path("COMET.seg.score").write_text("".join(f"{one}\t0.{at}\n" for one in "abc" for at in range(2, 9)), "utf-8")
    files = {"REF": "ref", "SYS": "marked", "OTHER": "new", "METRIC": "overlap", "TOTALS": "totals"}
    files["SCORES"] = "COMET.seg.score"
    before = {path.name for path in Path().iterdir()}
    out = printed(capsys, *name.split(), *(files.get(word, word) for word in words))
    made = "".join(path.read_text("utf-8") for path in Path().iterdir() if path.is_file() and path.name not in before)
    assert words and ("overlap" in (out + made).lower()) == bool({"METRIC", "TOTALS"} & set(words))


@pytest.mark.parametrize("test", ["ar", "bs", "bs2", "sign"])
def test_paired_tests_know_it(test: str, capsys: pytest.CaptureFixture[str]) -> None:
    report = compare({"base": BASE, "new": NEW}, WordOverlap(), [REFERENCES], test=test)
    assert "Overlap" == report.metrics[0].name
    assert f"{test}:" in str(report.metrics[0].signature)
    assert "Overlap" in printed(capsys, "ref", "-i", "base", "new", "-m", "overlap", "--paired", test)


def test_breakdowns_know_it(capsys: pytest.CaptureFixture[str]) -> None:
    metric = WordOverlap()
    labels = ["sea", "land", "land"]
    found = breakdown(metric, metric.stats(NEW, [REFERENCES]), labels)
    assert [("sea", 1, 100.0), ("land", 2, 87.5)] == [(one.label, one.n_segments, one.score) for one in found]
    Path("labels").write_text("sea\nland\nland\n", "utf-8")
    assert "87.5" in printed(capsys, "ref", "-i", "new", "-m", "overlap", "--breakdown", "labels")


def test_accumulators_know_it() -> None:
    total = Accumulator(WordOverlap())
    for hypothesis, reference in zip(BASE, REFERENCES, strict=True):
        total.update([hypothesis], [reference])
    assert WordOverlap().corpus_score(BASE, [REFERENCES]).score == total.compute().score


def test_torch_knows_it(torch: Any) -> None:  # noqa: F811
    metric = torch.OVERLAP(length=2)
    metric.update(BASE, REFERENCES)
    assert WordOverlap(2).corpus_score(BASE, [REFERENCES]).score == float(metric.compute())


def test_what_it_says_of_itself_is_on_the_page_and_in_the_template(capsys: pytest.CaptureFixture[str]) -> None:
    printed(capsys, "report", "ref", "-i", "base", "new", "-m", "overlap", "-o", "page.html")
    page = Path("page.html").read_text("utf-8")
    assert '"kind":"gleu"' in page and "papineni-etal-2002-bleu" in page
    said = printed(capsys, "ref", "-i", "base", "-m", "overlap", "--report")
    assert "Metric: Overlap (corpus-level)\n" in said and "(the numbers of the paper on overlap)\n" in said


def test_evaluate_has_no_module_for_it(capsys: pytest.CaptureFixture[str]) -> None:
    printed(capsys, "ref", "-i", "base", "-m", "overlap", "--receipt", "base.receipt.json")
    assert 2 == main(("receipt", "export", "base.receipt.json", "--to", "evaluate"))
    out, err = capsys.readouterr()
    assert "" == out and "has scores of overlap, and evaluate has no module for them" in err
