"""Totals: the sums of rows for each key, as whole numbers, in any order of addition."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truebleu._arrow import make_table
from truebleu._core import Column, ColumnBatch
from truebleu._counts import number_of
from truebleu._inputs import brief, check_instance, ordered
from truebleu._options import EXACT
from truebleu._shown import shown
from truebleu.columns.parquet import load_pyarrow, writing
from truebleu.columns.schema import KEY_TYPES, METADATA, Measure, how_to_add, measures
from truebleu.columns.table import batches, column_of, from_arrow
from truebleu.errors import EmptyCorpus, InputError, InputTypeError, StatsMismatch, UnknownField
from truebleu.glance import many_stops
from truebleu.metrics import Metric, Score
from truebleu.metrics.preparation import warn_of_stops

Key = tuple[Any, ...]
# The sums of rows under each metric with means, added in the order of the rows: of each key, and with () of all rows.
InOrder = dict[Key, list[NDArray[np.float64]]]

_LARGEST = 2**63 - 1  # of an int64
_ADDED = {"sum": np.add, "min": np.minimum, "max": np.maximum}


class KeyTable:
    """The totals of many keys: for each column a line of whole numbers, with a place for each key.

    Keys of one column are kept as their values, for a tuple takes more memory than most of these numbers.
    """

    def __init__(self, ways: Mapping[str, str], width: int) -> None:
        self._ways, self._is_single, self._rows = ways, width == 1, dict[Any, int]()
        self._table: NDArray[Any] = np.zeros((len(ways), 0), np.int64)
        self._bounds = dict.fromkeys(ways, 0.0)  # which no total is above

    @property
    def cells(self) -> dict[str, NDArray[Any]]:
        """The lines by the names of their columns."""
        return dict(zip(self._ways, self._table, strict=True))

    def __len__(self) -> int:
        return len(self._rows)

    def keys(self) -> list[Key]:
        """The keys, in the order of their places."""
        return [(value,) for value in self._rows] if self._is_single else list(self._rows)

    def row(self, key: Key) -> int:
        """The place of a key, or KeyError."""
        if self._is_single and len(key) != 1:
            raise KeyError(key)
        return self._rows[key[0] if self._is_single else key]

    def add(self, keys: Collection[Key], cells: Mapping[str, NDArray[np.int64]]) -> None:
        """Add totals of keys, each as often as it is given."""
        rows, given = self._rows, (key for (key,) in keys) if self._is_single else iter(keys)
        places = np.fromiter((rows.setdefault(key, len(rows)) for key in given), np.int64, len(keys))
        room = self._table.shape[1]
        if len(rows) > room:
            blank = np.zeros((len(self._ways), max(len(rows) - room, room // 2)), np.int64)
            # Before the first segment, the smallest number of references is above any other.
            blank[[way == "min" for way in self._ways.values()]] = 2**31 - 1
            self._table = np.concatenate([self._table, blank], axis=1)
        for (name, way), line in zip(self._ways.items(), self._table, strict=True):
            theirs = fitting(name, cells[name])
            self._bounds[name] += theirs.sum(dtype=np.float64)
            if way != "sum" or self._bounds[name] < 2**62:
                _ADDED[way].at(line, places, theirs)
            else:  # whole numbers wrap around silently in NumPy
                exact = line.astype(object)
                np.add.at(exact, places, theirs.astype(object))
                line[:] = fitting(name, exact)

    def in_order(self) -> KeyTable:
        """The totals in the order of their keys, null last."""
        if self._is_single:
            keys = sorted(value for value in self._rows if value is not None)
            keys += [None] if None in self._rows else []
        elif any(None in key for key in self._rows):
            keys = sorted(self._rows, key=lambda key: [(value is None, value) for value in key])
        else:
            keys = sorted(self._rows)
        places = np.fromiter((self._rows[key] for key in keys), np.int64, len(keys))
        return self._made(int(self._is_single), keys, self._table[:, places])

    def of(self, row: int) -> KeyTable:
        """The totals of one key, without the key."""
        return self._made(0, [()], self._table[:, row : row + 1])

    def whole(self) -> KeyTable:
        """The sum of all keys, which may be more than an int64 holds."""
        if not self._rows:
            return KeyTable(self._ways, 0)
        ways: dict[str, Any] = {"sum": total_of, "min": np.min, "max": np.max}
        sums = [int(ways[way](line)) for way, line in zip(self._ways.values(), self._table, strict=True)]
        return self._made(0, [()], np.array([sums], np.int64 if max(sums) <= _LARGEST else object).T)

    def _made(self, width: int, keys: list[Any], table: NDArray[Any]) -> KeyTable:
        made = KeyTable(self._ways, width)
        made._rows, made._table = {key: at for at, key in enumerate(keys)}, table
        return made


def total_of(cells: NDArray[np.int64]) -> int:
    """Add up whole numbers, however large the sum is."""
    return int(cells.sum()) if cells.sum(dtype=np.float64) < 2**62 else sum(cells.tolist())


def fitting(name: str, cells: NDArray[Any]) -> NDArray[np.int64]:
    """Give whole numbers as those of 64 bits, or raise."""
    largest = int(cells.max(initial=0)) if cells.dtype != np.int64 else 0
    if largest > _LARGEST:
        raise InputError(f"columns: the total of {name!r} is {largest}, more than an int64 holds")
    return cells.astype(np.int64, copy=False)


class Totals:
    """The sums of the rows of each key. They do not depend on the order in which parts were added.

    Parameters
    ----------
    metrics
        The metrics under their names.
    by
        The columns that make a key, with their types as Arrow's C interface writes them.
    groups
        The totals of each key.
    in_order
        The same for scores, where rows were added in their order.
    """

    __slots__ = ("_groups", "_in_order", "_whole", "by", "measures")

    def __init__(
        self, metrics: Sequence[Measure], by: Mapping[str, str], groups: KeyTable, in_order: InOrder | None = None
    ) -> None:
        self.measures, self.by = tuple(metrics), dict(by)
        self._groups = groups.in_order()  # so that equal totals are equal to the byte
        self._whole, self._in_order = None, dict[str, Any]()
        if in_order:
            rows = zip(*(in_order[key] for key in self.keys()), strict=True)
            names = [one.name for one in self.measures if one.has_means]
            self._whole, self._in_order = {(): in_order[()]}, dict(zip(names, map(np.array, rows), strict=True))

    def __len__(self) -> int:
        return len(self._groups)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        names = ", ".join(measure.name for measure in self.measures)
        return f"Totals({number_of(len(self), 'key')} of {', '.join(self.by) or 'nothing'}; {names})"

    def keys(self) -> list[Key]:
        """The keys in order, each a tuple with a value for each column of `by`."""
        return self._groups.keys()

    def __add__(self, other: Totals) -> Totals:
        if not isinstance(other, Totals):
            return NotImplemented
        return Totals.sum([self, other])

    @staticmethod
    def sum(parts: Iterable[Totals]) -> Totals:
        """Add totals of the same metrics and columns, in any order; the result has the keys of all parts.

        Parameters
        ----------
        parts
            The totals.
        """
        given = ordered("Totals.sum", "parts", parts, "a list of Totals")
        for at, part in enumerate(given):
            check_instance("Totals.sum", f"parts[{at}]", part, Totals, "Totals")
        if not given:
            raise EmptyCorpus("Totals.sum: parts is empty, expected at least one Totals")
        first, by, groups = given[0], given[0].by, KeyTable(how_to_add(given[0].measures), len(given[0].by))
        for part in given:
            first._require(part)
            by = {name: common_type(name, kind, part.by[name]) for name, kind in by.items()}
            groups.add(part.keys(), part._groups.cells)
        return Totals(first.measures, by, groups)

    def score(self, key: Any = ()) -> dict[str, Score]:
        """Score a key: a score for each metric by its name, with its signature.

        Parameters
        ----------
        key
            The values of the columns of `by`; for one column the value itself, without columns nothing.
        """
        row, (segments, skipped) = self._row(key), self.segments(key)
        if not segments:
            raise EmptyCorpus(f"Totals: all {number_of(skipped, 'row')} of the key {brief(key)} were skipped")
        rows = slice(row, row + 1)
        pairs = [self._references(at, rows) or (0, 0) for at in range(len(self.measures))]
        sums = [self._sums(at, rows)[0].tolist() for at in range(len(self.measures))]
        return {
            one.name: one.metric.score_totals(*given) for one, *given in zip(self.measures, sums, pairs, strict=True)
        }

    def whole(self) -> Totals:
        """Add up all keys: totals without a key column."""
        return Totals(self.measures, {}, self._groups.whole(), self._whole)

    def of(self, key: Any) -> Totals:
        """Take one key alone: totals without a key column.

        Parameters
        ----------
        key
            As in `score`.
        """
        row = self._row(key)
        in_order: InOrder = {(): [rows[row] for rows in self._in_order.values()]}
        return Totals(self.measures, {}, self._groups.of(row), in_order if self._in_order else None)

    def segments(self, key: Any = ()) -> tuple[int, int]:
        """Give the numbers of segments of a key that were counted and skipped.

        Parameters
        ----------
        key
            As in `score`.
        """
        row, cells = self._row(key), self._groups.cells
        return int(cells["segments"][row]), int(cells["skipped"][row])

    def warn(self) -> None:
        """Log warnings about likely mistakes in the counted texts, once for all keys."""
        cells = self._groups.cells
        for one in self.measures:
            pairs = zip(cells[f"{one.name}_detached_stops"].tolist(), cells["segments"].tolist(), strict=True)
            worst = max(pairs, key=lambda pair: pair[0] / many_stops(pair[1]), default=(0, 0))
            warn_of_stops(one.metric, *worst)

    def scores(self) -> Any:
        """Score every key: a table with the key, the numbers of segments, the scores, and their signatures."""
        if not len(self):
            raise EmptyCorpus("columns: there are no rows to score")
        self.warn()
        columns, signatures, counted = self._key_columns(), {}, self._groups.cells["segments"] > 0
        for at, one in enumerate(self.measures):
            scores = np.frombuffer(one.metric.engine.score_rows(self._sums(at, counted).tobytes("C"))).tolist()
            ends = (self._groups.cells[f"{one.name}_refs_{end}"][counted].tolist() for end in ("min", "max"))
            pairs, nothing = [*zip(*ends, strict=True)], [0.0] * len(one.units)
            known = {pair: str(one.metric.score_totals(nothing, pair).signature) for pair in dict.fromkeys(pairs)}
            columns[one.name] = ("g", _spread(scores, counted))
            signatures[f"{one.name}_signature"] = ("u", _spread([known[pair] for pair in pairs], counted))
        return _table({**columns, **signatures}, None)

    def state(self, metric: Metric[Any]) -> dict[str, Any]:
        """Give the sums of all keys under one metric as the state of an `Accumulator`.

        Parameters
        ----------
        metric
            A metric with the options of one of these; the first one that matches is used.
        """
        check_instance("Totals.state", "metric", metric, Metric, "a metric such as BLEU()")
        wanted = Measure("", metric).id
        at = next((at for at, measure in enumerate(self.measures) if measure.id == wanted), None)
        if at is None:
            names = ", ".join(f"{one.name!r} ({one.id})" for one in self.measures)
            raise StatsMismatch(f"none of the metrics {names} has the options of {metric!r} ({wanted})")
        units = dict(zip(metric.columns, self.measures[at].units, strict=True))
        sums = (total_of(self._groups.cells[name]) for name in self.measures[at].cells)
        totals = dict(zip(units, sums, strict=True))
        exact = {name: total for name, total in totals.items() if units[name] > 1}
        return {
            "segments": total_of(self._groups.cells["segments"]),
            "totals": {name: total / units[name] for name, total in totals.items()},
            "references": self._references(at),
            "fingerprint": dict(metric.fingerprint()),
            **({"exact": exact} if exact else {}),
        }

    def to_arrow(self) -> Any:
        """Give the totals as an Arrow table, one row for each key: equal totals give equal bytes."""
        columns, cells = self._key_columns(), self._groups.cells
        for measure in self.measures:
            *names, fewest, most, stops, name_of_id = measure.total_columns()
            columns |= {name: ("l", fitting(name, cells[name])) for name in names}
            for name in (fewest, most):
                columns[name] = ("i", _spread(cells[name][cells[most] > 0].tolist(), cells[most] > 0))
            columns[stops] = ("l", fitting(stops, cells[stops]))
            columns[name_of_id] = ("u", [measure.id] * len(self))
        about = {one.name: one.describe(self._references(at)) for at, one in enumerate(self.measures)}
        return _table(columns, about)

    @staticmethod
    def from_arrow(data: Any, metrics: Any = None) -> Totals:
        """Read totals that `to_arrow` wrote, or that an engine added up; rows with the same key are added.

        Parameters
        ----------
        data
            Any object with Arrow data.
        metrics
            The metrics, if the table has lost its metadata or the metadata do not identify them.
        """
        given = None if metrics is None else measures(metrics)
        parts = [_read(batch, given) for batch in batches(data)]
        if not parts:
            raise EmptyCorpus("Totals.from_arrow: data is empty, expected a table of totals")
        return Totals.sum(parts)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the totals to a Parquet file, whole or not at all.

        Parameters
        ----------
        path
            The file.
        """
        self._save(path, {})

    def _save(self, path: str | os.PathLike[str], more: Mapping[bytes, bytes]) -> None:
        table = load_pyarrow().table(self.to_arrow())
        table = table.replace_schema_metadata({**(table.schema.metadata or {}), **more})
        with writing(path, table.schema) as write:
            for batch in table.to_batches():
                write(batch)

    @staticmethod
    def load(path: str | os.PathLike[str], metrics: Any = None) -> Totals:
        """Read totals from a Parquet file.

        Parameters
        ----------
        path
            The file.
        metrics
            The metrics, if the file does not identify them.
        """
        return Totals.from_arrow(path, metrics)

    def _row(self, key: Any) -> int:
        key = tuple(key) if isinstance(key, tuple | list) else (key,)
        try:
            return self._groups.row(key)
        except (KeyError, TypeError):  # a value of the key may be a list, which cannot be a key of a dict
            known = brief(self.keys(), 300)
            raise UnknownField(f"Totals: there is no key {brief(key)}; the keys are {known}") from None

    def _key_columns(self) -> dict[str, tuple[str, Any]]:
        values = zip(*self.keys(), strict=True) if len(self) else iter([()] * len(self.by))
        columns: dict[str, tuple[str, Any]] = {
            name: (kind, one) for (name, kind), one in zip(self.by.items(), values, strict=True)
        }
        for name in ("segments", "skipped"):
            columns[name] = ("l", fitting(name, self._groups.cells[name]))
        return columns

    def _sums(self, at: int, rows: Any) -> NDArray[np.float64]:
        """The sums of some keys as they are scored: they become floats only now, each rounded once."""
        if self.measures[at].name in self._in_order:
            return np.asarray(self._in_order[self.measures[at].name][rows])
        columns: list[Any] = []
        for name, unit in zip(self.measures[at].cells, self.measures[at].units, strict=True):
            cells = self._groups.cells[name][rows]
            most = int(cells.max(initial=0))
            if unit == 1 and most > EXACT:
                raise InputError(f"columns: the total of {name!r} is {most}, and above 2^53 a score is not exact")
            # Beyond 2^53, NumPy would round twice.
            columns.append(cells / unit if most <= EXACT else [cell / unit for cell in cells.tolist()])
        return np.array(columns, np.float64).T

    def _references(self, at: int, rows: Any = slice(None)) -> tuple[int, int] | None:
        cells, name = self._groups.cells, self.measures[at].name
        counted = cells["segments"][rows] > 0
        fewest, most = (cells[f"{name}_refs_{end}"][rows][counted] for end in ("min", "max"))
        return (int(fewest.min()), int(most.max())) if len(fewest) else None

    def _require(self, other: Totals) -> None:
        ours, theirs = ([measure.name for measure in one.measures] for one in (self, other))
        if ours != theirs or list(self.by) != list(other.by):
            raise StatsMismatch(
                f"totals to be added differ in columns: {', '.join([*self.by, *ours])} and "
                f"{', '.join([*other.by, *theirs])}"
            )
        for mine, yours in zip(self.measures, other.measures, strict=True):
            for field in {**mine.fingerprint, **yours.fingerprint} if mine.id != yours.id else ():
                if mine.fingerprint.get(field) != yours.fingerprint.get(field):
                    pair = f"{mine.fingerprint.get(field)!r} and {yours.fingerprint.get(field)!r}"
                    raise StatsMismatch(f"totals to be added differ in {field} of {mine.name!r}: {pair}")


