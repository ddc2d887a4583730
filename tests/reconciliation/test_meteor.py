"""METEOR in `reconcile`: tokens, stages and parameters that NLTK's number may have, and the tools that compute it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import nltk.translate.meteor_score as nltks
import pytest
from nltk.tokenize import NLTKWordTokenizer

import truebleu
from truebleu import METEOR, _core
from truebleu.cli.commands.reconcile import COMMAND
from truebleu.errors import OptionError, TokenizerError
from truebleu.metrics.meteor import wordnet
from truebleu.reconciliation import attribute, meteor
from truebleu.reconciliation.family import FAMILIES

HYPOTHESES = [
    "The quick fox jumps over the dog. It isn't tired, is it?",
    "Dr. Stone began his studies in the morning.",
    "Nobody said a word, though all of them knew the answer.",
]
A = [
    "The fast fox jumped over a dog. It isn't tired.",
    "Dr. Stone started to study early in the morning.",
    "None of them said anything, but everybody knew the answers.",
]
B = ["A fox jumps over a dog. It's not tired, is it?", "He began to study in the morning.", "Nobody spoke of it."]


class OurSynonyms:
    """WordNet as NLTK asks for it, from our table."""

    def synsets(self, word: str) -> list[Any]:
        named = [type("Lemma", (), {"name": lambda self, name=name: name})() for name in wordnet().synonyms(word)]
        return [type("Synset", (), {"lemmas": lambda self: named})()]


def nltk_score(split: Callable[[str], list[str]], **options: float) -> float:
    scores = [
        nltks.meteor_score([split(one), split(other)], split(text), wordnet=OurSynonyms(), **options)
        for text, one, other in zip(HYPOTHESES, A, B, strict=True)
    ]
    return sum(scores) / len(scores)


@pytest.fixture
def no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise TokenizerError("there is no model")

    monkeypatch.setattr(meteor, "punkt", missing)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model of sentences that knows one abbreviation."""
    made = _core.Punkt("dr", "", "", "")
    monkeypatch.setattr(meteor, "punkt", lambda: made)
    monkeypatch.setattr("truebleu.tokenizers.treebank.punkt", lambda: made)


def test_nltks_number_of_split_words_is_that_tool(no_model: None) -> None:
    found = truebleu.reconcile(HYPOTHESES, [A, B], f"METEOR: {nltk_score(str.split):.4f}")
    first = found.explanations[0]
    assert ("NLTK's meteor_score of words split at spaces", "meteor", True) == (
        first.profile,
        first.metric,
        first.exact,
    )
    assert {"tokenizer": "none"} == {change.axis: change.value for change in first.changes}


def test_evaluates_number_is_that_tool_where_the_model_is(model: None) -> None:
    score = METEOR(tokenize="nltk").corpus_score(HYPOTHESES, [A, B]).score
    assert score != METEOR().corpus_score(HYPOTHESES, [A, B]).score
    first = truebleu.reconcile(HYPOTHESES, [A, B], f"METEOR: {score / 100:.6f}").explanations[0]
    assert ("evaluate's meteor (NLTK's, of word_tokenize)", 0) == (first.profile, first.level)
    found = attribute(HYPOTHESES, [A, B], METEOR(), "evaluate METEOR")
    assert ["tokenizer"] == [change.axis for change in found.changes]
    assert found.end_scores[0] - found.start_scores[0] == pytest.approx(found.changes[0].contributions[0])


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"alpha": 0.85}, {"alpha": "0.85"}),
        ({"beta": 2.0, "gamma": 0.4}, {"beta": "2", "gamma": "0.4"}),
        ({"gamma": 0.0, "tokenize": "13a"}, {"gamma": "0", "tokenizer": "13a"}),
        ({"stem": "no"}, {"stems": "no"}),
        ({"synonyms": "no"}, {"synonyms": "no"}),
    ],
)
def test_changed_settings_are_named(no_model: None, options: dict[str, Any], expected: dict[str, str]) -> None:
    score = METEOR(**options).corpus_score(HYPOTHESES, [A, B]).score
    found = truebleu.reconcile(HYPOTHESES, [A, B], f"{score:.8f}", start=METEOR())
    changes = [{change.axis: change.value for change in one.changes} for one in found.explanations]
    assert expected in changes
    assert score == pytest.approx(found.explanations[changes.index(expected)].score, rel=1e-12)


def test_parameters_are_nltks(no_model: None) -> None:
    options = {"alpha": 0.8, "beta": 2, "gamma": 0.6}
    score = 100 * nltk_score(NLTKWordTokenizer().tokenize, **options)
    found = attribute(HYPOTHESES, [A, B], METEOR(), METEOR(**options))
    assert score == pytest.approx(found.end_scores[0], rel=1e-12)


def test_one_reference_and_a_lost_line_are_found(no_model: None) -> None:
    score = METEOR().corpus_score(HYPOTHESES[:2], [B[:2]]).score
    found = truebleu.reconcile(HYPOTHESES, [A, B], f"{score:.6f}", start=METEOR()).explanations[0]
    assert {"references": "2", "lines": "last lost"} == {change.axis: change.value for change in found.changes}


def test_a_signature_is_a_setting(no_model: None) -> None:
    score = METEOR(alpha=0.7).corpus_score(HYPOTHESES, [A, B])
    found = attribute(HYPOTHESES, [A, B], METEOR(), f"METEOR|{score.signature}")
    assert [("alpha", "0.7")] == [(change.axis, change.value) for change in found.changes]
    assert score.score == found.end_scores[0]


def test_other_tools_of_that_name_are_named(no_model: None) -> None:
    found = truebleu.reconcile(HYPOTHESES, [A, B], "METEOR = 12.3456")
    assert not found.explained
    java, words = found.notes[:2]
    assert "METEOR 1.5, the Java program" in java and "not in the store" in words and "--meteor-tokenize nltk" in words
    assert found.nearest
    # Evaluate's tool itself is not scored, and does not stop the others.
    assert not truebleu.reconcile(HYPOTHESES, [A, B], "12.3456", tools=["evaluate METEOR"]).explained
    with pytest.raises(OptionError, match=r"no tool 'meteor-1\.5'; known are .*evaluate"):
        truebleu.reconcile(HYPOTHESES, [A, B], "12.3456", tools=["meteor-1.5"])


def test_without_the_model_evaluates_words_are_no_number(no_model: None) -> None:
    found = attribute(HYPOTHESES, [A, B], METEOR(), "evaluate METEOR")
    assert found.end_scores[0] != found.end_scores[0]


def test_the_command_takes_it(no_model: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, texts in (("s.txt", HYPOTHESES), ("ref.txt", A)):
        (tmp_path / name).write_text("".join(f"{text}\n" for text in texts), "utf-8")
    score = METEOR(tokenize="none").corpus_score(HYPOTHESES, [A]).score
    files = [str(tmp_path / "ref.txt"), "-i", str(tmp_path / "s.txt"), "-m", "meteor"]
    assert 0 == COMMAND.run([*files, "--target", f"{score:.4f}"])
    assert "NLTK's meteor_score of words split at spaces" in capsys.readouterr().out
    assert 1 == COMMAND.run([*files, "--target", "12.3456"])
    assert "Java program" in " ".join(capsys.readouterr().out.split())


def test_the_family_is_one_of_all() -> None:
    assert isinstance(FAMILIES["meteor"], meteor.Meteor)
