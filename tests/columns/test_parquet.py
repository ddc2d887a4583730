"""Files of columns are read in constant memory, and nothing that is wrong with them passes unnoticed."""

import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from truebleu import BLEU, CHRF, TER, columns
from truebleu.errors import (
    EmptyCorpus,
    FileFormatError,
    InputFileError,
    InputTypeError,
    MissingFile,
    OptionError,
    SegmentWithoutReference,
    UnknownField,
)

pa = pytest.importorskip("pyarrow")
import pyarrow.feather as feather  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402

from columns.made_up import table, write_parts  # noqa: E402
from truebleu.columns.files import score_segments  # noqa: E402
from truebleu.columns.parquet import file_batches, file_rows, file_schema  # noqa: E402
from truebleu.columns.schema import Layout  # noqa: E402
from truebleu.columns.work import Task  # noqa: E402

TEXTS: dict[str, Any] = {"hypothesis": "mt", "references": "ref"}


def write_ipc(data: Any, path: Path, rows: int = 30, *, stream: bool = False) -> None:
    make = pa.ipc.new_stream if stream else pa.ipc.new_file
    with pa.OSFile(str(path), "wb") as sink, make(sink, data.schema) as writer:
        writer.write_table(data, max_chunksize=rows)


WRITERS = {
    "parquet": lambda data, path: pq.write_table(data, path, row_group_size=30),
    "arrow": write_ipc,
    "stream": lambda data, path: write_ipc(data, path, stream=True),
    "feather": lambda data, path: feather.write_feather(data, str(path), compression="zstd", chunksize=30),
}


@pytest.mark.parametrize("kind", WRITERS)
def test_every_kind_of_file_gives_its_rows_whatever_its_name(kind: str, tmp_path: Path) -> None:
    data, path = table(100), tmp_path / "data.bin"
    WRITERS[kind](data, path)
    assert data == pa.Table.from_batches(file_batches(path))
    assert 100 == file_rows(path) and data.schema.equals(file_schema(path))
    assert columns.score_table(data, [BLEU(), TER()], **TEXTS, by="lang") == columns.score_files(
        path, [BLEU(), TER()], **TEXTS, by="lang"
    )


@pytest.mark.parametrize("kind", WRITERS)
def test_only_the_columns_that_are_needed_are_read(kind: str, tmp_path: Path) -> None:
    WRITERS[kind](table(100), tmp_path / "data")
    for batch in file_batches(tmp_path / "data", ["ref", "mt"]):
        assert {"ref", "mt"} == set(batch.schema.names) and batch.num_rows <= 30


@pytest.mark.parametrize("kind", WRITERS)
def test_a_file_without_rows_has_columns(kind: str, tmp_path: Path) -> None:
    WRITERS[kind](table(5).slice(0, 0), tmp_path / "data")
    (batch,) = file_batches(tmp_path / "data", ["mt"])
    assert 0 == batch.num_rows and "mt" in batch.schema.names
    with pytest.raises(EmptyCorpus):
        columns.score_files(tmp_path / "data", BLEU(), **TEXTS)
    with pytest.raises(UnknownField, match=r"there is no column 'system2'; the columns are .* did you mean 'system'"):
        columns.score_files(tmp_path / "data", BLEU(), **TEXTS, by="system2")


def test_long_texts_come_in_smaller_batches(tmp_path: Path) -> None:
    pq.write_table(pa.table({"mt": [f"{at} " * 200_000 for at in range(64)]}), tmp_path / "long")
    assert 20_000_000 > max(batch.nbytes for batch in file_batches(tmp_path / "long"))


def test_many_files_are_one_table(tmp_path: Path) -> None:
    parts = write_parts(tmp_path, 5)
    whole, metrics = pa.concat_tables(parts), {"b": BLEU(), "c": CHRF(), "t": TER()}
    expected = columns.score_table(whole, metrics, hypothesis="mt", references="refs", by=["system", "lang"])
    fields: dict[str, Any] = {"hypothesis": "mt", "references": "refs", "by": ["system", "lang"]}
    assert expected == columns.score_files(str(tmp_path / "part-*.parquet"), metrics, **fields)
    assert expected == columns.score_files(sorted(tmp_path.iterdir(), reverse=True), metrics, **fields)


