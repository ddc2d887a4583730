"""The care of scores that are kept: what there is, what goes, and what other programs read of it.

A file is removed whole, and never by itself: a score may have cost money.
"""

from __future__ import annotations

import json
import re
import sqlite3
import time
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from truebleu._counts import there_are
from truebleu._shown import json_text, shown
from truebleu._textio import read_lines
from truebleu.errors import CacheError, FileFormatError
from truebleu.runners.cache import ScoreCache, score_folder
from truebleu.runners.protocol import Result, Span

if TYPE_CHECKING:
    from truebleu.runners.judging.prompts import Prompt

_IMPORTED = {"from": "import"}
_DAY = 24 * 3600.0
_ENDS = ("", "-wal", "-shm")


class KeptScores(NamedTuple):
    """The scores of one fingerprint, in one file."""

    path: Path
    metric: str
    fingerprint: dict[str, Any]
    scores: int  # 0 if the file cannot be read
    bytes: int
    used: float  # seconds since 1970

    @property
    def model(self) -> str:
        """The model, if the fingerprint names one."""
        return str(self.fingerprint.get("model", ""))


def kept_scores() -> list[KeptScores]:
    """All files of scores, the last used first; those that were set aside too."""
    paths = sorted(path for path in score_folder().glob("*.sqlite*") if not path.name.endswith(_ENDS[1:]))
    return sorted(map(_looked_at, paths), key=lambda one: (-one.used, one.path))


def beyond(limit: int) -> list[KeptScores]:
    """The files to remove so that the rest takes at most this many bytes: those unused for the longest time."""
    total, gone = 0, []
    for one in kept_scores():
        total += one.bytes
        if total > limit:
            gone.append(one)
    return gone


def unused_for(days: float) -> list[KeptScores]:
    """The files that nobody has used for so many days."""
    return [one for one in kept_scores() if one.used < time.time() - days * _DAY]


def of_metric(name: str) -> list[KeptScores]:
    """The files of one metric; of all metrics without a name."""
    return [one for one in kept_scores() if not name or one.metric == name]


def discard_scores(files: Iterable[KeptScores]) -> int:
    """Remove files, and give the number of their bytes."""
    freed = 0
    for one in files:
        for end in _ENDS:
            with suppress(FileNotFoundError):
                one.path.with_name(one.path.name + end).unlink()
        freed += one.bytes
    return freed


def exported(files: Iterable[KeptScores]) -> Iterator[str]:
    """Lines of JSON: for each file one with its fingerprint, then one for each score, with the key of its unit."""
    for one in files:
        yield json_text({"metric": one.metric, "fingerprint": one.fingerprint, "scores": one.scores})
        yield from map(json_text, _rows(one))


def read_again(one: KeptScores, prompts: Iterable[Prompt]) -> Counter[str] | None:
    """Read the answers of a judge anew, as they were kept; count them by what keeps them from being read ("": nothing).

    None if no prompt is that of the answers.
    """
    from truebleu.runners.judging.scorer import exchange

    prompt = next((prompt for prompt in prompts if prompt.digest == one.fingerprint.get("prompt")), None)
    if prompt is None:
        return None
    return Counter(exchange(row["said"], prompt).readings[-1].why for row in _rows(one) if row.get("said"))


def _rows(one: KeptScores) -> Iterator[dict[str, Any]]:
    try:
        with closing(_opened(one.path)) as base:
            for key, value, cut, extra in base.execute("SELECT key, value, cut, extra FROM score ORDER BY key"):
                more = json.loads(zlib.decompress(extra)) if extra else {}
                yield {"key": key.hex(), "score": value, "cut": cut, **more}
    except (sqlite3.Error, ValueError, zlib.error) as error:
        raise CacheError(f"{shown(one.path)} cannot be read: {error}") from error


def import_scores(path: Path) -> Iterator[tuple[str, int]]:
    """Keep what `exported` wrote elsewhere, in files of its own; give the name and the scores of each."""
    cache: ScoreCache | None = None
    rows: dict[bytes, Result] = {}
    lines = read_lines(str(path))
    for at, line in enumerate([*lines, ""], 1):
        try:
            row = json.loads(line) if line else {}
            if cache is not None and ("fingerprint" in row or not line):
                cache.put(rows)
                cache.close()
                yield cache.path.name, len(rows)
                rows = {}
            if "fingerprint" in row:
                named = re.fullmatch("[a-z][a-z0-9-]*", row["metric"])
                cache = ScoreCache(named[0], {**row["fingerprint"], **_IMPORTED})  # type: ignore[index]
            elif line:
                rows[bytes.fromhex(row["key"])] = _read(row, is_known=cache is not None)
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise FileFormatError(
                f"{shown(path)}, line {at}: {shown(line[:80])} is no line of exported scores: expected a fingerprint "
                "first, and then keys with scores"
            ) from error


def imported(metric: str, wanted: Mapping[str, Any]) -> ScoreCache:
    """Open the imported scores of a metric whose fingerprint has these values."""
    found = [
        one for one in of_metric(metric) if one.fingerprint.items() >= {**wanted, **_IMPORTED}.items()
    ]  # fmt: skip
    if len(found) != 1:
        there = f"{there_are(len(found), 'file')} of them" if found else "there are none"
        raise CacheError(
            f"{metric}: imported scores of {shown(wanted['model'])} are asked for, and {there}; "
            "truebleu metrics cache lists what is kept, and --import FILE brings scores here"
        )
    return ScoreCache(metric, found[0].fingerprint)


def _read(row: Mapping[str, Any], *, is_known: bool) -> Result:
    score, cut, spans = row["score"], row["cut"], [Span(*one) for one in row.get("spans", ())]
    is_number = type(score) in (int, float) and isfinite(score)
    if not is_known or len(row["key"]) != 40 or not (is_number or score is None) or type(cut) is not int or cut < 0:
        raise ValueError
    return Result(score, cut, "", tuple(spans), dict(row.get("parts", {})), tuple(row.get("said", ())))


def _looked_at(path: Path) -> KeptScores:
    name = path.name.partition(".sqlite")[0].rpartition("-")[0]
    size = sum(one.stat().st_size for end in _ENDS if (one := path.with_name(path.name + end)).exists())
    fingerprint, scores = {}, 0
    with suppress(sqlite3.Error, ValueError, KeyError), closing(_opened(path)) as base:
        found = json.loads(dict(base.execute("SELECT key, value FROM about"))["fingerprint"])
        scores = base.execute("SELECT count(*) FROM score").fetchone()[0]
        fingerprint = found if isinstance(found, dict) else {}
    return KeptScores(path, name, fingerprint, scores, size, path.stat().st_mtime)


def _opened(path: Path) -> sqlite3.Connection:
    # Only to read: to look at a file must not be its last use. If nobody writes to it, it is read without the two
    # files beside it, which SQLite would make and leave there.
    is_still = not path.with_name(f"{path.name}-wal").exists()
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' * is_still}", uri=True, timeout=30)
