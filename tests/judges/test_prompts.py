"""The instructions of judges: ours, those of users, and the messages that a server gets."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truebleu.errors import OptionError
from truebleu.runners.judging.answers import JudgedError
from truebleu.runners.judging.prompts import OURS, parse_prompt, prompt_file, read_prompt, shown_prompt
from truebleu.runners.protocol import Unit

OWN = prompt_file("judge-da")


@pytest.mark.parametrize("name", OURS)
def test_ours_are_short_and_say_that_texts_are_data(name: str) -> None:
    prompt = read_prompt(name)
    assert name == prompt.name
    for step in range(len(prompt.steps)):
        told, texts = prompt.messages(Unit("a", "b", None), ("German", "English"), step)
        assert len(told["content"].split()) <= 250
        assert "German" in told["content"]
        assert re.search("material|data", told["content"])
        assert "b" == json.loads(texts["content"])["translation"]
        assert not re.search(r"\{\w+\}|\{\{|\}\}\}", told["content"])


@given(st.text(), st.text(), st.none() | st.text())
def test_no_text_gets_out_of_the_object(source: str, translation: str, reference: str | None) -> None:
    prompt = read_prompt("judge-esa")
    errors = [JudgedError(translation, "minor", None, "source")]
    told, texts = prompt.messages(Unit(source, translation, reference), ("", ""), 1, errors)
    found = json.loads(texts["content"])
    named = {"source": source, "translation": translation} | ({} if reference is None else {"reference": reference})
    assert {**named, "errors": [{"text": translation, "severity": "minor", "in": "source"}]} == found
    assert told == prompt.messages(Unit("", "", None), ("", ""), 1)[0]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('user = "{segments}"', 'user = "{source}"', r"x.toml, line \d+: {source} is not known; texts come in"),
        ('user = "{segments}"', 'user = "none"', r"line \d+: user: expected {segments} once"),
        ('user = "{segments}"', 'user = "{segments} {segments}"', r"line \d+: user: expected {segments} once"),
        ('user = "{segments}"', 'user = "{segments} }"', r"line \d+: a brace alone: write }} for one that is meant"),
        ("{source_language}", "{segments}", r"line \d+: {segments} belongs into user"),
        ("range = [0, 100]", "range = [100, 0]", r"line 6: range: expected \[LOW, HIGH\], two numbers in order"),
        ("range = [0, 100]", "range = [0]", "line 6: range"), ("range = [0, 100]", "range = [false, true]", "range"),
        ("schema = 1", "schema = 2", "line 1: schema: expected 1"), ("schema = 1", "", "schema: expected there"),
        ("schema = 1", "schema = 1\ntemperature = 0", "line 2: temperature: expected only answer, higher_is_better"),
        ('name = "judge-da"', 'name = "My judge"', "line 2: name: expected up to 40 of a-z"),
        ('version = "1"', "version = 1", "line 3: version"), ('"src", "hyp"', '"src"', "line 4: needs"),
        ('"src", "hyp"', '"hyp", "hyp"', "line 4: needs"), ('"src", "hyp"', '"hyp", "more"', "line 4: needs"),
        ('answer = "score"', 'answer = "number"', "line 5: answer: expected one of score, errors, errors"),
        ('answer = "score"', 'answer = "errors"', r"range: expected \[-25, 0\] where the answer is"),
        ("higher_is_better = true", "higher_is_better = 1.5", "higher_is_better: expected true or false"),
        ("schema = 1", "schema = ", "is not valid TOML"), ('user = "', "[then]\nuser = \"", "user"),
        ('user = "{segments}"', 'user = "{segments}"\n[then]\nuser = "{segments}"\nsystem = "x"', "then: expected"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_file_is_told_with_its_line(old: str, new: str, told: str) -> None:
    assert old in OWN
    with pytest.raises(OptionError, match=told):
        parse_prompt(OWN.replace(old, new, 1), "x.toml")


def test_a_file_of_ones_own_is_read(tmp_path: object) -> None:
    from pathlib import Path

    path = Path(str(tmp_path)) / "mine.toml"
    path.write_text(OWN.replace("judge-da", "mine"), "utf-8")
    prompt = read_prompt(str(path))
    assert re.fullmatch(r"mine-1\.[0-9a-f]{12}", prompt.signed)
    assert prompt.digest != read_prompt("judge-da").digest


def test_a_prompt_is_shown_as_a_file_or_as_the_messages_of_a_unit() -> None:
    assert OWN == shown_prompt("judge-da")
    unit = Unit("a", "b", None)
    shown = [json.loads(line) for line in shown_prompt("judge-esa", unit, ("German", "English")).splitlines()]
    prompt = read_prompt("judge-esa")
    assert [prompt.messages(unit, ("German", "English"), step) for step in (0, 1)] == shown
