"""How many calls are open at a time and per minute, when a call is tried again, and when no more are sent.

All waiting goes through a clock, and ends at once when the work is stopped.
"""

from __future__ import annotations

import random
import threading
import time
from email.utils import parsedate_to_datetime

from truebleu.errors import JudgeError

PAUSES = (1.0, 2.0, 4.0, 8.0, 16.0)  # seconds before a call is tried again
LONGEST_PAUSE = 120.0  # that a server may ask for
MOST_FAILURES = 20  # in a row, of all calls together
MOST_JUNK = 3  # in a row, without any good answer
GOOD_CALLS = 50  # after which one more call at a time is tried again
_BYTES_OF_TOKEN = 3.5  # about


class Stopped(Exception):
    """The work was stopped while a call waited."""


class Clock:
    """The time, and waiting."""

    def now(self) -> float:
        """Seconds that only grow."""
        return time.monotonic()

    def date(self) -> float:
        """Seconds since 1970, which dates in headers are of."""
        return time.time()

    def wait(self, seconds: float, stopped: threading.Event) -> None:
        """Wait, unless the work is stopped."""
        stopped.wait(seconds)


class Pace:
    """What calls of several threads have in common."""

    def __init__(self, jobs: int, rate: float | None = None, clock: Clock | None = None) -> None:
        self.clock, self.stopped = clock or Clock(), threading.Event()
        self.jobs = self._most = jobs
        self._interval = 60.0 / rate if rate else 0.0
        self._turn = threading.Condition()
        self._open = self._good = self._failures = self._junk = 0
        self._next = float("-inf")
        self.answers = 0

    def enter(self) -> None:
        """Wait until a call may begin."""
        with self._turn:
            while self._open >= self.jobs and not self.stopped.is_set():
                self._turn.wait(0.5)
            self._open += 1
            now = self.clock.now()
            begin = max(now, self._next)
            self._next = begin + self._interval
        if begin > now:
            self.clock.wait(begin - now, self.stopped)
        if self.stopped.is_set():
            self.leave()
            raise Stopped

    def leave(self) -> None:
        """End a call."""
        with self._turn:
            self._open -= 1
            self._turn.notify()

    def succeed(self) -> None:
        """Note a good answer."""
        with self._turn:
            self._failures = self._junk = 0
            self.answers += 1
            self._good += 1
            if self._good >= GOOD_CALLS and self.jobs < self._most:
                self.jobs, self._good = self.jobs + 1, 0
                self._turn.notify()

    def fail(self, why: str, *, is_busy: bool = False, is_junk: bool = False) -> None:
        """Note a call that failed; raise if too many did in a row."""
        with self._turn:
            self._good = 0
            self._failures += 1
            self._junk = self._junk + 1 if is_junk else 0
            if is_busy:
                self.jobs = max(1, self.jobs // 2)
            if self._failures >= MOST_FAILURES or (self._junk >= MOST_JUNK and not self.answers):
                self.stopped.set()
                times = max(self._failures if self._failures >= MOST_FAILURES else 0, self._junk)
                raise JudgeError(f"the judge does not answer ({why}, {times} times in a row)")

    def pause(self, attempt: int, asked: str | None) -> None:
        """Wait before a call is tried again: as long as the server asks for, or longer each time."""
        # The part of chance keeps calls that failed together from coming back together.
        seconds = PAUSES[attempt] * random.uniform(0.75, 1.25)
        told = asked_pause(asked, self.clock.date())
        self.clock.wait(seconds if told is None else told, self.stopped)
        if self.stopped.is_set():
            raise Stopped


def asked_pause(header: str | None, date: float) -> float | None:
    """Read a header Retry-After, which has seconds or a date; None if it has neither."""
    text = (header or "").strip()
    if text.isascii() and text.isdecimal():
        return min(float(text[:9]), LONGEST_PAUSE)
    try:
        seconds = parsedate_to_datetime(text).timestamp() - date
    except (ValueError, TypeError, OverflowError):
        return None
    return min(max(seconds, 0.0), LONGEST_PAUSE)


def estimated_tokens(text_bytes: int) -> float:
    """About how many tokens a text has."""
    return text_bytes / _BYTES_OF_TOKEN


class Purse:
    """What calls may cost: their number, and money at a price per million tokens that go in and come out."""

    def __init__(
        self, most_calls: int | None = None, budget: float | None = None, price: tuple[float, float] = (0.0, 0.0)
    ) -> None:
        self.most_calls, self.budget, self.price = most_calls, budget, price
        self.calls, self.spent, self._reserved = 0, 0.0, 0.0
        self._turn = threading.Lock()

    def cost(self, tokens_in: float, tokens_out: float) -> float:
        """The price of so many tokens."""
        return (tokens_in * self.price[0] + tokens_out * self.price[1]) / 1e6

    def take(self, tokens_in: float, tokens_out: float) -> float:
        """Reserve the most that a call can cost; raise where that is more than is left."""
        cost = self.cost(tokens_in, tokens_out)
        with self._turn:
            if self.most_calls is not None and self.calls >= self.most_calls:
                raise JudgeError(f"stopped after {self.calls} of {self.most_calls} calls")
            if self.budget is not None and self.spent + self._reserved + cost > self.budget:
                digits, spent = 2 if self.budget >= 1 else 4, self.spent + self._reserved
                raise JudgeError(f"stopped at {spent:.{digits}f} of {self.budget:.{digits}f}")
            self.calls += 1
            self._reserved += cost
        return cost

    def pay(self, reserved: float, usage: tuple[int, int] | None, *, is_charged: bool = True) -> None:
        """Replace what was reserved by what a call did cost; a call without an answer costs nothing."""
        with self._turn:
            self._reserved -= reserved
            if is_charged:
                self.spent += reserved if usage is None else self.cost(*usage)
