"""Rows as text: column by column, as differences to an earlier column, compressed.

`pack` writes the rows of a receipt, which `unpack` reads; `pack_planes` those of a page, which its script reads, and
`unpack_planes` where an older page is held against a new one.

In a receipt, a column of whole numbers is kept as differences to the column that `predict` names, or as it is (-1):
zigzag, so that small negative numbers are small, then LEB128, the little-endian numbers of base 128. A column with
fractions is kept as little-endian float64, all first bytes before all second bytes. All columns together are compressed
by zlib and written in base64. The sizes that this was chosen by are in `docs/receipts.md`.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from truebleu._counts import number_of
from truebleu._options import EXACT
from truebleu.errors import FileFormatError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Limits of a reader, so that a file cannot make it take all memory of the machine.
MOST_CELLS = 10**8
_WIDEST = 10  # bytes of a number


class Packed(NamedTuple):
    """Rows in the form of a receipt."""

    kinds: str  # "i" or "f" for each column
    predict: list[int]  # for each column the earlier column that was subtracted, or -1
    data: str  # base64 of zlib


def pack(rows: NDArray[np.float64], columns: Sequence[str], predictors: Mapping[str, str]) -> Packed:
    """Write rows as text."""
    import numpy as np

    kinds = "".join("i" if _is_whole(rows[:, at]) else "f" for at in range(len(columns)))
    predict = _predict(rows, columns, kinds, predictors)
    parts, columns_of = [], np.ascontiguousarray(rows.T)
    for kind, places in _runs(kinds):
        if kind == "f":
            parts += [_transposed(columns_of[at].astype("<f8").tobytes(), 8) for at in places]
        else:
            near = [columns_of[predict[at]] if predict[at] >= 0 else np.zeros(len(rows)) for at in places]
            parts.append(_leb128((columns_of[places] - near).astype("i8").ravel()))
    return Packed(kinds, predict, deflate(b"".join(parts)))


def unpack(where: str, packed: Packed, n: int) -> NDArray[np.float64]:
    """Read rows that `pack` wrote; any other text is an error, and costs little memory."""
    import numpy as np

    k = len(packed.kinds)
    if n * k > MOST_CELLS:
        raise FileFormatError(
            f"{where} is to hold {number_of(n, 'row')} of {number_of(k, 'column')}, expected at most {MOST_CELLS} cells"
        )
    content = inflate(f"{where}.data", packed.data, _WIDEST * n * k)
    if len(content) < n * k:
        raise FileFormatError(
            f"{where}.data has {number_of(len(content), 'byte')}, too few for {number_of(n, 'row')} of "
            f"{number_of(k, 'column')}"
        )
    rows, at = np.empty((k, n)), 0
    for kind, places in _runs(packed.kinds):
        if kind == "f":
            for column in places:
                raw, at = _transposed(content[at : at + 8 * n], n), at + 8 * n
                if len(raw) < 8 * n:
                    raise FileFormatError(f"{where}.data ends within column {column}")
                rows[column] = np.frombuffer(raw, "<f8")
            continue
        values, at = _numbers(f"{where}.data", content, at, n * len(places))
        for column, differences in zip(places, values.reshape(-1, n), strict=True):
            near = packed.predict[column]
            # Differences beyond 2**54 would not be exact, and real columns do not have them.
            too_large = np.abs(differences).max() > 2 * EXACT
            rows[column] = differences + (rows[near] if near >= 0 else 0)
            if too_large or np.abs(rows[column]).max() >= EXACT:
                raise FileFormatError(f"{where}.data has a number in column {column} that is not below 2**53")
    if not np.isfinite(rows).all():
        raise FileFormatError(f"{where}.data has a number that is not finite")
    if at != len(content):
        raise FileFormatError(f"{where}.data has {number_of(len(content) - at, 'byte')} after the last column")
    return np.ascontiguousarray(rows.T)


def pack_planes(columns: NDArray[np.float64]) -> tuple[list[dict[str, Any]], bytes]:
    """Write cells in few bytes for a script to read, and say how each column is written.

    A column that is the same in all systems is written once. Of a column of whole numbers, that earlier column is
    subtracted (`base`) which leaves the least; the rest goes into as many planes of bytes as it needs (0 for none). A
    column of other numbers is written as doubles (`planes` is 8).
    """
    import numpy as np

    layout: list[dict[str, Any]] = []
    whole: dict[int, NDArray[np.int64]] = {}
    parts: list[bytes] = []
    for at, column in enumerate(columns):
        cells = np.ascontiguousarray(column)
        bits = cells.view(np.int64)  # which tell 0 from minus 0
        shared = bool((bits == bits[:, :1]).all())
        cells = cells[:, :1] if shared else cells
        if not _is_whole(cells, 2**29):  # differences of any two have 32 bits
            parts.append(cells.astype("<f8").tobytes())
            layout.append({"shared": shared, "base": None, "planes": 8})
            continue
        whole[at] = counts = cells.astype(np.int64)
        rests = {base: counts - other for base, other in whole.items() if base != at and other.shape == counts.shape}
        sizes = {base: int(np.abs(rest).sum()) for base, rest in rests.items()}
        best = min(sizes, key=lambda base: (sizes[base], -base), default=None)
        if best is None or sizes[best] >= int(np.abs(counts).sum()):
            best = None
        rest = (counts if best is None else rests[best]).ravel()
        coded = _zigzag(rest)
        planes = (int(coded.max()).bit_length() + 7) // 8
        parts.extend(
            (coded >> np.uint64(8 * plane) & np.uint64(255)).astype(np.uint8).tobytes() for plane in range(planes)
        )
        layout.append({"shared": shared, "base": best, "planes": planes})
    return layout, b"".join(parts)


def unpack_planes(
    where: str, text: str, layout: Sequence[Mapping[str, Any]], shape: tuple[int, int]
) -> NDArray[np.float64]:
    """Read the cells of a page that `pack_planes` and `deflate` wrote, as [column][segment][system]."""
    import numpy as np

    sizes = [(shape[0], 1 if one["shared"] else shape[1]) for one in layout]
    if sum(rows * width for rows, width in sizes) > MOST_CELLS or not all(0 <= one["planes"] <= 8 for one in layout):
        raise FileFormatError(f"{where} is to hold more than {MOST_CELLS} cells, or cells of more than 8 bytes")
    lengths = [rows * width * one["planes"] for (rows, width), one in zip(sizes, layout, strict=True)]
    content, at = inflate(where, text, sum(lengths)), 0
    if len(content) != sum(lengths):
        raise FileFormatError(f"{where} has {number_of(len(content), 'byte')}, expected {sum(lengths)}")
    columns: list[NDArray[Any]] = []
    for one, size, length in zip(layout, sizes, lengths, strict=True):
        part, at = content[at : at + length], at + length
        if one["planes"] == 8:
            columns.append(np.frombuffer(part, "<f8").reshape(size))
            continue
        planes = np.frombuffer(part, np.uint8).reshape(one["planes"], *size).astype(np.int64)
        coded = sum((plane << 8 * place for place, plane in enumerate(planes)), np.zeros(size, np.int64))
        rest = (coded >> 1) ^ -(coded & 1)
        columns.append(rest if one["base"] is None else rest + columns[one["base"]])
    return np.stack([np.broadcast_to(column, shape) for column in columns]).astype(float)


def pack_labels(labels: Sequence[int]) -> str:
    """Write the document of each segment, as differences to the segment before."""
    import numpy as np

    return deflate(_leb128(np.diff(np.array(labels, "i8"), prepend=0)))


def unpack_labels(where: str, data: str, n: int, count: int) -> list[int]:
    """Read what `pack_labels` wrote."""
    import numpy as np

    content = inflate(where, data, _WIDEST * n)
    steps, end = _numbers(where, content, 0, n)
    labels = np.cumsum(steps)
    highest = np.concatenate([[-1], np.maximum.accumulate(labels)])
    # Counted in order of first appearance: no number is skipped.
    if end != len(content) or labels.min() < 0 or (labels > highest[:-1] + 1).any() or highest[-1] + 1 != count:
        raise FileFormatError(f"{where} does not number {number_of(count, 'document')} in order of first appearance")
    found: list[int] = labels.tolist()
    return found


def deflate(content: bytes, level: int = 9) -> str:
    """Compress bytes and write them in base64."""
    return base64.b64encode(zlib.compress(content, level)).decode()


def inflate(where: str, text: str, most: int) -> bytes:
    """Read what `deflate` wrote, if it is not longer than expected."""
    engine = zlib.decompressobj()
    try:
        content = engine.decompress(base64.b64decode(text, validate=True), most + 1)
    except (binascii.Error, ValueError, zlib.error) as error:
        raise FileFormatError(f"{where} is not base64 of zlib: {error}") from error
    if len(content) > most:
        raise FileFormatError(f"{where} holds more than the {number_of(most, 'byte')} that it can need")
    if not engine.eof or engine.unused_data:
        raise FileFormatError(f"{where} is cut off, or something follows it")
    return content


def _runs(kinds: str) -> list[tuple[str, list[int]]]:
    """Neighbouring columns of one kind, by kind and place: they are processed together."""
    return [(kind, list(places)) for kind, places in groupby(range(len(kinds)), key=kinds.__getitem__)]


def _is_whole(cells: NDArray[np.float64], below: int = EXACT) -> Any:
    import numpy as np

    # Minus zero would lose its sign.
    return ((cells == np.rint(cells)) & (np.abs(cells) < below) & ~((cells == 0) & np.signbit(cells))).all()


def _zigzag(values: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Small negative numbers as small numbers from 0."""
    import numpy as np

    return (values << 1 ^ values >> 63).astype(np.uint64)


