"""From words typed to a namespace."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
from typing import IO

from truebleu.cli.flags import EXAMPLES, GROUPS
from truebleu.version import __version__

_DESCRIPTION = "Scores of translations and other generated text: BLEU, chrF, TER; sacreBLEU's numbers, much faster."
_BOLD, _CYAN, _RESET = "\033[1m", "\033[36m", "\033[0m"


class _Parser(argparse.ArgumentParser):
    """An ArgumentParser whose help has colours on a terminal."""

    def print_help(self, file: IO[str] | None = None) -> None:  # type: ignore[override]
        text = self.format_help()
        self._print_message(colored_help(text) if wants_color(sys.stdout) else text, file or sys.stdout)


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Shows the value of an option once, after its names, the short name first."""

    def __init__(self, prog: str) -> None:
        # Long lines are hard to read, even where the terminal has room for them.
        super().__init__(prog, max_help_position=34, width=min(110, shutil.get_terminal_size().columns - 2))

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return ", ".join(sorted(action.option_strings, key=len)) or super()._format_action_invocation(action)
        names = ", ".join(sorted(action.option_strings, key=len))
        return f"{names} {self._format_args(action, self._get_default_metavar_for_optional(action))}"


def build_parser(prog: str = "truebleu") -> argparse.ArgumentParser:
    """The parser of all flags."""
    parser = _Parser(
        prog=prog,
        usage=f"{prog} REF [REF ...] [-i FILE ...] [options]",
        description=_DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=_Formatter,
        add_help=False,
    )
    for group in GROUPS:
        section = parser.add_argument_group(group.title)
        for flag in group.flags:
            section.add_argument(*flag.names, help=flag.help, **flag.settings)
    about = parser.add_argument_group("About")
    about.add_argument("--help", "-h", action="help", help="this text")
    about.add_argument("--version", "-V", action="version", version=f"%(prog)s {__version__}", help="the version")
    return parser


def wants_color(stream: IO[str], no_color: bool = False) -> bool:
    """Whether colours are welcome: a terminal, and nobody has declined."""
    return stream.isatty() and not no_color and not os.environ.get("NO_COLOR")


def colored_help(text: str) -> str:
    """The help with bold headings and coloured options."""
    text = re.sub(r"^(\S[^\n:]*):$", rf"{_BOLD}\1:{_RESET}", text, flags=re.M)
    return re.sub(r"(?<![\w-])(--?[a-zA-Z][\w-]*)", rf"{_CYAN}\1{_RESET}", text)
