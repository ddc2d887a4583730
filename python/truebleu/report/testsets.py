"""What the command prints about test sets, as lines. Nothing here prints.

>>> for line in list_sets("liv-en"):
...     print(line[:59])
The available test sets for liv-en are:
wmt22                         : General translation task of
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress
from typing import TYPE_CHECKING

from truebleu.dataset import registry
from truebleu.dataset.registry import reverse, split
from truebleu.errors import OptionError, UnknownField

if TYPE_CHECKING:
    from truebleu.dataset.pair_text import Material


def list_sets(pair: str | None = None) -> Iterator[str]:
    """All test sets in ascending order, or those that have the pair in either direction."""
    wanted = None if pair is None else {pair, reverse(pair)}
    yield "The available test sets are:" if pair is None else f"The available test sets for {pair} are:"
    for name, description, pairs in sorted(registry.summaries()):
        if wanted is None or wanted & pairs:
            yield f"{name:<30}: {description}"


def list_fields(names: str, pair: str | None = None) -> Iterator[str]:
    """For each pair of the sets, or the one given, its fields. Sets whose fields only the data tell are fetched."""
    from truebleu.dataset.pair_text import Material, known_fields

    for definition in [registry.definition(name) for name in split(names)]:
        for one in definition.pairs.values() if pair is None else [definition.pair(pair)]:
            fields = known_fields(definition, one)
            yield f"{one.name}: {', '.join(Material(definition, one).fields if fields is None else fields)}"


def list_pairs(names: str) -> list[str]:
    """The language pairs that all of the sets have."""
    sets = [registry.definition(name) for name in split(names)]
    return [pair for pair in sets[0].pairs if all(pair in other.pairs for other in sets)]


def cite(names: str) -> Iterator[str]:
    """The bibliography entries of the sets; a comment for a set that has none."""
    from truebleu.dataset.citations import citation

    for definition in [registry.definition(name) for name in split(names)]:
        yield from (citation(definition) or f"% no citation is known for {definition.name}").splitlines()


def echo(
    names: str, pair: str, fields: Sequence[str], origlang: str | None = None, subset: str | None = None
) -> Iterator[str]:
    """The fields of a pair, separated by tabs, one segment a line; several sets one after the other.

    `all` stands for every field and must stand alone, `both` for source and reference. `ref` where references have
    labels is the first that scores are computed with. Everything is checked before the first line comes.
    """
    from truebleu.dataset import subsets
    from truebleu.dataset.pair_text import Material

    definitions = [registry.definition(name) for name in split(names)]
    materials = [Material(definition, definition.pair(pair)) for definition in definitions]
    wanted = [_fields(material, fields) for material in materials]
    filtered = origlang is not None or subset is not None
    kept = [subsets.flags([material], origlang, subset) for material in materials] if filtered else None
    return _lines(materials, wanted, kept)


def _lines(
    materials: Iterable["Material"], wanted: Iterable[list[str]], kept: list[list[bool]] | None
) -> Iterator[str]:
    for number, (material, fields) in enumerate(zip(materials, wanted, strict=True)):
        # As in sacreBLEU, the shortest column ends it.
        rows = zip(*(material.lines(field) for field in fields), strict=False)
        for row in rows if kept is None else compress(rows, kept[number]):
            yield "\t".join(text.rstrip() for text in row)


def _fields(material: "Material", fields: Sequence[str]) -> list[str]:
    if not fields:
        raise OptionError("no field to echo: name some, or 'all'")
    if "all" in fields:
        if len(fields) > 1:
            raise OptionError("the field 'all' cannot be combined with other fields")
        return material.fields
    expanded = [name for field in fields for name in (("src", "ref") if field == "both" else (field,))]
    return [_field(material, name) for name in expanded]


def _field(material: "Material", name: str) -> str:
    if name in material.fields:
        return name
    if name == "ref" and material.references:
        return _usual(material)
    raise UnknownField(
        f"{material.definition.name} {material.pair.name} has no field {name!r}; "
        f"it has {', '.join(material.fields)}{_hint(material)}"
    )


def _hint(material: "Material") -> str:
    if "ref" in material.fields or not material.references:
        return ""
    return f" ('ref' means {_usual(material)})"


def _usual(material: "Material") -> str:
    from truebleu.dataset.sets import usual_references

    return usual_references(material)[0]
