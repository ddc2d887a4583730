"""Columns of tab-separated files. A member is `column:path`, the column counted from zero.

Only the line feed is removed from a line: nothing is stripped, and empty columns stay empty lines.
"""

from truebleu._counts import number_of
from truebleu.dataset.formats.columns import Member, PairFields, lines_of
from truebleu.dataset.formats.plain_text import fields, members_by_field
from truebleu.dataset.registry import Definition, Pair
from truebleu.errors import InvalidTestSet, RegistryError

__all__ = ["fields", "read"]


def read(definition: Definition, pair: Pair, member: Member) -> PairFields:
    """The columns of a pair."""
    rows: dict[str, list[list[str]]] = {}
    columns = {}
    for field, name in members_by_field(pair).items():
        number, colon, path = name.partition(":")
        if not colon or not number.isdecimal():
            raise RegistryError(f"{definition.name}: {name!r} should be a column and a path, such as 2:{name}")
        if path not in rows:
            rows[path] = [line.split("\t") for line in lines_of(member(path), path)]
        columns[field] = _column(rows[path], int(number), path)
    return PairFields(columns, tuple(pair.systems))


def _column(rows: list[list[str]], number: int, path: str) -> list[str]:
    for line, row in enumerate(rows, start=1):
        if len(row) <= number:
            raise InvalidTestSet(
                f"{path}: line {line} has {number_of(len(row), 'column')}, column {number} (from 0) is wanted"
            )
    return [row[number] for row in rows]
