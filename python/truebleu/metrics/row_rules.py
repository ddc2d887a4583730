"""Rules that rows of texts obey: each gives a column, where it breaks the rule, and what it should be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from truebleu._typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Cells = Mapping[str, NDArray[np.float64]]
    Rules = Iterator[tuple[str, NDArray[np.bool_], str]]


def not_whole(cells: Cells, names: Iterable[str]) -> Rules:
    """Give the rule that columns are counts."""
    for name in names:
        yield name, cells[name] != cells[name].round(), "a whole number"


def not_means(cells: Cells, names: Iterable[str], summed: bool) -> Rules:
    """Give the rules of scores from 0 to 1 that three cells hold, beside the number of segments."""
    yield from not_of_one_segment(cells, summed)
    for name in names:
        high, middle, low = (cells[f"{name}_{at}"] for at in range(3))
        yield from not_whole(cells, (f"{name}_0", f"{name}_1"))
        # As `crates/core/src/metrics/mean.rs` splits it; the last cell need not be whole.
        sums = high / 2**26 + (middle / 2**52 + low / 2**78)
        yield f"{name}_0", sums > cells["segments"], "a score from 0 to 1 for each segment"


def not_of_one_segment(cells: Cells, summed: bool) -> Rules:
    """Give the rule that a row is of one segment, or of several if it is a sum."""
    yield from not_whole(cells, ("segments",))
    yield "segments", cells["segments"] < 1 if summed else cells["segments"] != 1, "at least 1" if summed else "1"


def not_falling(cells: Cells, names: Sequence[str]) -> Rules:
    """Give the rule that counts fall from order to order."""
    for before, name in pairwise(names):
        yield name, cells[name] > cells[before], f"no more than {before}"


def not_of_length(cells: Cells, names: Sequence[str], length: str, summed: bool) -> Rules:
    """Give the rule that a text of m units has m - n + 1 n-grams of order n; of a sum, only that they fall."""
    import numpy as np

    for less, name in enumerate(names):
        expected = np.maximum(0, cells[length] - less)
        bad = cells[name] > expected if summed else cells[name] != expected
        yield name, bad, f"{'at most ' if summed else ''}{length} - {less}, and no less than 0"
