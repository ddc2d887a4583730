"""The care of scores that are kept."""

import json
import os
from pathlib import Path

import pytest

from truebleu.errors import CacheError, FileFormatError
from truebleu.runners.cache import ScoreCache, key_of
from truebleu.runners.kept import (
    beyond,
    discard_scores,
    exported,
    import_scores,
    imported,
    kept_scores,
    of_metric,
    unused_for,
)
from truebleu.runners.protocol import Result, Span, Unit

UNITS = [Unit("a", f"b{at}", None) for at in range(3)]
RESULTS = [Result(0.25), Result(0.5, 2), Result(1.0, 0, "", (Span(0, 1, "minor"),), {"mqm": 0.1})]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRUEBLEU_SCORES", str(tmp_path / "scores"))
    return tmp_path / "scores"


def make(name: str, model: str, count: int, days: float) -> Path:
    """A file of scores that was last used so many days ago."""
    cache = ScoreCache(name, {"model": model})
    cache.put({key_of(unit): result for unit, result in zip(UNITS[:count], RESULTS, strict=False)})
    cache.close()
    then = cache.path.stat().st_mtime - days * 24 * 3600
    os.utime(cache.path, (then, then))
    return cache.path


def test_without_any_there_are_none() -> None:
    assert [] == kept_scores()


def test_files_are_listed_the_last_used_first_and_a_look_is_no_use(folder: Path) -> None:
    old, new = make("comet", "org/a", 3, 10), make("metricx", "org/b", 2, 1)
    (folder / "comet-000000000000.sqlite.broken").write_bytes(b"junk" * 1000)
    for _ in range(2):
        junk, *found = kept_scores()
        assert ("comet", 0, 4000, "") == (junk.metric, junk.scores, junk.bytes, junk.model)
        assert [(new, "metricx", "org/b", 2), (old, "comet", "org/a", 3)] == [
            (one.path, one.metric, one.model, one.scores) for one in found
        ]


def test_the_least_used_files_go() -> None:
    oldest, old, new = (make("comet", model, 1, days) for model, days in (("a", 30), ("b", 10), ("c", 1)))
    one = kept_scores()[0].bytes
    assert [] == beyond(3 * one)
    assert [oldest] == [gone.path for gone in beyond(3 * one - 1)]
    assert [old, oldest] == [gone.path for gone in beyond(one)]
    assert [old, oldest] == [gone.path for gone in unused_for(5)]
    assert one == discard_scores(unused_for(20))
    assert [new, old] == [left.path for left in kept_scores()]


def test_one_metric_can_be_cleared() -> None:
    comet, metricx = make("comet", "a", 1, 1), make("metricx", "a", 1, 2)
    assert [comet] == [one.path for one in of_metric("comet")]
    discard_scores(of_metric("comet"))
    assert [metricx] == [one.path for one in of_metric("")]


def test_scores_are_exported_with_their_fingerprint() -> None:
    make("xcomet", "org/x", 3, 1)
    first, *rows = map(json.loads, exported(kept_scores()))
    assert {"metric": "xcomet", "fingerprint": {"model": "org/x"}, "scores": 3} == first
    expected = [
        {"key": key_of(unit).hex(), "score": one.score, "cut": one.cut}
        for unit, one in zip(UNITS, RESULTS, strict=True)
    ]
    expected[2] |= {"spans": [[0, 1, "minor", None, None]], "parts": {"mqm": 0.1}}
    assert sorted(expected, key=lambda row: str(row["key"])) == rows


def test_a_damaged_file_cannot_be_exported(folder: Path) -> None:
    folder.mkdir()
    (folder / "comet-000000000000.sqlite").write_bytes(b"junk" * 1000)
    with pytest.raises(CacheError, match="cannot be read"):
        list(exported(kept_scores()))


def test_what_was_exported_comes_back_apart_from_what_was_computed(tmp_path: Path) -> None:
    make("xcomet", "org/x", 3, 1), make("comet", "org/y", 2, 2)
    lines = [*exported(kept_scores())]
    (tmp_path / "scores.jsonl").write_text("\n".join(lines))
    found = dict(import_scores(tmp_path / "scores.jsonl"))
    assert [3, 2] == [*found.values()]
    assert 4 == len(kept_scores()) and 2 == len([one for one in kept_scores() if one.fingerprint.get("from")])
    cache = imported("xcomet", {"model": "org/x"})
    keys = [key_of(unit) for unit in UNITS]
    assert dict(zip(keys, RESULTS, strict=True)) == {key: one for key, one in cache.get(keys).items()}
    again = exported([one for one in kept_scores() if one.fingerprint.get("from")])
    assert sorted(lines) == sorted(line.replace('"from": "import", ', "") for line in again)
    with pytest.raises(CacheError, match=r"imported scores of org/z are asked for, and there are none; .* --import"):
        imported("xcomet", {"model": "org/z"})


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        ([{"key": "ab" * 20, "score": 1.0, "cut": 0}], 1),
        ([{"metric": "../comet", "fingerprint": {}, "scores": 0}], 1),
        ([{"metric": "comet", "fingerprint": {"model": "x"}}, {"key": "zz", "score": 1.0, "cut": 0}], 2),
        ([{"metric": "comet", "fingerprint": {"model": "x"}}, {"key": "ab" * 20, "score": "1", "cut": 0}], 2),
        ([{"metric": "comet", "fingerprint": {"model": "x"}}, {"key": "ab" * 20, "score": True, "cut": 0}], 2),
        ([{"metric": "comet", "fingerprint": {"model": "x"}}, {"key": "ab" * 20, "score": 1.0, "cut": -1}], 2),
        ([{"metric": "comet", "fingerprint": {"model": "x"}}, {"key": "ab" * 20, "score": 1.0}], 2),
        ([{"metric": "comet", "fingerprint": {"model": "x"}}, [1]], 2),
    ],
)
def test_lines_that_are_no_scores_are_not_imported(lines: list[object], line: int, tmp_path: Path) -> None:
    (tmp_path / "scores.jsonl").write_text("\n".join(map(json.dumps, lines)))
    with pytest.raises(FileFormatError, match=rf"scores\.jsonl, line {line}: .* is no line of exported scores"):
        [*import_scores(tmp_path / "scores.jsonl")]
    assert not any(one.scores for one in kept_scores())
