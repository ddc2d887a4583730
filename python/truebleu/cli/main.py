"""The command `truebleu`, and the shell that every command runs in.

A command module has a parser and an action. The shell does the rest: messages, exit codes, closed pipes, interrupts,
UTF-8 whatever the locale says, and errors that nobody expected. Exit codes: 0, all is well; 1, something is wrong with
the data; 2, with the options; 70, with truebleu; 130, the user stopped it.
"""

import io
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import redirect_stdout
from importlib import import_module
from typing import Any, NamedTuple

from truebleu import _logs
from truebleu._shown import nearest, shown
from truebleu.errors import NameTaken, OptionError, TruebleuError
from truebleu.version import __version__

BAD_DATA, BAD_USAGE, BUG, INTERRUPTED = 1, 2, 70, 130

# Commands that the first word chooses; without one of them, the words are those of `score`.
COMMANDS = {
    "align": "align", "data": "data", "doctor": "doctor", "merge": "merge", "plot": "plot", "receipt": "receipt",
    "reconcile": "reconcile", "report": "report", "resegment": "resegment", "self-bleu": "self_bleu",
    "sign-test": "sign_test",
}  # fmt: skip


class UsageError(OptionError):
    """What was typed makes no sense; the message says why."""


GOES_WITH, NOT_WITH = "goes with", "does not go with"


class Conflict(NamedTuple):
    """Flags that go only with one of the others, or with none of them, and what is said to whoever types them so."""

    flags: str  # several with ", " between them; beside flags, what follows from them, in words
    relation: str
    others: str
    why: str  # may name the {flag}, the {other} of the two, and anything that is given


def refuse_conflicts(rows: Iterable[Conflict], given: Mapping[str, Any]) -> None:
    """Raise UsageError for the first of the rows that is broken."""
    for flags, relation, others, why in rows:
        other = next((one for one in others.split(", ") if given.get(one)), None)
        if (other is None) is (relation == GOES_WITH):
            for flag in flags.split(", "):
                if given.get(flag):
                    raise UsageError(why.format_map({**given, "flag": flag, "other": other}))


class Command(NamedTuple):
    """What a command adds to the shell."""

    name: str  # as it is typed
    parser: Callable[[str], ArgumentParser]  # takes the name
    action: Callable[[Namespace], int]  # returns the exit code
    is_labelled: bool = False  # whether messages begin with "error: " or "warning: ", as argparse's do
    closed_pipe: int = 0  # the exit code where the reader of the output has gone
    functions: tuple[str, ...] = ()  # those it calls; their names are left out of messages, which begin with its own

    def says(self, message: str) -> str:
        """Begin a message with the name of the command, and not with that of a function as well."""
        who, colon, rest = message.partition(": ")
        return f"{self.name}: {rest if colon and who in self.functions else message}"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    return choose(sys.argv[1:] if argv is None else argv)()


def choose(argv: Sequence[str]) -> Callable[[], int]:
    """Import the command that the words ask for, and return what runs it."""
    words = list(argv)
    if "_ARGCOMPLETE" in os.environ:
        from truebleu.cli.completion import command_in_line

        words = command_in_line(COMMANDS)
    if words and words[0] == "help" and not os.path.exists("help"):
        words = [*words[1:2], "--help"]
    if words and words[0] not in COMMANDS and words[0][:1].isalpha() and not os.path.exists(words[0]):
        for near in nearest(words[0], COMMANDS, likeness=0.7) if "." not in words[0] else ():
            message = f"truebleu: there is no file and no command {words[0]!r}; did you mean 'truebleu {near}'?"
            return lambda: _refuse(message)
    module = COMMANDS[words.pop(0)] if words and words[0] in COMMANDS else "score"
    run: Callable[[list[str]], int] = import_module(f"truebleu.cli.commands.{module}").run
    return lambda: run(words)


def _refuse(message: str) -> int:
    _write_message(message)
    return BAD_USAGE


