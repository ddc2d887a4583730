from truebleu.scores.reading import read as read
from truebleu.scores.table import ScoreTable as ScoreTable
