"""Results to lines of text, in every format."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from itertools import chain

from truebleu._typing import TYPE_CHECKING

if TYPE_CHECKING:
    from truebleu._text.style import Style
    from truebleu.study.results import Results

# A format is a function from results and style to lines, by its address: most of them are never loaded, and none to
# show the help, which lists them.
FORMATS = {
    "text": "truebleu.study.formats.render.lines_for_people",
    "json": "truebleu.study.formats.programs.json_lines",
    "jsonl": "truebleu.study.formats.programs.jsonl_lines",
    "csv": "truebleu.study.formats.programs.csv_lines",
    "tsv": "truebleu.study.formats.programs.tsv_lines",
    "markdown": "truebleu.study.formats.render.lines_for_people",
    "latex": "truebleu.study.formats.render.lines_for_people",
    "rst": "truebleu.study.formats.render.lines_for_people",
    "html": "truebleu.study.formats.render.lines_for_people",
    "wmt-latex": "truebleu.study.formats.wmt_latex.wmt_latex_lines",
    "sacrebleu-json": "truebleu.study.formats.programs.sacrebleu_lines",
}


def render(results: Results, style: Style) -> Iterator[str]:
    """Write a report."""
    module, _, function = FORMATS[style.format].rpartition(".")
    lines: Iterator[str] = getattr(import_module(module), function)(results, style)
    return lines


def lines_for_people(results: Results, style: Style) -> Iterator[str]:
    """Write lines, or tables where there is more than one system or more than a score to a system."""
    from truebleu._text.escape import as_html, as_latex
    from truebleu.study.formats import lines as text
    from truebleu.study.results import fitted

    style = fitted(style, results)
    if results.is_sentence_level:
        lines = text.sentence_lines(results, style)
    elif results.ranking is not None:
        from truebleu.study.formats.ranking import ranking_lines

        lines = ranking_lines(results, results.ranking, style)
    elif results.groups:
        from truebleu.study.formats.tables import group_lines

        lines = group_lines(results, results.groups, style)
    elif style.format == "markdown" or len(results.systems) > 1 or results.test:
        from truebleu.study.formats.tables import group_lines, table_lines

        lines = table_lines(results, style)
        if results.details:
            lines = chain(lines, [""], group_lines(results, results.details, style, has_total=False))
    else:
        lines = chain(text.corpus_lines(results.systems[0], style), text.detail_lines(results, style))
    if results.comparison is not None and any(pair.strata for pair in results.comparison.metrics[0].pairs[:1]):
        from truebleu.study.formats.strata import strata_lines

        lines = chain(lines, strata_lines(results.comparison, results.labels, style))
    if style.format == "latex" and (len(results.systems) > 1 or results.groups or results.is_sentence_level):
        # The line of one system is no LaTeX: it is sacreBLEU's to the letter, `hyp_len` and all.
        return as_latex(lines, is_sacrebleus=results.is_sacrebleus)
    return as_html(lines) if style.format == "html" else lines
