"""Units in batches, each once, and their results: beside the texts themselves, about 50 bytes for each."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from truebleu._counts import number_of
from truebleu.errors import InputError
from truebleu.runners.cache import KEY_BYTES, key_of
from truebleu.runners.protocol import LONGEST_UNIT, MOST_UNITS, Result, Unit

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray


class UnitBatches:
    """The different ones of some units in the order in which they are scored: the shortest first, ties by their keys.

    They are named by their places in this order. A batch has at most 512 of them, and 4 MiB.
    """

    def __init__(self, units: Sequence[Unit], place: Callable[[Unit], str]) -> None:
        import numpy as np

        keys, sizes = bytearray(), array("Q")
        for unit in units:
            size = sum(len(text.encode()) for text in unit if text is not None)
            if size > LONGEST_UNIT:
                long = number_of(size, "byte", commas=True)
                raise InputError(
                    f"{place(unit)} has {long} with its source and reference, expected at most {LONGEST_UNIT:,}"
                )
            keys += key_of(unit)
            sizes.append(size)
        # NumPy takes zeros at the end of a text away, which tells no two keys of one length apart.
        _, first, inverse = np.unique(np.frombuffer(keys, f"S{KEY_BYTES}"), return_index=True, return_inverse=True)
        order = np.argsort(np.frombuffer(sizes, np.uint64)[first], kind="stable")
        ranks = np.empty_like(order)
        ranks[order] = np.arange(len(order))
        self._units, self._first = units, first[order].astype(np.uint32)
        self.places = ranks[inverse.ravel()].astype(np.uint32)  # of each unit
        self._keys = np.frombuffer(keys, np.uint8).reshape(-1, KEY_BYTES)[self._first].tobytes()
        self.ranges = [*_ranges(np.frombuffer(sizes, np.uint64)[self._first])]

    def __len__(self) -> int:
        return len(self._first)

    def unit(self, place: int) -> Unit:
        """The unit at a place."""
        return self._units[int(self._first[place])]

    def key(self, place: int) -> bytes:
        """Its key in the cache."""
        return self._keys[KEY_BYTES * place : KEY_BYTES * (place + 1)]


class UnitResults(Sequence[Result]):
    """A result for each unit: scores and lost tokens are in arrays, and only what says more is an object."""

    def __init__(self, batches: UnitBatches) -> None:
        import numpy as np

        self._places = batches.places
        self.is_there = np.zeros(len(batches), bool)
        self._scores, self._cut = np.full(len(batches), np.nan), np.zeros(len(batches), np.uint32)
        self._more: dict[int, Result] = {}

    def update(self, results: Mapping[int, Result]) -> None:
        """Take results by the places of their units."""
        for place, one in results.items():
            self.is_there[place] = True
            self._scores[place] = float("nan") if one.score is None else one.score
            self._cut[place] = one.cut
            if one.score is None or one.spans or one.parts or one.said:
                self._more[place] = one

    def at(self, place: int) -> Result:
        """The result of the unit at a place."""
        found = self._more.get(place)
        return Result(float(self._scores[place]), int(self._cut[place])) if found is None else found

    @property
    def scores(self) -> NDArray[np.float64]:
        """The score of each unit; not a number where there is none."""
        return self._scores[self._places]

    def __getitem__(self, at: Any) -> Any:
        return self.at(int(self._places[at]))

    def __len__(self) -> int:
        return len(self._places)


def _ranges(sizes: NDArray[np.uint64]) -> Iterator[range]:
    start = total = 0
    for at, size in enumerate(sizes.tolist()):
        if at > start and (at - start == MOST_UNITS or total + size > LONGEST_UNIT):
            yield range(start, at)
            start, total = at, 0
        total += size
    yield range(start, len(sizes))
