"""A command, a format and a check of the doctor are one file and one line each; for metrics see test_new_metric."""

import json
from argparse import Namespace
from pathlib import Path

import pytest

from docs_commands import parsers, reference
from reconciliation.word_errors import WordErrors
from shouted_texts import shouted
from truebleu.cli.main import COMMANDS, load, main
from truebleu.doctor import diagnose
from truebleu.doctor import diagnosis as of_doctor
from truebleu.doctor.rule import Rule
from truebleu.doctor.rules import RULES
from truebleu.metrics import CHRF
from truebleu.reconciliation.family import FAMILIES
from truebleu.study.formats.render import FORMATS

TEXTS = {"ref": "the ferry sailed\nit rained\n", "sys": "the ferry left!!!\nit rained all day\n"}


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(COMMANDS, "word-count", ("word_count", "count the words of a text"))
    monkeypatch.setitem(FORMATS, "loud", "loud_lines.loud_lines")
    monkeypatch.setattr(of_doctor, "RULES", (*RULES, Rule("D901", "shouted texts", shouted)))
    monkeypatch.chdir(tmp_path)
    for name, text in TEXTS.items():
        Path(name).write_text(text, "utf-8")


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    code = main(words)
    out, err = capsys.readouterr()
    assert 0 == code, err
    return out


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert 2 == main(words)
    return capsys.readouterr().err


# A command.


def test_a_command_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert "7 words\n" == printed(capsys, "word-count", "sys")
    assert {"words": 4} == json.loads(printed(capsys, "word-count", "sys", "--json", "--per-line", "--longest"))


def test_a_command_has_the_shell(capsys: pytest.CaptureFixture[str]) -> None:
    assert "truebleu word-count: --longest is about lines" in refused(capsys, "word-count", "sys", "--longest")
    assert "did you mean --longest?" in refused(capsys, "word-count", "sys", "--lngest")
    assert 1 == main(["word-count", "nowhere"])
    assert capsys.readouterr().err.startswith("truebleu word-count: nowhere: there is no such file")


def test_a_command_is_in_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert "  truebleu word-count  count the words of a text\n" in printed(capsys, "--help")
    assert "--longest" in printed(capsys, "help", "word-count")


def test_a_command_may_be_mistyped(capsys: pytest.CaptureFixture[str]) -> None:
    assert "did you mean 'truebleu word-count'?" in refused(capsys, "wordcount", "sys")


def test_a_command_is_completed() -> None:
    pytest.importorskip("argcomplete")
    from truebleu.cli.completion import add_completers

    parser = load("").parser()
    add_completers(parser, COMMANDS)
    (action,) = [one for one in parser._actions if one.dest == "refs"]
    assert "word-count" in action.completer("", parsed_args=Namespace(refs=[]))  # type: ignore[attr-defined]


def test_a_command_is_in_the_reference() -> None:
    section = reference().partition("## truebleu word-count\n")[2].partition("\n## ")[0]
    assert "Counts words." in section and "`--longest`" in section


# A format.


def test_a_format_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    score = CHRF().corpus_score(TEXTS["sys"].splitlines(), [TEXTS["ref"].splitlines()]).score
    assert f"SYS! {score:.1f}!\n" == printed(capsys, "ref", "-i", "sys", "-m", "chrf", "-f", "loud")


def test_a_format_is_in_the_help_and_may_be_mistyped(capsys: pytest.CaptureFixture[str]) -> None:
    assert "loud" in printed(capsys, "--help") and "loud" in printed(capsys, "merge", "--help")
    assert "did you mean loud?" in refused(capsys, "ref", "-i", "sys", "-f", "lodu")
    assert "loud" in reference()


def test_formats_are_asked_for_in_the_same_way_everywhere() -> None:
    found = {name: parser._option_string_actions for name, parser in parsers().items()}
    with_formats = {name: flags for name, flags in found.items() if "--format" in flags}
    assert {"truebleu", "truebleu merge", "truebleu receipt show", "truebleu self-bleu"} < set(with_formats)
    for name, flags in with_formats.items():
        assert flags["-f"] is flags["--format"], name
        assert ("json" in (flags["-f"].choices or ())) == ("--json" in flags), name


# A check of the doctor.


def test_a_check_finds_its_fault(capsys: pytest.CaptureFixture[str]) -> None:
    found = diagnose(["the ferry left!!!", "it rained all day"], [["the ferry sailed", "it rained"]])
    assert ["1 text shouts."] == [one.message for one in found.findings if one.code == "D901"]
    words = ("doctor", "ref", "-i", "sys", "--checks", "D9", "--level", "note", "--fail-on", "never")
    assert "D901" in printed(capsys, *words)


# A file with the name of a command.


@pytest.mark.parametrize("words", [["report", "-i", "sys"], ["report"], ["report", "-i", "sys", "--nonsense"]])
def test_a_file_with_the_name_of_a_command_may_have_been_meant(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    said = "truebleu: report is a command and also a file here; for the file write ./report\n"
    assert said not in refused(capsys, *words)
    Path("report").write_text(TEXTS["ref"], "utf-8")
    assert refused(capsys, *words).endswith(said)
    assert printed(capsys, "./report", "-i", "sys", "-m", "chrf") == printed(capsys, "ref", "-i", "sys", "-m", "chrf")


def test_lists_of_a_wing_are_asked_in_every_call(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The parser of the command that scores is kept for the next call; others ask lists that it does not know."""
    before = " ".join(printed(capsys, "reconcile", "--help").split())
    monkeypatch.setitem(FAMILIES, "wer", WordErrors())
    after = " ".join(printed(capsys, "reconcile", "--help").split())
    assert "bleu (default), chrf, ter or meteor" in before and "bleu (default), chrf, ter, meteor or wer" in after
