"""JSON lines as other publishers write them: one record per line, and a table that maps fields to keys.

::

    "keys": {"src": "src_text", "ref": "refs.refA.ref", "docid": "doc_id"},
    "keep_if": {"src_lang": "en"}, "skip_if": {"refs.refA.ref": null}

A dot leads into an object. Records of several members follow each other. A record is read if it has all values of
`keep_if`, and skipped if it has all values of `skip_if`; an absent key counts as null. Line breaks inside a text stay.
If the unit of the set is a document, a document without an id is named by its member and line.
"""

from typing import Any

from truebleu._shown import shown
from truebleu._textio import decode, parse_json_lines
from truebleu.dataset.formats.columns import Member, PairFields, is_text
from truebleu.dataset.registry import Definition, Pair
from truebleu.errors import InvalidTestSet, RegistryError


def fields(definition: Definition, pair: Pair) -> list[str] | None:
    """The fields that have a key; None if there are several references, which only the data list."""
    if sum(map(_is_reference, pair.keys)) > 1:
        return None
    numbered = definition.unit == "document" and "docid" not in pair.keys
    return [*pair.keys, "docid"] if numbered else list(pair.keys)


def read(definition: Definition, pair: Pair, member: Member) -> PairFields:
    """The columns of a pair."""
    if "src" not in pair.keys or not any(map(_is_reference, pair.keys)):
        raise RegistryError(f"{definition.name} {pair.name}: 'keys' should have 'src' and a reference")
    columns: dict[str, list[str]] = {field: [] for field in pair.keys}
    if definition.unit == "document":
        columns.setdefault("docid", [])
    for name in pair.members:
        text = decode(member(name), "utf-8", name, InvalidTestSet)
        for number, record in parse_json_lines(text, name, InvalidTestSet):
            where = f"{name}, line {number}"
            if not isinstance(record, dict):
                raise InvalidTestSet(f"{where} should be an object")
            if not _is_wanted(record, pair):
                continue
            for field, key in pair.keys.items():
                columns[field].append(_text(record, field, key, where))
            if "docid" in columns and "docid" not in pair.keys:
                columns["docid"].append(f"{name}:{number}")
    if not columns["src"]:
        raise InvalidTestSet(f"{definition.name} {pair.name}: no record of {', '.join(pair.members)} is of this pair")
    there = {field: column for field, column in columns.items() if any(column) or not _is_reference(field)}
    if not any(map(_is_reference, there)):
        raise InvalidTestSet(f"{definition.name} {pair.name}: no record has a reference")
    return PairFields(there)


def _is_reference(field: str) -> bool:
    return field == "ref" or field.startswith("ref:")


def _is_wanted(record: dict[str, Any], pair: Pair) -> bool:
    if any(_value(record, key) != value for key, value in pair.keep_if.items()):
        return False
    return not pair.skip_if or any(_value(record, key) != value for key, value in pair.skip_if.items())


def _value(record: Any, key: str) -> Any:
    for part in key.split("."):
        record = record.get(part) if isinstance(record, dict) else None
    return record


def _text(record: dict[str, Any], field: str, key: str, where: str) -> str:
    value = _value(record, key)
    if value is None and field != "src":
        return ""
    if not isinstance(value, str):
        # Numbers of documents and segments are often written without quotes.
        if isinstance(value, int) and not isinstance(value, bool) and not _is_reference(field) and field != "src":
            return str(value)
        raise InvalidTestSet(f"{where}: {shown(key)} should be text, got {type(value).__name__}")
    if not is_text(value):
        raise InvalidTestSet(f"{where}: {shown(key)} has half a surrogate pair in it, which no file can hold")
    return value.rstrip("\n")