def common_type(name: str, ours: str, theirs: str) -> str:
    """Give the type of a key's column in two tables; a column of nothing but nulls may have any."""
    if ours != theirs and "n" not in (ours, theirs):
        pair = f"{KEY_TYPES.get(ours, ours)} and {KEY_TYPES.get(theirs, theirs)}"
        raise StatsMismatch(f"totals to be added differ in the type of {name!r}: {pair}")
    return theirs if ours == "n" else ours


def _table(columns: Mapping[str, tuple[str, Any]], about: object) -> Any:
    metadata = None if about is None else json.dumps(about)
    made = [
        Column.of_numbers(kind, values.tobytes()) if isinstance(values, np.ndarray) else column_of(kind, values)
        for kind, values in columns.values()
    ]
    return make_table(list(columns), [made], metadata)


def _spread(values: Iterable[Any], places: NDArray[np.bool_]) -> list[Any]:
    """Put values into their places, and None into the others."""
    left = iter(values)
    return [next(left) if is_there else None for is_there in places.tolist()]


def _read(batch: ColumnBatch, given: tuple[Measure, ...] | None) -> Totals:
    """The totals of a batch of rows; rows with the same key are added."""
    found = _measures_of(batch, given)
    ways = how_to_add(found)
    fixed = {*ways, *(f"{one.name}_id" for one in found)}
    times = Counter(batch.names)
    missing = [name for name in sorted(fixed) if times[name] != 1]
    if missing:
        raise StatsMismatch(f"Totals.from_arrow: there is no column {missing[0]!r}, or it is there more than once")
    by = {name: kind for name, kind in zip(batch.names, batch.types, strict=True) if name not in fixed}
    for name, kind in by.items():
        if kind not in KEY_TYPES:
            raise StatsMismatch(f"Totals.from_arrow: the column {name!r} of type {kind!r} is neither a key nor a total")
    for one in found:
        for row, theirs in enumerate(batch.values(f"{one.name}_id")):
            if theirs != one.id:
                raise StatsMismatch(
                    f"Totals.from_arrow: {one.name + '_id'!r} is {brief(theirs)} in row {row}, expected {one.id}: "
                    "other options, another version of Unicode or another tokenizer"
                )
    segments = _whole_numbers("segments", batch.values("segments"))
    cells = {}
    for name, way in ways.items():
        values = batch.values(name)
        if way != "sum":  # of no references nothing is known
            blank = 2**31 - 1 if way == "min" else 0
            values = [value if some else blank for value, some in zip(values, segments.tolist(), strict=True)]
        cells[name] = _whole_numbers(name, values)
    columns = [from_arrow(kind, batch.values(name)) for name, kind in by.items()]
    groups = KeyTable(ways, len(by))
    groups.add(list(zip(*columns, strict=True)) if by else [()] * len(batch), cells)
    return Totals(found, by, groups)


