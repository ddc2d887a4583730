"""The file: whole, or refused with a message that names the field."""

import base64
import hashlib
import json
import random
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import truebleu
from conftest import REPOSITORY
from receipts.forging import PREFIX, forged, hashed, made, naive_rows, rewritten
from truebleu import BLEU, CHRF, TER, Receipt
from truebleu.errors import FileFormatError, InputFileError
from truebleu.receipts.file import hash_texts

GOLDEN = REPOSITORY / "tests" / "golden" / "schema-1.receipt.json"


def test_the_digest_is_the_hash_of_the_file_with_zeros_in_its_place() -> None:
    content = made().content
    assert content.startswith(b'{"truebleu_receipt":1,"digest":"sha256:') and content.endswith(b"}\n")
    assert 1 == content.count(b"\n")
    zeros = content[:PREFIX] + b"0" * 64 + content[PREFIX + 64 :]
    assert hashlib.sha256(zeros).hexdigest() == content[PREFIX : PREFIX + 64].decode()


def refused(content: bytes) -> bool:
    try:
        Receipt(content)
    except FileFormatError:
        return True
    return False


def test_a_thousand_changes_of_one_byte_are_found() -> None:
    content, draw = made().content, random.Random(7)
    for _ in range(1000):
        at, byte = draw.randrange(len(content)), draw.randrange(256)
        changed = content[:at] + bytes([byte]) + content[at + 1 :]
        assert changed == content or refused(changed)


def test_swaps_cuts_and_other_ways_to_write_it_are_found() -> None:
    content, draw = made().content, random.Random(8)
    for _ in range(200):
        one, other = draw.randrange(len(content)), draw.randrange(len(content))
        swapped = bytearray(content)
        swapped[one], swapped[other] = content[other], content[one]
        assert bytes(swapped) == content or refused(bytes(swapped))
    assert all(refused(content[:at]) for at in range(0, len(content), 97))
    assert refused(content.replace(b"\n", b"\r\n"))
    assert refused(b"\xef\xbb\xbf" + content)
    assert refused(json.dumps(json.loads(content), indent=1).encode())
    assert refused(content + b"\n")


def test_the_hash_of_lines_is_that_of_the_file() -> None:
    texts = ["one", "two ü", ""]
    content = "".join(f"{text}\n" for text in texts).encode()
    assert f"sha256:lines:{hashlib.sha256(content).hexdigest()}" == hash_texts(texts)


def test_texts_with_line_breaks_and_missing_ones_are_hashed_with_their_lengths() -> None:
    content = (3).to_bytes(8, "little") + b"a\nb" + b"\xff" * 8
    assert f"sha256:lp:{hashlib.sha256(content).hexdigest()}" == hash_texts(["a\nb", None])
    assert len({hash_texts([None]), hash_texts([""]), hash_texts(["a\n"]), hash_texts(["a", ""])}) == 4


def test_a_key_makes_another_hash_that_says_so() -> None:
    assert hash_texts(["a"], b"secret").startswith("hmac-sha256:lines:")
    assert hash_texts(["a"], b"secret") != hash_texts(["a"], b"other")


def test_content_does_not_depend_on_the_build_of_zlib_nor_on_notes() -> None:
    receipt = made()

    def recompress(about: dict[str, Any]) -> None:
        for one in [*about["metrics"], about["documents"]]:
            inflated = zlib.decompress(base64.b64decode(one["data"]))
            one["data"] = base64.b64encode(zlib.compress(inflated, 1)).decode()
        about["system"]["note"] = "made elsewhere"

    other = forged(receipt, recompress)
    assert receipt.content != other.content and receipt.digest != other.digest
    assert receipt.about["content"] == other.about["content"]


def test_the_same_input_makes_the_same_bytes() -> None:
    made.cache_clear()
    first = made().content
    made.cache_clear()
    assert first == made().content


def test_unknown_keys_are_kept_and_required_ones_refused() -> None:
    receipt = forged(made(), lambda about: about.update(weather="rain"))
    assert "rain" == receipt.about["weather"] and receipt.verify()
    with pytest.raises(FileFormatError, match=r"required names 'weather', which truebleu .* does not know"):
        forged(made(), lambda about: about.update(weather="rain", required=["weather"]))


def test_a_higher_schema_is_refused_with_what_would_read_it() -> None:
    content = made().content.replace(b'"truebleu_receipt":1,', b'"truebleu_receipt":2,')
    with pytest.raises(FileFormatError, match=r"is of schema 2, .* a newer version reads it"):
        Receipt(content)


def deep(about: dict[str, Any]) -> None:
    value: Any = 1
    for _ in range(70):
        value = [value]
    about["deep"] = value


