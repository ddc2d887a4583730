"""Scores in Polars, from Polars 1.34 on.

    truebleu.polars.register()
    frame.with_columns(pl.col("mt").tb.chrf("ref"))                       # the scores of segments
    frame.group_by("system").agg(pl.col("mt").tb.corpus_bleu("ref"))      # the scores of corpora: not their mean

Paired tests need no adapter: `columns.stats` and all other calls of `columns` take a DataFrame as it is.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Unpack

from truebleu import _engines, columns
from truebleu._engines import WhichHere
from truebleu._inputs import check_instance
from truebleu.columns.schema import Layout, Measure, measures
from truebleu.errors import OptionError
from truebleu.metrics import METRICS

__all__ = ["Texts", "register", "score", "totals"]


def register() -> None:
    """Give Polars' expressions the namespace `tb`, whose methods are those of `Texts`."""
    polars = _engines.engine("polars", (1, 34))
    if getattr(polars.Expr, "tb", None) is not Texts:
        polars.api.register_expr_namespace("tb")(Texts)


def score(frame: Any, metrics: Any, **which: Unpack[WhichHere]) -> Any:
    """Score each key: the table of `columns.score_table`; a LazyFrame streams, in constant memory.

    Parameters
    ----------
    frame, metrics
        A LazyFrame or a DataFrame; the metrics, as in `columns.rows`.
    which
        `hypothesis`, `references`, `by`, `nulls` and `id`, as in `columns.totals`.
    """
    return totals(frame, metrics, **which).scores()


def totals(frame: Any, metrics: Any, **which: Unpack[WhichHere]) -> columns.Totals:
    """Add up the rows of each key, as `columns.totals` does; a LazyFrame streams, in constant memory.

    Parameters
    ----------
    frame, metrics, which
        As in `score`.
    """
    _engines.require("truebleu.polars", "frame", frame, ("lazy", "group_by"), "a LazyFrame or a DataFrame of Polars")
    layout = Layout(**which)
    layout.check(frame.lazy().collect_schema().names())
    return columns.totals(frame.select(layout.needed), metrics, **which)


class Texts:
    """A column of hypotheses, with a method for each metric by its small name: `bleu`, `corpus_bleu` and so on.

    Parameters
    ----------
    expression
        The expression of the column.
    """

    def __init__(self, expression: Any) -> None:
        self._expression = expression

    def __getattr__(self, name: str) -> Any:
        """`bleu(*references, **options)` is `segment(BLEU(**options), *references)`; `corpus_bleu` is `corpus(…)`."""
        kinds = {known.lower(): kind for known, kind in METRICS.items()}
        kind = kinds.get(name.removeprefix("corpus_"))
        if kind is None:
            raise AttributeError(f"truebleu.polars: there is no {name!r}; there are {', '.join(kinds)} and corpus_…")
        method = self.corpus if name.startswith("corpus_") else self.segment
        return lambda *references, **options: method(kind(**options), *references)

    def segment(self, metric: Any, *references: Any) -> Any:
        """Score each segment: a column of scores.

        Parameters
        ----------
        metric, references
            The metric; names of columns, or expressions, of strings or of lists of strings.
        """
        polars, (measure,), given = self._given(metric, references)
        call = partial(_made, columns.segment_scores, measure)
        return polars.map_batches(given, call, return_dtype=polars.Float64, is_elementwise=True).alias(measure.name)

    def rows(self, metric: Any, *references: Any) -> Any:
        """Count each segment: a column of structs. Make it a column before you add up its fields.

        Parameters
        ----------
        metric, references
            As in `segment`.
        """
        polars, (measure,), given = self._given(metric, references)
        kinds = {**dict.fromkeys(measure.cells, polars.Int64), f"{measure.name}_refs": polars.Int32}
        call = partial(_made, columns.rows, measure)
        return polars.map_batches(given, call, return_dtype=polars.Struct(kinds), is_elementwise=True)

    def corpus(self, metric: Any, *references: Any) -> Any:
        """Score a corpus, in `select` or in `group_by(...).agg(...)`.

        Parameters
        ----------
        metric, references
            As in `segment`.
        """
        polars, (measure,), given = self._given(metric, references)
        call = partial(_made, columns.totals, measure)
        return polars.map_groups(given, call, return_dtype=polars.Float64, returns_scalar=True).alias(measure.name)

    def _given(self, metric: Any, references: tuple[Any, ...]) -> tuple[Any, tuple[Measure, ...], list[Any]]:
        polars, found = _engines.engine("polars", (1, 34)), measures(metric)
        if len(found) != 1 or not references:
            counts = f"{len(found)} as metric and {len(references)} as references"
            raise OptionError(f"truebleu.polars: {counts} were given, expected one metric and at least one reference")
        for one in references:
            check_instance("truebleu.polars", "references", one, (str, polars.Expr), "names of columns or expressions")
        texts = [polars.col(one) if isinstance(one, str) else one for one in references]
        return polars, found, [self._expression, *texts]


def _made(call: Any, measure: Measure, texts: Any) -> Any:
    """What a call of `columns` makes of series: a series of numbers or of structs, or the score of totals."""
    import polars

    names = ["hypothesis", *(f"reference {at}" for at in range(1, len(texts)))]
    given = polars.DataFrame([column.alias(name) for column, name in zip(texts, names, strict=True)])
    with _engines.advising("filter such rows, or write .fill_null('')"):
        made = call(given, {measure.name: measure.metric}, hypothesis=names[0], references=names[1:])
    if isinstance(made, columns.Totals):
        return made.score()[measure.name].score
    frame = polars.DataFrame(made)
    return frame.to_series() if frame.width == 1 else frame.to_struct(measure.name)
