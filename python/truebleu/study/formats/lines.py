"""Plain lines, letter for letter as sacreBLEU writes them."""

from __future__ import annotations

from collections.abc import Iterator

from truebleu._shown import shown
from truebleu._text.style import BOLD, CYAN, YELLOW, Style
from truebleu.metrics.score import Score
from truebleu.study.results import Results, SystemScores, signature_of


def line(score: Score, style: Style, *, is_bold: bool = False) -> str:
    """Write `NAME|SIGNATURE = SCORE (μ = MEAN ± HALF) VERBOSE`, or the score alone."""
    style = style.of(score.name)
    shown = style.paint(style.number(score.score), BOLD) if is_bold else style.number(score.score)
    # As sacreBLEU has it, a mean of 0 is not shown.
    if score.confidence is not None and score.confidence.mean:
        interval = "(μ = {} ± {})".format(*map(style.number, score.confidence))
        shown += " " + style.paint(interval, CYAN)
    if style.score_only:
        return shown
    return f"{score.name}|{style.signature(signature_of(score))} = {shown} {score.verbose}".rstrip(" ")


def corpus_lines(system: SystemScores, style: Style) -> list[str]:
    """Write a line for each metric, with their first equal signs under each other."""
    lines = [line(score, style, is_bold=not style.score_only) for score in system.scores]
    if style.score_only:
        return lines
    widest = max(text.find("=") for text in lines)
    return [" " * (widest - text.find("=")) + text for text in lines]


def detail_lines(results: Results, style: Style) -> Iterator[str]:
    """Write a line for each group of a test set and each metric."""
    longest = max((len(shown(group.label)) for group in results.details), default=0)
    for group in results.details:
        name_width = max(len(score.name) for score in group.systems[0])
        for score in group.systems[0]:
            key = style.paint(f"{shown(group.label):<{longest + 1}}", YELLOW)
            number = f"{score.name:<{name_width}} = {style.of(score.name).number(score.score)}"
            yield f"{key}: sentences={group.segments:<6} {number}"


def sentence_lines(results: Results, style: Style) -> Iterator[str]:
    """Write a line for each segment; with several systems or metrics, it begins with the system and a number."""
    plain = len(results.systems) == 1 and len(results.systems[0].scores) <= 1
    for system in results.systems:
        for number, scores in results.numbered(system):
            for score in scores:
                name = f"{score.name}\t" if style.score_only else ""
                yield ("" if plain else f"{style.name(system.name)}:{number}\t{name}") + line(score, style)
