"""Averages of MQM by segment, as wmt-mqm-human-evaluation has them: `system⇥score segment` after a header."""

from __future__ import annotations

from truebleu._counts import number_of
from truebleu.scores.opened import ScoreFile, parsed
from truebleu.scores.table import ScoreCells, ScoreColumn, ScoreTable

_HEADER = ["system", "mqm_avg_score", "seg_id"]


def recognise(file: ScoreFile) -> bool:
    """Whether it has the header."""
    return file.beginning[0].split() == _HEADER


def read(file: ScoreFile) -> ScoreTable:
    """Read the penalties, which are positive there."""
    cells, metric, sign = ScoreCells(), file.wanted.metric or "MQM", 1.0 if file.wanted.mqm == "positive" else -1.0
    for number, line in file.lines():
        words = line.split()
        if number == 1 and words == _HEADER:
            continue
        if len(words) != len(_HEADER):
            file.refuse(
                number, f"found {number_of(len(words), 'word')}, expected a system, a score and the number of a segment"
            )
        (score,) = parsed(words[1:2], lambda _, number=number: file.place(number)).tolist()  # type: ignore[misc]
        cells.add(words[0], words[2], metric, sign * score + 0.0)
    return cells.table(columns={metric: ScoreColumn("human", higher_is_better=sign < 0)})
