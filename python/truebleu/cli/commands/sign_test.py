"""`truebleu sign-test`: is one system better than another, and in which segments?

args → request → run → report. The options -s, -r, -t, -b and -c are those of SignTestBleu.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from truebleu._atomic import check_not_inputs, check_targets, write_together
from truebleu._logs import LOGGER_NAME
from truebleu.cli.sign_input import Request, SignInput, read_input
from truebleu.errors import OptionError, TruebleuError
from truebleu.report.sign import OUTCOMES, as_json, as_text, as_xml
from truebleu.significance.sign import SignTest, sign_test_of_texts
from truebleu.significance.signtestbleu import signtestbleu
from truebleu.version import __version__

if TYPE_CHECKING:
    from truebleu.metrics.base import Metric

PROGRAM = "truebleu sign-test"
DATA_ERROR, USAGE_ERROR = 1, 2

# The options that belong to one metric: given with another, they are a mistake.
_OPTIONS_OF = {
    "bleu": ("tokenize", "smooth_method", "smooth_value"),
    "chrf": ("chrf_char_order", "chrf_word_order", "chrf_beta", "chrf_whitespace", "chrf_eps_smoothing"),
    "ter": ("ter_normalized", "ter_no_punct", "ter_asian_support"),
}


def main() -> None:
    """The program `SignTestBleu`."""
    sys.exit(run(sys.argv[1:], program="SignTestBleu"))


def run(argv: list[str], program: str = PROGRAM) -> int:
    """Run the command; the exit code. A mistake in the options ends in argparse's exit with 2."""
    parser = _parser(program)
    arguments = parser.parse_args(argv)
    _check_arguments(parser, arguments)
    try:
        with _warnings_shown(program):
            _compare(arguments)
    except BrokenPipeError:
        # Whoever read our output has gone; the interpreter must not complain of it while it shuts down.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DATA_ERROR
    except (TruebleuError, OSError) as error:
        _say(f"{program}: error: {_message(error)}\n", sys.stderr)
        return USAGE_ERROR if isinstance(error, OptionError) else DATA_ERROR
    return 0


def _compare(arguments: argparse.Namespace) -> None:
    targets = {} if arguments.no_files else {name: Path(arguments.output_dir, f"{name}.xml") for name in OUTCOMES}
    check_targets(targets.values(), arguments.force)
    inputs = (arguments.source, *arguments.references, arguments.system, arguments.baseline)
    check_not_inputs(targets.values(), [path for path in inputs if path is not None])
    # Made before anything is read: an option without a meaning is to be found first.
    metric = None if arguments.legacy else _metric(arguments)
    texts = read_input(_request(arguments))
    test = _test(texts, metric, arguments)
    write_together({target: as_xml(test, texts, name) for name, target in targets.items()}, arguments.force)
    report = as_json if arguments.json else as_text
    _say(report(test, texts, {name: str(target) for name, target in targets.items()}), sys.stdout)
    sys.stdout.flush()


def _test(texts: SignInput, metric: Metric[Any] | None, arguments: argparse.Namespace) -> SignTest:
    sides = texts.baseline.texts, texts.system.texts, [side.texts for side in texts.references]
    if metric is None:
        return signtestbleu(*sides, case_sensitive=arguments.case_sensitive, threads=arguments.threads)
    return sign_test_of_texts(*sides, metric, threads=arguments.threads)


def _request(arguments: argparse.Namespace) -> Request:
    return Request(
        source=arguments.source,
        references=arguments.references,
        baseline=arguments.baseline,
        system=arguments.system,
        baseline_sysid=arguments.baseline_sysid,
        system_sysid=arguments.sysid,
        by_position=arguments.by_position,
        encoding=arguments.encoding,
    )


def _metric(arguments: argparse.Namespace) -> Metric[Any]:
    from truebleu.metrics import BLEU, CHRF, TER

    cased = arguments.case_sensitive
    given = {name: getattr(arguments, name) for name in _OPTIONS_OF[arguments.metric]}
    options = {name.removeprefix(f"{arguments.metric}_"): value for name, value in given.items() if value is not None}
    if arguments.metric == "ter":
        return TER(case_sensitive=cased, **options)
    if arguments.metric == "chrf":
        return CHRF(lowercase=not cased, **options)
    language = (arguments.language_pair or "").partition("-")[2]
    return BLEU(lowercase=not cased, trg_lang=language, **options)


