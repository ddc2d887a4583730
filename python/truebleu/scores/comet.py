"""What `comet-score --to_json` writes: an object that has a list of segments for the path of each system."""

from __future__ import annotations

import os
import re

from truebleu._inputs import brief
from truebleu._textio import json_value
from truebleu.errors import FileFormatError
from truebleu.scores.opened import ScoreFile, finite
from truebleu.scores.spans import spans_of
from truebleu.scores.table import ScoreCells, ScoreColumn, ScoreTable

_FIELD = "COMET"  # whatever the model is


def recognise(file: ScoreFile) -> bool:
    """Whether it is an object of lists of objects with COMET's field."""
    return re.match(r'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\[\s*\{', file.head) is not None and f'"{_FIELD}"' in file.head


def read(file: ScoreFile) -> ScoreTable:
    """Read the scores; a system is called as its file is, without folders and ending."""
    value, metric, cells = json_value(file.text(), file.name), file.wanted.metric or _FIELD, ScoreCells()
    paths: dict[str, str] = {}
    for path, segments in value.items() if isinstance(value, dict) else ():
        system = os.path.splitext(os.path.basename(path))[0]
        if paths.setdefault(system, path) != path:
            both = f"{brief(paths[system])} and {brief(path)}"
            raise FileFormatError(f"{file.name}: {both} are both the system {brief(system)}, expected different names")
        for number, segment in enumerate(segments if isinstance(segments, list) else [segments], 1):
            place = f"{file.name}, {system}, segment {number}"
            if not isinstance(segment, dict) or _FIELD not in segment:
                raise FileFormatError(f"{place}: expected an object with the field {_FIELD!r}")
            score, spans = finite(segment[_FIELD], place), spans_of(segment.get("errors"), place)
            cells.add(system, str(number), metric, score, spans=spans)
    # The program works with half precision.
    return cells.table(is_by_order=True, columns={metric: ScoreColumn(precision="fp16")})
