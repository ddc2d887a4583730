"""The command `truebleu`: words in, text and an exit code out. 0 is success, 1 bad data, 2 bad usage."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from importlib import import_module

from truebleu import _logs
from truebleu.cli.commands.score import answer, network
from truebleu.cli.flags import build_parser
from truebleu.cli.request import UsageError
from truebleu.errors import OptionError, TruebleuError

# Subcommands, chosen by the first word; each module has `run(argv) -> exit code`.
COMMANDS = {
    "data": "truebleu.cli.commands.data",
    "self-bleu": "truebleu.cli.commands.self_bleu",
    "sign-test": "truebleu.cli.commands.sign_test",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        code = _dispatch(words)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has gone (`| head`). Python would complain once more when it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    return code


def _dispatch(words: list[str]) -> int:
    if words and words[0] in COMMANDS:
        command: Callable[[list[str]], int] = import_module(COMMANDS[words[0]]).run
        return command(words[1:])
    parser = build_parser()
    _complete(parser)
    args = parser.parse_args(words)
    show_messages(parser.prog, quiet=args.quiet)
    try:
        with network(args):
            answer(args)
    except (UsageError, OptionError) as error:
        sys.stderr.write(f"{parser.prog}: {error}\nTry '{parser.prog} --help'.\n")
        return 2
    except TruebleuError as error:
        sys.stderr.write(f"{parser.prog}: {error}\n")
        return 1
    return 0


def show_messages(prog: str, *, quiet: bool) -> None:
    """Show the library's messages on standard error: all of them, or with `quiet` only warnings."""

    def show(level: str, message: str) -> None:
        if level == "warning" or not quiet:
            sys.stderr.write(f"{prog}: {message}\n")

    _logs.send_to(show)


def _complete(parser: ArgumentParser) -> None:
    """Answer the shell if it asks for completions."""
    if "_ARGCOMPLETE" in os.environ:
        import argcomplete

        argcomplete.autocomplete(parser)


if __name__ == "__main__":
    sys.exit(main())
