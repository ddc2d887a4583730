"""How p-values are written, for people and for programs."""

import math
from typing import Any


def p_text(p_value: float) -> str:
    """Write a p-value.

    Examples
    --------
    >>> p_text(0.03), p_text(math.nan)
    ('0.0300', 'too few')
    """
    return "too few" if math.isnan(p_value) else f"{p_value:.4f}"


def without_nan(value: Any) -> Any:
    """Give None for nan, which JSON does not have."""
    return None if isinstance(value, float) and math.isnan(value) else value
