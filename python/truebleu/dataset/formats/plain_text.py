"""One file for each field, one segment per line; only white space at the end of a line is dropped.

A field may be a column of a table (`cut`), and a file may say which lines are not scored (`drop`).
"""

from itertools import compress

from truebleu._counts import number_of
from truebleu._shown import shown
from truebleu.dataset.formats.columns import Member, PairFields, lines_of, reference_names
from truebleu.dataset.registry import Cut, Definition, Pair
from truebleu.errors import InvalidTestSet

# The line of `drop` for a segment that is not scored; for a scored segment, the line is empty.
NOT_SCORED = "_IGNORE_FOR_EVAL_"


def fields(definition: Definition, pair: Pair) -> list[str]:
    """Source, references, and further fields of the registry."""
    return list(members_by_field(pair))


def read(definition: Definition, pair: Pair, member: Member) -> PairFields:
    """The columns of a pair."""
    columns = {}
    for field, name in members_by_field(pair).items():
        lines, cut = lines_of(member(name), name), definition.cut.get(field)
        columns[field] = [line.rstrip() for line in lines] if cut is None else _column(lines, cut, name)
    if pair.drop is not None:
        columns = _scored(columns, [line.strip() for line in lines_of(member(pair.drop), pair.drop)], pair.drop)
    return PairFields(columns, tuple(pair.systems))


def _column(lines: list[str], cut: Cut, name: str) -> list[str]:
    rows = [line.rstrip("\r").split("\t") for line in lines[cut.header :]]
    short = next((number for number, row in enumerate(rows, cut.header + 1) if len(row) <= cut.column), None)
    if short is not None:
        raise InvalidTestSet(f"{name}: line {short} has no column {cut.column} (from 0)")
    values = [row[cut.column].strip() for row in rows]
    return [value.split(cut.before)[0] for value in values] if cut.before else values


def _scored(columns: dict[str, list[str]], marks: list[str], name: str) -> dict[str, list[str]]:
    """The columns of the scored segments; the file has only these in references, and all segments in other columns."""
    odd = next((mark for mark in marks if mark not in ("", NOT_SCORED)), None)
    if odd is not None:
        raise InvalidTestSet(f"{name} has the line {shown(repr(odd))}, expected {NOT_SCORED} or nothing")
    kept = [not mark for mark in marks]
    for field, column in columns.items():
        expected = sum(kept) if field.startswith("ref") else len(kept)
        if len(column) != expected:
            raise InvalidTestSet(
                f"{name}: the field {field!r} has {number_of(len(column), 'line')}, expected {expected}"
            )
    return {
        field: column if field.startswith("ref") else list(compress(column, kept)) for field, column in columns.items()
    }


def members_by_field(pair: Pair) -> dict[str, str]:
    """The member of each field."""
    names = ["src", *reference_names(len(pair.members) - 1)]
    return {**dict(zip(names, pair.members, strict=True)), **pair.sources, **pair.metadata, **pair.systems}