def damaged(path: Path) -> None:
    whole = path / "whole"
    pq.write_table(table(2000), whole)
    (path / "cut.parquet").write_bytes(whole.read_bytes()[:-100])
    content = bytearray(whole.read_bytes())
    content[100:20_000] = bytes(19_900)
    (path / "damaged.parquet").write_bytes(content)
    (path / "text.parquet").write_text("plain text\n")
    (path / "empty.parquet").write_bytes(b"")
    (path / "old.feather").write_bytes(b"FEA1" + bytes(100))


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("none.parquet", MissingFile, "there is no such file"),
        ("*.nothing", MissingFile, "there is no file that matches"),
        ("text.parquet", FileFormatError, "is not a file of columns, expected Parquet, Arrow IPC or Feather"),
        ("empty.parquet", FileFormatError, "is not a file of columns"),
        ("old.feather", FileFormatError, "is of the first version of Feather"),
        ("cut.parquet", FileFormatError, "is it damaged or cut off"),
        ("damaged.parquet", InputFileError, "cannot be read"),
    ],
)
def test_what_cannot_be_read_is_named(name: str, error: type[Exception], message: str, tmp_path: Path) -> None:
    damaged(tmp_path)
    with pytest.raises(error, match=message) as raised:
        columns.score_files(tmp_path / name, BLEU(), **TEXTS)
    assert str(tmp_path) in str(raised.value)


def with_column(name: str, values: Any) -> Any:
    data = table(4)
    return data.set_column(data.schema.get_field_index(name), name, pa.chunked_array([pa.array(values)]))


@pytest.mark.parametrize(
    ("data", "by", "error", "message"),
    [
        (with_column("mt", [1, 2, 3, 4]), (), InputTypeError, "b: .mt. has the type integer, expected strings"),
        (
            with_column("ref", [[1], [2], [3], [4]]),
            (),
            InputTypeError,
            "b: .ref. has the type list of integer",
        ),
        (table(4).drop_columns(["mt"]), (), UnknownField, "b: there is no column 'mt'; the columns are seg, "),
        (table(4), "seg2", UnknownField, "there is no column 'seg2'; .* did you mean 'seg'"),
        (with_column("lang", [1.0, 2.0, 1.0, 2.0]), "lang", OptionError, "b: by has 'lang'"),
        (with_column("mt", ["a", None, "b", "c"]), "seg", InputTypeError, r"b: 'mt' is null in row 1 \(seg=1\)"),
        (with_column("ref", ["a", "b", "c", None]), (), SegmentWithoutReference, "b: 'ref' has no reference in row 3"),
    ],
)
def test_the_wrong_column_is_named_with_file_and_row(
    data: Any, by: Any, error: type[Exception], message: str, tmp_path: Path
) -> None:
    pq.write_table(table(4), tmp_path / "a")
    pq.write_table(data, tmp_path / "b")
    with pytest.raises(error, match=message):
        columns.score_files([tmp_path / "a", tmp_path / "b"], BLEU(), **TEXTS, by=by)


def test_all_files_are_checked_before_any_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_parts(tmp_path, 3)
    pq.write_table(table(4).drop_columns(["mt"]), tmp_path / "part-99.parquet")
    read: list[object] = []
    monkeypatch.setattr("truebleu.columns.files.file_batches", lambda *given: read.append(given))
    with pytest.raises(UnknownField, match=r"part-99.parquet: there is no column 'mt'"):
        columns.score_files(tmp_path / "*.parquet", BLEU(), **TEXTS)
    assert [] == read


def test_a_file_that_is_given_twice_would_count_twice(tmp_path: Path) -> None:
    write_parts(tmp_path, 2)
    with pytest.raises(OptionError, match=r"part-01.parquet is given twice"):
        columns.score_files([tmp_path / "*.parquet", tmp_path / "part-01.parquet"], BLEU(), **TEXTS)
    with pytest.raises(OptionError, match="paths is empty"):
        columns.score_files([], BLEU(), **TEXTS)


