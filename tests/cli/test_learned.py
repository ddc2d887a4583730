"""Learned metrics on the command line, with a runner that has no model: its scores are a function of the texts."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.runners.doubles import double, model

from truebleu.cli.main import main
from truebleu.metrics import COMET as COMETMetric

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the double is a script of a shell")

SIZE = 40
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """A folder with texts, a model and a runner; tells how often the runner was started."""
    monkeypatch.chdir(tmp_path)
    for name in ("ref", "src", "a", "b"):
        Path(f"{name}.txt").write_text(
            "".join(f"{name} text {at} {zlib.crc32(b'%d' % at) % 7}\n" for at in range(SIZE))
        )
    model(tmp_path)
    monkeypatch.setenv("TRUEBLEU_RUNNER_NEURAL", str(double(tmp_path)))
    monkeypatch.setenv("TRUEBLEU_SCORES", str(tmp_path / "scores"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    monkeypatch.setenv("TRUEBLEU_CACHE", str(tmp_path / "cache"))
    file = tmp_path / "starts"
    return lambda: len(file.read_text().splitlines()) if file.exists() else 0


@pytest.fixture
def run(starts: Callable[[], int], capsys: pytest.CaptureFixture[str]) -> Run:
    def ran(*words: str) -> tuple[int, str, str]:
        code = main([*words])
        return code, *capsys.readouterr()

    return ran


BOTH = ("ref.txt", "--src", "src.txt", "-i", "a.txt", "b.txt")
COMET = "comet=./my-comet"


def value_of(name: str, at: int) -> float:
    """The score of a segment, as tests/runners/fake.py computes it: the texts in the order of their names."""
    lines = [Path(f"{one}.txt").read_text().splitlines()[at].strip() for one in (name, "ref", "src")]
    return zlib.crc32("\0".join(lines).encode()) / 2**32


def test_one_table_and_one_test_for_all_metrics(run: Run, starts: Callable[[], int]) -> None:
    code, out, _ = run(*BOTH, "-m", "bleu", COMET, "--paired-all", "-f", "json")
    assert 0 == code and 1 == starts()
    found = json.loads(out)
    assert ["BLEU", "COMET"] == [one["name"] for one in found["metrics"]]
    means = {name: sum(value_of(name, at) for at in range(SIZE)) / SIZE for name in ("a", "b")}
    scores = {one["name"].removesuffix(".txt"): one["score"] for one in found["metrics"][1]["systems"]}
    assert means == pytest.approx(scores, abs=1e-12)
    assert re.search(r"model:local/my-comet\|w:[0-9a-f]{12}\|in:src\+ref\|prec:fp32\|dev:cpu\|", str(found))


def test_a_second_run_starts_nothing(run: Run, starts: Callable[[], int]) -> None:
    first = run(*BOTH, "-m", COMET)[1]
    assert first == run(*BOTH, "-m", COMET)[1]
    assert 1 == starts()
    assert first == run(*BOTH, "-m", COMET, "--fresh")[1]
    assert 2 == starts()


def test_other_weights_are_another_model(run: Run, starts: Callable[[], int], tmp_path: Path) -> None:
    first = run(*BOTH, "-m", COMET, "-f", "json")[1]
    (tmp_path / "my-comet" / "checkpoints" / "model.ckpt").write_bytes(b"other weights")
    second = run(*BOTH, "-m", COMET, "-f", "json")[1]
    assert 2 == starts()
    assert json.loads(first)[0]["signature"] != json.loads(second)[0]["signature"]
    assert 2 == len([*(tmp_path / "scores").glob("*.sqlite")])


def test_no_score_is_kept_if_nobody_wants_it(run: Run, starts: Callable[[], int], tmp_path: Path) -> None:
    run(*BOTH, "-m", COMET, "--no-score-cache")
    run(*BOTH, "-m", COMET, "--no-score-cache")
    assert 2 == starts() and not [*(tmp_path / "scores").glob("*")]


def test_two_models_of_a_family_have_names_of_their_own(run: Run, tmp_path: Path) -> None:
    model(tmp_path, "your-comet", b"other weights")
    code, out, err = run(*BOTH, "-m", COMET, "comet=./your-comet", "--paired-all", "-f", "json")
    assert 0 == code, err
    assert ["COMET-my-comet", "COMET-your-comet"] == [one["name"] for one in json.loads(out)["metrics"]]
    assert "0.5" in (line := run("ref.txt", "--src", "src.txt", "-i", "a.txt", "-m", COMET, "-q")[1])
    assert re.search(r"= 0\.\d{4}$", line.strip())


def test_imported_scores_are_signed_and_never_mixed(run: Run, starts: Callable[[], int], tmp_path: Path) -> None:
    first = json.loads(run(*BOTH, "-m", COMET, "-f", "json")[1])
    assert 0 == run("metrics", "cache", "--export", "all.jsonl")[0]
    assert 0 == run("metrics", "cache", "--clear")[0]
    code, out, _ = run("metrics", "cache", "--import", "all.jsonl")
    assert 0 == code and "80 scores imported into comet-" in out
    assert "imported" in run("metrics", "cache")[1]
    (tmp_path / "my-comet" / "checkpoints" / "model.ckpt").unlink()  # neither weights nor an interpreter are needed
    code, out, err = run(*BOTH, "-m", COMET, "--imported-scores", "-f", "json", "--runner-python", "comet=/x")
    assert 0 == code, err
    again = json.loads(out)
    assert 1 == starts() and [one["score"] for one in first] == [one["score"] for one in again]
    assert all("|from:import|" in one["signature"] for one in again)
    without = re.sub(r"from:import\|", "", again[0]["signature"])
    assert without == first[0]["signature"]
    Path("b.txt").write_text(Path("b.txt").read_text().replace("text 7", "other 7"))
    code, _, err = run(*BOTH, "-m", COMET, "--imported-scores")
    assert 1 == code and "1 of 80 units are not among the imported scores, the first is segment 8 of b.txt" in err


@pytest.mark.parametrize(
    "words",
    [
        ("--confidence",), ("--sentence-level",), ("--paired", "ar"), ("--paired", "bs2"),
        ("--breakdown", "labels.txt"), ("--only", "1-20"), ("--doctor",), ("-f", "csv"), ("-f", "latex"), ("--short",),
        ("--report",),
    ],
)  # fmt: skip
def test_everything_else_works(words: tuple[str, ...], run: Run, starts: Callable[[], int]) -> None:
    Path("labels.txt").write_text("x\ny\n" * (SIZE // 2))
    files = BOTH[:-1] if {"--report", "--doctor"} & {*words} else BOTH
    code, out, err = run(*files, "-m", "bleu", COMET, *words)
    assert 0 == code, err
    assert "COMET" in out and 1 == starts()


def test_230_sources_have_a_flag_of_their_own(run: Run) -> None:
    code, out, _ = run("ref.txt", "-i", "a.txt", "-s", "floor")
    assert 0 == code and "smooth:floor" in out
    code, _, err = run("ref.txt", "-i", "a.txt", "-m", COMET, "-s", "src.txt")
    assert 2 == code and "--src" in err


def test_no_references_are_needed_where_none_are_compared(run: Run) -> None:
    code, out, err = run("--src", "src.txt", "-i", "a.txt", "b.txt", "-m", "cometkiwi=./my-comet", "--paired-all")
    assert 0 == code, err
    assert "CometKiwi" in out and "nrefs" not in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("ref.txt", "-i", "a.txt", "-m", COMET), "needs what was translated: --src FILE"),
        (("--src", "src.txt", "-i", "a.txt", "-m", COMET), "there are no references"),
        ((*BOTH, "-m", "comet=./nothing"), "there is no such folder"),
        ((*BOTH, "-m", "comet"), "is not on this machine"),
        ((*BOTH, "-m", "comet22"), "invalid choice: 'comet22'; did you mean comet? A model is named as in comet=MODEL"),
        (("ref.txt", "--src", "short.txt", "-i", "a.txt", "-m", COMET), "short.txt has 39 lines, the systems have 40"),
        ((*BOTH, "-m", COMET, "--external", "COMET=ref.txt,ref.txt"), "two metrics are called COMET: name one other"),
        ((*BOTH, "-m", COMET, "--totals-out", "x.parquet"), "by a program outside for whole files"),
        (("self-bleu", "a.txt", "-m", COMET), "cannot be counted block by block"),
        (("ref.txt", "--src", "src.txt", "-i", "half.txt", "-m", COMET), "half.txt, line 1: byte 3"),
        ((*BOTH, "-m", COMET, "--runner-python", "comet=/x"), "/x"),
        ((*BOTH, "-m", COMET, "--device", "chrf=cpu"), "--device is about chrf"),
        ((*BOTH, "-m", COMET, "--batch-size", "x"), "expected a whole number"),
        ((*BOTH, "-m", COMET, "--sensitivity"), "program outside"),
        (("ref.txt", "b.txt", "--src", "src.txt", "-i", "a.txt", "-m", COMET), "--multi-ref"),
        ((*BOTH, "-m", COMET, "--level", "all"), "level"),
        ((*BOTH, "-m", "comet=./my-comet", "--bertscore-rescale"), "--bertscore-rescale is about -m bertscore"),
        ((*BOTH, "-m", "bertscore=./my-comet", "--bertscore-rescale"), "a baseline is of a language: -l SRC-TRG"),
        ((*BOTH, "-m", COMET, "--imported-scores"), "imported scores of local/my-comet are asked for, and there are"),
        ((*BOTH, "-m", COMET, "--imported-scores", "--fresh"), "asks no model; leave out --fresh"),
        (("reconcile", "ref.txt", "-i", "a.txt", "--target", "30", "-m", "comet"), "expected bleu, chrf, ter or me"),
        ((*BOTH, "-m", COMET, "--recheck", "2", "--no-score-cache"), "looks at kept scores; leave out --no-"),
        ((*BOTH, "-m", COMET, "--runner-timeout", "0"), "timeout is 0, expected more seconds"),
        ((*BOTH, "-m", COMET, "--runner-timeout", "nan"), "COMET: timeout is nan, expected a number from 0"),
        ((*BOTH, "-m", "comet=my-comet"), "or name a folder, as in -m comet=./my-comet"),
        ((*BOTH, "-m", "cometkiwi=Unbabel/wmt22-comet-da"), "this model compares with references; name it as comet="),
    ],
)
def test_bad_input_is_refused(words: tuple[str, ...], message: str, run: Run) -> None:
    Path("short.txt").write_text("line\n" * (SIZE - 1))
    Path("half.txt").write_bytes(b"a \xed\xa0\x80\n" * SIZE)  # half of a character
    code, out, err = run(*words)
    assert code in (1, 2) and not out and message in err


@pytest.mark.parametrize(("words", "threads"), [(("--threads", "1"), 1), ((), 0)])
def test_a_model_takes_no_more_threads_than_were_asked_for(
    words: tuple[str, ...], threads: int, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TRUEBLEU_THREADS", raising=False)
    monkeypatch.setenv("FAKE_OPTIONS", '{"loaded": "loaded.json"}')
    assert 0 == run(*BOTH, "-m", COMET, *words)[0]
    assert threads == json.loads(Path("loaded.json").read_text())["threads"]


def test_texts_are_normalized_and_nothing_else_is_said(run: Run) -> None:
    for name in ("ref", "src", "a"):
        Path(f"{name}.txt").write_text(Path(f"{name}.txt").read_text().replace("text", "“text”"))
    asked = ("ref.txt", "--src", "src.txt", "-i", "a.txt", "-m", COMET, "-f", "json")
    code, out, err = run(*asked, "--normalize", "quotes")
    assert 0 == code and "no effect" not in err and "|textnorm:quotes|" in out
    for name in ("ref", "src", "a"):
        Path(f"{name}.txt").write_text(Path(f"{name}.txt").read_text().translate({0x201C: '"', 0x201D: '"'}))
    assert json.loads(out)["score"] == json.loads(run(*asked)[1])["score"]


def test_an_interpreter_without_the_package_is_refused(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_PACKAGES", '{"transformers": "5.23.0"}')
    code, _, err = run(*BOTH, "-m", COMET)
    assert 1 == code and "transformers 5.23.0, which fails at the first batch; tested is 4.57.6" in err


def test_a_signature_gives_the_same_request(run: Run, starts: Callable[[], int]) -> None:
    plain = run("ref.txt", "--src", "src.txt", "-i", "a.txt", "-m", COMET, "-f", "json")[1]
    signature = json.loads(plain)["signature"]
    again = run("ref.txt", "--src", "src.txt", "-i", "a.txt", "-m", COMET, "--like", f"COMET|{signature}", "-f", "json")
    assert (0, plain) == again[:2] and 1 == starts()
    other = signature.replace("unbabel-comet-2.2.7", "unbabel-comet-2.2.1")
    code, _, err = run("ref.txt", "--src", "src.txt", "-i", "a.txt", "-m", COMET, "--like", f"COMET|{other}")
    assert 0 == code and "pkg:unbabel-comet-2.2.1, here it is unbabel-comet-2.2.7" in err
    other = re.sub(r"w:\w+", "w:0123456789ab", signature)
    code, _, err = run("ref.txt", "--src", "src.txt", "-i", "a.txt", "-m", COMET, "--like", f"COMET|{other}")
    assert 1 == code and "weights 0123456789ab" in err
    code, _, err = run("ref.txt", "--src", "src.txt", "-i", "a.txt", "--like", f"COMET|{signature}")
    assert 2 == code and "-m comet=./folder" in err


def test_a_receipt_has_the_scores_and_no_path(run: Run, tmp_path: Path, starts: Callable[[], int]) -> None:
    one = (*BOTH[:-1], "-m", "bleu", COMET)
    assert 0 == run(*one, "--receipt", "a.receipt.json")[0]
    text = Path("a.receipt.json").read_text()
    assert str(tmp_path) not in text and "./my-comet" not in text and '"neural"' in text
    code, out, err = run("receipt", "verify", "a.receipt.json", "ref.txt", "-i", "a.txt")
    assert 0 == code, out + err
    assert 1 == starts()
    Path("b2.txt").write_text(Path("b.txt").read_text())
    assert 0 == run("-i", "a.receipt.json", "-f", "json")[0]


def test_of_two_models_of_a_receipt_the_first_is_shown_with_a_warning(run: Run) -> None:
    shutil.copytree("my-comet", "other-comet")
    assert 0 == run(*BOTH[:-1], "-m", COMET, "comet=./other-comet", "--receipt", "a.receipt.json")[0]
    code, out, err = run("-i", "a.receipt.json", "-f", "json")
    assert (0, 1) == (code, out.count('"signature"'))
    assert "a.receipt.json has several metrics named comet, and the first is shown" in err


VERIFIED = ("receipt", "verify", "a.receipt.json", "ref.txt", "-i", "a.txt", "--src", "src.txt")
AGAIN = (*VERIFIED, "--rescore", "--model", COMET)


@pytest.fixture
def receipt(run: Run) -> Path:
    assert 0 == run(*BOTH[:-1], "-m", "bleu", COMET, "--receipt", "a.receipt.json")[0]
    return Path("a.receipt.json")


def test_a_receipt_is_scored_again_by_the_same_weights(receipt: Path, run: Run, starts: Callable[[], int]) -> None:
    code, out, err = run(*VERIFIED)
    assert 0 == code and "5 scores" not in out, out + err
    assert "comet was not scored again: needs local/my-comet, the texts and rescore (--rescore)" in out
    code, out, err = run(*VERIFIED, "--rescore")
    assert 0 == code and "not scored again: needs local/my-comet, a model in a folder (--model comet=./folder)" in out
    before = starts()
    code, out, err = run(*AGAIN)
    assert 0 == code and "5 scores" in out.splitlines()[0], out + err
    assert "comet was scored again: 40 segments, the largest difference is 0 (at most 1e-05)" in out
    assert before + 1 == starts()  # the cache is no witness


def test_a_receipt_whose_model_gives_other_scores_is_false(
    receipt: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_OPTIONS", '{"shift": 1e-4}')
    code, out, _ = run(*AGAIN)
    assert 1 == code and "NOT verified" in out
    assert re.search(
        r"metrics \(comet\)\.data: in row \d+, score is 0\.\d+, and its model gives 0\.\d+\. .*at most 1e-05", out
    )


def test_other_weights_cannot_score_a_receipt_again(receipt: Path, run: Run, tmp_path: Path) -> None:
    (tmp_path / "my-comet" / "checkpoints" / "model.ckpt").write_bytes(b"other weights")
    code, out, _ = run(*AGAIN)
    assert (
        0 == code
        and "5 scores" not in out.splitlines()[0]
        and "comet was not scored again: needs local/my-comet: " in out
    )
    assert "the signature is of the weights" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--rescore",), "--rescore needs the texts"),
        (("-i", "a.txt", "--model", COMET), "--model has no effect: it goes with --rescore"),
        (("-i", "a.txt", "--rescore", "--model", "COMET"), "--model is COMET, expected NAME=FOLDER"),
    ],
)
def test_a_receipt_is_not_scored_again_without_texts(
    words: tuple[str, ...], message: str, receipt: Path, run: Run
) -> None:
    code, out, err = run("receipt", "verify", "a.receipt.json", "ref.txt", *words)
    assert 2 == code and not out and message in err


def test_other_sources_are_not_those_of_the_receipt(receipt: Path, run: Run) -> None:
    Path("src.txt").write_text(Path("a.txt").read_text())
    code, out, _ = run(*VERIFIED)
    assert 1 == code and "inputs.source: its hash is" in out


def test_spans_are_marked_on_the_page(run: Run) -> None:
    lines = Path("a.txt").read_text().splitlines()
    Path("a.txt").write_text("".join(f"bad {line}\n" for line in lines))
    code, _, err = run("report", *BOTH, "-m", "bleu", COMET, "-o", "page.html")
    page = Path("page.html").read_text()
    assert 0 == code, err
    assert '"spans":true' in page and "major" in page and "local/my-comet" in page


MIXED = "COMET: systems were not scored alike, which can move their scores: torch 2.15.0 (a.receipt.json), 2.14.0 ("


@pytest.fixture
def receipts(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> tuple[str, str, str]:
    """Receipts of one model, of which the second was made elsewhere: with another torch."""
    comet = ("ref.txt", "--src", "src.txt", "-m", "bleu", COMET)
    assert 0 == run(*comet, "-i", "a.txt", "b.txt", "--receipt", ".")[0]
    Path("b.txt.receipt.json").rename("c.receipt.json")
    for name in ("SCORES", "CACHE"):
        monkeypatch.setenv(f"TRUEBLEU_{name}", str(tmp_path / "elsewhere" / name))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("FAKE_PACKAGES", '{"torch": "2.14.0"}')
    assert 0 == run(*comet, "-i", "b.txt", "--receipt", "b.receipt.json")[0]
    Path("a.txt.receipt.json").rename("a.receipt.json")
    return "a.receipt.json", "b.receipt.json", "c.receipt.json"


def test_rows_of_other_versions_are_compared_with_a_note(run: Run, receipts: tuple[str, str, str]) -> None:
    first, other, alike = receipts
    for words in ((), ("--paired-all",), ("--paired-ar",), ("--paired-ar", "-q"), ("-f", "markdown")):
        code, out, err = run("-i", first, other, *words)
        plain = " ".join(out.replace("\\", "").split())
        assert (0, 1) == (code, plain.count(MIXED)), (out, err)
        assert "alike" not in run("-i", first, alike, *words)[1]
    found = json.loads(run("-i", first, other, "--paired-all", "-f", "json")[1])
    assert any(note.startswith(MIXED) for note in found["notes"])
    own = [one["signature"] for one in found["metrics"][1]["systems"]]
    assert own[0] is None and "|torch:2.14.0|" in own[1]
    assert not any(
        "alike" in note for note in json.loads(run("-i", first, alike, "--paired-all", "-f", "json")[1])["notes"]
    )
    each = [one["signature"] for one in json.loads(run("-i", first, other, "-m", "comet", "-f", "json")[1])]
    assert ["torch:2.15.0" in each[0], "torch:2.14.0" in each[1]] == [True, True]


def muted(*names: str, at: tuple[int, ...]) -> None:
    """The outputs of systems, of which some get no score."""
    for name in names:
        lines = Path(f"{name}.txt").read_text().splitlines()
        Path(f"{name}.txt").write_text("".join(f"{'mute ' * (n in at)}{one}\n" for n, one in enumerate(lines)))


def test_segments_without_a_score_are_told(run: Run) -> None:
    muted("a", at=(3, 9))
    code, out, _ = run(*BOTH, "-m", "bleu", COMET)
    assert 0 == code and "COMET: segments without a score: a.txt 2. A mean is over the others." in out
    plain = json.loads(run(*BOTH, "-m", COMET, "-f", "json")[1])
    assert [4, 10] == plain[0]["neural"]["lacking"] and "lacking" not in plain[1]["neural"]
    found = json.loads(run(*BOTH, "-m", "bleu", COMET, "--paired-all", "-f", "json")[1])
    assert any(note.startswith("COMET: scores are missing.") and " 38." in note for note in found["notes"])
    assert [38, 40] == [one["n"] for one in found["metrics"][1]["systems"]]
    code, _, err = run("report", *BOTH, "-m", "bleu", COMET, "-o", "page.html")
    page = Path("page.html").read_text()
    assert 0 == code and "COMET: segments without a score: a 2. A mean is over the others." in page, err
    assert '<p class="note">COMET: scores are missing.' in page


def test_segments_that_no_system_has_a_score_of_are_told(run: Run) -> None:
    muted("a", "b", at=(3, 9, 12))
    found = json.loads(run(*BOTH, "-m", "bleu", COMET, "--paired-all", "-f", "json")[1])
    assert "COMET: segments without a score: a.txt 3, b.txt 3. A mean is over the others." in found["notes"]
    assert [0, 0, 3, 3] == [system["lacking"] for one in found["metrics"] for system in one["systems"]]
    told = {one["name"].removesuffix(".txt"): one["score"] for one in found["metrics"][1]["systems"]}
    kept = [at for at in range(SIZE) if at not in (3, 9, 12)]
    assert {name: pytest.approx(sum(value_of(name, at) for at in kept) / len(kept)) for name in "ab"} == told


def test_a_page_has_the_facts_of_each_learned_metric(run: Run) -> None:
    lines = Path("a.txt").read_text().splitlines()
    Path("a.txt").write_text("".join(f"{one}{' word' * 30 * (at < 5)}\n" for at, one in enumerate(lines)))
    code, _, err = run("report", *BOTH, "-m", "bleu", COMET, "-o", "page.html", "--json", "page.json")
    page = Path("page.html").read_text()
    assert 0 == code, err
    assert re.search(
        r"COMET is computed by model local/my-comet, weights [0-9a-f]{12}, precision fp32, device cpu, package "
        r"unbabel-comet-2\.2\.7, torch 2\.15\.0, transformers 4\.57\.6\. "
        r"Segments longer than the model reads: a 5, b 0\.",
        page,
    )
    assert 1 == page.split('id="methods-text">')[1].partition("</p>")[0].count("is computed by")
    scores = json.loads(Path("page.json").read_text())["metrics"][1]["scores"]
    assert [1, 2, 3, 4, 5] == scores["a"]["neural"]["cut"]


OF_LEARNED = ("--device", "cpu", "--batch-size", "comet=4", "--precision", "fp32")


@pytest.mark.parametrize("command", ["report", "plot"])
def test_other_commands_take_the_flags(
    command: str, run: Run, starts: Callable[[], int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = os.environ["TRUEBLEU_RUNNER_NEURAL"]
    monkeypatch.delenv("TRUEBLEU_RUNNER_NEURAL")
    monkeypatch.setenv("TRUEBLEU_ENVIRONMENTS", str(tmp_path / "none"))
    words = ("report",) if command == "report" else ("plot", "ranking")
    target = "page.html" if command == "report" else "figure.svg"
    asked = (*words, *BOTH, "-m", COMET, "-o", target)
    code, _, err = run(*asked)
    assert 2 == code and "comet" in err and not Path(target).exists()
    code, _, err = run(*asked, *OF_LEARNED, "--runner-python", f"comet={python}")
    assert 0 == code and Path(target).exists() and starts(), err
    for flag, value in (("--device", "bleu=cpu"), ("--batch-size", "comet=x")):
        assert 2 == run(*asked, flag, value)[0]
    code, _, err = run(*words, *BOTH, "-m", "bleu", "-o", target, "--device", "cpu")
    assert 2 == code and "--device has no effect: it is about learned metrics" in err


def test_power_is_planned_for_a_learned_metric(run: Run, starts: Callable[[], int]) -> None:
    code, out, err = run("power", *BOTH, "-m", COMET, *OF_LEARNED)
    assert 0 == code and "COMET: b.txt and a.txt" in out.replace("a.txt and b.txt", "b.txt and a.txt"), err
    assert 1 == starts()


def test_divided_texts_are_scored_and_nothing_more_is_asked(run: Run, starts: Callable[[], int]) -> None:
    Path("a.txt").write_text(Path("a.txt").read_text().replace("\n", " "))
    code, out, err = run("ref.txt", "--src", "src.txt", "-i", "a.txt", "-m", COMET, "--resegment")
    assert 0 == code and "|reseg:cue1|" in out and 1 == starts(), err
    assert re.search(r"a\.txt: re-segmented 1 of 1 document \(cue1\).*COMET 0\.\d\d\n", err)


def test_what_a_page_and_a_figure_do_with_rescoring_and_sources(run: Run, starts: Callable[[], int]) -> None:
    code, _, err = run("report", *BOTH, "-m", COMET, "-o", "page.html", "--doctor-rescore")
    assert 0 == code, err
    asked = ("plot", "ranking", *BOTH, "-o", "figure.svg")
    code, _, err = run(*asked, "-m", COMET, "--doctor-rescore")
    assert 2 == code and "--doctor-rescore has no effect: figures do not show it" in err
    code, _, err = run(*asked, "-m", "bleu")
    assert 2 == code and "--src has no effect: figures do not show it" in err
    code, _, err = run("plot", "ranking", "ref.txt", "-i", "a.txt", "b.txt", "-o", "figure.svg", "-m", COMET)
    assert 2 == code and "comet=./my-comet needs what was translated: --src FILE" in err


def test_a_death_says_how_many_units_are_kept(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    line = Path("b.txt").read_text().splitlines()[17]
    monkeypatch.setenv("FAKE_OPTIONS", json.dumps({"mode": "SIGSEGV", "at": line}))
    code, out, err = run(*BOTH, "-m", COMET, "--batch-size", "1")
    assert (1, "") == (code, out)
    found = re.search(r"died \(signal 11\) while it scored segment 18 of b\.txt; .*; (\d+) of 80 units are kept", err)
    assert found and int(found[1]) > 0, err
    monkeypatch.delenv("FAKE_OPTIONS")
    code, _, err = run(*BOTH, "-m", COMET, "--batch-size", "1")
    assert 0 == code and f"{found[1]} of 80 units were in the cache" in err


def test_an_interrupt_keeps_what_was_scored(starts: Callable[[], int], tmp_path: Path) -> None:
    environment = {**os.environ, "FAKE_OPTIONS": '{"seconds": 0.1}'}
    command = [sys.executable, "-m", "truebleu", *BOTH, "-m", COMET, "--batch-size", "1"]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    while not starts():
        time.sleep(0.05)
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    assert process.wait(10) == 130
    (child,) = {int(line) for line in (tmp_path / "starts").read_text().split()}
    until = time.monotonic() + 6
    while Path(f"/proc/{child}").exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert not Path(f"/proc/{child}").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "3 of 80 units are in the cache; the same command goes on from there"),
        (("--fresh",), "3 of 80 units are in the cache; without --fresh the same command goes on from there"),
        (("--no-score-cache",), ""),
    ],
)
def test_an_interrupt_says_what_is_kept(
    words: tuple[str, ...], told: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(metric: COMETMetric, *_: object, **__: object) -> None:
        assert metric.told is not None
        metric.told(3, 80, 0)
        raise KeyboardInterrupt

    monkeypatch.setattr(COMETMetric, "ask", interrupted)
    code, out, err = run(*BOTH, "-m", COMET, *words)
    assert (130, "") == (code, out) and told in err and bool(told) is ("in the cache" in err)
