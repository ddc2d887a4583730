"""`truebleu sign-test`: is one system better than another, and in which segments?

args → request → run → report. The options -s, -r, -t, -b and -c are those of SignTestBleu.
"""

from __future__ import annotations

import argparse
import logging
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from truebleu._logs import LOGGER_NAME
from truebleu.cli.outputs import check_not_inputs, check_targets, write_together
from truebleu.errors import EmptyCorpus, FileFormatError, LengthMismatch, OptionError, TruebleuError
from truebleu.report.sign import OUTCOMES, Side, SignInput, as_json, as_text, as_xml
from truebleu.sgm import Stream, is_sgm, parse, read_text, texts_in_order
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


# --- input: NIST's SGM aligned by ids, or plain text, one segment a line ----------------------

_OTHER_MARKUP = re.compile(r"\s*<(?:\?xml|!doctype|dataset|doc)[\s>]", re.I)


class Request(NamedTuple):
    """Which files to read, and how."""

    source: str | None
    references: Sequence[str]
    baseline: str
    system: str
    baseline_sysid: str | None = None
    system_sysid: str | None = None
    by_position: bool = False
    encoding: str = "utf-8"


class _Found(NamedTuple):
    """A side before it is put in order; plain text has no stream."""

    side: Side
    stream: Stream | None


def read_input(request: Request) -> SignInput:
    """Read all files and put their segments in the order of the first reference."""
    references = [found for path in request.references for found in _read(path, "refset", request.encoding)]
    baseline = _only(_read(request.baseline, "tstset", request.encoding), request.baseline_sysid)
    system = _only(_read(request.system, "tstset", request.encoding), request.system_sysid)
    everything = [baseline, system, *references]
    if request.source is not None:
        everything.append(_only(_read(request.source, "srcset", request.encoding), None))
    ordered = _in_order(everything, references[0], request.by_position)
    return SignInput(
        keys=next((list(found.stream) for found in [*references, *everything] if found.stream is not None), None),
        source=ordered[-1] if request.source is not None else None,
        references=ordered[2 : 2 + len(references)],
        baseline=ordered[0],
        system=ordered[1],
    )


def _read(path: str, kind: str, encoding: str) -> list[_Found]:
    text = read_text(path, encoding)
    if is_sgm(text) or _OTHER_MARKUP.match(text):
        return [_of_stream(stream) for stream in _streams(text, path, kind)]
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    if not lines:
        raise EmptyCorpus(f"{path}: the file is empty, expected one segment a line or NIST's SGM")
    return [_Found(Side(path, "", [line.removesuffix("\r") for line in lines]), None)]


def _of_stream(stream: Stream) -> _Found:
    if not stream:
        raise FileFormatError(f"{stream.path}, line {stream.line}: the {stream.kind} has no segments")
    return _Found(Side(stream.path, stream.name, [segment.text for segment in stream.values()]), stream)


def _streams(text: str, path: str, kind: str) -> list[Stream]:
    streams = parse(text, path)
    wanted = [stream for stream in streams if stream.kind == kind]
    if not wanted:
        got = ", ".join(dict.fromkeys(f"a {stream.kind} (line {stream.line})" for stream in streams)) or "no documents"
        raise FileFormatError(f"{path}: expected a {kind}, got {got}; are the files in each other's places?")
    return wanted


def _only(found: list[_Found], sysid: str | None) -> _Found:
    """The one translation of a file, or the one that was asked for."""
    path, names = found[0].side.path, ", ".join(repr(entry.side.name) for entry in found)
    if sysid is not None:
        found = [entry for entry in found if entry.side.name == sysid]
        if not found:
            raise FileFormatError(f"{path}: there is no system {sysid!r}, only {names}")
    if len(found) > 1:
        raise FileFormatError(
            f"{path}: there are {len(found)} systems in this file, {names}; choose with --sysid or --baseline-sysid"
        )
    return found[0]


def _in_order(everything: list[_Found], guide: _Found, by_position: bool) -> list[Side]:
    """All sides in the order of the guide: by ids if all files have them, else by position."""
    if guide.stream is not None and not by_position and all(found.stream is not None for found in everything):
        return [_by_ids(found, guide.stream) for found in everything]
    for side, _ in everything:
        if len(side.texts) != len(guide.side.texts):
            raise LengthMismatch(
                f"{side.path} has {len(side.texts)} segments, {guide.side.path} has {len(guide.side.texts)}; "
                "is a line missing, or are there empty lines at the end?"
            )
    return [found.side for found in everything]


def _by_ids(found: _Found, guide: Stream) -> Side:
    return found.side if found.stream is None else found.side._replace(texts=texts_in_order(found.stream, guide))
