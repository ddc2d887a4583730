"""Segment scores from elsewhere, one number a line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from truebleu._textio import read_lines
from truebleu.cli.request import ExternalChoice, UsageError
from truebleu.errors import FileFormatError, LengthMismatch

if TYPE_CHECKING:
    from truebleu.metrics.external import ExternalMetric

# For each system, the scores of each of its runs.
Scores = list[list[list[float]]]


def external_metrics(
    choices: Sequence[ExternalChoice], systems: int, runs: int, segments: int
) -> list[tuple[ExternalMetric, Scores]]:
    """A metric for each choice, with its scores by system and run."""
    from truebleu.metrics.external import ExternalMetric

    found = []
    for choice in choices:
        if len(choice.paths) != systems * runs:
            raise UsageError(f"--external {choice.name} has {len(choice.paths)} files, expected {systems * runs}")
        scores = [_read_scores(path, segments) for path in choice.paths]
        by_system = [scores[at * runs : (at + 1) * runs] for at in range(systems)]
        found.append((ExternalMetric(choice.name), by_system))
    return found


def _read_scores(path: str, segments: int) -> list[float]:
    lines = read_lines(path)
    if len(lines) != segments:
        raise LengthMismatch(f"{path} has {len(lines)} scores, the systems have {segments} segments")
    return [_number(text, path, number) for number, text in enumerate(lines, 1)]


def _number(text: str, path: str, line: int) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise FileFormatError(f"{path}, line {line}: found {text!r}, expected a finite number")
    return number
