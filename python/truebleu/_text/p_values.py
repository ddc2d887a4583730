"""How p-values are written, for people and for programs."""

import math
from typing import Any


def p_text(p_value: float, name: str = "") -> str:
    """Write a p-value, or what it is; one that rounds to nothing is below the smallest that four decimals can show.

    Examples
    --------
    >>> p_text(0.03), p_text(1 / 20001), p_text(math.nan)
    ('0.0300', '<0.0001', 'too few')
    >>> p_text(0.03, "p"), p_text(1 / 20001, "adjusted p")
    ('p = 0.0300', 'adjusted p < 0.0001')
    """
    text = "too few" if math.isnan(p_value) else f"{p_value:.4f}"
    sign, text = ("<", "0.0001") if text == "0.0000" else ("=", text)
    return f"{name} {sign} {text}" if name else f"{sign.strip('=')}{text}"


def without_nan(value: Any) -> Any:
    """Give None for nan, which JSON does not have."""
    return None if isinstance(value, float) and math.isnan(value) else value
