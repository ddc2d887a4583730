"""Stands in for `truebleu.metrics.options` and `truebleu.significance.tests` until they are merged; then it goes."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from truebleu.metrics import METRICS as _CLASSES
from truebleu.metrics.base import Metric
from truebleu.metrics.bleu import BLEU, METHOD_DEFAULTS
from truebleu.tokenizers.registry import TOKENIZERS

METRICS: dict[str, Any] = _CLASSES


class Flag(NamedTuple):
    """One argument of a command; `settings` go to argparse as they are."""

    names: tuple[str, ...]
    help: str
    settings: Mapping[str, Any]
    option: str = ""

    @property
    def dest(self) -> str:
        """The attribute that argparse keeps the value in."""
        named = str(self.settings.get("dest", "")) or next((name for name in self.names if name[:2] == "--"), "")
        return (named or self.names[0]).lstrip("-").replace("-", "_")


def flag(*names: str, help: str, option: str = "", **settings: Any) -> Flag:
    """Declare a flag."""
    return Flag(names, help, settings, option)


def switch(*names: str, help: str, option: str = "", **settings: Any) -> Flag:
    """Declare a flag without a value."""
    return Flag(names, help, {"action": "store_true", **settings}, option)


class Test(NamedTuple):
    """A significance test."""

    name: str
    title: str
    default: int
    explanation: tuple[str, ...]


TESTS = {
    test.name: test
    for test in (
        Test(
            "bs",
            "Paired bootstrap resampling test with {} resampling trials",
            1000,
            (
                "It draws segments with replacement; p is how often the difference, centred on its mean,",
                "is larger than the real one.",
            ),
        ),
        Test(
            "ar",
            "Paired approximate randomization test with {} trials",
            10000,
            (
                "It shuffles the outputs of both systems segment by segment; p is how often chance then",
                "makes a difference larger than the real one.",
            ),
        ),
        Test(
            "bs2",
            "Two-sided paired bootstrap test with {} resampling trials",
            1000,
            (
                "It draws segments with replacement; p is how often the difference strays from its mean",
                "as far as the real one is from 0.",
            ),
        ),
        Test(
            "sign",
            "Segment replacement sign test",
            0,
            (
                "It puts the system's segments into the baseline, one at a time, and counts those that raise",
                "and lower its score; p is the chance of counts at least as uneven if both were equally likely.",
            ),
        ),
    )
}

_TOKENIZE = flag(
    "--tokenize",
    "-tok",
    option="tokenize",
    choices=tuple(TOKENIZERS),
    metavar="NAME",
    help=f"{', '.join(TOKENIZERS)} (default: by target language zh, ja-mecab or ko-mecab, else 13a)",
)
_LOWERCASE = switch("--lowercase", "-lc", option="lowercase", help="ignore case")
_FLAGS = {
    "BLEU": (
        flag(
            "--smooth-method",
            "-s",
            option="smooth_method",
            choices=(*BLEU.SMOOTH_DEFAULTS, *METHOD_DEFAULTS),
            metavar="NAME",
            help="exp (default), floor, add-k, none; method0 to method7: Chen and Cherry's",
        ),
        flag(
            "--smooth-value",
            "-sv",
            option="smooth_value",
            type=float,
            metavar="X",
            help="default: 0.1 for floor, 1 for add-k",
        ),
        _TOKENIZE,
        _LOWERCASE,
        switch("--force", option="force", help="do not warn about text that seems to be tokenized already"),
    ),
    "CHRF": (
        flag(
            "--chrf-char-order",
            "-cc",
            option="char_order",
            type=int,
            metavar="N",
            help="longest character n-grams (default: 6)",
        ),
        flag(
            "--chrf-word-order",
            "-cw",
            option="word_order",
            type=int,
            metavar="N",
            help="longest word n-grams; 2 is chrF++ (default: 0)",
        ),
        flag("--chrf-beta", option="beta", type=int, metavar="N", help="weight of recall (default: 2)"),
        switch("--chrf-whitespace", option="whitespace", help="count white space as characters"),
        switch("--chrf-lowercase", option="lowercase", help="ignore case"),
        switch("--chrf-eps-smoothing", option="eps_smoothing", help="smooth as chrF++.py and NLTK do"),
    ),
    "TER": (
        switch("--ter-case-sensitive", option="case_sensitive", help="do not ignore case"),
        switch("--ter-asian-support", option="asian_support", help="split ideographs; goes with --ter-normalized"),
        switch("--ter-no-punct", option="no_punct", help="drop punctuation"),
        switch("--ter-normalized", option="normalized", help="separate punctuation from words"),
    ),
    "GLEU": (
        _TOKENIZE,
        _LOWERCASE,
        flag("--gleu-min-len", option="min_len", type=int, metavar="N", help="shortest n-grams (default: 1)"),
        flag("--gleu-max-len", option="max_len", type=int, metavar="N", help="longest n-grams (default: 4)"),
    ),
}
_TITLES = {"BLEU": "BLEU (tokenizer and case: also Google BLEU)", "CHRF": "chrF", "TER": "TER", "GLEU": "Google BLEU"}
for _name, _class in METRICS.items():
    if not hasattr(_class, "flags"):
        _class.title, _class.flags = _TITLES[_name], _FLAGS[_name]


# `seed=` of `corpus_score` and `PairedTest`.


@contextmanager
def _environment(seed: str | None) -> Iterator[None]:
    before = os.environ.get("SACREBLEU_SEED")
    if seed is not None:
        os.environ["SACREBLEU_SEED"] = seed
    try:
        yield
    finally:
        os.environ.pop("SACREBLEU_SEED", None)
        if before is not None:
            os.environ["SACREBLEU_SEED"] = before


_corpus_score = Metric.corpus_score
if "seed" not in inspect.signature(_corpus_score).parameters:

    def _seeded(self: Any, *args: Any, seed: str | None = None, **options: Any) -> Any:
        with _environment(seed):
            return _corpus_score(self, *args, **options)

    Metric.corpus_score = _seeded  # type: ignore[method-assign]


def paired_test(*args: Any, seed: str | None, **options: Any) -> Any:
    """Make a PairedTest that draws from a seed."""
    from truebleu.significance.paired import PairedTest

    class Seeded(PairedTest):
        def __call__(self) -> Any:
            with _environment(seed):
                return super().__call__()

    return Seeded(*args, **options)
