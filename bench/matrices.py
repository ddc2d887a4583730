"""Score matrices, minimum-Bayes-risk decoding and self-BLEU, per pair or per sample.

sacreBLEU would take many minutes for a matrix, so it scores a corner of it. Its tokenizers remember lines, and in a
whole matrix nearly every line would be found remembered. So it runs the corner once before it is timed, and its
caches are kept.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from corpora import LATIN, Corpus, load
from report import Goal, Row
from timing import AnswersDiffer, Side, Timing, median_ratio, race

if TYPE_CHECKING:
    from jobs import Settings

# The corner of a matrix that sacreBLEU scores, and the samples it takes for self-BLEU.
CORNER = 40
GUIDE_SAMPLES = 6
TOLERANCE = 1e-9
# fast-bleu keeps weights in 32 bits.
FAST_BLEU_TOLERANCE = 1e-6
CANDIDATES = 64


def against_loop(title: str, metric: str, options: dict[str, Any], must: float, settings: Settings) -> list[Row]:
    """A matrix against a loop of sacreBLEU's `sentence_score` over a corner of it."""
    hypotheses, references = _texts(settings.matrix)
    size = len(hypotheses)
    theirs = partial(_sacrebleu_matrix, metric, options, hypotheses[:CORNER], references[:CORNER])
    sides = [Side(partial(_matrix, metric, options, hypotheses, references)), Side(theirs)]

    def check(ours: Any, corner: Any) -> None:
        if not np.array_equal(ours[:CORNER, :CORNER], corner):
            raise AnswersDiffer(f"{title}: {np.count_nonzero(ours[:CORNER, :CORNER] != corner)} cells differ")

    ours, peer = race(sides, settings.duel_rounds, check)
    return [_row(title, Goal(must), ours.micros(size**2), peer.micros(CORNER**2), _square(size))]


def against_fastchrf_matrix(settings: Settings) -> list[Row]:
    hypotheses, references = _texts(settings.matrix)
    size = len(hypotheses)
    fastchrf = importlib.import_module("fastchrf")
    theirs = partial(fastchrf.pairwise_chrf, [_copy(hypotheses)], [_copy(references)])
    sides = [Side(partial(_matrix, "CHRF", {}, hypotheses, references)), Side(theirs)]
    ours, peer = race(sides, 1, lambda ours, peer: _assert_close(ours, np.array(peer[0]), TOLERANCE))
    title = "chrF matrix against fastchrf"
    return [_row(title, Goal(5), ours.micros(size**2), peer.micros(size**2), _square(size))]


def against_fastchrf_mbr(settings: Settings) -> list[Row]:
    """Decoding from many small lists of candidates, exactly and with the mean of references."""
    texts = _texts(settings.matrix)[0]
    batches = [texts[at : at + CANDIDATES] for at in range(0, len(texts) - CANDIDATES + 1, CANDIDATES)]
    return [_mbr_row(batches, aggregate, settings) for aggregate in (False, True)]


