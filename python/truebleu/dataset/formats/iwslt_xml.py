"""IWSLT's TED talks. Their names end in `.xml`, but they are not well-formed either.

A pair's reference is the source file of the opposite direction. `origlang` is not given: a column of empty lines.
"""

from truebleu.dataset.formats import fake_sgml
from truebleu.dataset.formats.columns import Member, PairFields
from truebleu.dataset.registry import Definition, Pair

fields = fake_sgml.fields


def read(definition: Definition, pair: Pair, member: Member) -> PairFields:
    """Read the columns of a pair. Documents have no original language, so nothing can be selected."""
    return PairFields(fake_sgml.read(definition, pair, member).fields)
