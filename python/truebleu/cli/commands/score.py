"""`truebleu`: scores of systems, and what there is to know about test sets."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import chain

from truebleu._logs import inform, warn, warn_each_time
from truebleu._shown import shown
from truebleu._typing import TYPE_CHECKING
from truebleu.cli.flags import PAGE, Namespace, Section, all_flags, common_flags
from truebleu.cli.main import COMMANDS, Command, UsageError, refuse_idle
from truebleu.metrics.options import flag
from truebleu.version import __version__

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from truebleu.cli.request import Request
    from truebleu.significance.results import Comparison
    from truebleu.study.results import Results


_ABOUT = "Scores of translations and other generated text: BLEU, chrF, TER, ROUGE, WER and more."

_EXAMPLES = """\
examples:
  truebleu -t demo -l en-de -i atlas birch cedar      systems and references that come with truebleu
  truebleu -t wmt22 -l en-de -i system.txt            a test set of WMT, fetched when first used
  truebleu ref.txt -i system.txt                      BLEU of a system
  cat system.txt | truebleu ref.txt -m bleu chrf ter  three metrics, output from a pipe
  truebleu refA.txt refB.txt -i a.txt b.txt c.txt     three systems, two references: a table
  truebleu ref.txt -i base.txt new.txt --paired bs    is new.txt different from base.txt?
  truebleu ref.txt -i system.txt --confidence -f json numbers for a program
  truebleu out.jsonl --hyp-field mt --ref-field refs  JSONL with a list of references for each segment
  truebleu runs.jsonl --paired-all                    one file of records, with systems and references
  truebleu 'out/*.parquet' --hyp-field mt --ref-field ref --by system lang    a score for each system and language
  truebleu ref.txt -i system.txt --like 'BLEU|nrefs:1|case:lc|eff:no|tok:intl|smooth:exp|version:2.3.1'
"""


def _commands() -> str:
    """The end of the help: all other commands, and examples."""
    listed = "".join(f"  truebleu {name:<10}  {summary}\n" for name, (_, summary) in COMMANDS.items())
    return (
        f"other commands, each with its own --help:\n{listed}"
        f"Any of them shows with --debug where in truebleu an unexpected error came up.\n\n{_EXAMPLES}"
    )


def _short_help(parser: ArgumentParser) -> None:
    """Show the options that are needed most."""
    common = Section("The options that are needed most", common_flags())
    about = f"{_ABOUT}\n'{parser.prog} --help' shows all options and the other commands."
    few = "\n".join(_EXAMPLES.splitlines()[:7])
    COMMAND._replace(name=parser.prog, flags=(common,), about=about, epilog=few).parser().print_help()


_HELP = (
    flag("-h", action="call", const=_short_help, nargs=0, help="the options that are needed most"),
    flag("--help", action="help", help="this text"),
    flag("--version", "-V", action="version", version=f"%(prog)s {__version__}", help="the version"),
)


def _answer(args: Namespace) -> int:
    lines: Iterable[str]
    if args.download or args.list or args.citation or args.echo:
        from truebleu.cli.progress import Progress

        with Progress(args.quiet):
            lines = list(_test_set_lines(args))
    else:
        from truebleu.cli.request import understand

        request = understand(args)
        if request.style.format == PAGE:
            return _page(request, args.words)
        lines = _report(request)
    for line in lines:
        sys.stdout.write(line + "\n")
    return 0


# What is written instead of a score, in sacreBLEU's order of precedence, and the flags that go with it.
_INSTEAD = {
    "--download": "--language-pair", "--list": "--test-set, --language-pair", "--citation": "--test-set",
    "--echo": "--test-set, --language-pair, --origlang, --subset",
}  # fmt: skip
_ALWAYS = "--quiet, --offline, --no-color"


def _test_set_lines(args: Namespace) -> Iterable[str]:
    """The lines that were asked for instead of a score."""
    from truebleu.dataset import listing as testsets

    asked = next(name for name in _INSTEAD if getattr(args, name[2:]))
    used = {asked, *f"{_INSTEAD[asked]}, {_ALWAYS}".split(", ")}
    if args.refs:
        warn("the references have no effect: they do not go with %s", asked)
    for one in [one for section in all_flags() for one in section.flags if one.dest in args.typed]:
        if not used.intersection(one.names):
            refuse_idle(one.names[0], f"it does not go with {asked}")
    if args.download:
        from truebleu.sacrebleu.utils import download_test_set

        download_test_set(args.download, args.langpair)
        return ()
    if args.list:
        if args.langpair is not None and "-" not in args.langpair:
            raise UsageError(f"--language-pair is {args.langpair!r}, expected source-target, as in en-de")
        listed = testsets.list_fields(args.test_set, args.langpair) if args.test_set else None
        return testsets.list_sets(args.langpair) if listed is None else listed
    if args.citation:
        if not args.test_set:
            raise UsageError("--cite needs a test set: -t SET")
        return testsets.cite(args.test_set)
    if not (args.test_set and args.langpair):
        raise UsageError("--echo needs a test set and a language pair: -t SET -l en-de")
    return testsets.echo(args.test_set, args.langpair, args.echo, args.origlang, args.subset)


def _findings(results: Results) -> Iterator[str]:
    """Say on standard error what the doctor found, when the scores have been written."""
    for system in results.systems:
        if system.diagnosis is not None:
            sys.stdout.flush()
            notes = [one for one in system.diagnosis.findings if one.level == "note"]
            for one in system.diagnosis.findings[: -len(notes) or None]:
                warn_each_time("%s: %s %s [%s]: %s", shown(system.name), one.level, one.name, one.code, one.message)
            told = "1 note" if len(notes) == 1 else f"{len(notes)} notes"
            inform("%s: and %s of the doctor; 'truebleu doctor' shows places and prices", shown(system.name), told)
    yield from ()


def _answers(comparison: Comparison) -> Iterator[str]:
    """Say on standard error which system is better, when sacreBLEU's table has been written, which does not say it."""
    from truebleu.significance.notes import power_note
    from truebleu.significance.sentences import told

    sys.stdout.flush()
    for metric in comparison.metrics:
        for sentence in (*told(comparison, metric), *power_note(comparison, metric)):
            inform("%s", sentence)
    yield from ()


