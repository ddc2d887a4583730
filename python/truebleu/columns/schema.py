"""Names and meanings of columns: metrics under their names, ids, and the checks of a table's columns.

Rows and totals travel as whole numbers, so that their sums are exact in any order. A cell that is a mean over
references (TER's `length`) is written in units of 1/720720, which every number of references up to 16 divides.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from truebleu._counts import number_of
from truebleu._inputs import brief, check_instance, kind_of
from truebleu._options import choice
from truebleu._shown import nearest, shown
from truebleu.errors import InputError, InputTypeError, OptionError, UnknownField
from truebleu.metrics import Metric
from truebleu.metrics.external import ExternalMetric
from truebleu.metrics.names import as_metric
from truebleu.metrics.preparation import is_native
from truebleu.stats import SCHEMA, UNITS
from truebleu.version import __version__

if TYPE_CHECKING:
    from truebleu.columns.where import Where

ROWS_AT_ONCE = 65_536  # of what is read in parts
NULLS = ("error", "skip", "empty")
METADATA = "truebleu"  # the key of a schema's metadata

# The types that a key may have: their names in Arrow's C interface, and in plain words.
KEY_TYPES = {
    "n": "null", "b": "bool", "c": "int8", "C": "uint8", "s": "int16", "S": "uint16", "i": "int32", "I": "uint32",
    "l": "int64", "L": "uint64", "u": "string", "tdD": "date32", "tdm": "date64",
}  # fmt: skip


_NO_KEYS = {
    "e": "fractional numbers", "f": "fractional numbers", "g": "fractional numbers", "z": "bytes", "Z": "bytes",
    "+l": "lists", "+L": "lists", "+s": "structs", "+m": "maps",
}  # fmt: skip


class Measure:
    """A metric under a name, and how its cells are written."""

    def __init__(self, name: str, metric: Metric[Any]) -> None:
        self.name, self.metric = name, metric
        self.units = tuple(UNITS if column in metric.mean_columns else 1 for column in metric.columns)
        self.cells = tuple(
            f"{name}_{column}" + (f"_{unit}" if unit > 1 else "")
            for column, unit in zip(metric.columns, self.units, strict=True)
        )
        self.fingerprint = fingerprint_of(metric)
        self.id = identity(metric.name, self.fingerprint)

    def __reduce__(self) -> tuple[type[Measure], tuple[str, Metric[Any]]]:
        # Another machine computes its own id: its Unicode tables or its tokenizer may differ from those here.
        return Measure, (self.name, self.metric)

    @property
    def has_means(self) -> bool:
        """Whether cells are means over references, which need not be whole."""
        return max(self.units) > 1

    @property
    def keep_empty(self) -> bool:
        """Whether an empty reference beside a filled one counts."""
        return self.metric.empty_refs == "keep"

    @property
    def is_native(self) -> bool:
        """Whether the engine does all the work on text; otherwise text passes through Python."""
        return is_native(self.metric)

    def total_columns(self) -> tuple[str, ...]:
        """The columns of totals, after the key and the numbers of segments."""
        more = ("refs_min", "refs_max", "detached_stops", "id")
        return (*self.cells, *(f"{self.name}_{column}" for column in more))

    def describe(self, references: tuple[int, int] | None) -> dict[str, object]:
        """Describe the cells, for the metadata of a schema."""
        score = self.metric.score_totals([0.0] * len(self.units), (1, 1))
        return {
            "schema": SCHEMA,
            "fingerprint": self.fingerprint,
            "references": references,
            "columns": self.cells,
            "version": __version__,
            "signature": f"{score.name}|{score.signature}",
            "metric": repr(self.metric),
        }


def measures(metrics: Any) -> tuple[Measure, ...]:
    """Give each metric its name: that of the mapping, or its own in small letters."""
    if isinstance(metrics, Metric | str):
        metrics = [metrics]
    check_instance("columns", "metrics", metrics, (list, tuple, Mapping), "a metric, a list of them, or names for them")
    if not metrics:
        raise OptionError("columns: metrics is empty, expected at least one metric")
    several = [(one.lower() if isinstance(one, str) else None, one) for one in metrics]
    named = metrics.items() if isinstance(metrics, Mapping) else several
    found: dict[str, Measure] = {}
    for name, given in named:
        metric = as_metric("columns", "one of metrics", given)
        check_instance("columns", "metrics", metric, Metric, "metrics such as BLEU()")
        name = metric.name.lower() if name is None else name
        if not isinstance(name, str) or not name:
            raise InputTypeError(f"columns: the name of a metric is {kind_of(name)}, expected a string")
        if isinstance(metric, ExternalMetric):
            raise OptionError(
                f"columns: {name!r} takes scores from elsewhere and counts no text; expected BLEU() or the like"
            )
        if metric.has_references:
            raise OptionError(f"columns: {name!r} has references of its own; here they come from the table")
        if name in found:
            raise OptionError(f"columns: two metrics are called {name!r}; give names: {{{name + '_2'!r}: ...}}")
        found[name] = Measure(name, metric)
    return tuple(found.values())


def how_to_add(found: Sequence[Measure]) -> dict[str, str]:
    """Say how the columns of totals are added: "sum", "min" or "max". Columns not named are keys or ids."""
    names = ["segments", "skipped", *(name for one in found for name in one.total_columns())]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise OptionError(f"columns: two columns of totals would be called {twice!r}; give the metrics other names")
    ways = dict.fromkeys(names, "sum")
    for one in found:
        ways.update({f"{one.name}_refs_min": "min", f"{one.name}_refs_max": "max"})
        del ways[f"{one.name}_id"]
    return ways


def fingerprint_of(metric: Metric[Any]) -> dict[str, object]:
    """Give the settings that decide the rows of a metric, here and on other machines."""
    fingerprint = {"schema": SCHEMA, **metric.fingerprint()}
    ignores_case = getattr(metric, "lowercase", False) or not getattr(metric, "case_sensitive", True)
    if ignores_case or "nfc" in metric.normalize:
        # The interpreter decides which letters beyond Windows-1252 have a lower case, or compose.
        fingerprint["unicode"] = unicodedata.unidata_version
    return fingerprint


def identity(name: str, fingerprint: Mapping[str, object]) -> str:
    """Give the name of a metric with a short hash of its fingerprint: equal ids, equal rows."""
    text = json.dumps(dict(fingerprint), sort_keys=True, separators=(",", ":"), ensure_ascii=True, default=str)
    return f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"


class Layout:
    """The columns of a table and their roles."""

    def __init__(
        self, hypothesis: Any, references: Any, by: Any = (), keep: Any = (), id: Any = None, nulls: Any = "error",
        where: Where | None = None,
    ) -> None:  # fmt: skip
        (self.hypothesis,) = _names("hypothesis", hypothesis, at_most=1)
        self.references = _names("references", references)
        self.by, self.keep = _names("by", by, at_least=0), _names("keep", keep, at_least=0)
        self.id = None if id is None else _names("id", id, at_most=1)[0]
        self.nulls: str = choice("columns", "nulls", nulls, NULLS)
        self.where = where  # which rows of files are counted

    @property
    def quoted(self) -> tuple[str, ...]:
        """The columns whose values errors show, each once."""
        return tuple(dict.fromkeys((*self.by, *(() if self.id is None else (self.id,)))))

    @property
    def needed(self) -> tuple[str, ...]:
        """All columns that are read, each once."""
        asked = () if self.where is None else self.where.names
        return tuple(dict.fromkeys((self.hypothesis, *self.references, *self.quoted, *self.keep, *asked)))

    def check(self, names: Sequence[str], types: Sequence[str] = ()) -> None:
        """Raise if a table lacks a column, has a column twice, or if its types are known a key of an unsuitable one."""
        places = {name: at for at, name in enumerate(names)}
        for name in self.needed:
            if name not in places:
                raise _no_column(name, names)
            if names.count(name) > 1:
                raise OptionError(f"columns: {names.count(name)} columns are called {name!r}, expected one")
        for name in self.by if types else ():
            if (kind := types[places[name]]) not in KEY_TYPES:
                raise OptionError(
                    f"columns: by has {name!r}, a column of {_NO_KEYS.get(kind, 'another type')}; "
                    "expected strings, whole numbers, booleans or dates, which group reliably"
                )

    def refuse(self, taken: Iterable[str]) -> None:
        """Raise if a kept column has the name of a new one."""
        twice = set(taken) & {*self.by, *self.keep}
        if twice:
            name = sorted(twice)[0]
            raise OptionError(f"columns: the result has a column {name!r} of its own; rename the column of the table")

    def place(self, row: int, values: Mapping[str, object], file: str = "") -> str:
        """Name a row for an error: by its number, its file, its key and its id."""
        found = ", ".join(f"{name}={brief(value)}" for name, value in values.items())
        return f"row {row}" + (f" of {shown(file)}" if file else "") + (f" ({found})" if found else "")


def check_divides(measure: Measure, references: int, where: str) -> None:
    """Raise if means over this number of references cannot be added exactly."""
    if references and measure.has_means and UNITS % references:
        raise InputError(
            f"columns: {measure.metric.name} of {number_of(references, 'reference')} cannot be summed exactly, "
            f"{where}: their mean length is not a multiple of 1/{UNITS}; expected up to 16 references, or another "
            f"number that divides {UNITS}"
        )


def _names(what: str, given: Any, at_least: int = 1, at_most: int | None = None) -> tuple[str, ...]:
    names = (given,) if isinstance(given, str) else given
    several = "the name of a column" if at_most == 1 else "the name of a column, or a list of names"
    is_list = isinstance(names, list | tuple) and (at_most != 1 or isinstance(given, str))
    if not is_list or not all(isinstance(name, str) for name in names):
        raise InputTypeError(f"columns: {what} is {brief(given)}, expected {several}")
    if len(names) < at_least:
        raise OptionError(f"columns: {what} is empty, expected {several}")
    if len(set(names)) < len(names):
        raise OptionError(f"columns: {what} names a column twice: {brief(given)}")
    return tuple(names)


def _no_column(name: str, names: Sequence[str]) -> UnknownField:
    found = ", ".join(map(str, names[:20])) + (", …" if len(names) > 20 else "")
    close = nearest(name, names, likeness=0.5)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    return UnknownField(f"columns: there is no column {brief(name)}; the columns are {found or 'none'}{hint}")
