"""The files that sacreBLEU opens and leaves to the garbage collector: closed where they arise.

Python tells of a file that was never closed when the collector finds it: at any time, in whatever test runs then. Such
a warning fails that test (``filterwarnings`` in pyproject.toml). So the files of the oracle are closed at the end of
the test that had them opened; what the collector still finds was left open by truebleu or by a test.
"""

from __future__ import annotations

import builtins
import gzip
import importlib.util
from types import ModuleType
from typing import IO, Any

_OPENED: list[IO[Any]] = []


def watch() -> None:
    """Remember what sacreBLEU opens from now on. All of its readers share one function, which asks for these names."""
    if importlib.util.find_spec("sacrebleu") is None:
        return
    from sacrebleu import utils

    utils.open = _remembered(builtins.open)
    utils.gzip = ModuleType("gzip")
    utils.gzip.open = _remembered(gzip.open)


def close() -> None:
    """Close what was opened, and forget it."""
    while _OPENED:
        _OPENED.pop().close()


def _remembered(opener: Any) -> Any:
    def opened(*arguments: Any, **options: Any) -> IO[Any]:
        _OPENED.append(opener(*arguments, **options))
        return _OPENED[-1]

    return opened
