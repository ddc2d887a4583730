"""Units after numbers: percent, currencies and measures. A sign, a code and the words of languages are one unit."""

from __future__ import annotations

import re
from collections.abc import Container
from functools import cache

from truebleu.doctor.numbers import HAS_DIGIT
from truebleu.doctor.words import word_lists

# The languages whose words are in the table.
LANGUAGES = frozenset(("cs", "de", "en", "es", "fr", "it", "ja", "nl", "pl", "pt", "ru", "uk", "zh"))


def measures_of(text: str, names: Container[str] | None = None) -> dict[str, str]:
    """Find the units of a text that has a digit, or some of them: what each measures, by its name.

    >>> measures_of("5 per cent of $12"), measures_of("no number, $")
    ({'percent': 'share', 'dollar': 'money'}, {})
    """
    if not HAS_DIGIT.search(text):
        return {}
    text = text.lower()
    return {name: dimension for dimension, name, pattern in _table()
            if (names is None or name in names) and pattern.search(text)}  # fmt: skip


_BORDER = re.compile(r"(?:(?<=\|)|^)\\b(\w)(?![?*+{])")


@cache
def _table() -> list[tuple[str, str, re.Pattern[str]]]:
    rows = [line.partition(": ") for line in word_lists()["measures"]]
    # A pattern that begins with a letter, and minds its case, is four times as fast as one that does not.
    return [(*named.split(" ", 1), re.compile(_BORDER.sub(r"\1(?<=\\b\1)", words.lower()))) for named, _, words in rows]  # type: ignore[misc]
