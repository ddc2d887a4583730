"""Places of files of columns: paths, patterns, folders, and addresses such as `s3://bucket/data`, through pyarrow.

Credentials are what pyarrow finds in the environment. An address with a name or a password in it is refused, and its
query, which may hold secrets, is in no message and in no file of totals.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from truebleu._inputs import check_instance, check_path
from truebleu._shown import shown
from truebleu._textio import COLUMNS_FORMATS, records_format
from truebleu.errors import (
    DownloadError,
    InputFileError,
    MissingDependency,
    MissingFile,
    OptionError,
    StatsMismatch,
    TruebleuError,
)

_OWN = ("s3", "gs", "gcs")  # which pyarrow reads itself
_PACKAGES = {"memory": "fsspec", "hf": "fsspec huggingface_hub", "https": "fsspec aiohttp", "http": "fsspec aiohttp"}
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"  # what null is called in the name of a folder
_MARKS = re.compile(r"[*?\[]")  # a question mark begins the query of an address

Path = str | os.PathLike[str]


class Address(str):
    """An address without its query, which is kept apart: what is shown or written down cannot have it."""

    __slots__ = ("query",)
    query: str

    @classmethod
    def of(cls, text: str) -> Address:
        """Read an address, and refuse what may not be asked for, before anything is asked for."""
        whole, _, query = text.partition("?")
        clean, netloc = re.sub(r"//[^/@]*@", "//", whole, count=1), whole.partition("://")[2].partition("/")[0]
        scheme, named = whole.partition(":")[0].lower(), shown(clean)
        if "::" in whole.replace("[::1]", ""):
            raise OptionError(f"{named} is a chain of protocols, expected one, such as s3://bucket/folder")
        if scheme not in (*_OWN, *_PACKAGES, "file"):
            known = ", ".join(f"{name}://" for name in ("file", *_OWN, *_PACKAGES) if name != "http")
            raise OptionError(f"{named} begins with {scheme}://, expected one of {known}")
        if "@" in netloc:
            raise OptionError(f"{named} has a name or a password in it, expected credentials in the environment")
        _require_allowed(scheme, named, clean, query)
        made = cls(clean)
        made.query = query
        return made

    def __reduce__(self) -> Any:
        return Address.of, (f"{self}?{self.query}" if self.query else str(self),)

    def at(self, path: str) -> Address:
        """Another file at this place, by its path there."""
        made = Address(f"{self.partition('://')[0]}://{path.lstrip('/')}")
        made.query = self.query
        return made


def _require_allowed(scheme: str, named: str, address: str, query: str) -> None:
    """Raise if the network is not to be used, or not without encryption."""
    if scheme in ("memory", "file"):
        return
    from truebleu.store.config import is_offline
    from truebleu.store.download import refuse_insecure

    if is_offline():
        raise DownloadError(f"{named} is not read: TRUEBLEU_OFFLINE is set, or --offline was given")
    asked = {name: values[-1] for name, values in parse_qs(query).items()}
    endpoint = asked.get("endpoint_override", "").rpartition("//")[2]
    if scheme == "http":
        refuse_insecure(address)
    elif "http" in (asked.get("scheme"), urlsplit(asked.get("endpoint_override", "")).scheme):
        refuse_insecure(f"http://{endpoint or 'the endpoint of ' + named}")


def place_of(path: str) -> str:
    """A path as it was given, or an address; `file://` is another way to write a path."""
    if not re.match(r"[A-Za-z][A-Za-z0-9+.-]+:(?://|:)", path):
        return path
    if isinstance(path, Address):
        return path
    address = Address.of(path)
    if not address.lower().startswith("file:"):
        return address
    host, slash, rest = address.partition("://")[2].partition("/")
    if host not in ("", "localhost"):
        raise OptionError(f"{shown(address)} is a file of another machine, expected file:///folder/file")
    return unquote(slash + rest)


def identity(path: str) -> str:
    """What a file is called in a file of totals."""
    return str(path) if isinstance(path, Address) else os.path.abspath(path)


def expand(paths: Path | Sequence[Path], where: str = "score_files: paths", every: bool = False) -> list[str]:
    """List files; a pattern such as `data/*.parquet`, or a folder, stands for the files in it, in order.

    Of a folder only files of columns are taken, unless `every` file is wanted.
    """
    given = [paths] if isinstance(paths, str | os.PathLike) else paths
    who, what = where.split(": ")
    check_instance(who, what, given, (list, tuple), "a path or a list of paths")
    found: dict[str, str] = {}
    for one in given:
        for path in _fitting(place_of(check_path(where, one)), every):
            same = path if isinstance(path, Address) else os.path.realpath(path)
            if same in found:
                raise OptionError(f"{shown(path)} is given twice, and its rows would count twice")
            found[same] = path
    if not found:
        raise OptionError(f"{where} is empty, expected at least one file")
    return list(found.values())


def state_of(path: str) -> dict[str, int | None]:
    """Size and time of a file, by which a change shows."""
    with reaching(path):
        if not isinstance(path, Address):
            about = os.stat(path)
            return {"size": about.st_size, "time": about.st_mtime_ns}
        system, there = system_of(path)
        info = system.get_file_info(there)
        if not info.is_file:
            raise FileNotFoundError(there)
        return {"size": info.size, "time": info.mtime_ns}


def require_unchanged(path: str, before: Mapping[str, int | None]) -> None:
    """Raise if size and time of a file are others than before it was read."""
    if state_of(path) != before:
        raise InputFileError(f"{shown(path)} changed while it was read")


def is_done(path: str, files: Mapping[str, Mapping[str, Any]], out: str | os.PathLike[str] | None) -> bool:
    """Tell whether a file is in a list of files that were read before, and raise if it has changed since."""
    entry = files.get(identity(path))
    if entry is None:
        return False
    before, now = ({name: state.get(name) for name in ("size", "time")} for state in (entry, state_of(path)))
    if before != now:
        raise StatsMismatch(
            f"{shown(path)} has changed since it was counted in {shown(out)}: it was {before}, and is {now}; remove "
            f"{shown(out)} to count all files again"
        )
    return True


def partitions(path: str | bytes, names: Sequence[str]) -> dict[str, str | None]:
    """The columns that a file has by the names of its folders; columns in the file itself go before these."""
    folders = [] if isinstance(path, bytes) else path.replace(os.sep, "/").split("/")[:-1]
    pairs = [[unquote(part) for part in folder.split("=", 1)] for folder in folders if "=" in folder[1:]]
    return {name: None if value == _NO_VALUE else value for name, value in pairs if name not in names}


def system_of(address: Address) -> tuple[Any, str]:
    """The file system of an address, and the path there."""
    scheme, _, rest = address.partition("://")
    scheme = scheme.lower()
    root = rest.partition("/")[0] if scheme in _OWN else ""
    path = str(address) + (f"?{address.query}" if address.query else "") if scheme in ("http", "https") else rest
    return _system(scheme, root, address.query if scheme in _OWN else ""), path


@contextmanager
def reaching(path: str | bytes) -> Iterator[None]:
    """Errors of the system and of pyarrow become our errors, which name the file and hold no query."""
    name = "standard input" if isinstance(path, bytes) else shown(path)
    # Clients of fsspec have errors of their own kinds; a ValueError is about what was read.
    kinds = Exception if isinstance(path, Address) else OSError
    try:
        yield
    except (TruebleuError, ValueError):
        raise
    except FileNotFoundError as error:
        raise MissingFile(f"{name}: there is no such file") from error
    except kinds as error:
        if not isinstance(path, Address) and os.path.isdir(path):
            raise InputFileError(f"{name}: is a folder, expected a file; score_files takes folders whole") from error
        text = str(getattr(error, "strerror", None) or error)
        if isinstance(path, Address) and path.query:
            text = text.replace(f"?{path.query}", "")
        raise InputFileError(f"{name}: cannot be read: {shown(text)}") from (None if "?" in str(error) else error)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Add the name of the file to errors, if it has one."""
    try:
        yield
    except TruebleuError as error:
        if not path:
            raise
        message, name = str(error).removeprefix("columns: "), shown(path)
        raise type(error)(message if message.startswith(name) else f"{name}: {message}") from error


