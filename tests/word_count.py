"""A command that truebleu does not have, to show what a new one costs: this file, and a line in `COMMANDS`."""

import json
from argparse import Namespace

from truebleu._textio import read_lines
from truebleu.cli.flags import Section, formats
from truebleu.cli.main import GOES_WITH, Command
from truebleu.metrics.options import flag, switch


def _count(args: Namespace) -> int:
    words = [len(line.split()) for line in read_lines(args.file)]
    found = max(words) if args.longest else sum(words)
    print(json.dumps({"words": found}) if args.format == "json" else f"{found} words")
    return 0


_FLAGS = (
    flag("file", metavar="FILE", help="a text"),
    switch("--per-line", help="look at lines"),
    switch("--longest", help="only the longest line"),
    *formats("text", "json"),
)

COMMAND = Command(
    "truebleu word-count",
    (Section("", _FLAGS),),
    _count,
    about="Counts words.",
    usage="FILE [options]",
    example="SYS",
    conflicts=(("--longest", GOES_WITH, "--per-line", "{flag} is about lines; it goes with --per-line"),),
)
