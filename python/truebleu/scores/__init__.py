"""Scores from elsewhere and from people: the files that hold them, and one table for all of them.

`read` recognises the format of a file by its content and gives a `ScoreTable`. `docs/scores.md` describes the formats.
"""

from truebleu._lazy import attach

__getattr__, __dir__ = attach(__name__)
