"""How to read the table of a paired test."""

from __future__ import annotations

from collections.abc import Iterator

from truebleu.report.results import GREEN, RED, YELLOW, PairedTitle, Style

_WHAT_P_IS = {
    "bs": (
        "It draws segments with replacement; p is how often the difference, centred on its mean,",
        "is larger than the real one.",
    ),
    "bs2": (
        "It draws segments with replacement; p is how often the difference strays from its mean",
        "as far as the real one is from 0.",
    ),
    "ar": (
        "It shuffles the outputs of both systems segment by segment; p is how often chance then",
        "makes a difference larger than the real one.",
    ),
    "sign": (
        "It puts the system's segments into the baseline, one at a time, and counts those that raise",
        "and lower its score; p is the chance of counts at least as uneven if both were equally likely.",
    ),
}


def explanation(paired: PairedTitle, style: Style) -> Iterator[str]:
    """Three points and a note, with empty lines between them."""
    shown = "the score, and in brackets the mean and half the 95 % interval" if paired.has_intervals else "the score"
    yield f" - The {style.paint(f'baseline is {paired.baseline}', YELLOW)}. Each other system is tested against it."
    yield f"   A cell holds {shown}, then the p-value."
    yield ""
    null = style.paint("null hypothesis", GREEN)
    yield f" - The {null} is that system and baseline are equally good: their difference is chance."
    yield from (f"   {line}" for line in _WHAT_P_IS[paired.test])
    yield ""
    red = style.paint("red", RED)
    yield f" - A star (*) marks p-values up to 0.05: the null hypothesis is rejected. Others are {red} on a terminal."
    yield ""
    yield "   Note: a significant difference is one that chance hardly explains. It may still be small,"
    yield "   and it may be for the worse."
