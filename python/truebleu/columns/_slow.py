"""Columns through pyarrow and lists."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from truebleu.errors import InputTypeError

_FORMATS = {
    pa.null(): "n", pa.bool_(): "b", pa.int8(): "c", pa.uint8(): "C", pa.int16(): "s", pa.uint16(): "S",
    pa.int32(): "i", pa.uint32(): "I", pa.int64(): "l", pa.uint64(): "L", pa.string(): "u", pa.large_string(): "u",
    pa.string_view(): "u", pa.date32(): "tdD", pa.date64(): "tdm",
}  # fmt: skip
_TYPES = {"u": pa.string(), **{name: kind for kind, name in _FORMATS.items() if name != "u"}}


class Batch:
    def __init__(self, batch: Any) -> None:
        self.batch = batch
        self.names = list(batch.schema.names)
        self.types = [_format(field.type) for field in batch.schema]

    @staticmethod
    def read(holder: Any) -> Iterator[Batch]:
        if hasattr(holder, "__arrow_c_array__") and not hasattr(holder, "__arrow_c_stream__"):
            yield Batch(pa.record_batch(holder))
            return
        reader = pa.RecordBatchReader.from_stream(holder)
        found = False
        for batch in reader:
            found = True
            yield Batch(batch)
        if not found:
            yield Batch(pa.RecordBatch.from_pylist([], reader.schema))

    def __len__(self) -> int:
        return self.batch.num_rows

    def metadata(self) -> bytes | None:
        return (self.batch.schema.metadata or {}).get(b"truebleu")

    def column(self, name: str) -> Any:
        return self.batch.column(name)

    def values(self, name: str) -> list[Any]:
        return self.batch.column(name).to_pylist()

    def keys(self, by: Sequence[str]) -> tuple[bytes, list[tuple[Any, ...]]]:
        codes: dict[tuple[Any, ...], int] = {}
        columns = [self.values(name) for name in by]
        rows = zip(*columns, strict=True) if columns else [()] * len(self)
        found = [codes.setdefault(key, len(codes)) for key in rows]
        return np.array(found, np.int64).tobytes(), list(codes)

    def texts(self, hypothesis: str, references: Sequence[str], nulls: str) -> Texts:
        return Texts(self, hypothesis, references, nulls)


class Texts:
    def __init__(self, batch: Batch, hypothesis: str, references: Sequence[str], nulls: str) -> None:
        for name in (hypothesis, *references):
            kind = batch.column(name).type
            if not _is_text(kind, name != hypothesis):
                raise InputTypeError(f"columns: {name!r} has the type {kind}, expected strings; cast it")
        self.problem: tuple[str, str, int] | None = None
        self.hypotheses, self.references = [], []
        mask = []
        columns = [batch.values(name) for name in references]
        for row, text in enumerate(batch.values(hypothesis)):
            given: list[str | None] = []
            for column in columns:
                value = column[row]
                given += value if isinstance(value, list) else [value]
            given = [one for one in given if one is not None]
            bad = ("null", hypothesis) if text is None and nulls != "empty" else None
            bad = bad or (None if given else ("no reference", references[0]))
            if bad and nulls != "skip" and self.problem is None:
                self.problem = (*bad, row)
            mask.append(bool(bad))
            if not bad:
                self.hypotheses.append(text or "")
                self.references.append(given)
        self.counted = len(self.hypotheses)
        self.skipped = np.array(mask, np.bool_).tobytes() if any(mask) else None
        self._mask = np.array(mask, np.bool_)

    def refs(self, keep_empty: bool) -> bytes:
        counts = [len(r) if keep_empty or not any(r) else sum(map(bool, r)) for r in self.references]
        return np.array(counts, np.int32).tobytes()

    def odd(self, keep_empty: bool) -> tuple[int, int] | None:
        rows = np.flatnonzero(~self._mask)
        for row, refs in zip(rows, np.frombuffer(self.refs(keep_empty), np.int32), strict=True):
            if 720720 % int(refs):
                return int(row), int(refs)
        return None

    def facts(self, keep_empty: bool, codes: bytes, groups: int) -> list[tuple[int, int, int, int, int]]:
        found = [(0, 0, 2**31 - 1, 0, 0)] * groups
        counted = iter(zip(self.hypotheses, np.frombuffer(self.refs(keep_empty), np.int32), strict=True))
        for code, bad in zip(np.frombuffer(codes, np.int64), self._mask, strict=True):
            n, skipped, low, high, stops = found[code]
            if bad:
                found[code] = (n, skipped + 1, low, high, stops)
                continue
            text, refs = next(counted)
            found[code] = (n + 1, skipped, min(low, int(refs)), max(high, int(refs)), stops + text.endswith(" ."))
        return found

    def lists(self) -> tuple[list[str], list[list[str | None]]]:
        most = max((len(r) for r in self.references), default=0)
        return self.hypotheses, [[r[k] if k < len(r) else None for r in self.references] for k in range(most)]

    def cells(self, engine: Any, keep_empty: bool, units: Sequence[int], threads: int) -> bytes:
        rows = np.frombuffer(engine.rows(*self.lists(), keep_empty, threads)).reshape(-1, len(units))
        return whole(rows, units)

    def scores(self, engine: Any, keep_empty: bool, threads: int) -> bytes:
        return engine.sentence_scores(*self.lists(), keep_empty, threads)

    def totals(
        self, engine: Any, keep_empty: bool, codes: bytes, groups: int, units: Sequence[int], threads: int
    ) -> list[list[int]]:
        cells = np.frombuffer(self.cells(engine, keep_empty, units, threads), np.int64).reshape(-1, len(units))
        return self.grouped(cells, codes, groups)

    def grouped(self, cells: Any, codes: bytes, groups: int) -> list[list[int]]:
        sums = np.zeros((groups, cells.shape[1]), np.int64)
        np.add.at(sums, np.frombuffer(codes, np.int64)[~self._mask], cells)
        return sums.tolist()


def whole(rows: Any, units: Sequence[int]) -> bytes:
    return np.round(rows * np.array(units)).astype(np.int64).tobytes()


def build(data: Mapping[str, Any]) -> Iterator[Batch]:
    yield from Batch.read(pa.table(dict(data)))


def make_table(
    names: Sequence[str], chunks: Sequence[Sequence[Any]], types: Sequence[str | None], metadata: object
) -> Any:
    columns = []
    for at, kind in enumerate(types):
        parts = [chunk[at] for chunk in chunks]
        if isinstance(parts[0], pa.Array):
            columns.append(pa.chunked_array(parts))
        else:
            as_type = _TYPES.get(kind, pa.float64() if kind == "g" else None)
            columns.append(pa.chunked_array([_array(part, as_type) for part in parts]))
    schema = {b"truebleu": json.dumps(metadata).encode()} if metadata is not None else None
    return pa.table(columns, names=list(names)).replace_schema_metadata(schema)


def _array(part: Any, kind: Any) -> Any:
    if isinstance(part, np.ma.MaskedArray):
        return pa.array(np.asarray(part.data), kind, mask=np.ma.getmaskarray(part))
    return pa.array(part, kind)


def _format(kind: Any) -> str:
    while pa.types.is_dictionary(kind):
        kind = kind.value_type
    return _FORMATS.get(kind, str(kind))


def _is_text(kind: Any, lists: bool) -> bool:
    while pa.types.is_dictionary(kind):
        kind = kind.value_type
    if lists and hasattr(kind, "value_type"):
        return _is_text(kind.value_type, False)
    return _FORMATS.get(kind) in ("u", "n")
