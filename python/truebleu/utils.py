"""sacreBLEU's utility names, for old imports. Nothing new belongs here."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import IO, Any, cast

USERHOME = os.path.expanduser("~")
SACREBLEU_DIR = os.environ.get("SACREBLEU", os.path.join(USERHOME, ".sacrebleu"))


def smart_open(file: str | os.PathLike[str], mode: str = "rt", encoding: str = "utf-8") -> IO[Any]:
    """Open a text file, decompressing it if its name ends in `.gz`; only line feeds end lines."""
    if os.fspath(file).endswith(".gz"):
        import gzip

        return cast(IO[Any], gzip.open(file, mode=mode, encoding=encoding, newline="\n"))
    return open(file, mode=mode, encoding=encoding, newline="\n")


def sum_of_lists(lists: Iterable[Iterable[float]]) -> list[float]:
    """The sums of the columns of equally long lists.

    >>> sum_of_lists([[1, 2], [3, 4]])
    [4, 6]
    """
    return [sum(column) for column in zip(*lists, strict=True)]
