"""A folder of files made once, whole or not at all, verified on every use.

The folder is made aside with a manifest of the SHA-256 of every file, and renamed into place. The SHA-256 of the
manifest is recorded in the user's home. A folder that differs from its manifest, or whose manifest this user has not
recorded, is made again, and so it is trusted only if the result is the same: a person who can write to a shared cache
could write a manifest too. A cache that cannot be written, or has no room, is only read; missing folders are made in a
private temporary folder that lasts as long as the process.
"""

import atexit
import errno
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from truebleu._atomic import aside, discard, sweep, turn, write_whole
from truebleu._logs import inform, warn
from truebleu.errors import CacheError, TruebleuError
from truebleu.store.config import cache_folder, inside, lock_folder, regular, state_folder
from truebleu.store.download import report_waiting
from truebleu.store.files import digest_of

MANIFEST = ".manifest.json"
_SCHEMA = 1

# Per process: a private folder replaces each folder that the cache lacks and cannot hold.
_private: dict[Path, Path] = {}


def built(folder: str, names: Sequence[str], build: Callable[[Path], None], version: str) -> Path:
    """The path of a folder with these files, made by `build` unless a good one is there.

    Versions live side by side, so that two releases of truebleu do not undo each other's work.

    >>> import os, tempfile; os.environ["TRUEBLEU_CACHE"] = tempfile.mkdtemp()
    >>> path = built("wmt99/en-de", ["src"], lambda folder: folder.joinpath("src").write_text("Hi."), version="1")
    >>> path.joinpath("src").read_text(), path.relative_to(cache_folder()).as_posix()
    ('Hi.', 'wmt99/en-de/1')
    >>> del os.environ["TRUEBLEU_CACHE"]

    Parameters
    ----------
    folder
        The path of the folder below the cache.
    names
        The files that it must have.
    build
        Called with an empty folder, which it fills.
    version
        The last part of the path; give a new one when `build` makes something else.
    """
    home = cache_folder() / inside(folder) / inside(version)
    if folder_problem(home, names, recorded(home)) is None:
        return home
    with turn(home, lock_folder(), lambda: report_waiting(f"waiting for another process that makes {folder}")):
        # Another process may have made it while this one waited.
        problem = folder_problem(home, names, recorded(home))
        if problem is None:
            return home
        if folder_problem(home, names) is None:
            inform("%s %s: its text is made again from the archive and compared", home, problem)
        elif os.path.lexists(home):
            warn("made again: %s %s", home, problem)
        with aside(home) as part:
            try:
                part.mkdir(parents=True)
                sweep(home.parent)
                digest = _make(part, home, names, build)
            except OSError as error:
                if isinstance(error, TruebleuError) or error.errno not in _NO_PLACE:
                    raise
                discard(part)
                return _privately(home, names, build, error)
            _put(part, home, names, digest)
            _record(home, digest)
    return home


# A cache that cannot be written, or has no room.
_NO_PLACE = (
    errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.ENOTDIR, errno.EEXIST,
    errno.ELOOP,
)  # fmt: skip


def recorded(folder: Path) -> str:
    """The SHA-256 of the manifest that this user has recorded for a built folder; empty if there is no record."""
    try:
        return regular(_record_file(folder)).read_text("utf-8").partition(" ")[0]
    except (OSError, ValueError):
        return ""


def _record(folder: Path, digest: str) -> None:
    # Without a home that can be written, every use is a first use.
    with suppress(OSError):
        name = folder.relative_to(cache_folder()).as_posix()
        write_whole(_record_file(folder), f"{digest}  {name}/{MANIFEST}\n".encode())


def _record_file(folder: Path) -> Path:
    # By the path below the cache, because a cache may be moved; its last part is the version.
    name = hashlib.sha256(folder.relative_to(cache_folder()).as_posix().encode()).hexdigest()
    return state_folder() / "made" / name[:32]


def folder_problem(folder: Path, names: Sequence[str] = (), digest: str | None = None) -> str | None:
    """The fault of a built folder, or None: every file is read and compared with the manifest."""
    import json

    try:
        content = regular(folder / MANIFEST).read_bytes()
        if digest is not None and hashlib.sha256(content).hexdigest() != digest:
            return "was not made by this user, or has changed since"
        manifest = json.loads(content)
        files: dict[str, str] = manifest["files"]
        if manifest["schema"] != _SCHEMA:
            return f"has a manifest of schema {manifest['schema']!r}, expected {_SCHEMA}"
        for name in [*names, *files]:
            if name not in files:
                return f"has no {name}"
            if digest_of(folder / inside(name)) != files[name]:
                return f"has a {name} that was changed after it was made"
    except FileNotFoundError as error:
        return f"has no {Path(error.filename).name}"
    except OSError as error:
        return f"cannot be read: {error}"
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return f"has a damaged {MANIFEST}"
    return None


def built_folders(root: Path) -> Iterator[Path]:
    """All built folders below a folder."""
    for path, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if MANIFEST in files:
            yield Path(path)


def _make(part: Path, home: Path, names: Sequence[str], build: Callable[[Path], None]) -> str:
    """Fill a folder and write its manifest; the SHA-256 of the manifest."""
    import json

    build(part)
    files = {path.relative_to(part).as_posix(): path for path in sorted(part.rglob("*")) if not path.is_dir()}
    odd = [name for name, path in files.items() if path.is_symlink() or not path.is_file()]
    missing = [name for name in names if name not in files]
    if odd or missing:
        what = f"a link or device {odd[0]}" if odd else f"no {missing[0]}"
        raise CacheError(f"making {home} gave {what}; expected the files {', '.join(names)}")
    manifest = {"schema": _SCHEMA, "files": {name: digest_of(path) for name, path in files.items()}}
    content = (json.dumps(manifest, indent=1, ensure_ascii=False) + "\n").encode()
    (part / MANIFEST).write_bytes(content)
    return hashlib.sha256(content).hexdigest()


def _put(part: Path, home: Path, names: Sequence[str], digest: str) -> None:
    """Rename a folder into place. A damaged one there is replaced; one that another process has put there stays."""
    for _ in range(10):
        if folder_problem(home, names, digest) is None:
            return
        try:
            part.rename(home)
            return
        except OSError as error:
            if not os.path.lexists(home):
                raise CacheError(f"cannot rename {part} to {home}: {error}") from error
        with aside(home) as old:
            try:
                home.rename(old)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise CacheError(f"cannot replace {home}, which is damaged: {error}") from error
    raise CacheError(f"cannot put {home} into place: another program makes it again and again")


def _privately(home: Path, names: Sequence[str], build: Callable[[Path], None], error: OSError) -> Path:
    known = _private.get(home)
    if known is not None and folder_problem(known, names) is None:
        return known
    folder = Path(tempfile.mkdtemp(prefix="truebleu-"))
    atexit.register(_discard_own, folder, os.getpid())
    digest = _make(folder, home, names, build)
    if folder_problem(home, names, digest) is None:
        _record(home, digest)
        return home
    warn("%s cannot be written (%s): its files are made in a temporary folder, again in every run", home, error)
    _private[home] = folder
    return folder


def _discard_own(folder: Path, owner: int) -> None:
    # A forked child runs this too, while its parent still reads the files.
    if os.getpid() == owner:
        discard(folder)
