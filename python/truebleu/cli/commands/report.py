"""`truebleu report`: one HTML file that explains the numbers."""

from __future__ import annotations

import argparse
import re
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from truebleu._counts import number_of
from truebleu._logs import inform
from truebleu._shown import json_text, shown
from truebleu.cli.flags import STUDY, TEST_SET, TEXTS_AND_ONLY, WORK, Section, metric_flags, metrics_flag
from truebleu.cli.learned.flags import JUDGING, LEARNING
from truebleu.cli.main import IDLE_WITH, NOT_WITH, Command, UsageError
from truebleu.metrics.options import flag, switch

if TYPE_CHECKING:
    from truebleu.receipts import Receipt
    from truebleu.study.page.page import Look
    from truebleu.study.study import Study

# A page that is larger is slow in mail and in browsers, and the user is told.
_LARGE = 8_000_000

_REPORT = (
    flag(
        "--output", "-o", default="report.html", metavar="FILE",
        help="where to; - for standard output (default: report.html)",
    ),
    flag("--title", default="", metavar="TEXT", help="the title (default: the test set)"),
    switch("--no-text", help="leave out the segments, and everything that quotes them"),
    switch("--anonymous", help="systems become System A, System B, ...; their files and hashes are left out"),
    flag(
        "--against", nargs="+", metavar="FILE",
        help="also show what became better and worse since an older report: the page, its JSON, or receipts",
    ),
    flag("--overlap", metavar="FILE", help="also score the parts that overlap with training text: truebleu overlap -o"),
    flag("--json", metavar="FILE", help="also write every number of the page, as JSON"),
    flag(
        "--theme", choices=("auto", "light", "dark"), default="auto", metavar="NAME",
        help="auto, light, dark (default: auto)",
    ),
    flag(
        "--date", default="", metavar="DATE",
        help="a date to show, as in 2030-01-31, or none (default: that of SOURCE_DATE_EPOCH, or today)",
    ),
    switch("--open", help="open the report in a browser"),
)  # fmt: skip


def _write(args: argparse.Namespace) -> int:
    from truebleu.cli.progress import Progress
    from truebleu.cli.study import command_of, look_of, read_study, understand_study
    from truebleu.study.earlier import since

    targets = _check(args)
    against, args.against = args.against, None  # in the main command it is a system to test against
    args.typed.pop("against", None)
    has_scores_alone = args.external and not (args.refs or args.test_set)
    args.metrics = args.metrics or ([] if args.like or has_scores_alone else ["bleu", "chrf"])
    request, choice = understand_study(args, has_doctor=True)
    with Progress(request.quiet) as progress:
        study, job = read_study(
            request, choice._replace(title=args.title, is_anonymous=args.anonymous, overlap=args.overlap)
        )
        look = look_of(study, job, theme=args.theme, texts=not args.no_text, anonymous=args.anonymous, date=args.date)
        look = look._replace(command="" if args.anonymous else command_of("truebleu report", args.words))
        if against:
            look = look._replace(since=since(study, _against(against), anonymous=args.anonymous))
        with progress.step("making the report"):
            _put(args, targets, study, look)
    return 0


def _check(args: argparse.Namespace) -> list[Path]:
    """Check what can be checked before anything is read."""
    from truebleu._atomic import check_not_inputs, check_targets

    if args.output == "-" and sys.stdout.isatty():
        raise UsageError("--output is -, and standard output is a terminal; name a file, or send it to one with >")
    if args.output == "-" and args.open:
        raise UsageError("--open opens a file; name one with --output")
    if args.date and not re.fullmatch(r"\d{4}-\d\d-\d\d|none", args.date):
        raise UsageError(f"--date is {args.date!r}, expected a date as in 2030-01-31, or none")
    targets = [Path(name) for name in (args.output, args.json) if name and name != "-"]
    check_targets(targets, overwrite=True)
    check_not_inputs(targets, [path for path in (*args.refs, *(args.input or ()), args.src) if path])
    return targets


def _against(paths: list[str]) -> str | list[Receipt]:
    """The older report, or receipts of its systems."""
    from truebleu._textio import RECEIPT_ENDING

    if all(path.endswith(RECEIPT_ENDING) for path in paths):
        from truebleu.receipts import Receipt

        return [Receipt.load(path) for path in paths]
    if len(paths) > 1:
        raise UsageError(f"--against has several files, expected one report, or receipts (NAME{RECEIPT_ENDING})")
    return paths[0]


def _put(args: argparse.Namespace, targets: list[Path], study: Study, look: Look) -> None:
    from truebleu._atomic import write_whole
    from truebleu.study.page.page import public_dict, study_page

    data = study_page(study, look)
    if args.json:
        write_whole(targets[-1], json_text(public_dict(study, look), indent=1).encode() + b"\n")
    if args.output == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        return
    write_whole(targets[0], data)
    about = f"{number_of(len(study.inputs.systems), 'system')}, {number_of(study.inputs.n, 'segment')}"
    inform("wrote %s: %s, %.1f MB", shown(args.output), about, len(data) / 1e6)
    if len(data) > _LARGE:
        from truebleu._logs import warn

        warn("the report is larger than 8 MB; --no-text or fewer metrics make it smaller")
    if args.open:
        import webbrowser

        webbrowser.open(targets[0].absolute().as_uri())


COMMAND = Command(
    "truebleu report",
    (
        Section("Report", _REPORT), TEXTS_AND_ONLY, TEST_SET, partial(metrics_flag, "bleu chrf", "like"), LEARNING,
        JUDGING, STUDY, metric_flags, WORK,
    ),
    _write,
    about="Writes one HTML file with ranking, tests of all pairs, groups, n-grams, segments, checks and methods. It "
    "needs no server and no network.",
    usage="REF [REF ...] -i FILE [FILE ...] [options]",
    example="REF -i SYS OTHER -m METRIC -q",
    conflicts=(
        (
            "--anonymous", NOT_WITH, "--names",
            "--names gives the names of systems, and --anonymous hides them; choose one",
        ),
        ("--trials, --correction, --family, --margin, --strata, --no-people", IDLE_WITH, "--test none",
            "it is about a test, and --test is none"),
    ),
    functions=("Study", "compare"),
)  # fmt: skip
