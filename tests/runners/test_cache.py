"""Scores on disk: many writers, killed ones, damaged files, folders that cannot be trusted."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truebleu.errors import CacheError
from truebleu.runners.cache import ScoreCache, key_of
from truebleu.runners.protocol import Result, Unit

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
UNITS = st.builds(Unit, st.none() | TEXTS, TEXTS, st.none() | TEXTS)


@given(UNITS, UNITS)
def test_keys_are_equal_only_for_equal_units(one: Unit, other: Unit) -> None:
    assert (one == other) is (key_of(one) == key_of(other))


def test_a_missing_text_is_not_an_empty_one() -> None:
    assert 3 == len({key_of(Unit(None, "a", "")), key_of(Unit("", "a", None)), key_of(Unit("", "a", ""))})


def test_the_first_score_of_a_unit_stays_and_a_missing_one_is_not_kept(tmp_path: Path) -> None:
    cache = ScoreCache("x", {"a": 1}, tmp_path)
    cache.put({b"k": Result(0.1 + 0.2, 3), b"n": Result(None, why="refused")})
    cache.put({b"k": Result(0.5)})
    assert {b"k": Result(0.1 + 0.2, 3)} == cache.get([b"k", b"n", b"z"])
    other = ScoreCache("x", {"a": 2}, tmp_path)
    assert {} == other.get([b"k"])
    cache.close()
    other.close()


def test_a_file_of_another_fingerprint_is_an_error_and_not_a_hit(tmp_path: Path) -> None:
    one, other = ScoreCache("x", {"a": 1}, tmp_path), ScoreCache("x", {"a": 2}, tmp_path)
    one.put({b"k": Result(1.0)})
    one.close()
    other.close()
    os.replace(one.path, other.path)
    with pytest.raises(CacheError, match="scores of another model"):
        ScoreCache("x", {"a": 2}, tmp_path)


def test_no_file_is_made_before_there_is_a_score(tmp_path: Path) -> None:
    first, second = ScoreCache("x", {}, tmp_path / "new"), ScoreCache("x", {}, tmp_path / "new")
    assert {} == first.get([b"k"]) and not (tmp_path / "new").exists()
    first.put({b"k": Result(None)})
    assert not (tmp_path / "new").exists()
    first.put({b"k": Result(1.0)})
    assert {b"k": Result(1.0)} == second.get([b"k"]) == first.get([b"k"])


def test_a_damaged_file_is_set_aside(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = ScoreCache("x", {}, tmp_path / "other").path.name
    (tmp_path / path).write_bytes(b"no database" * 1000)
    cache = ScoreCache("x", {}, tmp_path)
    assert "is damaged and was set aside" in caplog.text
    assert (tmp_path / f"{path}.broken").exists()
    cache.put({b"k": Result(1.0)})
    assert {b"k": Result(1.0)} == cache.get([b"k"])
    cache.close()


@pytest.mark.skipif(sys.platform == "win32", reason="modes of folders")
def test_a_folder_that_others_can_write_is_not_used(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o777)
    cache = ScoreCache("x", {}, folder)
    cache.put({b"k": Result(1.0)})
    assert Result(1.0) == cache.get([b"k"])[b"k"]  # in memory
    assert not [*folder.iterdir()]
    assert "scores are not kept: others can write" in caplog.text
    assert [] == [*folder.iterdir()]


WRITER = """
import sys
from pathlib import Path
from truebleu.runners.cache import ScoreCache
from truebleu.runners.protocol import Result
cache = ScoreCache("x", {}, Path(sys.argv[1]))
for batch in range(int(sys.argv[3])):
    cache.put({f"{sys.argv[2]}-{batch}-{n}".encode(): Result(float(n)) for n in range(64)})
    print(batch, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9")
def test_a_writer_that_is_killed_leaves_whole_batches(tmp_path: Path) -> None:
    for trial in range(5):
        command = [sys.executable, "-c", WRITER, str(tmp_path)]
        others = [subprocess.Popen([*command, f"same{trial}", "40"], stdout=subprocess.DEVNULL) for _ in range(2)]
        killed = subprocess.Popen([*command, f"own{trial}", "100000"], stdout=subprocess.PIPE)
        time.sleep(0.2 + 0.07 * trial)
        killed.send_signal(signal.SIGKILL)
        acknowledged = [int(line) for line in killed.communicate()[0].split()]
        assert [0, 0] == [other.wait() for other in others]
        cache = ScoreCache("x", {}, tmp_path)
        for batch in acknowledged:
            assert 64 == len(cache.get([f"own{trial}-{batch}-{n}".encode() for n in range(64)]))
        after = cache.get([f"own{trial}-{len(acknowledged)}-{n}".encode() for n in range(64)])
        assert len(after) in (0, 64)
        assert 64 * 40 == sum(len(cache.get([f"same{trial}-{b}-{n}".encode() for n in range(64)])) for b in range(40))
        cache.close()
    base = sqlite3.connect(cache.path)
    assert "ok" == base.execute("PRAGMA integrity_check").fetchone()[0]
    base.close()
