"""Who wins, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from truebleu._counts import number_of
from truebleu.significance.sentences import sentence
from truebleu.study.page.characters import plain

if TYPE_CHECKING:
    from truebleu.significance.results import Comparison, MetricReport

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
# So many names are written out.
_MOST_NAMES = 4


def verdict(comparison: Comparison) -> str:
    """Say who is best, who cannot be told from the best, by how much and why, and whether metrics disagree."""
    first, smallest = comparison.metrics[0], comparison.smallest_p_value
    if smallest is not None and smallest > comparison.alpha:
        return (
            f"Nothing can be told: with {number_of(comparison.n_samples, 'trial', commas=True)} no p-value is "
            f"below {smallest:.2g}, "
            f"and the level is {comparison.alpha:g}."
        )
    sentences = []
    if len(first.systems) > 2:
        sentences = [_of_all(first) if comparison.all_pairs else _of_first(first, comparison.systems[0])]
    if len(first.systems) == 2 or comparison.all_pairs:
        sentences.append(plain(sentence(first, first.pair(*first.order[:2])), longest=1000))
    for metric in comparison.metrics[1:]:
        if metric.order[0] != first.order[0]:
            sentences.append(f"{plain(metric.name)} puts {plain(metric.order[0])} first.")
    return " ".join(sentences)


def _of_all(metric: MetricReport) -> str:
    (best, *equal), name = metric.unbeaten, plain(metric.name)
    rest = len(metric.systems) - len(equal) - 1
    if not any(pair.significant for pair in metric.pairs):
        return f"No system can be told from another by {name}."
    if not equal:
        return f"{plain(best)} is the best by {name}: it beats the {count(rest)} other systems."
    beats = f" and beats {count(rest)} {'others' if rest > 1 else 'other'}" if rest else ""
    return f"{plain(best)} is the best by {name}{beats}; {named(equal)} cannot be told apart from it."


def _of_first(metric: MetricReport, baseline: str) -> str:
    better = [pair.system for pair in metric.pairs if pair.winner == pair.system]
    worse = [pair.system for pair in metric.pairs if pair.winner == baseline]
    about = f"than {plain(baseline)} by {plain(metric.name)}"
    found = [f"{named(names)} {is_are(names)} {how}" for names, how in ((better, "better"), (worse, "worse")) if names]
    return f"{' and '.join(found)} {about}." if found else f"No system is better or worse {about}."


def count(number: int) -> str:
    """Write a number, the small ones as words.

    >>> count(5), count(1000)
    ('five', '1,000')
    """
    return _NUMBERS[number] if number < len(_NUMBERS) else f"{number:,}"


def named(names: Sequence[str]) -> str:
    """List names in a sentence; of many, some are counted.

    >>> named(["a", "b", "c"]), named(["a", "b", "c", "d", "e", "f"])
    ('a, b and c', 'a, b, c and three others')
    """
    shown = [plain(name) for name in names]
    if len(shown) > _MOST_NAMES:
        shown = [*shown[: _MOST_NAMES - 1], f"{count(len(shown) - _MOST_NAMES + 1)} others"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def is_are(names: Sequence[str]) -> str:
    """Choose the verb for names."""
    return "is" if len(names) == 1 else "are"