def against_guide(settings: Settings) -> list[Row]:
    """Self-BLEU against the practical guide's loop, with references in the shape it means."""
    samples = _distinct(settings.samples)
    chosen = [at * len(samples) // GUIDE_SAMPLES for at in range(GUIDE_SAMPLES)]
    sides = [Side(partial(_self_bleu, samples)), Side(partial(_guide, samples, chosen))]

    def check(ours: Any, theirs: Any) -> None:
        if ours.scores[chosen].tolist() != theirs:
            raise AnswersDiffer(f"self-BLEU: {ours.scores[chosen].tolist()} is not {theirs}")

    ours, peer = race(sides, settings.duel_rounds, check)
    title = "self-BLEU against the loop over sacreBLEU"
    return [_row(title, Goal(1000), ours.micros(len(samples)), peer.micros(GUIDE_SAMPLES), f"{len(samples):,}")]


def against_fast_bleu(settings: Settings) -> list[Row]:
    samples = _distinct(settings.samples)
    tokens = [text.split() for text in _copy(samples)]
    fast_bleu = importlib.import_module("fast_bleu")

    def theirs() -> Any:
        return np.array(fast_bleu.SelfBLEU(tokens, {4: (0.25,) * 4}).get_score()[4])

    def check(ours: Any, peer: Any) -> None:
        _assert_close(ours.scores, peer, FAST_BLEU_TOLERANCE)

    sides = [Side(partial(_self_bleu, samples, definition="fast-bleu")), Side(theirs)]
    ours, peer = race(sides, settings.duel_rounds, check)
    title = "self-BLEU by fast-bleu's definition, against it"
    return [_row(title, Goal(10), ours.micros(len(samples)), peer.micros(len(samples)), f"{len(samples):,}")]


JOBS: dict[str, Callable[[Settings], list[Row]]] = {
    "bleu-matrix": partial(against_loop, "BLEU matrix", "BLEU", {"effective_order": True}, 200),
    "chrf-matrix": partial(against_loop, "chrF matrix", "CHRF", {}, 300),
    "ter-matrix": partial(against_loop, "TER matrix", "TER", {}, 300),
    "fastchrf-matrix": against_fastchrf_matrix,
    "fastchrf-mbr": against_fastchrf_mbr,
    "self-bleu": against_guide,
    "fast-bleu": against_fast_bleu,
}


def _texts(size: int) -> tuple[list[str], list[str]]:
    """Hypotheses and references of different lines, mixed."""
    corpus: Corpus = load(LATIN).sample(3 * size)
    rng = random.Random(size)
    return tuple(rng.sample(texts, size) for texts in (corpus.hypotheses, corpus.references))  # type: ignore[return-value]


def _distinct(size: int) -> list[str]:
    return random.Random(size).sample(sorted(set(load(LATIN).sample(15 * size).hypotheses)), size)


def _copy(texts: Sequence[str]) -> list[str]:
    return [text.encode("utf-8", "surrogatepass").decode("utf-8", "surrogatepass") for text in texts]


def _matrix(metric: str, options: dict[str, Any], hypotheses: list[str], references: list[str]) -> Any:
    scorer = getattr(importlib.import_module("truebleu.metrics"), metric)(**options)
    return scorer.pairwise(hypotheses, references, threads=1)


def _sacrebleu_matrix(metric: str, options: dict[str, Any], hypotheses: list[str], references: list[str]) -> Any:
    score = getattr(importlib.import_module("sacrebleu.metrics"), metric)(**options).sentence_score
    return np.array([[score(hypothesis, [reference]).score for reference in references] for hypothesis in hypotheses])


def _self_bleu(samples: list[str], definition: str = "sacrebleu") -> Any:
    return importlib.import_module("truebleu").self_bleu(samples, definition=definition, threads=1)


def _guide(samples: list[str], chosen: list[int]) -> list[float]:
    corpus_bleu = importlib.import_module("sacrebleu").corpus_bleu
    others = ([[text] for text in samples[:at] + samples[at + 1 :]] for at in chosen)
    return [corpus_bleu([samples[at]], references).score for at, references in zip(chosen, others, strict=True)]


def _mbr_row(batches: list[list[str]], aggregate: bool, settings: Settings) -> Row:
    fastchrf = importlib.import_module("fastchrf")
    chrf = importlib.import_module("truebleu.metrics").CHRF()
    copies = [_copy(batch) for batch in batches]
    decode = fastchrf.aggregate_chrf if aggregate else fastchrf.pairwise_chrf
    sides = [Side(partial(chrf.mbr, batches, aggregate=aggregate, threads=1)), Side(partial(decode, copies, copies))]

    def check(ours: Any, peer: Any) -> None:
        expected = np.array(peer) if aggregate else np.array(peer).mean(axis=2)
        _assert_close(np.array([result.scores for result in ours]), expected, TOLERANCE)

    ours, peer = race(sides, settings.duel_rounds, check)
    title = f"chrF decoding{', references put together,' if aggregate else ''} against fastchrf"
    count = len(batches) * CANDIDATES
    return _row(title, Goal(5), ours.micros(count), peer.micros(count), f"{len(batches)} × {CANDIDATES} candidates")


def _row(title: str, goal: Goal, ours: Timing, peer: Timing, size: str) -> Row:
    return Row(title, goal, peer.best / ours.best, median_ratio(peer, ours), ours.best, peer.best, size)


def _square(size: int) -> str:
    return f"{size:,} × {size:,} pairs"


def _assert_close(ours: Any, peer: Any, tolerance: float) -> None:
    difference = float(np.abs(ours - peer).max())
    if not difference <= tolerance:
        raise AnswersDiffer(f"scores differ by {difference}, more than {tolerance}")
