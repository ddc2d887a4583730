"""The command `truebleu`: words in, text and an exit code out. 0 is success, 1 bad data, 2 bad usage."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from itertools import chain

from truebleu import _logs
from truebleu.cli.parser import build_parser, wants_color
from truebleu.cli.request import Request, UsageError, understand
from truebleu.cli.testsets import information
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
        with _network(args):
            _answer(args)
    except (UsageError, OptionError) as error:
        sys.stderr.write(f"{parser.prog}: {error}\nTry '{parser.prog} --help'.\n")
        return 2
    except TruebleuError as error:
        sys.stderr.write(f"{parser.prog}: {error}\n")
        return 1
    return 0


def _answer(args: Namespace) -> None:
    lines = information(args)
    if lines is None:
        lines = _report(understand(args))
    # Always UTF-8, whatever the locale; a lone surrogate must not end the program.
    sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")  # type: ignore[union-attr]
    for line in lines:
        sys.stdout.write(line + "\n")


def _report(request: Request) -> Iterable[str]:
    from truebleu.cli.run import run
    from truebleu.report.render import COLORED, render
    from truebleu.report.results import Style

    results, references = run(request)
    layout, test_set = request.layout, request.test_set
    if layout.report:
        from truebleu.report.paper import Setting, template_lines

        name = f"{test_set.names} {test_set.pair}" if test_set else "your own files"
        return template_lines(results, Setting(references.names, name, ()), layout.format)
    color = layout.format in COLORED and wants_color(sys.stdout, layout.no_color)
    lines = render(results, layout.format, Style(layout.width, layout.short, layout.score_only, color))
    if layout.detail and test_set is None and layout.format in COLORED:
        return chain(lines, ["No detail: only test sets (-t) tell original languages and domains."])
    return lines


@contextmanager
def _network(args: Namespace) -> Iterator[None]:
    """Downloads show a bar, or are forbidden."""
    if not (args.test_set or args.download):
        yield
        return
    from truebleu.cli.download_bar import progress_bar
    from truebleu.store import offline

    with ExitStack() as stack:
        if args.offline:
            stack.enter_context(offline())
        if not args.quiet:
            stack.enter_context(progress_bar())
        yield


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
