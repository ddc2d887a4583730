"""The word lists of preambles, refusals and remarks, against texts that they must and must not find."""

import pytest

from truebleu.doctor.words import note_start, preamble_end, refuses

PREAMBLES = {
    "Sure! Here is the translation: Das Boot.": "Das Boot.",
    "**Translation:** x": "x",
    "Here's the German translation:\n\nx": "x",
    "Here\u2019s the translation into Czech: x": "x",
    "German: x": "x",
    "翻译：x": "x",
    "Voici la traduction en français : x": "x",
    "Übersetzung: x": "x",
    "Output: x": "x",
    "The translation of the text is as follows: x": "x",
    "Certainly, I can render that for you: x": "x",
    "以下是中文翻译：船": "船",
    "Hier ist die deutsche Übersetzung: x": "x",
    "Below is the translation. x": "x",
}


@pytest.mark.parametrize("text", PREAMBLES)
def test_a_preamble_ends_where_the_translation_begins(text: str) -> None:
    assert PREAMBLES[text] == text[preamble_end(text) :]


@pytest.mark.parametrize(
    "text",
    [
        "Sure, I will come.",
        "The translation of the book took years.",
        "Certainly the boat left.",
        "Yes: the boat.",
        "Okay, here we go again: rain.",
        "This is a version of the story.",
        "German trains: late again.",
        "The result was: rain.",
        "",
    ],
)
def test_text_is_no_preamble(text: str) -> None:
    assert 0 == preamble_end(text)


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with that.",
        "I’m sorry, but I can’t translate this text.",
        "As an AI language model, I cannot translate this.",
        "Please provide the text you want translated.",
        "I cannot provide a translation of this.",
    ],
)
def test_a_refusal_is_found(text: str) -> None:
    assert refuses(text)


@pytest.mark.parametrize(
    "text",
    [
        "I can't help it if the chest arrives broken.",
        "I'm sorry, but we are closed today.",
        "I cannot provide for my family.",
        "As an aid to memory, write it down.",
        "",
    ],
)
def test_text_is_no_refusal(text: str) -> None:
    assert not refuses(text)


@pytest.mark.parametrize(
    "text",
    [
        "Das Boot. (Note: the name was kept.)",
        "Das Boot.\n\nLet me know if you need changes!",
        "Das Boot. Explanation: a boat is a ship.",
        "Das Boot. I hope this helps!",
    ],
)
def test_a_remark_at_the_end_is_found(text: str) -> None:
    assert "Das Boot." == text[: note_start(text)].rstrip()


@pytest.mark.parametrize("text", ["Note: bring a coat.", "(Note the date.)", "I hope this finds you well.", ""])
def test_text_is_no_remark(text: str) -> None:
    assert len(text) == note_start(text)
