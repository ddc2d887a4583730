"""`truebleu self-bleu`: how alike the lines of a file are to each other."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from truebleu._counts import number_of
from truebleu._options import MOST_DECIMALS
from truebleu._shown import json_text, shown
from truebleu._textio import read_text, split_lines
from truebleu.cli.flags import INPUT, Section, chosen, formats, metric_flags, metric_name
from truebleu.cli.inputs import STDIN, encodings_of, read_standard_input, warn_of_name
from truebleu.cli.main import IDLE_WITHOUT, Command, UsageError
from truebleu.cli.progress import Progress
from truebleu.diversity import DEFINITIONS, SelfScore, self_bleu
from truebleu.errors import EmptyCorpus, TooFew
from truebleu.metrics.names import made
from truebleu.metrics.options import flag, switch
from truebleu.metrics.registry import METRICS

STANDARD_INPUT = "-"


class NumberedLine(NamedTuple):
    """A line of the input, and its number from 1."""

    line: int
    text: str


def _score(args: argparse.Namespace) -> int:
    from truebleu.cli.request import metric_options, refuse_foreign_flags

    name, is_bleu = args.metric, args.metric == "bleu"
    tokenizes = any(flag.option == "tokenize" for flag in METRICS[name.upper()].flags)
    if (args.order is not None and not is_bleu) or (args.tokenize is not None and not tokenizes):
        raise UsageError(f"-tok and --order are options of BLEU, the metric is {name}")
    refuse_foreign_flags(args, name, shared=("lowercase",))
    options = metric_options(args, name, lowercase=args.lowercase or None)
    if is_bleu and args.order is not None:
        options["max_ngram_order"] = args.order
    if is_bleu and args.definition == "fast-bleu":
        options.setdefault("tokenize", "none")
    with Progress() as progress:
        metric = made(name, **options)
        samples = _choose(
            _read(args.file, encodings_of(args.encoding, sys=[args.file])[args.file]),
            args.sample,
            args.seed,
            _name(args.file),
        )
        with progress.step(f"self-{name}"):
            score = self_bleu((sample.text for sample in samples), metric, definition=args.definition)
    print(_as_json(score, samples, args) if args.format == "json" else _as_text(score, samples, args))
    return 0


def _whole(low: int, high: int | None = None) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not text.isdecimal() or int(text) < low or (high is not None and int(text) > high):
            to = "" if high is None else f" to {high}"
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {low}{to}")
        return int(text)

    return number


def _read(file: str, encoding: str) -> list[NumberedLine]:
    if file == STANDARD_INPUT:
        text = read_standard_input(encoding, "samples, one per line,", "a name reads a file")
    else:
        warn_of_name(file, "this command does not read fields")
        text = read_text(file, encoding)
    return [NumberedLine(number, line) for number, line in enumerate(split_lines(text), 1)]


def _choose(samples: list[NumberedLine], size: int | None, seed: int, name: str) -> list[NumberedLine]:
    if len(samples) < 2:
        lines = "one line" if samples else "no lines"
        raise EmptyCorpus(f"{name}: the input ends after {lines}, expected at least two")
    if size is None:
        return samples
    if size > len(samples):
        raise TooFew(
            f"{name} has {number_of(len(samples), 'line')}, and --sample is {size}; leave it out to score all lines"
        )
    from random import Random

    return sorted(Random(seed).sample(samples, size))


def _as_text(score: SelfScore, samples: list[NumberedLine], args: argparse.Namespace) -> str:
    width = args.width if args.width is not None else 4 if score.definition == "fast-bleu" else 2
    lines = []
    if args.per_sample:
        numbers = zip(samples, score.scores.tolist(), strict=True)
        lines = [f"{sample.line}\t{number:.{width}f}" for sample, number in numbers]
    return "\n".join([*lines, score.format(width=width, signature=str(score.signature))])


def _as_json(score: SelfScore, samples: list[NumberedLine], args: argparse.Namespace) -> str:
    fields = score.to_dict()
    numbers = fields.pop("scores")
    if args.width is not None:
        fields["score"] = round(fields["score"], args.width)
        numbers = [round(number, args.width) for number in numbers]
    if args.sample is not None:
        fields["seed"] = args.seed
    if args.per_sample:
        fields["scores"] = [
            {"line": sample.line, "score": number} for sample, number in zip(samples, numbers, strict=True)
        ]
    return json_text(fields, indent=1)


def _name(file: str) -> str:
    return STDIN if file == STANDARD_INPUT else shown(file)


_FLAGS = (
    flag(
        "file", nargs="?", default=STANDARD_INPUT, metavar="FILE",
        help="one sample per line, also compressed (default: -)",
    ),
    *chosen(INPUT, "encoding"),
    flag("--metric", "-m", default="bleu", type=metric_name, metavar="NAME", help="one metric (default: bleu)"),
    flag("--order", type=int, metavar="N", help="BLEU's longest n-grams (default: 4)"),
    flag(
        "--definition", default=DEFINITIONS[0], choices=DEFINITIONS,
        help="sacrebleu: the metric as it is; fast-bleu: NLTK's method 1, from 0 to 1, with -tok none unless given",
    ),
    flag("--sample", type=_whole(2), metavar="N", help="score N lines chosen at random"),
    flag("--seed", type=_whole(0), default=0, metavar="N", help="for --sample (default: 0)"),
    switch("--per-sample", help="show the score of each line too"),
    *formats("text", "json"),
    flag("--width", "-w", type=_whole(0, MOST_DECIMALS), metavar="N", help="decimals (default: 2, fast-bleu: 4)"),
)  # fmt: skip

COMMAND = Command(
    "truebleu self-bleu",
    (Section("", _FLAGS), partial(metric_flags, checked=False)),
    _score,
    about="The mean score of each line with all other lines as its references. High self-BLEU means that the lines "
    "repeat each other.",
    usage="[FILE] [options]",
    example="SYS -m METRIC",
    conflicts=(("--seed", IDLE_WITHOUT, "--sample", "it goes with --sample"),),
    functions=("self_bleu",),
)
