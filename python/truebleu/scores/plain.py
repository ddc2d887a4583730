"""Plain files: one number per line, a file for each system."""

from __future__ import annotations

from array import array

from truebleu._textio import split_lines
from truebleu.errors import BadScore
from truebleu.scores.opened import MISSING, ScoreFile, is_score, parsed
from truebleu.scores.table import NO_RATER, ScoreTable

UNNAMED = "score"  # the metric, where nobody names it


def recognise(file: ScoreFile) -> bool:
    """Whether each line is a number, or says that there is none."""
    lines = [line.strip() for line in file.beginning]
    return all(map(is_score, lines)) and any(lines)


def read(file: ScoreFile) -> ScoreTable:
    """Read one number per line; an empty last line is no segment."""
    import numpy as np

    scores, first, metric = array("d"), 1, file.wanted.metric or UNNAMED
    for block in file.blocks():
        values = [line.strip() for line in split_lines(block)]
        missing = next((at for at, value in enumerate(values) if value in MISSING), None)
        if missing is not None and not file.wanted.missing:
            raise BadScore(
                f"{file.place(first + missing)}: the score is {values[missing]!r}, expected a number; if scores may be "
                "missing, say so with --missing pairs, or missing=True"
            )
        scores.frombytes(parsed(values, file.places(first)).tobytes())
        first += len(values)
    nothing = np.zeros(len(scores), np.int32)
    codes = nothing, np.arange(len(scores), dtype=np.int32), nothing, nothing + NO_RATER
    names = (file.system,), [str(at + 1) for at in range(len(scores))], (metric,), ()
    return ScoreTable(names, codes, np.frombuffer(scores), is_by_order=True)
