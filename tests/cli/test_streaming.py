"""Large files are counted block by block, and the output is that of the usual way to the byte."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import os
import re
import resource
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import zstandard

from strategies import Generator
from truebleu import glance
from truebleu.cli import run as running
from truebleu.cli import streaming
from truebleu.cli.commands.score import COMMAND

run = COMMAND.run

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
        "sys.txt.xz": lzma.compress(contents["sys.txt"]),
        "sys.txt.zst": zstandard.compress(contents["sys.txt"]),
        "damaged.txt.zst": zstandard.compress(contents["sys.txt"])[:-9],
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
            "sys.txt.xz",
            "sys.txt.zst",
            "damaged.txt.zst",
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
    monkeypatch.setattr(running, "read_job", lambda *given: pytest.fail("the files were read whole"))
    monkeypatch.setattr(streaming, "_BLOCK", 100)
    assert 0 == answers(words, 0, capsys, monkeypatch)[0]  # type: ignore[index]


# Standard input and pipes.

SENT = [
    "sys.txt", "mark.txt", "crlf.txt", "cut.txt", "short.txt", "blank-end.txt", "latin.txt", "broken.txt", "tabs.txt",
    "cut-off.txt", "sixteen.txt", "sixteen-bare.txt", "returns.txt", "empty.txt", "blank.txt", "shuffled.txt",
    "same.txt", "late-tab.txt", "tab-ends.txt", "mixed-ends.txt", "sys.txt.gz",
    "sys.txt.bz2", "sys.txt.xz", "sys.txt.zst", "damaged.txt.gz", "damaged.txt.zst",
]  # fmt: skip
# What a pipe that is gone cannot tell any more, and the usual way does.
LESS = r"\. (The first \d+ fit|They seem to drift apart).*(\? Or,|;)(?= if the lines)"


@pytest.fixture
def sent(files: Path) -> Path:
    for name in ["ref.txt", *SENT]:
        if Path(name).exists() and name not in ("crlf.txt", "returns.txt") and name.endswith(".txt"):
            Path(name).write_bytes(re.sub(rb"[\t\r]", b" ", Path(name).read_bytes()))
    lines = Path("sys.txt").read_bytes().splitlines()
    contents = {
        "tabs.txt": b"".join(line + b"\tx\n" for line in lines),
        "late-tab.txt": b"\n".join([*lines[:40], b"a\tb", *lines[41:]]),
        "tab-ends.txt": b"".join(line + b"\t\n" for line in lines),
        "mixed-ends.txt": b"".join(line.rstrip() + (b"\r", b"\r\n", b"\n")[at % 3] for at, line in enumerate(lines)),
        "cut-off.txt": b"\n".join(lines) + b"\xe6\x97",
        "same.txt": Path("ref.txt").read_bytes(),
    }
    for name, content in contents.items():
        Path(name).write_bytes(content)
    return files


class Answers:
    """What a command says in the usual way, and block by block."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys, self._patch = capsys, monkeypatch

    def usual(self, words: str, given: bytes = b"") -> tuple[int | None, str, str]:
        with self._patch.context() as patch:
            patch.setattr(running, "_counted_in_blocks", lambda *given: (None, {}))
            return self._given(words, given, patch)

    def in_blocks(self, words: str, given: bytes = b"", block: int = 1 << 20) -> tuple[int | None, str, str]:
        with self._patch.context() as patch:
            patch.setattr(running, "LARGE", 0)
            patch.setattr(streaming, "_BLOCK", block)
            return self._given(words, given, patch)

    def _given(self, words: str, given: bytes, patch: pytest.MonkeyPatch) -> tuple[int | None, str, str]:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
        return (run(words.split()), *self._capsys.readouterr())


