from truebleu.scores.comparing import compare as compare
from truebleu.scores.reading import read as read
from truebleu.scores.spans import ErrorSpan as ErrorSpan
from truebleu.scores.table import ScoreTable as ScoreTable
