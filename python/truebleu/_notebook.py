"""Tables for notebooks: plain HTML without script and style, in which no name or signature can become markup."""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from truebleu._counts import number_of
from truebleu._shown import shown

# A notebook saves its output, so a table is short even with many systems. In bytes of UTF-8.
LONGEST = 20_000
_LONGEST_CELL = 300
# Room for the last row, which says how many rows are left out.
_END = 200


class HtmlTable(NamedTuple):
    """The caption of a table, the heads of its columns, and its rows of text."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


def as_html(tables: Sequence[HtmlTable]) -> str:
    """Write tables one after the other. Rows beyond the limit are left out, and the last row says how many.

    >>> as_html([HtmlTable("BLEU", ("system", "score"), [("<b>", "38.4")])])
    '<table><caption>BLEU</caption><tr><th>system</th><th>score</th></tr><tr><td>&lt;b&gt;</td><td>38.4</td></tr></table>'
    """
    parts: list[str] = []
    room = LONGEST - _END
    for at, table in enumerate(tables):
        opening = f"<table><caption>{_text(table.caption, 2 * _LONGEST_CELL)}</caption>{_row('th', table.head)}"
        room -= len(opening.encode()) + _END
        if room < 0:
            return "".join([*parts, f"<p>… and {len(tables) - at} more tables</p>"])
        parts.append(opening)
        for number, cells in enumerate(table.rows):
            row = _row("td", cells)
            if len(row.encode()) > room:
                parts.append(_row("td", [f"… and {number_of(len(table.rows) - number, 'more row')}"]))
                break
            room -= len(row.encode())
            parts.append(row)
        parts.append("</table>")
    return "".join(parts)


def _row(tag: str, cells: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{_text(cell, _LONGEST_CELL)}</{tag}>' for cell in cells)}</tr>"


def _text(text: str, longest: int) -> str:
    return escape(shown(text, longest))
