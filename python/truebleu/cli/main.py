"""The command `truebleu`, and the shell that every command runs in.

A command module has a `COMMAND`: its flags, what does not go together, and an action. The shell does the rest: help,
messages, exit codes, closed pipes, interrupts, UTF-8 whatever the locale says, and errors that nobody expected. Exit
codes: 0, all is well; 1, something is wrong with the data; 2, with the options; 70, with truebleu; 130, the user
stopped it.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import redirect_stdout
from functools import partial
from importlib import import_module
from types import MappingProxyType

from truebleu import _logs
from truebleu._records import NamedTuple
from truebleu._shown import nearest, shown
from truebleu._typing import TYPE_CHECKING, Any
from truebleu.cli.flags import SACREBLEU_FLAGS, Namespace, Part, plain_args, sections, typed
from truebleu.errors import InputFileError, NameTaken, OptionError, TruebleuError
from truebleu.metrics import METRICS
from truebleu.metrics.options import SACREBLEU
from truebleu.study.formats.render import FORMATS
from truebleu.version import __version__

if TYPE_CHECKING:
    from truebleu.cli.parsing import Parser

BAD_DATA, BAD_USAGE, BUG, INTERRUPTED = 1, 2, 70, 130


_HERE = "truebleu.cli.commands"

# Commands that the first word chooses: the address of the module, which has a `COMMAND`, and what it is for. Most of
# them are never loaded, and none to show the help. Without one of them, the words are those of `score`.
COMMANDS = {
    "agree": (f"{_HERE}.agree", "how well metrics agree with people, and which of them agree better"),
    "align": (f"{_HERE}.align", "align words of references and output, and show the word error rate"),
    "completion": (f"{_HERE}.completion", "how to let the shell complete commands, options, test sets and systems"),
    "data": (f"{_HERE}.data", "manage test sets: list, verify, add your own, pack for machines without a network"),
    "doctor": (f"{_HERE}.doctor", "find faults that make scores meaningless, and what each costs"),
    "explain": (f"{_HERE}.explain", "say in words what a signature means"),
    "merge": (f"{_HERE}.merge", "add up totals that --totals-out has kept, and score them"),
    "metrics": (
        f"{_HERE}.metrics",
        "manage metrics: list, install, fetch and check learned ones; scores that are kept",
    ),
    "overlap": (f"{_HERE}.overlap", "how much of a test set stands in training text, and what that does to scores"),
    "plot": (f"{_HERE}.plot", "figures for papers: rankings, pairs, groups and segments, as PDF, SVG or PNG"),
    "power": (f"{_HERE}.power", "which differences a test set can show, and how many segments show one"),
    "rank": (f"{_HERE}.rank", "the official table of a shared task: AutoRank, people, clusters"),
    "receipt": (f"{_HERE}.receipt", "small files with which other people can check a score without its texts"),
    "reconcile": (f"{_HERE}.reconcile", "find the settings, or the other tool, that give a published number"),
    "report": (f"{_HERE}.report", "one HTML file that shows ranking, tests, groups, segments and checks"),
    "resegment": (f"{_HERE}.resegment", "divide a text into the segments of a reference, line by line"),
    "scores": (f"{_HERE}.scores", "compare systems by scores from elsewhere and from people, without texts"),
    "self-bleu": (f"{_HERE}.self_bleu", "how similar the lines of a file are to each other"),
    "sign-test": (f"{_HERE}.sign_test", "SignTestBleu's test on NIST's SGM or plain files"),
}


class UsageError(OptionError):
    """The command line is invalid; the message says why."""


GOES_WITH, NOT_WITH = "goes with", "does not go with"
IDLE_WITHOUT, IDLE_WITH = "has no effect without", "has no effect with"


# Flags that need one of some others, or exclude them, and the message for a user who ignores that. Several
# have ", " between them; beside flags, what follows from them, in words. The message may name the {flag}, the {other}
# of the two, and anything that is given. A flag without an effect has a message that goes on after these words.
Conflict = tuple[str, str, str, str]


def refuse_conflicts(rows: Iterable[Conflict], given: Mapping[str, Any]) -> None:
    """Raise UsageError for the first of the rows that is broken, but see `refuse_idle`."""
    for flags, relation, others, why in rows:
        is_idle = relation in (IDLE_WITH, IDLE_WITHOUT)
        for flag in flags.split(", "):
            if flag in given["typed"] if is_idle else given.get(flag):
                there = [one for one in others.split(", ") if given.get(one)]
                if bool(there) is (relation in (NOT_WITH, IDLE_WITH)):
                    said = why.format_map({**given, "flag": flag, "other": "".join(there[:1])})
                    if not is_idle:
                        raise UsageError(said)
                    refuse_idle(flag, said)


def refuse_idle(flag: str, why: str) -> None:
    """Raise UsageError for a flag without an effect; one that sacreBLEU takes, and scripts have, is warned of."""
    theirs = {name for one in METRICS.values() if one.equals == SACREBLEU for flag in one.flags for name in flag.names}
    if flag not in SACREBLEU_FLAGS and flag not in theirs:
        raise UsageError(f"{flag} has no effect: {why}")
    _logs.warn("%s has no effect: %s", flag, why)


# Where flags name a file to be written, and where they name a folder.
OUTPUTS = {"output", "out", "json", "totals_out", "scores_out", "receipt", "into", "output_dir", "judge_answers"}


def _need_folders(args: Namespace) -> None:
    """Raise where a file would go into a folder that is not there; --mkdir makes the folder."""
    outputs = {dest: str(args.typed[dest]) for dest in OUTPUTS & args.typed.keys() if args.typed[dest] is not None}
    if not outputs:
        raise UsageError("--mkdir has no effect: it goes with a flag that names a file to be written")
    for folder in {name if dest == "output_dir" else os.path.dirname(name) for dest, name in outputs.items()} - {""}:
        if not os.path.lexists(folder):
            outer = os.path.dirname(folder.rstrip("/"))
            if not getattr(args, "mkdir", False) or not os.path.isdir(outer or "."):
                makes = ", which makes one folder" if outer and not os.path.isdir(outer) else ""
                raise InputFileError(f"{shown(folder)}: there is no such folder; make it first, or say --mkdir{makes}")
            os.mkdir(folder)


class Command(NamedTuple):
    """All that a command adds to the shell."""

    name: str  # as it is typed
    flags: tuple[Part, ...] = ()
    action: Callable[[Namespace], int] | None = None  # returns the exit code; None: `commands` have one each
    about: str = ""
    usage: str = ""  # after the name
    epilog: str | Callable[[], str] = ""
    example: str = ""  # words that run it on files of texts: REF, SYS and OTHER, or SCORES; METRIC is a metric's name
    conflicts: tuple[Conflict, ...] = ()
    commands: tuple[Command, ...] = ()  # those that the next word chooses
    settings: Mapping[str, Any] = MappingProxyType({})  # of its parser
    is_labelled: bool = False  # whether messages begin with "error: " or "warning: ", as argparse's do
    closed_pipe: int = 0  # the exit code where the reader of the output has gone
    functions: tuple[str, ...] = ()  # those it calls; their names are left out of messages, which begin with its own

    def says(self, message: str) -> str:
        """Begin a message with the name of the command, and not with that of a function as well."""
        who, colon, rest = message.partition(": ")
        return f"{self.name}: {rest if colon and who in self.functions else message}"

    def parser(self, make: Callable[..., Parser] | None = None, prog: str = "") -> Parser:
        """Make the parser of all that can be typed."""
        from truebleu.cli.parsing import Formatter, OwnHelp, Parser, add_flags

        name, about = prog or self.name, self.about[:1].upper() + self.about[1:]
        taken = [*sections(self.flags)]
        is_long = self.settings.get("add_help", True) and any(one.of_metrics for one in taken)
        parser = (make or Parser)(
            prog=name,
            usage=f"{name} {self.usage}" if self.usage else None,
            description=about if about.endswith((".", "\n")) else f"{about}.",
            epilog=self.epilog,
            **{"allow_abbrev": False, "formatter_class": Formatter, "add_help": not is_long, **self.settings},
        )
        if is_long:
            parser.add_argument("-h", action=OwnHelp, nargs=0, help="the options of this command")
            parser.add_argument("--help", action="help", help="all options, those of metrics too")
        for section in taken:
            add_flags(parser, section)
        if any(one.dest in OUTPUTS and one.option_strings for one in parser._actions):
            parser.add_argument("--mkdir", action="store_true", help="make the folder of a file that is written")
        if self.commands:
            inner = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
            for one in self.commands:
                add = partial(inner.add_parser, one.name, help=one.about)
                one._replace(settings=self.settings).parser(add, f"{name} {one.name}").set_defaults(command=one)
        return parser

    def act(self, args: Namespace) -> int:
        """Refuse what does not go together, and do the rest."""
        if not args.typed.keys().isdisjoint(("mkdir", *OUTPUTS)):
            _need_folders(args)
        if self.conflicts:
            refuse_conflicts(self.conflicts, typed(args, [one for part in sections(self.flags) for one in part.flags]))
        return self.action(args) if self.action else args.command.act(args)

    def run(self, words: Sequence[str]) -> int:
        """Run the command and return its exit code."""
        _prepare_streams()
        try:
            if sys.stdout is None:
                return _complain(self, "standard output is closed, so nothing can be written", BAD_DATA)
            code = _attempt(self, [word for word in words if word != "--debug"])
            sys.stdout.flush()
            word = self.name.partition(" ")[2]
            if code == BAD_USAGE and word and os.path.isfile(word):  # it may have been meant
                _write_message(f"truebleu: {word} is a command and also a file here; for the file write ./{word}")
            return code
        except BrokenPipeError:
            _give_up_output()  # the reader has gone (`| head`)
            return self.closed_pipe
        except KeyboardInterrupt:
            return INTERRUPTED
        except OSError as error:
            where = "" if error.filename is None else f"{shown(os.fsdecode(error.filename))}: "
            _give_up_output()
            return _complain(self, f"{where}{error.strerror or error}", BAD_DATA)
        except MemoryError as error:
            what = str(error) or "there is not enough memory for these texts; are there segments that want splitting?"
            return _complain(self, what, BAD_DATA)
        except Exception as error:
            # Python 3.11 makes a RuntimeError of an interrupt that comes while a class is made.
            return INTERRUPTED if isinstance(error.__cause__, KeyboardInterrupt) else _admit(self, words, error)
        finally:
            _logs.send_to(None)


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
    if words and words[0] == "score" and not os.path.exists("score"):
        words = words[1:]
    if words and words[0] not in COMMANDS and words[0][:1].isalpha() and not os.path.exists(words[0]):
        for near in nearest(words[0], COMMANDS, likeness=0.7) if "." not in words[0] else ():
            message = f"truebleu: there is no file and no command {words[0]!r}; did you mean 'truebleu {near}'?"
            return partial(_refuse, message)
    name = words.pop(0) if words and words[0] in COMMANDS else ""
    return partial(load(name).run, words)


def load(name: str) -> Command:
    """Import a command; without a name, that which scores."""
    command: Command = import_module(COMMANDS[name][0] if name else f"{_HERE}.score").COMMAND
    return command


def _refuse(message: str) -> int:
    _write_message(message)
    return BAD_USAGE


# Parsers of the command that scores, by all that they depend on. Other commands ask lists of their own wings.
_parsers: dict[tuple[object, ...], Parser] = {}


def _attempt(command: Command, words: list[str]) -> int:
    is_completed = "_ARGCOMPLETE" in os.environ
    args = plain_args(words) if command.name == "truebleu" and not is_completed else None
    if args is None:
        key = (command.flags, tuple(METRICS), tuple(FORMATS), tuple(COMMANDS))
        parser = _parsers.get(key) or command.parser()
        if command.name == "truebleu":
            _parsers[key] = parser
        if is_completed:  # the shell asks for completions
            from truebleu.cli.completion import complete

            complete(parser, command.name, COMMANDS)
        held = _Held()
        try:
            with redirect_stdout(held):
                args = parser.parse_args(words)
        except SystemExit as stop:  # argparse has said why
            sys.stdout.write(held.getvalue())
            return stop.code if isinstance(stop.code, int) else BAD_USAGE
    args.words = words
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
    for message in args.twice:
        _logs.warn("%s", message)
    try:
        if not getattr(args, "offline", False):
            return command.act(args)
        from truebleu.store import offline

        with offline():
            return command.act(args)
    except TruebleuError as error:
        if command.is_labelled and isinstance(error, UsageError):
            command.parser().print_usage(sys.stderr)
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
