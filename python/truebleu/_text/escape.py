"""Text from elsewhere inside a report: one function for each target.

`tabulate` escapes the cells of HTML and LaTeX by itself.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import groupby

from truebleu._shown import shown

_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "#": r"\#", "$": r"\$", "%": r"\%", "&": r"\&", "_": r"\_",
    "^": r"\^{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}", "μ": r"$\mu$",
}  # fmt: skip


# Around what is to be bold in a table of LaTeX; no name has these characters, and `tabulate` leaves them alone.
_BOLD = str.maketrans({"\x02": r"\textbf{", "\x03": "}"})


def bold(text: str, layout: str) -> str:
    """Make a cell of a table bold, where the format has it."""
    return {"latex": f"\x02{text}\x03", "markdown": f"**{text}**"}.get(layout, text)


class TableLine(str):
    """A line of a table that is drawn: its cells are escaped already."""


def as_html(lines: Iterable[str]) -> Iterator[str]:
    """Make one element of a report: tables stay as they are, the text around them becomes preformatted text."""
    from html import escape

    yield "<div>"
    for is_table, block in groupby(lines, lambda line: isinstance(line, TableLine)):
        if is_table:
            yield from block
        elif text := "\n".join(block).strip("\n"):
            yield f"<pre>{escape(text, quote=False)}</pre>"
    yield "</div>"


def as_latex(lines: Iterable[str], *, is_sacrebleus: bool = False) -> Iterator[str]:
    """Make a report compile: the text around tables is escaped, and the Greek letter is mathematics everywhere."""
    import re

    written = str.maketrans(_LATEX)
    for line in lines:
        if not isinstance(line, TableLine):
            line = line.translate(written)
            yield re.sub(r"^( - \S+ +)\\#:", r"\1#:", line) if is_sacrebleus else line
        else:
            # At the beginning of a row, LaTeX takes a bracket or a star for an option of the row before.
            line = re.sub(r"^(\s*)([\[*])", r"\1{\2}", line).translate(_BOLD)
            yield re.sub("μ(?! ± 95)" if is_sacrebleus else "μ", lambda _: _LATEX["μ"], line)


def markdown_text(text: str) -> str:
    """Escape a name in Markdown, also inside a table."""
    text = shown(text, sys.maxsize)
    for character, written in (("\\", "\\\\"), ("&", "&amp;"), ("<", "&lt;"), ("|", "\\|"), ("`", "\\`")):
        text = text.replace(character, written)
    return text


def markdown_code(text: str) -> str:
    """Write text as code in Markdown, where nothing in it has a meaning: more backticks stand around it than in it.

    >>> markdown_code("a b"), markdown_code("a `` b")
    ('`a b`', '``` a `` b ```')
    """
    text = shown(text, sys.maxsize)
    if "`" not in text:
        return f"`{text}`"
    import re

    fence = "`" * (1 + max(map(len, re.findall("`+", text))))
    return f"{fence} {text} {fence}"


def spreadsheet_cell(value: object) -> object:
    """Keep a text from being taken for a formula by a spreadsheet: an apostrophe goes before it. Numbers stay.

    A byte of a file name that is no UTF-8 is spelled out: no program reads a table with it.
    """
    if not isinstance(value, str):
        return value
    text = value.encode("utf-8", "backslashreplace").decode()
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text
