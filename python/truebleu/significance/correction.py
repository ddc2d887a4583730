"""Corrections for many comparisons: adjusted p-values, to be read against the same level as a single one."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values as Holm (1979): the chance of even one false claim stays below the level.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, at in enumerate(_ascending(p_values)):
        highest = max(highest, min(1.0, p_values[at] * (len(p_values) - rank)))
        adjusted[at] = highest
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values as Benjamini and Hochberg (1995): the expected share of false claims stays below the level.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.04]
    """
    adjusted, lowest = [0.0] * len(p_values), 1.0
    for rank, at in reversed(list(enumerate(_ascending(p_values), 1))):
        # Rounding must not take an adjusted p-value below its own.
        lowest = min(lowest, max(p_values[at], p_values[at] * len(p_values) / rank))
        adjusted[at] = lowest
    return adjusted


CORRECTIONS: dict[str, Callable[[Sequence[float]], list[float]]] = {"holm": holm, "bh": benjamini_hochberg}
AUTHORS = {"holm": "Holm", "bh": "Benjamini and Hochberg"}


def _ascending(p_values: Sequence[float]) -> list[int]:
    return sorted(range(len(p_values)), key=p_values.__getitem__)


def adjusted(p_values: Sequence[float], correction: str) -> list[float]:
    """Correct the p-values that there are; nan stays."""
    # Only nan is unlike itself; `math` would be loaded for each command, because the flags name the corrections.
    found = iter(CORRECTIONS[correction]([one for one in p_values if one == one]))
    return [next(found) if one == one else one for one in p_values]
