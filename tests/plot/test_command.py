"""`truebleu plot` refuses what cannot be drawn, and leaves no file behind."""

from pathlib import Path

import pytest

from truebleu import Study
from truebleu.cli.main import main

DEMO = "-t demo -l en-de -i"


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (f"pie {DEMO} atlas birch -o x.pdf", 2, "invalid choice: 'pie'"),
        (f"ranking {DEMO} atlas birch -o x.gif", 2, "expected a name in .pdf, .svg, .png"),
        (f"ranking {DEMO} atlas birch -o x.pdf --size acl9", 2, "size is 'acl9'"),
        (f"pairs {DEMO} atlas -o x.pdf", 1, "there is only 'atlas'"),
        (f"ranking {DEMO} atlas birch -m bleu ter -o x.pdf", 2, "a figure shows one metric, and --metrics and"),
        (f"ranking {DEMO} atlas birch --labels domain -o x.pdf", 2, "--labels goes with groups"),
        (f"groups {DEMO} atlas birch --labels topic -o x.pdf", 2, "--labels is 'topic', expected NAME=FILE"),
        (f"ranking {DEMO} atlas birch --names a -o x.pdf", 2, "--names has 1 name, expected one for each of 2"),
        (f"ranking {DEMO} atlas birch --baseline oak -o x.pdf", 2, "baseline is 'oak'"),
    ],
)
def test_mistakes_are_told(
    words: str, code: int, message: str,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert code == main(["plot", *words.split()])
    assert message in capsys.readouterr().err and [] == list(tmp_path.iterdir())


def test_a_figure_is_written_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert 0 == main(["plot", "ecdf", *DEMO.split(), "atlas", "birch", "-o", "out/x.svg", "--mkdir"])
    assert "truebleu plot: wrote out/x.svg: ecdf of 2 systems, 240 segments\n" == capsys.readouterr().err
    assert (tmp_path / "out" / "x.svg").read_bytes().startswith(b"<?xml")


def test_a_figure_takes_what_a_report_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, score in (("a", "0.5"), ("b", "0.4")):
        Path(name).write_text(f"{score}\n" * 240)
    seen = []

    def save(study: Study, kind: str, path: str, **options: object) -> None:
        seen.append((study, options["labels"]))

    monkeypatch.setattr("truebleu.study.plot.figure.save", save)
    words = f"{DEMO} atlas birch -o x.pdf -q".split()
    assert 0 == main(["plot", "ranking", *words, "--external", "COMET=a,b", "--alpha", "0.2", "--correction", "bh"])
    assert 0 == main(["plot", "groups", *words, "--only", "1-40", "--docids", "docid", "--labels", "domain"])
    assert 0 == main(["plot", "groups", *words, "--labels", "length", "--runs", "2", "--correction", "none"])
    (external, _), (some, labels), (runs, by_length) = seen
    assert ["COMET"] == list(external.inputs.metrics)
    assert (0.2, "bh") == (external.alpha, external.correction)
    assert (40, "domain") == (some.inputs.n, labels) and some.inputs.documents is not None
    assert (2, None, "length") == (runs.inputs.n_runs, runs.correction, by_length)
    assert 2 == main(["plot", "ranking", *words, "--external", "COMET=a,b", "-m", "bleu"])
