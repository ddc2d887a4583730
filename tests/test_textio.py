"""The one reader: whatever a file looks like, every command reads the same texts from it."""

import bz2
import gzip
import io
import json
import lzma
import random
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

import truebleu
from cli.conftest import Files
from truebleu import _textio
from truebleu.errors import FileFormatError, InputFileError, InputTypeError, UndecodableText

SYSTEM = ["The heron stood by the old pond.", " Nobody came to see it, not even once.", "BZh is no compression."]
BASELINE = ["The heron was at the pond.", " Nobody came to see it, not once.", "It is no compression at all."]
REFERENCE = ["A heron stood by the old pond.", " Nobody came to see it, not even then.", "BZh is not a compression."]


def plain(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def packed(compress: Callable[[bytes], bytes]) -> Callable[[list[str]], bytes]:
    return lambda lines: compress(plain(lines))


# How a file may look, and how its name ends.
LOOKS: dict[str, tuple[str, Callable[[list[str]], bytes]]] = {
    "byte order mark": (".txt", lambda lines: b"\xef\xbb\xbf" + plain(lines)),
    "CRLF": (".txt", lambda lines: plain(lines).replace(b"\n", b"\r\n")),
    "CRLF in some lines": (".txt", lambda lines: plain(lines).replace(b"\n", b"\r\n", 1)),
    "trailing space": (".txt", lambda lines: plain(lines).replace(b"\n", " \t\u3000\n".encode())),
    "no line feed at the end": (".txt", lambda lines: plain(lines)[:-1]),
    "gz": (".gz", packed(gzip.compress)),
    "bz2": (".bz2", packed(bz2.compress)),
    "xz": (".xz", packed(lzma.compress)),
    "zst": (".zst", packed(zstandard.ZstdCompressor().compress)),
    "gz without its suffix": (".txt", packed(gzip.compress)),
    "byte order mark and CRLF in gz": (
        ".gz",
        lambda lines: gzip.compress(b"\xef\xbb\xbf" + plain(lines).replace(b"\n", b"\r\n")),
    ),
}

# What each command makes of the files `system`, `baseline` and `reference`; the last of several is what counts.
COMMANDS = {
    "score": ["{reference} -i {system} -m bleu chrf -b -w 6"],
    "sign-test": ["sign-test -r {reference} -t {system} -b {baseline} --no-files --json -m chrf --chrf-whitespace"],
    "self-bleu": ["self-bleu {system} --per-sample"],
    "data add": [
        "data add {system} {reference} --name lab/x -l en-de --docid {baseline}",
        "-t lab/x -l en-de --echo src ref docid",
    ],
}


def output(commands: list[str], folder: Path, suffix: str, write: Callable[[list[str]], bytes]) -> str:
    """What the last command prints when the files look as `write` writes them."""
    folder.mkdir()
    texts = {"system": SYSTEM, "baseline": BASELINE, "reference": REFERENCE}
    for name, lines in texts.items():
        (folder / f"{name}{suffix}").write_bytes(write(lines))
    for command in commands:
        words = command.format(**{name: f"{name}{suffix}" for name in texts}).split()
        done = Files(folder).ours(*words, TRUEBLEU_CACHE=str(folder / "cache"))
        assert 0 == done.code, done.err
    # The names of the files may differ, and nothing else.
    return done.out.replace(f"system{suffix}", "system").replace(f"{suffix}", "")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_reads_the_same_texts_however_a_file_looks(command: str, tmp_path: Path) -> None:
    expected = output(COMMANDS[command], tmp_path / "plain", ".txt", plain)
    assert expected
    for number, (look, (suffix, write)) in enumerate(LOOKS.items()):
        assert expected == output(COMMANDS[command], tmp_path / str(number), suffix, write), look


def test_python_reads_what_the_command_reads(tmp_path: Path) -> None:
    for number, (suffix, write) in enumerate(LOOKS.values()):
        path = tmp_path / f"{number}{suffix}"
        path.write_bytes(write(SYSTEM))
        assert SYSTEM == truebleu.read_lines(path) == truebleu.read_lines(str(path))
    path.write_bytes(gzip.compress("Zürich\u2028\x85\x0c ist\nschön\n".encode("utf-16")))
    assert ["Zürich\u2028\x85\x0c ist", "schön"] == truebleu.read_lines(path, encoding="utf-16")
    with pytest.raises(InputFileError, match=r"nowhere\.txt: there is no such file"):
        truebleu.read_lines(tmp_path / "nowhere.txt")
    with pytest.raises(InputTypeError, match="read_lines: path is 0, expected the path of a file"):
        truebleu.read_lines(0)  # type: ignore[arg-type]


def test_a_byte_order_mark_is_dropped_with_a_message(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    path = tmp_path / "x.txt"
    for encoding in ("utf-8", "utf-16-le"):
        path.write_bytes("\ufeffa\n\ufeffb\n".encode(encoding))
        assert ["a", "\ufeffb"] == _textio.read_lines(path, encoding)
    assert [f"{path}: a byte order mark at the beginning was left out"] * 2 == caplog.messages


def test_a_table_and_records_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    for text, kind in (('{"a": "x "}\r\n', "jsonl"), ("a\tb\r\nx \ty\r\n", "tsv")):
        path.write_bytes(text.encode("utf-8-sig"))
        records = _textio.parse_records(_textio.read_text(path), kind, str(path))
        assert ["x "] == records.texts("a")


@pytest.mark.parametrize("text", [b"BZh", b"BZh9 is text", b"BZh1AY", b"(\xc2\xb5/", b"\x1f text", b"7zXZ"])
def test_text_that_begins_almost_like_a_compressed_file_is_text(text: bytes) -> None:
    assert text == _textio.decompress(text, "x.txt")


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress, zstandard.ZstdCompressor().compress])
def test_a_compressed_file_is_read_whole_or_not_at_all(compress: Callable[[bytes], bytes]) -> None:
    content = compress(plain(SYSTEM) * 100)
    assert plain(SYSTEM) * 200 == _textio.decompress(content * 2, "two members")
    assert b"" == _textio.decompress(compress(b""), "empty")
    for size in range(10, len(content), 7):
        with pytest.raises(InputFileError, match="x: cannot be decompressed, is it damaged or cut off"):
            _textio.decompress(content[:size], "x")


