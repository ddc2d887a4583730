"""The answer in words: a sentence for two systems under a metric. Shell, Python, page and JSON take it from here.

>>> from truebleu.significance.results import MetricReport, PairReport
>>> from truebleu.signature import Signature
>>> ter = MetricReport("ter", "TER", Signature({}), False, (), ())
>>> sentence(ter, PairReport("A", "B", -1.84, 0.0004, None, True, "B", False, (-2.8, -0.9)))
'B is better than A by 1.8 TER (0.9 to 2.8; lower is better), p = 0.0004.'
>>> sentence(ter, PairReport("A", "B", 0.31, 0.4, 0.8, False, None, False, (-0.42, 1.04)))
'No difference shown between A and B: +0.3 TER (-0.4 to 1.0; lower is better), adjusted p = 0.8000.'
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

from truebleu._counts import number_of
from truebleu._shown import shown
from truebleu._text.p_values import p_text

if TYPE_CHECKING:
    from truebleu.significance.results import Comparison, Explained, MetricReport, PairReport

# So many pairs of a metric have a sentence in a table, and all of three systems; programs get one for every pair.
_MOST = 10
_FEW_SYSTEMS = 3

_WORDS = {"quotes": "quotation marks", "dashes": "dashes", "case": "case", "spaces": "spaces"}


def told(comparison: Comparison, metric: MetricReport) -> Iterator[str]:
    """Answer for each system and the baseline; if all pairs were compared, for neighbours in the ranking."""
    pairs = metric.pairs
    if comparison.all_pairs:
        order = metric.order
        neighbours = combinations(order, 2) if len(order) <= _FEW_SYSTEMS else pairwise(order)
        pairs = tuple(metric.pair(*one) for one in neighbours)
    for pair in pairs[:_MOST]:
        yield sentence(metric, pair)
    if len(pairs) > _MOST:
        yield f"JSON has a sentence for each of {number_of(len(metric.pairs), 'pair')}."


def sentence(metric: MetricReport, pair: PairReport) -> str:
    """Say which of two systems is better and by how much, or that no difference is shown; and what explains it."""
    pair = pair.turned if pair.winner == pair.baseline else pair
    a, b = shown(pair.baseline), shown(pair.system)
    if pair.identical:
        return f"{a} and {b} are the same by {metric.name}."
    if math.isnan(pair.p_value):
        return f"Too few segments or documents to test {a} and {b}: {_amount(metric, pair)}."
    p_value = pair.decisive if pair.p_value_with_ties is None else pair.p_value_with_ties
    end = f"{p_text(p_value, 'p' if pair.adjusted_p_value is None else 'adjusted p')}."
    end += "" if pair.explained is None else f" {_explanation(metric, pair, pair.explained)}"
    counts = ""
    if pair.signs is not None:
        counts = f" ({number_of(pair.signs[0], 'win')}, {number_of(pair.signs[1], 'loss', 'losses')})"
    if pair.significant and metric.higher_is_better is None:
        unknown = f"Direction of {metric.name} unknown: give --higher-is-better or --lower-is-better."
        return f"{a} and {b} differ{counts}: {_amount(metric, pair)}, {end} {unknown}"
    if pair.winner is None:
        return f"No difference shown between {a} and {b}{counts}: {_amount(metric, pair)}, {end}"
    if counts:  # they decide, and the scores may differ the other way
        return f"{b} is better than {a}{counts}: {_amount(metric, pair)}, {end}"
    return f"{b} is better than {a} by {_amount(metric, pair, is_lead=True)}, {end}"


def _explanation(metric: MetricReport, pair: PairReport, found: Explained) -> str:
    """Say how much of a difference is one of typography or case, and what is left of it."""
    sign = math.copysign(1.0, pair.delta)
    *others, last = (_WORDS[name] for name in found.folded)
    names = f"{', '.join(others)} and {last}" if others else last
    rest = replace(
        pair, delta=found.delta, p_value=found.p_value, adjusted_p_value=found.adjusted_p_value,
        identical=found.delta == 0 and found.p_value == 1,
        winner={"gain": pair.system, "loss": pair.baseline}.get(found.kind), interval=None, signs=None,
        p_value_with_ties=None, explained=None,
    )  # fmt: skip
    left = re.sub("^No difference", "no difference", sentence(metric, rest))
    without = f"Without differences in {names}: {left}"
    if not 0 < sign * found.part <= sign * pair.delta:
        return without
    part, whole = (_written(sign * number, pair) for number in (found.part, pair.delta))
    verb = "explains" if names == "case" else "explain"
    explains = f"{names[0].upper()}{names[1:]} {verb} {part} of these {whole} points."
    return explains if found.kind == pair.kind else f"{explains} {without}"


def _amount(metric: MetricReport, pair: PairReport, *, is_lead: bool = False) -> str:
    """Write the difference, the system's less the baseline's, or how far the system leads; with its interval."""
    pair = pair.turned if is_lead and metric.higher_is_better is False else pair
    notes = [] if pair.interval is None else [" to ".join(_written(end, pair) for end in pair.interval)]
    notes += ["lower is better"] if metric.higher_is_better is False else []
    inside = f" ({'; '.join(notes)})" if notes else ""
    return f"{_written(pair.delta, pair, '' if is_lead else '+')} {metric.name}{inside}"


def _written(number: float, pair: PairReport, sign: str = "") -> str:
    """Write a number with the decimals that show a difference and its interval: one, or two digits of small ones."""
    size = max(map(abs, (pair.delta, *(pair.interval or ()))))
    decimals = 1 if not 0 < size < 1 else min(1 - math.floor(math.log10(size)), 8)
    return f"{number:{sign}z.{decimals}f}"
