"""A run that was ended goes on where it was, and no row is lost or counted twice."""

import logging
import os
import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from truebleu import BLEU, CHRF, TER, columns
from truebleu.errors import (
    FileFormatError,
    InputFileError,
    InputTypeError,
    OutputExists,
    StatsMismatch,
    UndecodableText,
)

pa = pytest.importorskip("pyarrow")
import pyarrow.parquet as pq  # noqa: E402

from columns.made_up import table, write_parts  # noqa: E402
from truebleu.cli.main import main  # noqa: E402
from truebleu.columns import files  # noqa: E402
from truebleu.columns.files import count_files, merge_totals, read_totals, write_totals  # noqa: E402
from truebleu.columns.parquet import file_batches  # noqa: E402
from truebleu.columns.schema import Layout  # noqa: E402
from truebleu.columns.work import Chunk, Task  # noqa: E402

TEXTS: dict[str, Any] = {"hypothesis": "mt", "references": "ref", "by": ["lang"]}


def job(jobs: int = 1, **changed: Any) -> Task:
    return Task([BLEU(), TER()], Layout("mt", "ref", "lang", **changed), None, jobs=jobs)


def count_one(paths: list[str], job: Task, *given: Any, **named: Any) -> columns.Totals:
    (found,) = count_files(paths, [job], *given, **named)
    return found


def test_several_systems_are_counted_in_one_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = table(80)
    data = data.append_column("second", data["ref"]).append_column("unread", data["ref"])
    for at in range(3):
        pq.write_table(data.slice(30 * at, 30), tmp_path / f"{at}.parquet")
    paths, read = sorted(map(str, tmp_path.iterdir())), []

    def noted(path: str, needed: Any, where: Any) -> Any:
        read.append((path, needed))
        return file_batches(path, needed, where)

    monkeypatch.setattr(files, "file_batches", noted)
    jobs = [Task([BLEU(), TER()], Layout(name, "ref", "lang"), None) for name in ("mt", "second")]
    together = [totals.to_arrow() for totals in count_files(paths, jobs, resume=False)]
    assert [(path, ("mt", "ref", "lang", "second")) for path in paths] == read
    assert [count_one(paths, one, resume=False).to_arrow() for one in jobs] == together
    assert together[0] != together[1]


@pytest.fixture
def parts(tmp_path: Path) -> list[str]:
    write_parts(tmp_path, 4)
    return sorted(map(str, tmp_path.iterdir()))


def test_files_that_are_in_the_totals_are_not_read_again(
    parts: list[str], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    out = tmp_path / "t"
    first = columns.score_files(parts[:3], [BLEU(), TER()], **TEXTS, resume=out)
    assert columns.score_files(parts[:3], [BLEU(), TER()], **TEXTS) == first
    read: list[int] = []
    whole = count_one(parts, job(), out, resume=True, tell=read.append)
    assert 50 == sum(read)
    assert [f"3 of 4 files are in {out} already, and are skipped"] == caplog.messages
    assert count_one(parts, job(), resume=False).to_arrow() == whole.to_arrow()
    assert whole.to_arrow() == read_totals(out)[0].to_arrow()
    assert whole.to_arrow() == count_one(parts, job(), out, resume=True).to_arrow()


@pytest.mark.parametrize("jobs", [1, 3])
def test_what_was_counted_before_an_error_is_kept(parts: list[str], tmp_path: Path, jobs: int) -> None:
    data = table(5)
    bad = data.set_column(3, "mt", pa.chunked_array([["a", "b", None, "c", "d"]]))
    pq.write_table(bad, tmp_path / "part-02.parquet")
    out = tmp_path / "t"
    with pytest.raises(InputTypeError, match="'mt' is null in row 2"):
        count_one(parts, job(jobs), out, resume=False)
    assert [parts[0], parts[1]] == list(read_totals(out)[1].files)  # type: ignore[union-attr]
    pq.write_table(data, tmp_path / "part-02.parquet")
    found = count_one(parts, job(jobs), out, resume=True)
    assert count_one(parts, job(), resume=False).to_arrow() == found.to_arrow()


def test_a_file_that_has_changed_is_named(parts: list[str], tmp_path: Path) -> None:
    count_one(parts, job(), tmp_path / "t", resume=False)
    os.utime(parts[2], (1, 1))
    with pytest.raises(StatsMismatch, match=r"part-02.parquet has changed since it was counted in .*t: "):
        count_one(parts, job(), tmp_path / "t", resume=True)


def test_a_file_that_changes_while_it_is_read_is_named(parts: list[str], tmp_path: Path) -> None:
    with pytest.raises(InputFileError, match=r"part-00.parquet changed while it was read"):
        count_one(parts, job(), resume=False, tell=lambda _: os.utime(parts[0], (1, 1)))


def test_files_in_the_totals_that_are_not_given_are_told(
    parts: list[str], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    count_one(parts, job(), tmp_path / "t", resume=False)
    count_one(parts[:1], job(), tmp_path / "t", resume=True)
    assert [f"{tmp_path / 't'} also holds 3 files that were not given now, and counts them"] == caplog.messages


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (Task([BLEU(lowercase=True), TER()], Layout("mt", "ref", "lang"), None), "another lowercase of 'bleu': False"),
        (Task([BLEU(), CHRF()], Layout("mt", "ref", "lang"), None), "the totals have bleu, ter, expected bleu, chrf"),
        (Task([BLEU()], Layout("mt", "ref", "lang"), None), "the totals have bleu, ter, expected bleu"),
        (job(nulls="skip"), "was counted with another nulls: 'error', expected 'skip'"),
        (Task([BLEU(), TER()], Layout("other", "ref", "lang"), None), "another hypothesis: 'mt', expected 'other'"),
        (Task([BLEU(), TER()], Layout("mt", "refs", "lang"), None), "another references: "),
        (Task([BLEU(), TER()], Layout("mt", "ref", "system"), None), "another by: "),
    ],
)
def test_totals_that_were_counted_otherwise_are_refused(
    other: Task, message: str, parts: list[str], tmp_path: Path
) -> None:
    count_one(parts[:1], job(), tmp_path / "t", resume=False)
    with pytest.raises(StatsMismatch, match=message):
        count_one(parts, other, tmp_path / "t", resume=True)


