"""One file for each field, one segment a line; white space at the end of a line is dropped and nothing else."""

from truebleu.dataset.formats.columns import Columns, Member, lines_of, reference_names
from truebleu.dataset.registry import Definition, Pair


def fields(definition: Definition, pair: Pair) -> list[str]:
    """Source, references, and what else the registry names.

    Parameters
    ----------
    definition
        What the registry says about the set.
    pair
        The language pair.
    """
    return list(members_by_field(pair))


def read(definition: Definition, pair: Pair, member: Member) -> Columns:
    """The columns of a pair.

    Parameters
    ----------
    definition
        What the registry says about the set.
    pair
        The language pair.
    member
        Gives the content of a member of the set by its name.
    """
    columns = {
        field: [line.rstrip() for line in lines_of(member(name), name)]
        for field, name in members_by_field(pair).items()
    }
    return Columns(columns, tuple(pair.systems))


def members_by_field(pair: Pair) -> dict[str, str]:
    """Which member each field is read from.

    Parameters
    ----------
    pair
        The language pair.
    """
    names = ["src", *reference_names(len(pair.members) - 1)]
    return {**dict(zip(names, pair.members, strict=True)), **pair.metadata, **pair.systems}
