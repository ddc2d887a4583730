"""An agreement with people as a table for terminals."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from truebleu._counts import number_of
from truebleu._shown import shown

if TYPE_CHECKING:
    from truebleu.agreement.agreement import Agreement


def head_of(found: Agreement) -> list[str]:
    """The heads of the columns: metrics, statistics with ε and ranks."""
    head = ["metric"]
    for key in found.statistics:
        head.append(_named(found, key))
        head += ["ε"] if _has(found, key, "epsilon") else []
        head += ["other half's ε"] if _has(found, key, "honest") else []
        head += ["rank"] if key in found.ranks else []
    return head


def rows_of(found: Agreement) -> list[list[str]]:
    """A row for each metric, and one for a metric that gives all systems one score, if ties count."""
    rows = []
    for name, statistics in found.metrics.items():
        row = [shown(name)]
        for key, one in statistics.items():
            row.append(_number(one["value"]))
            row += [f"{one['epsilon']:.4g}"] if "epsilon" in one else []
            row += [_number(one["honest"])] if "honest" in one else []
            row += ["-".join(map(str, dict.fromkeys(found.ranks[key][name])))] if key in found.ranks else []
        rows.append(row)
    if any(_has(found, key, "constant") for key in found.statistics):
        first = next(iter(found.metrics.values()))
        row = ["a constant metric"]
        for key, one in first.items():
            row.append(_number(one["constant"]) if "constant" in one else "")
            row += [""] * (("epsilon" in one) + ("honest" in one) + (key in found.ranks))
        rows.append(row)
    return rows


def lines_of(found: Agreement) -> Iterator[str]:
    """The table, what was compared, and how."""
    from tabulate import tabulate

    first, *notes = notes_of(found)
    yield first
    head, rows = head_of(found), rows_of(found)
    align = ["left"] + ["right"] * (len(head) - 1)
    yield from tabulate(rows, head, "simple", disable_numparse=True, colalign=align).split("\n")
    yield from notes


def notes_of(found: Agreement) -> Iterator[str]:
    """What was compared, how it was tested, and what is missing."""
    size = number_of(found.items, "segment", commas=True)
    of = "" if found.documents is None else f" of {number_of(found.documents, 'document', commas=True)}"
    yield f"Agreement with people ({shown(found.gold)}): {len(found.systems)} systems, {size}{of}"
    yield from _test_lines(found)
    for name, count in found.missing.items():
        if count:
            cells = number_of(count, "cell", commas=True)
            yield f"{shown(name)} lacks {cells} that people have scored; pairs with them are left out"
    for name, statistics in found.metrics.items():
        for key, one in statistics.items():
            if one.get("undefined"):
                yield f"{shown(name)}: {key} is not defined in {one['undefined']:,} of {one['groups']:,} groups"
    yield from (shown(note, 500) for note in found.notes)


def _test_lines(found: Agreement) -> Iterator[str]:
    if not found.pairs:
        return
    count = sum(one.statistic == found.statistics[0] for one in found.pairs)
    over = f"over {number_of(count, 'pair')} of metrics"
    if found.test == "ar":
        what = "segments" if found.documents is None else "documents"
        corrected = f"{found.correction.capitalize()} {over}" if found.correction else f"{over}, not corrected"
        yield f"tests: {what} swapped whole, two-sided, level {found.alpha:g}, {corrected}"
    else:
        yield f"tests: {found.test} of mt-metrics-eval, one-sided, not corrected; it claims far too many differences"
    untested = [key for key in found.statistics if all(p.p_value is None for p in found.pairs if p.statistic == key)]
    if untested:
        yield f"no test: {', '.join(untested)}"


def _has(found: Agreement, key: str, part: str) -> bool:
    return any(part in one[key] for one in found.metrics.values())


def _named(found: Agreement, key: str) -> str:
    group: Any = next(iter(found.metrics.values()))[key].get("group")
    return key if group is None or ":" in key else f"{key} ({group})"


def _number(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.3f}"
