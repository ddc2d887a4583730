"""Large files are counted block by block, and the output is that of the usual way to the byte."""

from __future__ import annotations

import bz2
import gzip
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from strategies import Generator
from truebleu.cli import run as running
from truebleu.cli import streaming
from truebleu.cli.commands.score import run

LINES = 60


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    drawn = Generator("streaming", longest=30)
    corpus = drawn.corpus(LINES, 3)

    def lines(texts: list[str | None]) -> list[str]:
        return [(text or "").replace("\n", " ").encode("utf-8", "replace").decode() for text in texts]

    written = {"ref.txt": corpus.streams[0], "ref2.txt": corpus.streams[1], "sys.txt": corpus.hypotheses}
    texts = {name: "\n".join(lines(list(text))) + "\n" for name, text in written.items()}
    texts["other.txt"] = "\n".join(lines([drawn.variant(text) for text in corpus.hypotheses])) + "\n"
    contents = {name: text.encode() for name, text in texts.items()}
    contents |= {
        "mark.txt": b"\xef\xbb\xbf" + contents["sys.txt"],
        "crlf.txt": contents["sys.txt"].replace(b"\n", b"\r\n"),
        "cut.txt": contents["sys.txt"].rstrip(b"\n"),
        "short.txt": b"".join(contents["sys.txt"].splitlines(keepends=True)[:-3]),
        "blank-end.txt": contents["sys.txt"] + b"\n \n",
        "latin.txt": contents["sys.txt"] + b"caf\xe9\n",
        "broken.txt": contents["sys.txt"].replace(b" ", b"\xff", 1),
        "sixteen.txt": texts["sys.txt"].encode("utf-16"),
        "sixteen-bare.txt": texts["sys.txt"].encode("utf-16-le"),
        "returns.txt": b"a\rb\rc",
        "empty.txt": b"",
        "blank.txt": b"\n" * LINES,
        "out.jsonl": contents["sys.txt"],
        "sys.txt.gz": gzip.compress(contents["sys.txt"]),
        "sys.txt.bz2": bz2.compress(contents["sys.txt"]),
        "false.txt.gz": contents["sys.txt"],
        "damaged.txt.gz": gzip.compress(contents["sys.txt"])[:-9],
        "stops.txt": b"a b .\n" * 200,
        "shuffled.txt": b"".join(sorted(contents["ref.txt"].splitlines(keepends=True))),
    }
    for name, content in contents.items():
        Path(name).write_bytes(content)
    return tmp_path


def answers(words: str, large: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.setattr(running, "LARGE", large)
    code = run(words.split())
    return (code, *capsys.readouterr())


WORDS = [
    "ref.txt -i sys.txt",
    "ref.txt -i sys.txt -m bleu chrf ter gleu",
    "ref.txt ref2.txt -i sys.txt other.txt -m bleu chrf ter --chrf-word-order 2",
    "ref.txt -i sys.txt -lc -f text -w 5 --short",
    "ref.txt -i sys.txt -b",
    "ref.txt -i sys.txt other.txt -f markdown",
    "ref.txt -i sys.txt --like BLEU|nrefs:2|case:lc|eff:no|tok:intl|smooth:exp|version:2.4.0",
    *(
        f"ref.txt -i {name}"
        for name in [
            "mark.txt",
            "crlf.txt",
            "cut.txt",
            "short.txt",
            "blank-end.txt",
            "latin.txt",
            "broken.txt",
            "sixteen.txt",
            "sixteen-bare.txt",
            "returns.txt",
            "empty.txt",
            "blank.txt",
            "out.jsonl",
            "sys.txt.gz",
            "sys.txt.bz2",
            "false.txt.gz",
            "damaged.txt.gz",
            "stops.txt",
            "shuffled.txt",
            "missing.txt",
            ".",
        ]
    ),
    "blank.txt -i sys.txt",
    "mark.txt -i sys.txt mark.txt",
    "ref.txt -i ref.txt",
    "ref.txt ref2.txt -i ref2.txt sys.txt",
    "ref.txt -i sys.txt sys.txt",
    "stops.txt -i stops.txt -m bleu chrf",
    "returns.txt -i returns.txt",
    "ref.txt -i sys.txt --confidence",
    "ref.txt -i sys.txt --sentence-level",
    "ref.txt -i sys.txt --encoding latin-1",
]


@pytest.mark.parametrize("words", WORDS)
def test_the_output_is_that_of_the_usual_way(
    words: str, files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = answers(words, 1 << 60, capsys, monkeypatch)
    assert usual == answers(words, 0, capsys, monkeypatch)


@pytest.mark.parametrize("words", ["ref.txt -i sys.txt", "ref.txt -i sys.txt.gz mark.txt -m chrf ter"])
def test_files_are_counted_without_being_kept(
    words: str, files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "read_job", lambda request: pytest.fail("the files were read whole"))
    monkeypatch.setattr(streaming, "_BLOCK", 100)
    assert 0 == answers(words, 0, capsys, monkeypatch)[0]  # type: ignore[index]


def peak_memory(lines: int, folder: Path) -> int:
    """The largest resident size of a command, in kilobytes."""
    text = b"".join(b"the ferry %d left at noon, and nobody saw it go away\n" % at for at in range(lines))
    (folder / "sys.txt").write_bytes(text)
    (folder / "ref.txt").write_bytes(text.replace(b"noon", b"twelve"))
    code = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, capture_output=True); "
    code += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    command = [sys.executable, "-m", "truebleu", "ref.txt", "-i", "sys.txt", "--threads", "1"]
    done = subprocess.run(
        [sys.executable, "-c", code, *command], cwd=folder, check=True, capture_output=True, text=True
    )
    return int(done.stdout)


@pytest.mark.skipif(not hasattr(resource, "RUSAGE_CHILDREN") or os.name == "nt", reason="needs getrusage")
def test_memory_does_not_grow_with_the_files(tmp_path: Path) -> None:
    few, many = peak_memory(400_000, tmp_path), peak_memory(1_600_000, tmp_path)
    assert many - few < 10_000, (few, many)
