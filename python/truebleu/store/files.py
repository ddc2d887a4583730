"""One file, from the cache or the network, verified on every use.

If its publisher gives a checksum, the checksum decides. If not, the first copy that passes the file's own `check` is
trusted, its SHA-256 is written beside it as `<file>.sha256`, and every later copy must have the same: this does not
prove the first copy genuine, but a file that is damaged or replaced later is always noticed. A file of a Git commit is
identified by its `git_blob`, the SHA-1 that Git gives its bytes; its SHA-256 is recorded in the same way.
"""

import hashlib
import os
import re
import shlex
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from truebleu._atomic import turn, write_whole
from truebleu._logs import warn
from truebleu._shown import shown, shown_address
from truebleu.errors import DownloadError
from truebleu.store.config import cache_folder, inside, is_offline, lock_folder, on_mirrors, regular, sacrebleu_folder
from truebleu.store.download import download, report_waiting, unreachable


@dataclass(frozen=True)
class RemoteFile:
    """A file on the network, its place in the cache, and how to identify it.

    `mirrors` are tried in order when `url` fails. `check` looks at a copy and returns its fault, or None; it replaces
    the checksum of a file that has none. `elsewhere` are further paths below sacreBLEU's folder where a copy may lie,
    for files it keeps several times (the archive of wmt21 is also `wmt21/B/raw/wmt21_B.test.tgz`). `gated`: its server
    requires a token of the user. `rehost` is False for files that may not be put into bundles.
    """

    url: str
    filename: str
    folder: str
    sha256: str | None = None
    md5: str | None = None
    mirrors: tuple[str, ...] = ()
    check: Callable[[Path], str | None] | None = None
    elsewhere: tuple[str, ...] = ()
    git_blob: str | None = None
    gated: bool = False
    rehost: bool = True

    @property
    def below(self) -> str:
        """Its path below the cache."""
        return f"{self.folder}/{self.filename}"

    @property
    def home(self) -> Path:
        """Its place in our cache, whether the file exists or not."""
        return cache_folder() / inside(self.below)

    @property
    def copies(self) -> list[Path]:
        """All existing copies, ours first. They have not been checked."""
        places = [self.home, *(sacrebleu_folder() / inside(path) for path in (self.below, *self.elsewhere))]
        # Unlike Path.is_file, False if a folder may not be entered.
        return [path for path in dict.fromkeys(places) if os.path.isfile(path)]

    @property
    def record(self) -> Path:
        """Where the SHA-256 of the first good copy is, for a file that was published without one."""
        return self.home.with_name(f"{self.home.name}.sha256")

    @property
    def unseen(self) -> bool:
        """Whether its SHA-256 is neither published nor recorded here yet."""
        return not (self.sha256 or self.md5 or self.record.is_file())


def fetch(file: RemoteFile) -> Path:
    """The path of a verified copy: from our cache, else from sacreBLEU's, else from a mirror or the network.

    sacreBLEU's cache is only read. A damaged copy is reported to the log and fetched again.

    Parameters
    ----------
    file
        The file.
    """
    home, damaged = file.home, []
    before = _stamp(home)
    for copy in file.copies:
        problem = problem_of(copy, file)
        if problem is None:
            return copy
        damaged.append(f"{copy} {problem}")
        warn("not used: %s %s", copy, problem)
    waiting = f"waiting for another process that fetches {shown(file.filename)}"
    with turn(home, lock_folder(), lambda: report_waiting(waiting)) as alive:
        # Another process may have downloaded it while this one waited.
        if _stamp(home) != before and problem_of(home, file) is None:
            return home
        places = _places(file)
        away = "" if is_offline() else unreachable([place for place in places if isinstance(place, str)])
        near = [place for place in places if not away or isinstance(place, Path)]
        reasons = download(near, home, lambda copy: _problem(copy, file), alive, gated=file.gated)
    if reasons is not None:
        if away and not (damaged or reasons):
            raise DownloadError(
                f"{shown(file.filename)} is missing here, and no server that has it can be reached ({away}): get it "
                f"elsewhere from {shown_address(file.url)}, and put it at {shown(home)}; TRUEBLEU_OFFLINE=1 tells its "
                "checksum and other ways"
            )
        forbidden = ["TRUEBLEU_OFFLINE is set, or --offline was given"] if is_offline() else []
        raise DownloadError(_by_hand(file, [*forbidden, *([away] if away else []), *reasons, *damaged]))
    return home


