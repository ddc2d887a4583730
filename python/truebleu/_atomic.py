"""Write beside a file and rename it, so that no process sees half a file; and let processes take turns.

Renaming keeps files whole. Taking turns only saves work: of many processes that need the same file, one downloads and
the others wait. The kernel frees a lock when its owner dies. Nobody waits longer than `PATIENCE` for an owner without a
sign of life. On file systems without locks, processes do not wait.
"""

import hashlib
import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from truebleu.errors import InputFileError, OutputExists

try:
    import fcntl
except ImportError:  # Windows: all processes work, and the last to rename wins.
    fcntl = None  # type: ignore[assignment]

# Seconds without a sign of life after which a process stops waiting: longer than a download may stall.
PATIENCE = 90.0
POLL = 0.1

# Seconds after which the next writer removes files left by a killed process.
LEFTOVER = 24 * 3600.0
_ASIDE_NAME = re.compile(r"\..+\.[0-9a-f]{12}\.part")


@contextmanager
def aside(target: Path) -> Iterator[Path]:
    """A private name beside a file or folder; at the end it is removed unless it was renamed.

    Not `tempfile`: other users, who may share the cache, cannot read its files.
    """
    part = target.with_name(f".{target.name}.{secrets.token_hex(6)}.part")
    try:
        yield part
    except OSError as error:
        # Nobody knows the private name: messages tell of the file that was asked for.
        if error.filename:
            error.filename = str(error.filename).replace(part.name, target.name)
        raise
    finally:
        discard(part)


@contextmanager
def replacing(target: Path) -> Iterator[BinaryIO]:
    """Open a stream whose content replaces a file when everything is written, and survives a crash.

    A device or a pipe is written to: another file in its place would break /dev/null for everybody.
    """
    if _is_device(target):
        with target.open("wb") as stream:
            yield stream
        return
    with aside(target) as part:
        with part.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(part, target)


def _is_device(target: Path) -> bool:
    return target.exists() and not target.is_file() and not target.is_dir()


def write_whole(target: Path, data: bytes) -> None:
    """Write a file, and make its folder if necessary: it is written whole, or stays as it was."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with replacing(target) as stream:
        stream.write(data)


def write_together(contents: Mapping[Path, str], overwrite: bool) -> None:
    """Write text files. If anything fails, no new file remains, and existing files stay as they were."""
    with ExitStack() as stack:
        parts = {target: stack.enter_context(aside(target)) for target in contents}
        for target, part in parts.items():
            target.parent.mkdir(parents=True, exist_ok=True)
            part.write_text(contents[target], encoding="utf-8", newline="\n")
        check_targets(contents, overwrite)
        # The files that have the names now are kept until all new ones have theirs.
        before = {target: stack.enter_context(aside(target)) for target in contents if os.path.lexists(target)}
        moved: list[Path] = []
        try:
            for target, old in before.items():
                os.replace(target, old)
            for target, part in parts.items():
                os.replace(part, target)
                moved.append(target)
        except BaseException:
            for target in moved:
                target.unlink(missing_ok=True)
            for target, old in before.items():
                if os.path.lexists(old):
                    os.replace(old, target)
            raise


def check_targets(targets: Iterable[Path], overwrite: bool) -> None:
    """Raise, before any work is done, if a file cannot be written."""
    for target in targets:
        if target.parent.exists() and not target.parent.is_dir():
            raise OutputExists(f"{target.parent} is not a folder, so {target.name} cannot be written there")
        if target.is_dir():
            raise OutputExists(f"{target} is a folder, so a file of that name cannot be written")
        if _is_device(target):
            continue
        if not overwrite and os.path.lexists(target):
            raise OutputExists(f"{target} exists and will not be replaced: choose another folder, or say --force")
        folder = next(one for one in target.absolute().parents if one.exists())
        try:
            with aside(folder / target.name) as part:
                part.touch()
        except OSError as error:
            why = f"{folder} does not accept files ({error.strerror})"
            raise InputFileError(f"{target} cannot be written: {why}") from error


def check_not_inputs(targets: Iterable[Path], inputs: Sequence[str]) -> None:
    """Raise if an output is one of the inputs: even a user of --force does not intend that."""
    for target in targets:
        for path in inputs:
            if target.exists() and os.path.exists(path) and target.samefile(path):
                raise OutputExists(
                    f"{target} is one of the files to be read, and would be replaced: choose another folder"
                )


def discard(path: Path) -> None:
    """Remove a file or a folder, if it is there and may be removed."""
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def sweep(folder: Path) -> None:
    """Remove old files that killed processes left in a folder. Running processes keep their files fresh."""
    with suppress(OSError):
        for path in folder.iterdir():
            if _ASIDE_NAME.fullmatch(path.name) and time.time() - path.lstat().st_mtime > LEFTOVER:
                discard(path)


@contextmanager
def turn(work: Path, locks: Path, waiting: Callable[[], object] = lambda: None) -> Iterator[Callable[[], None]]:
    """Wait until no other process does the same work; gives a function to call now and then as a sign of life.

    `locks` is the folder of the locks; `waiting` is called once if another process is working.
    """
    lock = _open_lock(work, locks)
    if lock is None:
        yield lambda: None
        return
    try:
        _wait_for(lock, waiting)
        yield lambda: _beat(lock)
    finally:
        # A forked child shares the lock, so closing would not be enough.
        with suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_UN)
        os.close(lock)


def _beat(lock: int) -> None:
    with suppress(OSError):
        os.utime(lock)


def _open_lock(work: Path, locks: Path) -> int | None:
    if fcntl is None:
        return None
    name = hashlib.sha256(os.fsencode(os.path.abspath(work))).hexdigest()[:16]
    path = locks / f"{name}.lock"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.parent.is_symlink():
            return None
        # Other users may write here: a link would create or change their file, and a pipe would block.
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
    except OSError:
        return None
    if stat.S_ISREG(os.fstat(lock).st_mode):
        return lock
    os.close(lock)
    return None


def _wait_for(lock: int, waiting: Callable[[], object]) -> None:
    last, since = None, time.monotonic()
    told = False
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            pass
        except OSError:  # A file system without locks.
            return
        if not told:
            waiting()
            told = True
        # Only a change matters: clocks of other machines may be wrong.
        beat = os.fstat(lock).st_mtime_ns
        if beat != last:
            last, since = beat, time.monotonic()
        elif time.monotonic() - since > PATIENCE:
            return
        time.sleep(POLL)
