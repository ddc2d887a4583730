"""Warnings about likely mistakes, and messages about work that takes long.

They go to the logger `truebleu`, which never gets a handler. So Python itself shows warnings on standard error unless
the program sets up logging, and other messages only if it does. A loop over segments would give the same warning a
thousand times, so the same words are logged once.
"""

from __future__ import annotations

from _thread import get_ident  # all of `threading` takes long to import
from collections.abc import Callable, Iterator
from contextlib import contextmanager

LOGGER_NAME = "truebleu"

# The function that gets messages in place of `logging`, with their level and text.
_receiver: Callable[[str, str], None] | None = None

# Lists that collect the warnings of a thread as well.
_listeners: list[tuple[int, list[str]]] = []

# Threads whose warnings are dropped.
_silent: list[int] = []

# The system whose texts a thread works on, if there are several.
_systems: dict[int, str] = {}

# Warnings that have been logged. A program that runs for weeks must not collect warnings without limit.
_said: set[str] = set()
_MOST_SAID = 10_000


def send_to(receiver: Callable[[str, str], None] | None) -> None:
    """Pass all messages to a function instead of `logging`, which takes long to import. For the command line."""
    global _receiver
    _receiver = receiver


def has_receiver() -> bool:
    """Tell whether a program of ours hears the messages, which looks at texts itself and knows the names of files."""
    return _receiver is not None


@contextmanager
def heard(messages: list[str]) -> Iterator[None]:
    """Also collect the warnings of this thread meanwhile, including those that have been logged before."""
    listener = get_ident(), messages
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


@contextmanager
def silenced() -> Iterator[None]:
    """Drop the warnings of this thread meanwhile. For texts that have been counted before, in another form."""
    _silent.append(get_ident())
    try:
        yield
    finally:
        _silent.remove(get_ident())


@contextmanager
def at_system(name: str, of: int) -> Iterator[None]:
    """Make warnings of this thread name the system, if there are several."""
    before = _systems.get(get_ident(), "")
    _systems[get_ident()] = name if of > 1 else before
    try:
        yield
    finally:
        _systems[get_ident()] = before
        if not before:
            del _systems[get_ident()]


def of_which() -> str:
    """The words " of SYSTEM" for a message; empty if there is only one system."""
    name = _systems.get(get_ident(), "")
    return f" of {name!r}" if name else ""


def warn(message: str, *values: object) -> None:
    """Log a warning, unless the same words have been logged before."""
    if get_ident() in _silent:
        return
    for thread, messages in tuple(_listeners):
        if thread == get_ident():
            messages.append(message % values)
    if _receiver is None:
        text = message % values
        if text in _said:
            return
        if len(_said) < _MOST_SAID:
            _said.add(text)
    _log("warning", message, *values)


def warn_each_time(message: str, *values: object) -> None:
    """Log a warning that belongs to a result; it is repeated with each."""
    if get_ident() not in _silent:
        _log("warning", message, *values)


def inform(message: str, *values: object) -> None:
    """Log information that is not a warning."""
    _log("info", message, *values)


def forget() -> None:
    """Forget the warnings logged so far. For tests."""
    _said.clear()


def _log(level: str, message: str, *values: object) -> None:
    if _receiver is not None:
        _receiver(level, message % values)
        return
    import logging

    logging.getLogger(LOGGER_NAME).log(getattr(logging, level.upper()), message, *values)
