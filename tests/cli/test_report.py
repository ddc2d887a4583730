"""`truebleu report`, as typed."""

import json
import re
import zlib
from base64 import b64decode
from pathlib import Path

import pytest

from truebleu import demo
from truebleu.cli.main import main
from truebleu.cli.study import command_of

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


@pytest.mark.parametrize("epoch", ["253402300800", "9" * 30, "9" * 5000])
def test_a_date_beyond_all_dates_is_refused(
    epoch: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    assert 2 == main([*FILES, "-q"])
    assert "expected seconds from 1970 to the year 9999" in capsys.readouterr().err


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
    assert ["bleu", "chrf", "COMET"] == [one["key"] for one in facts["metrics"]]
    assert "--external COMET=a.comet,b.comet" in (folder / "report.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "message", "code"),
    [
        (["--labels", "topic=short.txt"], r"short.txt has 1 line, the systems have 4 segments", 1),
        (["--labels", "topic"], r"--labels is 'topic', expected NAME=FILE, or a field of the test set", 2),
        (["--baseline", "nobody"], r"baseline is 'nobody', expected one of 'base', 'new'", 2),
        (["--names", "x,x"], r"two systems are called 'x'", 2),
        (["--names", "x"], r"--names has 1 name, expected one for each of 2 systems", 2),
        (["--src", "short.txt"], r"short.txt has 1 line, the systems have 4 segments", 1),
        (["-o", "runs"], r"runs is a folder", 1),
        (["-o", "ref.txt"], r"ref.txt is one of the files to be read", 1),
        (["--json", "ref.txt"], r"ref.txt is one of the files to be read", 1),
        (["-o", "ref.txt/x.html"], r"ref.txt is not a folder", 1),
        (["--date", "soon"], r"--date is 'soon', expected a date as in 2030-01-31", 2),
        (["--against", "none.html"], r"none.html: there is no such file", 1),
        (["--against", "ref.txt"], r"ref.txt is not a report, or it was changed", 1),
        (["--against", "a.html", "b.html"], r"--against has several files, expected one report, or receipts", 2),
        (["--anonymous", "--names", "a,b"], r"choose one", 2),
        (["--alpha", "2"], r"truebleu report: --alpha is 2.0, expected a number between 0 and 1", 2),
        (["--trials", "0"], r"truebleu report: --trials is 0, expected a whole number from 1 to 10000000", 2),
        (["--runs", "3"], r"--runs is 3, and 2 files are not a whole number of systems", 1),
        (["--docids", "short.txt"], r"short.txt has 1 line, the systems have 4 segments", 1),
        (["--labels", "topic=none.txt"], r"none.txt", 1),
        (["--labels", "=topics.txt"], r"--labels is '=topics.txt', expected NAME=FILE", 2),
        (["--labels", "a=topics.txt", "--labels", "a=topics.txt"], r"--labels names 'a' twice", 2),
        (["--external", "X=short.txt,short.txt"], r"short.txt, line 1: the score is 'pets', expected a number", 1),
        (["--like", "BLEU|nrefs"], r"--like", 2),
        (["-o", "/proc/x.html"], r"/proc/x.html cannot be written: /proc does not accept files", 1),
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


def test_the_title_says_what_and_how_many_and_the_date_is_that_of_the_day(folder: Path) -> None:
    import datetime

    today = datetime.datetime.now().date().isoformat()
    cases = (
        ([*FILES, "-l", "en-de"], "en-de, 2 systems"),
        (FILES, "2 systems, 4 segments"),
        (DEMO, "demo en-de, 3 systems"),
    )
    for words, title in cases:
        assert 0 == main([*words, "-q", "-m", "bleu", "-o", "r.html"])
        page = (folder / "r.html").read_text("utf-8")
        assert f"<title>{title}</title>" in page and f'<time datetime="{today}">' in page
    assert 0 == main([*FILES, "-q", "-m", "bleu", "-o", "r.html", "--date", "none"])
    assert "<time" not in (folder / "r.html").read_text("utf-8")


def test_the_command_names_no_folder_no_address_and_no_key() -> None:
    words = [
        "home/me/ref.txt", "-i", "/home/me/a.txt", "b\\c.txt", "--labels", "topic=x/topics.txt",
        "--external=COMET=x/a,y/b", "--title", "A/B test", "--judge-url", "https://me:secret@host/v1",
        "--api-key-env=MY_KEY", "--key", "my.pem",
        "https://host/x", "-o", "-",
    ]  # fmt: skip
    assert (
        "truebleu report ref.txt -i a.txt c.txt --labels topic=topics.txt --external=COMET=a,b --title 'A/B test' "
        "--judge-url ... --api-key-env=... --key ... ... -o -"
    ) == command_of("truebleu report", words)


def test_a_report_is_held_against_receipts_too(folder: Path) -> None:
    assert 0 == main(["receipt", "make", "ref.txt", "-i", "runs/base.txt", "-m", "bleu", "-o", ".", "-q"])
    receipts = [str(path.name) for path in folder.glob("*.receipt.json")]
    assert 0 == main([*FILES, "-q", "-m", "bleu", "-o", "r.html", "--against", *receipts, "--json", "r.json"])
    changes = json.loads((folder / "r.json").read_text("utf-8"))["since"]["changes"]["bleu"]
    assert [("base", 0.0, 4)] == [(one["system"], one["delta"], one["same"]) for one in changes]


def test_a_test_set_brings_sources_labels_and_title(tmp_path: Path) -> None:
    assert 0 == main([*DEMO, "-q", "-m", "bleu", "-o", str(tmp_path / "r.html"), "--json", str(tmp_path / "r.json")])
    facts = json.loads((tmp_path / "r.json").read_text("utf-8"))
    assert ("demo en-de", "de") == (facts["title"], facts["language"])
    assert ["domain", "document"] == list(facts["labels"])
    assert "sources" == facts["provenance"]["inputs"][-1]["kind"]
    page = (tmp_path / "r.html").read_text("utf-8")
    for shown in (
        "papineni-etal-2002-bleu",
        "holm-1979-simple",
        "koehn-2004-statistical",
        "no citation is known for demo",
    ):
        assert shown in page


# The same page from the main command, and what the two share.


def without_command(page: bytes) -> bytes:
    found, times = re.subn(rb"<dt>Command</dt><dd><code>[^<]*</code></dd>", b"", page)
    assert times == 1
    return found


@pytest.mark.parametrize(
    ("main_words", "report_words"),
    [
        ([], ["--test", "none", "-m", "bleu"]),
        (["--paired-all"], ["-m", "bleu"]),
        (["--paired-all", "-m", "bleu", "chrf", "--only", "1-3"], ["--only", "1-3"]),
        (
            ["--paired-all", "--paired", "sign", "--correction", "none", "--only", "1-4"],
            ["--test", "sign", "--correction", "none", "--only", "1-4", "-m", "bleu"],
        ),
        (
            ["--paired-all", "--paired-n", "50", "--docids", "topics.txt"],
            ["--trials", "50", "--docids", "topics.txt", "-m", "bleu"],
        ),
    ],
)
@pytest.mark.usefixtures("folder")
def test_the_main_command_writes_the_same_page(
    main_words: list[str], report_words: list[str], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert 0 == main([*FILES, *report_words, "-q", "-o", "-"])
    expected = without_command(capfdbinary.readouterr().out)
    assert 0 == main([*FILES[1:], *main_words, "-q", "-f", "report"])
    assert expected == without_command(capfdbinary.readouterr().out)


@pytest.mark.parametrize(
    "words", [["--paired", "bs"], ["--confidence"], ["-sl"], ["--breakdown", "topics.txt"], ["--sensitivity"], ["-d"]]
)
@pytest.mark.usefixtures("folder")
def test_a_page_of_parts_is_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == main([*FILES[1:], "-f", "report", *words])
    assert re.search("-f report shows all systems, with --paired-all or without a test", capsys.readouterr().err)


@pytest.mark.usefixtures("folder")
def test_the_main_command_writes_no_page_to_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert 2 == main([*FILES[1:], "--paired-all", "-f", "report"])
    captured = capsys.readouterr()
    assert "standard output is a terminal" in captured.err and not captured.out


def test_a_signature_chooses_the_metric_of_a_report(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    like = "BLEU|nrefs:2|case:lc|eff:no|tok:intl|smooth:exp|version:2.3.1"
    assert 0 == main([*FILES, "--like", like, "--json", "r.json"])
    facts = json.loads((folder / "r.json").read_text("utf-8"))
    (metric,) = facts["metrics"]
    assert "case:lc|eff:no|tok:intl" in metric["signature"]
    assert "--like: the signature is of scores with nrefs:2, here there is 1 reference" in capsys.readouterr().err


def test_runs_of_a_system_are_put_together(folder: Path) -> None:
    files = ["runs/a.1.txt", "runs/a.2.txt", "runs/b.1.txt", "runs/b.2.txt"]
    for name, other in zip(files, ("base", "new", "new", "new"), strict=True):
        Path(name).write_bytes(Path(f"runs/{other}.txt").read_bytes())
    assert 0 == main(["report", "ref.txt", "-i", *files, "--runs", "2", "-q", "--json", "r.json"])
    facts = json.loads((folder / "r.json").read_text("utf-8"))
    assert (["a", "b"], 2) == (facts["systems"], facts["n_runs"])
    bleu = facts["metrics"][0]
    assert sum(bleu["run_scores"]["a"]) / 2 == bleu["scores"]["a"]["score"] < bleu["scores"]["b"]["score"]
    inputs = [(one["name"], one["file"]) for one in facts["provenance"]["inputs"] if one["kind"] == "systems"]
    assert [("a (run 1)", "a.1.txt"), ("a (run 2)", "a.2.txt"), ("b (run 1)", "b.1.txt")] == inputs[:3]


def test_an_empty_file_and_a_folder_that_nobody_may_write_to_leave_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("empty.txt").write_bytes(b"")
    assert 1 == main(["report", "ref.txt", "-i", "runs/base.txt", "empty.txt"])
    assert "empty.txt is empty" in capsys.readouterr().err
    assert 1 == main(["report", "ref.txt", "-i", "runs/base.txt", "runs/base.txt"])
    assert "runs/base.txt is given twice" in capsys.readouterr().err
    assert not list(folder.rglob("*.html")) + list(folder.rglob("*.part"))


def everything_in(page: bytes) -> str:
    """The text of a page, with what its blocks hold once they are unpacked."""
    blocks = re.findall(rb'<script type="application/octet-stream" id="[^"]*">([^<]*)</script>', page)
    assert blocks
    unpacked = (zlib.decompress(b64decode(block)).decode("utf-8", "replace") for block in blocks)
    return "\n".join([page.decode("utf-8"), *unpacked])


@pytest.mark.parametrize("words", [["--no-text"], ["--anonymous"], ["--no-text", "--anonymous"]])
def test_what_is_left_out_is_nowhere_in_the_bytes(words: list[str], tmp_path: Path) -> None:
    data = demo.load("en-de")
    folder = tmp_path / "secret-folder"
    folder.mkdir()
    texts = {"ref.txt": next(iter(data.references.values())), "src.txt": data.sources}
    texts |= {f"zyx-{name}.txt": [f"{text} <unk>" for text in output] for name, output in data.systems.items()}
    for name, lines in texts.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    systems = [str(folder / name) for name in texts if name.startswith("zyx")]
    out, numbers = tmp_path / "r.html", tmp_path / "r.json"
    inputs = ["report", str(folder / "ref.txt"), "-i", *systems, "--src", str(folder / "src.txt"), "--trials", "20"]
    assert 0 == main([*inputs, *words, "-q", "-o", str(out), "--json", str(numbers)])
    found = everything_in(out.read_bytes()) + numbers.read_text("utf-8")
    assert "secret-folder" not in found and str(tmp_path) not in found
    if "--anonymous" in words:
        assert "System A" in found and not re.search("zyx-|atlas.txt|birch.txt|cedar.txt", found)
    else:
        assert "zyx-atlas.txt" in found
    quoted = [line for lines in texts.values() for line in lines if len(line) > 20 and line in found]
    assert bool(quoted) == ("--no-text" not in words)
