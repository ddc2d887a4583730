"""The files of mt-metrics-eval: scores of segments, of domains and of whole systems, and the documents of segments."""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from truebleu._counts import number_of
from truebleu._inputs import brief
from truebleu._textio import json_value, split_lines
from truebleu.errors import LengthMismatch
from truebleu.scores.opened import ScoreFile, finite, is_score, parsed
from truebleu.scores.spans import spans_of
from truebleu.scores.table import NO_RATER, Codes, ScoreCells, ScoreColumn, ScoreTable, kind_of_name

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LEVELS = {"seg": "segment", "doc": "document", "domain": "domain", "sys": "system"}
_LANGUAGE = r"[a-z]{2,3}(?:_[A-Za-z]+)?"
_FILE = re.compile(
    rf"(?:(?P<pair>{_LANGUAGE}-{_LANGUAGE})\.)?(?P<name>.+)\.(?P<level>seg|doc|domain|sys)\.(?:score|rating)"
)
_ERRORS = re.compile(r'^\S+\s*\t\{"errors": *\[')


def is_segments(file: ScoreFile) -> bool:
    """Whether lines have a system and a score."""
    return _has(file, 2)


def is_domains(file: ScoreFile) -> bool:
    """Whether lines have a domain, a system and a score."""
    return _has(file, 3)


def _has(file: ScoreFile, cells: int) -> bool:
    rows = [row for row in map(str.split, file.beginning) if row]
    return all(len(row) == cells and is_score(row[-1]) for row in rows) and not all(is_score(row[-2]) for row in rows)


def read_segments(file: ScoreFile) -> ScoreTable:
    """Read `SYSTEM SCORE`, a line for each segment; the n-th line of a system is its segment n."""
    import numpy as np

    systems, found, scores = Codes(), array("i"), array("d")
    for first, (names, values) in _columns(file, 2, "a system and a score"):
        found.extend(map(systems.__getitem__, names))
        scores.frombytes(parsed(values, file.places(first)).tobytes())
    codes = np.frombuffer(found, np.int32)
    counts = np.bincount(codes)
    _refuse_unequal(file, [*systems], counts)
    metric, level, column = described(file)
    if len(counts) > 1 == counts[0]:
        level = "system"  # there is no test set of one segment
    items = [str(at + 1) for at in range(counts[0])]
    nothing = np.zeros(len(codes), np.int32)
    return ScoreTable(
        (systems, items, [metric], ()), (codes, _places(codes, counts), nothing, nothing + NO_RATER),
        np.frombuffer(scores), level=level, is_by_order=True, columns={metric: column},
    )  # fmt: skip


def read_domains(file: ScoreFile) -> ScoreTable:
    """Read `DOMAIN SYSTEM SCORE`."""
    metric, _, column = described(file)
    rows = {"item": [], "system": [], "score": []}  # type: dict[str, list[object]]
    for first, (domains, systems, values) in _columns(file, 3, "a domain, a system and a score"):
        rows["item"] += domains
        rows["system"] += systems
        rows["score"] += parsed(values, file.places(first)).tolist()
    return ScoreTable.from_columns(**rows, metric=metric, level="domain", columns={metric: column})  # type: ignore[arg-type]


def is_ratings(file: ScoreFile) -> bool:
    """Whether lines have a system and the errors that a rater found."""
    return any(_ERRORS.search(line) for line in file.beginning) and not file.first_object


def read_ratings(file: ScoreFile) -> ScoreTable:
    """Read `SYSTEM⇥{"errors": [...]}` or `SYSTEM⇥None` of one rater; the score is what the errors cost, negative."""
    metric, level, column = described(file)
    rater, cells, counts = "", ScoreCells(), dict[str, int]()
    if (found := re.fullmatch(r"(.+)\.([^.]+)", metric)) is not None and file.wanted.metric is None:
        metric, rater = found[1], found[2].lower()
    for number, line in file.lines():
        system, _, rating = line.partition("\t")
        errors = None if rating.strip() == "None" else json_value(rating, file.place(number))
        score = None if errors is None else _cost(file, number, errors)
        spans = () if errors is None else spans_of(errors["errors"], file.place(number))
        counts[system] = counts.get(system, 0) + 1
        cells.add(system, str(counts[system]), metric, score, rater or None, spans=spans)
    return cells.table(level=level, is_by_order=True, columns={metric: column._replace(kind="human")})


def _cost(file: ScoreFile, number: int, rating: Any) -> float:
    errors = file.field(number, rating, "errors", list) if isinstance(rating, dict) else None
    if errors is None or not all(isinstance(error, dict) and "score" in error for error in errors):
        file.refuse(number, "expected a system and an object with errors, each with its score")
    return -math.fsum(abs(finite(error["score"], file.place(number)) or 0.0) for error in errors)


def read_documents(file: ScoreFile) -> tuple[list[str], list[str]]:
    """Read `DOMAIN⇥DOCUMENT`, a line for each segment: the documents, and the domains.

    Nothing promises that a document's name is used in one domain only, so that the pair is its name.
    """
    documents, domains = [], []
    for number, line in file.lines():
        cells = line.split("\t")
        if len(cells) > 2 or not all(cells):
            file.refuse(number, f"found {number_of(len(cells), 'cell')}, expected a domain and a document")
        documents.append("/".join(cells))
        domains.append(cells[0] if len(cells) == 2 else "")
    return documents, domains


def described(file: ScoreFile) -> tuple[str, str, ScoreColumn]:
    """What the name of a file says: the metric, the level, and whether people gave the scores.

    `COMET-refA.seg.score` is a metric with its reference; `he-en.mqm.seg.score` has scores of people.
    """
    found = _FILE.fullmatch(file.stem)
    parts = {"name": file.system, "pair": "", "level": "seg"} if found is None else found.groupdict()
    name = parts["name"].upper() if parts["pair"] else parts["name"]
    name = file.wanted.metric or name
    return name, _LEVELS[parts["level"]], ScoreColumn("human" if parts["pair"] else kind_of_name(name))


def _columns(file: ScoreFile, cells: int, expected: str) -> Iterator[tuple[int, list[tuple[str, ...]]]]:
    """The columns of each block, with the number of its first line; blank lines at the end hold nothing."""
    number = 1
    for block in file.blocks():
        rows = [line.split() for line in split_lines(block, strip="")]
        if any(len(row) != cells for row in rows):
            end = len(block.rstrip().split("\n"))
            wrong = next((at for at, row in enumerate(rows) if len(row) != cells and at < end), None)
            if wrong is not None:
                here = number_of(len(rows[wrong]), "word")
                file.refuse(number + wrong, f"found {here}, expected {expected}, without white space in names")
            rows = rows[:end]
        if rows:
            yield number, [*zip(*rows, strict=True)]
        number += block.count("\n")


def _refuse_unequal(file: ScoreFile, systems: list[str], counts: NDArray[np.int_]) -> None:
    for system, count in zip(systems, counts.tolist(), strict=True):
        if count != counts[0]:
            raise LengthMismatch(
                f"{file.name}: the system {brief(system)} has {number_of(count, 'line')}, {brief(systems[0])} has "
                f"{counts[0]}; expected equally many, one for each segment"
            )


def _places(codes: NDArray[np.int32], counts: NDArray[np.int_]) -> NDArray[np.int32]:
    """Number the lines of each system."""
    import numpy as np

    order, begins = np.argsort(codes, kind="stable"), np.cumsum(counts) - counts
    places = np.empty(len(codes), np.int32)
    places[order] = np.arange(len(codes)) - np.repeat(begins, counts)
    return places
