"""The flags of `truebleu`, as data: what can be typed, and what the help says of it.

Spellings are those of sacreBLEU 2.6.0 and of the README of its version 2.0.0, and ours beside them. A metric declares
its flags itself. What the flags mean together is settled in `request.py`.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import IO, Any, NoReturn

from truebleu._shown import nearest, shown
from truebleu._textio import COLUMNS_FORMATS, RECORDS_FORMATS
from truebleu.metrics import METRICS
from truebleu.metrics.base import NORMALIZE_FLAG
from truebleu.metrics.names import listed_names, metric_names, why_unknown
from truebleu.metrics.options import Flag, flag, switch
from truebleu.resegmentation.names import BREAKS, LEVELS, METHODS
from truebleu.significance.correction import CORRECTIONS
from truebleu.significance.defaults import ALPHA, CORRECTION, FAMILIES, TEST, UNITS
from truebleu.significance.tests import TESTS
from truebleu.study.formats.render import FORMATS

# The format that is a page of HTML and no lines of text.
PAGE = "report"

# Fields of test sets that make groups unless others are named.
LABEL_FIELDS = ("domain", "docid", "origlang")

# Other names of flags keep working, and the help leaves them out.
_SECOND = argparse.SUPPRESS

INPUT = (
    flag(
        "refs", nargs="*", default=[], metavar="REF", help="reference files, one segment per line; write them before -i"
    ),
    flag("--input", "-i", nargs="*", metavar="FILE", help="system outputs; standard input if not given"),
    flag("--num-refs", "-nr", type=int, default=1, metavar="N", help="references per line, separated by tabs"),
    flag(
        "--encoding", "-e", action="append", default=[], metavar="[FILE=]NAME",
        help="encoding of all input (default: utf-8), or of one file: its name, or ref, sys or src, then =NAME",
    ),
    flag(
        "--language-pair", "-l", dest="langpair", metavar="SRC-TRG",
        help="its target language chooses BLEU's tokenizer",
    ),
    flag(
        "--hyp-field", "--hyp-column", nargs="+", metavar="NAME",
        help="fields with system outputs, where input is JSON, Parquet or a table with a header; each is a system",
    ),
    flag(
        "--ref-field", "--ref-column", nargs="+", metavar="NAME",
        help="fields with references; in JSON and Parquet texts, or lists of any length",
    ),
    flag("--src-field", metavar="NAME", help="the field with the source, which checks and the report use"),
    flag("--system-field", metavar="NAME", help="the field that names the system, where each record is of one system"),
    flag("--doc-field", metavar="NAME", help="the field that names the document, of which tests draw whole ones"),
    flag("--id-field", metavar="NAME", help="the field that tells which records are the same segment (default: order)"),
    flag(
        "--nulls", choices=("error", "skip", "empty"), metavar="WHAT",
        help="fields without a text: error, skip (leave the segment out), empty (score it as empty; default: error)",
    ),
    flag(
        "--fields-format", choices=(*RECORDS_FORMATS, *COLUMNS_FORMATS, "text"), metavar="NAME",
        help=f"format of files with fields: {', '.join((*RECORDS_FORMATS, *COLUMNS_FORMATS))} (default: by file name); "
        "text: plain",
    ),
    flag(
        "--only", action="join", metavar="LIST",
        help="score only these segments, as in 12-40,77: a list, counted from 1, or a file with lists",
    ),
    flag(
        "--by",
        nargs="+",
        metavar="NAME",
        help="also score each group of segments with the same value in these fields",
    ),
)  # fmt: skip

_DIVISION = (
    flag(
        "--resegment", nargs="?", const="auto", choices=("auto", "always", *METHODS[:-1]), metavar="HOW",
        help="align the lines of systems with the references first: where their number differs (auto, the default), "
        "always, or by another method (mwer, mwer-case); write it after the references",
    ),
    flag(
        "--breaks", choices=BREAKS, metavar="WHAT",
        help="what --resegment does with line breaks of systems: prefer to cut there (default), ignore, keep",
    ),
    switch("--blank-lines", help="systems have a blank line between documents; goes with --docids"),
    flag(
        "--level", dest="text_level", choices=LEVELS, metavar="UNIT",  # the doctor has levels of another kind
        help=f"the unit to score: {', '.join(LEVELS)}; texts are joined before anything is counted (default: segment)",
    ),
)  # fmt: skip

_COLUMNS = (
    flag("--parquet", nargs="+", metavar="FILE", help=_SECOND),
    flag("--totals-out", metavar="FILE", help="keep totals after each file; 'truebleu merge' adds and scores them"),
    switch("--resume", help="leave out files that are in --totals-out already"),
    flag("--scores-out", metavar="FILE", help="write the rows with a column of scores for each metric, as Parquet"),
)  # fmt: skip

_TEST_SETS = (
    flag(
        "--test-set",
        "-t",
        action="join",
        metavar="SET",
        help="a test set by its name, or several with commas; goes with -l",
    ),
    flag("--refs", nargs="+", metavar="NAME", dest="chosen_refs", help="its references by name, or all"),
    flag("--origlang", "-ol", metavar="LANG", help="only documents written in LANG; non-LANG: in any other language"),
    flag("--subset", metavar="REGEX", help="only documents whose domain or annotation matches"),
    switch("--detail", "-d", help="also score each original language and domain"),
    switch("--list", help="list test sets; with -t the pairs and fields of one, with -l those that have the pair"),
    flag("--echo", nargs="+", metavar="FIELD", help="print fields of a test set: src, ref, docid, ..., or all"),
    switch("--citation", "--cite", help="print the publications to cite for a test set"),
    flag("--download", metavar="SET", help="fetch a test set"),
    switch("--offline", help="never use the network; TRUEBLEU_OFFLINE=1 does the same"),
)

SURENESS = (
    switch("--confidence", "-ci", help="95%% intervals by bootstrap"),
    flag("--confidence-n", "-cin", type=int, default=1000, metavar="N", help="resamples (default: 1000)"),
    flag(
        "--paired", "-pa", choices=tuple(TESTS), metavar="TEST",
        help="test each system against the first: "
        + "; ".join(f"{name}, {test.title.partition(' with ')[0].lower()}" for name, test in TESTS.items()),
    ),
    switch("--paired-bs", "-pbs", help=_SECOND),
    switch("--paired-ar", "-par", help=_SECOND),
    switch("--paired-all", help=f"test every pair of systems; ranks and clusters (default test: {TEST})"),
    flag(
        "--correction", choices=(*CORRECTIONS, "none"), metavar="NAME",
        help=f"correct p-values for many comparisons: {', '.join(CORRECTIONS)}, none (default: {CORRECTION}, where "
        "there is more than one pair; sacreBLEU's --paired bs and ar correct nothing)",
    ),
    flag(
        "--docids", "--documents", metavar="FILE",
        help="a document id for each segment, one per line; or a field of the test set or of records: documents are "
        "drawn whole in tests and intervals, and aligned or joined one by one with --resegment and --level",
    ),
    flag(
        "--unit", choices=UNITS, default="auto", metavar="UNIT",
        help="what tests and intervals draw: document, segment (default: auto, documents where they are known; "
        "sacreBLEU's --paired bs and ar, and -ci, draw segments unless documents are asked for)",
    ),
    flag(
        "--seed", metavar="N",
        help="of the random draws; none: a fresh one each time (default: the variable SACREBLEU_SEED, or 12345)",
    ),
    flag(
        "--family", choices=FAMILIES, default=FAMILIES[0], metavar="WHAT",
        help="p-values that are corrected together: those of each metric, or all (default: metric)",
    ),
    flag(
        "--margin", type=float, metavar="X",
        help="a difference that would not matter: two one-sided tests say whether a pair differs by less",
    ),
    flag(
        "--strata", metavar="FILE",
        help="a label for each segment, one per line; or a field of the test set or of records: units are drawn in "
        "each stratum by itself, and each is also tested by itself (default: the sets of -t A,B, but not in "
        "sacreBLEU's --paired bs and ar)",
    ),
    flag("--against", metavar="RECEIPT", help="test against a receipt, which is the baseline (default test: ar)"),
    flag("--runs", type=int, default=1, metavar="N", help="each N files of -i are runs of one system"),
    flag(
        "--external", action="append", default=[], metavar="NAME=FILE,...",
        help="segment scores of another tool or of people: a file for each system, or one with all systems, in any "
        "format of docs/scores.md; NAME:MODEL@REVISION says what gave them, NAME[lower] and NAME[higher] which are "
        "better, where the name does not tell; references are not needed",
    ),
    flag(
        "--lower-is-better", nargs="+", action="extend", default=[], metavar="NAME",
        help="scores of --external of which lower ones are better",
    ),
    flag(
        "--higher-is-better", nargs="+", action="extend", default=[], metavar="NAME",
        help="scores of --external of which higher ones are better",
    ),
    switch("--direction-anyway", help="what was said of directions is right, even if names and scores contradict it"),
    flag(
        "--missing", choices=("pairs", "drop", "fit"), metavar="RULE",
        help="scores of --external may be missing (None, nan, an empty line): test each pair on the segments that both "
        "systems have (pairs), on those that all have (drop), or fit segments and systems to all scores (fit)",
    ),
    flag(
        "--assignment", choices=("random", "dynamic"), metavar="HOW",
        help="for --missing fit: what decided which segments of a system were scored: chance, or earlier scores too",
    ),
    flag(
        "--breakdown", metavar="FILE",
        help="score groups of segments: a label per segment and line; or a field of the test set or of records",
    ),
    switch("--sensitivity", help="also score with each normalisation alone: the effect of typography"),
    flag("--paired-n", "-pan", type=int, metavar="N", help="trials of the test; 0: its default, more for many pairs"),
    flag("--paired-bs-n", "-pbsn", type=int, metavar="N", help=_SECOND),
    flag("--paired-ar-n", "-parn", type=int, metavar="N", help=_SECOND),
    flag(
        "--paired-ar-confidence-n", "-pacin", type=int, default=-1, metavar="N",
        help="add intervals to ar, from N resamples; 0: 1000",
    ),
    flag("--paired-jobs", "-j", "-paj", type=int, metavar="N", help="threads for the test (default: all cores)"),
)  # fmt: skip

# What a study is made of, beside texts, metrics and the flags of tests that are above.
_STUDY = (
    flag("--src", metavar="FILE", help="the source texts, one per line; a test set has them"),
    flag(
        "--labels", action="append", default=[], metavar="NAME=FILE",
        help="labels that make groups, one per line; or a field of the test set or of records; may be repeated "
        f"(default: {', '.join(LABEL_FIELDS)} of the test set)",
    ),
    flag(
        "--test", choices=(*TESTS, "none"), default=TEST, metavar="TEST",
        help=f"test of all pairs: {', '.join(TESTS)}, none (default: {TEST})",
    ),
    flag("--trials", type=int, metavar="N", help="trials of the test (default: 20,000, or what many pairs need)"),
    flag("--alpha", type=float, default=ALPHA, metavar="P", help=f"level of the test (default: {ALPHA})"),
    flag("--baseline", metavar="NAME", help="the system to compare the others with (default: the best)"),
    flag(
        "--names", action="join", metavar="A,B,...",
        help="names of the systems (default: file names without common parts)",
    ),
)  # fmt: skip

NO_COLOR = switch("--no-color", "-nc", help="no colours; the variable NO_COLOR does the same")

_OUTPUT = (
    flag("--width", "-w", type=int, metavar="N", help="decimals of scores in text (default: 1)"),
    switch("--score-only", "-b", help="nothing but scores"),
    flag(
        "--receipt",
        metavar="FILE",
        help="also write a receipt, NAME.receipt.json; for several systems, name a folder; --force replaces receipts "
        "that are there; see truebleu receipt",
    ),
    switch("--short", "-sh", help="short signatures"),
    switch("--report", help="what a paper should state, filled in"),
    NO_COLOR,
    switch("--quiet", "-q", help="no messages but errors and warnings"),
    flag("--threads", type=int, metavar="N", help="threads for counting (default: all cores)"),
    switch("--doctor", help="also look for faults in the texts, and show them on standard error; see truebleu doctor"),
    switch("--no-checks", help="neither warn about texts that look doubtful nor refuse lines that are surely moved"),
)

_ABOUT_SCORES = (
    flag(
        "--like", metavar="SIGNATURE",
        help="score exactly as a published signature says: BLEU|nrefs:1|case:mixed|..., its short form, or "
        "the old BLEU+case.mixed+...",
    ),
    switch("--sentence-level", "-sl", help="a score for each segment"),
)  # fmt: skip

# Those that sacreBLEU has too, in its version 2.6.0 or in the README of 2.0.0, beside those of its metrics.
SACREBLEU_FLAGS = {
    "--input", "--num-refs", "--encoding", "--language-pair", "--metrics", "--sentence-level", "--test-set",
    "--origlang", "--subset", "--detail", "--list", "--echo", "--citation", "--download", "--confidence",
    "--confidence-n", "--paired", "--paired-n", "--paired-bs", "--paired-bs-n", "--paired-ar", "--paired-ar-n",
    "--paired-ar-confidence-n", "--paired-jobs", "--format", "--width", "--score-only", "--short", "--no-color",
    "--quiet", "--version",
}  # fmt: skip

# What `-h` shows.
_COMMON = {
    "refs", "input", "langpair", "test_set", "list", "metrics", "tokenize", "lowercase", "sentence_level", "confidence",
    "paired", "format", "width", "score_only", "report",
}  # fmt: skip


class Section:
    """Flags that the help shows together; without a title, among the rest."""

    def __init__(self, title: str, flags: Sequence[Flag], of_metrics: bool = False) -> None:
        # Flags of metrics leave out the names that other flags of the command have, and `-h` leaves out all of them.
        self.title, self.flags, self.of_metrics = title, flags, of_metrics


# What a command takes: sections, and what makes sections of what is registered when somebody asks.
Part = Section | Callable[[], Iterable[Section]]


def sections(parts: Iterable[Part]) -> Iterator[Section]:
    """List all sections of a command."""
    for part in parts:
        yield from (part,) if isinstance(part, Section) else part()


def chosen(flags: Iterable[Flag], *names: str) -> tuple[Flag, ...]:
    """Give some of the flags, by the attributes that their values are kept in."""
    return tuple(one for one in flags if one.dest in names)


TEXTS = Section("Texts", tuple(one for one in INPUT if one.dest not in ("by", "only")))
TEXTS_AND_ONLY = Section("Texts", tuple(one for one in INPUT if one.dest != "by"))
TEST_SET = Section("Test sets", chosen(_TEST_SETS, "test_set", "chosen_refs", "origlang", "subset", "offline"))
_OF_STUDIES = (
    "docids", "unit", "correction", "family", "margin", "strata", "external", "lower_is_better", "higher_is_better",
    "direction_anyway", "missing", "assignment", "runs", "seed",
)  # fmt: skip
DIVISION = Section("Line breaks and documents", _DIVISION)
NO_CHECKS = chosen(_OUTPUT, "no_checks")
STUDY = Section("Study", (*_STUDY, *chosen(SURENESS, *_OF_STUDIES), *NO_CHECKS))
WORK = Section("How it works", chosen(_OUTPUT, "quiet", "threads"))


def formats(*names: str, default: str | None = "text", more: str = "") -> tuple[Flag, ...]:
    """Declare `-f`, and `--json` where JSON is one of the formats."""
    listed = flag(
        "--format", "-f", choices=names, default=default, metavar="NAME",
        help=f"{', '.join(names)}{more} (default: text)",
    )  # fmt: skip
    alias = flag("--json", action="store_const", dest="format", const="json", help="the same as --format json")
    return (listed, alias) if "json" in names else (listed,)


def style_flags() -> Iterator[Section]:
    """Make the flags that say how a report of scores is to look."""
    wanted = chosen(_OUTPUT, "width", "score_only", "short", "no_color", "quiet")
    yield Section("Output", (*formats(*FORMATS, default=None), *wanted))


def metrics_flag(default: str = "bleu", like: str = "") -> Iterator[Section]:
    """Make the flag that names metrics, and the one that names a published signature."""
    yield Section("Metrics", chosen(_metrics(default), "metrics", like))


def metric_flags(*, checked: bool = True) -> Iterator[Section]:
    """Make the flags of every metric, each once though two metrics may share it."""
    yield Section("All metrics", [NORMALIZE_FLAG], of_metrics=True)
    seen = {NORMALIZE_FLAG.dest}
    for metric in METRICS.values():
        flags = [one for one in metric.flags if one.dest not in seen]
        seen |= {one.dest for one in flags}
        if not checked:
            kept = [{key: value for key, value in one.settings.items() if key != "choices"} for one in flags]
            flags = [Flag(one.names, one.help, settings) for one, settings in zip(flags, kept, strict=True)]
        if flags:  # six error rates have the same
            yield Section(metric.title, flags, of_metrics=True)


def all_flags() -> Iterator[Section]:
    """Make the flags of `truebleu` itself."""
    yield Section("What to score", INPUT)
    yield DIVISION
    yield Section("Files of columns (Parquet, Arrow IPC, Feather)", _COLUMNS)
    yield Section("Test sets", _TEST_SETS)
    yield Section("Metrics", _metrics())
    yield from metric_flags()
    yield Section("How sure", SURENESS)
    yield Section("Output", _output())


def common_flags() -> list[Flag]:
    """Give the most important flags of `truebleu` itself."""
    tokenizer = [one for metric in METRICS.values() for one in metric.flags if one.dest in _COMMON][:2]
    flags = (*INPUT, *_TEST_SETS, *_metrics(), *tokenizer, *SURENESS, *_output())
    return [one for one in flags if one.dest in _COMMON and "--json" not in one.names]


def metric_name(text: str) -> str:
    """Read the name of a metric as it was typed, in any case; for argparse."""
    if text.lower() in metric_names():
        return text.lower()
    if os.path.isfile(text):
        raise argparse.ArgumentTypeError(
            f"the file {shown(text)} was read as the name of a metric; write references first, and -m after them, as "
            "in 'ref.txt -i out.txt -m bleu chrf'"
        )
    raise argparse.ArgumentTypeError(f"invalid choice: {text!r}{why_unknown(text)}")


def _metric_names(text: str) -> str:
    """Check names of metrics with commas."""
    return ",".join(metric_name(name) for name in text.split(","))


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
            group.add_argument(*names, help=one.help, **settings)


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


def rarely_needed() -> frozenset[str]:
    """The flags of `truebleu` itself that `-h` of a command that shares them leaves out, by all their names."""
    needed = {one.dest for one in (*common_flags(), *chosen(_OURS, "hyp_field", "ref_field", "docids", "no_checks"))}
    return frozenset(name for one in _OURS if one.dest not in needed for name in one.names if name.startswith("-"))


def defaults() -> dict[str, Any]:
    """What the flags of `truebleu` mean where they are not typed."""
    return {one.dest: one.default for one in _OURS}


def typed(args: argparse.Namespace, flags: Iterable[Flag] | None = None) -> dict[str, Any]:
    """Find what was typed and is not the default, by every name of its flag; and "typed", all names that were typed."""
    found: dict[str, Any] = {"typed": set()}
    for one in _OURS if flags is None else flags:
        value = getattr(args, one.dest, None)
        if value and value != one.default:
            found |= dict.fromkeys(one.names, value)
        if one.dest in args.typed:
            found["typed"].update(one.names)
        if "choices" in one.settings:  # rows may name a value too, as in "--method cue"
            found[f"{one.names[0]} {value}"] = True
    return found


def wants_color(stream: IO[str], no_color: bool = False) -> bool:
    """Tell whether to use colours: on a terminal that can show them, unless the user has declined."""
    is_declined = no_color or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return stream.isatty() and not is_declined


def terminal_columns() -> int:
    """Tell how wide the terminal is."""
    from shutil import get_terminal_size  # loads three compressors

    return get_terminal_size().columns


def _metrics(default: str = "bleu") -> tuple[Flag, ...]:
    return (
        flag(
            "--metrics", "-m", nargs="+", type=_metric_names, action=_Names, metavar="NAME",
            help=f"{listed_names()} (default: {default})",
        ),
        *_ABOUT_SCORES,
    )  # fmt: skip


def _output() -> tuple[Flag, ...]:
    return (*formats(*FORMATS, PAGE, default=None, more=" (a page)"), *_OUTPUT)


# All flags of `truebleu` itself but those of metrics.
_OURS = (*INPUT, *_DIVISION, *_COLUMNS, *_TEST_SETS, *_metrics(), *SURENESS, *_output())


class Parser(argparse.ArgumentParser):
    """The parser of every command: its messages help after a typing error, its help has colours on a terminal."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.register("action", "join", Joined)
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
        if before != value and isinstance(action, argparse._StoreAction | argparse._StoreConstAction):
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
        elif message.startswith("unrecognized arguments: --seed"):
            message = "--seed has no effect: nothing is drawn at random here"
        elif message.startswith("unrecognized arguments: -o"):
            message += "; scores go to standard output: write > FILE (report, plot and others have -o)"
        elif message.startswith("unrecognized arguments: "):
            message += self._hint(message.partition(": ")[2].split())
        elif message.endswith(" COMMAND"):
            (names,) = [one.choices for one in self._actions if isinstance(one.choices, dict)]
            message += f", one of {', '.join(names)}"
        super().error(shown(message, sys.maxsize))

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
