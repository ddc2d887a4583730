"""`truebleu plot`: figures for papers, as PDF, SVG or PNG."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truebleu.cli.flags import add_flags, add_input_flags, add_metric_flags, add_metrics_flag
from truebleu.cli.inputs import trimmed
from truebleu.cli.main import Command, UsageError, run_command
from truebleu.metrics.options import flag, switch
from truebleu.significance.tests import TESTS

if TYPE_CHECKING:
    from truebleu.cli.job import Job
    from truebleu.study.study import Study

_PLOT = (
    flag("--output", "-o", required=True, metavar="FILE", help="the figure: a name in .pdf, .svg or .png"),
    flag("--size", default="acl1", metavar="SIZE", help="acl1 (7.7 cm wide; default), acl2 (16 cm), or cm, as in 8x6"),
    flag("--font-size", type=float, default=8.0, metavar="N", help="size of letters in points (default: 8)"),
    switch("--gray", help="no colours"),
    flag("--names", metavar="A,B,...", help="names of the systems (default: file names without common parts)"),
    flag(
        "--systems", nargs="+", metavar="NAME",
        help="A and B of groups, scatter and difference; up to six of ecdf and length (default: the best)",
    ),
    flag(
        "--labels", metavar="NAME",
        help="groups: a field of the test set, NAME=FILE with a label a line, or length (default: domain, or length)",
    ),
)  # fmt: skip

_SURENESS = (
    flag("--baseline", metavar="NAME", help="the system that ranking and pairs compare with (default: the best)"),
    flag(
        "--test", choices=(*TESTS, "none"), default="bs2", metavar="TEST",
        help=f"the test of all pairs: {', '.join(TESTS)}, none (default: bs2)",
    ),
    flag("--trials", type=int, metavar="N", help="its trials (default: its usual number, more for many pairs)"),
    switch("--quiet", "-q", help="no messages but errors and warnings"),
    flag("--threads", type=int, metavar="N", help="threads for counting (default: all cores)"),
)  # fmt: skip


def run(argv: list[str]) -> int:
    """Draw a figure and return the exit code.

    Parameters
    ----------
    argv
        The words after `truebleu plot`.
    """
    return run_command(Command("truebleu plot", _parser, _plot), argv)


def _parser(prog: str) -> argparse.ArgumentParser:
    from truebleu.plot.plan import KINDS

    parser = argparse.ArgumentParser(
        prog=prog,
        usage=f"{prog} KIND REF [REF ...] -i FILE ... -o FILE [options]",
        description="Draws a figure: ranking (all systems, with differences to the best), pairs (which differences are "
        "significant), groups (A and B by domain), ecdf (scores of segments), scatter (A and B by segment), length "
        "(scores by length of the reference), difference (A less B by segment).",
        allow_abbrev=False,
    )
    parser.add_argument("kind", choices=KINDS, metavar="KIND", help=", ".join(KINDS))
    add_flags(parser, "Figure", _PLOT)
    add_input_flags(parser)
    add_metrics_flag(parser)
    add_flags(parser, "How sure", _SURENESS)
    add_metric_flags(parser)
    return parser


def _plot(args: argparse.Namespace) -> int:
    from truebleu._logs import inform
    from truebleu._textio import counted
    from truebleu.cli.job import read_job
    from truebleu.cli.progress import Progress
    from truebleu.cli.request import understand_part
    from truebleu.plot.figure import need_matplotlib, save

    _check(args)
    need_matplotlib()
    request = understand_part(args)
    with Progress(request.quiet) as progress:
        study = _study(args, read_job(request))
        labels = None if args.labels is None else args.labels.partition("=")[0]
        with progress.step(f"drawing {args.kind}"):
            save(
                study, args.kind, args.output,
                systems=args.systems, labels=labels, size=args.size, font_size=args.font_size, gray=args.gray,
            )  # fmt: skip
    about = f"{counted(len(study.inputs.systems), 'system')}, {counted(study.inputs.n, 'segment')}"
    inform("wrote %s: %s of %s", args.output, args.kind, about)
    return 0


def _check(args: argparse.Namespace) -> None:
    """What can be told before anything is read."""
    from truebleu._atomic import check_not_inputs
    from truebleu.plot.figure import check_target
    from truebleu.plot.plan import read_look

    read_look(args.size, args.font_size, args.gray)
    check_target(args.output)
    check_not_inputs([Path(args.output)], [*args.refs, *(args.input or ())])
    if args.metrics and len(args.metrics) > 1:
        raise UsageError(f"a figure shows one metric, and --metrics has {len(args.metrics)}")
    if args.labels is not None and args.kind != "groups":
        raise UsageError(f"--labels goes with groups, the figure is {args.kind}")


def _study(args: argparse.Namespace, job: Job) -> Study:
    from truebleu.study.study import Study

    names = _names(args, [system.name for system in job.systems])
    return Study(
        [(name, system.segments) for name, system in zip(names, job.systems, strict=True)],
        job.references.streams,
        job.metrics(),
        labels=_labels(args, job),
        baseline=args.baseline,
        test=args.test,
        n_samples=args.trials,
        language=(args.langpair or "").partition("-")[2],
        threads=args.threads,
    )


def _labels(args: argparse.Namespace, job: Job) -> dict[str, Any]:
    """The labels that were asked for, or the domains of a test set."""
    if args.kind != "groups" or args.labels == "length":
        return {}
    if args.labels is None:
        has_domains = job.part is not None and "domain" in job.part.fields
        return {"domain": job.labels("domain")} if has_domains else {}
    name, is_file, path = args.labels.partition("=")
    if is_file and not (name and path):
        raise UsageError(f"--labels is {args.labels!r}, expected a field of the test set, or NAME=FILE")
    if not is_file and (job.part is None or name not in job.part.fields):
        raise UsageError(f"--labels is {name!r}, which is no field of a test set; a file is given as NAME=FILE")
    return {name: job.labels(path or name)}


def _names(args: argparse.Namespace, files: Sequence[str]) -> list[str]:
    """The names that were given, or those of files without what all have in common."""
    if args.names is None:
        return trimmed(list(files))
    names: list[str] = args.names.split(",")
    if len(names) != len(files) or not all(names):
        raise UsageError(f"--names has {len(names)} names, expected one for each of {len(files)} systems")
    return names
