"""Plain lines, letter for letter as sacreBLEU writes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from truebleu.report.results import CYAN, YELLOW, Outcome, Results, Style, SystemOutcomes


def line(outcome: Outcome, style: Style) -> str:
    """`NAME|SIGNATURE = SCORE (μ = MEAN ± HALF) VERBOSE`, or the score alone."""
    shown = style.number(outcome.score)
    if outcome.mean is not None and outcome.half_width is not None:
        interval = f"(μ = {style.number(outcome.mean)} ± {style.number(outcome.half_width)})"
        shown += " " + style.paint(interval, CYAN)
    if style.score_only:
        return shown
    return f"{outcome.name}|{style.signature(outcome)} = {shown} {outcome.verbose}".rstrip(" ")


def corpus_lines(system: SystemOutcomes, style: Style) -> list[str]:
    """A line for each metric, with their first equal signs under each other."""
    lines = [line(outcome, style) for outcome in system.outcomes]
    if style.score_only:
        return lines
    widest = max(text.find("=") for text in lines)
    return [" " * (widest - text.find("=")) + text for text in lines]


def detail_lines(results: Results, style: Style) -> Iterator[str]:
    """A line for each group of a test set and each metric."""
    groups = results.details
    longest = max(len(group.label) for group in groups)
    name_width = max(len(outcome.name) for outcome in groups[0].systems[0])
    for group in groups:
        for outcome in group.systems[0]:
            key = style.paint(f"{group.label:<{longest + 1}}", YELLOW)
            score = f"{outcome.name:<{name_width}} = {style.number(outcome.score)}"
            yield f"{key}: sentences={group.segments:<6} {score}"


def sentence_lines(results: Results, style: Style) -> Iterator[str]:
    """A line for each segment; where there are several systems or metrics, it begins with the system and a number."""
    plain = len(results.systems) == 1 and len(results.systems[0].outcomes) <= 1
    for system in results.systems:
        for number, outcomes in enumerate(system.segments, 1):
            yield from _segment("" if plain else f"{system.name}:{number}\t", outcomes, style)


def _segment(prefix: str, outcomes: Sequence[Outcome], style: Style) -> Iterator[str]:
    for outcome in outcomes:
        text = line(outcome, style)
        yield f"{prefix}{outcome.name}\t{text}" if prefix and style.score_only else prefix + text