def test_only_totals_that_name_their_files_go_on(parts: list[str], tmp_path: Path) -> None:
    out = tmp_path / "t"
    count_one(parts, job(), resume=False).save(out)
    with pytest.raises(OutputExists, match="t exists and is not replaced"):
        count_one(parts, job(), out, resume=False)
    with pytest.raises(StatsMismatch, match="t does not say which files are in it"):
        count_one(parts, job(), out, resume=True)
    out.write_text("something else")
    with pytest.raises(FileFormatError, match="t is not a file of columns"):
        count_one(parts, job(), out, resume=True)
    assert "something else" == out.read_text()
    with pytest.raises(OutputExists, match="is one of the files to be read"):
        count_one(parts, job(), parts[1], resume=True)
    with pytest.raises(InputFileError, match="cannot be written: its folder is not there"):
        count_one(parts, job(), tmp_path / "none" / "t", resume=True)


def test_totals_of_several_machines_are_those_of_one(parts: list[str], tmp_path: Path) -> None:
    names = [str(tmp_path / name) for name in "ab"]
    for name, some in zip(names, (parts[:1], parts[1:]), strict=True):
        count_one(some, job(), name, resume=False)
    totals, ledger = merge_totals(names)
    assert count_one(parts, job(), resume=False).to_arrow() == totals.to_arrow()
    assert ledger is not None and set(parts) == set(ledger.files)
    write_totals(tmp_path / "c", totals, ledger)
    assert totals.to_arrow() == count_one(parts, job(), tmp_path / "c", resume=True).to_arrow()
    with pytest.raises(StatsMismatch, match=r"b: .*part-01.parquet is in another of the totals too"):
        merge_totals([str(tmp_path / "c"), names[1]])


