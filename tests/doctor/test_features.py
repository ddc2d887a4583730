"""The rows of the core against slow obvious Python."""

import sys
import unicodedata

import numpy as np
import pytest
import regex

from truebleu import _core
from truebleu.doctor.case import Case
from truebleu.doctor.texts import fold, squash
from truebleu.glance import COLUMNS, SCRIPTS
from truebleu.metrics import BLEU


def row(text: str) -> dict[str, int]:
    cells = np.frombuffer(_core.features([text], 1), np.int32)
    return dict(zip(COLUMNS, cells.tolist(), strict=True))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Yes , no . 3.5", {"stops": 2, "stops_gap": 2, "len": 10, "words": 5}),
        ('He said "no" – „nein“ «non» 「不」 it\'s it’s', {
            "quote_straight": 2, "quote_low": 1, "quote_curly": 1, "quote_angle": 2, "quote_corner": 2,
            "apostrophe": 1, "apostrophe_curly": 1, "en_dash": 1,
        }),
        ("a - b-c 1–2 x… y... z....", {"hyphen": 1, "en_dash": 0, "ellipsis": 1, "dots": 2}),
        ("今天，天气（好）, 好!", {"wide_marks": 3, "narrow_marks": 1, "cjk_pairs": 2, "cjk_stops": 1}),
        ("ＡＢ１ a1 ｶﾞ", {"wide_alnum": 3, "narrow_alnum": 2, "half_kana": 2}),
        ("a\xa0b\u202fc\u2009d\u3000e f\tg", {"odd_space": 4, "space": 1, "tab": 1}),
        ("a@@ b@c ▁x <y> &z \ufffd [ _ >> ⁇ # Ġ ` * ~ : ：", {
            "at_at": 1, "at": 3, "low_line": 1, "less": 1, "greater": 3, "ampersand": 1, "replacement": 1,
            "bracket": 1, "underscore": 1, "question": 1, "hash": 1, "g_dot": 1, "backtick": 1, "star": 1, "tilde": 1,
            "colon": 2,
        }),
        ("\u200b\u2060\ufeff\xad\u180e\u200d", {"invisible": 5, "control": 0}),
        ("\x00\x07\x1f\x7f\x80\x9f\t\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029", {"control": 6, "line_break": 10}),
        ("\\n C:\\x", {"backslash": 2}),
        ("Äh", {"first": 1, "upper": 1, "lower": 1}),
        ("12 äh", {"first": 2}),
        ("今 Äh", {"first": 0}),
        ("", dict.fromkeys(COLUMNS, 0)),
    ],
)  # fmt: skip
def test_columns_count_what_they_say(text: str, expected: dict[str, int]) -> None:
    found = row(text)
    assert expected == {name: found[name] for name in expected}


def test_scripts_are_those_of_unicode() -> None:
    """Every code point, 64 a text; a version of `regex` with more letters than the table may know more."""
    script = {name: regex.compile(rf"[[\p{{L}}\p{{M}}]&&\p{{Script={name}}}]", regex.V1) for name in SCRIPTS}
    is_letter = regex.compile(r"[\p{L}\p{M}]")
    # Unassigned code points between letters of one script count as such letters.
    texts = [
        "".join(c for c in map(chr, range(start, start + 64)) if unicodedata.category(c) not in ("Cn", "Cs"))
        for start in range(0, sys.maxunicode, 64)
    ]
    texts = [text for text in texts if text]
    rows = np.frombuffer(_core.features(texts, 1), np.int32).reshape(-1, len(COLUMNS))
    columns = dict(zip(COLUMNS, rows.T.tolist(), strict=True))
    assert [len(is_letter.findall(text)) for text in texts] == columns["letters"]
    for name, pattern in script.items():
        assert [len(pattern.findall(text)) for text in texts] == columns[name], name


def test_fold_keeps_letters_marks_and_numbers() -> None:
    assert ["frühstück5", "abc12", "oneil"] == [fold(text) for text in ("Früh-Stück, 5 €!", "ＡＢＣ１２", "O’Neil")]
    for text in ("हिन्दी में", "A\u0301bc", "Ⅷ ½ ²", "\ud800x", "ß ǅ İ"):
        folded = unicodedata.normalize("NFKC", text).casefold()
        assert "".join(c for c in folded if unicodedata.category(c)[0] in "LMN") == fold(text)


def test_squash_makes_one_space() -> None:
    assert "a b c" == squash("  a\u3000 b\n\tc ")


def test_runs_that_are_long_enough_are_found() -> None:
    words, characters = ["the " * 8, "one two three " * 4, "ha ha ha"], ["好" * 16, "今天天气" + "很好" * 4]
    corpus = Case(words, [["x"] * 3], None, [BLEU()])
    found = corpus.runs("hypotheses")
    assert [(8, 1, 8), (4, 3, 12), (0, 0, 0)] == list(
        zip(*(found[name].tolist() for name in ("repeats", "period", "covered")), strict=True)
    )
    corpus = Case(characters, [["今天"] * 2], None, [BLEU()])
    found = corpus.runs("hypotheses")
    assert [(16, 1, 16), (4, 2, 8)] == list(
        zip(*(found[name].tolist() for name in ("repeats", "period", "covered")), strict=True)
    )


@pytest.mark.parametrize(
    ("text", "main", "unspaced"),
    [
        ("Guten Tag", "Latin", False),
        ("ドアを開ける", "Han", True),
        ("สวัสดี", "Thai", True),
        ("Привет x", "Cyrillic", False),
    ],
)
def test_the_main_script_of_the_references(text: str, main: str, unspaced: bool) -> None:
    corpus = Case(["x"], [[text]], None, [BLEU()])
    assert (main, unspaced, 2 if unspaced else 1) == (corpus.main[0], corpus.unspaced, corpus.u)
