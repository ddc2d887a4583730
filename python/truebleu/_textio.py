"""Open and read lines: compressed or not, in any encoding, with errors that name the file and the line."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import IO

from truebleu.errors import InputFileError, MissingDependency, UndecodableText


def read_lines(path: str, encoding: str = "utf-8") -> list[str]:
    """The lines of a file, which only line feeds end, without their trailing white space.

    Files whose names end in .gz, .bz2, .xz or .zst are decompressed.
    """
    return split_lines(decode(read_bytes(path), encoding, path))


def split_lines(text: str) -> list[str]:
    r"""Lines without their trailing white space; the last needs no line feed.

    >>> split_lines("a\t\r\n b\n")
    ['a', ' b']
    """
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.rstrip() for line in lines]


def read_bytes(path: str) -> bytes:
    """The content of a file, decompressed."""
    opener = _OPENERS.get(os.path.splitext(path)[1], _open_plain)
    try:
        with opener(path) as file:
            return file.read()
    except (FileNotFoundError, IsADirectoryError, PermissionError) as error:
        raise InputFileError(f"{path}: {_REASONS[type(error)]}") from error
    except MissingDependency:
        raise
    except Exception as error:  # each decompressor has exceptions of its own
        if isinstance(error, OSError) and error.errno is not None:
            raise InputFileError(f"{path}: cannot be read: {error.strerror}") from error
        raise InputFileError(f"{path}: cannot be decompressed, is it damaged or cut off? ({error})") from error


def decode(content: bytes, encoding: str, name: str) -> str:
    """The text of some bytes; an error names the line and the byte."""
    try:
        return content.decode(encoding)
    except LookupError as error:
        raise UndecodableText(f"{name}: there is no encoding called {encoding!r}") from error
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        column = error.start - (content.rfind(b"\n", 0, error.start) + 1) + 1
        bad = content[error.start]
        raise UndecodableText(
            f"{name}, line {line}: byte {column} of the line is 0x{bad:02x}, which is not {encoding} ({error.reason}); "
            "is the file in another encoding?"
        ) from error


_REASONS = {
    FileNotFoundError: "there is no such file",
    IsADirectoryError: "is a folder, expected a file",
    PermissionError: "may not be read: permission denied",
}


def _open_plain(path: str) -> IO[bytes]:
    return open(path, "rb")


def _open_gzip(path: str) -> IO[bytes]:
    import gzip

    return gzip.open(path, "rb")  # type: ignore[return-value]


def _open_bzip2(path: str) -> IO[bytes]:
    import bz2

    return bz2.open(path, "rb")


def _open_xz(path: str) -> IO[bytes]:
    import lzma

    return lzma.open(path, "rb")


def _open_zstandard(path: str) -> IO[bytes]:
    try:
        import zstandard
    except ImportError as error:
        raise MissingDependency(f'{path}: reading .zst needs a package: pip install "truebleu[zst]"') from error
    return zstandard.open(path, "rb")  # type: ignore[no-any-return]


_OPENERS: dict[str, Callable[[str], IO[bytes]]] = {
    ".gz": _open_gzip,
    ".bz2": _open_bzip2,
    ".xz": _open_xz,
    ".zst": _open_zstandard,
}
