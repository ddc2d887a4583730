"""The file of a receipt: one line of JSON that begins with its own hash.

The digest is the SHA-256 of the whole file with the 64 digits of the digest replaced by zeros, so no canonical form of
JSON is needed to check it. `content` is a second hash, of the canonical form with uncompressed rows, so it is equal on
all machines, whatever their build of zlib. Reading any file takes no more memory than its size justifies, and every
error names the field.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import math
import os
import re
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

from truebleu._counts import number_of
from truebleu._inputs import brief, check_references, refuse_others
from truebleu._packing import MOST_CELLS, inflate
from truebleu._textio import repeated, stored_bytes
from truebleu.errors import FileFormatError
from truebleu.version import __version__

SCHEMA = 1
LARGEST = 64_000_000  # bytes of a file
LONGEST_NOTE = 2000
MOST_DRAWN = 5 * 10**9  # the most rows that all resamples of an interval may draw together
ROWS = ("segments", "documents", "total")
# What a receipt calls the fields of a signature that tell a test set.
OF_SETS = {"test": "name", "lang": "pair", "refs": "refs", "origlang": "origlang", "subset": "subset"}
_DEEPEST = 64
_START = f'{{"truebleu_receipt":{SCHEMA},"digest":"sha256:'
_PREFIX = re.compile(rb'\{"truebleu_receipt":(\d{1,9}),"digest":"sha256:([0-9a-f]{64})"')
_HASH_OF_FILE = re.compile(r"(hmac-)?sha256:[0-9a-f]{64}")
_HASH = re.compile(r"(hmac-)?sha256:(lines|lp):[0-9a-f]{64}")
_KNOWN = {
    "truebleu_receipt", "digest", "tool", "content", "system", "segments", "inputs", "test_set", "segmentation",
    "level", "documents", "rows", "metrics", "resampling", "required",
}  # fmt: skip


def hash_texts(texts: Iterable[str | None], key: bytes | None = None, *more: Iterable[str | None]) -> str:
    """Hash texts as `sha256sum` hashes a file with one text per line, or with their lengths if a text has a line
    break."""
    engine = hashlib.sha256() if key is None else hmac.new(key, digestmod="sha256")
    first = list(texts)
    lines = "" if more or None in first or not first else "\n".join(map(str, first)) + "\n"
    by_line = not more and lines.count("\n") == len(first) and None not in first
    # UTF-8 has no lone surrogates; the code is written as if it had.
    engine.update(lines.encode("utf-8", "surrogatepass") if by_line else b"")
    for text in () if by_line else chain(first, *more):
        content = b"" if text is None else text.encode("utf-8", "surrogatepass")
        size = 2**64 - 1 if text is None else len(content)
        engine.update(size.to_bytes(8, "little") + content)
    return f"{'' if key is None else 'hmac-'}sha256:{'lines' if by_line else 'lp'}:{engine.hexdigest()}"


def hash_file(path: str, key: bytes | None = None) -> str | None:
    """Hash a file as it is stored; None of a pipe, which can be read only once."""
    if not os.path.isfile(path):
        return None
    content = stored_bytes(path)
    if key is not None:
        return f"hmac-sha256:{hmac.new(key, content, 'sha256').hexdigest()}"
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def references_of(about: Mapping[str, Any]) -> list[dict[str, str]]:
    """The labels and hashes of references; none where there are scores from elsewhere alone."""
    return list(about["inputs"].get("references", ()))


def checked_streams(who: str, references: Any) -> list[list[str | None]]:
    """Give streams of references as lists, after a check that they hold texts."""
    streams = [list(stream) for stream in check_references(who, references).streams]
    for at, stream in enumerate(streams):
        refuse_others(who, f"references[{at}]", stream, allowed=(str, type(None)))
    return streams


def write(about: Mapping[str, Any]) -> tuple[dict[str, Any], bytes]:
    """Write a receipt with its two hashes: the content with them, and its bytes."""
    zeros = {"truebleu_receipt": SCHEMA, "digest": f"sha256:{'0' * 64}"}
    tool = {"tool": {"name": "truebleu", "version": __version__}}
    whole = {**zeros, **tool, "content": "", **about}
    _check(whole)  # check that it can be read again
    whole["content"] = content_hash(whole)
    text = json.dumps(whole, separators=(",", ":"), ensure_ascii=False, allow_nan=False) + "\n"
    content = text.encode("utf-8", "backslashreplace")  # a lone surrogate in JSON
    if len(content) > LARGEST:
        raise FileFormatError(f"the receipt would have {number_of(len(content), 'byte')}, expected at most {LARGEST}")
    digest = hashlib.sha256(content).hexdigest()
    return {**whole, "digest": f"sha256:{digest}"}, content.replace(b"0" * 64, digest.encode(), 1)


def read(content: bytes, name: str) -> dict[str, Any]:
    """Read a receipt, and check that it is whole and that every field has the right type."""
    if len(content) > LARGEST:
        raise FileFormatError(f"{name} has more than {LARGEST} bytes, which no receipt has")
    found = _PREFIX.match(content)
    if found is None:
        raise FileFormatError(f"{name} does not begin like a receipt: {_START}... and 64 digits")
    if int(found[1]) != SCHEMA:
        known = f"truebleu {__version__} reads schema {SCHEMA}"
        raise FileFormatError(f"{name} is of schema {int(found[1])}, and {known}: a newer version reads it")
    start, end = found.span(2)
    digest = hashlib.sha256(content[:start] + b"0" * 64 + content[end:]).hexdigest()
    if digest != found[2].decode():
        told = found[2].decode()[:12]
        how = "was changed" if content.endswith(b"}\n") else "was changed or cut off"
        raise FileFormatError(f"{name} {how}: its digest is {told}..., and its bytes give {digest[:12]}...")
    try:
        text = content.decode("utf-8")
        about = json.loads(text, object_pairs_hook=_object, parse_constant=_refuse, parse_float=_finite)
        _check_depth(about)
        _check(about)
        if content_hash(about) != about["content"]:
            raise FileFormatError("content is not the hash of the receipt's content")
    except FileFormatError as error:
        raise FileFormatError(f"{name}: {error}") from error
    except (ValueError, RecursionError) as error:  # RecursionError: nested very deeply
        raise FileFormatError(f"{name} is not a valid JSON file of a receipt: {error}") from error
    checked: dict[str, Any] = about
    return checked


def content_hash(about: Mapping[str, Any]) -> str:
    """Hash the content of a receipt, with uncompressed rows and without notes."""

    def plain(entry: Mapping[str, Any], where: str, most: int) -> dict[str, Any]:
        content = inflate(f"{where}.data", entry["data"], most)
        return {**entry, "data": f"sha256:{hashlib.sha256(content).hexdigest()}"}

    left = {key: value for key, value in about.items() if key not in ("digest", "content")}
    left["system"] = {key: value for key, value in about["system"].items() if key != "note"}
    n = row_count(about)
    left["metrics"] = [
        plain(one, f"metrics[{at}]", 10 * n * len(one["columns"])) for at, one in enumerate(about["metrics"])
    ]
    if "documents" in about:
        left["documents"] = plain(about["documents"], "documents", 10 * about["segments"])
    text = json.dumps(left, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def row_count(about: Mapping[str, Any]) -> int:
    """Tell how many rows each metric has."""
    of = about.get("rows", "segments")
    return int(1 if of == "total" else about["documents"]["count"] if of == "documents" else about["segments"])


# Hooks of the parser for values that JSON allows and a receipt does not.


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if (twice := repeated(pairs)) is not None:
        raise FileFormatError(f"the key {brief(twice)} occurs twice in one object")
    return dict(pairs)


def _refuse(text: str) -> None:
    raise FileFormatError(f"there is a number {text}, expected finite numbers")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise FileFormatError(f"there is a number {brief(text)}, expected finite numbers")
    return number


def _check_depth(value: Any) -> None:
    level, depth = [value], 0
    while level:
        if depth > _DEEPEST:
            raise FileFormatError(f"it is nested more than {_DEEPEST} deep")
        inner = [list(one.values()) if isinstance(one, dict) else one for one in level if isinstance(one, dict | list)]
        level, depth = [item for items in inner for item in items], depth + 1


# The fields.


def _check(about: dict[str, Any]) -> None:
    for key in _get(about, "required", list, optional=True) or []:
        if not isinstance(key, str) or key not in _KNOWN:
            raise FileFormatError(f"required names {brief(key)}, which truebleu {__version__} does not know: update it")
    for key in ("name", "version"):
        _get(about, f"tool.{key}", str)
    for key in ("name", "url", "note"):
        text = _get(about, f"system.{key}", str, optional=key != "name")
        if text is not None and len(text) > LONGEST_NOTE:
            raise FileFormatError(
                f"system.{key} has {number_of(len(text), 'character')}, expected at most {LONGEST_NOTE}"
            )
    _get(about, "content", str)
    _check_number("segments", _get(about, "segments", int), 1, MOST_CELLS)
    for key in ("segmentation", "resampling", "test_set"):
        _get(about, key, dict, optional=True)
    _get(about, "level", str, optional=True)
    for key in ("name", "pair", "content") if "test_set" in about else ():
        _get(about, f"test_set.{key}", str)
    for key in ("refs", "origlang", "subset", "set_version") if "test_set" in about else ():
        _get(about, f"test_set.{key}", (str, type(None)), optional=True)
    if _get(about, "rows", str, optional=True) not in (None, *ROWS):
        raise FileFormatError(f"rows is {brief(about['rows'])}, expected one of {', '.join(ROWS)}")
    if "documents" in about:
        _check_number("documents.count", _get(about, "documents.count", int), 1, about["segments"])
        _get(about, "documents.data", str)
    elif about.get("rows") == "documents":
        raise FileFormatError("rows is 'documents', and there is no field documents")
    _check_metrics(about)
    _check_inputs(about)


def _check_inputs(about: dict[str, Any]) -> None:
    # Scores from elsewhere need neither texts nor references.
    may_lack = all(one["fingerprint"]["metric"] == "external" for one in about["metrics"])
    if may_lack:
        _get(about, "inputs", dict)
    hashes = {"inputs.hypotheses": _get(about, "inputs.hypotheses", str, optional=may_lack)}
    references = _get(about, "inputs.references", list, optional=may_lack)
    for at, one in enumerate(references or ()):
        where = f"inputs.references[{at}]"
        _get({where: one}, where, dict)
        _get(one, "label", str, where)
        hashes[f"{where}.hash"] = _get(one, "hash", str, where)
    if references == []:
        raise FileFormatError("inputs.references is empty, expected at least one")
    for key in ("inputs.source", "inputs.items"):
        hashes[key] = _get(about, key, str, optional=True)
    for where, text in hashes.items():
        if text is not None and not _HASH.fullmatch(text):
            raise FileFormatError(f"{where} is {brief(text)}, expected sha256:lines: or sha256:lp: and 64 digits")


def _check_metrics(about: dict[str, Any]) -> None:
    names = set()
    for at, one in enumerate(_get(about, "metrics", list)):
        where = f"metrics[{at}]"
        _get({where: one}, where, dict)
        for key in ("name", "signature", "kinds", "data"):
            _get(one, key, str, where)
        for key in ("options", "fingerprint", "parts"):
            _get(one, key, dict, where)
        _get(one, "fingerprint.metric", str, where)
        _get(one, "score", (int, float), where)
        whose = _get(one, "score_file", str, where, optional=True)
        if whose is not None and not _HASH_OF_FILE.fullmatch(whose):
            raise FileFormatError(f"{where}.score_file is {brief(whose)}, expected sha256: and 64 digits")
        columns, kinds, predict = _get(one, "columns", list, where), one["kinds"], _get(one, "predict", list, where)
        if not columns or not all(isinstance(name, str) for name in columns) or len(set(columns)) < len(columns):
            raise FileFormatError(f"{where}.columns should be names, each once")
        if len(kinds) != len(columns) or set(kinds) - {"i", "f"}:
            raise FileFormatError(f"{where}.kinds is {brief(kinds)}, expected 'i' or 'f' for each column")
        is_number = all(type(place) is int and -1 <= place < of for of, place in enumerate(predict))
        if len(predict) != len(columns) or not is_number or any(
            place >= 0 and (kinds[place] == "f" or kinds[of] == "f") for of, place in enumerate(predict)
        ):  # fmt: skip
            raise FileFormatError(f"{where}.predict should name an earlier column of whole numbers for each, or -1")
        _check_number(f"{where}: the number of cells", row_count(about) * len(columns), 1, MOST_CELLS)
        pair = _get(one, "references", list, where)
        if len(pair) != 2 or not all(type(number) is int and 0 <= number <= 10**6 for number in pair):
            raise FileFormatError(f"{where}.references is {brief(pair)}, expected the fewest and the most of a segment")
        _check_interval(one, where, row_count(about))
        names.add(one["name"])
    if not names or len(names) < len(about["metrics"]):
        raise FileFormatError("metrics should have at least one entry, each with a name of its own")


def _check_interval(one: dict[str, Any], where: str, rows: int) -> None:
    if _get(one, "interval", dict, where, optional=True) is not None:
        # A check draws again, and should not take minutes.
        _check_number(f"{where}.interval.n", _get(one, "interval.n", int, where), 2, max(2, MOST_DRAWN // rows))
        _get(one, "interval.seed", str, where)
        for key in ("mean", "half_width"):
            _get(one, f"interval.{key}", (int, float), where)


def _get(holder: Any, path: str, kind: Any, where: str = "", *, optional: bool = False) -> Any:
    """The value of a field, after a check that it exists and has the right type."""
    name = f"{where}.{path}" if where else path
    found = holder
    for key in [path] if path in holder else path.split("."):
        if not isinstance(found, dict):
            raise FileFormatError(f"{name} is missing: its parent is of type {type(found).__name__}")
        if key not in found:
            if optional:
                return None
            raise FileFormatError(f"{name} is missing")
        found = found[key]
    # Only Python takes a truth value for a number.
    if not isinstance(found, kind) or isinstance(found, bool):
        raise FileFormatError(f"{name} is of type {type(found).__name__}, and another was expected")
    return found


def _check_number(name: str, number: int, low: int, high: int) -> None:
    if not low <= number <= high:
        raise FileFormatError(f"{name} is {brief(number)}, expected a number from {low} to {high}")
