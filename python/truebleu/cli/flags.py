"""The flags of `truebleu`, as data: what can be typed, and what the help says of it.

Spellings are those of sacreBLEU 2.6.0 and of the README of its version 2.0.0, and ours beside them. What the flags mean
together is settled in `request.py`.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
from typing import IO, Any, NamedTuple

from truebleu.version import __version__

METRICS = ("bleu", "chrf", "ter", "gleu")
SMOOTHING = ("none", "floor", "add-k", "exp", *(f"method{n}" for n in range(8)))
TOKENIZERS = (
    "none",
    "zh",
    "13a",
    "intl",
    "char",
    "ja-mecab",
    "ko-mecab",
    "spm",
    "flores101",
    "flores200",
    "spBLEU-1K",
)
TESTS = ("bs", "ar", "bs2", "sign")
CORRECTIONS = ("holm", "bh")
FORMATS = ("text", "json", "jsonl", "csv", "tsv", "markdown", "latex", "rst", "html", "sacrebleu-json")
INPUT_FORMATS = ("text", "jsonl", "tsv")


class Flag(NamedTuple):
    """One argument of the parser; `settings` go to argparse as they are."""

    names: tuple[str, ...]
    help: str
    settings: dict[str, Any]


class Group(NamedTuple):
    """Flags that the help shows together."""

    title: str
    flags: tuple[Flag, ...]


def flag(*names: str, help: str, **settings: Any) -> Flag:
    """A flag, written as argparse wants it."""
    return Flag(names, help, settings)


def switch(*names: str, help: str, **settings: Any) -> Flag:
    """A flag without a value."""
    return Flag(names, help, {"action": "store_true", **settings})


GROUPS = (
    Group(
        "What to score",
        (
            flag("refs", nargs="*", metavar="REF", help="reference files, one segment a line; write them before -i"),
            flag("--input", "-i", nargs="*", metavar="FILE", help="system outputs; standard input if not given"),
            flag("--num-refs", "-nr", type=int, default=1, metavar="N", help="references per line, separated by tabs"),
            flag("--encoding", "-e", default="utf-8", metavar="NAME", help="encoding of all input (default: utf-8)"),
            flag(
                "--language-pair",
                "-l",
                dest="langpair",
                metavar="SRC-TRG",
                help="language pair; its target chooses BLEU's tokenizer",
            ),
            flag(
                "--hyp-field",
                nargs="+",
                metavar="NAME",
                help="fields with system outputs, where input is JSONL or TSV with a header; each is a system",
            ),
            flag(
                "--ref-field",
                nargs="+",
                metavar="NAME",
                help="fields with references; in JSONL a text, or a list of any length",
            ),
            flag(
                "--fields-format",
                choices=INPUT_FORMATS,
                metavar="NAME",
                help="what files with fields are: jsonl or tsv (default: by file name)",
            ),
        ),
    ),
    Group(
        "Test sets",
        (
            flag(
                "--test-set", "-t", metavar="SET", help="a test set by its name, or several with commas; goes with -l"
            ),
            flag("--refs", nargs="+", metavar="NAME", dest="chosen_refs", help="its references by name, or all"),
            flag("--origlang", "-ol", metavar="LANG", help="only documents written in LANG; non-LANG: in others"),
            flag("--subset", metavar="REGEX", help="only documents whose domain or annotation matches"),
            switch("--detail", "-d", help="also score each original language and domain"),
            switch("--list", help="list test sets; with -t the pairs and fields of one, with -l those with a pair"),
            flag("--echo", nargs="+", metavar="FIELD", help="print fields of a test set: src, ref, docid, ..., or all"),
            switch("--citation", "--cite", help="print whom to cite for a test set"),
            flag("--download", metavar="SET", help="fetch a test set"),
            switch("--offline", help="never touch the network; so does TRUEBLEU_OFFLINE=1"),
        ),
    ),
    Group(
        "Metrics",
        (
            flag(
                "--metrics",
                "-m",
                nargs="+",
                choices=METRICS,
                metavar="NAME",
                help=f"{', '.join(METRICS)} (default: bleu)",
            ),
            flag(
                "--like",
                metavar="SIGNATURE",
                help="score exactly as a published signature says: BLEU|nrefs:1|case:mixed|..., its short form, or "
                "the old BLEU+case.mixed+...",
            ),
            switch("--sentence-level", "-sl", help="a score for each segment"),
        ),
    ),
    Group(
        "BLEU (tokenizer and case: also Google BLEU)",
        (
            flag(
                "--smooth-method",
                "-s",
                choices=SMOOTHING,
                metavar="NAME",
                help="exp (default), floor, add-k, none; method0 to method7: Chen and Cherry's",
            ),
            flag("--smooth-value", "-sv", type=float, metavar="X", help="default: 0.1 for floor, 1 for add-k"),
            flag(
                "--tokenize",
                "-tok",
                choices=TOKENIZERS,
                metavar="NAME",
                help=f"{', '.join(TOKENIZERS)} (default: by target language zh, ja-mecab or ko-mecab, else 13a)",
            ),
            switch("--lowercase", "-lc", help="ignore case"),
            switch("--force", help="do not warn about text that seems to be tokenized already"),
        ),
    ),
    Group(
        "Google BLEU",
        (
            flag("--gleu-min-len", type=int, metavar="N", help="shortest n-grams (default: 1)"),
            flag("--gleu-max-len", type=int, metavar="N", help="longest n-grams (default: 4)"),
        ),
    ),
    Group(
        "chrF",
        (
            flag("--chrf-char-order", "-cc", type=int, metavar="N", help="longest character n-grams (default: 6)"),
            flag(
                "--chrf-word-order", "-cw", type=int, metavar="N", help="longest word n-grams; 2 is chrF++ (default: 0)"
            ),
            flag("--chrf-beta", type=int, metavar="N", help="weight of recall (default: 2)"),
            switch("--chrf-whitespace", help="count white space as characters"),
            switch("--chrf-lowercase", help="ignore case"),
            switch("--chrf-eps-smoothing", help="smooth as chrF++.py and NLTK do"),
        ),
    ),
    Group(
        "TER",
        (
            switch("--ter-case-sensitive", help="do not ignore case"),
            switch("--ter-asian-support", help="split ideographs; goes with --ter-normalized"),
            switch("--ter-no-punct", help="drop punctuation"),
            switch("--ter-normalized", help="separate punctuation from words"),
        ),
    ),
    Group(
        "How sure",
        (
            switch("--confidence", "-ci", help="95%% intervals by bootstrap"),
            flag("--confidence-n", "-cin", type=int, default=1000, metavar="N", help="resamples (default: 1000)"),
            flag(
                "--paired",
                "-pa",
                choices=TESTS,
                metavar="TEST",
                help="test each system against the first: ar (approximate randomization), bs (sacreBLEU's bootstrap), "
                "bs2 (two-sided bootstrap) or sign (sign test)",
            ),
            switch("--paired-bs", "-pbs", help="the same as --paired bs"),
            switch("--paired-ar", "-par", help="the same as --paired ar"),
            switch("--paired-all", help="test each system against each other; ranks and clusters (default test: ar)"),
            flag(
                "--correction",
                choices=CORRECTIONS,
                metavar="NAME",
                help="correct p-values for many comparisons: holm or bh",
            ),
            flag(
                "--docids",
                metavar="FILE",
                help="draw whole documents: a document id for each segment, one a line; or a field of the test set",
            ),
            flag("--runs", type=int, default=1, metavar="N", help="each N files of -i are runs of one system"),
            flag(
                "--external",
                action="append",
                default=[],
                metavar="NAME=FILE,...",
                help="segment scores from elsewhere, one number a line, a file for each system",
            ),
            flag(
                "--breakdown",
                metavar="FILE",
                help="score groups of segments: a label for each segment, one a line; or a field of the test set",
            ),
            flag("--paired-n", "-pan", type=int, metavar="N", help="trials of the chosen test; 0: its default"),
            flag("--paired-bs-n", "-pbsn", type=int, metavar="N", help="resamples (default: 1000)"),
            flag("--paired-ar-n", "-parn", type=int, metavar="N", help="trials (default: 10000)"),
            flag(
                "--paired-ar-confidence-n",
                "-pacin",
                type=int,
                default=-1,
                metavar="N",
                help="add intervals to ar, from N resamples; 0: 1000",
            ),
            flag(
                "--paired-jobs",
                "-j",
                "-paj",
                type=int,
                metavar="N",
                help="threads for the test (default: all cores)",
            ),
        ),
    ),
    Group(
        "Output",
        (
            flag("--format", "-f", choices=FORMATS, metavar="NAME", help=f"{', '.join(FORMATS)} (default: text)"),
            flag("--width", "-w", type=int, default=1, metavar="N", help="decimals of scores in text (default: 1)"),
            switch("--score-only", "-b", help="nothing but scores"),
            switch("--short", "-sh", help="short signatures"),
            switch("--report", help="the filled-in reporting template: all that a paper should state"),
            switch("--no-color", "-nc", help="no colours; so does the variable NO_COLOR"),
            switch("--quiet", "-q", help="no messages but errors and warnings"),
            flag("--threads", type=int, metavar="N", help="threads for counting (default: all cores)"),
        ),
    ),
)

EXAMPLES = """\
other commands, each with its own --help:
  truebleu data        look after test sets: list, verify, add your own, pack for machines without a network
  truebleu self-bleu   how alike the lines of a file are to each other
  truebleu sign-test   SignTestBleu's test on NIST's SGM or plain files

examples:
  truebleu -t demo -l en-de -i atlas birch cedar      systems and references that come with truebleu
  truebleu -t wmt22 -l en-de -i system.txt            a test set of WMT, fetched when first used
  truebleu ref.txt -i system.txt                      BLEU of a system
  cat system.txt | truebleu ref.txt -m bleu chrf ter  three metrics, output from a pipe
  truebleu refA.txt refB.txt -i a.txt b.txt c.txt     three systems, two references: a table
  truebleu ref.txt -i base.txt new.txt --paired bs    is new.txt different from base.txt?
  truebleu ref.txt -i system.txt --confidence -f json numbers for a program
  truebleu out.jsonl --hyp-field mt --ref-field refs  JSONL with a list of references a segment
  truebleu ref.txt -i system.txt --like 'BLEU|nrefs:1|case:lc|eff:no|tok:intl|smooth:exp|version:2.3.1'
"""

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
