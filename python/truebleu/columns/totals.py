"""Totals: the sums of rows for each key, as whole numbers, in any order of addition."""

from __future__ import annotations

import json
import operator
import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from truebleu._arrow import make_table
from truebleu._core import Column, ColumnBatch
from truebleu._counts import number_of
from truebleu._inputs import brief, check_instance, ordered
from truebleu._options import EXACT
from truebleu._shown import shown
from truebleu.columns.parquet import load_pyarrow, writing
from truebleu.columns.schema import KEY_TYPES, METADATA, Measure, measures
from truebleu.columns.table import batches, column_of, from_arrow
from truebleu.errors import EmptyCorpus, InputError, InputTypeError, StatsMismatch, UnknownField
from truebleu.glance import many_stops
from truebleu.metrics import Metric, Score
from truebleu.metrics.preparation import warn_of_stops
from truebleu.stats import UNITS, Stats, mean_columns

Key = tuple[Any, ...]

_LARGEST = 2**63 - 1  # of an int64


class Sums(NamedTuple):
    """What is left of rows: the totals of their columns, and what signatures and warnings need.

    Parameters
    ----------
    segments
        How many rows there were.
    totals
        The total of each column.
    references
        The smallest and the largest number of references of a segment.
    exact
        The totals of columns that are means over references, as whole numbers of 1/720720; None if they have none.
    in_order
        Whether means were added row by row, as metrics do. Sums of sums have no such order, and their means are exact.
    stops
        How many hypotheses end in a detached full stop.
    """

    segments: int
    totals: tuple[float, ...]
    references: tuple[int, int]
    exact: tuple[int, ...] | None = ()
    in_order: bool = True
    stops: int = 0

    @classmethod
    def nothing(cls, columns: int, means: int = 0) -> Sums:
        """Make the sums that there are before the first row.

        Parameters
        ----------
        columns
            How many columns the rows have.
        means
            How many of them are means over references that are to be added exactly.
        """
        # The smallest number of references starts above that of any segment, so the first batch decides it.
        return cls(0, (0.0,) * columns, (2**62, 0), (0,) * means)

    def plus(self, other: Sums) -> Sums:
        """Add other sums.

        Parameters
        ----------
        other
            The sums to add; totals are ours plus theirs, in this order.
        """
        totals = tuple(map(operator.add, self.totals, other.totals))
        in_order, stops = self.in_order and not other.segments, self.stops + other.stops
        return Sums(
            self.segments + other.segments, totals, *self._joined(other.references, other.exact), in_order, stops
        )

    def plus_rows(self, stats: Stats, stops: int = 0) -> Sums:
        """Add the rows of a batch, one by one in their order.

        Parameters
        ----------
        stats
            The rows.
        stops
            As in the constructor.
        """
        # As Stats.sum does: TER's mean lengths are not whole, and the order of addition shows in the last bit.
        totals = np.concatenate([[self.totals], stats.rows]).cumsum(axis=0)[-1].tolist()
        segments, joined = self.segments + len(stats), self._joined(stats.references, _exact_means(stats))
        return Sums(segments, tuple(totals), *joined, self.in_order, self.stops + stops)

    def _joined(
        self, references: tuple[int, int], exact: tuple[int, ...] | None
    ) -> tuple[tuple[int, int], tuple[int, ...] | None]:
        fewest, most = min(self.references[0], references[0]), max(self.references[1], references[1])
        means = None if self.exact is None or exact is None else tuple(map(operator.add, self.exact, exact))
        return (fewest, most), means


def sums_of_cells(
    segments: int, cells: Sequence[int], units: Sequence[int], references: tuple[int, int], stops: int = 0
) -> Sums:
    """Make sums of totals as whole numbers; `units` says for each column how many of these make one."""
    pairs = list(zip(cells, units, strict=True))
    totals = tuple(cell if unit == 1 else cell / unit for cell, unit in pairs)
    return Sums(segments, totals, references, tuple(cell for cell, unit in pairs if unit > 1), False, stops)


def cells_of(sums: Sums, units: Sequence[int]) -> list[int]:
    """Give totals as whole numbers."""
    means = iter(sums.exact or ())
    return [int(total) if unit == 1 else next(means) for total, unit in zip(sums.totals, units, strict=True)]


def scored(sums: Sums, units: Sequence[int]) -> list[float]:
    """Give totals as they are scored: they become floats only now, each rounded once."""
    if sums.in_order or sums.exact is None:
        return [float(total) for total in sums.totals]
    return [cell / unit for cell, unit in zip(cells_of(sums, units), units, strict=True)]


