"""Groups that share segments have no row for all of them; groups of a breakdown do."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.conftest import Files


@pytest.fixture
def texts(tmp_path: Path) -> Files:
    files = Files(tmp_path)
    for name in ("ref.txt", "a.txt", "b.txt"):
        files.write(name, "".join(f"a “b” c d {name[0]} {at}\n" for at in range(4)))
    files.write("labels.txt", "x\nx\ny\ny\n")
    return files


def test_only_a_breakdown_adds_up(texts: Files) -> None:
    shared = texts.ours("ref.txt", "-i", "a.txt", "b.txt", "--sensitivity", "-f", "text")
    assert 0 == shared.code and "normalize=quotes" in shared.out and " all " not in shared.out
    parts = texts.ours("ref.txt", "-i", "a.txt", "b.txt", "--breakdown", "labels.txt", "-f", "text")
    assert 0 == parts.code and " all " in parts.out, parts.err
