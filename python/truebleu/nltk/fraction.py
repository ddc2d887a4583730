"""Fractions that are not reduced: eight of eight n-grams are 8/8, and not 1/1."""

from __future__ import annotations

import fractions
from collections.abc import Callable
from typing import Any


class Fraction(fractions.Fraction):
    """A fraction whose numerator and denominator are those given. Arithmetic gives ordinary, reduced fractions.

    >>> half = Fraction(4, 8)
    >>> half, half.numerator, half == 0.5, half + 1
    (Fraction(4, 8), 4, True, Fraction(3, 2))
    """

    __slots__ = ()
    # Those of the base class, which takes them to be reduced.
    _numerator: int
    _denominator: int

    def __new__(cls, numerator: int, denominator: int) -> Fraction:
        """Numerator and denominator are whole numbers."""
        self: Fraction = object.__new__(cls)
        self._numerator = numerator
        self._denominator = denominator
        return self

    def __repr__(self) -> str:
        return f"Fraction({self._numerator}, {self._denominator})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._numerator, self._denominator)


def _reduced(value: Any) -> Any:
    return fractions.Fraction(value._numerator, value._denominator) if isinstance(value, Fraction) else value


def _of_reduced(operation: Callable[..., Any]) -> Callable[..., Any]:
    def method(*values: Any) -> Any:
        return operation(*map(_reduced, values))

    return method


# Everything that the base class does with reduced fractions only.
_OPERATIONS = (
    "add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod divmod rdivmod pow rpow neg pos abs "
    "eq lt le gt ge hash round floor ceil trunc"
)
for _name in (*(f"__{name}__" for name in _OPERATIONS.split()), "limit_denominator", "as_integer_ratio"):
    setattr(Fraction, _name, _of_reduced(getattr(fractions.Fraction, _name)))
