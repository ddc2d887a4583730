"""Checks of options, for metrics and for everything built on them: each returns the value or raises an error."""

from __future__ import annotations

import operator
import os
import sys
from collections.abc import Iterable

from truebleu._inputs import as_float, brief
from truebleu._typing import Any
from truebleu.errors import OptionError

MOST_SAMPLES = 10_000_000
MOST_DECIMALS = 20  # a score has 17 significant digits
MOST_THREADS = 65_536

# Up to here a float holds every whole number.
EXACT = 2**53

# So few segments are not looked at: a loop over small corpora pays nothing, and toy texts may be the same.
FEWEST_SEEN = 50

# Of numbers in text: Python refuses to read those of thousands of digits.
MOST_DIGITS = 100

# Python's sum() of floats is compensated from 3.12 on, which decides the last bit of sacreBLEU's and NLTK's scores.
COMPENSATED_SUM = sys.version_info >= (3, 12)


def checks_are_off() -> bool:
    """Whether the environment says that doubtful texts are to be scored without a word."""
    text = os.environ.get("TRUEBLEU_CHECKS", "").lower()
    if text not in ("", "on", "off"):
        raise OptionError(f"TRUEBLEU_CHECKS is {brief(text)}, expected on or off")
    return text == "off"


def thread_count(threads: int | None) -> int:
    """How many threads to use; 0 leaves it to the engine: all cores, if there is enough work."""
    if threads is None:
        text = os.environ.get("TRUEBLEU_THREADS", "")
        if not text:
            return 0
        if not text.isdecimal() or len(text) > MOST_DIGITS or not 1 <= int(text) <= MOST_THREADS:
            raise OptionError(f"TRUEBLEU_THREADS is {brief(text)}, expected a whole number from 1 to {MOST_THREADS}")
        return int(text)
    try:
        number = 0 if isinstance(threads, bool) else operator.index(threads)
    except TypeError:
        number = 0
    if not 1 <= number <= MOST_THREADS:
        expected = f"a whole number from 1 to {MOST_THREADS}, or None for all cores"
        raise OptionError(f"threads is {brief(threads)}, expected {expected}")
    return number


def whole_number(who: str, option: str, value: Any, low: int, high: int) -> int:
    """The value, if it is a whole number in range."""
    try:
        number = operator.index(value)
    except TypeError:
        number = low - 1
    if not low <= number <= high:
        raise OptionError(f"{who}: {option} is {brief(value)}, expected a whole number from {low} to {high}")
    return number


def yes_or_no(who: str, option: str, value: Any) -> bool:
    """The value as a boolean. Text is refused: "False" would count as true."""
    if value is True or value is False or value is None:
        return bool(value)
    try:
        known = not hasattr(value, "__len__") and value in (0, 1)  # an array with one truth value is not a truth value
    except Exception:  # whatever its comparison raises
        known = False
    if not known:
        raise OptionError(f"{who}: {option} is {brief(value)}, expected True or False")
    return bool(value)


def number_from_zero(who: str, option: str, value: Any) -> float:
    """The value as a float, if it is a finite number from 0."""
    number = as_float(value)
    if not 0 <= number < float("inf"):
        raise OptionError(f"{who}: {option} is {brief(value)}, expected a number from 0")
    return number


def finite_number(who: str, option: str, value: Any) -> float:
    """The value as a float, if it is a finite number."""
    number = as_float(value)
    if not abs(number) < float("inf"):
        raise OptionError(f"{who}: {option} is {brief(value)}, expected a finite number")
    return number


def level_of_test(where: str, value: Any) -> float:
    """The value, if it can be the level of a test."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1:
        raise OptionError(f"{where} is {brief(value)}, expected a number between 0 and 1")
    return value


def choice(who: str, option: str, value: Any, known: Iterable[str], error: type[OptionError] = OptionError) -> Any:
    """The value, if it is one of the known ones."""
    if not isinstance(value, str) or value not in tuple(known):
        raise error(f"{who}: {option} is {brief(value)}, expected one of {', '.join(map(repr, known))}")
    return value
