"""Warnings about what looks like a mistake but may not be one.

They go to the logger `truebleu`. It has a handler that drops them, as a library's should, so nothing is
printed unless the program sets up logging.
"""

LOGGER_NAME = "truebleu"


def warn(message: str, *values: object) -> None:
    """Log a warning."""
    import logging

    logger = logging.getLogger(LOGGER_NAME)
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    logger.warning(message, *values)
