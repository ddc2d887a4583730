"""Tables of systems: text, LaTeX, reStructuredText, HTML, Markdown. Drawn by `tabulate`, as sacreBLEU's are."""

from __future__ import annotations

from collections.abc import Iterator

from truebleu.report.results import CYAN, RED, YELLOW, Outcome, Results, Style, SystemOutcomes

STYLES = {"text": "fancy_grid", "latex": "latex_booktabs", "rst": "rst", "html": "html", "markdown": "pipe"}

_INTERVAL_HEADER = "(μ ± 95% CI)"
_SIGNIFICANT = 0.05


def table_lines(results: Results, format: str, style: Style) -> Iterator[str]:
    """The table, how to read it, and the signatures."""
    yield from table(results, format, style).split("\n")
    yield ""
    if results.paired is not None:
        yield from _titled(results.paired.title, format)
        yield from results.paired.explanation
        yield ""
    yield from _titled("Metric signatures", format)
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
    cells = [system.name, *(_cell(outcome, separator, style) for outcome in system.outcomes)]
    return [style.paint(cell, YELLOW) for cell in cells] if system.is_baseline else cells


def _cell(outcome: Outcome, separator: str, style: Style) -> str:
    cell = style.number(outcome.score)
    if outcome.mean is not None and outcome.half_width is not None:
        cell += f" ({style.number(outcome.mean)} ± {style.number(outcome.half_width)})"
    if outcome.p_value is None:
        return cell
    p_value = f"(p = {outcome.p_value:.4f})"
    return cell + separator + (style.paint(p_value, RED) if outcome.p_value > _SIGNIFICANT else p_value + "*")


def _titled(title: str, format: str) -> Iterator[str]:
    if format == "markdown":
        yield from (f"**{title}**", "")
        return
    yield "-" * len(title)
    yield title
    yield "-" * len(title)
