"""`truebleu align`: which words of references and of a system's output stand for each other."""

from __future__ import annotations

import argparse
import sys

from truebleu._counts import number_of
from truebleu._shown import shown
from truebleu._textio import read_text, split_lines
from truebleu.cli.flags import Parser, add_flags
from truebleu.cli.inputs import read_standard_input
from truebleu.cli.main import Command, run_command
from truebleu.errors import LengthMismatch
from truebleu.metrics import CER, WER


def run(argv: list[str]) -> int:
    """Show an alignment and return the exit code."""
    return run_command(Command("truebleu align", _parser, _align), argv)


def _align(args: argparse.Namespace) -> int:
    from truebleu.cli.request import metric_options
    from truebleu.metrics.alignment import visualize_alignment, visualize_error_counts

    metric = (CER if args.characters else WER)(**metric_options(args, "cer" if args.characters else "wer"))
    references = split_lines(read_text(args.reference, args.encoding))
    if args.input is None:
        text = read_standard_input(args.encoding, "the output of the system, one segment a line,", "-i reads a file")
    else:
        text = read_text(args.input, args.encoding)
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


def _parser(prog: str) -> argparse.ArgumentParser:
    parser = Parser(
        prog=prog,
        usage=f"{prog} REF [-i SYS] [options]",
        description="Show each reference above the output of a system, with substitutions (S), deletions (D) and "
        "insertions (I) marked, and the error rates.",
        allow_abbrev=False,
    )
    parser.add_argument("reference", metavar="REF", help="the references, one a line, also compressed")
    parser.add_argument("-i", "--input", metavar="SYS", help="the output of the system (default: standard input)")
    parser.add_argument("-e", "--encoding", default="utf-8", metavar="NAME", help="of the files (default: utf-8)")
    parser.add_argument("-c", "--characters", action="store_true", help="align characters, not words")
    parser.add_argument("--all", action="store_true", help="show segments without an error too")
    parser.add_argument("--no-measures", action="store_true", help="leave the counts and rates at the end out")
    parser.add_argument("--line-width", type=int, metavar="N", help="the most characters of a line")
    parser.add_argument("--error-counts", action="store_true", help="show what was said wrong, and how often, instead")
    parser.add_argument("--top", type=int, metavar="N", help="of --error-counts, the most frequent of each kind")
    add_flags(parser, "Words", WER.flags)
    return parser
