"""Which format a file of scores has, and reading it. A format is a row of `SCORE_FORMATS`."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

from truebleu._inputs import check_path
from truebleu._options import choice
from truebleu.errors import FileFormatError
from truebleu.scores.opened import ScoreFile
from truebleu.scores.table import ScoreTable


class ScoreFormat(NamedTuple):
    """A format: the functions that recognise and read it, and what it is."""

    module: str
    recognise: str
    read: str
    about: str

    def function(self, name: str) -> Callable[..., Any]:
        """One of its functions."""
        found: Callable[..., Any] = getattr(import_module(f"truebleu.scores.{self.module}"), name)
        return found


# The first that recognises the beginning of a file reads it, so that the most particular ones come first.
SCORE_FORMATS = {
    "mtme": ScoreFormat("mtme", "is_segments", "read_segments", "mt-metrics-eval: a system and a score per line"),
    "mtme-domain": ScoreFormat("mtme", "is_domains", "read_domains", "mt-metrics-eval: a domain, a system and a score"),
}


def read(
    path: str | os.PathLike[str], format: str | None = None, *, encoding: str = "utf-8", **options: Any
) -> ScoreTable:
    """Read a file of scores, whose format is recognised by its content.

    Parameters
    ----------
    path
        The file, compressed or not; "-" for standard input.
    format
        The name of its format; None to recognise it.
    encoding
        How its text is encoded.
    **options
        What a format takes.
    """
    file = ScoreFile(check_path("scores.read: path", path), encoding)
    if format is not None:
        chosen = SCORE_FORMATS[choice("scores.read", "format", format, SCORE_FORMATS)]
    else:
        chosen = recognised(file)
    table: ScoreTable = chosen.function(chosen.read)(file, **options)
    return table


def recognised(file: ScoreFile) -> ScoreFormat:
    """Find the format of a file by its content."""
    for one in SCORE_FORMATS.values():
        if one.function(one.recognise)(file):
            return one
    raise FileFormatError(
        f"{file.name}: this is no file of scores that is known; the formats are {', '.join(SCORE_FORMATS)} "
        "(--scores-format names one)"
    )
