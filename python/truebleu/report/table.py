"""Tables of systems: text, LaTeX, reStructuredText, HTML, Markdown. Drawn by `tabulate`, as sacreBLEU's are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from truebleu.report.escape import TableLine, markdown_code
from truebleu.report.explanation import explanation
from truebleu.report.results import CYAN, RED, YELLOW, GroupOutcomes, Outcome, Results, Style
from truebleu.signature import Signature

_STYLES = {"text": "fancy_grid", "latex": "latex_booktabs", "rst": "rst", "html": "html", "markdown": "pipe"}
_SIGNIFICANT = 0.05


def table_lines(results: Results, style: Style) -> Iterator[str]:
    """Write a table with a row for each system, how to read it, and the signatures.

    Parameters
    ----------
    results
        What to report.
    style
        The format, and how numbers look in it.
    """
    separator = "\n" if style.format == "text" else " "
    labels = results.labels
    rows: list[list[str]] = []
    for system in results.systems:
        row = [style.name(labels[system.name]), *(_cell(outcome, separator, style) for outcome in system.outcomes)]
        is_baseline = bool(results.test) and not rows
        rows.append([style.paint(cell, YELLOW) for cell in row] if is_baseline else row)
    has_intervals = any(outcome.mean is not None for system in results.systems for outcome in system.outcomes)
    names = [style.name(outcome.name) for outcome in results.systems[0].outcomes]
    headers = ["System", *(score_header(name, has_intervals) for name in names)]
    yield from drawn(rows, headers, ["right"], style)
    yield ""
    if results.test:
        yield from titled(results.title, style)
        yield from explanation(results, style)
        yield ""
    yield from signature_lines(((outcome.name, outcome.signature) for outcome in results.systems[0].outcomes), style)


def group_lines(results: Results, groups: Sequence[GroupOutcomes], style: Style) -> Iterator[str]:
    """Write a table with a row for each group and a column for each system and metric, and the signatures.

    Parameters
    ----------
    results
        What to report.
    groups
        The groups of it that are rows.
    style
        The format, and how numbers look in it.
    """
    headers = ["Group", "Segments"]
    for system in results.systems:
        prefix = "" if len(results.systems) == 1 else f"{style.name(system.name)}: "
        heads = (score_header(style.name(outcome.name), outcome.mean is not None) for outcome in system.outcomes)
        headers += [prefix + head for head in heads]
    everything = tuple(system.outcomes for system in results.systems)
    total = GroupOutcomes("all", sum(group.segments for group in groups), everything)
    rows = []
    for group in (*groups, total):
        cells = (_cell(outcome, " ", style) for outcomes in group.systems for outcome in outcomes)
        rows.append([style.name(group.label), str(group.segments), *cells])
    yield from drawn(rows, headers, ["right"], style)
    yield ""
    names = [(outcome.name, outcome.signature) for outcome in results.systems[0].outcomes]
    yield from signature_lines(names, style)


def drawn(rows: list[list[str]], headers: list[str], align: list[str], style: Style) -> list[str]:
    """Draw a table.

    Parameters
    ----------
    rows
        Its cells.
    headers
        The heads of its columns.
    align
        Where the text of the first columns stands; that of the others is centred.
    style
        The format.
    """
    from tabulate import tabulate

    painted = [style.paint(header, CYAN) if header else header for header in headers]
    columns = [*align, *("center" for _ in headers[len(align) :])]
    text: str = tabulate(rows, headers=painted, tablefmt=_STYLES[style.format], colalign=columns, disable_numparse=True)
    return [TableLine(line) for line in text.split("\n")]


def score_header(name: str, has_intervals: bool) -> str:
    """Head a column of scores.

    Parameters
    ----------
    name
        What the score is called.
    has_intervals
        Whether there are intervals in the column.
    """
    return f"{name} (μ ± 95% CI)" if has_intervals else name


def signature_lines(signatures: Iterable[tuple[str, Signature]], style: Style) -> Iterator[str]:
    """List the signatures of all metrics, under a title.

    Parameters
    ----------
    signatures
        The name of each score, and its signature.
    style
        The format, and whether signatures are short.
    """
    yield from titled("Metric signatures", style)
    for name, signature in signatures:
        shown = style.signature(signature)
        is_markdown = style.format == "markdown"
        yield f"- {style.name(name)}: {markdown_code(shown)}" if is_markdown else f" - {name:<10} {shown}"


def titled(title: str, style: Style) -> tuple[str, ...]:
    """Write a title as the format has titles.

    Parameters
    ----------
    title
        The title.
    style
        The format.
    """
    ruler = "-" * len(title)
    return (f"**{style.name(title)}**", "") if style.format == "markdown" else (ruler, title, ruler)


def _cell(outcome: Outcome, separator: str, style: Style) -> str:
    shown = style.of(outcome.name).interval(outcome.score, outcome.mean, outcome.half_width)
    if outcome.p_value is None:
        return shown
    decisive = outcome.p_value if outcome.adjusted_p_value is None else outcome.adjusted_p_value
    p_value = f"({'p' if outcome.adjusted_p_value is None else 'adjusted p'} = {decisive:.4f})"
    return shown + separator + (style.paint(p_value, RED) if decisive > _SIGNIFICANT else p_value + "*")
