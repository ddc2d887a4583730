"""METEOR against NLTK, which is given tokens, and against what evaluate does with texts.

Answers must be equal to the last bit. NLTK needs its corpus `wordnet`, and evaluate's words need `punkt_tab` too, both
where `nltk.data` looks for them; truebleu takes the same model of sentences from its store. Times are those of the
processor: both sides have one thread, and NLTK has read its corpus before.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from corpora import LATIN, generate, read, wmt22_folder
from report import Goal, Row
from timing import AnswersDiffer, Side, median_ratio, race

if TYPE_CHECKING:
    from jobs import Settings

SEGMENTS = 1_448


def with_tokens(settings: Settings) -> list[Row]:
    title, goal = "`nltk.meteor_score` against NLTK, tokens", Goal(40)
    sides = map(_scores_of_tokens, ("truebleu.nltk", "nltk.translate"))
    return _row(title, goal, settings, ["corpora/wordnet"], *sides)


def with_texts(settings: Settings) -> list[Row]:
    title, goal = "evaluate's `meteor`, texts", Goal(60)
    needed = ["corpora/wordnet", "tokenizers/punkt_tab/english"]
    return _row(title, goal, settings, needed, partial(_evaluate, "nltk"), partial(_script, "word_tokenize"))


def without_sentences(settings: Settings) -> list[Row]:
    title, goal = "evaluate's `meteor` without sentences, texts", Goal(60)
    needed = ["corpora/wordnet"]
    return _row(title, goal, settings, needed, partial(_evaluate, "nltk-words"), partial(_script, "NLTKWordTokenizer"))


def _row(
    title: str, goal: Goal, settings: Settings, needed: list[str], ours: Callable[..., Any], theirs: Callable[..., Any]
) -> list[Row]:
    """One row, or what is missing on NLTK's side."""
    find = importlib.import_module("nltk.data").find
    for path in needed:
        try:
            find(path)
        except LookupError:
            return [Row(title, goal, None, note=f"NLTK's {path} is not installed")]
    # Each side has its own texts, so that they share nothing that is kept with a string.
    sides = [Side(partial(call, *_texts())) for call in (ours, theirs)]
    mine, other = (one.micros(SEGMENTS) for one in race(sides, settings.rounds, _check, time.process_time))
    ratio, median = other.best / mine.best, median_ratio(other, mine)
    return [Row(title, goal, ratio, median, mine.best, other.best, f"{SEGMENTS:,}")]


def _texts() -> tuple[list[str], list[str]]:
    """The first Czech-English system of WMT22 and its reference; generated text where they are not at hand."""
    folder = wmt22_folder()
    if folder is None:
        corpus = generate(LATIN)
        return corpus.hypotheses[:SEGMENTS], corpus.references[:SEGMENTS]
    system = min(folder.glob("system-outputs/*.cs-en.hyp.*"))
    reference = min(folder.glob("references/*.cs-en.ref.B.*"))
    return read(system)[:SEGMENTS], read(reference)[:SEGMENTS]


def _check(mine: Any, other: Any) -> None:
    if mine != other:
        raise AnswersDiffer(f"{mine!r} here, {other!r} there")


def _scores_of_tokens(package: str) -> Callable[[list[str], list[str]], list[float]]:
    """A function that splits its texts in its first call, which is not timed, and scores their words in each."""
    score = importlib.import_module(f"{package}.meteor_score").meteor_score
    pairs: list[tuple[list[list[str]], list[str]]] = []

    def call(hypotheses: list[str], references: list[str]) -> list[float]:
        if not pairs:
            pairs.extend(([theirs.split()], ours.split()) for ours, theirs in zip(hypotheses, references, strict=True))
        return [score(*pair) for pair in pairs]

    return call


def _evaluate(tokenizer: str, hypotheses: list[str], references: list[str]) -> float:
    module = importlib.import_module("truebleu.evaluate").load("meteor")
    return float(module.compute(predictions=hypotheses, references=references, tokenizer=tokenizer)["meteor"])


def _script(tokenizer: str, hypotheses: list[str], references: list[str]) -> float:
    """What evaluate's script computes, which is on a hub: the mean of NLTK's scores of NLTK's words."""
    nltk = importlib.import_module("nltk.tokenize")
    words = nltk.word_tokenize if tokenizer == "word_tokenize" else nltk.NLTKWordTokenizer().tokenize
    score = importlib.import_module("nltk.translate.meteor_score").single_meteor_score
    pairs = zip(hypotheses, references, strict=True)
    return float(np.mean([score(words(reference), words(text)) for text, reference in pairs]))


JOBS = {"meteor-tokens": with_tokens, "meteor-texts": with_texts, "meteor-words": without_sentences}
