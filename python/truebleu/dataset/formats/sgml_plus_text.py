"""WMT's SGML together with references that came later as plain text."""

from truebleu.dataset.formats import fake_sgml
from truebleu.dataset.formats.columns import Member, PairFields
from truebleu.dataset.registry import Definition, Pair

fields = fake_sgml.fields


def read(definition: Definition, pair: Pair, member: Member) -> PairFields:
    """The columns of a pair; a definition with `origlang` keeps the source of that origin only."""
    columns = fake_sgml.read(definition, pair, member, _segments)
    return _of_origin(columns, definition.origlang) if definition.origlang else columns


def _segments(name: str, lines: list[str]) -> list[str]:
    if name.endswith(".sgm"):
        return fake_sgml.segments(name, lines)
    return [line.rstrip() for line in lines]


def _of_origin(columns: PairFields, origlang: str) -> PairFields:
    """The references given as text cover only these segments."""
    origins = columns.filters["origlang"]
    size = len(origins)

    def cut(column: list[str]) -> list[str]:
        if len(column) != size:
            return column
        return [text for text, origin in zip(column, origins, strict=True) if origin == origlang]

    return PairFields(
        {name: cut(column) for name, column in columns.fields.items()},
        filters={name: cut(column) for name, column in columns.filters.items()},
    )
