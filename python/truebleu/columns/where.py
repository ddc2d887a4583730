"""Which rows of files are counted: `lang == 'de' and year >= 2020`, filtered by pyarrow.

Python's parser reads it, and nothing in it is run: columns are compared with texts and numbers. A null is not equal to
anything and not different from anything, as in SQL; `is None` finds it.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from typing import Any

from truebleu._inputs import brief
from truebleu._shown import shown
from truebleu.columns.parquet import load_pyarrow
from truebleu.columns.places import Address, system_of
from truebleu.errors import InputTypeError, OptionError

_COMPARED: dict[type[ast.cmpop], Any] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda field, values: _is_one_of(field, values),
    ast.NotIn: lambda field, values: ~_is_one_of(field, values),
    ast.Is: lambda field, _: field.is_null(), ast.IsNot: lambda field, _: field.is_valid(),
}  # fmt: skip


class Where:
    """A condition on the columns of a row."""

    def __init__(self, text: Any) -> None:
        if not isinstance(text, str):
            raise InputTypeError(f"columns: where is {brief(text)}, expected a text such as \"lang == 'de'\"")
        load_pyarrow()
        import pyarrow.dataset

        self.text, self._field, names = text, pyarrow.dataset.field, list[str]()
        try:
            self.expression = self._made(ast.parse(text.strip(), mode="eval").body, names)
        except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError, pyarrow.ArrowException) as error:
            raise OptionError(
                f"columns: where is {brief(text)}, expected comparisons of a column with a text or a number, such as "
                "lang == 'de' or year >= 2020, joined by and, or, not; also in, not in, is None, is not None"
            ) from error
        self.names = tuple(dict.fromkeys(names))

    def rows(self, batch: Any) -> Iterator[Any]:
        """The rows of a batch that fit, as a batch, if there are any."""
        import pyarrow

        try:
            yield from pyarrow.Table.from_batches([batch]).filter(self.expression).combine_chunks().to_batches()
        except pyarrow.ArrowException as error:
            raise OptionError(f"columns: where is {brief(self.text)}, and cannot be asked: {shown(error)}") from error

    def row_groups(self, path: str, parts: Iterable[str], schema: Any) -> list[int] | None:
        """The row groups of a Parquet file that may have rows that fit, by their statistics; None for all."""
        import pyarrow.dataset
        import pyarrow.fs

        folders = pyarrow.schema([(name, pyarrow.string()) for name in parts])
        system, there = system_of(path) if isinstance(path, Address) else (pyarrow.fs.LocalFileSystem(), path)
        try:
            known = pyarrow.dataset.partitioning(folders, flavor="hive").parse(there)
            make = pyarrow.dataset.ParquetFileFormat().make_fragment
            file = make(there, filesystem=system, partition_expression=known)
            fitting = file.subset(filter=self.expression, schema=pyarrow.schema([*schema, *folders]))
            return [group.id for group in fitting.row_groups]
        except (pyarrow.ArrowException, UnicodeError):
            return None  # names that are no UTF-8, columns that cannot be compared: `rows` tells of these

    def _made(self, node: ast.AST, names: list[str]) -> Any:
        if isinstance(node, ast.BoolOp):
            join = operator.and_ if isinstance(node.op, ast.And) else operator.or_
            return reduce(join, (self._made(one, names) for one in node.values))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return ~self._made(node.operand, names)
        if not isinstance(node, ast.Compare) or len(node.ops) > 1 or not isinstance(node.left, ast.Name):
            raise ValueError("no comparison")
        value, kind = ast.literal_eval(node.comparators[0]), type(node.ops[0])
        expected = (list, tuple) if kind in (ast.In, ast.NotIn) else (str, int, float)
        if not (value is None if kind in (ast.Is, ast.IsNot) else isinstance(value, expected)):
            raise ValueError("no such value")
        names.append(node.left.id)
        return _COMPARED[kind](self._field(node.left.id), value)


def _is_one_of(field: Any, values: Sequence[Any]) -> Any:
    never = field.is_null() & field.is_valid()
    return reduce(operator.or_, (field == value for value in values), never)
