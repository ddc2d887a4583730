"""Receipts that were changed by somebody who knows the format: valid JSON with the right hashes, and untrue."""

import base64
import copy
import hashlib
import json
import zlib
from collections.abc import Callable
from functools import cache
from typing import Any

from truebleu import BLEU, CHRF, TER, Receipt, testset
from truebleu.receipts import file

PREFIX = len('{"truebleu_receipt":1,"digest":"sha256:')


@cache
def made(**options: Any) -> Receipt:
    """The receipt of a system of the demo set, with one reference."""
    demo = testset("demo", "en-de", refs="A")
    metrics = [BLEU(), CHRF(word_order=2), TER()]
    return Receipt.make(demo.systems["atlas"], None, metrics, system="atlas", test_set=demo, **options)


def forged(receipt: Receipt, change: Callable[[dict[str, Any]], object]) -> Receipt:
    """The receipt with a change, and hashes that fit."""
    about = copy.deepcopy(dict(receipt.about))
    change(about)
    for key in ("truebleu_receipt", "digest", "tool", "content"):
        about.pop(key)
    return Receipt(file.write(about)[1])


def hashed(content: bytes) -> bytes:
    """Bytes of a receipt with the digest that they should have."""
    zeros = content[:PREFIX] + b"0" * 64 + content[PREFIX + 64 :]
    return content[:PREFIX] + hashlib.sha256(zeros).hexdigest().encode() + content[PREFIX + 64 :]


def rewritten(receipt: Receipt, change: Callable[[dict[str, Any]], object]) -> bytes:
    """The bytes of a receipt with a change that need not make sense; `content` stays what it was."""
    about = copy.deepcopy(dict(receipt.about))
    change(about)
    return hashed(json.dumps(about, separators=(",", ":")).encode() + b"\n")


def naive_rows(entry: dict[str, Any], n: int) -> list[list[float]]:
    """Rows read as the documentation says, byte by byte."""
    content = iter(zlib.decompress(base64.b64decode(entry["data"])))
    columns: list[list[float]] = []
    for kind, near in zip(entry["kinds"], entry["predict"], strict=True):
        column: list[float] = []
        if kind == "f":
            import struct

            planes = [[next(content) for _ in range(n)] for _ in range(8)]
            column = [struct.unpack("<d", bytes(plane[at] for plane in planes))[0] for at in range(n)]
        for at in range(n if kind == "i" else 0):
            number, shift = 0, 0
            while True:
                byte = next(content)
                number |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    break
            signed = number // 2 if number % 2 == 0 else -(number + 1) // 2
            column.append(float(signed + (columns[near][at] if near >= 0 else 0)))
        columns.append(column)
    assert next(content, None) is None
    return [list(row) for row in zip(*columns, strict=True)]
