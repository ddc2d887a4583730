"""`truebleu scores`: systems by scores from elsewhere and from people, with tests, ranks and clusters."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from truebleu._logs import inform
from truebleu._shown import json_text
from truebleu.cli.flags import STUDY, SURENESS, WORK, Section, chosen, formats
from truebleu.cli.main import GOES_WITH, Command, UsageError
from truebleu.metrics.options import flag, switch

if TYPE_CHECKING:
    from truebleu.scores.table import ScoreTable

_TABLES = ("markdown", "latex", "rst", "html", "csv", "tsv")

_WHAT = (
    flag(
        "files", nargs="*", metavar="FILE", help="files of scores, of any format in docs/scores.md; -: standard input"
    ),
    flag("--human", action="append", default=[], metavar="FILE", help="scores of people; their column comes first"),
    flag("--documents", metavar="FILE", help="the document of each segment, perhaps after its domain and a tab"),
    flag("--scores-format", metavar="NAME", help="the format of the files (default: recognised by content)"),
    flag("--encoding", default="utf-8", metavar="NAME", help="the encoding of the files (default: utf-8)"),
    flag("--metric", metavar="NAME", help="the name of the scores; of several in the files, only this one"),
    flag("--pair", metavar="XX-YY", help="the pair of languages, where files have several"),
    flag("--exclude", nargs="+", default=[], metavar="SYSTEM", help="leave out these systems"),
    *chosen(SURENESS, "lower_is_better", "higher_is_better", "direction_anyway"),
)
_PEOPLE = (
    flag("--raters", choices=("mean", "random"), default="mean", metavar="WHAT",
         help="mean: what these raters say of other documents; random: what other raters would say (default: mean)"),
    flag("--z", choices=("raters",), metavar="WHAT", help="raters: standardize the scores of each rater first"),
    flag("--mqm", choices=("negative", "positive"), default="negative", metavar="SIGN",
         help="MQM as negative scores, where higher is better, or as positive penalties (default: negative)"),
    flag("--mqm-weights", default="google", metavar="NAME",
         help="what errors cost: google, wmt24, or a file with a name and a number per line (default: google)"),
    switch("--canary", help="the first segment of a table of MQM errors is a canary"),
    switch("--with-raters", help="show the names of raters, who are r1, r2 and so on otherwise"),
)  # fmt: skip
_HOW = (
    flag("--test", choices=("ar", "bs2"), default="ar", metavar="NAME", help="ar or bs2 (default: ar)"),
    flag("--trials", type=int, metavar="N", help="of the test (default: as many as the pairs need)"),
    flag("--missing", choices=("pairs", "drop", "fit"), metavar="RULE",
         help="missing scores: pairs, where both of a pair have one; drop, where all have one; fit (default: pairs)"),
    *chosen(SURENESS, "assignment", "unit", "correction", "seed"), *chosen(STUDY.flags, "alpha"),
)  # fmt: skip
_OUTPUT = (
    *formats("text", "json", *_TABLES),
    flag("--report", metavar="FILE", dest="out", help="also write a page of HTML"),
    flag("--width", "-w", type=int, metavar="N", help="decimals of scores (default: as many as show the differences)"),
    *chosen(WORK.flags, "quiet", "threads"),
)


def _show(args: Namespace) -> int:
    from truebleu.scores.comparing import compare, facts_of
    from truebleu.scores.reading import compared_systems, read_all
    from truebleu.scores.text import as_dict, lines_of, results_of

    if not args.files and not args.human:
        raise UsageError("expected files of scores, or --human with one of people")
    tables = read_all(
        args.files, args.human, format=args.scores_format, missing=args.missing, encoding=args.encoding,
        metric=args.metric, pair=args.pair, mqm=args.mqm, mqm_weights=args.mqm_weights, canary=args.canary,
    )  # fmt: skip
    tested = [table for level, table in tables.items() if level in ("segment", "document")]
    if len(tested) > 1:
        raise UsageError("the files have scores of segments and of documents, expected one of the two")
    if not tested:
        return _show_systems(args, tables.values())
    (table,) = tested
    if args.documents is not None:
        table = _with_documents(table, args)
    systems = compared_systems(table, table.metrics, args.exclude)
    _tell_of_items(table)
    directions = dict.fromkeys(args.higher_is_better, True) | dict.fromkeys(args.lower_is_better, False)
    comparison = compare(
        table, systems=systems, raters=args.raters, z=args.z, unit=args.unit, missing=args.missing,
        assignment=args.assignment, higher_is_better=directions, direction_anyway=args.direction_anyway,
        test=args.test, n_samples=args.trials,
        correction=_correction(args.correction), alpha=args.alpha, seed=args.seed, threads=args.threads,
    )  # fmt: skip
    facts = [facts_of(table, metric, args.with_raters) for metric in comparison.metrics]
    if args.out is not None:
        comparison.to_html(args.out)
    if args.format == "json":
        _write([json_text(as_dict(comparison, facts), indent=1)])
    elif args.format == "text":
        _write(lines_of(comparison, facts, args.width))
    else:
        from truebleu._text.style import Style
        from truebleu.study.formats.render import render

        width = 2 if args.width is None else args.width
        style = Style(args.format, width, is_width_typed=args.width is not None, quiet=args.quiet)
        _write(render(results_of(comparison), style))
    _write(line for other in tables.values() if other is not tested[0] for line in _of_systems(other, args))
    return 0


def _correction(name: str | None) -> str | None:
    return None if name == "none" else name or "auto"


def _with_documents(table: ScoreTable, args: Namespace) -> ScoreTable:
    from truebleu.scores.mtme import read_documents
    from truebleu.scores.opened import ScoreFile

    if not table.is_by_order and not all(item.isdecimal() for item in table.items):
        raise UsageError(
            f"--documents {args.documents}: it has a line for each segment in their order, and these scores name their "
            f"segments ({table.items[0]}); put a column document into the scores"
        )
    documents, domains = read_documents(ScoreFile(args.documents, args.encoding))
    return table.with_documents(documents, domains if all(domains) else None)


def _tell_of_items(table: ScoreTable) -> None:
    """Say where people scored fewer segments than a metric."""
    import numpy as np

    counts = {name: int((~np.isnan(table.matrix(name))).any(axis=0).sum()) for name in table.metrics}
    if len(set(counts.values())) > 1:
        inform("%s", ", ".join(f"{name}: {count:,} {table.level}s" for name, count in counts.items()))


def _show_systems(args: Namespace, tables: Iterable[ScoreTable]) -> int:
    """Show scores of whole systems alone."""
    if args.format == "json":
        found: dict[str, Any] = {}
        for table in tables:
            for metric in table.metrics:
                values = table.matrix(metric)
                found[metric] = {
                    system: dict(zip(table.items, map(_plain, row), strict=True))
                    if table.level == "domain"
                    else _plain(row[0])
                    for system, row in zip(table.systems, values.tolist(), strict=True)
                }
        _write([json_text({"schema": 1, "system_scores": found}, indent=1)])
        return 0
    if args.format != "text":
        raise UsageError(f"-f {args.format} shows a test, and scores of whole systems are not tested; use text or json")
    _write(line for table in tables for line in _of_systems(table, args))
    return 0


def _plain(value: float) -> float | None:
    return None if value != value else value


def _of_systems(table: ScoreTable, args: Namespace) -> Iterable[str]:
    from truebleu.scores.text import system_lines

    return system_lines(table, args.width) if args.format == "text" else ()


def _write(lines: Iterable[str]) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))


COMMAND = Command(
    "truebleu scores",
    (Section("Scores", _WHAT), Section("People", _PEOPLE), Section("Test", _HOW), Section("Output", _OUTPUT)),
    _show,
    about="Compares systems by scores from elsewhere (metrics, judges) and from people: means with intervals, a test "
    "of each pair, ranks and clusters. No texts are needed. Documents are drawn whole where they are known.",
    usage="FILE [FILE ...] [--human FILE] [--documents FILE] [options]",
    example="SCORES",
    conflicts=(("--assignment", GOES_WITH, "--missing", "--assignment is about --missing fit"),),
    functions=("compare", "scores.compare", "scores.read", "ScoreTable"),
)
