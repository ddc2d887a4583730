"""`truebleu reconcile`, as typed."""

import json
from pathlib import Path

import pytest

from reconciliation.f8 import HYPOTHESES, A, B
from truebleu import BLEU
from truebleu.cli.commands.reconcile import COMMAND

run = COMMAND.run


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, texts in (("s.txt", HYPOTHESES), ("refA.txt", A), ("refB.txt", B)):
        (tmp_path / name).write_text("".join(f"{text}\n" for text in texts), "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_a_number_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == run(["refA.txt", "refB.txt", "-i", "s.txt", "--target", "46.23"])
    lines = capsys.readouterr().out.splitlines()
    assert "46.23 is what multi-bleu.perl -lc gives, with one reference (refA.txt)." == lines[0]
    assert [
        "  78.89  as truebleu scores it (nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp)",
        " -20.30  one reference (refA.txt) instead of 2",
        "  +4.39  lower-cased (A to Z)",
        " -16.76  words split at ASCII spaces instead of 13a",
    ] == lines[1:5]
    assert lines[5].startswith("  46.23  ") and lines[5].endswith("would match by chance: likely, not certain")
    assert "What would settle it: a second system's score, or the tool's whole output line." == lines[-1]


@pytest.mark.usefixtures("folder")
def test_json_has_full_precision(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == run(["refA.txt", "refB.txt", "-i", "s.txt", "--target", "46.23", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert (1, "likely", ["46.23"]) == (found["schema"], found["certainty"], found["targets"])
    contributions = [change["contributions"][0] for change in found["explanations"][0]["changes"]]
    assert sum(contributions) == pytest.approx(-32.65960779780429, abs=1e-9)


@pytest.mark.usefixtures("folder")
def test_markdown_is_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == run(["refA.txt", "-i", "s.txt", "--target", "41.69", "-f", "markdown"])
    assert "| -20.56 | words split at ASCII spaces instead of 13a |" in capsys.readouterr().out.splitlines()


@pytest.mark.usefixtures("folder")
def test_what_nothing_explains_ends_with_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert 1 == run(["refA.txt", "-i", "s.txt", "--target", "1.234", "--max-changes", "1"])
    out = capsys.readouterr().out
    assert out.startswith("No setting known here gives 1.234; the closest is ")
    assert 3 == out.count("near, but not an explanation: ")
    assert "truebleu doctor" in out


@pytest.mark.usefixtures("folder")
def test_two_definitions_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == run(["refA.txt", "-i", "s.txt", "--from", "sacrebleu", "--to", "multi-bleu -lc"])
    lines = capsys.readouterr().out.splitlines()
    assert "From sacreBLEU to multi-bleu.perl -lc:" == lines[0]
    assert "  46.23  multi-bleu.perl -lc" in lines


@pytest.mark.usefixtures("folder")
def test_each_system_has_a_target(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["refA.txt", "-i", "s.txt", "refB.txt", "--target", "41.69"]
    assert 2 == run(words)
    assert "there are 2 systems and 1 target;" in capsys.readouterr().err
    assert 0 == run([*words, "--target", f"{BLEU(tokenize='none').corpus_score(B, [A]).score:.2f}"])
    out = capsys.readouterr().out.splitlines()
    assert out[0].endswith("are what multi-bleu.perl gives.") and "System 2:" in out


@pytest.mark.usefixtures("folder")
def test_flags_of_metrics_say_where_changes_are_counted_from(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == run(["refA.txt", "-i", "s.txt", "--target", "62.25", "-tok", "intl"])
    assert "instead of intl" in capsys.readouterr().out
    assert 0 == run(["refA.txt", "-i", "s.txt", "--target", "72.2466", "-m", "chrf"])
    assert "72.2466 is what sacreBLEU's chrF++ gives." == capsys.readouterr().out.splitlines()[0]


@pytest.mark.usefixtures("folder")
def test_the_target_or_the_tool_names_the_metric(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == run(["refA.txt", "-i", "s.txt", "--target", "TER = 32.258"])
    assert 0 == run(["refA.txt", "-i", "s.txt", "--target", "0.7135", "--tool", "torchmetrics"])
    assert "0.7135 is what torchmetrics' CHRFScore gives." in capsys.readouterr().out.splitlines()


def test_a_test_set_adds_labels(capsys: pytest.CaptureFixture[str]) -> None:
    from truebleu.dataset.sets import testset

    demo = testset("demo", "en-de")
    part = demo.select(subset="news")
    target = f"{BLEU().corpus_score(part.cut(demo.systems['atlas']), part.references).score:.4f}"
    assert 0 == run(["-t", "demo", "-l", "en-de", "-i", "atlas", "--target", target])
    assert "only lines whose domain is news" in capsys.readouterr().out


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "there is nothing to explain"),
        (["--target", "many"], "target is 'many'"),
        (["--target", "41.7", "--to", "multi-bleu"], "give one of the two"),
        (["--target", "41.7", "--tool", "moses"], "there is no tool 'moses'"),
        (["--target", "41.7", "--axes", "colour"], "axes has 'colour'"),
        (["--target", "41.7", "--max-changes", "9"], "max_changes is 9"),
        (["--from", "sacrebleu", "--to", "moses"], "neither a tool nor a signature"),
        (["--target", "41.7", "--from", "sacrebleu", "-tok", "intl"], "leave out the options of metrics"),
        (["--target", "41.7", "-m", "gleu"], "expected BLEU, chrF, TER or METEOR"),
    ],
)
def test_what_makes_no_sense_ends_with_two(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == run(["refA.txt", "-i", "s.txt", *words])
    assert message in capsys.readouterr().err
