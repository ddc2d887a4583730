"""Scores that grow batch by batch, in constant memory: update, compute, reset and merge, like torchmetrics.

Text goes in once and is forgotten; only the totals of the rows are kept.

>>> from truebleu.metrics import BLEU
>>> total = Accumulator(BLEU())
>>> total.update(["a grey heron stood there"], [["a heron stood there", "a grey heron stood here"]])
>>> total.update(["it flew away at noon"], ["it flew away at noon"])
>>> print(total.compute())
BLEU = 93.06 100.0/100.0/100.0/75.0 (BP = 1.000 ratio = 1.000 hyp_len = 10 ref_len = 10)
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping, Sequence
from operator import add
from typing import NamedTuple

import numpy as np

from truebleu._counts import number_of
from truebleu._inputs import brief, check_instance, check_pair, group, kind_of, ordered
from truebleu._options import whole_number
from truebleu._typing import TYPE_CHECKING, Any, Generic
from truebleu.errors import InputTypeError, NothingAdded, StatsMismatch
from truebleu.glance import warn_of_layout
from truebleu.metrics.base import Metric, S, add_few
from truebleu.metrics.names import as_metric
from truebleu.stats import UNITS, mean_columns

if TYPE_CHECKING:
    from truebleu.columns import Totals
    from truebleu.stats import Stats

_STATE = ("segments", "totals", "references", "fingerprint")
_EXACT = "exact"  # more of the state, where columns are means
_MOST_REFERENCES = 16  # of a segment: with as many and fewer, a mean is a whole number of UNITS


class Sums(NamedTuple):
    """The totals of rows, and what signatures need.

    Attributes
    ----------
    segments
        How many rows there were.
    totals
        The total of each column.
    references
        The smallest and the largest number of references of a segment.
    exact
        The totals of columns that are means over references, as whole numbers of 1/720720; None if unknown.
    in_order
        Whether means were added row by row, as metrics do. Sums of sums have no such order, and their means are exact.
    """

    segments: int
    totals: tuple[float, ...]
    references: tuple[int, int]
    exact: tuple[int, ...] | None = ()
    in_order: bool = True

    @classmethod
    def nothing(cls, columns: int, means: int = 0) -> Sums:
        """Make the sums that there are before the first row.

        Parameters
        ----------
        columns, means
            How many columns rows have, and how many of these are means over references that are to be added exactly.
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
        totals = tuple(map(add, self.totals, other.totals))
        return self._plus(other.segments, totals, other.references, other.exact, not other.segments)

    def plus_rows(self, stats: Stats) -> Sums:
        """Add the rows of a batch, one by one in their order.

        Parameters
        ----------
        stats
            The rows.
        """
        # As Stats.sum does: TER's mean lengths are not whole, and the order of addition shows in the last bit.
        totals = np.concatenate([[self.totals], stats.rows]).cumsum(axis=0)[-1].tolist()
        return self._plus(len(stats), tuple(totals), stats.references, _exact_means(stats))

    def _plus(
        self, segments: int, totals: Any, references: tuple[int, int], means: Any, is_ordered: bool = True
    ) -> Sums:
        fewest, most = min(self.references[0], references[0]), max(self.references[1], references[1])
        exact = None if self.exact is None or means is None else tuple(map(add, self.exact, means))
        return Sums(self.segments + segments, totals, (fewest, most), exact, self.in_order and is_ordered)


def _scored(sums: Sums, units: Sequence[int]) -> list[float]:
    """The totals as they are scored; `units` says for each how many whole numbers make one."""
    if sums.in_order or sums.exact is None:
        return list(sums.totals)
    means = iter(sums.exact)
    return [total if unit == 1 else next(means) / unit for total, unit in zip(sums.totals, units, strict=True)]


def _exact_means(stats: Stats) -> tuple[int, ...] | None:
    """The totals of columns that are means over references, as whole numbers of UNITS; None if some are no such."""
    means = mean_columns(str(stats.fingerprint.get("metric")))
    places = [at for at, column in enumerate(stats.columns) if column in means]
    fewest, most = stats.references
    if not places:
        return ()
    if any(UNITS % max(count, 1) for count in range(fewest, most + 1)):
        return None
    return tuple(np.rint(stats.rows[:, places] * UNITS).astype(np.int64).sum(axis=0).tolist())


