"""WER and its kin, edit similarity and SQuAD's scores against their peers, on sentences and on texts of four.

The script of SQuAD is on a hub, so it is written here from its description, in the plain Python that it is in.
Times are those of the processor: both sides have one thread.
"""

from __future__ import annotations

import importlib
import os
import re
import string
import time
from collections import Counter
from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Any
from unittest import mock

from corpora import LATIN
from report import Goal, Row
from timing import AnswersDiffer, Side, median_ratio, race

if TYPE_CHECKING:
    from jobs import Settings

SENTENCES = 500
LINES = 4
Texts = tuple[list[str], list[str]]


def _rows(title: str, goals: tuple[Goal, Goal], ours: Callable[[Texts], Any], theirs: Callable[[Texts], Any]) -> Any:
    """A job: the same texts for both sides, one thread, answers that are equal."""

    def job(settings: Settings) -> list[Row]:
        corpus = settings.corpus(LATIN).sample(SENTENCES)
        # A single no-break space is part of a word to jiwer, and not to `str.split`.
        sentences = _plain(corpus.references), _plain(corpus.hypotheses)
        joined = _joined(sentences[0]), _joined(sentences[1])
        rows = []
        with mock.patch.dict(os.environ, {"TRUEBLEU_THREADS": "1"}):
            for kind, goal, texts in zip(("sentences", "texts"), goals, (sentences, joined), strict=True):
                sides = [Side(partial(ours, texts)), Side(partial(theirs, texts))]
                race_of = race(sides, settings.duel_rounds, _assert_equal, time.process_time)
                own, peer = (timing.micros(len(texts[0])) for timing in race_of)
                ratio, median = peer.best / own.best, median_ratio(peer, own)
                name = f"{title}, {kind}"
                rows.append(Row(name, goal, ratio, median, own.best, peer.best, f"{len(texts[0]):,}"))
        return rows

    return job


def _plain(lines: list[str]) -> list[str]:
    return [" ".join(line.split()) for line in lines]


def _joined(lines: list[str]) -> list[str]:
    return [" ".join(lines[at : at + LINES]) for at in range(0, len(lines), LINES)]


def _assert_equal(ours: Any, theirs: Any) -> None:
    if ours != theirs:
        raise AnswersDiffer(f"{str(ours)[:200]} here, {str(theirs)[:200]} there")


def _words(module: str, texts: Texts) -> tuple[Any, ...]:
    output = importlib.import_module(module).process_words(*texts)
    return output.wer, output.mer, output.wil, output.wip, output.hits, output.substitutions, output.deletions


def _characters(module: str, texts: Texts) -> float:
    return float(importlib.import_module(module).cer(*texts))


def _word_errors(texts: Texts) -> int:
    score = importlib.import_module("truebleu.metrics").WER().corpus_score(texts[1], [texts[0]])
    return int(score.substitutions + score.deletions + score.insertions)


def _word_distances(texts: Texts) -> int:
    distance = importlib.import_module("rapidfuzz.distance").Levenshtein.distance
    return sum(distance(theirs.split(), ours.split()) for theirs, ours in zip(*texts, strict=True))


def _similarities(texts: Texts) -> list[float]:
    metric = importlib.import_module("truebleu.metrics").EditSimilarity()
    return list(metric.sentence_scores(texts[1], [texts[0]]).tolist())


def _rapidfuzz_similarities(texts: Texts) -> list[float]:
    similarity = importlib.import_module("rapidfuzz.distance").Levenshtein.normalized_similarity
    return [100.0 * similarity(theirs, ours) for theirs, ours in zip(*texts, strict=True)]


@cache
def _glossary(references: tuple[str, ...]) -> dict[str, str]:
    """Five hundred frequent words, which are their own translations."""
    words = Counter(word for text in references for word in re.findall(r"[^\W\d_]{5,}", text.lower()))
    return {word: word for word, _ in words.most_common(500)}


