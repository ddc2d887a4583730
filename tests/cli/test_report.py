"""`truebleu report`, as typed."""

import json
import re
from pathlib import Path

import pytest

from truebleu.cli.main import main

DEMO = ["report", "-t", "demo", "-l", "en-de", "-i", "atlas", "birch", "cedar"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    texts = {
        "ref.txt": "the cat sat on the mat\na dog ran over the hill\nrain fell all night long\nshe read it all twice\n",
        "runs/base.txt": "the cat sat on a mat\na dog ran on the hill\nrain fell all night\nshe read a letter twice\n",
        "runs/new.txt": "the cat sat on the mat\na dog ran over a hill\nrain fell all night long\nshe read it twice\n",
        "src.txt": "eins\nzwei\ndrei\nvier\n",
        "topics.txt": "pets\npets\nrest\nrest\n",
        "short.txt": "pets\n",
    }
    (tmp_path / "runs").mkdir()
    for name, text in texts.items():
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


FILES = ["report", "ref.txt", "-i", "runs/base.txt", "runs/new.txt"]


def test_a_report_is_written_and_told_of(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == main([*FILES, "--src", "src.txt", "--labels", "topic=topics.txt"])
    assert re.search(
        r"^truebleu report: wrote report.html: 2 systems, 4 segments, 0\.\d MB$", capsys.readouterr().err, re.M
    )
    page = (folder / "report.html").read_text("utf-8")
    for shown in ("By <bdi>topic</bdi>", "eins", "<bdi>base</bdi>", "--labels topic=topics.txt", ">base.txt<"):
        assert shown in page
    assert str(folder) not in page and "runs/" not in page


def test_the_same_command_writes_the_same_bytes(folder: Path) -> None:
    for _ in range(2):
        assert 0 == main([*FILES, "-q"])
        (folder / "report.html").rename(folder / f"{len(list(folder.glob('*.html')))}.html")
    first, second = sorted(folder.glob("*.html"))
    assert first.read_bytes() == second.read_bytes()


def test_a_report_goes_to_standard_output(folder: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert 0 == main([*FILES, "-q"])
    assert 0 == main([*FILES, "-q", "-o", "-"])
    written = capfdbinary.readouterr().out
    assert written.startswith(b"<!doctype html>") and written.endswith(b"</html>")
    # All but the command is the same.
    page = (folder / "report.html").read_bytes()
    assert page == written.replace(b" -o -</code>", b"</code>")


def test_names_title_baseline_and_date_are_shown(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["--names", "Old,New", "--baseline", "Old", "--title", "My test", "--date", "2030-01-31", "--theme", "dark"]
    assert 0 == main([*FILES, "-q", *words])
    page = (folder / "report.html").read_text("utf-8")
    for shown in ("<title>My test</title>", "2030-01-31", 'data-theme="dark"', "difference to <bdi>Old</bdi>"):
        assert shown in page
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert 0 == main([*FILES, "-q"])
    assert "1970-01-02" in (folder / "report.html").read_text("utf-8")


def test_only_shows_the_numbers_of_the_files(folder: Path) -> None:
    assert 0 == main([*FILES, "-q", "--only", "2,4", "--json", "r.json"])
    page, facts = (folder / "report.html").read_text("utf-8"), json.loads((folder / "r.json").read_text("utf-8"))
    assert {"2", "4"} == set(re.findall(r"Segment (\d)</strong>", page))
    assert 2 == facts["n_segments"] and "only:2-" in facts["metrics"][0]["signature"]


def test_anonymous_leaves_no_name_path_or_hash_of_a_system(folder: Path) -> None:
    assert 0 == main([*FILES, "-q", "--anonymous", "--json", "r.json"])
    open_page = [*FILES, "-q", "-o", "open.html", "--json", "open.json"]
    assert 0 == main(open_page)
    hashes = [
        one["sha256"]
        for one in json.loads(Path("open.json").read_text())["provenance"]["inputs"]
        if one["kind"] == "systems"
    ]
    for name in ("report.html", "r.json"):
        text = (folder / name).read_text("utf-8")
        assert "System A" in text and not re.search(r"base\.txt|new\.txt|runs/", text)
        assert not [one for one in hashes if one[:16] in text]


def test_no_text_leaves_no_segment(folder: Path) -> None:
    assert 0 == main([*FILES, "-q", "--no-text", "--src", "src.txt", "--json", "r.json"])
    for name in ("report.html", "r.json"):
        assert not re.search("cat sat|letter twice|rain fell|eins", (folder / name).read_text("utf-8"))


def test_external_scores_join_the_metrics(folder: Path) -> None:
    Path("a.comet").write_text("0.81\n0.72\n0.9\n0.5\n")
    Path("b.comet").write_text("0.83\n0.74\n0.95\n0.6\n")
    assert 0 == main([*FILES, "-q", "--external", "COMET=a.comet,b.comet", "--json", "r.json"])
    facts = json.loads((folder / "r.json").read_text("utf-8"))
    assert ["BLEU", "CHRF", "COMET"] == [one["key"] for one in facts["metrics"]]
    assert "--external COMET=a.comet,b.comet" in (folder / "report.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "message", "code"),
    [
        (["--labels", "topic=short.txt"], r"short.txt has 1 line, the systems have 4 segments", 1),
        (["--labels", "topic"], r"--labels is 'topic', expected NAME=FILE, or a field of the test set", 2),
        (["--baseline", "nobody"], r"baseline is 'nobody', expected one of 'base', 'new'", 2),
        (["--names", "x,x"], r"two systems are called 'x'", 2),
        (["--names", "x"], r"--names has 1 names, and there are 2 systems", 2),
        (["--src", "short.txt"], r"short.txt has 1 lines, the systems have 4 segments", 1),
        (["-o", "runs"], r"runs is a folder", 1),
        (["-o", "ref.txt"], r"ref.txt is one of the files to be read", 1),
        (["--json", "ref.txt"], r"ref.txt is one of the files to be read", 1),
        (["-o", "ref.txt/x.html"], r"ref.txt is not a folder", 1),
        (["--date", "soon"], r"--date is 'soon', expected a date as in 2030-01-31", 2),
        (["--anonymous", "--names", "a,b"], r"choose one", 2),
        (["--alpha", "2"], r"alpha is 2.0, expected a number between 0 and 1", 2),
        (["--trials", "0"], r"n_samples is 0", 2),
    ],
)
def test_mistakes_are_told_before_any_counting(
    words: list[str], message: str, code: int, folder: Path,
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("texts were counted")

    monkeypatch.setattr("truebleu.metrics.base.Metric.stats", refuse)
    before = sorted(folder.rglob("*"))
    assert code == main([*FILES, *words])
    assert re.search(message, capsys.readouterr().err)
    assert before == sorted(folder.rglob("*"))


@pytest.mark.usefixtures("folder")
def test_a_terminal_gets_no_page(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert 2 == main([*FILES, "-o", "-"])
    assert "standard output is a terminal" in capsys.readouterr().err


def test_a_test_set_brings_sources_labels_and_title(tmp_path: Path) -> None:
    assert 0 == main([*DEMO, "-q", "-m", "bleu", "-o", str(tmp_path / "r.html"), "--json", str(tmp_path / "r.json")])
    facts = json.loads((tmp_path / "r.json").read_text("utf-8"))
    assert ("demo en-de", "de") == (facts["title"], facts["language"])
    assert ["domain", "docid"] == list(facts["labels"])
    assert "sources" == facts["provenance"]["inputs"][-1]["kind"]
    page = (tmp_path / "r.html").read_text("utf-8")
    for shown in (
        "papineni-etal-2002-bleu",
        "holm-1979-simple",
        "koehn-2004-statistical",
        "no citation is known for demo",
    ):
        assert shown in page
