"""A long table of scores: who scored which item of which system by what.

>>> table = ScoreTable.from_columns(
...     system=["a", "a", "b", "b"], item=["1", "2", "1", "2"], metric=["ESA"] * 4, score=[70, 80, 90, None]
... )
>>> table.systems, table.items
(('a', 'b'), ('1', '2'))
>>> table.matrix("ESA")
array([[70., 80.],
       [90., nan]])
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from truebleu._counts import number_of
from truebleu._inputs import as_float, brief, check_instance, check_labels, check_text, ordered, refuse_others
from truebleu._logs import inform
from truebleu._shown import did_you_mean, shown
from truebleu.errors import BadScore, EmptyCorpus, InputError, InputTypeError, LengthMismatch, OptionError
from truebleu.metrics.external import SIGNED, ExternalMetric
from truebleu.scores.rated import RatedMetric
from truebleu.scores.spans import ErrorSpan
from truebleu.stats import Stats

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEVELS = ("segment", "document", "domain", "system")
NO_RATER = -1  # the code of a score that no rater gave

# Names that a program writes for nothing.
_NO_NAMES = {"", "none", "nan", "null"}
# The names of what people do, and of nothing else.
_OF_PEOPLE = re.compile(r"c?esa|mqm|da|sqm|da[-+_ ]?sqm", re.IGNORECASE)
# How many of many names a message lists.
_LISTED = 5


class ScoreColumn(NamedTuple):
    """What a file says about the scores of one name, beside the scores."""

    kind: str = "metric"  # or "qe", "judge", "human"
    model: str | None = None
    revision: str | None = None
    precision: str | None = None
    higher_is_better: bool | None = None  # None: the name and the sign of the scores tell
    weights: str | None = None  # what errors of MQM cost
    z: str | None = None  # "raters", if scores are standardized for each of them


class Codes(dict[str, int]):
    """Numbers of names, in the order in which they are first asked for."""

    def __missing__(self, name: str) -> int:
        self[name] = number = len(self)
        return number


class ScoreCells:
    """Collects scores one by one; a cell takes 24 bytes."""

    def __init__(self) -> None:
        self.names = Codes(), Codes(), Codes(), Codes()
        self._codes = array("i"), array("i"), array("i"), array("i")
        self._scores = array("d")
        self._labels: tuple[dict[int, str], dict[int, str]] = {}, {}
        self._spans: dict[int, Sequence[ErrorSpan]] = {}  # by the place of the score; most have none

    def add(
        self,
        system: str,
        item: str,
        metric: str,
        score: float | None,
        rater: str | None = None,
        document: str | None = None,
        domain: str | None = None,
        spans: Sequence[ErrorSpan] = (),
    ) -> None:
        """Take a score, None if it is missing, and the errors that were marked."""
        place = self.names[_ITEM][item]
        codes = self.names[0][system], place, self.names[2][metric], NO_RATER if rater is None else self.names[3][rater]
        for kept, code in zip(self._codes, codes, strict=True):
            kept.append(code)
        if spans:
            self._spans[len(self._scores)] = spans
        self._scores.append(math.nan if score is None else score)
        for what, labels, label in zip(_OF_ITEMS, self._labels, (document, domain), strict=True):
            if label is not None and labels.setdefault(place, label) != label:
                raise _of_two(what, item, labels[place], label)

    def table(self, **about: Any) -> ScoreTable:
        """Make the table of all scores."""
        codes, scores = self._arrays()
        return self._made(codes, scores, **about)._in_order_of_numbers()

    def last(self, times: Sequence[float] | None = None, **about: Any) -> tuple[ScoreTable, int]:
        """Make the table of the last score of each cell, by the time of each if there are times; count the others."""
        import numpy as np

        codes, scores = self._arrays()
        order = np.arange(len(scores)) if times is None else np.argsort(np.array(times), kind="stable")
        keys = _keys(codes, [len(names) for names in self.names])[order]
        _, places = np.unique(keys[::-1], return_index=True)
        kept = np.sort(order[len(order) - 1 - places])
        made = self._made([one[kept] for one in codes], scores[kept], kept.tolist(), **about)
        return made._in_order_of_numbers(), len(scores) - len(kept)

    def _arrays(self) -> tuple[list[NDArray[np.int32]], NDArray[np.float64]]:
        import numpy as np

        return [np.array(one, np.int32) for one in self._codes], np.array(self._scores)

    def _made(
        self,
        codes: Sequence[NDArray[np.int32]],
        scores: NDArray[np.float64],
        kept: Iterable[int] | None = None,
        **about: Any,
    ) -> ScoreTable:
        items = range(len(self.names[_ITEM]))
        labels = ([one.get(item) for item in items] if one else None for one in self._labels)
        documents, domains = labels
        spans = self._spans_of(self._spans if kept is None else kept) if self._spans else None
        return ScoreTable(self.names, codes, scores, documents=documents, domains=domains, spans=spans, **about)

    def _spans_of(self, kept: Iterable[int]) -> dict[tuple[str, str, str], tuple[ErrorSpan, ...]]:
        """The errors of these scores by metric, system and item, each with its rater."""
        systems, items, metrics, raters = ([*names, None] for names in self.names)
        found: dict[tuple[str, str, str], tuple[ErrorSpan, ...]] = {}
        for at in kept:
            if at in self._spans:
                system, item, metric, rater = (codes[at] for codes in self._codes)
                key = str(metrics[metric]), str(systems[system]), str(items[item])
                own = (one._replace(rater=raters[rater]) for one in self._spans[at])
                found[key] = (*found.get(key, ()), *own)
        return found


class ScoreTable:
    """Scores of systems, one for each item, metric and rater. A missing score is nan.

    A table is made by `truebleu.scores.read`, by `from_columns` or by `from_arrow`.

    Parameters
    ----------
    names
        The names of systems, items, metrics and raters; the last are none where nobody is named.
    codes
        The places of each cell's system, item, metric and rater among these names, as four arrays of whole numbers;
        -1 for a cell without a rater.
    scores
        The score of each cell; nan if it is missing.
    documents
        The document of each item; None if they are not known.
    domains
        The domain of each item; None if they are not known.
    level
        What an item is: a "segment", a "document", a "domain", or for scores of whole systems the "system".
    is_by_order
        Whether items have no names of their own: they are numbered in the order of the file.
    columns
        What is known about each metric.
    spans
        The errors that were marked, by metric, system and item. Arrow data and tables of columns have none.
    """

    def __init__(
        self,
        names: Sequence[Iterable[str]],
        codes: Sequence[NDArray[np.int32]],
        scores: NDArray[np.float64],
        *,
        documents: Sequence[str | None] | None = None,
        domains: Sequence[str | None] | None = None,
        level: str = "segment",
        is_by_order: bool = False,
        columns: Mapping[str, ScoreColumn] | None = None,
        spans: Mapping[tuple[str, str, str], tuple[ErrorSpan, ...]] | None = None,
    ) -> None:
        self.systems, self.items, self.metrics, self.raters = self.names = tuple(map(tuple, names))
        _refuse_no_names("system", self.systems)
        _refuse_no_names("metric", self.metrics)
        self.codes, self.scores = tuple(codes), scores
        self.documents = None if documents is None else tuple(documents)
        self.domains = None if domains is None else tuple(domains)
        self.level, self.is_by_order, self.spans = level, is_by_order, dict(spans or {})
        self.columns = {name: (columns or {}).get(name, ScoreColumn(kind_of_name(name))) for name in self.metrics}
        if not len(scores):
            raise EmptyCorpus("ScoreTable: there are no scores")
        if abs(scores).max() == math.inf:  # nan if one is missing, which is all right
            raise BadScore("ScoreTable: a score is infinite, expected finite numbers, or nan for a missing one")
        self._refuse_twice()

    @classmethod
    def from_columns(
        cls,
        *,
        system: Iterable[str],
        item: Iterable[str],
        score: Iterable[float | None],
        metric: str | Iterable[str],
        rater: Iterable[str | None] | None = None,
        document: Iterable[str | None] | None = None,
        domain: Iterable[str | None] | None = None,
        **about: Any,
    ) -> ScoreTable:
        """Make a table of columns, one value for each score.

        Parameters
        ----------
        system
            The system that is scored.
        item
            The name of the segment. Whole numbers are put in their order; other names stay in order of appearance.
        score
            The score; None or nan if it is missing.
        metric
            The name of the score, or one for each.
        rater
            The person or program that gave it.
        document
            The document of the item.
        domain
            The domain of the item.
        **about
            `level`, `is_by_order` and `columns`, as `ScoreTable` takes them.
        """
        numbers = ordered("ScoreTable", "score", score, "a list of numbers, None for a missing one")
        given: dict[str, Sequence[Any]] = {"score": [_number(at, value) for at, value in enumerate(numbers)]}
        texts = {
            "system": system,
            "item": item,
            "metric": metric,
            "rater": rater,
            "document": document,
            "domain": domain,
        }
        for name, values in texts.items():
            if name == "metric" and isinstance(values, str):
                values = [values] * len(numbers)
            may_lack = name in ("rater", *_OF_ITEMS)
            whole = [None] * len(numbers) if may_lack and values is None else values
            given[name] = ordered("ScoreTable", name, whole, "a list with one text for each score")
            refuse_others("ScoreTable", name, given[name], allowed=(str, type(None)) if may_lack else (str,))
            if len(given[name]) != len(numbers):
                there = number_of(len(given[name]), name)
                raise LengthMismatch(f"ScoreTable: {there} and {number_of(len(numbers), 'score')}")
        cells = ScoreCells()
        for row in zip(*(given[name] for name in _LONG), strict=True):
            cells.add(*row)
        return cells.table(**about)

    def matrix(self, metric: str, systems: Iterable[str] | None = None, raters: str = "mean") -> NDArray[np.float64]:
        """Give the scores of a metric as an array, systems by items; nan where there is none.

        Parameters
        ----------
        metric
            The name of the metric.
        systems
            The systems, in the order of the rows; None for all.
        raters
            "mean" for the mean over those who scored a cell, or the name of one of them.
        """
        import numpy as np

        system, item, _, rater = self.codes
        kept = self._of(metric)
        if raters != "mean":
            choice = [self._place("rater", raters, self.raters)]
            kept &= np.isin(rater, choice)
        cells = system[kept].astype(np.int64) * len(self.items) + item[kept]
        flat = _means(cells, self.scores[kept], len(self.systems) * len(self.items))
        found = flat.reshape(len(self.systems), len(self.items))
        wanted = self.systems if systems is None else ordered("ScoreTable", "systems", systems, "a list of names")
        return (
            found if wanted == self.systems else found[[self._place("system", name, self.systems) for name in wanted]]
        )

    def scored(self, metric: str) -> tuple[str, ...]:
        """Name the systems that have a score of a metric, or at least a place for one.

        Parameters
        ----------
        metric
            The name of the metric.
        """
        import numpy as np

        return tuple(self.systems[at] for at in np.unique(self.codes[0][self._of(metric)]))

    def metric(self, name: str, higher_is_better: bool | None = None, **more: Any) -> ExternalMetric:
        """Give a metric whose scores these are.

        Parameters
        ----------
        name
            The name of the metric.
        higher_is_better
            Whether higher scores are better; None to take what the file, the name and the sign of the scores say.
        **more
            `direction_anyway`, as `ExternalMetric` takes it.
        """
        known = self.columns[self.metrics[self._place("metric", name, self.metrics)]]._asdict()
        if higher_is_better is not None:
            known["higher_is_better"] = higher_is_better
        known["kind"] = None if known["kind"] == "metric" else known["kind"]  # the fingerprint of most has none
        level = self.level if self.level in SIGNED else "document"
        made = RatedMetric(name, level=level, **known, **more)
        made.stats(self.scores[self._of(name)], missing=True)  # the sign of scores may tell which are better
        return made

    def stats(
        self, metric: str, systems: Iterable[str] | None = None, made: ExternalMetric | None = None
    ) -> dict[str, Stats]:
        """Give the rows of each system under a metric: (score, 1), or (0, 0) for a missing score.

        Parameters
        ----------
        metric
            The name of the metric.
        systems
            The systems; None for those that have scores of the metric.
        made
            What `metric` gave for this name, if it was asked before.
        """
        made = self.metric(metric) if made is None else made
        names, found = list(self.scored(metric) if systems is None else systems), {}
        for name, values in zip(names, self.matrix(metric, names), strict=True):
            found[name] = made.stats(values, missing=True)
            if not found[name].rows[:, 1].any():
                raise BadScore(f"{metric}: the system {brief(name)} has no score, all of its {len(values)} are missing")
        return found

    def join(self, other: ScoreTable) -> ScoreTable:
        """Put the scores of two tables together: items of one name are one, and so are items of one number.

        Parameters
        ----------
        other
            The other table, with other systems, metrics, raters or items.
        """
        import numpy as np

        check_instance("ScoreTable.join", "other", other, ScoreTable, "a ScoreTable")
        if self.level != other.level:
            raise OptionError(
                f"ScoreTable.join: scores of a {self.level} ({', '.join(self.metrics[:_LISTED])}) and of a "
                f"{other.level} ({', '.join(other.metrics[:_LISTED])}) are not put together"
            )
        items = _items_of_both(self, other)
        new, both = (Codes(), Codes(), Codes(), Codes()), (self, other)
        codes = [
            np.concatenate([_renumbered(new[at], one.names[at] if at != _ITEM else items[of], one.codes[at])
                            for of, one in enumerate(both)])
            for at in range(len(new))
        ]  # fmt: skip
        labels = [_labels_of_both(what, [*new[_ITEM]], items, both) for what in _OF_ITEMS]
        return ScoreTable(
            new, codes, np.concatenate([one.scores for one in both]),
            documents=labels[0], domains=labels[1], level=self.level,
            is_by_order=self.is_by_order and other.is_by_order, columns={**other.columns, **self.columns},
            spans=_spans_of_both(items, both),
        )  # fmt: skip

    def with_documents(self, documents: Iterable[str], domains: Iterable[str] | None = None) -> ScoreTable:
        """Give the same scores with the documents of their items.

        Parameters
        ----------
        documents
            The document of each item, in their order.
        domains
            The domain of each item; None to keep those that are known.
        """
        labels = check_labels("ScoreTable", "documents", documents, len(self.items))
        kept = self.domains if domains is None else check_labels("ScoreTable", "domains", domains, len(self.items))
        return self.replaced(documents=labels, domains=kept)

    def to_arrow(self) -> Any:
        """Give the table as Arrow data: system, item, metric, rater, score, document, domain."""
        from truebleu._arrow import make_table
        from truebleu._core import Column

        columns: dict[str, list[Any]] = {}
        for name, codes, names in zip(_NAMED, self.codes, self.names, strict=True):
            texts = [*names, None]
            columns[name] = [texts[code] for code in codes.tolist()]
        columns["score"] = [None if value != value else value for value in self.scores.tolist()]
        for name, labels in (("document", self.documents), ("domain", self.domains)):
            columns[name] = [None if labels is None else labels[code] for code in self.codes[1].tolist()]
        made = [Column.of_values("g" if name == "score" else "u", values) for name, values in columns.items()]
        return make_table(list(columns), [made])

    @staticmethod
    def from_arrow(data: Any) -> ScoreTable:
        """Read a table of Arrow data with the columns system, item, metric and score, and perhaps the others.

        Parameters
        ----------
        data
            Any object with Arrow data, such as what `to_arrow` gives or a data frame.
        """
        from truebleu._arrow import read

        parts = list(read(data))
        there = parts[0].names
        for name in ("system", "item", "metric", "score"):
            if name not in there:
                listed = ", ".join(map(repr, there[:12]))
                raise InputError(f"ScoreTable.from_arrow: there is no column {name!r}; the columns are {listed}")
        names = [name for name in _LONG if name in there]
        columns = {name: [value for part in parts for value in part.values(name)] for name in names}
        columns["item"] = [str(value) for value in columns["item"]]
        return ScoreTable.from_columns(**columns)

    def __len__(self) -> int:
        return len(self.scores)

    def __repr__(self) -> str:
        parts = [
            number_of(len(names), what)
            for what, names in (("metric", self.metrics), ("system", self.systems), ("item", self.items))
        ]
        raters = f", {number_of(len(self.raters), 'rater')}" if self.raters else ""
        return f"<ScoreTable of {', '.join(parts)}{raters}: {shown(', '.join(self.metrics), 100)}>"

    def _of(self, metric: str) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = self.codes[2] == self._place("metric", metric, self.metrics)
        return found

    @staticmethod
    def _place(what: str, name: str, known: tuple[str, ...]) -> int:
        if check_text(f"ScoreTable: the {what}", name, "a name") not in known:
            there = ", ".join(shown(one, 60) for one in known[:20])
            guess = did_you_mean(name, known)
            raise OptionError(f"ScoreTable: there is no {what} {brief(name)}{guess}; there are {there}")
        return known.index(name)

    def replaced(self, **changed: Any) -> ScoreTable:
        """Give a table in which something is different.

        Parameters
        ----------
        **changed
            What `ScoreTable` takes: `names`, `codes`, `scores`, `documents`, `domains`, `level`, `columns`, `spans`.
        """
        known = ("names", "codes", "scores", "documents", "domains", "level", "is_by_order", "columns", "spans")
        return ScoreTable(**{**{name: getattr(self, name) for name in known}, **changed})

    def in_order(self) -> ScoreTable:
        """Put items with names in the order of their names, so that the order of lines changes nothing."""
        if self.is_by_order:
            return self
        return self._with_items(sorted(range(len(self.items)), key=lambda at: _natural(self.items[at])))

    def _with_items(self, order: Sequence[int]) -> ScoreTable:
        import numpy as np

        places = np.empty(len(order), np.int32)
        places[order] = np.arange(len(order), dtype=np.int32)
        codes = (self.codes[0], places[self.codes[_ITEM]], *self.codes[2:])
        labels = {
            what: None if labels is None else [labels[at] for at in order]
            for what, labels in (("documents", self.documents), ("domains", self.domains))
        }
        names = (self.systems, [self.items[at] for at in order], *self.names[2:])
        return self.replaced(names=names, codes=codes, **labels)

    def _in_order_of_numbers(self) -> ScoreTable:
        """Items that are whole numbers stand in their order, whatever the order of the lines."""
        if not all(re.fullmatch("[0-9]{1,18}", item) for item in self.items):
            return self
        order = sorted(range(len(self.items)), key=lambda at: (int(self.items[at]), self.items[at]))
        return self if order == list(range(len(order))) else self._with_items(order)

    def _refuse_twice(self) -> None:
        import numpy as np

        keys = _keys(self.codes, [len(names) for names in self.names])
        order = np.argsort(keys, kind="stable")
        twice = np.flatnonzero(np.diff(keys[order]) == 0)
        if len(twice):
            at = order[twice[0] + 1]
            texts = [[*names, None][codes[at]] for names, codes in zip(self.names, self.codes, strict=True)]
            by = "" if texts[3] is None else " by the same rater"
            raise InputError(
                f"{texts[2]}: the system {brief(texts[0])} has two scores for the item {brief(texts[1])}{by} "
                f"({len(twice)} such), expected one"
            )


_NAMED = ("system", "item", "metric", "rater")
_LONG = ("system", "item", "metric", "score", "rater", "document", "domain")
_OF_ITEMS = ("document", "domain")
_ITEM = 1  # its place among the first four


def kind_of_name(name: str) -> str:
    """Whose scores have a name: those of people, or of a metric.

    >>> [kind_of_name(name) for name in ("ESA", "da-sqm", "GEMBA-ESA", "COMET")]
    ['human', 'human', 'metric', 'metric']
    """
    return "human" if _OF_PEOPLE.fullmatch(name) else "metric"


def listed(names: Sequence[str]) -> str:
    """List the first of many names, and say how many more there are."""
    first = ", ".join(shown(name, 60) for name in names[:_LISTED])
    return f"{first} and {len(names) - _LISTED} more" if len(names) > _LISTED else first


def _natural(name: str) -> list[tuple[int, str]]:
    """A key that puts 9 before 10."""
    parts = re.split("([0-9]+)", name)
    return [
        (len(part.lstrip("0")) if at % 2 else 0, part.lstrip("0") if at % 2 else part) for at, part in enumerate(parts)
    ]


def _refuse_no_names(what: str, names: Sequence[str]) -> None:
    for name in names:
        if not isinstance(name, str) or name.strip().lower() in _NO_NAMES or not name.isprintable():
            raise InputError(f"a {what} is called {shown(brief(name))}, expected a name that can be shown")


def _keys(codes: Sequence[NDArray[np.int32]], sizes: Sequence[int]) -> NDArray[np.int64]:
    """Number the cells so that those of the same names have the same number."""
    import numpy as np

    keys = codes[3].astype(np.int64) + 1
    for code, size in zip(codes[:3], sizes[:3], strict=True):
        keys = keys * size + code
    return keys


def _number(at: int, value: Any) -> float:
    is_missing = value is None or (isinstance(value, float) and math.isnan(value))
    number = math.nan if is_missing else as_float(value)
    if math.isnan(number) and not is_missing:
        raise InputTypeError(f"ScoreTable: score[{at}] is {brief(value)}, expected a number, or None for a missing one")
    return number


def _of_two(what: str, item: str, one: str, two: str) -> InputError:
    return InputError(f"the item {brief(item)} is of the {what}s {brief(one)} and {brief(two)}, expected one {what}")


def _renumbered(names: Codes, known: Iterable[str], codes: NDArray[np.int32]) -> NDArray[np.int32]:
    import numpy as np

    return np.array([*map(names.__getitem__, known), NO_RATER], np.int32)[codes]


def _labels_of_both(
    what: str, names: list[str], items: Sequence[Sequence[str]], tables: Sequence[ScoreTable]
) -> list[str | None] | None:
    labels = [getattr(table, f"{what}s") for table in tables]
    if labels == [None, None]:
        return None
    found: dict[str, str] = {}
    for one, own in zip(items, labels, strict=True):
        for name, label in zip(one, own or [None] * len(one), strict=True):
            if label is not None and found.setdefault(name, label) != label:
                raise _of_two(what, name, found[name], label)
    return [found.get(name) for name in names]


def _spans_of_both(
    items: Sequence[Sequence[str]], tables: Sequence[ScoreTable]
) -> dict[tuple[str, str, str], tuple[ErrorSpan, ...]]:
    found: dict[tuple[str, str, str], tuple[ErrorSpan, ...]] = {}
    for names, table in zip(items, tables, strict=True):
        new = dict(zip(table.items, names, strict=True))
        for (metric, system, item), spans in table.spans.items():
            key = metric, system, new[item]
            found[key] = (*found.get(key, ()), *spans)
    return found


def _items_of_both(one: ScoreTable, two: ScoreTable) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Name the items of two tables so that those with one name are one; without names their numbers count."""
    if not one.is_by_order and not two.is_by_order:
        return one.items, two.items
    if len(one.items) != len(two.items):
        raise LengthMismatch(
            f"{', '.join(one.metrics[:_LISTED])} has {number_of(len(one.items), one.level)}, "
            f"{', '.join(two.metrics[:_LISTED])} has {len(two.items)}; without names of segments their numbers must be "
            "equal"
        )
    if one.is_by_order is not two.is_by_order and one.items != two.items:
        named, other = (two, one) if one.is_by_order else (one, two)
        inform(
            "%s names its items, %s does not: they are taken in the same order", listed(named.metrics),
            listed(other.metrics),
        )  # fmt: skip
    names = two.items if one.is_by_order else one.items
    return names, names


def _means(cells: NDArray[np.int64], scores: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """Take the mean of the scores of each cell; nan where there is none.

    The scores of a cell are added from the smallest to the largest, so that the order of lines and raters does not
    show in the last bit.
    """
    import numpy as np

    means = np.full(size, np.nan)
    present = ~np.isnan(scores)
    cells, scores = cells[present], scores[present]
    if len(cells) and np.bincount(cells, minlength=1).max() == 1:
        means[cells] = scores
        return means
    order = np.lexsort((scores, cells))
    places, begins, counts = np.unique(cells[order], return_index=True, return_counts=True)
    if len(places):
        means[places] = np.add.reduceat(scores[order], begins) / counts
    return means
