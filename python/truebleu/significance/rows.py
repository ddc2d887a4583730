"""What every test asks of rows before it starts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from truebleu.errors import LengthMismatch, TooFew

if TYPE_CHECKING:
    from truebleu.stats import Stats


def require_comparable(what: str, systems: Sequence[Stats]) -> None:
    """Raise unless all systems have equally many segments, at least two, counted the same way."""
    first = systems[0]
    for at, stats in enumerate(systems[1:], 1):
        first.require(stats.fingerprint, f"{what}: the rows of systems 0 and {at}")
        if len(stats) != len(first):
            raise LengthMismatch(f"{what}: system {at} has {len(stats)} segments, system 0 has {len(first)}")
    require_several(what, len(first), "segment")


def require_several(what: str, count: int, kind: str) -> None:
    """Raise unless there are at least two to draw from."""
    if count < 2:
        raise TooFew(f"{what}: there is {count} {kind}, and resampling needs at least 2: one is always itself")


def identical(one: Stats, other: Stats) -> bool:
    """Whether all rows are equal: such systems cannot be told apart."""
    import numpy as np

    return bool(np.array_equal(one.rows, other.rows))
