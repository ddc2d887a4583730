"""People's scores of WMT25: one JSON object per segment, with two waves of annotation for each system."""

from __future__ import annotations

from truebleu._inputs import brief
from truebleu.scores.opened import Pairs, ScoreFile, finite
from truebleu.scores.spans import spans_of
from truebleu.scores.table import ScoreCells, ScoreColumn, ScoreTable
from truebleu.scores.wmt25 import PART


def recognise(file: ScoreFile) -> bool:
    """Whether the first object has scores of systems for a segment."""
    return isinstance(file.first_object.get("scores"), dict) and "doc_id" in file.first_object


def read(file: ScoreFile) -> ScoreTable:
    """Read the waves, each of which has its rater."""
    pairs, cells, metric = Pairs(file), ScoreCells(), file.wanted.metric or "ESA"
    for number, row in file.objects():
        item = file.field(number, row, "doc_id")
        parts = item.split(PART)
        if len(parts) != 4:
            file.refuse(number, f"doc_id is {item!r}, expected PAIR_#_DOMAIN_#_DOCUMENT_#_SEGMENT")
        if not pairs.take(parts[0]):
            continue
        for system, rating in file.field(number, row, "scores", dict).items():
            known, rating = set[str](), rating or {}
            if not isinstance(rating, dict):
                file.refuse(number, f"the scores of {system!r} are {brief(rating)}, expected an object")
            for wave in (key[len("human") :] for key in rating if key.startswith("human")):
                rater = str(rating.get(f"annotator{wave}", f"wave {wave}"))
                rater = f"{rater} in wave {wave}" if rater in known else rater
                known.add(rater)
                place = f"{file.place(number)}, {system}"
                spans = spans_of(rating.get(f"errors{wave}"), place, is_inclusive=True)
                score = finite(rating[f"human{wave}"], place)
                cells.add(system, item, metric, score, rater, PART.join(parts[:3]), parts[1], spans)
    pairs.check()
    return cells.table(columns={metric: ScoreColumn("human")})
