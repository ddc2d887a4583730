"""The folders and mirrors, and whether the network may be used.

| variable | meaning |
|---|---|
| `TRUEBLEU_CACHE` | the cache folder; else `SACREBLEU`; else the user's, e.g. `~/.cache/truebleu` |
| `TRUEBLEU_OFFLINE` | `1`: never touch the network |
| `TRUEBLEU_MIRROR` | where to look first: addresses or folders, separated by spaces or commas |

The variables are read at every call. A file `config.toml` in the cache folder may name more mirrors
(`mirrors = ["https://mirror.example.org/mt", "/data/mirror"]`).
"""

import errno
import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from truebleu._shown import shown
from truebleu.errors import CacheError

_offline: ContextVar[bool] = ContextVar("truebleu_offline", default=False)


def cache_folder() -> Path:
    """Where truebleu keeps the files that it fetches."""
    for variable in ("TRUEBLEU_CACHE", "SACREBLEU"):
        if os.environ.get(variable):
            return expanded(os.environ[variable])
    return user_caches() / "truebleu"


def state_folder() -> Path:
    """Where truebleu records the folders it has made: in the user's home, which other users of a cache cannot write."""
    if sys.platform == "win32":
        return expanded(os.environ.get("LOCALAPPDATA") or "~/AppData/Local") / "truebleu-state"
    if sys.platform == "darwin":
        return expanded("~/Library/Application Support/truebleu")
    xdg = Path(os.environ.get("XDG_STATE_HOME", ""))
    return (xdg if xdg.is_absolute() else expanded("~/.local/state")) / "truebleu"


def sacrebleu_folder() -> Path:
    """Where sacreBLEU keeps the files that it fetches. truebleu only reads there."""
    # No error for a user without a home, as in some containers: there is nothing to read.
    return Path(os.path.expanduser(os.environ.get("SACREBLEU") or "~/.sacrebleu"))


def is_offline() -> bool:
    """Whether the user has forbidden the network."""
    switch = os.environ.get("TRUEBLEU_OFFLINE", "").strip().lower()
    return _offline.get() or switch not in ("", "0", "false", "no", "off")


@contextmanager
def offline() -> Iterator[None]:
    """Forbid the network for a while, in this thread or task."""
    token = _offline.set(True)
    try:
        yield
    finally:
        _offline.reset(token)


def mirrors() -> list[str]:
    """Addresses and folders to try before a file's own address."""
    named = re.split(r"[\s,]+", os.environ.get("TRUEBLEU_MIRROR", "").strip())
    return [mirror for mirror in dict.fromkeys([*named, *_configured_mirrors()]) if mirror]


def on_mirrors(url: str) -> list[str | Path]:
    """The place of an address on each mirror: its host and path below the mirror's own address.

    >>> import os; os.environ["TRUEBLEU_MIRROR"] = "https://mirror.example.org/mt"
    >>> on_mirrors("https://data.statmt.org/wmt21/test.tgz")
    ['https://mirror.example.org/mt/data.statmt.org/wmt21/test.tgz']
    >>> del os.environ["TRUEBLEU_MIRROR"]
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return []
    host = parts.netloc.rpartition("@")[2]
    below = f"{host}{parts.path}" + (f"?{parts.query}" if parts.query else "")
    if not host or ".." in unquote(below).split("/"):
        return []
    return [
        f"{mirror.rstrip('/')}/{below}" if "://" in mirror else expanded(mirror) / unquote(below)
        for mirror in mirrors()
    ]


def inside(path: str) -> PurePosixPath:
    """Check that a path stays below the cache: other people write registries and manifests.

    >>> inside("wmt21/B/raw")
    PurePosixPath('wmt21/B/raw')
    """
    if not path or any(part in ("", ".", "..") or "\\" in part or "\0" in part for part in path.split("/")):
        raise CacheError(f"{path!r} is not a path inside the cache")
    return PurePosixPath(path)


def expanded(path: str) -> Path:
    """Replace `~` or `~user` in a path by the home of that user; an error if there is no such home."""
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        advice = "set TRUEBLEU_CACHE to a folder" if path.startswith("~/") else "is the name right?"
        raise CacheError(f"{shown(path)} is in the home of a user who has no home; {advice}") from error


def regular(path: Path) -> Path:
    """Return the path if it is a file, and raise OSError otherwise: reading a pipe would wait for ever."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(errno.EINVAL, "it is a folder, a pipe or a device, expected a file", str(path))
    return path


def lock_folder() -> Path:
    """The folder of the locks with which processes take turns."""
    return cache_folder() / ".locks"


def config_file() -> Path:
    """The settings of a cache, which everyone who uses it shares."""
    return cache_folder() / "config.toml"


def _configured_mirrors() -> list[str]:
    path = config_file()
    try:
        text = regular(path).read_text("utf-8")
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise CacheError(f"cannot read {path}: {error}") from error
    import tomllib

    try:
        found = tomllib.loads(text).get("mirrors", [])
    except (ValueError, RecursionError) as error:
        raise CacheError(f"{path} is not valid TOML: {shown(error)}") from error
    if not isinstance(found, list) or not all(isinstance(mirror, str) for mirror in found):
        raise CacheError(f"mirrors in {path} is {shown(repr(found))}, expected a list of addresses or folders")
    return found


def user_caches() -> Path:
    """Where programs of this user keep what can be made again."""
    # Not by platformdirs: a file in the cache must be found even if no package for downloading is installed.
    if sys.platform == "win32":
        return expanded(os.environ.get("LOCALAPPDATA") or "~/AppData/Local")
    if sys.platform == "darwin":
        return expanded("~/Library/Caches")
    xdg = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return xdg if xdg.is_absolute() else expanded("~/.cache")
