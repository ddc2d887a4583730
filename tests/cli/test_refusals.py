"""What contradicts itself, or cannot be, is refused with the words of whoever typed it, before any work."""

import json
import re
from argparse import Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from truebleu.cli import request
from truebleu.cli.flags import sections, wings
from truebleu.cli.main import COMMANDS, Command, Conflict, load, main


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    texts = {"ref": "a b c d\ne f g h\n", "a": "a b c d\ne f g\n", "b": "a b\ne f g h\n", "labels": "x\ny\n"}
    for name, text in texts.items():
        (tmp_path / f"{name}.txt").write_text(text)
    lines = [{"mt": "a b c d", "ref": "a b c", "kind": "x"}, {"mt": "e f", "ref": "e f g", "kind": "y"}]
    (tmp_path / "out.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (tmp_path / "none.jsonl").write_text('{"mt": "a b c d", "ref": []}\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("doctor -t demo -l en-de -i atlas --sources ref.txt", "which has its sources, and --sources are given"),
        ("plot groups ref.txt -i a.txt b.txt -o x.svg --labels labels.txt --labels labels.txt", "was given 2 times"),
        ("reconcile ref.txt -i a.txt --from sacrebleu --to nltk -m bleu", "leave out --metrics"),
        (
            "reconcile ref.txt -i a.txt --from sacrebleu --to nltk --tool nltk",
            "are about a search; leave",
        ),
        ("report ref.txt -i a.txt b.txt -o - --open", "--open opens a file; name one with --output"),
        ("report -t demo -l en-de -i atlas birch --src ref.txt", "which has its sources, and --src are given"),
        ("-t demo -l en-de -i atlas --num-refs 2", "are about reference files; the test set has its references"),
        ("ref.txt -i a.txt --by kind", "--by is about fields"),
        ("out.jsonl --hyp-field mt --ref-field ref --by kind --breakdown labels.txt", "both make groups"),
        ("none.jsonl --hyp-field mt --ref-field ref", "have no reference at all"),
        ("ref.txt -i a.txt --like BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|level:page|version:2.6.0", "page"),
        ("ref.txt -i a.txt --like BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:floor[x]|version:2.6.0", "floor[x]"),
    ],
)
def test_it_is_refused(words: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words.split()) in (1, 2)
    told = capsys.readouterr()
    assert said in told.err
    assert "" == told.out and "Traceback" not in told.err


def test_systems_that_are_divided_may_all_be_compared(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == main(["ref.txt", "-i", "a.txt", "b.txt", "--resegment", "always", "--paired-all", "-pan", "20"])
    assert "re-segmented 1 of 1 document" in capsys.readouterr().err


def test_receipts_have_no_references_to_divide_by_tabs(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == main(["receipt", "make", "ref.txt", "-i", "a.txt", "-o", "a.receipt.json", "-q"])
    assert 2 == main(["-i", "a.receipt.json", "--num-refs", "2"])
    assert "--num-refs goes with exactly one reference file" in capsys.readouterr().err


# A name that nobody can type, or that nothing is known by, would make a row that never refuses anything.


def unknown(rows: Iterable[Conflict], known: set[str]) -> set[str]:
    words = {one for flags, _, others, _ in rows for one in f"{flags}, {others}".split(", ")}
    told = {one for *_, why in rows for one in re.findall(r"{(.+?)}", why)}
    return (words | told) - known - {"nothing", "flag", "other"}


def names_of(command: Command) -> set[str]:
    """The flags of a command, and those with choices with each of them."""
    flags = [one for section in sections(command.flags) for one in section.flags]
    valued = {f"{one.names[0]} {value}" for one in flags for value in one.settings.get("choices") or ()}
    return valued | {name for one in flags for name in one.names}


def test_every_name_in_the_table_of_conflicts_exists(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Any, Any]] = []
    monkeypatch.setattr(request, "refuse_conflicts", lambda *given: asked.append(given))
    assert 0 == main(["ref.txt", "-i", "a.txt"])
    ((rows, given),) = asked
    given = {**given, **{word: None for wing in wings() for word in wing.words(Namespace(metrics=[]), [])}}
    flags = names_of(load(""))
    assert set() == unknown(rows, flags | set(given)) and len(rows) > 40


@pytest.mark.parametrize("name", COMMANDS)
def test_every_name_in_the_conflicts_of_a_command_is_a_flag_of_it(name: str) -> None:
    for command in (load(name), *load(name).commands):
        assert set() == unknown(command.conflicts, names_of(command))