def test_rows_that_are_skipped_are_told_once_for_all_files(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for name in "ab":
        pq.write_table(with_column("mt", ["a", None, "b", "c"]), tmp_path / name)
    caplog.set_level(logging.WARNING)
    scores = columns.score_files([tmp_path / "a", tmp_path / "b"], CHRF(), **TEXTS, nulls="skip")
    assert [6] == scores["segments"].to_pylist() and [2] == scores["skipped"].to_pylist()
    assert ["2 of 8 rows have no hypothesis or no reference, and were skipped"] == caplog.messages


def test_segment_scores_are_columns_beside_those_of_the_input(tmp_path: Path) -> None:
    parts = write_parts(tmp_path, 3)
    metrics = {"bleu": BLEU(effective_order=True), "chrf": CHRF()}
    paths = [str(path) for path in sorted(tmp_path.iterdir())]
    assert (150, 0) == score_segments(paths, Task(metrics, Layout("mt", "refs"), None), tmp_path / "out.parquet")
    found, whole = pq.read_table(tmp_path / "out.parquet"), pa.concat_tables(parts)
    assert whole == found.select(whole.column_names)
    scores = columns.segment_scores(whole, metrics, hypothesis="mt", references="refs")
    assert scores["bleu"] == found["bleu"] and scores["chrf"] == found["chrf"]


def test_scores_of_half_the_files_are_not_left_behind(tmp_path: Path) -> None:
    pq.write_table(table(4), tmp_path / "a")
    pq.write_table(with_column("mt", ["a", None, "b", "c"]), tmp_path / "b")
    job = Task(CHRF(), Layout("mt", "ref"), None)
    with pytest.raises(InputTypeError, match=r"b: 'mt' is null in row 1"):
        score_segments([str(tmp_path / "a"), str(tmp_path / "b")], job, tmp_path / "out")
    assert ["a", "b"] == sorted(path.name for path in tmp_path.iterdir())
    job = Task(CHRF(), Layout("mt", "ref", nulls="skip"), None)
    assert (8, 1) == score_segments([str(tmp_path / "a"), str(tmp_path / "b")], job, tmp_path / "out")
    assert [5] == [at for at, score in enumerate(pq.read_table(tmp_path / "out")["chrf"].to_pylist()) if score is None]


def test_files_of_other_columns_are_not_written_together(tmp_path: Path) -> None:
    pq.write_table(table(4), tmp_path / "a")
    pq.write_table(with_column("seg", ["0", "1", "2", "3"]), tmp_path / "b")
    with pytest.raises(FileFormatError, match=r"b has other columns than .*a: they differ in 'seg'"):
        score_segments([str(tmp_path / "a"), str(tmp_path / "b")], Task(CHRF(), Layout("mt", "ref"), None), "out")
    pq.write_table(table(4).append_column("chrf", [[1.0] * 4]), tmp_path / "c")
    with pytest.raises(OptionError, match="has a column 'chrf' of its own"):
        score_segments([str(tmp_path / "c")], Task(CHRF(), Layout("mt", "ref"), None), tmp_path / "out")


COUNT = """
import resource, sys
from truebleu import BLEU, columns
from truebleu.columns.files import score_segments
from truebleu.columns.schema import Layout
from truebleu.columns.work import Task
if sys.argv[2] == "totals":
    columns.score_files(sys.argv[1], BLEU(), hypothesis="mt", references="ref", by="lang", threads=1)
else:
    score_segments([sys.argv[1]], Task(BLEU(effective_order=True), Layout("mt", "ref"), 1), sys.argv[1] + ".out")
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


@pytest.mark.guard
@pytest.mark.parametrize(("kind", "what"), [("parquet", "totals"), ("stream", "scores")])
def test_five_times_the_rows_take_no_more_memory(kind: str, what: str, tmp_path: Path) -> None:
    texts = [f"{at} " + "abcdefghij" * 100 for at in range(1000)]
    data = pa.table({"lang": ["de", "fr"] * 500, "mt": texts, "ref": texts})

    def peak(times: int) -> int:
        path, whole = tmp_path / f"{times}", pa.concat_tables([data] * times)
        if kind == "parquet":
            # One row group: it need not fit in memory either.
            pq.write_table(whole, path, row_group_size=len(whole), use_dictionary=False, compression="none")
        else:
            write_ipc(whole, path, rows=1000, stream=True)
        run = subprocess.run([sys.executable, "-c", COUNT, path, what], capture_output=True, text=True, check=True)
        return int(run.stdout)

    few, many = peak(15), peak(75)
    assert (tmp_path / "75").stat().st_size > 150_000_000
    assert many - few < 30, f"{few} MB for 30 MB, {many} MB for 150 MB"


def test_without_pyarrow_the_error_tells_what_to_install(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "from truebleu.columns.parquet import file_schema\n"
        "try: file_schema('a.parquet')\n"
        "except ImportError as error: print(type(error).__name__, error)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.startswith("MissingDependency files of columns") and "pip install 'truebleu[arrow]'" in run.stdout
