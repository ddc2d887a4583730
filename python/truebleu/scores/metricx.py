"""What MetricX writes: its input, one JSON object per line, with a `prediction`; a file for each system."""

from __future__ import annotations

from truebleu.scores.opened import ScoreFile, finite
from truebleu.scores.table import ScoreCells, ScoreTable

_FIELD = "prediction"


def recognise(file: ScoreFile) -> bool:
    """Whether the first object has a prediction."""
    return _FIELD in file.first_object


def read(file: ScoreFile) -> ScoreTable:
    """Read the predictions."""
    metric, cells = file.wanted.metric or "MetricX", ScoreCells()
    for at, (number, row) in enumerate(file.objects(), 1):
        score = file.field(number, row, _FIELD, (int, float))
        cells.add(file.system, str(at), metric, finite(score, file.place(number)))
    return cells.table(is_by_order=True)