def run_command(command: Command, words: Sequence[str]) -> int:
    """Run a command and return its exit code."""
    _prepare_streams()
    try:
        if sys.stdout is None:
            return _complain(command, "standard output is closed, there is nowhere to write to", BAD_DATA)
        code = _attempt(command, [word for word in words if word != "--debug"])
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        _give_up_output()  # the reader has gone (`| head`)
        return command.closed_pipe
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        where = "" if error.filename is None else f"{shown(os.fsdecode(error.filename))}: "
        _give_up_output()
        return _complain(command, f"{where}{error.strerror or error}", BAD_DATA)
    except Exception as error:
        return _admit(command, words, error)
    finally:
        _logs.send_to(None)


def _attempt(command: Command, words: list[str]) -> int:
    parser = command.parser(command.name)
    if "_ARGCOMPLETE" in os.environ:  # the shell asks for completions
        from truebleu.cli.completion import complete

        complete(parser, command.name, COMMANDS)
    held = _Held()
    try:
        with redirect_stdout(held):
            args = parser.parse_args(words)
    except SystemExit as stop:  # argparse has said why
        sys.stdout.write(held.getvalue())
        return stop.code if isinstance(stop.code, int) else BAD_USAGE
    quiet = getattr(args, "quiet", command.is_labelled)
    warned: set[str] = set()

    def show(level: str, message: str) -> None:
        # Several systems, or metrics of a family, would say the same words one after the other.
        if level == "warning" and message in warned:
            return
        if level == "warning" or not quiet:
            warned.add(message)
            _write_message(command.says(f"{level}: {message}" if command.is_labelled else message))

    _logs.send_to(show)
    try:
        if not getattr(args, "offline", False):
            return command.action(args)
        from truebleu.store import offline

        with offline():
            return command.action(args)
    except TruebleuError as error:
        if command.is_labelled and isinstance(error, UsageError):
            parser.print_usage(sys.stderr)
        # A name that is taken is no mistake in the words: it depends on what is there.
        is_usage = isinstance(error, OptionError) and not isinstance(error, NameTaken)
        return _complain(command, str(error), BAD_USAGE if is_usage else BAD_DATA)


class _Held(io.StringIO):
    """Holds the help: argparse writes it, and hides that the disk is full."""

    def isatty(self) -> bool:
        return sys.__stdout__ is not None and sys.__stdout__.isatty()


def _complain(command: Command, message: str, code: int) -> int:
    advice = f"\nTry '{command.name} --help'." if code == BAD_USAGE and not command.is_labelled else ""
    _write_message(command.says(f"error: {message}" if command.is_labelled else message) + advice)
    return code


def _write_message(text: str) -> None:
    """Write to standard error what cannot act on a terminal; a message may have several lines of its own."""
    if sys.stderr is not None:
        sys.stderr.write("".join(shown(line, longest=sys.maxsize) + "\n" for line in text.split("\n")))


def _admit(command: Command, words: Sequence[str], error: Exception) -> int:
    import platform
    import shlex
    import traceback

    if "--debug" in words:
        sys.stderr.write("".join(traceback.format_exception(error)))
    _write_message(
        f"{command.name}: this is a bug in truebleu: {type(error).__name__}: {error}\n"
        "Please report it with these two lines, and with what the same command shows with --debug:\n"
        f"  truebleu {__version__}, Python {platform.python_version()}, {platform.platform()}\n"
        f"  {command.name} {shlex.join(words)}"
    )
    return BUG


def _give_up_output() -> None:
    """Leave what standard output cannot take; Python would complain once more when it closes the stream."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _prepare_streams() -> None:
    if sys.stderr is None:  # closed (`2>&-`): messages are lost, and scores are not
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    # A path may hold bytes that are no UTF-8: they go out as they came in, and are spelled out in messages.
    for stream, errors in ((sys.stdout, "surrogateescape"), (sys.stderr, "backslashreplace")):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors=errors)


if __name__ == "__main__":
    sys.exit(main())
