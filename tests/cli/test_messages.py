"""What commands say: each message begins with the name of the command, and with no name beside it."""

import re
from pathlib import Path

import pytest

from truebleu.cli.main import COMMANDS, main

# Mistakes that a function of the library finds, which begins its own messages with its name.
MISTAKES = {
    "align": ["align ref.txt -i one.txt"],
    "": ["ref.txt -i a.txt b.txt --paired-all --paired bs2 --paired-n 20000000"],
    "completion": ["completion tcsh"],
    "data": ["data verify nothing"],
    "doctor": ["doctor ref.txt -i a.txt --checks nothing", "doctor ref.txt -i a.txt --fix nothing -o x.txt"],
    "explain": ["explain nothing", "explain BLEU|tok:nothing", "explain BLEU|nothing:1", "explain BLEU|nrefs:many"],
    "merge": ["merge ref.txt"],
    "metrics": ["metrics prompt nothing", "metrics check nothing", "metrics remove nothing"],
    "overlap": ["overlap ref.txt --train nothing.txt", "overlap ref.txt --train a.txt --characters 0"],
    "plot": [
        "plot pairs ref.txt -i a.txt b.txt -o x.pdf --systems nobody",
        "plot pairs ref.txt -i a.txt b.txt -o x.pdf --trials 0",
    ],
    "agree": ["agree --human one.txt a.txt", "agree nowhere --pair zh-en"],
    "scores": ["scores ref.txt", "scores nowhere.score"],
    "rank": ["rank ref.txt"],
    "power": ["power ref.txt -i a.txt b.txt --delta 0", "power ref.txt -i a.txt"],
    "receipt": ["receipt show ref.txt", "receipt make ref.txt -i one.txt -o x.receipt.json"],
    "reconcile": [
        "reconcile ref.txt -i a.txt --target nothing",
        "reconcile ref.txt -i a.txt --target 1 --max-changes 9",
        "reconcile ref.txt -i a.txt --from nothing --to sacrebleu",
    ],
    "report": ["report ref.txt -i a.txt b.txt --baseline nobody", "report ref.txt -i a.txt b.txt --alpha 7"],
    "resegment": ["resegment ref.txt -i a.txt --docids one.txt", "resegment ref.txt -i nothing.txt"],
    "self-bleu": ["self-bleu one.txt"],
    "sign-test": ["sign-test -r ref.txt -t a.txt -b one.txt"],
}
FUNCTIONS = {"attribute", "compare", "diagnose", "reconcile", "repaired", "self_bleu", "study", "study.plot", *COMMANDS}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {"ref": "a b c d\ne f g h\n", "a": "a b c d\ne f g\n", "b": "a b\ne f g h\n", "one": "a\n"}
    for name, text in texts.items():
        (tmp_path / f"{name}.txt").write_text(text)
    monkeypatch.chdir(tmp_path)


def test_all_commands_are_here() -> None:
    assert {"", *COMMANDS} == set(MISTAKES)


@pytest.mark.parametrize("words", [words for of_command in MISTAKES.values() for words in of_command])
def test_a_command_says_its_name_once(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words.split()) in (1, 2)
    message = next(line for line in capsys.readouterr().err.splitlines() if not line.startswith(("usage", " ", "Try")))
    command = next((name for name in COMMANDS if words.startswith(name)), "")
    said = re.fullmatch(rf"truebleu{command and ' '}{command}: (?:error: )?((?:[\w.-]+: )?)(.+)", message)
    assert said is not None and said[1].rstrip(": ").lower() not in FUNCTIONS, message


def test_a_warning_says_the_name_of_the_command_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == main(["report", "ref.txt", "-i", "a.txt", "b.txt", "--trials", "5", "-q"])
    warning = next(line for line in capsys.readouterr().err.splitlines() if "smallest p-value" in line)
    assert warning.startswith("truebleu report: with 5 trials")
