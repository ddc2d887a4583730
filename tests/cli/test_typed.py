"""What was typed is never dropped: lists add up, and a value that replaces another is named."""

import json
from pathlib import Path
from shlex import split

import pytest

from truebleu.cli.main import main


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {"ref": "a b c d e\nf g h i j\n", "a": "a b c d x\nf g h i j\n", "b": "a b c\nf g h i j\n"}
    for name, text in texts.items():
        (tmp_path / f"{name}.txt").write_text(text)
    fields = [{"one": "a b c d x", "two": "a b", "ref": "a b c d e", "other": "a b c d x", "kind": "k", "lang": "de"}]
    (tmp_path / "out.jsonl").write_text("".join(json.dumps(line) + "\n" for line in fields))
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("added", "joined"),
    [
        ("ref.txt -i a.txt -i b.txt", "ref.txt -i a.txt b.txt"),
        ("ref.txt -i a.txt -m bleu -m chrf", "ref.txt -i a.txt -m bleu chrf"),
        ("ref.txt -i a.txt -m bleu -m chrf,ter -m bleu", "ref.txt -i a.txt -m bleu chrf ter"),
        ("ref.txt -i a.txt --normalize nfc --normalize quotes", "ref.txt -i a.txt --normalize nfc,quotes"),
        ("ref.txt -i a.txt --only 1 --only 2", "ref.txt -i a.txt --only 1,2"),
        (
            "out.jsonl --hyp-field one --hyp-field two --ref-field ref --ref-field other",
            "out.jsonl --hyp-field one two --ref-field ref other",
        ),
        (
            "out.jsonl --hyp-field one --ref-field ref --by kind --by lang",
            "out.jsonl --hyp-field one --ref-field ref --by kind lang",
        ),
        ("-t demo -l en-de --echo src --echo ref", "-t demo -l en-de --echo src ref"),
        ("doctor ref.txt -i a.txt -i b.txt -m bleu -m chrf", "doctor ref.txt -i a.txt b.txt -m bleu chrf"),
        ("doctor ref.txt -i a.txt --skip D1 --skip D3", "doctor ref.txt -i a.txt --skip D1,D3"),
        ("report ref.txt -i a.txt -i b.txt -m ter -m chrf -o -", "report ref.txt -i a.txt b.txt -m ter chrf -o -"),
        (
            "reconcile ref.txt -i a.txt --target 83.8 --axes case --axes tokenizer",
            "reconcile ref.txt -i a.txt --target 83.8 --axes case tokenizer",
        ),
    ],
)
def test_lists_add_up(added: str, joined: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    outputs = []
    for words in (added, joined):
        assert 0 == main(words.split())
        outputs.append(capfdbinary.readouterr().out.replace(words.encode(), b""))  # the page has its command
    assert outputs[0] == outputs[1] and outputs[0]


def test_names_of_test_sets_add_up(capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == main(split("-t demo -t demo -l en-de -i atlas"))
    assert "--test-set names demo twice" in capsys.readouterr().err


def test_a_value_that_replaces_another_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == main(split("ref.txt -i a.txt -b -w 2 -w 3"))
    assert ("83.759\n", "truebleu: --width: 3 replaces 2, which was given before\n") == capsys.readouterr()
    assert 0 == main(split("ref.txt -i a.txt -b -w 2 -w 2 -b"))
    assert ("83.76\n", "") == capsys.readouterr()
    assert 0 == main(split("ref.txt -i a.txt -b -f csv --json"))
    assert "--json: 'json' replaces 'csv', which was given before" in capsys.readouterr().err
    assert 0 == main(split("self-bleu a.txt -m bleu -m chrf"))
    assert "--metric: 'chrf' replaces 'bleu', which was given before" in capsys.readouterr().err


def test_reconcile_explains_one_metric(capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == main(split("reconcile ref.txt -i a.txt --target 50 -m bleu -m chrf"))
    assert "--metrics names bleu and chrf; explain one metric at a time" in capsys.readouterr().err
