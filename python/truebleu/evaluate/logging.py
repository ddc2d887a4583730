"""evaluate's switches for messages, over the logger `truebleu`; and for progress bars, of which there are none."""

from __future__ import annotations

import logging
from logging import CRITICAL, DEBUG, ERROR, FATAL, INFO, NOTSET, WARN, WARNING

from truebleu._options import whole_number

__all__ = [
    "CRITICAL", "DEBUG", "ERROR", "FATAL", "INFO", "NOTSET", "WARN", "WARNING", "disable_progress_bar",
    "enable_progress_bar", "get_logger", "get_verbosity", "is_progress_bar_enabled", "set_verbosity",
    "set_verbosity_debug", "set_verbosity_error", "set_verbosity_info", "set_verbosity_warning",
]  # fmt: skip


def get_logger(name: str | None = None) -> logging.Logger:
    """Get a logger.

    Parameters
    ----------
    name
        Its name; that of truebleu's own messages unless given.
    """
    return logging.getLogger("truebleu" if name is None else name)


def get_verbosity() -> int:
    """The level from which messages of truebleu are shown."""
    return get_logger().getEffectiveLevel()


def set_verbosity(verbosity: int) -> None:
    """Set the level from which messages of truebleu are shown.

    Parameters
    ----------
    verbosity
        A level of Python's `logging`.

    Examples
    --------
    >>> before = get_verbosity()
    >>> set_verbosity_error()
    >>> get_verbosity() == ERROR
    True
    >>> set_verbosity(before)
    """
    get_logger().setLevel(whole_number("set_verbosity", "verbosity", verbosity, 0, 100))


def set_verbosity_debug() -> None:
    """Show all messages."""
    set_verbosity(DEBUG)


def set_verbosity_info() -> None:
    """Show messages, not those for developers."""
    set_verbosity(INFO)


def set_verbosity_warning() -> None:
    """Show warnings and errors."""
    set_verbosity(WARNING)


def set_verbosity_error() -> None:
    """Show errors only."""
    set_verbosity(ERROR)


def enable_progress_bar() -> None:
    """Do nothing: metrics show no progress bar here."""


def disable_progress_bar() -> None:
    """Do nothing: metrics show no progress bar here."""


def is_progress_bar_enabled() -> bool:
    """Whether metrics show progress bars: no."""
    return False
