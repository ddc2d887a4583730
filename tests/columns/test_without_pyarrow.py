"""pyarrow need not be there: tables come and go through the PyCapsule interface alone."""

import subprocess
import sys

import pytest

ALONE = """
import sys
sys.modules["pyarrow"] = None  # as if it were not installed
from truebleu import BLEU, CHRF, columns
from truebleu.errors import MissingDependency

data = {"k": ["x", "x", None], "mt": ["a b c d", None, "ü"], "refs": [["a b c d", "e"], ["f"], ["ü"]]}
texts = {"hypothesis": "mt", "references": "refs", "nulls": "skip"}
table = columns.score_table(data, {"chrf": CHRF()}, **texts, by="k")
assert isinstance(table, columns.Table), table
found = table.to_pydict()
assert ["k", "segments", "skipped", "chrf", "chrf_signature"] == table.column_names == list(found)
assert (["x", None], [1, 1], [1, 0], [100.0, 100.0]) == tuple(found[name] for name in table.column_names[:4])
assert 2 == len(table) == table.num_rows
totals = columns.totals(data, BLEU(), **texts, by="k")
assert totals.to_arrow().to_pydict() == columns.Totals.from_arrow(totals.to_arrow()).to_arrow().to_pydict()
assert [2, None, 1] == columns.rows(data, BLEU(), **texts).to_pydict()["bleu_refs"]
stats = columns.stats(data, BLEU(), **texts)
from truebleu.stats import Stats
assert stats.rows.tolist() == Stats.from_arrow(stats.to_arrow()).rows.tolist()
kept = columns.segment_scores(data, BLEU(), **texts, keep=["k", "mt", "refs"])
(part,) = columns.worker(BLEU(), **texts, by="k")(iter([kept]))
assert totals.to_arrow().to_pydict() == part.to_pydict()
try:
    totals.save("t.parquet")
except MissingDependency as error:
    assert "truebleu[arrow]" in str(error)
else:
    raise AssertionError
"""

POLARS = """
import sys
sys.modules["pyarrow"] = None
import polars as pl
from truebleu import BLEU, columns

frame = pl.DataFrame({"k": ["a", "b", "a"], "mt": ["a b c d", "x", "e f g h"], "ref": ["a b c d", "x", "e f g x"]})
frame = frame.with_columns(pl.col("k").cast(pl.Categorical))
scores = pl.DataFrame(columns.score_table(frame, BLEU(), hypothesis="mt", references="ref", by="k"))
expected = BLEU().corpus_score(["a b c d", "e f g h"], [["a b c d", "e f g x"]])
assert [expected.score] == scores.filter(pl.col("k") == "a")["bleu"].to_list(), scores
kept = pl.DataFrame(columns.rows(frame, BLEU(), hypothesis="mt", references="ref", keep=["k", "mt"]))
assert frame["mt"].to_list() == kept["mt"].to_list() and frame["k"].to_list() == kept["k"].cast(pl.String).to_list()
lazy = columns.totals(frame.lazy(), BLEU(), hypothesis="mt", references="ref", by="k")
assert columns.totals(frame, BLEU(), hypothesis="mt", references="ref", by="k").keys() == lazy.keys()
"""


def check(code: str) -> None:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert 0 == done.returncode, done.stderr[-3000:]


def test_columns_work_with_nothing_but_numpy() -> None:
    check(ALONE)


def test_polars_alone_is_enough() -> None:
    pytest.importorskip("polars")
    check(POLARS)


def test_the_package_and_the_command_load_none_of_it() -> None:
    code = "import sys, truebleu, truebleu.cli.main, truebleu.cli.run; "
    code += (
        "print([name for name in sys.modules if name.startswith(('truebleu.columns', 'truebleu._arrow', 'pyarrow'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "[]\n" == done.stdout
