"""What every command has from the shell: exit codes, messages, pipes, interrupts, UTF-8; and the tables it reads."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from truebleu._text.style import Style
from truebleu.cli.main import load, main
from truebleu.metrics import BLEU, CHRF, GLEU, METRICS
from truebleu.metrics.options import Flag
from truebleu.significance.sign import sign_test_of_texts
from truebleu.study.formats.render import FORMATS
from truebleu.study.results import Results

REFERENCES, BASELINE, SYSTEM = ["a b c d e", "f g h i j"], ["a b c d x", "f g h i"], ["A b c d e", "f g x i j"]

# Words that work, and the function of the command's module that is to fail.
COMMANDS = {
    "score": (["ref", "-i", "new", "old"], "_report"),
    "data": (["data", "list"], "cache_folder"),
    "self_bleu": (["self-bleu", "new"], "self_bleu"),
    "sign_test": (["sign-test", "-r", "ref", "-t", "new", "-b", "old", "--no-files"], "_read_input"),
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRUEBLEU_CACHE", str(tmp_path / "cache"))
    for name, lines in (("ref", REFERENCES), ("old", BASELINE), ("new", SYSTEM)):
        Path(name).write_text("".join(f"{line}\n" for line in lines))
    return tmp_path


def failing(error: BaseException) -> Callable[..., Any]:
    def fails(*arguments: Any, **options: Any) -> Any:
        raise error

    return fails


def make_fail(command: str, error: BaseException, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    words, function = COMMANDS[command]
    monkeypatch.setattr(import_module(f"truebleu.cli.commands.{command}"), function, failing(error))
    return words


@pytest.mark.parametrize("command", COMMANDS)
def test_a_bug_is_one_message_and_exit_code_70(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = make_fail(command, RuntimeError("the sky fell"), monkeypatch)
    assert 70 == main(words)
    out, err = capsys.readouterr()
    assert ("", 4) == (out, len(err.splitlines()))
    for part in ("this is a bug in truebleu: RuntimeError: the sky fell", "Python 3.", f" {' '.join(words[1:])}\n"):
        assert part in err


@pytest.mark.parametrize("command", COMMANDS)
def test_debug_shows_where_a_bug_is(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = make_fail(command, RuntimeError("the sky fell"), monkeypatch)
    assert 70 == main([*words, "--debug"])
    err = capsys.readouterr().err
    assert err.startswith("Traceback (most recent call last):") and "this is a bug in truebleu" in err


@pytest.mark.parametrize("command", COMMANDS)
def test_an_interrupt_is_exit_code_130_and_silent(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 130 == main(make_fail(command, KeyboardInterrupt(), monkeypatch))
    assert ("", "") == capsys.readouterr()


@pytest.mark.interpreter
def test_an_interrupt_while_a_class_is_made_is_one_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Part:
        def __set_name__(self, owner: type, name: str) -> None:
            raise KeyboardInterrupt

    def fails(*arguments: Any, **options: Any) -> Any:
        type("Whole", (), {"part": Part()})

    words, function = COMMANDS["score"]
    monkeypatch.setattr(import_module("truebleu.cli.commands.score"), function, fails)
    assert 130 == main(words)
    assert ("", "") == capsys.readouterr()


@pytest.mark.parametrize("said", ["", "there is no room for these texts"])
@pytest.mark.parametrize("command", COMMANDS)
def test_too_little_memory_is_no_bug(
    command: str, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 1 == main(make_fail(command, MemoryError(said), monkeypatch))
    err = capsys.readouterr().err
    assert (said or "not enough memory") in err and 1 == err.count("\n")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_disk_is_no_bug(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = make_fail(command, OSError(28, "No space left on device", "there"), monkeypatch)
    assert 1 == main(words)
    assert capsys.readouterr().err.endswith("there: No space left on device\n")


@pytest.mark.parametrize(("command", "code"), [("score", 0), ("data", 0), ("self_bleu", 0), ("sign_test", 1)])
def test_a_reader_who_has_gone_is_no_message(command: str, code: int) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    words = [sys.executable, "-m", "truebleu", *COMMANDS[command][0]]
    done = subprocess.run(words, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert (code, b"") == (done.returncode, done.stderr.replace(b"truebleu: found 2 systems\n", b""))


@pytest.mark.parametrize(
    ("words", "code", "where"),
    [
        ("-q ref -i new ä.txt", 0, "out"),
        ("-q ref -i ü.txt", 1, "err"),
        ("sign-test -r ref -t ä.txt -b old --no-files", 0, "out"),
        ("self-bleu ü.txt", 1, "err"),
        ("data where ü", 2, "err"),
    ],
)
def test_utf_8_in_a_locale_of_ascii(words: str, code: int, where: str, folder: Path) -> None:
    (folder / "ä.txt").write_bytes((folder / "new").read_bytes())
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [sys.executable, "-m", "truebleu", *words.split()], capture_output=True, env={**os.environ, **ascii_only}
    )
    shown = {"out": done.stdout, "err": done.stderr}[where].decode("utf-8", "surrogateescape")
    assert (code, True) == (done.returncode, any(part in shown for part in ("ä", "ü", "\\xc3", "\\udcc3")))


def test_warnings_of_the_library_are_shown_by_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    Path("stops").write_text("a b c .\n" * 150)
    assert 0 == main(["stops", "-i", "stops", "-b"])
    assert "truebleu: 150 hypotheses end in a full stop" in capsys.readouterr().err


# Flags from the registry.


def test_the_sign_test_knows_every_metric(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["sign-test", "-r", "ref", "-t", "new", "-b", "old", "--no-files", "-m", "gleu", "--gleu-max-len", "2"]
    assert 0 == main([*words, "-tok", "none"])
    test = sign_test_of_texts(BASELINE, SYSTEM, [REFERENCES], GLEU(lowercase=True, tokenize="none", max_len=2))
    assert capsys.readouterr().out.startswith(f"GLEU|{test.signature}\nbaseline  {test.baseline_score:6.2f}  old\n")


def test_self_bleu_takes_a_tokenizer_for_gleu(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == main(["self-bleu", "new", "-m", "gleu", "-tok", "none", "-lc"])
    out = capsys.readouterr().out
    assert out.startswith("self-GLEU|nrefs:1|case:lc|tok:none|min:1|max:4|")


@pytest.mark.parametrize("words", ["sign-test -r ref -t new -b old --no-files", "self-bleu new"])
def test_a_flag_of_another_metric_is_a_mistake(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == main([*words.split(), "-m", "gleu", "--chrf-beta", "3"])
    assert "--chrf-beta goes with --metric chrf, not gleu" in capsys.readouterr().err


def test_a_metric_that_is_registered_is_a_metric_of_every_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    order = CHRF.flags[0]
    flags = (Flag(("--shout-order",), order.help, order.settings, order.option),)
    monkeypatch.setitem(METRICS, "SHOUT", type("Shout", (CHRF,), {"title": "Shout", "flags": flags}))
    assert "\nShout:\n" in load("").parser().format_help()
    chosen = ("-m", "shout", "--shout-order", "2")
    assert 0 == main(["ref", "-i", "new", "-b", "-w", "5", *chosen])
    assert f"{CHRF(char_order=2).corpus_score(SYSTEM, [REFERENCES]).score:.5f}\n" == capsys.readouterr().out
    for command in ("sign_test", "self_bleu"):
        assert 0 == main([*COMMANDS[command][0], *chosen])
        assert "|nc:2|" in capsys.readouterr().out


# Formats from the table.


def shouted(results: Results, style: Style) -> Iterator[str]:
    yield from (f"{system.name.upper()}!" for system in results.systems)


def test_a_format_is_a_function_and_a_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(FORMATS, "shouted", f"{__name__}.shouted")
    monkeypatch.setenv("TRUEBLEU_FORMAT", "shouted")
    assert 0 == main(["ref", "-i", "new", "old", "-q"])
    assert "NEW!\nOLD!\n" == capsys.readouterr().out


# Names.


def test_the_baseline_is_called_by_its_name_in_warnings(capsys: pytest.CaptureFixture[str]) -> None:
    Path("copy").write_text(Path("old").read_text())
    for test in ("bs", "ar", "bs2"):
        assert 0 == main(["ref", "-i", "old", "copy", "--paired", test, "--paired-n", "20", "-q"])
        out, err = capsys.readouterr()
        assert "Baseline: old" in out and "Baseline" not in err and "'old': p = 1" in err


def test_bleu_is_the_default(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == main(["ref", "-i", "new", "-b", "-w", "5"])
    assert f"{BLEU().corpus_score(SYSTEM, [REFERENCES]).score:.5f}\n" == capsys.readouterr().out


# Test sets whose subset is a pattern with the characters that signatures are made of.

PATTERN = ("-t", "demo", "-l", "en-de", "--subset", "news|social")


@pytest.mark.parametrize("layout", [*([("-f", name)] for name in FORMATS), [("--report",)]])
def test_a_subset_of_two_domains_shows_in_every_format(
    layout: list[tuple[str, ...]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert 0 == main([*PATTERN, "-i", "atlas", *layout[0]])
    out, err = capsys.readouterr()
    assert "" == err and "subset" in out


def test_a_signature_with_a_pattern_is_read_back(capsys: pytest.CaptureFixture[str]) -> None:
    for short in ([], ["-sh"]):
        assert 0 == main([*PATTERN, "-i", "atlas", "-lc", *short])
        line = capsys.readouterr().out
        assert 0 == main(["-i", "atlas", "--like", line.strip(), *short])
        assert line == capsys.readouterr().out


@pytest.mark.parametrize(
    "words", [[], ["doctor"], ["plot", "ranking", "-o", "x.png"], ["report"], ["reconcile", "--target", "1"]]
)
def test_every_command_that_reads_a_test_set_may_be_told_to_stay_offline(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRUEBLEU_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path))
    Path("a.txt").write_text("one\n", "utf-8")
    asked: list[object] = []
    monkeypatch.setattr("urllib.request.OpenerDirector.open", lambda *given, **_: asked.append(given))
    assert 1 == main([*words, "-t", "wmt22", "-l", "en-de", "-i", "a.txt", "--offline"])
    assert "offline" in capsys.readouterr().err and not asked
