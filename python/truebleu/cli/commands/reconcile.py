"""`truebleu reconcile`: which settings give this number, and what does each change contribute?"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from truebleu._counts import number_of
from truebleu._shown import shown
from truebleu.cli.flags import TEST_SET, TEXTS, WORK, Section, formats, metric_flags, metric_name
from truebleu.cli.main import BAD_DATA, IDLE_WITH, NOT_WITH, Command, UsageError
from truebleu.metrics import METRICS
from truebleu.metrics.options import flag

if TYPE_CHECKING:
    from truebleu.cli.job import Job
    from truebleu.reconciliation import Attribution, Reconciliation

_EXAMPLES = """\
examples:
  truebleu reconcile ref.txt -i system.txt --target 46.23
  truebleu reconcile refA.txt refB.txt -i a.txt b.txt --target 41.7 --target 39.9
  truebleu reconcile ref.txt -i system.txt --target 0.4508 --tool torchmetrics
  truebleu reconcile ref.txt -i system.txt --from sacrebleu --to multi-bleu
"""


_FLAGS = (
    flag(
        "--target", action="append", metavar="TEXT",
        help="the number as it was printed, or the tool's whole line of output; once for each system",
    ),
    flag("--from", dest="start", metavar="WHAT", help="count changes from this signature or tool"),
    flag("--to", dest="end", metavar="WHAT", help="explain the gap between --from and this signature or tool"),
    flag("--tool", action="append", metavar="NAME", help="try only the settings of this tool; may be repeated"),
    flag(
        "--axes", nargs="+", metavar="NAME",
        help="try only changes of these axes, such as tokenizer, case, references",
    ),
    flag("--max-changes", type=int, default=3, metavar="N", help="how many changes at once (default: 3)"),
)  # fmt: skip


def _metric() -> Iterator[Section]:
    from truebleu.reconciliation.family import names

    known = names("or").lower().replace(",", " (default),", 1)
    yield Section("Metrics", (flag("--metrics", "-m", metavar="NAME", nargs=1, type=metric_name, help=known),))


def _reconcile(args: argparse.Namespace) -> int:
    from truebleu.cli.job import read_job
    from truebleu.cli.progress import Progress
    from truebleu.cli.request import understand_part
    from truebleu.reconciliation.text import reconciliation_text

    layout, args.format = args.format, "text"
    if not args.target and not (args.start and args.end):
        raise UsageError("there is nothing to explain: give --target NUMBER, or --from and --to")
    if len(args.metrics or ()) > 1:
        raise UsageError(f"--metrics names {' and '.join(args.metrics)}; explain one metric at a time")
    if any(METRICS[name].is_learned for name in args.metrics or ()):
        raise UsageError(f"the metric is {args.metrics[0]}, expected bleu, chrf, ter or meteor")
    request = understand_part(args)
    with Progress(args.quiet) as progress:
        job = read_job(request)
        if args.target and len(args.target) != len(job.systems):
            given = f"{number_of(len(job.systems), 'system')} and {number_of(len(args.target), 'target')}"
            raise UsageError(f"there are {given}; give one target for each system")
        with progress.step("searching" if args.target else "scoring"):
            found = _found(args, job)
    sys.stdout.write(reconciliation_text(found, layout))
    if layout != "json" and args.target and not getattr(found, "explained", True):
        sys.stdout.write(_doctor(job, layout))
    return 0 if getattr(found, "explained", True) else BAD_DATA


def _found(args: argparse.Namespace, job: Job) -> Reconciliation | Attribution:
    from truebleu.cli.inputs import short_names
    from truebleu.reconciliation import attribute, reconcile

    systems = [system.segments for system in job.systems]
    named = short_names(job.references.names)
    names = [named[name] for name in job.references.names]
    labels, others = _about(job)
    if args.end:
        _start(args, job)  # refuses options of metrics
        return attribute(systems, job.references.streams, args.start, args.end, names=names, threads=args.threads or 0)
    target = args.target
    return reconcile(
        systems[0] if len(target) == 1 else systems,
        job.references.streams,
        target[0] if len(target) == 1 else target,
        start=_start(args, job),
        tools=args.tool,
        axes=args.axes,
        labels=labels,
        max_changes=args.max_changes,
        threads=args.threads or 0,
        names=names,
        others=others,
    )


def _start(args: argparse.Namespace, job: Job) -> Any:
    """Where changes are counted from; None leaves it to the metric that the target or the tool names."""
    from truebleu.reconciliation.targets import parse_target

    choice = job.request.metrics[0]
    typed = choice.options.keys() - {"trg_lang"}
    if args.start:
        if typed:
            raise UsageError("--from names a whole definition; leave out the options of metrics")
        return args.start
    if not args.metrics and not typed and (args.tool or parse_target(args.target[0]).metric not in (None, "bleu")):
        return None
    return job.metric(choice)


def _about(job: Job) -> tuple[Mapping[str, Sequence[Hashable]], Mapping[str, Sequence[str | None]]]:
    """What a test set says of its segments, and its references that are not among those in use."""
    part = job.part
    if part is None:
        return {}, {}
    names = {"origlang": "origlang", "domain": "domain", "docid": "document"}
    labels = {name: part.field(field) for field, name in names.items() if field in part.fields}
    unused = [field for field in part.fields if field.startswith("ref") and field not in part.references_used]
    return labels, {field: part.field(field) for field in unused}


def _doctor(job: Job, layout: str) -> str:
    """The faults of the texts, which are more likely than an unknown setting."""
    from truebleu._text.escape import markdown_text
    from truebleu.doctor import diagnose

    lines = []
    for system in job.systems:
        findings = diagnose(system.segments, job.references.streams).findings
        lines += [f"{system.name}: {one.code} {one.message}" for one in findings if one.level != "note"]
    if not lines:
        return "truebleu doctor finds nothing wrong with these texts.\n"
    lines = [shown(line, 500) for line in lines]
    # An empty line ends a paragraph of Markdown; one line feed is a space there.
    return "".join(
        f"\ntruebleu doctor on {markdown_text(line)}\n" if layout == "markdown" else f"truebleu doctor on {line}\n"
        for line in lines
    )


COMMAND = Command(
    "truebleu reconcile",
    (
        Section("What to explain", _FLAGS), TEXTS, TEST_SET, _metric, metric_flags,
        Section("Output", formats("text", "json", "markdown")), WORK,
    ),
    _reconcile,
    about="Finds the settings, and the tools, that give a published number, and says what each change contributes. The "
    "options of metrics say where changes are counted from.",
    usage="REF [REF ...] -i FILE [FILE ...] --target NUMBER [options]",
    epilog=_EXAMPLES,
    example="REF -i SYS --from sacrebleu --to nltk",
    conflicts=(
        ("--target", NOT_WITH, "--to", "--target starts a search and --to does not; give one of the two"),
        ("--from", NOT_WITH, "--metrics", "--from names a whole definition; leave out --metrics"),
        ("--to", NOT_WITH, "--tool, --axes", "--tool and --axes are about a search; leave them out with --to"),
        ("--max-changes", IDLE_WITH, "--to", "it is about a search; leave it out with --to"),
    ),
    functions=("reconcile", "attribute"),
)  # fmt: skip
