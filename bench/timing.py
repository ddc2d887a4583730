"""Timing two or more sides of a race fairly: same input, turn by turn, garbage collector off."""

from __future__ import annotations

import gc
import math
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

# A call shorter than this is repeated until the batch lasts about as long, lest we time the clock.
SHORTEST_BATCH = 0.02


class AnswersDiffer(Exception):
    """Two sides disagree on the same input; no time is reported for them."""


@dataclass(frozen=True)
class Side:
    """One contestant. `before` runs, untimed, ahead of every call."""

    call: Callable[[], Any]
    before: Callable[[], None] | None = None


@dataclass(frozen=True)
class Timing:
    """The time of one call, for each round."""

    rounds: tuple[float, ...]

    @property
    def best(self) -> float:
        return min(self.rounds)

    def micros(self, segments: int) -> Timing:
        """The same rounds in microseconds a segment."""
        return Timing(tuple(1e6 * seconds / segments for seconds in self.rounds))


def race(
    sides: Sequence[Side], rounds: int, check: Callable[..., None], clock: Callable[[], float] = time.perf_counter
) -> list[Timing]:
    """Run every side once and `check` their answers; only then time them, changing who goes first.

    Where all sides have one thread, `time.process_time` as the clock is the better judge on a machine that others use.
    """
    warmups = [_run(side, 1, clock) for side in sides]
    check(*(answer for _, answer in warmups))
    calls = [_batch(side, seconds) for side, (seconds, _) in zip(sides, warmups, strict=True)]
    timings: list[list[float]] = [[] for _ in sides]
    order = list(range(len(sides)))
    for _ in range(rounds):
        for index in order:
            timings[index].append(_run(sides[index], calls[index], clock)[0])
        order.reverse()
    return [Timing(tuple(seconds)) for seconds in timings]


def median_ratio(above: Timing, below: Timing) -> float:
    """The median, over the rounds, of one side's time over the other's in the same round."""
    return statistics.median(a / b for a, b in zip(above.rounds, below.rounds, strict=True))


def _batch(side: Side, seconds: float) -> int:
    """How many calls a round; a side that must be prepared before each call gets one."""
    return 1 if side.before else max(1, math.ceil(SHORTEST_BATCH / max(seconds, 1e-9)))


def _run(side: Side, calls: int, clock: Callable[[], float]) -> tuple[float, Any]:
    if side.before:
        side.before()
    answer = None
    gc.collect()
    gc.disable()
    try:
        start = clock()
        for _ in range(calls):
            answer = side.call()
        return (clock() - start) / calls, answer
    finally:
        gc.enable()
