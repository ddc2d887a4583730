"""From the raw files of a test set to columns of text, to the byte as sacreBLEU 2.6.0 writes them.

One module for each format. Each has

- `fields(definition, pair)`: the names of the fields in order, or None if only the data have them;
- `read(definition, pair, member)`: the columns; `member(name)` gives the bytes of a member.
"""

from importlib import import_module
from typing import Protocol, cast

from truebleu.dataset.formats.columns import Member, PairFields
from truebleu.dataset.registry import Definition, Pair

__all__ = ["VERSION", "Format", "Member", "PairFields", "format_of"]

# Part of the identity of processed text in the cache: raise it when the output of a reader changes.
VERSION = "1"


class Format(Protocol):
    """The protocol of a module of this package."""

    @staticmethod
    def fields(definition: Definition, pair: Pair) -> list[str] | None:
        """The names of the fields in order, or None if only the data have them."""

    @staticmethod
    def read(definition: Definition, pair: Pair, member: Member) -> PairFields:
        """The columns of a pair."""


def format_of(definition: Definition) -> Format:
    """Find the reader of a set's format: the module of that name."""
    return cast(Format, import_module(f"{__name__}.{definition.format.replace('-', '_')}"))
