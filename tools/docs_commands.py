"""The reference of the command line as Markdown, from the parsers themselves: every command, every flag."""

from __future__ import annotations

import argparse
import inspect
import re
from collections.abc import Iterator

from truebleu.cli.main import COMMANDS, load


def parsers() -> dict[str, argparse.ArgumentParser]:
    """Make the parser of each command, and of each command within a command, by what is typed."""
    found: dict[str, argparse.ArgumentParser] = {}
    for command in ("", *COMMANDS):
        name = f"truebleu {command}".strip()
        found[name] = load(command).parser()
        found |= {f"{name} {inner}": parser for inner, parser in _inner(found[name]).items()}
    return found


def shown(parser: argparse.ArgumentParser) -> Iterator[tuple[str, list[argparse.Action]]]:
    """List what a parser takes, in its own groups; what its help hides is not listed.

    Parameters
    ----------
    parser
        The parser of a command.
    """
    for group in parser._action_groups:
        actions = [one for one in group._group_actions if one.help is not argparse.SUPPRESS]
        actions = [one for one in actions if not isinstance(one, argparse._SubParsersAction)]
        if actions:
            yield (group.title or "").capitalize() if (group.title or "").islower() else group.title or "", actions


def reference() -> str:
    """Write the sections of all commands."""
    return "\n\n".join(_section(name, parser) for name, parser in parsers().items())


def flag_names(action: argparse.Action) -> list[str]:
    """List the names of a flag as they are typed; what is no flag has the name of its place.

    Parameters
    ----------
    action
        One thing that a parser takes.
    """
    return list(action.option_strings) or [str(action.metavar or action.dest)]


def _section(name: str, parser: argparse.ArgumentParser) -> str:
    parts = [f"{'##' if name.count(' ') < 2 else '###'} {name}"]
    if parser.description:
        parts.append(_escaped(_sentence(inspect.cleandoc(parser.description))))
    usage = re.sub(r"\s+", " ", parser.format_usage().removeprefix("usage: ")).strip()
    parts.append(f"```text\n{usage}\n```")
    inner = _inner(parser)
    if inner:
        parts.append(_table(("command", "what it does"), [_inner_row(name, *one) for one in inner.items()]))
    for title, actions in shown(parser):
        parts.append(f"**{title}**")
        rows = [(_names(action), _explained(action, parser)) for action in actions]
        parts.append(_table(("what is typed", "what it means"), rows))
    parser.format_help()  # makes its end
    if parser.epilog:
        parts.append(f"```text\n{inspect.cleandoc(parser.epilog.replace('%(prog)s', parser.prog)).strip()}\n```")
    return "\n\n".join(parts)


def _inner(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    found = [one for one in parser._actions if isinstance(one, argparse._SubParsersAction)]
    return dict(found[0].choices) if found else {}


def _inner_row(name: str, inner: str, parser: argparse.ArgumentParser) -> tuple[str, str]:
    anchor = f"{name} {inner}".replace(" ", "-")
    return f"[`{inner}`](#{anchor})", _escaped(_sentence(parser.description or ""))


def _names(action: argparse.Action) -> str:
    names = flag_names(action)
    value = _value(action) if action.option_strings else ""
    return "<br>".join(f"`{name}`" for name in names) + (f" *{_escaped(value)}*" if value else "")


def _value(action: argparse.Action) -> str:
    if action.nargs == 0:
        return ""
    metavar = action.metavar or action.dest.upper()
    word = metavar if isinstance(metavar, str) else " ".join(metavar)
    return {"*": f"[{word} ...]", "+": f"{word} ...", "?": f"[{word}]"}.get(str(action.nargs), word)


def _explained(action: argparse.Action, parser: argparse.ArgumentParser) -> str:
    words = _escaped((action.help or "") % {**vars(action), "prog": parser.prog})
    more = []
    if action.choices is not None:
        choices = [str(one) for one in action.choices]
        if not all(re.search(rf"(?<![\w-]){re.escape(one)}(?![\w-])", action.help or "") for one in choices):
            more.append("One of " + ", ".join(f"`{one}`" for one in choices) + ".")
    default = action.default
    has_default = action.nargs != 0 and default not in (None, argparse.SUPPRESS, []) and not callable(default)
    if has_default and "default" not in (action.help or ""):
        more.append(f"Default: `{default}`.")
    if action.required and action.option_strings:
        more.append("Required.")
    return " ".join([_sentence(words), *more]).strip()


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:] + ("" if not words or words.endswith((".", "!", "?")) else ".")


def _escaped(words: str) -> str:
    """Make text that is not Markdown show as it is; what has code in backticks keeps it."""
    if "`" in words:
        return words.replace("|", "\\|")
    return re.sub(r"([\\|*_\[\]])", r"\\\1", words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))


def _table(heads: tuple[str, str], rows: list[tuple[str, str]]) -> str:
    lines = [heads, ("---", "---"), *rows]
    return "\n".join("| " + " | ".join(cell.replace("\n", " ") for cell in line) + " |" for line in lines)
