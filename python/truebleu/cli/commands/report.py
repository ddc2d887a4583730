"""`truebleu report`: one HTML file that shows what the numbers mean."""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truebleu._logs import inform
from truebleu._shown import shown
from truebleu._textio import counted
from truebleu.cli.flags import (
    add_flags,
    add_input_flags,
    add_metric_flags,
    add_metrics_flag,
    add_test_flags,
)
from truebleu.cli.inputs import trimmed
from truebleu.cli.main import Command, UsageError, run_command
from truebleu.metrics.options import flag, switch
from truebleu.significance.tests import TESTS

if TYPE_CHECKING:
    from truebleu.cli.job import Job
    from truebleu.cli.request import Request
    from truebleu.report.page.page import Look
    from truebleu.study.study import Study

# Fields of test sets that make groups unless others are named.
_LABELS = ("domain", "docid", "origlang")

# A page that is larger is slow in mail and in browsers, and the user is told.
_LARGE = 8_000_000

_REPORT = (
    flag(
        "--output", "-o", default="report.html", metavar="FILE",
        help="where to; - for standard output (default: report.html)",
    ),
    flag("--src", metavar="FILE", help="what was translated, one text a line; a test set has it"),
    flag(
        "--labels", action="append", default=[], metavar="NAME=FILE",
        help="labels that make groups, one a line; or a field of the test set; may be repeated "
        f"(default: {', '.join(_LABELS)} of the test set)",
    ),
    flag(
        "--test", choices=(*TESTS, "none"), default="bs2", metavar="TEST",
        help=f"test of all pairs: {', '.join(TESTS)}, none (default: bs2)",
    ),
    flag("--trials", type=int, metavar="N", help="trials of the test (default: 1000 or more, for many pairs)"),
    flag("--alpha", type=float, default=0.05, metavar="P", help="level of the test (default: 0.05)"),
    flag("--baseline", metavar="NAME", help="the system that others are compared with (default: the best)"),
    flag("--names", metavar="A,B,...", help="names of the systems (default: file names without common parts)"),
    flag("--title", default="", metavar="TEXT", help="the title (default: the test set)"),
    switch("--no-text", help="leave out the segments, and all that quotes them"),
    switch("--anonymous", help="systems become System A, System B, ...; their files and hashes are left out"),
    flag("--json", metavar="FILE", help="also write every number of the page, as JSON"),
    flag(
        "--theme", choices=("auto", "light", "dark"), default="auto", metavar="NAME",
        help="auto, light, dark (default: auto)",
    ),
    flag(
        "--date", default="", metavar="DATE",
        help="a date to show, as in 2030-01-31 (default: that of SOURCE_DATE_EPOCH, or none)",
    ),
    switch("--open", help="open the report in a browser"),
    switch("--quiet", "-q", help="no messages but errors and warnings"),
    flag("--threads", type=int, metavar="N", help="threads for counting (default: all cores)"),
)  # fmt: skip


def run(argv: list[str]) -> int:
    """Write a report and return the exit code.

    Parameters
    ----------
    argv
        The words after `truebleu report`.
    """

    def action(args: argparse.Namespace) -> int:
        return _write(args, argv)

    return run_command(Command("truebleu report", _parser, action), argv)


def _parser(prog: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=prog,
        usage=f"{prog} REF [REF ...] -i FILE [FILE ...] [options]",
        description="Writes one HTML file with ranking, tests of all pairs, groups, n-grams, segments, checks and "
        "methods. It needs no server and no network.",
        allow_abbrev=False,
    )
    add_input_flags(parser, only=True)
    add_metrics_flag(parser)
    add_flags(parser, "Report", _REPORT)
    add_test_flags(parser)
    add_metric_flags(parser)
    return parser


def _write(args: argparse.Namespace, argv: list[str]) -> int:
    from truebleu.cli.progress import Progress

    targets = _check(args)
    request = _request(args)
    with Progress(request.quiet) as progress:
        study, look = _study(args, argv, request)
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
    if args.src and args.test_set:
        raise UsageError("both a test set, which has its sources, and --src are given; choose one of the two")
    if args.anonymous and args.names:
        raise UsageError("--names says what systems are called, and --anonymous that nobody may know; choose one")
    if args.date and not re.fullmatch(r"\d{4}-\d\d-\d\d", args.date):
        raise UsageError(f"--date is {args.date!r}, expected a date as in 2030-01-31")
    targets = [Path(name) for name in (args.output, args.json) if name and name != "-"]
    check_targets(targets, overwrite=True)
    check_not_inputs(targets, [path for path in (*args.refs, *(args.input or ()), args.src) if path])
    for target in targets:
        folder = next(one for one in (target.absolute().parent, *target.absolute().parents) if one.exists())
        if not os.access(folder, os.W_OK):
            raise UsageError(f"{shown(target)} cannot be written: nobody may write to {shown(folder)}")
    return targets


def _request(args: argparse.Namespace) -> Request:
    """What `truebleu` itself makes of the flags that it has too; those that are not here have their defaults."""
    from truebleu.cli.request import understand_part

    args.metrics = args.metrics or ["bleu", "chrf"]
    return understand_part(args, paired_all=True, no_checks=True)


