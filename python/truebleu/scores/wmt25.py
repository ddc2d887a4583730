"""The metric scores of WMT25: `SYSTEM.jsonl`, one line per document, with a list of its paragraphs for each metric."""

from __future__ import annotations

from truebleu.scores.opened import Pairs, ScoreFile, finite
from truebleu.scores.table import ScoreCells, ScoreTable

PART = "_#_"  # between the parts of an identifier


def recognise(file: ScoreFile) -> bool:
    """Whether the first object has the scores of metrics."""
    return "metric_scores" in file.first_object


def read(file: ScoreFile) -> ScoreTable:
    """Read all metrics; items are called as in the files of people, PAIR_#_DOMAIN_#_DOCUMENT_#_PARAGRAPH."""
    pairs, cells = Pairs(file), ScoreCells()
    for number, row in file.objects():
        pair, domain, name = (file.field(number, row, key) for key in ("language_pair", "domain", "document_id"))
        if not pairs.take(pair):
            continue
        document = name if PART in name else PART.join((pair, domain, name))
        for metric, scores in file.field(number, row, "metric_scores", dict).items():
            if file.wanted.metric not in (None, metric):
                continue
            for at, score in enumerate(scores if isinstance(scores, list) else [scores]):
                value = finite(score, f"{file.place(number)}, {metric}")
                cells.add(file.system, f"{document}{PART}{at}", metric, value, None, document, domain)
    pairs.check()
    return cells.table()
