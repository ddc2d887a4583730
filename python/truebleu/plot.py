"""Figures for papers: the numbers of a study, drawn with matplotlib (extra `plot`).

`Study.plot` and `truebleu plot` are the ways in.
"""

from truebleu._lazy import attach

__getattr__, __dir__ = attach(__name__)
