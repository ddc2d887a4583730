"""Warnings about what looks like a mistake but may not be one, and news of work that takes long.

They go to the logger `truebleu`. It has a handler that drops them, as a library's should, so nothing is
printed unless the program sets up logging.
"""

from collections.abc import Callable

LOGGER_NAME = "truebleu"


# Where a program of ours wants the messages instead; it gets the level and the text.
_receiver: Callable[[str, str], None] | None = None


def send_to(receiver: Callable[[str, str], None] | None) -> None:
    """Hand all messages to a function and not to `logging`, which takes long to import. For the command line."""
    global _receiver
    _receiver = receiver


def warn(message: str, *values: object) -> None:
    """Log a warning."""
    _log("warning", message, *values)


def inform(message: str, *values: object) -> None:
    """Log something worth knowing that is not a warning."""
    _log("info", message, *values)


def _log(level: str, message: str, *values: object) -> None:
    if _receiver is not None:
        _receiver(level, message % values)
        return
    import logging

    logger = logging.getLogger(LOGGER_NAME)
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    logger.log(getattr(logging, level.upper()), message, *values)
