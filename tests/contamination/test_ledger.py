"""A scan that goes on where it was interrupted: the same result, whatever was killed, and refusals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truebleu import Overlap, _core, overlap
from truebleu.contamination import readings
from truebleu.errors import FileFormatError, OptionError, OutputExists, StatsMismatch, TruebleuError

REFERENCES = [
    "A grey heron stood by the pond and waited for a fish .",
    "Rain fell on all the roofs of the old town that night .",
    "Nobody had seen the small red boat since the end of March .",
]
SOURCES = [f"Quelle {at} mit acht Wörtern die niemand je gelesen hat" for at in range(3)]


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / f"{name}.txt" for name in "abcd"]
    texts = [REFERENCES[0], f"x\n{SOURCES[0]}\n{REFERENCES[0]}", "nothing", f"{REFERENCES[2]} {REFERENCES[1]}"]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(f"{text}\n" * 2, "utf-8")
    return paths


def found_in(paths: list[Path], ledger: Path | None, **options: Any) -> Overlap:
    return overlap(sources=SOURCES, references=[REFERENCES], train=paths, resume=ledger, **options)


@pytest.mark.parametrize("cut", range(5))
def test_what_was_found_before_and_after_is_what_is_found_at_once(files: list[Path], tmp_path: Path, cut: int) -> None:
    ledger = tmp_path / "state.json"
    if cut:
        found_in(files[:cut], ledger)
    before = ledger.read_bytes() if cut == len(files) else None
    assert found_in(files, None).to_dict() == found_in(files, ledger).to_dict()
    assert before in (None, ledger.read_bytes())


def test_files_that_were_read_are_not_opened_again(files: list[Path], tmp_path: Path) -> None:
    ledger, told = tmp_path / "state.json", list[int]()
    found_in(files[:3], ledger)
    sizes = [path.stat().st_size for path in files]
    found_in(files, ledger, tell=told.append)
    assert [sum(sizes[:3]), sizes[3]] == told


@given(st.lists(st.sampled_from([*REFERENCES, *SOURCES, "a b c", ""]), max_size=6), st.integers(0, 6))
def test_numbers_of_a_state_are_all_that_goes_on(records: list[str], cut: int) -> None:
    scans = [_scan() for _ in range(3)]
    for at, record in enumerate(records):
        for scan in (scans[0], scans[1 if at < cut else 2]):
            if scan is scans[2] and at == cut:
                assert scans[2].restore(scans[1].state())
            assert scan.feed(f"{record}\n{record} {REFERENCES[0]}\n".encode(), "lines") is None
            assert scan.end_file() is None
    last = scans[2] if cut < len(records) else scans[1]
    assert scans[0].matches(2) == last.matches(2)
    assert (scans[0].paired(), scans[0].read()[1:]) == (last.paired(), last.read()[1:])


def test_a_state_of_another_test_set_is_refused() -> None:
    scan = _scan()
    state = scan.state()
    for wrong in ([], state[:-1], [*state, 0], [0, 0, 0, 5, 2**40, 1], [2**40, *state[1:]], [0, 0, 0, 2**63]):
        assert not _scan().restore(wrong)
    assert scan.restore(state)


def _scan() -> _core.OverlapScan:
    reading = readings.folded()
    sides = [(at, stream) for stream in range(2) for at in range(3)]
    return _core.OverlapScan(
        reading.cells, reading.pool, beyond=False, alone=True, texts=SOURCES + REFERENCES, sides=sides, words=(8, 5),
        characters=(13, 8), replace=False, threads=1,
    )  # fmt: skip


KILLED = """
    import os, signal, sys
    from truebleu.contamination import ledger
    write, count = ledger.write_whole, 0
    def killed(path, content):
        global count
        count += 1
        if count == int(sys.argv[1]) and sys.argv[2] == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        write(path, content)
        if count == int(sys.argv[1]):
            os.kill(os.getpid(), signal.SIGKILL)
    ledger.write_whole = killed
    from truebleu import overlap
    overlap(sources=%r, references=[%r], train=sys.argv[4:], resume=sys.argv[3])
"""


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
@pytest.mark.parametrize(("number", "when", "kept"), [(2, "after", 2), (3, "before", 2)])
def test_a_killed_scan_loses_one_file(files: list[Path], tmp_path: Path, number: int, when: str, kept: int) -> None:
    ledger = tmp_path / "state.json"
    program = textwrap.dedent(KILLED) % (SOURCES, REFERENCES)
    ended = subprocess.run([sys.executable, "-c", program, str(number), when, ledger, *files], check=False)
    assert -signal.SIGKILL == ended.returncode
    assert kept == len(json.loads(ledger.read_bytes())["files"])
    assert found_in(files, None).to_dict() == found_in(files, ledger).to_dict()
    assert [] == [path for path in tmp_path.iterdir() if path not in (ledger, *files)]


def test_what_does_not_go_on_is_refused(files: list[Path], tmp_path: Path) -> None:
    ledger = tmp_path / "state.json"
    found_in(files, ledger)
    before = ledger.read_bytes()

    def refused(error: type[TruebleuError], words: str, paths: list[Path] = files, **options: Any) -> None:
        with pytest.raises(error, match=words):
            found_in(paths, ledger, **options)

    refused(StatsMismatch, "another n: 8, expected 9", n=9)
    refused(StatsMismatch, "another reading", records="blank")
    refused(StatsMismatch, "a.txt, which is not among the files now", files[1:])
    refused(OptionError, "standard input cannot", ["-"])  # type: ignore[list-item]
    with pytest.raises(StatsMismatch, match="another references"):
        overlap(sources=SOURCES, references=[SOURCES], train=files, resume=ledger)
    assert before == ledger.read_bytes()
    files[0].write_text("other", "utf-8")
    refused(StatsMismatch, "a.txt has changed since it was counted in")
    for content in (b"{}", b"[]", b"no JSON", before.replace(b'"schema": 1', b'"schema": 2')):
        ledger.write_bytes(content)
        refused(FileFormatError, "is no file of a scan for overlap")
    ledger.write_bytes(before.replace(b'"state": [', b'"state": [9, '))
    refused(FileFormatError, "does not fit the test set", files[1:] + files[:1])
    with pytest.raises(OutputExists, match="is one of the files to be read"):
        found_in(files, files[1])