@pytest.fixture
def answer(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Answers:
    return Answers(capsys, monkeypatch)


@pytest.mark.parametrize("name", SENT)
@pytest.mark.parametrize("words", ["ref.txt", "ref.txt ref2.txt -i - -m bleu chrf ter"])
def test_standard_input_gives_the_output_of_the_usual_way(words: str, name: str, sent: Path, answer: Answers) -> None:
    given = Path(name).read_bytes()
    assert answer.usual(words, given) == answer.in_blocks(words, given)


@pytest.mark.parametrize("name", SENT)
@pytest.mark.parametrize("block", [100, 300])
def test_standard_input_that_is_not_kept_gives_no_wrong_output(
    name: str, block: int, sent: Path, answer: Answers
) -> None:
    given = Path(name).read_bytes()
    code, out, err = answer.usual("ref.txt", given)
    err = re.sub(LESS, ";", err)
    assert (code, out, err) == answer.in_blocks("ref.txt", given, block)


@pytest.mark.parametrize("name", ["sys.txt", "mark.txt", "mixed-ends.txt", "tab-ends.txt", "same.txt"])
def test_standard_input_is_counted_without_being_kept(
    name: str, sent: Path, answer: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "read_job", lambda *given: pytest.fail("it was read whole"))
    assert 0 == answer.in_blocks("ref.txt", Path(name).read_bytes(), 200)[0]


@pytest.mark.parametrize(
    "words", ["--confidence", "--sentence-level", "-tok ja-mecab", "--encoding latin-1", "-f text"]
)
def test_standard_input_is_read_whole_where_more_is_asked(words: str, sent: Path, answer: Answers) -> None:
    given = Path("sys.txt").read_bytes()
    assert answer.usual(f"ref.txt {words}", given) == answer.in_blocks(f"ref.txt {words}", given, 100)


def filled_pipes(**contents: str) -> list[threading.Thread]:
    """Named pipes, which get what files hold one after the other."""

    def fill() -> None:
        for name, file in contents.items():
            with contextlib.suppress(BrokenPipeError), open(name, "wb") as pipe:
                pipe.write(Path(file).read_bytes())

    for name in contents:
        os.mkfifo(name)
    thread = threading.Thread(target=fill, daemon=True)
    thread.start()
    return [thread]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("name", SENT)
@pytest.mark.parametrize("block", [100, 1 << 20])
def test_a_pipe_gives_the_output_of_a_file(name: str, block: int, sent: Path, answer: Answers) -> None:
    code, out, err = answer.usual(f"ref.txt -i {name}")
    filled_pipes(pipe=name)
    found = answer.in_blocks("ref.txt -i pipe", block=block)
    err = re.sub(LESS, ";", err) if block == 100 else err
    said = (out.replace(name, "pipe"), err.replace(name, "pipe"))
    assert (code, *said) == found


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_two_named_pipes_that_are_filled_in_turn_are_read_in_turn(files: Path, answer: Answers) -> None:
    many = b"".join(Path("sys.txt").read_bytes() for _ in range(200))
    Path("many.txt").write_bytes(many)
    Path("refs.txt").write_bytes(b"".join(Path("ref.txt").read_bytes() for _ in range(200)))
    expected = answer.usual("refs.txt -i many.txt")
    filled_pipes(first="refs.txt", second="many.txt")
    code, out, _ = answer.in_blocks("first -i second", block=100)
    assert (0, expected[1].replace("many.txt", "second")) == (code, out)


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="needs /dev/fd")
@pytest.mark.parametrize(
    "words",
    [
        "<(cat ref.txt) -i <(cat sys.txt) <(cat other.txt)",
        "<(cat ref.txt) ref2.txt < tab-ends.txt",
        "/dev/stdin -i /dev/stdin < ref.txt",
    ],
)
def test_pipes_of_a_shell_are_read_side_by_side(words: str, sent: Path) -> None:
    program = (
        "import sys; from truebleu.cli import run, streaming; from truebleu.cli.commands import score; "
        "run.LARGE = 0; streaming._BLOCK = 100; run.read_job = None; sys.exit(score.COMMAND.run(sys.argv[1:]))"
    )
    plain = re.sub(r"<\(cat (.*?)\)", r"\1", words).replace("/dev/stdin -i /dev/stdin < ref.txt", "ref.txt -i ref.txt")
    commands = [f"-c '{program}' {words}", f"-m truebleu {plain}"]
    found, expected = (
        subprocess.run(["bash", "-c", f"'{sys.executable}' {command} -f json -w 8"], capture_output=True, text=True)
        for command in commands
    )
    scores = [re.findall(r'"score": .*', done.stdout) for done in (found, expected)]
    assert scores[0] == scores[1] and scores[0], found.stderr