def _study(args: argparse.Namespace, argv: list[str], request: Request) -> tuple[Study, Look]:
    from truebleu.cli.job import read_job
    from truebleu.report.page.page import Look
    from truebleu.study.study import Study

    job = read_job(request)
    names = _names(args, job)
    pair = args.langpair or ""
    documents = job.labels(args.docids) if args.docids else None
    external = {
        metric.name: {name: scores[at][0] for at, name in enumerate(names)} for metric, scores in job.external(1)
    }
    metrics: dict[str, Any] = {one.name: one for one in job.metrics()}
    metrics |= {metric.name: metric for metric, _ in job.external(1)}
    study = Study(
        list(zip(names, (system.segments for system in job.systems), strict=True)),
        job.references.streams,
        metrics,
        sources=_sources(args, job),
        labels=_labels(args, job),
        documents=documents,
        external=external,
        baseline=args.baseline,
        test=args.test,
        n_samples=args.trials,
        correction=args.correction or "holm",
        alpha=args.alpha,
        seed=request.seed,
        language=pair.partition("-")[2],
        title=args.title or " ".join(part for part in (args.test_set, pair) if part),
        files=_files(args, job),
        threads=args.threads,
    )
    command = "" if args.anonymous else _command(argv)
    numbers = None if job.kept is None else job.kept.numbers
    about = (_date(args), command, pair.partition("-")[0], numbers, args.test_set or "")
    look = Look(args.theme, not args.no_text, args.anonymous, *about)
    return study, look


def _command(argv: list[str]) -> str:
    """Write the command without the folders of files, which are nobody's business."""
    import shlex

    return shlex.join(["truebleu", "report", *(re.sub(r"[^=,\s]*/", "", word) for word in argv)])


def _names(args: argparse.Namespace, job: Job) -> list[str]:
    if args.anonymous:
        # A to Z, then AA and so on.
        letters = [chr(65 + at) for at in range(26)]
        return [f"System {one}" for one in (letters + [a + b for a in letters for b in letters])[: len(job.systems)]]
    names = args.names.split(",") if args.names else trimmed([system.name for system in job.systems])
    if len(names) != len(job.systems):
        raise UsageError(f"--names has {len(names)} names, and there are {len(job.systems)} systems")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"two systems are called {shown(repr(twice))}; give each a name of its own with --names")
    return names


def _sources(args: argparse.Namespace, job: Job) -> list[str] | None:
    if args.src is None:
        return job.sources
    from truebleu._textio import read_lines
    from truebleu.errors import LengthMismatch

    lines = read_lines(args.src, args.encoding)
    if len(lines) != job.size:
        raise LengthMismatch(f"{shown(args.src)} has {len(lines)} lines, the systems have {job.size} segments")
    return job.cut(lines)


def _labels(args: argparse.Namespace, job: Job) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for given in args.labels:
        name, _, path = given.partition("=")
        if name in found:
            raise UsageError(f"--labels names {shown(repr(name))} twice")
        if not path and (job.part is None or name not in job.part.fields):
            raise UsageError(f"--labels is {shown(repr(given))}, expected NAME=FILE, or a field of the test set")
        found[name] = job.labels(path or name)
    if not args.labels and job.part is not None:
        fields = [name for name in _LABELS if name in job.part.fields and name != args.docids]
        found = {name: labels for name in fields if len(set(labels := job.labels(name))) > 1}
    return found


def _files(args: argparse.Namespace, job: Job) -> dict[str, list[str]]:
    """The files, where each input is one: a test set, a pipe and a file with fields have none of their own."""
    systems = [system.path for system in job.systems]
    found = {"systems": systems, "references": job.references.names, "sources": [args.src] if args.src else [""]}
    if args.anonymous:
        del found["systems"]
    return {kind: paths for kind, paths in found.items() if all(map(os.path.isfile, paths))}


def _date(args: argparse.Namespace) -> str:
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if args.date or not epoch.isdecimal():
        return str(args.date)
    from datetime import UTC, datetime

    return datetime.fromtimestamp(int(epoch), UTC).date().isoformat()


def _put(args: argparse.Namespace, targets: list[Path], study: Study, look: Look) -> None:
    from truebleu._atomic import write_whole
    from truebleu.report.page.page import public_dict, study_page

    data = study_page(study, look)
    if args.json:
        import json

        # A lone surrogate becomes the escape that JSON has for it.
        text = json.dumps(public_dict(study, look), indent=1, ensure_ascii=False)
        write_whole(targets[-1], text.encode("utf-8", "backslashreplace") + b"\n")
    if args.output == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        return
    write_whole(targets[0], data)
    about = f"{counted(len(study.inputs.systems), 'system')}, {counted(study.inputs.n, 'segment')}"
    inform("wrote %s: %s, %.1f MB", shown(args.output), about, len(data) / 1e6)
    if len(data) > _LARGE:
        from truebleu._logs import warn

        warn("the report is larger than 8 MB; --no-text or fewer metrics make it smaller")
    if args.open:
        import webbrowser

        webbrowser.open(targets[0].absolute().as_uri())