def problem_of(copy: Path, file: RemoteFile) -> str | None:
    """The fault of a copy, or None. The first good copy of a file without a checksum is recorded."""
    try:
        return _problem(copy, file)
    except OSError as error:
        return f"cannot be read: {error}"


def digest_of(path: Path, algorithm: str = "sha256") -> str:
    """The checksum of a file, in hexadecimal."""
    # Machines under FIPS rules allow MD5 and SHA-1 only for checking that a file is whole.
    if algorithm == "git_blob":
        new = partial(hashlib.new, "sha1", b"blob %d\0" % path.stat().st_size, usedforsecurity=False)
    else:
        new = partial(hashlib.new, algorithm, usedforsecurity=algorithm != "md5")
    with regular(path).open("rb") as stream:
        return hashlib.file_digest(stream, new).hexdigest()


def digest_problem(path: Path, sha256: str | None, md5: str | None = None, git_blob: str | None = None) -> str | None:
    """Compare a file with its known checksums: the fault, or None.

    Parameters
    ----------
    path
        The file.
    sha256, md5, git_blob
        The checksums that it should have, in hexadecimal digits.
    """
    regular(path)
    for algorithm, expected in (("sha256", sha256), ("md5", md5), ("git_blob", git_blob)):
        if expected is not None and (found := digest_of(path, algorithm)) != expected.lower():
            return no_data(path) or f"has {algorithm} {found}, expected {expected}"
    return None


def no_data(path: Path) -> str | None:
    """Recognise a file that a server sends in place of the data: what it is, or None."""
    with regular(path).open("rb") as stream:
        beginning = stream.read(1024).lstrip(b"\xef\xbb\xbf \t\r\n")
    if beginning.startswith(b"version https://git-lfs"):
        oid = re.search(rb"oid sha256:([0-9a-f]{64})", beginning)
        of_data = f" of the data with sha256 {oid[1].decode()}" if oid else ""
        return f"is a Git LFS pointer{of_data}, not the data: get the data with `git lfs pull`"
    if re.match(rb"<!doctype html|<html", beginning, re.IGNORECASE):
        return "is a web page, perhaps a login page, not the data"
    return None


def _stamp(path: Path) -> tuple[int, int, int] | None:
    """The properties of a file that change when it is replaced."""
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_ino, state.st_mtime_ns, state.st_size


def _places(file: RemoteFile) -> list[str | Path]:
    addresses = (file.url, *file.mirrors)
    # A user who names a mirror often has no other source.
    return [*(place for url in addresses for place in on_mirrors(url)), *addresses]


def _problem(copy: Path, file: RemoteFile) -> str | None:
    if copy.stat().st_size == 0:
        return "is empty"
    problem = digest_problem(copy, file.sha256, file.md5, file.git_blob)
    if problem or file.sha256 or file.md5:
        return problem
    record = file.record
    if record.is_file():
        # An empty or garbled record matches nothing, and the message names it.
        words = record.read_text("utf-8", errors="replace").split() or ["(nothing)"]
        problem = digest_problem(copy, words[0])
        return problem and f"{problem}, according to {record}"
    problem = file.check(copy) if file.check else no_data(copy)
    if problem is None:
        # In the form of `sha256sum`. If the cache cannot be written, every use is a first use.
        with suppress(OSError):
            write_whole(record, f"{digest_of(copy)}  {file.home.name}\n".encode())
    return problem


def _by_hand(file: RemoteFile, reasons: list[str]) -> str:
    login = ' -H "Authorization: Bearer $HF_TOKEN"' if file.gated else ""
    digests = (("sha256", file.sha256), ("md5", file.md5), ("git_blob", file.git_blob))
    bundles = (
        "  or, there, make a bundle of all you need (truebleu data pack NAME... -o bundle.tar)",
        "  and open it here (truebleu data unpack bundle.tar);",
    )
    return "\n".join(
        [
            f"no good copy of {shown(file.filename)} is in the cache, and none could be downloaded",
            *(f"  - {reason}" for reason in reasons),
            "  To provide it by hand, on a machine with a network:",
            f"    curl -L{login} -o {shlex.quote(shown(file.filename))} {shlex.quote(shown_address(file.url))}",
            *(f"    ({name} {digest})" for name, digest in digests if digest),
            f"  and put it at {shown(file.home)}",
            *(bundles if file.rehost else ()),
            f"  or set TRUEBLEU_CACHE to another folder: one you can write, or one with {shown(file.folder)}/;",
            "  or TRUEBLEU_MIRROR to a folder or an https address that has the file.",
        ]
    )
