"""Completion in the shell: commands, test sets, language pairs, systems, metrics. Loaded only when the shell asks."""

from __future__ import annotations

import argparse
import os
from argparse import Namespace
from collections.abc import Callable, Collection, Iterable
from functools import partial

from truebleu.cli.parsing import Joined

Completer = Callable[..., Iterable[str]]


def complete(parser: argparse.ArgumentParser, name: str, commands: Collection[str]) -> None:
    """Answer the shell and end the process, if it asks."""
    import argcomplete
    from argcomplete.finders import safe_actions

    safe_actions.add(Joined)  # so that the name of the test set is known when its pairs are completed
    add_completers(parser, commands)
    _, _, command = name.partition(" ")
    if command:
        # The shell hands over the whole line, the command included.
        outer = argparse.ArgumentParser(prog="truebleu", add_help=False)
        outer.add_subparsers().choices[command] = parser
        parser = outer
    argcomplete.autocomplete(parser)


def command_in_line(commands: Collection[str]) -> list[str]:
    """Find the command in the line that is being typed: one word or none. The last word may still become another."""
    words = os.environ.get("COMP_LINE", "")[: int(os.environ.get("COMP_POINT", "0"))].split(" ")
    return words[1:2] if len(words) > 2 and words[1] in commands else []


def add_completers(parser: argparse.ArgumentParser, commands: Collection[str]) -> None:
    """Say how each thing that can be typed is completed."""
    completers: dict[str, Completer] = {
        "refs": partial(_references, commands), "input": _systems, "test_set": _sets, "download": _sets, "sets": _sets,
        "langpair": _pairs, "metrics": _metrics, "metric": _metrics,
    }  # fmt: skip
    for action in parser._actions:
        if action.dest in completers and not action.choices:
            action.completer = completers[action.dest]  # type: ignore[attr-defined]
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                add_completers(inner, commands)


def _references(commands: Collection[str], prefix: str, parsed_args: Namespace, **_: object) -> Iterable[str]:
    return [*(() if parsed_args.refs else commands), *_files(prefix)]


def _systems(prefix: str, parsed_args: Namespace, **_: object) -> Iterable[str]:
    """Complete files, and the systems that come with the test set, as far as it is there already."""
    found = list(_files(prefix))
    if parsed_args.test_set and parsed_args.langpair:
        from truebleu.dataset.sets import testset
        from truebleu.store import offline

        with offline():
            found += testset(parsed_args.test_set, parsed_args.langpair).systems
    return found


def _sets(prefix: str, **_: object) -> Iterable[str]:
    from truebleu.dataset import registry

    before = prefix[: prefix.rfind(",") + 1]
    return [before + name for name, _, _ in registry.summaries()]


def _pairs(prefix: str, parsed_args: Namespace, **_: object) -> Iterable[str]:
    from truebleu.dataset import registry
    from truebleu.dataset.listing import list_pairs

    chosen = getattr(parsed_args, "test_set", None)
    if chosen:
        return list_pairs(chosen, prefix)
    listed = (pairs for _, _, pairs in registry.summaries() if not isinstance(pairs, registry.AnyTwo))
    return {pair for pairs in listed for pair in pairs}


def _metrics(prefix: str, **_: object) -> Iterable[str]:
    from truebleu.metrics.names import metric_names

    return metric_names()


def _files(prefix: str) -> Iterable[str]:
    from argcomplete.completers import FilesCompleter

    found: Iterable[str] = FilesCompleter()(prefix)
    return found
