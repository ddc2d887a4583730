"""The cache folder, and truebleu's only door to the network.

A file is verified every time it is used. Where its publisher gives a checksum, that decides.
Where nobody does, the first copy that passes the file's own `check` is trusted, its SHA-256 is
written beside it as `<file>.sha256`, and every later copy must have the same: this does not
prove the first copy genuine, but a file that is damaged or replaced later never passes unseen.

Several processes may fetch the same file at once: each writes aside and renames, so a reader
finds a whole file or none. There is no lock to wait for or to be left behind.

| variable | meaning |
|---|---|
| `TRUEBLEU_CACHE` | the cache folder; else `SACREBLEU`; else the user's, e.g. `~/.cache/truebleu` |
| `TRUEBLEU_OFFLINE` | `1`: never touch the network |
"""

import hashlib
import os
import secrets
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from truebleu.errors import DownloadError, MissingDependency
from truebleu.logs import warn

# Seconds to connect, and to wait for the next bytes.
TIMEOUT = (15, 60)


@dataclass(frozen=True)
class RemoteFile:
    """A file on the network, its place in the cache, and how to know it.

    `mirrors` are tried in order when `url` fails. `check` looks at a copy and returns what is
    wrong with it, or None; it stands in for the checksum of a file that has none.
    """

    url: str
    filename: str
    folder: str
    sha256: str | None = None
    md5: str | None = None
    mirrors: tuple[str, ...] = ()
    check: Callable[[Path], str | None] | None = None


def fetch(file: RemoteFile) -> Path:
    """The path of a verified copy: from our cache, else from sacreBLEU's, else from the network.

    sacreBLEU's cache is only read. A damaged copy is reported to the log and fetched anew.
    """
    home = cache_folder() / file.folder / file.filename
    damaged = []
    for copy in dict.fromkeys([home, sacrebleu_folder() / file.folder / file.filename]):
        if os.path.isfile(copy):  # Unlike Path.is_file, False where a folder may not be entered.
            problem = _problem_or_unreadable(copy, file, home)
            if problem is None:
                return copy
            damaged.append(f"{copy} {problem}")
            warn("not used: %s %s", copy, problem)
    _download(file, home, damaged)
    return home


def cache_folder() -> Path:
    """Where truebleu keeps what it fetches. The variables are read at every call."""
    for variable in ("TRUEBLEU_CACHE", "SACREBLEU"):
        if os.environ.get(variable):
            return Path(os.environ[variable]).expanduser()
    return _user_caches() / "truebleu"


def sacrebleu_folder() -> Path:
    """Where sacreBLEU keeps what it fetches."""
    # Unlike Path.expanduser, no error for a user without a home, as in some containers.
    return Path(os.path.expanduser(os.environ.get("SACREBLEU") or "~/.sacrebleu"))


def is_offline() -> bool:
    """Whether the user has forbidden downloads."""
    return os.environ.get("TRUEBLEU_OFFLINE", "").strip().lower() not in ("", "0", "false", "no", "off")


def _user_caches() -> Path:
    # By hand, though platformdirs does this: a file in the cache must be found
    # where nothing for downloading is installed.
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or "~/AppData/Local").expanduser()
    if sys.platform == "darwin":
        return Path("~/Library/Caches").expanduser()
    xdg = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return xdg if xdg.is_absolute() else Path("~/.cache").expanduser()


def _problem_or_unreadable(copy: Path, file: RemoteFile, home: Path) -> str | None:
    try:
        return _problem(copy, file, home)
    except OSError as error:
        return f"cannot be read: {error}"


def _problem(copy: Path, file: RemoteFile, home: Path) -> str | None:
    """What is wrong with a copy, or None; a first good copy of a file without checksum is recorded."""
    if copy.stat().st_size == 0:
        return "is empty"
    if file.sha256 or file.md5:
        return _digest_problem(copy, "sha256", file.sha256) or _digest_problem(copy, "md5", file.md5)
    record = _record_of(home)
    if record.is_file():
        problem = _digest_problem(copy, "sha256", _recorded(record))
        return problem and f"{problem}, according to {record}"
    problem = file.check(copy) if file.check else None
    if problem is None:
        _record(copy, record)
    return problem


