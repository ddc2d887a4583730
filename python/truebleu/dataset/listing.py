"""What the command prints about test sets, as lines. Nothing here prints.

>>> for line in list_sets("liv-en"):
...     print(line[:59])
The available test sets for liv-en are:
wmt22                         : General translation task of
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress
from typing import TYPE_CHECKING

from truebleu._shown import shown
from truebleu.dataset import registry
from truebleu.dataset.registry import named, reverse, split
from truebleu.errors import OptionError, UnknownField

if TYPE_CHECKING:
    from truebleu.dataset.pair_text import PairText


def list_sets(pair: str | None = None) -> Iterator[str]:
    """List the test sets with their descriptions, in ascending order."""
    wanted = () if pair is None else (pair, reverse(pair))
    yield "The available test sets are:" if pair is None else f"The available test sets for {pair} are:"
    for name, description, pairs in sorted(registry.summaries(), key=lambda one: one[0]):
        if pair is None or any(named(one, pairs) for one in wanted):
            yield f"{name:<30}: {shown(description)}"


def list_fields(names: str, pair: str | None = None) -> Iterator[str]:
    """List the language pairs with their fields, where these are known without the network.

    The fields of some sets are told by the data only: if such a pair is named, its data are downloaded.
    """
    from truebleu.dataset.pair_text import fields_here, fields_of

    for definition in [registry.definition(name) for name in split(names)]:
        if pair is None and isinstance(definition.pairs, registry.PairsByRule):
            languages = definition.pairs.languages
            yield f"any two of {len(languages)} languages, such as {definition.pairs.names[0]}: {', '.join(languages)}"
            continue
        for one in definition.pairs.values() if pair is None else [definition.pair(pair)]:
            fields = fields_here(definition, one) if pair is None else fields_of(definition, one)
            listed = ", ".join(map(shown, fields or ())) or f"(not downloaded yet; -l {one.name} lists its fields)"
            yield f"{one.name}: {listed}"


def list_pairs(names: str, prefix: str = "") -> list[str]:
    """List the language pairs that all of the sets have."""
    sets = [registry.definition(name) for name in split(names)]
    return [pair for pair in sets[0].pairs if pair.startswith(prefix) and all(pair in other.pairs for other in sets)]


def cite(names: str) -> Iterator[str]:
    """Write the bibliography entries of the sets; a comment for a set that has none."""
    from truebleu.dataset.citations import citation

    for definition in [registry.definition(name) for name in split(names)]:
        if definition.request:
            yield shown(f"% {definition.request}", longest=1_000)
        entries = citation(definition) or f"% no citation is known for {definition.name}"
        yield from (shown(line, longest=10_000) for line in entries.splitlines())


def echo(
    names: str, pair: str, fields: Sequence[str], origlang: str | None = None, subset: str | None = None
) -> Iterator[str]:
    """Write fields of a language pair, separated by tabs, one segment per line; several sets one after the other.

    Everything is checked before the first line comes.
    """
    from truebleu.dataset import subsets
    from truebleu.dataset.pair_text import pair_texts_of

    pair_texts = pair_texts_of(names, pair)
    wanted = [_fields(pair_text, fields) for pair_text in pair_texts]
    filtered = origlang is not None or subset is not None
    kept = [subsets.flags([pair_text], origlang, subset) for pair_text in pair_texts] if filtered else None
    return _lines(pair_texts, wanted, kept)


def _lines(
    pair_texts: Iterable["PairText"], wanted: Iterable[list[str]], kept: list[list[bool]] | None
) -> Iterator[str]:
    from truebleu.dataset.pair_text import escaped

    for number, (pair_text, fields) in enumerate(zip(pair_texts, wanted, strict=True)):
        # As in sacreBLEU, the shortest column ends it.
        rows = zip(*(pair_text.lines(field) for field in fields), strict=False)
        for row in rows if kept is None else compress(rows, kept[number]):
            texts = (text.rstrip() for text in row)
            yield "\t".join(escaped(text) if "\n" in text else text for text in texts)


def _fields(pair_text: "PairText", fields: Sequence[str]) -> list[str]:
    if not fields:
        raise OptionError("no field to echo: name some, or 'all'")
    if "all" in fields:
        if len(fields) > 1:
            raise OptionError("the field 'all' cannot be combined with other fields")
        return pair_text.fields
    expanded = [name for field in fields for name in (("src", "ref") if field == "both" else (field,))]
    return [_field(pair_text, name) for name in expanded]


def _field(pair_text: "PairText", name: str) -> str:
    if name in pair_text.fields:
        return name
    if name == "ref" and pair_text.references:
        return pair_text.usual_references()[0]
    there = ", ".join(map(shown, pair_text.fields))
    if "ref" not in pair_text.fields and pair_text.references:
        there += f" ('ref' means {pair_text.usual_references()[0]})"
    raise UnknownField(f"{pair_text.name} has no field {shown(repr(name))}; it has {there}")