def _whole_numbers(name: str, values: list[Any]) -> NDArray[np.int64]:
    for row, value in enumerate(values):
        if isinstance(value, bool) or (not isinstance(value, int) and type(value).__name__ != "Decimal"):
            raise StatsMismatch(
                f"Totals.from_arrow: {name!r} is {brief(value)} in row {row}, expected a whole number; a sum of "
                "doubles may have been rounded"
            )
        if value < 0:
            raise StatsMismatch(f"Totals.from_arrow: {name!r} is {value} in row {row}, expected a number from 0")
    return fitting(name, np.array([int(value) for value in values], object))


def _measures_of(batch: ColumnBatch, given: tuple[Measure, ...] | None) -> tuple[Measure, ...]:
    """The metrics of totals: those that were given, else those that the metadata describe."""
    about = batch.metadata()
    if given is not None:
        if about is not None:
            _compare(given, json.loads(about))
        return given
    if about is None:
        raise InputTypeError(
            f"Totals.from_arrow: the table has lost its metadata (the key {METADATA!r} of its schema), as tables do "
            "that other programs wrote: pass metrics, which are compared with the ids in the table"
        )
    from truebleu.metrics.published import metric_from_signature

    try:
        described = json.loads(about)
        made = {name: metric_from_signature(one["signature"]) for name, one in described.items()}
        as_written = {name: one["metric"] for name, one in described.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StatsMismatch(f"Totals.from_arrow: the metadata cannot be read: {shown(error)}") from error
    for name, metric in made.items():
        if repr(metric) != as_written[name]:
            raise StatsMismatch(
                f"Totals.from_arrow: the metric {name!r} is {shown(as_written[name])}, and cannot be made from its "
                "signature: pass metrics"
            )
    return measures(made)


def _compare(given: tuple[Measure, ...], described: Any) -> None:
    """Raise if totals have other metrics or options; the error names the option where an id would not."""
    theirs = described if isinstance(described, dict) else {}
    names = [one.name for one in given]
    if theirs and list(theirs) != names:
        raise StatsMismatch(f"the totals have {', '.join(map(shown, theirs))}, expected {', '.join(names)}")
    for one in given:
        fingerprint = theirs.get(one.name, {}).get("fingerprint", {})
        ours = json.loads(json.dumps(one.fingerprint, default=str))
        for field in {**ours, **fingerprint} if fingerprint else ():
            if ours.get(field) != fingerprint.get(field):
                pair = f"{brief(fingerprint.get(field))}, expected {brief(ours.get(field))}"
                raise StatsMismatch(f"the totals were counted with another {field} of {one.name!r}: {pair}")
