"""Text from elsewhere is seen in a message, and cannot act."""

import unicodedata

import pytest

from truebleu._shown import shown, shown_address


def test_no_character_that_acts_on_a_terminal_comes_through() -> None:
    acting = {"Cc", "Cs", "Zl", "Zp"}
    bidi = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    for code in range(0x110000):
        character = chr(code)
        is_mark = character in "\u061c\u200e\u200f"
        if unicodedata.category(character) in acting or unicodedata.bidirectional(character) in bidi or is_mark:
            assert repr(character)[1:-1] == shown(character)
            assert shown(character).isascii() and shown(character).isprintable()
        else:
            assert character == shown(character)


@pytest.mark.parametrize("text", ["", "München 東京 👩‍👩‍👧 नमस्ते", "C:\\temp\\new", 'it\'s "quoted"', "a\u00a0b"])
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert text == shown(text)


def test_a_long_text_keeps_its_beginning_and_its_end() -> None:
    assert "a" * 300 == shown("a" * 300)
    short = shown("begin" + "x" * 100_000 + "end")
    assert 300 == len(short) and short.startswith("begin") and short.endswith("end") and "…" in short
    # What is written out may be longer, never by more than six times.
    assert len(shown("\u202e" * 100_000)) < 6 * 300


def test_what_is_no_text_is_shown_by_its_text() -> None:
    assert "no \\x1b[31m" == shown(ValueError("no \x1b[31m"))


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://ann:s@cret@lab.example/a?b=c@d", "https://lab.example/a?b=c@d"),
        ("https://token@lab.example", "https://lab.example"),
        ("https://lab.example/@ann", "https://lab.example/@ann"),
        ("404 for https://a:b@x/y and https://c:d@z/\x1b", "404 for https://x/y and https://z/\\x1b"),
        ("ann@lab.example", "ann@lab.example"),
    ],
)
def test_passwords_in_addresses_are_not_shown(url: str, expected: str) -> None:
    assert expected == shown_address(url)
