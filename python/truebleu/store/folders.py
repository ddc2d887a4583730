"""A folder of files made once, whole or not at all, verified on every use.

The folder is made aside with a manifest of the SHA-256 of every file, and renamed into place.
Whatever differs from its manifest later is made again. A cache that cannot be written is read; what it lacks is
made in a private temporary folder that lasts as long as the process.
"""

import atexit
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from truebleu._atomic import aside, discard, sweep, turn
from truebleu._logs import warn
from truebleu.errors import CacheError
from truebleu.store.config import cache_folder, inside, lock_folder, regular
from truebleu.store.download import report_waiting
from truebleu.store.files import digest_of

MANIFEST = ".manifest.json"
_SCHEMA = 1

# Per process: a private folder stands in for each that the cache lacks and cannot take.
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
        Gets an empty folder and puts all that belongs there into it.
    version
        The last part of the path; a change of what `build` makes needs a new one.
    """
    home = cache_folder() / inside(folder) / inside(version)
    problem = folder_problem(home, names)
    if problem is None:
        return home
    with turn(home, lock_folder(), lambda: report_waiting(f"waiting for another process that makes {folder}")):
        # Another process may have made it while this one waited.
        if folder_problem(home, names) is None:
            return home
        if os.path.lexists(home):
            warn("made again: %s %s", home, problem)
        with aside(home) as part:
            try:
                part.mkdir(parents=True)
            except OSError as error:
                return _privately(home, names, build, error)
            sweep(home.parent)
            _make(part, home, names, build)
            _put(part, home, names)
    return home


def folder_problem(folder: Path, names: Sequence[str] = ()) -> str | None:
    """What is wrong with a built folder, or None: every file is read and compared with the manifest.

    Parameters
    ----------
    folder
        The folder.
    names
        The files that it must have.
    """
    import json

    try:
        manifest = json.loads(regular(folder / MANIFEST).read_bytes())
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
    """All built folders below a folder.

    Parameters
    ----------
    root
        The folder to look in.
    """
    for path, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if MANIFEST in files:
            yield Path(path)


def _make(part: Path, home: Path, names: Sequence[str], build: Callable[[Path], None]) -> None:
    import json

    build(part)
    files = {path.relative_to(part).as_posix(): path for path in sorted(part.rglob("*")) if not path.is_dir()}
    odd = [name for name, path in files.items() if path.is_symlink() or not path.is_file()]
    missing = [name for name in names if name not in files]
    if odd or missing:
        what = f"a link or device {odd[0]}" if odd else f"no {missing[0]}"
        raise CacheError(f"making {home} gave {what}; expected the files {', '.join(names)}")
    manifest = {"schema": _SCHEMA, "files": {name: digest_of(path) for name, path in files.items()}}
    (part / MANIFEST).write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n", "utf-8")


def _put(part: Path, home: Path, names: Sequence[str]) -> None:
    """Rename a folder into place, where there may be a damaged one, or a good one of somebody quicker."""
    for _ in range(10):
        try:
            part.rename(home)
            return
        except OSError as error:
            if not os.path.lexists(home):
                raise CacheError(f"cannot rename {part} to {home}: {error}") from error
        if folder_problem(home, names) is None:
            return
        with aside(home) as old:
            try:
                home.rename(old)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise CacheError(f"cannot replace {home}, which is damaged: {error}") from error
    raise CacheError(f"cannot put {home} into place: something else makes it again and again")


def _privately(home: Path, names: Sequence[str], build: Callable[[Path], None], error: OSError) -> Path:
    known = _private.get(home)
    if known is not None and folder_problem(known, names) is None:
        return known
    warn("%s cannot be written (%s): its files are made in a temporary folder, anew in every run", home, error)
    folder = Path(tempfile.mkdtemp(prefix="truebleu-"))
    atexit.register(_discard_own, folder, os.getpid())
    _make(folder, home, names, build)
    _private[home] = folder
    return folder


def _discard_own(folder: Path, owner: int) -> None:
    # A forked child leaves through here too, while its parent still reads.
    if os.getpid() == owner:
        discard(folder)
