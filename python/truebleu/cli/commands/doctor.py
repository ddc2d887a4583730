"""`truebleu doctor`: can a score of these texts be trusted, and how many points does each fault cost?"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truebleu._counts import number_of
from truebleu.cli.flags import NO_COLOR, TEST_SET, TEXTS, WORK, Section, formats, metric_flags, metrics_flag
from truebleu.cli.learned.flags import JUDGING, LEARNING
from truebleu.cli.main import BAD_DATA, GOES_WITH, IDLE_WITH, NOT_WITH, Command, UsageError
from truebleu.metrics.options import flag, switch

if TYPE_CHECKING:
    from truebleu.cli.job import Job
    from truebleu.cli.progress import Progress
    from truebleu.cli.request import Request
    from truebleu.doctor.finding import Diagnosis
    from truebleu.doctor.text import Examined

# The exit code of --strict, which no error has.
STRICT = 3

_REPAIRS = "--fix names repairs and --output the file for the result; give both, or neither"

_LEVELS = ("note", "warning", "error")

_DOCTOR = (
    flag("--sources", "--src", metavar="FILE", help="the source texts, one per line; a test set has them"),
    flag("--language", default="", metavar="XX", help="the target language, if it is known (default: that of -l)"),
    flag("--checks", action="join", metavar="CODES", help="only these checks, by codes or their beginnings: D2,D304"),
    flag("--skip", action="join", metavar="CODES", help="all checks but these"),
    flag(
        "--placeholders", action="join", metavar="WHICH",
        help="auto: those that source and references have (default); strict: all of the source; lenient: a number may "
        "be left out if it is the only one; or families: printf,braces",
    ),
    flag(
        "--numbers", default="", metavar="XX",
        help="the locale of numbers in the target language: de reads 1.234 as 1234 (default: any)",
    ),
    switch("--list", help="list all checks"),
    flag("--explain", metavar="CODE", help="what a check such as D321 looks for, needs, costs and repairs"),
    flag(
        "--level", choices=_LEVELS, metavar="LEVEL",
        help="lowest level that is shown: note, warning, error (default: warning; in JSON note)",
    ),
    flag(
        "--fail-on", choices=("error", "warning", "never"), default="error", metavar="LEVEL",
        help="exit with 1 if there is a finding of this level: error (default), warning, never",
    ),
    switch("--strict", help="exit with 3 instead of 1; no other mistake has this exit code"),
    flag("--examples", type=int, default=3, metavar="N", help="texts shown of each finding (default: 3)"),
    flag(
        "--fix", action="join", metavar="NAMES",
        help="repair the hypotheses: specials,entities and so on; goes with --output",
    ),
    flag("--output", "-o", metavar="FILE", help="where the repaired hypotheses go; never one of the inputs"),
)  # fmt: skip


def _examine(args: argparse.Namespace) -> int:
    from truebleu.cli.job import read_job
    from truebleu.cli.progress import Progress
    from truebleu.doctor.text import doctor_json, doctor_lines

    if args.list or args.explain:
        return _tell_rules(args.explain)
    _check(args)
    request = _request(args)
    with Progress(request.quiet) as progress:
        job = read_job(request, any_length=True)
        if args.fix and len(job.systems) > 1:
            raise UsageError(f"--fix writes one file, and there are {number_of(len(job.systems), 'system')}; give one")
        progress.steps = len(job.systems)
        examined = _examined(args, job, progress)
    if args.fix:
        examined = [_written(args, request, examined[0])]
    if args.format == "json":
        sys.stdout.write(doctor_json(examined, args.level or "note") + "\n")
    else:
        for line in doctor_lines(examined, request.style, args.level or "warning", args.examples):
            sys.stdout.write(line + "\n")
    return _exit_code(args, [one.diagnosis for one in examined])


def _tell_rules(code: str | None) -> int:
    """List all checks, or say what one is about."""
    from truebleu.doctor.rules import RULES
    from truebleu.doctor.text import rule_lines

    found = [rule for rule in RULES if code is None or rule.code == code.upper()]
    if not found:
        raise UsageError(f"--explain is {code!r}, and no check has this code; --list shows them, as in {RULES[0].code}")
    for line in rule_lines(found[0]) if code else [f"{rule.code}  {rule.name}" for rule in found]:
        sys.stdout.write(line + "\n")
    return 0


def _check(args: argparse.Namespace) -> None:
    if args.examples < 0:
        raise UsageError(f"--examples is {args.examples}, expected a number from 0")
    if args.output:
        from truebleu._atomic import check_not_inputs, check_targets

        inputs = [path for path in (*args.refs, *(args.input or ()), args.sources) if path]
        check_not_inputs([Path(args.output)], inputs)
        check_targets([Path(args.output)], overwrite=True)


def _request(args: argparse.Namespace) -> Request:
    """What `truebleu` itself makes of the flags that it has too; those that are not here have their defaults."""
    from truebleu.cli.request import understand_part

    args.metrics = args.metrics or ["bleu", "chrf"]
    args.force = True  # a warning of tokenized text is D302 here
    args.typed.pop("langpair", None)  # checks ask for the language, whatever the metric
    return understand_part(args)


def _sources(args: argparse.Namespace, job: Job) -> list[str] | None:
    if args.sources is None:
        return job.sources
    from truebleu._textio import read_lines

    return read_lines(args.sources, job.request.input.source.encodings[args.sources])


def _examined(args: argparse.Namespace, job: Job, progress: Progress) -> list[Examined]:
    from truebleu.doctor.text import Examined

    sources, references = _sources(args, job), job.references.streams
    sides: dict[str, Any] = {f"references[{at}]": stream for at, stream in enumerate(references)}
    given = {name: getattr(args, name) for name in ("checks", "skip", "placeholders", "numbers")}
    options = {name: value for name, value in given.items() if value is not None}
    return [
        Examined(one.name, one.path, diagnosis, {**sides, "hypotheses": one.segments, "sources": sources or ()})
        for one, diagnosis in job.diagnosed(progress, sources, args.language, **options)
    ]


def _written(args: argparse.Namespace, request: Request, one: Examined) -> Examined:
    """Write the repaired hypotheses, whole or not at all."""
    from truebleu._atomic import write_whole
    from truebleu.errors import FileFormatError

    names = tuple(args.fix.split(","))
    texts = one.diagnosis.repaired(*names)
    for line, text in enumerate(texts, 1):
        if "\n" in text or any("\ud800" <= c <= "\udfff" for c in text):
            raise FileFormatError(
                f"--output has one text per line in UTF-8, and text {line} cannot be written like this"
            )
    write_whole(Path(args.output), "".join(f"{text}\n" for text in texts).encode())
    return one._replace(repaired=names, output=args.output)


def _exit_code(args: argparse.Namespace, reports: list[Diagnosis]) -> int:
    bad = () if args.fail_on == "never" else _LEVELS[_LEVELS.index(args.fail_on) :]
    if any(report.worst in bad for report in reports):
        return STRICT if args.strict else BAD_DATA
    return 0


COMMAND = Command(
    "truebleu doctor",
    (
        TEXTS, TEST_SET, partial(metrics_flag, "bleu chrf"), Section("What to look for", _DOCTOR), metric_flags,
        LEARNING, JUDGING, Section("Output", (*formats("text", "json", "markdown"), NO_COLOR)), WORK,
    ),
    _examine,
    about="Looks for faults that make scores meaningless (shifted lines, a tokenizer that does not fit, damaged, "
    "untranslated or truncated text), says where they are, and gives the price of each in points.",
    usage="REF [REF ...] [-i FILE ...] [options]",
    example="REF -i SYS -m METRIC --fail-on never",
    conflicts=(
        ("--fix", GOES_WITH, "--output", _REPAIRS),
        ("--output", GOES_WITH, "--fix", _REPAIRS),
        ("--strict", IDLE_WITH, "--fail-on never", "--fail-on never asks for exit code 0"),
        (
            "--sources", NOT_WITH, "--test-set",
            "both a test set, which has its sources, and --sources are given; choose one of the two",
        ),
    ),
    functions=("diagnose", "repaired"),
)  # fmt: skip
