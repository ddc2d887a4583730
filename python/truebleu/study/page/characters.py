"""Text from elsewhere in the page: what is invisible, or turns the text around it, is drawn as a box with a label."""

from __future__ import annotations

import re
from typing import NamedTuple

from truebleu._counts import number_of

# Control characters, marks and controls of direction, separators of lines, the byte order mark, lone surrogates, and
# the code points that no HTML may hold.
_BOXED = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff"
    + "".join(chr((plane << 16) + last) for plane in range(1, 17) for last in (0xFFFE, 0xFFFF))
    + "]"
)

# A card shows so much of a text; the rest is counted.
LONGEST_TEXT = 5_000


class Piece(NamedTuple):
    """A part of a text: as it is, or the label of a character that is drawn as a box."""

    text: str
    is_boxed: bool = False


def pieces(text: str) -> list[Piece]:
    r"""Cut a text into what is shown as it is and what is drawn as a box.

    >>> pieces("a\u202eb")
    [Piece(text='a', is_boxed=False), Piece(text='U+202E', is_boxed=True), Piece(text='b', is_boxed=False)]
    """
    found, at = [], 0
    kept = text[:LONGEST_TEXT]
    for match in _BOXED.finditer(kept):
        if match.start() > at:
            found.append(Piece(kept[at : match.start()]))
        found.append(Piece(f"U+{ord(match[0]):04X}", True))
        at = match.end()
    if at < len(kept):
        found.append(Piece(kept[at:]))
    if len(text) > LONGEST_TEXT:
        found.append(Piece(f"and {number_of(len(text) - LONGEST_TEXT, 'more character', commas=True)}", True))
    return found


def plain(text: object, longest: int = 200) -> str:
    r"""Write a name, a label or a title so that it can stand anywhere in the page, also in an attribute.

    >>> plain("Zürich\u202e"), plain("a" * 9, longest=5)
    ('ZürichU+202E', 'aaaa…')
    """
    written = _BOXED.sub(lambda match: f"U+{ord(match[0]):04X}", str(text)[: longest + 1])
    return written if len(written) <= longest else f"{written[: longest - 1]}…"
