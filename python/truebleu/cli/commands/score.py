"""`truebleu`: scores of systems, and what there is to know about test sets."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import chain

from truebleu.cli.flags import wants_color
from truebleu.cli.request import Request, UsageError, understand


def answer(args: Namespace) -> None:
    """Print what was asked for."""
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
def network(args: Namespace) -> Iterator[None]:
    """Downloads show a bar, or are forbidden."""
    if not (args.test_set or args.download):
        yield
        return
    from truebleu.cli.progress import progress_bar
    from truebleu.store import offline

    with ExitStack() as stack:
        if args.offline:
            stack.enter_context(offline())
        if not args.quiet:
            stack.enter_context(progress_bar())
        yield


# What is asked for instead of a score.


def information(args: Namespace) -> Iterable[str] | None:
    """The lines that were asked for instead of a score, in sacreBLEU's order of precedence; None if none were."""
    if args.download:
        return _download(args.download, args.langpair)
    if args.list:
        return _listing(args)
    if args.citation:
        return _citation(args)
    if args.echo:
        return _echo(args)
    return None


def _download(name: str, pair: str | None) -> Iterator[str]:
    from truebleu.dataset.sacrebleu import download_test_set

    download_test_set(name, pair)
    return iter(())


def _listing(args: Namespace) -> Iterable[str]:
    from truebleu.report.testsets import list_fields, list_sets

    if args.langpair is not None and "-" not in args.langpair:
        raise UsageError(f"--language-pair is {args.langpair!r}, expected source-target, as in en-de")
    return list_fields(args.test_set, args.langpair) if args.test_set else list_sets(args.langpair)


def _citation(args: Namespace) -> Iterable[str]:
    from truebleu.report.testsets import cite

    if not args.test_set:
        raise UsageError("--cite needs a test set: -t SET")
    return cite(args.test_set)


def _echo(args: Namespace) -> Iterable[str]:
    from truebleu.report.testsets import echo

    if not (args.test_set and args.langpair):
        raise UsageError("--echo needs a test set and a language pair: -t SET -l en-de")
    return echo(args.test_set, args.langpair, args.echo, args.origlang, args.subset)
