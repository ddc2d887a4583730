"""`truebleu resegment`: a text in as many lines as its reference."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truebleu._counts import number_of
from truebleu._logs import inform
from truebleu._shown import json_text
from truebleu.cli.flags import TEST_SET, TEXTS, WORK, Section, formats
from truebleu.cli.main import IDLE_WITHOUT, Command, UsageError
from truebleu.metrics.options import flag, switch
from truebleu.resegmentation.names import BREAKS, METHODS, WINDOW

if TYPE_CHECKING:
    from truebleu.resegmentation import Resegmented


def _resegment(args: argparse.Namespace) -> int:
    from truebleu._atomic import check_not_inputs, write_whole
    from truebleu.cli.job import read_job
    from truebleu.cli.progress import Progress
    from truebleu.cli.request import understand_part
    from truebleu.cli.segmentation import DivisionChoice, doubts

    if args.window < 1:
        raise UsageError(f"--window is {args.window}, expected a number from 1")
    if args.input is None and args.test_set and len(args.refs) == 1:
        args.input, args.refs = args.refs, []  # a test set has its references, so that this is the system
    if args.input is None and len(args.refs) > 1:
        raise UsageError("the output of the system goes after -i, and references come first: REF [REF ...] -i OUTPUT")
    request = understand_part(args, format=None, resegment=args.method)
    choice = request.input.division
    assert isinstance(choice, DivisionChoice)
    division = choice._replace(auto=args.auto, window=args.window)
    request = request._replace(input=request.input._replace(division=division))
    if args.out is not None:
        check_not_inputs([Path(args.out)], [*(args.input or ()), *args.refs])
    with Progress(args.quiet) as progress, progress.step("re-segmenting"):
        job = read_job(request)
    if len(job.divided) != 1:
        raise UsageError(f"there are {number_of(len(job.divided), 'system')}; divide one at a time")
    ((_, result),) = job.divided.values()
    # Filters and --docids choose segments of a test set; all of them are written.
    lines = "".join(line + "\n" for line in _FORMATS[args.format](result))
    if args.out is None:
        sys.stdout.write(lines)
    else:
        write_whole(Path(args.out), lines.encode("utf-8", "surrogateescape"))
    told = ", ".join([*doubts(result), f"{number_of(len(result.suspects), 'segment')} suspect"])
    inform("re-segmented %d of %s: %s", result.aligned, number_of(result.documents, "document"), told)
    return 0


def _text(result: Resegmented) -> Iterable[str]:
    return result.segments


def _objects(result: Resegmented) -> Iterator[dict[str, Any]]:
    """Write what is known of each segment; segments are counted from 1."""
    uncertain, suspects, documents = set(result.uncertain), set(result.suspects), result.document_labels()
    labels = result.given_labels()
    for at, text in enumerate(result.segments):
        margin = float(result.margins[at])
        yield {
            "segment": at + 1,
            "text": text,
            "document": documents[at] + 1,
            "docid": None if labels is None else str(labels[at]),
            "start": result.spans[at][0],
            "end": result.spans[at][1],
            "margin": margin if margin < float("inf") else None,
            "uncertain": at in uncertain if result.tells_margins else None,
            "suspect": at in suspects,
        }


def _jsonl(result: Resegmented) -> Iterable[str]:
    return (json_text(fields) for fields in _objects(result))


def _tsv(result: Resegmented) -> Iterator[str]:
    for at, fields in enumerate(_objects(result)):
        if at == 0:
            yield "\t".join(fields)
        cells = ("" if value is None else str(value).replace("\t", " ") for value in fields.values())
        yield "\t".join(cells)


_FORMATS = {"text": _text, "jsonl": _jsonl, "tsv": _tsv}

_HOW = (
    flag("--out", "-o", metavar="FILE", help="where the lines go (default: standard output)"),
    *formats(*_FORMATS),
    flag("--method", choices=METHODS[:-1], default="cue", help="how to align (default: cue)"),
    flag("--breaks", choices=BREAKS, help="how to treat line breaks of the output (default: prefer)"),
    flag("--window", type=int, default=WINDOW, metavar="N", help=f"for cue (default: {WINDOW})"),
    switch("--auto", help="leave documents with the right number of lines as they are"),
    flag("--docids", metavar="FILE", help="a document id for each segment, one per line; or a field"),
    switch("--blank-lines", help="the output has a blank line between documents"),
    *WORK.flags,
)

COMMAND = Command(
    "truebleu resegment",
    (TEXTS, TEST_SET, Section("", _HOW)),
    _resegment,
    about="Divide the output of a system, in lines or without any, into the segments of its references. "
    "'truebleu --resegment' scores such a text at once.",
    usage="REF [REF ...] [-i OUTPUT] [options]",
    example="REF -i SYS",
    conflicts=(
        ("--window", IDLE_WITHOUT, "--method cue", "it goes with --method cue"),
        ("--language-pair", IDLE_WITHOUT, "--test-set", "it goes with --test-set"),
        ("--origlang, --subset", IDLE_WITHOUT, "nothing", "all segments of the test set are written"),
    ),
)  # fmt: skip