def _predict(rows: NDArray[np.float64], columns: Sequence[str], kinds: str, predictors: Mapping[str, str]) -> list[int]:
    places = {name: at for at, name in enumerate(columns)}
    found = []
    for at, name in enumerate(columns):
        near = places[predictors[name]] if name in predictors else -1
        if kinds[at] == "f":
            near = -1
        elif not predictors:
            options = [-1, *(one for one in range(at) if kinds[one] == "i")]
            near = min(options, key=lambda one: _entropy(rows[:, at] - (rows[:, one] if one >= 0 else 0)))
        found.append(near if near < 0 or kinds[near] == "i" else -1)
    return found


def _entropy(values: NDArray[np.float64]) -> float:
    import numpy as np

    shares = np.unique(values, return_counts=True)[1] / len(values)
    # Rounded, so that equal ones are equal on every machine.
    return round(float(-(shares * np.log2(shares)).sum()), 9)


def _transposed(content: bytes, width: int) -> bytes:
    """The first byte of each `width` bytes, then the second of each."""
    return b"".join(content[at::width] for at in range(width))


def _leb128(values: NDArray[np.int64]) -> bytes:
    import numpy as np

    zigzag = _zigzag(values)
    # Few numbers have a second byte, and fewer a third: only these are looked at again.
    longer = [np.flatnonzero(zigzag > 127)]
    while len(longer[-1]):
        longer.append(longer[-1][zigzag[longer[-1]] >> np.uint64(7 * (len(longer) + 1)) > 0])
    widths = np.ones(len(zigzag), np.intp)
    for places in longer:
        widths[places] += 1
    ends = np.cumsum(widths)
    starts = ends - widths
    content = np.empty(int(ends[-1]) if len(ends) else 0, np.uint8)
    content[starts] = (zigzag & np.uint64(127)).astype(np.uint8) | (widths > 1).astype(np.uint8) << 7
    for place, places in enumerate(longer, 1):
        bits = (zigzag[places] >> np.uint64(7 * place) & np.uint64(127)).astype(np.uint8)
        content[starts[places] + place] = bits | (widths[places] > place + 1).astype(np.uint8) << 7
    packed: bytes = content.tobytes()
    return packed


def _numbers(where: str, content: bytes, start: int, n: int) -> tuple[NDArray[np.int64], int]:
    """Read n numbers; return them and the position after them."""
    import numpy as np

    given = np.frombuffer(content, np.uint8)[start : start + _WIDEST * n]
    ends = np.flatnonzero(given < 128)[:n]
    if len(ends) < n:
        raise FileFormatError(f"{where} ends too early")
    starts = np.concatenate([[0], ends[:-1] + 1])
    widths = ends - starts + 1
    # A number that could be written with fewer bytes would be another way of writing the same rows.
    if widths.max() > 9 or ((widths > 1) & (given[ends] == 0)).any():
        raise FileFormatError(f"{where} holds a number that is too large, or written with more bytes than it needs")
    zigzag, left = np.zeros(n, np.uint64), np.arange(n)
    for place in range(int(widths.max())):
        left = left[widths[left] > place]
        zigzag[left] |= (given[starts[left] + place] & 127).astype(np.uint64) << np.uint64(7 * place)
    half = (zigzag >> np.uint64(1)).astype(np.int64)
    return half ^ -(zigzag & np.uint64(1)).astype(np.int64), start + int(ends[-1]) + 1
