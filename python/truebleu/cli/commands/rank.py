"""`truebleu rank`: the official table of a shared task, by AutoRank and by people."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from truebleu._counts import number_of
from truebleu._shown import json_text, shown
from truebleu.cli.flags import STUDY, SURENESS, WORK, Section, chosen, formats
from truebleu.cli.main import GOES_WITH, Command, UsageError
from truebleu.metrics.options import flag, switch

if TYPE_CHECKING:
    from truebleu.agreement.official import OfficialTable
    from truebleu.scores.table import ScoreTable

_FORMULAS = ("wmt25",)

_WHAT = (
    flag("files", nargs="+", metavar="FILE", help="scores of metrics, of segments or of whole systems"),
    flag(
        "--human", action="append", default=[], metavar="FILE", help="scores of people: ranks and clusters are theirs"
    ),
    flag("--scores-format", metavar="NAME", help="the format of files of scores (default: recognised by content)"),
    flag("--documents", metavar="FILE", help="the document of each segment, perhaps after its domain and a tab"),
    flag("--pair", nargs="+", metavar="XX-YY", help="language pairs, where files have several; all with --over pair"),
    *chosen(SURENESS, "lower_is_better", "higher_is_better"),
)
_HOW = (
    flag("--autorank", choices=_FORMULAS, default="wmt25", metavar="NAME", help="the formula: wmt25 (default)"),
    flag("--over", choices=("domain", "pair"), metavar="NAME",
         help="rank in each domain or language pair, and take the mean of the ranks"),
    flag("--average", choices=("macro", "micro"), default="macro", metavar="NAME",
         help="macro: each domain or pair counts the same (default); micro: by their numbers of segments"),
    switch("--partial", help="leave out systems that lack a metric; with --over pair, let systems lack pairs"),
    flag("--samples", type=int, default=1000, metavar="N",
         help="how often documents are drawn for intervals (default: 1000; 0: none)"),
    *chosen(STUDY.flags, "alpha"), *chosen(SURENESS, "seed"),
    flag("--extra", metavar="FILE", help="a CSV file with a column 'system', whose other columns are shown too"),
)  # fmt: skip


def _rank(args: Namespace) -> int:
    from truebleu.agreement.official import official_table

    if args.over == "pair" and not args.pair:
        raise UsageError("--over pair needs the pairs: --pair en-cs_CZ en-is_IS ...")
    if args.over != "pair" and args.pair and len(args.pair) > 1:
        raise UsageError("--pair names several pairs; they go with --over pair")
    pairs = args.pair or [None]
    found = {pair: _tables(args, pair) for pair in pairs}
    said = {**dict.fromkeys(args.higher_is_better, True), **dict.fromkeys(args.lower_is_better, False)}
    names = [name for tables in found.values() for table in tables for name in table.metrics]
    if wrong := [name for name in said if name not in names]:
        raise UsageError(f"a direction is given for {shown(wrong[0])}, and the scores are {', '.join(names)}")
    has_segments = any(table.level != "system" for tables in found.values() for table in tables)
    table = official_table(
        {str(pair): tables for pair, tables in found.items()} if args.over == "pair" else found[pairs[0]],
        over=args.over,
        average=args.average,
        partial=args.partial,
        higher_is_better=said,
        n_samples=args.samples if has_segments else 0,
        alpha=args.alpha,
        seed=args.seed,
    )
    extra = _extra(args.extra, [one.name for one in table.systems])
    if args.format == "json":
        more = {"extra": extra} if extra else {}
        lines = iter([json_text({"schema": 1, "autorank": args.autorank, **table.to_dict(), **more}, indent=1)])
    else:
        lines = _latex(table, extra) if args.format == "wmt-latex" else _text(table, extra)
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return 0


def _tables(args: Namespace, pair: str | None) -> list[ScoreTable]:
    from truebleu.scores.mtme import read_documents
    from truebleu.scores.opened import ScoreFile
    from truebleu.scores.reading import read_all

    tables = [*read_all(args.files, args.human, format=args.scores_format, missing="pairs", pair=pair).values()]
    if args.documents is None:
        return tables
    labels = read_documents(ScoreFile(args.documents))
    return [one.with_documents(*labels) if one.level == "segment" else one for one in tables]


def _extra(path: str | None, systems: Sequence[str]) -> dict[str, dict[str, str]]:
    """Columns of another file, by system; a system may have none."""
    if path is None:
        return {}
    import csv

    from truebleu._textio import read_lines

    rows = list(csv.DictReader(read_lines(path)))
    if not rows or "system" not in rows[0]:
        raise UsageError(f"--extra {shown(path)} has no column 'system'")
    names = [row["system"] for row in rows]
    if twice := [name for name in names if names.count(name) > 1]:
        raise UsageError(f"--extra {shown(path)} has the system {shown(twice[0])} twice")
    if not set(names) & set(systems):
        raise UsageError(f"--extra {shown(path)} has none of the systems, such as {shown(systems[0])}")
    heads = [head for head in rows[0] if head != "system"]
    return {head: {row["system"]: row[head] or "" for row in rows} for head in heads}


def _head_and_rows(table: OfficialTable, extra: dict[str, dict[str, str]]) -> tuple[list[str], list[list[str]]]:
    from truebleu.study.formats.wmt_latex import rank_text

    human = [] if table.human is None else [table.human]
    head = [*(["Rank"] if human else []), "System", *human, "AutoRank", *table.metrics, *extra]
    rows = []
    for one in table.systems:
        interval = "" if one.interval is None else " ({:.1f}–{:.1f})".format(*one.interval)
        of_people = [] if not human else ["–" if one.human is None else f"{one.human:.2f}"]
        means = [_short(one.means[name]) for name in table.metrics]
        more = [by.get(one.name, "") for by in extra.values()]
        ranks = [rank_text(one.rank_range)] if human else []
        rows.append([*ranks, one.name, *of_people, f"{one.autorank:.1f}{interval}", *means, *more])
    return head, rows


def _text(table: OfficialTable, extra: dict[str, dict[str, str]]) -> Iterator[str]:
    from tabulate import tabulate

    head, rows = _head_and_rows(table, extra)
    align = ["left" if one == "System" else "right" for one in head]
    cells = [[shown(cell) for cell in row] for row in rows]
    yield from tabulate(cells, head, "simple", disable_numparse=True, colalign=align).split("\n")
    systems = len(table.systems)
    yield f"AutoRank of WMT25: 1 is the best of {number_of(systems, 'system')}, {systems} the worst"
    if table.over is not None:
        weights = "each counts the same" if table.average == "macro" else "each counts by its segments"
        yield f"the mean over {len(table.strata)} {table.over}s, of which {weights}: {', '.join(table.strata)}"
    if table.n_samples:
        drawn = number_of(table.n_units, table.unit, commas=True)
        yield f"in brackets the 95 % interval, from {drawn} drawn {table.n_samples:,} times for all metrics together"
    if any(one.cluster for one in table.systems):
        ends = [[one.name for one in table.systems if one.cluster == at] for at in _clusters(table)]
        yield f"clusters of {table.human}: {'; '.join(', '.join(map(shown, names)) for names in ends)}"


def _clusters(table: OfficialTable) -> list[int]:
    return sorted({one.cluster for one in table.systems if one.cluster is not None})


def _latex(table: OfficialTable, extra: dict[str, dict[str, str]]) -> Iterator[str]:
    from truebleu.study.formats.wmt_latex import wmt_table

    clusters = [one.cluster for one in table.systems]
    ends = {at for at, (one, after) in enumerate(pairwise(clusters)) if one != after}
    return wmt_table(*_head_and_rows(table, extra), ends)


def _short(value: float) -> str:
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.3f}"


COMMAND = Command(
    "truebleu rank",
    (
        Section("What", _WHAT), Section("How", _HOW),
        Section("Output", (*formats("text", "json", "wmt-latex"), *chosen(WORK.flags, "quiet"))),
    ),
    _rank,
    about="Makes the official table of a shared task: AutoRank of WMT25 from the scores of several metrics, with "
    "intervals, and ranks and clusters from scores of people.",
    usage="FILE [FILE ...] [--human FILE] [options]",
    example="SCORES",
    conflicts=(("--average", GOES_WITH, "--over", "--average is about strata; it goes with --over"),),
    functions=("rank", "autorank", "agree", "scores.read", "compare"),
)  # fmt: skip
