"""No command makes a folder unless it is asked to, and a folder that is missing is told before any work."""

from pathlib import Path

import pytest

from truebleu.cli.main import main

WRITES = [
    "report ref.txt -i a.txt b.txt -o new/x.html", "report ref.txt -i a.txt b.txt -o x.html --json new/x.json",
    "plot ranking ref.txt -i a.txt b.txt --trials 20 -o new/x.svg", "resegment ref.txt -i a.txt -o new/x.txt",
    "receipt make ref.txt -i a.txt -o new/x.receipt.json", "ref.txt -i a.txt --receipt new/x.receipt.json",
    "doctor ref.txt -i a.txt --fail-on never --fix specials -o new/x.txt",
    "sign-test -r ref.txt -t a.txt -b b.txt -o new",
]  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {"ref": "a b c d e\nf g h i j\n", "a": "a b c d x\nf g h i j\n", "b": "a b c\nf g h i j\n"}
    for name, text in texts.items():
        (tmp_path / f"{name}.txt").write_text(text)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("line", WRITES)
def test_a_folder_is_made_only_on_request(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert 1 == main(line.split(" "))
    out, err = capsys.readouterr()
    assert "" == out and "new: there is no such folder; make it first, or say --mkdir\n" in err
    assert not Path("new").exists()
    deep = [word.replace("new", "outer/new") for word in line.split(" ")]
    assert 1 == main([*deep, "--mkdir"]) and not Path("outer").exists()
    assert "which makes one folder" in capsys.readouterr().err
    assert 0 == main([*line.split(" "), "--mkdir"]) and list(Path("new").iterdir())


def test_mkdir_needs_something_to_write(capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == main(["ref.txt", "-i", "a.txt", "--mkdir"])
    assert "--mkdir has no effect: it goes with a flag that names a file to be written" in capsys.readouterr().err


def test_the_demo_set_is_not_packed(capsys: pytest.CaptureFixture[str]) -> None:
    assert 1 == main(["data", "pack", "demo", "-o", "x.bundle"]) and not Path("x.bundle").exists()
    assert "demo is not packed: it comes with truebleu" in capsys.readouterr().err


def test_an_empty_cache_says_how_to_fill_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TRUEBLEU_CACHE", "SACREBLEU"):
        monkeypatch.setenv(name, "nowhere")
    assert 0 == main(["data", "list"])
    out = capsys.readouterr().out
    assert out.startswith("nothing is cached in ") and "'truebleu --download SET' fetches one" in out
