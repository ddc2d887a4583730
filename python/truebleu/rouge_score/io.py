"""Scores of files of texts as CSV, as `rouge_score.io` writes them."""

from __future__ import annotations

from glob import glob
from pathlib import Path
from typing import Any

from truebleu._atomic import write_whole
from truebleu._counts import number_of
from truebleu._inputs import brief
from truebleu._logs import warn
from truebleu._textio import read_text
from truebleu.errors import LengthMismatch, OptionError

_PARTS = {"P": "precision", "R": "recall", "F": "fmeasure"}


def compute_scores_and_write_to_csv(
    target_filepattern: str,
    prediction_filepattern: str,
    output_filename: str,
    scorer: Any,
    aggregator: Any,
    delimiter: str = "\n",
) -> None:
    """Score the texts in files: a line for each text, or for each type if there is an aggregator."""
    targets, predictions = (sorted(glob(pattern)) for pattern in (target_filepattern, prediction_filepattern))
    if len(targets) != len(predictions) or not targets:
        raise OptionError(
            f"{number_of(len(targets), 'file')} match the targets {brief(target_filepattern)} and {len(predictions)} "
            f"the predictions {brief(prediction_filepattern)}, expected the same number, and at least one"
        )
    found = [score for pair in zip(targets, predictions, strict=True) for score in _scores(*pair, scorer, delimiter)]
    if aggregator is not None:
        for score in found:
            aggregator.add_scores(score)
        rows = [["score_type", "low", "mid", "high"], *_aggregated(aggregator.aggregate())]
    elif found:
        types = sorted(found[0])
        rows = [["id", *(f"{name}-{letter}" for name in types for letter in _PARTS)]]
        for at, score in enumerate(found):
            parts = [getattr(score[name], part) for name in types for part in _PARTS.values()]
            rows.append([str(at), *map("{:f}".format, parts)])
    else:
        warn("rouge_score: the files have no texts, so nothing is written to %s", brief(output_filename))
        return
    write_whole(Path(output_filename), "".join(",".join(row) + "\n" for row in rows).encode())


def _scores(target: str, prediction: str, scorer: Any, delimiter: str) -> list[Any]:
    texts = [_records(path, delimiter) for path in (target, prediction)]
    if len(texts[0]) != len(texts[1]):
        sides = (f"{brief(path)} has {len(found)}" for path, found in zip((target, prediction), texts, strict=True))
        raise LengthMismatch(f"files must have the same number of texts: {', '.join(sides)}")
    return [scorer.score(*pair) for pair in zip(*texts, strict=True)]


def _records(path: str, delimiter: str) -> list[str]:
    if not delimiter:
        raise OptionError("delimiter is '', expected the characters between two texts")
    texts = read_text(path).replace("\r\n", "\n").replace("\r", "\n").split(delimiter)
    if not texts[-1]:
        texts.pop()
    return texts


def _aggregated(aggregates: Any) -> list[list[str]]:
    return [
        [f"{name}-{letter}", *(f"{getattr(score, _PARTS[letter]):f}" for score in aggregates[name])]
        for name in sorted(aggregates)
        for letter in "RPF"
    ]
