"""Errors that a rater or a program marked in a text: where, how bad, and of what kind.

>>> marked_in("Der <v>Hund</v> schläft.", "A cat sleeps.", "Major", "Accuracy/Mistranslation")
(ErrorSpan(start=4, end=8, severity='major', category='Accuracy/Mistranslation', quote='Hund'),)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from truebleu._inputs import brief
from truebleu._textio import json_value
from truebleu.errors import FileFormatError

if TYPE_CHECKING:
    from truebleu.scores.table import ScoreTable

# The place of an error that is marked nowhere.
NOWHERE = -1

_MARKS = re.compile(r"<v>(.*?)</v>", re.DOTALL)


class ErrorSpan(NamedTuple):
    """A part of a text that is wrong. Places are counted in characters (code points), from 0; `end` is not part of it.

    Attributes
    ----------
    start
        Where it begins; -1 for an error that is marked nowhere, such as an omission.
    end
        Where it ends.
    severity
        "minor", "major", "critical", or another word, in small letters.
    category
        What kind of error it is, such as "Accuracy/Omission".
    confidence
        How sure a program is of it, from 0 to 1.
    in_source
        Whether the place is one of the source, and not of the output.
    rater
        Who found it.
    quote
        The marked text, if it is known. Where the text that is shown has something else in this place, the error is
        listed without its place.
    """

    start: int
    end: int
    severity: str
    category: str = ""
    confidence: float | None = None
    in_source: bool = False
    rater: str | None = None
    quote: str | None = None

    def __repr__(self) -> str:
        """Leave out what is as usual."""
        given = zip(self._fields, self, strict=True)
        told = (f"{name}={value!r}" for name, value in given if value != self._field_defaults.get(name, ()))
        return f"ErrorSpan({', '.join(told)})"

    def fits(self, text: str) -> bool:
        """Tell whether the place is one of this text, and has what was marked.

        Parameters
        ----------
        text
            The text that is shown.
        """
        if not 0 <= self.start < self.end <= len(text):
            return False
        return self.quote is None or self.quote.split() == text[self.start : self.end].split()


def marked_in(output: str, source: str, severity: str, category: str) -> tuple[ErrorSpan, ...]:
    """Find what `<v>` and `</v>` mark in an output or in its source, as in tables of MQM."""
    found = []
    for in_source, text in enumerate((output, source)):
        for at, one in enumerate(_MARKS.finditer(text)):
            start = one.start() - len("<v></v>") * at
            found.append((start, start + len(one[1]), bool(in_source), one[1]))
        if found:
            break
    about = severity.strip().lower(), category.strip()
    if not found:
        return (ErrorSpan(NOWHERE, NOWHERE, *about),)
    return tuple(ErrorSpan(start, end, *about, in_source=of, quote=quote) for start, end, of, quote in found)


def spans_of(given: Any, place: str, *, is_inclusive: bool = False) -> tuple[ErrorSpan, ...]:
    """Read a list of objects, or its JSON; `is_inclusive` says that an end is the last character itself."""
    if isinstance(given, str):
        given = json_value(given, place)
    if given is None:
        return ()
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        raise FileFormatError(f"{place}: the errors are {brief(given)}, expected a list of objects")
    return tuple(_span(one, int(is_inclusive)) for one in given)


def _span(given: Mapping[str, Any], more: int) -> ErrorSpan:
    start, end = (given.get(name, given.get(f"{name}_i")) for name in ("start", "end"))
    is_placed = all(isinstance(one, int) and not isinstance(one, bool) and one >= 0 for one in (start, end))
    confidence, quote = given.get("confidence"), given.get("text")
    return ErrorSpan(
        start if is_placed else NOWHERE,  # a word such as "missing" is an omission
        end + more if is_placed else NOWHERE,
        str(given.get("severity") or "").strip().lower(),
        str(given.get("category") or given.get("error_type") or ""),
        float(confidence) if isinstance(confidence, int | float) and 0 <= confidence <= 1 else None,
        given.get("is_source_error") is True,
        None,
        quote if isinstance(quote, str) and quote.strip() else None,
    )


def in_items(table: ScoreTable, metric: str, system: str) -> list[tuple[ErrorSpan, ...]]:
    """Give the errors of a system in each item; raters are called r1, r2 and so on."""
    numbers = {name: f"r{at}" for at, name in enumerate(table.raters, 1)}
    by_item = (table.spans.get((metric, system, item), ()) for item in table.items)
    return [tuple(one._replace(rater=numbers.get(one.rater or "")) for one in spans) for spans in by_item]