@cache
def _term_metric(references: tuple[str, ...]) -> Any:
    """The metric, whose glossary is read once, as the other side compiles its patterns once."""
    kind = importlib.import_module("truebleu.metrics").Terms
    return kind(_glossary(references), like="wmt26-surface", sources=references)


def _terms(texts: Texts) -> tuple[int, int]:
    score = _term_metric(tuple(texts[0])).corpus_score(texts[1], None)
    return score.found, score.wanted


@cache
def _patterns(references: tuple[str, ...]) -> list[re.Pattern[str]]:
    return [re.compile(rf"(?<!\w){re.escape(word)}(?!\w)") for word in _glossary(references)]


def _python_terms(texts: Texts) -> tuple[int, int]:
    """The rule of WMT26 without lemmas: words with nothing beside them, each occurrence by itself."""
    patterns = _patterns(tuple(texts[0]))
    found = wanted = 0
    for source, output in zip(*(map(str.lower, one) for one in texts), strict=True):
        for pattern in patterns:
            times = len(pattern.findall(source))
            wanted += times
            found += times * bool(times and pattern.search(output))
    return found, wanted


@cache
def _questions(texts: tuple[tuple[str, ...], ...]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Predictions and references as evaluate's `squad` takes them; nobody is timed making them."""
    references = [{"id": str(at), "answers": {"text": [text]}} for at, text in enumerate(texts[0])]
    return [{"id": str(at), "prediction_text": text} for at, text in enumerate(texts[1])], references


def _squad(texts: Texts) -> dict[str, float]:
    predictions, references = _questions((tuple(texts[0]), tuple(texts[1])))
    metric = importlib.import_module("truebleu.evaluate").load("squad")
    return dict(metric.compute(predictions=predictions, references=references))


def _python_squad(texts: Texts) -> dict[str, float]:
    predictions, references = _questions((tuple(texts[0]), tuple(texts[1])))
    by_id = {one["id"]: one["prediction_text"] for one in predictions}
    exact, f1 = 0.0, 0.0
    for one in references:
        ours = by_id[one["id"]]
        exact += max(_answer(ours) == _answer(text) for text in one["answers"]["text"])
        f1 += max(_f1(_answer(ours).split(), _answer(text).split()) for text in one["answers"]["text"])
    return {"exact_match": 100.0 * exact / len(references), "f1": 100.0 * f1 / len(references)}


def _answer(text: str) -> str:
    marks = set(string.punctuation)
    plain = "".join(c for c in text.lower() if c not in marks)
    return " ".join(re.sub(r"\b(?:a|an|the)\b", " ", plain).split())


def _f1(ours: list[str], theirs: list[str]) -> float:
    shared = (Counter(ours) & Counter(theirs)).total()
    if not shared:
        return 0
    precision, recall = shared / len(ours), shared / len(theirs)
    return (2 * precision * recall) / (precision + recall)


def _both(must: float, aim: float) -> tuple[Goal, Goal]:
    return Goal(must, aim), Goal(must, aim)


JOBS: dict[str, Callable[[Settings], list[Row]]] = {
    "jiwer-words": _rows(
        "`process_words` against jiwer", _both(10, 25), partial(_words, "truebleu.jiwer"), partial(_words, "jiwer")
    ),
    "jiwer-cer": _rows(
        "`cer` against jiwer", _both(12, 25), partial(_characters, "truebleu.jiwer"), partial(_characters, "jiwer")
    ),
    "word-distance": _rows(
        "WER against RapidFuzz's distance of `str.split`", _both(1, 2.5), _word_errors, _word_distances
    ),
    "edit-similarity": _rows(
        "edit similarity against RapidFuzz", _both(0.5, 1), _similarities, _rapidfuzz_similarities
    ),
    "terms": _rows("terms of a glossary of 500 against plain Python", _both(50, 100), _terms, _python_terms),
    "squad": _rows("exact match and F1 against SQuAD's script", _both(25, 50), _squad, _python_squad),
}
