"""Parsers of command lines, over argparse: what a plain line does not need, because `flags.plain_args` reads it."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterable

from truebleu._shown import nearest, shown
from truebleu._typing import IO, Any, NoReturn
from truebleu.cli.flags import Section, rarely_needed, terminal_columns, wants_color


def add_flags(parser: argparse.ArgumentParser, section: Section) -> None:
    """Add flags that the help shows together."""
    group = parser.add_argument_group(section.title) if section.title else parser
    if section.of_metrics and isinstance(parser, Parser):
        parser.of_metrics.append(group)
    for one in section.flags:
        taken = parser._option_string_actions if section.of_metrics else ()
        names = [name for name in one.names if name not in taken]
        is_list = one.settings.get("nargs") in (1, "+", "*") and one.names[0].startswith("-")
        if names:  # lists add up: what was typed is never dropped
            settings = {"action": "extend", **one.settings} if is_list else one.settings
            # argparse asks whether it is this very object.
            words = argparse.SUPPRESS if one.help == argparse.SUPPRESS else one.help
            group.add_argument(*names, help=words, **settings)


class _Names(argparse.Action):
    """Keeps names that were typed with spaces, with commas, or with the flag once more."""

    def __call__(self, parser: object, namespace: argparse.Namespace, values: Any, option: str | None = None) -> None:
        before = getattr(namespace, self.dest) or ()
        setattr(namespace, self.dest, [*before, *(name for value in values for name in value.split(","))])


class Joined(argparse.Action):
    """Joins lists with commas whose flag is typed several times."""

    def __call__(self, _: object, namespace: argparse.Namespace, values: Any, option_string: str | None = None) -> None:
        """Keep the list; see argparse."""
        before = getattr(namespace, self.dest)
        setattr(namespace, self.dest, values if before is None else f"{before},{values}")


class _Call(argparse.Action):
    """Calls a function with the parser, and ends the program."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        function: Any = self.const
        function(parser)
        parser.exit()


