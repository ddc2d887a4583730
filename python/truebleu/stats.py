"""Rows: what is left of text once it has been counted. Everything else is sums.

A metric turns a corpus into `Stats`, one row a segment. Rows of different shards can be put
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
from collections.abc import Hashable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from truebleu._inputs import (
    FROM_0,
    brief,
    check_instance,
    check_pair,
    check_path,
    check_text,
    check_texts,
    kind_of,
    ordered,
)
from truebleu._shown import shown
from truebleu.errors import (
    EmptyCorpus,
    InputFileError,
    InputTypeError,
    LengthMismatch,
    MissingFile,
    StatsMismatch,
    TooFew,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SCHEMA = 1


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
            raise StatsMismatch(f"the rows have {found}, expected {len(self.columns)} columns")
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
        return f"Stats({len(self)} segments × {len(self.columns)} columns, {fields})"

    def sum(self) -> list[float]:
        """Add up all columns, in the order of the segments."""
        # NumPy's own sum may group the rows; TER's mean lengths are not whole, and order shows in the last bit.
        if not len(self):
            raise EmptyCorpus("these Stats have no rows, so there is nothing to sum; was the selection empty?")
        return [float(total) for total in self.rows.cumsum(axis=0)[-1]]

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
            raise LengthMismatch(f"segments has {len(places)} flags, and there are {len(self)} rows")
        if places.dtype.kind != "b" and places.size and not -len(self) <= places.min() <= places.max() < len(self):
            raise TooFew(f"segments has indices from {places.min()} to {places.max()}, and there are {len(self)} rows")
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
        members: dict[Hashable, list[int]] = {}
        for segment, label in enumerate(self.check_labels(labels)):
            members.setdefault(label, []).append(segment)
        return {label: self.select(segments) for label, segments in members.items()}

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
        checked = list(ordered("Stats", "labels", labels, "a list with one label for each segment"))
        if len(checked) != len(self):
            raise LengthMismatch(f"there are {len(checked)} labels and {len(self)} segments, expected one label each")
        for segment, label in enumerate(checked):
            if label is None or not _is_hashable(label):
                found = kind_of(label)
                raise InputTypeError(
                    f"the label of segment {segment} is {found}, expected a document, domain or the like. {FROM_0}"
                )
        return checked

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

    def require(self, fingerprint: Mapping[str, object], what: str, columns: tuple[str, ...] | None = None) -> None:
        """Raise StatsMismatch, naming the field, unless the fingerprint is that of these rows.

        Parameters
        ----------
        fingerprint
            That of a metric, or of other rows.
        what
            The two things that are held together, for the message.
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
            raise InputFileError(f"path is {brief(path, 300)}, and it cannot be written: {str(error)[:200]}") from error

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


def _is_hashable(label: object) -> bool:
    try:
        hash(label)
    except TypeError:  # also a tuple with a list in it
        return False
    return True


def _ordered_segments(segments: Any) -> Sequence[Any]:
    return ordered("Stats.select", "segments", segments, "a list of indices, or of flags")
