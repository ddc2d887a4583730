"""`truebleu explain`: what a signature means, in words."""

import sys
from argparse import Namespace

from truebleu._shown import shown
from truebleu.cli.flags import Section
from truebleu.cli.main import Command
from truebleu.metrics.explained import explained
from truebleu.metrics.options import flag


def _explain(args: Namespace) -> int:
    found = [(shown(field), shown(words)) for field, words in explained(args.signature)]
    width = max(len(field) for field, _ in found)
    sys.stdout.write("".join(f"{field:<{width}}  {words}\n" for field, words in found))
    return 0


COMMAND = Command(
    "truebleu explain",
    (Section("", [flag("signature", metavar="SIGNATURE", help="of sacreBLEU or truebleu, long or short, in quotes")]),),
    _explain,
    about="Say in words what each field of a signature means.",
    usage="SIGNATURE",
    example="BLEU|nrefs:1|tok:13a",
)
