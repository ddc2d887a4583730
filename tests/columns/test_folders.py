"""A folder stands for the files in it, and folders called `name=value` give their files a column."""

from pathlib import Path
from typing import Any

import pytest

from truebleu import BLEU, TER, columns
from truebleu.errors import MissingFile, UnknownField

pa = pytest.importorskip("pyarrow")
import pyarrow.dataset as ds  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402

from columns.made_up import table  # noqa: E402
from truebleu.cli.main import main  # noqa: E402
from truebleu.columns.parquet import file_batches, file_schema  # noqa: E402

TEXTS: dict[str, Any] = {"hypothesis": "mt", "references": "ref", "by": ["lang", "system"]}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree that pyarrow has written, with a null and a value that needs escapes, and what other programs leave."""
    data = table(120)
    system = pa.array([f"{name}/é=" for name in data["system"].to_pylist()])
    data = data.set_column(data.schema.get_field_index("system"), "system", system)
    root = tmp_path / "tree"
    ds.write_dataset(
        data, root, format="parquet", partitioning=ds.partitioning(
            pa.schema([("lang", pa.string()), ("system", pa.string())]), flavor="hive"
        ),
    )  # fmt: skip
    (root / "_SUCCESS").write_text("")
    (root / ".hidden").mkdir()
    (root / ".hidden" / "part.parquet").write_text("no file of columns")
    pq.write_table(data, tmp_path / "whole.parquet")
    return root


def test_partitions_of_a_tree_are_columns(tree: Path) -> None:
    expected = columns.score_files(tree.parent / "whole.parquet", [BLEU(), TER()], **TEXTS)
    assert expected == columns.score_files(tree, [BLEU(), TER()], **TEXTS)
    assert expected == columns.score_files(tree / "**" / "*.parquet", [BLEU(), TER()], **TEXTS)


def test_a_folder_goes_on_where_it_was(tree: Path, tmp_path: Path) -> None:
    out, first = tmp_path / "t.parquet", sorted(tree.glob("lang=*"))[0]
    columns.score_files(first, [BLEU(), TER()], **TEXTS, resume=out)
    assert columns.score_files(tree, [BLEU(), TER()], **TEXTS) == columns.score_files(
        tree, [BLEU(), TER()], **TEXTS, resume=out
    )


def test_the_command_takes_a_folder(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--hyp-field", "mt", "--ref-field", "ref", "--by", "lang", "-f", "json", "--fields-format", "parquet"]
    assert 0 == main([str(tree.parent / "whole.parquet"), *given])
    expected = capsys.readouterr().out
    assert 0 == main([str(tree), *given])
    assert expected == capsys.readouterr().out


def test_a_column_of_the_file_goes_before_the_name_of_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "lang=xx" / "n=1"
    folder.mkdir(parents=True)
    pq.write_table(table(10), folder / "a.parquet")
    assert [*table(10).column_names, "n"] == file_schema(folder / "a.parquet").names
    (batch,) = file_batches(folder / "a.parquet", ["n", "lang"])
    assert ["1"] * 10 == batch["n"].to_pylist() and table(10)["lang"].to_pylist() == batch["lang"].to_pylist()
    (batch,) = file_batches(folder / "a.parquet", ["n"])
    assert (10, ["n"]) == (batch.num_rows, batch.schema.names)


def test_a_file_without_rows_has_the_column_too(tmp_path: Path) -> None:
    (tmp_path / "n=1").mkdir()
    pq.write_table(table(0), tmp_path / "n=1" / "a.parquet")
    (batch,) = file_batches(tmp_path / "n=1" / "a.parquet", ["mt", "n"])
    assert 0 == batch.num_rows and {"mt", "n"} <= set(batch.schema.names)


def test_a_folder_that_mixes_columns_is_refused_with_the_name_of_the_file(tree: Path) -> None:
    odd = tree / "zz.parquet"
    pq.write_table(table(10).drop_columns(["lang"]), odd)
    with pytest.raises(UnknownField, match=r"zz\.parquet: there is no column 'lang'"):
        columns.score_files(tree, BLEU(), **TEXTS)


def test_a_folder_without_files_of_columns_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a\n")
    with pytest.raises(MissingFile, match="is a folder without a file of Parquet"):
        columns.score_files(tmp_path, BLEU(), **TEXTS)
