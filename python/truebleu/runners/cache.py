"""Scores that have been computed, on disk: one SQLite file for each fingerprint (everything that can move a score).

Many processes may use a file, and each may be killed at any time: a batch is there whole or not at all. The folder
is the user's own, because a score cannot be verified as a test set can. A cache that cannot be used costs a warning,
never a score.
"""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import sys
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

from truebleu._logs import warn
from truebleu._shown import shown
from truebleu.errors import CacheError
from truebleu.runners.protocol import Result, Span, Unit
from truebleu.store.config import expanded, user_caches
from truebleu.version import __version__

SCHEMA = "1"
KEY_BYTES = 20
_AT_ONCE = 500  # keys of a look-up
_TABLES = (
    "CREATE TABLE IF NOT EXISTS about (key TEXT PRIMARY KEY, value TEXT)",
    "CREATE TABLE IF NOT EXISTS score (key BLOB PRIMARY KEY, value REAL, cut INTEGER, extra BLOB) WITHOUT ROWID",
)


def score_folder() -> Path:
    """The folder of scores: `TRUEBLEU_SCORES`, else one in the user's own cache, never in a shared one."""
    given = os.environ.get("TRUEBLEU_SCORES")
    return expanded(given) if given else user_caches() / "truebleu" / "scores"


def key_of(unit: Unit) -> bytes:
    """The key of a unit: the lengths of its texts keep ("ab", "c") and ("a", "bc") apart."""
    digest = blake2b(digest_size=KEY_BYTES)
    for text in unit if unit.context is not None else unit[:3]:
        if text is None:
            digest.update(b"-")
        else:
            data = text.encode()
            digest.update(b"+%d:" % len(data) + data)
    return digest.digest()