@lru_cache(maxsize=32)
def _system(scheme: str, root: str, query: str) -> Any:
    """A file system; to make one may need an answer of a server."""
    import pyarrow.fs

    if scheme in _OWN:
        try:
            return pyarrow.fs.FileSystem.from_uri(f"{scheme}://{root}" + (f"?{query}" if query else ""))[0]
        except (pyarrow.ArrowInvalid, NotImplementedError) as error:
            reason = shown(str(error).replace(query, "…") if query else error)
            raise OptionError(f"{scheme}://{shown(root)} cannot be read by pyarrow here: {reason}") from None
    try:
        import fsspec

        return pyarrow.fs.PyFileSystem(pyarrow.fs.FSSpecHandler(fsspec.filesystem(scheme)))
    except ImportError as error:
        raise MissingDependency(
            f"{scheme}:// is read with {_PACKAGES[scheme].replace(' ', ' and ')}, and {error.name or 'one'} cannot be "
            f"imported: pip install {_PACKAGES[scheme]}"
        ) from error


def _fitting(path: str, every: bool) -> list[str]:
    """The files that a path, a pattern or a folder names."""
    if isinstance(path, Address):
        return _fitting_there(path, every)
    if os.path.isdir(path):
        return _inside(path, every)
    if os.path.lexists(path) or not _is_pattern(path):
        return [path]
    from glob import glob

    found = sorted(glob(path, recursive=True))
    if not found:
        raise MissingFile(f"there is no file that matches {shown(path)}")
    return found


