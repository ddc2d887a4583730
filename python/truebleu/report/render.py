"""The one door: results and a format to lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from truebleu.report import text
from truebleu.report.results import Results, Style

# The formats that take colours.
COLORED = ("text",)

FOR_PROGRAMS = ("json", "jsonl", "csv", "tsv", "sacrebleu-json")


def render(results: Results, format: str, style: Style) -> Iterator[str]:
    """The lines of a report."""
    if format in FOR_PROGRAMS:
        return _for_programs(results, format, style)
    if results.is_sentence_level:
        return text.sentence_lines(results, style)
    if results.comparison is not None:
        from truebleu.report.ranking import ranking_lines

        return ranking_lines(results.comparison, format, style)
    if results.groups:
        from truebleu.report.groups import group_lines

        return group_lines(results, format, style)
    if format == "markdown" or len(results.systems) > 1 or results.paired is not None:
        return _tables(results, format, style)
    lines = iter(text.corpus_lines(results.systems[0], style))
    return chain(lines, text.detail_lines(results, style)) if results.details else lines


def _tables(results: Results, format: str, style: Style) -> Iterator[str]:
    from truebleu.report.table import table_lines

    yield from table_lines(results, format, style)
    if results.details:
        from truebleu.report.groups import group_lines

        yield ""
        yield from group_lines(results._replace(groups=results.details), format, style)


def _for_programs(results: Results, format: str, style: Style) -> Iterator[str]:
    from truebleu.report import data

    if format == "json":
        return data.json_lines(results, style)
    if format == "jsonl":
        return data.jsonl_lines(results, style)
    if format == "sacrebleu-json" and not results.is_sentence_level:
        return data.sacrebleu_lines(results, style)
    if format == "sacrebleu-json":
        return text.sentence_lines(results, style)
    return data.delimited_lines(results, "," if format == "csv" else "\t")