def _digest_problem(copy: Path, algorithm: str, expected: str | None) -> str | None:
    if expected is None:
        return None
    with copy.open("rb") as stream:
        found = hashlib.file_digest(stream, algorithm).hexdigest()
    return None if found == expected.lower() else f"has {algorithm} {found}, expected {expected}"


def _record_of(home: Path) -> Path:
    return home.with_name(f"{home.name}.sha256")


def _recorded(record: Path) -> str:
    # An empty or garbled record matches nothing, and the message names it.
    words = record.read_text("utf-8", errors="replace").split()
    return words[0] if words else "(nothing)"


def _record(copy: Path, record: Path) -> None:
    """Write what `sha256sum` would, unless the cache cannot be written: then every use is a first use."""
    with copy.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    with suppress(OSError):
        record.parent.mkdir(parents=True, exist_ok=True)
        with _aside(record) as part:
            part.write_text(f"{digest}  {record.name.removesuffix('.sha256')}\n", "utf-8")
            part.replace(record)


def _download(file: RemoteFile, home: Path, damaged: list[str]) -> None:
    if is_offline():
        raise DownloadError(_by_hand(file, home, ["TRUEBLEU_OFFLINE is set", *damaged]))
    reasons = []
    for url in (file.url, *file.mirrors):
        try:
            _download_from(url, file, home)
            return
        except OSError as error:
            reasons.append(f"{url}: {error}")
    raise DownloadError(_by_hand(file, home, [*reasons, *damaged]))


def _download_from(url: str, file: RemoteFile, home: Path) -> None:
    _refuse_insecure(url)
    home.parent.mkdir(parents=True, exist_ok=True)
    with _aside(home) as part:
        _transfer(url, part)
        problem = _problem(part, file, home)
        if problem is not None:
            raise DownloadError(f"the download {problem}")
        part.replace(home)


def _transfer(url: str, part: Path) -> None:
    try:
        import pooch
    except ImportError as error:
        raise MissingDependency(f"downloading {url} needs pooch ({error}): pip install pooch") from error
    download = pooch.HTTPDownloader(
        timeout=TIMEOUT, headers={"User-Agent": "truebleu"}, hooks={"response": _check_redirect}
    )
    download(url, str(part), None)


def _check_redirect(response: Any, *args: object, **kwargs: object) -> None:
    # A short link may lead anywhere, plain http included.
    if response.is_redirect:
        _refuse_insecure(urljoin(response.url, response.headers["location"]))


def _refuse_insecure(url: str) -> None:
    parts = urlsplit(url)
    # Nobody listens between a machine and itself, and the tests need a server.
    loopback = parts.hostname in ("127.0.0.1", "::1", "localhost")
    if parts.scheme != "https" and not (parts.scheme == "http" and loopback):
        raise DownloadError(f"{url} is not an https address")


@contextmanager
def _aside(target: Path) -> Iterator[Path]:
    """A name of one's own beside a file, removed in the end unless it was renamed.

    Not `tempfile`: its files are closed to other users, who may share the cache.
    """
    part = target.with_name(f".{target.name}.{secrets.token_hex(6)}.part")
    try:
        yield part
    finally:
        part.unlink(missing_ok=True)


def _by_hand(file: RemoteFile, home: Path, reasons: list[str]) -> str:
    return "\n".join(
        [
            f"no good copy of {file.filename} is in the cache, and none could be downloaded",
            *(f"  - {reason}" for reason in reasons),
            "  To provide it by hand, on a machine with a network:",
            f"    curl -L -o {file.filename} {file.url}",
            f"  and put it at {home}",
            f"  or set TRUEBLEU_CACHE to another folder: one you can write, or one with {file.folder}/",
        ]
    )
