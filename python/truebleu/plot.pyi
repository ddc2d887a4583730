from truebleu.study.plot.figure import draw as draw
from truebleu.study.plot.figure import save as save
from truebleu.study.plot.plan import KINDS as KINDS
