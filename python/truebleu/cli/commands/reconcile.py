"""`truebleu reconcile`: which settings give this number, and what does each change contribute?"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from truebleu._counts import number_of
from truebleu._shown import shown
from truebleu.cli.flags import Parser, add_input_flags, add_metric_flags, add_work_flags, metric_name
from truebleu.cli.main import BAD_DATA, Command, UsageError, run_command

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


def run(argv: list[str]) -> int:
    """Explain a number and return the exit code: 0 if a setting gives it, 1 if none does."""
    return run_command(Command("truebleu reconcile", _parser, _reconcile, functions=("reconcile", "attribute")), argv)


def _parser(prog: str) -> argparse.ArgumentParser:
    from truebleu.reconciliation.family import names
    from truebleu.reconciliation.text import FORMATS

    parser = Parser(
        prog=prog,
        usage=f"{prog} REF [REF ...] -i FILE [FILE ...] --target NUMBER [options]",
        description="Finds the settings, and the tools, that give a number which somebody printed, and says what each "
        "change contributes. The options of metrics say where changes are counted from.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument_group("What to explain").add_argument
    add(
        "--target",
        action="append",
        metavar="TEXT",
        help="the number as it was printed, or the tool's whole line of output; once for each system",
    )
    add("--from", dest="start", metavar="WHAT", help="count changes from this signature or tool")
    add("--to", dest="end", metavar="WHAT", help="explain the gap between --from and this signature or tool")
    add("--tool", action="append", metavar="NAME", help="try only what this tool does; may be given several times")
    add("--axes", nargs="+", metavar="NAME", help="try only changes of these axes, such as tokenizer, case, references")
    add("--max-changes", type=int, default=3, metavar="N", help="how many changes at once (default: 3)")
    add_input_flags(parser)
    known = names("or").lower().replace(",", " (default),", 1)
    parser.add_argument("-m", "--metrics", metavar="NAME", nargs=1, type=metric_name, help=known)
    add_metric_flags(parser)
    add = parser.add_argument_group("Output").add_argument
    add("-f", "--format", choices=FORMATS, default="text", metavar="NAME", help=", ".join(FORMATS))
    add("--json", action="store_const", dest="format", const="json", help="the same as --format json")
    add_work_flags(parser)
    return parser  # fmt: skip


def _reconcile(args: argparse.Namespace) -> int:
    from truebleu.cli.job import read_job
    from truebleu.cli.progress import Progress
    from truebleu.cli.request import understand_part
    from truebleu.reconciliation.text import reconciliation_text

    layout, args.format = args.format, "text"
    _check(args)
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


def _check(args: argparse.Namespace) -> None:
    if args.target and args.end:
        raise UsageError("--target asks for a search and --to for none; give one of the two")
    if not args.target and not (args.start and args.end):
        raise UsageError("there is nothing to explain: give --target NUMBER, or --from and --to")
    if args.start and args.metrics:
        raise UsageError("--from names a whole definition; leave out --metrics")
    if args.end and (args.tool or args.axes):
        raise UsageError("--tool and --axes are about a search; leave them out with --to")


def _found(args: argparse.Namespace, job: Job) -> Reconciliation | Attribution:
    from truebleu.cli.inputs import short_names
    from truebleu.reconciliation import attribute, reconcile

    systems = [system.segments for system in job.systems]
    named = short_names(job.references.names)
    names = [named[name] for name in job.references.names]
    labels, others = _about(job)
    if args.end:
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
    """What is wrong with the texts, which is likelier than a setting that nobody knows."""
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
