"""`truebleu self-bleu`: how alike the lines of a file are to each other."""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from truebleu._textio import read_text, split_lines, text_of
from truebleu.diversity import DEFINITIONS, SelfScore, self_bleu
from truebleu.errors import EmptyCorpus, InputError, OptionError, TruebleuError
from truebleu.metrics import METRICS, Metric

DATA_ERROR = 1
USAGE_ERROR = 2
STANDARD_INPUT = "-"


class Sample(NamedTuple):
    """A line of the input, and its number from 1."""

    line: int
    text: str


def run(argv: list[str]) -> int:
    """Score a file as the arguments say; the exit code is 0, 1 for bad data or 2 for bad arguments."""
    parser = _parser()
    try:
        request = parser.parse_args(argv)
    except SystemExit as exit:  # argparse has said why; only the caller exits
        return exit.code if isinstance(exit.code, int) else USAGE_ERROR
    try:
        metric = _metric(request)
        samples = _choose(_read(request.file), request.sample, request.seed, _shown(request.file))
        score = self_bleu((sample.text for sample in samples), metric, definition=request.definition)
    except OptionError as error:
        return _complain(parser, error, USAGE_ERROR)
    except InputError as error:
        return _complain(parser, error, DATA_ERROR)
    except TruebleuError as error:  # a tokenizer that is not installed, or fails
        return _complain(parser, error, USAGE_ERROR)
    print(_as_json(score, samples, request) if request.json else _as_text(score, samples, request))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="truebleu self-bleu",
        description="The mean score of each line with all other lines as its references. "
        "High self-BLEU means that the lines repeat each other.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "file",
        nargs="?",
        default=STANDARD_INPUT,
        metavar="FILE",
        help="one sample a line, UTF-8, also compressed (default: -)",
    )
    parser.add_argument(
        "-m", "--metric", default="bleu", type=str.lower, choices=[name.lower() for name in METRICS], help="the metric"
    )
    parser.add_argument(
        "-tok", "--tokenize", metavar="NAME", help="BLEU's tokenizer (default: 13a; none for fast-bleu)"
    )
    parser.add_argument("-lc", "--lowercase", action="store_true", help="lower-case all lines")
    parser.add_argument("--order", type=int, metavar="N", help="BLEU's longest n-grams (default: 4)")
    parser.add_argument(
        "--definition",
        default=DEFINITIONS[0],
        choices=DEFINITIONS,
        help="sacrebleu: the metric as it is; fast-bleu: NLTK's method 1, from 0 to 1",
    )
    parser.add_argument("--sample", type=_whole(2), metavar="N", help="score N lines chosen at random")
    parser.add_argument("--seed", type=_whole(0), default=0, metavar="N", help="for --sample (default: 0)")
    parser.add_argument("--per-sample", action="store_true", help="show the score of each line too")
    parser.add_argument("--json", action="store_true", help="print JSON, with full precision")
    parser.add_argument(
        "-w", "--width", type=_whole(0), default=None, metavar="N", help="decimals (default: 2, fast-bleu: 4)"
    )
    return parser


def _whole(low: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not text.isdecimal() or int(text) < low:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {low}")
        return int(text)

    return number


def _metric(request: argparse.Namespace) -> Metric[Any]:
    name = request.metric.upper()
    options: dict[str, Any] = {}
    if name == "BLEU":
        options["tokenize"] = request.tokenize or ("none" if request.definition == "fast-bleu" else None)
        options["lowercase"] = request.lowercase
        if request.order is not None:
            options["max_ngram_order"] = request.order
    elif request.tokenize is not None or request.order is not None:
        raise OptionError(f"-tok and --order are options of BLEU, the metric is {request.metric}")
    elif name != "TER" and request.lowercase:  # TER lower-cases anyway
        options["lowercase"] = True
    made: Metric[Any] = METRICS[name](**options)
    return made


def _read(file: str) -> list[Sample]:
    standard = file == STANDARD_INPUT
    text = text_of(sys.stdin.buffer.read(), "utf-8", _shown(file)) if standard else read_text(file)
    return [Sample(number, line) for number, line in enumerate(split_lines(text), 1)]


def _choose(samples: list[Sample], size: int | None, seed: int, shown: str) -> list[Sample]:
    if len(samples) < 2:
        lines = "one line" if samples else "no lines"
        raise EmptyCorpus(f"{shown}: the input ends after {lines}, expected at least two")
    if size is None or size >= len(samples):
        return samples
    return sorted(random.Random(seed).sample(samples, size))


def _as_text(score: SelfScore, samples: list[Sample], request: argparse.Namespace) -> str:
    width = _width(score, request)
    lines = []
    if request.per_sample:
        numbers = zip(samples, score.scores.tolist(), strict=True)
        lines = [f"{sample.line}\t{number:.{width}f}" for sample, number in numbers]
    return "\n".join([*lines, score.format(width=width, signature=str(score.signature))])


def _width(score: SelfScore, request: argparse.Namespace) -> int:
    if request.width is not None:
        return int(request.width)
    return 4 if score.definition == "fast-bleu" else 2


def _as_json(score: SelfScore, samples: list[Sample], request: argparse.Namespace) -> str:
    fields = score.to_dict()
    numbers = fields.pop("scores")
    if request.width is not None:
        fields["score"] = round(fields["score"], request.width)
        numbers = [round(number, request.width) for number in numbers]
    if request.sample is not None:
        fields["seed"] = request.seed
    if request.per_sample:
        fields["scores"] = [
            {"line": sample.line, "score": number} for sample, number in zip(samples, numbers, strict=True)
        ]
    return json.dumps(fields, indent=1, ensure_ascii=False)


def _complain(parser: argparse.ArgumentParser, error: Exception, code: int) -> int:
    print(f"{parser.prog}: {error}", file=sys.stderr)
    return code


def _shown(file: str) -> str:
    return "standard input" if file == STANDARD_INPUT else file
