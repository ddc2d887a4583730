"""`truebleu self-bleu`, as typed."""

import gzip
import io
import json
import sys
from pathlib import Path

import pytest

import truebleu
from truebleu.cli.commands.self_bleu import COMMAND
from truebleu.metrics import BLEU, CHRF, TER

run = COMMAND.run

LINES = ["the gate was open", "the gate stood open", "Who left the gate open?", "it rained", "the gate was open"]


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "samples.txt"
    path.write_text("".join(f"{line}\n" for line in LINES), "utf-8")
    return str(path)


def test_a_file_is_scored_as_the_function_scores_its_lines(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == run([file])
    score = truebleu.self_bleu(LINES)
    assert f"self-BLEU|{score.signature} = {score.score:.2f} (5 samples)\n" == capsys.readouterr().out


def test_standard_input_is_read_unless_there_is_a_file(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for arguments in ([], ["-"]):
        text = "\r\n".join(LINES).encode()  # no newline at the end, and Windows' between
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
        assert 0 == run([*arguments, "--json"])
        assert truebleu.self_bleu(LINES).score == json.loads(capsys.readouterr().out)["score"]


def test_compressed_files_and_byte_order_marks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "samples.gz"
    path.write_bytes(gzip.compress("\ufeff".encode() + "\n".join(LINES).encode()))
    assert 0 == run([str(path), "--json"])
    assert truebleu.self_bleu(LINES).score == json.loads(capsys.readouterr().out)["score"]


@pytest.mark.parametrize(
    ("arguments", "metric", "options"),
    [
        (["-m", "chrf"], CHRF(), {}),
        (["-m", "CHRF", "-lc"], CHRF(lowercase=True), {}),
        (["-m", "ter"], TER(), {}),
        (["-m", "ter", "-lc"], TER(), {}),
        (["-tok", "intl", "-lc"], BLEU(tokenize="intl", lowercase=True), {}),
        (["--order", "2"], BLEU(max_ngram_order=2), {}),
        (["--definition", "fast-bleu"], BLEU(tokenize="none"), {"definition": "fast-bleu"}),
        (["--definition", "fast-bleu", "-tok", "13a"], BLEU(), {"definition": "fast-bleu"}),
    ],
)
def test_options(
    file: str, arguments: list[str], metric: BLEU, options: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert 0 == run([file, "--json", *arguments])
    expected = truebleu.self_bleu(LINES, metric, **options).to_dict()
    del expected["scores"]
    assert expected == json.loads(capsys.readouterr().out)


def test_scores_of_each_line_come_with_its_number(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    scores = truebleu.self_bleu(LINES).scores.tolist()
    assert 0 == run([file, "--per-sample", "-w", "3"])
    lines = capsys.readouterr().out.splitlines()
    assert [f"{number}\t{score:.3f}" for number, score in enumerate(scores, 1)] == lines[:-1]
    assert 0 == run([file, "--per-sample", "--json"])
    expected = [{"line": number, "score": score} for number, score in enumerate(scores, 1)]
    assert expected == json.loads(capsys.readouterr().out)["scores"]


def test_width_rounds_json_too(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == run([file, "--json", "-w", "1"])
    assert round(truebleu.self_bleu(LINES).score, 1) == json.loads(capsys.readouterr().out)["score"]


def test_a_sample_of_lines_depends_on_the_seed_alone(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    chosen = {}
    for seed in ("1", "1", "2", "3", "4"):
        assert 0 == run([file, "--sample", "3", "--seed", seed, "--per-sample", "--json"])
        printed = json.loads(capsys.readouterr().out)
        numbers = [score["line"] for score in printed["scores"]]
        assert sorted(numbers) == numbers
        assert int(seed) == printed["seed"]
        assert truebleu.self_bleu([LINES[number - 1] for number in numbers]).score == printed["score"]
        assert numbers == chosen.setdefault(seed, numbers)
    assert 1 < len({tuple(numbers) for numbers in chosen.values()})


def test_a_sample_larger_than_the_file_is_an_error(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == run([file, "--sample", "5"])
    assert "(5 samples)" in capsys.readouterr().out
    assert 1 == run([file, "--sample", "100"])
    assert f"{file} has 5 lines, and --sample is 100; leave it out to score all lines" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", ": the input ends after no lines, expected at least two"),
        (b"only one\n", ": the input ends after one line, expected at least two"),
        (
            b"fine\nna\xefve\n",
            ", line 2: byte 3 of the line is 0xef, which is not utf-8 (invalid continuation byte); "
            "is the file in another encoding? (--encoding FILE=NAME)",
        ),
    ],
)
def test_bad_data_is_named_by_file_and_line(
    tmp_path: Path, content: bytes, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "samples.txt"
    path.write_bytes(content)
    assert 1 == run([str(path)])
    assert ("", f"truebleu self-bleu: {path}{message}\n") == capsys.readouterr()


def test_a_file_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = tmp_path / "missing"
    assert 1 == run([str(missing)])
    assert f"truebleu self-bleu: {missing}: there is no such file\n" == capsys.readouterr().err
    cut = tmp_path / "cut.gz"
    cut.write_bytes(gzip.compress(b"a\nb\n")[:-9])
    assert 1 == run([str(cut)])
    assert f"truebleu self-bleu: {cut}: " in capsys.readouterr().err
    assert 1 == run([str(tmp_path)])
    assert "is a folder, expected a file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--metric", "bleurt"], "invalid choice: 'bleurt'"),
        (["--sample", "1"], "'1' is not a whole number from 2"),
        (["--seed", "-1"], "'-1' is not a whole number from 0"),
        (["--definition", "texygen"], "invalid choice: 'texygen'"),
        (["--unknown"], "unrecognized arguments: --unknown"),
        (["-tok", "13b"], "13b"),
        (["--order", "0"], "max_ngram_order is 0"),
        (["-m", "chrf", "-tok", "13a"], "-tok and --order are options of BLEU, the metric is chrf"),
        (["-m", "ter", "--definition", "fast-bleu"], "definition='fast-bleu' is for BLEU, the metric is TER"),
    ],
)
def test_bad_arguments(file: str, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == run([file, *arguments])
    printed = capsys.readouterr()
    assert "" == printed.out
    assert message in printed.err


def test_help_is_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == run(["--help"])
    assert "usage: truebleu self-bleu" in capsys.readouterr().out
