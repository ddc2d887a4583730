"""Tables of systems: text, LaTeX, reStructuredText, HTML, Markdown. Drawn by `tabulate`, as sacreBLEU's are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING
from unicodedata import east_asian_width

from truebleu._counts import number_of
from truebleu._text.escape import TableLine, bold, markdown_code
from truebleu._text.p_values import p_text
from truebleu._text.style import CYAN, RED, YELLOW, Style
from truebleu.metrics.score import Score
from truebleu.signature import Signature
from truebleu.significance.notes import family_note, learned_notes, told_of
from truebleu.significance.tests import TESTS
from truebleu.significance.units import INDEPENDENT
from truebleu.significance.worth import people_text
from truebleu.study.results import GroupScores, Results, signature_of

if TYPE_CHECKING:
    from truebleu.significance.results import Comparison, MetricReport, PairReport

_STYLES = {"text": "fancy_grid", "latex": "latex_booktabs", "rst": "rst", "html": "html", "markdown": "pipe"}
_SIGNIFICANT = 0.05
_PROSE = 98  # columns
INTERVALS = " (μ ± 95% CI)"  # in the head of a column of scores that have them


def table_lines(results: Results, style: Style) -> Iterator[str]:
    """Write a table with a row for each system, how to read it, and the signatures."""
    separator = "\n" if style.format == "text" else " "
    labels, test = results.labels, results.test
    rows = []
    for system, scores in results.tested():
        marks = zip_longest(scores, (system.name in names for names in results.best))
        cells = [
            _cell(score, style, pair, separator, is_best=is_best, is_sacrebleus=results.is_sacrebleus)
            for (score, pair), is_best in marks
        ]
        rows.append([style.name(labels[system.name]), *cells])
    has_intervals = any(score.confidence is not None for system in results.systems for score in system.scores)
    names = [style.name(score.name) for score in results.systems[0].scores]
    headers = ["System", *(f"{name}{INTERVALS if has_intervals else ''}" for name in names)]
    yield from drawn(rows, headers, ["right"], style, has_baseline=test is not None)
    is_bare = style.score_only or (style.format == "latex" and not results.is_sacrebleus)
    if is_bare and test:  # without a test, sacreBLEU has the signatures even so
        return
    yield ""
    if test and not results.is_sacrebleus:
        for metric in test.metrics:
            yield from sentence_lines(test, metric, style)
        yield ""
    if test and (results.is_sacrebleus or not style.quiet):
        yield from titled(test.title, style)
        explanation = _explanation(results, test.test, style)
        yield from style.wrapped(explanation) if style.columns else explanation
        yield ""
    yield from signature_lines(results.systems[0].scores, style)
    last = results.systems[0].scores[-1].signature
    are_told = test is not None and not results.is_sacrebleus and not style.quiet  # in the explanation
    if last is not None and "in" in last.info and not are_told:  # learned metrics stand last
        yield from style.wrapped(_learned_lines(results, style))


def _learned_lines(results: Results, style: Style) -> Iterator[str]:
    """Say what a reader has to know of the scores of learned metrics and judges."""
    for column in zip(*(system.scores for system in results.systems), strict=True):
        if "in" in signature_of(column[0]).info:
            told = told_of((system.name, one) for system, one in zip(results.systems, column, strict=True))
            notes = [*learned_notes(column[0].name, told)]
            yield from (["", *map(style.name if style.format == "markdown" else str, notes)] if notes else [])


def sentence_lines(comparison: Comparison, metric: MetricReport, style: Style) -> Iterator[str]:
    """Answer in words: one line for each pair that matters."""
    from truebleu.significance.sentences import told

    lines = (f"- {style.name(line)}" if style.format == "markdown" else line for line in told(comparison, metric))
    yield from style.wrapped(lines)


def group_lines(
    results: Results, groups: Sequence[GroupScores], style: Style, *, has_total: bool = True
) -> Iterator[str]:
    """Write a table with a row for each group and a column for each system and metric, and the signatures.

    Groups that share segments add up to nothing, and have no total.
    """
    headers = ["Group", "Segments"]
    for system in results.systems:
        prefix = "" if len(results.systems) == 1 else f"{style.name(system.name)}: "
        for score in system.scores:
            headers.append(f"{prefix}{style.name(score.name)}{'' if score.confidence is None else INTERVALS}")
    everything = tuple(system.scores for system in results.systems)
    total = GroupScores("all", sum(group.segments for group in groups), everything)
    rows = []
    for group in (*groups, *([total] if has_total else [])):
        cells = (_cell(score, style) for scores in group.systems for score in scores)
        rows.append([style.name(group.label), str(group.segments), *cells])
    yield from drawn(rows, headers, ["right"], style)
    if style.score_only:
        return
    yield ""
    yield from signature_lines(results.systems[0].scores, style)


def drawn(
    rows: list[list[str]], headers: list[str], align: list[str], style: Style, *, has_baseline: bool = False
) -> list[str]:
    """Draw a table. If it is wider than the terminal, cells are broken, then names, then it becomes several tables."""
    from tabulate import tabulate

    cells, colors = [headers, *rows], [CYAN, YELLOW if has_baseline else None]
    places = [*align, *("center" for _ in headers[len(align) :])]

    def table(columns: list[int]) -> list[str]:
        painted = [
            [
                "\n".join(style.paint(line, color) if line and color else line for line in row[at].split("\n"))
                for at in columns
            ]
            for row, color in zip_longest(cells, colors)
        ]
        text: str = tabulate(
            painted[1:], headers=painted[0], tablefmt=_STYLES[style.format], colalign=[places[at] for at in columns],
            disable_numparse=True,
        )  # fmt: skip
        return [TableLine(line) for line in text.split("\n")]

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


def signature_lines(signed: Iterable[Score | MetricReport], style: Style) -> Iterator[str]:
    """List the signatures of all metrics, under a title."""
    yield from titled("Metric signatures", style)
    for one in signed:
        shown = style.signature(one.signature or Signature({}))
        is_markdown = style.format == "markdown"
        yield f"- {style.name(one.name)}: {markdown_code(shown)}" if is_markdown else f" - {one.name:<10} {shown}"


def titled(title: str, style: Style) -> tuple[str, ...]:
    """Write a title as the format has titles."""
    ruler = "-" * len(title)
    return (f"**{style.name(title)}**", "") if style.format == "markdown" else (ruler, title, ruler)


def _cell(
    score: Score, style: Style, pair: PairReport | None = None, separator: str = "", *,
    is_best: bool | None = None, is_sacrebleus: bool = False,
) -> str:  # fmt: skip
    shown = style.interval(score.name, score.score, *(score.confidence or (None, None)))
    shown = bold(shown, style.format) if is_best else shown
    if pair is None:
        return shown
    if is_sacrebleus:
        p_value, text = pair.p_value, f"p = {pair.p_value:.4f}"
    else:
        p_value, width = pair.decisive, style.of(score.name).width
        ends = " ({:z.{w}f} to {:z.{w}f})".format(*pair.interval, w=width) if pair.interval else ""
        shown += f"{separator}{pair.delta:+z.{width}f}{ends}"
        text = p_text(p_value, "p" if pair.adjusted_p_value is None else "adjusted p")
    shown += separator + (f"({text})*" if p_value <= _SIGNIFICANT else style.paint(f"({text})", RED))
    return shown if is_sacrebleus else separator.join([shown, *beside(pair)])


def beside(pair: PairReport) -> list[str]:
    """Tell how many segments a pair was compared on, where scores are missing, and what people make of it."""
    counted = [] if pair.missing is None else [f"n = {pair.n}"]
    return [*counted, *filter(None, [people_text(pair.people)])]


def unit_lines(comparison: Comparison) -> Iterator[str]:
    """Say what was drawn: documents, or segments as if they were independent, and what that costs."""
    documents = comparison.n_documents
    lines = INDEPENDENT if documents is None else (f"{number_of(documents, 'document')} were drawn and swapped whole.",)
    yield from (f"{'   ' if at else ' - '}{line}" for at, line in enumerate(lines))


def note_lines(comparison: Comparison) -> Iterator[str]:
    """Say what the test could have found, what is equivalent, and which strata are won."""
    from textwrap import wrap

    for note in comparison.notes:
        # "80 %" stays in one line.
        lines = wrap(note.replace(" %", "\0%"), _PROSE, subsequent_indent="   ", break_on_hyphens=False)
        yield from (f"{'' if at else ' - '}{line}".replace("\0%", " %") for at, line in enumerate(lines))


def _explanation(results: Results, test: str, style: Style) -> Iterator[str]:
    """Say how to read the table of a test."""
    baseline = results.systems[0]
    has_intervals = baseline.scores[0].confidence is not None
    shown = "the score, and in brackets the mean and half the 95 % interval" if has_intervals else "the score"
    runs = f" ({number_of(results.runs, 'run')})" if results.runs > 1 else ""
    name = style.paint(f"baseline is {style.name(baseline.name)}{runs}", YELLOW)
    yield f" - The {name}. A cell holds {shown};"
    yield f"   {'' if results.is_sacrebleus else 'the difference and its 95 % interval; '}the p-value."
    how = "larger than" if results.is_sacrebleus else "as large as"
    for at, line in enumerate(TESTS[test].explanation):
        yield f"{'   ' if at else ' - '}{line.replace('as large as', how)}"
    yield f" - A star (*) marks p-values up to 0.05; others are {style.paint('red', RED)} on a terminal."
    if results.test is not None and not results.is_sacrebleus:
        if results.smallest_p_value is not None:
            least = f"{results.smallest_p_value:.4g}"
            yield f"   With so many trials, the smallest p-value that a system can have is {least}."
        if results.test.correction:
            yield f"   {family_note(results.test)}"
        yield from unit_lines(results.test)
        yield from note_lines(results.test)
