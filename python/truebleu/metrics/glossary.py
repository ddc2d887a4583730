"""Glossaries: which translations of a term are wanted, in all texts or in each segment.

>>> glossary = Glossary.of("terms", {"acne": "trądzik", "car": ["voiture", "automobile"]})
>>> len(glossary), glossary.entries[1].targets
(2, ('voiture', 'automobile'))
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from truebleu._counts import number_of
from truebleu._inputs import brief, check_path, kind_of
from truebleu._logs import inform
from truebleu._records import NamedTuple
from truebleu._shown import shown
from truebleu._textio import json_value, parse_json_lines, read_text, split_lines
from truebleu._typing import Any
from truebleu.errors import FileFormatError, InputError, InputTypeError, MissingFile, OptionError


class Entry(NamedTuple):
    """A term with its translations; `forms` are other forms of a translation, with its number."""

    source: str
    targets: tuple[str, ...]
    forms: tuple[tuple[int, str], ...] = ()


class Glossary:
    """Terms for all texts, or, if `segments` has numbers of entries for each segment, for each by itself."""

    def __init__(self, entries: Iterable[Entry], segments: Iterable[Sequence[int]] | None = None) -> None:
        self.entries = tuple(entries)
        self.segments = None if segments is None else tuple(map(tuple, segments))

    @classmethod
    def of(cls, who: str, given: Any, split: str = "") -> Glossary:
        """Make a glossary of a mapping, of a list with the terms of each segment, or of the name of a file."""
        if isinstance(given, Glossary):
            return given
        if isinstance(given, str | os.PathLike):
            path, section = _path_and_section(check_path(f"{who}: glossary", given))
            if not os.path.exists(path):
                raise MissingFile(f"{who}: glossary is {brief(given)}, and there is no such file")
            return _loaded(path, section, split, *_state(path))
        where = f"{who}: glossary"
        if isinstance(given, Mapping):
            return cls(_joined(where, given.items(), split))
        if isinstance(given, list | tuple):
            return cls._by_segment([_annotations(f"{where}[{at}]", one, split) for at, one in enumerate(given)])
        raise InputTypeError(
            f"{where} is {kind_of(given)}, expected a mapping from terms to translations, a list with such a mapping "
            "for each segment, or the name of a file"
        )

    @classmethod
    def _by_segment(cls, segments: Iterable[Iterable[Entry]]) -> Glossary:
        numbers: dict[Entry, int] = {}
        found = [[numbers.setdefault(entry, len(numbers)) for entry in segment] for segment in segments]
        return cls(numbers, found)

    def at(self, places: Sequence[int]) -> Glossary:
        """Give the glossary of some of its segments."""
        return self if self.segments is None else Glossary(self.entries, [self.segments[at] for at in places])

    def digest(self) -> str:
        """Write the number of terms and a hash of them, and of the segments that want them."""
        import hashlib
        import json

        content = json.dumps([self.entries, self.segments], ensure_ascii=False).encode("utf-8", "surrogatepass")
        return f"{len(self)}-{hashlib.sha256(content).hexdigest()[:8]}"

    def __len__(self) -> int:
        return len(self.entries)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Glossary) and (self.entries, self.segments) == (other.entries, other.segments)

    def __hash__(self) -> int:
        return hash((self.entries, self.segments))


def _path_and_section(given: str) -> tuple[str, str]:
    """Take the name of a part of a file, as in terms.json:proper, from its path."""
    path, colon, section = given.rpartition(":")
    return (path, section) if colon and not os.path.exists(given) and os.path.exists(path) else (given, "")


def _state(path: str) -> tuple[int, int]:
    """Tell a file from what it was before."""
    try:
        found = os.stat(path)
    except OSError:
        return 0, 0  # reading it will say why
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=8)
def _loaded(path: str, section: str, split: str, *_: int) -> Glossary:
    where, text = shown(path), read_text(path)
    if not text.strip():
        raise FileFormatError(f"{where} is empty, expected terms and their translations")
    name = path.lower().removesuffix(".gz")
    if name.endswith((".jsonl", ".ndjson")):
        return _of_lines(where, parse_json_lines(text, where), section or "terms", split)
    if name.endswith(".json"):
        return _of_json(where, json_value(text, where), section, split)
    _refuse_section(where, section)
    return Glossary(_joined(where, _table(where, text), split))


def _refuse_section(where: str, section: str) -> None:
    if section:
        raise FileFormatError(f"{where} has no part {section!r}: only a JSON object of dictionaries has parts")


def _table(where: str, text: str) -> Iterator[tuple[str, list[str]]]:
    """Read a table: the term, then one or more translations, with tabs between them; # begins a comment."""
    for number, line in enumerate(split_lines(text, strip="\r"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        term, *targets = line.split("\t")
        if not targets:
            raise FileFormatError(
                f"{where}, line {number}: found 1 column, {brief(term)}, expected a term, a tab and its translation"
            )
        yield f"{term}", [target for at, target in enumerate(targets) if target.strip() or not at]


def _of_json(where: str, value: Any, section: str, split: str) -> Glossary:
    if isinstance(value, list):
        return _of_lines(where, enumerate(value, 1), section or "terms", split, "record")
    if not isinstance(value, dict):
        raise FileFormatError(f"{where} has {brief(value)}, expected an object with terms")
    if "documents" in value:
        _refuse_section(where, section)
        return Glossary._by_segment(_annotated(where, value["documents"], split))
    parts = [key for key, one in value.items() if isinstance(one, dict)]
    if section and section not in parts:
        there = f"its parts are {', '.join(map(brief, parts))}" if parts else "it has terms and no parts"
        raise FileFormatError(f"{where} has no part {brief(section)}; {there}")
    if not section and parts:
        choose = " or ".join(f"{where}:{part}" for part in parts[:3])
        raise FileFormatError(f"{where} has parts, {', '.join(map(brief, parts))}; choose one, as in {choose}")
    return Glossary(_joined(where, (value[section] if section else value).items(), split))


def _of_lines(where: str, values: Iterable[tuple[int, Any]], field: str, split: str, unit: str = "line") -> Glossary:
    """Read the terms of each segment from a field of objects."""
    segments = []
    for number, one in values:
        place = f"{where}, {unit} {number}"
        if not isinstance(one, dict) or field not in one:
            fields = ", ".join(map(brief, one)) if isinstance(one, dict) else brief(one)
            raise FileFormatError(f"{place}: found {fields}, expected an object with the field {field!r}")
        segments.append(_annotations(place, one[field], split))
    return Glossary._by_segment(segments)


def _annotated(where: str, documents: Any, split: str) -> Iterator[list[Entry]]:
    """Read WMT26's documents: paragraphs are segments, and those without a reference are left out."""
    try:
        for at, document in enumerate(documents):
            for number, paragraph in enumerate(document["paragraphs"]):
                place = f"{where}, document {at + 1}, paragraph {number + 1}"
                parts = paragraph.get("segments", [paragraph])
                if paragraph.get("reference", "") is None or any(one.get("reference", "") is None for one in parts):
                    continue
                terms = [term for one in parts for term in one.get("terms") or []]
                yield _annotations(place, terms, split)
    except (TypeError, KeyError, AttributeError) as error:
        raise FileFormatError(f"{where}: expected documents[].paragraphs[].segments[].terms[] ({error!r})") from error


def _annotations(where: str, given: Any, split: str) -> list[Entry]:
    """Read the terms of a segment: a mapping, or a list of annotations, each of which is wanted once."""
    if given is None:
        return []
    if isinstance(given, Mapping):
        return [Entry(*_checked(where, term, targets, split)) for term, targets in given.items()]
    if not isinstance(given, list | tuple):
        raise _wrong(where, f"{where} is {brief(given)}, expected a mapping from terms to translations")
    found = []
    for at, one in enumerate(given):
        place = f"{where}, term {at + 1}"
        if not isinstance(one, Mapping) or not {"source", "target"} <= one.keys():
            raise _wrong(where, f"{place}: found {brief(one)}, expected an object with 'source' and 'target'")
        known = [*(one.get("glossary_targets") or ()), *(one.get("targets") or ())]
        others = [text for text in dict.fromkeys(known) if text != one["target"]]
        source, targets = _checked(place, one["source"], [one["target"], *others], split)
        inflected = one.get("target_inflected") or []
        forms = [inflected] if isinstance(inflected, str) else inflected
        kept = tuple((0, text) for text in forms if isinstance(text, str) and text.strip())
        found.append(Entry(source, targets, kept))
    return found


def _joined(where: str, pairs: Iterable[tuple[Any, Any]], split: str) -> list[Entry]:
    """Put the translations of terms together that are written alike, but for case and space."""
    found: dict[str, Entry] = {}
    twice = 0
    for term, targets in pairs:
        source, checked = _checked(where, term, targets, split)
        key = " ".join(source.split())
        if known := found.get(key):
            twice, source, checked = twice + 1, known.source, tuple(dict.fromkeys(known.targets + checked))
        found[key] = Entry(source, checked, ())
    if not found:
        raise _wrong(where, f"{where} has no terms, expected terms and their translations")
    if twice:
        inform("%s: %s stood there before; the translations were put together", where, number_of(twice, "term"))
    return list(found.values())


def _checked(where: str, term: Any, targets: Any, split: str) -> tuple[str, tuple[str, ...]]:
    """Check a term and its translations."""
    several = [targets] if isinstance(targets, str) else targets
    if not isinstance(term, str) or not term.strip():
        raise _wrong(where, f"{where}: a term is {brief(term)}, expected a text")
    if not isinstance(several, list | tuple) or not several:
        raise _wrong(
            where, f"{where}: the translation of {brief(term)} is {brief(targets)}, expected one or more texts"
        )
    if split:
        several = [part.strip() for text in several if isinstance(text, str) for part in text.split(split)]
    for text in several:
        if not isinstance(text, str) or not text.strip():
            raise _wrong(where, f"{where}: a translation of {brief(term)} is {brief(text)}, expected a text")
    for text in (term, *several):
        if not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text):
            raise _wrong(where, f"{where}: {brief(text)} has half a character (a lone surrogate), expected a text")
    return term, tuple(dict.fromkeys(several))


def _wrong(where: str, message: str) -> InputError | OptionError:
    """What to raise for a glossary of a file, or of a caller."""
    return OptionError(message) if ": glossary" in where else FileFormatError(message)
