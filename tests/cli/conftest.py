"""Both programs, and a folder of files to run them on: ours runs in this process, the other's answers are kept."""

import contextlib
import gzip
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import pytest

from oracle import commands
from truebleu import demo
from truebleu.cli.main import main
from truebleu.version import __version__

PROGRAM = (sys.executable, "-m", "truebleu")
_VARIABLES = ("SACREBLEU_FORMAT", "TRUEBLEU_FORMAT", "SACREBLEU_SEED", "NO_COLOR", "TRUEBLEU_THREADS")


class Run(NamedTuple):
    code: int
    out: str
    err: str


class Files(NamedTuple):
    """A folder to run in."""

    folder: Path

    def ours(self, *words: str, stdin: bytes | str = b"", **variables: str) -> Run:
        with contextlib.chdir(self.folder), mock.patch.dict(os.environ, _inherited() | variables, clear=True):
            return run_here(words, stdin)

    def theirs(self, *words: str, stdin: bytes | str = b"", **variables: str) -> Run:
        content = stdin.encode("utf-8") if isinstance(stdin, str) else stdin
        return Run(*commands.answer(words, self.folder, content, variables, _inherited()))

    def theirs_now(self, *words: str, stdin: str = "", **variables: str) -> Run:
        """sacreBLEU's answer about texts that cannot be kept here."""
        return Run(*commands.run(words, self.folder, stdin.encode("utf-8"), _inherited() | variables))

    def write(self, name: str, content: str | bytes) -> str:
        data = content.encode("utf-8") if isinstance(content, str) else content
        (self.folder / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return name


def _inherited() -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if key not in _VARIABLES}


def run_here(words: Sequence[str], stdin: bytes | str = b"") -> Run:
    """The command in this process, with streams such as a process has whose output goes to files."""
    content = stdin.encode("utf-8") if isinstance(stdin, str) else stdin
    given, out, err = (io.TextIOWrapper(io.BytesIO(data), "utf-8") for data in (content, b"", b""))
    with mock.patch.multiple(sys, stdin=given, stdout=out, stderr=err, __stdout__=out):
        code = main(words)
        out.flush(), err.flush()
    return Run(code, *(stream.buffer.getvalue().decode("utf-8") for stream in (out, err)))  # type: ignore[attr-defined]


def as_sacrebleu(text: str) -> str:
    """Our text with sacreBLEU's version."""
    return text.replace(f"truebleu-{__version__}", "2.6.0")


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """The bundled data as files: two references, three systems, made-up lines with traps."""
    files = Files(tmp_path_factory.mktemp("cli"))
    for pair, few in (("en-de", 80), ("en-zh", 30)):
        data = demo.load(pair)
        target = pair[3:]
        for number, stream in enumerate(data.references.values(), 1):
            files.write(f"ref{number}.{target}", _lines(stream[:few]))
        for name, outputs in data.systems.items():
            files.write(f"{name}.{target}", _lines(outputs[:few]))
    names = list(demo.load("en-de").systems)
    streams = [stream[:80] for stream in demo.load("en-de").references.values()]
    files.write("refs.tsv", _lines("\t".join(row) for row in zip(*streams, strict=True)))
    files.write("ref1.de.gz", (files.folder / "ref1.de").read_bytes())
    files.write(f"{names[0]}.de.gz", (files.folder / f"{names[0]}.de").read_bytes())
    files.write("latin1.ref", "\n".join(streams[0][:10]).encode("latin-1", "replace") + b"\n")
    files.write("traps.ref", TRAPS)
    files.write("traps.hyp", TRAPS.replace("stop", "halt").replace("ö", "o"))
    return files


# Carriage returns inside and at the end of lines, tabs, trailing and exotic white space, an empty line, entities.
TRAPS = (
    "a stop\there \r\none\rtwo stop three\n\n &quot;quoted&quot; stop &amp; more\u3000\nschön\u2028stop\u00a0x y z\n"
)


def _lines(texts: object) -> str:
    return "".join(f"{text}\n" for text in texts)  # type: ignore[attr-defined]


SYSTEMS = tuple(demo.load("en-de").systems)
