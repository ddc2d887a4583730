"""Google's tables of MQM ratings: one row per error, with its rater, category and severity."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from truebleu._counts import number_of
from truebleu._inputs import brief
from truebleu._logs import inform
from truebleu.errors import FileFormatError
from truebleu.scores.mqm import NO_ERROR, weights_of
from truebleu.scores.opened import ScoreFile
from truebleu.scores.spans import ErrorSpan, marked_in
from truebleu.scores.table import ScoreCells, ScoreColumn, ScoreTable

_NEEDED = ("system", "doc", "rater", "category", "severity")
_SEGMENT = ("globalSegId", "seg_id", "segment_id")  # the first that is there
_ATTENTION = "hotw-test"  # a test of the rater, and no error


def recognise(file: ScoreFile) -> bool:
    """Whether one of the first two lines is a header with a rater, a category and a severity."""
    return any(set(_NEEDED) <= set(line.split("\t")) for line in file.beginning[:2])


def read(file: ScoreFile) -> ScoreTable:
    """Read what the errors of each segment cost, for each rater; a segment without rows is missing."""
    weights, sign = weights_of(file.wanted.mqm_weights), 1.0 if file.wanted.mqm == "positive" else -1.0
    costs: dict[tuple[str, str, str, str], list[float]] = defaultdict(list)
    spans: dict[tuple[str, str, str, str], list[ErrorSpan]] = defaultdict(list)
    left_out: Counter[str] = Counter()
    rows, has_canary = [], file.wanted.canary
    for number, row, segment in _rows(file):
        if "canary" in f"{row['doc']} {row.get('source', '')}".lower():
            has_canary, left_out["canary"] = True, left_out["canary"] + 1
        elif _ATTENTION in (row["severity"].lower(), row["category"].lower()):
            left_out["attention test"] += 1
        else:
            rows.append((number, row, segment))
    for number, row, segment in rows:
        cost = weights.cost(row["severity"], row["category"])
        if cost is None:
            file.refuse(
                number, f"the error is {brief(row['category'])}, {brief(row['severity'])}; the weights "
                f"{weights.name!r} know {weights.expected}"
            )  # fmt: skip
        is_error = NO_ERROR not in (row["severity"].lower(), row["category"].lower())
        key = row["system"], str(segment - has_canary), row["rater"], row["doc"]
        costs[key].append(cost)
        left_out[NO_ERROR] += not is_error
        if is_error:
            texts = row.get("target", ""), row.get("source", "")
            spans[key] += marked_in(*texts, row["severity"], row["category"])
    _tell(file, left_out, has_canary)
    cells, metric = ScoreCells(), file.wanted.metric or "MQM"
    for key, found in costs.items():
        system, item, rater, document = key
        score = sign * math.fsum(found) + 0.0
        cells.add(system, item, metric, score, rater, document, spans=spans.get(key, ()))
    return cells.table(columns={metric: ScoreColumn("human", higher_is_better=sign < 0, weights=weights.name)})


def _rows(file: ScoreFile) -> Iterator[tuple[int, Mapping[str, str], int]]:
    """The rows by column, each with its line and its segment; a quote is a letter."""
    lines = file.lines()
    # A line before the header is a canary.
    names = next((line.split("\t") for _, line in lines if set(_NEEDED) <= set(line.split("\t"))), [])
    which = next((name for name in _SEGMENT if name in names), "")
    if not which:
        raise FileFormatError(
            f"{file.name}: there is no header with the columns {', '.join(_NEEDED)} and {' or '.join(_SEGMENT)}"
        )
    for number, line in lines:
        cells = line.split("\t")
        if len(cells) != len(names):
            file.refuse(number, f"found {number_of(len(cells), 'cell')}, expected {len(names)} as in the header")
        row = dict(zip(names, cells, strict=True))
        if not row[which].isdecimal() or len(row[which]) > 9:
            file.refuse(number, f"{which} is {brief(row[which])}, expected a whole number")
        yield number, row, int(row[which])


def _tell(file: ScoreFile, left_out: Counter[str], has_canary: bool) -> None:
    if left_out["attention test"]:
        there = number_of(left_out["attention test"], "row of attention tests", "rows of attention tests")
        inform("%s: left out %s", file.name, there)
    if left_out[NO_ERROR]:
        inform("%s: %s no error: a score of zero", file.name, number_of(left_out[NO_ERROR], "row has", "rows have"))
    if has_canary:
        inform("%s: the first segment is a canary, so that the numbers of all others were lowered by one", file.name)
