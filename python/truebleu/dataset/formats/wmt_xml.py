"""The XML of WMT 2021 and later: source, references and system outputs of a pair in one file.

A segment counts if at least one reference has text for it. Documents of test suites do not count. Unlike sacreBLEU,
this reader neither crashes nor loses data: `domain` is a field if any document has it, a system that lacks a segment
has an empty line there, and references come in sorted order.

The parser is the standard library's expat. It refuses declarations of entities and of attributes (their default values
would be repeated in each element), and elements nested deeper than in any test set: so a small file cannot expand into
a big one, and cannot make the parser open another file. (`defusedxml` does less, and is a dependency.)
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NoReturn
from xml.etree import ElementTree
from xml.parsers import expat

from truebleu._shown import shown
from truebleu.dataset.formats.columns import Member, PairFields, squeeze
from truebleu.dataset.registry import Definition, Pair
from truebleu.errors import InvalidTestSet

Element = ElementTree.Element

# WMT's files have six levels. Nested elements are read once for each level.
DEEPEST = 50


def fields(definition: Definition, pair: Pair) -> None:
    """Only the data have them: systems and references differ between pairs."""


def read(definition: Definition, pair: Pair, member: Member) -> PairFields:
    """The columns of a pair."""
    name = pair.members[0]
    root = parse(member(name), name)
    _check_languages(root, name)
    labels = sorted({_label(reference) for reference in root.iterfind(".//ref")})
    documents = [_document(element, name) for element in root.iterfind(".//doc") if "testsuite" not in element.attrib]
    scored = [document for document in documents if any(True for _ in document.scored())]
    systems = list(dict.fromkeys(system for document in scored for system in document.systems))
    return _columns(scored, labels, systems, name)


def parse(content: bytes, name: str) -> Element:
    """The root of the document. Comments count as children: text after one is not a segment's text."""
    builder = ElementTree.TreeBuilder(insert_comments=True, insert_pis=True)
    parser, depth = expat.ParserCreate(), 0

    def refuse(*arguments: object) -> NoReturn:
        raise InvalidTestSet(
            f"{name} declares entities or refers to other files, or declares attributes, "
            "which no test set needs: refused"
        )

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            raise InvalidTestSet(f"{name} has more than {DEEPEST} elements inside each other: refused")
        builder.start(tag, attributes)

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(tag)

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.CommentHandler = builder.data, builder.comment
    parser.ProcessingInstructionHandler = builder.pi
    parser.EntityDeclHandler = parser.UnparsedEntityDeclHandler = parser.ExternalEntityRefHandler = refuse
    parser.AttlistDeclHandler = refuse
    parser.buffer_text = True
    try:
        parser.Parse(content, True)
    except InvalidTestSet:
        raise
    except (expat.ExpatError, LookupError, ValueError) as error:  # the latter two for encodings that it does not know
        raise InvalidTestSet(f"{name} is not well-formed XML: {shown(error)}") from error
    return builder.close()


@dataclass
class _XmlDocument:
    id: str
    origlang: str
    domain: str | None
    sources: dict[int, str] = field(default_factory=dict)
    references: dict[str, dict[int, str]] = field(default_factory=dict)
    systems: dict[str, dict[int, str]] = field(default_factory=dict)

    def scored(self) -> Iterator[int]:
        """The numbers of the segments for which some reference has text."""
        return (n for n in sorted(self.sources) if any(texts.get(n) for texts in self.references.values()))


def _check_languages(root: Element, name: str) -> None:
    for tag, meaning in (("src", "source"), ("ref", "reference")):
        languages = {element.get("lang") for element in root.iterfind(f".//{tag}")}
        if len(languages) != 1:
            found = shown(", ".join(sorted(map(str, languages)))) or "none"
            raise InvalidTestSet(f"{name} should have one {meaning} language, it has {found}")


def _label(reference: Element) -> str:
    return reference.get("translator", "")


def _document(element: Element, name: str) -> _XmlDocument:
    document = _XmlDocument(element.get("id", ""), element.get("origlang", ""), element.get("domain"))
    for source in element.iterfind(".//src"):
        document.sources = _segments(source, name)
    for reference in element.iterfind(".//ref"):
        document.references[_label(reference)] = _segments(reference, name)
    for output in element.iterfind(".//hyp"):
        document.systems[_system(output, name)] = _segments(output, name)
    return document


def _segments(element: Element, name: str) -> dict[int, str]:
    """The texts by number; as in sacreBLEU, only the text before the first child, and the last of equal numbers."""
    texts = {}
    for segment in element.iterfind(".//seg"):
        number = segment.get("id", "")
        try:
            texts[int(number)] = segment.text or ""
        except ValueError as error:
            raise InvalidTestSet(
                f"{name}: a segment has the id {shown(repr(number))}, expected a whole number"
            ) from error
    return texts


def _system(output: Element, name: str) -> str:
    system = output.get("system")
    if not system:
        raise InvalidTestSet(f"{name}: an output ('hyp') does not name its system")
    return system


def _columns(documents: list[_XmlDocument], labels: list[str], systems: list[str], name: str) -> PairFields:
    segments = [(document, number) for document in documents for number in document.scored()]
    columns = {"src": [document.sources[number] for document, number in segments]}
    for label in labels:
        columns[f"ref:{label}" if label else "ref"] = [
            document.references.get(label, {}).get(number, "") for document, number in segments
        ]
    columns["docid"] = [document.id for document, _ in segments]
    columns["origlang"] = [document.origlang for document, _ in segments]
    for system in systems:
        if system in columns or system == "domain":
            raise InvalidTestSet(f"{name}: a system cannot be called {shown(repr(system))}, which is a field")
        columns[system] = [document.systems.get(system, {}).get(number, "") for document, number in segments]
    if any(document.domain is not None for document, _ in segments):
        columns["domain"] = [document.domain or "" for document, _ in segments]
    return PairFields({field: list(map(squeeze, column)) for field, column in columns.items()}, tuple(systems))