def _exact_means(stats: Stats) -> tuple[int, ...] | None:
    """The totals of columns that are means over references, as whole numbers of 1/720720; None if some are no such."""
    means = mean_columns(str(stats.fingerprint.get("metric")))
    places = [at for at, column in enumerate(stats.columns) if column in means]
    fewest, most = stats.references
    if not places:
        return ()
    if any(UNITS % max(count, 1) for count in range(fewest, most + 1)):
        return None
    return tuple(np.rint(stats.rows[:, places] * UNITS).astype(np.int64).sum(axis=0).tolist())


class KeyTotals:
    """The totals of one key."""

    __slots__ = ("skipped", "sums")

    def __init__(self, skipped: int, sums: tuple[Sums, ...]) -> None:
        self.skipped, self.sums = skipped, sums

    @property
    def segments(self) -> int:
        """How many rows were counted."""
        return self.sums[0].segments

    def plus(self, other: KeyTotals) -> KeyTotals:
        """Add other rows with this key."""
        sums = tuple(ours.plus(theirs) for ours, theirs in zip(self.sums, other.sums, strict=True))
        return KeyTotals(self.skipped + other.skipped, sums)


class KeyTables(Mapping[Key, KeyTotals]):
    """The totals of many keys as tables of whole numbers, one for each metric; they become objects when asked for.

    A table has the cells of the metric, then segments, detached full stops, and the smallest and largest number of
    references. Keys of one column are kept as their values, for a tuple takes more memory than most of these.
    """

    def __init__(self, metrics: Sequence[Measure], width: int) -> None:
        self._measures, self._rows, self._is_single = tuple(metrics), dict[Any, int](), width == 1
        self.skipped = np.zeros(0, np.int64)
        self.tables = [np.zeros((0, len(one.units) + 4), np.int64) for one in metrics]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Key]:
        return ((value,) for value in self._rows) if self._is_single else iter(self._rows)

    def __getitem__(self, key: Key) -> KeyTotals:
        if self._is_single and len(key) != 1:
            raise KeyError(key)
        row = self._rows[key[0] if self._is_single else key]
        return self._made(int(self.skipped[row]), [table[row].tolist() for table in self.tables])

    def _made(self, skipped: int, lines: Iterable[list[int]]) -> KeyTotals:
        sums = [
            sums_of_cells(segments, cells, one.units, (fewest, most), stops)
            for one, (*cells, segments, stops, fewest, most) in zip(self._measures, lines, strict=True)
        ]
        return KeyTotals(skipped, tuple(sums))

    def add(self, keys: Collection[Key], skipped: NDArray[np.int64], tables: Sequence[NDArray[np.int64]]) -> None:
        """Add the totals of different keys."""
        rows, given = self._rows, (key for (key,) in keys) if self._is_single else iter(keys)
        places = np.fromiter((rows.setdefault(key, len(rows)) for key in given), np.int64, len(keys))
        if len(rows) > len(self.skipped):
            self._grow(max(len(rows), 3 * len(self.skipped) // 2))
        self.skipped[places] += skipped
        for measure, ours, theirs in zip(self._measures, self.tables, tables, strict=True):
            before = ours[places]
            sums = before[:, :-2] + theirs[:, :-2]
            if (sums < 0).any():
                row, cell = np.argwhere(sums < 0)[0].tolist()
                total, name = int(before[row, cell]) + int(theirs[row, cell]), [*measure.cells, "segments"][cell]
                raise InputError(f"columns: the total of {name!r} is {total}, more than an int64 holds")
            before[:, :-2] = sums
            np.minimum(before[:, -2], theirs[:, -2], out=before[:, -2])
            np.maximum(before[:, -1], theirs[:, -1], out=before[:, -1])
            ours[places] = before

    def _grow(self, rows: int) -> None:
        """Make room for more keys. Before the first segment, the smallest number of references is above any other."""
        more = rows - len(self.skipped)
        self.skipped = np.concatenate([self.skipped, np.zeros(more, np.int64)])
        for at, table in enumerate(self.tables):
            blank = np.zeros((more, table.shape[1]), np.int64)
            blank[:, -2] = 2**31 - 1
            self.tables[at] = np.concatenate([table, blank])

    def in_order(self) -> KeyTables:
        """The totals in the order of their keys, null last."""
        found = KeyTables(self._measures, int(self._is_single))
        if self._is_single:
            keys = [
                *sorted(value for value in self._rows if value is not None),
                *([None] if None in self._rows else []),
            ]
        elif any(None in key for key in self._rows):
            keys = sorted(self._rows, key=lambda key: [(value is None, value) for value in key])
        else:
            keys = sorted(self._rows)
        places = np.fromiter((self._rows[key] for key in keys), np.int64, len(keys))
        found._rows = {key: at for at, key in enumerate(keys)}
        found.skipped, found.tables = self.skipped[places], [table[places] for table in self.tables]
        return found

    def whole(self) -> KeyTotals | None:
        """The sum of all keys, which may be more than an int64 holds."""
        if not self._rows:
            return None
        lines = [
            [*(_exact_sum(column) for column in table.T[:-2]), int(table[:, -2].min()), int(table[:, -1].max())]
            for table in self.tables
        ]
        return self._made(int(self.skipped.sum()), lines)

    def scores(self, at: int) -> tuple[list[float | None], list[str | None]]:
        """The score of each key under a metric, in one native call, and their signatures."""
        measure, table = self._measures[at], self.tables[at]
        counted = table[:, -4] > 0
        chosen = table[counted]
        columns: list[Any] = []
        for name, unit, cells in zip(measure.cells, measure.units, chosen.T, strict=False):
            most = int(cells.max(initial=0))
            if unit == 1 and most > EXACT:
                raise InputError(f"columns: the total of {name!r} is {most}, and above 2^53 a score is not exact")
            # Each is rounded once: beyond 2^53, NumPy would round twice.
            columns.append(cells / unit if most <= EXACT else [cell / unit for cell in cells.tolist()])
        totals = np.ascontiguousarray(np.array(columns, np.float64).T)
        scores = iter(np.frombuffer(measure.metric.engine.score_rows(totals.tobytes())).tolist())
        known: dict[tuple[int, int], str] = {}
        signed: list[str | None] = []
        for is_counted, pair in zip(counted.tolist(), map(tuple, table[:, -2:].tolist()), strict=True):
            if is_counted and pair not in known:
                known[pair] = str(measure.metric.score_totals([0.0] * len(measure.units), pair).signature)
            signed.append(known[pair] if is_counted else None)
        return [next(scores) if is_counted else None for is_counted in counted.tolist()], signed


def _exact_sum(column: NDArray[np.int64]) -> int:
    # Whole numbers wrap around silently in NumPy.
    return int(column.sum()) if column.astype(np.float64).sum() < 2**62 else sum(column.tolist())


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
    whole
        Those of all keys, where rows were added in their order; otherwise they are the sum of the others.
    """

    __slots__ = ("_groups", "_whole", "by", "measures")

    def __init__(
        self, metrics: Sequence[Measure], by: Mapping[str, str], groups: Mapping[Key, KeyTotals], whole: Any = None
    ) -> None:
        self.measures, self.by, self._whole = tuple(metrics), dict(by), whole
        # In the order of the keys, so that equal totals are equal to the byte; null comes last.
        self._groups: Mapping[Key, KeyTotals]
        if isinstance(groups, KeyTables):
            self._groups = groups.in_order()
        else:
            ordered = sorted(groups.items(), key=lambda item: [(value is None, value) for value in item[0]])
            self._groups = dict(ordered)

    def __len__(self) -> int:
        return len(self._groups)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        names = ", ".join(measure.name for measure in self.measures)
        return f"Totals({number_of(len(self), 'key')} of {', '.join(self.by) or 'nothing'}; {names})"

    def keys(self) -> list[Key]:
        """The keys in order, each a tuple with a value for each column of `by`."""
        return list(self._groups)

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
        first, by, packed = given[0], given[0].by, KeyTables(given[0].measures, len(given[0].by))
        groups: dict[Key, KeyTotals] = {}
        are_packed = all(isinstance(part._groups, KeyTables) for part in given)
        for part in given:
            first._require(part)
            by = {name: common_type(name, kind, part.by[name]) for name, kind in by.items()}
            if are_packed and isinstance(part._groups, KeyTables):
                packed.add(part._groups, part._groups.skipped, part._groups.tables)
                continue
            for key, group in part._groups.items():
                groups[key] = groups[key].plus(group) if key in groups else group
        return Totals(first.measures, by, packed if are_packed else groups)

    def score(self, key: Any = ()) -> dict[str, Score]:
        """Score a key: a score for each metric by its name, with its signature.

        Parameters
        ----------
        key
            The values of the columns of `by`; for one column the value itself, without columns nothing.
        """
        group = self._group(key)
        if not group.segments:
            raise EmptyCorpus(f"Totals: all {number_of(group.skipped, 'row')} of the key {brief(key)} were skipped")
        return {one.name: _score(one, sums) for one, sums in zip(self.measures, group.sums, strict=True)}

    def whole(self) -> Totals:
        """Add up all keys: totals without a key column."""
        whole, packed = self._whole, self._groups if isinstance(self._groups, KeyTables) else None
        if packed is not None and whole is None:
            whole = packed.whole()
        for group in self._groups.values() if whole is None and packed is None else ():
            whole = group if whole is None else whole.plus(group)
        return Totals(self.measures, {}, {} if whole is None else {(): whole})

    def of(self, key: Any) -> Totals:
        """Take one key alone: totals without a key column.

        Parameters
        ----------
        key
            As in `score`.
        """
        return Totals(self.measures, {}, {(): self._group(key)})

    def segments(self, key: Any = ()) -> tuple[int, int]:
        """Give the numbers of segments of a key that were counted and skipped.

        Parameters
        ----------
        key
            As in `score`.
        """
        group = self._group(key)
        return group.segments, group.skipped

    def warn(self) -> None:
        """Log warnings about likely mistakes in the counted texts, once for all keys."""
        groups = self._groups
        for at, measure in enumerate(self.measures):
            if isinstance(groups, KeyTables):
                pairs = groups.tables[at][:, [-3, -4]].tolist()
            else:
                pairs = [[one.sums[at].stops, one.segments] for one in groups.values()]
            worst = max(pairs, key=lambda pair: pair[0] / many_stops(pair[1]), default=[0, 0])
            warn_of_stops(measure.metric, *worst)

    def scores(self) -> Any:
        """Score every key: a table with the key, the numbers of segments, the scores, and their signatures."""
        if not self._groups:
            raise EmptyCorpus("columns: there are no rows to score")
        self.warn()
        columns, signatures = self._key_columns(), {}
        if isinstance(self._groups, KeyTables):
            for at, measure in enumerate(self.measures):
                scores, signed = self._groups.scores(at)
                columns[measure.name], signatures[f"{measure.name}_signature"] = ("g", scores), ("u", signed)
            return _table({**columns, **signatures}, None)
        found = [self.score(key) if group.segments else {} for key, group in self._groups.items()]
        for name in (measure.name for measure in self.measures):
            columns[name] = ("g", [scores[name].score if scores else None for scores in found])
            signed = [str(scores[name].signature) if scores else None for scores in found]
            signatures[f"{name}_signature"] = ("u", signed)
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
        units = self.measures[at].units
        sums = sums_of_cells(0, [0] * len(units), units, (2**62, 0))
        for group in self.whole()._groups.values() if self._whole is None else self._groups.values():
            sums = sums.plus(group.sums[at])
        exact = {
            name: cell
            for name, cell, unit in zip(metric.columns, cells_of(sums, units), units, strict=True)
            if unit > 1
        }
        return {
            "segments": sums.segments,
            "totals": dict(zip(metric.columns, scored(sums, units), strict=True)),
            "references": self._references(at),
            "fingerprint": dict(metric.fingerprint()),
            **({"exact": exact} if exact else {}),
        }

    def to_arrow(self) -> Any:
        """Give the totals as an Arrow table, one row for each key: equal totals give equal bytes."""
        columns = self._key_columns()
        groups = () if isinstance(self._groups, KeyTables) else self._groups.values()
        for at, measure in enumerate(self.measures):
            if isinstance(self._groups, KeyTables):
                table = self._groups.tables[at]
                columns |= {name: ("l", table[:, place]) for place, name in enumerate(measure.cells)}
                pairs = [pair if pair[1] else (None, None) for pair in table[:, -2:].tolist()]
                columns[f"{measure.name}_refs_min"] = ("i", [fewest for fewest, _ in pairs])
                columns[f"{measure.name}_refs_max"] = ("i", [most for _, most in pairs])
                columns[f"{measure.name}_detached_stops"] = ("l", table[:, -3])
                columns[f"{measure.name}_id"] = ("u", [measure.id] * len(table))
                continue
            sums = [group.sums[at] for group in groups]
            cells = [cells_of(one, measure.units) for one in sums]
            for place, name in enumerate(measure.cells):
                columns[name] = ("l", [_fitting(name, line[place]) for line in cells])
            references = [one.references if one.references[1] else (None, None) for one in sums]
            columns[f"{measure.name}_refs_min"] = ("i", [fewest for fewest, _ in references])
            columns[f"{measure.name}_refs_max"] = ("i", [most for _, most in references])
            columns[f"{measure.name}_detached_stops"] = ("l", [one.stops for one in sums])
            columns[f"{measure.name}_id"] = ("u", [measure.id] * len(sums))
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
        table = load_pyarrow().table(self.to_arrow())
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

    def _group(self, key: Any) -> KeyTotals:
        key = tuple(key) if isinstance(key, tuple | list) else (key,)
        try:
            return self._groups[key]
        except (KeyError, TypeError):  # a value of the key may be a list, which cannot be a key of a dict
            known = brief(self.keys(), 300)
            raise UnknownField(f"Totals: there is no key {brief(key)}; the keys are {known}") from None

    def _key_columns(self) -> dict[str, tuple[str, Any]]:
        columns: dict[str, tuple[str, Any]] = {}
        for place, (name, kind) in enumerate(self.by.items()):
            columns[name] = (kind, [key[place] for key in self._groups])
        if isinstance(self._groups, KeyTables):
            columns["segments"] = ("l", self._groups.tables[0][:, -4])
            columns["skipped"] = ("l", self._groups.skipped)
            return columns
        columns["segments"] = ("l", [group.segments for group in self._groups.values()])
        columns["skipped"] = ("l", [group.skipped for group in self._groups.values()])
        return columns

    def _references(self, at: int) -> tuple[int, int] | None:
        if isinstance(self._groups, KeyTables):
            found = self._groups.tables[at][self._groups.tables[at][:, -4] > 0, -2:]
            return (int(found[:, 0].min()), int(found[:, 1].max())) if len(found) else None
        pairs = [group.sums[at].references for group in self._groups.values() if group.segments]
        return (min(fewest for fewest, _ in pairs), max(most for _, most in pairs)) if pairs else None

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


def _score(measure: Measure, sums: Sums) -> Score:
    """The score of a key."""
    for name, cell, unit in zip(measure.cells, sums.totals, measure.units, strict=True):
        if unit == 1 and cell > EXACT:
            raise InputError(f"columns: the total of {name!r} is {cell}, and above 2^53 a score is not exact")
    score: Score = measure.metric.score_totals(scored(sums, measure.units), sums.references)
    return score


def _fitting(name: str, total: int) -> int:
    if total > _LARGEST:
        raise InputError(f"columns: the total of {name!r} is {total}, more than an int64 holds")
    return total


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


def _read(batch: ColumnBatch, given: tuple[Measure, ...] | None) -> Totals:
    """The totals of a batch of rows."""
    found = _measures_of(batch, given)
    fixed = {"segments", "skipped", *(name for one in found for name in one.total_columns())}
    times = Counter(batch.names)
    missing = [name for name in sorted(fixed) if times[name] != 1]
    if missing:
        raise StatsMismatch(f"Totals.from_arrow: there is no column {missing[0]!r}, or it is there more than once")
    by = {name: kind for name, kind in zip(batch.names, batch.types, strict=True) if name not in fixed}
    for name, kind in by.items():
        if kind not in KEY_TYPES:
            raise StatsMismatch(f"Totals.from_arrow: the column {name!r} of type {kind!r} is neither a key nor a total")
    columns = {name: batch.values(name) for name in fixed}
    columns |= {name: from_arrow(kind, batch.values(name)) for name, kind in by.items()}
    groups: dict[Key, KeyTotals] = {}
    for row in range(len(batch)):
        group = _group(columns, found, row)
        key = tuple(columns[name][row] for name in by)
        groups[key] = groups[key].plus(group) if key in groups else group
    return Totals(found, by, groups)


def _group(columns: Mapping[str, list[Any]], found: Sequence[Measure], row: int) -> KeyTotals:
    def whole(name: str) -> int:
        value = columns[name][row]
        if isinstance(value, bool) or (
            not isinstance(value, int) and (value is None or type(value).__name__ != "Decimal")
        ):
            raise StatsMismatch(
                f"Totals.from_arrow: {name!r} is {brief(value)} in row {row}, expected a whole number; a sum of "
                "doubles may have been rounded"
            )
        if value < 0:
            raise StatsMismatch(f"Totals.from_arrow: {name!r} is {value} in row {row}, expected a number from 0")
        return int(value)

    sums = []
    segments = whole("segments")
    for measure in found:
        theirs = columns[f"{measure.name}_id"][row]
        if theirs != measure.id:
            raise StatsMismatch(
                f"Totals.from_arrow: {measure.name + '_id'!r} is {brief(theirs)} in row {row}, expected {measure.id}: "
                "other options, another version of Unicode or another tokenizer"
            )
        references = (2**31 - 1, 0) if not segments else (
            whole(f"{measure.name}_refs_min"), whole(f"{measure.name}_refs_max")
        )  # fmt: skip
        cells, stops = [whole(name) for name in measure.cells], whole(f"{measure.name}_detached_stops")
        sums.append(sums_of_cells(segments, cells, measure.units, references, stops))
    return KeyTotals(whole("skipped"), tuple(sums))


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
