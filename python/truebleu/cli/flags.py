"""The flags of `truebleu`, as data: what can be typed, and what the help says of it.

Spellings are those of sacreBLEU 2.6.0 and of the README of its version 2.0.0, and ours beside them. A metric declares
its flags itself. What the flags mean together is settled in `request.py`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module

from truebleu._shown import shown
from truebleu._textio import COLUMNS_FORMATS, RECORDS_FORMATS
from truebleu._typing import IO, TYPE_CHECKING, Any
from truebleu.metrics import METRICS
from truebleu.metrics.base import NORMALIZE_FLAG
from truebleu.metrics.names import listed_learned, listed_names, metric_names, why_unknown
from truebleu.metrics.options import Flag, flag, switch
from truebleu.metrics.registry import is_learned, is_plugged
from truebleu.resegmentation.names import BREAKS, LEVELS, METHODS
from truebleu.significance.correction import CORRECTIONS
from truebleu.significance.defaults import ALPHA, CORRECTION, FAMILIES, TEST, UNITS
from truebleu.significance.tests import TESTS
from truebleu.study.formats.render import FORMATS

if TYPE_CHECKING:
    from argparse import Namespace as Namespace
else:
    from types import SimpleNamespace as Namespace  # the same; argparse takes a tenth of the time of a small score

# The format that is a page of HTML and no lines of text.
PAGE = "report"

# Fields of test sets that make groups unless others are named.
LABEL_FIELDS = ("domain", "docid", "origlang")

# Other names of flags keep working, and the help leaves them out.
_SECOND = "==SUPPRESS=="  # argparse's word

INPUT = (
    flag(
        "refs", nargs="*", default=[], metavar="REF", help="references, one segment per line; before -i"
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
        "--by", nargs="+", metavar="NAME",
        help="also score each group of segments with the same value in these fields",
    ),
)  # fmt: skip

_SOURCES = (
    flag(
        "--sources", "--src", dest="source_texts", metavar="FILE",
        help="the source texts, one per line, which checks, learned metrics and -m terms use; a test set has them",
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
    flag("--where", metavar="CONDITION", help="count the rows that fit, such as \"lang == 'de' and year >= 2020\""),
    flag("--totals-out", metavar="FILE", help="keep totals after each file; 'truebleu merge' adds and scores them"),
    switch("--resume", help="leave out files that are in --totals-out already"),
    flag("--jobs", type=int, metavar="N", help="count N batches of rows at a time, while others are read (default: 1)"),
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
    switch("--list", help="list test sets; goes with -t and -l"),
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
        help="scores from elsewhere of which lower ones are better",
    ),
    flag(
        "--higher-is-better", nargs="+", action="extend", default=[], metavar="NAME",
        help="scores from elsewhere of which higher ones are better",
    ),
    switch("--no-people", help="do not say how often people preferred the system that was better by so much"),
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
        "--breakdown", "--overlap", metavar="FILE",
        help="score groups: a label per segment and line; a field of the test set or of records; overlap.json",
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


# Modules of wings that add to `truebleu` itself: SECTIONS of flags, CONFLICTS, and `words` for these, which say what
# follows from what was typed. A plain line needs none of them.
_WINGS = ("truebleu.cli.learned.flags",)


def wings() -> list[Any]:
    """Load the modules of wings."""
    return [import_module(name) for name in _WINGS]


def flags_of_wings() -> list[Flag]:
    """List the flags that wings add."""
    return [one for wing in wings() for section in wing.SECTIONS for one in section.flags]


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
    "docids", "unit", "correction", "family", "margin", "strata", "no_people", "external", "lower_is_better",
    "higher_is_better", "direction_anyway", "missing", "assignment", "runs", "seed",
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
    yield Section("What to score", (*INPUT, *_SOURCES))
    yield DIVISION
    yield Section("Files of columns (Parquet, Arrow IPC, Feather)", _COLUMNS)
    yield Section("Test sets", _TEST_SETS)
    yield Section("Metrics", _metrics())
    yield from metric_flags()
    for name in _WINGS:
        yield from import_module(name).SECTIONS
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
    plain, equals, model = text.partition("=")
    if (is_learned(text) or is_plugged(text)) and (model or not equals):
        return f"{plain.lower()}{equals}{model}"
    if os.path.isfile(text):
        raise _wrong_type(
            f"the file {shown(text)} was read as the name of a metric; write references first, and -m after them, as "
            "in 'ref.txt -i out.txt -m bleu chrf'"
        )
    raise _wrong_type(f"invalid choice: {text!r}{why_unknown(text)}")


def _wrong_type(message: str) -> Exception:
    from argparse import ArgumentTypeError  # argparse takes long to load, and is there when a value is wrong

    return ArgumentTypeError(message)


def _metric_names(text: str) -> str:
    """Check names of metrics with commas."""
    return ",".join(metric_name(name) for name in text.split(","))


def rarely_needed() -> frozenset[str]:
    """The flags of `truebleu` itself that `-h` of a command that shares them leaves out, by all their names."""
    needed = {one.dest for one in (*common_flags(), *chosen(_OURS, "hyp_field", "ref_field", "docids", "no_checks"))}
    flags = (*_OURS, *flags_of_wings())
    return frozenset(name for one in flags if one.dest not in needed for name in one.names if name.startswith("-"))


def plain_args(words: Sequence[str]) -> Namespace | None:
    """Read a plain line, `REF ... -i SYS ...`, as argparse would; None for any other line, which argparse reads.

    To load argparse and to tell it of all flags takes longer than all the rest of a small score.
    """
    names = next(one.names for one in INPUT if one.dest == "input")
    at = next((at for at, word in enumerate(words) if word in names), 0)
    refs, systems = [*words[:at]], [*words[at + 1 :]]
    if not refs or not systems or any(word[:1] in ("-", "") for word in (*refs, *systems)):
        return None
    return Namespace(**{**DEFAULTS, "refs": refs, "input": systems, "typed": {"input": systems}, "twice": []})


def defaults() -> dict[str, Any]:
    """What the flags of `truebleu` mean where they are not typed."""
    return {**DEFAULTS}


def typed(args: Namespace, flags: Iterable[Flag] | None = None) -> dict[str, Any]:
    """Find what was typed and is not the default, by every name of its flag; and "typed", all names that were typed."""
    found: dict[str, Any] = {"typed": set()}
    is_ours = args.typed.keys() <= DEFAULTS.keys()
    for one in (_OURS if is_ours else (*_OURS, *flags_of_wings())) if flags is None else flags:
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
    # As `shutil.get_terminal_size` does, whose module loads three compressors.
    said = os.environ.get("COLUMNS", "")
    if said.isdecimal() and int(said):
        return int(said)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno() if sys.__stdout__ else -1).columns or 80
    except (ValueError, OSError):
        return 80


def _metrics(default: str = "bleu") -> tuple[Flag, ...]:
    return (
        flag(
            "--metrics", "-m", nargs="+", type=_metric_names, action="names", metavar="NAME",
            help=f"{listed_names()}; {listed_learned()}, or NAME=MODEL (default: {default})",
        ),
        *_ABOUT_SCORES,
    )  # fmt: skip


def _output() -> tuple[Flag, ...]:
    return (*formats(*FORMATS, PAGE, default=None, more=" (a page)"), *_OUTPUT)


# All flags of `truebleu` itself but those of metrics.
_OURS = (*INPUT, *_SOURCES, *_DIVISION, *_COLUMNS, *_TEST_SETS, *_metrics(), *SURENESS, *_output())

# What they mean where they are not typed.
DEFAULTS = {one.dest: one.default for one in _OURS}