def canonical(value: object) -> str:
    """JSON of which there is one form only."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


class ScoreCache:
    """The scores of one fingerprint. One that cannot be used is in memory from then on, and nothing is raised."""

    def __init__(
        self, name: str, fingerprint: Mapping[str, Any], folder: Path | None = None, *, in_memory: bool = False
    ) -> None:
        self._base: sqlite3.Connection | None = None
        self.in_memory = in_memory
        self._folder = score_folder() if folder is None else folder
        self.fingerprint, self._about = fingerprint, canonical(fingerprint)
        digest = blake2b(self._about.encode(), digest_size=6).hexdigest()
        self.path = self._folder / f"{name}-{digest}.sqlite"
        if not in_memory and (problem := _unsafe(self._folder)):
            warn("scores are not kept: %s", problem)
            self.in_memory = True
        self._is_open()

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Result]:
        """Look up those keys that are there."""
        found: dict[bytes, Result] = {}
        for start in range(0, len(keys) if self._is_open() else 0, _AT_ONCE):
            part = keys[start : start + _AT_ONCE]
            marks = ",".join("?" * len(part))
            query = f"SELECT key, value, cut, extra FROM score WHERE key IN ({marks})"
            for key, value, cut, extra in self._ask(query, part):
                found[key] = _unpacked(value, cut, extra)
        return found

    def put(self, results: Mapping[bytes, Result], *, replace: bool = False) -> None:
        """Keep a batch, whole; a score that is there stays unless it is to be replaced."""
        rows = [(key, one.score, one.cut, _packed(one)) for key, one in results.items() if _is_kept(one)]
        if not rows or not self._is_open(is_made=True) or self._base is None:
            return
        try:
            self._base.execute("BEGIN IMMEDIATE")
            otherwise = "REPLACE" if replace else "IGNORE"
            self._base.executemany(f"INSERT OR {otherwise} INTO score VALUES (?, ?, ?, ?)", rows)
            self._base.execute("COMMIT")
        except sqlite3.Error as error:
            with suppress(sqlite3.Error):
                self._base.execute("ROLLBACK")
            self._give_up(error)
            self.put(results)

    def set_aside(self, suffix: str) -> None:
        """Rename the file, and begin a new one."""
        self.close()
        for end in ("", "-wal", "-shm"):
            old = self.path.with_name(self.path.name + end)
            with suppress(OSError):
                old.replace(self.path.with_name(f"{self.path.name}.{suffix}{end}"))
        self._open()

    def close(self) -> None:
        """Close the file."""
        if self._base is not None:
            with suppress(sqlite3.Error):
                self._base.close()
            self._base = None

    def __del__(self) -> None:
        self.close()

    def _is_open(self, *, is_made: bool = False) -> bool:
        """Open the file if it is there; it is made for the first score, so that a refused run leaves none."""
        if self._base is None and (is_made or self.in_memory or self.path.exists()):
            self._open()
        return self._base is not None

    def _open(self, *, again: bool = True) -> None:
        try:
            if not self.in_memory:
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            place = ":memory:" if self.in_memory else self.path
            base = sqlite3.connect(place, timeout=30, isolation_level=None, check_same_thread=False)
            self._base = base
            if base.execute("PRAGMA journal_mode=WAL").fetchone()[0] != "wal":
                base.execute("PRAGMA journal_mode=DELETE")  # a file system without shared memory
            base.execute("PRAGMA synchronous=NORMAL")
            for table in _TABLES:
                base.execute(table)
            facts = (("schema", SCHEMA), ("fingerprint", self._about), ("truebleu", __version__))
            base.executemany("INSERT OR IGNORE INTO about VALUES (?, ?)", facts)
            about = dict(base.execute("SELECT key, value FROM about"))
        except sqlite3.DatabaseError as error:
            is_broken = not isinstance(error, sqlite3.OperationalError)
            self.close()
            if is_broken and again:
                warn("%s is damaged and was set aside: its scores are computed again", shown(self.path))
                self.set_aside("broken")
            else:
                self._give_up(error)
            return
        except OSError as error:
            self._give_up(error)
            return
        if about["fingerprint"] != self._about or about["schema"] != SCHEMA:
            self.close()
            raise CacheError(f"{shown(self.path)} has scores of another model, expected {self._about[:200]}: remove it")
        with suppress(OSError):
            os.utime(self.path)

    def _ask(self, query: str, values: Sequence[Any]) -> Iterable[tuple[Any, ...]]:
        assert self._base is not None
        try:
            return self._base.execute(query, values).fetchall()
        except sqlite3.Error as error:
            self._give_up(error)
            return ()

    def _give_up(self, error: Exception) -> None:
        self.close()
        if not self.in_memory:
            warn("scores are not kept: %s (%s)", shown(self.path), shown(error))
            self.in_memory = True
            self._open()


def _unsafe(folder: Path) -> str | None:
    """Why a folder cannot be trusted with scores; None if it can, or is not there yet."""
    try:
        found = folder.stat()
    except OSError:
        return None
    if sys.platform == "win32":
        return None
    if found.st_uid != os.getuid():
        return f"{shown(folder)} belongs to another user"
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"others can write in {shown(folder)}"
    return None


def _is_kept(result: Result) -> bool:
    """A failure is not kept; an answer of a judge is, even where it cannot be read: it was paid for."""
    return result.score is not None or bool(result.said)


def _packed(result: Result) -> bytes | None:
    extra = {"spans": [tuple(span) for span in result.spans], "parts": dict(result.parts), "said": [*result.said]}
    kept = {key: value for key, value in extra.items() if value}
    return zlib.compress(canonical(kept).encode()) if kept else None


def _unpacked(value: float | None, cut: int, extra: bytes | None) -> Result:
    if extra is None:
        return Result(value, cut)
    kept = json.loads(zlib.decompress(extra))
    spans = tuple(Span(*one) for one in kept.get("spans", ()))
    return Result(value, cut, "", spans, kept.get("parts", {}), tuple(kept.get("said", ())))
