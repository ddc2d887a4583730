"""`truebleu scores`: systems by scores from elsewhere and from people, with tests, ranks and clusters."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truebleu._counts import number_of
from truebleu._logs import inform
from truebleu._options import MOST_DECIMALS, whole_number
from truebleu._shown import json_text, shown
from truebleu.cli.external import tell_of_model
from truebleu.cli.flags import STUDY, SURENESS, WORK, Section, chosen, formats
from truebleu.cli.main import GOES_WITH, Command, UsageError
from truebleu.metrics.options import flag, switch

if TYPE_CHECKING:
    from truebleu.scores.table import ScoreTable
    from truebleu.significance.results import Comparison

_TABLES = ("markdown", "latex", "wmt-latex", "rst", "html", "csv", "tsv")

_WHAT = (
    flag(
        "files", nargs="*", metavar="FILE", help="files of scores, of any format in docs/scores.md; -: standard input"
    ),
    flag("--human", action="append", default=[], metavar="FILE", help="scores of people; their column comes first"),
    flag("--documents", metavar="FILE", help="the document of each segment, perhaps after its domain and a tab"),
    flag("--scores-format", metavar="NAME", help="the format of the files (default: recognised by content)"),
    flag("--encoding", default="utf-8", metavar="NAME", help="the encoding of the files (default: utf-8)"),
    flag("--metric", metavar="NAME", help="the name of the scores; of several in the files, only this one"),
    flag("--model", action="append", default=[], metavar="NAME=MODEL[@REVISION]",
         help="the model behind the scores of this name, for their signature"),
    flag("--pair", metavar="XX-YY", help="the pair of languages, where files have several"),
    flag("--exclude", nargs="+", default=[], metavar="SYSTEM", help="leave out these systems"),
    *chosen(SURENESS, "lower_is_better", "higher_is_better", "direction_anyway"),
)  # fmt: skip
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
    flag("--receipts", metavar="FOLDER", help="also write a receipt of each system, which has scores and no texts"),
    switch("--force", help="replace receipts that are there"),
    flag("--width", "-w", type=int, metavar="N", help="decimals of scores (default: as many as show the differences)"),
    *chosen(WORK.flags, "quiet", "threads"),
)


def _show(args: Namespace) -> int:
    from truebleu.scores.reading import compared_systems, read_all

    if not args.files and not args.human:
        raise UsageError("expected files of scores, or --human with one of people")
    if args.width is not None:
        whole_number("scores.compare", "--width", args.width, 0, MOST_DECIMALS)
    files: dict[tuple[str, str], str] = {}
    tables = read_all(
        args.files, args.human, format=args.scores_format, missing=args.missing, encoding=args.encoding,
        metric=args.metric, pair=args.pair, mqm=args.mqm, mqm_weights=args.mqm_weights, canary=args.canary,
        files=files,
    )  # fmt: skip
    tested = [tables.pop(level) for level in ("segment", "document") if level in tables]
    if len(tested) > 1:
        raise UsageError("the files have scores of segments and of documents, expected one of the two")
    if not tested:
        return _show_systems(args, tables.values())
    table = tested[0] if args.documents is None else _with_documents(tested[0], args)
    table = _with_models(table, args.model)
    _tell_of_items(table)
    systems = compared_systems(table, table.metrics, args.exclude)
    _check_directions(table, args)
    targets = _targets(systems, args)
    if len(systems) == 1:
        _write(_alone(table, systems[0], args))
    else:
        comparison = _compared(table, systems, args)
        if args.out is not None:
            comparison.to_html(args.out)
        _write(_lines(table, comparison, args))
    if targets:
        _write_receipts(table, systems, files, targets, args)
    _write(line for other in tables.values() for line in _of_systems(other, args))
    return 0


def _directions(args: Namespace) -> dict[str, bool]:
    return dict.fromkeys(args.higher_is_better, True) | dict.fromkeys(args.lower_is_better, False)


def _check_directions(table: ScoreTable, args: Namespace) -> None:
    if wrong := [name for name in _directions(args) if name not in table.metrics]:
        raise UsageError(f"a direction is given for {shown(wrong[0])}, and the scores are {', '.join(table.metrics)}")


def _targets(systems: Sequence[str], args: Namespace) -> list[Path]:
    """The files of receipts, before anything is drawn."""
    if args.receipts is None:
        return []
    from truebleu.cli.receipts import check_targets

    if not os.path.isdir(args.receipts):
        raise UsageError(f"--receipts is {shown(args.receipts)}, expected an existing folder")
    return check_targets(args.receipts, [name.replace("/", "_") for name in systems], overwrite=args.force)


def _write_receipts(
    table: ScoreTable, systems: Sequence[str], files: dict[tuple[str, str], str], targets: list[Path], args: Namespace
) -> None:
    from truebleu.cli.receipts import receipts_of_scores
    from truebleu.scores.comparing import standardized

    made, known = {}, _directions(args)
    for name in table.metrics:
        table = table if args.z is None else standardized(table, name)
        anyway = args.direction_anyway and name in known
        made[name] = table.metric(name, known.get(name), direction_anyway=anyway)
    receipts_of_scores(table, systems, made, {key: path for key, path in files.items() if path}, targets)
    inform("%s in %s", number_of(len(targets), "receipt"), shown(args.receipts))


def _alone(table: ScoreTable, system: str, args: Namespace) -> Iterable[str]:
    """Write the scores of one system, which has none to be tested against."""
    from truebleu._text.style import Style
    from truebleu.scores.alone import dict_alone, lines_alone, results_alone, scored_alone
    from truebleu.study.formats.render import render

    if args.out is not None or args.format == "wmt-latex":
        what = "--report" if args.out is not None else "-f wmt-latex"
        raise UsageError(f"{what} shows a test, and there is one system, {shown(system)}; two or more are compared")
    found = scored_alone(
        table, system, unit=args.unit, z=args.z, higher_is_better=_directions(args), seed=args.seed,
        direction_anyway=args.direction_anyway, threads=args.threads, with_raters=args.with_raters,
    )  # fmt: skip
    if args.format == "json":
        return [json_text(dict_alone(system, found), indent=1)]
    if args.format == "text":
        return lines_alone(system, found, args.width)
    width = 2 if args.width is None else args.width
    style = Style(args.format, width, is_width_typed=args.width is not None, quiet=args.quiet)
    return render(results_alone(system, found), style)


def _compared(table: ScoreTable, systems: Sequence[str], args: Namespace) -> Comparison:
    from truebleu.scores.comparing import compare

    return compare(
        table, systems=systems, raters=args.raters, z=args.z,
        unit=args.unit, missing=args.missing, assignment=args.assignment, higher_is_better=_directions(args),
        direction_anyway=args.direction_anyway, test=args.test, n_samples=args.trials,
        correction=_correction(args.correction), alpha=args.alpha, seed=args.seed, threads=args.threads,
    )  # fmt: skip


def _lines(table: ScoreTable, comparison: Comparison, args: Namespace) -> Iterable[str]:
    """Write a comparison in the format that was asked for."""
    from truebleu._text.style import Style
    from truebleu.scores.comparing import facts_of
    from truebleu.scores.text import as_dict, lines_of, results_of
    from truebleu.study.formats.render import render

    facts = [facts_of(table, metric, args.with_raters) for metric in comparison.metrics]
    if args.format == "json":
        return [json_text(as_dict(comparison, facts), indent=1)]
    if args.format == "text":
        return lines_of(comparison, facts, args.width)
    width = 2 if args.width is None else args.width
    style = Style(args.format, width, is_width_typed=args.width is not None, quiet=args.quiet)
    return render(results_of(comparison), style)


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


def _with_models(table: ScoreTable, models: Sequence[str]) -> ScoreTable:
    """Name the models that the files do not name."""
    columns = dict(table.columns)
    for text in models:
        name, _, whole = text.partition("=")
        model, at, revision = whole.partition("@")
        if name not in columns or not model or (at and not revision):
            raise UsageError(
                f"--model is {shown(text)!r}, expected NAME=MODEL or NAME=MODEL@REVISION, with a name of "
                f"{', '.join(map(shown, columns))}"
            )
        columns[name] = columns[name]._replace(model=model, revision=revision or columns[name].revision)
    for name, column in columns.items():
        tell_of_model(name, column)
    return table.replaced(columns=columns) if models else table


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
    conflicts=(
        ("--assignment", GOES_WITH, "--missing", "--assignment is about --missing fit"),
        ("--force", GOES_WITH, "--receipts", "--force is about --receipts"),
    ),
    functions=("compare", "scores.compare", "scores.read", "ScoreTable"),
)
