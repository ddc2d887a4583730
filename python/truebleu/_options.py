"""Values of options that several layers take: checked once, refused with a message that says what was expected."""

import math
import operator
import os
import sys
from collections.abc import Iterable
from typing import Any

from truebleu.errors import OptionError

MOST_SAMPLES = 10_000_000

# Python's sum() of floats is compensated from 3.12 on, which decides the last bit of sacreBLEU's and NLTK's scores.
COMPENSATED_SUM = sys.version_info >= (3, 12)


def thread_count(threads: int | None) -> int:
    """How many threads to use; 0 leaves it to the engine: all cores, where there is enough to do."""
    if threads is None:
        text = os.environ.get("TRUEBLEU_THREADS", "")
        if not text:
            return 0
        if not text.isdecimal() or int(text) < 1:
            raise OptionError(f"TRUEBLEU_THREADS is {text!r}, expected a whole number from 1")
        return int(text)
    if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
        raise OptionError(f"threads is {threads!r}, expected a whole number from 1, or None for all cores")
    return threads


def whole_number(who: str, option: str, value: Any, low: int, high: int) -> int:
    """The value, if it is a whole number in range."""
    try:
        number = operator.index(value)
    except TypeError:
        number = low - 1
    if not low <= number <= high:
        raise OptionError(f"{who}: {option} is {value!r}, expected a whole number from {low} to {high}")
    return number


def yes_or_no(who: str, option: str, value: Any) -> bool:
    """The value as a boolean. Text is refused: "False" would count as true."""
    if value is None or value in (0, 1):
        return bool(value)
    raise OptionError(f"{who}: {option} is {value!r}, expected True or False")


def number_from_zero(who: str, option: str, value: Any) -> float:
    """The value as a float, if it is a finite number from 0."""
    number = math.nan if isinstance(value, (str, bool)) or not hasattr(value, "__float__") else float(value)
    if not 0 <= number < math.inf:
        raise OptionError(f"{who}: {option} is {value!r}, expected a number from 0")
    return number


def choice(who: str, option: str, value: Any, known: Iterable[str], error: type[OptionError] = OptionError) -> Any:
    """The value, if it is one of those that are known."""
    if value not in tuple(known):
        raise error(f"{who}: {option} is {value!r}, expected one of {', '.join(map(repr, known))}")
    return value
