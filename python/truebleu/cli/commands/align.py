"""`truebleu align`: align the words of references with those of a system's output."""

from __future__ import annotations

import argparse
import sys

from truebleu._counts import number_of
from truebleu._shown import shown
from truebleu._textio import read_text, split_lines
from truebleu.cli.flags import INPUT, Section, chosen
from truebleu.cli.inputs import STDIN, encodings_of, read_standard_input, warn_of_name
from truebleu.cli.main import IDLE_WITH, IDLE_WITHOUT, Command
from truebleu.errors import LengthMismatch
from truebleu.metrics import CER, WER
from truebleu.metrics.options import flag, switch


def _align(args: argparse.Namespace) -> int:
    from truebleu.cli.request import metric_options
    from truebleu.metrics.alignment import visualize_alignment, visualize_error_counts

    metric = (CER if args.characters else WER)(**metric_options(args, "cer" if args.characters else "wer"))
    encodings = encodings_of(args.encoding, ref=[args.reference], sys=[args.input or STDIN])
    for path in (args.reference, args.input or ""):
        warn_of_name(path, "this command does not read fields")
    references = split_lines(read_text(args.reference, encodings[args.reference]))
    if args.input is None:
        expected = "the output of the system, one segment per line,"
        text = read_standard_input(encodings[STDIN], expected, "-i reads a file")
    else:
        text = read_text(args.input, encodings[args.input])
    hypotheses, name = split_lines(text), "standard input" if args.input is None else shown(args.input)
    if len(references) != len(hypotheses):
        lines = f"{shown(args.reference)} has {number_of(len(references), 'line')}, {name} has {len(hypotheses)}"
        raise LengthMismatch(f"{lines}; expected as many")
    output = metric.align(hypotheses, references)
    if args.error_counts:
        text = visualize_error_counts(output, top_k=args.top) + "\n"
    else:
        text = visualize_alignment(output, not args.no_measures, not args.all, args.line_width)
    # Words may have characters that act on a terminal; the functions give them as they are, as jiwer's do.
    sys.stdout.write("\n".join(shown(line, sys.maxsize) for line in text.split("\n")))
    return 0


_FLAGS = (
    flag("reference", metavar="REF", help="the references, one per line, also compressed"),
    flag("--input", "-i", metavar="SYS", help="the output of the system (default: standard input)"),
    *chosen(INPUT, "encoding"),
    switch("--characters", "-c", help="align characters, not words"),
    switch("--all", help="show segments without an error too"),
    switch("--no-measures", help="leave out the counts and rates at the end"),
    flag("--line-width", type=int, metavar="N", help="longest line, in characters"),
    switch("--error-counts", help="show only the errors and their frequencies"),
    flag("--top", type=int, metavar="N", help="with --error-counts: only the N most frequent of each kind"),
)

COMMAND = Command(
    "truebleu align",
    (Section("", _FLAGS), Section("Words", WER.flags)),
    _align,
    about="Show each reference above the output of a system, with substitutions (S), deletions (D) and insertions (I) "
    "marked, and the error rates.",
    usage="REF [-i SYS] [options]",
    example="REF -i SYS",
    conflicts=(
        ("--top", IDLE_WITHOUT, "--error-counts", "it goes with --error-counts"),
        (
            "--all, --no-measures, --line-width", IDLE_WITH, "--error-counts",
            "--error-counts shows only the errors and their frequencies",
        ),
    ),
)  # fmt: skip
