"""ROUGE against rouge-score: sentences, texts of four lines, all types at once, its aggregator, and a matrix.

Both sides score the same segments, and the answers must be equal to the last bit. For truebleu it is one call for all
segments, which rouge-score does not have: it scores pair by pair, as programs call it. Times are those of the
processor: both sides have one thread.
"""

from __future__ import annotations

import importlib
import random
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from corpora import LATIN, load
from report import Goal, Row
from timing import AnswersDiffer, Side, median_ratio, race

if TYPE_CHECKING:
    from jobs import Settings

SENTENCES, DOCUMENTS, LINES = 500, 100, 4
FOUR = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
# The corner of a matrix that a loop scores.
CORNER = 60
SIZE = 1000


def against_rouge_score(title: str, types: list[str], stem: bool, goals: list[Goal], settings: Settings) -> list[Row]:
    """Some types on sentences and on texts of four lines."""
    return [
        _duel(f"{title}, {kind}", types, stem, goal, texts, settings)
        for kind, goal, texts in zip(("sentences", "texts of four lines"), goals, _texts(), strict=True)
    ]


def against_aggregator(settings: Settings) -> list[Row]:
    rng = random.Random(1)
    scores = [(rng.random(), rng.random(), rng.random()) for _ in range(SIZE)]

    def aggregate(package: str) -> Any:
        scoring = importlib.import_module(f"{package}.scoring")
        collected = scoring.BootstrapAggregator()
        for score in scores:
            collected.add_scores({"rouge1": scoring.Score(*score)})
        np.random.seed(7)
        return repr(collected.aggregate())

    sides = [Side(partial(aggregate, package)) for package in ("truebleu.rouge_score", "rouge_score")]
    title = "`BootstrapAggregator` against rouge-score"
    return [_raced(title, Goal(4, 10), sides, SIZE, SIZE, settings, f"{SIZE:,} rows")]


def against_loop_of_pairs(settings: Settings) -> list[Row]:
    """The similarity filter of Self-Instruct: ROUGE-L of tokens, pair by pair."""
    corpus = load(LATIN).sample(3 * SIZE)
    rng = random.Random(SIZE)
    ours, theirs = (rng.sample(texts, SIZE) for texts in (corpus.hypotheses, corpus.references))
    scorer = importlib.import_module("rouge_score.rouge_scorer")
    tokens = scorer.RougeScorer(["rougeL"])._tokenizer.tokenize
    rows, columns = ([tokens(text) for text in texts[:CORNER]] for texts in (ours, theirs))

    def loop() -> Any:
        return np.array([[100.0 * scorer._score_lcs(one, other).fmeasure for one in columns] for other in rows])

    def matrix() -> Any:
        return importlib.import_module("truebleu").ROUGE("L").pairwise(ours, theirs, threads=1)[:CORNER, :CORNER]

    sides = [Side(matrix), Side(loop)]
    size = f"{SIZE:,} × {SIZE:,} pairs"
    return [_raced("ROUGE-L matrix against a loop", Goal(500, 2000), sides, SIZE**2, CORNER**2, settings, size)]


def _duel(
    title: str, types: list[str], stem: bool, goal: Goal, texts: tuple[list[str], list[str]], settings: Settings
) -> Row:
    predictions, targets = texts
    ours = importlib.import_module("truebleu.rouge_score").RougeScorer(types, use_stemmer=stem)
    theirs = importlib.import_module("rouge_score.rouge_scorer").RougeScorer(types, use_stemmer=stem)

    def batch() -> Any:
        found = ours.score_batch(targets, predictions, threads=1)
        return np.array([found[name] for name in types]).transpose(2, 0, 1)

    def loop() -> Any:
        pairs = zip(targets, predictions, strict=True)
        return np.array([[tuple(score[name]) for name in types] for score in (theirs.score(*pair) for pair in pairs)])

    return _raced(title, goal, [Side(batch), Side(loop)], len(targets), len(targets), settings, f"{len(targets):,}")


def _raced(title: str, goal: Goal, sides: list[Side], ours: int, theirs: int, settings: Settings, size: str) -> Row:
    def check(mine: Any, other: Any) -> None:
        if not (np.array_equal(mine, other) if isinstance(mine, np.ndarray) else mine == other):
            raise AnswersDiffer(f"{title}: the answers differ")

    mine, peer = race(sides, settings.duel_rounds, check, time.process_time)
    mine, peer = mine.micros(ours), peer.micros(theirs)
    return Row(title, goal, peer.best / mine.best, median_ratio(peer, mine), mine.best, peer.best, size)


def _texts() -> tuple[tuple[list[str], list[str]], tuple[list[str], list[str]]]:
    """Sentences, and texts of four lines: predictions and targets."""
    corpus = load(LATIN).sample(max(SENTENCES, DOCUMENTS * LINES))
    sides = corpus.hypotheses, corpus.references
    starts = range(0, DOCUMENTS * LINES, LINES)
    sentences = tuple(side[:SENTENCES] for side in sides)
    documents = tuple(["\n".join(side[at : at + LINES]) for at in starts] for side in sides)
    return sentences, documents  # type: ignore[return-value]


def _job(title: str, types: list[str], stem: bool, *goals: Goal) -> Callable[[Settings], list[Row]]:
    return partial(against_rouge_score, title, types, stem, [goals[0], goals[-1]])


JOBS: dict[str, Callable[[Settings], list[Row]]] = {
    "rouge1": _job("ROUGE-1", ["rouge1"], False, Goal(25, 50)),
    "rouge2": _job("ROUGE-2", ["rouge2"], False, Goal(25, 50)),
    "rougeL": _job("ROUGE-L", ["rougeL"], False, Goal(60, 120), Goal(180, 400)),
    "rougeLsum": _job("ROUGE-Lsum", ["rougeLsum"], False, Goal(60, 120), Goal(120, 250)),
    "rouge-four": _job("ROUGE-1, 2, L and Lsum", FOUR, False, Goal(100, 200), Goal(200, 450)),
    "rouge-stems": _job("the same with stems", FOUR, True, Goal(200, 400), Goal(300, 700)),
    "rouge-aggregator": against_aggregator,
    "rouge-matrix": against_loop_of_pairs,
}
