"""`truebleu merge`: add up totals that several runs or machines have kept, and score them."""

from __future__ import annotations

import argparse
import sys

from truebleu.cli.flags import Section, style_flags
from truebleu.cli.main import IDLE_WITH, Command
from truebleu.metrics.options import flag


def _merge(args: argparse.Namespace) -> int:
    from truebleu.cli.inputs import short_names
    from truebleu.cli.request import style_of
    from truebleu.cli.tables import results_of
    from truebleu.columns.files import Ledger, check_output, merge_totals, write_totals
    from truebleu.columns.places import expand
    from truebleu.study.formats.render import render

    style, paths = style_of(args), expand(args.files)
    if args.totals_out is not None:
        check_output(args.totals_out, paths)
    totals, ledger = merge_totals(paths)
    name = short_names(paths)[paths[0]] if ledger is None else ledger.hypothesis
    lines = list(render(results_of({name: totals}), style))
    if args.totals_out is not None:
        write_totals(args.totals_out, totals, ledger or Ledger("", [], "error"))
    for line in lines:
        sys.stdout.write(line + "\n")
    return 0


_FLAGS = (
    flag("files", nargs="+", metavar="FILE", help="files of totals, or patterns such as 'totals/*'"),
    flag("--totals-out", metavar="FILE", help="keep the sum"),
)

_FOR_PROGRAMS = "--format json, --format jsonl, --format csv, --format tsv"

COMMAND = Command(
    "truebleu merge",
    (Section("", _FLAGS), style_flags),
    _merge,
    about="Add up totals that --totals-out has kept, and score them. Metrics and their options come from the files; "
    "totals with other options are refused.",
    usage="FILE [FILE ...] [options]",
    example="TOTALS",
    conflicts=(("--width, --short", IDLE_WITH, _FOR_PROGRAMS, "formats for programs have all digits and fields"),),
)
