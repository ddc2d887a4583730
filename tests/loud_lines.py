"""A format that truebleu does not have, to show what a new one costs: this file, and a line in `FORMATS`."""

from collections.abc import Iterator

from truebleu._text.style import Style
from truebleu.study.results import Results


def loud_lines(results: Results, style: Style) -> Iterator[str]:
    """Write systems and scores so that nobody misses them."""
    for system in results.systems:
        yield f"{system.name.upper()}! {' '.join(style.number(one.score) for one in system.scores)}!"
