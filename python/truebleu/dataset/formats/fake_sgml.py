"""The SGML of WMT 2008 to 2020, read line by line: it is not well-formed, and sacreBLEU does not treat it as such.

A line that begins with `<seg ` is a segment; its tags are dropped and white space is squeezed. Entities stay as they
are. Text after `</seg>` stays too, and so does the opening tag of a segment that ends on another line.

`docid`, `genre` and `origlang` come from the source file. A document that lacks one keeps that of the document before
it, as in sacreBLEU; the columns that filters go by do not, also as in sacreBLEU.
"""

import re
from collections.abc import Callable

from truebleu.dataset.formats.columns import Columns, Member, lines_of, reference_names, squeeze
from truebleu.dataset.registry import Definition, Pair

Reader = Callable[[str, list[str]], list[str]]

METADATA = ("docid", "genre", "origlang")

_SEGMENT = re.compile("<seg.*?>(.*)</seg>")


def fields(definition: Definition, pair: Pair) -> list[str]:
    """Source, references and, but for the sets of 2008, what the source says about its documents."""
    metadata = () if definition.name.startswith("wmt08") else METADATA
    return ["src", *reference_names(len(pair.members) - 1), *metadata]


def read(definition: Definition, pair: Pair, member: Member) -> Columns:
    """The columns of a pair."""
    return read_with(definition, pair, member, segments)


def read_with(definition: Definition, pair: Pair, member: Member, text: Reader) -> Columns:
    """The columns, with a way of one's own to get the segments of a member."""
    names = fields(definition, pair)
    files = [(name, lines_of(member(name), name)) for name in pair.members]
    columns = dict(zip(names, (text(name, lines) for name, lines in files), strict=False))
    source = files[0][1]
    for attribute in names[len(files) :]:
        columns[attribute] = carried(source, attribute)
    filters = {name: of_document(source, name) for name in ("origlang", "docid")}
    return Columns(columns, filters=filters)


def segments(name: str, lines: list[str]) -> list[str]:
    """The text of each segment."""
    return [squeeze(_SEGMENT.sub(r"\1", line)) for line in lines if line.startswith("<seg ")]


def carried(lines: list[str], attribute: str) -> list[str]:
    """For each segment, the attribute of the last document that had it."""
    pattern = re.compile(f'{attribute}="(.*?)"')
    value, values = "", []
    for line in lines:
        if line.startswith("<doc "):
            found = pattern.search(line)
            value = found[1] if found else value
        elif line.startswith("<seg "):
            values.append(value)
    return values


def of_document(lines: list[str], attribute: str) -> list[str]:
    """For each segment, the attribute of its own document, by the stricter rules of sacreBLEU's filters.

    A space comes before it, it is not empty, and the last of several counts.
    """
    pattern = re.compile(f'.* {attribute}="([^"]+)"')
    value, values = "", []
    for line in lines:
        if line.startswith("<doc "):
            found = pattern.match(line)
            value = found[1] if found else ""
        elif line.startswith("<seg "):
            values.append(value)
    return values
