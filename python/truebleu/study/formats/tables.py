"""Tables of systems: text, LaTeX, reStructuredText, HTML, Markdown. Drawn by `tabulate`, as sacreBLEU's are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from unicodedata import east_asian_width

from truebleu._text.escape import TableLine, bold, markdown_code
from truebleu._text.style import CYAN, RED, YELLOW, Style
from truebleu.signature import Signature
from truebleu.study.formats.explanation import explanation
from truebleu.study.results import GroupOutcomes, Outcome, Results

_STYLES = {"text": "fancy_grid", "latex": "latex_booktabs", "rst": "rst", "html": "html", "markdown": "pipe"}
_SIGNIFICANT = 0.05


def table_lines(results: Results, style: Style) -> Iterator[str]:
    """Write a table with a row for each system, how to read it, and the signatures."""
    separator = "\n" if style.format == "text" else " "
    labels = results.labels
    rows = [
        [style.name(labels[system.name]), *(_cell(outcome, separator, style) for outcome in system.outcomes)]
        for system in results.systems
    ]
    has_intervals = any(outcome.mean is not None for system in results.systems for outcome in system.outcomes)
    names = [style.name(outcome.name) for outcome in results.systems[0].outcomes]
    headers = ["System", *(score_header(name, has_intervals) for name in names)]
    yield from drawn(rows, headers, ["right"], style, has_baseline=bool(results.test))
    if style.score_only and results.test:  # without a test, sacreBLEU has the signatures even so
        return
    yield ""
    if results.test:
        yield from titled(results.title, style)
        yield from style.wrapped(explanation(results, style))
        yield ""
    yield from signature_lines(((outcome.name, outcome.signature) for outcome in results.systems[0].outcomes), style)


def group_lines(results: Results, groups: Sequence[GroupOutcomes], style: Style) -> Iterator[str]:
    """Write a table with a row for each group and a column for each system and metric, and the signatures."""
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
    if style.score_only:
        return
    yield ""
    names = [(outcome.name, outcome.signature) for outcome in results.systems[0].outcomes]
    yield from signature_lines(names, style)


def drawn(
    rows: list[list[str]], headers: list[str], align: list[str], style: Style, *, has_baseline: bool = False
) -> list[str]:
    """Draw a table. If it is wider than the terminal, cells are broken, then names, then it becomes several tables."""
    cells, colors = [headers, *rows], [CYAN, YELLOW if has_baseline else None]
    places = [*align, *("center" for _ in headers[len(align) :])]

    def table(columns: list[int]) -> list[str]:
        return _drawn([[row[at] for at in columns] for row in cells], colors, [places[at] for at in columns], style)

    whole = table(list(range(len(headers))))
    if not style.columns or len(whole[0]) <= style.columns:
        return whole
    cells = [[cell.replace(" (", "\n(") for cell in row] for row in cells]
    names, first = len(align) - 1, list(range(len(align)))
    excess = len(table(list(range(len(headers))))[0]) - style.columns
    if excess > 0:
        longest = max(_width(line) for row in cells for line in row[names].split("\n"))
        for row in cells:
            row[names] = _broken(row[names], max(longest - excess, _SHORTEST_NAME))
    lines: list[str] = []
    rest = list(range(len(align), len(headers)))
    while rest:
        fitting = (n for n in range(len(rest), 1, -1) if len(table([*first, *rest[:n]])[0]) <= style.columns)
        count = next(fitting, 1)
        lines += [*([TableLine("")] if lines else []), *table([*first, *rest[:count]])]
        rest = rest[count:]
    return lines


_SHORTEST_NAME = 12


def _drawn(cells: list[list[str]], colors: list[int | None], places: list[str], style: Style) -> list[str]:
    from tabulate import tabulate

    painted = [
        ["\n".join(style.paint(line, color) if line and color else line for line in cell.split("\n")) for cell in row]
        for row, color in zip_longest(cells, colors)
    ]
    text: str = tabulate(
        painted[1:], headers=painted[0], tablefmt=_STYLES[style.format], colalign=places, disable_numparse=True
    )
    return [TableLine(line) for line in text.split("\n")]


def _broken(name: str, width: int) -> str:
    """Break a name into lines, where it has a sign that is no letter if that is near."""
    lines = []
    for rest in name.split("\n"):
        while _width(rest) > width:
            end = next(n for n in range(len(rest), 0, -1) if n == 1 or _width(rest[:n]) <= width)
            signs = [at for at in range(end // 2, end) if not rest[at].isalnum()]
            end = max(signs, key=lambda at: (rest[at] == " ", at)) + 1 if signs else end
            lines.append(rest[:end].rstrip())
            rest = rest[end:].lstrip()
        lines.append(rest)
    return "\n".join(lines)


def _width(text: str) -> int:
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


def score_header(name: str, has_intervals: bool) -> str:
    """Head a column of scores."""
    return f"{name} (μ ± 95% CI)" if has_intervals else name


def signature_lines(signatures: Iterable[tuple[str, Signature]], style: Style) -> Iterator[str]:
    """List the signatures of all metrics, under a title."""
    yield from titled("Metric signatures", style)
    for name, signature in signatures:
        shown = style.signature(signature)
        is_markdown = style.format == "markdown"
        yield f"- {style.name(name)}: {markdown_code(shown)}" if is_markdown else f" - {name:<10} {shown}"


def titled(title: str, style: Style) -> tuple[str, ...]:
    """Write a title as the format has titles."""
    ruler = "-" * len(title)
    return (f"**{style.name(title)}**", "") if style.format == "markdown" else (ruler, title, ruler)


def _cell(outcome: Outcome, separator: str, style: Style) -> str:
    shown = style.of(outcome.name).interval(outcome.score, outcome.mean, outcome.half_width)
    shown = bold(shown, style.format) if outcome.is_best else shown
    if outcome.p_value is None:
        return shown
    decisive = outcome.p_value if outcome.adjusted_p_value is None else outcome.adjusted_p_value
    p_value = f"({'p' if outcome.adjusted_p_value is None else 'adjusted p'} = {decisive:.4f})"
    return shown + separator + (style.paint(p_value, RED) if decisive > _SIGNIFICANT else p_value + "*")