def test_files_may_have_names_that_are_no_utf_8(
    parts: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.parquet")
    os.rename(parts[0], odd)
    kept = os.fsdecode(os.fsencode(tmp_path) + b"/\xfe.parquet")
    assert 0 == main([odd, "--hyp-field", "mt", "--ref-field", "ref", "--totals-out", kept])
    counted = capsys.readouterr().out
    assert 0 == main(["merge", kept])
    assert counted == capsys.readouterr().out


def test_totals_of_other_options_are_not_merged(parts: list[str], tmp_path: Path) -> None:
    other = {
        "lowercase": Task([BLEU(lowercase=True), TER()], Layout("mt", "ref", "lang"), None),
        "nulls": job(nulls="empty"),
        "columns: system": Task([BLEU(), TER()], Layout("mt", "ref", "system"), None),
    }
    count_one(parts[:1], job(nulls="skip"), tmp_path / "t", resume=False)
    for at, (field, one) in enumerate(other.items()):
        count_one(parts[1:], one, tmp_path / f"{at}", resume=False)
        with pytest.raises(StatsMismatch, match=f"differ in {field.replace('columns: system', 'columns: lang')}"):
            merge_totals([str(tmp_path / "t"), str(tmp_path / f"{at}")])


@pytest.mark.parametrize("jobs", [2, 5])
def test_batches_that_are_counted_at_a_time_give_the_same_bytes(
    tmp_path: Path, jobs: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truebleu.columns.parquet._BYTES_AT_ONCE", 300)  # many batches
    write_parts(tmp_path, 6, rows=90)
    words = [
        f"{tmp_path}/part-*.parquet",
        "--hyp-field",
        "mt",
        "other",
        "--ref-field",
        "refs",
        "--by",
        "lang",
        "system",
    ]
    words += ["-m", "bleu", "ter", "-f", "json"]
    assert 0 == main(words)
    expected = capsys.readouterr()
    assert 0 == main([*words, "--jobs", str(jobs)])
    assert expected == capsys.readouterr()
    which: dict[str, Any] = {"hypothesis": "mt", "references": "refs", "by": ["lang", "seg"]}
    metrics = [BLEU(), TER(), CHRF()]
    one, several = (columns.score_files(tmp_path, metrics, **which, jobs=count) for count in (1, jobs))
    assert one == several and one.schema.names == several.schema.names


def test_batches_of_several_files_are_counted_at_a_time(
    parts: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    together, real = threading.Barrier(2, timeout=30), Chunk.groups

    def groups(self: Chunk, *given: Any) -> Any:
        if len(self.batch):  # files have one batch each, and the first look at a file has no rows
            together.wait()
        return real(self, *given)

    expected = count_one(parts, job(), tmp_path / "one", resume=False)
    monkeypatch.setattr(Chunk, "groups", groups)
    found = count_one(parts, job(2), tmp_path / "two", resume=False)
    assert expected.to_arrow() == found.to_arrow()
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_the_first_error_of_several_batches_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("truebleu.columns.parquet._BYTES_AT_ONCE", 100)
    data = table(60)
    texts = [text.encode() for text in data["mt"].to_pylist()]
    texts[31] = b"a \xff b"
    bad = pa.array(texts, pa.binary()).view(pa.string())
    nulls = pa.array([None if at == 44 else text for at, text in enumerate(data["ref"].to_pylist())])
    pq.write_table(pa.table({"mt": bad, "ref": nulls}), tmp_path / "a.parquet", row_group_size=5)
    for jobs in (1, 4):
        with pytest.raises(UndecodableText, match=r"'mt' is not UTF-8 in row 31: byte 2 is 0xff"):
            columns.score_files(tmp_path, BLEU(), hypothesis="mt", references="ref", jobs=jobs)


# Starts runs in processes of their own, which begin with everything loaded.
STARTER = """
import os, sys
import pyarrow.parquet
import truebleu.cli.tables
from truebleu.cli.main import main
for line in sys.stdin:
    run = os.fork()
    if not run:
        sys.stdout = open("result", "w")
        code = main(sys.argv[1:])
        sys.stdout.close()
        os._exit(code)
    print(run, flush=True)
    os.waitpid(run, 0)
    print("ended", flush=True)
"""


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_run_that_is_killed_at_any_moment_ends_with_the_result_of_one_run(tmp_path: Path, jobs: int) -> None:
    write_parts(tmp_path, 20, rows=20)
    words = ["part-*.parquet", "--hyp-field", "mt", "--ref-field", "refs", "--by", "lang", "-m", "bleu", "ter"]
    words += ["-f", "json", "--totals-out", "t", "--resume", "--jobs", str(jobs)]
    out, result, draw, seen = tmp_path / "t", tmp_path / "result", random.Random(7), list[int]()
    streams: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([sys.executable, "-c", STARTER, *words], cwd=tmp_path, text=True, **streams) as starter:

        def run(writes: int | None, seconds: float = 0.0) -> None:
            """Run to the end, or until the totals have been written so often, and some time more."""
            assert starter.stdin is not None and starter.stdout is not None
            print("go", file=starter.stdin, flush=True)
            pid, states = int(starter.stdout.readline()), set[int]()
            with suppress(ProcessLookupError):
                while writes is not None and len(states) <= writes:
                    states |= {out.stat().st_mtime_ns if out.exists() else 0}
                    os.kill(pid, 0)
                time.sleep(seconds)
                if writes is not None:
                    os.kill(pid, signal.SIGKILL)
            assert "ended\n" == starter.stdout.readline()

        run(None)
        expected, totals = result.read_text(), out.read_bytes()
        out.unlink()
        for _ in range(20):
            run(draw.randrange(4), draw.uniform(0, 0.05))
            known = read_totals(out)[1] if out.exists() else None
            seen.append(len(known.files) if known is not None else 0)
            if seen[-1] == 20:
                out.unlink()
        assert len(set(seen)) > 3, seen  # it was killed in the midst of its work
        run(None)
        assert (expected, totals) == (result.read_text(), out.read_bytes())
        starter.stdin.close()  # type: ignore[union-attr]
