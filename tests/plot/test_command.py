"""`truebleu plot` refuses what cannot be drawn, and leaves no file behind."""

from pathlib import Path

import pytest

from truebleu.cli.main import main

DEMO = "-t demo -l en-de -i"


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (f"pie {DEMO} atlas birch -o x.pdf", 2, "invalid choice: 'pie'"),
        (f"ranking {DEMO} atlas birch -o x.gif", 2, "expected a name in .pdf, .svg, .png"),
        (f"ranking {DEMO} atlas birch -o x.pdf --size acl9", 2, "size is 'acl9'"),
        (f"pairs {DEMO} atlas -o x.pdf", 1, "there is only 'atlas'"),
        (f"ranking {DEMO} atlas birch -m bleu ter -o x.pdf", 2, "a figure shows one metric, and --metrics has 2"),
        (f"ranking {DEMO} atlas birch --labels domain -o x.pdf", 2, "--labels goes with groups"),
        (f"groups {DEMO} atlas birch --labels topic -o x.pdf", 2, "--labels is 'topic', which is no field"),
        (f"ranking {DEMO} atlas birch --names a -o x.pdf", 2, "--names has 1 names, expected one for each of 2"),
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
    assert 0 == main(["plot", "ecdf", *DEMO.split(), "atlas", "birch", "-o", "out/x.svg"])
    assert "truebleu plot: wrote out/x.svg: ecdf of 2 systems, 240 segments\n" == capsys.readouterr().err
    assert (tmp_path / "out" / "x.svg").read_bytes().startswith(b"<?xml")
