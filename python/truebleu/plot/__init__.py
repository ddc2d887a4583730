"""Figures for papers: the numbers of a study, drawn with matplotlib (extra `plot`). Nothing is computed here.

One module holds one figure. `plan` checks what is wanted and has what all figures share, `figure` makes a figure or a
file. `Study.plot` and `truebleu plot` are the ways in.
"""

from typing import TYPE_CHECKING

from truebleu._lazy import attach

if TYPE_CHECKING:
    from truebleu.plot.figure import draw as draw
    from truebleu.plot.figure import save as save
    from truebleu.plot.plan import KINDS as KINDS

_HOMES = {"KINDS": "truebleu.plot.plan", "draw": "truebleu.plot.figure", "save": "truebleu.plot.figure"}
__all__ = list(_HOMES)
__getattr__, __dir__ = attach(__name__, _HOMES)