def _check_arguments(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> None:
    for metric, names in _OPTIONS_OF.items():
        for name in names:
            if metric != arguments.metric and getattr(arguments, name) is not None:
                parser.error(f"--{name.replace('_', '-')} goes with --metric {metric}, not {arguments.metric}")
    if arguments.legacy and (
        arguments.metric != "bleu" or any(getattr(arguments, name) for name in _OPTIONS_OF["bleu"])
    ):
        parser.error("--legacy has a BLEU of its own: it goes without other options of metrics")
    try:
        b"ab".decode(arguments.encoding)
    except UnicodeDecodeError:
        pass
    except (LookupError, UnicodeError):
        parser.error(f"--encoding is {arguments.encoding!r}, which is no encoding that Python knows")


def _parser(program: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=program,
        description="Sign test between two systems: each segment in which they differ is replaced in the baseline, "
        "alone, and the corpus is scored again. Files are NIST's SGM, aligned by document and segment ids, or plain "
        "text, one segment a line. The segments are sorted into good.xml, bad.xml and equal.xml.",
    )
    files = parser.add_argument_group("files")
    files.add_argument("-s", "--source", metavar="FILE", help="the source; shown in the XML files")
    files.add_argument(
        "-r",
        "--references",
        "--reference",
        metavar="FILE",
        nargs="+",
        action="extend",
        required=True,
        help="one file with all references, or several",
    )
    files.add_argument(
        "-t", "--system", "--test", metavar="FILE", required=True, help="output of the system under test"
    )
    files.add_argument("-b", "--baseline", metavar="FILE", required=True, help="output of the baseline")
    files.add_argument("--sysid", metavar="ID", help="which system of the -t file, if it holds several")
    files.add_argument("--baseline-sysid", metavar="ID", help="which system of the -b file, if it holds several")
    files.add_argument(
        "--by-position", action="store_true", help="ignore the ids: the first segment goes with the first"
    )
    files.add_argument("-e", "--encoding", default="utf-8", help="of all files (default: %(default)s)")
    _add_metric_options(parser)
    output = parser.add_argument_group("output")
    output.add_argument(
        "-o", "--output-dir", "--out-dir", metavar="DIR", default=".", help="where the XML files go (default: here)"
    )
    output.add_argument("--force", action="store_true", help="replace XML files that exist")
    output.add_argument("--no-files", action="store_true", help="write no XML files")
    output.add_argument("--json", action="store_true", help="print the outcome as JSON, with every segment's score")
    parser.add_argument("--threads", type=int, metavar="N", help="how many threads count (default: all cores)")
    parser.add_argument("-V", "--version", action="version", version=f"{program} {__version__}")
    return parser


def _add_metric_options(parser: argparse.ArgumentParser) -> None:
    metric = parser.add_argument_group("metric")
    metric.add_argument("-m", "--metric", choices=tuple(_OPTIONS_OF), default="bleu", help="default: %(default)s")
    metric.add_argument(
        "-c", "--case-sensitive", action="store_true", help="keep case; without it, texts are lower-cased for scoring"
    )
    metric.add_argument("--legacy", action="store_true", help="BLEU and thresholds of SignTestBleu, to compare with it")
    metric.add_argument("-l", "--language-pair", metavar="SRC-TRG", help="chooses BLEU's tokenizer")
    metric.add_argument("-tok", "--tokenize", metavar="NAME", help="BLEU's tokenizer (default: 13a, or by language)")
    metric.add_argument("--smooth-method", metavar="NAME", help="none, floor, add-k or exp (default: exp)")
    metric.add_argument("--smooth-value", metavar="X", type=float, help="for floor and add-k")
    metric.add_argument("--chrf-char-order", metavar="N", type=int, help="default: 6")
    metric.add_argument("--chrf-word-order", metavar="N", type=int, help="default: 0; 2 is chrF++")
    metric.add_argument("--chrf-beta", metavar="N", type=int, help="default: 2")
    for flag in ("chrf-whitespace", "chrf-eps-smoothing", "ter-normalized", "ter-no-punct", "ter-asian-support"):
        metric.add_argument(f"--{flag}", action="store_const", const=True)


def _message(error: BaseException) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{os.fsdecode(error.filename)}: {error.strerror}"
    return str(error)


def _say(text: str, stream: TextIO) -> None:
    """Write; what the terminal's encoding lacks is shown by its number."""
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding))


class _Handler(logging.Handler):
    def __init__(self, program: str) -> None:
        super().__init__(logging.WARNING)
        self._program = program

    def emit(self, record: logging.LogRecord) -> None:
        _say(f"{self._program}: warning: {record.getMessage()}\n", sys.stderr)


@contextmanager
def _warnings_shown(program: str) -> Iterator[None]:
    """Show the library's warnings on standard error for as long as the command runs."""
    logger, handler = logging.getLogger(LOGGER_NAME), _Handler(program)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
