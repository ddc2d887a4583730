"""Full disks, closed streams, early interrupts, mistyped words, doubtful texts, help and completion."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from truebleu.cli.main import main

REFERENCES, SYSTEM = ["a b c d e", "f g h i j"], ["A b c d e", "f g x i j"]
EVERY_COMMAND = [
    "ref -i new",
    "ref -i new -sl",
    "-t demo -l en-de --echo src",
    "--list",
    "self-bleu new",
    "sign-test -r ref -t new -b ref --no-files",
    "data list",
    "data where",
    "--help",
    "-h",
    "--version",
    "data --help",
    "self-bleu --help",
    "sign-test --help",
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRUEBLEU_CACHE", str(tmp_path / "cache"))
    for name, lines in (("ref", REFERENCES), ("new", SYSTEM)):
        Path(name).write_text("".join(f"{line}\n" for line in lines))
    return tmp_path


def in_a_shell(words: str, streams: str) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        ["sh", "-c", f"'{sys.executable}' -m truebleu {words} {streams}"], capture_output=True, stdin=subprocess.DEVNULL
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("words", EVERY_COMMAND)
def test_a_full_disk_is_one_message_and_exit_code_1(words: str) -> None:
    done = in_a_shell(words, ">/dev/full")
    lines = done.stderr.decode().splitlines()
    assert (1, 1) == (done.returncode, len(lines)), done.stderr
    assert lines[0].endswith("No space left on device")


def test_a_closed_standard_error_loses_no_score() -> None:
    expected = in_a_shell("ref -i new", "")
    done = in_a_shell("ref -i new", "2>&-")
    assert (0, expected.stdout) == (done.returncode, done.stdout) and expected.stdout
    assert 0 == in_a_shell("ref -i new ref --paired ar", "2>&-").returncode
    assert 1 == in_a_shell("nowhere -i new", "2>&-").returncode


@pytest.mark.parametrize("words", ["ref -i new", "self-bleu new", "data where", "--version"])
def test_a_closed_standard_output_is_one_message(words: str) -> None:
    done = in_a_shell(words, ">&-")
    assert 1 == done.returncode
    assert done.stderr.decode().endswith("standard output is closed, so nothing can be written\n")
    assert 1 == done.stderr.count(b"\n")


@pytest.mark.parametrize("words", ["ref", "self-bleu", "--hyp-field a --ref-field b"])
def test_a_closed_standard_input_is_one_message(words: str) -> None:
    done = in_a_shell(words, "<&-")
    assert (1, b"", 1) == (done.returncode, done.stdout, done.stderr.count(b"\n"))
    assert b"standard input is closed" in done.stderr


def test_an_interrupt_while_modules_are_imported_is_silent() -> None:
    program = (
        "import sys, runpy\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == sys.argv[1]: raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupted())\n"
        "runpy.run_module('truebleu', run_name='__main__')\n"
    )
    for module in ("truebleu.cli.main", "truebleu.cli.commands.score", "argparse"):
        done = subprocess.run([sys.executable, "-c", program, module], capture_output=True)
        assert (130, b"", b"") == (done.returncode, done.stdout, done.stderr), module


# What people mistype.


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("ref -i new -m blue", "invalid choice: 'blue' (did you mean bleu? choose from bleu, "),
        ("ref -i new -m bleurt", "invalid choice: 'bleurt'; BLEURT is not counted here but in a program of its own: "),
        ("sign-test -r ref -t new -b ref -m tre", "did you mean ter?"),
        (
            "ref -i new -o scores.txt",
            "arguments: -o scores.txt; scores go to standard output: write > FILE",
        ),
        ("-r ref -i new", "references have no flag: write them first, as in 'truebleu ref.txt -i out.txt'"),
        ("--ref ref -i new", "references have no flag: write them first"),
        ("--reference ref -i new", "references have no flag: write them first"),
        ("receipt", "required: COMMAND, one of make, show, verify, sign, export"),
        ("doctor", "truebleu doctor: there are no references: name files, before -i, as in 'ref.txt -i out.txt'"),
        ("dta list", "there is no file and no command 'dta'; did you mean 'truebleu data'?"),
        ("selfbleu new", "did you mean 'truebleu self-bleu'?"),
        ("sign_test -r ref", "did you mean 'truebleu sign-test'?"),
        ("ref -i new --pared ar", "unrecognized arguments: --pared ar; did you mean --paired?"),
        ("ref -i new --tokenise=13a", "did you mean --tokenize?"),
        ("ref -i new --zzz", "unrecognized arguments: --zzz\n"),
        ("ref -i new -tok 13b", "invalid choice: '13b' (did you mean 13a? choose from "),
        ("ref -i new -f markdwn", "(did you mean markdown? choose from "),
        ("ref -i new -f yaml", "invalid choice: 'yaml' (choose from "),
        ("plot rankin ref -i new -o x.svg", "(did you mean ranking? choose from "),
        ("report ref -i new --tst none", "did you mean --test?"),
        ("doctor ref -i new --fomat json", "did you mean --format?"),
        ("reconcile ref -i new --traget 40", "did you mean --target?"),
        ("data lst", "(did you mean list? choose from "),
        ("data list --ofline", "did you mean --offline?"),
        ("receipt mak", "(did you mean make? choose from "),
        ("receipt make ref -i new --hyp-feild x", "did you mean --hyp-field?"),
        ("align ref new", "unrecognized arguments: new; the output of a system goes after -i"),
        (
            "doctor -r ref -i new",
            "references have no flag: write them first, as in 'truebleu doctor ref.txt -i out.txt'",
        ),
        (
            "sign-test -r ref -t new -b ref --refrence x",
            "unrecognized arguments: --refrence x; did you mean --reference?",
        ),
    ],
)
def test_a_mistyped_word_is_recognised(words: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == main(words.split())
    out, err = capsys.readouterr()
    assert "" == out and message in err
    assert len(err.splitlines()) <= 2  # the mistake is not lost under a long list of flags


@pytest.mark.parametrize("typed", ["-m BLEU chrF", "-m bleu,chrf", "-m Bleu,CHRF"])
def test_metrics_are_known_in_any_case_and_with_commas(typed: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == main(["ref", "-i", "new", "-m", "bleu", "chrf"])
    expected = capsys.readouterr().out
    assert 0 == main(["ref", "-i", "new", *typed.split()])
    assert expected == capsys.readouterr().out


def test_help_is_a_command_too(capsys: pytest.CaptureFixture[str]) -> None:
    for words, name in (
        (["help"], "truebleu REF"),
        (["help", "data"], "truebleu data"),
        (["help", "self-bleu"], "self-"),
    ):
        assert 0 == main(words)
        assert f"usage: {name}" in capsys.readouterr().out.replace("usage: truebleu self-", "usage: self-")


# Texts that nobody can have meant.

ANIMALS, VERBS = (
    ("heron", "old fox", "grey mule", "young bear", "eel"),
    ("stood", "slept", "fell", "drank", "sang"),
)
SENTENCES = [f"The {animal} {verb} by the pond." for animal in ANIMALS for verb in VERBS]


@pytest.mark.parametrize(
    ("references", "system", "message"),
    [
        (SENTENCES, [""] * 25, "new: all segments are empty"),
        ([""] * 25, SENTENCES, "the reference ref: all segments are empty"),
        (SENTENCES, SENTENCES, "new is the same as the reference ref in all lines"),
        (SENTENCES, [*SENTENCES[9:], *SENTENCES[:9]], "new fits the reference no better line by line"),
        (SENTENCES, [line.replace("The", "A").replace("by", "at") for line in SENTENCES], ""),
        (["the same line"] * 25, ["some other line"] * 25, ""),
        (SENTENCES[:3], SENTENCES[:3], ""),
    ],
)
def test_texts_that_nobody_can_have_meant_get_a_warning(
    references: list[str], system: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, lines in (("ref", references), ("new", system)):
        Path(name).write_text("".join(f"{line}\n" for line in lines))
    assert 0 == main(["ref", "-i", "new", "-q"])
    err = capsys.readouterr().err
    assert (err.startswith(f"truebleu: {message}") and 1 == err.count("\n")) if message else "" == err


# Help, completion, names in other scripts.


def test_h_is_short_and_help_is_whole(capsys: pytest.CaptureFixture[str]) -> None:
    lengths = {}
    for word in ("-h", "--help"):
        assert 0 == main([word])
        out = capsys.readouterr().out
        assert "--metrics" in out and "usage: truebleu REF" in out
        lengths[word] = out.count("\n")
    assert lengths["-h"] < 45 < 100 < lengths["--help"]


@pytest.mark.parametrize(
    ("line", "expected", "unexpected"),
    [
        ("truebleu da", {"data"}, set()),
        ("truebleu data ", {"list", "verify", "pack"}, {"ref"}),
        ("truebleu data remove de", {"demo"}, set()),
        ("truebleu -t de", {"demo"}, set()),
        ("truebleu -t demo -l ", {"en-de", "en-zh"}, {"de-en"}),
        ("truebleu -t demo -l en-de -i at", {"atlas"}, set()),
        ("truebleu ref -m ", {"bleu", "chrf", "ter"}, set()),
        ("truebleu self-bleu --defin", {"--definition"}, set()),
        ("truebleu r", {"ref"}, set()),
    ],
)
def test_completion_knows_commands_sets_pairs_and_systems(
    line: str, expected: set[str], unexpected: set[str], folder: Path
) -> None:
    pytest.importorskip("argcomplete")
    variables = {
        **os.environ,
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(folder / "completions"),
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
        "_ARGCOMPLETE_IFS": "\n",
    }
    subprocess.run([sys.executable, "-m", "truebleu"], env=variables, check=False, capture_output=True)
    found = {word.strip() for word in (folder / "completions").read_text("utf-8").split("\n")}
    assert expected <= found and not unexpected & found


def test_completion_says_how_it_is_installed(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == main(["completion"])
    out = capsys.readouterr().out
    page = (Path(__file__).parents[2] / "docs/command-line.md").read_text("utf-8")
    lines = re.search(r"## Completion\n\n```sh\n(.+)\n(.+?) +# in", page)
    assert lines is not None and {lines[1], lines[2]} < set(out.splitlines())
    assert 0 == main(["completion", "fish"])
    fish = capsys.readouterr().out
    assert "--shell fish" in fish and "bash" not in fish


def test_score_is_the_plain_command_unless_it_is_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    answers = []
    for words in (["ref", "-i", "new"], ["score", "ref", "-i", "new"], ["score", "--help"], ["--help"]):
        assert 0 == main(words)
        answers.append(capsys.readouterr().out)
    assert answers[0] == answers[1] and answers[2] == answers[3]
    Path("score").write_text(Path("new").read_text())
    assert 0 == main(["score", "-i", "new", "-b"])
    assert "100.0\n" == capsys.readouterr().out


def test_a_file_that_was_read_as_a_metric_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == main(["-m", "bleu", "chrf", "ref", "-i", "new"])
    err = capsys.readouterr().err
    assert "the file ref was read as the name of a metric; write references first, and -m after them" in err
    assert 2 == main(["-m", "bleu", "nowhere", "-i", "new"])
    assert "invalid choice: 'nowhere'" in capsys.readouterr().err


def test_names_in_chinese_stand_under_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    wcwidth = pytest.importorskip("wcwidth")
    for name in ("系统甲", "b"):
        Path(name).write_text(Path("new").read_text())
    assert 0 == main(["ref", "-i", "系统甲", "b", "-q"])
    table = [line for line in capsys.readouterr().out.splitlines() if line and line[0] in "╒│╞├╘"]
    assert 1 == len({wcwidth.wcswidth(line) for line in table})


def test_the_sign_test_looks_at_its_input_first(capsys: pytest.CaptureFixture[str]) -> None:
    Path("good.xml").write_text("mine")
    assert 1 == main(["sign-test", "-r", "nowhere", "-t", "new", "-b", "ref"])
    assert "nowhere: there is no such file" in capsys.readouterr().err
    assert 1 == main(["sign-test", "-r", "ref", "-t", "new", "-b", "ref", "-o", "."])
    err = capsys.readouterr().err
    assert "good.xml exists" in err and "or say --force" in err
    assert "mine" == Path("good.xml").read_text()