class Accumulator(Generic[S]):
    """A metric, and the totals of all batches so far.

    `compute()` equals `metric.corpus_score` on everything since the last reset, to the last bit. It may be shared
    between threads, pickled, and merged with others that counted elsewhere with the same options. A merged result has
    the same bits whichever process counted which part, in any order: after a merge, TER's mean lengths are added
    exactly, as in `truebleu.columns`, and not in the order of the segments.

    Parameters
    ----------
    metric
        The metric that counts and scores, or its name on the command line, such as "bleu".
    resegment
        Whether the texts of each batch are to be divided into the segments of its references first, as metrics take it.
        `target` is then as ever, a list with the references of each segment: `[[text] for text in stream]`, and not
        `[stream]`, which is one segment with many references.

    Examples
    --------
    >>> from truebleu.metrics import BLEU
    >>> part, total = Accumulator(BLEU()), Accumulator(BLEU())
    >>> part.update(["a grey heron stood there"], ["a grey heron stood here"])
    >>> total.merge(part.state)
    >>> len(total)
    1
    """

    def __init__(self, metric: Metric[S] | str, *, resegment: bool | str = False) -> None:
        metric = as_metric("Accumulator", "metric", metric)
        if not isinstance(metric, Metric):
            raise InputTypeError(
                f"Accumulator: metric is of type {type(metric).__name__}, expected a metric such as BLEU()"
            )
        self._metric = metric
        self._resegment = resegment
        self._division: dict[str, str] = {}
        if resegment is not False:
            from truebleu.resegmentation.corpus import signed_division

            self._division = signed_division("Accumulator", resegment)
        self._units = tuple(UNITS if column in metric.mean_columns else 1 for column in metric.columns)
        self._means = self._mean_places()
        self._lock = threading.Lock()
        self.reset()

    @property
    def metric(self) -> Metric[S]:
        """The metric that counts and scores."""
        return self._metric

    def update(
        self, preds: Sequence[str], target: Sequence[Sequence[str | None] | str], *, threads: int | None = None
    ) -> None:
        """Count a batch.

        Parameters
        ----------
        preds
            The output of the system, one string for each segment.
        target
            For each segment the list of its references; if every segment has only one, the strings themselves. A stream
            for all segments, as `corpus_score` takes it, is not meant.
        threads
            How many threads count; all cores unless given.
        """
        if threads is not None or not self._add_few(preds, target):
            self._add(preds, target, threads)

    def __call__(
        self, preds: Sequence[str], target: Sequence[Sequence[str | None] | str], *, threads: int | None = None
    ) -> S:
        """Count a batch, and return the score of this batch alone."""
        return self._metric.score(self._add(preds, target, threads))

    def compute(self) -> S:
        """The score of everything since the last reset."""
        sums = self._sums
        if not sums.segments:
            raise NothingAdded(f"Accumulator: no batch has been counted by this {self._metric.name}: call update first")
        return self._metric.score_totals(_scored(sums, self._units), sums.references, self._division)

    def reset(self) -> None:
        """Forget everything."""
        with self._lock:
            self._sums = self._nothing()

    def merge(self, other: Accumulator[Any] | Mapping[str, Any] | Totals) -> None:
        """Add the totals of another accumulator. It must have counted with the same options.

        Parameters
        ----------
        other
            The other accumulator, or its `state`; or the `columns.Totals` of a table, of which all keys are added.
        """
        state: Any = other.state if isinstance(other, Accumulator) else other
        if hasattr(other, "to_arrow"):
            from truebleu.columns import Totals

            state = other.state(self._metric) if isinstance(other, Totals) else other
        theirs = self._checked(state)
        with self._lock:
            self._sums = self._sums.plus(theirs)

    @property
    def state(self) -> dict[str, Any]:
        """The totals as plain numbers, ready for JSON: the data that another process needs for `merge`."""
        sums, names = self._sums, self._mean_names()
        return {
            "segments": sums.segments,
            "totals": dict(zip(self._metric.columns, _scored(sums, self._units), strict=True)),
            "references": list(sums.references) if sums.segments else None,
            "fingerprint": {**self._metric.fingerprint(), **self._division},
            **({_EXACT: sums.exact and dict(zip(names, sums.exact, strict=True))} if names else {}),
        }

    def __len__(self) -> int:
        """The number of segments seen."""
        return self._sums.segments

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"Accumulator({self._metric!r}, {number_of(len(self), 'segment')})"

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "_lock"}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.Lock())
        self._means = self._mean_places()

    def _nothing(self) -> Sums:
        return Sums.nothing(len(self._units), len(self._mean_names()))

    def _add_few(self, preds: Any, target: Any) -> bool:
        """Count a few short texts, and tell whether they were no more than that."""
        if self._resegment is not False:
            return False
        with self._lock:
            sums = self._sums
            found = add_few(self._metric, preds, target, sums.totals, self._means, UNITS)
            if found is None or (self._means and found[2][1] > _MOST_REFERENCES):
                return False
            totals, segments, references, means = found
            if references != sums.references:
                references = min(references[0], sums.references[0]), max(references[1], sums.references[1])
            exact = sums.exact and tuple(map(add, sums.exact, means))
            self._sums = Sums(sums.segments + segments, totals, references, exact, sums.in_order)
        return True

    def _add(self, preds: Any, target: Any, threads: int | None) -> Stats:
        """Count a batch, add its rows to the totals, and return them."""
        name = f"Accumulator of {self._metric.name}"
        if self._resegment is False:
            segments = group(name, preds, target, ("preds", "target"))
            streams = segments.streams(name)
            if 1 < len(segments.predictions) == len(streams):
                warn_of_layout(name, "target", segments.predictions, streams, by_segment=True)
            stats = self._metric.stats(segments.predictions, streams, threads=threads, layout="streams")
        else:
            texts = ordered(name, "target", target, "a list with the references of each segment")
            segments = group(name, [""] * len(texts), texts, ("preds", "target"))
            streams = segments.streams(name)
            stats = self._metric.stats(preds, streams, threads=threads, resegment=self._resegment)
        with self._lock:
            self._sums = self._sums.plus_rows(stats)
        return stats

    def _mean_places(self) -> list[int]:
        return [at for at, unit in enumerate(self._units) if unit > 1]

    def _mean_names(self) -> list[str]:
        return [self._metric.columns[at] for at in self._means]

    def _checked(self, state: Any) -> Sums:
        """The sums of a state, if it is one, and of the same rows."""
        if not isinstance(state, Mapping) or set(state) - {_EXACT} != set(_STATE):
            raise InputTypeError(
                f"Accumulator.merge: other is {kind_of(state)}, expected an Accumulator or its state, "
                f"which has {', '.join(_STATE)}"
            )
        ours = {**self._metric.fingerprint(), **self._division}
        theirs, totals = state["fingerprint"], state["totals"]
        for name, value in (("fingerprint", theirs), ("totals", totals)):
            check_instance("Accumulator.merge", name, value, Mapping, "what an accumulator's state has")
        for key in {**ours, **theirs}:
            same = ours.get(key) == theirs.get(key)
            if hasattr(same, "__len__") or not same:  # an array compares cell by cell
                pair = f"{brief(ours.get(key))} and {brief(theirs.get(key))}"
                raise StatsMismatch(f"what is to be merged differs in {key}: {pair}")
        if tuple(totals) != self._metric.columns:
            raise StatsMismatch(
                f"what is to be merged has the columns {brief(list(totals))}, expected {list(self._metric.columns)}"
            )
        segments = whole_number("Accumulator.merge", "segments", state["segments"], 0, sys.maxsize)
        if not segments:
            return self._nothing()
        sums = self._metric.check_totals(list(totals.values()))
        numbers = dict(zip(totals, sums, strict=True))
        references = check_pair("Accumulator.merge", "references", state["references"])
        return Sums(segments, tuple(sums), references, self._checked_exact(state.get(_EXACT), numbers))

    def _checked_exact(self, exact: Any, totals: Mapping[str, float]) -> tuple[int, ...] | None:
        """The exact totals of a state; None where it has none, so that its floats have to do."""
        names = self._mean_names()
        if exact is None:
            return None if names else ()
        check_instance("Accumulator.merge", _EXACT, exact, Mapping, "what an accumulator's state has")
        if list(exact) != names:
            raise StatsMismatch(f"what is to be merged has exact totals of {brief(list(exact))}, expected {names}")
        for name, parts in exact.items():
            whole_number("Accumulator.merge", f"exact[{name!r}]", parts, 0, 2**63 - 1)
            if abs(parts / UNITS - totals[name]) > 1e-6 * max(1.0, totals[name]):
                raise StatsMismatch(
                    f"what is to be merged has two totals of {name}: {totals[name]} and {parts}/{UNITS}"
                )
        return tuple(exact.values())
