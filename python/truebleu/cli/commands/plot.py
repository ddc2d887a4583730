"""`truebleu plot`: figures for papers, as PDF, SVG or PNG."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from truebleu.cli.flags import STUDY, TEST_SET, TEXTS_AND_ONLY, WORK, Section, metric_flags, metrics_flag
from truebleu.cli.learned.flags import JUDGING, LEARNING
from truebleu.cli.main import IDLE_WITH, IDLE_WITHOUT, Command, UsageError, refuse_idle
from truebleu.metrics import METRICS
from truebleu.metrics.options import flag, switch
from truebleu.study.plot.plan import KINDS

_KIND = flag("kind", choices=KINDS, metavar="KIND", help=", ".join(KINDS))

_PLOT = (
    flag("--output", "-o", required=True, metavar="FILE", help="the figure: a name in .pdf, .svg or .png"),
    flag("--size", default="acl1", metavar="SIZE", help="acl1 (7.7 cm wide; default), acl2 (16 cm), or cm, as in 8x6"),
    flag("--font-size", type=float, default=8.0, metavar="N", help="size of letters in points (default: 8)"),
    switch("--gray", help="no colours"),
    flag(
        "--systems", nargs="+", metavar="NAME",
        help="A and B of groups, scatter and difference; up to six of ecdf and length (default: the best)",
    ),
)  # fmt: skip


def _plot(args: argparse.Namespace) -> int:
    from truebleu._counts import number_of
    from truebleu._logs import inform
    from truebleu.cli.progress import Progress
    from truebleu.cli.study import read_study, understand_study
    from truebleu.study.inputs import LENGTH
    from truebleu.study.plot.figure import need_matplotlib, save

    _check(args)
    need_matplotlib()
    wanted = args.labels[0].partition("=")[0] if args.labels else "domain"
    args.labels = [one for one in args.labels if one != LENGTH]
    request, choice = understand_study(args)
    if "src" in args.typed and not any(METRICS[one.name].is_learned for one in request.metrics):
        refuse_idle("--src", "figures do not show it")
    if args.external and not args.metrics and not args.like:
        request = request._replace(metrics=())  # the scores from elsewhere are the metric
    with Progress(request.quiet) as progress:
        study, _ = read_study(request, choice)
        labels = wanted if wanted in study.inputs.labels else LENGTH
        with progress.step(f"drawing {args.kind}"):
            save(
                study, args.kind, args.output, labels=labels if args.kind == "groups" else None,
                systems=args.systems, size=args.size, font_size=args.font_size, gray=args.gray,
            )  # fmt: skip
    about = f"{number_of(len(study.inputs.systems), 'system')}, {number_of(study.inputs.n, 'segment')}"
    inform("wrote %s: %s of %s", args.output, args.kind, about)
    return 0


def _check(args: argparse.Namespace) -> None:
    """What can be told before anything is read."""
    from truebleu._atomic import check_not_inputs
    from truebleu.study.plot.figure import check_target
    from truebleu.study.plot.plan import read_look

    read_look(args.size, args.font_size, args.gray)
    check_target(args.output)
    check_not_inputs([Path(args.output)], [path for path in (*args.refs, *(args.input or ()), args.src) if path])
    metrics = len(args.metrics or ()) + len(args.external)
    if metrics > 1:
        raise UsageError(f"a figure shows one metric, and --metrics and --external have {metrics}")
    if args.labels and args.kind != "groups":
        raise UsageError(f"--labels goes with groups, the figure is {args.kind}")
    if len(args.labels) > 1:
        raise UsageError(f"a figure shows one set of labels, and --labels was given {len(args.labels)} times")


COMMAND = Command(
    "truebleu plot",
    (
        Section("", (_KIND,)), Section("Figure", _PLOT), TEXTS_AND_ONLY, TEST_SET, partial(metrics_flag, like="like"),
        LEARNING, JUDGING, STUDY, metric_flags, WORK,
    ),
    _plot,
    about="Draws a figure: ranking (all systems, with differences to the best), pairs (which differences are "
    "significant), groups (A and B by domain), ecdf (scores of segments), scatter (A and B by segment), length (scores "
    "by length of the reference), difference (A minus B by segment).",
    usage="KIND REF [REF ...] -i FILE ... -o FILE [options]",
    example="ranking REF -i SYS OTHER -m METRIC -o figure.svg",
    conflicts=(
        (
            "--test, --trials, --correction, --alpha, --strata", IDLE_WITH,
            "kind ecdf, kind scatter, kind length, kind difference", "it is about a test, and this figure shows none",
        ),
        ("--trials, --correction, --alpha, --strata", IDLE_WITH, "--test none",
            "it is about a test, and --test is none"),
        ("--docids", IDLE_WITH, "kind ecdf, kind scatter, kind difference", "this figure does not ask for documents"),
        ("--seed", IDLE_WITH, "kind ecdf, kind scatter, kind difference", "nothing in this figure is drawn at random"),
        ("--doctor-rescore, --margin, --no-people", IDLE_WITHOUT, "nothing", "figures do not show it"),
    ),
    functions=("Study.plot", "Study", "compare"),
)  # fmt: skip