class OwnHelp(argparse.Action):
    """Shows the help without the flags of metrics, and few of those that `truebleu` itself has too."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        """Show it, and end the program; see argparse."""
        of_metrics = getattr(parser, "of_metrics", ())
        parser._action_groups = [one for one in parser._action_groups if one not in of_metrics]
        rare = rarely_needed() if of_metrics else frozenset()
        for one in parser._actions:
            if rare.intersection(one.option_strings):
                one.help = argparse.SUPPRESS
        end = parser.epilog() if callable(parser.epilog) else parser.epilog or ""
        parser.epilog = f"{end}\n'{parser.prog} --help' shows all options, those of metrics too.".lstrip("\n")
        parser.print_help()
        parser.exit()


class Parser(argparse.ArgumentParser):
    """The parser of every command: its messages help after a typing error, its help has colours on a terminal."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for name, action in (("join", Joined), ("names", _Names), ("call", _Call)):
            self.register("action", name, action)
        self.of_metrics: list[object] = []  # the groups of their flags

    def parse_known_args(self, *given: Any, **named: Any) -> Any:
        """Also keep what was typed, by flag, as `typed`, and what was replaced, as `twice`; see argparse."""
        self._typed: dict[str, Any] = {}
        self._twice: list[str] = []
        args, rest = super().parse_known_args(*given, **named)
        args.typed, args.twice = getattr(args, "typed", {}) | self._typed, [*getattr(args, "twice", ()), *self._twice]
        return args, rest

    def _get_values(self, action: argparse.Action, words: list[str]) -> Any:
        try:
            found = super()._get_values(action, words)
        except argparse.ArgumentError as error:
            near = "".join(_meant(word, map(str, action.choices or ())) for word in words)
            error.message = error.message.replace("(choose from", f"({near}choose from", 1)
            raise
        if not action.option_strings:
            return found
        value = action.const if action.nargs == 0 else found
        before, self._typed[action.dest] = self._typed.get(action.dest, value), value
        if repr(before) != repr(value) and isinstance(action, argparse._StoreAction | argparse._StoreConstAction):
            name, first, last = max(action.option_strings, key=len), shown(repr(before)), shown(repr(value))
            self._twice.append(f"{name}: {last} replaces {first}, which was given before")
        return found

    def format_help(self) -> str:
        """Write the help; its end may be made only now."""
        if callable(self.epilog):
            self.epilog = self.epilog()
        return super().format_help()

    def _get_option_tuples(self, option_string: str) -> list[Any]:
        # Only long names are shortened, or -o would be --origlang (-ol), and a file name its language.
        found: list[Any] = super()._get_option_tuples(option_string)
        return [one for one in found if option_string[:2] == "--" or option_string.startswith(one[1])]

    def error(self, message: str) -> NoReturn:
        """End the program with a message; see argparse."""
        flags_of_references = (
            "unrecognized arguments: -r",
            "unrecognized arguments: --ref",
            "ambiguous option: --ref ",
        )
        if message.startswith(flags_of_references) and "-r" not in self._option_string_actions:
            message += f"; references have no flag: write them first, as in '{self.prog} ref.txt -i out.txt'"
        elif message.startswith("argument --smooth-method/-s: ") and os.path.isfile(message.split("'")[1]):
            message = "-s is --smooth-method, as in sacreBLEU; sources are --src FILE"
        elif message.startswith("unrecognized arguments: --seed"):
            message = "--seed has no effect: nothing is drawn at random here"
        elif message.startswith("unrecognized arguments: -o"):
            message += "; scores go to standard output: write > FILE (report, plot and others have -o)"
        elif message.startswith("unrecognized arguments: "):
            message += self._hint(message.partition(": ")[2].split())
        elif message.endswith(("expected one argument", "expected at least one argument")):
            message += self._values(message.split()[1].split("/")[0].rstrip(":"))
        elif message.endswith(" COMMAND"):
            (names,) = [one.choices for one in self._actions if isinstance(one.choices, dict)]
            message += f", one of {', '.join(names)}"
        super().error(shown(message, sys.maxsize))

    def _values(self, name: str) -> str:
        """What a flag takes that was typed without a value."""
        action = self._option_string_actions.get(name)
        values = ", ".join(map(str, action.choices or ())) or action.metavar if action else None
        return f": {values}" if isinstance(values, str) else ""

    def _hint(self, words: list[str]) -> str:
        """What words that no flag takes were meant to be: a flag with another spelling, or a system without its -i."""
        inner = [one for action in self._actions if isinstance(action.choices, dict) for one in action.choices.values()]
        known = {name for parser in (self, *inner) for name in parser._option_string_actions if name.startswith("--")}
        if "-i" in self._option_string_actions and not any(word.startswith("-") for word in words):
            return "; the output of a system goes after -i"
        typed = [word.partition("=")[0] for word in words if word.startswith("--")]
        near = [one for word in typed for one in nearest(word, sorted(known), likeness=0.7)]
        return f"; did you mean {' '.join(near)}?" if near else ""

    def print_help(self, file: IO[str] | None = None) -> None:  # type: ignore[override]
        """Show the help, with colours on a terminal; see argparse."""
        text = self.format_help()
        if wants_color(sys.stdout):
            text = re.sub(r"^(\S[^\n:]*):$", "\033[1m\\1:\033[0m", text, flags=re.M)
            text = re.sub(r"(?<![\w-])(--?[a-zA-Z][\w-]*)", "\033[36m\\1\033[0m", text)
        self._print_message(text, file or sys.stdout)


def _meant(typed: object, names: Iterable[str]) -> str:
    return "".join(f"did you mean {near}? " for near in nearest(typed, names))


class Formatter(argparse.HelpFormatter):
    """Shows the value of an option once, after its names, the short name first; lines of examples stay as they are."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=34, width=110)

    def format_help(self) -> str:
        """Write the help."""
        # Asked only now: argparse makes formatters that format nothing. Long lines are hard to read, even where the
        # terminal has room for them.
        self._width = min(110, terminal_columns() - 2)
        self._max_help_position = min(34, max(self._width - 20, 4))
        return super().format_help()

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        lines = text if "\n" in text else super()._fill_text(text, width, indent)
        return "".join(indent + line for line in lines.splitlines(keepends=True))

    def _split_lines(self, text: str, width: int) -> list[str]:
        """Break lines between words; argparse takes longer, because it breaks them inside of names of flags too."""
        lines = [""]
        for word in text.split():
            if not lines[-1]:
                lines[-1] = word
            elif len(lines[-1]) + len(word) < width:
                lines[-1] += f" {word}"
            else:
                lines.append(word)
        return lines

    def _format_action_invocation(self, action: argparse.Action) -> str:
        names = ", ".join(sorted((name for name in action.option_strings if not name.endswith("-column")), key=len))
        if not names or action.nargs == 0:
            return names or super()._format_action_invocation(action)
        return f"{names} {self._format_args(action, self._get_default_metavar_for_optional(action))}"
