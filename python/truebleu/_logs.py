"""Warnings about what looks like a mistake but may not be one, and news of work that takes long.

They go to the logger `truebleu`, to which no handler is ever added. So Python itself shows warnings on the standard
error as long as the program does not set up logging, and news only where it does. A loop over segments would warn of
one cause a thousand times, so the same words are logged once.
"""

from _thread import get_ident  # all of `threading` takes long to import
from collections.abc import Callable, Iterator
from contextlib import contextmanager

LOGGER_NAME = "truebleu"

# Where a program of ours wants the messages instead; it gets the level and the text.
_receiver: Callable[[str, str], None] | None = None

# Lists that want to have the warnings of a thread as well.
_listeners: list[tuple[int, list[str]]] = []

# Threads whose warnings nobody is to hear.
_silent: list[int] = []

# The system whose texts a thread is at, where there are several.
_systems: dict[int, str] = {}

# What has been warned of. A program that runs for weeks must not collect warnings without end.
_said: set[str] = set()
_MOST_SAID = 10_000


def send_to(receiver: Callable[[str, str], None] | None) -> None:
    """Hand all messages to a function and not to `logging`, which takes long to import. For the command line."""
    global _receiver
    _receiver = receiver


@contextmanager
def heard(messages: list[str]) -> Iterator[None]:
    """Also collect the warnings of this thread meanwhile, those that have been logged before among them."""
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
    """Let warnings of this thread name the system whose texts are meant, if it is one of several."""
    before = _systems.get(get_ident(), "")
    _systems[get_ident()] = name if of > 1 else before
    try:
        yield
    finally:
        _systems[get_ident()] = before
        if not before:
            del _systems[get_ident()]


def of_which() -> str:
    """Which system hypotheses are of, to follow that word in a message: nothing where there is only one."""
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
    """Log a warning that belongs to a result, and is said with each."""
    _log("warning", message, *values)


def inform(message: str, *values: object) -> None:
    """Log something worth knowing that is not a warning."""
    _log("info", message, *values)


def forget() -> None:
    """Forget what has been warned of. For tests."""
    _said.clear()


def _log(level: str, message: str, *values: object) -> None:
    if _receiver is not None:
        _receiver(level, message % values)
        return
    import logging

    logging.getLogger(LOGGER_NAME).log(getattr(logging, level.upper()), message, *values)
