"""Segments of one's own: whatever shape they come in, they come out as they went in."""

import json
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from truebleu.dataset.user_sets import UserColumns, read_columns

# Anything but what ends a line or a column, and half characters. A byte order mark at the beginning is left out.
TEXT = st.text(st.characters(exclude_characters="\n\r\t\0\ufeff", exclude_categories=["Cs"]), max_size=12)
FILLED = TEXT.filter(lambda text: bool(text.strip()))
ROWS = st.lists(st.tuples(TEXT, FILLED, TEXT, TEXT), min_size=1, max_size=6)
FIELDS = ("src", "ref:A", "ref:B", "docid")


def read(text: str, name: str) -> UserColumns:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(text.encode())
        return read_columns([path])


@given(ROWS)
def test_json_lines_tables_and_plain_files_give_the_same(rows: list[tuple[str, ...]]) -> None:
    expected = [
        (source, first, second if second.strip() else None, docid) for source, first, second, docid in rows
    ]  # fmt: skip
    lines = [json.dumps(dict(zip(FIELDS, row, strict=True))) for row in rows]
    from_json = read("\n".join(lines), "x.jsonl")
    from_table = read("\n".join("\t".join(row) for row in [FIELDS, *rows]) + "\n", "x.tsv")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for field, column in zip(FIELDS, zip(*rows, strict=True), strict=True):
            (folder / field).write_bytes("".join(f"{text}\n" for text in column).encode())
        files = [folder / field for field in FIELDS]
        from_plain = read_columns(files[:3], labels=["A", "B"], metadata={"docid": files[3]})
    for columns in (from_json, from_table, from_plain):
        assert list(FIELDS) == list(columns.fields)
        assert expected == list(zip(*columns.fields.values(), strict=True))


@given(ROWS)
def test_what_is_written_reads_as_it_was(rows: list[tuple[str, ...]]) -> None:
    columns = read("\n".join(json.dumps(dict(zip(FIELDS, row, strict=True))) for row in rows), "x.jsonl")
    written = columns.to_jsonl()
    again = read(written.decode(), "x.jsonl")
    assert columns.fields == again.fields
    assert written == again.to_jsonl()
    assert len(rows) == written.count(b"\n") == columns.segments