def change(path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    *folders, name = path.split(".")

    def apply(about: dict[str, Any]) -> None:
        holder: Any = about
        for one in folders:
            holder = holder[int(one)] if one.isdecimal() else holder[one]
        holder[name] = value

    return apply


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (change("segments", 10**9), "segments is 1000000000, expected a number from 1"),
        (change("segments", -1), "segments is -1"),
        (change("segments", 0), "segments is 0"),
        (change("segments", True), "segments is of type bool"),
        (change("segments", "240"), "segments is of type str"),
        (change("segments", 241), "metrics\\[0\\].*|content is not"),
        (change("metrics.0.score", float("nan")), "number NaN, expected finite"),
        (change("metrics.0.score", float("inf")), "number Infinity, expected finite"),
        (change("metrics.0.score", "36"), "metrics\\[0\\].score is of type str"),
        (change("metrics.0.columns", ["a"]), "metrics\\[0\\].kinds"),
        (change("metrics.0.columns", []), "metrics\\[0\\].columns should be names"),
        (change("metrics.0.kinds", "x" * 10), "metrics\\[0\\].kinds is"),
        (change("metrics.0.predict", [0] * 10), "metrics\\[0\\].predict should name an earlier column"),
        (change("metrics.0.references", [1]), "metrics\\[0\\].references is \\[1\\]"),
        (change("metrics.0.data", "AAAA"), "metrics\\[0\\].data is not base64 of zlib"),
        (change("metrics.0.interval", {"n": 10}), "metrics\\[0\\].interval.seed is missing"),
        (change("metrics.0.interval", {"n": 10**8, "seed": "1"}), "metrics\\[0\\].interval.n is 100000000"),
        (change("metrics", []), "metrics should have at least one entry"),
        (change("metrics", [5]), "metrics\\[0\\] is of type int"),
        (change("metrics.1.name", "bleu"), "each with a name of its own"),
        (change("inputs.hypotheses", "sha256:lines:12"), "inputs.hypotheses is 'sha256:lines:12'"),
        (change("inputs.references", []), "inputs.references is empty"),
        (change("inputs.references", [{"label": "A"}]), "inputs.references\\[0\\].hash is missing"),
        (change("inputs", 5), "inputs.hypotheses is missing"),
        (change("system.note", "x" * 2001), "system.note has 2001 characters"),
        (change("test_set.pair", 5), "test_set.pair is of type int"),
        (change("documents.count", 1000), "documents.count is 1000"),
        (change("documents.data", ""), "documents.data is cut off"),
        (change("rows", "some"), "rows is 'some', expected one of segments, documents, total"),
        (change("tool", {}), "tool.name is missing"),
        (change("segmentation", "cue1"), "segmentation is of type str"),
        (change("level", 5), "level is of type int"),
        (deep, "nested more than 64 deep"),
        (change("system.name", "another"), "content is not the hash of the receipt's content"),
    ],
)
def test_a_bad_field_is_named(bad: Callable[[dict[str, Any]], None], message: str) -> None:
    with pytest.raises(FileFormatError, match=message):
        Receipt(rewritten(made(), bad))


@pytest.mark.parametrize(
    ("find", "put", "message"),
    [
        (b'"segments":240', b'"segments":240,"segments":240', "the key 'segments' occurs twice"),
        (b'"segments":240', b'"segments":1e999', "number '1e999', expected finite"),
        (b'"segments":240', b'"segments":' + b"1" * 5000, "not a valid JSON file of a receipt"),
        (b'"segments":240', b'"segments":240,"x":' + b"[" * 100_000 + b"]" * 100_000, "deep|recursion"),
        (b'"segments":240', b'"segments":240,"x":"\xff"', "not a valid JSON file of a receipt"),
        (b'"segments":240', b'"segments"', "not a valid JSON file of a receipt"),
    ],
)
def test_json_that_is_no_receipt_is_refused(find: bytes, put: bytes, message: str) -> None:
    content = made().content
    assert content.count(find) == 1
    with pytest.raises(FileFormatError, match=message):
        Receipt(hashed(content.replace(find, put)))


def test_a_bomb_in_a_file_is_refused(tmp_path: Path) -> None:
    bomb = base64.b64encode(zlib.compress(bytes(30_000_000), 9)).decode()
    with pytest.raises(FileFormatError, match=r"metrics\[0\].data holds more than the 24000 bytes"):
        Receipt(rewritten(made(), change("metrics.0.data", bomb)))


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large.receipt.json"
    with path.open("wb") as stream:
        stream.truncate(64_000_001)
    with pytest.raises(FileFormatError, match="64000001 bytes, and no receipt has more"):
        Receipt.load(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputFileError, match=r"none\.receipt\.json"):
        Receipt.load(tmp_path / "none.receipt.json")


def test_saving_and_loading_keeps_the_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.receipt.json"
    made().save(path)
    again = Receipt.load(path)
    assert made().content == path.read_bytes() == again.content
    again.save(path)
    assert made().content == path.read_bytes()


def test_receipts_of_schema_1_stay_readable() -> None:
    receipt, demo = Receipt.load(GOLDEN), truebleu.testset("demo", "en-de")
    texts = demo.systems["birch"]
    assert {1: True, 2: True, 3: True, 4: True} == receipt.verify(demo, texts).levels
    for name, metric in (("BLEU", BLEU()), ("CHRF", CHRF()), ("TER", TER())):
        stats = metric.stats(texts, demo.references)
        assert (stats.rows == receipt.stats[name].rows).all()
        entry = next(one for one in receipt.about["metrics"] if one["name"] == name)
        assert stats.rows.tolist() == naive_rows(entry, 240)
