"""The command `truebleu`, and the shell that every command runs in.

A command module has a parser and an action. The shell does the rest: messages, exit codes, closed pipes, interrupts,
UTF-8 whatever the locale says, and errors that nobody expected. Exit codes: 0, all is well; 1, something is wrong with
the data; 2, with the options; 70, with truebleu; 130, the user stopped it.
"""

from __future__ import annotations

import io
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import NamedTuple

from truebleu import _logs
from truebleu.errors import NameTaken, OptionError, TruebleuError
from truebleu.version import __version__

BAD_DATA, BAD_USAGE, BUG, INTERRUPTED = 1, 2, 70, 130

# Commands that the first word chooses; without one of them, the words are those of `score`.
COMMANDS = {"data": "data", "self-bleu": "self_bleu", "sign-test": "sign_test"}


class UsageError(OptionError):
    """What was typed makes no sense; the message says why."""


class Command(NamedTuple):
    """What a command adds to the shell."""

    name: str  # as it is typed
    parser: Callable[[str], ArgumentParser]  # takes the name
    action: Callable[[Namespace], int]  # returns the exit code
    is_labelled: bool = False  # whether messages begin with "error: " or "warning: ", as argparse's do
    closed_pipe: int = 0  # the exit code where the reader of the output has gone


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    argv
        The words after the name of the program; None for those of this process.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    module = COMMANDS[words.pop(0)] if words and words[0] in COMMANDS else "score"
    try:
        run: Callable[[list[str]], int] = import_module(f"truebleu.cli.commands.{module}").run
    except KeyboardInterrupt:
        return INTERRUPTED
    return run(words)


def run_command(command: Command, words: Sequence[str]) -> int:
    """Run a command and return its exit code.

    Parameters
    ----------
    command
        The command.
    words
        The words after its name. `--debug` may stand anywhere among them: it shows the traceback of a bug.
    """
    _speak_utf8()
    try:
        code = _attempt(command, [word for word in words if word != "--debug"])
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # The reader has gone (`| head`). Python would complain once more when it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return command.closed_pipe
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        where = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
        return _complain(command, f"{where}{error.strerror or error}", BAD_DATA)
    except Exception as error:
        return _admit(command, words, error)
    finally:
        _logs.send_to(None)


def _attempt(command: Command, words: list[str]) -> int:
    parser = command.parser(command.name)
    if "_ARGCOMPLETE" in os.environ:  # the shell asks for completions
        import argcomplete

        argcomplete.autocomplete(parser)
    try:
        args = parser.parse_args(words)
    except SystemExit as stop:  # argparse has said why
        return stop.code if isinstance(stop.code, int) else BAD_USAGE
    quiet = getattr(args, "quiet", command.is_labelled)

    def show(level: str, message: str) -> None:
        if level == "warning" or not quiet:
            label = f"{level}: " if command.is_labelled else ""
            sys.stderr.write(f"{command.name}: {label}{message}\n")

    _logs.send_to(show)
    try:
        return command.action(args)
    except TruebleuError as error:
        if command.is_labelled and isinstance(error, UsageError):
            parser.print_usage(sys.stderr)
        # A name that is taken is no mistake in the words: it depends on what is there.
        is_usage = isinstance(error, OptionError) and not isinstance(error, NameTaken)
        return _complain(command, str(error), BAD_USAGE if is_usage else BAD_DATA)


def _complain(command: Command, message: str, code: int) -> int:
    advice = f"Try '{command.name} --help'.\n" if code == BAD_USAGE and not command.is_labelled else ""
    label = "error: " if command.is_labelled else ""
    sys.stderr.write(f"{command.name}: {label}{message}\n{advice}")
    return code


def _admit(command: Command, words: Sequence[str], error: Exception) -> int:
    import platform
    import shlex
    import traceback

    if "--debug" in words:
        sys.stderr.write("".join(traceback.format_exception(error)))
    sys.stderr.write(
        f"{command.name}: this is a bug in truebleu: {type(error).__name__}: {error}\n"
        "Please report it with these two lines, and with what the same command shows with --debug:\n"
        f"  truebleu {__version__}, Python {platform.python_version()}, {platform.platform()}\n"
        f"  {command.name} {shlex.join(words)}\n"
    )
    return BUG


def _speak_utf8() -> None:
    # A path may hold bytes that are no UTF-8: they go out as they came in, and are spelled out in messages.
    for stream, errors in ((sys.stdout, "surrogateescape"), (sys.stderr, "backslashreplace")):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors=errors)


if __name__ == "__main__":
    sys.exit(main())
