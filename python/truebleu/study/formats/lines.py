"""Plain lines, letter for letter as sacreBLEU writes them."""

from __future__ import annotations

from collections.abc import Iterator

from truebleu._shown import shown
from truebleu._text.style import CYAN, YELLOW, Style
from truebleu.study.results import Outcome, Results, SystemOutcomes


def line(outcome: Outcome, style: Style) -> str:
    """Write `NAME|SIGNATURE = SCORE (μ = MEAN ± HALF) VERBOSE`, or the score alone."""
    shown = style.number(outcome.score)
    # As sacreBLEU has it, a mean of 0 is not shown.
    if outcome.mean and outcome.half_width is not None:
        interval = f"(μ = {style.number(outcome.mean)} ± {style.number(outcome.half_width)})"
        shown += " " + style.paint(interval, CYAN)
    if style.score_only:
        return shown
    return f"{outcome.name}|{style.signature(outcome.signature)} = {shown} {outcome.verbose}".rstrip(" ")


def corpus_lines(system: SystemOutcomes, style: Style) -> list[str]:
    """Write a line for each metric, with their first equal signs under each other."""
    lines = [line(outcome, style) for outcome in system.outcomes]
    if style.score_only:
        return lines
    widest = max(text.find("=") for text in lines)
    return [" " * (widest - text.find("=")) + text for text in lines]


def detail_lines(results: Results, style: Style) -> Iterator[str]:
    """Write a line for each group of a test set and each metric."""
    longest = max((len(shown(group.label)) for group in results.details), default=0)
    for group in results.details:
        name_width = max(len(outcome.name) for outcome in group.systems[0])
        for outcome in group.systems[0]:
            key = style.paint(f"{shown(group.label):<{longest + 1}}", YELLOW)
            score = f"{outcome.name:<{name_width}} = {style.number(outcome.score)}"
            yield f"{key}: sentences={group.segments:<6} {score}"


def sentence_lines(results: Results, style: Style) -> Iterator[str]:
    """Write a line for each segment; with several systems or metrics, it begins with the system and a number."""
    plain = len(results.systems) == 1 and len(results.systems[0].outcomes) <= 1
    for system in results.systems:
        for number, outcomes in results.numbered(system):
            for outcome in outcomes:
                name = f"{outcome.name}\t" if style.score_only else ""
                yield ("" if plain else f"{style.name(system.name)}:{number}\t{name}") + line(outcome, style)
