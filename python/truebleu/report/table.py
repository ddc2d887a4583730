"""Tables of systems: text, LaTeX, reStructuredText, HTML, Markdown. Drawn by `tabulate`, as sacreBLEU's are."""

from __future__ import annotations

from collections.abc import Iterator

from truebleu.report.explanation import explanation
from truebleu.report.results import CYAN, RED, YELLOW, Outcome, Results, Style, SystemOutcomes

STYLES = {"text": "fancy_grid", "latex": "latex_booktabs", "rst": "rst", "html": "html", "markdown": "pipe"}

_INTERVAL_HEADER = "(μ ± 95% CI)"
_SIGNIFICANT = 0.05


def table_lines(results: Results, format: str, style: Style) -> Iterator[str]:
    """The table, how to read it, and the signatures."""
    yield from table(results, format, style).split("\n")
    yield ""
    if results.paired is not None:
        yield from titled(results.paired.title, format)
        yield from explanation(results.paired, style)
        yield ""
    yield from titled("Metric signatures", format)
    for outcome in results.systems[0].outcomes:
        signature = style.signature(outcome)
        yield f"- {outcome.name}: `{signature}`" if format == "markdown" else f" - {outcome.name:<10} {signature}"


def table(results: Results, format: str, style: Style) -> str:
    """The table alone."""
    from tabulate import tabulate

    separator = "\n" if format == "text" else " "
    rows = [_row(system, separator, style) for system in results.systems]
    headers = [style.paint(text, CYAN) for text in _headers(results)]
    align = ("right", *("center" for _ in headers[1:]))
    text: str = tabulate(rows, headers=headers, tablefmt=STYLES[format], colalign=align, disable_numparse=True)
    return text


def _headers(results: Results) -> list[str]:
    has_interval = any(outcome.mean is not None for system in results.systems for outcome in system.outcomes)
    names = [outcome.name for outcome in results.systems[0].outcomes]
    return ["System", *(f"{name} {_INTERVAL_HEADER}" if has_interval else name for name in names)]


def _row(system: SystemOutcomes, separator: str, style: Style) -> list[str]:
    cells = [system.name, *(cell(outcome, separator, style) for outcome in system.outcomes)]
    return [style.paint(cell, YELLOW) for cell in cells] if system.is_baseline else cells


def cell(outcome: Outcome, separator: str, style: Style) -> str:
    """The score with all that was found about it."""
    shown = style.number(outcome.score)
    if outcome.mean is not None and outcome.half_width is not None:
        shown += f" ({style.number(outcome.mean)} ± {style.number(outcome.half_width)})"
    if outcome.p_value is None:
        return shown
    decisive = outcome.p_value if outcome.adjusted_p_value is None else outcome.adjusted_p_value
    p_value = f"({'p' if outcome.adjusted_p_value is None else 'adjusted p'} = {decisive:.4f})"
    return shown + separator + (style.paint(p_value, RED) if decisive > _SIGNIFICANT else p_value + "*")


def titled(title: str, format: str) -> Iterator[str]:
    """A title, as the format has titles."""
    if format == "markdown":
        yield from (f"**{title}**", "")
        return
    yield "-" * len(title)
    yield title
    yield "-" * len(title)
