"""Fractions that remember how they were written: 8/8 is no 1/1 when it means eight of eight n-grams."""

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

    __slots__ = ("_given",)
    _given: tuple[int, int]

    def __new__(cls, numerator: int, denominator: int) -> Fraction:
        """Numerator and denominator are whole numbers."""
        self = super().__new__(cls, numerator, denominator)
        self._given = (numerator, denominator)
        return self

    @property
    def numerator(self) -> int:
        """The numerator given."""
        return self._given[0]

    @property
    def denominator(self) -> int:
        """The denominator given."""
        return self._given[1]

    def __repr__(self) -> str:
        return f"Fraction({self.numerator}, {self.denominator})"

    def __str__(self) -> str:
        return str(self.numerator) if self.denominator == 1 else f"{self.numerator}/{self.denominator}"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._given

    def __copy__(self) -> Fraction:
        return self

    def __deepcopy__(self, memo: Any) -> Fraction:
        return self


def _reduced(value: Any) -> Any:
    return fractions.Fraction(*value._given) if isinstance(value, Fraction) else value


def _of_reduced(operation: Callable[..., Any]) -> Callable[..., Any]:
    def method(*values: Any) -> Any:
        return operation(*map(_reduced, values))

    return method


# Before Python 3.12 the operations of a fraction take its numerator and denominator to be reduced.
_OPERATIONS = (
    "add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod divmod rdivmod pow rpow neg pos abs "
    "eq lt le gt ge hash round floor ceil trunc"
)
for _name in _OPERATIONS.split():
    setattr(Fraction, f"__{_name}__", _of_reduced(getattr(fractions.Fraction, f"__{_name}__")))
Fraction.limit_denominator = _of_reduced(fractions.Fraction.limit_denominator)  # type: ignore[method-assign]
