"""Results as tables of pyarrow, pandas and polars, each of which is loaded only when it is asked for."""

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any

from truebleu.errors import MissingDependency

# The types of columns, as Arrow's C interface names them.
TEXT, FRACTION, WHOLE, TRUTH = "u", "g", "l", "b"
# In pandas, whole numbers with gaps have a type of their own, and texts have the one of its version.
_OF_PANDAS = {TEXT: None, FRACTION: "float64", WHOLE: "Int64", TRUTH: "bool"}


class Tabular:
    """What can be turned into a table of another library."""

    def _table(self) -> tuple[Mapping[str, str], Iterable[Sequence[Any]]]:
        """The types of the columns by their names, and the rows."""
        raise NotImplementedError

    def to_arrow(self) -> Any:
        """Give the rows as a table of pyarrow, or without pyarrow as one that any library with Arrow support reads."""
        from truebleu._arrow import make_table
        from truebleu._core import Column

        types, columns = self._by_column()
        made = [Column.of_values(kind, columns[name]) for name, kind in types.items()]
        return make_table(list(types), [made])

    def to_pandas(self) -> Any:
        """Give the rows as a data frame of pandas."""
        pandas = self._library("pandas")
        types, columns = self._by_column()
        return pandas.DataFrame(
            {name: pandas.Series(columns[name], dtype=_OF_PANDAS[kind]) for name, kind in types.items()}
        )

    def to_polars(self) -> Any:
        """Give the rows as a data frame of polars."""
        return self._library("polars").DataFrame(self.to_arrow())

    def _by_column(self) -> tuple[Mapping[str, str], dict[str, list[Any]]]:
        types, rows = self._table()
        found = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in types]
        return types, dict(zip(types, found, strict=True))

    def _library(self, name: str) -> Any:
        try:
            return import_module(name)
        except ImportError as error:
            who = f"{type(self).__name__}.to_{name}"
            raise MissingDependency(
                f"{who} needs {name}, which cannot be imported ({error}): pip install {name}"
            ) from error