def test_a_name_that_promises_compression_is_held_to_it(tmp_path: Path) -> None:
    path = tmp_path / "x.gz"
    path.write_bytes(b"plain text\n")
    with pytest.raises(InputFileError, match="does not begin like a compressed file"):
        _textio.read_lines(path)


def test_errors_name_the_file_and_the_line() -> None:
    with pytest.raises(UndecodableText, match=r"x, line 2: byte 2 of the line is 0xff, which is not utf-8"):
        _textio.decode(b"a\nb\xff", "utf-8", "x")
    with pytest.raises(FileFormatError, match=r"x, line 2: not JSON"):
        list(_textio.parse_json_lines(json.dumps({}) + "\n{", "x"))


def test_zstandard_is_read_block_by_block() -> None:
    content = bytes(1 << 22)
    frames = 3 * zstandard.ZstdCompressor().compress(content)
    given = io.BytesIO(frames)
    stream = _textio.decompressing(given)
    assert stream is not None and content[:100] == stream.read(100)
    assert 3 * len(content) - 100 == sum(map(len, iter(lambda: stream.read(1 << 20), b"")))
    cut = _textio.decompressing(io.BytesIO(frames[:-1]))
    with pytest.raises(EOFError, match="in the middle of a frame"):
        cut.read()  # type: ignore[union-attr]


@pytest.mark.guard
def test_the_memory_for_zstandard_does_not_grow_with_the_text() -> None:
    text = random.Random(1).randbytes(1 << 23).hex().encode()
    packed = zstandard.ZstdCompressor().compress(text)
    tracemalloc.start()
    stream = _textio.decompressing(io.BytesIO(packed))
    read = sum(map(len, iter(lambda: stream.read(1 << 16), b"")))  # type: ignore[union-attr]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (len(text), True) == (read, peak < 1 << 20), peak