def _fitting_there(address: Address, every: bool) -> list[str]:
    """The files that an address, a pattern of addresses or the address of a folder names."""
    if address.lower().startswith("http"):
        return [address]  # there are no folders
    with reaching(address):
        system, path = system_of(address)
        if not _is_pattern(path):
            from pyarrow.fs import FileType

            info = system.get_file_info(path.rstrip("/"))
            if info.type == FileType.NotFound:
                raise FileNotFoundError(path)
            return _inside(address, every) if info.type == FileType.Directory else [address]
        fits = re.compile(_translated(path))
        base = path[: _MARKS.search(path).start()].rpartition("/")[0]  # type: ignore[union-attr]
        listed = [one for one in _listed(address, base) if "/." not in one]  # as in patterns of paths
        found = sorted(one for one in listed if fits.fullmatch(one.lstrip("/")))
        if not found:
            raise MissingFile(f"there is no file that matches {shown(address)}")
        return [address.at(one) for one in found]


def _inside(folder: str, every: bool) -> list[str]:
    """The files in a folder and the folders in it, but for those that programs hide or keep notes in."""
    base = system_of(folder)[1].rstrip("/") if isinstance(folder, Address) else folder
    with reaching(folder):
        listed = [(one, one[len(base) :].strip("/").split("/")) for one in _listed(folder, base)]
    kept = [
        one for one, parts in listed
        if not any(part.startswith((".", "_")) for part in parts)
        and (every or records_format(parts[-1]) in COLUMNS_FORMATS)
    ]  # fmt: skip
    if not kept:
        kinds = "a file" if every else "a file of Parquet, Arrow IPC or Feather, by their names"
        raise MissingFile(f"{shown(folder)} is a folder without {kinds}")
    return sorted(folder.at(one) for one in kept) if isinstance(folder, Address) else sorted(kept)


def _listed(folder: str, base: str) -> list[str]:
    """All files below a folder."""
    if not isinstance(folder, Address):
        return [os.path.join(parent, name) for parent, _, names in os.walk(base) for name in names]
    from pyarrow.fs import FileSelector

    listed = system_of(folder)[0].get_file_info(FileSelector(base, recursive=True))
    return [one.path for one in listed if one.is_file]


def _is_pattern(path: str) -> bool:
    return _MARKS.search(path) is not None


def _translated(pattern: str) -> str:
    """A pattern as a regular expression: `*` and `?` stay within a name, and `**/` stands for any folders."""
    ways = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    pieces = re.split(r"(\*\*/|\*\*|\*|\?|\[[^\]/]+\])", pattern.lstrip("/"))
    return "".join(
        ways.get(one) or (one.replace("[!", "[^", 1) if one[:1] == "[" else re.escape(one)) for one in pieces
    )
