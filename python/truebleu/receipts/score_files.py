"""Is a receipt of the scores in a file? The hash of the file, and its scores read again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from truebleu._counts import number_of
from truebleu._inputs import brief, check_path
from truebleu._shown import shown
from truebleu.errors import InputFileError, OptionError, TruebleuError
from truebleu.metrics.external import ExternalMetric
from truebleu.receipts.file import hash_file
from truebleu.receipts.rows import other_rows
from truebleu.scores import ScoreTable, read
from truebleu.scores.comparing import standardized

if TYPE_CHECKING:
    from truebleu.receipts.receipt import Receipt


@dataclass
class ScoreCheck:
    """What was found: faults, notes, and of how many files the hash or the scores were compared."""

    problems: list[str]
    notes: list[str]
    compared: int = 0


def check_file(receipt: Receipt, name: str, path: str, key: bytes | None, found: ScoreCheck) -> None:
    """Compare the file of a metric with its hash in the receipt, and the scores in it with the rows."""
    path, metric = check_path(f"Receipt.verify: scores[{brief(name)}]", path), receipt.metric(name)
    if not isinstance(metric, ExternalMetric):
        raise OptionError(f"Receipt.verify: scores has {brief(name)}, which counts texts, expected scores of elsewhere")
    kept = next(one.get("score_file") for one in receipt.about["metrics"] if one["name"] == name)
    is_keyed, is_same = (kept or "").startswith("hmac-"), False
    if kept is None or (is_keyed and key is None):
        why = "has a key, which is not given" if is_keyed else "is not in the receipt"
        found.notes.append(f"{shown(path)}: the hash of the file {why}, so it was not compared")
    elif (again := hash_file(path, key if is_keyed else None)) is not None:
        is_same = again == kept
        if not is_same:
            found.problems.append(
                f"metrics ({shown(name)}).score_file is {kept[:24]}..., and that of {shown(path)} is {again[:24]}..."
            )
    try:
        problems = _other_scores(receipt, name, metric, path)
    except InputFileError:
        raise
    except TruebleuError as error:
        found.notes.append(f"{shown(name)}: the scores were not read again: {error}")
    else:
        found.problems += problems
        is_same = True
    found.compared += is_same


def _other_scores(receipt: Receipt, name: str, metric: Any, path: str) -> list[str]:
    sign, weights = "positive" if metric.direction == "lower" else "negative", metric.weights or "google"
    table = read(path, missing=True, mqm=sign, mqm_weights=weights)
    column = name if name in table.metrics else table.metrics[0]
    if name != column and len(table.metrics) > 1:
        raise OptionError(f"{shown(path)} has {', '.join(map(shown, table.metrics))}")
    if metric.z is not None:
        table = standardized(table, column)
    problems: list[str] = []
    for one in (table, table.in_order()):  # the order of the file, or that of names
        values = _of_segments(one, column, _system(receipt, one), int(receipt.about["segments"]))
        problems = list(other_rows(receipt, name, metric.stats(values, missing=True), "the file gives"))
        if not problems:
            break
    return problems


def _system(receipt: Receipt, table: ScoreTable) -> str:
    if len(table.systems) == 1:
        return table.systems[0]
    for name in (receipt.system, PurePath(receipt.system).stem):
        if name in table.systems:
            return name
    there = ", ".join(map(shown, table.systems[:5]))
    raise OptionError(f"there are no scores of {shown(receipt.system)}, only of {there}")


def _of_segments(table: ScoreTable, metric: str, system: str, size: int) -> list[float | None]:
    """The scores of a system; where items are numbers of segments, each in its place."""
    values = table.matrix(metric, [system])[0].tolist()
    if len(values) == size:
        return values  # type: ignore[no-any-return]
    places = [int(item) - 1 if item.isascii() and item.isdecimal() else -1 for item in table.items]
    if table.is_by_order or not all(0 <= place < size for place in places):
        raise OptionError(f"{number_of(len(values), 'score')}, and the receipt has {number_of(size, 'segment')}")
    found: list[float | None] = [None] * size
    for place, value in zip(places, values, strict=True):
        found[place] = value
    return found
