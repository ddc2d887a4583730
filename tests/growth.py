"""How the time of a function grows with its input."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def assert_linear(work: Callable[[T], object], text: Callable[[int], T], size: int) -> None:
    """Four times the input may take nine times as long; a quadratic function takes sixteen times as long.

    The best of three runs is compared, of processor time, because other programs run on the machine.
    """
    small, large = (min(_seconds(work, text(times * size)) for _ in range(3)) for times in (1, 4))
    assert large < 9 * max(small, 0.002), f"{small:.4f} s became {large:.4f} s"


def _seconds(work: Callable[[T], object], text: T) -> float:
    before = time.process_time()
    work(text)
    return time.process_time() - before
