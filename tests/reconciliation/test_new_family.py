"""A metric that is added to `reconcile` as one file works everywhere: targets, tools, signatures and the command."""

from pathlib import Path

import pytest

import truebleu
from reconciliation.f8 import HYPOTHESES, A, B
from reconciliation.word_errors import WordErrors
from truebleu.cli.commands.reconcile import COMMAND
from truebleu.errors import OptionError
from truebleu.metrics import WER
from truebleu.reconciliation import attribute
from truebleu.reconciliation.family import FAMILIES

PLAIN = WER().corpus_score(HYPOTHESES, [A]).score
LEADERBOARD = WER(lowercase=True, remove_punctuation=True).corpus_score(HYPOTHESES, [A]).score


@pytest.fixture(autouse=True)
def word_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FAMILIES, "wer", WordErrors())


def test_a_printed_rate_is_explained_by_the_tool_that_gives_it() -> None:
    found = truebleu.reconcile(HYPOTHESES, [A], f"WER = {LEADERBOARD:.2f}")
    first = found.explanations[0]
    assert ("a leaderboard's normalised WER", "wer") == (first.profile, first.metric)
    assert {"case", "marks"} == {change.axis for change in first.changes}
    assert LEADERBOARD - PLAIN == pytest.approx(sum(first.contributions.values()))


def test_one_change_is_named() -> None:
    score = WER(remove_punctuation=True).corpus_score(HYPOTHESES, [B]).score
    found = truebleu.reconcile(HYPOTHESES, [A, B], f"{score / 100:.6f}", start=WER())
    assert {"marks": "dropped", "references": "2"} == {c.axis: c.value for c in found.explanations[0].changes}


def test_one_minus_the_rate_fits_as_for_every_rate_of_errors() -> None:
    assert truebleu.reconcile(HYPOTHESES, [A], f"{100 - PLAIN:.4f}", start=WER()).explained


def test_tools_and_signatures_are_two_definitions() -> None:
    signature = WER(lowercase=True).corpus_score(HYPOTHESES, [A]).signature
    found = attribute(HYPOTHESES, [A], "jiwer", f"WER|{signature}")
    assert ["case"] == [change.axis for change in found.changes]
    assert "jiwer's wer" == found.start


def test_the_command_takes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, texts in (("s.txt", HYPOTHESES), ("ref.txt", A)):
        (tmp_path / name).write_text("".join(f"{text}\n" for text in texts), "utf-8")
    files = [str(tmp_path / "ref.txt"), "-i", str(tmp_path / "s.txt")]
    assert 0 == COMMAND.run([*files, "-m", "wer", "--target", f"{LEADERBOARD:.2f}"])
    assert "a leaderboard's normalised WER" in capsys.readouterr().out
    assert 0 == COMMAND.run(["--help"])
    assert "bleu (default), chrf, ter, meteor or wer" in " ".join(capsys.readouterr().out.split())


def test_without_its_line_it_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(FAMILIES, "wer")
    with pytest.raises(OptionError, match="the metric is WER, expected BLEU, chrF, TER or METEOR"):
        truebleu.reconcile(HYPOTHESES, [A], "20.0", start=WER())


def test_profiles_have_values_of_their_axes() -> None:
    for family in FAMILIES.values():
        for profile in family.profiles:
            assert all(value in family.axes[axis].values for axis, value in profile.values.items()), profile.name
