"""How a report is to look: its format, numbers, names and colours."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from truebleu._records import NamedTuple
from truebleu._shown import shown
from truebleu.signature import Signature

BOLD, RED, GREEN, YELLOW, CYAN = 1, 31, 32, 33, 36


class Style(NamedTuple):
    """The format of a report, and how numbers and signatures are to look."""

    format: str = "text"
    width: int = 1
    short: bool = False
    score_only: bool = False
    color: bool = False
    is_width_typed: bool = False
    columns: int = 0  # of the terminal that the report goes to; 0: as many as are needed
    widths: Mapping[str, int] = MappingProxyType({})  # of scores that do not go from 0 to 100, by name
    quiet: bool = False  # without the explanation of a table

    def of(self, name: str) -> Style:
        """Take the style in which the scores of a metric are written."""
        return self._replace(width=self.widths.get(name, self.width))

    def number(self, value: float) -> str:
        """Write a score with the decimals asked for."""
        return f"{value:.{self.width}f}" if value == value else "–"

    def name(self, text: str) -> str:
        """Write a name that came from elsewhere."""
        if self.format != "markdown":
            return shown(text)
        from truebleu._text.escape import markdown_text

        return markdown_text(shown(text))

    def signature(self, signature: Signature) -> str:
        """Write a signature, long or short."""
        return shown(signature.format(self.short), longest=sys.maxsize)

    def wrapped(self, lines: Iterable[str]) -> Iterator[str]:
        """Break prose where the terminal ends."""
        if not self.columns:
            yield from lines
            return
        from textwrap import wrap

        joined: list[str] = []
        for line in lines:
            if line.startswith("   ") and joined and joined[-1]:
                joined[-1] += f" {line.strip()}"
            else:
                joined.append(line)
        for text in joined:
            yield from wrap(text, self.columns, subsequent_indent="   ", break_on_hyphens=False) or [""]

    def interval(self, name: str, score: float, mean: float | None, half_width: float | None) -> str:
        """Write a score of a metric with its interval, if it has one, as in a cell of a table."""
        width = self.widths.get(name, self.width)
        if mean is None or half_width is None:
            return f"{score:.{width}f}" if score == score else "–"
        return f"{score:.{width}f} ({mean:.{width}f} ± {half_width:.{width}f})"

    def paint(self, text: str, color: int) -> str:
        """Show text bold, or in one of the eight colours of a terminal."""
        return f"\033[{color}m{text}\033[0m" if self.color else text
