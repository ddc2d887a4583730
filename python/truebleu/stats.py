"""Rows: the counts of a text. Everything else is sums.

A metric turns a corpus into `Stats`, one row per segment. Rows of different shards can be put
together, saved and loaded; scores, resamples and breakdowns are computed from rows and never see
text.

>>> from truebleu.metrics import BLEU
>>> bleu = BLEU()
>>> shards = [bleu.stats(["a b c d"], [["a b c d"]]), bleu.stats(["e f g h"], [["e f g x"]])]
>>> both = shards[0] + shards[1]
>>> len(both), both.columns[:3]
(2, ('sys_len', 'ref_len', 'correct_1'))
>>> print(bleu.score(both))
BLEU = 72.31 87.5/83.3/75.0/50.0 (BP = 1.000 ratio = 1.000 hyp_len = 8 ref_len = 8)
"""

from __future__ import annotations

import json
import os
import unicodedata
from collections.abc import Hashable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from truebleu._counts import number_of, there_are
from truebleu._inputs import (
    brief,
    check_instance,
    check_labels,
    check_pair,
    check_path,
    check_text,
    check_texts,
    kind_of,
    ordered,
)
from truebleu._options import EXACT
from truebleu._shown import shown
from truebleu.errors import (
    EmptyCorpus,
    InputFileError,
    InputTypeError,
    LengthMismatch,
    MissingFile,
    OptionError,
    StatsMismatch,
    TooFew,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SCHEMA = 1

# Cells that are means over references travel in parts of this size: the least common multiple of 1 to 16.
UNITS = 720_720

# The fields of a fingerprint about the texts, beside the metric and its options.
DIVISION = ("reseg", "level")


def mean_columns(metric: str) -> tuple[str, ...]:
    """Tell which columns of a metric are means over the references of a segment, and so need not be whole.

    Parameters
    ----------
    metric
        The metric's name.
    """
    from truebleu.metrics.registry import METRICS

    check_instance("mean_columns", "metric", metric, str, "the name of a metric")
    return METRICS[metric].mean_columns if metric in METRICS else ()


class Stats:
    """The rows of a corpus under one metric, one for each segment.

    Parameters
    ----------
    rows
        An array of float64, which becomes read-only. Counts are whole numbers, exact far beyond any corpus.
    columns
        The names of a row's cells.
    fingerprint
        The metric and the options that decided the rows; rows with different fingerprints cannot be put together.
    references
        The smallest and the largest number of references of a segment.
    """

    __slots__ = ("columns", "fingerprint", "references", "rows")

    def __init__(
        self,
        rows: NDArray[np.float64],
        columns: tuple[str, ...],
        fingerprint: Mapping[str, object],
        references: tuple[int, int],
    ) -> None:
        check_instance("Stats", "fingerprint", fingerprint, Mapping, "the metric and its options by name")
        self.columns: tuple[str, ...] = tuple(check_texts("Stats", "columns", columns))
        shape: tuple[int, ...] = getattr(rows, "shape", ())
        if len(shape) != 2 or shape[1] != len(self.columns):
            found = f"shape {shape}" if shape else f"what is {kind_of(rows)}"
            raise StatsMismatch(f"the rows have {found}, expected {number_of(len(self.columns), 'column')}")
        rows.flags.writeable = False
        self.rows = rows
        self.fingerprint: Mapping[str, object] = MappingProxyType({"schema": SCHEMA, **fingerprint})
        self.references = check_pair("Stats", "references", references)

    def __len__(self) -> int:
        return len(self.rows)

    def __reduce__(self) -> tuple[Any, ...]:
        # Written out, because the read-only view of the fingerprint cannot be pickled.
        return Stats, (self.rows, self.columns, dict(self.fingerprint), self.references)

    def __repr__(self) -> str:
        fields = ", ".join(f"{key}={value!r}" for key, value in self.fingerprint.items() if key != "schema")
        return f"Stats({number_of(len(self), 'segment')} × {number_of(len(self.columns), 'column')}, {fields})"

    def sum(self) -> list[float]:
        """Add up all columns, in the order of the segments."""
        if not len(self):
            raise EmptyCorpus("these Stats have no rows, so there is nothing to sum; was the selection empty?")
        totals = self.rows.sum(axis=0)
        # NumPy's own sum may group the rows. That is as good for whole numbers, whose sum is exact in any order; TER's
        # mean lengths are not whole, and order shows in the last bit.
        is_whole = self.rows.min(initial=0) >= 0 and (self.rows == self.rows.round()).all()
        is_exact = is_whole and totals.max(initial=0) <= EXACT
        return [float(total) for total in (totals if is_exact else self.rows.cumsum(axis=0)[-1])]

    def select(self, segments: Sequence[int] | NDArray[np.int_] | NDArray[np.bool_]) -> Stats:
        """Take the rows of some segments: of a document, a domain, a resample.

        Parameters
        ----------
        segments
            Their indices, in any order and as often as wanted, or a flag for each segment.
        """
        import numpy as np

        try:
            places = np.asarray(segments if isinstance(segments, np.ndarray) else list(_ordered_segments(segments)))
        except ValueError:  # lists of different lengths
            places = np.empty((0, 0))
        places = places if places.size or places.ndim != 1 else places.astype(np.intp)
        if places.ndim != 1 or places.dtype.kind not in "iub":
            raise InputTypeError(f"segments is {brief(segments)}, expected a flat list of indices, or of flags")
        if places.dtype.kind == "b" and len(places) != len(self):
            raise LengthMismatch(f"segments has {number_of(len(places), 'flag')}, and {there_are(len(self), 'row')}")
        if places.dtype.kind != "b" and places.size and not -len(self) <= places.min() <= places.max() < len(self):
            raise TooFew(
                f"segments has indices from {places.min()} to {places.max()}, and {there_are(len(self), 'row')}"
            )
        return Stats(self.rows[places], self.columns, self.fingerprint, self.references)

    def group(self, labels: Iterable[Hashable]) -> dict[Hashable, Stats]:
        """Split the rows into those of each document, domain or language, in order of first appearance.

        Parameters
        ----------
        labels
            One label for each segment.

        Examples
        --------
        >>> from truebleu.metrics import BLEU
        >>> stats = BLEU().stats(["a b", "c d", "e f"], [["a b", "c x", "e f"]])
        >>> {label: len(part) for label, part in stats.group(["news", "chat", "news"]).items()}
        {'news': 2, 'chat': 1}
        """
        return {label: self.select(segments) for label, segments in self.members(labels).items()}

    def members(self, labels: Iterable[Hashable]) -> dict[Hashable, list[int]]:
        """Find the segments of each document, domain or language, in order of first appearance.

        Parameters
        ----------
        labels
            One label for each segment.
        """
        members: dict[Hashable, list[int]] = {}
        for segment, label in enumerate(self.check_labels(labels)):
            members.setdefault(label, []).append(segment)
        return members

    def merge(self, labels: Iterable[Hashable]) -> Stats:
        """Add up the rows of each group: documents take the place of segments.

        Parameters
        ----------
        labels
            One label for each segment.
        """
        import numpy as np

        codes: dict[Hashable, int] = {}
        places = [codes.setdefault(label, len(codes)) for label in self.check_labels(labels)]
        rows = np.zeros((len(codes), len(self.columns)))
        np.add.at(rows, places, self.rows)
        return Stats(rows, self.columns, self.fingerprint, self.references)

    def check_labels(self, labels: Iterable[Hashable]) -> list[Hashable]:
        """Give the labels as a list, if there is one for each segment.

        Parameters
        ----------
        labels
            One label for each segment.
        """
        return check_labels("Stats", "labels", labels, len(self))

    def __add__(self, other: Stats) -> Stats:
        if not isinstance(other, Stats):
            return NotImplemented
        return Stats.concatenate([self, other])

    @staticmethod
    def concatenate(parts: Iterable[Stats]) -> Stats:
        """Put the rows of all parts together, in order.

        Parameters
        ----------
        parts
            Rows with the same fingerprint.
        """
        import numpy as np

        parts = list(ordered("Stats.concatenate", "parts", parts, "a list of Stats"))
        for at, part in enumerate(parts):
            check_instance("Stats.concatenate", f"parts[{at}]", part, Stats, "the rows that a metric counted")
        if not parts:
            raise EmptyCorpus("Stats.concatenate: parts is empty, expected at least one Stats")
        first = parts[0]
        for part in parts[1:]:
            first.require(part.fingerprint, "rows to be put together", part.columns)
        fewest, most = zip(*(part.references for part in parts), strict=True)
        rows = np.concatenate([part.rows for part in parts])
        return Stats(rows, first.columns, first.fingerprint, (min(fewest), max(most)))

    @property
    def division(self) -> dict[str, str]:
        """The fields of signatures for texts that were divided again before they were counted."""
        return {key: str(self.fingerprint[key]) for key in DIVISION if key in self.fingerprint}

    def require(self, fingerprint: Mapping[str, object], what: str, columns: tuple[str, ...] | None = None) -> None:
        """Raise StatsMismatch with the name of the field, unless the fingerprint is that of these rows.

        Parameters
        ----------
        fingerprint
            That of a metric, or of other rows.
        what
            The two things that are compared, for the message.
        columns
            The columns that the rows must have; a file may name others than its metric has.
        """
        check_instance("Stats.require", "fingerprint", fingerprint, Mapping, "the metric and its options by name")
        what = shown(check_text("what", what, "what the two things are"), 200)
        other = {"schema": SCHEMA, **fingerprint}
        for key in {**self.fingerprint, **other}:
            if self.fingerprint.get(key) != other.get(key):
                ours, theirs = brief(self.fingerprint.get(key)), brief(other.get(key))
                raise StatsMismatch(f"{what} differ in {brief(key)[1:-1]}: {ours} and {theirs}")
        if columns is not None and check_texts("Stats.require", "columns", columns, "names") != self.columns:
            raise StatsMismatch(f"{what} differ in columns: {brief(self.columns)} and {brief(columns)}")

    def to_arrow(self, name: str | None = None) -> Any:
        """Give the rows as an Arrow table of whole numbers, whose metadata carry the fingerprint.

        Parameters
        ----------
        name
            The beginning of the columns' names; the metric's name in small letters unless given.
        """
        import numpy as np

        from truebleu._arrow import make_table
        from truebleu._core import Column

        name = _checked_name("Stats.to_arrow", name) or str(self.fingerprint.get("metric", "")).lower()
        whole = self.fingerprint.get("metric") != "external"
        made = {}
        for at, (column, unit) in enumerate(zip(self.columns, self._units(), strict=True)):
            cells = np.rint(self.rows[:, at] * unit).astype(np.int64) if whole else self.rows[:, at]
            made[_cell_name(name, column, unit)] = Column.of_numbers("l" if whole else "g", cells.tobytes())
        for side, number in zip(("min", "max"), self.references, strict=True):
            made[f"{name}_refs_{side}"] = Column.of_numbers("i", np.full(len(self), number, np.int32).tobytes())
        about = {"schema": SCHEMA, "fingerprint": dict(self.fingerprint), "references": self.references}
        return make_table(list(made), [list(made.values())], json.dumps({name: about}))

    @staticmethod
    def from_arrow(data: Any, metric: Any = None, *, name: str | None = None) -> Stats:
        """Read rows from `to_arrow` or `columns.rows`; skipped rows are left out.

        Parameters
        ----------
        data
            Any object with Arrow data.
        metric
            The metric that counted them, if the table has lost its metadata; otherwise the two are compared.
        name
            The beginning of their columns' names, if the table has rows of several metrics.
        """
        import numpy as np

        from truebleu._arrow import read

        if metric is not None and not hasattr(metric, "fingerprint"):
            raise InputTypeError(f"Stats.from_arrow: metric is {kind_of(metric)}, expected the metric that counted")
        _checked_name("Stats.from_arrow", name)
        parts = list(read(data))
        name, fingerprint = _described(parts[0], metric, name)
        columns = tuple(metric.columns) if metric is not None else _columns_of(parts[0].names, name)
        means = mean_columns(str(fingerprint.get("metric")))
        units = [UNITS if column in means else 1 for column in columns]
        names = [_cell_name(name, column, unit) for column, unit in zip(columns, units, strict=True)]
        ends = [f"{name}_refs"] * 2 if f"{name}_refs" in parts[0].names else [f"{name}_refs_min", f"{name}_refs_max"]
        missing = [one for one in (*names, *ends) if one not in parts[0].names]
        if missing:
            raise StatsMismatch(f"Stats.from_arrow: there is no column {missing[0]!r}")
        values = [[cell for part in parts for cell in part.values(one)] for one in (*names, *ends)]
        lines = [line for line in zip(*values, strict=True) if None not in line]
        rows = np.array([line[: len(names)] for line in lines], np.float64).reshape(-1, len(names)) / units
        fewest = min((line[-2] for line in lines), default=0)
        return Stats(rows, columns, fingerprint, (fewest, max((line[-1] for line in lines), default=0)))

    def _units(self) -> list[int]:
        means = mean_columns(str(self.fingerprint.get("metric")))
        return [UNITS if column in means else 1 for column in self.columns]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the rows to a file (NumPy's npz), whole or not at all.

        Parameters
        ----------
        path
            The file.
        """
        from pathlib import Path

        import numpy as np

        from truebleu._atomic import replacing

        about = {
            "columns": self.columns,
            "fingerprint": dict(self.fingerprint),
            "references": self.references,
        }
        try:
            with replacing(Path(check_path("path", path))) as file:
                np.savez_compressed(file, rows=self.rows, about=np.array(json.dumps(about)))
        except (OSError, ValueError) as error:  # ValueError: "." has no name
            raise InputFileError(f"path is {brief(path, 300)}, which cannot be written: {str(error)[:200]}") from error

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Stats:
        """Read rows that `save` wrote.

        Parameters
        ----------
        path
            The file.
        """
        import numpy as np

        path = check_path("path", path)
        try:
            with np.load(path, allow_pickle=False) as file:
                rows, about = file["rows"], json.loads(str(file["about"]))
            stats = Stats(rows, tuple(about["columns"]), about["fingerprint"], tuple(about["references"]))
            if rows.dtype != np.float64:
                raise StatsMismatch(f"the rows are of type {rows.dtype}, expected float64")
            if stats.fingerprint["schema"] != SCHEMA:
                raise StatsMismatch(f"rows of schema {brief(stats.fingerprint['schema'])}, expected schema {SCHEMA}")
            # Counts begin at 0; scores from elsewhere may be negative.
            lowest = -np.inf if stats.fingerprint.get("metric") == "external" else 0.0
            bad = np.argwhere(~(np.isfinite(rows) & (rows >= lowest)))
            if len(bad):
                at, column = bad[0]
                expected = "a finite number" if lowest else "a finite number from 0"
                raise StatsMismatch(f"{stats.columns[column]} of rows[{at}] is {rows[at, column]}, expected {expected}")
        except FileNotFoundError as error:
            raise MissingFile(f"path is {brief(path, 300)}, and there is no such file") from error
        except Exception as error:
            where, why = brief(path, 300)[1:-1], str(error)[:200]
            raise StatsMismatch(f"{where} does not hold rows that truebleu saved: {why}") from error
        return stats


def _checked_name(who: str, name: str | None) -> str | None:
    """The name, if it is one that a column can begin with."""
    if name is not None and (not isinstance(name, str) or not 0 < len(name) <= 1000 or "\0" in name):
        raise InputTypeError(f"{who}: name is {brief(name)}, expected the beginning of the names of columns")
    if name is not None and not name.isascii():
        try:
            name.encode()
        except UnicodeError:
            raise InputTypeError(f"{who}: name is {brief(name)}, which cannot be written as text") from None
    return name


def _cell_name(name: str, column: str, unit: int) -> str:
    return f"{name}_{column}" + (f"_{unit}" if unit > 1 else "")


def _columns_of(names: Sequence[str], name: str) -> tuple[str, ...]:
    """The columns of rows under a name, in the order of the table."""
    own = [one.removeprefix(f"{name}_") for one in names if one.startswith(f"{name}_")]
    return tuple(one.removesuffix(f"_{UNITS}") for one in own if one not in ("refs", "refs_min", "refs_max"))


def _described(batch: Any, metric: Any, name: str | None) -> tuple[str, dict[str, object]]:
    """The name and the fingerprint of rows in a table: from its metadata, or from the metric."""
    given = None if metric is None else {"schema": SCHEMA, **metric.fingerprint()}
    about = batch.metadata()
    if about is None:
        if given is None:
            raise InputTypeError("Stats.from_arrow: the table has lost its metadata, so the metric must be given")
        return name or metric.name.lower(), given
    described = json.loads(about)
    if name is None and len(described) > 1 and metric is not None and metric.name.lower() in described:
        name = metric.name.lower()
    if (name is None and len(described) != 1) or (name is not None and name not in described):
        raise OptionError(f"Stats.from_arrow: name is {brief(name)}, and the table has {', '.join(described)}")
    name = next(iter(described)) if name is None else name
    found: dict[str, object] = dict(described[name]["fingerprint"])
    ours, theirs = unicodedata.unidata_version, found.pop("unicode", unicodedata.unidata_version)
    if ours != theirs:
        raise StatsMismatch(f"Stats.from_arrow: the rows were lower-cased by Unicode {theirs}, and here it is {ours}")
    for key in {**found, **(given or found)}:
        if found.get(key) != (given or found).get(key):
            pair = f"{brief(found.get(key))} and {brief((given or found).get(key))}"
            raise StatsMismatch(f"Stats.from_arrow: the rows and the metric differ in {key}: {pair}")
    return name, found


def _ordered_segments(segments: Any) -> Sequence[Any]:
    return ordered("Stats.select", "segments", segments, "a list of indices, or of flags")