def test_a_pipe_that_is_named_twice_says_what_it_said(files: Path) -> None:
    shell = f"cat sys.txt | '{sys.executable}' -m truebleu /dev/stdin -i /dev/stdin"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True)
    assert 1 == done.returncode and "/dev/stdin is empty, expected one segment per line" in done.stderr


def test_a_file_that_grows_meanwhile_is_read_to_its_end(
    files: Path, answer: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    half = Path("sys.txt").read_bytes().splitlines(keepends=True)[: LINES // 2]
    rest = Path("sys.txt").read_bytes().splitlines(keepends=True)[LINES // 2 :]
    expected = answer.usual("ref.txt -i sys.txt")
    Path("sys.txt").write_bytes(b"".join(half))
    begin = streaming._begin

    def begin_and_grow(*given: Any) -> Any:
        begun = begin(*given)
        with Path("sys.txt").open("ab") as file:
            file.writelines(rest)
        rest.clear()
        return begun

    monkeypatch.setattr(streaming, "_begin", begin_and_grow)
    assert expected == answer.in_blocks("ref.txt -i sys.txt", block=100)


def test_lengths_of_much_text_are_told_without_reading_it_again(
    files: Path, answer: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streaming, "_REREAD", 0)
    monkeypatch.setattr(running, "read_job", lambda *given: pytest.fail("it was read whole"))
    code, _, err = answer.in_blocks("ref.txt -i short.txt")
    assert 1 == code and f"short.txt has {LINES - 3} lines, the reference ref.txt has {LINES}" in err


@pytest.mark.parametrize("lines", [25, 150, 1000, 10_000])
def test_the_warnings_are_of_the_lines_that_the_usual_way_looks_at(
    lines: int, files: Path, answer: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    samples: list[object] = []
    looked = glance._fit
    monkeypatch.setattr(glance, "_fit", lambda *texts: samples.append(texts) or looked(*texts))
    for name in ("many", "others"):
        Path(name).write_text("".join(f"{name} {at}\n" for at in range(lines)))
    assert answer.usual("many -i others") == answer.in_blocks("many -i others", block=500)
    usual, in_blocks = samples
    assert [list(texts) for texts in usual] == [list(texts) for texts in in_blocks]  # type: ignore[attr-defined]


def peak_memory(lines: int, folder: Path, end: str = "-i sys.txt") -> int:
    """The largest resident size of a command, in kilobytes."""
    text = b"".join(b"the ferry %d left at noon, and nobody saw it go away\n" % at for at in range(lines))
    (folder / "sys.txt").write_bytes(text)
    (folder / "ref.txt").write_bytes(text.replace(b"noon", b"twelve"))
    code = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, capture_output=True); "
    code += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    command = [sys.executable, "-m", "truebleu", "ref.txt", *end.split(), "--threads", "1"]
    with open(folder / "sys.txt", "rb") as file, subprocess.Popen(["cat"], stdin=file, stdout=subprocess.PIPE) as pipe:
        measured = [sys.executable, "-c", code, *command]
        done = subprocess.run(measured, stdin=pipe.stdout, cwd=folder, check=True, capture_output=True, text=True)
        pipe.stdout.close()  # type: ignore[union-attr]
    return int(done.stdout)


@pytest.mark.guard
@pytest.mark.skipif(not hasattr(resource, "RUSAGE_CHILDREN") or os.name == "nt", reason="needs getrusage")
@pytest.mark.parametrize("end", ["-i sys.txt", "", "-i /dev/stdin"])
def test_memory_does_not_grow_with_the_files(end: str, tmp_path: Path) -> None:
    few, many = peak_memory(800_000, tmp_path, end), peak_memory(1_600_000, tmp_path, end)
    assert many - few < 10_000, (few, many)
    assert many < 80_000, many