def _page(request: Request, argv: list[str]) -> int:
    """Write the page of `truebleu report` to standard output."""
    from truebleu.cli.progress import Progress
    from truebleu.cli.study import chosen_by, command_of, look_of, read_study
    from truebleu.study.page.page import study_page

    with Progress(request.quiet) as progress:
        study, job = read_study(request, chosen_by(request))
        with progress.step("making the report"):
            data = study_page(study, look_of(study, job)._replace(command=command_of("truebleu", argv)))
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    return 0


def _report(request: Request) -> Iterable[str]:
    from truebleu.cli.request import Columns
    from truebleu.cli.run import run_request
    from truebleu.study.formats.render import render

    if isinstance(request.mode, Columns) and request.mode.scores_out is not None:
        from truebleu.cli.tables import write_scores

        write_scores(request, request.mode)
        return ()
    results, references = run_request(request)
    test_set, style = request.input.test_set, request.style
    if request.report:
        from truebleu.study.formats.template import template_lines

        name = f"{test_set.names} {test_set.pair}" if test_set else "your own files"
        return template_lines(results, references.names, name, style)
    lines = render(results, style)
    if results.parts:
        from truebleu.cli.group_tests import lines_with_groups

        lines = lines_with_groups(results, style)
    if results.comparison is not None and results.is_sacrebleus and not style.format.startswith("json"):
        lines = chain(lines, _answers(results.comparison))
    if results.after and style.format == "text":
        lines = chain(lines, results.after)
    if request.doctor:
        lines = chain(lines, _findings(results))
    if request.detail and test_set is None and style.format == "text":
        return chain(lines, ["No detail: only test sets (-t) tell original languages and domains."])
    return lines


COMMAND = Command(
    "truebleu",
    (all_flags, Section("About", _HELP)),
    _answer,
    about=_ABOUT,
    usage="REF [REF ...] [-i FILE ...] [options]",
    epilog=_commands,
    example="REF -i SYS -m METRIC",
    settings={"add_help": False, "allow_abbrev": True},
    functions=("compare", "Study"),
)
