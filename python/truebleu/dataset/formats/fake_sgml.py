"""The SGML of WMT 2008 to 2020, read line by line: it is not well-formed, and sacreBLEU does not treat it as such.

A line that begins with `<seg ` is a segment; its tags are dropped and white space is squeezed. Entities stay as they
are. Text after `</seg>` stays too, and so does the opening tag of a segment that ends on another line.

`docid`, `genre` and `origlang` come from the source file. A document that lacks one keeps that of the document before
it, as in sacreBLEU; the columns for filters do not, also as in sacreBLEU.
"""

import re
from collections.abc import Callable

from truebleu.dataset.formats.columns import Member, PairFields, lines_of, reference_names, squeeze
from truebleu.dataset.registry import Definition, Pair

Reader = Callable[[str, list[str]], list[str]]

METADATA = ("docid", "genre", "origlang")


def fields(definition: Definition, pair: Pair) -> list[str]:
    """Source, references and, except for the sets of 2008, the attributes of the source's documents."""
    metadata = () if definition.name.startswith("wmt08") else METADATA
    return ["src", *reference_names(len(pair.members) - 1), *metadata]


def segments(name: str, lines: list[str]) -> list[str]:
    """The text of each segment."""
    return [squeeze(_without_tags(line)) for line in lines if line.startswith("<seg ")]


def _without_tags(line: str) -> str:
    """Drop the first tag of a line and its last end tag. Not by a pattern, which would try every pair of tags."""
    opened, closed = line.find(">"), line.rfind("</seg>")
    return line[opened + 1 : closed] + line[closed + len("</seg>") :] if 0 <= opened < closed else line


def read(definition: Definition, pair: Pair, member: Member, text: Reader = segments) -> PairFields:
    """Read the columns of a pair."""
    names = fields(definition, pair)
    files = [(name, lines_of(member(name), name)) for name in pair.members]
    columns = dict(zip(names, (text(name, lines) for name, lines in files), strict=False))
    source = files[0][1]
    for attribute in names[len(files) :]:
        columns[attribute] = attributes(source, re.compile(f'{attribute}="(.*?)"').search, carry=True)
    # sacreBLEU's filters have stricter rules: a space comes before it, it is not empty, the last of several counts.
    strict = {name: re.compile(f'.* {name}="([^"]+)"').match for name in ("origlang", "docid")}
    filters = {name: attributes(source, find, carry=False) for name, find in strict.items()}
    return PairFields(columns, filters=filters)


def attributes(lines: list[str], find: Callable[[str], re.Match[str] | None], carry: bool) -> list[str]:
    """For each segment, the attribute that `find` finds in the tag of its document."""
    value, values = "", []
    for line in lines:
        if line.startswith("<doc "):
            found = find(line)
            value = found[1] if found else value if carry else ""
        elif line.startswith("<seg "):
            values.append(value)
    return values
