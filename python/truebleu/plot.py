"""Figures for papers: the numbers of a study, drawn with matplotlib (extra `plot`).

`Study.plot` and `truebleu plot` are the ways in.
"""

from typing import TYPE_CHECKING

from truebleu._lazy import attach

if TYPE_CHECKING:
    from truebleu.study.plot.figure import draw as draw
    from truebleu.study.plot.figure import save as save
    from truebleu.study.plot.plan import KINDS as KINDS

_HOMES = {
    "KINDS": "truebleu.study.plot.plan",
    "draw": "truebleu.study.plot.figure",
    "save": "truebleu.study.plot.figure",
}
__all__ = list(_HOMES)
__getattr__, __dir__ = attach(__name__, _HOMES)
