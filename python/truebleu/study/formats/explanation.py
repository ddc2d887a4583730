"""How to read the table of a paired test."""

from __future__ import annotations

from collections.abc import Iterator

from truebleu._counts import number_of
from truebleu._text.style import GREEN, RED, YELLOW, Style
from truebleu.significance.tests import TESTS
from truebleu.study.results import Results


def explanation(results: Results, style: Style) -> Iterator[str]:
    """Write three points and a note, with empty lines between them."""
    baseline = results.systems[0]
    has_intervals = baseline.outcomes[0].mean is not None
    shown = "the score, and in brackets the mean and half the 95 % interval" if has_intervals else "the score"
    runs = f" ({number_of(results.runs, 'run')})" if results.runs > 1 else ""
    name = style.paint(f"baseline is {style.name(baseline.name)}{runs}", YELLOW)
    yield f" - The {name}. Each other system is tested against it."
    yield f"   A cell holds {shown}, then the p-value."
    yield ""
    null = style.paint("null hypothesis", GREEN)
    yield f" - The {null} is that system and baseline are equally good: their difference is chance."
    yield from (f"   {line}" for line in TESTS[results.test].explanation)
    yield ""
    red = style.paint("red", RED)
    yield f" - A star (*) marks p-values up to 0.05: the null hypothesis is rejected. Others are {red} on a terminal."
    if results.smallest_p_value is not None:
        yield f"   With so many trials, the smallest p-value that a system can have is {results.smallest_p_value:.4g}."
    yield ""
    yield "   Note: a significant difference is one that chance hardly explains. It may still be small,"
    yield "   and it may be for the worse."
