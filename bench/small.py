"""Calls of one pair, as loops make them: what stands around the counting is nearly all of their time.

sacreBLEU keeps the tokens of the last lines, and finds its pair tokenized in each call but the first: that is how a
loop over samples with few references sees it, and it is left alone here.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import contestants
import truebleu
from report import Goal, Row
from timing import AnswersDiffer, Side, median_ratio, race

if TYPE_CHECKING:
    from jobs import Settings

HYPOTHESIS = "The cat sat quietly on the old mat near the window."
REFERENCE = "The cat sat calmly on the old mat by the window now."
PAIR = [HYPOTHESIS], [[REFERENCE]]
TOLERANCE = 1e-9  # of bleuscore, as in jobs.py


class SmallCall(NamedTuple):
    """A call of ours, that of a peer, and how many times as fast ours must be."""

    title: str
    goal: Goal
    ours: Callable[[], Any]
    peer: Callable[[], Any]


def _score(answer: Any) -> float:
    """The number of an answer, whatever its kind."""
    if isinstance(answer, dict):
        return 100.0 * float(answer["bleu"])
    return float(answer[0] if hasattr(answer, "__len__") else answer.score)


def _updated(total: truebleu.Accumulator[Any]) -> Any:
    """Count the pair once more. The mean of equal pairs is the score of one, so that it can be compared."""
    total.update(*PAIR)
    return total


def calls() -> list[SmallCall]:
    """The calls of small ones against sacreBLEU's and bleuscore's."""
    peer = importlib.import_module("sacrebleu")
    ours, theirs = ((one.BLEU(effective_order=True), one.CHRF()) for one in (truebleu, peer))
    (bleu, chrf), (their_bleu, their_chrf) = ours, theirs
    plain, their_plain = truebleu.BLEU(), peer.BLEU()
    corpus, sentence = partial(peer.corpus_bleu, *PAIR), (HYPOTHESIS, [REFERENCE])
    their_sentence = partial(their_bleu.sentence_score, *sentence)
    bleuscore = partial(contestants.bleuscore_corpus, PAIR[0], PAIR[1])
    return [
        SmallCall("`corpus_bleu` of one pair", Goal(7.5, 12), partial(truebleu.corpus_bleu, *PAIR), corpus),
        SmallCall("the same against bleuscore", Goal(0.7, 1.1), partial(truebleu.corpus_bleu, *PAIR), bleuscore),
        SmallCall(
            "`sentence_bleu`",
            Goal(9, 16),
            partial(truebleu.sentence_bleu, *sentence),
            partial(peer.sentence_bleu, *sentence),
        ),
        SmallCall(
            "`sentence_chrf`",
            Goal(19.5, 35),
            partial(truebleu.sentence_chrf, *sentence),
            partial(peer.sentence_chrf, *sentence),
        ),
        SmallCall(
            "`BLEU().corpus_score`, object kept",
            Goal(5.4, 8.6),
            partial(plain.corpus_score, *PAIR),
            partial(their_plain.corpus_score, *PAIR),
        ),
        SmallCall(
            "BLEU `sentence_score`, kept", Goal(7.2, 11), partial(bleu.sentence_score, *sentence), their_sentence
        ),
        SmallCall("BLEU `sentence_scores` of one", Goal(8.6, 14), partial(bleu.sentence_scores, *PAIR), their_sentence),
        SmallCall(
            "chrF `sentence_scores` of one",
            Goal(35, 58),
            partial(chrf.sentence_scores, *PAIR),
            partial(their_chrf.sentence_score, *sentence),
        ),
        SmallCall(
            "`Accumulator.update` of one pair against `corpus_bleu`",
            Goal(14, 21),
            partial(_updated, truebleu.Accumulator(plain)),
            corpus,
        ),
    ]


def small_calls(settings: Settings) -> list[Row]:
    """Race one pair, in time of the processor."""
    return [_row(one, settings, 1) for one in calls()]


def torch_update(settings: Settings) -> list[Row]:
    """Race an update of eight pairs in `truebleu.torch` against sacreBLEU's call for one, and against torchmetrics.

    The musts are those of the first measurement: 60 µs beside the 83 of sacreBLEU's call. That of torchmetrics took
    30,942 µs there and takes 2,100 with its release 1.4, so that there is nothing to hold to.
    """
    theirs = importlib.import_module("torchmetrics.text").SacreBLEUScore()  # says which library is missing
    peer = importlib.import_module("sacrebleu")
    ours = importlib.import_module("truebleu.torch").BLEU()
    texts, references = PAIR[0] * 8, PAIR[1] * 8

    def update(metric: Any) -> Any:
        metric.update(texts, references)
        return metric

    title, mine = "`truebleu.torch` update of 8 pairs", partial(update, ours)
    one = SmallCall(f"{title} against `corpus_bleu` of one", Goal(1.4, 2.1), mine, partial(peer.corpus_bleu, *PAIR))
    other = SmallCall(f"{title} against torchmetrics", Goal(None), mine, partial(update, theirs))
    return [
        _row(one, settings, 1, lambda mine, score: _assert_near(mine.compute(), score.score, TOLERANCE)),
        _row(other, settings, 8, lambda mine, theirs: _assert_near(mine.compute(), 100 * theirs.compute(), 1e-4)),
    ]


def _row(call: SmallCall, settings: Settings, pairs: int, check: Callable[[Any, Any], None] | None = None) -> Row:
    sides = [Side(call.ours), Side(call.peer)]
    ours, theirs = race(sides, 3 * settings.rounds, check or _assert_same, time.process_time)
    mine, other = (timing.micros(pairs).best for timing in (ours, theirs))
    return Row(call.title, call.goal, theirs.best / ours.best, median_ratio(theirs, ours), mine, other, f"{pairs}")


def _assert_same(mine: Any, other: Any) -> None:
    mine = mine.compute() if isinstance(mine, truebleu.Accumulator) else mine
    _assert_near(_score(mine), _score(other), TOLERANCE if isinstance(other, dict) else 0.0)


def _assert_near(mine: float, other: float, tolerance: float) -> None:
    if not abs(mine - other) <= tolerance:
        raise AnswersDiffer(f"{mine!r} is not {other!r}")


JOBS: dict[str, Callable[[Settings], list[Row]]] = {"small-calls": small_calls, "small-torch": torch_update}
